"""VOGP and epsilon-PAL keep their promise on average over a known process; with a sixteenth of the radius they do not.

Null hypothesis "a run fails with probability at most delta", sequential test at LEVEL = 1e-4 with fixed seeds (power
against a rate of 0.5: 0.99). Values are drawn from the prior that the rules are told.
"""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import VOGP, EpsilonPAL
from conewise.studies import run

DELTA, EPSILON, LEVEL, DESIGNS, SIZE = 0.1, 0.25, 1e-4, 12, 4.0


@pytest.mark.parametrize("scale", [1, 1 / 16], ids=["proven", "a sixteenth"])
@pytest.mark.parametrize("make", [VOGP, EpsilonPAL])
def test_a_known_process(make, scale):
    cone = cw.Cone.planar(120)
    question = cw.Question(cone, EPSILON, DELTA, Gaussian(0.5))
    prior = cw.models.Independent(sizes=(SIZE,))
    rule = make(question, DESIGNS, model=prior, growth=1.0, radius_scale=scale)

    def fails(seed: int) -> bool:
        means = np.random.default_rng([7, seed]).normal(0, SIZE * EPSILON, (DESIGNS, 2))
        result = run(rule, cw.SimulatedBandit(means, Gaussian(0.5)), rng=seed)
        return not cw.verdict(result.pareto, means, cone, EPSILON)

    assert rejected(fails, DELTA, LEVEL) == (scale < 1)
