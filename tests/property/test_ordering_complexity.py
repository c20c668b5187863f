"""beta against two optimisers that share nothing with the library, and against the definitions of beta_1 and beta_2."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from shared.cones import random_cone
from shared.twins import beta1_ratio, beta2_ratio, beta_by_ascent, beta_by_subsets, width

from conewise import Cone

CONES = 300
CHUNK = 25
AGREE = 1e-9


@cache
def the_cone(seed: int) -> Cone:
    """Cone number `seed` of 300: D = 2..5 in turn, up to 8 rows, half of them scattered widely (beta > 1)."""
    rng = np.random.default_rng([2023, seed])
    dim = 2 + seed % 4
    spread = None if seed // 4 % 2 else float(rng.uniform(1.2, 3.0))
    return random_cone(rng, dim, int(rng.integers(dim, 9)), spread)


def dual_vectors(cone: Cone, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random vectors of the dual cone, on faces of every dimension: sparse combinations of rows."""
    rows = cone.facets
    weights = rng.random((count, len(rows))) * (rng.random((count, len(rows))) < rng.uniform(0.2, 1, size=(count, 1)))
    weights[np.arange(count), rng.integers(len(rows), size=count)] += rng.random(count) + 0.01
    return np.asarray(weights @ rows)


chunks = pytest.mark.parametrize("first", range(0, CONES, CHUNK))


@chunks
def test_beta_is_the_value_of_independent_optimisers(first: int) -> None:
    """Exhaustive enumeration of row subsets; and two dozen ascents or more of |a| / |a + b| over the dual cone."""
    for seed in range(first, first + CHUNK):
        cone, rng = the_cone(seed), np.random.default_rng([1, seed])
        found = cone.complexity
        starts = np.vstack([cone.facets, dual_vectors(cone, rng, 24)])
        assert found.exact
        assert found.beta == pytest.approx(beta_by_subsets(cone.facets), abs=AGREE), f"cone {seed}"
        assert found.beta == pytest.approx(beta_by_ascent(cone.facets, starts), abs=AGREE), f"cone {seed}"


@chunks
def test_no_sampled_ratio_of_the_definitions_exceeds_beta(first: int) -> None:
    for seed in range(first, first + CHUNK):
        cone, rng = the_cone(seed), np.random.default_rng([2, seed])
        outside = np.vstack([rng.normal(size=(8, cone.dim)), -dual_vectors(cone, rng, 8)])
        outside = outside[~cone.contains(outside)]
        inside = rng.exponential(size=(8, len(cone.rays))) ** 2 @ cone.rays  # squares reach the edges
        assert len(outside) >= 8
        assert cone.contains(inside, interior=True).all()
        found = cone.complexity
        assert max(beta1_ratio(x, cone.facets) for x in outside) <= found.beta1 * (1 + AGREE), f"cone {seed}"
        assert max(beta2_ratio(x, cone.facets) for x in inside) <= found.beta2 * (1 + AGREE), f"cone {seed}"


@chunks
def test_both_suprema_are_attained(first: int) -> None:
    """beta_1 at minus a vector of the widest pair; beta_2 beside the facet of least width, far along it."""
    for seed in range(first, first + CHUNK):
        cone = the_cone(seed)
        found = cone.complexity
        assert beta1_ratio(-found.pair[0], cone.facets) == pytest.approx(found.beta1, rel=AGREE), f"cone {seed}"
        narrow = int(cone.widths.argmin())
        on_facet = cone.rays[np.abs(cone.rays @ cone.facets[narrow]) < 1e-9].sum(axis=0)
        x = on_facet + 1e-4 * cone.rays.sum(axis=0)
        # Near that facet only it matters, as soon as the other rows are further away than their widths are wider.
        assert beta2_ratio(x, cone.facets) == pytest.approx(found.beta2, rel=AGREE), f"cone {seed}"


@chunks
def test_the_pair_is_a_witness_and_the_two_betas_are_ordered(first: int) -> None:
    for seed in range(first, first + CHUNK):
        cone = the_cone(seed)
        found = cone.complexity
        u, v = found.pair
        np.testing.assert_allclose(np.linalg.norm(found.pair, axis=1), 1.0, atol=1e-12)
        assert cone.dual.contains(found.pair, tolerance=1e-10).all(), f"cone {seed}"
        angle = 2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v))
        assert found.degrees == pytest.approx(np.degrees(angle))
        assert found.beta1 == pytest.approx(1 / np.sin(angle) if angle > np.pi / 2 else 1.0, abs=AGREE), f"cone {seed}"
        assert found.beta2 == pytest.approx(max(1.0, 1 / min(width(w, cone.facets) for w in cone.facets)), abs=AGREE)
        assert found.beta == found.beta1 == found.lower == found.upper
        assert 1.0 <= found.beta2 <= found.beta1
        if cone.dim <= 3:
            assert found.beta2 == pytest.approx(found.beta1, abs=AGREE), f"cone {seed}"


def test_the_random_cones_are_a_fair_trial() -> None:
    """Without many beta > 1 and, in four and five dimensions, some beta_1 > beta_2, nothing would have been tested."""
    found = [the_cone(seed).complexity for seed in range(CONES)]
    assert sum(c.beta > 1 + 1e-6 for c in found) >= CONES // 3
    assert sum(c.beta1 > c.beta2 + 1e-6 for c in found) >= 10
    assert max(len(the_cone(seed).facets) for seed in range(CONES)) == 8


@pytest.mark.parametrize("seed", range(2))
def test_a_bracket_holds_the_truth(seed: int) -> None:
    """Many rows in high dimension: enumeration is given up, and what any search finds stays below the upper end."""
    rng = np.random.default_rng([77, seed])
    cone = random_cone(rng, 8, 36, spread=1.0)
    found = cone.complexity
    assert not found.exact
    reached = beta_by_ascent(cone.facets, dual_vectors(cone, rng, 40))
    assert found.beta2 <= found.lower <= found.upper == found.beta == found.beta1
    assert reached <= found.upper
    u, v = found.pair
    angle = 2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v))
    assert found.lower == pytest.approx(max(1 / np.sin(angle), found.beta2), rel=1e-9)
    assert found.lower >= reached - 1e-6 * reached  # the library's own search is no worse than this one
