"""Bound each design's own averages, and compare them with the levels that designs have to meet (docs/adaptive, 9).

A level is a least value of one objective, in steps of which more is better. A level is like a design whose value is
known, compared along one axis: bounds come from a design's own averages at the last checkpoint that it has reached. Two
numbers of a design are enough, and neither of them depends on epsilon:

* meet_at: the smallest epsilon within which it certainly meets all levels; minus infinity where it meets them exactly;
* room_at: the smallest epsilon which it certainly exceeds some level by no more than; below 0 where it *misses* one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import ROUNDING, Bools, Floats, Indices
from conewise.certificate.history import Snapshot
from conewise.certificate.looks import Levels
from conewise.certificate.mixed import Radii
from conewise.certificate.rounding import Rounding, spreads_of
from conewise.question.question import Question

REACH: Final = 1.15
"""Boundaries of a schedule are about this much wider than those of single tests; for planning."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Certain bounds on every design's averages relative to the levels, in steps."""

    lower: Floats
    """(K, R): certain lower bound of the mean, minus the level; minus infinity where nothing is known."""
    upper: Floats
    """(K, R): certain upper bound of the mean, minus the level."""
    upward: bool
    """True if a design that dominates one which meets all levels meets them too."""
    spared: bool
    """True if only rivals with more than epsilon to spare count against a design (docs/adaptive, 9.1)."""

    @cached_property
    def meet_at(self) -> Floats:
        """(K,): smallest epsilon within which all levels are met; minus infinity where they are met exactly."""
        short = -self.lower.min(axis=1)
        return np.where(short <= 0, -np.inf, short)

    @cached_property
    def room_at(self) -> Floats:
        """(K,): smallest epsilon that a design certainly exceeds some level by no more than."""
        return np.asarray(self.upper.min(axis=1))

    @cached_property
    def misses(self) -> Bools:
        """Designs that certainly miss a level, (K,)."""
        return np.asarray(self.room_at < 0)

    @cached_property
    def strikers(self) -> Bools | None:
        """Designs that may eliminate others: those that certainly meet all levels; None for all designs."""
        return None if self.upward else self.meet_at <= 0

    def missed(self, design: int) -> Indices:
        """Return the places of the levels that a design certainly misses."""
        return np.flatnonzero(self.upper[design] < 0)

    def counting(self, no_worse_at: Floats, rivals: Indices) -> Floats:
        """Return from which epsilon on each rival is no obstacle: not better, or not enough above its levels."""
        return np.minimum(no_worse_at, self.room_at[rivals][None, :]) if self.spared else no_worse_at


def levels_of(question: Question) -> tuple[Indices, Floats, bool, bool]:
    """Return which objectives have a level, the levels in steps, and `upward` and `spared` as in `Bounds`."""
    least = np.array([-np.inf if o.level is None else o.level for o in question.columns.each])
    columns, upward = np.flatnonzero(np.isfinite(least)), question.keeps_levels
    return columns, least[columns], upward, not upward and question.success == "contain"


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The levels of a question, and how far the average of one design may err."""

    columns: Indices
    """(R,): the objectives that have a level."""
    least: Floats
    """(R,): the levels in steps, more is better."""
    radii: Radii
    """Radii along the axes."""
    alphas: tuple[float, float]
    """Probabilities of a wrong "meets", one for each design, and of a wrong "misses", one for each level."""
    upward: bool
    spared: bool

    @classmethod
    def of(cls, question: Question, axes: Radii, share: float) -> Thresholds | None:
        """Return the levels of a question, for a share of delta for each design; None without levels."""
        columns, least, upward, spared = levels_of(question)
        return cls(columns, least, axes, (share, share / len(columns)), upward, spared) if len(columns) else None

    def due(self, epsilon: float) -> float:
        """Return about the count at which the last of a design's levels is decided within epsilon."""
        worst = self.radii.worst
        if epsilon == 0 or worst is None or self.radii.estimates:
            return math.inf
        reach = REACH * self.radii.noise.deviation(self.alphas[1])
        count = float(self.radii.planned(worst)[..., self.columns].max()) * (reach / epsilon) ** 2
        return count or math.inf  # without noise every checkpoint decides

    def boundary(self, levels: Levels, epsilon: float) -> Floats:
        """Return z of an average by part and checkpoint, for "meets" and "misses", (2, P, L)."""
        z = self.radii.boundaries(levels, self.due(epsilon), self.alphas, False)
        return np.moveaxis(z[: len(self.radii.weights)], 0, 1)

    def need(self, levels: Levels, epsilon: float) -> float:
        """Return at most 1 if the last checkpoint decides every design within epsilon; else how many times too wide."""
        z = self.boundary(levels, epsilon)[:, :, -1]
        total = sum(self.radii.largest(each, levels.counts[-1], designs=1) for each in z)
        return float(np.max(np.asarray(total)[self.columns]) / epsilon)

    def bounds(
        self, n_designs: int, streams: Iterable[tuple[Indices, Snapshot, Floats, Floats, Rounding | None]], scale: float
    ) -> Bounds:
        """Return the bounds at the last checkpoint of each design (docs/adaptive, 9.2 and 9.5).

        A stream is: its objectives, averages of some designs, their counts, z for "meets" and "misses" (2, parts, m),
        and the steps of its values where these matter.
        """
        shape = n_designs, len(self.columns)
        lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
        for objectives, seen, counts, z, rounding in streams:
            mine = np.flatnonzero(np.isin(self.columns, objectives))
            axes = np.searchsorted(objectives, self.columns[mine])
            off = seen.means[:, axes] - self.least[mine]
            # What rounding makes of an average that equals the level.
            off[np.abs(off) <= ROUNDING * np.abs(self.least[mine])] = 0.0
            radii = self.radii if len(objectives) == self.radii.dim else self.radii.of_one(int(objectives[0]))
            for sign, found, own in zip((-1.0, 1.0), (lower, upper), z, strict=True):
                radius = 0.0 if radii is None else _radii(radii, rounding, seen, counts, own, scale)[:, axes]
                found[np.ix_(seen.designs, mine)] = off + sign * radius
        return Bounds(lower, upper, self.upward, self.spared)


def _radii(radii: Radii, rounding: Rounding | None, seen: Snapshot, counts: Floats, z: Floats, scale: float) -> Floats:
    """Return how far averages may be off along each axis, (m, D_s); z (P, m)."""
    scatters = seen.scatters if radii.estimates else None
    variances, slacks = radii.variances(seen.designs, scatters, counts), np.zeros((1, 1))
    if rounding is not None and scatters is not None:
        coarse = rounding.coarse(radii.weights, radii.anywhere, spreads_of(scatters, seen.means, counts))
        if coarse is not None:  # a design that never varied shows no noise: nothing is known of it
            variances = coarse.raised(variances, counts[:, None])
            slacks = np.where(coarse.still, np.inf, coarse.slacks)[:, : variances.shape[1]]
    each = [
        radii.radius(part, own, variance / counts, counts, np.array(np.inf))
        for part, (own, variance) in enumerate(zip(z, variances.T, strict=True))
    ]
    return radii.combined(scale * np.array(each).reshape(len(z), len(counts)) + slacks.T).T
