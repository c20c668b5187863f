"""Weights times points: the sum in the order of the objectives, the same to the last bit wherever a point stands."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.cone import products as _products
from conewise.cone.products import products


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_it_is_the_matrix_product(rng):
    rows, points = rng.normal(size=(4, 3)), rng.normal(size=(50, 3))
    assert np.allclose(products(rows, points), rows @ points.T, rtol=1e-14)


def test_terms_are_added_in_the_order_of_the_objectives():
    """1e16 + 1 - 1e16 is 0 from the left, and 1 in any order that is kinder."""
    assert products(np.ones((1, 3)), np.array([[1e16, 1.0, -1e16], [1e16, -1e16, 1.0]])).tolist() == [[0.0, 1.0]]


def test_equal_points_have_equal_products_wherever_they_stand(rng, monkeypatch):
    monkeypatch.setattr(_products, "_AT_ONCE", 7)  # they meet in other chunks, and at other places of a chunk
    rows, points = rng.normal(size=(3, 5)), rng.normal(size=(40, 5))
    order = rng.permutation(40)
    apart, together = products(rows, points[order]), products(rows, points)
    assert (apart == together[:, order]).all()
    alone = np.column_stack([products(rows, point[None]) for point in points])
    assert (alone == together).all()


def test_a_weight_of_zero_adds_nothing_not_even_of_what_overflows():
    found = products(np.array([[0.0, 2.0]]), np.array([[np.inf, 3.0], [np.nan, -1.0]]))
    assert found.tolist() == [[6.0, -2.0]]


def test_overflow_is_left_in_the_result_and_warns_nobody():
    found = products(np.array([[1e300, 1e300], [1.0, -1.0]]), np.array([[1e300, 1.0]]))
    assert found.tolist() == [[np.inf], [1e300]]


def test_no_points_have_no_products():
    assert products(np.ones((2, 3)), np.empty((0, 3))).shape == (2, 0)
