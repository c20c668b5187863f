"""The cone as a value: construction, refusals and their remedies, equality, geometry, complexity."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from shared.cones import named_cones, random_cone

import conewise as cw
from conewise import Cone, ConeError, InputError

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


@pytest.mark.parametrize("dim", range(1, 9))
def test_orthant(dim):
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

REFUSED = {
    "no rows": (lambda: Cone([]), "W must have shape", r"\(N, D\)"),
    "no columns": (lambda: Cone([[]]), "W must have shape", r"\(N, D\)"),
    "a single vector": (lambda: Cone([1, 2]), "W must have shape", r"got shape \(2,\)"),
    "a number": (lambda: Cone(3), "W must have shape", r"\(N, D\)"),
    "three axes": (lambda: Cone(np.ones((2, 2, 2))), "W must have shape", r"got shape \(2, 2, 2\)"),
    "text": (lambda: Cone("planar"), "W must be a rectangular array of real numbers", "check for text"),
    "text inside": (lambda: Cone([["1", "0"], ["0", "1"]]), "W must be a rectangular array", "check for text"),
    "ragged": (lambda: Cone([[1, 2], [3]]), "W must be a rectangular array", "rows of unequal length"),
    "complex": (lambda: Cone([[1j, 0], [0, 1]]), "W must be a rectangular array", "complex numbers"),
    "too large": (lambda: Cone([[10**400, 1], [1, 0]]), "W must be a rectangular array", "real numbers"),
    "NaN": (lambda: Cone([[1, 0], [NAN, 1]]), "W has NaN or infinity in row 1", "must be finite"),
    "infinity": (lambda: Cone([[1, INF], [0, 1]]), "W has NaN or infinity in row 0", "must be finite"),
    "zero row": (lambda: Cone([[1, 0], [0, 0], [0, 1]]), "row 1 of W is zero", "remove it"),
    "too few rows": (lambda: Cone([[1, 1]]), r"not pointed: .*0\.7071.* lies in C and in -C", "add a row"),
    "a line": (lambda: Cone([[1, 0, 0], [0, 1, 0]]), r"not pointed: \(0, 0, 1\) lies in C and in -C", "add a row"),
    "dependent rows": (
        lambda: Cone([[1, 0, 1], [0, 1, 1], [1, 1, 2], [1, -1, 0]]),
        r"not pointed: \(.*0\.5774.*\) lies in C and in -C",
        "add a row",
    ),
    "opposite rows": (
        lambda: Cone([[0, 1], [1, 0], [0, -1]]),
        "empty interior: rows 0 and 2",
        "remove or tilt one of them",
    ),
    "rows all round": (
        lambda: Cone([[1, 0], [-1, 1], [-1, -1]]),
        "empty interior: rows 0, 1 and 2",
        "remove or tilt one of them",
    ),
    "one objective both ways": (lambda: Cone([[1], [-1]]), "empty interior: rows 0 and 1", "remove or tilt"),
    "angle 0": (lambda: Cone.planar(0), "degrees must lie strictly between 0 and 180", "got 0"),
    "angle 180": (lambda: Cone.planar(180), "degrees must lie strictly between 0 and 180", "half-plane"),
    "angle 270": (lambda: Cone.planar(270), "degrees must lie strictly between 0 and 180", "not convex"),
    "angle -45": (lambda: Cone.planar(-45), "degrees must lie strictly between 0 and 180", "got -45"),
    "angle 1e-9": (lambda: Cone.planar(1e-9), "too thin: .* is too near to a half line", "at least 0.0002"),
    "angle 1e-300": (lambda: Cone.planar(1e-300), "too thin: .* is too near to a half line", "at least 0.0002"),
    "angle 180 - 1e-9": (
        lambda: Cone.planar(180 - 1e-9),
        r"too wide: degrees = 179\.999999999 is too near to a half-plane",
        "at least 0.0002 below 180",
    ),
    "thin ice cream": (lambda: Cone.ice_cream(1e-9), "too thin: .* is too near to a half line", "at least 0.0002"),
    "ice cream of too many": (
        lambda: Cone.ice_cream(179.9998, 100),
        "100 facets cannot be told apart numerically at degrees = 179.9998",
        "take fewer facets",
    ),
    "wide ice cream": (lambda: Cone.ice_cream(180 - 1e-9), "too wide: .* near to a half-space", "below 180"),
    "rows nearly opposite": (
        lambda: Cone([[1, 0], [-1, 1e-11]]),
        "too thin: rows 0 and 1 .* vanishes within 5e-12",
        "tilt its rows apart, or choose more degrees",
    ),
    "three rows nearly opposite": (lambda: Cone([[1, 0], [-1, 1e-11], [0, 1]]), "too thin: rows 0 and 1", "tilt"),
    "rows nearly equal": (
        lambda: Cone([[1, 0], [1, 1e-11]]),
        r"too wide: within 5e-12 it contains the whole line along \(.*, 1\)",
        "tilt its rows apart, or choose fewer degrees",
    ),
    "rows nearly in a plane": (
        lambda: Cone([[1, 0, 0], [0, 1, 0], [1, 1, 1e-12]]),
        r"too wide: within .* the whole line along \(.*, 1\)",
        "tilt its rows apart",
    ),
    "shares nearly 1/2": (lambda: Cone.importance(0.5 - 1e-12), "too wide: .* the whole line", "tilt its rows apart"),
    "rays nearly equal": (
        lambda: Cone.from_rays([[1, 0], [1, 1e-12]]),
        r"too thin: the rays are all orthogonal to \(.*, 1\) within 5e-13",
        "add a ray",
    ),
    "rays nearly opposite": (
        lambda: Cone.from_rays([[1, 0], [-1, 1e-12]]),
        "too wide: rays 0 and 1 .* vanishes within 5e-13",
        "tilt one of them inwards",
    ),
    "angle NaN": (lambda: Cone.planar(NAN), "degrees must be finite", "got nan"),
    "angle as text": (lambda: Cone.planar("90"), "degrees must be a number", "got '90'"),
    "angle as a list": (lambda: Cone.planar([90]), "degrees must be a number", r"got \[90\]"),
    "share 1/2": (lambda: Cone.importance(0.5, 2), r"share must be .* below 1/dim = 0\.5", "choose a smaller share"),
    "share 0.4 of 3": (lambda: Cone.importance(0.4, 3), "share must be .* below 1/dim", "choose a smaller share"),
    "share below 0": (lambda: Cone.importance(-0.1, 2), "share must be at least 0", "choose 0 for the orthant"),
    "share NaN": (lambda: Cone.importance(NAN), "share must be finite", "got nan"),
    "dim 0": (lambda: Cone.orthant(0), "dim must be at least 1", "got 0"),
    "dim 2.5": (lambda: Cone.ranked(2.5), "dim must be a whole number", r"got 2\.5"),
    "dim True": (lambda: Cone.orthant(True), "dim must be a whole number", "got True"),
    "flat rays": (lambda: Cone.from_rays([[1, 0], [2, 0]]), r"rays are all orthogonal to \(0, 1\)", "add a ray"),
    "one ray": (lambda: Cone.from_rays([[1, 2]]), r"flat \(empty interior\)", "add a ray"),
    "opposite rays": (
        lambda: Cone.from_rays([[1, 0], [0, 1], [-1, 0]]),
        r"not pointed: \(.*1, .*0\) lies in C and in -C .rays 0 and 2",
        "remove one of these rays",
    ),
    "zero ray": (lambda: Cone.from_rays([[1, 0], [0, 0]]), "row 1 of V is zero", "remove it"),
    "NaN ray": (lambda: Cone.from_rays([[1, 0], [0, NAN]]), "V has NaN or infinity in row 1", "must be finite"),
    "two facets": (lambda: Cone.ice_cream(60, facets=2), "facets must be at least 3", "got 2"),
    "ice cream 180": (lambda: Cone.ice_cream(180), "degrees must lie strictly between 0 and 180", "got 180"),
    "not square": (lambda: Cone.exchange([[1, 2, 3], [1, 1, 1]]), "pi must be square", r"got shape \(2, 3\)"),
    "diagonal": (
        lambda: Cone.exchange([[2, 1], [1, 1]]),
        "pi must be positive with ones on its diagonal",
        "buys itself",
    ),
    "negative rate": (lambda: Cone.exchange([[1, -2], [2, 1]]), "pi must be positive", "ones on its diagonal"),
    "NaN rate": (lambda: Cone.exchange([[1, NAN], [2, 1]]), "pi has NaN or infinity in row 0", "must be finite"),
    "arbitrage": (
        lambda: Cone.exchange([[1, 0.5], [1, 1]]),
        r"pi allows arbitrage: exchanging asset (0 -> 1 -> 0|1 -> 0 -> 1) turns 1 unit into 2",
        "raise the rates",
    ),
    "free exchange": (lambda: Cone.exchange([[1, 2], [0.5, 1]]), "pi allows a free exchange", "raise the rates"),
    "arbitrage over three": (
        lambda: Cone.exchange([[1, 0.9, 9], [9, 1, 0.9], [0.9, 9, 1]]),
        r"arbitrage: exchanging asset (0 -> 1 -> 2 -> 0|1 -> 2 -> 0 -> 1|2 -> 0 -> 1 -> 2) turns 1 unit into 1\.37",
        "raise the rates",
    ),
    "another dimension": (lambda: Cone.orthant(2).includes(Cone.orthant(3)), "cannot compare a cone in R.2", "R.3"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_cones_are_refused_with_the_remedy(case):
    make, what, remedy = REFUSED[case]
    with pytest.raises(ConeError, match=what) as caught:
        make()
    assert caught.match(remedy)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("make", [Cone.planar, lambda angle: Cone.ice_cream(angle, 3)], ids=["planar", "ice cream"])
def test_the_smallest_angles_named_are_accepted(make):
    for degrees in (2e-4, 180 - 2.0001e-4):
        cone = make(degrees)
        assert len(cone.rays) == len(cone.facets) == cone.dim


@pytest.mark.parametrize("degrees", [2e-4, 1e-3, 1e-2, 1.0, 179.0, 179.999, 180 - 1e-3, 180 - 2.0001e-4])
@pytest.mark.parametrize("count", [4, 5, 12, 40])
def test_a_round_cone_has_all_its_facets_and_rays_or_is_refused(degrees, count):
    """Neighbouring facets of thin and of wide cones differ by little: none may be lost on the way."""
    if degrees < 1e-2 or degrees > 179.9:
        try:
            cone = Cone.ice_cream(degrees, count)
        except ConeError:
            return
    else:
        cone = Cone.ice_cream(degrees, count)
    assert len(cone.facets) == len(cone.rays) == count


def test_rows_that_cannot_be_told_apart_are_refused():
    """Within rounding each of them follows from the others."""
    turns = 2 * np.pi * np.arange(40) / 40
    rows = np.column_stack([2.6e-10 * np.cos(turns), 2.6e-10 * np.sin(turns), np.ones(40)])
    with pytest.raises(ConeError, match="too wide: within"):
        Cone(rows)


def test_the_direction_named_really_lies_in_the_cone_and_in_its_opposite():
    rows = np.array([[1.0, 2.0, 3.0], [2.0, -1.0, 0.5], [3.0, 1.0, 3.5]])  # the third is the sum of the others
    with pytest.raises(ConeError, match="not pointed") as caught:
        Cone(rows)
    words = str(caught.value).split("(")[1].split(")")[0]
    direction = np.array([float(word) for word in words.split(",")])
    np.testing.assert_allclose(rows @ direction, 0, atol=1e-3)
    assert np.linalg.norm(direction) == pytest.approx(1, abs=1e-3)


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
def test_rays_lie_in_the_cone_and_on_enough_facets(cone):
    assert cone.contains(cone.rays, tolerance=1e-12).all()
    np.testing.assert_allclose(np.linalg.norm(cone.rays, axis=1), 1, rtol=1e-14)
    for ray in cone.rays:
        met = cone.facets[np.abs(cone.facets @ ray) < 1e-12]
        assert np.linalg.matrix_rank(met) == cone.dim - 1 if len(met) else cone.dim == 1


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_facets_of_the_rays_are_the_facets(cone):
    assert Cone.from_rays(cone.rays) == cone


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
def test_includes(cone):
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


def witnessed(found: cw.OrderingComplexity) -> float:
    """The ratio |a| / |a + b| that the pair of unit vectors proves, b scaled as well as can be: csc of their angle."""
    u, v = found.pair
    return 1 / np.sqrt(1 - (u @ v) ** 2) if u @ v < 0 else 1.0


@pytest.mark.parametrize("rows", [6, 9, 12])
@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_complexity_is_exact_up_to_five_objectives_and_twelve_facets(dim, rows):
    rng, obtuse = np.random.default_rng([dim, rows]), 0
    while obtuse < 3:
        cone = random_cone(rng, dim, rows)
        found = cone.complexity
        assert found.exact
        assert found.lower == found.upper == found.beta
        if found.beta > 1:
            obtuse += 1
            assert witnessed(found) == pytest.approx(found.beta, rel=1e-9)
            assert cone.dual.contains(found.pair, tolerance=1e-9).all()


@pytest.mark.parametrize("degrees", [15, 40, 80, 110])
def test_complexity_is_exact_for_forty_facets_in_three_objectives(degrees):
    rng = np.random.default_rng(degrees)
    axis, across = np.ones(3) / np.sqrt(3), np.linalg.svd(np.ones((1, 3)))[2][1:]
    turns = np.sort(rng.uniform(0, 2 * np.pi, 40))
    half = np.radians(degrees / 2)
    cone = Cone(np.sin(half) * axis + np.cos(half) * np.column_stack([np.cos(turns), np.sin(turns)]) @ across)
    assert len(cone.facets) == 40
    assert cone.complexity.exact
    assert witnessed(cone.complexity) == pytest.approx(cone.complexity.beta, rel=1e-9)


def many_facets(dim: int, seed: int) -> Cone:
    """Forty rows at one angle from an axis, some pairs obtuse: none is redundant, and the dual has very many faces."""
    rng = np.random.default_rng([dim, seed])
    rim = np.zeros((40, dim))
    rim[:, 1:] = rng.normal(size=(40, dim - 1))
    rim /= np.linalg.norm(rim, axis=1)[:, None]
    return Cone(np.eye(dim)[0] * np.cos(np.radians(55)) + rim * np.sin(np.radians(55)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dim", [7, 8])
def test_complexity_is_an_honest_bracket_when_there_are_too_many_faces(dim, seed):
    cone = many_facets(dim, seed)
    assert len(cone.facets) == 40
    found = cone.complexity
    assert not found.exact
    assert 1 <= found.beta2 <= found.lower < found.upper
    assert found.beta == found.beta1 == found.upper  # the safe end
    np.testing.assert_allclose(np.linalg.norm(found.pair, axis=1), 1, rtol=1e-12)
    assert (found.pair @ cone.rays.T >= -1e-9).all()  # both lie in the dual cone
    assert witnessed(found) == pytest.approx(found.lower, rel=1e-9)
    assert "<= beta <=" in repr(found)


@pytest.mark.parametrize("cone", [Cone.ranked(8), Cone.orthant(8), Cone.importance(0.05, dim=8)], ids=str)
def test_eight_objectives(cone):
    assert cone.complexity.exact
    assert cone.complexity.beta == 1.0
    assert len(cone.rays) == 8


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
        for wrong in (np.zeros(cone.dim + 1), 1.0):
            with pytest.raises(InputError, match="points must have"):
                cone.facet_values(wrong)
        with pytest.raises(InputError, match="deficits must have shape"):
            cone.lift_norms(np.zeros(3))
