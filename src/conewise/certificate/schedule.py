"""Plan a certificate on a schedule: at which counts it looks, and how far comparisons may err at each look.

Both follow from the question alone, before any observation (docs/adaptive, 2 and 6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Floats, as_count
from conewise.certificate.asked import Asked
from conewise.certificate.contrasts import Tables
from conewise.certificate.looks import Levels
from conewise.certificate.pilots import FINE_LIMITS, least_weights
from conewise.certificate.thresholds import REACH
from conewise.certificate.weights import Standing, Weights
from conewise.errors import InputError
from conewise.limits import MOST_EVALUATIONS
from conewise.order.directions import cover_at

MOST: Final = 10**9
"""Largest number of observations of one design that will ever be looked at, where nothing else limits it."""

STEP: Final = 2.0**0.125
"""Ratio of the probabilities for which boundaries are tabulated; shares are rounded down to them."""

_OUT_ANCHOR: Final = 0.3  # where "beaten" and "covered" spend most, over the count at which the last of them is due
PILOT_DESIGNS: Final = 1000
"""No pilot with more designs, because it needs weights of all pairs."""
_SHARE: Final = 8.0  # evaluations of a design that is hard to decide, over the average of all designs
_ROOM: Final = 16  # schedules may reach this many times further than their first guess


@dataclass(frozen=True, eq=False)
class Scheduled(Asked):
    """A certificate that looks again and again, on a schedule."""

    most: int | None = None
    """Largest number of observations of one design that will ever be looked at; from epsilon by default."""
    any_epsilon: bool = False
    """True if epsilon may be chosen anew at every look; then nothing that is fixed beforehand may use it."""
    scale: float = field(default=1.0)
    """Factor of every radius. Anything but 1 voids the proof (for negative controls)."""
    pilots: bool = True
    """True if pilots may be asked for, to share delta; False for observations that are there already."""
    planned: int | None = None
    """Limit on the evaluations of a run, if it was known before the first one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.any_epsilon and self.most is None:
            object.__setattr__(self, "most", MOST)
        if self.most is not None:
            as_count(self.most, "most", 2)

    @cached_property
    def weighted(self) -> bool:
        """True if delta is shared by weights of a pilot (docs/adaptive, 3.3)."""
        least = max(2, self.tuning.pilots_from[self.stepwise])
        return (
            (self.pilots and self.tuning.pilots and not (self.any_epsilon or self.once or self.apart))
            and (self.stepwise or self.success == "cover")  # a pilot's weights for `contain` are for steps
            and least <= self.n_designs <= PILOT_DESIGNS
            and min(self._due[0], self.each) >= self.tuning.pilot_worth
        )

    @property
    def each(self) -> float:
        """Largest number of observations of a design, on average over all designs."""
        limits = math.inf if self.most is None else 2 * self.most, math.inf if self.planned is None else self.planned
        return min(limits) / self.n_designs  # the schedule is for two designs at least

    @cached_property
    def _due(self) -> tuple[float, float]:
        """Counts at which the last claims "fine" and "out" about a near-tie of size epsilon are due."""
        worst = self.radii.worst
        if self.epsilon == 0 or self.any_epsilon or worst is None:
            return math.inf, math.inf  # no scale is known beforehand
        widest = 2 * float((self.radii.planned(worst) / self.cone.widths**2).max()) / self.epsilon**2
        fine, out = (widest * (REACH * self.noise.deviation(alpha)) ** 2 for alpha in self._alphas(self.even))
        return fine, out

    def _alphas(self, weights: Weights) -> tuple[float, float]:
        """Return the least probabilities of claims "fine" and "out", for even weights."""
        spending, standing = self.spending(weights), Standing.at_first(self.n_designs)
        nobody = np.zeros(0, dtype=np.intp)
        out = spending.log_out(nobody, nobody, standing).item()
        return math.exp(spending.log_fine(nobody, standing).item()), math.exp(out)

    @cached_property
    def least(self) -> tuple[float, float]:
        """Least probability of any claim "fine" and "out", whatever a pilot says (docs/adaptive, 6)."""
        if not self.weighted:
            return self._alphas(self.even)
        fine, out = least_weights(self.n_designs, len(self.cone.facets))
        left = self.for_pairs * self.radii.claim_share
        if not self.stepwise:
            return left * fine, left * out
        low, high = FINE_LIMITS
        return left * fine * low, left * out * (1 - high)

    @cached_property
    def anchors(self) -> tuple[float, float]:
        """Counts towards which the two kinds of claims spend delta: designs are mostly out before they are fine."""
        fine, out = self._due
        if self.radii.estimates:
            return math.inf, math.inf  # how noisy it really is, the data will tell
        if math.isfinite(fine):  # a hard design has a few times the average: later looks come after the end of the run
            fine, out = min(fine, _SHARE * self.each), min(out, _SHARE * self.each)
        return fine, _OUT_ANCHOR * out * self.cover_factor**2

    @cached_property
    def cover_factor(self) -> float:
        """Ratio of the radius of "covered" and that of one facet (at least 1), for planning."""
        ones = np.ones((len(self.cone.facets), 1))
        return float(cover_at(self.cone, 0 * ones, ones, np.ones(1) if self.directions else None)[0])

    @cached_property
    def levels(self) -> Levels:
        """Levels up to the count that decides every pair whatever its means, or `most` (docs/adaptive, 6)."""
        fine, out = self._due
        growth = self.radii.growth
        if self.most is not None or math.isinf(fine):
            return self._timed(self.radii.schedule(MOST if self.most is None else self.most, due=0.0))
        # Not fine: all gains exceed epsilon alpha - r_fine; beaten once that is r_out or more.
        most = (math.sqrt(fine) + math.sqrt(out)) ** 2
        if most * self.n_designs > MOST_EVALUATIONS / _ROOM:
            raise InputError(
                f"epsilon = {self.epsilon:g} may take {most:.0e} evaluations of a design, more than can be counted; "
                "raise epsilon or lower sigma, or ask for epsilon = 0 with max_evaluations."
            )
        # More levels change the boundaries a little, so the least number of steps that is enough is searched for. Radii
        # fall about as the root of the count, which says how far it may be.
        short, enough, steps = -1, None, 0
        while enough is None or enough - short > 1:
            levels = self._timed(self.radii.schedule(most * growth**steps, due=fine))
            need = self._need(levels)
            missing = 2 * math.log(need) / math.log(growth)
            if need <= 1:
                enough, found = steps, levels
                steps = max(short + 1, steps - max(1, math.floor(-missing)))
            else:
                short, steps = steps, steps + max(1, math.ceil(missing))
                steps = steps if enough is None else min(steps, enough - 1)
        return found

    def _timed(self, levels: Levels) -> Levels:
        return replace(levels, timed=self.tuning.timing)

    def _need(self, levels: Levels) -> float:
        """Return by which factor radii at the last level are too wide to settle every pair (docs/adaptive, 6)."""
        worst, count = self.radii.at_last(levels), np.array(float(levels.counts[-1]))
        total, parts = np.zeros(len(self.cone.facets)), len(self.radii.parts.weights)
        for out, anchor, alpha in zip((False, True), self.anchors, self.least, strict=True):
            z = np.broadcast_to(self.radii.boundaries(levels, anchor, (alpha,), out)[:parts, 0, -1], (parts,))
            each = z * np.sqrt(2 * worst / count).reshape(-1, parts).max(axis=0)
            each += [float(self.radii.shift(part, z[part], count)) for part in range(parts)]
            total = total + self.radii.combined(each)
        need = float((total / (self.epsilon * self.cone.widths)).max())
        return need if self.requirements is None else max(need, self.requirements.need(levels, self.epsilon))

    @cached_property
    def tables(self) -> Tables:
        """Boundaries by level and by what a claim may spend (docs/adaptive, 2)."""
        whole = self.for_pairs * self.radii.claim_share
        most = (whole, whole) if self.stepwise or self.weighted else self.least
        return Tables.of(self.radii, self.levels, self.anchors, self.least, most, STEP)

    @cached_property
    def level_boundary(self) -> Floats:
        """Standard deviations of an average by part and level, (2, P or 1, L), for "meets" and "misses" a level."""
        assert self.requirements is not None
        return self.requirements.boundary(self.levels, 0.0 if self.any_epsilon else self.epsilon)

    @cached_property
    def _counts(self) -> Floats:
        """Number of observations at each look, (L,)."""
        return np.array(self.levels.counts, dtype=np.float64)
