"""Pulls, observations and their statistics: values that no order, split or size of batches can tell apart."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import conewise as cw
from conewise.data.observations import LARGEST_OBSERVED, Observations, Pulls, Statistics

K = 3
# Whole multiples of 2^-25 up to 2^15: sums of squares are exact in 106 bits, so that laws hold to the last bit.
GRAINS = st.integers(-(2**40), 2**40).map(lambda whole: whole / 2**25)
SIZES = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-6 else 0.0)


@st.composite
def journals(
    draw: st.DrawFn, numbers: st.SearchStrategy[float] = SIZES, most: int = 60
) -> tuple[np.ndarray, np.ndarray]:
    """Designs (n,) and values (n, D), in the order in which they arrived."""
    n, dim = draw(st.integers(1, most)), draw(st.integers(1, 3))
    designs = draw(npst.arrays(np.int64, n, elements=st.integers(0, K - 1)))
    return designs, draw(npst.arrays(np.float64, (n, dim), elements=numbers))


@st.composite
def splits(draw: st.DrawFn, n: int) -> list[slice]:
    cuts = sorted({0, n, *draw(st.lists(st.integers(0, n), max_size=8))})
    return [slice(a, b) for a, b in pairwise(cuts)]


def collected(designs: np.ndarray, values: np.ndarray) -> Statistics:
    return Statistics.empty(K, values.shape[1]).add(Observations.single(designs, values))


def same(first: Statistics, second: Statistics) -> None:
    """Counts and means to the last bit; scatters as far as their cancellation allows."""
    np.testing.assert_array_equal(first.counts, second.counts)
    np.testing.assert_array_equal(first.means, second.means)
    size = np.nan_to_num(np.abs(first.means)).max() ** 2 * max(1, first.evaluations)
    np.testing.assert_allclose(first.scatters, second.scatters, rtol=1e-12, atol=1e-25 * size)


# -- statistics ----------------------------------------------------------------------------------------------------


@given(journals())
def test_equal_to_numpy_on_small_data(journal):
    designs, values = journal
    statistics = collected(designs, values)
    for k in range(K):
        mine = values[designs == k]
        assert statistics.counts[k] == len(mine)
        if not len(mine):
            assert np.isnan(statistics.means[k]).all()
            assert not statistics.scatters[k].any()
            continue
        np.testing.assert_allclose(statistics.means[k], mine.mean(axis=0), rtol=1e-12, atol=1e-9)
        off = mine - mine.mean(axis=0)
        np.testing.assert_allclose(statistics.scatters[k], off.T @ off, rtol=1e-9, atol=1e-4)
    assert statistics.evaluations == len(designs)


@given(journals())
def test_means_are_exact_and_rounded_once(journal):
    designs, values = journal
    statistics = collected(designs, values)
    for k in set(designs.tolist()):
        mine = values[designs == k]
        for d in range(values.shape[1]):
            exact = sum(map(Fraction, mine[:, d].tolist())) / len(mine)
            assert statistics.means[k, d] == float(exact)


@given(st.data())
def test_any_split_into_batches_gives_the_same_statistics(data):
    designs, values = data.draw(journals())
    folded = Statistics.empty(K, values.shape[1])
    for part in data.draw(splits(len(designs))):
        folded = folded.add(Observations.single(designs[part], values[part]))
    same(folded, collected(designs, values))


@given(st.data())
def test_any_order_of_arrival_gives_the_same_statistics(data):
    designs, values = data.draw(journals())
    order = data.draw(st.permutations(range(len(designs))))
    same(collected(designs[order], values[order]), collected(designs, values))


@given(st.data())
def test_merging_is_associative_and_commutative(data):
    designs, values = data.draw(journals(GRAINS))
    owner = data.draw(npst.arrays(np.int64, len(designs), elements=st.integers(0, 2)))
    first, second, third = (collected(designs[owner == k], values[owner == k]) for k in range(3))
    left, right = first.merge(second).merge(third), first.merge(second.merge(third))
    for a, b in ((left, right), (first.merge(second), second.merge(first)), (left, collected(designs, values))):
        np.testing.assert_array_equal(a.counts, b.counts)
        np.testing.assert_array_equal(a.means, b.means)
        np.testing.assert_array_equal(a.scatters, b.scatters)


@given(st.data())
def test_an_entry_may_stand_for_many_evaluations(data):
    """Means and scatters of groups, told as one entry each, say the same as the evaluations themselves."""
    designs, values = data.draw(journals(GRAINS))
    whole = collected(designs, values)
    seen = np.flatnonzero(whole.counts)
    summary = Observations(seen, whole.means[seen], whole.counts[seen], whole.scatters[seen])
    told = Statistics.empty(K, values.shape[1]).add(summary)
    np.testing.assert_array_equal(told.counts, whole.counts)
    np.testing.assert_allclose(told.means, whole.means, rtol=1e-15)
    np.testing.assert_allclose(told.scatters, whole.scatters, rtol=1e-9, atol=1e-6)


def test_stable_at_a_thousand_million_evaluations_of_means_of_a_hundred_million():
    """Ten entries of 10^9 evaluations, means of 10^8 that differ by thousandths; exact arithmetic is the judge."""
    rng = np.random.default_rng(1)
    count, means, spread = 10**9, 1e8 + rng.normal(size=(10, 2)) * 1e-3, rng.uniform(0.5, 2.0, size=(10, 2))
    scatters = count * spread[:, :, None] * np.eye(2)
    observations = Observations(np.zeros(10, dtype=int), means, np.full(10, count), scatters)
    statistics = Statistics.empty(1, 2).add(observations)
    exact = [[Fraction(x) for x in row] for row in means.tolist()]
    average = [sum(row[d] for row in exact) / 10 for d in range(2)]
    assert statistics.means[0].tolist() == [float(x) for x in average]
    for d in range(2):
        for e in range(2):
            between = sum((row[d] - average[d]) * (row[e] - average[e]) for row in exact)
            total = sum(Fraction(x) for x in scatters[:, d, e].tolist()) + count * between
            assert statistics.scatters[0, d, e] == pytest.approx(float(total), rel=1e-9, abs=1e-3)
    assert statistics.evaluations == 10**10
    # plain sums of squares lose all of what lies between the entries, and the tolerance above would notice
    plain = count * (means[:, 0] ** 2).sum() - 10 * count * means[:, 0].mean() ** 2
    between = float(count * sum((row[0] - average[0]) ** 2 for row in exact))
    assert abs(plain - between) > 100 * 1e-9 * statistics.scatters[0, 0, 0]


def test_many_single_values_lose_nothing_however_they_are_told():
    rng = np.random.default_rng(2)
    values = 1e8 + rng.normal(size=(100_000, 1))
    designs = rng.integers(0, 2, size=len(values))
    whole = Statistics.empty(2, 1).add(Observations.single(designs, values))
    folded = Statistics.empty(2, 1)
    for part in np.array_split(np.arange(len(values)), 37):
        folded = folded.add(Observations.single(designs[part], values[part]))
    np.testing.assert_array_equal(folded.means, whole.means)
    for k in range(2):
        mine = values[designs == k, 0]
        exact = sum(map(Fraction, mine.tolist())) / len(mine)
        assert whole.means[k, 0] == float(exact)
        np.testing.assert_allclose(whole.scatters[k, 0, 0], mine.var() * len(mine), rtol=1e-7)


def test_telling_never_changes_the_old_statistics():
    old = collected(np.array([0, 1]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    before = pickle.dumps((old.counts, old.means, old.scatters))
    new = old.add(Observations.single([0, 2], [[9.0, 9.0], [9.0, 9.0]]))
    assert pickle.dumps((old.counts, old.means, old.scatters)) == before
    assert (old.evaluations, new.evaluations) == (2, 4)


def test_nothing_told_is_nothing_changed():
    state = collected(np.array([0]), np.array([[1.0, 2.0]]))
    assert state.add(Observations([], np.empty((0, 2)))) is state
    same(state.merge(Statistics.empty(K, 2)), state)


@pytest.mark.parametrize(
    ("observations", "words"),
    [
        (lambda: Observations.single([0], [[1.0, 2.0, 3.0]]), "values have 3 objectives, but there are 2"),
        (lambda: Observations.single([0, 3], np.ones((2, 2))), "design 3 does not exist: designs are numbered 0 to 2"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_changes(observations, words):
    state = collected(np.array([0, 1]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    before = pickle.dumps((state.counts, state.means, state.scatters))
    with pytest.raises(cw.InputError, match=words):
        state.add(observations())
    assert pickle.dumps((state.counts, state.means, state.scatters)) == before


def test_statistics_of_different_problems_are_not_merged():
    with pytest.raises(cw.InputError, match="cannot be merged"):
        Statistics.empty(2, 2).merge(Statistics.empty(3, 2))
    with pytest.raises(cw.InputError, match="cannot be merged"):
        Statistics.empty(2, 2).merge(Statistics.empty(2, 1))


def test_what_statistics_show_cannot_be_written_to():
    state = collected(np.array([0, 1, 2]), np.ones((3, 2)))
    for array in (state.counts, state.means, state.scatters, Statistics.empty(2, 1).counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_variances_are_never_negative():
    state = Statistics.empty(1, 1)
    for value in (0.1, 0.1, 0.1, 1e8, 1e8):
        state = state.add(Observations.single([0], [[value]]))
        assert state.scatters[0, 0, 0] >= 0


# -- pulls and observations ----------------------------------------------------------------------------------------


def test_pulls_keep_their_order_and_leave_out_who_is_wanted_never():
    pulls = Pulls([4, 0, 4], [2, 1, 3])
    assert (pulls.designs.tolist(), pulls.counts.tolist(), pulls.total) == ([4, 0, 4], [2, 1, 3], 6)
    assert repr(pulls) == "Pulls(6 evaluations of 2 designs)"
    assert repr(cw.Pulls([3], [1])) == "Pulls(1 evaluation of 1 design)"
    assert Pulls([1, 2]).counts.tolist() == [1, 1]
    each = Pulls.each(np.array([0, 3, 0, 2]))
    assert (each.designs.tolist(), each.counts.tolist()) == ([1, 3], [3, 2])
    assert Pulls.each(np.array([0, 3, 0, 2]), most=3).designs.tolist() == [1]
    assert Pulls([]).total == 0


def test_observations_keep_their_own_copy():
    designs, values, counts = np.array([0, 1]), np.ones((2, 2)), np.array([1, 3])
    observations, pulls = Observations(designs, values, counts), Pulls(designs, counts)
    designs[:], values[:], counts[:] = 9, 9, 9
    assert observations.means.tolist() == [[1, 1], [1, 1]]
    assert observations.designs.tolist() == pulls.designs.tolist() == [0, 1]
    assert observations.counts.tolist() == pulls.counts.tolist() == [1, 3]
    for array in (observations.means, observations.scatters, observations.counts, pulls.designs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    assert (len(observations), repr(observations)) == (2, "Observations(4 evaluations of 2 designs)")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Pulls([0, 1], [1]), "as long as each other, got 2 and 1"),
        (lambda: Pulls([0], [0]), "at least 1; leave out designs that are not evaluated"),
        (lambda: Pulls([-1]), "numbered from 0, got -1"),
        (lambda: Pulls([0.5]), "designs must be a list of whole numbers, got float64"),
        (lambda: Pulls([True]), "whole numbers, got bool"),
        (lambda: Pulls(3), "list of whole numbers"),
        (lambda: Pulls([1], [1.5]), "counts must be a list of whole numbers"),
        (lambda: Observations.single([0, 1], [1.0, 2.0]), r"values must have shape \(2, D\)"),
        (lambda: Observations.single([0], [[1.0], [2.0]]), r"values must have shape \(1, D\)"),
        (lambda: Observations.single([0, 1], [[1.0], [np.nan]]), "values has nan in row 1, column 0"),
        (lambda: Observations.single([0], [[np.inf]]), "values has inf in row 0"),
        (lambda: Observations.single([0], [["high"]]), "values must be a rectangular array of real numbers"),
        (lambda: Observations([0], [[1.0]], scatters=[[1.0]]), r"scatters must be finite with shape \(1, 1, 1\)"),
        (lambda: Observations([0], [[1.0]], [2], [[[np.nan]]]), "scatters must be finite"),
        (
            lambda: Observations([0, 0], [[1.0]] * 2, [2, 2], [[[1.0]], [[-0.1]]]),
            r"scatters of entry 1 .* has -0\.1 on its diagonal, for objective 0; .* never negative",
        ),
        (lambda: _scattered([[1.0, 0.5], [0.4, 1.0]]), r"has 0\.5 and 0\.4 for objectives 0 and 1, .* symmetric"),
        (lambda: _scattered([[1.0, 2.1], [2.1, 4.0]]), r"has 2\.1 and 2\.1 .* beside 1 and 4 on its diagonal"),
        (lambda: _scattered([[0.0, 1e-9], [1e-9, 4.0]]), "at most the root of the product of these"),
        (lambda: _scattered([[1e300, 0.0], [0.0, 1.0]]), "scatters has numbers too large"),
        (lambda: Observations.single([0], [[1e300]]), "too large to add up"),
        (lambda: Observations.single([0], [[-1e200]]), "divide every entry by one constant"),
        (lambda: Statistics.empty(0, 2), "n_designs must be at least 1"),
        (lambda: Statistics.empty(2, 0), "dim must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(make, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def _scattered(matrix):
    return Observations([0], [[0.5, 3.0]], [4], [matrix])


def test_scatters_of_rounded_products_are_admitted():
    """Collinear deviations are on the edge of what is possible, and two ways to compute a scatter lose digits."""
    rng = np.random.default_rng(0)
    for size, dim in [(1e-150, 2), (1.0, 3), (1e9, 4), (1e100, 2)]:
        values = size * rng.normal(size=(50, 6, 1)) * rng.normal(size=(50, 1, dim))
        off = values - values.mean(axis=1, keepdims=True)
        directly = np.einsum("mnd,mne->mde", off, off)
        assert len(Observations(np.arange(50), values.mean(axis=1), np.full(50, 6), directly)) == 50
        values = size * (1e6 + rng.normal(size=(50, 6, 1)) * 1e-3 * np.ones(dim))
        means = values.mean(axis=1)
        by_difference = np.einsum("mnd,mne->mde", values, values) - 6 * np.einsum("md,me->mde", means, means)
        assert (by_difference[:, 0, 0] < 0).any()
        assert len(Observations(np.arange(50), means, np.full(50, 6), by_difference)) == 50


def test_no_scatter_takes_no_memory():
    observations = Observations.single(np.zeros(1000, dtype=int), np.ones((1000, 3)))
    assert observations.scatters.shape == (1000, 3, 3)
    assert not observations.scatters.any()
    assert observations.scatters.strides == (0, 0, 0)


def test_the_largest_admitted_observations_still_have_averages():
    state = Statistics.empty(1, 1).add(Observations([0, 0], [[LARGEST_OBSERVED]] * 2, [10**9, 10**9]))
    assert state.means[0, 0] == LARGEST_OBSERVED
    assert np.isfinite(state.scatters).all()


def test_statistics_say_how_many_evaluations_of_how_many_designs_they_hold():
    assert (
        repr(collected(np.array([0, 0, 1]), np.ones((3, 2)))) == "Statistics(3 evaluations of 3 designs, 2 objectives)"
    )
