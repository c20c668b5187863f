"""The lift norm, both gap matrices and each design's own gap: signs, rivals, degenerate tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.cones import named_cones
from shared.twins import lift_length

import conewise as cw
from conewise import Cone, InputError

BOTH = [cw.escape_gaps, cw.cover_gaps]
OWN = [cw.suboptimality_gaps, cw.separation_gaps]


def table(cone: Cone, size: int = 30) -> np.ndarray:
    """Whole numbers with ties and duplicates."""
    rng = np.random.default_rng(1)
    points = rng.integers(0, 4, size=(size, cone.dim)).astype(float)
    points[-3:] = points[:3]
    return points


# -- the lift norm -------------------------------------------------------------------------------------------------


# -- both matrices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_signs_are_those_of_the_order(cone):
    """Corollary 4.5: m > 0 exactly on strong dominance, M = 0 exactly on weak dominance; never both positive."""
    points = table(cone)
    m, M = cw.escape_gaps(points, cone), cw.cover_gaps(points, cone)
    np.testing.assert_array_equal(m > 0, cw.strongly_dominates(points[None, :], points[:, None], cone))
    np.testing.assert_array_equal(M == 0, cw.weakly_dominates(points[None, :], points[:, None], cone))
    assert not ((m > 0) & (M > 0)).any()
    assert (np.diag(m) == 0).all()
    assert (np.diag(M) == 0).all()


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_moving_by_the_gap_is_enough_and_by_less_is_not(cone):
    """m along the best direction of the facet that decides it, M along the minimiser: both from their definitions."""
    points = np.random.default_rng(3).normal(size=(12, cone.dim))
    m, M = cw.escape_gaps(points, cone), cw.cover_gaps(points, cone)
    best = cone.project(cone.facets)
    best /= np.linalg.norm(best, axis=1)[:, None]
    for i in range(12):
        for j in range(12):
            x = cone.facets @ (points[j] - points[i])
            if m[i, j] > 0:
                n = (x / cone.widths).argmin()
                assert not cw.strongly_dominates(points[j], points[i] + m[i, j] * (1 + 1e-9) * best[n], cone)
                steps = np.random.default_rng(4).dirichlet(np.ones(len(cone.rays)), 50) @ cone.rays
                steps /= np.linalg.norm(steps, axis=1)[:, None]
                assert cw.strongly_dominates(points[j], points[i] + m[i, j] * (1 - 1e-9) * steps, cone).all()
            if M[i, j] > 0:
                assert M[i, j] == pytest.approx(lift_length(cone.facets, np.maximum(-x, 0)), rel=1e-9)


@pytest.mark.parametrize("gaps", BOTH)
def test_rivals_are_columns_in_the_order_asked_for(gaps):
    cone = Cone.ranked(3)
    points = table(cone)
    full = gaps(points, cone)
    np.testing.assert_array_equal(gaps(points, cone, rivals=[5, 0, 5]), full[:, [5, 0, 5]])
    np.testing.assert_array_equal(gaps(points, cone, rivals={7, 2}), full[:, [2, 7]])
    mask = np.arange(len(points)) % 3 == 0
    np.testing.assert_array_equal(gaps(points, cone, rivals=mask), full[:, mask])
    np.testing.assert_array_equal(gaps(points, cone, rivals=mask.tolist()), full[:, mask])
    np.testing.assert_array_equal(gaps(points, cone, rivals=points[:4]), full[:, :4])
    np.testing.assert_array_equal(gaps(points, cone, rivals=points[:4].tolist()), full[:, :4])
    assert gaps(points, cone, rivals=[]).shape == (len(points), 0)
    assert gaps(points, cone, rivals=np.zeros(len(points), dtype=bool)).shape == (len(points), 0)


@pytest.mark.parametrize("gaps", BOTH)
@pytest.mark.parametrize(
    ("rivals", "words"),
    [
        ([3], "rivals names design 3, but designs are numbered 0 to 2"),
        ([-1], "rivals names design -1"),
        ([True, False], "rivals is a mask of 2 entries for 3 designs"),
        ([0.0, 1.0], "rivals must be a mask, a list of indices or an .R, 2. array of points"),
        (["a"], "rivals must be a mask, a list of indices"),
        (1, "rivals must be a mask, a list of indices"),
        ([[1], [1, 2]], "rivals must be a mask or a list of indices.*unequal length"),
        ({1, "a"}, "rivals must be a mask or a list of indices"),
        ([[1, 2, 3]], "rivals has 3 objectives"),
        (np.zeros((0, 2)), "rivals is empty"),
        ([[0, 1], [np.nan, 0]], "rivals has nan in row 1"),
        ([[1e300, 0]], "rivals has numbers too large"),
    ],
)
def test_bad_rivals_are_refused(gaps, rivals, words):
    with pytest.raises(InputError, match=words) as caught:
        gaps([[0, 0], [1, 1], [2, 2]], Cone.planar(135), rivals=rivals)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("gaps", BOTH)
def test_matrices_by_chunks_are_those_of_single_rows(gaps):
    """More pairs than one pass takes."""
    cone, rng = Cone.ice_cream(60, facets=5), np.random.default_rng(0)
    points = rng.normal(size=(700, 3))
    full = gaps(points, cone)
    for i in rng.choice(700, 20):
        np.testing.assert_allclose(gaps(points[i : i + 1], cone, rivals=points)[0], full[i], rtol=1e-13)


# -- each design's own gap -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", named_cones(), ids=str)
@pytest.mark.parametrize("size", [1, 2, 30, 400])
def test_own_gaps_are_those_of_the_matrices(cone, size):
    points = table(cone, size) if size > 3 else table(cone, 10)[:size]
    front = cw.pareto_mask(points, cone)
    m, M = cw.escape_gaps(points, cone), cw.cover_gaps(points, cone)
    np.testing.assert_array_equal(cw.suboptimality_gaps(points, cone), m[:, front].max(axis=1))
    np.fill_diagonal(M, np.inf)
    expected = np.where(front, M[:, front].min(axis=1), np.inf)
    np.testing.assert_allclose(cw.separation_gaps(points, cone), expected, rtol=1e-12)


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_own_gaps_of_many_designs(cone):
    """Enough designs for several boxes, a front of its own for the rivals, and ties."""
    rng = np.random.default_rng(5)
    points = np.round(rng.normal(size=(1500, cone.dim)), 1)
    front = cw.pareto_mask(points, cone)
    m = cw.escape_gaps(points, cone, rivals=front)
    M = cw.cover_gaps(points[front], cone)
    np.fill_diagonal(M, np.inf)
    np.testing.assert_array_equal(cw.suboptimality_gaps(points, cone), m.max(axis=1))
    np.testing.assert_allclose(cw.separation_gaps(points, cone)[front], M.min(axis=1), rtol=1e-12)
    assert np.isinf(cw.separation_gaps(points, cone)[~front]).all()


def test_zero_on_the_front_and_at_the_boundary_and_positive_elsewhere():
    cone = Cone([[1, 3], [3, 1]])
    top = np.array([9.0, 9.0])
    points = np.array([top, top - [3, -1], top - [-1, 3], top - [1, 1], [0, 20]])
    assert cw.pareto_mask(points, cone).tolist() == [True, False, False, False, True]
    gaps = cw.suboptimality_gaps(points, cone)
    assert (gaps[[0, 1, 2, 4]] == 0).all()  # designs 1 and 2 are dominated along a facet only
    assert gaps[3] > 0


def test_twins_on_the_front_have_no_separation():
    points = [[1, 2], [2, 1], [1, 2]]
    assert cw.separation_gaps(points, Cone.orthant(2)).tolist() == [0, 1, 0]
    assert cw.suboptimality_gaps(points, Cone.orthant(2)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_a_lone_design_has_no_gap_to_anybody(cone):
    point = np.ones((1, cone.dim))
    assert cw.escape_gaps(point, cone).tolist() == [[0]]
    assert cw.cover_gaps(point, cone).tolist() == [[0]]
    assert cw.suboptimality_gaps(point, cone).tolist() == [0]
    assert cw.separation_gaps(point, cone).tolist() == [np.inf]


def test_with_one_objective_gaps_are_differences_of_numbers():
    values = [[1.0], [4.0], [2.5], [4.0]]
    assert cw.suboptimality_gaps(values, Cone.orthant(1)).tolist() == [3, 0, 1.5, 0]
    assert cw.separation_gaps(values, Cone.orthant(1)).tolist() == [np.inf, 0, np.inf, 0]
    assert cw.cover_gaps(values, Cone.orthant(1))[1].tolist() == [3, 0, 1.5, 0]
    assert cw.escape_gaps(values, Cone([[-1]]))[1].tolist() == [3, 0, 1.5, 0]


@pytest.mark.parametrize("gaps", [*BOTH, *OWN])
@pytest.mark.parametrize(
    ("means", "words"),
    [
        ([], "means is empty: at least one design"),
        (np.zeros((0, 2)), "means is empty: at least one design"),
        ([1, 2], r"means must have shape \(K, D\)"),
        ([[1, 2, 3]], "means has 3 objectives"),
        ([[1, 2], [1, np.nan]], "means has nan in row 1, column 1"),
        ([[1e308, 1e308], [-1e308, -1e308]], "means has numbers too large to add up and compare; divide"),
    ],
)
def test_bad_means_are_refused(gaps, means, words):
    with pytest.raises(InputError, match=words):
        gaps(means, Cone.orthant(2))


@pytest.mark.parametrize("cone", [Cone.planar(1), Cone.planar(135), Cone.ranked(2)], ids=str)
def test_the_largest_numbers_that_are_accepted_do_not_overflow(cone):
    points = np.array([[1.0, 0.5], [-1.0, 0.25], [0.5, 1.0], [-1.0, -1.0]])
    for gaps in (*BOTH, *OWN):
        np.testing.assert_allclose(gaps(points * 2.0**899, cone), gaps(points, cone) * 2.0**899, rtol=1e-13)


POINTS = np.random.default_rng(0).random((200, 2))


def test_gaps_refuse_nan_with_its_row_and_column():
    points = POINTS.copy()
    points[17, 1] = np.nan
    for gaps in (cw.escape_gaps, cw.cover_gaps, cw.suboptimality_gaps, cw.separation_gaps):
        with pytest.raises(cw.InputError, match="row 17, column 1"):
            gaps(points, Cone.planar(45))


def test_gaps_do_not_depend_on_the_lengths_of_rows():
    plain = Cone.planar(60)
    scaled = Cone(plain.facets * [[2.0], [50.0]])
    for gaps in (cw.escape_gaps, cw.cover_gaps, cw.suboptimality_gaps, cw.separation_gaps):
        np.testing.assert_allclose(gaps(POINTS, scaled), gaps(POINTS, plain), rtol=1e-12, atol=1e-15)
    assert cw.hardness(POINTS, scaled, 0.01) == pytest.approx(cw.hardness(POINTS, plain, 0.01), rel=1e-12)
    np.testing.assert_allclose(scaled.widths, plain.widths, rtol=1e-13)


def test_each_facet_is_divided_by_its_own_width():
    """Three facets of different widths, as many designs as facets: the shapes fit whichever axis is divided."""
    cone = Cone([[2, 0, 3], [-1, 3, 2], [2, 2, -3]])
    assert len(set(cone.widths.round(4))) == 3
    points = np.array([[0.0, 0.0, 0.0], [3.0, 4.0, 2.0], [0.5, 2.0, -0.1]])
    m = cw.escape_gaps(points, cone)
    for i in range(3):
        for j in range(3):
            steps = [cone.facets[n] @ (points[j] - points[i]) / cone.widths[n] for n in range(3)]
            assert m[i, j] == pytest.approx(max(0.0, min(steps)), rel=1e-13)
    assert m.max() > 0


def test_gaps_of_a_narrow_cone_are_exact_at_every_scale():
    """A narrow cone and tiny, huge or mixed differences: the closed form has nothing to converge."""
    cone = Cone.planar(0.01)
    beta = 1 / math.sin(math.radians(0.01))
    assert cone.complexity.beta == pytest.approx(beta, rel=1e-8)
    for scale in (1e-150, 1.0, 1e150):
        step = -cone.facets[0] * scale  # against the normal of one facet: beta times its distance
        assert cw.cover_gaps(np.zeros((1, 2)), cone, rivals=[step]).item() == pytest.approx(beta * scale, rel=1e-8)


@pytest.mark.parametrize("call", [cw.pareto_mask, cw.suboptimality_gaps, cw.cover_gaps, cw.separation_gaps])
def test_a_cone_is_taken_in_every_form(call):
    points, said = [[0.0, 3.0], [4.0, 0.0], [0.0, 0.0]], cw.Preferences(["a", "b"]).accepts({"a": 1}, {"b": 2})
    for form, cone in (
        ("planar:135", Cone.planar(135)),
        ("orthant", Cone.orthant(2)),
        ([[2, 1], [1, 2]], Cone([[2, 1], [1, 2]])),
        (said, said.cone),
    ):
        np.testing.assert_array_equal(call(points, form), call(points, cone))
    with pytest.raises(cw.ConeError, match="cone must be a Cone, got dict; make one with Cone"):
        call(points, {"planar": 135})
