"""Compute what a returned set would need in each draw of the values: the smallest epsilon, and the design in the way.

Draws are given by facet values z = W mu of shape (B, A, N): B draws of A designs along N facets. In a draw the set P
succeeds at epsilon on two conditions. Every design outside is covered by one inside, min_j M(i, j) <= epsilon. Every
design inside is within epsilon, max_j m(i, j) <= epsilon. Designs that are not Pareto optimal may be asked to be
covered as well: a design that covers another covers all designs which that one dominates. For "contain" no design
outside may be Pareto optimal.

Where there are levels, only designs that meet them are rivals. A design inside may miss none by more than epsilon.
Every design outside is left out for one reason: it misses a level, or it is covered (docs/posterior, section 12).
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
from conewise.order.dominance import maximal_columns
from conewise.question.question import Notion

ENTRIES: Final = 2**19  # numbers in the largest temporary array
AT_HAND: Final = 2**14  # ... where speed counts: it should stay in the cache


@dataclass(frozen=True, eq=False)
class Needs:
    """The smallest epsilon at which each design is no reason to fail in each draw, and the design that decides it."""

    at: Floats  # (B, A)
    by: Indices  # (B, A): positions of the rivals of designs inside, and of the covers of designs outside

    @property
    def largest(self) -> Floats:
        """(B,): the epsilon at which the set succeeds in each draw."""
        return np.asarray(self.at.max(axis=1))


def needs(
    z: Floats, inside: Bools, cone: Cone, notion: Notion, spare: Spare | None = None, missing: Bools | None = None
) -> Needs:
    """Compute what a set needs in each draw.

    `spare` is given where there are levels, and `missing` (A,) marks the designs outside that are said to miss one.
    Without `missing` a design outside has to be covered in the draws in which it meets its levels.
    """
    at, by = np.zeros(z.shape[:2]), np.zeros(z.shape[:2], dtype=np.intp)
    chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    rivals = z if spare is None else spare.of_those(z)
    if len(chosen):
        at[:, others], by[:, others] = covers(z, others, chosen, cone)
        among = _counting(at, chosen, others, spare, missing)
        room = None if spare is None or spare.keeps or notion == "cover" else spare.least[:, among]
        ahead = np.zeros((len(chosen), len(z)), dtype=np.intp)
        at[:, chosen] = escapes(z[:, chosen], rivals[:, among], cone, room, ahead)
        by[:, chosen] = among[ahead.T]
    else:
        at[:, others], by[:, others] = np.inf, others
    if notion == "contain":  # every design outside: one that equals a chosen design is missing all the same
        optimal = fronts(z)[:, others] if spare is None else pareto(z, others, rivals)
        at[:, others] = np.where(optimal, np.inf, 0.0)  # judged by its nearest cover, which no longer dominates it
        if not len(chosen):
            by[:, others] = others[optimal.sum(axis=0).argmax()]
    if spare is not None:
        at[:, inside] = np.maximum(at[:, inside], -spare.least[:, inside])
        if missing is None:
            at[:, others] = np.where(spare.acceptable[:, others], at[:, others], 0.0)
        else:
            said = missing & ~inside
            at[:, said] = np.where(spare.acceptable[:, said], np.inf, 0.0)
    return Needs(at, by)


def needed(
    z: Floats, inside: Bools, cone: Cone, notion: Notion, spare: Spare | None = None, missing: Bools | None = None
) -> Floats:
    """Return `needs(...).largest`, (B,); without levels most designs are ruled out before their best cover is known.

    The least M(i, .) is between the least of the largest deficits of i and M(i, j) of the member j that attains that:
    only designs whose upper bound exceeds every lower bound of the draw are computed exactly.
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
    """Return the designs that may count as rivals of the chosen ones, ascending.

    A design that a chosen one dominates does not: m(., i) <= m(., chosen one), which meets its levels if i does and the
    cone keeps them. Nor does one that misses a level; where that is wrong, the draw fails anyway.
    """
    if missing is not None:
        others = others[~missing[others]]
    if spare is None or spare.keeps:
        others = others[(at[:, others] > 0).any(axis=0)]
    return np.sort(np.concatenate([chosen, others]))


def escapes(mine: Floats, z: Floats, cone: Cone, room: Floats | None = None, rivals: Indices | None = None) -> Floats:
    """Return Delta* = max_j m(i, j), (B, R), of the designs i in `mine` (B, R, N) over the designs j in `z`.

    With `room` (B, J) a rival counts up to that epsilon alone (docs/adaptive, 9.1). `rivals` (R, B), if given, is
    filled with the designs that attain the maximum. These mean something where it is above 0.
    """
    ours, theirs = by_facet(mine / cone.widths), by_facet(z / cone.widths)
    low, high = ours.min(axis=2), theirs.max(axis=2)
    found = np.zeros(ours.shape[1:])
    for i in range(mine.shape[1]):
        some = np.flatnonzero((high >= low[:, i, None]).all(axis=0))  # the others are ahead in no draw
        for part in slices(len(z) if len(some) else 0, len(some), AT_HAND):
            gain = reduce(np.minimum, theirs[:, some, part] - ours[:, i, None, part])
            if room is not None:
                np.minimum(gain, room[part, some].T, out=gain)
            gain.max(axis=0, out=found[i, part])
            if rivals is not None:
                rivals[i, part] = some[gain.argmax(axis=0)]
    return np.asarray(np.maximum(found, 0.0).T)


def by_facet(z: Floats) -> Floats:
    """Return facet values (B, A, N) as (N, A, B): draws of a design lie side by side."""
    return np.ascontiguousarray(z.transpose(2, 1, 0))


def fronts(z: Floats) -> Bools:
    """Return the designs that are Pareto optimal in each draw, (B, A)."""
    return np.array([maximal_columns(draw.T) for draw in z]).reshape(z.shape[:2])


def pareto(z: Floats, rows: Indices, rivals: Floats) -> Bools:
    """Return whether no design of `rivals` (B, J, N) dominates each of the designs `rows` of `z`, (B, R)."""
    optimal = np.ones((len(z), len(rows)), dtype=bool)
    for part in slices(len(z), len(rows) * rivals.shape[1], ENTRIES):
        mine, theirs = z[part, rows].transpose(2, 0, 1)[..., None], rivals[part].transpose(2, 0, 1)[:, :, None]
        above = reduce(np.logical_and, map(np.greater_equal, theirs, mine))
        optimal[part] = ~(above & reduce(np.logical_or, map(np.greater, theirs, mine))).any(axis=2)
    return optimal


def possibly_optimal(z: Floats, acceptable: Bools | None = None) -> Indices:
    """Return the designs that may be Pareto optimal in some draw: those that the front of the average draw leaves open.

    `acceptable` (B, A) marks the designs that count in each draw. A design that does not count rules out no other.
    """
    everyone = np.arange(z.shape[1])
    usual = everyone if acceptable is None else np.flatnonzero(2 * acceptable.sum(axis=0) > len(z))
    front = usual[fronts(z.mean(axis=0)[None, usual])[0]] if len(usual) else usual
    facets, possible = by_facet(z), np.isin(everyone, front)
    low, high = facets.min(axis=2), facets.max(axis=2)
    for i in np.setdiff1d(everyone, front):
        some = front[(high[:, front] > low[:, i, None]).all(axis=0)]  # the others are above it in no draw
        if acceptable is None and (low[:, some] > high[:, i, None]).all(axis=0).any():
            continue
        above = reduce(np.logical_and, facets[:, some] > facets[:, i, None])
        if acceptable is None:
            possible[i] = not above.any(axis=0).all()
        else:
            possible[i] = (acceptable[:, i] & ~(above & acceptable[:, some].T).any(axis=0)).any()
    return np.flatnonzero(possible)


def covers(z: Floats, rows: Indices, columns: Indices, cone: Cone) -> tuple[Floats, Indices]:
    """Return min over j in `columns` of M(i, j) in each draw, and the j that attains it, (B, R) each."""
    pairs = _Pairs(z, rows, columns)
    found, place = pairs.nearest()
    draws, places = np.nonzero(found > 0)  # the others are dominated by a member: M = 0
    enough = pairs.lengths(draws, places, place[draws, places], cone)
    found[draws, places], place[draws, places] = pairs.shortest(draws, places, enough, cone)
    return found, columns[place]


class _Pairs:
    """Designs in `rows` and those in `columns` that may cover them, in each draw."""

    def __init__(self, z: Floats, rows: Indices, columns: Indices) -> None:
        facets = by_facet(z)
        self._mine, self._theirs = facets[:, rows], facets[:, columns]
        self._drawn = np.ascontiguousarray(self._theirs.transpose(0, 2, 1))

    def nearest(self) -> tuple[Floats, Indices]:
        """Return the smallest of the largest deficits and the column that attains it, (B, R) each."""
        mine, theirs = self._mine, self._theirs
        _, rows, draws = mine.shape
        found, place = np.zeros((rows, draws)), np.zeros((rows, draws), dtype=np.intp)
        ends = mine.min(axis=2), mine.max(axis=2), theirs.min(axis=2), theirs.max(axis=2)
        for i in range(rows):
            least, most = (ends[0][:, i, None] - ends[3]).max(axis=0), (ends[1][:, i, None] - ends[2]).max(axis=0)
            some = np.flatnonzero(least <= max(most.min(), 0.0))  # another is nearer than the others in every draw
            for part in slices(draws, len(some), AT_HAND):
                deficits = np.maximum(reduce(np.maximum, mine[:, i, None, part] - theirs[:, some, part]), 0.0)
                deficits.min(axis=0, out=found[i, part])
                place[i, part] = some[deficits.argmin(axis=0)]
        return found.T, place.T

    def lengths(self, draws: Indices, rows: Indices, columns: Indices, cone: Cone) -> Floats:
        """Return M(i, j), (P,), of some rows in some draws with one column each."""
        deficits = np.maximum(self._mine[:, rows, draws] - self._theirs[:, columns, draws], 0.0)
        return cone.lift_norms(deficits, non_negative=True)

    def shortest(self, draws: Indices, rows: Indices, enough: Floats, cone: Cone) -> tuple[Floats, Indices]:
        """Return the least M(i, .) of some rows in some draws, at most `enough`, and its column, (P,) each."""
        found, place = np.empty(len(draws)), np.empty(len(draws), dtype=np.intp)
        facets, columns, _ = self._theirs.shape
        for part in slices(len(draws), columns * facets, ENTRIES):
            deficits = np.maximum(self._mine[:, rows[part], draws[part], None] - self._drawn[:, draws[part]], 0.0)
            # M is at least the largest deficit: a column is ruled out where that exceeds `enough`.
            possible = reduce(np.maximum, deficits) <= enough[part, None]
            lengths = np.full(possible.shape, np.inf)
            lengths[possible] = cone.lift_norms(deficits[:, possible], non_negative=True)
            place[part], found[part] = lengths.argmin(axis=1), lengths.min(axis=1)
        return found, place


def slices(count: int, width: int, entries: int) -> Iterator[slice]:
    """Yield slices of `count` rows with `width` numbers each, of at most `entries` numbers where one row allows it."""
    height = max(1, entries // max(1, width))
    for first in range(0, count, height):
        yield slice(first, min(count, first + height))
