"""Claims of random tables of pairs with many ties, against the definitions of docs/adaptive, sections 1 and 4."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from conewise.certificate import claims as module
from conewise.certificate.blocks.tabled import Tabled
from conewise.certificate.claims import certified, contradicting_least, epsilon_of, judge
from conewise.certificate.thresholds import Bounds
from conewise.certificate.weights import Standing


class FirstIsStrong(Tabled):
    """Pairs of which all designs are compared with the first one before the others."""

    def strong(self, most):
        return np.arange(min(1, len(self.designs)))


class Case:
    """Tables of small whole numbers; radii narrow as designs are eliminated or become certain."""

    kind = Tabled

    def __init__(self, beats, fine, cover, levels=None, upward=True, spared=False, out_before=()):
        self.beats, self.fine, self.cover, self.n_designs = beats, fine, cover, len(beats)
        self.bounds = None if levels is None else Bounds(levels[0], levels[0] + levels[1], upward, spared)
        self.by = np.full(self.n_designs, -1, dtype=np.intp)
        self.by[list(out_before)] = 0
        out = self.by >= 0 if self.bounds is None else self.bounds.misses | (self.by >= 0)
        self.left = np.flatnonzero(~out)

    def tables(self, standing):
        each = np.eye(self.n_designs, dtype=bool)
        dominated = (self.beats > standing.left.sum()) & ~each
        no_worse_at = np.where(each, -np.inf, self.fine - 0.5 * standing.sure.sum())
        return dominated, no_worse_at, self.cover + 4 * standing.left.mean()

    def judged(self, epsilon, covering, stepwise):
        first = Standing(np.isin(np.arange(self.n_designs), self.left), np.zeros(self.n_designs, dtype=bool))
        pairs = self.kind(self.tables, self.left, first)
        return judge(pairs, self.by, self.bounds, epsilon, covering=covering, stepwise=stepwise)

    # -- the definitions, one design at a time ---------------------------------------------------------------

    def meets(self, i, epsilon):
        return self.bounds is None or min(self.bounds.lower[i]) >= -epsilon

    def counts(self, j, epsilon):
        """Whether a rival can keep another design from being accepted (docs/adaptive, 9.1)."""
        return self.bounds is None or not self.bounds.spared or min(self.bounds.upper[j]) > epsilon

    def strikes(self, j):
        return self.bounds is None or self.bounds.upward or min(self.bounds.lower[j]) >= 0

    def read(self, left, sure):
        inside = [np.isin(np.arange(self.n_designs), list(part)) for part in (left, sure)]
        return self.tables(Standing(*inside))

    def eliminated(self, stepwise):
        """Return the designs left, the final tables, and for each eliminated design those which beat it then."""
        left, sure, beaten_by = set(self.left.tolist()), set(), {}
        while True:
            beats, fine, cover = self.read(left, sure)
            struck = {i: {j for j in left if beats[i, j] and self.strikes(j)} for i in left}
            struck = {i: who for i, who in struck.items() if who}
            if struck and len(struck) < len(left):
                beaten_by |= struck
                left -= set(struck)
                continue
            certain = {
                i for i in left if self.meets(i, 0) and all(fine[i, j] < 0 for j in left - {i} if self.counts(j, -1))
            }
            if not stepwise or len(certain) <= len(sure):
                return left, fine, cover, beaten_by
            sure = certain

    def accepted(self, left, fine, epsilon):
        return {
            i
            for i in left
            if self.meets(i, epsilon) and all(fine[i, j] <= epsilon for j in left - {i} if self.counts(j, epsilon))
        }

    def smallest(self, left, fine, cover, covering):
        """Return the first of all numbers in the tables at which nothing is undecided; None if there is none."""
        numbers = {0.0, *fine.ravel(), *cover.ravel()}
        if self.bounds is not None:
            numbers |= {*(-self.bounds.lower).ravel(), *self.bounds.upper.ravel()}
        for epsilon in sorted(number for number in numbers if 0 <= number < math.inf):
            inside = self.accepted(left, fine, epsilon)
            if all(i in inside or (covering and any(cover[i, j] <= epsilon for j in inside)) for i in left):
                return epsilon, inside
        return None


def whole(shape, low, high):
    return npst.arrays(float, shape, elements=st.integers(low, high))


@st.composite
def cases(draw):
    k = draw(st.integers(2, 6))
    asked = {}
    if draw(st.booleans()):
        asked = {
            "levels": (draw(whole((k, 2), -3, 2)), draw(whole((k, 2), 0, 4))),
            "upward": draw(st.booleans()),
            "spared": draw(st.booleans()),
        }
    cover = draw(whole((k, k), 0, 6))
    cover[cover == 6] = math.inf  # pairs that have not met
    out = draw(st.sets(st.integers(1, k - 1), max_size=1))
    beats = draw(whole((k, k), 0, k + 1)) * draw(st.booleans())
    return Case(beats, draw(whole((k, k), -2, 4)), cover, out_before=out, **asked)


def nearest(values, chosen):
    least = min(values[j] for j in chosen)
    return least, {j for j in chosen if values[j] == least}


def check(case, epsilon, covering, stepwise):
    """Compare all that `judge`, `certified` and `epsilon_of` return with the definitions."""
    claims, k = case.judged(epsilon, covering, stepwise), case.n_designs
    left, fine, cover, beaten_by = case.eliminated(stepwise)
    inside = case.accepted(left, fine, epsilon)
    assert claims.left.tolist() == sorted(left)
    assert np.flatnonzero(claims.accepted).tolist() == sorted(inside)
    missing = set() if case.bounds is None else set(np.flatnonzero(case.bounds.misses).tolist())
    assert np.flatnonzero(claims.beaten).tolist() == sorted(set(range(k)) - left - missing)
    for i in range(k):
        by, reach = int(claims.by[i]), math.inf
        if i in beaten_by:
            assert by in beaten_by[i]
        elif i in left:
            if covering and inside and i not in inside:
                reach, who = nearest(cover[i], inside)
            assert claims.covered[i] == (reach <= epsilon)
            assert claims.undecided[i] == (i not in inside and reach > epsilon)
            assert by in who if reach <= epsilon else by == -1
        else:
            assert by == case.by[i]
    found, expected = certified(claims, covering), case.smallest(left, fine, cover, covering)
    assert (found is None) == (expected is None)
    if found is not None:
        settled, returned = expected
        assert found.epsilon == settled
        assert np.flatnonzero(found.returned).tolist() == sorted(returned)
        at = {e: case.accepted(left, fine, e) for e in all_numbers(case, fine)}
        from_on = {j: min(e for e in at if j in at[e]) for j in returned}
        for i in range(k):
            if i in left and i not in returned:
                who = nearest({j: max(from_on[j], cover[i, j]) for j in returned}, returned)[1]
                assert int(found.covered_by[i]) in who
            else:
                assert found.covered_by[i] == -1
    return claims, left, fine, cover


def all_numbers(case, fine):
    more = [] if case.bounds is None else [*(-case.bounds.lower).ravel(), *case.bounds.upper.ravel()]
    return sorted(number for number in {0.0, *fine.ravel(), *more} if 0 <= number < math.inf)


@settings(max_examples=250, deadline=None)
@given(cases(), st.integers(0, 9), st.booleans(), st.booleans())
def test_claims_are_what_their_definitions_say(case, epsilon, covering, stepwise):
    check(case, float(epsilon), covering, stepwise)


@settings(max_examples=150, deadline=None)
@given(cases(), st.booleans(), st.data())
def test_the_epsilon_of_any_set_is_what_its_definition_says(case, covering, data):
    claims, left, fine, cover = check(case, 1.0, covering, False)
    chosen = data.draw(st.sets(st.integers(0, case.n_designs - 1)))
    found = epsilon_of(claims, covering, np.isin(np.arange(case.n_designs), list(chosen)))
    if not chosen:
        assert found == (None if left else 0.0)
    elif chosen - left or (left - chosen and not covering):
        assert found is None
    else:
        fits = [
            e
            for e in sorted({*all_numbers(case, fine), *cover.ravel()})
            if chosen <= case.accepted(left, fine, e)
            and all(min(cover[i, j] for j in chosen) <= e for i in left - chosen)
        ]
        assert found == (fits[0] if fits and fits[0] < math.inf else None)


def is_certified(chosen, left, cover, epsilon):
    return all(any(cover[i, j] <= epsilon for j in chosen) for i in left - chosen)


@settings(max_examples=300, deadline=None)
@given(cases(), st.data())
def test_the_set_that_contradicts_the_averages_least_among_all_certified_sets(case, data):
    """By brute force over all sets: the member that is furthest behind is left out wherever any certified set is."""
    claims, left, _, cover = check(case, 1.0, True, False)
    found = certified(claims, True)
    if found is None:
        return
    values = data.draw(whole((case.n_designs, 2), -2, 2))
    chosen = contradicting_least(found, claims, values)
    members = set(np.flatnonzero(found.returned).tolist())
    behind = {}
    for i in members:
        gains = [values[j] - values[i] for j in members if case.strikes(j)]
        ahead = [min(gain) for gain in gains if min(gain) >= 0 and max(gain) > 0]
        if ahead and claims.accept_at[claims.left == i] >= 0:
            behind[i] = max(ahead)
    kept = [members - set(out) for n in range(len(behind) + 1) for out in combinations(behind, n)]
    kept = [some for some in kept if is_certified(some, left, cover, found.epsilon)]
    order = sorted(behind, key=lambda i: (-behind[i], i))
    best = min(kept, key=lambda some: [i in some for i in order])
    assert set(np.flatnonzero(chosen.returned).tolist()) == best
    assert chosen.epsilon == found.epsilon == epsilon_of(claims, True, chosen.returned)
    for i in range(case.n_designs):
        if i in left - best:
            assert int(chosen.covered_by[i]) in nearest({j: cover[i, j] for j in best}, best)[1]
        else:
            assert chosen.covered_by[i] == -1


@pytest.mark.parametrize("covering", [True, False])
@settings(max_examples=100, deadline=None)
@given(case=cases(), epsilon=st.integers(0, 9))
def test_more_designs_than_are_compared_in_pairs_get_the_same_claims(covering, case, epsilon):
    """Only accept_at above epsilon may be a lower bound, and which of several designs eliminates another may differ."""
    pairwise = case.judged(float(epsilon), covering, False)
    if not case.beats.any():
        case.kind = FirstIsStrong
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", 1)
        many = case.judged(float(epsilon), covering, False)
        found = certified(many, covering)
    for name in ("beaten", "accepted", "covered", "undecided"):
        assert getattr(many, name).tolist() == getattr(pairwise, name).tolist()
    expected = certified(pairwise, covering)
    assert (found is None) == (expected is None)
    if found is not None:
        assert (found.epsilon, found.returned.tolist()) == (expected.epsilon, expected.returned.tolist())


def test_claims_of_designs_that_are_compared_in_portions():
    """More designs than fit into one temporary array, few of them accepted and many covered."""
    rng, k = np.random.default_rng(0), 300
    fine, cover = rng.integers(-2, 6, size=(k, k)).astype(float), rng.integers(1, 40, size=(k, k)).astype(float)
    fine[rng.random(k) < 0.9] += 3.0
    case = Case(np.where(rng.random((k, k)) < 2e-4, k + 1.0, 0.0), fine, cover)
    claims, *_ = check(case, 5.0, True, False)
    assert claims.beaten.any()
    assert claims.accepted.sum() > 10
    assert claims.covered.sum() > 50
    assert claims.undecided.any()
