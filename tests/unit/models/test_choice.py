"""Which set to return: no design that is too far, everyone covered, and as few failing draws as can be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import conewise as cw
from conewise.models.choice import choose

CONE = cw.Cone.orthant(2)


def draws(means, spread: float, number: int, seed: int) -> np.ndarray:
    """(B, A, N): facet values of the orthant are the values themselves."""
    means = np.asarray(means, dtype=float)
    return means + spread * np.random.default_rng(seed).normal(size=(number, *means.shape))


def failing(z, inside, epsilon: float, notion: str) -> float:
    """The share of draws in which a set fails, by definition."""
    found = [cw.verdict(inside, draw, CONE, epsilon) for draw in z]
    return float(np.mean([not one or (notion == "contain" and len(one.missed) > 0) for one in found]))


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_what_is_certain_is_chosen_and_never_fails(notion):
    z = draws([[0.0, 2.0], [2.0, 0.0], [-3.0, -3.0]], 1e-3, 30, seed=0)
    found = choose(z, CONE, 0.1, notion)
    assert found.inside.tolist() == [True, True, False]
    assert found.failing == 0
    assert found.probability.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_the_share_of_failing_draws_is_that_of_the_definition(notion, seed):
    means = np.random.default_rng(seed).normal(size=(5, 2))
    z = draws(means, 0.3, 40, seed)
    found = choose(z, CONE, 0.5, notion)
    assert found.failing == pytest.approx(failing(z, found.inside, 0.5, notion))
    optimal = np.mean([cw.pareto_mask(draw, CONE) for draw in z], axis=0)
    np.testing.assert_allclose(found.probability, optimal)


@pytest.mark.parametrize("seed", range(2))
def test_hardly_any_set_fails_less_often(seed):
    z = draws(np.random.default_rng(seed).normal(size=(5, 2)), 0.15, 20, seed)
    found = choose(z, CONE, 0.5, "cover")
    least = min(
        failing(z, np.array(inside), 0.5, "cover") for inside in product([False, True], repeat=5) if any(inside)
    )
    assert found.failing <= least + 0.05
