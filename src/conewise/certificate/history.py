"""The state of an adaptive run: statistics, and the means of each design's first g observations at the levels.

Observations are counted for each design in the order in which they are told. When a design's count reaches a level
exactly, its mean so far is kept for good; comparisons use these means only, so that nothing depends on when anyone
looked. An entry that sums up several evaluations and jumps over a level leaves that level out for its design.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.looks import Levels
from conewise.certificate.pilots import Pilot
from conewise.certificate.weights import Weights
from conewise.data.observations import Counts, Observations, Statistics


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One level: the designs that landed on it, in order, with the mean and scatter of their first g observations."""

    designs: Indices
    means: Floats
    """(m, D)"""
    scatters: Floats | None
    """(m, D, D), where the noise has to be estimated; around centres (`Centres`) where there are any."""

    def joined(self, designs: Indices, means: Floats, scatters: Floats | None) -> Snapshot:
        """With more designs, none of them here already."""
        order = np.argsort(np.concatenate([self.designs, designs]), kind="stable")
        spread = None
        if self.scatters is not None and scatters is not None:
            spread = np.concatenate([self.scatters, scatters])[order]
        return Snapshot(
            np.concatenate([self.designs, designs])[order], np.concatenate([self.means, means])[order], spread
        )


@dataclass(frozen=True, eq=False)
class Centres:
    """Sums of squares around centres that were chosen before the observations were seen: each design's last mean.

    From one level to the next the sum around the mean m of the first h observations grows by that of the scatters, and
    by g (mean - m)(mean - m)' for the mean of all g.
    """

    last: Floats
    """(K, D): means at the last level, and something fixed before the first; NaN where scatters will do."""
    moved: Floats
    """(K, D, D): what the means' moves have added so far."""

    @classmethod
    def begun(cls, centre: Floats, n_designs: int) -> Centres:
        """Around one fixed point."""
        return cls(np.tile(centre, (n_designs, 1)), np.zeros((n_designs, len(centre), len(centre))))

    def landed(self, designs: Indices, means: Floats, count: int) -> Centres:
        """After these designs have come to a level."""
        last, moved = self.last.copy(), self.moved.copy()
        off = means - last[designs]
        off[np.isnan(off)] = 0.0
        moved[designs] += count * off[:, :, None] * off[:, None, :]
        last[designs] = np.where(np.isnan(last[designs]), np.nan, means)
        return Centres(last, moved)


@dataclass(frozen=True, eq=False)
class Checkpoints:
    """Statistics with memory: `reached` is the index of each design's last level (-1 before the first)."""

    levels: Levels
    statistics: Statistics
    reached: Indices
    snapshots: tuple[Snapshot, ...]
    """One a level that any design has reached."""
    struck_by: Indices
    """(K,): a design that beats each at the first look at the pilots, once they are complete; -1 for none."""
    scattered: bool = False
    """Whether snapshots keep scatters."""
    pilot: Pilot | None = None
    """Observations that are put aside: no level counts them (docs/adaptive, 3.3)."""
    centres: Centres | None = None
    """Where snapshots keep sums of squares around these; None where they keep scatters."""
    weights: Weights | None = None
    """How the pilots share out delta; None where there are none, and before they are complete."""

    @classmethod
    def empty(
        cls,
        levels: Levels,
        n_designs: int,
        dim: int,
        scattered: bool = False,
        pilot: Pilot | None = None,
        centre: Floats | None = None,
    ) -> Checkpoints:
        """Nothing observed."""
        reached = np.full(n_designs, -1, dtype=np.intp)
        centres = None if centre is None else Centres.begun(centre, n_designs)
        return cls(levels, Statistics.empty(n_designs, dim), reached, (), reached, scattered, pilot, centres)

    @property
    def counts(self) -> Counts:
        """Evaluations of each design, those of its pilot among them."""
        return self.statistics.counts if self.pilot is None else self.statistics.counts + self.pilot.counts

    @property
    def evaluations(self) -> int:
        """How many evaluations in all."""
        return int(self.counts.sum())

    @property
    def everything(self) -> Statistics:
        """Of all observations, those of the pilots among them: for whoever makes no claims."""
        if self.pilot is None:
            return self.statistics
        return self.statistics.merge(self.pilot.everything)

    @property
    def piloted(self) -> bool:
        """Whether the pilots are complete."""
        return self.pilot is None or self.weights is not None

    @property
    def begun(self) -> bool:
        """Whether the pilots are complete, and every design that they leave has come to its first level."""
        return self.piloted and not self.waiting.any()

    @property
    def waiting(self) -> Bools:
        """(K,): before its first level, and not struck by the pilots."""
        return np.asarray((self.reached < 0) & (self.struck_by < 0))

    def add(self, observations: Observations) -> Checkpoints:
        """A new state; the same observations in any batches give the same one (docs/adaptive, 2)."""
        self.statistics.check(observations)
        if not len(observations):
            return self
        if self.pilot is not None and self.weights is None:
            pilot = self.pilot.add(observations)
            if pilot.weights is None or pilot.struck_by is None:
                return replace(self, pilot=pilot)
            aside = replace(pilot, later=None)
            state = replace(self, pilot=aside, weights=pilot.weights, struck_by=pilot.struck_by)
            return state if pilot.later is None else state.add(pilot.later)
        counts = np.array(self.levels.counts)
        order = np.argsort(observations.designs, kind="stable")
        touched, group = np.unique(observations.designs[order], return_inverse=True)
        times = observations.counts[order]
        running = np.cumsum(times)
        first = np.searchsorted(group, np.arange(len(touched)))
        ends = self.statistics.counts[touched][group] + running - (running - times)[first][group]
        # Entries up to the same level belong together: a few sums of many entries instead of many of a few.
        segment = np.searchsorted(counts, ends, side="left")
        part = self.statistics.of(touched)
        snapshots, centres = list(self.snapshots), self.centres
        for position in np.unique(segment):
            here = np.flatnonzero(segment == position)
            chosen = observations.chosen(order[here], group[here])
            part = part.add(chosen)
            if position == len(counts):
                continue
            while len(snapshots) <= position:
                snapshots.append(self._nothing())
            landed = np.flatnonzero(part.counts == counts[position])
            landed = landed[np.isin(landed, group[here])]
            if len(landed):
                done = part.of(landed)
                scatters = done.scatters if self.scattered else None
                if centres is not None and scatters is not None:
                    centres = centres.landed(touched[landed], done.means, int(counts[position]))
                    scatters = scatters + centres.moved[touched[landed]]
                snapshots[position] = snapshots[position].joined(touched[landed], done.means, scatters)
        reached = self.reached.copy()
        reached[touched] = np.searchsorted(counts, part.counts, side="right") - 1
        while len(snapshots) <= reached.max():  # a jump over levels that nobody has seen
            snapshots.append(self._nothing())
        after = self.statistics.replaced(touched, part)
        return replace(self, statistics=after, reached=reached, snapshots=tuple(snapshots), centres=centres)

    def _nothing(self) -> Snapshot:
        dim = self.statistics.dim
        scatters = np.empty((0, dim, dim)) if self.scattered else None
        return Snapshot(np.empty(0, dtype=np.intp), np.empty((0, dim)), scatters)
