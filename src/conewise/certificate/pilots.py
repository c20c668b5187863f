"""How delta is shared among the claims, judged by a pilot that no comparison uses.

A union bound may weigh its events as it likes, if the weights have nothing to do with the errors. The first few
observations of every design, its *pilot*, are put aside, more of those that look hard; whatever is worked out from
them is independent of all that comes later. A design that will be hard to settle gets more, a claim that the pilot
shows to be far from being made gets nearly nothing (docs/adaptive, 3.5).

If design i costs about 2 log(1 / d_i) / gap_i^2, the least total under sum d_i = delta has d_i in proportion to
1 / gap_i^2: its part of the hardness. What a pilot says of that is uncertain, so it is averaged over means that the
pilot leaves possible; and a part of everything is shared evenly, in case the pilot was misleading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from conewise._arrays import Floats, Indices
from conewise.cones import Cone
from conewise.feedback import Counts, Observations, Statistics

FIRST: Final = 5
"""Observations of each design with which a pilot begins (tuned, as all numbers here: any are valid)."""
PART: Final = 1.6
"""A pilot ends at this many observations over the squared gap: a few per cent of what the design will need."""
GROWTH: Final = 4.0
"""... to which it grows in stages, by this factor at most: the less is known of a gap, the smaller it may look."""
WORTH_FROM: Final = 1000.0
"""No pilot where near-ties are decided by fewer observations of a design: it would cost more than it tells."""
LONGEST: Final = 20
"""No pilot is longer than this part of the schedule."""
MOST_DESIGNS: Final = 1000
"""No pilot with more designs: weights of all pairs would be worked out and kept."""
EVEN: Final = 0.2
"""Part of delta that all designs share evenly: what a misleading pilot can cost is a factor 5 in a claim's share."""
EVEN_FACETS: Final = 0.5
"""Part of a design's share for "fine" that its facets share evenly."""
EVEN_RIVALS: Final = 0.1
"""Part of a design's share for "out" that its rivals share evenly."""
BY_RANK: Final = 0.3
"""Part that the r-th rival has 1 / (r (r + 1)) of; the rest goes by how often a rival would be the one."""
STEP: Final = 2.0**0.25
"""Ratio of the probabilities for which boundaries are tabulated; weights are rounded down to them."""

_DRAWS: Final = 48
_SHORTEST: Final = 0.8  # standard deviations of a pilot's difference: no gap is taken for shorter
_SHORTEST_AHEAD: Final = 0.3  # ... where it is asked how long the pilot should be
_ENTRIES: Final = 2**20


@dataclass(frozen=True, eq=False)
class Weights:
    """Parts of delta: a design's larger total, of "fine" and of "out", summed over the designs, is at most 1."""

    fine: Floats
    """(K, N): for claims "fine" of design i that err along facet n."""
    out: Floats
    """(K, K): for claims that design j beats or covers design i; 0 on the diagonal."""

    @cached_property
    def fine_rows(self) -> Indices:
        """(K, N): where `fine` stands among the `probabilities`."""
        return table_rows(self.fine)

    @cached_property
    def out_rows(self) -> Indices:
        """(K, K): where `out` stands; the diagonal means nothing."""
        return table_rows(self.out)

    @classmethod
    def least(cls, n_designs: int, facets: int) -> tuple[float, float]:
        """What no claim "fine" and no claim "out" falls below, whatever the pilot says."""
        each = EVEN / n_designs
        return each * EVEN_FACETS / facets, each * EVEN_RIVALS / (n_designs - 1)

    @classmethod
    def of(cls, hardness: Hardness) -> Weights:
        """Shares of designs, then those of facets and rivals, each with its even part; for `cover`."""
        fine, out, values = hardness.fine, hardness.out, hardness.values
        k, facets = fine.shape
        inward, outward = fine.sum(axis=1), out.sum(axis=1)
        total = np.maximum(inward, outward).sum()
        by_facet = np.divide(fine, inward[:, None], out=np.full_like(fine, 1 / facets), where=inward[:, None] > 0)
        by_facet = (1 - EVEN_FACETS) * by_facet + EVEN_FACETS / facets
        by_rival = np.divide(out, outward[:, None], out=np.zeros_like(out), where=outward[:, None] > 0)
        rank = _ranks(by_rival, values)
        rest = 1 - EVEN_RIVALS - BY_RANK
        by_rival = rest * by_rival + BY_RANK / (rank * (rank + 1)) + EVEN_RIVALS / (k - 1)
        np.fill_diagonal(by_rival, 0.0)
        shares = [(1 - EVEN) * part / total + EVEN / k for part in (inward, outward)]
        return cls(shares[0][:, None] * by_facet, shares[1][:, None] * by_rival)


@dataclass(frozen=True, eq=False)
class Hardness:
    """1 / gap^2 of every design on average over means that a pilot leaves possible, by how it would be settled."""

    values: Floats
    """(K, N): the pilots' means along the facets, in standard deviations of one observation."""
    fine: Floats
    """(K, N): of being in, by the facet of the hardest comparison."""
    out: Floats
    """(K, K): of being out, by the rival."""
    ahead: Floats
    """(K,): of the hardest comparison in which a design is likely to be needed, its own or another's."""

    @classmethod
    def of(cls, pilot: Statistics, task: Task) -> Hardness:
        """From the pilots of all designs."""
        cone, covariance = task.cone, task.covariance(pilot)
        spread = np.sqrt(np.maximum(np.einsum("nd,de,ne->n", cone.facets, covariance, cone.facets), 0.0))
        spread = np.maximum(spread, np.finfo(float).tiny ** 0.25)
        values, counts = pilot.means @ cone.facets.T / spread, pilot.counts.astype(np.float64)
        slack, bonus = task.epsilon * cone.widths / spread, task.epsilon / task.factor / spread
        (k, facets), rng = values.shape, np.random.default_rng(0)  # always the same draws: a function of the pilot
        fine, out, ahead, root = np.zeros((k, facets)), np.zeros((k, k)), np.zeros(k), _root(covariance)
        for _ in range(_DRAWS):
            errors = rng.normal(size=pilot.means.shape) @ root / np.sqrt(counts)[:, None]
            ways = _Ways.of(values + errors @ cone.facets.T / spread, slack, bonus)
            apart = np.sqrt(1 / counts + 1 / counts[ways.rival])
            gaps = np.maximum(np.maximum(ways.gap, _SHORTEST * apart), slack.min() / 2)
            who, leaving = np.arange(k), ways.leaving
            out[who[leaving], ways.rival[leaving]] += 1 / gaps[leaving] ** 2
            fine[who[~leaving], ways.facet[~leaving]] += 1 / gaps[~leaving] ** 2
            mine = 1 / np.maximum(ways.gap, _SHORTEST_AHEAD * apart) ** 2
            hardest = mine.copy()
            np.maximum.at(hardest, ways.rival, mine)
            ahead += hardest
        return cls(values, fine / _DRAWS, out / _DRAWS, ahead / _DRAWS)


@dataclass(frozen=True, eq=False)
class Task:
    """What a pilot has to know of the task."""

    cone: Cone
    epsilon: float
    factor: float
    """How much wider covering is than a facet's radius."""
    covariance: Callable[[Statistics], Floats]
    """(D, D): about that of one observation; it changes the weights, never their sum."""
    most: int
    """Observations of a design beyond which no pilot goes."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """The pilots so far, and what they say once they are complete.

    All that is told until then belongs to them: when they are complete depends on nothing that comes later, which is
    all that is asked of a part that is thrown away.
    """

    task: Task
    statistics: Statistics
    wanted: Counts
    """(K,): observations of each design at which the pilots are looked at next."""
    weights: Weights | None = None
    """None until they are complete."""

    @classmethod
    def begun(cls, task: Task, n_designs: int) -> Pilot:
        """Nothing observed."""
        nothing = Statistics.empty(n_designs, task.cone.dim)
        return cls(task, nothing, np.full(n_designs, min(FIRST, task.most)))

    @property
    def missing(self) -> Counts:
        """(K,): evaluations until the next look; 0 once complete."""
        return np.asarray(np.maximum(self.wanted - self.statistics.counts, 0))

    def add(self, observations: Observations) -> tuple[Pilot, Observations | None]:
        """With the first of these observations that complete it, or all of them; and the rest."""
        pilot, start = self, 0
        while pilot.weights is None and start < len(observations):
            stop = start + _entries_until(pilot.missing, observations, start)
            entries = np.arange(start, stop)
            told = observations.chosen(entries, observations.designs[entries])
            pilot, start = replace(pilot, statistics=pilot.statistics.add(told)), stop
            if not pilot.missing.any():
                pilot = pilot._looked_at()
        left = np.arange(start, len(observations))
        return pilot, observations.chosen(left, observations.designs[left]) if len(left) else None

    def _looked_at(self) -> Pilot:
        """Complete, or with more observations wanted of those whose gaps look small beside them."""
        counts = self.statistics.counts
        hardness = Hardness.of(self.statistics, self.task)
        target = np.minimum(PART * hardness.ahead, np.minimum(GROWTH * counts, self.task.most))
        wanted = np.where(target > 1.5 * counts, np.ceil(target), counts).astype(np.int64)
        if (wanted > counts).any():
            return replace(self, wanted=wanted)
        return replace(self, weights=Weights.of(hardness))


def _entries_until(missing: Counts, observations: Observations, start: int) -> int:
    """How many entries from `start` on it takes until nothing is missing; all where they are not enough."""
    designs, times = observations.designs[start:], observations.counts[start:]
    order = np.argsort(designs, kind="stable")
    running = np.cumsum(times[order])
    first = np.searchsorted(designs[order], designs[order])
    had = np.empty(len(order), dtype=np.int64)
    had[order] = running - (running - times[order])[first]
    enough = had >= missing[designs]
    done = np.zeros(len(missing), dtype=bool)
    done[designs[enough]] = True
    if not (done | (missing == 0)).all():
        return len(designs)
    # of each design that misses something, the first entry that brings enough
    needed, entries = designs[enough], np.flatnonzero(enough)
    _, earliest = np.unique(needed, return_index=True)
    counted = missing[needed[earliest]] > 0
    return int(entries[earliest][counted].max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class _Ways:
    """How each design would be settled if these were the means: out by a rival, or in against everybody."""

    leaving: Indices
    rival: Indices
    """(K,): who puts it out, or against whom it is hardest to be in."""
    facet: Indices
    """(K,): along which it is fine against that rival."""
    gap: Floats
    """(K,): in standard deviations of one observation."""

    @classmethod
    def of(cls, values: Floats, slack: Floats, bonus: Floats) -> _Ways:
        k, facets = values.shape
        rival, facet, gap = np.empty(k, dtype=np.intp), np.empty(k, dtype=np.intp), np.empty(k)
        leaving = np.empty(k, dtype=bool)
        step = max(1, _ENTRIES // (k * facets))
        for start in range(0, k, step):
            rows = np.arange(start, min(start + step, k))
            each = np.arange(len(rows))
            gains = values[None, :, :] - values[rows][:, None, :]
            out = (gains + bonus).min(axis=2)
            out[each, rows] = -np.inf
            lead = slack - gains
            inside = lead.max(axis=2)
            inside[each, rows] = np.inf
            best, worst = out.argmax(axis=1), inside.argmin(axis=1)
            top, low = out[each, best], inside[each, worst]
            leaving[rows], gap[rows] = top > low, np.maximum(top, low)
            rival[rows] = np.where(top > low, best, worst)
            facet[rows] = lead[each, rival[rows]].argmax(axis=1)
        return cls(leaving, rival, facet, gap)


def _ranks(by_rival: Floats, values: Floats) -> Floats:
    """(K, K): 1 for the likeliest rival, K for oneself; among those that were never the one, by how far ahead."""
    k = len(values)
    ahead = np.full((k, k), np.inf)
    for column in values.T:
        np.minimum(ahead, column[None, :] - column[:, None], out=ahead)
    np.fill_diagonal(ahead, -np.inf)
    order = np.lexsort((-ahead, -by_rival), axis=1)
    # oneself, who was never one's own rival, comes last
    order = np.take_along_axis(order, np.argsort(order == np.arange(k)[:, None], axis=1, kind="stable"), axis=1)
    rank = np.empty((k, k))
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(1.0, k + 1), (k, k)), axis=1)
    return rank


def _root(covariance: Floats) -> Floats:
    """R with R'R = covariance, also of one that is not definite."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def probabilities(least: float) -> Floats:
    """Parts of delta for which boundaries are tabulated: 1, 1 / STEP, ... down to `least` or below."""
    return np.asarray(STEP ** -np.arange(math.ceil(-math.log(least) / math.log(STEP)) + 1.0))


def table_rows(weights: Floats) -> Indices:
    """Where weights stand among the `probabilities`: at the next smaller one; a weight of 0 is never asked for."""
    with np.errstate(divide="ignore"):
        place = np.ceil(-np.log(weights) / math.log(STEP))
    return np.asarray(np.where(np.isfinite(place), place, 0.0), dtype=np.intp)
