"""Switches of the certificate's mechanisms, and the numbers that several rooms read. Any valid value keeps the proof.

They change what a run costs, never whether it is right. They were chosen on the seeds 0 to 999, and nothing that is
reported used those seeds. `benchmarks.ablation` measures what a mechanism saves, `benchmarks.sensitivity` what halving
or doubling a number costs (benchmarks/SAMPLES.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CONTAIN_PARTS: Final = 0.4, 0.6
"""For `contain`, without a pilot: the parts of delta for "no worse" and for "dominated" (3.2)."""
LEVEL_PART: Final = 0.25
"""Part of delta for claims about levels, where designs have levels to meet; the rest is for pairs (9.2)."""


@dataclass(frozen=True)
class Tuning:
    """Choose how delta is shared and spent."""

    directions: bool = True
    """Cover along directions, where their radii are known (docs/adaptive, 3.4), not along facets alone."""
    pilots: bool = True
    """Share delta by the weights of a pilot, where that pays (3.3)."""
    steps: bool = True
    """For `contain`: let what is known already narrow the radii of the rest (3.2)."""
    timing: bool = True
    """Spend more on looks near those at which claims are due (2)."""
    lag: float = 2.0
    """Largest ratio of the evaluations of two open designs, so that near-ties do not starve the others."""
    pilot_worth: float = 15.0
    """Least observations of a design that near-ties take; with fewer a pilot would cost more than it tells (3.3)."""
    pilots_from: tuple[int, int] = (10, 2)
    """Least number of designs for a pilot, for `cover` and for `contain`; with fewer, even shares do as well (3.3)."""


TUNING: Final = Tuning()
"""What the library uses."""
