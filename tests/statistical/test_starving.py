"""Check that twins do not take the evaluations of the other designs, in every layout.

Twenty random designs and a twin of a Pareto optimal one, and an exact question: the twins stay undecided for ever. At
the same budget an adaptive run leaves at most as many of the other designs undecided as an even allocation that is
judged by one look. Seeds are fixed; the negative control is the rule without its limit on how far a design may lag.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import conewise as cw
from conewise.certificate.tuning import TUNING
from conewise.data.observations import Pulls
from conewise.noise import Gaussian, GaussianUnknown
from conewise.rules import SuccessiveElimination

ORTHANT, DELTA, EACH, SEEDS = cw.Cone.orthant(2), 0.05, 1000, range(8)


@cache
def instance(seed: int) -> tuple[cw.SimulatedBandit, np.ndarray]:
    """The designs, and all but the two twins."""
    rng = np.random.default_rng([seed, 7])
    means = rng.normal(size=(20, 2))
    twin = int(rng.choice(np.flatnonzero(cw.pareto_mask(means, ORTHANT))))
    return cw.SimulatedBandit(np.vstack([means, means[twin]]), Gaussian(1.0)), np.delete(np.arange(20), twin)


def undecided(result: cw.Result, others: np.ndarray) -> int:
    return int((result.status[others] == "undecided").sum())


@cache
def even(epsilon: float = 0.0, success: str = "contain", share: float = 1) -> int:
    """Undecided designs of all instances after the same number of evaluations of each, at one look."""
    total = 0
    for seed in SEEDS:
        problem, others = instance(seed)
        sample = problem.evaluate(Pulls.each(np.full(21, int(share * EACH))), np.random.default_rng(seed))
        asked = {"epsilon": epsilon, "delta": DELTA, "noise": Gaussian(1.0), "success": success}
        found = cw.analyse(sample, ORTHANT, final=True, **asked)
        total += undecided(found.result, others)
    return total


def adaptive(as_measured, each: float = 1, epsilon: float = 0.0, success: str = "contain") -> int:
    """Undecided designs of all instances; `each` is how many measurements one evaluation counts for."""
    total = 0
    for seed in SEEDS:
        problem, others = instance(seed)
        most = {"max_evaluations": int(21 * EACH * each), "success": success}
        found = cw.identify(as_measured(problem), ORTHANT, epsilon=epsilon, delta=DELTA, rng=seed, **most)
        assert found.evaluations <= 21 * EACH * each
        total += undecided(found, others)
    return total


def test_rows():
    assert adaptive(lambda problem: problem) <= even()


@pytest.mark.parametrize("success", ["cover", "contain"])
def test_an_epsilon_that_the_limit_cannot_pay_for(success):
    assert adaptive(lambda problem: problem, 1, 0.01, success) <= even(0.01, success)


@pytest.mark.parametrize(("epsilon", "success"), [(0.0, "contain"), (0.01, "cover")])
def test_a_small_limit(epsilon, success):
    found = adaptive(lambda problem: problem, 0.1, epsilon, success)
    assert found <= 1.7 * even(epsilon, success, 0.1)


def test_objectives_measured_one_by_one():
    assert adaptive(cw.problems.OneByOne, each=2) <= even()


def test_without_a_limit_on_the_lag_twins_starve_the_others():
    left = 0
    for seed in SEEDS:
        problem, others = instance(seed)
        question = cw.Question(ORTHANT, 0.0, DELTA, Gaussian(1.0), "contain")
        endless = replace(TUNING, lag=math.inf)
        rule = SuccessiveElimination(question, 21, max_evaluations=21 * EACH, tuning=endless)
        state, rng = rule.start(), np.random.default_rng(seed)
        while (pulls := rule.ask(state)).total:
            state = rule.tell(state, problem.evaluate(pulls, rng))
        left += undecided(rule.recommend(state), others)
    assert left > 1.5 * even()


def blocks(problem: cw.SimulatedBandit, seed: int, count: int) -> np.ndarray:
    """(21, count, 2): values with effects that all designs share."""
    rng = np.random.default_rng([seed, 2])
    return problem.means[:, None] + rng.normal(size=(count, 2)) + rng.normal(size=(21, count, 2))


def test_blocks():
    found = np.zeros(2, dtype=int)
    for seed in SEEDS:
        problem, others = instance(seed)
        recorded = cw.problems.Recorded(blocks(problem, seed, 10 * EACH), False, noise=GaussianUnknown())
        most = {"max_evaluations": 21 * EACH, "success": "contain"}
        ours = cw.identify(recorded, ORTHANT, epsilon=0, delta=DELTA, rng=seed, **most)
        once = cw.problems.Recorded(blocks(problem, seed, EACH), False, noise=GaussianUnknown())
        table = {"design": np.repeat(np.arange(21), EACH), "block": np.tile(np.arange(EACH), 21)}
        table |= dict(zip("ab", once.values.reshape(-1, 2).T, strict=True))
        asked = {
            "design": "design",
            "objectives": ["a", "b"],
            "block": "block",
        }
        theirs = cw.analyse(table, ORTHANT, delta=DELTA, noise=GaussianUnknown(), success="contain", **asked)
        found += undecided(ours, others), undecided(theirs.result, others)
    assert found[0] <= found[1]


@pytest.mark.parametrize("seed", range(2))
def test_a_model_asks_for_the_rival_that_decides(seed):
    """The first design stands apart and is known at once; the last one hangs on the twins and on the one ahead."""
    means = np.array([[-5.0, 5.0], [0.0, 0.0], [0.0, 0.0], [4.0, -4.0], [3.8, -4.2]])
    problem = cw.SimulatedBandit(means, Gaussian(1.0))
    asked = {"epsilon": 0, "delta": DELTA, "success": "contain", "max_evaluations": 1000}
    found = cw.identify(problem, ORTHANT, model=cw.models.Independent(), rng=seed, **asked)
    assert found.counts[0] < 0.1 * found.evaluations
