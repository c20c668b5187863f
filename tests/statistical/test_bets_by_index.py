"""Bets on differences paired by index keep delta for independent designs, also with shares from a pilot."""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.rules import PairedElimination
from conewise.studies import run

DELTA, LEVEL = 0.2, 1e-4
EQUAL, RATES = [[0.5, 0.5]] * 4, [[0.5, 0.5], [0.5, 0.5], [0.3, 0.6], [0.62, 0.3]]


class Rates:
    """Designs that pass each of two checks with a probability, checks and designs independent of each other."""

    assumption = cw.noise.Binary()

    def __init__(self, rates):
        self.rates = np.array(rates)
        self.n_designs, self.dim = self.rates.shape

    def evaluate(self, pulls, rng):
        designs = np.repeat(pulls.designs, pulls.counts)
        return cw.Observations.single(designs, (rng.random((len(designs), self.dim)) < self.rates[designs]) * 1.0)


def judge(rates, success, scale):
    """Return a function of a seed: whether a run claimed something that is false."""
    question = cw.Question(cw.Cone.orthant(2), 0.0 if success == "contain" else 0.1, DELTA, cw.noise.Binary(), success)
    means = np.array(rates)
    front = cw.pareto_mask(means, question.cone)

    def wrong(seed):
        options = {"blocks": 300, "population": None, "independent": True, "radius_scale": scale}
        result = run(PairedElimination(question, len(means), max_evaluations=1200, **options), Rates(rates), rng=seed)
        return bool(((result.status == "beaten") & front).any() or (result.certain & ~front).any())

    return wrong


@pytest.mark.parametrize("rates", [EQUAL, RATES], ids=["equal", "ties"])
@pytest.mark.parametrize("success", ["contain", "cover"])
def test_false_claims_are_as_rare_as_promised(rates, success):
    assert not rejected(judge(rates, success, 1.0), DELTA, LEVEL)


def test_the_test_has_power():
    assert rejected(judge(EQUAL, "contain", 0.3), DELTA, LEVEL)


def test_the_pilot_is_used():
    rule = PairedElimination(
        cw.Question(cw.Cone.orthant(2), 0.0, DELTA, cw.noise.Binary(), "contain"),
        4,
        max_evaluations=1200,
        blocks=300,
        population=None,
        independent=True,
    )
    assert rule.start().pilot is not None


def test_pilots_take_a_small_part_of_a_known_limit():
    question = cw.Question(cw.Cone.orthant(2), 0.05, DELTA, cw.noise.Binary())
    rates = np.random.default_rng(3).uniform(0.3, 0.7, size=(20, 2))
    options = {"blocks": 50_000, "population": None, "independent": True}
    rule = PairedElimination(question, 20, max_evaluations=2000, **options)
    rng, state = np.random.default_rng(0), rule.start()
    while state.weights is None:
        state = rule.tell(state, Rates(rates).evaluate(rule.ask(state), rng))
    assert state.pilot.counts.sum() <= 2000 / 20
    assert not PairedElimination(question, 20, **options).start().pilot.task.most <= 5
