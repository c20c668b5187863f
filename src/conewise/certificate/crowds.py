"""Very many designs: who is clearly beaten is found level by level, at K times the size of the fronts."""

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
    """Who is clearly beaten, by whom, and in which views: to be taken over at the next look."""

    views: Sequence[View]
    reached: Indices
    steps: bytes
    """Equal for equal steps of recorded values."""
    beaten: Bools
    by: Indices
    """(K,): -1 where nobody does."""

    def still_beaten(self, views: Sequence[View], reached: Indices, steps: bytes) -> Bools:
        """(K,): who is beaten as before, since its level is the same, and so are its means and those of its rival."""
        if steps != self.steps:
            return np.zeros_like(self.beaten)  # finer steps were seen: radii change although nobody moved
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
        """(m,): which designs were at this level and not beaten the last time, if its view has not changed since."""
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
    """Who is beaten at its own last level by a design of the empirical front, and by which; while many are left.

    At a common level a design on the front is at least as far ahead as any it dominates, so with equal variances
    nothing is missed; what unequal ones hide is found among the pairs. Whoever was beaten `before`, and has not moved
    since, is not looked at again: the one place where claims may depend on when anybody looked, and none is wrong for
    it (docs/adaptive, 3.2). Those that are `out` otherwise are not asked about; `strikers` are who may beat others,
    None for everybody.
    """
    beaten, by = np.zeros(len(reached), dtype=bool), np.full(len(reached), -1, dtype=np.intp)
    steps = b"" if rounding is None else rounding.key
    stepwise = boundaries.spending.stepwise
    # Whether somebody who was not beaten by the same means is not beaten now.
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
    """At a level."""

    parts: tuple[tuple[tuple[int, float, float], ...], ...]
    """For each facet, of each of its parts: where its variances stand, z, and the shift."""

    @classmethod
    def at(cls, boundaries: Ruler, z: Floats, level: int) -> _Radius:
        """From z of each part, or of all."""
        radii, found = boundaries.radii, []
        for n in range(len(radii.rows)):
            places = np.flatnonzero(radii.facet_of == n).tolist()
            own = [(part, float(z[min(part, len(z) - 1)])) for part in places]
            found.append(tuple((part, x * boundaries.scale, boundaries.shift_at(part, x, level)) for part, x in own))
        return cls(tuple(found))

    def beats(self, gains: Floats, mine: Floats, theirs: Floats, n: int) -> Bools:
        """Whether gains along a facet are at least their radii; variances (..., parts) of both designs."""
        total = np.zeros_like(gains)
        for part, z, shift in self.parts[n]:
            total += z * np.sqrt(mine[..., part] + theirs[..., part]) + shift
        return np.asarray(gains >= total)


def _beaten_at(
    view: View, designs: Indices, radius: _Radius, rounding: Rounding | None, strikers: Bools | None
) -> tuple[Indices, Indices]:
    """Which of the designs are beaten by another of the view, and by which (docs/adaptive, 1)."""
    rows = np.searchsorted(view.designs, designs)
    shown = np.arange(len(view.designs)) if strikers is None else np.flatnonzero(strikers[view.designs])
    if rounding is not None:  # whoever's noise may be hidden is left to the pairs
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
