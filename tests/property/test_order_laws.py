"""The laws of the cone order: a partial order, its Pareto set by any route, and what must not change either."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from shared.strategies import cone_and_points, dims, grid_points, unimodular, whole_cones, whole_rows
from shared.twins import maximal_by_chunks

from conewise import (
    Cone,
    cover_gaps,
    dominates,
    escape_gaps,
    hardness,
    pareto_mask,
    separation_gaps,
    strongly_dominates,
    suboptimality_gaps,
    weakly_dominates,
)
from conewise.order.dominance import pareto_mask_by_definition

relations = pytest.mark.parametrize("relation", [weakly_dominates, dominates, strongly_dominates])


def pairs(relation, points: np.ndarray, cone: Cone) -> np.ndarray:
    """entry [j, i]: j is better than i."""
    return relation(points[:, None], points[None, :], cone)


# -- a partial order ----------------------------------------------------------------------------------------


@given(st.data())
def test_weak_dominance_is_reflexive_and_transitive_also_between_near_duplicates(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=True))
    weak = pairs(weakly_dominates, points, cone)
    assert weak.diagonal().all()
    through = (weak[:, :, None] & weak[None, :, :]).any(axis=1)
    assert not (through & ~weak).any()


@given(st.data())
def test_the_strict_kinds_are_irreflexive_asymmetric_and_transitive(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=True))
    for relation in (dominates, strongly_dominates):
        strict = pairs(relation, points, cone)
        assert not strict.diagonal().any()
        assert not (strict & strict.T).any()
        through = (strict[:, :, None] & strict[None, :, :]).any(axis=1)
        assert not (through & ~strict).any()


@given(st.data())
def test_weak_dominance_is_antisymmetric(data: st.DataObject) -> None:
    """With whole numbers nothing is rounded: designs that weakly dominate each other are identical."""
    cone, points = data.draw(cone_and_points(whole=True))
    weak = pairs(weakly_dominates, points, cone)
    identical = (points[:, None] == points[None, :]).all(axis=-1)
    np.testing.assert_array_equal(weak & weak.T, identical)


@given(st.data())
def test_the_three_kinds_are_nested(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=data.draw(st.booleans())))
    weak, proper, strong = (pairs(kind, points, cone) for kind in (weakly_dominates, dominates, strongly_dominates))
    assert not (strong & ~proper).any()
    assert not (proper & ~weak).any()
    np.testing.assert_array_equal(proper, weak & ~weak.T)


@given(st.data())
def test_dominance_is_membership_of_the_difference(data: st.DataObject) -> None:
    """Differences of whole numbers are exact, and so is `contains`."""
    cone, points = data.draw(cone_and_points(whole=True))
    difference = points[:, None] - points[None, :]
    np.testing.assert_array_equal(pairs(weakly_dominates, points, cone), cone.contains(difference))
    np.testing.assert_array_equal(pairs(strongly_dominates, points, cone), cone.contains(difference, interior=True))


@relations
@settings(max_examples=20)
@given(data=st.data())
def test_broadcasting_is_looping(relation, data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=True, most=6))
    table = pairs(relation, points, cone)
    assert table.shape == (len(points), len(points))
    for j, better in enumerate(points):
        np.testing.assert_array_equal(relation(better, points, cone), table[j])
        np.testing.assert_array_equal(relation(points, better, cone), table[:, j])
        for i, worse in enumerate(points):
            single = relation(better, worse, cone)
            assert single.shape == ()
            assert bool(single) == table[j, i]


# -- the Pareto set by every route ---------------------------------------------------------------------------


@given(st.data())
def test_the_fast_mask_is_the_mask_of_the_definition_with_ties_and_near_duplicates(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=data.draw(st.booleans()), most=40))
    for keep in (True, False):
        fast = pareto_mask(points, cone, keep_duplicates=keep)
        np.testing.assert_array_equal(fast, pareto_mask_by_definition(points, cone, keep_duplicates=keep))


@given(st.data())
def test_the_definition_is_that_of_whole_number_arithmetic(data: st.DataObject) -> None:
    dim = data.draw(dims())
    rows, points = data.draw(whole_rows(dim)), data.draw(grid_points(dim, 40))
    z = points @ rows.T  # exact
    for keep in (True, False):
        expected = maximal_by_chunks(z, keep_duplicates=keep)
        np.testing.assert_array_equal(pareto_mask(points, Cone(rows), keep_duplicates=keep), expected)


HEXAGON = [[2, 0, 2], [1, 2, 2], [-1, 2, 2], [-2, 0, 2], [-1, -2, 2], [1, -2, 2]]
PYRAMID = [[1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1]]
PRISM = [[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]]
WHOLE = {
    "one facet": [[1]],
    "two facets": [[1, 3], [3, 1]],
    "two facets, narrow": [[2, -1], [-1, 2]],
    "three facets": [[1, -2, 4], [4, 1, -2], [-2, 4, 1]],
    "four facets": PYRAMID,
    "four facets, orthant": np.eye(4).tolist(),
    "six facets": HEXAGON,
    "six facets in four dimensions": PRISM,
}


def crowd(kind: str, rng: np.random.Generator, count: int, dim: int) -> np.ndarray:
    """Many whole-number designs: spread over a box, close to a surface, on a handful of places, or with one on top."""
    if kind == "box":
        return rng.integers(-15, 16, size=(count, dim)).astype(float)
    if kind == "surface":
        points = np.rint(40 * rng.dirichlet(np.ones(dim), size=count))
        return points - rng.integers(0, 2, size=(count, dim))
    if kind == "few places":
        return rng.integers(-1, 2, size=(count, dim)).astype(float)
    points = rng.integers(-15, 16, size=(count, dim)).astype(float)
    points[count // 3] = 1000.0
    points[count // 2] = 1000.0
    return points


@pytest.mark.parametrize("kind", ["box", "surface", "few places", "one on top"])
@pytest.mark.parametrize("rows", WHOLE.values(), ids=WHOLE.keys())
def test_the_mask_of_many_designs_is_that_of_all_pairs(rows: list[list[int]], kind: str) -> None:
    """Beyond the size at which strong designs first drop the weak ones."""
    cone = Cone(rows)
    assert len(cone.facets) == len(rows)
    points = crowd(kind, np.random.default_rng([51, len(rows)]), 5000, cone.dim)
    z = points @ np.array(rows, dtype=float).T
    for keep in (True, False):
        expected = maximal_by_chunks(z, keep_duplicates=keep)
        np.testing.assert_array_equal(pareto_mask(points, cone, keep_duplicates=keep), expected)


@pytest.mark.parametrize(("rows", "count"), [(WHOLE["two facets"], 20_000), (HEXAGON, 12_000), (np.eye(3), 20_000)])
def test_the_mask_of_twenty_thousand_designs(rows: list[list[int]], count: int) -> None:
    """In blocks: more than one chunk of the pass over the designs, and the best of them in the last one."""
    cone = Cone(rows)
    rng = np.random.default_rng(52)
    points = np.vstack([crowd("box", rng, count // 2, cone.dim), 3 + crowd("surface", rng, count // 2, cone.dim)])
    expected = maximal_by_chunks(points @ np.array(rows, dtype=float).T)
    np.testing.assert_array_equal(pareto_mask(points, cone), expected)


def test_near_duplicates_among_many_designs() -> None:
    """One unit in the last place decides, wherever the two designs stand."""
    rng = np.random.default_rng(53)
    for cone in (Cone.orthant(2), Cone.orthant(3), Cone.planar(70), Cone.ice_cream(100, facets=5)):
        points = rng.integers(0, 4, size=(5000, cone.dim)) / 3
        points[::3] = np.nextafter(points[::3], np.inf)
        points[::7, 0] = np.nextafter(points[::7, 0], -np.inf)
        z = cone.order_columns(points).T
        np.testing.assert_array_equal(pareto_mask(points, cone), maximal_by_chunks(z))


# -- what a Pareto set is --------------------------------------------------------------------------------------


@given(st.data())
def test_every_design_has_a_pareto_design_above_it_and_no_pareto_design_has_any(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=data.draw(st.booleans())))
    front = pareto_mask(points, cone)
    proper = pairs(dominates, points, cone)
    assert front.any()
    np.testing.assert_array_equal(proper[front].any(axis=0), ~front)
    assert not proper[:, front].any()


@given(st.data())
def test_removing_dominated_designs_changes_nothing(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=data.draw(st.booleans())))
    front = pareto_mask(points, cone)
    drop = ~front & np.array(data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points))))
    np.testing.assert_array_equal(pareto_mask(points[~drop], cone), front[~drop])
    np.testing.assert_array_equal(suboptimality_gaps(points[~drop], cone), suboptimality_gaps(points, cone)[~drop])
    np.testing.assert_allclose(separation_gaps(points[~drop], cone), separation_gaps(points, cone)[~drop], rtol=1e-13)
    assert pareto_mask(points[front], cone).all()


@given(st.data())
def test_the_order_in_which_designs_are_listed_does_not_matter(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(close=True))
    order = np.array(data.draw(st.permutations(range(len(points)))))
    np.testing.assert_array_equal(pareto_mask(points[order], cone), pareto_mask(points, cone)[order])
    np.testing.assert_array_equal(suboptimality_gaps(points[order], cone), suboptimality_gaps(points, cone)[order])


@given(st.data())
def test_of_duplicates_the_first_is_kept(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(whole=True, most=30))
    every, first = pareto_mask(points, cone), pareto_mask(points, cone, keep_duplicates=False)
    seen: set[tuple[float, ...]] = set()
    for i, point in enumerate(map(tuple, points)):
        assert first[i] == (every[i] and point not in seen)
        seen.add(point)


@given(st.data())
def test_a_larger_cone_has_a_smaller_pareto_set_and_smaller_cover_gaps(data: st.DataObject) -> None:
    """Remarks 3.2 and 4.4 of the paper: combinations of the rows are fewer demands."""
    dim = data.draw(dims())
    small = data.draw(whole_rows(dim))
    mix = data.draw(npst.arrays(float, (len(small) + 1, len(small)), elements=st.integers(0, 2)))
    rows = mix @ small
    rows = rows[rows.any(axis=1)]
    if not len(rows) or np.linalg.matrix_rank(rows) < dim:
        rows = small
    narrow, wide = Cone(small), Cone(rows)
    assert wide.includes(narrow)
    points = data.draw(grid_points(dim, 25))
    assert not (pareto_mask(points, wide) & ~pareto_mask(points, narrow)).any()
    assert (cover_gaps(points, wide) <= cover_gaps(points, narrow) * (1 + 1e-12) + 1e-12).all()


def test_pareto_sets_shrink_along_chains_of_named_cones() -> None:
    rng = np.random.default_rng(54)
    chains = [
        [Cone.planar(degrees) for degrees in (5, 45, 90, 120, 135, 175)],
        [Cone.importance(share, dim=3) for share in (0, 0.1, 0.2, 0.3)],
        [Cone.orthant(4), Cone.ranked(4)],
        [Cone.ice_cream(degrees, facets=7) for degrees in (30, 60, 120, 170)],
    ]
    for chain in chains:
        points = rng.normal(size=(2000, chain[0].dim))
        masks = [pareto_mask(points, cone) for cone in chain]
        for i, narrow in enumerate(chain):
            for j, wide in enumerate(chain):
                assert wide.includes(narrow) == (i <= j)
        for more, less in pairwise(masks):
            assert not (less & ~more).any()
            assert less.sum() < more.sum()


# -- invariance ----------------------------------------------------------------------------------------------


def everything(points: np.ndarray, cone: Cone, epsilon: float) -> dict[str, np.ndarray]:
    return {
        "mask": pareto_mask(points, cone),
        "m": escape_gaps(points, cone),
        "M": cover_gaps(points, cone),
        "star": suboptimality_gaps(points, cone),
        "plus": separation_gaps(points, cone),
        "H": np.array(hardness(points, cone, epsilon)),
    }


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray], scale: float = 1.0) -> None:
    """The mask exactly; gaps to rounding, multiplied by `scale`; H divided by its square."""
    np.testing.assert_array_equal(found["mask"], expected["mask"])
    for name in ("m", "M", "star", "plus"):
        np.testing.assert_allclose(found[name], expected[name] * scale, rtol=1e-10, atol=0, err_msg=name)
    np.testing.assert_allclose(found["H"], expected["H"] / scale**2, rtol=1e-9)


@given(st.data())
def test_translation_changes_nothing(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(whole=True))
    shift = data.draw(npst.arrays(float, cone.dim, elements=st.integers(-1000, 1000)))
    assert_same(everything(points + shift, cone, 0.5), everything(points, cone, 0.5))


@given(st.data())
def test_positive_scaling_multiplies_the_gaps(data: st.DataObject) -> None:
    cone, points = data.draw(cone_and_points(whole=True))
    scale = float(data.draw(st.sampled_from([2.0**-30, 0.125, 3.0, 7.0, 1000.0, 2.0**40])))
    assert_same(everything(points * scale, cone, 0.5 * scale), everything(points, cone, 0.5), scale)


@given(st.data())
def test_order_and_scale_of_the_rows_change_nothing(data: st.DataObject) -> None:
    dim = data.draw(dims())
    rows, points = data.draw(whole_rows(dim)), data.draw(grid_points(dim))
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    lengths = data.draw(npst.arrays(float, (len(rows), 1), elements=st.sampled_from([2.0**-20, 1.0, 3.0, 10.0, 77.0])))
    one, other = Cone(rows), Cone(rows[order] * lengths)
    assert one == other
    assert hash(one) == hash(other)
    assert_same(everything(points, other, 0.5), everything(points, one, 0.5))


@given(st.data())
def test_an_invertible_map_of_designs_and_cone_keeps_the_order(data: st.DataObject) -> None:
    """x -> A x takes {W x >= 0} to {W A^-1 x >= 0}; with A of determinant 1 all numbers stay whole."""
    dim = data.draw(dims())
    rows, points, A = data.draw(whole_rows(dim)), data.draw(grid_points(dim, 40)), data.draw(unimodular(dim))
    inverse = np.rint(np.linalg.inv(A))
    assert (A @ inverse == np.eye(dim)).all()
    cone, mapped = Cone(rows), Cone(rows @ inverse)
    np.testing.assert_array_equal(pareto_mask(points @ A.T, mapped), pareto_mask(points, cone))
    for relation in (weakly_dominates, dominates, strongly_dominates):
        np.testing.assert_array_equal(pairs(relation, points @ A.T, mapped), pairs(relation, points, cone))


def test_a_rotation_keeps_the_gaps_as_well() -> None:
    rng = np.random.default_rng(55)
    for dim in (2, 3, 4):
        for cone in (Cone.orthant(dim), Cone.ranked(dim), Cone.importance(0.1, dim=dim)):
            turn = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
            points = rng.normal(size=(40, dim))
            assert_same(everything(points @ turn.T, Cone(cone.facets @ turn.T), 0.1), everything(points, cone, 0.1))


@given(st.data())
def test_reversing_designs_and_cone_together_changes_nothing(data: st.DataObject) -> None:
    """Minimisation is maximisation of the negatives."""
    dim = data.draw(dims())
    cone, points = data.draw(whole_cones(dim)), data.draw(grid_points(dim))
    assert_same(everything(-points, Cone(-cone.facets), 0.5), everything(points, Cone(cone.facets), 0.5))
