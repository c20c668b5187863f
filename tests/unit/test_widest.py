"""The ordering complexity: exact where it can be, an honest bracket where there are too many faces."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import random_cone

import conewise as cw
from conewise import Cone


def witnessed(found: cw.OrderingComplexity) -> float:
    """The ratio |a| / |a + b| that the pair of unit vectors proves, b scaled as well as can be: csc of their angle."""
    u, v = found.pair
    return 1 / np.sqrt(1 - (u @ v) ** 2) if u @ v < 0 else 1.0


@pytest.mark.parametrize("rows", [6, 9, 12])
@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_complexity_is_exact_up_to_five_objectives_and_twelve_facets(dim, rows):
    rng, obtuse = np.random.default_rng([dim, rows]), 0
    while obtuse < 3:
        cone = random_cone(rng, dim, rows)
        found = cone.complexity
        assert found.exact
        assert found.lower == found.upper == found.beta
        if found.beta > 1:
            obtuse += 1
            assert witnessed(found) == pytest.approx(found.beta, rel=1e-9)
            assert cone.dual.contains(found.pair, tolerance=1e-9).all()


@pytest.mark.parametrize("degrees", [15, 40, 80, 110])
def test_complexity_is_exact_for_forty_facets_in_three_objectives(degrees):
    rng = np.random.default_rng(degrees)
    axis, across = np.ones(3) / np.sqrt(3), np.linalg.svd(np.ones((1, 3)))[2][1:]
    turns = np.sort(rng.uniform(0, 2 * np.pi, 40))
    half = np.radians(degrees / 2)
    cone = Cone(np.sin(half) * axis + np.cos(half) * np.column_stack([np.cos(turns), np.sin(turns)]) @ across)
    assert len(cone.facets) == 40
    assert cone.complexity.exact
    assert witnessed(cone.complexity) == pytest.approx(cone.complexity.beta, rel=1e-9)


def many_facets(dim: int, seed: int) -> Cone:
    """Forty rows at one angle from an axis, some pairs obtuse: none is redundant, and the dual has very many faces."""
    rng = np.random.default_rng([dim, seed])
    rim = np.zeros((40, dim))
    rim[:, 1:] = rng.normal(size=(40, dim - 1))
    rim /= np.linalg.norm(rim, axis=1)[:, None]
    return Cone(np.eye(dim)[0] * np.cos(np.radians(55)) + rim * np.sin(np.radians(55)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dim", [7, 8])
def test_complexity_is_an_honest_bracket_when_there_are_too_many_faces(dim, seed):
    cone = many_facets(dim, seed)
    assert len(cone.facets) == 40
    found = cone.complexity
    assert not found.exact
    assert 1 <= found.beta2 <= found.lower < found.upper
    assert found.beta == found.beta1 == found.upper  # the safe end
    np.testing.assert_allclose(np.linalg.norm(found.pair, axis=1), 1, rtol=1e-12)
    assert (found.pair @ cone.rays.T >= -1e-9).all()  # both lie in the dual cone
    assert witnessed(found) == pytest.approx(found.lower, rel=1e-9)
    assert "<= beta <=" in repr(found)


@pytest.mark.parametrize("cone", [Cone.ranked(8), Cone.orthant(8), Cone.importance(0.05, dim=8)], ids=str)
def test_the_widest_angle_of_eight_objectives_is_exact(cone):
    assert cone.complexity.exact
    assert cone.complexity.beta == 1.0
    assert len(cone.rays) == 8
