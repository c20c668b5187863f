"""Examples of Ararat & Tekin (2023) outside Table 1, and small cases that can be worked out by hand or in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import conewise as cw


def test_imrt_example():
    """Section 1.1: designs 1 and 2 under the cone of 135 degrees, all four componentwise."""
    treatments = cw.problems.load("imrt")
    assert len(treatments.means) == 4
    assert np.flatnonzero(cw.pareto_mask(treatments.means, cw.Cone.planar(135))).tolist() == [0, 1]
    assert np.flatnonzero(cw.pareto_mask(treatments.means, cw.Cone.importance(0.29))).tolist() == [0, 1]
    assert cw.pareto_mask(treatments.means, cw.Cone.orthant(2)).all()


def test_importance_is_planar_135_to_four_digits():
    """Remark 2.7: the share is -sin(45 - theta/2) / (sqrt 2 sin(theta/2)), 0.2929 at 135 degrees."""
    theta = np.radians(135)
    share = -np.sin(np.pi / 4 - theta / 2) / (np.sqrt(2) * np.sin(theta / 2))
    assert f"{share:.4f}" == "0.2929"
    np.testing.assert_array_equal(cw.Cone.importance(0.2929, 2).facets.round(4), cw.Cone.planar(135).facets.round(4))
    np.testing.assert_array_equal(cw.Cone.importance(0.2929, 2).rays.round(4), cw.Cone.planar(135).rays.round(4))
    assert cw.Cone.importance(float(share), 2) == cw.Cone.planar(135)


@pytest.mark.parametrize("degrees", [91, 100, 120, 150, 179])
def test_every_wide_planar_cone_is_a_cone_of_importance(degrees):
    half = np.radians(degrees / 2)
    assert cw.Cone.importance(float((1 - 1 / np.tan(half)) / 2), 2) == cw.Cone.planar(degrees)


def test_gaps_of_the_componentwise_order():
    """Footnote 1: M is the length of (mu_i - mu_j)^+ for the orthant; m is that of Auer et al. (2016)."""
    means = np.array([[0, 0, 0], [3, 4, 0], [1, 1, 5], [3, 5, 2]], dtype=float)
    orthant = cw.Cone.orthant(3)
    ahead = means[:, None, :] - means[None, :, :]
    np.testing.assert_allclose(cw.cover_gaps(means, orthant), np.linalg.norm(np.maximum(ahead, 0), axis=2), rtol=1e-15)
    np.testing.assert_array_equal(cw.escape_gaps(means, orthant), np.maximum((-ahead).min(axis=2), 0))
    assert cw.cover_gaps(means, orthant)[1, 0] == 5.0  # 3, 4, 5


def test_cover_gap_of_a_narrow_cone_by_hand():
    """Under 45 degrees the shortest lift of (-1, 0) into the cone along the cone is 1 / sin 45 times its distance."""
    cone = cw.Cone.planar(45)
    behind, ahead = np.zeros(2), np.array([1.0, 1.0]) / np.sqrt(2)
    # ahead is on the axis of the cone: to weakly dominate it from behind, go there; no other way is shorter.
    assert cw.cover_gaps([ahead, behind], cone)[0, 1] == pytest.approx(1.0, rel=1e-15)
    # One step against the normal w of a facet: distance 1 to the cone, but along the cone csc(45 degrees).
    step = -cone.facets[0]
    assert cw.cover_gaps([behind, step], cone)[0, 1] == pytest.approx(np.sqrt(2), rel=1e-14)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 0], [0, 1]],
        [[1, 3], [3, 1]],
        [[2, -1], [-1, 3]],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        [[1, -2, 4], [4, 1, -2], [-2, 4, 1]],
        [[1, 1, 0], [0, 1, 1], [1, 0, 1], [3, 1, 1]],
    ],
)
def test_pareto_sets_in_exact_fractions(rows):
    """Every point of a small grid, ties included, against integer arithmetic."""
    dim = len(rows[0])
    grid = np.array(list(product(range(5), repeat=dim)))
    chosen = np.random.default_rng(11).choice(len(grid), size=min(len(grid), 60), replace=False)
    points = np.vstack([grid[chosen], grid[chosen[:5]]])  # with duplicates
    z = [[sum(Fraction(w) * int(x) for w, x in zip(row, point, strict=True)) for row in rows] for point in points]
    expected = [not any(b != a and all(q >= p for p, q in zip(a, b, strict=True)) for b in z) for a in z]
    assert cw.pareto_mask(points, cw.Cone(rows)).tolist() == expected
    # Tenths are not floating-point numbers, but with whole rows divided by a power of two order and ties survive.
    assert cw.pareto_mask(points / 8, cw.Cone(np.array(rows) / 4)).tolist() == expected


def test_hardness_by_hand():
    """Front (0, 3) and (4, 0) with M = 3 and 4; (0, 0) is dominated along the boundary only, (-1, 1) by 1."""
    means = [[0, 3], [4, 0], [0, 0], [-1, 1]]
    assert cw.suboptimality_gaps(means, cw.Cone.orthant(2)).tolist() == [0, 0, 0, 1]
    assert cw.separation_gaps(means, cw.Cone.orthant(2)).tolist() == [3, 4, np.inf, np.inf]
    exact = Fraction(1, 9) + Fraction(1, 16) + Fraction(4) + Fraction(1)
    assert cw.hardness(means, cw.Cone.orthant(2), 0.5) == pytest.approx(float(exact), rel=1e-15)
