"""Traps that other libraries for vector optimisation fall into, one test each, as far as they touch cones and gaps."""

from __future__ import annotations

import math
from itertools import permutations

import moocore
import numpy as np
import pytest

import conewise as cw
from conewise import Cone

POINTS = np.random.default_rng(0).random((200, 2))


# -- values that are not finite ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [200, 10_000])
def test_a_nan_row_is_returned_as_pareto_optimal_silently(size):
    points = np.random.default_rng(0).random((size, 2))
    points[17] = np.nan
    with pytest.raises(cw.InputError, match="row 17"):
        cw.pareto_mask(points, Cone.orthant(2))


def test_nan_elsewhere_gives_a_solver_error():
    points = POINTS.copy()
    points[17, 1] = np.nan
    for gaps in (cw.escape_gaps, cw.cover_gaps, cw.suboptimality_gaps, cw.separation_gaps):
        with pytest.raises(cw.InputError, match="row 17, column 1"):
            gaps(points, Cone.planar(45))


@pytest.mark.parametrize("size", [200, 10_000, 50_000])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_compiled_filter_misclassifies_clean_rows_when_any_row_has_a_nan(monkeypatch, bad, size):
    """So it must never see one, whatever the row and the path."""
    seen = []
    original = moocore.is_nondominated

    def watched(data, **options):
        seen.append(bool(np.isfinite(data).all()))
        return original(data, **options)

    monkeypatch.setattr(moocore, "is_nondominated", watched)
    points = np.random.default_rng(1).random((size, 3))
    cw.pareto_mask(points, Cone.ranked(3))
    assert seen  # the watch works
    for row in (0, 1, size // 2, size - 1):
        broken = points.copy()
        broken[row, 2] = bad
        with pytest.raises(cw.InputError, match=rf"row {row}\b"):
            cw.pareto_mask(broken, Cone.ranked(3))
    assert all(seen)


# -- cones that are none -------------------------------------------------------------------------------------------


def test_a_zero_row_is_accepted():
    with pytest.raises(cw.ConeError, match="row 1 of W is zero"):
        Cone([[1, 0], [0, 0], [0, 1]])


def test_a_cone_that_is_not_pointed_is_accepted():
    with pytest.raises(cw.ConeError, match="not pointed"):
        Cone([[1, 1], [2, 2]])


def test_results_depend_on_the_order_of_rows():
    rows = np.array([[1.0, -2.0, 4.0], [4.0, 1.0, -2.0], [-2.0, 4.0, 1.0], [1.0, 1.0, 0.1]])
    points = np.random.default_rng(2).integers(0, 5, size=(100, 3))
    answers = []
    for order in permutations(range(4)):
        cone = Cone(rows[list(order)])
        answers.append(
            (
                cone,
                cw.pareto_mask(points, cone).tolist(),
                cw.suboptimality_gaps(points, cone).round(12).tolist(),
                round(cone.complexity.beta, 12),
            )
        )
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("degrees", [270, -45])
def test_an_angle_of_270_or_minus_45_degrees_is_accepted(degrees):
    with pytest.raises(cw.ConeError, match="strictly between 0 and 180"):
        Cone.planar(degrees)


# -- scales and widths ---------------------------------------------------------------------------------------------


def test_rows_that_are_not_normalised_give_silently_wrong_gaps():
    plain = Cone.planar(60)
    scaled = Cone(plain.facets * [[2.0], [50.0]])
    for gaps in (cw.escape_gaps, cw.cover_gaps, cw.suboptimality_gaps, cw.separation_gaps):
        np.testing.assert_allclose(gaps(POINTS, scaled), gaps(POINTS, plain), rtol=1e-12, atol=1e-15)
    assert cw.hardness(POINTS, scaled, 0.01) == pytest.approx(cw.hardness(POINTS, plain, 0.01), rel=1e-12)
    np.testing.assert_allclose(scaled.widths, plain.widths, rtol=1e-13)


def test_unequal_widths_give_wrong_gaps_by_a_broadcast():
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


def test_the_noise_free_means_are_standardised():
    """Raw columns reproduce the paper's tables, standardised ones do not (see golden/test_table1)."""
    means = cw.problems.load("snw").means
    assert (np.abs(means.mean(axis=0)) > 1).all()


# -- ties and duplicates -------------------------------------------------------------------------------------------


def test_one_function_keeps_one_duplicate_and_another_keeps_both():
    points = [[1, 2], [2, 1], [1, 2], [0, 0]]
    cone = Cone.orthant(2)
    front = cw.pareto_mask(points, cone)
    assert front.tolist() == [True, True, True, False]
    assert (cw.suboptimality_gaps(points, cone)[front] == 0).all()
    assert np.isfinite(cw.separation_gaps(points, cone)).tolist() == front.tolist()
    assert cw.verdict([0], points, cone, 0).missed.tolist() == [1, 2]
    assert not cw.dominates(points[0], points[2], cone)
    assert cw.pareto_mask(points, cone, keep_duplicates=False).tolist() == [True, True, False, False]


@pytest.mark.parametrize("difference", [1e-9, 1e-12, 2.0**-52])
def test_allclose_in_a_dominance_test_makes_near_duplicates_wrong(difference):
    points = [[1.0, 1.0], [1.0 + difference, 1.0 + difference]]
    assert cw.pareto_mask(points, Cone.orthant(2)).tolist() == [False, True]
    assert cw.strongly_dominates(points[1], points[0], Cone.orthant(2))
    assert cw.suboptimality_gaps(points, Cone.orthant(2))[0] == (1.0 + difference) - 1.0


def test_the_90_degree_cone_holds_minus_6e_17_instead_of_0():
    """So weakly dominated points stay: on an integer grid ten designs instead of one."""
    grid = np.array([[x, y] for x in range(10) for y in range(10)])
    cone = Cone.planar(90)
    assert cone.facets.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert np.flatnonzero(cw.pareto_mask(grid, cone)).tolist() == [99]


def test_identical_input_rows_are_taken_for_one_design():
    """A design is its index: what is said of one twin is not said of the other."""
    means = [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]
    verdict = cw.verdict([1], means, Cone.orthant(2), 0.1)
    assert verdict.missed.tolist() == [0]
    assert cw.separation_gaps(means, Cone.orthant(2)).tolist() == [0, 0, np.inf]
    names = cw.problems.load("snw").names
    assert len(set(names)) == len(names) == 206


def test_keep_weakly_keeps_duplicates_and_nothing_else():
    """moocore's switch is about duplicates: what a different point weakly dominates must go in both cases."""
    points = [[2, 1], [2, 1], [2, 0], [1, 1], [1, 2]]
    assert cw.pareto_mask(points, Cone.orthant(2)).tolist() == [True, True, False, False, True]
    assert cw.pareto_mask(points, Cone.orthant(2), keep_duplicates=False).tolist() == [True, False, False, False, True]


# -- corner values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", [Cone.orthant(1), Cone.orthant(2), Cone.planar(45), Cone.ice_cream(60)], ids=str)
def test_one_design_divides_by_zero(cone):
    point = np.ones((1, cone.dim))
    assert cw.pareto_mask(point, cone).all()
    assert cw.suboptimality_gaps(point, cone).tolist() == [0]
    assert cw.separation_gaps(point, cone).tolist() == [math.inf]
    assert cw.hardness(point, cone, 0.1) == 0
    assert cw.gap_dependent_bound(point, cone, 0.1, 0.1).evaluations == 0
    assert cw.verdict([0], point, cone, 0.1)


def test_epsilon_0_gives_minus_9223372036854775808():
    means = [[0, 1], [0, 1]]
    assert cw.hardness(means, Cone.orthant(2), 0) == math.inf
    with pytest.raises(cw.InputError, match="epsilon must be above 0"):
        cw.gap_dependent_bound(means, Cone.orthant(2), 0, 0.1)
    with pytest.raises(cw.InputError, match="epsilon must be above 0"):
        cw.worst_case_bound(Cone.orthant(2), 5, 0, 0.1)


def test_a_number_of_10_5_never_stops():
    with pytest.raises(cw.InputError, match=r"n_designs must be a whole number, got 10\.5"):
        cw.worst_case_bound(Cone.orthant(2), 10.5, 0.1, 0.1)
    with pytest.raises(cw.ConeError, match=r"dim must be a whole number, got 10\.5"):
        Cone.orthant(10.5)


def test_a_solver_that_ends_without_converging():
    """A narrow cone and tiny, huge or mixed differences: the closed form has nothing to converge."""
    cone = Cone.planar(0.01)
    beta = 1 / math.sin(math.radians(0.01))
    assert cone.complexity.beta == pytest.approx(beta, rel=1e-8)
    for scale in (1e-150, 1.0, 1e150):
        step = -cone.facets[0] * scale  # against the normal of one facet: beta times its distance
        assert cw.cover_gaps(np.zeros((1, 2)), cone, rivals=[step]).item() == pytest.approx(beta * scale, rel=1e-8)


@pytest.mark.parametrize("call", [cw.pareto_mask, cw.suboptimality_gaps, cw.cover_gaps, cw.separation_gaps])
def test_a_text_form_in_place_of_a_cone_is_told_how_to_become_one(call):
    with pytest.raises(cw.ConeError, match=r"use Cone.parse\('planar:135'\)"):
        call([[0.0, 1.0]], "planar:135")
