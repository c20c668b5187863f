"""Every tuned number of the certificate and its sampling rules, in one value: any valid one keeps the proof.

They change what a run costs, never whether it is right. Chosen on the seeds 0 to 999; nothing that is reported
(`benchmarks.cases`, `benchmarks.families`) was used. What halving or doubling each of them costs is measured by
`benchmarks.sensitivity` and stands in benchmarks/SAMPLES.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conewise.errors import InputError


@dataclass(frozen=True)
class Tuning:
    """The numbers that share delta, and time its spending; the first four switch mechanisms off."""

    directions: bool = True
    """Cover along directions, where their radii are known (docs/adaptive, 3.4), not along facets alone."""
    pilots: bool = True
    """Share delta by the weights of a pilot, where that pays (3.3)."""
    steps: bool = True
    """For `contain`: let what is known already narrow the radii of the rest (3.2)."""
    timing: bool = True
    """Spend more on looks near those at which claims are due (2), which a pilot says where nothing else does (3.3)."""

    # -- claims ------------------------------------------------------------------------------------------------
    contain_parts: tuple[float, float] = (0.4, 0.6)
    """For `contain`, without a pilot: the parts of delta for "no worse" and for "dominated" (3.2)."""
    fine_limits: tuple[float, float] = (0.15, 0.85)
    """For `contain`, with a pilot: between these it decides on the part of "fine"; the rest is for "beaten" (3.3)."""
    out_anchor: float = 0.3
    """Where "beaten" and "covered" spend most, as a share of where the last of them is due (2)."""
    step: float = 2.0**0.125
    """Ratio of the probabilities for which boundaries are tabulated; shares are rounded down to them."""

    level_part: float = 0.25
    """Of delta, where designs have levels to meet: what claims about levels may spend; the rest is for pairs (9.2)."""

    lag: float = 2.0
    """Evaluations of the open design that has most, over those of any other open design, at most. Without this limit
    near-ties, which may take any number, starve the other designs."""

    # -- pilots (3.3) ------------------------------------------------------------------------------------------
    pilot_first: int = 1
    """Observations of each design with which a pilot begins."""
    pilot_look: float = 0.05
    """Of delta, for who is beaten at the first look at the pilots: whoever is needs no more observations."""
    pilot_part: tuple[float, float] = (3.0, 1.4)
    """For `cover` and for `contain`: a pilot ends at this many observations over the squared gap, a few per cent of
    what the design will need."""
    pilot_growth: float = 4.0
    """... to which it grows in stages, by this factor at most: the less is known of a gap, the smaller it may look."""
    pilot_worth: float = 15.0
    """No pilot where near-ties are decided by fewer observations of a design: it would cost more than it tells."""
    pilots_from: tuple[int, int] = (10, 2)
    """For `cover` and for `contain`: no pilot with fewer designs, where even shares do as well."""
    pilot_longest: int = 20
    """No pilot is longer than the schedule, or a design's part of all evaluations, divided by this."""
    pilot_designs: int = 1000
    """No pilot with more designs: weights of all pairs would be worked out and kept."""
    even: float = 0.2
    """Part of delta that all designs share evenly: what a misleading pilot can cost is a factor 5 in a share."""
    even_facets: float = 0.5
    """Part of a design's share for "fine" that its facets share evenly."""
    even_rivals: float = 0.1
    """Part of a design's share for "beaten" and "covered" that its rivals share evenly."""
    by_rank: float = 0.3
    """Part of which the r-th rival has 1 / (r (r + 1)); the rest goes by how often a rival would be the one."""
    draws: int = 48
    """Draws of the means around the pilot's, over which weights are averaged."""
    shortest: float = 0.8
    """Standard deviations of a pilot's difference: no gap is taken for shorter."""
    shortest_ahead: float = 0.5
    """... where it is asked how long the pilot should be."""

    def __post_init__(self) -> None:
        low, high = self.fine_limits
        fine, out = self.contain_parts
        if not (fine > 0 and out > 0 and fine + out <= 1 + 1e-12 and 0 < low <= high < 1):
            raise InputError("parts of delta are positive and add up to 1 at most.")
        if not (0 < self.level_part < 1 and 0 < self.pilot_look < 1):
            raise InputError("level_part and pilot_look lie between 0 and 1.")
        if not (0 < self.even <= 1 and 0 < self.even_facets <= 1 and 0 < self.even_rivals <= 1 - self.by_rank <= 1):
            raise InputError("even parts are positive and at most 1: no claim may be left without a share.")
        least = min(self.lag, self.pilot_first, self.pilot_longest, self.draws)
        if self.step <= 1 or least < 1 or self.pilot_growth <= 1:
            raise InputError(
                "step and pilot_growth exceed 1; lag, pilot_first, pilot_longest and draws are at least 1."
            )


TUNING: Final = Tuning()
"""What the library uses."""
