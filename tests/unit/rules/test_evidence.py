"""Evidence: comparisons of any designs on demand, with the radii that the claims have in the end."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.streams import Separately, by_objective
from conewise.noise import Gaussian
from conewise.rules.adaptive.fixed import FixedSample
from conewise.rules.evidence import Evidence

QUESTION = cw.Question(cw.Cone.orthant(2), 0.3, 0.1, Gaussian(0.5), "contain")
MEANS = np.array([[3.0, 0.0], [0.0, 3.0], [0.2, 2.6], [-2.0, -2.0]])


def of_rows(rng):
    """One look at whole rows."""
    designs = np.repeat(np.arange(4), 30)
    values = MEANS[designs] + 0.5 * rng.normal(size=(len(designs), 2))
    return FixedSample(QUESTION, 4), cw.Statistics.empty(4, 2).add(cw.Observations.single(designs, values))


def apart(rng):
    """One look at each objective by itself."""
    designs = np.repeat(np.arange(4), 30)
    values = MEANS[designs] + 0.5 * rng.normal(size=(len(designs), 2))
    certificate = Certificate(QUESTION, 4, once=True, apart=True)
    return certificate, Separately.empty(4, 2).add(by_objective(designs, values))


def again(rng):
    """Looks on a schedule."""
    rule, bandit = cw.rules.SuccessiveElimination(QUESTION, 4), cw.SimulatedBandit(MEANS, Gaussian(0.5))
    state = rule.start()
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, bandit.evaluate(pulls, rng))
    return rule.certificate, state


@pytest.mark.parametrize("make", [of_rows, apart, again])
def test_radii_are_those_with_which_the_claims_were_made(make):
    """For `contain` what is known narrows the radii of the rest: who is beaten is beaten by what is shown."""
    certificate, seen = make(np.random.default_rng(1))
    evidence = Evidence.of(certificate, seen)
    claims, everyone = evidence.claims(), np.arange(4)
    assert claims.beaten.any()
    shown = evidence.compare(everyone).out(everyone, everyone)
    beats = (shown.gains >= shown.radii).all(axis=2)
    for design in np.flatnonzero(claims.beaten):
        assert beats[design, claims.by[design]], design


def test_nothing_is_worked_out_before_it_is_asked_for():
    certificate, seen = of_rows(np.random.default_rng(2))
    asked = []

    class Watched(FixedSample):
        def claims(self, seen, epsilon=None):
            asked.append(seen)
            return super().claims(seen, epsilon)

    evidence = Evidence.of(Watched(certificate.question, 4), seen)
    assert asked == []
    _ = evidence.claims(), evidence.claims(), evidence.compare(np.arange(2))
    assert len(asked) == 1
