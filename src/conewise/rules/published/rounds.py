"""Rounds: raise every design in play to the same count, judge, and keep the decisions for good.

A round reads the first observations of each design up to its target. So the result depends neither on the batches in
which observations are told, nor on the order of arrival between designs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats
from conewise.certificate.fit import check_possible
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.noise import Noise
from conewise.rules.contract import Result
from conewise.rules.published.common import Published


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
