"""T* of the benchmarks: against closed forms, its symmetries, and a slow twin of its inner minimum."""

from __future__ import annotations

import importlib.util
import math
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import conewise as cw
from conewise.cone.polyhedra import non_negative_least_squares

_SOURCE = Path(__file__).resolve().parents[3] / "benchmarks" / "characteristic.py"
_SPEC = importlib.util.spec_from_file_location("conewise_characteristic", _SOURCE)
characteristic = sys.modules[_SPEC.name] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(characteristic)

CORRELATED = np.array([[1.0, 0.6], [0.6, 2.0]])


def bracket(means, cone, covariance, gap=1e-3):
    found = characteristic.characteristic_time(np.array(means), cone, np.array(covariance), gap=gap)
    assert found.lower <= found.upper * (1 + 1e-12)
    assert found.upper <= found.lower * (1 + 2 * gap)
    assert found.proportions.sum() == pytest.approx(1)
    return found


@pytest.mark.parametrize(("gap", "sigma"), [(0.5, 2.0), (3.0, 1.0)])
def test_two_numbers_take_equal_proportions_and_eight_variances_over_the_squared_gap(gap, sigma):
    """8 sigma^2 / gap^2 at equal proportions."""
    found = bracket([[0.0], [gap]], cw.Cone.orthant(1), [[sigma**2]])
    assert found.lower == pytest.approx(8 * sigma**2 / gap**2, rel=1e-3)
    np.testing.assert_allclose(found.proportions, 0.5, atol=1e-3)


@pytest.mark.parametrize("k", [3, 5, 10])
def test_the_best_of_several_numbers(k):
    """Equal gaps: 2 (1 + sqrt(K - 1))^2 / gap^2 (Garivier & Kaufmann 2016, by symmetry)."""
    found = bracket([[1.0]] + [[0.0]] * (k - 1), cw.Cone.orthant(1), [[1.0]])
    expected = 2 * (1 + math.sqrt(k - 1)) ** 2
    assert found.lower <= expected * (1 + 1e-9)
    assert found.upper >= expected * (1 - 1e-9)


@pytest.mark.parametrize("means", [[[0.0, 0.0], [0.5, 0.7]], [[0.0, 0.7], [0.5, 0.0]]], ids=["dominated", "not"])
def test_two_designs_of_two_objectives_hang_on_the_smaller_difference(means):
    """To escape, or to be dominated, one objective has to make up 0.5 between two designs."""
    assert bracket(means, cw.Cone.orthant(2), np.eye(2)).lower == pytest.approx(8 / 0.5**2, rel=1e-3)


def test_units_and_coordinates_do_not_matter():
    rng = np.random.default_rng(0)
    means, cone = rng.normal(size=(7, 2)), cw.Cone.planar(70)
    plain = bracket(means, cone, CORRELATED).lower
    assert bracket(3 * means, cone, CORRELATED).lower == pytest.approx(plain / 9, rel=3e-3)
    change = np.array([[2.0, 1.0], [-1.0, 1.0]])
    there = cw.Cone(cone.facets @ np.linalg.inv(change))
    assert bracket(means @ change.T, there, change @ CORRELATED @ change.T).lower == pytest.approx(plain, rel=3e-3)


def nearest_by_hand(means, cone, covariance, shares):
    """The least sum_i p_i |mu_i - lambda_i|^2 / 2 over all ways to change the Pareto set, each a projection.

    A way is a set of inequalities w_n.(lambda_a - lambda_b) >= 0. For a design off the front it is one against every
    other design, on the front or not: the reduction to Pareto designs is not taken for granted here.
    """
    root, k, n_rows = np.linalg.cholesky(covariance), len(means), len(cone.facets)
    scaled = np.sqrt(shares)[:, None] * np.linalg.solve(root, means.T).T  # noise becomes the unit of length
    front = cw.pareto_mask(means, cone)

    def ahead(a, b, n):
        row = np.zeros(scaled.shape)
        row[a], row[b] = (sign * cone.facets[n] @ root / math.sqrt(shares[d]) for sign, d in ((1, a), (-1, b)))
        return row.ravel()

    def cost(rows):
        generators = np.array(rows)
        push = generators.T @ non_negative_least_squares(generators.T, -scaled.ravel())
        return push @ push / 2  # what the polar cone takes away is the distance

    found = [cost([ahead(j, i, n) for n in range(n_rows)]) for i in np.flatnonzero(front) for j in range(k) if j != i]
    for i in np.flatnonzero(~front):
        others = [j for j in range(k) if j != i]
        ways = product(range(n_rows), repeat=k - 1)
        found += [cost([ahead(i, j, n) for j, n in zip(others, way, strict=True)]) for way in ways]
    return min(found)


@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_alternative_by_hand(seed):
    rng = np.random.default_rng(seed)
    dim = 2 + seed % 2
    means, cone = rng.normal(size=(7 - dim, dim)), [cw.Cone.orthant(2), cw.Cone.ice_cream(80, 3)][seed % 2]
    spread = rng.normal(size=(dim, dim))
    covariance = spread @ spread.T + 0.3 * np.eye(dim)
    nearest = characteristic.Alternatives(means, cone, covariance).nearest
    for shares in (np.full(len(means), 1 / len(means)), *rng.dirichlet(np.ones(len(means)), size=3)):
        claimed = float((nearest(shares) @ shares).min())
        assert claimed == pytest.approx(nearest_by_hand(means, cone, covariance, shares), rel=1e-6)


def test_larger_fronts_and_more_objectives():
    means = np.random.default_rng(5).normal(size=(30, 3))
    cone = cw.Cone.orthant(3)
    found = bracket(means, cone, np.eye(3), gap=5e-3)
    assert cw.pareto_mask(means, cone).sum() > 5
    hard = found.proportions[found.proportions > 1e-3]
    assert 1 < len(hard) <= 30


def test_ties_never_end():
    found = characteristic.characteristic_time(np.zeros((3, 2)), cw.Cone.orthant(2), np.eye(2))
    assert found.lower == found.upper == math.inf
