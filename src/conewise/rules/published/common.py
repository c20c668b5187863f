"""The skeleton of the published rules: configuration, batches, refusals, rounds, and the form of an answer.

`Sequential` rules choose from all that was observed. `Elimination` goes by rounds: raise every design in play to the
same count, judge, and keep the decisions for good. A round reads the first observations of each design, up to its
target. So its result depends neither on the batches of observations, nor on the order of arrival between designs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats, as_non_negative
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
    """A published rule that stops by itself. Its papers evaluate one at a time; `growth` adds batches.

    Where a theorem covers the question, radii are the proven ones. They hold at all counts at once, so that every
    `growth` keeps the guarantee. The smaller radii of the authors' experiments are tuned. `radius_scale` gives them,
    with a heuristic answer.
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

    def batch(self, counts: Counts | int, limit: int | None = None) -> Counts:
        """Return the size of the next batch after `counts` evaluations, at most `limit`."""
        size = np.maximum(1, np.floor(self.growth * np.asarray(counts))).astype(np.int64)
        return size if limit is None else np.minimum(size, limit)

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
        """Return the next evaluations; none at the end. Excess over `limit` is cut off from the end."""

    def start(self) -> Statistics:
        return Statistics.empty(self.n_designs, self.cone.dim)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        unseen = np.flatnonzero(state.counts == 0) if self.each_first else ()
        return (Pulls(unseen) if len(unseen) else self.choose(state, limit)).first(limit)

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        check_possible(observations, self.noise, state)
        return state.add(observations)


class Standing(IntEnum):
    """Decision about a design; in play are the first two."""

    OPEN = 0
    USEFUL = 1
    """Accepted, and still evaluated because it may decide about another design."""
    ACCEPTED = 2
    DISCARDED = 3


Standings = NDArray[np.int8]
Reach = Callable[[Standings, Counts], Counts]
"""(standings, counts) to the counts that the next round requires: 0 for a design out of play."""
Judge = Callable[[Statistics, Standings], Standings]
"""(observations of the rounds, standings) to the standings after the round."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """State of a rule that goes by rounds."""

    seen: Statistics
    used: Statistics
    """Observations that the next judgement reads; fixed for a design that is out of play."""
    waiting: Observations
    """Observations of designs in play beyond the target of this round, design after design."""
    standing: Standings
    target: Counts
    """(K,): the counts that this round requires."""

    @classmethod
    def begin(cls, n_designs: int, dim: int, reach: Reach) -> Rounds:
        """Return the state before any observation."""
        empty, standing = Statistics.empty(n_designs, dim), np.full(n_designs, Standing.OPEN, dtype=np.int8)
        return cls(empty, empty, Observations([], np.empty((0, dim))), standing, reach(standing, empty.counts))

    @property
    def counts(self) -> Counts:
        """Number of evaluations of each design."""
        return self.seen.counts

    @property
    def evaluations(self) -> int:
        """Number of evaluations in all."""
        return self.seen.evaluations

    @property
    def accepted(self) -> Bools:
        """(K,): accepted designs, those that are still evaluated included."""
        return np.isin(self.standing, (Standing.USEFUL, Standing.ACCEPTED))

    @property
    def discarded(self) -> Bools:
        """(K,): discarded designs."""
        return np.asarray(self.standing == Standing.DISCARDED)

    def missing(self, limit: int | None) -> Pulls:
        """Return the evaluations that this round still misses, at most `limit`, in the order of the designs."""
        return Pulls([], []) if limit == 0 else Pulls.each(np.maximum(self.target - self.used.counts, 0), limit)

    def told(self, observations: Observations, noise: Noise, reach: Reach, judge: Judge) -> Rounds:
        """Return the state with these observations, after judging the rounds that they complete."""
        check_possible(observations, noise, self.seen)
        if not len(observations):
            return self
        used, standing, target, waiting = self.used, self.standing, self.target, _joined(self.waiting, observations)
        while target.any():
            before = np.cumsum(waiting.counts) - waiting.counts
            before += used.counts[waiting.designs] - before[np.searchsorted(waiting.designs, waiting.designs)]
            now = before < target[waiting.designs]
            used, waiting = used.add(_part(waiting, now)), _part(waiting, ~now)
            if (used.counts < target).any():
                break
            standing = judge(used, standing)
            target = reach(standing, used.counts)
        waiting = _part(waiting, target[waiting.designs] > 0)
        return Rounds(self.seen.add(observations), used, waiting, standing, target)


@dataclass(frozen=True, eq=False)
class Elimination(Published):
    """A rule that evaluates all designs in play equally often, and decides about them round by round."""

    @abstractmethod
    def judge(self, used: Statistics, standing: Standings) -> Standings:
        """Return the standings after a round in which every design in play has reached its target."""

    def reach(self, standing: Standings, counts: Counts) -> Counts:
        """Return one more evaluation, or a batch, of every design in play while a design is open."""
        in_play = standing <= Standing.USEFUL
        if not (standing == Standing.OPEN).any():
            return np.zeros_like(counts)
        least = int(counts[in_play].min())
        return np.where(in_play, least + self.batch(least), 0)

    def start(self) -> Rounds:
        return Rounds.begin(self.n_designs, self.dim, self.reach)

    def ask(self, state: Rounds, most: int | None = None) -> Pulls:
        return state.missing(self.allowed(state, most))

    def tell(self, state: Rounds, observations: Observations) -> Rounds:
        return state.told(observations, self.noise, self.reach, self.judge)

    def recommend(self, state: Rounds) -> Result:
        return self.answer(state.seen, state.accepted, state.discarded)


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


def ahead(z: Floats, radii: Floats, scales: Floats, lead: Floats, *, strict: bool = False) -> Bools:
    """Return (A, A): whether j is ahead of another i by lead_n + scales_n (both radii) on every facet n."""
    both = radii[:, None] + radii[None, :]
    result = ~np.eye(len(z), dtype=bool)
    for values, scale, more in zip(z.T, scales, lead, strict=True):
        margin = values[None, :] - values[:, None] - more - scale * both
        result &= margin > 0 if strict else margin >= 0
    return result


def _joined(first: Observations, second: Observations) -> Observations:
    """Return the entries of both, design after design."""
    fields = ("designs", "means", "counts", "scatters")
    both = Observations(*(np.concatenate([getattr(part, name) for part in (first, second)]) for name in fields))
    order = np.argsort(both.designs, kind="stable")
    return both.chosen(order, both.designs[order])


def _part(entries: Observations, which: Bools) -> Observations:
    return entries.chosen(np.flatnonzero(which), entries.designs[which])
