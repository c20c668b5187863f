"""One suite for every problem: it returns exactly what it was asked for, and the same for the same random numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
import pytest

from conewise.data.observations import Observations, Pulls, check_returned
from conewise.noise import Noise
from conewise.studies.asking import Problem


class ProblemContract:
    """Inherit it and say in `make` how the problem is made; at least three evaluations of each design are possible."""

    @abstractmethod
    def make(self) -> Problem:
        """Return a new problem."""

    def size(self, problem: Problem) -> tuple[int, int]:
        """Return how many things can be asked for, and how many values each has."""
        return problem.n_designs, problem.dim

    def batches(self) -> Iterator[Observations]:
        """Yield what the problem returned for batches of several sizes and orders, which it must leave as they are."""
        n = self.size(self.make())[0]
        for designs, counts in ([0], [1]), ([n - 1], [3]), (range(n), [1] * n), (range(n)[::-1], [2, *[1] * (n - 1)]):
            problem, pulls = self.make(), Pulls(list(designs), counts)
            yield check_returned(pulls, problem.evaluate(pulls, 7), self.size(problem)[1])
            assert (pulls.designs.tolist(), pulls.counts.tolist()) == (list(designs), counts)

    def test_it_says_what_it_evaluates(self) -> None:
        """Numbers of designs and objectives, the names of both where it has them, and an assumption or None."""
        problem = self.make()
        assert problem.n_designs >= 1
        assert problem.dim >= 1
        assert len(getattr(problem, "names", ())) in (0, problem.n_designs)
        assert len(getattr(problem, "objectives", ())) in (0, problem.dim)
        assert problem.assumption is None or isinstance(problem.assumption, Noise)

    def test_it_returns_exactly_what_it_was_asked_for(self) -> None:
        """Designs, numbers of evaluations and objectives, in batches of any size; `Observations` are finite."""
        assert list(self.batches())

    def test_the_same_random_numbers_give_the_same_values(self) -> None:
        """A run with the same seed is the same run."""
        for first, again in zip(self.batches(), self.batches(), strict=True):
            np.testing.assert_array_equal(first.designs, again.designs)
            np.testing.assert_array_equal(first.means, again.means)

    def test_a_design_that_does_not_exist_is_refused(self) -> None:
        """The last design is not taken for another one."""
        problem = self.make()
        with pytest.raises(Exception):  # noqa: B017, PT011 - of any kind
            problem.evaluate(Pulls([self.size(problem)[0]]), 7)
