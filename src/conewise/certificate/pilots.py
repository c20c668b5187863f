"""Weights judged by a pilot that no comparison uses (docs/adaptive, 3.3).

A union bound may weigh its events as it likes, if the weights have nothing to do with the errors. The first few
observations of every design, its *pilot*, are put aside, more of those that look hard; whatever is worked out from
them is independent of all that comes later. Whoever is beaten in the very first of them, at one look with a small part
of delta, needs no more. A design that will be hard to settle gets more, a claim that the pilot
shows to be far from being made gets nearly nothing.

If design i costs about 2 log(1 / d_i) / gap_i^2, the least total under sum d_i = delta has d_i in proportion to
1 / gap_i^2: its part of the hardness. What a pilot says of that is uncertain, so it is averaged over means that the
pilot leaves possible; and a part of everything is shared evenly, in case the pilot was misleading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.tuning import Tuning
from conewise.certificate.weights import Weights
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Statistics

_ENTRIES: Final = 2**16  # pairs at once: what a core's cache holds
_WORTH_A_STAGE: Final = 1.5  # a pilot goes on if this many times its observations are wanted


@dataclass(frozen=True, eq=False)
class Task:
    """What a pilot has to know of the question."""

    cone: Cone
    epsilon: float
    covering: bool
    factor: float
    """How much wider covering is than a facet's radius."""
    covariance: Callable[[Statistics], Floats]
    """(D, D): about that of one observation; it changes the weights, never their sum."""
    beaten_by: Callable[[Statistics], Indices]
    """(K,): a design that beats each at one look at the first observations of all; -1 for none."""
    most: int
    """Observations of a design beyond which no pilot goes."""
    tuning: Tuning


@dataclass(frozen=True, eq=False)
class Pilot:
    """The pilots so far, and what they say once they are complete (docs/adaptive, 3.3).

    A design's pilot is the beginning of its own stream, however the streams are interleaved: how long it is depends
    on the pilots alone, and nothing that comes later in any stream.
    """

    task: Task
    statistics: Statistics
    wanted: Counts
    """(K,): observations of each design at which the pilots are looked at next."""
    later: Observations | None = None
    """Told already, but beyond what is wanted: they may belong to a pilot or not."""
    first: Statistics | None = None
    """The pilots at their first look; None before it, and where their sizes were not decided beforehand."""
    struck_by: Indices | None = None
    """(K,): a design that beats each there, -1 for none; None before the first look."""
    weights: Weights | None = None
    """None until the pilots are complete."""

    @classmethod
    def begun(cls, task: Task, n_designs: int) -> Pilot:
        """Nothing observed."""
        nothing = Statistics.empty(n_designs, task.cone.dim)
        return cls(task, nothing, np.full(n_designs, min(task.tuning.pilot_first, task.most)))

    @property
    def missing(self) -> Counts:
        """(K,): evaluations until the next look; 0 once complete."""
        return np.asarray(np.maximum(self.wanted - self.statistics.counts, 0))

    @property
    def counts(self) -> Counts:
        """(K,): of all that was told before the pilots were complete."""
        if self.later is None:
            return self.statistics.counts
        return self.statistics.counts + np.bincount(
            self.later.designs, weights=self.later.counts, minlength=len(self.wanted)
        ).astype(np.int64)

    @property
    def everything(self) -> Statistics:
        """The same with values."""
        return self.statistics if self.later is None else self.statistics.add(self.later)

    def add(self, observations: Observations) -> Pilot:
        """With these; once it is complete, `later` is what comes after the pilots."""
        pilot = replace(self, later=observations if self.later is None else _joined(self.later, observations))
        while pilot.weights is None:
            pilot = pilot._filled()
            if pilot.missing.any():
                return pilot
            pilot = pilot._looked_at()
        return pilot

    def _filled(self) -> Pilot:
        """With those of the later observations that are wanted; an entry of several belongs to a pilot as a whole."""
        if self.later is None:
            return self
        inside = _beginnings(self.later, self.wanted - self.statistics.counts)
        entries = np.flatnonzero(inside), np.flatnonzero(~inside)
        used, rest = (self.later.chosen(which, self.later.designs[which]) for which in entries)
        return replace(self, statistics=self.statistics.add(used), later=rest if len(rest) else None)

    def _looked_at(self) -> Pilot:
        """Complete, or with more observations wanted of those whose gaps look small beside them."""
        if self.struck_by is None:
            return self._first_look()._looked_at()
        counts, tuning = self.statistics.counts, self.task.tuning
        hardness = Hardness.of(self.statistics, self.task, np.flatnonzero(self.struck_by < 0))
        longest = np.minimum(tuning.pilot_growth * counts, self.task.most)
        target = np.minimum(tuning.pilot_part[not self.task.covering] * hardness.ahead, longest)
        wanted = np.where(target > _WORTH_A_STAGE * counts, np.ceil(target), counts).astype(np.int64)
        if (wanted > counts).any():
            return replace(self, wanted=wanted)
        return replace(self, weights=hardness.weights(self.task))

    def _first_look(self) -> Pilot:
        """Who is beaten already (docs/adaptive, 3.3); nobody if an entry of several brought more than was wanted."""
        if (self.statistics.counts > self.wanted).any():
            return replace(self, struck_by=np.full(len(self.wanted), -1))
        return replace(self, first=self.statistics, struck_by=self.task.beaten_by(self.statistics))


def _joined(first: Observations, second: Observations) -> Observations:
    parts = [
        np.concatenate([getattr(each, name) for each in (first, second)])
        for name in ("designs", "means", "counts", "scatters")
    ]
    return Observations(*parts)


def _beginnings(observations: Observations, missing: Counts) -> Bools:
    """Which entries begin before their designs have what is missing."""
    order = np.argsort(observations.designs, kind="stable")
    designs, times = observations.designs[order], observations.counts[order]
    before = np.cumsum(times) - times
    before -= before[np.searchsorted(designs, designs)]
    inside = np.empty(len(order), dtype=bool)
    inside[order] = before < missing[designs]
    return inside


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
    def of(cls, pilot: Statistics, task: Task, left: Indices) -> Hardness:
        """From the pilots of the designs that are left; 0 for the others (docs/adaptive, 3.3)."""
        cone, covariance, tuning = task.cone, task.covariance(pilot), task.tuning
        spread = np.sqrt(np.maximum(np.einsum("nd,de,ne->n", cone.facets, covariance, cone.facets), 0.0))
        spread = np.maximum(spread, np.finfo(float).tiny ** 0.25)
        everyone, counts = cone.facet_values(pilot.means) / spread, pilot.counts[left].astype(np.float64)
        values = everyone[left]
        slack = task.epsilon * cone.widths / spread
        bonus = task.epsilon / task.factor / spread if task.covering else 0.0 * spread
        (k, facets), rng = values.shape, np.random.default_rng(0)  # always the same draws: a function of the pilot
        fine, out, ahead, root = np.zeros((k, facets)), np.zeros((k, k)), np.zeros(k), _root(covariance)
        for _ in range(tuning.draws):
            errors = rng.normal(size=(k, cone.dim)) @ root / np.sqrt(counts)[:, None]
            ways = _Ways.of(values + errors @ cone.facets.T / spread, slack, bonus)
            apart = np.sqrt(1 / counts + 1 / counts[ways.rival])
            gaps = np.maximum(np.maximum(ways.gap, tuning.shortest * apart), slack.min() / 2)
            who, leaving = np.arange(k), ways.leaving
            out[who[leaving], ways.rival[leaving]] += 1 / gaps[leaving] ** 2
            fine[who[~leaving], ways.facet[~leaving]] += 1 / gaps[~leaving] ** 2
            mine = 1 / np.maximum(ways.gap, tuning.shortest_ahead * apart) ** 2
            hardest = mine.copy()
            np.maximum.at(hardest, ways.rival, mine)
            ahead += hardest
        whole = cls(
            everyone, np.zeros(everyone.shape), np.zeros((len(everyone), len(everyone))), np.zeros(len(everyone))
        )
        whole.fine[left], whole.ahead[left] = fine / tuning.draws, ahead / tuning.draws
        whole.out[np.ix_(left, left)] = out / tuning.draws
        return whole

    def weights(self, task: Task) -> Weights:
        """Shares of designs, then those of facets and rivals, each with its even part (docs/adaptive, 3.3)."""
        tuning, (k, facets) = task.tuning, self.fine.shape
        inward, outward = self.fine.sum(axis=1), self.out.sum(axis=1)
        by_facet = _parts(self.fine, 1 / facets)
        by_facet = (1 - tuning.even_facets) * by_facet + tuning.even_facets / facets
        by_rival = _parts(self.out, 0.0)
        rank = _ranks(by_rival, self.values)
        rest = 1 - tuning.even_rivals - tuning.by_rank
        by_rival = rest * by_rival + tuning.by_rank / (rank * (rank + 1)) + tuning.even_rivals / (k - 1)
        np.fill_diagonal(by_rival, 0.0)
        totals = [np.maximum(inward, outward).sum()] * 2 if task.covering else [inward.sum(), outward.sum()]
        shares = [
            (1 - tuning.even) * part / max(total, np.finfo(float).tiny) + tuning.even / k
            for part, total in zip((inward, outward), totals, strict=True)
        ]
        both = max(inward.sum() + outward.sum(), np.finfo(float).tiny)
        fine = float(np.clip(inward.sum() / both, *tuning.fine_limits))
        after = 1 - tuning.pilot_look  # what the first look leaves
        by_facet, by_rival = (share[:, None] * by for share, by in zip(shares, (by_facet, by_rival), strict=True))
        if task.covering:
            by_facet, by_rival = after * by_facet, after * by_rival
        return Weights(k, by_facet, by_rival, (after * fine, after * (1 - fine)), self._typical)

    @property
    def _typical(self) -> tuple[float, float]:
        """Of being in and of being out: the mean over evaluations, of which a hard design takes more."""
        inward, outward = (
            float(np.average(each, weights=np.maximum(each, np.finfo(float).tiny)))
            for each in (self.fine.sum(axis=1), self.out.sum(axis=1))
        )
        return inward, outward


def _parts(table: Floats, elsewhere: float) -> Floats:
    """Each row by its total; `elsewhere` in rows of zeros."""
    total = table.sum(axis=1)[:, None]
    return np.asarray(np.divide(table, total, out=np.full(table.shape, elsewhere), where=total > 0))


def least_weights(n_designs: int, facets: int, tuning: Tuning) -> tuple[float, float]:
    """What no claim "fine" and no claim "out" falls below, whatever the pilot says (docs/adaptive, 6)."""
    each = (1 - tuning.pilot_look) * tuning.even / n_designs
    return each * tuning.even_facets / facets, each * tuning.even_rivals / (n_designs - 1)


@dataclass(frozen=True, eq=False)
class _Ways:
    """How each design would be settled if these were the means: out by a rival, or in against everybody."""

    leaving: Bools
    rival: Indices
    """(K,): who puts it out, or against whom it is hardest to be in."""
    facet: Indices
    """(K,): along which it is fine against that rival."""
    gap: Floats
    """(K,): in standard deviations of one observation."""

    @classmethod
    def of(cls, values: Floats, slack: Floats, bonus: Floats) -> _Ways:
        """The easier way of each design, by the gap that it leaves (docs/adaptive, 3.3)."""
        k, columns = len(values), np.ascontiguousarray(values.T)
        rival, gap, leaving = np.empty(k, dtype=np.intp), np.empty(k), np.empty(k, dtype=bool)
        for rows in np.array_split(np.arange(k), math.ceil(k * k / _ENTRIES)):
            out, inside = np.full((len(rows), k), np.inf), np.full((len(rows), k), -np.inf)
            for column, most, more in zip(columns, slack, bonus, strict=True):
                gains = column[None, :] - column[rows][:, None]
                np.maximum(inside, most - gains, out=inside)
                gains += more
                np.minimum(out, gains, out=out)
            each = np.arange(len(rows))
            out[each, rows], inside[each, rows] = -np.inf, np.inf
            best, worst = out.argmax(axis=1), inside.argmin(axis=1)
            top, low = out[each, best], inside[each, worst]
            leaving[rows], gap[rows] = top > low, np.maximum(top, low)
            rival[rows] = np.where(top > low, best, worst)
        facet = (slack - (values[rival] - values)).argmax(axis=1)
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
