"""Boxes above a front: disjoint, complete, and volumes as moocore's and as counted on a grid."""

from __future__ import annotations

import moocore
import numpy as np
import pytest

import conewise as cw
from conewise.rules.published.boxes import Boxes


def front_of(points):
    return points[cw.pareto_mask(points, cw.Cone.orthant(points.shape[1]))]


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_every_point_is_dominated_or_in_exactly_one_box(dim, ties):
    rng = np.random.default_rng(dim)
    points = rng.integers(0, 5, (25, dim)).astype(float) if ties else rng.random((25, dim))
    front, reference = front_of(points), np.full(dim, -0.5)
    boxes = Boxes.above(front, reference)
    z = rng.uniform(-0.5, points.max() + 1, (2000, dim))
    inside = ((boxes.low <= z[:, None]) & (z[:, None] < boxes.high)).all(axis=2).sum(axis=1)
    dominated = (front >= z[:, None]).all(axis=2).any(axis=1)
    np.testing.assert_array_equal(inside, (~dominated).astype(int))


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_gains_are_differences_of_hypervolumes(dim):
    rng = np.random.default_rng(10 + dim)
    front, reference = front_of(rng.normal(size=(12, dim))), np.full(dim, -1.0)
    new = rng.normal(size=(30, dim)) + 0.5

    def volume(points):
        return moocore.hypervolume(-points, ref=-reference)

    above = front[(front > reference).all(axis=1)]
    before = volume(above) if len(above) else 0.0
    expected = [volume(np.vstack([above, z])) - before if (z > reference).all() else 0.0 for z in new]
    np.testing.assert_allclose(Boxes.above(front, reference).gained(new), expected, atol=1e-12)


def test_no_points_leave_everything_open():
    boxes = Boxes.above(np.empty((0, 2)), np.zeros(2))
    assert boxes.low.tolist() == [[0.0, 0.0]]
    assert boxes.gained(np.array([[2.0, 3.0], [-1.0, 5.0]])).tolist() == [6.0, 0.0]
