"""The loop: what was told before counts, and what is told joins it."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.errors import InputError
from conewise.noise import Gaussian
from conewise.studies.asking import run, told_all

PROBLEM = cw.SimulatedBandit([[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]], Gaussian(0.3))
QUESTION = cw.Question(cw.Cone.orthant(2), 0.2, 0.1, Gaussian(0.3))


def rule(**options):
    return cw.SuccessiveElimination(QUESTION, 3, **options)


def test_a_run_in_two_parts_is_a_run():
    told = []
    told_all(rule(max_evaluations=6), PROBLEM, rng=0, batch=3, told=told)
    assert sum(int(each.counts.sum()) for each in told) == 6
    result = rule().recommend(told_all(rule(), PROBLEM, rng=1, told=told))
    assert result.evaluations == sum(int(each.counts.sum()) for each in told)
    assert result.guarantee


def test_a_run_is_the_answer_of_its_last_state():
    state, result = told_all(rule(), PROBLEM, rng=3), run(rule(), PROBLEM, rng=3)
    assert np.array_equal(result.means, rule().recommend(state).means)
    assert result.evaluations == state.evaluations


class Elsewhere:
    """A problem that evaluates what nobody asked for."""

    n_designs, dim, assumption = 3, 2, Gaussian(0.3)

    def evaluate(self, pulls, rng):
        return cw.Observations([0], [[1.0, 2.0]])


def test_a_problem_that_never_evaluates_what_is_asked_for_is_refused():
    with pytest.raises(InputError, match=r"was asked for designs? .* and returned design 0 instead; return what was"):
        told_all(rule(), Elsewhere(), rng=0)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (None, "algorithm.ask must return Pulls.*, an empty one at the end, got NoneType"),
        ([0, 2], "algorithm.ask must return Pulls.*, got list"),
    ],
)
def test_an_algorithm_of_ones_own_asks_for_pulls(asked, words, monkeypatch):
    monkeypatch.setattr(cw.SuccessiveElimination, "ask", lambda *_: asked)
    with pytest.raises(InputError, match=words):
        run(rule(), PROBLEM, rng=0)
