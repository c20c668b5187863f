"""The smallest change that brings a design back: it does, and no smaller one does, of whatever kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import conewise as cw
from conewise.order.dominance import dominates
from conewise.order.returns import smallest_change

CONES = [
    cw.Cone.importance(0.25, dim=3),
    cw.Cone.ranked(3),
    cw.Cone(np.random.default_rng(4).uniform(0.2, 1, size=(6, 4))),
    cw.Preferences(["a", "b", "c"]).accepts(give={"a": 2}, get={"b": 1}).accepts(give={"b": 1}, get={"c": 3}).cone,
]


def out(points, cone):
    """Who is beaten under the cone, and not in every respect."""
    best = cw.pareto_mask(points, cw.Cone.orthant(cone.dim))
    return np.flatnonzero(best & ~cw.pareto_mask(points, cone)).tolist()


def nearest_factor(row, rows):
    """The least r for which some weighting u of the rows has u <= row <= r u, by a linear programme."""
    n, dim = rows.shape  # maximise s with s row <= u <= row
    bounds = np.vstack([np.hstack([rows.T, np.zeros((dim, 1))]), np.hstack([-rows.T, row[:, None]])])
    found = linprog([*[0] * n, -1], A_ub=bounds, b_ub=[*row, *[0] * dim], method="highs")
    return -1 / found.fun


@pytest.mark.parametrize("cone", CONES, ids=str)
def test_it_returns_under_a_cone_whose_weightings_are_that_near_and_under_no_nearer_one(cone):
    rng = np.random.default_rng(7)
    points = rng.normal(size=(80, cone.dim))
    beaten = out(points, cone)
    assert len(beaten) > 3
    for place in beaten[:8]:
        change = smallest_change(points, place, cone)
        assert not dominates(points, points[place], change.cone).any()
        assert cone.includes(change.cone)
        assert max(nearest_factor(row, cone.facets) for row in change.cone.facets) <= change.factor * (1 + 1e-6)
        # Any weightings that are a per cent nearer leave somebody ahead.
        near = rng.dirichlet(np.ones(len(cone.facets)), 400) @ cone.facets
        near *= (0.99 * change.factor) ** rng.integers(0, 2, near.shape)
        ahead = points[dominates(points, points[place], cone)] - points[place]
        assert ((ahead @ np.vstack([cone.facets, near]).T) >= 0).all(axis=1).any()


def test_who_is_as_good_in_every_respect_cannot_be_changed_away():
    points = np.array([[1.0, 1, 1], [0, 1, 1], [0, 3, 0]])
    assert smallest_change(points, 1, cw.Cone.importance(0.2, dim=3)) is None


def test_where_gains_count_only_together_there_is_no_such_change():
    assert smallest_change(np.array([[1.0, 1], [0, 0]]), 1, cw.Cone.planar(60)) is None


def test_two_rivals_that_lose_different_things_need_two_more_weightings():
    points = np.array([[-1.0, 3, 3], [3, -1, 3], [0, 0, 0]])
    change = smallest_change(points, 2, cw.Cone.importance(0.25, dim=3))
    assert change.factor == pytest.approx(3, rel=1e-3)  # (3 + 3) / 4 against 1 / 2, where a loss counts most
    assert len(change.cone.facets) == 3
    assert not dominates(points, points[2], change.cone).any()
