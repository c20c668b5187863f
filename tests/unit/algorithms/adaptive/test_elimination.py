"""Successive elimination: its radius, where its pulls stop, and what it refuses."""

from __future__ import annotations

import math

import pytest
from shared.certificates import (
    ORTHANT,
    at_levels,
)

import conewise as cw
from conewise.algorithms import SuccessiveElimination
from conewise.feedback import Pulls
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit


@pytest.mark.parametrize("scale", [0, -1, math.nan])
def test_a_radius_must_be_scaled_by_something_positive(scale):
    with pytest.raises(cw.InputError, match="radius_scale"):
        SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(0.5)), 3, radius_scale=scale)


def test_a_direction_without_noise_is_known_at_once():
    """A singular covariance leaves a facet without noise: no division by zero, and the right answer."""
    means = [[0.0, 0.0], [0.5, 1.0], [0.0, 1.0]]
    for cov in ([[1.0, 0.0], [0.0, 0.0]], [[[1.0, 0.0], [0.0, 0.0]]] * 3):
        problem = SimulatedBandit(means, Gaussian(cov=cov))
        result = cw.identify(problem, ORTHANT, epsilon=0.3, delta=0.1, rng=0)
        assert result.guarantee
        assert cw.verdict(result.pareto, means, ORTHANT, 0.3)


def test_scaled_radii_void_the_guarantee():
    problem = SimulatedBandit([[0.0, 0.0], [3.0, 3.0]], Gaussian(0.5))
    result = cw.identify(problem, ORTHANT, epsilon=0.5, delta=0.1, rng=0, radius_scale=0.5)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert "0.5" in result.guarantee.reason


def test_pulls_stop_at_the_last_level():
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(0.5)), 3)
    state = at_levels(rule.certificate, [[0.0, 0.0]] * 3, [len(rule.certificate.levels.counts) - 1] * 3)
    assert isinstance(rule.ask(state), Pulls)
    assert rule.ask(state).total == 0
    assert rule.recommend(state).indices == [0, 1, 2]


def test_the_exact_set_needs_a_limit_to_the_run():
    with pytest.raises(cw.InputError, match="max_evaluations"):
        SuccessiveElimination(cw.Question(ORTHANT, 0.0, 0.1, Gaussian(0.5), success="contain"), 3)
