"""The one rival that decides a gap, found without every pair: what looking at every pair finds."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw

CONES = [cw.Cone.orthant(2), cw.Cone.planar(60), cw.Cone.planar(150), cw.Cone.ice_cream(60, facets=5)]


def disc(cone: cw.Cone, size: int) -> np.ndarray:
    """Points with ties, many of them on a curved front."""
    rng = np.random.default_rng(size)
    around = rng.normal(size=(size, cone.dim))
    return np.round(around / np.linalg.norm(around, axis=1, keepdims=True) * rng.choice([30, 29], (size, 1))) / 8


@pytest.mark.parametrize("cone", CONES, ids=str)
@pytest.mark.parametrize("size", [1, 40, 1500])
def test_boxes_that_are_never_opened_hide_no_rival(cone, size):
    points = disc(cone, size)
    front = cw.pareto_mask(points, cone)
    slow = cw.escape_gaps(points, cone, rivals=front).max(axis=1)
    np.testing.assert_allclose(cw.suboptimality_gaps(points, cone), np.where(front, 0.0, slow), rtol=1e-12, atol=1e-15)
    others = cw.cover_gaps(points[front], cone) + np.where(np.eye(front.sum(), dtype=bool), np.inf, 0.0)
    np.testing.assert_allclose(cw.separation_gaps(points, cone)[front], others.min(axis=1), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("cone", CONES, ids=str)
def test_some_designs_against_some_rivals(cone):
    points = disc(cone, 1500)
    front = np.flatnonzero(cw.pareto_mask(points, cone))
    returned = front[::3]
    cover = cw.cover_gaps(points[front], cone, rivals=points[returned]).min(axis=1)
    for epsilon in np.quantile(cover, [0.2, 0.7]) * 1.0001:
        found = cw.verdict(returned, points, cone, epsilon)
        assert found.uncovered.tolist() == front[cover > epsilon].tolist()


def test_a_search_may_end_where_a_cover_is_near_enough():
    cone, epsilon = cw.Cone.orthant(2), 0.5
    points = disc(cone, 1500)
    front = cw.pareto_mask(points, cone)
    gaps = np.where(front, cw.separation_gaps(points, cone), cw.suboptimality_gaps(points, cone))
    slow = float((1 / np.maximum(gaps, epsilon) ** 2).sum())
    assert cw.hardness(points, cone, epsilon) == pytest.approx(slow, rel=1e-12)
