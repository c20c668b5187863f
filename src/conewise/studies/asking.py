"""The one loop: ask, evaluate, tell, until nothing is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Protocol

from conewise.algorithms.contract import Algorithm, Result, State, planner_of
from conewise.errors import InputError
from conewise.feedback import Observations, Pulls, check_returned
from conewise.noise import Noise
from conewise.problems.recorded import Recorded
from conewise.problems.simulated import Seed, as_generator

Progress = Callable[[int, int | None], None]
"""Called after every batch with the evaluations so far and the total, where it is known."""


class Problem(Protocol):
    """Anything with K designs of D objectives that can be evaluated."""

    @property
    def n_designs(self) -> int:
        """The number of designs K."""
        ...

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        ...

    @property
    def assumption(self) -> Noise | None:
        """What may be taken for granted of the noise."""
        ...

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """The observations of these pulls."""
        ...


def run(
    algorithm: Algorithm[State],
    problem: Problem,
    *,
    rng: Seed,
    batch: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """The answer of an algorithm that got what it asked for, `batch` evaluations at a time (all, by default)."""
    return algorithm.recommend(told_all(algorithm, problem, rng=rng, batch=batch, progress=progress))


def told_all(
    algorithm: Algorithm[State],
    problem: Problem,
    *,
    rng: Seed,
    batch: int | None = None,
    progress: Progress | None = None,
    told: list[Observations] | None = None,
) -> State:
    """The state in which the algorithm asks for nothing more: `tell` folded over what it asked for.

    `told` is what was observed before, which counts as well; what is observed now joins it.
    """
    generator = as_generator(rng)
    source = problem.reading(generator) if isinstance(problem, Recorded) else problem
    state = reduce(algorithm.tell, told or (), algorithm.start())
    total, width = planner_of(algorithm).total, problem.dim if planner_of(algorithm).parts == 1 else 1
    while (pulls := _wanted(algorithm.ask(state, batch))).total:
        observations = check_returned(pulls, source.evaluate(pulls, generator), width)
        state = algorithm.tell(state, observations)
        if told is not None:
            told.append(observations)
        if progress is not None:
            progress(state.evaluations, total)
    return state


def _wanted(pulls: Pulls) -> Pulls:
    """What an algorithm asks for, which may be somebody's own."""
    if not isinstance(pulls, Pulls):
        raise InputError(
            "algorithm.ask must return Pulls(designs) or Pulls(designs, counts), an empty one at the end, got "
            f"{type(pulls).__name__}."
        )
    return pulls
