"""Covering by directions against its slow twin: never below the maximum, never above what facets alone would say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.cones import random_cone
from shared.coverings import covered_from, width
from shared.strategies import cones, dims

from conewise import Cone, cover_gaps, lift_norm
from conewise.order.directions import cover_at, facet_floor


def pair(cone, seed, *, even, spread=1.0):
    """A difference of means, the covariance of its error, and what the library is told of them."""
    rng = np.random.default_rng(seed)
    root = np.eye(cone.dim) if even else rng.normal(size=(cone.dim, cone.dim)) * rng.exponential(size=(cone.dim, 1))
    covariance = root @ root.T * rng.exponential()
    gain = rng.normal(size=cone.dim) * spread + rng.choice([-2.0, 0.0, 2.0]) * rng.random() * cone.centre
    radii = np.sqrt(np.einsum("nd,de,ne->n", cone.facets, covariance, cone.facets))
    return gain, covariance, radii, float(np.sqrt(np.linalg.eigvalsh(covariance)[-1]))


@settings(max_examples=60, deadline=None)
@given(st.data(), dims(), st.integers(0, 10_000), st.booleans(), st.sampled_from([0.1, 1.0, 5.0]))
def test_no_direction_asks_for_more_and_facets_alone_for_no_less(data, dim, seed, even, spread):
    cone = data.draw(cones(dim))
    gain, covariance, radii, widest = pair(cone, seed, even=even, spread=spread)
    columns = (cone.facets @ gain)[:, None], radii[:, None]
    found = float(cover_at(cone, *columns, np.array([widest]))[0])
    assert found >= covered_from(cone.facets, gain, covariance, 1.0, seed, starts=25) * (1 - 1e-9)
    by_facets = float(lift_norm(np.maximum(radii - cone.facets @ gain, 0.0), cone))
    assert float(cover_at(cone, *columns)[0]) == pytest.approx(by_facets, rel=1e-12)
    assert found <= by_facets * (1 + 1e-9)
    assert float(facet_floor(cone, cone.facets @ gain, radii)) <= found * (1 + 1e-9)


@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_the_bound_holds_in_two_to_five_dimensions(dim):
    rng = np.random.default_rng(dim)
    for seed in range(12):
        cone = random_cone(rng, dim, int(rng.integers(dim, dim + 3)))
        gain, covariance, radii, widest = pair(cone, seed, even=seed % 2 == 0)
        found = cover_at(cone, (cone.facets @ gain)[:, None], radii[:, None], np.array([widest]))
        assert found[0] >= covered_from(cone.facets, gain, covariance, 1.0, seed) * (1 - 1e-9)


@pytest.mark.parametrize("degrees", [20, 45, 60, 90, 120, 135, 170])
def test_in_the_plane_three_arcs_are_the_maximum(degrees):
    """Noise of one size in every direction: the closed form is what a dense grid of directions finds."""
    cone = Cone.planar(degrees)
    first, second = (np.arctan2(*row[::-1]) for row in cone.facets)
    angles = np.linspace(first, second, 20_001) if abs(first - second) <= np.pi else None
    assert angles is not None
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    widths = np.linalg.norm(cone.project(directions), axis=1)
    rng = np.random.default_rng(degrees)
    for gain in rng.normal(size=(60, 2)) * rng.choice([0.3, 1.0, 4.0], size=(60, 1)):
        grid = max(0.0, float(((1.3 - directions @ gain) / widths).max()))
        found = cover_at(cone, (cone.facets @ gain)[:, None], np.full((2, 1), 1.3), np.array([1.3]))[0]
        assert found == pytest.approx(grid, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_under_the_orthant_one_radius_is_paid_not_its_root_of_dim(dim):
    """Closed form: r + |D^-| where something is lost, else (r - min D)^+."""
    rng, cone = np.random.default_rng(dim), Cone.orthant(dim)
    gains = rng.normal(size=(dim, 200)) + rng.choice([0.0, 2.0], size=200)
    radius = np.ones(200)
    lost = np.linalg.norm(np.minimum(gains, 0.0), axis=0)
    wanted = np.where(lost > 0, 1 + lost, np.maximum(1 - gains.min(axis=0), 0.0))
    np.testing.assert_allclose(cover_at(cone, gains, np.ones_like(gains), radius), wanted, rtol=1e-10, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.data(), dims(), st.integers(0, 10_000))
def test_without_noise_it_is_the_cover_gap(data, dim, seed):
    cone = data.draw(cones(dim))
    means = np.random.default_rng(seed).normal(size=(2, dim))
    gains = (cone.facets @ (means[1] - means[0]))[:, None]
    found = cover_at(cone, gains, 0 * gains, np.zeros(1))[0]
    assert found == pytest.approx(cover_gaps(means, cone)[0, 1], rel=1e-9, abs=1e-12)


def test_widths_of_the_twin_are_those_of_the_library():
    cone = Cone.ice_cream(60, facets=5)
    np.testing.assert_allclose([width(cone.facets, row) for row in cone.facets], cone.widths, rtol=1e-9)


def test_columns_are_judged_one_by_one():
    """A block gives what its columns give alone, with even and uneven noise side by side."""
    rng = np.random.default_rng(3)
    for cone in (Cone.planar(45), Cone.orthant(3), Cone.ice_cream(60, facets=5)):
        n = len(cone.facets)
        gains, radii = rng.normal(size=(n, 40)), rng.exponential(size=(n, 40))
        radii[:, ::2] = radii[:1, ::2]
        widest = radii.max(axis=0) * rng.choice([1.0, 1.5], size=40)
        alone = [cover_at(cone, gains[:, k : k + 1], radii[:, k : k + 1], widest[k : k + 1])[0] for k in range(40)]
        np.testing.assert_allclose(cover_at(cone, gains, radii, widest), alone, rtol=1e-12)
