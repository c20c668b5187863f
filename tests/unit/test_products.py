"""Rows times points: the sum in the order of the objectives, the same to the last bit wherever a point stands."""

from __future__ import annotations

import numpy as np
import pytest

from conewise import Cone

SUM = Cone([[1, 1, 1], [1, 0, 0], [0, 1, 0]])  # rows are halved, so that the largest entry lies below 1


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_it_is_the_matrix_product(rng):
    points = rng.normal(size=(50, 3))
    assert np.allclose(2 * SUM.order_columns(points), [[1, 1, 1], [1, 0, 0], [0, 1, 0]] @ points.T, rtol=1e-14)


def test_terms_are_added_in_the_order_of_the_objectives():
    """1e16 + 1 - 1e16 is 0 from the left, and 1 in any order that is kinder."""
    assert SUM.order_columns(np.array([[2e16, 2.0, -2e16], [2e16, -2e16, 2.0]]))[0].tolist() == [0.0, 1.0]


def test_equal_points_have_equal_products_wherever_they_stand(rng):
    """40,000 points: they meet in other chunks, and at other places of a chunk."""
    cone, points = Cone.importance(0.07, dim=5), rng.normal(size=(40_000, 5))
    order = rng.permutation(len(points))
    apart, together = cone.order_columns(points[order]), cone.order_columns(points)
    assert (apart == together[:, order]).all()
    alone = np.column_stack([cone.order_columns(point[None]) for point in points[:200]])
    assert (alone == together[:, :200]).all()


def test_a_weight_of_zero_adds_nothing_not_even_of_what_overflows():
    found = Cone([[0, 2], [1, 0]]).order_columns(np.array([[np.inf, 3.0], [np.nan, -1.0]]))
    assert found[0].tolist() == [1.5, -0.5]


def test_overflow_is_left_in_the_result_and_warns_nobody():
    assert SUM.order_columns(np.full((1, 3), 1.7e308))[0].tolist() == [np.inf]


def test_no_points_have_no_products():
    assert SUM.order_columns(np.empty((0, 3))).shape == (3, 0)
