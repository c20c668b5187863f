"""How many borders between modules one question to a rule crosses: what a reader of it has to follow."""

from __future__ import annotations

import numpy as np
from shared.borders import borders

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import SuccessiveElimination

MOST = {"cover": 105, "contain": 190}
ROUNDS = 90  # until designs are accepted, covered and sure: then the most has to be asked


def crossed(success: str) -> list[int]:
    """At every round of a run with as many designs as pilots need."""
    rng = np.random.default_rng(7)
    problem = cw.SimulatedBandit(rng.normal(size=(45, 2)), Gaussian(1.0))
    epsilon, most = (0.1, None) if success == "cover" else (0.0, 10**6)
    question = cw.Question(cw.Cone.orthant(2), epsilon, 0.1, problem.assumption, success)
    rule = SuccessiveElimination(question, problem.n_designs, max_evaluations=most)
    _ = rule.certificate.tables  # worked out once
    state, found = rule.start(), []
    for _ in range(ROUNDS):
        pulls = []
        found.append(borders(lambda state=state, pulls=pulls: pulls.append(rule.ask(state))).total())
        if not pulls[0].total:
            break
        state = rule.tell(state, problem.evaluate(pulls[0], rng))
    return found


def test_one_question_to_the_default_rule_crosses_few_borders():
    assert max(crossed("cover")) <= MOST["cover"]


def test_exact_identification_crosses_few_borders():
    assert max(crossed("contain")) <= MOST["contain"]
