"""Hardness and both lower bounds, with z*, u* and k*."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.cones import named_cones, random_cone
from shared.twins import beta2_ratio, shortest_lift

import conewise as cw
from conewise import Cone, InputError

LOPSIDED = [  # the deepest direction is far from the facet that decides beta_2
    Cone([[3, 2, -1], [2, 2, 3], [2, 1, -2]]),
    Cone([[3, 2, 1], [-2, 2, -3], [0, -1, 3]]),
    Cone([[-2, 0, 1], [-1, 1, 3], [2, -1, -3]]),
]
CONES = [*named_cones(), *LOPSIDED, *(random_cone(np.random.default_rng([7, dim]), dim, 8) for dim in (2, 3, 4, 5))]
SEVERAL = pytest.mark.parametrize("cone", CONES, ids=lambda cone: repr(cone)[:40])


@SEVERAL
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
def test_hardness_is_the_sum_over_designs(cone, epsilon):
    rng = np.random.default_rng(0)
    means = rng.integers(0, 6, size=(60, cone.dim)) / 2
    front = cw.pareto_mask(means, cone)
    gaps = np.where(front, cw.separation_gaps(means, cone), cw.suboptimality_gaps(means, cone))
    expected = sum(1 / max(gap, epsilon) ** 2 for gap in gaps)
    assert cw.hardness(means, cone, epsilon) == pytest.approx(expected, rel=1e-10)


def test_hardness_without_epsilon():
    orthant = Cone.orthant(2)
    assert cw.hardness([[0, 0], [2, 1]], orthant, 0) == 1.0  # the lone Pareto design counts nothing
    assert cw.hardness([[1, 2], [1, 2]], orthant, 0) == math.inf  # a tie can never be told
    assert cw.hardness([[1, 2], [0, 2]], orthant, 0) == math.inf  # nor can dominance along the boundary
    assert cw.hardness([[5, 5]], orthant, 0) == 0.0
    assert cw.hardness([[1, 2], [1, 2]], orthant, 1e-200) == math.inf  # the square of epsilon is no number


@SEVERAL
def test_gap_dependent_bound(cone):
    """z* is the shortest vector with W z >= alpha; k* = max alpha_n / (w_n.z*) is 1 (docs/theory, section 6.1)."""
    means = np.random.default_rng(1).random((15, cone.dim))
    bound = cw.gap_dependent_bound(means, cone, 0.1, 0.05)
    assert bound.evaluations == pytest.approx(cw.hardness(means, cone, 0.1) * math.log(20), rel=1e-14)
    assert bound.step == pytest.approx(1.0, rel=1e-10)
    assert (cone.facets @ bound.direction >= cone.widths - 1e-12).all()
    np.testing.assert_allclose(bound.direction, shortest_lift(cone.facets, cone.widths), atol=1e-9)
    assert np.linalg.norm(bound.direction) >= 1 - 1e-12


@SEVERAL
def test_beyond_every_improvement_of_length_one(cone):
    """What z* is for: z* - u lies in C for every u in C with |u| <= 1."""
    z = cw.gap_dependent_bound(np.zeros((1, cone.dim)), cone, 0.1, 0.1).direction
    u = np.random.default_rng(2).dirichlet(np.ones(len(cone.rays)), size=500) @ cone.rays
    u = np.vstack([u, cone.rays, cone.project(cone.facets)])
    u /= np.linalg.norm(u, axis=1)[:, None]
    assert ((z - u) @ cone.facets.T >= -1e-12).all()


@SEVERAL
def test_worst_case_bound(cone):
    """u* attains beta_2 with min w_n.u* = 1, so k* = max alpha_n / (w_n.u*) = 1 / beta_2 (docs/theory, section 6.2)."""
    bound = cw.worst_case_bound(cone, 7, 0.1, 0.05)
    beta2 = cone.complexity.beta2
    assert bound.evaluations == pytest.approx(7 * beta2**2 * 100 * math.log(20), rel=1e-12)
    assert bound.step == pytest.approx(1 / beta2, rel=1e-10)
    assert (cone.facets @ bound.direction).min() == pytest.approx(1.0, rel=1e-12)
    # By the definition of beta_2, solved as such: no point of the interior has a larger ratio, and u* has it.
    assert beta2_ratio(bound.direction, cone.facets) == pytest.approx(beta2, rel=1e-9)


def test_bounds_scale_with_epsilon_and_delta():
    cone, means = Cone.planar(45), np.random.default_rng(3).random((20, 2))
    coarse, fine = cw.worst_case_bound(cone, 10, 0.2, 0.1), cw.worst_case_bound(cone, 10, 0.1, 0.01)
    assert fine.evaluations == pytest.approx(8 * coarse.evaluations, rel=1e-12)
    loose, strict = (cw.gap_dependent_bound(means, cone, 0.05, delta).evaluations for delta in (0.1, 0.001))
    assert strict == pytest.approx(3 * loose, rel=1e-12)
    assert cw.worst_case_bound(cone, 10, 1e-200, 0.1).evaluations == math.inf


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda cone: cw.hardness([[0, 1]], cone, -0.1), "epsilon must be 0 or more, got -0.1"),
        (lambda cone: cw.hardness([[0, 1]], cone, math.nan), "epsilon must be finite"),
        (lambda cone: cw.hardness([[0, 1]], cone, "small"), "epsilon must be a number"),
        (lambda cone: cw.hardness([], cone, 0.1), "means is empty"),
        (lambda cone: cw.gap_dependent_bound([[0, 1]], cone, 0, 0.1), "epsilon must be above 0"),
        (lambda cone: cw.gap_dependent_bound([[0, 1]], cone, 0.1, 0), "delta must lie strictly between 0 and 1"),
        (lambda cone: cw.gap_dependent_bound([[0, 1]], cone, 0.1, 1), "delta must lie strictly between 0 and 1"),
        (lambda cone: cw.gap_dependent_bound([[math.inf, 1]], cone, 0.1, 0.1), "means has inf in row 0"),
        (lambda cone: cw.worst_case_bound(cone, 3, 0.1, 0.1), "n_designs must be at least 4, got 3"),
        (lambda cone: cw.worst_case_bound(cone, 10.5, 0.1, 0.1), "n_designs must be a whole number, got 10.5"),
        (lambda cone: cw.worst_case_bound(cone, 10, 0, 0.1), "epsilon must be above 0"),
        (lambda cone: cw.worst_case_bound(cone, 10, 10**400, 0.1), "epsilon must be a number"),
    ],
)
def test_bad_arguments_are_refused_by_name(call, words):
    with pytest.raises(InputError, match=words) as caught:
        call(Cone.orthant(2))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cone", [Cone.orthant(1), Cone.orthant(2), Cone.planar(45), Cone.ice_cream(60)], ids=str)
def test_one_design_has_no_gap_and_needs_no_evaluation(cone):
    point = np.ones((1, cone.dim))
    assert cw.pareto_mask(point, cone).all()
    assert cw.suboptimality_gaps(point, cone).tolist() == [0]
    assert cw.separation_gaps(point, cone).tolist() == [math.inf]
    assert cw.hardness(point, cone, 0.1) == 0
    assert cw.gap_dependent_bound(point, cone, 0.1, 0.1).evaluations == 0
    assert cw.verdict([0], point, cone, 0.1)


def test_epsilon_0_has_infinite_hardness_and_no_bound():
    means = [[0, 1], [0, 1]]
    assert cw.hardness(means, Cone.orthant(2), 0) == math.inf
    with pytest.raises(cw.InputError, match="epsilon must be above 0"):
        cw.gap_dependent_bound(means, Cone.orthant(2), 0, 0.1)
    with pytest.raises(cw.InputError, match="epsilon must be above 0"):
        cw.worst_case_bound(Cone.orthant(2), 5, 0, 0.1)


def test_a_number_that_is_not_whole_is_refused():
    with pytest.raises(cw.InputError, match=r"n_designs must be a whole number, got 10\.5"):
        cw.worst_case_bound(Cone.orthant(2), 10.5, 0.1, 0.1)
    with pytest.raises(cw.ConeError, match=r"dim must be a whole number, got 10\.5"):
        Cone.orthant(10.5)
