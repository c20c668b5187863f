"""Laws of the cone itself: duality, generators, projection, widths, inclusion, redundancy, and extreme angles."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.cones import named_cones, random_cone
from shared.strategies import cones, dims, whole_rows
from shared.twins import distance_to_cone, nearest_combination, width

from conewise import Cone, ConeError, cover_gaps, pareto_mask

CLOSE = 1e-10  # what computed rays and projections may miss by, for unit vectors


def scattered(seed: int) -> tuple[Cone, np.random.Generator]:
    rng = np.random.default_rng([61, seed])
    dim = 1 + seed % 5
    return random_cone(rng, dim, int(rng.integers(dim, 10))), rng


MANY = (
    [scattered(seed)[0] for seed in range(60)]
    + named_cones()
    + [
        Cone.ice_cream(40, facets=40),
        random_cone(np.random.default_rng(62), 8, 12, spread=0.8),
        random_cone(np.random.default_rng(63), 6, 20, spread=0.8),
    ]
)
each = pytest.mark.parametrize("chunk", range(8))


def cones_of(chunk: int) -> list[Cone]:
    return MANY[chunk::8]


def inside(cone: Cone, rng: np.random.Generator, count: int) -> np.ndarray:
    """Points of the cone that do not come from its rays: whatever a random search meets, pushed along the centre."""
    found = rng.normal(size=(count, cone.dim))
    depth = (found @ cone.facets.T).min(axis=1)
    shallow = (cone.facets @ cone.centre).min()
    return np.asarray(found + np.maximum(-depth / shallow, 0.0)[:, None] * cone.centre * (1 + 1e-12))


# -- duality and generators -----------------------------------------------------------------------------------


@each
def test_the_dual_of_the_dual_is_the_cone(chunk: int) -> None:
    for cone in cones_of(chunk):
        assert cone.dual.dual == cone
        assert Cone(cone.dual.facets).dual == cone  # also when nothing is remembered from the first cone
        np.testing.assert_array_equal(cone.dual.facets, cone.rays)


@each
def test_every_ray_lies_in_the_cone_on_enough_facets(chunk: int) -> None:
    for cone in cones_of(chunk):
        np.testing.assert_allclose(np.linalg.norm(cone.rays, axis=1), 1.0, atol=1e-14)
        values = cone.rays @ cone.facets.T
        assert values.min() >= -CLOSE
        for row in values:
            tight = cone.facets[np.abs(row) <= 1e-9]
            # An extreme ray is the meeting of facets whose rows span all but one dimension.
            assert (np.linalg.matrix_rank(tight, tol=1e-7) if len(tight) else 0) == cone.dim - 1
        apart = np.linalg.norm(cone.rays[:, None] - cone.rays[None, :], axis=2) + 2 * np.eye(len(cone.rays))
        assert apart.min() > 1e-9


@each
def test_rays_generate_the_cone_and_rows_its_dual(chunk: int) -> None:
    rng = np.random.default_rng(64)
    for cone in cones_of(chunk):
        for x in inside(cone, rng, 5):
            assert np.linalg.norm(nearest_combination(cone.rays, x) @ cone.rays - x) <= CLOSE * np.linalg.norm(x)
        outside = rng.normal(size=(5, cone.dim))
        for x in outside[~cone.contains(outside)]:
            assert np.linalg.norm(nearest_combination(cone.rays, x) @ cone.rays - x) == pytest.approx(
                distance_to_cone(x, cone.facets), rel=1e-9
            )
        for w in rng.exponential(size=(5, len(cone.facets))) @ cone.facets:
            assert cone.dual.contains(w, tolerance=CLOSE)
            assert (cone.rays @ w).min() >= -CLOSE


@each
def test_from_rays_is_the_inverse_of_rays(chunk: int) -> None:
    for cone in cones_of(chunk):
        again = Cone.from_rays(cone.rays)
        assert again == cone
        assert again.removed == ()
        assert again.includes(cone)
        assert cone.includes(again)


@given(st.data())
def test_generators_inside_the_cone_are_removed(data: st.DataObject) -> None:
    cone = data.draw(dims().flatmap(cones))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    extra = rng.exponential(size=(3, len(cone.rays))) @ cone.rays
    if cone.dim == 1 or len(cone.rays) == 1:
        return
    again = Cone.from_rays(np.vstack([cone.rays, extra]))
    assert again == cone
    assert again.removed == tuple(range(len(cone.rays), len(cone.rays) + 3))


# -- redundancy ----------------------------------------------------------------------------------------------


@given(st.data())
def test_redundant_rows_are_removed_without_changing_the_cone(data: st.DataObject) -> None:
    dim = data.draw(dims())
    cone = data.draw(cones(dim))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = np.vstack([cone.facets, rng.uniform(0.2, 1, size=(4, len(cone.facets))) @ cone.facets, 3 * cone.facets[:1]])
    order = rng.permutation(len(rows))
    again = Cone(rows[order])
    assert again == cone
    assert len(again.removed) == 5
    kept = np.delete(np.arange(len(rows)), again.removed)
    np.testing.assert_allclose(again.facets, rows[order][kept] / np.linalg.norm(rows[order][kept], axis=1)[:, None])
    points = rng.normal(size=(30, dim))
    np.testing.assert_array_equal(pareto_mask(points, again), pareto_mask(points, cone))


@given(dims().flatmap(whole_rows))
def test_the_rows_that_stay_say_what_all_rows_say_and_none_is_superfluous(rows: np.ndarray) -> None:
    cone = Cone(rows)
    units = rows / np.linalg.norm(rows, axis=1)[:, None]
    for row in units:  # every given row is a combination of those that stay
        assert np.linalg.norm(nearest_combination(cone.facets, row) @ cone.facets - row) <= 1e-9
    for n in range(len(cone.facets)):  # and none of those that stay is one of the others
        others = np.delete(cone.facets, n, axis=0)
        if len(others):
            assert np.linalg.norm(nearest_combination(others, cone.facets[n]) @ others - cone.facets[n]) > 1e-10
    assert len(cone.facets) + len(cone.removed) == len(rows)


# -- projection and widths --------------------------------------------------------------------------------------


@each
def test_the_projection_is_the_nearest_point(chunk: int) -> None:
    """Moreau: x - P(x) lies in the polar cone and is orthogonal to P(x), which lies in the cone."""
    rng = np.random.default_rng(65)
    for cone in cones_of(chunk):
        in_polar = -(rng.exponential(size=(4, len(cone.facets))) * (rng.random((4, len(cone.facets))) < 0.5))
        x = np.vstack([rng.normal(size=(12, cone.dim)), inside(cone, rng, 4), in_polar @ cone.facets, cone.facets])
        size = np.maximum(np.linalg.norm(x, axis=1), 1e-300)
        projected = cone.project(x)
        normal = (x - projected) / size[:, None]
        assert ((projected @ cone.facets.T).min(axis=1) >= -1e-12 * size).all()
        assert (normal @ cone.rays.T).max() <= CLOSE
        assert (np.abs((normal * projected).sum(axis=1)) <= 1e-9 * size).all()
        np.testing.assert_allclose(cone.project(projected), projected, atol=1e-9, rtol=0)
        np.testing.assert_allclose(projected[12:16], x[12:16], rtol=0, atol=1e-12 * size.max())
        np.testing.assert_allclose(projected[16:20], 0.0, atol=1e-9 * size.max())
        distances = [distance_to_cone(v, cone.facets) for v in x]
        np.testing.assert_allclose(np.linalg.norm(x - projected, axis=1), distances, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(cone.project(x * 1e-200) * 1e200, projected, rtol=0, atol=1e-9 * size.max())


def test_a_small_violation_is_not_lost_beside_a_large_one() -> None:
    """Lengths that agree to rounding hide components of up to 1e-8; projections must not."""
    orthant = Cone.orthant(3)
    assert orthant.project([-1.0, -1e-9, 2.0]).tolist() == [0.0, 0.0, 2.0]
    for seed in range(20):
        cone, rng = scattered(seed)
        x = -(np.append(1.0, 1e-9 * rng.random(len(cone.facets) - 1)) @ cone.facets)
        np.testing.assert_allclose(cone.project(x), 0.0, atol=1e-13)


@pytest.mark.parametrize("tilt", [1e-3, 1e-4, 1e-5])
def test_projections_with_rows_that_are_nearly_dependent(tilt: float) -> None:
    rng = np.random.default_rng(66)
    for _ in range(10):
        base = random_cone(rng, 4, 5).facets
        middle = (base[0] + base[1]) / np.linalg.norm(base[0] + base[1])
        cone = Cone(np.vstack([base, middle - tilt * base.mean(axis=0), base[0] + tilt * rng.normal(size=4)]))
        few_rows = rng.random((20, len(cone.facets))) * (rng.random((20, len(cone.facets))) < 0.5)
        x = np.vstack([rng.normal(size=(10, 4)), cone.facets, -few_rows @ cone.facets])
        projected = cone.project(x)
        expected = x + np.array([-(nearest_combination(-cone.facets, v) @ -cone.facets) for v in x])
        np.testing.assert_allclose(projected, expected, atol=1e-7)
        rounding = 1e-16 / tilt  # of equations between rows that are as near to each other as that
        assert (projected @ cone.facets.T).min() >= -max(1e-12, rounding)


@each
def test_widths_are_the_largest_gain_of_a_unit_improvement(chunk: int) -> None:
    rng = np.random.default_rng(67)
    for cone in cones_of(chunk):
        expected = [width(w, cone.facets) for w in cone.facets]
        np.testing.assert_allclose(cone.widths, expected, rtol=1e-9)
        assert (cone.widths > 0).all()
        assert (cone.widths <= 1).all()
        steps = rng.exponential(size=(200, len(cone.rays))) ** 3 @ cone.rays
        steps /= np.linalg.norm(steps, axis=1, keepdims=True)
        assert ((steps @ cone.facets.T).max(axis=0) <= cone.widths * (1 + 1e-12)).all()


@each
def test_the_centre_is_the_deepest_direction(chunk: int) -> None:
    rng = np.random.default_rng(68)
    for cone in cones_of(chunk):
        depth = (cone.facets @ cone.centre).min()
        assert np.linalg.norm(cone.centre) == pytest.approx(1.0)
        assert depth > 0
        others = cone.centre + rng.normal(size=(200, cone.dim)) * 10.0 ** rng.uniform(-6, 0, size=(200, 1))
        others /= np.linalg.norm(others, axis=1, keepdims=True)
        assert ((others @ cone.facets.T).min(axis=1) <= depth + 1e-12).all()


# -- inclusion ----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.data())
def test_inclusion_is_a_partial_order_that_agrees_with_sampling(data: st.DataObject) -> None:
    dim = data.draw(dims())
    first, second = data.draw(cones(dim)), data.draw(cones(dim))
    rng = np.random.default_rng(69)
    # A third cone between the two: it has the rays of the first, and those of the second as far as it stays pointed.
    third = Cone(np.vstack([first.facets, rng.exponential(size=(2, len(first.facets))) @ first.facets]))
    assert first.includes(first)
    assert first.includes(third)
    assert third.includes(first)
    assert first == third
    for one, other in [(first, second), (second, first)]:
        samples = rng.exponential(size=(100, len(other.rays))) ** 3 @ other.rays
        if one.includes(other):
            assert one.contains(samples, tolerance=1e-9).all()
            assert other.dual.includes(one.dual)
        else:
            assert not one.contains(other.rays, tolerance=1e-14).all()
    if first.includes(second) and second.includes(first):
        assert first == second


@given(st.data())
def test_inclusion_is_transitive_along_cones_that_grow(data: st.DataObject) -> None:
    dim = data.draw(dims())
    rows = data.draw(whole_rows(dim))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    chain = [Cone(rows)]
    for _ in range(2):
        facets = chain[-1].facets
        mix = np.eye(len(facets)) + rng.uniform(0, 0.5, size=(len(facets), len(facets)))
        chain.append(Cone(mix @ facets))
    for i, narrow in enumerate(chain):
        for wide in chain[i:]:
            assert wide.includes(narrow)
    if dim > 1:
        assert not chain[0].includes(chain[1])
        assert not chain[0].includes(chain[2])


# -- extremes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [0.01, 0.1, 1, 89.999999, 90.000001, 179, 179.9, 179.99])
def test_planar_cones_of_extreme_angles(degrees: float) -> None:
    cone = Cone.planar(degrees)
    u, v = cone.rays
    assert np.degrees(2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v))) == pytest.approx(degrees, rel=1e-9)
    narrow = min(degrees, 90)
    assert cone.complexity.beta == pytest.approx(1 / np.sin(np.radians(narrow)), rel=1e-9)
    np.testing.assert_allclose(cone.widths, np.sin(np.radians(narrow)), rtol=1e-9)
    assert Cone.from_rays(cone.rays) == cone
    assert cone.dual.dual == cone
    assert cone.project(cone.centre) == pytest.approx(cone.centre)
    rng = np.random.default_rng(70)
    points = rng.normal(size=(200, 2))
    z = points @ cone.facets.T
    beaten = (z[None, :] > z[:, None]).all(axis=2).any(axis=1)
    np.testing.assert_array_equal(pareto_mask(points, cone), ~beaten)
    M = cover_gaps(points, cone)
    assert np.isfinite(M).all()
    least = np.maximum(z[:, None] - z[None, :], 0).max(axis=2)
    assert (M - least).min() >= -1e-12


@pytest.mark.parametrize("degrees", [0.01, 1, 179, 179.99])
@pytest.mark.parametrize("facets", [3, 5, 12])
def test_round_cones_of_extreme_angles(degrees: float, facets: int) -> None:
    cone = Cone.ice_cream(degrees, facets=facets)
    assert len(cone.facets) == len(cone.rays) == facets
    assert cone.complexity.beta2 == pytest.approx(1 / cone.widths.min(), rel=1e-9)
    assert cone.complexity.beta >= cone.complexity.beta2
    assert cone.contains(cone.rays, tolerance=1e-9).all()
    assert np.isfinite(cover_gaps(np.random.default_rng(71).normal(size=(20, 3)), cone)).all()


@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-8, 1e-9, 1e-11, 1e-13, 1e-16])
def test_a_row_that_is_hardly_needed(tilt: float) -> None:
    """Whether such a row stays or goes, the cone is the same to that precision; in between it is refused by name."""
    rng = np.random.default_rng(72)
    for dim in (2, 3, 4):
        base = random_cone(rng, dim, dim + 1)
        edge = base.facets[:2].sum(axis=0) if dim > 2 else base.facets[0]
        for sign in (1, -1):
            bent = edge / np.linalg.norm(edge) - sign * tilt * base.centre
            try:
                cone = Cone(np.vstack([base.facets, bent]))
            except ConeError as error:
                assert 1e-10 < tilt < 1e-6
                assert re.search(r"^row \d \(counted from 0\) follows from the others within", str(error))  # noqa: PT017
                continue
            assert abs(cone.complexity.beta / base.complexity.beta - 1) <= 100 * tilt + 1e-6
            assert (np.abs(cone.rays @ cone.facets.T) <= 1e-8).sum(axis=1).min() >= dim - 1
            assert np.isfinite(cone.widths).all()
            points = rng.normal(size=(20, dim))
            assert np.isfinite(cover_gaps(points, cone)).all()
            assert np.linalg.norm(cone.project(points) - base.project(points), axis=1).max() <= 100 * tilt + 1e-6
