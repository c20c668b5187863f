"""What the published rules share: their configuration, their batches, and how they word an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise._limits import LARGEST_GROWTH
from conewise.border import Bools, Floats, Indices, as_non_negative
from conewise.certificate.fit import check_possible
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.order.budgets import check_designs
from conewise.order.dominance import pareto_mask
from conewise.question.question import Heuristic
from conewise.rules.contract import FixedConfidence, Result

MOST_DESIGNS: Final = 3000
"""Rules that compare all pairs of designs refuse more: a table of pairs would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Published(FixedConfidence):
    """A published rule that stops by itself, with the batches that its authors had no need of."""

    _: KW_ONLY
    growth: float = 0.0
    """0: one evaluation at a time, as published; g: about g times what a design has already, in one batch."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_pairs(self.n_designs, type(self).__name__)
        object.__setattr__(self, "growth", as_non_negative(self.growth, "growth"))
        if self.growth > LARGEST_GROWTH:
            raise InputError(
                f"growth must be at most {LARGEST_GROWTH:g}, got {self.growth:g}: a batch is about that many times "
                "what was evaluated before."
            )

    @cached_property
    def scales(self) -> Floats:
        """(N,): s_n, the standard deviation (or subgaussian parameter) of one evaluation along facet n."""
        return np.asarray(self.noise.scales(self.cone.facets))

    def check_told(self, observations: Observations, seen: Statistics) -> None:
        """Refuse what the assumption rules out."""
        check_possible(observations, self.noise, seen)

    def batch(self, counts: Counts | int) -> Counts:
        """How many further evaluations a design with that many gets at once."""
        return np.maximum(1, np.floor(self.growth * np.asarray(counts))).astype(np.int64)

    def answer(
        self,
        statistics: Statistics,
        accepted: Bools,
        discarded: Bools,
        theorem: str,
        doubt: str | None = None,
    ) -> Result:
        """The answer so far, from disjoint masks; `doubt` says why no proof covers the run even when it is finished."""
        open_ = ~(accepted | discarded)
        done = not open_.any()
        why = "every design is decided" if done else self.unfinished(statistics.evaluations, int(open_.sum()))
        worth = self.proven(self.epsilon, theorem)
        if worth.proof and (doubt is not None or not done):
            worth = Heuristic(why if doubt is None else doubt)
        returned = accepted | open_ & best_guess(statistics, ~discarded, self.cone)
        epsilon = self.epsilon if worth.proof else None
        return Result.of(statistics, returned, worth, why, kept=accepted, beaten=discarded, epsilon=epsilon)


@dataclass(frozen=True, eq=False)
class OnStatistics(Published):
    """A rule whose state is what was observed, and nothing else."""

    def start(self) -> Statistics:
        """Nothing observed."""
        return Statistics.empty(self.n_designs, self.cone.dim)

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        """The state with these observations; refused are those that the assumption rules out."""
        self.check_told(observations, state)
        return state.add(observations)


@dataclass(frozen=True, eq=False)
class Sequential(OnStatistics, ABC):
    """A rule that looks at the statistics alone: everyone once, then whatever `choose` says."""

    @abstractmethod
    def choose(self, state: Statistics, limit: int | None) -> tuple[Indices, Counts]:
        """Whom to evaluate next and how often, once everyone has been; nobody when it has seen enough.

        `limit` is for rules that divide a batch among designs; what exceeds it is cut off from the end.
        """

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        """Whoever was never evaluated; then the rule's choice."""
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        unseen = np.flatnonzero(state.counts == 0)
        if len(unseen):
            return Pulls(unseen).first(limit)
        return Pulls(*self.choose(state, limit)).first(limit)


def check_pairs(n_designs: int, rule: str) -> int:
    """At least two designs, and few enough to compare them all."""
    n_designs = check_designs(n_designs)
    if n_designs > MOST_DESIGNS:
        raise InputError(
            f"{rule} compares all pairs of designs and takes at most {MOST_DESIGNS} of them, got {n_designs}; "
            "use SuccessiveElimination."
        )
    return n_designs


def best_guess(statistics: Statistics, candidates: Bools, cone: Cone) -> Bools:
    """The Pareto set of the averages of the candidates that were evaluated at all."""
    chosen = np.flatnonzero(candidates & (statistics.counts > 0))
    guess = np.zeros(statistics.n_designs, dtype=bool)
    if len(chosen):
        guess[chosen] = pareto_mask(statistics.means[chosen], cone)
    return guess
