"""Empirical gap elimination: the budget is spent exactly, schedules, gaps pair by pair, the estimated error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.published import PROBLEMS, name, play

import conewise as cw
from conewise.data.observations import Observations, Statistics
from conewise.noise import Gaussian
from conewise.rules.published.ege import SequentialHalving, SequentialRejects, empirical_gaps, estimated_error

BUDGETED = [SequentialRejects, SequentialHalving]


@pytest.mark.parametrize("make", BUDGETED, ids=name)
@pytest.mark.parametrize("k", [2, 3, 4, 5, 7, 8, 9, 16, 17])
def test_exactly_the_budget_is_spent(make, k):
    means = np.random.default_rng(k).normal(size=(k, 2))
    least = k + 1 if make is SequentialRejects else k * math.ceil(math.log2(k))
    for budget in (least, least + 1, 10 * k + 3, 997):
        algorithm = make(cw.Cone.planar(100), budget, k, Gaussian(0.1))
        result = play(algorithm, means, budget)
        assert result.evaluations == budget == algorithm.total
        assert (result.counts >= 1).all()
        assert result.stopped_because == f"the budget of {budget} evaluations is spent"
        assert "undecided" not in result.status.tolist()
        assert isinstance(result.guarantee, cw.Heuristic)
        assert result.certified_epsilon is None
    with pytest.raises(cw.InputError, match=f"budget must be at least {least} for {k} designs"):
        make(cw.Cone.planar(100), least - 1, k, Gaussian(0.1))


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
@pytest.mark.parametrize("make", BUDGETED, ids=name)
def test_a_generous_budget_finds_the_set(make, problem):
    cone, means = PROBLEMS[problem]
    for seed in range(10):
        result = play(make(cone, 1500, len(means), Gaussian(0.1)), means, seed)
        np.testing.assert_array_equal(result.pareto, cw.pareto_mask(means, cone))
        assert "error probability of" in str(result.guarantee)


def test_rejects_follow_their_schedule():
    k, budget = 6, 500
    algorithm = SequentialRejects(cw.Cone.orthant(2), budget, k, Gaussian(1))
    logbar = 1 / 2 + sum(1 / i for i in range(2, k + 1))
    levels = [math.ceil((budget - k) / (logbar * (k + 1 - r))) for r in range(1, k)]
    counts = sorted(play(algorithm, np.random.default_rng(0).normal(size=(k, 2)), 0).counts.tolist())
    assert counts[: k - 2] == levels[:-1]
    assert sum(counts) == budget
    assert 0 <= counts[-1] - counts[-2] <= 1
    assert levels[-1] <= counts[-2]


def test_halving_keeps_the_hardest():
    """Eight designs, of which two are hard to tell apart: these two get the most evaluations."""
    means = [[5.0, 5.0], [5.1, 4.9], [0.0, 0.0], [0.5, 1.0], [1.0, 0.0], [-1.0, 0.0], [-2.0, 1.0], [0.0, -3.0]]
    result = play(SequentialHalving(cw.Cone.orthant(2), 2400, 8, Gaussian(0.5)), means, 0)
    assert result.counts.tolist()[:2] == [100 + 200 + 400] * 2
    assert sorted(result.counts.tolist()[2:]) == [100] * 4 + [300] * 2


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(50), cw.Cone.planar(130)], ids=str)
def test_gaps_pair_by_pair(cone):
    rng = np.random.default_rng(4)
    for _ in range(20):
        means = rng.normal(size=(6, 2))
        m, big = cw.escape_gaps(means, cone), cw.cover_gaps(means, cone)
        front, off = cw.pareto_mask(means, cone), cw.suboptimality_gaps(means, cone)
        expected = [
            min(min(big[i, j], big[j, i] + off[j]) for j in range(6) if j != i) if front[i] else m[i].max()
            for i in range(6)
        ]
        gaps, found = empirical_gaps(means, cone)
        np.testing.assert_array_equal(found, front)
        np.testing.assert_allclose(gaps, expected, rtol=1e-12)


def test_the_estimated_error_is_that_of_a_normal_difference():
    cone, means = cw.Cone.orthant(1), np.array([[0.0], [0.5]])
    statistics = Statistics.empty(2, 1).add(Observations([0, 1], means, [50, 50]))
    exact = float(np.exp(Gaussian(1).log_tail(0.5 / math.sqrt(2 / 50))))
    # one design returned that the other might dominate, one left out that might not be dominated: each counts
    assert estimated_error(np.array([False, True]), statistics, cone, Gaussian(1)) == pytest.approx(2 * exact)
    assert estimated_error(np.array([True, False]), statistics, cone, Gaussian(1)) == 1.0
    assert estimated_error(np.array([True, True]), statistics, cone, Gaussian(1)) > 0.5


def test_a_budget_spent_elsewhere_is_said():
    algorithm = SequentialRejects(cw.Cone.orthant(2), 60, 4, Gaussian(1))
    state = algorithm.tell(algorithm.start(), Observations([0], [[0.0, 0.0]], [60]))
    assert algorithm.ask(state).total == 0
    result = algorithm.recommend(state)
    assert result.stopped_because == "the budget of 60 evaluations is spent, with 3 rounds to go"
    assert "not every design has been evaluated yet" in str(result.guarantee)
    assert (result.status == "undecided").all()
