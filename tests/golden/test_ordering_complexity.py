"""Ordering complexity against closed forms: the paper's examples, and cones whose widest angle follows by hand."""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import named_cones, random_cone

import conewise as cw
from conewise import Cone

COS40, SIN40 = np.cos(np.radians(40)), np.sin(np.radians(40))


def cosecant(degrees: float) -> float:
    return 1 / np.sin(np.radians(degrees))


def rotation(rng: np.random.Generator, dim: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(dim, dim)))[0]


@pytest.mark.parametrize("degrees", [0.5, 5, 20, 30, 45, 60, 75, 89.9, 90])
def test_planar_cones_up_to_a_right_angle(degrees):
    """Ararat & Tekin 2023, Example 2.6: csc(theta)."""
    found = Cone.planar(degrees).complexity
    assert found.exact
    assert found.beta == found.beta1 == pytest.approx(cosecant(degrees), rel=1e-12)
    assert found.beta2 == pytest.approx(cosecant(degrees), rel=1e-12)
    assert found.degrees == pytest.approx(180 - degrees, rel=1e-12)


@pytest.mark.parametrize("degrees", [90, 90.1, 100, 120, 135, 150, 179, 179.9])
def test_planar_cones_from_a_right_angle_on(degrees):
    found = Cone.planar(degrees).complexity
    assert (found.beta1, found.beta2, found.beta, found.exact) == (1.0, 1.0, 1.0, True)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_cones_that_contain_the_orthant(dim, seed):
    """Ararat & Tekin 2023, Theorem 2.4 (ii): W >= 0 entry by entry."""
    rng = np.random.default_rng([dim, seed])
    cone = Cone(rng.random((dim + seed % 4, dim)) + 0.3 * np.eye(dim)[np.arange(dim + seed % 4) % dim])
    assert cone.includes(Cone.orthant(dim))
    assert (cone.complexity.beta1, cone.complexity.beta2, cone.complexity.beta) == (1.0, 1.0, 1.0)
    assert cone.complexity.exact


@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_cones_with_pairwise_non_negative_rows(dim):
    """Ararat & Tekin 2023, Proposition B.1: also when the cone does not contain the orthant."""
    rng, met = np.random.default_rng(dim), 0
    while met < 10:
        cone = random_cone(rng, dim, dim + 2, spread=0.9)
        if (cone.facets @ cone.facets.T).min() >= 0 and (cone.facets < 0).any():
            met += 1
            assert (cone.complexity.beta1, cone.complexity.beta2, cone.complexity.beta) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "cone", [Cone.importance(0.1, dim=4), Cone.ranked(4), Cone.exchange([[1, 2], [3, 1]])], ids=str
)
def test_constructors_that_contain_the_orthant(cone):
    assert cone.complexity.beta == 1.0


def four_dimensional_example() -> Cone:
    """docs/theory, section 4.4: rows a +- 0.6 e2 and b +- 0.6 e3, where a and b are 140 degrees apart."""
    a = np.array([1.0, 0, 0, 0])
    b = np.array([-COS40, 0, 0, SIN40])
    e2, e3 = np.eye(4)[1:3]
    return Cone([a + 0.6 * e2, a - 0.6 * e2, b + 0.6 * e3, b - 0.6 * e3])


def test_the_four_dimensional_example():
    found = four_dimensional_example().complexity
    assert found.exact
    assert f"{found.beta1:.5f} {found.beta2:.5f} {found.beta:.5f}" == "1.55572 1.32626 1.55572"
    assert found.beta1 == pytest.approx(1 / SIN40, rel=1e-13)
    assert found.beta2 == pytest.approx(1 / np.sqrt(1 - COS40**2 / 1.36), rel=1e-13)
    assert found.degrees == pytest.approx(140, rel=1e-12)
    pair = found.pair[np.argsort(-found.pair[:, 0])]
    np.testing.assert_allclose(pair, [[1, 0, 0, 0], [-COS40, 0, 0, SIN40]], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_four_dimensional_example_rotated(seed):
    rng = np.random.default_rng(seed)
    rows = four_dimensional_example().facets @ rotation(rng, 4) * rng.uniform(0.1, 10, size=(4, 1))
    found = Cone(rows[rng.permutation(4)]).complexity
    assert found.beta1 == pytest.approx(1 / SIN40, rel=1e-12)
    assert found.beta2 == pytest.approx(1 / np.sqrt(1 - COS40**2 / 1.36), rel=1e-12)


@pytest.mark.parametrize("facets", [4, 6, 8, 12, 40])
@pytest.mark.parametrize("degrees", [10, 30, 60, 85])
def test_ice_cream_cones_with_opposite_facets(degrees, facets):
    """Opposite normals of a round cone of opening theta are 180 - theta apart, and no two rows are wider."""
    found = Cone.ice_cream(degrees, facets=facets).complexity
    assert found.exact
    assert found.beta == pytest.approx(cosecant(degrees), rel=1e-11)


@pytest.mark.parametrize("facets", [3, 5, 7, 39])
@pytest.mark.parametrize("degrees", [10, 30, 50])
def test_ice_cream_cones_with_an_odd_number_of_facets(degrees, facets):
    """The vector opposite to a normal is the middle of an edge of the dual: sin h axis + cos h cos(pi/n) rim."""
    half = np.radians(degrees / 2)
    widest = (np.pi / 2 - half) + np.arctan(np.cos(np.pi / facets) / np.tan(half))
    assert widest > np.pi / 2
    found = Cone.ice_cream(degrees, facets=facets).complexity
    assert found.beta == pytest.approx(1 / np.sin(widest), rel=1e-11)
    assert found.beta2 == pytest.approx(found.beta, rel=1e-11)  # equal for three objectives


@pytest.mark.parametrize(
    ("angles", "expected"),
    [((30, 50), cosecant(30)), ((70, 20), cosecant(20)), ((100, 60), cosecant(60)), ((100, 120), 1.0)],
)
@pytest.mark.parametrize("extra", [0, 1])
def test_products_of_planar_cones(angles, expected, extra):
    """The dual of a product is the product of the duals; its widest angle is the widest of them (or a right one)."""
    dim = 4 + extra
    rows = np.zeros((dim, dim))
    rows[:2, :2], rows[2:4, 2:4] = Cone.planar(angles[0]).facets, Cone.planar(angles[1]).facets
    rows[4:, 4:] = 1.0
    found = Cone(rows @ rotation(np.random.default_rng(extra), dim)).complexity
    assert found.exact
    assert found.beta == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_for_up_to_three_objectives_both_constants_agree(cone):
    found = cone.complexity
    assert found.exact
    assert found.beta2 <= found.beta1 == found.beta
    if cone.dim <= 3:
        assert found.beta2 == pytest.approx(found.beta1, rel=1e-11)


def test_widths_of_planar_cones():
    """alpha is sin(theta) below a right angle and 1 from there on."""
    for degrees in (10, 45, 80, 90, 120):
        expected = np.sin(np.radians(degrees)) if degrees < 90 else 1.0
        np.testing.assert_allclose(Cone.planar(degrees).widths, expected, rtol=1e-13)


def test_with_one_objective_the_ordering_complexity_is_1():
    found = cw.Cone.orthant(1).complexity
    assert (found.beta1, found.beta2, found.beta, found.exact) == (1.0, 1.0, 1.0, True)
