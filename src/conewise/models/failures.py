"""What a returned set would need in each draw of the values: the smallest epsilon, and who is in the way.

Draws are given by facet values z = W mu of shape (B, A, N): B draws of A designs along N facets. In a draw the set P
succeeds at epsilon iff every design outside is covered by one inside, min_j M(i, j) <= epsilon, and every design inside
is within epsilon, max_j m(i, j) <= epsilon. Designs that are not Pareto optimal may be asked to be covered as well:
whatever covers a design covers what it dominates. For "contain" no design outside may be Pareto optimal.

Where there are levels, only designs that meet them are rivals; a design inside may miss none by more than epsilon; and
every design outside is left out for one reason: it misses a level, or it is covered (docs/posterior, section 12).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.models.levels import Spare
from conewise.question.question import Notion

_ENTRIES: Final = 2**19  # numbers in the largest temporary array
AT_HAND: Final = 2**14  # ... where it is gone through many times: it should stay in the cache


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


def needs(
    z: Floats, inside: Bools, cone: Cone, notion: Notion, spare: Spare | None = None, missing: Bools | None = None
) -> Needs:
    """What a set needs in each draw.

    `spare` is there where levels are, and `missing` (A,) names those outside that are said to miss one. Without these
    names a design outside is asked to be covered in the draws in which it meets its levels.
    """
    at, by = np.zeros(z.shape[:2]), np.zeros(z.shape[:2], dtype=np.intp)
    chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    if len(chosen):
        at[:, others], by[:, others] = covers(z, others, chosen, cone)
    else:
        at[:, others], by[:, others] = np.inf, others
    if len(chosen):
        among = _counting(at, chosen, others, spare, missing)
        rivals = z if spare is None else spare.of_those(z)
        room = None if spare is None or spare.keeps or notion == "cover" else spare.least[:, among]
        at[:, chosen], rival = escaped(z[:, chosen], rivals[:, among], cone, room)
        by[:, chosen] = among[rival]
    if notion == "contain":  # of all of them: one that equals a chosen design is missing all the same
        optimal = pareto(z, others, None if spare is None else spare.of_those(z))
        at[:, others] = np.where(optimal, np.inf, 0.0)  # judged by its nearest cover, which no longer dominates it
        if not len(chosen):
            by[:, others] = others[optimal.sum(axis=0).argmax()]
    return Needs(at, by) if spare is None else _with_levels(Needs(at, by), inside, spare, missing)


def needed(
    z: Floats, inside: Bools, cone: Cone, notion: Notion, spare: Spare | None = None, missing: Bools | None = None
) -> Floats:
    """(B,): `needs(...).largest`; without levels, most designs fall short before it is known who covers them best.

    The least M(i, .) is between the least of the largest deficits of i and M(i, j) of the member j that attains that:
    only designs whose upper bound exceeds every lower bound of the draw are looked at more closely.
    """
    chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    if spare is not None or not len(chosen):
        return needs(z, inside, cone, notion, spare, missing).largest
    pairs = _Pairs(z, others, chosen)
    least, place = pairs.nearest()
    at = np.zeros(z.shape[:2])
    at[:, others] = least
    largest = escapes(z[:, chosen], z[:, _counting(at, chosen, others, None, missing)], cone).max(axis=1)
    if notion == "contain":
        return np.where(fronts(z)[:, others].any(axis=1), np.inf, largest)
    largest = np.maximum(largest, at.max(axis=1))
    draws, rows = np.nonzero(least > 0)
    enough = pairs.lengths(draws, rows, place[draws, rows], cone)
    close = enough > largest[draws]
    draws, rows, enough = draws[close], rows[close], enough[close]
    np.maximum.at(largest, draws, pairs.shortest(draws, rows, enough, cone)[0])
    return np.asarray(largest)


def _counting(at: Floats, chosen: Indices, others: Indices, spare: Spare | None, missing: Bools | None) -> Indices:
    """The rivals of those chosen that may count, ascending.

    A design that a chosen one dominates does not: m(., i) <= m(., chosen one), which meets its levels if i does and the
    cone keeps them. Nor does one that misses a level; where that is wrong, the draw fails anyway.
    """
    if missing is not None:
        others = others[~missing[others]]
    if spare is None or spare.keeps:
        others = others[(at[:, others] > 0).any(axis=0)]
    return np.sort(np.concatenate([chosen, others]))


def _with_levels(found: Needs, inside: Bools, spare: Spare, missing: Bools | None) -> Needs:
    """What levels ask for on top: those inside miss none by more than epsilon, those outside have a right reason."""
    at, acceptable = found.at.copy(), spare.acceptable
    at[:, inside] = np.maximum(at[:, inside], -spare.least[:, inside])
    if missing is None:
        at[:, ~inside] = np.where(acceptable[:, ~inside], at[:, ~inside], 0.0)
    else:
        said = missing & ~inside
        at[:, said] = np.where(acceptable[:, said], np.inf, 0.0)
    return Needs(at, found.by)


def escapes(mine: Floats, z: Floats, cone: Cone, room: Floats | None = None) -> Floats:
    """(B, R): Delta* = max_j m(i, j) over the designs of `z` in each draw.

    `mine` (B, R, N) are the designs i. With `room` (B, J) a rival counts up to that epsilon alone (docs/adaptive, 9.1).
    """
    return _escapes(mine, z, cone, room, None)


def escaped(mine: Floats, z: Floats, cone: Cone, room: Floats | None = None) -> tuple[Floats, Indices]:
    """(B, R) twice: `escapes`, and the rival that attains it, which takes twice the time."""
    place = np.zeros(mine.shape[:2], dtype=np.intp)
    return _escapes(mine, z, cone, room, place), place


def _escapes(mine: Floats, z: Floats, cone: Cone, room: Floats | None, place: Indices | None) -> Floats:
    """`place` (B, R), where there is one, is filled with the rivals."""
    rivals = _rivals(z) if room is None else np.broadcast_to(np.arange(z.shape[1]), z.shape[:2])
    ours = np.ascontiguousarray((mine / cone.widths).transpose(2, 0, 1))
    scaled = np.ascontiguousarray((z / cone.widths).transpose(2, 0, 1))
    theirs = np.take_along_axis(scaled, rivals[None], axis=2)
    found = np.full(ours.shape[1:], -np.inf)
    for part in slices(len(z), mine.shape[1], AT_HAND):
        best = found[part]
        for k in range(rivals.shape[1]):
            gain = theirs[0, part, k, None] - ours[0, part]
            for n in range(1, z.shape[2]):
                np.minimum(gain, theirs[n, part, k, None] - ours[n, part], out=gain)
            if room is not None:
                np.minimum(gain, room[part, k, None], out=gain)
            if place is not None:
                place[part][gain > best] = k
            np.maximum(best, gain, out=best)
    if place is not None:
        place[:] = np.take_along_axis(rivals, place, axis=1)
    return np.asarray(np.maximum(found, 0.0))


def _rivals(z: Floats) -> Indices:
    """(B, J): designs of which one attains max_j m(i, j): the Pareto optimal ones of a draw, and some others."""
    if z.shape[2] != 2:
        return np.broadcast_to(np.arange(z.shape[1]), z.shape[:2])
    optimal = _staircases(z)
    return np.asarray(np.argsort(~optimal, axis=1, kind="stable")[:, : int(optimal.sum(axis=1).max())])


def fronts(z: Floats) -> Bools:
    """(B, A): the designs that are Pareto optimal in each draw."""
    return _staircases(z) if z.shape[2] == 2 else pareto(z, np.arange(z.shape[1]))


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


def pareto(z: Floats, rows: Indices, rivals: Floats | None = None) -> Bools:
    """Return (B, R): whether the designs `rows` are Pareto optimal in each draw.

    `rivals` (B, A, N) are the facet values of the designs that may dominate, where these differ from `z`.
    """
    optimal = np.ones((len(z), len(rows)), dtype=bool)
    others = z if rivals is None else rivals
    for part, some in _blocks(len(z), rows, z.shape[1]):
        above = np.ones((part.stop - part.start, len(rows[some]), z.shape[1]), dtype=bool)
        strictly = np.zeros_like(above)
        for n in range(z.shape[2]):
            mine, all_ = z[part, rows[some], n][:, :, None], others[part, :, n][:, None, :]
            above &= all_ >= mine
            strictly |= all_ > mine
        optimal[part, some] = ~(above & strictly).any(axis=2)
    return optimal


def possibly_optimal(z: Floats, acceptable: Bools | None = None) -> Indices:
    """Designs that may be Pareto optimal in some draw: all that the front of the average draw does not rule out.

    `acceptable` (B, A) are those that count in each draw; the others neither are optimal there nor rule out anybody.
    """
    everyone = np.arange(z.shape[1])
    usual = everyone if acceptable is None else np.flatnonzero(2 * acceptable.sum(axis=0) > len(z))
    front = usual[pareto(z.mean(axis=0)[None, usual], np.arange(len(usual)))[0]]
    others = np.setdiff1d(everyone, front)
    survivors = np.zeros((len(z), len(others)), dtype=bool)
    for part, some in _blocks(len(z), others, len(front)):
        above = np.ones((part.stop - part.start, len(others[some]), len(front)), dtype=bool)
        for n in range(z.shape[2]):
            above &= z[part][:, front, n][:, None, :] > z[part][:, others[some], n][:, :, None]
        if acceptable is not None:
            above &= acceptable[part][:, None, front]
        survivors[part, some] = ~above.any(axis=2)
    if acceptable is not None:
        survivors &= acceptable[:, others]
    return np.sort(np.concatenate([front, others[survivors.any(axis=0)]]))


def covers(z: Floats, rows: Indices, columns: Indices, cone: Cone) -> tuple[Floats, Indices]:
    """(B, R) twice: min over j in `columns` of M(i, j) in each draw, and the j that attains it."""
    pairs = _Pairs(z, rows, columns)
    found, place = pairs.nearest()
    draws, places = np.nonzero(found > 0)  # the others are dominated by a member: M = 0
    enough = pairs.lengths(draws, places, place[draws, places], cone)
    found[draws, places], place[draws, places] = pairs.shortest(draws, places, enough, cone)
    return found, columns[place]


class _Pairs:
    """Designs in `rows` and those in `columns` that may cover them, in each draw."""

    def __init__(self, z: Floats, rows: Indices, columns: Indices) -> None:
        facets = np.ascontiguousarray(z.transpose(2, 0, 1))
        self._mine = np.ascontiguousarray(facets[:, :, rows])
        self._theirs = np.ascontiguousarray(facets[:, :, columns])

    def nearest(self) -> tuple[Floats, Indices]:
        """(B, R) twice: the smallest of the largest deficits, and the column that attains it."""
        mine, theirs = self._mine, self._theirs
        facets, draws, rows = mine.shape
        found, place = np.full((draws, rows), np.inf), np.zeros((draws, rows), dtype=np.intp)
        for part in slices(draws, rows, AT_HAND):
            least, at = found[part], place[part]
            for k in range(theirs.shape[2]):
                missing = np.zeros(least.shape)
                for n in range(facets):
                    np.maximum(missing, mine[n, part] - theirs[n, part, k, None], out=missing)
                at[missing < least] = k
                np.minimum(least, missing, out=least)
        return found, place

    def lengths(self, draws: Indices, rows: Indices, columns: Indices, cone: Cone) -> Floats:
        """(P,): M(i, j) of some rows in some draws with one column each."""
        deficits = np.maximum(self._mine[:, draws, rows] - self._theirs[:, draws, columns], 0.0)
        return cone.lift_norms(deficits, non_negative=True)

    def shortest(self, draws: Indices, rows: Indices, enough: Floats, cone: Cone) -> tuple[Floats, Indices]:
        """(P,) twice: the least M(i, .) of some rows in some draws, at most `enough`, and the column of it."""
        found, place = np.empty(len(draws)), np.empty(len(draws), dtype=np.intp)
        facets, _, columns = self._theirs.shape
        for part in slices(len(draws), columns * facets, _ENTRIES):
            deficits = np.maximum(self._mine[:, draws[part], rows[part], None] - self._theirs[:, draws[part]], 0.0)
            # M is at least the largest deficit: a column is out of the question where that exceeds `enough`.
            possible = reduce(np.maximum, deficits) <= enough[part, None]
            lengths = np.full(possible.shape, np.inf)
            lengths[possible] = cone.lift_norms(deficits[:, possible], non_negative=True)
            place[part], found[part] = lengths.argmin(axis=1), lengths.min(axis=1)
        return found, place


def slices(count: int, width: int, entries: int) -> Iterator[slice]:
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
