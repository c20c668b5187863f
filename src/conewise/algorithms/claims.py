"""Claims from comparisons: who is beaten, who is accepted, who is covered, and for which epsilon.

A comparison says how far one design's mean seems ahead of another's along each facet and how wrong that may be. Where
the comparisons come from (a schedule of looks, or one look at a finished sample) is not this file's business. Three
numbers of a pair (i, j) are enough, and none of them mentions epsilon:

* whether j beats i: every gain is at least its radius;
* fine_at: the smallest epsilon at which i is fine against j, min over n of (gain_n + radius_n) / alpha_n;
* cover_at: the smallest epsilon at which i is covered by j, f((radius - gain)^+).

A design is accepted from accept_at_i = max_j fine_at(i, j) on, and settled from the smaller of accept_at_i and
min_j max(accept_at_j, cover_at(i, j)) on. So the certified epsilon is a maximum of numbers, not a search. Comparisons
are made in blocks: memory stays bounded however many designs are left. With very many left, a design is compared with
a few strong ones first and with the others only if it is fine against these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.cones import Cone

FEW: Final = 2500  # designs left of which all pairs are looked at, and kept for rules that plan with them
_MANY: Final = 20_000  # designs beyond which the certified epsilon is not worked out: every pair would be needed
_STRONG: Final = 500  # designs that screen the others
_ENTRIES: Final = 2**18  # numbers in the largest temporary array: what a core's cache holds


@dataclass(frozen=True, eq=False)
class Seen:
    """A block of comparisons: rows i, columns j."""

    gains: Floats
    """(rows, columns, N): w_n.(mu^_j - mu^_i), NaN where the two have not met."""
    radii: Floats
    """As large: how far a gain may be off."""

    def only(self, columns: Bools) -> Seen:
        """As if the row designs had met no others than these."""
        return Seen(np.where(columns[None, :, None], self.gains, np.nan), self.radii)


class Comparisons(Protocol):
    """All pairs of the designs that are left, on demand."""

    @property
    def designs(self) -> Indices:
        """(L,): the designs that are left."""
        ...

    def keep(self, which: Bools) -> Comparisons:
        """Without the others."""
        ...

    def marked(self, sure: Bools, known: int) -> Comparisons:
        """With these designs, of so many, known to be Pareto optimal; itself where nothing follows from that."""
        ...

    def fine(self, rows: Indices, columns: Indices) -> Iterator[Seen]:
        """Every way in which these pairs (positions in `designs`) have met, with the radii of "fine"."""
        ...

    def out(self, rows: Indices, columns: Indices, remaining: int) -> Iterator[Seen]:
        """The same with the radii of "beaten" and "covered" while that many designs are not beaten."""
        ...

    def strong(self, most: int) -> Indices:
        """Positions of at most so many designs against which few others are fine."""
        ...

    def same_boundary(self, before: int, after: int) -> bool:
        """Whether fewer remaining designs change nothing."""
        ...

    def unmoved(self, before: Comparisons, *, out: bool) -> tuple[Indices, Indices]:
        """Positions here and in earlier comparisons of designs whose pairs look exactly as they looked there.

        `out` says whether with the radii of "beaten" and "covered", or with those of "fine".
        """
        ...


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of the designs that were left at some step: nobody among them beats another."""

    comparisons: Comparisons
    fine_at: Floats
    """(L, L): the epsilon from which the one is fine against the other."""


@dataclass(frozen=True, eq=False)
class Claims:
    """What the data certify at one epsilon: disjoint masks that together hold every design."""

    beaten: Bools
    accepted: Bools
    """Fine against every design that is not beaten: these are returned."""
    covered: Bools
    undecided: Bools
    comparisons: Comparisons
    """Of the designs that are not beaten."""
    accept_at: Floats
    """(L,): the epsilon from which each of these is accepted; infinite while a pair has not met.

    With very many designs left, no more than a lower bound where it exceeds epsilon."""
    struck: Bools
    """Beaten at the first step already, before anybody was sure."""
    steps: tuple[Pairs, ...]
    """The first and the last step at which all pairs were looked at; empty when too many designs are left."""

    @property
    def fine_at(self) -> Floats | None:
        """(L, L): the epsilon from which the one is fine against the other; None when too many designs are left."""
        return self.steps[-1].fine_at if self.steps else None

    @property
    def done(self) -> bool:
        """Nothing is undecided."""
        return not self.undecided.any()


def judge(
    beaten: Bools, comparisons: Comparisons, cone: Cone, epsilon: float, covering: bool, before: Claims | None = None
) -> Claims:
    """Strike what is beaten, then accept and cover among the rest; earlier claims `before` save time, no more.

    A design that is fine against all others at an epsilon below 0 is *sure*: known to be Pareto optimal. Where that
    narrows the radii of what follows, strike and accept again, until nobody is sure anew.
    """
    past = () if before is None else before.steps
    beaten, comparisons = strike(beaten, comparisons, past)
    struck = beaten
    if len(comparisons.designs) > FEW:
        accept_at = _screened(comparisons, cone, epsilon)
        return settle(beaten, comparisons, cone, epsilon, covering, accept_at, struck, ())
    first = last = Pairs(comparisons, fine_matrix(comparisons, cone, past))
    sure = 0
    while True:
        accept_at = last.fine_at.max(axis=1, initial=-np.inf)
        known = int((accept_at < 0).sum())
        marked = comparisons.marked(accept_at < 0, known) if known > sure else comparisons
        if marked is comparisons:
            return settle(beaten, comparisons, cone, epsilon, covering, accept_at, struck, (first, last))
        sure, past = known, (last, *past)
        beaten, comparisons = strike(beaten, marked, past)
        last = Pairs(comparisons, fine_matrix(comparisons, cone, past))


def strike(beaten: Bools, comparisons: Comparisons, past: Iterable[Pairs] = ()) -> tuple[Bools, Comparisons]:
    """Holm's passes: with so many designs left, everything beyond their boundary is out, until a pass finds nothing.

    While very many are left they are held against the strong ones only: to strike less is always allowed. Of those
    that were left at an earlier step and have not moved since, nobody beats another.
    """
    beaten = beaten.copy()
    while True:
        left = len(comparisons.designs)
        few, everyone = left <= FEW, np.arange(left)
        moved = np.ones(left, dtype=bool)
        if few:
            moved[_known(comparisons, past, out=True)[0]] = False
        all_columns = everyone if few else comparisons.strong(_STRONG)
        out = np.zeros(left, dtype=bool)
        for some, columns in ((everyone[moved], all_columns), (everyone[~moved], everyone[moved])):
            for rows in _blocks(some, len(columns)):
                for seen in comparisons.out(rows, columns, left):
                    # Without noise a gain of 0 is no advantage: twins do not beat each other. Nor does a design beat
                    # its own earlier mean.
                    worst: Bools = np.all(seen.gains >= seen.radii, axis=2) & np.any(seen.gains > 0, axis=2)
                    worst &= rows[:, None] != columns[None, :]
                    out[rows] |= worst.any(axis=1)
        if not out.any() or out.all():  # all at once: the data contradict themselves, and nobody is left to return
            return beaten, comparisons
        beaten[comparisons.designs[out]] = True
        comparisons = comparisons.keep(~out)
        if few and comparisons.same_boundary(left, len(comparisons.designs)):
            return beaten, comparisons


def fine_matrix(comparisons: Comparisons, cone: Cone, past: Iterable[Pairs] = ()) -> Floats:
    """(L, L): fine_at of every pair, worked out for those that look different than at an earlier step."""
    left = len(comparisons.designs)
    everyone, moved = np.arange(left), np.ones(left, dtype=bool)
    here, there, known = _known(comparisons, past, out=False)
    moved[here] = False
    if known is None:
        fine_at = np.empty((left, left))
    elif np.array_equal(comparisons.designs, known.comparisons.designs):
        fine_at = known.fine_at.copy()  # much quicker than picking; the rest is overwritten
    else:
        fine_at = np.empty((left, left))
        fine_at[np.ix_(here, here)] = known.fine_at[np.ix_(there, there)]
    for some, columns in ((everyone[moved], everyone), (everyone[~moved], everyone[moved])):
        for rows in _blocks(some, len(columns)):
            fine_at[np.ix_(rows, columns)] = _fine_at(comparisons, cone, rows, columns)
    return fine_at


def _known(comparisons: Comparisons, past: Iterable[Pairs], *, out: bool) -> tuple[Indices, Indices, Pairs | None]:
    """The earlier step of which most can be taken over: positions here and there, and the step."""
    nobody = np.empty(0, dtype=np.intp)
    best: tuple[Indices, Indices, Pairs | None] = (nobody, nobody, None)
    for pairs in past:
        here, there = comparisons.unmoved(pairs.comparisons, out=out)
        if len(here) > len(best[0]):
            best = here, there, pairs
    return best


def _screened(comparisons: Comparisons, cone: Cone, epsilon: float) -> Floats:
    """accept_at where it is at most epsilon, a lower bound elsewhere: who is not fine against one design is done."""
    left = len(comparisons.designs)
    accept_at, alive = np.full(left, -np.inf), np.arange(left)
    everyone = np.arange(left)
    screens = [comparisons.strong(_STRONG), *(everyone[start : start + FEW] for start in range(0, left, FEW))]
    for columns in screens:
        for rows in _blocks(alive, len(columns)):
            at = _fine_at(comparisons, cone, rows, columns)
            accept_at[rows] = np.maximum(accept_at[rows], at.max(axis=1, initial=-np.inf))
        alive = alive[accept_at[alive] <= epsilon]
        if not len(alive):
            break
    return accept_at


def _fine_at(comparisons: Comparisons, cone: Cone, rows: Indices, columns: Indices) -> Floats:
    """(rows, columns): the smallest epsilon at which i is fine against j; minus infinity against itself."""
    at = np.full((len(rows), len(columns)), np.inf)
    for seen in comparisons.fine(rows, columns):
        np.fmin(at, ((seen.gains + seen.radii) / cone.widths).min(axis=2), out=at)
    at[rows[:, None] == columns[None, :]] = -np.inf
    return at


def settle(
    beaten: Bools,
    comparisons: Comparisons,
    cone: Cone,
    epsilon: float,
    covering: bool,
    accept_at: Floats,
    struck: Bools,
    steps: tuple[Pairs, ...],
) -> Claims:
    """Accepted and covered at this epsilon."""
    accepted, covered = np.zeros_like(beaten), np.zeros_like(beaten)
    inside = accept_at <= epsilon
    accepted[comparisons.designs[inside]] = True
    if covering and inside.any() and not inside.all():
        rows, columns = np.flatnonzero(~inside), np.flatnonzero(inside)
        limits = np.full(len(rows), np.nextafter(epsilon, np.inf))
        reach = _cover_at(comparisons, cone, rows, columns, np.zeros(len(columns)), limits)
        covered[comparisons.designs[rows[reach <= epsilon]]] = True
    undecided = ~(beaten | accepted | covered)
    return Claims(beaten, accepted, covered, undecided, comparisons, accept_at, struck, steps)


def certified(claims: Claims, cone: Cone, covering: bool) -> tuple[float, Bools] | None:
    """The smallest epsilon at which these claims are done, and the set to return for it; None if there is none.

    None too while more designs are left than it would be sensible to compare with each other.
    """
    accept_at = claims.accept_at
    if len(accept_at) > FEW and not claims.done:
        if len(accept_at) > _MANY:
            return None
        accept_at = _screened(claims.comparisons, cone, np.inf)
    settled = np.maximum(accept_at, 0.0)
    if covering and len(settled):
        # Only what would still improve the answer: a design with a small accept_at cannot be the last one open.
        everyone = np.arange(len(settled))
        settled = np.minimum(settled, _cover_at(claims.comparisons, cone, everyone, everyone, settled, settled))
    worst = float(settled.max(initial=0.0))
    if not np.isfinite(worst):
        return None
    chosen = np.zeros_like(claims.beaten)
    chosen[claims.comparisons.designs[accept_at <= worst]] = True
    return worst, chosen


def _cover_at(
    comparisons: Comparisons, cone: Cone, rows: Indices, columns: Indices, columns_from: Floats, below: Floats
) -> Floats:
    """For each row the min over columns of max(columns_from, cover_at), where that is below a limit; else the limit."""
    best = below.copy()
    left = max(1, len(columns))
    step = max(1, _ENTRIES // (left * len(cone.facets)))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        for seen in comparisons.out(part, columns, len(comparisons.designs)):
            with np.errstate(invalid="ignore"):
                deficit = np.maximum(seen.radii - seen.gains, 0.0)
            least = np.maximum(deficit.max(axis=2), columns_from[None, :])  # f(b) >= max b, as rows have unit length
            least[np.isnan(least) | (part[:, None] == columns[None, :])] = np.inf
            first, second = np.nonzero(least < best[start : start + step, None])
            if not len(first):
                continue
            reach = cone._lift.norms(np.ascontiguousarray(deficit[first, second].T), non_negative=True)
            np.minimum.at(best, start + first, np.maximum(reach, columns_from[second]))
    return best


def _blocks(rows: Indices, columns: int) -> Iterator[Indices]:
    """Rows in portions that keep temporary arrays small; none where there are no columns."""
    if not columns:
        return
    step = max(1, _ENTRIES // max(1, columns * 4))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
