"""Checkpoints: the means of each design's first g observations, whatever the batches in which they came."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from shared.certificates import means_at

import conewise as cw
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.data.observations import Observations

LEVELS = Levels((2, 3, 5, 8))
K, DIM = 3, 2


def empty() -> Checkpoints:
    return Checkpoints.empty(LEVELS, K, DIM, scattered=True)


def stream(counts, seed=0) -> tuple[np.ndarray, np.ndarray]:
    """Single observations in a random interleaving of the designs."""
    rng = np.random.default_rng(seed)
    designs = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    return designs, rng.normal(size=(len(designs), DIM)) * 10.0 ** rng.integers(-8, 8, size=(len(designs), 1))


def told(designs, values, cuts=None) -> Checkpoints:
    state = empty()
    for a, b in pairwise([0, len(designs)] if cuts is None else cuts):
        state = state.add(Observations.single(designs[a:b], values[a:b]))
    return state


def same(first: Checkpoints, second: Checkpoints) -> None:
    np.testing.assert_array_equal(first.counts, second.counts)
    np.testing.assert_array_equal(first.reached, second.reached)
    assert len(first.snapshots) == len(second.snapshots)
    for a, b in zip(first.snapshots, second.snapshots, strict=True):
        np.testing.assert_array_equal(a.designs, b.designs)
        np.testing.assert_array_equal(a.means, b.means)
        if a.scatters is not None:
            np.testing.assert_array_equal(a.scatters, b.scatters)


def test_nothing_is_reached_before_the_first_observation():
    state = empty()
    assert state.reached.tolist() == [-1] * K
    assert state.snapshots == ()
    assert state.evaluations == 0


def test_snapshots_are_the_means_of_the_first_observations():
    designs, values = stream([9, 4, 1])
    state = told(designs, values)
    assert state.reached.tolist() == [3, 1, -1]
    for level, count in enumerate(LEVELS.counts):
        for design in range(K):
            mine = values[designs == design]
            expected = mine[:count].mean(axis=0) if len(mine) >= count else np.full(DIM, np.nan)
            np.testing.assert_allclose(means_at(state, level)[design], expected, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_any_split_into_batches_gives_the_same_snapshots(seed):
    designs, values = stream([9, 6, 3], seed)
    whole, n = told(designs, values), len(designs)
    rng = np.random.default_rng(seed)
    for cuts in [range(n + 1), [0, 1, n], *(sorted({0, n, *rng.integers(0, n, size=4).tolist()}) for _ in range(4))]:
        same(told(designs, values, list(cuts)), whole)


def test_a_snapshot_once_taken_never_changes():
    designs, values = stream([4, 4, 4])
    before = told(designs, values)
    after = before.add(Observations.single([0, 0, 0, 0], np.full((4, DIM), 1e6)))
    for old, new in ((means_at(before, k), means_at(after, k)) for k in range(len(before.snapshots))):
        seen = ~np.isnan(old)
        np.testing.assert_array_equal(new[seen], old[seen])
    assert after.reached.tolist() == [3, 1, 1]


def test_an_entry_that_lands_on_a_level_counts_as_that_many():
    state = empty().add(Observations([0], [[1.0, 2.0]], [3]))
    assert state.reached[0] == 1
    assert np.isnan(means_at(state, 0)[0]).all()  # two observations were never looked at alone
    assert means_at(state, 1)[0].tolist() == [1.0, 2.0]
    state = state.add(Observations([0], [[2.0, 2.0]], [2]))
    np.testing.assert_allclose(means_at(state, 2)[0], [1.4, 2.0])


def test_an_entry_that_straddles_a_level_leaves_it_out_and_the_next_one_is_right():
    state = empty().add(Observations([0, 0, 0], [[1.0, 0.0], [4.0, 0.0], [7.0, 0.0]], [1, 3, 1]))
    assert [bool(np.isnan(means_at(state, level)[0]).any()) for level in range(3)] == [True, True, False]
    np.testing.assert_allclose(means_at(state, 2)[0], [(1 + 12 + 7) / 5, 0.0])


def test_an_entry_far_beyond_the_last_level_is_kept_in_the_statistics_and_breaks_nothing():
    state = empty().add(Observations([0, 1], [[1.0, 0.0], [2.0, 0.0]], [1000, 2]))
    assert state.counts.tolist() == [1000, 2, 0]
    assert state.statistics.means[0].tolist() == [1.0, 0.0]
    assert len(state.snapshots) > state.reached.max()  # whatever is said to be reached can be looked up
    later = state.add(Observations([0], [[5.0, 5.0]]))
    assert later.counts[0] == 1001


def test_telling_makes_a_new_value_and_leaves_the_old_one():
    designs, values = stream([5, 5, 5])
    old = told(designs, values)
    copies = [snapshot.means.copy() for snapshot in old.snapshots]
    old.add(Observations.single([0, 1, 2, 2, 2], np.ones((5, DIM))))
    assert old.counts.tolist() == [5, 5, 5]
    for snapshot, copy in zip(old.snapshots, copies, strict=True):
        np.testing.assert_array_equal(snapshot.means, copy)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Observations.single([K], np.zeros((1, DIM))),
        lambda: Observations.single([0, K + 4], np.zeros((2, DIM))),
        lambda: Observations.single([-1], np.zeros((1, DIM))),
        lambda: Observations.single([0], np.zeros((1, DIM + 1))),
        lambda: Observations.single([0], [[np.nan, 0.0]]),
        lambda: Observations.single([0], [[np.inf, 0.0]]),
    ],
)
def test_what_does_not_fit_is_refused_and_the_state_stays(wrong):
    state = told(*stream([3, 3, 3]))
    counts, copies = state.counts.copy(), [snapshot.means.copy() for snapshot in state.snapshots]
    with pytest.raises(cw.InputError):
        state.add(wrong())
    np.testing.assert_array_equal(state.counts, counts)
    for snapshot, copy in zip(state.snapshots, copies, strict=True):
        np.testing.assert_array_equal(snapshot.means, copy)


def test_snapshots_keep_the_scatter_of_the_first_observations_where_it_is_asked_for():
    rng = np.random.default_rng(5)
    designs, values = np.repeat(np.arange(K), [9, 4, 1]), rng.normal(size=(14, DIM))
    state = told(designs, values)
    for level, count in enumerate(LEVELS.counts):
        snapshot = state.snapshots[level]
        for design, scatter in zip(snapshot.designs, snapshot.scatters, strict=True):
            rows = values[designs == design][:count]
            np.testing.assert_allclose(scatter, (rows - rows.mean(axis=0)).T @ (rows - rows.mean(axis=0)), atol=1e-12)
    plain = Checkpoints.empty(LEVELS, K, DIM).add(Observations.single(designs, values))
    assert all(snapshot.scatters is None for snapshot in plain.snapshots)
