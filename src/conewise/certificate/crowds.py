"""Very many designs: who is clearly beaten is found level by level, at K times the size of the fronts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.certificate.boundaries import Looks
from conewise.certificate.pairs import View
from conewise.certificate.rounding import Rounding
from conewise.certificate.weights import Standing
from conewise.order import maximal_columns

_PAIRS_AT_ONCE: Final = 2**18


@dataclass(frozen=True, eq=False)
class Crowd:
    """Who was beaten at some look, and how far everybody was."""

    reached: Indices
    beaten: Bools
    by: Indices

    @classmethod
    def nobody(cls, reached: Indices) -> Crowd:
        """Beaten yet."""
        return cls(reached, np.zeros(len(reached), dtype=bool), np.full(len(reached), -1, dtype=np.intp))

    def still(self, reached: Indices) -> Crowd:
        """The same at a later look, unless one of the beaten was evaluated anew (docs/adaptive, 3.2).

        The one place where claims may depend on when anybody looked; none is wrong for it.
        """
        if (self.beaten & (self.reached != reached)).any():
            return Crowd.nobody(reached)
        return Crowd(reached, self.beaten.copy(), self.by.copy())


def clearly_beaten(
    crowd: Crowd, views: Sequence[View], boundaries: Looks, rounding: Rounding | None, few: int, *, stepwise: bool
) -> Crowd:
    """With whoever a design of the empirical front beats at its own last level, while more than a few are left.

    At a common level a design on the front is at least as far ahead as any it dominates, so with equal variances
    nothing is missed; what unequal ones hide is found among the pairs.
    """
    beaten, by, reached = crowd.beaten, crowd.by, crowd.reached
    left = int((~beaten).sum())
    while left > few:  # else all pairs are looked at anyway
        standing = Standing(~beaten, np.zeros_like(beaten))
        for which, offset in enumerate(boundaries.offsets):
            z = boundaries.of_everybody(standing, which)
            for level in range(len(views) - offset):
                pair = views[level], views[level + offset]
                rows = np.flatnonzero((reached[pair[0].designs] == level) & ~beaten[pair[0].designs])
                lost, rivals = _beaten_at(*pair, rows, z[level], boundaries, level, rounding)
                beaten[lost], by[lost] = True, rivals
        before, left = left, int((~beaten).sum())
        if not stepwise or left == before:
            break
    return Crowd(reached, beaten, by)


def _beaten_at(
    here: View, ahead: View, rows: Indices, z: float, boundaries: Looks, level: int, rounding: Rounding | None
) -> tuple[Indices, Indices]:
    """Of these designs: who is beaten by a design on the front of the second view, and by which."""
    rivals = np.flatnonzero(maximal_columns(ahead.values.T)) if len(rows) and len(ahead.designs) else rows[:0]
    if rounding is not None and len(rivals):  # whoever's noise may be hidden is left to the pairs
        rows = rows[~rounding.hides(here.spreads[rows]).any(axis=1)]
        rivals = rivals[~rounding.hides(ahead.spreads[rivals]).any(axis=1)]
    if not len(rows) or not len(rivals):
        return rows[:0], rows[:0]
    rival, shifts = np.full(len(rows), -1), boundaries.shift_at(z, level)
    step = max(1, _PAIRS_AT_ONCE // len(rivals))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        beats = _beats(here, ahead, part, rivals, z * boundaries.scale, shifts)
        rival[start : start + step] = np.where(beats.any(axis=1), rivals[beats.argmax(axis=1)], -1)
    found = rival >= 0
    return here.designs[rows[found]], ahead.designs[rival[found]]


def _beats(here: View, ahead: View, rows: Indices, rivals: Indices, z: float, shifts: Floats) -> Bools:
    """(rows, rivals): facet by facet."""
    lost, won = np.ones((len(rows), len(rivals)), dtype=bool), np.zeros((len(rows), len(rivals)), dtype=bool)
    for n in range(here.values.shape[1]):
        spread = np.sqrt(here.variances[rows, n][:, None] + ahead.variances[rivals, n][None, :])
        gains = ahead.values[rivals, n][None, :] - here.values[rows, n][:, None]
        lost &= gains >= z * spread + shifts[n]
        won |= gains > 0
    return np.asarray(lost & won & (here.designs[rows][:, None] != ahead.designs[rivals][None, :]))
