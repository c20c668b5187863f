"""Rules that go by rounds: summaries that jump over rounds, and rounds that grow."""

from __future__ import annotations

import numpy as np
import pytest
from shared.published import DELTA, ELIMINATIONS, EPSILON, PROBLEMS, SIGMA, name

import conewise as cw
from conewise.data.observations import Observations
from conewise.noise import Gaussian


@pytest.mark.parametrize("make", ELIMINATIONS, ids=name)
def test_a_summary_that_jumps_over_rounds_is_judged_once_at_its_count(make):
    """A million evaluations in one entry: no million rounds, and everything is decided."""
    cone, means = PROBLEMS["right angle"]
    algorithm = make(cw.Question(cone, EPSILON, DELTA, Gaussian(SIGMA)), len(means))
    state = algorithm.tell(algorithm.start(), Observations(range(len(means)), means, [10**6] * len(means)))
    assert state.judged == 1
    assert isinstance(algorithm.recommend(state).guarantee, cw.Guarantee)


@pytest.mark.parametrize("make", ELIMINATIONS, ids=name)
def test_rounds_grow(make):
    algorithm = make(cw.Question(cw.Cone.orthant(2), 1e-3, DELTA, Gaussian(1)), 3, growth=0.5)
    state, levels = algorithm.start(), []
    for _ in range(8):
        pulls = algorithm.ask(state)
        state = algorithm.tell(state, Observations(pulls.designs, np.zeros((3, 2)), pulls.counts))
        levels.append(int(state.counts.min()))
        assert state.counts.max() == levels[-1]
    assert levels == [1, 2, 3, 4, 6, 9, 13, 19]
