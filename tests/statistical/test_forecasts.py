"""Check that the forecast of what remains is about right half-way through a run; runs have fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.noise import Gaussian, GaussianUnknown
from conewise.rules import PairedElimination, SuccessiveElimination

ORTHANT, RUNS = cw.Cone.orthant(2), range(10)


def forecast(rule, problem, seed: int) -> float:
    """Return the forecast of all evaluations of a run, made half-way, over their actual number."""
    state, rng, states = rule.start(), np.random.default_rng(seed), []
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, problem.evaluate(pulls, rng))
        states.append(state)
    half = next(each for each in states if 2 * each.evaluations >= state.evaluations)
    return (half.evaluations + rule.plan(half).remaining) / state.evaluations


@pytest.mark.parametrize(("epsilon", "sigma"), [(0.1, 0.3), (0.0, 0.3)])
def test_rows(epsilon, sigma):
    found = []
    for seed in RUNS:
        means = np.random.default_rng([seed, 0]).normal(size=(12, 2))
        question = cw.Question(ORTHANT, epsilon, 0.05, Gaussian(sigma), "cover" if epsilon else "contain")
        rule = SuccessiveElimination(question, 12, max_evaluations=None if epsilon else 10**6)
        found.append(forecast(rule, cw.SimulatedBandit(means, Gaussian(sigma)), seed))
    assert 0.7 < np.median(found) < 1.4
    assert max(found) < 5


def test_blocks():
    found = []
    for seed in RUNS:
        rng = np.random.default_rng([seed, 1])
        means, shared = rng.normal(size=(20, 1, 2)) * 0.5, rng.normal(size=(3000, 2))
        problem = cw.problems.Recorded(means + shared + 0.5 * rng.normal(size=(20, 3000, 2)), False)
        question = cw.Question(ORTHANT, 0.1, 0.05, GaussianUnknown())
        rule = PairedElimination(question, 20, blocks=3000, population=None)
        found.append(forecast(rule, problem.reading(seed), seed))
    assert 0.7 < np.median(found) < 1.4
    assert max(found) < 2
