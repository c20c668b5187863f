"""The one rival that decides a gap, found without every pair: what looking at every pair finds."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.order.rivals import FacetSpace, covers, escapes

CONES = [cw.Cone.orthant(2), cw.Cone.planar(60), cw.Cone.planar(150), cw.Cone.ice_cream(60, facets=5)]


def setting(cone: cw.Cone, size: int) -> tuple[np.ndarray, FacetSpace, np.ndarray]:
    points = np.random.default_rng(size).integers(0, 40, size=(size, cone.dim)) / 8  # with ties
    return points, FacetSpace.of(cone.order_columns(points), cone), np.arange(size)


@pytest.mark.parametrize("cone", CONES, ids=str)
@pytest.mark.parametrize("size", [1, 40, 700])
def test_boxes_that_are_never_opened_hide_no_rival(cone, size):
    points, space, everyone = setting(cone, size)
    slow = cw.escape_gaps(points, cone).max(axis=1)
    np.testing.assert_allclose(escapes(space, everyone, everyone), slow, rtol=1e-12, atol=1e-15)
    slow = (cw.cover_gaps(points, cone) + np.where(np.eye(size, dtype=bool), np.inf, 0.0)).min(axis=1)
    np.testing.assert_allclose(covers(space, cone, everyone, everyone), slow, rtol=1e-12, atol=1e-15)


def test_some_designs_against_some_rivals():
    cone = cw.Cone.planar(60)
    points, space, _ = setting(cone, 400)
    some, rivals = np.arange(0, 400, 7), np.arange(1, 400, 3)
    gaps = cw.escape_gaps(points, cone)[np.ix_(some, rivals)]
    np.testing.assert_allclose(escapes(space, some, rivals), gaps.max(axis=1), rtol=1e-12, atol=1e-15)


def test_without_rivals_nobody_escapes_and_nobody_is_covered():
    _, space, everyone = setting(CONES[0], 5)
    nobody = np.arange(0)
    assert escapes(space, everyone, nobody).tolist() == [0.0] * 5
    assert covers(space, CONES[0], everyone, nobody).tolist() == [np.inf] * 5


def test_a_search_may_end_where_a_cover_is_near_enough():
    cone = cw.Cone.orthant(2)
    _, space, everyone = setting(cone, 700)
    exact = covers(space, cone, everyone, everyone)
    early = covers(space, cone, everyone, everyone, enough=0.5)
    assert (early >= exact).all()
    assert ((early <= 0.5) == (exact <= 0.5)).all()
    np.testing.assert_array_equal(early[exact > 0.5], exact[exact > 0.5])
