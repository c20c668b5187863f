"""Derive claims from pairs: which designs are beaten, accepted or covered, and at which epsilon (docs/adaptive, 1).

Three numbers of a pair (i, j) are enough, and none of them depends on epsilon:

* whether j certainly dominates i;
* no_worse_at: the smallest epsilon at which i is certainly no worse than j;
* covered_at: the smallest epsilon at which j certainly covers i.

A design is accepted from accept_at_i = max_j no_worse_at(i, j) on. It is settled from the smaller of accept_at_i and
min_j max(accept_at_j, covered_at(i, j)) on. So the certified epsilon is a maximum of numbers, not a search. Every kind
of evidence gives these numbers as `Pairs`; claims know nothing else of the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, Self

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.thresholds import Bounds
from conewise.certificate.weights import Standing
from conewise.order.directions import TIE
from conewise.order.dominance import maximal_columns

FEW: Final = 2500  # with more designs left, not all pairs are compared
_MANY: Final = 20_000  # with more designs left, the certified epsilon is not computed: it would need every pair
_STRONG: Final = 500  # designs with which all others are compared first
_ENTRIES: Final = 2**18  # numbers in the largest temporary array


class Pairs(Protocol):
    """Comparisons between some designs. Rows and columns are positions in `designs`."""

    @property
    def designs(self) -> Indices:
        """Designs that are compared, (L,), ascending."""
        ...

    @property
    def standing(self) -> Standing:
        """Designs that are left and designs that are known to be Pareto optimal: shares of delta depend on them."""
        ...

    def among(self, which: Bools, standing: Standing) -> Self:
        """Return the pairs of some of the designs, with the radii of another standing."""
        ...

    def dominated(self, rows: Indices, columns: Indices) -> Bools:
        """Return where the column design certainly dominates the row design."""
        ...

    def no_worse_at(self, rows: Indices, columns: Indices) -> Floats:
        """Return the smallest epsilon at which the row design is certainly no worse than the column design."""
        ...

    def covered_at(self, rows: Indices, columns: Indices, below: Floats) -> Floats:
        """Return the smallest epsilon at which the column design covers the row design.

        Entries that are not less than `below` (rows, columns) may be infinite instead.
        """
        ...

    def strong(self, most: int) -> Indices:
        """Return positions of at most so many designs of the empirical front, the best by their worst facet first."""
        ...

    def unmoved(self, before: Any, name: str) -> tuple[Indices, Indices]:
        """Return positions of designs, here and in earlier pairs, whose entries of the method `name` are equal."""
        ...


@dataclass(frozen=True, eq=False)
class Claims:
    """Claims that the data certify at one epsilon: disjoint masks that together hold all designs (docs/adaptive, 1)."""

    beaten: Bools
    accepted: Bools
    """Designs that are no worse than every design that is left: these are returned."""
    covered: Bools
    undecided: Bools
    by: Indices
    """(K,): a design that beats or covers each design; -1 for designs that are neither beaten nor covered."""
    left: Indices
    """(L,): the designs that are neither beaten nor miss a level."""
    pairs: Pairs
    """Pairs of the designs that are left."""
    accept_at: Floats
    """(L,): the epsilon from which each design that is left is accepted; infinite while a pair has not met.

    With more than FEW designs left, values above epsilon are lower bounds only."""
    no_worse_at: Floats | None
    """(L, L): the epsilon from which the row design is no worse than the column design; None with more than FEW."""
    bounds: Bounds | None = None
    """Bounds on the designs' levels; None without levels (docs/adaptive, 9)."""

    @cached_property
    def misses(self) -> Bools:
        """Designs that certainly miss a level, (K,)."""
        return np.zeros_like(self.beaten) if self.bounds is None else self.bounds.misses

    @cached_property
    def out(self) -> Bools:
        """Designs that are beaten or miss a level, (K,)."""
        return self.beaten | self.misses

    @property
    def strikers(self) -> Bools | None:
        """Designs that may eliminate others, (K,); None for all designs (docs/adaptive, 9)."""
        return None if self.bounds is None else self.bounds.strikers

    @property
    def done(self) -> bool:
        """True if no design is undecided."""
        return not self.undecided.any()

    @property
    def certain(self) -> Bools:
        """Designs that are known to be Pareto optimal: accepted at an epsilon below 0, (K,)."""
        certain = np.zeros_like(self.beaten)
        certain[self.left[self.accept_at < 0]] = True
        return certain


@dataclass(frozen=True, eq=False)
class Certified:
    """A set of designs, and the epsilon that the claims certify for it."""

    epsilon: float
    """Smallest epsilon at which no design is undecided."""
    returned: Bools
    """(K,): the designs that are accepted at that epsilon."""
    covered_by: Indices
    """(K,): the returned design that covers a design which is neither beaten nor returned; -1 for other designs."""


class Memo:
    """The matrices of the last call of `judge`, so that pairs without new observations are not compared again.

    It saves time and never changes a claim.
    """

    def __init__(self) -> None:
        self._before: dict[str, list[tuple[Pairs, np.ndarray]]] = {}
        self._now: dict[str, list[tuple[Pairs, np.ndarray]]] = {}

    def begin(self) -> None:
        """Drop the matrices that the last call did not use."""
        self._before, self._now = self._now, {}

    def matrix(self, name: str, pairs: Pairs) -> np.ndarray:
        """Return `pairs.dominated` or `pairs.no_worse_at` of all pairs."""
        everyone = np.arange(len(pairs.designs))
        entries: np.ndarray = np.empty((len(everyone),) * 2, dtype=bool if name == "dominated" else np.float64)
        known = np.zeros(len(everyone), dtype=bool)
        for before, table in (*self._now.get(name, ()), *self._before.get(name, ())):
            here, there = pairs.unmoved(before, name)
            if len(here):
                source = np.zeros(len(everyone), dtype=np.intp)  # pairs of other designs are compared below
                source[here], known[here] = there, True
                same = len(here) == len(everyone) == len(table)
                entries = table.copy() if same else table.take(source, axis=0).take(source, axis=1)
                break
        for some, columns in ((everyone[~known], everyone), (everyone[known], everyone[~known])):
            for rows in _portions(some, len(columns)):
                entries[np.ix_(rows, columns)] = getattr(pairs, name)(rows, columns)
        self._now.setdefault(name, []).append((pairs, entries))
        return entries


def judge(
    pairs: Pairs,
    by: Indices,
    bounds: Bounds | None,
    epsilon: float,
    *,
    covering: bool,
    stepwise: bool,
    memo: Memo | None = None,
) -> Claims:
    """Eliminate the designs that are beaten, then accept and cover among the rest (docs/adaptive, 3.1 and 3.2).

    `pairs` are those of the designs that may still be returned; `by` names a design that beats each design which was
    found to be beaten before. If `stepwise`, designs that are beaten or known to be Pareto optimal leave their shares
    of delta to the others, until nothing follows any more. `bounds` say which designs may eliminate others.
    """
    memo = Memo() if memo is None else memo
    memo.begin()
    by, strikers = by.copy(), None if bounds is None else bounds.strikers
    while True:
        designs, standing = pairs.designs, pairs.standing
        if len(designs) > FEW:
            columns = pairs.strong(_STRONG)
            columns = columns if strikers is None else columns[strikers[designs[columns]]]
            rival = rivals_of(pairs, np.arange(len(designs)), columns)
        else:
            dominated = memo.matrix("dominated", pairs)
            dominated = dominated if strikers is None else dominated & strikers[designs][None, :]
            rival = np.where(dominated.any(axis=1), dominated.argmax(axis=1), -1) if len(designs) else designs
        out = rival >= 0
        if out.any() and not out.all():  # data that contradict themselves eliminate no design
            by[designs[out]] = designs[rival[out]]
            left = standing.left.copy()
            left[designs[out]] = False
            pairs = pairs.among(~out, Standing(left, standing.sure))
            continue
        if len(designs) > FEW:
            return _settled(pairs, by, bounds, epsilon, covering, _screened(pairs, epsilon, bounds), None)
        no_worse_at = memo.matrix("no_worse_at", pairs)
        no_worse_at = no_worse_at if bounds is None else bounds.counting(no_worse_at, designs)
        accept_at = no_worse_at.max(axis=1, initial=-np.inf)
        accept_at = accept_at if bounds is None else np.maximum(accept_at, bounds.meet_at[designs])
        sure = np.zeros_like(standing.sure)
        sure[designs[accept_at < 0]] = True
        if not stepwise or int(sure.sum()) <= int(standing.sure.sum()):
            return _settled(pairs, by, bounds, epsilon, covering, accept_at, no_worse_at)
        pairs = pairs.among(np.ones(len(designs), dtype=bool), Standing(standing.left, sure))


def _settled(
    pairs: Pairs,
    by: Indices,
    bounds: Bounds | None,
    epsilon: float,
    covering: bool,
    accept_at: Floats,
    no_worse_at: Floats | None,
) -> Claims:
    """Return which designs are accepted and covered at this epsilon, among those that are left (docs/adaptive, 1)."""
    designs, by = pairs.designs, by.copy()
    out = np.ones(len(by), dtype=bool)
    out[designs] = False
    beaten = out if bounds is None else out & ~bounds.misses
    accepted, covered = np.zeros_like(out), np.zeros_like(out)
    inside = accept_at <= epsilon
    accepted[designs[inside]] = True
    if covering and inside.any() and not inside.all():
        rows, columns = np.flatnonzero(~inside), np.flatnonzero(inside)
        limits = np.full(len(rows), np.nextafter(epsilon, np.inf))
        reach, cover = nearest_cover(pairs, rows, columns, np.zeros(len(columns)), limits)
        within = reach <= epsilon
        covered[designs[rows[within]]] = True
        by[designs[rows[within]]] = designs[cover[within]]
    undecided = ~(out | accepted | covered)
    return Claims(beaten, accepted, covered, undecided, by, designs, pairs, accept_at, no_worse_at, bounds)


def certified(claims: Claims, covering: bool) -> Certified | None:
    """Return the smallest epsilon at which these claims leave nothing undecided, with its set (docs/adaptive, 4).

    None if there is no such epsilon, and while more than a sensible number of designs would have to be compared.
    """
    accept_at = claims.accept_at
    if claims.no_worse_at is None and not claims.done:
        if len(accept_at) > _MANY:
            return None
        accept_at = _screened(claims.pairs, np.inf, claims.bounds)
    designs = claims.left
    settled, cover = np.maximum(accept_at, 0.0), np.full(len(accept_at), -1)
    if covering and len(settled):
        everyone = np.arange(len(settled))
        settled, cover = nearest_cover(claims.pairs, everyone, everyone, settled, settled)
    worst = float(settled.max(initial=0.0))
    if not np.isfinite(worst):
        return None
    inside = accept_at <= worst
    chosen, by = np.zeros_like(claims.beaten), np.full(len(claims.beaten), -1, dtype=np.intp)
    chosen[designs[inside]] = True
    by[designs[~inside]] = designs[cover[~inside]]
    return Certified(0.0 if worst < 1e100 * TIE else worst, chosen, by)  # a design returned for a tie is at 0


def contradicting_least(found: Certified, claims: Claims, values: Floats) -> Certified:
    """Leave out members that other members dominate in the averages, as far as the set stays certified (4.1).

    `values` are averages along the facets, each divided by its width, (K, N). The member that is furthest behind is
    left out if any certified set is without it, then the next one if any certified set is without both, and so on.
    """
    left, limit, strikers = claims.left, np.nextafter(found.epsilon, np.inf), claims.strikers
    inside = np.flatnonzero(found.returned[left])
    better = values[left[inside if strikers is None else inside[strikers[left[inside]]]]]
    better, behind = better[maximal_columns(better.T)], np.full(len(left), -np.inf)
    for rows in _portions(inside, better.size):
        gains = better[None, :, :] - values[left[rows]][:, None, :]
        dominated = (gains >= 0).all(axis=2) & (gains > 0).any(axis=2)
        behind[rows] = np.where(dominated, gains.min(axis=2), -np.inf).max(axis=1)
    behind[claims.accept_at < 0] = -np.inf  # known to be Pareto optimal
    if not (behind >= 0).any():
        return found
    stays = found.returned[left] & (behind < 0)
    rows = np.flatnonzero(~stays)
    within = rows[:, None] == inside[None, :]
    for part in _portions(np.arange(len(rows)), len(inside)):
        limits = np.full((len(part), len(inside)), limit)
        within[part] |= claims.pairs.covered_at(rows[part], inside, limits) < limit
    times = within.sum(axis=1)
    for place in np.argsort(-behind[inside], kind="stable")[: (behind >= 0).sum()]:
        if (times[within[:, place]] > 1).all():  # all that it covers, itself included, are covered without it
            times -= within[:, place]
        else:
            stays[inside[place]] = True
    rows, columns = np.flatnonzero(~stays), np.flatnonzero(stays)
    _, cover = nearest_cover(claims.pairs, rows, columns, np.zeros(len(columns)), np.full(len(rows), limit))
    returned, by = np.zeros_like(found.returned), np.full(len(found.returned), -1, dtype=np.intp)
    returned[left[stays]], by[left[rows]] = True, left[cover]
    return Certified(found.epsilon, returned, by)


def epsilon_of(claims: Claims, covering: bool, returned: Bools) -> float | None:
    """Return the smallest epsilon certified for a set that was chosen otherwise, for instance with a model.

    Its members are accepted from accept_at on; every other design is beaten, or covered by a member from covered_at on
    (docs/adaptive, 4). None if no epsilon is certified. An empty set succeeds where every design is out.
    """
    left = claims.left
    if not returned.any():
        return None if len(left) else 0.0
    if (claims.out & returned).any() or claims.no_worse_at is None:
        return None  # by how much a beaten member is beaten was not compared
    inside, others = np.flatnonzero(returned[left]), np.flatnonzero(~returned[left])
    worst = max(0.0, float(claims.accept_at[inside].max(initial=-np.inf)))
    if len(others):
        if not covering:
            return None  # a design that is not beaten may be Pareto optimal, and is missing
        limits = np.full(len(others), np.inf)
        reach, _ = nearest_cover(claims.pairs, others, inside, np.zeros(len(inside)), limits)
        worst = max(worst, float(reach.max()))
    return worst if np.isfinite(worst) else None


def nearest_cover(
    pairs: Pairs, rows: Indices, columns: Indices, columns_from: Floats, below: Floats
) -> tuple[Floats, Indices]:
    """Return for each row the least max(columns_from, covered_at) over the columns, and its column (docs/adaptive, 4).

    Where no column is below the row's limit: the limit, and -1.
    """
    best, cover = below.copy(), np.full(len(rows), -1, dtype=np.intp)
    for at in _portions(np.arange(len(rows)), len(columns)):
        part = rows[at]
        worth = columns_from[None, :] < best[at][:, None]
        worth &= part[:, None] != columns[None, :]
        reach = pairs.covered_at(part, columns, np.where(worth, best[at][:, None], -np.inf))
        reach = np.where(worth, np.maximum(reach, columns_from[None, :]), np.inf)
        nearest = reach.argmin(axis=1)
        least = reach[np.arange(len(at)), nearest]
        better = least < best[at]
        best[at[better]], cover[at[better]] = least[better], columns[nearest[better]]
    return best, cover


def rivals_of(pairs: Pairs, rows: Indices, columns: Indices) -> Indices:
    """Return for each row a column design that dominates it, -1 for none; the first columns are tried first."""
    rival = np.full(len(rows), -1)
    for some in np.split(columns, (8, 64)):
        for part in _portions(np.flatnonzero(rival < 0), len(some)):
            dominated = pairs.dominated(rows[part], some)
            found = dominated.any(axis=1)
            rival[part[found]] = some[dominated[found].argmax(axis=1)]
    return rival


def _screened(pairs: Pairs, epsilon: float, bounds: Bounds | None) -> Floats:
    """Return accept_at where it is at most epsilon, a lower bound elsewhere (docs/adaptive, 1).

    A design that is worse than one design at epsilon is compared with no further design.
    """
    designs = pairs.designs
    left = len(designs)
    accept_at = np.full(left, -np.inf) if bounds is None else bounds.meet_at[designs]
    everyone = np.arange(left)
    alive = everyone[accept_at <= epsilon]
    for columns in (pairs.strong(_STRONG), *(everyone[start : start + FEW] for start in range(0, left, FEW))):
        for rows in _portions(alive, len(columns)):
            at = pairs.no_worse_at(rows, columns)
            at = at if bounds is None else bounds.counting(at, designs[columns])
            accept_at[rows] = np.maximum(accept_at[rows], at.max(axis=1, initial=-np.inf))
        alive = alive[accept_at[alive] <= epsilon]
        if not len(alive):
            break
    return accept_at


def _portions(rows: Indices, columns: int) -> Iterator[Indices]:
    """Yield rows in portions that keep temporary arrays small; none where there are no columns."""
    step = max(1, _ENTRIES // max(1, columns * 4))
    for start in range(0, len(rows) if columns else 0, step):
        yield rows[start : start + step]
