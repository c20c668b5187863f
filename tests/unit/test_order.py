"""Dominance and the Pareto set: ties, duplicates, small and degenerate tables, both paths of the fast filter."""

from __future__ import annotations

from itertools import pairwise, permutations

import moocore
import numpy as np
import pytest
from shared.cones import named_cones
from shared.twins import maximal_by_chunks

import conewise as cw
from conewise import Cone, InputError
from conewise.order.dominance import pareto_mask_by_definition

GRID = np.array([[x, y] for x in range(10) for y in range(10)])


# -- dominance -----------------------------------------------------------------------------------------------------


def test_three_kinds_of_dominance():
    orthant = Cone.orthant(2)
    better, worse = [1, 2], [[1, 2], [1, 1], [0, 1], [0, 3]]
    assert cw.weakly_dominates(better, worse, orthant).tolist() == [True, True, True, False]
    assert cw.dominates(better, worse, orthant).tolist() == [False, True, True, False]
    assert cw.strongly_dominates(better, worse, orthant).tolist() == [False, False, True, False]


def test_the_first_argument_is_the_better_one():
    assert cw.dominates([2, 2], [1, 1], Cone.planar(45))
    assert not cw.dominates([1, 1], [2, 2], Cone.planar(45))


@pytest.mark.parametrize("compare", [cw.weakly_dominates, cw.dominates, cw.strongly_dominates])
def test_dominance_broadcasts(compare):
    rng = np.random.default_rng(0)
    points, cone = rng.integers(0, 3, size=(7, 3)), Cone.ranked(3)
    table = compare(points[:, None], points[None, :], cone)
    assert table.shape == (7, 7)
    for i in range(7):
        for j in range(7):
            assert table[i, j] == compare(points[i], points[j], cone)
    assert compare(points, points[0], cone).shape == (7,)
    assert compare(np.ones((4, 1, 3)), np.ones((5, 3)), cone).shape == (4, 5)


@pytest.mark.parametrize("compare", [cw.weakly_dominates, cw.dominates, cw.strongly_dominates])
def test_shapes_that_do_not_broadcast_are_refused_with_the_remedy(compare):
    with pytest.raises(InputError, match=r"better has shape \(2, 2\) and worse \(3, 2\).* use better\[:, None\]"):
        compare(np.zeros((2, 2)), np.zeros((3, 2)), Cone.orthant(2))
    with pytest.raises(InputError, match="worse must have 2 numbers along its last axis"):
        compare([1, 2], [1, 2, 3], Cone.orthant(2))


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_dominance_is_membership_of_the_difference(cone):
    rng = np.random.default_rng(2)
    worse = rng.integers(-4, 4, size=(200, cone.dim)).astype(float)
    steps = rng.normal(size=(200, cone.dim))
    strong = cw.strongly_dominates(worse + steps, worse, cone)
    assert strong.tolist() == cone.contains(steps, interior=True).tolist()
    assert (cw.weakly_dominates(worse + steps, worse, cone) | ~strong).all()


# -- the Pareto set ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", named_cones(), ids=str)
@pytest.mark.parametrize("keep_duplicates", [True, False])
def test_fast_filter_is_the_definition_with_ties(cone, keep_duplicates):
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 40, 200):
        points = rng.integers(0, 5, size=(size, cone.dim))
        expected = pareto_mask_by_definition(points, cone, keep_duplicates=keep_duplicates)
        assert cw.pareto_mask(points, cone, keep_duplicates=keep_duplicates).tolist() == expected.tolist()


@pytest.mark.parametrize("keep_duplicates", [True, False])
@pytest.mark.parametrize("size", [1023, 1024, 1025, 4097])
@pytest.mark.parametrize("kind", ["grid", "front", "constant", "two"])
def test_fast_filter_on_both_sides_of_its_thresholds(kind, size, keep_duplicates):
    """With and without the pass by strong designs, with and without sorting; whole numbers, so that sums are exact."""
    rng = np.random.default_rng(size)
    points = {
        "grid": rng.integers(0, 12, size=(size, 3)),
        "front": rng.multinomial(60, [1 / 3] * 3, size=size),  # 60 shared out: none dominates another componentwise
        "constant": np.zeros((size, 3)),
        "two": np.where(rng.random((size, 1)) < 0.5, [[0, 1, 0]], [[1, 0, 0]]),
    }[kind]
    W = np.array([[1, 0, 0], [1, 1, 0], [1, 2, 4]]) if kind == "grid" else np.eye(3, dtype=int)
    expected = maximal_by_chunks(points @ W.T, keep_duplicates=keep_duplicates)
    found = cw.pareto_mask(points, Cone(W), keep_duplicates=keep_duplicates)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("digits", [1, 15])
@pytest.mark.parametrize("size", [4097, 16_384, 16_385, 100_000])
@pytest.mark.parametrize("cone", [Cone.ice_cream(60, facets=6), Cone.importance(0.2, dim=3), Cone.orthant(3)], ids=str)
def test_fast_filter_on_many_designs(cone, size, digits):
    """What is kept is beaten by none, of what is dropped a sample is beaten each; one digit makes many ties."""
    rng = np.random.default_rng(9)
    points = np.round(rng.normal(size=(size, 3)), digits)
    found = cw.pareto_mask(points, cone)
    kept, dropped = np.flatnonzero(found), np.flatnonzero(~found)
    for i in kept[:40]:
        assert not cw.dominates(points, points[i], cone).any()
    for i in rng.choice(dropped, 40):
        assert cw.dominates(points[kept], points[i], cone).any()
    first = cw.pareto_mask(points, cone, keep_duplicates=False)
    assert (found | ~first).all()
    assert first.sum() == len(np.unique(points[kept], axis=0))
    _, where = np.unique(points[kept], axis=0, return_index=True)
    assert np.flatnonzero(first).tolist() == sorted(kept[where].tolist())  # the first of its equals


def test_a_single_design_is_pareto_optimal():
    for cone in named_cones():
        assert cw.pareto_mask(np.zeros((1, cone.dim)), cone).tolist() == [True]
        assert cw.pareto_mask(np.zeros((1, cone.dim)), cone, keep_duplicates=False).tolist() == [True]


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_duplicates_are_all_kept_or_only_the_first(cone):
    points = np.vstack([cone.centre, np.zeros(cone.dim), cone.centre, -cone.centre, cone.centre])
    assert cw.pareto_mask(points, cone).tolist() == [True, False, True, False, True]
    assert cw.pareto_mask(points, cone, keep_duplicates=False).tolist() == [True, False, False, False, False]


def test_one_objective_is_the_maximum():
    values = np.array([[3], [5], [1], [5], [4]])
    assert cw.pareto_mask(values, Cone.orthant(1)).tolist() == [False, True, False, True, False]
    assert cw.pareto_mask(values, Cone.orthant(1), keep_duplicates=False).tolist() == [False, True, False, False, False]
    assert cw.pareto_mask(values, Cone([[-3]])).tolist() == [False, False, True, False, False]
    assert cw.pareto_mask(np.tile(values, (2000, 1)), Cone.orthant(1)).sum() == 4000


def test_planar_90_and_orthant_agree_on_an_integer_grid():
    right, orthant = Cone.planar(90), Cone.orthant(2)
    assert cw.pareto_mask(GRID, right).tolist() == cw.pareto_mask(GRID, orthant).tolist()
    assert np.flatnonzero(cw.pareto_mask(GRID, right)).tolist() == [99]
    for compare in (cw.weakly_dominates, cw.dominates, cw.strongly_dominates):
        one, other = (compare(GRID[:, None], GRID[None, :], cone) for cone in (right, orthant))
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(cw.escape_gaps(GRID, right), cw.escape_gaps(GRID, orthant))
    np.testing.assert_array_equal(cw.cover_gaps(GRID, right), cw.cover_gaps(GRID, orthant))


def test_rows_of_whole_numbers_keep_ties_between_whole_numbers():
    """(3, 0) and (0, 1) have the same value along (1, 3); with unit rows rounding would decide between them."""
    cone = Cone([[1, 3], [3, 1]])
    rng = np.random.default_rng(4)
    for _ in range(50):
        base = rng.integers(-1000, 1000, size=2)
        along = base + rng.integers(1, 300) * np.array([3, -1])  # gains along one row, ties along the other
        assert cw.dominates(along, base, cone)
        assert not cw.strongly_dominates(along, base, cone)
        assert cw.escape_gaps([base], cone, rivals=[along]).item() == 0
        assert cw.cover_gaps([base], cone, rivals=[along]).item() == 0


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_the_answer_does_not_depend_on_where_a_design_stands(cone):
    """Equal designs get equal bits in every batch: a blocked matrix product would not promise that."""
    rng = np.random.default_rng(6)
    points = rng.random((300, cone.dim))
    mask = cw.pareto_mask(points, cone)
    order = rng.permutation(300)
    assert cw.pareto_mask(points[order], cone).tolist() == mask[order].tolist()
    assert cw.weakly_dominates(points, points[:, :].copy(), cone).all()
    padded = np.vstack([points, np.repeat(points, 20, axis=0)])
    assert cw.pareto_mask(padded, cone)[:300].tolist() == mask.tolist()


def test_larger_cones_have_smaller_pareto_sets():
    """Ararat & Tekin 2023, Remark 3.2."""
    means = cw.problems.load("snw").means
    fronts = [cw.pareto_mask(means, Cone.planar(degrees)) for degrees in (10, 45, 90, 135, 170)]
    for larger, smaller in pairwise(fronts):
        assert (larger | ~smaller).all()
        assert larger.sum() > smaller.sum()


def test_near_duplicates_are_told_apart():
    above = np.nextafter(1.0, 2.0)
    assert cw.pareto_mask([[1.0, 1.0], [above, 1.0]], Cone.orthant(2)).tolist() == [False, True]
    assert cw.dominates([above, 1.0], [1.0, 1.0], Cone.orthant(2))


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_no_design_is_a_clear_error(size):
    for empty in ([], np.zeros((0, 2)), np.zeros((0,)), [[], []] * size):
        with pytest.raises(InputError, match=r"points (is empty: at least one design|has 0 objectives)"):
            cw.pareto_mask(empty, Cone.orthant(2))


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([1, 2], r"points must have shape \(K, D\).* is points.reshape\(1, -1\)"),
        (3, r"points must have shape \(K, D\)"),
        (np.zeros((2, 2, 2)), r"points must have shape \(K, D\)"),
        ([[1, 2, 3]], "points has 3 objectives .columns. but the cone orders 2"),
        ([[1, 2], [3]], "points must be a rectangular array of real numbers.*rows of unequal length"),
        ([["1", "2"]], "points must be a rectangular array of real numbers.*check for text"),
        ([[1j, 2]], "points must be a rectangular array of real numbers.*complex"),
        ([[2**53 + 1, 0]], r"points holds integers beyond 2\^53"),
        (np.ma.array([[1.0, 2.0]], mask=[[True, False]]), "points has masked entries"),
        ([[1.7e308, 1.7e308], [0, 0]], "points has numbers too large"),
    ],
)
def test_bad_points_are_refused(points, words):
    with pytest.raises(InputError, match=words) as caught:
        cw.pareto_mask(points, Cone.planar(135))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("size", "row"), [(1, 0), (50, 7), (5000, 0), (5000, 78), (5000, 4999), (40_000, 33_333)])
@pytest.mark.parametrize("cone", [Cone.orthant(2), Cone.planar(45), Cone.planar(135)], ids=str)
def test_values_that_are_not_finite_are_refused_by_row(cone, size, row, value):
    points = np.random.default_rng(0).random((size, 2))
    points[row, 1] = value
    with pytest.raises(InputError, match=rf"points has -?(nan|inf) in row {row}, column 1 \(counted from 0\)"):
        cw.pareto_mask(points, cone)


def test_huge_numbers_within_reach_are_compared():
    points = np.random.default_rng(0).uniform(-1, 1, size=(6000, 2))
    np.testing.assert_array_equal(
        cw.pareto_mask(points * 2.0**1000, Cone.planar(135)), cw.pareto_mask(points, Cone.planar(135))
    )


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(
    ("cone", "dim"), [(cw.Cone.orthant(255), 255), (cw.Cone.ice_cream(60, facets=300), 3)], ids=["objectives", "facets"]
)
def test_more_facets_than_moocore_compares(cone, dim, keep):
    """255 and more: ties, duplicates and dominated designs as by definition."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 3, size=(60, dim)).astype(float)
    points[10] = points[3]
    points[20:40] = points[:20] - rng.integers(0, 2, size=(20, 1))

    expected = cw.order.dominance.pareto_mask_by_definition(points, cone, keep_duplicates=keep)
    assert cw.pareto_mask(points, cone, keep_duplicates=keep).tolist() == expected.tolist()
    assert 0 < expected.sum() < 60


@pytest.mark.parametrize("size", [200, 10_000])
def test_a_row_of_nan_is_refused_with_its_number(size):
    points = np.random.default_rng(0).random((size, 2))
    points[17] = np.nan
    with pytest.raises(cw.InputError, match="row 17"):
        cw.pareto_mask(points, Cone.orthant(2))


@pytest.mark.parametrize("size", [200, 10_000, 50_000])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_compiled_filter_never_sees_a_value_that_is_not_finite(monkeypatch, bad, size):
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


def test_results_do_not_depend_on_the_order_of_rows():
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


def test_every_function_keeps_all_duplicates():
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
def test_near_duplicates_differ_in_the_last_bit(difference):
    points = [[1.0, 1.0], [1.0 + difference, 1.0 + difference]]
    assert cw.pareto_mask(points, Cone.orthant(2)).tolist() == [False, True]
    assert cw.strongly_dominates(points[1], points[0], Cone.orthant(2))
    assert cw.suboptimality_gaps(points, Cone.orthant(2))[0] == (1.0 + difference) - 1.0


def test_the_cone_of_90_degrees_keeps_one_corner_of_a_grid():
    """So weakly dominated points stay: on an integer grid ten designs instead of one."""
    grid = np.array([[x, y] for x in range(10) for y in range(10)])
    cone = Cone.planar(90)
    assert cone.facets.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert np.flatnonzero(cw.pareto_mask(grid, cone)).tolist() == [99]


def test_keep_weakly_keeps_duplicates_and_nothing_else():
    """moocore's switch is about duplicates: what a different point weakly dominates must go in both cases."""
    points = [[2, 1], [2, 1], [2, 0], [1, 1], [1, 2]]
    assert cw.pareto_mask(points, Cone.orthant(2)).tolist() == [True, True, False, False, True]
    assert cw.pareto_mask(points, Cone.orthant(2), keep_duplicates=False).tolist() == [True, False, False, False, True]


def test_a_text_does_not_say_whether_duplicates_are_kept():
    with pytest.raises(InputError, match="keep_duplicates must be True or False, got 'no'"):
        cw.pareto_mask([[1.0, 2.0]], Cone.orthant(2), keep_duplicates="no")
