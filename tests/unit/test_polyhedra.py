"""Facets and rays: one from the other, redundant ones removed and reported."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import named_cones

from conewise import Cone
from conewise.cone.polyhedra import non_negative_least_squares


def test_redundant_rows_are_removed_and_reported():
    cone = Cone([[1, 0], [1, 1], [0, 1], [2, 0], [1, 3]])
    assert cone.removed == (1, 3, 4)
    assert cone == Cone.orthant(2)
    assert cone.facets.tolist() == [[1, 0], [0, 1]]


def test_a_row_between_others_is_redundant_and_one_outside_is_not():
    assert Cone([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 2, 3]]).removed == (3,)
    assert Cone([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, -0.1]]).removed == ()


def test_redundant_rays_are_reported():
    cone = Cone.from_rays([[1, 0], [2, 1], [0, 1], [3, 0]])
    assert cone.removed == (1, 3)
    assert cone == Cone.orthant(2)


def test_constructors_without_redundancy_report_none():
    assert all(cone.removed == () for cone in named_cones() if cone.text.split(":")[0] != "exchange")


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_rays_lie_in_the_cone_and_on_enough_facets(cone):
    assert cone.contains(cone.rays, tolerance=1e-12).all()
    np.testing.assert_allclose(np.linalg.norm(cone.rays, axis=1), 1, rtol=1e-14)
    for ray in cone.rays:
        met = cone.facets[np.abs(cone.facets @ ray) < 1e-12]
        assert np.linalg.matrix_rank(met) == cone.dim - 1 if len(met) else cone.dim == 1


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_facets_of_the_rays_are_the_facets(cone):
    assert Cone.from_rays(cone.rays) == cone


def test_where_one_solver_gives_up_the_other_answers(monkeypatch):
    A, b = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1.0, -2.0, 1.0])
    expected = non_negative_least_squares(A, b)

    def tired(*given):
        raise RuntimeError("Maximum number of iterations reached.")

    monkeypatch.setattr("scipy.optimize.nnls", tired)
    np.testing.assert_allclose(non_negative_least_squares(A, b), expected)
    np.testing.assert_allclose(expected, [1.0, 0.0], atol=1e-12)
