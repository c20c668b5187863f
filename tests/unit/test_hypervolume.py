"""Hypervolumes of facet values against counting cells, and what a returned set lacks."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import conewise as cw
from conewise.hypervolume import hypervolume

CONES = [
    cw.Cone.orthant(2),
    cw.Cone.planar(70),
    cw.Cone.planar(135),
    cw.Cone.orthant(3),
    cw.Cone.importance(0.2, dim=3),
    cw.Cone.ice_cream(80, facets=4),
]


def slow(values, reference):
    """The same by cells between all coordinates, each counted where some point is above it along every facet."""
    grid = [
        np.unique(np.append(column[column > least], least)) for column, least in zip(values.T, reference, strict=True)
    ]
    total = 0.0
    for cell in itertools.product(*(range(len(axis) - 1) for axis in grid)):
        upper = np.array([axis[k + 1] for axis, k in zip(grid, cell, strict=True)])
        if (values >= upper).all(axis=1).any():
            total += math.prod(axis[k + 1] - axis[k] for axis, k in zip(grid, cell, strict=True))
    return total


@pytest.mark.parametrize("cone", CONES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_hypervolume_is_what_cells_add_up_to(cone, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, (6, cone.dim)).astype(float)  # with ties
    reference = points.min(axis=0) - rng.integers(0, 2, cone.dim)
    expected = slow(cone.facet_values(points), cone.facet_values(reference[None])[0])
    assert hypervolume(points, cone, reference) == pytest.approx(expected)


@pytest.mark.parametrize("cone", CONES, ids=repr)
def test_the_discrepancy_is_the_logarithm_of_what_is_lacking(cone):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(7, cone.dim))
    returned = np.arange(7) == int(np.flatnonzero(cw.pareto_mask(values, cone))[0])
    facets = cone.facet_values(values)
    least = facets.min(axis=0)
    lacking = slow(facets, least) - slow(facets[returned], least)
    found = cw.log_hypervolume_discrepancy(returned, values, cone)
    assert found == (pytest.approx(math.log(lacking)) if lacking > 1e-12 else -math.inf)


def test_the_definition_on_the_orthant_by_hand():
    """Front (1, 3), (2, 1) and the worst corner (0, 0): 3 + 1 in all, 2 without the first one."""
    values = [[0.0, 0.0], [1.0, 3.0], [2.0, 1.0]]
    assert cw.log_hypervolume_discrepancy([2], values, cw.Cone.orthant(2)) == pytest.approx(math.log(2))
    assert cw.log_hypervolume_discrepancy([], values, cw.Cone.orthant(2)) == pytest.approx(math.log(4))
    assert cw.log_hypervolume_discrepancy([0, 1, 2], values, cw.Cone.orthant(2)) == -math.inf


def test_shifts_change_nothing_and_scales_add_logarithms():
    rng = np.random.default_rng(8)
    values, cone = rng.normal(size=(9, 2)), cw.Cone.planar(70)
    before = cw.log_hypervolume_discrepancy([0], values, cone)
    assert cw.log_hypervolume_discrepancy([0], values + np.array([3, -2]), cone) == pytest.approx(before)
    assert cw.log_hypervolume_discrepancy([0], 10 * values, cone) == pytest.approx(before + 2 * math.log(10))


@pytest.mark.parametrize(
    ("returned", "values", "said"),
    [
        ([5], [[0.0, 1.0]], "returned names design 5"),
        ([0], [[0.0, math.nan]], "values"),
        ([0], [[0.0, 1.0, 2.0]], "values"),
        ([0], [[0.0, 1e31]], "beyond 1e"),
        ([True, False], [[0.0, 1.0]], "returned is a mask of 2 entries"),
    ],
)
def test_bad_input_is_refused(returned, values, said):
    with pytest.raises(cw.InputError, match=said):
        cw.log_hypervolume_discrepancy(returned, values, cw.Cone.orthant(2))
