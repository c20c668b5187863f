"""The contract of an identification algorithm: frozen configuration, state as a value, three verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from conewise._arrays import Bools, Floats
from conewise.feedback import Observations, Pulls
from conewise.goals import Guarantee, Heuristic


class Status(StrEnum):
    """Where a design stands in an answer."""

    PARETO = "pareto"
    ELIMINATED = "eliminated"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Result:
    """An answer and what it is worth."""

    pareto: Bools
    """(K,): the returned set."""
    status: NDArray[np.str_]
    """(K,): "pareto", "eliminated" or "undecided"."""
    evaluations: int
    guarantee: Guarantee | Heuristic
    certified_epsilon: float | None
    """The smallest epsilon that a proof gives for these evaluations; None while there is none."""
    stopped_because: str
    means: Floats
    """(K, D): the averages; NaN where nothing was observed."""
    counts: NDArray[np.int64]

    @property
    def indices(self) -> list[int]:
        """The returned designs."""
        return [int(i) for i in np.flatnonzero(self.pareto)]

    def names(self, names: Sequence[str]) -> list[str]:
        """The returned designs by name."""
        return [names[i] for i in self.indices]

    def __repr__(self) -> str:
        share = f"{len(self.indices)} of {len(self.pareto)} designs"
        return f"Result({share} after {self.evaluations} evaluations; {self.guarantee})"


class Seen(Protocol):
    """What every state knows."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Evaluations of each design."""
        ...

    @property
    def evaluations(self) -> int:
        """How many evaluations in all."""
        ...


State = TypeVar("State", bound=Seen)


class Algorithm(Protocol[State]):
    """What to evaluate next, and what the observations so far say.

    Implementations are frozen; the state is a value (`Statistics`, or a class of the algorithm's own). A run is a fold
    of `tell` over the observations: the same observations in any batches give the same state.
    """

    def start(self) -> State:
        """The state before any observation."""
        ...

    def ask(self, state: State, most: int | None = None) -> Pulls:
        """The next evaluations, at most `most` of them; empty when the algorithm has seen enough."""
        ...

    def tell(self, state: State, observations: Observations) -> State:
        """A new state; what does not fit is refused and the old state stays as it is."""
        ...

    def recommend(self, state: State) -> Result:
        """The answer so far, at any moment."""
        ...
