"""Posterior sampling: compatible draws, their number and seed, where it looks, and the learner."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.published import DELTA, EPSILON, PROBLEMS, SIGMA, play

import conewise as cw
from conewise.data.observations import Observations
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit
from conewise.rules.published.hedge import ada_hedge
from conewise.rules.published.psips import PosteriorSampling


def test_posterior_sampling_never_guarantees():
    cone, means = PROBLEMS["wide"]
    result = play(
        PosteriorSampling(cw.Question(cone, EPSILON, DELTA, Gaussian(SIGMA)), len(means), growth=0.3), means, 1
    )
    assert "only asymptotically" in str(result.guarantee)
    assert result.certified_epsilon is None
    assert result.stopped_because == "every design is decided"


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(45), cw.Cone.ice_cream(80, facets=5)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4])
def test_compatible_draws_are_those_for_which_the_set_succeeds(cone, epsilon):
    rng = np.random.default_rng(1)
    question = cw.Question(cone, epsilon, DELTA, Gaussian(1), "cover" if epsilon else "contain")
    algorithm = PosteriorSampling(question, 6, max_evaluations=100)
    seen = set()
    for _ in range(300):
        means = rng.normal(size=(6, cone.dim))
        chosen = cw.pareto_mask(means + 0.3 * rng.normal(size=means.shape), cone)
        if epsilon:
            expected = cw.verdict(chosen, means, cone, epsilon).success
        else:
            expected = bool((cw.pareto_mask(means, cone) == chosen).all())
        assert algorithm.compatible((means @ cone.facets.T)[None], chosen).tolist() == [expected]
        seen.add(expected)
    assert seen == {True, False}


def test_the_number_of_draws_and_the_seed():
    cone, means = PROBLEMS["right angle"]
    first, second = (
        PosteriorSampling(cw.Question(cone, 0.1, 0.1, Gaussian(1)), 7, growth=2.0, seed=seed) for seed in (0, 1)
    )
    assert first.draws_in_a_row(1000) == math.ceil(math.log(1000 / 0.1) / math.log(1 / 0.9)) == 88
    state = first.tell(first.start(), SimulatedBandit(means, Gaussian(1)).evaluate(first.ask(first.start()), 0))
    assert first.ask(state).counts.tolist() != second.ask(state).counts.tolist()
    assert first.ask(state).total == 14
    with pytest.raises(cw.InputError, match="seed must be"):
        PosteriorSampling(cw.Question(cone, 0.1, 0.1, Gaussian(1)), 7, seed=-1)


def test_posterior_sampling_looks_where_it_is_close():
    """Two designs in a near-tie, the others clear: each of the two gets more than any other."""
    means = [[0.0], [4.0], [4.4], [-3.0]]
    algorithm = PosteriorSampling(
        cw.Question(cw.Cone.orthant(1), 0.0, 0.01, Gaussian(1), success="contain"), 4, max_evaluations=5000
    )
    result = play(algorithm, means, 0)
    assert result.indices == [2]
    assert result.evaluations > 100
    assert result.counts[[1, 2]].min() > 1.2 * result.counts[[0, 3]].max()


def test_small_batches_of_a_growing_rule_still_go_to_everyone():
    """Asked for one at a time, a batch drawn for many designs must not be cut down to its first ones."""
    means, k = np.zeros((6, 2)), 6
    algorithm = PosteriorSampling(
        cw.Question(cw.Cone.orthant(2), 0.0, DELTA, Gaussian(1), success="contain"),
        k,
        growth=1.0,
        max_evaluations=10**6,
    )
    state, rng = algorithm.tell(algorithm.start(), Observations(range(k), means, [20] * k)), np.random.default_rng(0)
    asked = np.zeros(k, dtype=int)
    for _ in range(120):
        pulls = algorithm.ask(state, 1)
        assert pulls.total == 1
        asked[pulls.designs] += 1
        state = algorithm.tell(state, SimulatedBandit(means, Gaussian(1)).evaluate(pulls, rng))
    # Each weight is about 1/6 here: Binomial(120, 1/6) is below 3 or above 50 with probability below 1e-5.
    assert asked.min() >= 3
    assert asked.max() <= 50


def test_the_learner_follows_the_gains():
    assert ada_hedge(np.empty((0, 4))).tolist() == [0.25] * 4
    np.testing.assert_allclose(ada_hedge(np.ones((5, 3))), 1 / 3)
    gains = np.tile([0.0, 1.0, 0.2], (200, 1))
    assert ada_hedge(gains)[1] > 0.99
    np.testing.assert_allclose(ada_hedge(np.tile([[1.0, 0.0], [0.0, 1.0]], (50, 1))), 0.5, atol=0.1)
