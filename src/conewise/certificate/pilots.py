"""Share delta by a pilot that no comparison uses (docs/adaptive, 3.3).

A union bound may weigh its events as it likes, if the weights have nothing to do with the errors. The first few
observations of every design, its *pilot*, are put aside. A pilot is longer where a design looks hard to decide. The
weights follow from the pilots alone, so they are independent of all observations that come later.

If design i costs about 2 log(1 / d_i) / gap_i^2, the least total under sum d_i = delta has d_i in proportion to
1 / gap_i^2. A pilot leaves the gap uncertain, so 1 / gap^2 is averaged over the gaps that it leaves possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.weights import Weights
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Statistics

EVEN: Final = 0.2
"""Part of delta that all designs share evenly. A misleading pilot costs a factor of 5 in a share at most."""
EVEN_RIVALS: Final = 0.1
"""Part of a share for "beaten" that all rivals share evenly; the rest goes by rank, 1 / (r (r + 1))."""
FINE_LIMITS: Final = 0.15, 0.85
"""For `contain`: limits of the part of delta that claims "fine" have."""

_PART: Final = {True: 2.0, False: 1.4}  # a pilot ends at this over the squared gap, for cover and for contain
_GROWTH: Final = 4.0  # largest factor by which a pilot grows at once
_ENOUGH: Final = 10.0  # longest pilot over K times the median one: by then its design has most of delta
_NODES: Final = 16  # margins over which an average is taken
_MOST: Final = 1e150  # margins beyond this are as good as certain, and their squares are numbers


@dataclass(frozen=True, eq=False)
class Task:
    """The parts of a question that a pilot uses."""

    cone: Cone
    epsilon: float
    covering: bool
    factor: float
    """Ratio of the radius of "covered" to that of one facet."""
    covariance: Callable[[Statistics], Floats]
    """Return the approximate covariance (D, D) of one observation. It changes the weights, never their sum."""
    first: int
    """Observations of each design with which a pilot begins."""
    most: int
    """Largest number of observations in the pilot of a design."""
    flat: float = 0.0
    """Squared gap below which a design reads the whole population, and a larger share of delta saves little."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """The pilots so far, and the weights once they are complete (docs/adaptive, 3.3).

    The pilot of a design is the beginning of its own stream, however the streams are interleaved. Its length depends on
    the pilots alone, and on nothing that comes later in any stream.
    """

    task: Task
    statistics: Statistics
    wanted: Counts
    """(K,): observations of each design at which the pilots are looked at next."""
    later: Observations | None = None
    """Observations that arrived already, beyond those that are wanted so far."""
    weights: Weights | None = None
    """Shares of delta; None until the pilots are complete."""

    @classmethod
    def begun(cls, task: Task, n_designs: int) -> Pilot:
        """Return pilots without observations."""
        return cls(task, Statistics.empty(n_designs, task.cone.dim), np.full(n_designs, min(task.first, task.most)))

    @property
    def missing(self) -> Counts:
        """(K,): evaluations until the next look; 0 once the pilots are complete."""
        return np.asarray(np.maximum(self.wanted - self.statistics.counts, 0))

    @property
    def counts(self) -> Counts:
        """(K,): numbers of all observations that arrived before the pilots were complete."""
        return self.everything.counts

    @property
    def everything(self) -> Statistics:
        """Statistics of all observations that arrived before the pilots were complete."""
        return self.statistics if self.later is None else self.statistics.add(self.later)

    def add(self, observations: Observations) -> Pilot:
        """Return the pilots with more observations; once they are complete, `later` is what comes after them."""
        pilot = replace(self, later=observations if self.later is None else _joined(self.later, observations))
        while pilot.weights is None:
            if (pilot := pilot._filled()).missing.any():
                return pilot
            pilot = pilot._looked_at()
        return pilot

    def _filled(self) -> Pilot:
        """Move the observations that are wanted into the pilots; an entry of several moves as a whole."""
        if self.later is None:
            return self
        inside = _beginnings(self.later, self.wanted - self.statistics.counts)
        entries = np.flatnonzero(inside), np.flatnonzero(~inside)
        used, rest = (self.later.chosen(which, self.later.designs[which]) for which in entries)
        return replace(self, statistics=self.statistics.add(used), later=rest if len(rest) else None)

    def _looked_at(self) -> Pilot:
        """Return complete pilots, or pilots that want more observations of designs with small gaps."""
        counts, margins = self.statistics.counts, Margins.of(self.statistics, self.task)
        enough = _ENOUGH * len(counts) * np.median(counts)
        longest = np.minimum(_GROWTH * counts, min(self.task.most, enough))
        target = np.minimum(_PART[self.task.covering] * margins.needed, longest)
        wanted = np.maximum(np.ceil(target).astype(np.int64), counts)
        if (wanted > counts).any():
            return replace(self, wanted=wanted)
        return replace(self, weights=margins.weights())


def _joined(first: Observations, second: Observations) -> Observations:
    names = "designs", "means", "counts", "scatters"
    return Observations(*(np.concatenate([getattr(first, name), getattr(second, name)]) for name in names))


def _beginnings(observations: Observations, missing: Counts) -> Bools:
    """Return which entries begin before their designs have what is missing."""
    order = np.argsort(observations.designs, kind="stable")
    designs, times = observations.designs[order], observations.counts[order]
    before = np.cumsum(times) - times
    before -= before[np.searchsorted(designs, designs)]
    inside = np.empty(len(order), dtype=bool)
    inside[order] = before < missing[designs]
    return inside


@dataclass(frozen=True, eq=False)
class Margins:
    """Estimate how close each design is to being dominated, in standard deviations of one observation."""

    task: Task
    rank: Floats
    """(K, K): 1 for the rival that may be ahead most along every facet, K for the design itself."""
    rival: Indices
    """(K,): the rival of rank 1."""
    margin: Floats
    """(K,): by how much that rival is ahead."""
    noise: Floats
    """(K,): standard deviation of `margin`."""
    slack: float
    """Margin of epsilon, for claims "fine"."""
    bonus: float
    """Margin of epsilon, for claims "covered"."""

    @classmethod
    def of(cls, pilot: Statistics, task: Task) -> Margins:
        """Return the margins that the pilots show (docs/adaptive, 3.3)."""
        cone, covariance = task.cone, task.covariance(pilot)
        spread = np.sqrt(np.maximum(np.einsum("nd,de,ne->n", cone.facets, covariance, cone.facets), 0.0))
        spread = np.maximum(spread, np.finfo(float).tiny ** 0.25)
        values, counts = cone.facet_values(pilot.means) / spread, pilot.counts.astype(np.float64)
        ahead = np.full((len(values), len(values)), _MOST)
        for column in values.T:
            np.minimum(ahead, column - column[:, None], out=ahead)
        np.maximum(ahead, -_MOST, out=ahead)
        np.fill_diagonal(ahead, -2 * _MOST)
        # A short pilot may hide how far a rival is ahead: one standard deviation more is possible.
        noise = np.sqrt(1 / counts + 1 / counts[:, None])
        order = np.argsort(-ahead - noise, axis=1, kind="stable")
        rank, each, rival = np.argsort(order, axis=1).astype(np.float64) + 1, np.arange(len(values)), order[:, 0]
        slack = float((task.epsilon * cone.widths / spread).min())
        bonus = task.epsilon / task.factor / float(spread.max()) if task.covering else 0.0
        return cls(task, rank, rival, ahead[each, rival], noise[each, rival], slack, bonus)

    def hardness(self, shortest: float) -> tuple[Floats, Floats]:
        """Return averages of 1 / gap^2 of each design, (K,): for margins that accept it, and for those that put it out.

        The average is over margins that the pilot leaves possible. No gap counts for less than `shortest` standard
        deviations of the pilot.
        """
        from scipy.special import ndtri

        margin = self.margin[:, None] + self.noise[:, None] * ndtri((np.arange(_NODES) + 0.5) / _NODES)
        into, out = self.slack - margin, self.bonus + margin
        gap = np.maximum(np.maximum(into, out), np.maximum(self.slack / 2, shortest * self.noise[:, None]))
        each = (gap / (gap**2 + self.task.flat)) ** 2  # gaps may be huge where a pilot shows no noise
        return np.where(out > into, 0.0, each).mean(axis=1), np.where(out > into, each, 0.0).mean(axis=1)

    @property
    def needed(self) -> Floats:
        """1 / gap^2 of the hardest comparison of which a design is a part, (K,)."""
        into, out = self.hardness(0.5)
        hardest = into + out
        np.maximum.at(hardest, self.rival, into + out)
        return hardest

    def weights(self) -> Weights:
        """Return shares of delta in proportion to hardness, each with its even part (docs/adaptive, 3.3)."""
        (into, out), k = self.hardness(0.8), len(self.margin)
        whole = into + out
        parts = (whole, whole) if self.task.covering else (into, out)
        fine, leave = ((1 - EVEN) * part / max(part.sum(), 1 / _MOST) + EVEN / k for part in parts)
        by_rival = (1 - EVEN_RIVALS) / (self.rank * (self.rank + 1)) + EVEN_RIVALS / (k - 1)
        np.fill_diagonal(by_rival, 0.0)
        share = float(np.clip(into.sum() / max(whole.sum(), 1 / _MOST), *FINE_LIMITS))
        return Weights(k, len(self.task.cone.facets), fine, leave[:, None] * by_rival, (share, 1 - share))


def least_weights(n_designs: int, facets: int) -> tuple[float, float]:
    """Return the least share of a claim "fine" and of a claim "out", whatever the pilot says (docs/adaptive, 6)."""
    return EVEN / n_designs / facets, EVEN / n_designs * EVEN_RIVALS / (n_designs - 1)
