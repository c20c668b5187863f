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

from conewise.border import Bools
from conewise.certificate.fit import check_possible
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.rules.published.common import Published


class Standing(IntEnum):
    """Decision about a design."""

    OPEN = 0
    USEFUL = 1
    """Accepted, and still evaluated because it may decide about another design."""
    ACCEPTED = 2
    DISCARDED = 3


Standings = NDArray[np.int8]
Reach = Callable[[int, Standings, Counts], Counts]
"""(rounds judged, standings, counts) to the counts that the next round requires: 0 for a design out of play."""
Judge = Callable[[Statistics, int, Standings], Standings]
"""(observations of the rounds, rounds judged before, standings) to the standings after the round."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """State of a rule that goes by rounds."""

    seen: Statistics
    used: Statistics
    """Observations that the next judgement reads; fixed for a design that is out of play."""
    waiting: Observations
    """Observations of designs in play beyond the target of this round, in the order told."""
    judged: int
    """Number of finished rounds."""
    standing: Standings
    target: Counts
    """(K,): the counts that this round requires."""

    @classmethod
    def begin(cls, n_designs: int, dim: int, reach: Reach) -> Rounds:
        """Return the state before any observation."""
        empty, nothing = Statistics.empty(n_designs, dim), Observations([], np.empty((0, dim)))
        standing = np.full(n_designs, Standing.OPEN, dtype=np.int8)
        return cls(empty, empty, nothing, judged=0, standing=standing, target=reach(0, standing, empty.counts))

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
        lacking = np.maximum(self.target - self.used.counts, 0)
        return Pulls([], []) if limit == 0 else Pulls.each(lacking, limit)

    def told(self, observations: Observations, reach: Reach, judge: Judge) -> Rounds:
        """Return the state with these observations, after judging the rounds that they complete."""
        seen = self.seen.add(observations)
        if not len(observations):
            return self
        used, judged, standing, target = self.used, self.judged, self.standing, self.target
        waiting = _joined(self.waiting, observations)
        while target.any():
            now = _counts_before(waiting, used.counts) < target[waiting.designs]
            used, waiting = used.add(_part(waiting, now)), _part(waiting, ~now)
            if (used.counts < target).any():
                break
            standing = judge(used, judged, standing)
            judged += 1
            target = reach(judged, standing, used.counts)
        waiting = _part(waiting, target[waiting.designs] > 0)
        return Rounds(seen, used, waiting, judged=judged, standing=standing, target=target)


@dataclass(frozen=True, eq=False)
class Elimination(Published):
    """A rule that evaluates all designs in play equally often, and decides about them round by round."""

    @abstractmethod
    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        """Return the standings after a round in which every design in play has reached its target."""

    def reach(self, judged: int, standing: Standings, counts: Counts) -> Counts:
        """Return one more evaluation, or a batch, of every design in play while a design is open."""
        in_play = (standing == Standing.OPEN) | (standing == Standing.USEFUL)
        if not (standing == Standing.OPEN).any():
            return np.zeros_like(counts)
        least = int(counts[in_play].min())
        return np.where(in_play, least + self.batch(least), 0)

    def start(self) -> Rounds:
        return Rounds.begin(self.n_designs, self.dim, self.reach)

    def ask(self, state: Rounds, most: int | None = None) -> Pulls:
        return state.missing(self.allowed(state, most))

    def tell(self, state: Rounds, observations: Observations) -> Rounds:
        check_possible(observations, self.noise, state.seen)
        return state.told(observations, self.reach, self.judge)


def _counts_before(entries: Observations, counts: Counts) -> Counts:
    """Return the count of its design before each entry, given the `counts` before the first entry."""
    order = np.argsort(entries.designs, kind="stable")
    designs, times = entries.designs[order], entries.counts[order]
    before = np.cumsum(times) - times
    result = np.empty_like(times)
    result[order] = counts[designs] + before - before[np.searchsorted(designs, designs)]
    return result


def _joined(first: Observations, second: Observations) -> Observations:
    fields = ("designs", "means", "counts", "scatters")
    return Observations(*(np.concatenate([getattr(part, name) for part in (first, second)]) for name in fields))


def _part(entries: Observations, which: Bools) -> Observations:
    return entries.chosen(np.flatnonzero(which), entries.designs[which])
