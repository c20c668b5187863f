"""Keep the state of an adaptive run: statistics, and the mean of each design at every checkpoint that it reached.

Observations are counted for each design in the order in which they are told. When the count of a design reaches a level
of the schedule exactly, its mean so far is kept for good. Comparisons use these means only, so nothing depends on when
anyone looked. An entry of several evaluations that jumps over a level leaves that level out for its design.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.looks import Levels
from conewise.certificate.pilots import Pilot
from conewise.certificate.weights import Weights
from conewise.data.observations import Counts, Observations, Statistics


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Designs that landed on one level, ascending, with the mean and scatter of their first g observations."""

    designs: Indices
    means: Floats
    """(m, D)"""
    scatters: Floats | None
    """(m, D, D) where the noise is estimated, else None."""

    @classmethod
    def empty(cls, dim: int, scattered: bool) -> Snapshot:
        """Return a snapshot without designs."""
        return cls(np.empty(0, dtype=np.intp), np.empty((0, dim)), np.empty((0, dim, dim)) if scattered else None)

    def joined(self, designs: Indices, means: Floats, scatters: Floats | None) -> Snapshot:
        """Return the snapshot with more designs, none of which is in it already."""
        every = np.concatenate([self.designs, designs])
        order = np.argsort(every, kind="stable")
        spread = self.scatters
        if spread is not None and scatters is not None:
            spread = np.concatenate([spread, scatters])[order]
        return Snapshot(every[order], np.concatenate([self.means, means])[order], spread)


@dataclass(frozen=True, eq=False)
class Checkpoints:
    """Statistics of an adaptive run, with the means at the levels that designs have reached."""

    levels: Levels
    statistics: Statistics
    reached: Indices
    """(K,): index of the last level of each design; -1 before the first."""
    snapshots: tuple[Snapshot, ...]
    """One for each level, up to the last that any design has reached."""
    scattered: bool = False
    """True if snapshots keep scatters."""
    pilot: Pilot | None = None
    """Observations that no level counts (docs/adaptive, 3.3)."""
    weights: Weights | None = None
    """Shares of delta by the pilots; None without pilots, and before they are complete."""

    @classmethod
    def empty(
        cls, levels: Levels, n_designs: int, dim: int, scattered: bool = False, pilot: Pilot | None = None
    ) -> Checkpoints:
        """Return a state without observations."""
        reached = np.full(n_designs, -1, dtype=np.intp)
        return cls(levels, Statistics.empty(n_designs, dim), reached, (), scattered, pilot)

    @property
    def counts(self) -> Counts:
        """Number of evaluations of each design, with those of its pilot."""
        return self.statistics.counts if self.pilot is None else self.statistics.counts + self.pilot.counts

    @property
    def evaluations(self) -> int:
        """Number of all evaluations."""
        return int(self.counts.sum())

    @property
    def everything(self) -> Statistics:
        """Statistics of all observations, with those of the pilots. No claim may use them."""
        if self.pilot is None:
            return self.statistics
        return self.statistics.merge(self.pilot.everything)

    @property
    def piloted(self) -> bool:
        """True if the pilots are complete."""
        return self.pilot is None or self.weights is not None

    @property
    def begun(self) -> bool:
        """True if the pilots are complete and every design has come to its first level."""
        return self.piloted and not (self.reached < 0).any()

    def add(self, observations: Observations) -> Checkpoints:
        """Return the state with more observations. Batches of any size give the same state (docs/adaptive, 2)."""
        self.statistics.check(observations)
        if not len(observations):
            return self
        if self.pilot is not None and self.weights is None:
            pilot = self.pilot.add(observations)
            if pilot.weights is None:
                return replace(self, pilot=pilot)
            state = replace(self, pilot=replace(pilot, later=None), weights=pilot.weights)
            return state if pilot.later is None else state.add(pilot.later)
        return self._counted(observations)

    def _counted(self, observations: Observations) -> Checkpoints:
        """Return the state with observations that belong to no pilot (docs/adaptive, 2)."""
        counts, order = np.array(self.levels.counts), np.argsort(observations.designs, kind="stable")
        touched, group = np.unique(observations.designs[order], return_inverse=True)
        times = observations.counts[order]
        running, first = np.cumsum(times), np.searchsorted(group, np.arange(len(touched)))
        ends = self.statistics.counts[touched][group] + running - (running - times)[first][group]
        # Entries up to the same level belong together: a few sums of many entries instead of many of a few.
        segment = np.searchsorted(counts, ends, side="left")
        part, reached = self.statistics.of(touched), self.reached.copy()
        reached[touched] = np.searchsorted(counts, ends[np.append(first[1:], len(ends)) - 1], side="right") - 1
        missing = max(int(reached.max()) + 1 - len(self.snapshots), 0)
        snapshots = [*self.snapshots, *[Snapshot.empty(self.statistics.dim, self.scattered)] * missing]
        for position in np.unique(segment):
            here = np.flatnonzero(segment == position)
            part = part.add(observations.chosen(order[here], group[here]))
            if position == len(counts):
                continue
            landed = np.unique(group[here])
            landed = landed[part.counts[landed] == counts[position]]
            if not len(landed):
                continue
            done = part.of(landed)
            scatters = done.scatters if self.scattered else None
            snapshots[position] = snapshots[position].joined(touched[landed], done.means, scatters)
        after = self.statistics.replaced(touched, part)
        return replace(self, statistics=after, reached=reached, snapshots=tuple(snapshots))
