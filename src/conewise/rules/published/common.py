"""Share between the published rules: configuration, batches, refusals, and the form of an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from conewise.border import Bools, Floats, Indices, as_non_negative
from conewise.certificate.fit import check_possible
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.limits import LARGEST_GROWTH
from conewise.noise import Noise
from conewise.order.budgets import check_designs
from conewise.order.dominance import pareto_mask
from conewise.question.question import Heuristic
from conewise.rules.contract import FixedConfidence, Result

MOST_DESIGNS: Final = 3000
"""Most designs of a rule that compares all pairs: a larger table of pairs would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Published(FixedConfidence, ABC):
    """A published rule that stops by itself. Its papers evaluate one at a time; `growth` adds batches."""

    _: KW_ONLY
    growth: float = 0.0
    """0: one evaluation at a time, as published. g: one batch of about g times the evaluations so far."""

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

    def batch(self, counts: Counts | int) -> Counts:
        """Return the size of the next batch after `counts` evaluations."""
        return np.maximum(1, np.floor(self.growth * np.asarray(counts))).astype(np.int64)

    def answer(
        self, statistics: Statistics, accepted: Bools, discarded: Bools, theorem: str, doubt: str | None = None
    ) -> Result:
        """Return the answer for these accepted and discarded designs; `doubt` says why no proof covers the run.

        Before the end, open designs are returned if their averages are Pareto optimal among the designs left.
        """
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
class Sequential(Published):
    """A rule whose state is all that was observed: each design once, and then whatever `choose` returns."""

    each_first: ClassVar[bool] = True
    """Whether every design is evaluated before the first choice."""

    @abstractmethod
    def choose(self, state: Statistics, limit: int | None) -> tuple[Indices, Counts]:
        """Return the designs to evaluate next and how often; no designs at the end.

        `limit` is for a rule that divides a batch among designs: the excess over it is cut off from the end.
        """

    def start(self) -> Statistics:
        return Statistics.empty(self.n_designs, self.cone.dim)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        unseen = np.flatnonzero(state.counts == 0)
        if self.each_first and len(unseen):
            return Pulls(unseen).first(limit)
        return Pulls(*self.choose(state, limit)).first(limit)

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


def estimated_error(returned: Bools, statistics: Statistics, cone: Cone, noise: Noise) -> float:
    """Return a bound on the probability that a returned set is not the Pareto set, if the averages were the truth.

    A returned design is wrong if a rival truly dominates it: at most the smallest of the tails of the facets, summed
    over the rivals. Another design is wrong if no design dominates it: the tails of the facets summed, for its best
    returned rival.
    """
    z, scales, spread = cone.facet_values(statistics.means), noise.scales(cone.facets), 1 / statistics.counts
    inside, outside = np.flatnonzero(returned), np.flatnonzero(~returned)
    deviation = np.sqrt(spread[:, None] + spread[None, :])
    behind = np.full((len(inside), len(z)), np.inf)  # log of the smallest tail
    missing = np.zeros((len(outside), len(inside)))
    for n, scale in enumerate(np.maximum(scales, np.finfo(np.float64).tiny)):
        gain = (z[None, :, n] - z[:, None, n]) / (scale * deviation)
        np.minimum(behind, noise.log_tail(np.maximum(-gain[inside], 0.0)), out=behind)
        missing += np.exp(noise.log_tail(np.maximum(gain[np.ix_(outside, inside)], 0.0)))
    dominated = np.exp(behind)
    dominated[np.arange(len(inside)), inside] = 0.0
    # With nothing returned, every design counts 1.
    return min(1.0, float(dominated.sum()) + float(missing.min(axis=1, initial=np.inf if len(inside) else 1.0).sum()))
