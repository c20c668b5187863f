"""Very many designs: who is clearly beaten is found level by level, at K times the size of the fronts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.certificate.boundaries import Looks
from conewise.certificate.pairs import View, places
from conewise.certificate.rounding import Rounding
from conewise.certificate.weights import Standing
from conewise.order import maximal_columns

_PAIRS_AT_ONCE: Final = 2**18


def clearly_beaten(
    views: Sequence[View],
    reached: Indices,
    boundaries: Looks,
    rounding: Rounding | None,
    few: int,
    before: Indices,
    out: Bools,
    strikers: Bools | None = None,
) -> tuple[Bools, Indices]:
    """Who is out or beaten at its own last level by a design of the empirical front, and by which; while many are left.

    At a common level a design on the front is at least as far ahead as any it dominates, so with equal variances
    nothing is missed; what unequal ones hide is found among the pairs. Everybody is first held against whoever beat it
    `before`: the one place where claims may depend on when anybody looked, and none is wrong for it (docs/adaptive,
    3.2).
    """
    beaten, by = out.copy(), np.full(len(reached), -1, dtype=np.intp)
    left = int((~beaten).sum())
    while left > few:  # else all pairs are looked at anyway
        standing = Standing(~beaten, np.zeros_like(beaten))
        for which, offset in enumerate(boundaries.offsets):
            z = boundaries.of_everybody(standing, which)
            for level in range(len(views) - offset):
                here, ahead = views[level], views[level + offset]
                rows = np.flatnonzero((reached[here.designs] == level) & ~beaten[here.designs])
                radius = _Radius(float(z[level]) * boundaries.scale, boundaries.shift_at(float(z[level]), level))
                shown = np.ones(len(ahead.designs), dtype=bool) if strikers is None else strikers[ahead.designs]
                for lost, rivals in _beaten_at(here, ahead, rows, radius, rounding, before, shown):
                    beaten[lost], by[lost] = True, rivals
        earlier, left = left, int((~beaten).sum())
        if left == earlier or not boundaries.spending.stepwise:
            break
    return beaten, by


@dataclass(frozen=True, eq=False)
class _Radius:
    z: float
    shifts: Floats
    """(N,)"""

    def beats(self, gains: Floats, variances: Floats, n: int) -> Bools:
        """Whether a gain along a facet is at least its radius."""
        return np.asarray(gains >= self.z * np.sqrt(variances) + self.shifts[n])


def _beaten_at(
    here: View, ahead: View, rows: Indices, radius: _Radius, rounding: Rounding | None, before: Indices, shown: Bools
) -> list[tuple[Indices, Indices]]:
    """Of these designs of the first view: who is beaten by one of the second that are `shown`, and by which."""
    if not len(rows) or not len(ahead.designs):
        return []
    if rounding is not None:  # whoever's noise may be hidden is left to the pairs
        rows = rows[~rounding.hides(here.spreads[rows]).any(axis=1)]
        shown = shown & ~rounding.hides(ahead.spreads).any(axis=1)
    lost = _beaten_as_before(here, ahead, rows, radius, before[here.designs[rows]], shown)
    rest = rows[~lost]
    found = [(here.designs[rows[lost]], before[here.designs[rows[lost]]])]
    if len(rest) and shown.any():
        rivals = np.flatnonzero(shown)[maximal_columns(ahead.values[shown].T)]
        found.append(_beaten_by_the_front(here, ahead, rest, radius, rivals))
    return found


def _beaten_as_before(here: View, ahead: View, rows: Indices, radius: _Radius, before: Indices, shown: Bools) -> Bools:
    """(rows,): who is beaten, by the data as they are, by the design that did so before; -1 for nobody."""
    lost = np.zeros(len(rows), dtype=bool)
    mine, theirs = places(ahead.designs, before)
    mine, theirs = mine[shown[theirs]], theirs[shown[theirs]]
    mine, theirs = (part[before[mine] != here.designs[rows[mine]]] for part in (mine, theirs))
    all_, any_ = np.ones(len(mine), dtype=bool), np.zeros(len(mine), dtype=bool)
    for n in range(here.values.shape[1]):
        gains = ahead.values[theirs, n] - here.values[rows[mine], n]
        all_ &= radius.beats(gains, here.variances[rows[mine], n] + ahead.variances[theirs, n], n)
        any_ |= gains > 0
    lost[mine] = all_ & any_
    return lost


def _beaten_by_the_front(
    here: View, ahead: View, rows: Indices, radius: _Radius, rivals: Indices
) -> tuple[Indices, Indices]:
    """Who of these designs is beaten by one of the rivals, and by which."""
    rival = np.full(len(rows), -1)
    step = max(1, _PAIRS_AT_ONCE // len(rivals))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        lost, won = np.ones((len(part), len(rivals)), dtype=bool), np.zeros((len(part), len(rivals)), dtype=bool)
        for n in range(here.values.shape[1]):
            variances = here.variances[part, n][:, None] + ahead.variances[rivals, n][None, :]
            gains = ahead.values[rivals, n][None, :] - here.values[part, n][:, None]
            lost &= radius.beats(gains, variances, n)
            won |= gains > 0
        lost &= won & (here.designs[part][:, None] != ahead.designs[rivals][None, :])
        rival[start : start + step] = np.where(lost.any(axis=1), rivals[lost.argmax(axis=1)], -1)
    found = rival >= 0
    return here.designs[rows[found]], ahead.designs[rival[found]]
