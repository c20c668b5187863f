"""Rectangles and a cone: comparisons along directions against their definitions, by vertices and linear programmes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import VOGP
from conewise.rules.published.rectangles import discarded_by, may_exceed, sign_rays

CONES = {
    "orthant": cw.Cone.orthant(2),
    "narrow": cw.Cone.planar(40),
    "wide": cw.Cone.planar(140),
    "one objective": cw.Cone.orthant(1),
    "three objectives": cw.Cone.orthant(3),
    "ice cream": cw.Cone.ice_cream(50, facets=5),
    "ranked": cw.Cone.ranked(3),
    "turned": cw.Cone([[1.0, -2.0, 0.5], [0.3, 1.0, -0.2], [-0.4, 0.6, 1.0]]),
}


def rectangles(dim, seed, count=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, dim)), rng.uniform(0.0, 0.8, (count, dim))


def corners(centre, half):
    return np.array([centre + np.array(s) * half for s in product((-1, 1), repeat=len(centre))])


def meets(cone, centre, half, apex):
    """Whether some point of a rectangle lies in apex + C."""
    found = linprog(
        np.zeros(cone.dim),
        A_ub=-cone.facets,
        b_ub=-(cone.facets @ apex),
        bounds=list(zip(centre - half, centre + half, strict=True)),
    )
    return found.status == 0


def included(cone, point, centre, half):
    """Whether a point lies in R + C: R meets point - C."""
    found = linprog(
        np.zeros(cone.dim),
        A_ub=cone.facets,
        b_ub=cone.facets @ point,
        bounds=list(zip(centre - half, centre + half, strict=True)),
    )
    return found.status == 0


@pytest.mark.parametrize("name", CONES)
def test_comparisons_are_what_they_say(name):
    cone = CONES[name]
    centre, half = rectangles(cone.dim, 1)
    directions = sign_rays(cone.facets, cone.rays)
    low, high = centre @ directions.T - half @ abs(directions).T, centre @ directions.T + half @ abs(directions).T
    depth = 0.3 * (directions @ cone.centre)
    near = may_exceed(high, low, depth)
    worse = np.zeros_like(near)
    for i, j in product(range(len(centre)), repeat=2):
        if i != j:
            apart = centre[j] - centre[i], half[j] + half[i]
            assert near[i, j] == meets(cone, *apart, 0.3 * cone.centre)
            worse[i, j] = all(included(cone, corner, centre[i], half[i]) for corner in corners(centre[j], half[j]))
    pessimistic = ~worse.any(axis=1)
    by = discarded_by(low, high, depth, len(cone.facets))
    for i in range(len(centre)):
        over = [
            j
            for j in np.flatnonzero(pessimistic)
            if not pessimistic[i]
            and all(
                cone.contains(b + 0.3 * cone.centre - a)
                for a in corners(centre[i], half[i])
                for b in corners(centre[j], half[j])
            )
        ]
        assert (by[i] in over) if over else by[i] == -1


def test_directions_are_the_facets_where_no_coordinate_changes_its_sign():
    np.testing.assert_array_equal(sign_rays(np.eye(3), np.eye(3)), np.eye(3))
    wide, narrow = cw.Cone.planar(140), cw.Cone.planar(40)
    np.testing.assert_array_equal(sign_rays(wide.facets, wide.rays), wide.facets)
    found = sign_rays(narrow.facets, narrow.rays)
    np.testing.assert_array_equal(found[:2], narrow.facets)
    assert sorted(np.round(found[2:], 9).tolist()) == [[0.0, 1.0], [1.0, 0.0]]


def test_turned_noise_has_turned_rectangles():
    """With correlated noise the rectangles lie along its axes: the rule is that of turned objectives."""
    covariance, angle = np.array([[0.02, 0.015], [0.015, 0.02]]), np.pi / 4
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    means = np.random.default_rng(5).normal(0, 2, (6, 2))
    one = cw.models.Independent(sizes=(4.0,))
    cone = cw.Cone.planar(70)
    plain = VOGP(cw.Question(cone, 0.5, 0.1, Gaussian(cov=covariance)), 6, model=one)
    spread = np.sqrt(np.diag(turn.T @ covariance @ turn))
    turned = VOGP(cw.Question(cw.Cone(cone.facets @ turn), 0.5, 0.1, Gaussian(spread)), 6, model=one)
    states = [
        made.tell(made.start(), cw.Observations.single(np.arange(6), values))
        for made, values in ((plain, means), (turned, means @ turn))
    ]
    first, second = plain.judge(states[0]), turned.judge(states[1])
    np.testing.assert_array_equal(first.accepted, second.accepted)
    np.testing.assert_array_equal(first.by, second.by)
    np.testing.assert_allclose(first.sizes, second.sizes, rtol=1e-9)


def test_a_batch_is_the_largest_rectangles():
    one = cw.models.Independent(sizes=(4.0,))
    rule = VOGP(cw.Question(cw.Cone.orthant(2), 0.01, 0.1, Gaussian(0.5)), 5, model=one, growth=1.0)
    state = rule.tell(rule.start(), cw.Observations([0, 1, 2, 3, 4], np.zeros((5, 2)), [4, 1, 3, 1, 2]))
    assert sorted(rule.ask(state, 3).designs.tolist()) == [1, 3, 4]
    pulls = rule.ask(state)
    assert pulls.total == 11
    assert dict(zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True)) == {1: 3, 3: 2, 4: 2, 2: 2, 0: 2}
