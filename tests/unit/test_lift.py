"""The lift norm: against a certified solver, without a table, homogeneous."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import named_cones, random_cone
from shared.twins import lift_length

import conewise as cw
from conewise import Cone, InputError


def test_lift_norm_of_the_orthant_is_the_length_of_the_positive_part():
    b = np.random.default_rng(0).normal(size=(4, 5, 3))
    np.testing.assert_allclose(cw.lift_norm(b, Cone.orthant(3)), np.linalg.norm(np.maximum(b, 0), axis=-1), rtol=1e-14)


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_lift_norm_against_a_certified_solver(cone):
    b = np.random.default_rng(1).normal(size=(20, len(cone.facets)))
    b[10:] = np.abs(b[10:])
    for row, value in zip(b, cw.lift_norm(b, cone), strict=True):
        assert value == pytest.approx(lift_length(cone.facets, row), rel=1e-9, abs=1e-12)


def test_lift_norm_without_a_table():
    """Twenty facets in six dimensions are too many subsets: one least squares a column, and the same answer."""
    cone = random_cone(np.random.default_rng(0), 6, 24, spread=0.8)
    assert len(cone.facets) > 15
    b = np.random.default_rng(1).normal(size=(5, len(cone.facets)))
    for row, value in zip(b, cw.lift_norm(b, cone), strict=True):
        assert value == pytest.approx(lift_length(cone.facets, row), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_lift_norm_is_zero_below_zero_and_homogeneous(cone):
    b = np.random.default_rng(2).normal(size=(10, len(cone.facets)))
    np.testing.assert_array_equal(cw.lift_norm(-np.abs(b), cone), 0)
    np.testing.assert_array_equal(cw.lift_norm(np.zeros(len(cone.facets)), cone), 0)
    np.testing.assert_allclose(cw.lift_norm(b * 1e200, cone), cw.lift_norm(b, cone) * 1e200, rtol=1e-12)
    np.testing.assert_allclose(cw.lift_norm(b * 1e-200, cone), cw.lift_norm(b, cone) * 1e-200, rtol=1e-12)


def test_lift_norm_wants_one_number_a_facet():
    with pytest.raises(InputError, match="b must have 8 numbers along its last axis"):
        cw.lift_norm([1, 2, 3], Cone.ice_cream(60, facets=8))
