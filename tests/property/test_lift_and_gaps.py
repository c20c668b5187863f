"""The lift norm, both gaps and what is built on them, against quadratic programmes, definitions and brute force.

The quadratic programmes are solved by non-negative least squares (Lawson & Hanson's least-distance programming, scipy's
`nnls` and `lsq_linear`), and every answer comes with a certificate of optimality: see `shared.twins`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.cones import named_cones, random_cone
from shared.strategies import cone_and_points
from shared.twins import cover_distance, escape_by_bisection, lift_length, verdict_by_definition

from conewise import (
    Cone,
    cover_gaps,
    dominates,
    escape_gaps,
    hardness,
    lift_norm,
    pareto_mask,
    separation_gaps,
    strongly_dominates,
    suboptimality_gaps,
    verdict,
    weakly_dominates,
)

AGREE = 1e-9
SCALES = [1e-200, 1e-20, 1e20, 1e200]


def scattered(seed: int) -> tuple[Cone, np.random.Generator]:
    rng = np.random.default_rng([31, seed])
    dim = 1 + seed % 5
    return random_cone(rng, dim, int(rng.integers(dim, 9))), rng


def right_hand_sides(cone: Cone, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Each kind of b that a formula for b >= 0, or one for b in general position, could get wrong."""
    n = len(cone.facets)
    few_rows = rng.exponential(size=(12, n)) * (rng.random((12, n)) < min(1, 3 / n))
    lone = -rng.exponential(size=(4, n))
    lone[np.arange(4), rng.integers(n, size=4)] = 1.0
    return {
        "any signs": rng.normal(size=(6, n)),
        "non-negative": rng.exponential(size=(6, n)),
        "with zeros": np.maximum(rng.normal(size=(6, n)), 0.0),
        "whole numbers": rng.integers(-2, 3, size=(6, n)).astype(float),
        "one positive": lone,
        "equal": np.ones((1, n)),
        "all rows tight": few_rows @ cone.facets @ cone.facets.T,
        "from a difference": np.maximum(-rng.normal(size=(6, cone.dim)) @ cone.facets.T, 0.0),
    }


# -- the lift norm --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_the_lift_norm_is_the_value_of_the_quadratic_programme(first: int) -> None:
    for seed in range(first, first + 10):
        cone, rng = scattered(seed)
        for kind, b in right_hand_sides(cone, rng).items():
            expected = [lift_length(cone.facets, row) for row in b]
            np.testing.assert_allclose(lift_norm(b, cone), expected, rtol=AGREE, atol=0, err_msg=f"cone {seed}, {kind}")


@pytest.mark.parametrize(("dim", "rows"), [(3, 40), (5, 24), (5, 40), (6, 16), (8, 12), (8, 40)])
def test_also_for_cones_with_too_many_subsets_to_tabulate(dim: int, rows: int) -> None:
    """There scipy's `nnls`, taken at its word, is wrong for a few in a hundred of the b that make all rows tight."""
    rng = np.random.default_rng([32, dim, rows])
    cone = Cone.ice_cream(60, facets=40) if dim == 3 else random_cone(rng, dim, rows, spread=0.8)
    for _ in range(5):
        for kind, b in right_hand_sides(cone, rng).items():
            expected = [lift_length(cone.facets, row) for row in b]
            np.testing.assert_allclose(lift_norm(b, cone), expected, rtol=AGREE, atol=0, err_msg=kind)


def test_the_shorter_table_for_non_negative_entries_says_what_the_full_one_says() -> None:
    for seed in range(60):
        cone, rng = scattered(seed)
        b = rng.exponential(size=(len(cone.facets), 2000)) ** rng.uniform(0.3, 4, size=2000)
        b[:, 1000:] *= rng.random((len(cone.facets), 1000)) < 0.6
        fast, full = cone.lift_norms(b, non_negative=True), cone.lift_norms(b)
        np.testing.assert_allclose(fast, full, rtol=1e-12, atol=0, err_msg=f"cone {seed}")


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_also_for_the_named_cones(cone: Cone) -> None:
    for kind, b in right_hand_sides(cone, np.random.default_rng(33)).items():
        expected = [lift_length(cone.facets, row) for row in b]
        np.testing.assert_allclose(lift_norm(b, cone), expected, rtol=AGREE, atol=1e-13, err_msg=kind)


@pytest.mark.parametrize("tilt", [1e-3, 1e-4, 1e-5])
def test_also_with_rows_that_are_nearly_dependent(tilt: float) -> None:
    rng = np.random.default_rng(34)
    for _ in range(10):
        base = random_cone(rng, 4, 5).facets
        middle = (base[0] + base[1]) / np.linalg.norm(base[0] + base[1])
        cone = Cone(np.vstack([base, middle - tilt * base.mean(axis=0), base[0] + tilt * rng.normal(size=4)]))
        for kind in ("any signs", "non-negative", "from a difference"):
            b = right_hand_sides(cone, rng)[kind]
            expected = [lift_length(cone.facets, row) for row in b]
            np.testing.assert_allclose(lift_norm(b, cone), expected, rtol=AGREE, atol=0, err_msg=kind)


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_nothing_to_gain_costs_nothing_and_scales_are_passed_through(first: int) -> None:
    for seed in range(first, first + 10):
        cone, rng = scattered(seed)
        n = len(cone.facets)
        assert (lift_norm(np.zeros((3, n)), cone) == 0).all()
        assert (lift_norm(-rng.exponential(size=(3, n)), cone) == 0).all()
        for b in right_hand_sides(cone, rng).values():
            value = lift_norm(b, cone)
            assert ((value > 0) == (b > 0).any(axis=1)).all()
            assert (value >= b.max(axis=1)).all()
            for scale in SCALES:
                np.testing.assert_allclose(lift_norm(b * scale, cone), value * scale, rtol=1e-12)
        one_matters = np.where(np.eye(n) > 0, 1e-200, -1e200)
        np.testing.assert_allclose(lift_norm(one_matters, cone), 1e-200, rtol=1e-15)


@given(st.data())
def test_the_lift_norm_is_monotone_convex_and_broadcasts(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points())
    rng = np.random.default_rng(len(points))
    b, more = rng.normal(size=(2, 3, 4, len(cone.facets)))
    f = lift_norm(b, cone)
    assert f.shape == (3, 4)
    assert f[1, 2] == pytest.approx(float(lift_norm(b[1, 2], cone)), rel=1e-14)
    assert (lift_norm(b + np.abs(more), cone) >= f * (1 - 1e-13)).all()
    assert (lift_norm((b + more) / 2, cone) <= (f + lift_norm(more, cone)) / 2 + 1e-12).all()


# -- both gap matrices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_cover_gaps_are_the_distances_of_the_definition(first: int) -> None:
    """M(i, j): the least |u|, u in C, with mu_j + u in mu_i + C."""
    for seed in range(first, first + 10):
        cone, rng = scattered(seed)
        means = rng.normal(size=(14, cone.dim))
        expected = [[cover_distance(b - a, cone.facets) for b in means] for a in means]
        np.testing.assert_allclose(cover_gaps(means, cone), expected, rtol=AGREE, atol=1e-13, err_msg=f"cone {seed}")


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_escape_gaps_are_those_of_the_definition_by_bisection(first: int) -> None:
    for seed in range(first, first + 10):
        cone, rng = scattered(seed)
        low = rng.normal(size=cone.dim)
        rivals = np.vstack(
            [low + rng.exponential(size=(3, len(cone.rays))) @ cone.rays, rng.normal(size=(2, cone.dim))]
        )
        expected = [escape_by_bisection(rival - low, cone.facets) for rival in rivals]
        found = escape_gaps(low[None, :], cone, rivals=rivals)[0]
        np.testing.assert_allclose(found, expected, rtol=AGREE, atol=1e-13, err_msg=f"cone {seed}")
        assert (found[:3] > 0).all()


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_no_shorter_improvement_escapes(first: int) -> None:
    """Of many improvements just shorter than m none takes i out of j's shadow, and one just longer does."""
    for seed in range(first, first + 20):
        cone, rng = scattered(seed)
        better = rng.exponential(size=len(cone.rays)) @ cone.rays
        m = escape_gaps(np.zeros((1, cone.dim)), cone, rivals=better[None, :])[0, 0]
        steps = np.vstack([rng.exponential(size=(300, len(cone.rays))) ** 3 @ cone.rays, cone.project(cone.facets)])
        steps = steps / np.linalg.norm(steps, axis=1, keepdims=True)
        assert strongly_dominates(better, m * (1 - 1e-9) * steps, cone).all(), f"cone {seed}"
        assert not strongly_dominates(better, m * (1 + 1e-9) * steps, cone).all(), f"cone {seed}"


@given(st.data())
def test_signs_of_both_gaps_are_the_dominance_relations(data: st.DataObject) -> None:
    """Corollary 4.5, exactly: m > 0 where j strongly dominates i, M = 0 where it weakly does; never both positive."""
    cone, points = data.draw(cone_and_points(close=data.draw(st.booleans())))
    m, M = escape_gaps(points, cone), cover_gaps(points, cone)
    worse, better = points[:, None], points[None, :]
    np.testing.assert_array_equal(m > 0, strongly_dominates(better, worse, cone))
    np.testing.assert_array_equal(M == 0, weakly_dominates(better, worse, cone))
    assert not ((m > 0) & (M > 0)).any()


@given(st.data())
def test_rivals_may_be_a_mask_indices_a_set_or_points(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points())
    chosen = data.draw(st.lists(st.integers(0, len(points) - 1), min_size=1, max_size=5, unique=True))
    mask = np.isin(np.arange(len(points)), chosen)
    for gaps in (escape_gaps, cover_gaps):
        everything = gaps(points, cone)
        np.testing.assert_array_equal(gaps(points, cone, rivals=mask), everything[:, mask])
        np.testing.assert_array_equal(gaps(points, cone, rivals=np.array(chosen)), everything[:, chosen])
        np.testing.assert_array_equal(gaps(points, cone, rivals=set(chosen)), everything[:, sorted(chosen)])
        np.testing.assert_array_equal(gaps(points, cone, rivals=points[chosen]), everything[:, chosen])
        assert gaps(points, cone, rivals=np.zeros(len(points), dtype=bool)).shape == (len(points), 0)


@pytest.mark.parametrize("scale", SCALES)
def test_gaps_of_huge_and_tiny_means(scale: float) -> None:
    for seed in range(10):
        cone, rng = scattered(seed)
        means = rng.integers(-4, 5, size=(25, cone.dim)).astype(float)
        for gaps in (escape_gaps, cover_gaps, suboptimality_gaps, separation_gaps):
            expected = gaps(means, cone)
            found = gaps(means * scale, cone)
            np.testing.assert_allclose(found, expected * scale, rtol=1e-11, atol=1e-13 * scale)


# -- gaps of designs, by boxes and by brute force -------------------------------------------------------------


def designs(kind: str, rng: np.random.Generator, count: int, dim: int) -> np.ndarray:
    if kind == "clustered":
        return rng.normal(size=(7, dim))[rng.integers(7, size=count)] + 1e-3 * rng.normal(size=(count, dim))
    if kind == "tied":
        return rng.integers(-3, 4, size=(count, dim)).astype(float)
    if kind == "collinear":
        return rng.integers(-50, 51, size=(count, 1)) * np.linspace(-1, 1, dim) + (dim == 1)
    if kind == "identical":
        return np.tile(rng.normal(size=dim), (count, 1))
    points = rng.normal(size=(count, dim))
    if kind == "sphere":
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points


def brute_force(means: np.ndarray, cone: Cone) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(front, Delta*, Delta+) from the full matrices of both gaps."""
    front = pareto_mask(means, cone)
    members = np.flatnonzero(front)
    star = escape_gaps(means, cone, rivals=members).max(axis=1)
    M = cover_gaps(means[members], cone)
    np.fill_diagonal(M, np.inf)
    plus = np.full(len(means), np.inf)
    plus[members] = M.min(axis=1)
    return front, star, plus


SEARCHES = [
    (kind, count, cone)
    for kind in ("clustered", "tied", "collinear", "identical", "sphere", "gaussian")
    for count, cone in [
        (1, Cone.orthant(2)),
        (2, Cone.planar(45)),
        (40, Cone.orthant(1)),
        (700, Cone.planar(120)),
        (400, Cone.ice_cream(80, facets=6)),
        (300, Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]])),
        (200, Cone.ranked(4)),
    ]
] + [
    ("gaussian", 3000, Cone.orthant(3)),
    ("clustered", 3000, Cone.planar(60)),
    ("tied", 3000, Cone.ice_cream(60, facets=6)),
    ("collinear", 3000, Cone.planar(135)),
    ("sphere", 3000, Cone.orthant(2)),
    ("gaussian", 2000, Cone.orthant(4)),
]


@pytest.mark.parametrize(("kind", "count", "cone"), SEARCHES, ids=lambda value: str(value))
def test_the_search_by_boxes_finds_what_brute_force_finds(kind: str, count: int, cone: Cone) -> None:
    means = designs(kind, np.random.default_rng([35, count]), count, cone.dim)
    front, star, plus = brute_force(means, cone)
    np.testing.assert_array_equal(suboptimality_gaps(means, cone), star)
    np.testing.assert_allclose(separation_gaps(means, cone), plus, rtol=1e-13, atol=0)
    for epsilon in (0.05, 0.7):
        gaps = np.maximum(np.where(front, plus, star), epsilon)
        assert hardness(means, cone, epsilon) == pytest.approx(float((1 / gaps**2).sum()), rel=1e-12)


@given(st.data())
def test_the_suboptimality_gap_is_positive_exactly_where_a_design_is_strongly_dominated(data: st.DataObject) -> None:
    """Zero on the front, and zero where a design is dominated on the boundary of the cone only."""
    cone, points = data.draw(cone_and_points(close=data.draw(st.booleans())))
    front, gap = pareto_mask(points, cone), suboptimality_gaps(points, cone)
    better, worse = points[None, :], points[:, None]
    strongly = strongly_dominates(better, worse, cone).any(axis=1)
    np.testing.assert_array_equal(gap > 0, strongly)
    assert not gap[front].any()
    at_the_boundary = dominates(better, worse, cone).any(axis=1) & ~strongly
    assert not gap[at_the_boundary].any()


def test_a_design_dominated_along_one_facet_has_no_suboptimality_gap() -> None:
    for cone in [*named_cones(), *(scattered(seed)[0] for seed in range(5, 15))]:
        if cone.dim == 1:
            continue
        whole = cone.dim == len(cone.facets) and (cone.facets == np.eye(cone.dim)).all()
        ray = cone.rays[0]
        # Along an extreme ray two designs are compared by the cone's boundary; only the orthant's rays are exact.
        gap = suboptimality_gaps(np.vstack([np.zeros(cone.dim), ray]), cone)
        np.testing.assert_allclose(gap, 0.0, atol=0.0 if whole else 1e-14)


@given(st.data())
def test_the_separation_gap_is_zero_for_twins_and_infinite_alone(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(whole=True))
    front, gap = pareto_mask(points, cone), separation_gaps(points, cone)
    assert np.isinf(gap[~front]).all()
    _, which, copies = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(gap[front] == 0, copies[which.ravel()][front] > 1)
    if front.sum() == 1:
        assert np.isinf(gap).all()
    else:
        assert np.isfinite(gap[front]).all()


# -- the verdict ----------------------------------------------------------------------------------------------


@given(st.data())
def test_the_verdict_is_that_of_the_definition(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points())
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points))))
    # Whole numbers and the roots of whole numbers are common among the gaps; these epsilons are neither.
    epsilon = data.draw(st.sampled_from([0.0, 0.0123457, 0.3141593, 1.2345678, 2.7182818]))
    m, M = escape_gaps(points, cone), cover_gaps(points, cone)
    uncovered, too_far, missed = verdict_by_definition(chosen, pareto_mask(points, cone), m, M, epsilon)
    found = verdict(chosen, points, cone, epsilon)
    assert set(found.uncovered.tolist()) == uncovered
    assert set(found.too_far.tolist()) == too_far
    assert set(found.missed.tolist()) == missed
    assert found.success == bool(found) == (not uncovered and not too_far)


@pytest.mark.parametrize("cone", [Cone.planar(60), Cone.orthant(3), Cone.ice_cream(80, facets=6)], ids=str)
def test_the_verdict_on_many_designs(cone: Cone) -> None:
    rng = np.random.default_rng(36)
    for kind in ("gaussian", "clustered", "sphere"):
        means = designs(kind, rng, 500, cone.dim)
        m, M, front = escape_gaps(means, cone), cover_gaps(means, cone), pareto_mask(means, cone)
        for share, epsilon in [(0.5, 0.05), (0.1, 0.3), (0.02, 1.0), (0.9, 0.0)]:
            chosen = rng.random(500) < share
            uncovered, too_far, missed = verdict_by_definition(chosen, front, m, M, epsilon)
            found = verdict(np.flatnonzero(chosen), means, cone, epsilon)
            assert found.uncovered.tolist() == sorted(uncovered)
            assert found.too_far.tolist() == sorted(too_far)
            assert found.missed.tolist() == sorted(missed)


@given(st.data())
def test_the_front_itself_succeeds_and_a_gap_equal_to_epsilon_is_within_it(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points())
    front = pareto_mask(points, cone)
    assert verdict(front, points, cone, 0.0)
    assert len(verdict(front, points, cone, 0.0).missed) == 0
    everything = np.ones(len(points), dtype=bool)
    largest = float(suboptimality_gaps(points, cone).max())
    assert verdict(everything, points, cone, largest)
    if largest > 0:
        assert not verdict(everything, points, cone, largest * (1 - 1e-6))


@pytest.mark.parametrize("seed", range(12))
def test_a_design_is_as_far_from_optimal_or_further_after_each_statement(seed):
    """So that more statements may make an answer vaguer; none comes nearer, and the list never grows."""
    rng = np.random.default_rng([47, seed])
    dim = 2 + seed % 3
    points, rays = rng.normal(size=(20, dim)), np.eye(dim)
    gaps, kept = suboptimality_gaps(points, Cone.orthant(dim)), pareto_mask(points, Cone.orthant(dim))
    grown = 0
    for _ in range(3):
        give, get = rng.permutation(dim)[:2]
        rays = np.vstack([rays, np.eye(dim)[get] - rng.uniform(0.3, 0.9) * np.eye(dim)[give]])
        wider = Cone.from_rays(rays)
        further, fewer = suboptimality_gaps(points, wider), pareto_mask(points, wider)
        assert (further >= gaps - AGREE).all()
        assert not (fewer & ~kept).any()
        grown += int((further > gaps + AGREE).sum())
        gaps, kept = further, fewer
    assert grown
