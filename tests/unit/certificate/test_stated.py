"""The epsilon that claims give to a set which somebody else chose."""

from __future__ import annotations

import numpy as np
import pytest
from conewise.certificate.stated import epsilon_of

import conewise as cw
from conewise.data.observations import Observations
from conewise.noise import Gaussian
from conewise.rules import SuccessiveElimination

CONE = cw.Cone.orthant(2)
MEANS = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0], [0.9, 0.9], [-1.0, -1.0]])


@pytest.fixture(scope="module")
def claims():
    rule = SuccessiveElimination(cw.Question(CONE, 0.3, 0.05, Gaussian(0.2)), 5, pilots=False)
    state, rng = rule.start(), np.random.default_rng(1)
    for _ in range(120):
        values = MEANS + 0.2 * rng.normal(size=MEANS.shape)
        state = rule.tell(state, Observations.single(np.arange(5), values))
    return rule, rule.certificate.claims(state)


def test_it_is_the_epsilon_of_the_rule_for_the_set_of_the_rule(claims):
    rule, made = claims
    found = rule.certificate.certified_epsilon(made)
    assert epsilon_of(made, CONE, True, found.returned) == pytest.approx(found.epsilon)


@pytest.mark.parametrize("returned", [[0, 1, 2], [0, 2, 3], [0, 1, 2, 3]])
def test_any_set_succeeds_at_its_epsilon(claims, returned):
    _, made = claims
    mask = np.isin(np.arange(5), returned)
    epsilon = epsilon_of(made, CONE, True, mask)
    assert epsilon is not None
    assert cw.verdict(mask, MEANS, CONE, epsilon)


def test_some_sets_have_none(claims):
    _, made = claims
    assert epsilon_of(made, CONE, True, np.zeros(5, dtype=bool)) is None  # nothing returned
    assert epsilon_of(made, CONE, True, np.arange(5) == 4) is None  # beaten
    assert epsilon_of(made, CONE, False, np.isin(np.arange(5), [0, 2])) is None  # may miss a Pareto design
