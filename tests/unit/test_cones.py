"""The cone as a value: construction, refusals and their remedies, equality, geometry, complexity."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from shared.cones import named_cones

import conewise as cw
from conewise import Cone, InputError

NAN, INF = float("nan"), float("inf")


# -- construction ------------------------------------------------------------------------------------------------


def test_rows_are_scaled_to_unit_length_in_the_order_given():
    cone = Cone([[0, 5], [3, 4]])
    np.testing.assert_allclose(cone.facets, [[0, 1], [0.6, 0.8]], rtol=1e-15)
    assert cone.dim == 2


def test_unit_rows_stay_bit_for_bit():
    rows = np.array([[0.6, 0.8], [1.0, 0.0]])
    assert Cone(rows).facets.tolist() == rows.tolist()


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 1e8, 1e300])
def test_the_scale_of_the_rows_does_not_matter(scale):
    rows = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0], [1.0, 1.0, -0.5]])
    assert Cone(rows * scale) == Cone(rows)
    np.testing.assert_allclose(Cone(rows * scale).widths, Cone(rows).widths, rtol=1e-13)


@pytest.mark.parametrize("dim", range(1, 9))
def test_the_orthant_has_the_axes_as_facets_and_rays(dim):
    cone = Cone.orthant(dim)
    np.testing.assert_array_equal(cone.facets, np.eye(dim))
    np.testing.assert_allclose(cone.rays[np.lexsort(cone.rays.T)][::-1], np.eye(dim)[np.lexsort(np.eye(dim).T)][::-1])
    np.testing.assert_array_equal(cone.widths, np.ones(dim))


@pytest.mark.parametrize("degrees", [1, 30, 45, 60, 90, 120, 135, 170])
def test_planar_opens_by_its_angle_around_the_diagonal(degrees):
    first, second = Cone.planar(degrees).rays
    assert np.degrees(np.arccos(first @ second)) == pytest.approx(degrees, rel=1e-10)
    middle = first + second
    assert middle[0] == pytest.approx(middle[1], rel=1e-12)
    assert middle[0] > 0


def test_planar_90_is_the_orthant_to_the_last_bit():
    assert Cone.planar(90) == Cone.orthant(2)
    assert hash(Cone.planar(90)) == hash(Cone.orthant(2))
    assert Cone.planar(90).facets.tobytes() == Cone.orthant(2).facets.tobytes()


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_importance_admits_exactly_the_weightings_with_that_share(dim):
    share = 0.6 / dim
    cone = Cone.importance(share, dim=dim)
    for row in cone.dual.rays / cone.dual.rays.sum(axis=1, keepdims=True):  # extreme weightings, summing to one
        assert row.min() == pytest.approx(share, rel=1e-12)
    assert Cone.importance(0, dim=dim) == Cone.orthant(dim)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_ranked_admits_exactly_the_decreasing_weightings(dim):
    weightings = Cone.ranked(dim).dual
    rng = np.random.default_rng(dim)
    decreasing = -np.sort(-rng.random((50, dim)), axis=1)
    assert weightings.contains(decreasing, tolerance=1e-12).all()
    if dim > 1:
        assert not weightings.contains(-np.sort(-decreasing[:, ::-1], axis=1)[:, ::-1]).any()


def test_ice_cream_touches_the_round_cone():
    cone = Cone.ice_cream(60, facets=7)
    assert len(cone.facets) == 7
    axis = np.ones(3) / np.sqrt(3)
    np.testing.assert_allclose(cone.facets @ axis, np.sin(np.radians(30)), rtol=1e-14)
    assert (np.degrees(np.arccos(cone.rays @ axis)) > 30).all()


def test_exchange_is_generated_by_its_trades():
    """Kabanov: e_i and pi_ij e_i - e_j, where pi_ij units of asset i buy one unit of asset j."""
    pi = np.array([[1, 2, 3], [1, 1, 2], [1, 1.5, 1]])
    cone = Cone.exchange(pi)
    identity = np.eye(3)
    trades = [pi[i, j] * identity[i] - identity[j] for i in range(3) for j in range(3) if i != j]
    generators = np.vstack([identity, *trades])
    assert cone.contains(generators, tolerance=1e-12).all()
    distances = np.linalg.norm((generators / np.linalg.norm(generators, axis=1)[:, None])[:, None] - cone.rays, axis=2)
    assert (distances.min(axis=0) < 1e-12).all()  # no ray that is not one of them
    assert cone.includes(Cone.orthant(3))


def test_one_asset_is_exchanged_for_itself():
    assert Cone.exchange([[1]]) == Cone.orthant(1)


def test_one_objective_may_be_minimised():
    assert Cone([[-2]]).contains([[-1.0], [1.0]]).tolist() == [True, False]
    assert Cone([[-2]]) != Cone.orthant(1)


# -- refusals ------------------------------------------------------------------------------------------------------


# -- the value -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_equal_whatever_the_order_or_scale_of_the_rows(cone):
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows = cone.facets[rng.permutation(len(cone.facets))] * rng.uniform(0.01, 100, size=(len(cone.facets), 1))
        other = Cone(rows)
        assert other == cone
        assert hash(other) == hash(cone)


def test_different_cones_differ():
    cones = [*named_cones(), Cone.orthant(4), Cone.planar(91), Cone.planar(90.000001)]
    different = [(a, b) for i, a in enumerate(cones) for j, b in enumerate(cones) if i < j and a == b]
    assert different == [(Cone.orthant(2), Cone.planar(90))]
    assert Cone.orthant(2) != "orthant:2"
    assert len({Cone.orthant(2), Cone.planar(90), Cone([[0, 3], [2, 0]])}) == 1


def test_directions_that_agree_to_rounding_are_equal():
    rows = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert Cone(rows) == Cone(rows * (1 + 1e-15))
    assert Cone(rows) != Cone(rows + np.array([[0, 1e-9], [0, 0]]))


@pytest.mark.parametrize("cone", named_cones(), ids=str)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda cone: pickle.loads(pickle.dumps(cone))])
def test_copies_are_equal_and_frozen(cone, duplicate):
    other = duplicate(cone)
    assert other == cone
    assert hash(other) == hash(cone)
    assert (other.text, repr(other), other.removed) == (cone.text, repr(cone), cone.removed)
    assert other.facets.tobytes() == cone.facets.tobytes()
    assert not other.facets.flags.writeable
    with pytest.raises(AttributeError, match="frozen"):
        other.dim = 7


def test_pickle_keeps_what_was_removed():
    cone = Cone([[1, 0], [1, 1], [0, 1]])
    assert pickle.loads(pickle.dumps(cone)).removed == (1,)


def test_a_cone_is_frozen():
    cone = Cone.planar(45)
    with pytest.raises(AttributeError, match="facets cannot be set; make another cone"):
        cone.facets = np.eye(2)
    with pytest.raises(AttributeError, match="frozen"):
        del cone.dim
    with pytest.raises(ValueError, match="read-only"):
        cone.facets[0, 0] = 2.0


def test_a_cone_does_not_follow_the_array_it_was_made_of():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    cone = Cone(rows)
    rows[0] = [1.0, 5.0]
    assert cone == Cone.orthant(2)
    assert cw.pareto_mask([[0, 1], [1, 0]], cone).all()


# -- geometry ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_dual_of_the_dual(cone):
    assert cone.dual.dual == cone
    assert (cone.dual.facets @ cone.dual.rays.T >= -1e-12).all()
    np.testing.assert_array_equal(cone.dual.rays, cone.facets)
    assert Cone(cone.dual.facets).dual == cone  # and when it is computed anew


def test_the_orthant_is_its_own_dual():
    assert Cone.orthant(4).dual == Cone.orthant(4)
    assert Cone.planar(60).dual == Cone.planar(120)


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_a_cone_includes_itself_and_contains_the_sum_of_its_rays(cone):
    assert cone.includes(cone)
    inside, outside = cone.rays.sum(axis=0), -cone.rays.sum(axis=0)
    assert cone.contains(inside, interior=True)
    assert not cone.contains(outside)


def test_includes_follows_the_angle():
    angles = [10, 45, 90, 135, 170]
    for narrow in angles:
        for wide in angles:
            assert Cone.planar(wide).includes(Cone.planar(narrow)) == (wide >= narrow)
    assert not Cone.ranked(2).includes(Cone.planar(135))
    assert not Cone.planar(135).includes(Cone.ranked(2))


def test_contains_is_exact_and_broadcasts():
    cone = Cone([[1, 3], [3, 1]])
    x = np.array([[[3, -1], [-1, 3]], [[3, -1.0000000001], [0, 0]]])
    assert cone.contains(x).tolist() == [[True, True], [False, True]]
    assert cone.contains(x, interior=True).tolist() == [[False, False], [False, False]]
    assert cone.contains(x, tolerance=1e-9).all()
    assert cone.contains([1, 1]).shape == ()


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_projection_is_the_nearest_point(cone):
    """Moreau: x - p is in the polar cone and orthogonal to p."""
    x = np.random.default_rng(5).normal(size=(6, 7, cone.dim))
    p = cone.project(x)
    assert p.shape == x.shape
    assert (p @ cone.facets.T >= -1e-12).all()
    np.testing.assert_allclose(((x - p) * p).sum(axis=-1), 0, atol=1e-12)
    assert ((x - p) @ cone.rays.T <= 1e-12).all()
    np.testing.assert_allclose(cone.project(p), p, atol=1e-12)
    np.testing.assert_array_equal(cone.project(np.zeros(cone.dim)), 0)


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_widths_are_attained_and_not_exceeded(cone):
    """alpha_n = max w_n.u over unit u in C: at the projection of w_n, nowhere more (sampled from the rays)."""
    best = cone.project(cone.facets)
    best /= np.linalg.norm(best, axis=1)[:, None]
    np.testing.assert_allclose((best * cone.facets).sum(axis=1), cone.widths, atol=1e-12)
    sampled = np.random.default_rng(1).dirichlet(np.ones(len(cone.rays)), size=2000) @ cone.rays
    sampled /= np.linalg.norm(sampled, axis=1)[:, None]
    assert (sampled @ cone.facets.T <= cone.widths + 1e-12).all()
    assert (cone.widths > 0).all()
    assert (cone.widths <= 1).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda cone: cone.contains([1, 2, 3]), "x must have 2 numbers along its last axis"),
        (lambda cone: cone.project(1.0), "x must have 2 numbers along its last axis"),
        (lambda cone: cone.project([[0, 1], [NAN, 1]]), "x has nan in row 1"),
        (lambda cone: cone.contains([[0, 1], [INF, 1]]), "x has inf in row 1"),
        (lambda cone: cone.contains([1, 2], tolerance=-1e-9), "tolerance must be 0 or more"),
        (lambda cone: cone.contains([1, 2], tolerance="a lot"), "tolerance must be a number"),
        (lambda cone: cone.contains([1.7e308, 1.7e308]), "x has numbers too large"),
        (lambda cone: cone.project([1.7e308, 1.7e308]), "x has numbers too large"),
    ],
)
def test_bad_vectors_are_refused(call, words):
    with pytest.raises(cw.InputError, match=words):
        call(Cone.planar(135))


# -- complexity ----------------------------------------------------------------------------------------------------


def test_the_deepest_direction():
    for cone in named_cones():
        depth = (cone.facets @ cone.centre).min()
        assert np.linalg.norm(cone.centre) == pytest.approx(1, rel=1e-14)
        near = cone.centre + 1e-4 * np.random.default_rng(0).normal(size=(500, cone.dim))
        near /= np.linalg.norm(near, axis=1)[:, None]
        assert (near @ cone.facets.T).min(axis=1).max() <= depth + 1e-12


def test_facet_values_are_those_of_unit_rows_and_lift_norms_reach_them():
    rng = np.random.default_rng(0)
    for cone in (Cone.planar(50), Cone([[2, 1, 0], [0, 3, 1], [1, 0, 1]]), Cone.ice_cream(70, facets=6)):
        points = rng.normal(size=(4, 5, cone.dim))
        np.testing.assert_allclose(cone.facet_values(points), points @ cone.facets.T, atol=1e-12)
        deficits = rng.normal(size=(len(cone.facets), 7))
        norms = cone.lift_norms(deficits)
        assert (norms <= cone.lift_norms(np.maximum(deficits, 0), non_negative=True) + 1e-9).all()
        assert (norms >= deficits.max(axis=0) - 1e-12).all()
        lifts = cone.lifts(deficits)
        np.testing.assert_allclose(np.linalg.norm(lifts, axis=0), norms, atol=1e-9)
        assert (deficits - 1e-9 <= cone.facet_values(lifts.T).T).all()
        for wrong in (np.zeros(cone.dim + 1), 1.0):
            with pytest.raises(InputError, match="points must have"):
                cone.facet_values(wrong)
        for lift in (cone.lift_norms, cone.lifts):
            with pytest.raises(InputError, match="deficits must have shape"):
                lift(np.zeros(3))


@pytest.mark.parametrize("points", [[[1, 2]], np.ones((2, 3)), 3, np.ones((1, 1, 2)), np.array(3.0)])
def test_points_of_another_shape_have_no_order_columns(points):
    with pytest.raises(InputError, match="points"):
        Cone.orthant(2).order_columns(points)


def test_order_columns_keep_the_rows_as_given_and_differ_from_facet_values_by_their_lengths():
    cone, points = Cone([[1, 3], [3, 1]]), np.array([[3.0, 0.0], [0.0, 1.0], [0.1, 0.2]])
    columns = cone.order_columns(points)
    assert columns[0, 0] == columns[0, 1]  # an exact tie, which unit rows need not keep
    np.testing.assert_allclose(columns / cone.order_lengths[:, None], cone.facet_values(points).T, rtol=1e-15)


def test_no_other_module_uses_private_members_of_a_cone():
    package = Path(cw.__file__).parent
    used = {
        f"{path.relative_to(package)}: {ast.unparse(node)}"
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and re.fullmatch("_[a-z].*", node.attr) and path.name != "cone.py"
        if ast.unparse(node.value).rpartition(".")[2] == "cone"
    }
    assert used == set()
