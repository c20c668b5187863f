"""The contract of an identification algorithm: frozen configuration, state as a value, three verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from importlib import import_module
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from conewise._arrays import Bools, Floats
from conewise.feedback import Observations, Pulls
from conewise.goals import Guarantee, Heuristic

_ROWS = 20  # designs in a notebook


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

    def plot(self, **options: Any) -> Any:
        """A matplotlib figure of the averages by status (extra `plot`); options as in `report.pictures.plot_result`.

        Two objectives give a plane, three a scatter matrix, more give parallel lines.
        """
        # Drawing lives in a later room: it is found by its name, and only when somebody wants to see something.
        return import_module("conewise.report.pictures").plot_result(self, **options)

    def _repr_html_(self) -> str:
        """For notebooks: what is returned, with averages and evaluations."""
        shown = self.indices[:_ROWS]
        counted = [f"{int((self.status == status.value).sum()):,} {status.value}" for status in Status]
        heads = "".join(f"<th>objective {d + 1}</th>" for d in range(self.means.shape[1]))
        rows = "".join(
            f"<tr><th>{k}</th><td>{self.status[k]}</td><td>{self.counts[k]:,}</td>"
            + "".join(f"<td>{value:.5g}</td>" for value in self.means[k])
            + "</tr>"
            for k in shown
        )
        more = f"<p>… and {len(self.indices) - _ROWS:,} more.</p>" if len(self.indices) > _ROWS else ""
        return (
            f"<div><p><b>{len(self.indices):,} of {len(self.pareto):,} designs</b> after {self.evaluations:,} "
            f"evaluations ({', '.join(counted)}); {escape(str(self.guarantee))}.</p><table><thead><tr><th>design</th>"
            f"<th>status</th><th>evaluations</th>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}</div>"
        )

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
