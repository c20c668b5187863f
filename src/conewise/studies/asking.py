"""The one loop: ask, evaluate, tell, until nothing is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Any, Final, Protocol

import numpy as np

from conewise.certificate.rounding import Estimated, spreads_of
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Pulls, check_returned
from conewise.errors import InputError
from conewise.noise import Noise
from conewise.problems.recorded import Recorded
from conewise.problems.simulated import Seed, as_generator
from conewise.question.question import Heuristic
from conewise.rules.adaptive.elimination import Elimination
from conewise.rules.adaptive.layouts import PairedElimination
from conewise.rules.contract import Algorithm, Result, State, planner_of

TRIED: Final = 50
"""Evaluations of an open design, on average, after which an objective without any variation stops a run."""
_PAUSE: Final = 1.2  # a run is looked at again after so many times the evaluations
_SHRINKS: Final = 0.7  # a certified epsilon falls to a third with ten times the evaluations; not even to this: it stays

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


class Prospects:
    """Ask after every round whether a run can end, and keep the reason where it cannot."""

    def __init__(self, algorithm: Algorithm[Any], objectives: Sequence[str] = ()) -> None:
        self.algorithm, self.objectives, self.reason = algorithm, objectives, ""
        self._due, self._looks = 0.0, list[tuple[int, float]]()

    def over(self, state: Any, *, limited: bool = False) -> bool:
        """Return True if no further evaluation helps. Only equal values stop a run that has a limit."""
        rule = self.algorithm
        if not isinstance(rule, Elimination) or state.evaluations < self._due or not rule.begun(state):
            return bool(self.reason)
        if isinstance(rule, PairedElimination) and rule.population == rule.blocks:
            return bool(self.reason)  # where all blocks are read, averages over them are exact
        self._due, estimated = _PAUSE * state.evaluations, Estimated.of(rule.noise, rule.dim)
        claims = rule.certificate.claims(state)
        if not estimated.any or claims.done:
            return False  # what is known of the noise narrows every radius
        left = claims.left
        seen = rule.seen(state)
        parts = seen.each if isinstance(seen, Separately) else (seen,)
        spreads = np.hstack([spreads_of(own.scatters, own.means, own.counts.astype(np.float64)) for own in parts])
        named = [repr(name) for name in self.objectives] or [f"objective {d}" for d in range(rule.dim)]
        every = np.hstack([np.tile(own.counts[:, None], own.dim) for own in parts])
        counts = every[claims.undecided]
        still = (spreads[left] == 0).all(axis=0) & estimated.columns & (estimated.steps != 0)
        for d in np.flatnonzero(still & (counts.mean(axis=0) >= TRIED)).tolist():
            self.reason = (
                f"{named[d]} never varied in {TRIED} or more evaluations of an open design, and shows nothing while "
                "its noise is of unknown size; declare it as known, without noise, or say how large its noise is"
            )
        if isinstance(rule, PairedElimination):
            return bool(self.reason)  # there are only so many blocks
        found = None if claims.no_worse_at is None else rule.certificate.certified_epsilon(claims)
        least = int(counts.min())
        self._looks.append((least, math.inf if found is None else found.epsilon))
        decades = [[e for n, e in self._looks if least < n * back <= 10 * least] for back in (10, 100, 1000)]
        alike = (spreads[left] == 0) & (every[left] >= 10 * TRIED)
        twins = np.flatnonzero((alike.sum(axis=0) > 1) & estimated.columns & (estimated.steps != 0)).tolist()
        decades = decades[:2] if twins else decades
        slow = all(a and b and min(a) >= _SHRINKS * min(b) for a, b in pairwise(decades))
        if slow and claims.no_worse_at is not None and not (limited or rule.max_evaluations is not None or self.reason):
            why = "a hundredth of these evaluations; "
            if twins:
                why = f"a tenth of these evaluations; {named[twins[0]]} never varied in two or more designs: "
                why += "say how large its noise is, "
            self.reason = (
                f"{'nothing' if found is None else f'epsilon = {found.epsilon:g}'} is certified, hardly better than "
                f"with {why}give max_evaluations, or a larger epsilon"
            )
        return bool(self.reason)

    def told(self, result: Result) -> Result:
        """Return the answer of a stopped run with the reason, and any other answer as it is."""
        if not self.reason:
            return result
        why = f"not finished: {self.reason}"
        worth = result.guarantee if result.guarantee.proof else Heuristic(why)
        return replace(result, guarantee=worth, stopped_because=why)


def run(
    algorithm: Algorithm[State],
    problem: Problem,
    *,
    rng: Seed,
    batch: int | None = None,
    progress: Progress | None = None,
    objectives: Sequence[str] = (),
) -> Result:
    """Return the answer of an algorithm that got what it asked for, `batch` evaluations at a time (default: all).

    A run that cannot end is stopped (`Prospects`); `objectives` are the names that the reason may use.
    """
    prospects = Prospects(algorithm, objectives)
    state = told_all(algorithm, problem, rng=rng, batch=batch, progress=progress, prospects=prospects)
    return prospects.told(algorithm.recommend(state))


def told_all(
    algorithm: Algorithm[State],
    problem: Problem,
    *,
    rng: Seed,
    batch: int | None = None,
    progress: Progress | None = None,
    told: list[Observations] | None = None,
    prospects: Prospects | None = None,
) -> State:
    """Return the state in which the algorithm asks for nothing more, or in which its `prospects` are over.

    `told` is what was observed before, which counts as well; what is observed now joins it.
    """
    generator = as_generator(rng)
    source = problem.reading(generator) if isinstance(problem, Recorded) else problem
    state = reduce(algorithm.tell, told or (), algorithm.start())
    total, width = planner_of(algorithm).total, problem.dim if planner_of(algorithm).parts == 1 else 1
    while not (prospects and prospects.over(state)) and (pulls := _wanted(algorithm.ask(state, batch))).total:
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
