"""Claims from comparisons: who is beaten, who is accepted, who is covered, and for which epsilon.

A comparison says how far one design's mean seems ahead of another's along each facet and how wrong that may be. Where
the comparisons come from (a schedule of looks, or one look at a finished sample) is not this file's business. Three
numbers of a pair (i, j) are enough, and none of them mentions epsilon:

* whether j beats i: every gain is at least its radius;
* fine_at: the smallest epsilon at which i is fine against j, min over n of (gain_n + radius_n) / alpha_n;
* cover_at: the smallest epsilon at which i is covered by j: `directions`.

A design is accepted from accept_at_i = max_j fine_at(i, j) on, and settled from the smaller of accept_at_i and
min_j max(accept_at_j, cover_at(i, j)) on. So the certified epsilon is a maximum of numbers, not a search. Comparisons
are made in blocks: memory stays bounded however many designs are left. With very many left, a design is compared with
a few strong ones first and with the others only if it is fine against these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.cones import Cone
from conewise.directions import cover_at, facet_floor

FEW: Final = 2500  # designs left of which all pairs are looked at, and kept for rules that plan with them
_MANY: Final = 20_000  # designs beyond which the certified epsilon is not worked out: every pair would be needed
BELOW: Final = -1e-300
"""An epsilon below 0: fine at 0, strictly."""
_STRONG: Final = 500  # designs that screen the others
_ENTRIES: Final = 2**18  # numbers in the largest temporary array: what a core's cache holds


@dataclass(frozen=True, eq=False)
class Seen:
    """A block of comparisons: rows i, columns j."""

    gains: Floats
    """(rows, columns, N): w_n.(mu^_j - mu^_i), NaN where the two have not met."""
    radii: Floats
    """As large: how far a gain may be off."""
    widest: Floats | None = None
    """(rows, columns): how far it may be off along any unit direction; None where nobody asked, or nobody knows."""

    def only(self, columns: Bools) -> Seen:
        """As if the row designs had met no others than these."""
        return replace(self, gains=np.where(columns[None, :, None], self.gains, np.nan))


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

    def as_judged(self, claims: Claims) -> Comparisons:
        """With what these claims know already, so that radii are those with which they were made."""
        ...

    def fine(self, rows: Indices, columns: Indices) -> Iterator[Seen]:
        """Every way in which these pairs (positions in `designs`) have met, with the radii of "fine"."""
        ...

    def out(self, rows: Indices, columns: Indices, remaining: int, *, covering: bool = False) -> Iterator[Seen]:
        """The same with the radii of "beaten" and "covered" while that many designs are not beaten.

        Along the noisiest direction too if it is for `covering`, where that is known.
        """
        ...

    def sharpened(self, fine_at: Floats, beaten: Bools) -> Floats:
        """(L, L): `fine_at`, with BELOW where more is known at epsilon = 0 than the radii of "fine" say."""
        ...

    def strong(self, most: int) -> Indices:
        """Positions of at most so many designs against which few others are fine."""
        ...

    def same_boundary(self, before: Comparisons) -> bool:
        """Whether claims "beaten" and "covered" have the radii that they had there."""
        ...

    def overtaken(self, before: Comparisons, unmoved: Indices) -> Indices:
        """Those of the unmoved ones that nobody who moved was behind: all others look as they did from there."""
        ...

    def unmoved(self, before: Comparisons, *, out: bool) -> tuple[Indices, Indices]:
        """Positions here and in earlier comparisons of designs whose pairs look exactly as they looked there.

        `out` says whether with the radii of "beaten" and "covered", or with those of "fine".
        """
        ...


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of the designs that were left at some step."""

    comparisons: Comparisons
    fine_at: Floats
    """(L, L): the epsilon from which the one is fine against the other, by the radii of "fine" alone."""


@dataclass(frozen=True, eq=False)
class Pass:
    """A pass over the designs that were left."""

    comparisons: Comparisons
    unbeaten: Bools
    """(L,): whom nobody among them beats."""


@dataclass(frozen=True, eq=False)
class Struck:
    """Who is out, and who is left."""

    beaten: Bools
    by: Indices
    """(K,): one of those that beat a design; -1 where it is not known."""
    comparisons: Comparisons
    """Of the others."""
    passes: tuple[Pass, ...] = ()
    """The first and the last one; none while very many are left."""

    @classmethod
    def among(cls, comparisons: Comparisons, beaten: Bools, by: Indices) -> Struck:
        """Before the first pass, with who is known to be beaten already, and by whom."""
        return cls(beaten, by, comparisons)


@dataclass(frozen=True, eq=False)
class Claims:
    """What the data certify at one epsilon: disjoint masks that together hold every design."""

    beaten: Bools
    accepted: Bools
    """Fine against every design that is not beaten: these are returned."""
    covered: Bools
    undecided: Bools
    by: Indices
    """(K,): one of those that beat or cover a design; -1 for the others."""
    comparisons: Comparisons
    """Of the designs that are not beaten."""
    accept_at: Floats
    """(L,): the epsilon from which each of these is accepted; infinite while a pair has not met.

    With very many designs left, no more than a lower bound where it exceeds epsilon."""
    struck: Struck
    """The first step, before anybody was sure."""
    steps: tuple[Pairs, ...]
    """The first and the last step at which all pairs were looked at; empty when too many designs are left."""
    fine_at: Floats | None
    """(L, L): the epsilon from which the one is fine against the other; None when too many designs are left."""

    @property
    def done(self) -> bool:
        """Nothing is undecided."""
        return not self.undecided.any()


@dataclass(frozen=True, eq=False)
class Certified:
    """A set that claims certify as it is, and for which epsilon."""

    epsilon: float
    """The smallest at which nothing is open."""
    returned: Bools
    """(K,): what is accepted at that epsilon."""
    covered_by: Indices
    """(K,): the member that covers a design which is neither beaten nor a member; -1 for all others."""


def judge(start: Struck, cone: Cone, epsilon: float, covering: bool, before: Claims | None = None) -> Claims:
    """Strike what is beaten, then accept and cover among the rest; earlier claims `before` save time, no more.

    A design that is fine against all others at an epsilon below 0 is *sure*: known to be Pareto optimal. Where that
    narrows the radii of what follows, strike and accept again, until nobody is sure anew.
    """
    first = struck = strike(start, None if before is None else before.struck)
    if len(struck.comparisons.designs) > FEW:
        accept_at = _screened(struck.comparisons, cone, epsilon)
        return settle(first, struck, cone, epsilon, covering, accept_at, ())
    past = () if before is None else before.steps
    steps = [Pairs(struck.comparisons, fine_matrix(struck.comparisons, cone, past))]
    sure = 0
    while True:
        fine_at = struck.comparisons.sharpened(steps[-1].fine_at, struck.beaten)
        accept_at = fine_at.max(axis=1, initial=-np.inf)
        known = int((accept_at < 0).sum())
        left = struck.comparisons
        marked = left.marked(accept_at < 0, known) if known > sure else left
        if marked is left:
            return settle(first, struck, cone, epsilon, covering, accept_at, (steps[0], steps[-1]), fine_at)
        sure, past = known, (steps[-1], *past)
        struck = strike(replace(struck, comparisons=marked), struck)
        steps.append(Pairs(struck.comparisons, fine_matrix(struck.comparisons, cone, past)))


def strike(start: Struck, earlier: Struck | None = None) -> Struck:
    """Holm's passes: with so many designs left, everything beyond their boundary is out, until a pass finds nothing.

    While very many are left they are held against the strong ones only: to strike less is always allowed. Two things
    save time and change nothing: what an earlier pass has found of pairs that look as they did then; and that who was
    beaten then is first held against the design that did so.
    """
    beaten, by, comparisons = start.beaten.copy(), start.by.copy(), start.comparisons
    passes: list[Pass] = []
    while True:
        left = len(comparisons.designs)
        few = left <= FEW
        rival = np.full(left, -1)
        if few:
            for rows, columns in _promising(comparisons, earlier):
                _find_rivals(comparisons, rows, columns, rival)
            for rows, columns in _unknown(comparisons, earlier):
                _find_rivals(comparisons, rows[rival[rows] < 0], columns, rival)
        else:
            _find_rivals(comparisons, np.arange(left), comparisons.strong(_STRONG), rival)
        out = rival >= 0
        if few:
            passes.append(Pass(comparisons, ~out))
        if not out.any() or out.all():  # all at once: the data contradict themselves, and nobody is left to return
            break
        beaten[comparisons.designs[out]] = True
        by[comparisons.designs[out]] = comparisons.designs[rival[out]]
        before, comparisons = comparisons, comparisons.keep(~out)
        if few and comparisons.same_boundary(before):
            passes.append(Pass(comparisons, np.ones(len(comparisons.designs), dtype=bool)))
            break
    return Struck(beaten, by, comparisons, (passes[0], passes[-1]) if passes else ())


def _promising(comparisons: Comparisons, earlier: Struck | None) -> Iterator[tuple[Indices, Indices]]:
    """Rows and the column that has beaten all of them before, if it is left."""
    if earlier is None or not len(comparisons.designs):
        return
    designs, by = comparisons.designs, earlier.by[comparisons.designs]
    place = np.minimum(np.searchsorted(designs, by), len(designs) - 1)
    there = np.flatnonzero(designs[place] == by)
    for column in np.unique(place[there]):
        yield there[place[there] == column], np.array([column])


def _unknown(comparisons: Comparisons, earlier: Struck | None) -> Iterator[tuple[Indices, Indices]]:
    """Rows and columns that hold every pair of which no earlier pass says that the other does not beat the one."""
    everyone = np.arange(len(comparisons.designs))
    here, last = np.empty(0, dtype=np.intp), None
    for each in () if earlier is None else earlier.passes:
        unmoved, _ = comparisons.unmoved(each.comparisons, out=True)
        if len(unmoved) > len(here):
            here, last = unmoved, each
    if last is None:
        yield everyone, everyone
        return
    unbeaten = np.isin(comparisons.designs, last.comparisons.designs[last.unbeaten], assume_unique=True)
    moved, ahead = np.ones(len(everyone), dtype=bool), np.ones(len(everyone), dtype=bool)
    moved[here] = False
    ahead[comparisons.overtaken(last.comparisons, here)] = False
    yield everyone[~unbeaten], everyone
    yield everyone[unbeaten & moved], everyone[ahead]
    yield everyone[unbeaten & ~moved], everyone[moved]


def _find_rivals(comparisons: Comparisons, rows: Indices, columns: Indices, rival: Indices) -> None:
    """Enter, for every row that one of the columns beats, such a column."""
    left = len(comparisons.designs)
    for part in _blocks(rows, len(columns)):
        for seen in comparisons.out(part, columns, left):
            # Without noise a gain of 0 is no advantage: twins do not beat each other. Nor does a design beat its own
            # earlier mean.
            beats: Bools = np.all(seen.gains >= seen.radii, axis=2) & np.any(seen.gains > 0, axis=2)
            beats &= part[:, None] != columns[None, :]
            found = beats.any(axis=1)
            rival[part[found]] = columns[beats[found].argmax(axis=1)]


def fine_matrix(comparisons: Comparisons, cone: Cone, past: Iterable[Pairs] = ()) -> Floats:
    """(L, L): fine_at of every pair, worked out for those that look different than at an earlier step."""
    left = len(comparisons.designs)
    everyone, moved = np.arange(left), np.ones(left, dtype=bool)
    here, there, known = _known(comparisons, past)
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


def _known(comparisons: Comparisons, past: Iterable[Pairs]) -> tuple[Indices, Indices, Pairs | None]:
    """The earlier step of which most can be taken over: positions here and there, and the step."""
    nobody = np.empty(0, dtype=np.intp)
    best: tuple[Indices, Indices, Pairs | None] = (nobody, nobody, None)
    for pairs in past:
        here, there = comparisons.unmoved(pairs.comparisons, out=False)
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
    first: Struck,
    last: Struck,
    cone: Cone,
    epsilon: float,
    covering: bool,
    accept_at: Floats,
    steps: tuple[Pairs, ...],
    fine_at: Floats | None = None,
) -> Claims:
    """Accepted and covered at this epsilon, among what the last step has left."""
    beaten, comparisons = last.beaten, last.comparisons
    accepted, covered, by = np.zeros_like(beaten), np.zeros_like(beaten), last.by.copy()
    inside = accept_at <= epsilon
    accepted[comparisons.designs[inside]] = True
    if covering and inside.any() and not inside.all():
        rows, columns = np.flatnonzero(~inside), np.flatnonzero(inside)
        limits = np.full(len(rows), np.nextafter(epsilon, np.inf))
        reach, cover = _cover_at(comparisons, cone, rows, columns, np.zeros(len(columns)), limits)
        within = reach <= epsilon
        covered[comparisons.designs[rows[within]]] = True
        by[comparisons.designs[rows[within]]] = comparisons.designs[cover[within]]
    undecided = ~(beaten | accepted | covered)
    return Claims(beaten, accepted, covered, undecided, by, comparisons, accept_at, first, steps, fine_at)


def certified(claims: Claims, cone: Cone, covering: bool) -> Certified | None:
    """The smallest epsilon at which these claims are done, with the set to return for it; None if there is none.

    None too while more designs are left than it would be sensible to compare with each other.
    """
    accept_at = claims.accept_at
    if len(accept_at) > FEW and not claims.done:
        if len(accept_at) > _MANY:
            return None
        accept_at = _screened(claims.comparisons, cone, np.inf)
    designs = claims.comparisons.designs
    settled, cover = np.maximum(accept_at, 0.0), np.full(len(accept_at), -1)
    if covering and len(settled):
        # Only what would still improve the answer: a design with a small accept_at cannot be the last one open.
        everyone = np.arange(len(settled))
        settled, cover = _cover_at(claims.comparisons, cone, everyone, everyone, settled, settled)
    worst = float(settled.max(initial=0.0))
    if not np.isfinite(worst):
        return None
    inside = accept_at <= worst
    chosen, by = np.zeros_like(claims.beaten), np.full(len(claims.beaten), -1, dtype=np.intp)
    chosen[designs[inside]] = True
    by[designs[~inside]] = designs[cover[~inside]]
    return Certified(worst, chosen, by)


def _cover_at(
    comparisons: Comparisons, cone: Cone, rows: Indices, columns: Indices, columns_from: Floats, below: Floats
) -> tuple[Floats, Indices]:
    """For each row the min over columns of max(columns_from, cover_at), and which column has it; -1 for none.

    Where no column is below the row's limit, the limit.
    """
    best, cover = below.copy(), np.full(len(rows), -1, dtype=np.intp)
    left = max(1, len(columns))
    step = max(1, _ENTRIES // (left * len(cone.facets)))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        for seen in comparisons.out(part, columns, len(comparisons.designs), covering=True):
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
