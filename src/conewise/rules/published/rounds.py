"""Round-by-round rules: everyone in play reaches the same number of evaluations, then the round is judged.

The state remembers what was decided, since a published elimination is for good. It also keeps apart what the rounds
have used and what came too early for them: a round sees each design's first observations up to its target, so that
nothing depends on the batches in which observations were told, nor on the order of arrival between designs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.rules.contract import Seen


class Standing(IntEnum):
    """What the rounds have decided about a design."""

    OPEN = 0
    USEFUL = 1
    """Accepted, and still evaluated for the sake of the others."""
    ACCEPTED = 2
    DISCARDED = 3


Standings = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Rounds:
    """The state: everything seen, the part that the rounds have used, and their decisions."""

    seen: Statistics
    used: Statistics
    """What the next judgement may look at; frozen for a design that is out of play."""
    waiting: Observations
    """Of designs in play, beyond the target of this round, in their order."""
    judged: int
    """How many rounds are over."""
    standing: Standings
    target: Counts
    """(K,): evaluations that this round asks of each design in play; 0 for the others."""

    @property
    def counts(self) -> Counts:
        """Evaluations of each design."""
        return self.seen.counts

    @property
    def evaluations(self) -> int:
        """How many evaluations in all."""
        return self.seen.evaluations

    @property
    def n_designs(self) -> int:
        """The number of designs K."""
        return self.seen.n_designs

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return self.seen.dim

    @property
    def means(self) -> Floats:
        """(K, D): averages of everything seen."""
        return self.seen.means

    @property
    def scatters(self) -> Floats:
        """(K, D, D): scatter of everything seen."""
        return self.seen.scatters

    @property
    def accepted(self) -> Bools:
        """Accepted, evaluated further or not."""
        return np.isin(self.standing, (Standing.USEFUL, Standing.ACCEPTED))

    @property
    def discarded(self) -> Bools:
        """Out for good."""
        return np.asarray(self.standing == Standing.DISCARDED)


class RoundByRound(ABC):
    """A rule that judges rounds: a subclass says what a round asks for and what it decides."""

    n_designs: int

    @property
    @abstractmethod
    def dim(self) -> int:
        """The number of objectives D."""

    @abstractmethod
    def reach(self, judged: int, standing: Standings, counts: Counts) -> Counts:
        """(K,): the evaluations to reach in the next round, 0 for designs out of play; all 0 when it is over."""

    @abstractmethod
    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        """The standings after a round in which every design in play has reached its target."""

    @abstractmethod
    def check_told(self, observations: Observations, seen: Statistics) -> None:
        """Refuse observations that cannot be."""

    @abstractmethod
    def allowed(self, state: Seen, most: int | None) -> int | None:
        """How many evaluations may be asked for."""

    def start(self) -> Rounds:
        """Nothing observed."""
        empty = Statistics.empty(self.n_designs, self.dim)
        standing = np.full(self.n_designs, Standing.OPEN, dtype=np.int8)
        nothing = Observations([], np.empty((0, self.dim)))
        return Rounds(empty, empty, nothing, 0, standing, self.reach(0, standing, empty.counts))

    def ask(self, state: Rounds, most: int | None = None) -> Pulls:
        """What the round still misses, in the order of the designs."""
        limit = self.allowed(state, most)
        missing = np.maximum(state.target - state.used.counts, 0)
        return Pulls([], []) if limit == 0 else Pulls.each(missing, limit)

    def tell(self, state: Rounds, observations: Observations) -> Rounds:
        """The state with these observations, and the rounds judged that they complete."""
        self.check_told(observations, state.seen)
        seen = state.seen.add(observations)
        if not len(observations):
            return state
        used, judged, standing, target = state.used, state.judged, state.standing, state.target
        waiting = _joined(state.waiting, observations)
        while target.any():
            now = _first_ones(waiting, used.counts, target)
            used = used.add(_chosen(waiting, now))
            waiting = _chosen(waiting, ~now)
            if (used.counts < target).any():
                break
            standing = self.judge(used, judged, standing)
            judged += 1
            target = self.reach(judged, standing, used.counts)
        in_play = target > 0
        return Rounds(seen, used, _chosen(waiting, in_play[waiting.designs]), judged, standing, target)


def _first_ones(entries: Observations, counts: Counts, target: Counts) -> Bools:
    """Which entries bring their designs to the target: those that start below it, in the order told."""
    order = np.argsort(entries.designs, kind="stable")
    designs, times = entries.designs[order], entries.counts[order]
    before = np.cumsum(times) - times
    first = np.searchsorted(designs, designs, side="left")
    starts = counts[designs] + before - before[first]
    now = np.zeros(len(entries), dtype=bool)
    now[order] = starts < target[designs]
    return now


def _joined(first: Observations, second: Observations) -> Observations:
    if not len(first):
        return second
    return Observations(
        np.concatenate([first.designs, second.designs]),
        np.concatenate([first.means, second.means]),
        np.concatenate([first.counts, second.counts]),
        np.concatenate([first.scatters, second.scatters]),
    )


def _chosen(entries: Observations, which: Bools) -> Observations:
    if which.all():
        return entries
    return Observations(entries.designs[which], entries.means[which], entries.counts[which], entries.scatters[which])
