"""A forecast of how far designs have to read, against what the run then takes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from shared.passes import FLAT, RATES, answers

from conewise.data.observations import Observations
from conewise.noise import Bounded, GaussianUnknown
from conewise.question.question import Question
from conewise.rules import PairedElimination


def rule_for(noise, blocks=400, population=400, epsilon=0.05, **options):
    question = Question(FLAT, epsilon, 0.05, noise, **options)
    return PairedElimination(question, len(RATES), blocks=blocks, population=population)


def course(rule, values):
    """The states at which the rule asks, and the last one."""
    state, reach = rule.start(), np.zeros(len(values), dtype=int)
    while (pulls := rule.ask(state)).total:
        yield state
        for design, count in zip(pulls.designs, pulls.counts, strict=True):
            part = values[design, reach[design] : reach[design] + count]
            state = rule.tell(state, Observations.single([design] * len(part), part))
            reach[design] += count
    yield state


@pytest.mark.parametrize("noise", [Bounded(0, 1), GaussianUnknown()], ids=["bets", "normal"])
@pytest.mark.parametrize("success", ["cover", "contain"])
def test_what_remains_is_forecast_within_a_factor_of_two(noise, success):
    """On average over three tables, from a quarter of the way on; seeds are fixed, so this either holds or not."""
    ratios = []
    for seed in range(3):
        values = answers(RATES, 200, seed)
        if isinstance(noise, GaussianUnknown):
            values = values + 0.1 * np.random.default_rng(seed).normal(size=values.shape)
        *before, last = course(rule := rule_for(noise, 200, 200, success=success), values)
        assert rule.plan(last).remaining == 0
        early = next(state for state in before if state.evaluations >= last.evaluations / 4)
        ratios.append(rule.plan(early).remaining / (last.evaluations - early.evaluations))
    assert 0.5 < np.mean(ratios) < 2


def test_before_the_first_look_only_that_much_is_known():
    rule = rule_for(Bounded(0, 1))
    plan = rule.plan(rule.start())
    assert plan.at_least
    assert plan.remaining == len(RATES) * rule.certificate.levels[0]


def test_nobody_reads_further_than_there_are_blocks_and_a_larger_epsilon_takes_no_more():
    rule = rule_for(Bounded(0, 1))
    state = next(state for state in course(rule, answers(RATES, 400, 3)) if state.reach.min() >= 30)
    claims = [rule.certificate.claims(state, epsilon) for epsilon in (0.0, 0.02, 0.1, 0.5)]
    some = [rule.missing(state, each, epsilon) for each, epsilon in zip(claims, (0.0, 0.02, 0.1, 0.5), strict=True)]
    assert (state.reach[:, None] + some[0] <= 400).all()
    assert all(later.sum() <= earlier.sum() for earlier, later in pairwise(some))


def test_a_tie_in_an_unlimited_population_takes_all_blocks_that_there_are():
    values = answers(RATES, 60, 0)
    values[3] = values[0][:, ::-1]
    rule = rule_for(Bounded(0, 1), blocks=60, population=None, epsilon=0.001)
    state = next(state for state in course(rule, values) if state.reach.min() >= 12)
    assert rule.plan(state).remaining <= 5 * 60 - state.evaluations
