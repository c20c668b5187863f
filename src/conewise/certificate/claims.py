"""Claims from comparisons: who is beaten, who is accepted, who is covered, and for which epsilon (docs/adaptive, 1).

Three numbers of a pair (i, j) are enough, and none of them mentions epsilon:

* whether j beats i: every gain is at least its radius;
* fine_at: the smallest epsilon at which i is fine against j, min over n of (gain_n + radius_n) / alpha_n;
* cover_at: the smallest epsilon at which i is covered by j: `directions`.

A design is accepted from accept_at_i = max_j fine_at(i, j) on, and settled from the smaller of accept_at_i and
min_j max(accept_at_j, cover_at(i, j)) on. So the certified epsilon is a maximum of numbers, not a search. Comparisons
are made in blocks: memory stays bounded however many designs are left. With very many left, a design is compared with
a few strong ones first and with the others only if it is fine against these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.boundaries import Comparisons
from conewise.certificate.pairs import PairTable
from conewise.certificate.requirements import Bounds
from conewise.certificate.weights import Standing
from conewise.cone.cone import Cone
from conewise.order.directions import cover_at, facet_floor

FEW: Final = 2500  # designs left of which all pairs are looked at, and kept for rules that plan with them
_MANY: Final = 20_000  # designs beyond which the certified epsilon is not worked out: every pair would be needed
_STRONG: Final = 500  # designs that screen the others
_ENTRIES: Final = 2**18  # numbers in the largest temporary array: what a core's cache holds


@dataclass(frozen=True, eq=False)
class Claims:
    """What the data certify at one epsilon: disjoint masks that together hold every design (docs/adaptive, 1)."""

    beaten: Bools
    accepted: Bools
    """Fine against every design that is not beaten: these are returned."""
    covered: Bools
    undecided: Bools
    by: Indices
    """(K,): a design that beats or covers each; -1 for those that are neither beaten nor covered."""
    left: Indices
    """(L,): the designs that are neither beaten nor miss a level."""
    comparisons: Comparisons
    """Of the designs that are left."""
    accept_at: Floats
    """(L,): the epsilon from which each design that is left is accepted; infinite while a pair has not met.

    With very many designs left, no more than a lower bound where it exceeds epsilon."""
    fine_at: Floats | None
    """(L, L): the epsilon from which the row design is fine against the column design; None when too many are left."""
    bounds: Bounds | None = None
    """What is known of the designs' levels, where there are any (docs/adaptive, 9)."""

    @cached_property
    def misses(self) -> Bools:
        """(K,): certainly misses a level."""
        return np.zeros_like(self.beaten) if self.bounds is None else self.bounds.misses

    @cached_property
    def out(self) -> Bools:
        """(K,): beaten, or misses a level."""
        return self.beaten | self.misses

    @property
    def done(self) -> bool:
        """Nothing is undecided."""
        return not self.undecided.any()

    @property
    def certain(self) -> Bools:
        """(K,): known to be Pareto optimal: fine against everybody at an epsilon below 0."""
        certain = np.zeros_like(self.beaten)
        certain[self.left[self.accept_at < 0]] = True
        return certain


@dataclass(frozen=True, eq=False)
class Certified:
    """A set that claims certify as it is, and for which epsilon."""

    epsilon: float
    """The smallest at which nothing is open."""
    returned: Bools
    """(K,): what is accepted at that epsilon."""
    covered_by: Indices
    """(K,): the member that covers a design which is neither beaten nor a member; -1 for all others."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A number of every pair of some designs: taken over at a later look for pairs of which nothing new is known."""

    designs: Indices
    """(L,): ascending."""
    key: object
    """Equal for equal radii."""
    entries: Any
    """(L, L): numbers or truth values."""


@dataclass(frozen=True, eq=False)
class Worked:
    """What claims were read off: earlier ones save time, and change nothing."""

    table: PairTable | None = None
    beats: Matrix | None = None
    """Of all designs of the table: whether the column design beats the row design, before anybody is out or sure."""
    fine_at: Matrix | None = None
    """Of those left: from which epsilon the row design is fine against the column design, before anybody is sure."""
    unmoved: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """The designs of which a later table says nothing new."""

    def at(self, table: PairTable) -> Worked:
        """With the designs of which this later table says nothing new."""
        return self if self.table is None else replace(self, unmoved=table.unmoved(self.table))


@dataclass(frozen=True, eq=False)
class Struck:
    """Who is out, and who is left."""

    out: Bools
    """(K,): beaten, or misses a level."""
    by: Indices
    """(K,): a design that beats each; -1 where none is known."""
    comparisons: Comparisons
    """Of those that are left."""

    def without(self, rival: Indices) -> Struck:
        """With every design out that has a rival; `rival` (L,) is the position of one that beats it, -1 for none."""
        lost, designs = rival >= 0, self.comparisons.table.designs
        out, by = self.out.copy(), self.by.copy()
        out[designs[lost]], by[designs[lost]] = True, designs[rival[lost]]
        standing = replace(self.comparisons.standing, left=~out)
        return Struck(out, by, replace(self.comparisons, table=self.comparisons.table.keep(~lost), standing=standing))


def judge(
    start: Struck, epsilon: float, before: Worked, bounds: Bounds | None, *, cone: Cone, covering: bool, stepwise: bool
) -> tuple[Claims, Worked]:
    """Strike what is beaten, then accept and cover among the rest (docs/adaptive, 3.1 and 3.2).

    A design that is fine against all others at an epsilon below 0 is *sure*: known to be Pareto optimal. Where that
    narrows the radii of what follows, strike and accept again, until nobody is sure anew. Where there are levels,
    whoever misses one is out from the start, and `bounds` say who may strike and from which epsilon on a design meets
    them (docs/adaptive, 9).
    """
    if not len(start.comparisons.table.designs):
        return settle(start, cone, epsilon, covering, np.empty(0), np.empty((0, 0)), bounds), before
    strikers = None if bounds is None else bounds.strikers
    struck, found = strike(start, before, stepwise=stepwise, strikers=strikers)
    fine_at: Matrix | None = None
    while True:
        designs = struck.comparisons.table.designs
        if len(designs) > FEW:
            accept_at = _screened(struck.comparisons, cone, epsilon, bounds)
            return settle(struck, cone, epsilon, covering, accept_at, None, bounds), Worked()
        fine = _fine_matrix(struck.comparisons, cone, found)
        fine_at = fine_at or fine
        entries = fine.entries if bounds is None else bounds.counting(fine.entries, designs)
        accept_at = entries.max(axis=1, initial=-np.inf)
        if bounds is not None:
            accept_at = np.maximum(accept_at, bounds.meet_at[designs])
        standing, sure = struck.comparisons.standing, accept_at < 0
        if not stepwise or int(sure.sum()) <= int(standing.sure.sum()):
            worked = Worked(found.table, found.beats, fine_at)
            return settle(struck, cone, epsilon, covering, accept_at, entries, bounds), worked
        known = np.zeros_like(standing.sure)
        known[struck.comparisons.table.designs[sure]] = True
        marked = replace(struck.comparisons, standing=Standing(standing.left, known))
        struck, _ = strike(replace(struck, comparisons=marked), Worked(), stepwise=True, strikers=strikers)


def strike(start: Struck, before: Worked, *, stepwise: bool, strikers: Bools | None = None) -> tuple[Struck, Worked]:
    """Holm's passes: what is beyond the boundary of those left is out, until a pass finds nothing (docs/adaptive, 3.2).

    While very many are left they are held against the strong ones only: to strike less is always allowed. `strikers`
    (K,) are those that may put others out; None for everybody. The second result is what the first pass over few
    designs was read off.
    """
    struck, first = start, Worked()
    while True:
        table = struck.comparisons.table
        everyone = np.arange(len(table.designs))
        if len(everyone) > FEW:
            columns = table.strong(_STRONG)
            columns = columns if strikers is None else columns[strikers[table.designs[columns]]]
            rival = _rivals(struck.comparisons, everyone, columns)
        else:
            compare = _beats_of(struck.comparisons)
            if first.table is None:
                first = before.at(table)
                beats = _updated(table.designs, None, first.beats, first.unmoved, compare, bool)
                first = replace(first, table=table, beats=beats)
            else:  # radii have changed: nothing can be taken over
                beats = _updated(table.designs, None, None, first.unmoved, compare, bool)
            entries = beats.entries if strikers is None else beats.entries & strikers[table.designs][None, :]
            rival = np.where(entries.any(axis=1), entries.argmax(axis=1), -1)
        out = rival >= 0
        if not out.any() or out.all():  # all at once: the data contradict themselves, and nobody is left to return
            return struck, first
        struck = struck.without(rival)
        if not stepwise and len(everyone) <= FEW:  # the radii of the rest stay as they are
            return struck, first


def _rivals(comparisons: Comparisons, rows: Indices, columns: Indices) -> Indices:
    """(rows,): one of the columns that beats a design; -1 where none does."""
    rival = np.full(len(rows), -1)
    compare = _beats_of(comparisons)
    for part in _blocks(rows, len(columns)):
        beats = compare(part, columns)
        found = beats.any(axis=1)
        rival[part[found]] = columns[beats[found].argmax(axis=1)]
    return rival


def _beats_of(comparisons: Comparisons) -> Callable[[Indices, Indices], Bools]:
    """A function of rows and columns: whether the column design beats the row design (docs/adaptive, 1)."""

    def beats(rows: Indices, columns: Indices) -> Bools:
        total = np.zeros((len(rows), len(columns)), dtype=bool)
        for seen in comparisons.out(rows, columns):
            # Without noise a gain of 0 is no advantage: twins do not beat each other, nor does a design beat itself.
            total |= np.all(seen.gains >= seen.radii, axis=2) & np.any(seen.gains > 0, axis=2)
        return total

    return beats


def _fine_matrix(comparisons: Comparisons, cone: Cone, before: Worked) -> Matrix:
    """fine_at of every pair; its radii depend on who is sure."""
    key, designs = comparisons.standing.sure.tobytes(), comparisons.table.designs

    def compare(rows: Indices, columns: Indices) -> Floats:
        return _fine_at(comparisons, cone, rows, columns)

    return _updated(designs, key, before.fine_at, before.unmoved, compare)


def _updated(
    designs: Indices,
    key: object,
    before: Matrix | None,
    unmoved: Indices,
    compare: Callable[[Indices, Indices], Floats | Bools],
    dtype: type = float,
) -> Matrix:
    """A matrix of all pairs, worked out for those that look different than before."""
    left = len(designs)
    everyone, moved = np.arange(left), np.ones(left, dtype=bool)
    entries: Any = np.empty((left, left), dtype=dtype)
    if before is not None and before.key == key:
        known = unmoved[np.isin(unmoved, designs) & np.isin(unmoved, before.designs)]
        here, there = np.searchsorted(designs, known), np.searchsorted(before.designs, known)
        moved[here] = False
        if len(here) == len(before.entries) == left:
            entries = before.entries.copy()
        elif len(here):
            source = np.zeros(left, dtype=np.intp)  # whose entry it was; of those that moved, all are worked out below
            source[here] = there
            entries = before.entries.take(source, axis=0).take(source, axis=1)
    for some, columns in ((everyone[moved], everyone), (everyone[~moved], everyone[moved])):
        for rows in _blocks(some, len(columns)):
            entries[np.ix_(rows, columns)] = compare(rows, columns)
    return Matrix(designs, key, entries)


def _screened(comparisons: Comparisons, cone: Cone, epsilon: float, bounds: Bounds | None) -> Floats:
    """accept_at where it is at most epsilon, a lower bound elsewhere (docs/adaptive, 1).

    Whoever is not fine against one design at epsilon is looked at no further.
    """
    designs = comparisons.table.designs
    left = len(designs)
    accept_at = np.full(left, -np.inf) if bounds is None else bounds.meet_at[designs]
    everyone = np.arange(left)
    alive = everyone[accept_at <= epsilon]
    screens = [comparisons.table.strong(_STRONG), *(everyone[start : start + FEW] for start in range(0, left, FEW))]
    for columns in screens:
        for rows in _blocks(alive, len(columns)):
            at = _fine_at(comparisons, cone, rows, columns)
            at = at if bounds is None else bounds.counting(at, designs[columns])
            accept_at[rows] = np.maximum(accept_at[rows], at.max(axis=1, initial=-np.inf))
        alive = alive[accept_at[alive] <= epsilon]
        if not len(alive):
            break
    return accept_at


def _fine_at(comparisons: Comparisons, cone: Cone, rows: Indices, columns: Indices) -> Floats:
    """(rows, columns): the smallest epsilon at which i is fine against j; minus infinity against itself."""
    at = np.full((len(rows), len(columns)), np.inf)
    seen = comparisons.fine(rows, columns)
    np.fmin(at, ((seen.gains + seen.radii) / cone.widths).min(axis=2), out=at)
    at[rows[:, None] == columns[None, :]] = -np.inf
    return at


def settle(
    struck: Struck,
    cone: Cone,
    epsilon: float,
    covering: bool,
    accept_at: Floats,
    fine_at: Floats | None,
    bounds: Bounds | None = None,
) -> Claims:
    """Accepted and covered at this epsilon, among what is left (docs/adaptive, 1)."""
    out, comparisons = struck.out, struck.comparisons
    beaten = out if bounds is None else out & ~bounds.misses
    accepted, covered, by = np.zeros_like(beaten), np.zeros_like(beaten), struck.by.copy()
    inside = accept_at <= epsilon
    accepted[comparisons.table.designs[inside]] = True
    if covering and inside.any() and not inside.all():
        rows, columns = np.flatnonzero(~inside), np.flatnonzero(inside)
        limits = np.full(len(rows), np.nextafter(epsilon, np.inf))
        reach, cover = nearest_cover(comparisons, cone, rows, columns, np.zeros(len(columns)), limits)
        within = reach <= epsilon
        covered[comparisons.table.designs[rows[within]]] = True
        by[comparisons.table.designs[rows[within]]] = comparisons.table.designs[cover[within]]
    undecided = ~(out | accepted | covered)
    left = comparisons.table.designs
    return Claims(beaten, accepted, covered, undecided, by, left, comparisons, accept_at, fine_at, bounds)


def certified(claims: Claims, cone: Cone, covering: bool) -> Certified | None:
    """The smallest epsilon at which these claims are done, with the set to return for it (docs/adaptive, 4).

    None if there is none, and while more designs are left than it would be sensible to compare with each other.
    """
    accept_at = claims.accept_at
    if len(accept_at) > FEW and not claims.done:
        if len(accept_at) > _MANY:
            return None
        accept_at = _screened(claims.comparisons, cone, np.inf, claims.bounds)
    designs = claims.left
    settled, cover = np.maximum(accept_at, 0.0), np.full(len(accept_at), -1)
    if covering and len(settled):
        # Only what would still improve the answer: a design with a small accept_at cannot be the last one open.
        everyone = np.arange(len(settled))
        settled, cover = nearest_cover(claims.comparisons, cone, everyone, everyone, settled, settled)
    worst = float(settled.max(initial=0.0))
    if not np.isfinite(worst):
        return None
    inside = accept_at <= worst
    chosen, by = np.zeros_like(claims.beaten), np.full(len(claims.beaten), -1, dtype=np.intp)
    chosen[designs[inside]] = True
    by[designs[~inside]] = designs[cover[~inside]]
    return Certified(worst, chosen, by)


def nearest_cover(
    comparisons: Comparisons, cone: Cone, rows: Indices, columns: Indices, columns_from: Floats, below: Floats
) -> tuple[Floats, Indices]:
    """For each row the min over columns of max(columns_from, cover_at), and its column; -1 for none (docs/adaptive, 4).

    Where no column is below the row's limit, the limit.
    """
    best, cover = below.copy(), np.full(len(rows), -1, dtype=np.intp)
    left = max(1, len(columns))
    step = max(1, _ENTRIES // (left * len(comparisons.table.values)))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        for seen in comparisons.out(part, columns, covering=True):
            with np.errstate(invalid="ignore"):
                least = np.maximum(facet_floor(cone, seen.gains, seen.radii), columns_from[None, :])
            least[np.isnan(least) | (part[:, None] == columns[None, :])] = np.inf
            first, second = np.nonzero(least < best[start : start + step, None])
            if not len(first):
                continue
            gains, radii = (np.ascontiguousarray(each[first, second].T) for each in (seen.gains, seen.radii))
            reach = cover_at(cone, gains, radii, None if seen.widest is None else seen.widest[first, second])
            reach = np.maximum(reach, columns_from[second])
            order = np.lexsort((reach, first))
            order = order[np.diff(first[order], prepend=-1) > 0]  # the smallest of each row
            order = order[reach[order] < best[start + first[order]]]
            best[start + first[order]] = reach[order]
            cover[start + first[order]] = columns[second[order]]
    return best, cover


def _blocks(rows: Indices, columns: int) -> Iterator[Indices]:
    """Rows in portions that keep temporary arrays small; none where there are no columns."""
    if not columns:
        return
    step = max(1, _ENTRIES // max(1, columns * 4))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
