"""Share between the published rules: configuration, batches, refusals, and the form of an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from conewise.border import Bools, Floats, as_non_negative
from conewise.certificate.fit import check_possible
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.limits import LARGEST_GROWTH
from conewise.order.budgets import check_designs
from conewise.order.dominance import pareto_mask
from conewise.question.question import Heuristic
from conewise.rules.contract import FixedConfidence, Result

MOST_DESIGNS: Final = 3000
"""Most designs of a rule that compares all pairs: a larger table of pairs would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Published(FixedConfidence, ABC):
    """A published rule that stops by itself. Its papers evaluate one at a time; `growth` adds batches.

    Radii are the proven ones, for all counts at once: every `growth` keeps the guarantee. The smaller radii of the
    authors' experiments are tuned. `radius_scale` gives them, with a heuristic answer.
    """

    _: KW_ONLY
    growth: float = 0.0
    """0: one evaluation at a time, as published. g: one batch of about g times the evaluations so far."""

    source: ClassVar[str]
    """The paper with the theorem behind the guarantee."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_pairs(self.n_designs, type(self).__name__)
        object.__setattr__(self, "growth", as_non_negative(self.growth, "growth"))
        if self.growth > LARGEST_GROWTH:
            raise InputError(
                f"growth must be at most {LARGEST_GROWTH:g}, got {self.growth:g}: a batch is about that many times "
                "what was evaluated before."
            )

    @property
    def premises(self) -> str | None:
        """The reason why the theorem does not cover this configuration; None if it does."""
        return None

    @cached_property
    def scales(self) -> Floats:
        """(N,): s_n, the standard deviation (or subgaussian parameter) of one evaluation along facet n."""
        return np.asarray(self.noise.scales(self.cone.facets))

    def batch(self, counts: Counts | int) -> Counts:
        """Return the size of the next batch after `counts` evaluations."""
        return np.maximum(1, np.floor(self.growth * np.asarray(counts))).astype(np.int64)

    def answer(
        self,
        seen: Statistics,
        accepted: Bools,
        out: Bools,
        doubt: str | None = None,
        guess: Bools | None = None,
        **marks: Any,
    ) -> Result:
        """Return the answer: the accepted designs, and before the end the open ones of a guess.

        The default guess are designs whose averages are Pareto optimal among the designs left. `doubt` says why no
        proof covers the run. `marks` are those of `Result.of`; by default designs that are out are beaten.
        """
        open_ = ~(accepted | out)
        why, doubt = "every design is decided", doubt or self.premises
        if open_.any():
            why = self.unfinished(seen.evaluations, int(open_.sum()))
        worth = self.proven(self.epsilon, f'{self.source}; success "{self.answers[-1]}"')
        if worth.proof and (doubt or open_.any()):
            worth = Heuristic(doubt or why)
        returned = accepted | open_ & (best_guess(seen, ~out, self.cone) if guess is None else guess)
        epsilon = self.epsilon if worth.proof else None
        return Result.of(seen, returned, worth, why, kept=accepted, epsilon=epsilon, **(marks or {"beaten": out}))


@dataclass(frozen=True, eq=False)
class Sequential(Published):
    """A rule whose state is all that was observed: each design once, and then whatever `choose` returns."""

    each_first: ClassVar[bool] = True
    """Whether every design is evaluated before the first choice."""

    @abstractmethod
    def choose(self, state: Statistics, limit: int | None) -> Pulls:
        """Return the next evaluations; none at the end.

        `limit` is for a rule that divides a batch among designs: the excess over it is cut off from the end.
        """

    def start(self) -> Statistics:
        return Statistics.empty(self.n_designs, self.cone.dim)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        unseen = np.flatnonzero(state.counts == 0)
        return (Pulls(unseen) if self.each_first and len(unseen) else self.choose(state, limit)).first(limit)

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        check_possible(observations, self.noise, state)
        return state.add(observations)


def check_pairs(n_designs: int, rule: str) -> int:
    """Return the number of designs; refuse fewer than two, and more than a table of pairs has room for."""
    n_designs = check_designs(n_designs)
    if n_designs > MOST_DESIGNS:
        raise InputError(
            f"{rule} compares all pairs of designs and takes at most {MOST_DESIGNS} of them, got {n_designs}; "
            "use SuccessiveElimination."
        )
    return n_designs


def best_guess(statistics: Statistics, candidates: Bools, cone: Cone) -> Bools:
    """Return the Pareto set of the averages of the candidates that were evaluated."""
    chosen = np.flatnonzero(candidates & (statistics.counts > 0))
    guess = np.zeros(statistics.n_designs, dtype=bool)
    if len(chosen):
        guess[chosen] = pareto_mask(statistics.means[chosen], cone)
    return guess
