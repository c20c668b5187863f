"""The one loop: ask, evaluate, tell, until nothing is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Protocol

import numpy as np

from conewise._arrays import Indices
from conewise.algorithms.contract import Algorithm, Result, State, planner_of
from conewise.errors import InputError
from conewise.feedback import Observations, Pulls
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
    total = planner_of(algorithm).total
    while (pulls := _wanted(algorithm.ask(state, batch))).total:
        observations = source.evaluate(pulls, generator)
        if not isinstance(observations, Observations):
            raise InputError(
                f"problem.evaluate must return Observations(designs, means, counts, scatters) or "
                f"Observations.single(designs, values), got {type(observations).__name__}."
            )
        if not len(observations):
            raise InputError(
                f"problem.evaluate returned no observation of the {pulls.total:,} that were asked for; return one row "
                "for each, or raise an error."
            )
        if not np.isin(observations.designs, pulls.designs).any():
            raise InputError(
                f"problem.evaluate was asked for {_some(pulls.designs)} and returned {_some(observations.designs)} "
                "instead; return what was asked for (designs are counted from 0), or raise an error."
            )
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


def _some(designs: Indices) -> str:
    different = np.unique(designs).tolist()
    shown = ", ".join(map(str, different[:5]))
    return f"design{'s' if len(different) > 1 else ''} {shown}{', ...' if len(different) > 5 else ''}"
