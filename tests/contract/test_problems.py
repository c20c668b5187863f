"""Every problem passes the suite that is shipped for those of others, and problems that break it fail."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise import noise, problems
from conewise.testing import ProblemContract

MEANS = np.array([[0.0, 1.0], [0.5, 0.2], [0.1, 0.9]])
VALUES = np.random.default_rng(0).normal(size=(3, 5, 2))


def evaluate(design, seed):
    return np.random.default_rng(seed).normal(size=2) + len(design["name"])


MADE = {
    "simulated": lambda: problems.SimulatedBandit(MEANS, noise.Gaussian(0.3)),
    "correlated": lambda: problems.SimulatedBandit(MEANS, noise.Gaussian(cov=[[1.0, 0.5], [0.5, 1.0]])),
    "one sigma each": lambda: problems.SimulatedBandit(MEANS, noise.Gaussian(np.full((3, 2), 0.1))),
    "two-point": lambda: problems.SimulatedBandit(MEANS, problems.TwoPoint([1.0, 0.5])),
    "uniform": lambda: problems.SimulatedBandit(MEANS, problems.UniformNoise(0.5)),
    "heavy-tailed": lambda: problems.SimulatedBandit(MEANS, problems.HeavyTailed()),
    "binary": lambda: problems.SimulatedBandit(MEANS, noise.Binary()),
    "a hard instance": lambda: problems.worst_case_instance(cw.Cone.orthant(2), 4, 0.1).problem,
    "snw": lambda: problems.load("snw"),
    "imrt": lambda: problems.load("imrt"),
    "recorded": lambda: problems.Recorded(VALUES),
    "reading": lambda: problems.Recorded(VALUES).reading(0),
    "called": lambda: problems.Called(evaluate, ("a", "bb"), ({}, {}), ("x", "y")),
    "a box": lambda: problems.Box({"x": (0.0, 1.0)}, evaluate=lambda design: [design["x"], 1.0]).at(
        np.array([[0.2], [0.7]]), ("x", "y")
    ),
}


class TestProblems(ProblemContract):
    @pytest.fixture(autouse=True, params=MADE)
    def which(self, request):
        self.name = request.param

    def make(self):
        return MADE[self.name]()


class TestOneByOne(ProblemContract):
    def make(self):
        return problems.OneByOne(MADE["simulated"]())

    def size(self, problem):
        return problem.n_designs * problem.dim, 1


class Broken(problems.SimulatedBandit):
    """A problem with one defect."""

    def __init__(self, defect):
        super().__init__(MEANS, noise.Gaussian(0.3))
        object.__setattr__(self, "defect", defect)

    def evaluate(self, pulls, rng):
        if self.defect == "its own random numbers":
            rng = np.random.default_rng()
        if self.defect == "the last design for another" and pulls.designs.max() >= len(MEANS):
            pulls = cw.Pulls(np.minimum(pulls.designs, 2), pulls.counts)
        told = super().evaluate(pulls, rng)
        designs, counts = told.designs, told.counts
        if self.defect == "twice the rows":
            return cw.Observations(np.tile(designs, 2), np.tile(told.means, (2, 1)), np.tile(counts, 2))
        if self.defect == "larger counts":
            return cw.Observations(designs, told.means, counts * 1000)
        if self.defect == "another design":
            return cw.Observations((designs + 1) % 3, told.means, counts)
        if self.defect == "one row at most":
            return cw.Observations(designs[:1], told.means[:1], counts[:1])
        if self.defect == "an array":
            return told.means
        if self.defect == "one objective":
            return cw.Observations(designs, told.means[:, :1], counts)
        return told


def failures(problem):
    """The tests of the suite that fail for a problem."""

    class Suite(ProblemContract):
        def make(self):
            return problem

    found = set()
    for name in filter(lambda name: name.startswith("test_"), dir(Suite)):
        try:
            getattr(Suite(), name)()
        except (AssertionError, cw.InputError, pytest.fail.Exception):
            found.add(name)
    return found


RETURNS = "test_it_returns_exactly_what_it_was_asked_for"


@pytest.mark.parametrize(
    ("defect", "test"),
    [
        ("its own random numbers", "test_the_same_random_numbers_give_the_same_values"),
        ("the last design for another", "test_a_design_that_does_not_exist_is_refused"),
        *((defect, RETURNS) for defect in ("twice the rows", "larger counts", "another design", "one row at most")),
        ("an array", RETURNS),
        ("one objective", RETURNS),
    ],
)
def test_a_problem_with_a_defect_fails(defect, test):
    assert test in failures(Broken(defect))


def test_a_problem_with_too_few_names_fails():
    class Misnamed(problems.OneByOne):
        names = ("a",)

    assert "test_it_says_what_it_evaluates" in failures(Misnamed(MADE["simulated"]()))


def test_the_control_without_a_defect_passes():
    assert failures(Broken("none")) == set()
