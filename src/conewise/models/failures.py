"""What a returned set would need in each draw of the values: the smallest epsilon, and who is in the way.

Draws are given by facet values z = W mu of shape (B, A, N): B draws of A designs along N facets. In a draw the set P
succeeds at epsilon iff every design outside is covered by one inside, min_j M(i, j) <= epsilon, and every design inside
is within epsilon, max_j m(i, j) <= epsilon. Designs that are not Pareto optimal may be asked to be covered as well:
whatever covers a design covers what it dominates. For "contain" no design outside may be Pareto optimal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.cones import Cone
from conewise.goals import Notion

_ENTRIES: Final = 2**19  # numbers in the largest temporary array
_AT_HAND: Final = 2**14  # ... where it is gone through many times: it should stay in the cache


@dataclass(frozen=True, eq=False)
class Needs:
    """For each draw and design: the smallest epsilon at which it is no reason to fail, and whom it is judged by."""

    at: Floats
    """(B, A)"""
    by: Indices
    """(B, A): positions among the A designs; of the rival for a design inside, of the cover for one outside."""

    @property
    def largest(self) -> Floats:
        """(B,): the epsilon at which the set succeeds in each draw."""
        return np.asarray(self.at.max(axis=1))


def needs(z: Floats, inside: Bools, cone: Cone, notion: Notion) -> Needs:
    """What a set needs in each draw."""
    at, by = np.zeros(z.shape[:2]), np.zeros(z.shape[:2], dtype=np.intp)
    chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    if not len(chosen):
        at[:] = np.inf
        return Needs(at, by)
    at[:, others], by[:, others] = covers(z, others, chosen, cone)
    # A design that a chosen one dominates is no rival that counts: m(., i) <= m(., chosen one).
    open_ = others[(at[:, others] > 0).any(axis=0)]
    rivals = np.sort(np.concatenate([chosen, open_]))
    part = z[:, rivals]
    at[:, chosen], rival = escapes(part, np.searchsorted(rivals, chosen), cone)
    by[:, chosen] = rivals[rival]
    if notion == "contain":
        optimal, rival = pareto(z, others)  # of all of them: one that equals a chosen design is missing all the same
        at[:, others], by[:, others] = np.where(optimal, np.inf, 0.0), rival
    return Needs(at, by)


def escapes(z: Floats, rows: Indices, cone: Cone) -> tuple[Floats, Indices]:
    """(B, R) twice: Delta* = max_j m(i, j) of some designs in each draw, and the rival that attains it."""
    rivals = _rivals(z)
    scaled = np.ascontiguousarray((z / cone.widths).transpose(2, 0, 1))
    mine = np.ascontiguousarray(scaled[:, :, rows])
    theirs = np.take_along_axis(scaled, rivals[None], axis=2)
    found, place = np.full(mine.shape[1:], -np.inf), np.zeros(mine.shape[1:], dtype=np.intp)
    for part in _slices(len(z), len(rows), _AT_HAND):
        best, at = found[part], place[part]
        for k in range(rivals.shape[1]):
            gain = theirs[0, part, k, None] - mine[0, part]
            for n in range(1, z.shape[2]):
                np.minimum(gain, theirs[n, part, k, None] - mine[n, part], out=gain)
            at[gain > best] = k
            np.maximum(best, gain, out=best)
    return np.maximum(found, 0.0), np.take_along_axis(rivals, place, axis=1)


def _rivals(z: Floats) -> Indices:
    """(B, J): designs of which one attains max_j m(i, j): the Pareto optimal ones of a draw, and some others."""
    if z.shape[2] != 2:
        return np.broadcast_to(np.arange(z.shape[1]), z.shape[:2])
    optimal = _staircases(z)
    return np.asarray(np.argsort(~optimal, axis=1, kind="stable")[:, : int(optimal.sum(axis=1).max())])


def fronts(z: Floats) -> Bools:
    """(B, A): the designs that are Pareto optimal in each draw."""
    return _staircases(z) if z.shape[2] == 2 else pareto(z, np.arange(z.shape[1]))[0]


def _staircases(z: Floats) -> Bools:
    """(B, A): the fronts for two facets, in the order of the first one; equal designs share their fate."""
    order = np.lexsort((-z[:, :, 1], -z[:, :, 0]), axis=1)
    first, second = (np.take_along_axis(z[:, :, n], order, axis=1) for n in range(2))
    highest = np.maximum.accumulate(second, axis=1)
    stands = np.ones(first.shape, dtype=bool)
    stands[:, 1:] = second[:, 1:] > highest[:, :-1]
    new = np.ones(first.shape, dtype=bool)
    new[:, 1:] = (first[:, 1:] != first[:, :-1]) | (second[:, 1:] != second[:, :-1])
    twin = np.maximum.accumulate(np.where(new, np.arange(z.shape[1]), 0), axis=1)
    result = np.empty(first.shape, dtype=bool)
    np.put_along_axis(result, order, np.take_along_axis(stands, twin, axis=1), axis=1)
    return result


def pareto(z: Floats, rows: Indices) -> tuple[Bools, Indices]:
    """(B, R) twice: whether some designs are Pareto optimal in each draw, and one that dominates each of the others."""
    optimal, rival = np.ones((len(z), len(rows)), dtype=bool), np.zeros((len(z), len(rows)), dtype=np.intp)
    for part, some in _blocks(len(z), rows, z.shape[1]):
        above = np.ones((part.stop - part.start, len(rows[some]), z.shape[1]), dtype=bool)
        strictly = np.zeros_like(above)
        for n in range(z.shape[2]):
            mine, all_ = z[part, rows[some], n][:, :, None], z[part, :, n][:, None, :]
            above &= all_ >= mine
            strictly |= all_ > mine
        above &= strictly
        rival[part, some] = above.argmax(axis=2)
        optimal[part, some] = ~above.any(axis=2)
    return optimal, rival


def possibly_optimal(z: Floats) -> Indices:
    """Designs that may be Pareto optimal in some draw: all that the front of the average draw does not rule out."""
    front = np.flatnonzero(pareto(z.mean(axis=0)[None], np.arange(z.shape[1]))[0][0])
    others = np.setdiff1d(np.arange(z.shape[1]), front)
    survivors = np.zeros((len(z), len(others)), dtype=bool)
    for part, some in _blocks(len(z), others, len(front)):
        above = np.ones((part.stop - part.start, len(others[some]), len(front)), dtype=bool)
        for n in range(z.shape[2]):
            above &= z[part][:, front, n][:, None, :] > z[part][:, others[some], n][:, :, None]
        survivors[part, some] = ~above.any(axis=2)
    return np.sort(np.concatenate([front, others[survivors.any(axis=0)]]))


def covers(z: Floats, rows: Indices, columns: Indices, cone: Cone) -> tuple[Floats, Indices]:
    """(B, R) twice: min over j in `columns` of M(i, j) in each draw, and the j that attains it."""
    facets = np.ascontiguousarray(z.transpose(2, 0, 1))
    mine, theirs = np.ascontiguousarray(facets[:, :, rows]), facets[:, :, columns]
    found, place = np.full(mine.shape[1:], np.inf), np.zeros(mine.shape[1:], dtype=np.intp)
    for part in _slices(len(z), len(rows), _AT_HAND):
        least, at = found[part], place[part]
        for k in range(len(columns)):
            missing = np.zeros(least.shape)
            for n in range(z.shape[2]):
                np.maximum(missing, mine[n, part] - theirs[n, part, k, None], out=missing)
            at[missing < least] = k
            np.minimum(least, missing, out=least)
    draws, places = np.nonzero(found > 0)  # the others are dominated by a member: M = 0
    for part in _slices(len(draws), len(columns) * z.shape[2], _ENTRIES):
        draw, row = draws[part], places[part]
        deficits = np.maximum(mine[:, draw, row, None] - theirs[:, draw], 0.0)
        # M is at least the largest deficit: a column is out of the question where that exceeds M of the nearest one.
        nearest = deficits[:, np.arange(len(draw)), place[draw, row]]
        enough = cone.lift_norms(np.ascontiguousarray(nearest), non_negative=True)
        possible = deficits.max(axis=0) <= enough[:, None]
        lengths = np.full(possible.shape, np.inf)
        lengths[possible] = cone.lift_norms(deficits[:, possible], non_negative=True)
        place[draw, row] = lengths.argmin(axis=1)
        found[draw, row] = lengths.min(axis=1)
    return found, columns[place]


def _slices(count: int, width: int, entries: int) -> Iterator[slice]:
    """Rows of so many entries each, few enough at a time."""
    height = max(1, entries // max(1, width))
    for first in range(0, count, height):
        yield slice(first, min(count, first + height))


def _blocks(draws: int, rows: Indices, columns: int) -> Iterator[tuple[slice, slice]]:
    """Draws and rows of which pairs with all columns fit into memory, bit by bit."""
    width = max(1, min(len(rows), _ENTRIES // max(1, columns)))
    height = max(1, _ENTRIES // max(1, columns * width))
    for start in range(0, len(rows), width):
        for first in range(0, draws, height):
            yield slice(first, min(draws, first + height)), slice(start, min(len(rows), start + width))
