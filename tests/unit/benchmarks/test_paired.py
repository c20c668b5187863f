"""Common random numbers: observations belong to designs and runs, and to nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

import conewise as cw
from benchmarks.paired import BLOCK, LEAST, CommonRandomNumbers, Ratio, paired
from conewise.data.observations import Pulls
from conewise.noise import Binary, Gaussian
from conewise.problems.simulated import BernoulliNoise, GaussianNoise, NoiseByObjective, TwoPoint, UniformNoise

MEANS = np.array([[0.2, 0.4], [0.6, 0.5], [0.9, 0.1]])
SOURCES = [
    GaussianNoise(Gaussian(cov=[[1.0, 0.5], [0.5, 2.0]])),
    GaussianNoise(Gaussian(np.arange(1.0, 7.0).reshape(3, 2))),
    UniformNoise(0.4),
    TwoPoint([1.0, -2.0]),
    BernoulliNoise(MEANS),
    NoiseByObjective([UniformNoise(1.0), GaussianNoise(Gaussian(1.0))]),
]
IDS = [f"{type(source).__name__}{position}" for position, source in enumerate(SOURCES)]
LONG = 2 * BLOCK + 3


def streams(problem, order):
    """One observation after the other, (n, D) of each design, in the order in which designs are asked for."""
    rng = np.random.default_rng(0)
    found = [problem.evaluate(Pulls([design]), rng).means[0] for design in order]
    return [np.array([row for row, each in zip(found, order, strict=True) if each == k]) for k in range(len(MEANS))]


def in_batches(problem, order):
    """As many observations of each design, in four batches."""
    rng, found = np.random.default_rng(1), [[] for _ in MEANS]
    for part in np.array_split(order, 4):
        told = problem.evaluate(Pulls(part), rng, one_by_one=True)
        for design, row in zip(told.designs, told.means, strict=True):
            found[design].append(row)
    return [np.array(rows) for rows in found]


@pytest.fixture(params=SOURCES, ids=IDS)
def problem(request):
    return cw.SimulatedBandit(MEANS, request.param)


@pytest.fixture
def orders():
    """Two orders in which each design is asked for as often: one after the other, and mixed."""
    order = np.repeat(np.arange(len(MEANS)), LONG)
    return order, np.random.default_rng(7).permutation(order)


def test_an_observation_depends_neither_on_the_order_nor_on_batches(problem, orders):
    first, second = orders
    expected = streams(paired(problem, 5, 0), first)
    for found in (streams(paired(problem, 5, 0), second), in_batches(paired(problem, 5, 0), second)):
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True))


def test_noise_of_one_generator_for_all_designs_depends_on_the_order(problem, orders):
    """The control: as runs with the same seed met it."""
    first, second = (streams(problem, order) for order in orders)
    assert not any(np.array_equal(ours, theirs) for ours, theirs in zip(first, second, strict=True))


def test_an_average_has_the_mean_and_the_scatter_of_the_observations_it_stands_for(problem):
    singles = streams(paired(problem, 5, 0), np.repeat(np.arange(3), LONG))
    averaged, rng, done = paired(problem, 5, 0), np.random.default_rng(0), 0
    for count in (1, 2, BLOCK, 7, BLOCK - 7):
        told = averaged.evaluate(Pulls([2, 0, 1], [count] * 3), rng)
        for design, mean, scatter in zip(told.designs, told.means, told.scatters, strict=True):
            some = singles[design][done : done + count]
            off = some - some.mean(axis=0)
            np.testing.assert_allclose(mean, some.mean(axis=0), rtol=0, atol=1e-12)
            np.testing.assert_allclose(scatter, off.T @ off, rtol=0, atol=1e-9)
        assert (np.diagonal(told.scatters, axis1=1, axis2=2) >= 0).all()
        assert count > 1 or not told.scatters.any()
        done += count


def test_runs_seeds_and_designs_have_streams_of_their_own():
    order = np.repeat(np.arange(3), 4)
    whole = cw.SimulatedBandit(np.zeros((3, 2)), Gaussian(1.0))
    found = [row for key in ((5, 0), (5, 1), (6, 0)) for row in np.vstack(streams(paired(whole, *key), order))]
    assert len(np.unique(np.array(found).round(9), axis=0)) == 3 * 3 * 4


def test_a_stream_is_not_what_made_the_instance():
    """numpy seeds [seed], [seed, 0] and [seed, 0, 0] alike, and instances are drawn by seeds."""
    found = CommonRandomNumbers(GaussianNoise(Gaussian(1.0)), 5, 0).draw(np.zeros(1, int), 2, np.random.default_rng(0))
    assert not np.allclose(found, np.random.default_rng(5).standard_normal(2))


def test_streams_have_the_covariance_of_the_noise():
    """Three standard errors of 60 000 pairs, with a fixed seed."""
    covariance = np.array([[1.0, 0.5], [0.5, 2.0]])
    whole = paired(cw.SimulatedBandit(MEANS, Gaussian(cov=covariance)), 5, 0)
    told = whole.evaluate(Pulls([0], [60_000]), np.random.default_rng(0))
    np.testing.assert_allclose(told.scatters[0] / 60_000, covariance, atol=3 * 2 * math.sqrt(2 / 60_000))
    np.testing.assert_allclose(told.means[0], MEANS[0], atol=3 * math.sqrt(2 / 60_000))


def test_a_paired_problem_is_the_same_problem(problem):
    found = paired(problem, 5, 0)
    assert found.assumption is problem.assumption
    assert np.array_equal(found.means, problem.means)
    assert (found.names, found.objectives, found.about) == (problem.names, problem.objectives, problem.about)
    with pytest.raises(cw.InputError, match="2 objectives"):
        cw.SimulatedBandit(np.zeros((3, 3)), CommonRandomNumbers(TwoPoint([1.0, -2.0]), 5, 0))


def test_outcomes_that_are_whole_stay_whole():
    whole, rng = paired(cw.SimulatedBandit(MEANS, Binary()), 5, 0), np.random.default_rng(0)
    for count in (1, 7, 49):
        found = whole.evaluate(Pulls([0, 1, 2], [count] * 3), rng).means
        assert np.array_equal(found, np.round(found * count) / count)


def test_a_second_run_on_the_same_streams_is_refused(problem):
    found, rng = paired(problem, 5, 0), np.random.default_rng(0)
    for _ in range(2):
        found.evaluate(Pulls([0], [3]), rng)
    with pytest.raises(RuntimeError, match="belong to another run"):
        found.evaluate(Pulls([0], [3]), np.random.default_rng(0))


def test_a_ratio_is_of_means_and_has_the_error_of_pairs():
    base = np.array([100.0, 200.0, 300.0])
    assert str(Ratio.of(1.5 * base, base)) == "1.500 (0.000)"
    assert str(Ratio.of(base + np.array([30.0, -30.0, 0.0]), base)) == "1.000 (0.087)"
    assert Ratio.of([3], [2]) == Ratio(1.5, math.inf, 1)


def test_a_ratio_is_settled_when_two_standard_errors_are_less_than_what_a_mechanism_must_save():
    assert Ratio(1.2, 0.024, LEAST).settled
    assert not Ratio(1.2, 0.026, LEAST).settled
    assert not Ratio(1.2, 0.0, LEAST - 1).settled
