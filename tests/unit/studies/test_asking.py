"""The loop: what was told before counts, and what is told joins it."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import check_returned
from conewise.errors import InputError
from conewise.noise import Gaussian
from conewise.studies.asking import run, told_all

MEANS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
PROBLEM = cw.SimulatedBandit(MEANS, Gaussian(0.3))
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


class Returns:
    """A problem which changes what was asked for before it evaluates it."""

    n_designs, dim, assumption = 3, 2, Gaussian(0.3)

    def __init__(self, change):
        self.change = change

    def evaluate(self, pulls, rng):
        designs, counts = self.change(pulls.designs, pulls.counts)
        return cw.Observations(designs, MEANS[np.array(designs, dtype=int) % 3], counts)


CHANGES = {
    "another design": (lambda d, n: ([0], [1]), r"1 evaluation of design 1 and returned 0; return exactly"),
    "twice the rows": (lambda d, n: (np.tile(d, 2), np.tile(n, 2)), r"1 evaluation of design 0 and returned 2"),
    "larger counts": (lambda d, n: (d, n * 1000), r"1 evaluation of design 0 and returned 1,000"),
    "fewer rows": (lambda d, n: (d[:-1], n[:-1]), r"1 evaluation of design 2 and returned 0"),
    "a design that does not exist": (lambda d, n: ([*d, 10**12], [*n, 1]), r"0 evaluations of design 10+ and returned"),
    "nothing": (lambda d, n: ([], []), r"1 evaluation of design 0 and returned 0"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seen", ["rows", "one by one", "in units"])
def test_observations_that_nobody_asked_for_are_refused(change, seen):
    changed, words = CHANGES[change]
    problem, options = Returns(changed), {}
    if seen == "one by one":
        problem, words = cw.problems.OneByOne(problem), r"problem.evaluate was asked for .* return exactly"
    elif seen == "in units":
        options["objectives"] = [cw.Objective("price", "min", unit=2.0), "power"]
    with pytest.raises(InputError, match=words):
        cw.identify(problem, cw.Cone.orthant(2), epsilon=0.2, delta=0.1, rng=0, **options)


@pytest.mark.parametrize(
    "change",
    [
        lambda d, n: (d[::-1], n[::-1]),
        lambda d, n: (np.repeat(d, n), np.ones(n.sum(), dtype=int)),
    ],
    ids=["in another order", "one row each"],
)
def test_what_was_asked_for_may_come_in_any_order_and_split(change):
    asked = cw.Pulls([0, 2, 1], [3, 1, 2])
    returned = Returns(change).evaluate(asked, 0)
    assert check_returned(asked, returned, 2) is returned
    result = cw.identify(Returns(change), cw.Cone.orthant(2), epsilon=0.2, delta=0.1, rng=0, max_evaluations=6)
    assert result.evaluations == 6


def test_values_of_other_objectives_are_refused():
    class Wider(Returns):
        dim = 3

    with pytest.raises(InputError, match=r"returned 2 objectives, not 3"):
        cw.identify(Wider(lambda *asked: asked), cw.Cone.orthant(3), epsilon=0.2, delta=0.1, rng=0)


def test_cells_belong_to_their_rows_in_whatever_order_they_come():
    cells = cw.problems.OneByOne(Reversed([[0.0, 5.0], [2.0, 1.0]], Gaussian([1e-9, 1e-9])))
    told = cells.evaluate(cw.Pulls([1, 2], [3, 4]), rng=0)
    assert dict(zip(told.designs.tolist(), told.means[:, 0].round(3).tolist(), strict=True)) == {1: 5.0, 2: 2.0}


class Reversed(cw.SimulatedBandit):
    """A problem which returns its rows in the opposite order."""

    def evaluate(self, pulls, rng):
        return super().evaluate(cw.Pulls(pulls.designs[::-1], pulls.counts[::-1]), rng)


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
