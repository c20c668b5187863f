"""The state of an adaptive run: statistics, and the means of each design's first g observations at the levels.

Observations are counted for each design in the order in which they are told. When a design's count reaches a level
exactly, its mean so far is kept for good; comparisons use these means only, so that nothing depends on when anyone
looked. An entry that sums up several evaluations and jumps over a level leaves that level out for its design.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise import _exactsums as exact
from conewise._arrays import Floats, Indices
from conewise.algorithms.looks import Levels
from conewise.feedback import Counts, Observations, Statistics


@dataclass(frozen=True, eq=False)
class Checkpoints:
    """Statistics with memory: `reached` is the index of each design's last level (-1 before the first)."""

    levels: Levels
    statistics: Statistics
    reached: Indices
    snapshots: tuple[Floats, ...]
    """One (K, D) array a level that any design has reached: means of the first g observations, NaN where missing."""

    @classmethod
    def empty(cls, levels: Levels, n_designs: int, dim: int) -> Checkpoints:
        """Nothing observed."""
        statistics = Statistics.empty(n_designs, dim)
        return cls(levels, statistics, np.full(n_designs, -1, dtype=np.intp), ())

    @property
    def counts(self) -> Counts:
        """Evaluations of each design."""
        return self.statistics.counts

    @property
    def evaluations(self) -> int:
        """How many evaluations in all."""
        return self.statistics.evaluations

    def add(self, observations: Observations) -> Checkpoints:
        """A new state; the same observations in any batches give the same one."""
        after = self.statistics.add(observations)  # refuses what does not fit
        if not len(observations):
            return self
        counts = np.array(self.levels.counts)
        order = np.argsort(observations.designs, kind="stable")
        designs, times = observations.designs[order], observations.counts[order]
        first = np.concatenate([[True], designs[1:] != designs[:-1]])
        running = np.cumsum(times)
        offset = (running - times)[first][np.cumsum(first) - 1]
        ends = self.statistics.counts[designs] + running - offset
        # Entries between two levels belong together: sum them exactly, then add segment after segment.
        segment = np.searchsorted(counts, ends, side="left")
        snapshots = list(self.snapshots)  # shared with the old state; copied where written
        reached = self.reached.copy()
        sums = exact.two_product(observations.means[order], times.astype(np.float64)[:, None])
        total = self.statistics._sums
        for position in np.unique(segment):
            here = segment == position
            touched, group = np.unique(designs[here], return_inverse=True)
            added = exact.sum_by_group((sums[0][here], sums[1][here]), group, len(touched))
            high, low = total[0].copy(), total[1].copy()
            high[touched], low[touched] = exact.add((high[touched], low[touched]), added)
            total = (high, low)
            while len(snapshots) < min(position + 1, len(counts)):
                snapshots.append(np.full((self.statistics.n_designs, self.statistics.dim), np.nan))
            if position == len(counts):
                continue
            last = np.zeros(len(touched), dtype=np.int64)
            np.maximum.at(last, group, ends[here])
            landed = touched[last == counts[position]]
            divisor = np.full((len(landed), 1), float(counts[position]))
            mean = exact.over((high[landed], low[landed]), divisor)
            if len(landed):
                snapshots[position] = snapshots[position].copy()
                snapshots[position][landed] = mean[0] + mean[1]
        moved = np.unique(designs)
        reached[moved] = np.searchsorted(counts, after.counts[moved], side="right") - 1
        return Checkpoints(self.levels, after, reached, tuple(snapshots))
