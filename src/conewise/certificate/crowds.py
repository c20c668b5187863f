"""Find the clearly beaten of very many designs, level by level, in time K times the size of the fronts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.contrasts import Ruler, View, places
from conewise.certificate.rounding import Rounding
from conewise.certificate.weights import Standing
from conewise.order.dominance import maximal_columns

_PAIRS_AT_ONCE: Final = 2**18


@dataclass(frozen=True, eq=False)
class Crowd:
    """The clearly beaten designs, their rivals, and the views in which they were found, for use at the next look."""

    views: Sequence[View]
    reached: Indices
    steps: bytes
    """Key of the steps of recorded values: equal keys, equal steps."""
    beaten: Bools
    by: Indices
    """(K,): a design that beats each design; -1 for none."""

    def still_beaten(self, views: Sequence[View], reached: Indices, steps: bytes) -> Bools:
        """Return which designs are still beaten: neither they nor their rivals have moved."""
        if steps != self.steps:
            return np.zeros_like(self.beaten)  # finer steps were seen: radii change although no design moved
        unmoved = np.ones_like(self.beaten)
        for level, before in enumerate(self.views):
            if level >= len(views):
                unmoved[before.designs] = False
            elif (now := views[level]) is not before:
                there, here = places(now.designs, before.designs)
                same = np.zeros(len(before.designs), dtype=bool)
                same[there] = (now.values[here] == before.values[there]).all(axis=1)
                same[there] &= (now.variances[here] == before.variances[there]).all(axis=1)
                unmoved[before.designs[~same]] = False
        return np.asarray(self.beaten & (self.reached == reached) & unmoved & unmoved[self.by])

    def unbeaten(self, designs: Indices, views: Sequence[View], level: int) -> Bools:
        """Return which designs at this level were unbeaten the last time, if its view has not changed: (m,)."""
        same = level < len(self.views) and views[level] is self.views[level]
        return np.asarray(same & (self.reached[designs] == level) & ~self.beaten[designs])


def clearly_beaten(
    views: Sequence[View],
    reached: Indices,
    boundaries: Ruler,
    rounding: Rounding | None,
    few: int,
    before: Crowd | None,
    out: Bools,
    strikers: Bools | None = None,
) -> Crowd:
    """Return which designs are beaten at their last level by one of the empirical front, and by which.

    At a common level a design on the front is at least as far ahead as any design that it dominates. So with equal
    variances nothing is missed. Unequal variances may hide beaten designs, which are then found among the pairs.

    A design that was beaten `before`, and has not moved since, is not compared again. Only here may claims depend on
    the times of earlier looks, and none is wrong for it (docs/adaptive, 3.2). Designs that are `out` for another reason
    are skipped. `strikers` are the designs that may beat others; None for all. The search stops once `few` are left.
    """
    beaten, by = np.zeros(len(reached), dtype=bool), np.full(len(reached), -1, dtype=np.intp)
    steps = b"" if rounding is None else rounding.key
    stepwise = boundaries.spending.stepwise
    # True if a design that was not beaten by these same means is not beaten now.
    for_good = before is not None and before.steps == steps and strikers is None and not stepwise
    if before is not None:
        still = before.still_beaten(views, reached, steps)
        if strikers is not None:  # an earlier state may be looked at again
            still &= strikers[before.by]
        # Step by step, some may be beaten only because others are: then they are all taken over, or none.
        if not stepwise or still.sum() == before.beaten.sum():
            beaten, by = still, np.where(still, before.by, -1)
    while True:
        earlier = int((~(beaten | out)).sum())
        standing = Standing(~(beaten | out), np.zeros_like(beaten))
        z, left = boundaries.of_everybody(standing), np.flatnonzero(~(beaten | out))
        for level, view in enumerate(views):
            mine = left[reached[left] == level]
            if before is not None and for_good:
                mine = mine[~before.unbeaten(mine, views, level)]
            if len(mine):
                radius = _Radius.at(boundaries, z[:, level], level)
                found = _beaten_at(view, mine, radius, rounding, strikers)
                beaten[found[0]], by[found[0]] = True, found[1]
        now = int((~(beaten | out)).sum())
        if now == earlier or now <= few or not stepwise:  # few: all pairs are looked at
            return Crowd(views, reached, steps, beaten, by)


@dataclass(frozen=True, eq=False)
class _Radius:
    """The terms of the radii at one level."""

    parts: tuple[tuple[tuple[int, float, float], ...], ...]
    """For each part of each facet: the position of its variances, z, and the shift."""

    @classmethod
    def at(cls, boundaries: Ruler, z: Floats, level: int) -> _Radius:
        """Return the terms for the z of each part, or for one z of all parts."""
        radii, found = boundaries.radii, []
        for n in range(len(radii.rows)):
            places = np.flatnonzero(radii.facet_of == n).tolist()
            own = [(part, float(z[min(part, len(z) - 1)])) for part in places]
            found.append(tuple((part, x * boundaries.scale, boundaries.shift_at(part, x, level)) for part, x in own))
        return cls(tuple(found))

    def beats(self, gains: Floats, mine: Floats, theirs: Floats, n: int) -> Bools:
        """Return where gains along a facet are at least their radii; variances (..., parts) of both designs."""
        total = np.zeros_like(gains)
        for part, z, shift in self.parts[n]:
            total += z * np.sqrt(mine[..., part] + theirs[..., part]) + shift
        return np.asarray(gains >= total)


def _beaten_at(
    view: View, designs: Indices, radius: _Radius, rounding: Rounding | None, strikers: Bools | None
) -> tuple[Indices, Indices]:
    """Return which designs are beaten by another one of the view, and by which (docs/adaptive, 1)."""
    rows = np.searchsorted(view.designs, designs)
    shown = np.arange(len(view.designs)) if strikers is None else np.flatnonzero(strikers[view.designs])
    if rounding is not None:  # designs whose noise may be hidden are left to the pairs
        rows, shown = (which[~rounding.hides(view.spreads[which]).any(axis=1)] for which in (rows, shown))
    if not len(rows) or not len(shown):
        return rows[:0], rows[:0]
    rivals = shown[maximal_columns(view.values[shown].T)]
    rival = np.full(len(rows), -1)
    step = max(1, _PAIRS_AT_ONCE // len(rivals))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        lost, won = np.ones((len(part), len(rivals)), dtype=bool), np.zeros((len(part), len(rivals)), dtype=bool)
        for n in range(view.values.shape[1]):
            gains = view.values[rivals, n][None, :] - view.values[part, n][:, None]
            lost &= radius.beats(gains, view.variances[part][:, None], view.variances[rivals][None, :], n)
            won |= gains > 0
        lost &= won
        rival[start : start + step] = np.where(lost.any(axis=1), rivals[lost.argmax(axis=1)], -1)
    found = rival >= 0
    return view.designs[rows[found]], view.designs[rival[found]]
