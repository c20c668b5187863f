"""epsilon-PAL: its radius, the published algorithm on the orthant, and facets of any cone."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import EpsilonPAL

ONE = cw.models.Independent(sizes=(4.0,))


def rule(cone=None, n_designs=8, **options):
    question = cw.Question(cone or cw.Cone.orthant(2), 0.5, 0.1, Gaussian(0.3))
    return EpsilonPAL(question, n_designs, **({"model": ONE} | options))


def test_the_radius_is_the_published_one():
    cone = cw.Cone.ice_cream(60, facets=7)
    after = rule(cone).beta(4)
    assert after == pytest.approx(math.sqrt(2 * math.log(math.pi**2 * 7 * 8 * 25 / (6 * 0.1))))
    assert rule(cone, radius="practical").beta(4) == pytest.approx(after / 3)


@pytest.mark.parametrize("seed", range(4))
def test_it_decides_as_the_paper_does_componentwise(seed):
    """A literal reading for the orthant, where e w_n.u = e / sqrt(2): corners of intervals, one pair at a time."""
    rng = np.random.default_rng(seed)
    made, e = rule(), 0.25 / math.sqrt(2)
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


@pytest.mark.parametrize("cone", [cw.Cone.planar(50), cw.Cone.planar(130), cw.Cone.orthant(2)], ids=str)
def test_right_sets_of_a_known_process(cone):
    means = np.random.default_rng(9).normal(0, 2, (8, 2))
    problem = cw.SimulatedBandit(means, Gaussian(0.3))
    result = cw.identify(problem, cone, epsilon=0.5, delta=0.1, algorithm="epal", model=ONE, growth=0.3, rng=0)
    assert isinstance(result.guarantee, cw.Guarantee)
    assert cw.verdict(result.pareto, means, cone, 0.5)


def test_a_mixture_is_a_heuristic():
    x = np.linspace(0, 1, 30)
    problem = cw.SimulatedBandit(np.column_stack([np.sin(3 * x), np.cos(3 * x)]) * 3, Gaussian(0.1))
    result = cw.identify(
        problem,
        cw.Cone.planar(60),
        epsilon=0.5,
        delta=0.1,
        algorithm="epal",
        model=cw.models.Smooth(x[:, None], kernels=("squared",), sizes=(10.0,)),
        growth=0.2,
        rng=0,
    )
    assert "proven for one known Gaussian process" in str(result.guarantee)
    assert cw.verdict(result.pareto, problem.means, cw.Cone.planar(60), 0.5)
