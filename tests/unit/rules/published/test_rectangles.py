"""Rectangles and a cone: comparisons against their definitions, radii, decisions, and promises."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import VOGP, EpsilonPAL
from conewise.rules.published.rectangles import discarded_by, may_exceed, sign_rays

# -- comparisons along directions --------------------------------------------------------------------------------------


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


# -- VOGP --------------------------------------------------------------------------------------------------------------


ONE = cw.models.Independent(sizes=(4.0,))


def made_by(make, cone=None, n_designs=6, noise=None, **options):
    question = cw.Question(cone or cw.Cone.orthant(2), 0.5, 0.1, noise or Gaussian(0.1))
    return make(question, n_designs, **({"model": ONE} | options))


def vogp(**options):
    return made_by(VOGP, **options)


def epal(cone=None, **options):
    return made_by(EpsilonPAL, cone, 8, Gaussian(0.3), **options)


def test_the_radius_of_vogp_is_the_published_one():
    after = vogp().beta(9)  # the tenth round: 2 log(pi^2 D K t^2 / (3 delta))
    assert after == pytest.approx(math.sqrt(2 * math.log(math.pi**2 * 2 * 6 * 100 / (3 * 0.1))))
    assert vogp(radius="practical").beta(9) == pytest.approx(after / math.sqrt(32))
    assert vogp(model=cw.models.Independent()).beta(9) == pytest.approx(after / math.sqrt(32))
    assert vogp(model=cw.models.Independent(), radius="proven").beta(9) == pytest.approx(after)


def test_rectangles_are_those_of_the_posterior():
    """One design with two values and a known process: mean, variance and the largest rectangle by hand."""
    made = vogp(n_designs=3)
    state = made.tell(made.start(), cw.Observations.single([0, 0, 1], [[1.0, 0.0], [3.0, 2.0], [0.0, 5.0]]))
    means, variances = made.judge(state).posterior.moments(np.arange(3))
    size, quiet = (4 * 0.5) ** 2, 0.1**2
    precise = np.array([1 / (size + quiet / 2), 1 / (size + quiet)])
    level = precise @ np.array([[2.0, 1.0], [0.0, 5.0]]) / precise.sum()
    np.testing.assert_allclose(means[2], level, rtol=1e-9)
    np.testing.assert_allclose(variances[2], size + 1 / precise.sum(), rtol=1e-9)
    assert made.ask(state).designs.tolist() == [2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": cw.models.Independent()}, "the prior is a mixture of 7"),
        ({"noise": cw.noise.GaussianUnknown(), "radius": "proven"}, "normal noise of known size"),
        ({"radius": "practical"}, "5.66 times smaller than the proven one"),
        ({"radius_scale": 0.5}, "every radius was multiplied by 0.5"),
    ],
)
def test_nothing_is_promised_that_the_theorem_does_not_cover(options, words):
    made = vogp(**options)
    assert made.proven_radius == (options.get("radius") != "practical" and "model" not in options)
    far = cw.SimulatedBandit([[3.0, 0.0], [0.0, 3.0], [-1.0, -1.0]], Gaussian(0.1))
    made = VOGP(made.question, 3, **{k: v for k, v in options.items() if k != "noise"} | {"model": made.model})
    result = cw.studies.run(made, far, rng=0)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert words in result.guarantee.reason
    assert result.certified_epsilon is None


def test_a_prior_that_the_values_contradict_promises_nothing():
    problem = cw.SimulatedBandit(np.array([[0.0, 0.0], [90.0, 0.0], [0.0, 90.0], [-90.0, 80.0]]), Gaussian(0.1))
    result = cw.identify(problem, cw.Cone.orthant(2), epsilon=0.5, delta=0.1, algorithm="vogp", model=ONE, rng=0)
    assert "contradict the prior" in str(result.guarantee)


def test_features_save_evaluations():
    x = np.linspace(0, 1, 40)
    problem = cw.SimulatedBandit(np.column_stack([np.sin(3 * x), np.cos(3 * x)]) * 3, Gaussian(0.1))
    asked = {"epsilon": 0.4, "delta": 0.05, "algorithm": "vogp", "rng": 1}
    found = {
        name: cw.identify(problem, cw.Cone.orthant(2), model=model, **asked)
        for name, model in (
            ("plain", cw.models.Independent()),
            ("smooth", cw.models.Smooth(x[:, None], kernels=("squared",), sizes=(10.0,))),
        )
    }
    for result in found.values():
        assert cw.verdict(result.pareto, problem.means, cw.Cone.orthant(2), 0.4)
    assert found["smooth"].evaluations < 0.5 * found["plain"].evaluations
    assert (found["smooth"].evidence == "predicted").any()


def test_it_needs_a_model():
    problem = cw.SimulatedBandit(np.eye(2), Gaussian(0.1))
    with pytest.raises(cw.InputError, match='algorithm "vogp" needs a model'):
        cw.identify(problem, cw.Cone.orthant(2), epsilon=0.5, delta=0.1, algorithm="vogp", rng=0)
    with pytest.raises(cw.InputError, match="model must be a prior"):
        vogp(model="smooth")
    with pytest.raises(cw.InputError, match="radius must be"):
        vogp(radius="large")


# -- epsilon-PAL -------------------------------------------------------------------------------------------------------


def test_the_radius_of_epsilon_pal_is_the_published_one():
    cone = cw.Cone.ice_cream(60, facets=7)
    after = epal(cone).beta(4)
    assert after == pytest.approx(math.sqrt(2 * math.log(math.pi**2 * 7 * 8 * 25 / (6 * 0.1))))
    assert epal(cone, radius="practical").beta(4) == pytest.approx(after / 3)


@pytest.mark.parametrize("seed", range(4))
def test_it_decides_as_the_paper_does_componentwise(seed):
    """A literal reading for the orthant, where e w_n.u = e / sqrt(2): corners of intervals, one pair at a time."""
    rng = np.random.default_rng(seed)
    made, e = epal(), 0.25 / math.sqrt(2)
    counts = rng.integers(1, 60, 8)
    state = made.tell(made.start(), cw.Observations(np.arange(8), rng.normal(0, 0.7, (8, 2)), counts))
    judged = made.judge(state)
    means, variances = judged.posterior.moments(np.arange(8))
    low, high = (means + sign * made.beta(state.evaluations) * np.sqrt(variances) for sign in (-1, 1))

    def below(a, b):
        return bool((a <= b).all())

    pessimistic = {x for x in range(8) if not any(below(low[x], low[y]) and (low[x] < low[y]).any() for y in range(8))}
    discarded = {x for x in range(8) if x not in pessimistic and any(below(high[x], low[y] + e) for y in pessimistic)}
    left = set(range(8)) - discarded
    threatened = {x for x, y in product(left, repeat=2) if x != y and below(low[x] + e, high[y])}
    assert set(np.flatnonzero(judged.by >= 0).tolist()) == discarded
    assert set(np.flatnonzero(judged.accepted).tolist()) == left - threatened
    if left != left - threatened:
        sizes = {x: float(np.linalg.norm(high[x] - low[x])) for x in left}
        assert made.ask(state).designs.tolist() == [max(sizes, key=sizes.__getitem__)]
