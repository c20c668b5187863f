"""Levels that designs have to meet, inside the certificate (docs/adaptive, 9).

A level is a least value of one objective, in steps of which more is better. What is known of a design is read off its
own averages, never off a difference, at every look that it has come to: bounds only narrow. Two numbers of a design are
enough, and neither of them mentions epsilon:

* meet_at: the smallest epsilon within which it certainly meets all levels; minus infinity where it meets them as such;
* room_at: the smallest epsilon that it certainly has no more than to spare in a level; below 0 where it *misses* one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import ROUNDING, Bools, Floats, Indices
from conewise.certificate.history import Snapshot
from conewise.certificate.looks import Levels
from conewise.certificate.radii import radii_for, radii_for_one_look
from conewise.certificate.radius import AtOnce, Radii
from conewise.certificate.rounding import Estimated, Rounding, spreads_of
from conewise.data.observations import Statistics
from conewise.noise import Noise
from conewise.question.question import Question

REACH: Final = 1.15
"""Looks make boundaries about this much wider than single tests; for planning."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """What is certain of every design's levels, in steps."""

    lower: Floats
    """(K, R): what the mean is certainly not below, minus the level; minus infinity where nothing is known."""
    upper: Floats
    """(K, R): what it is certainly not above, minus the level."""
    upward: bool
    """Whether whoever dominates a design that meets all levels meets them too."""
    spared: bool
    """Whether only rivals with more than epsilon to spare count against a design (docs/adaptive, 9.1)."""
    snapshots: Sequence[Snapshot] = ()
    """What they were read off."""
    steps: bytes = b""
    """Equal for equal steps of recorded values."""

    @cached_property
    def meet_at(self) -> Floats:
        """(K,): the epsilon within which all levels are met; minus infinity for 0."""
        short = -self.lower.min(axis=1)
        return np.where(short <= 0, -np.inf, short)

    @cached_property
    def room_at(self) -> Floats:
        """(K,): the epsilon that a design has no more than to spare in some level."""
        return np.asarray(self.upper.min(axis=1))

    @cached_property
    def misses(self) -> Bools:
        """(K,): certainly misses a level."""
        return np.asarray(self.room_at < 0)

    @cached_property
    def strikers(self) -> Bools | None:
        """(K,): who may put others out: whoever certainly meets all levels; None for everybody."""
        return None if self.upward else self.meet_at <= 0

    def missed(self, design: int) -> Indices:
        """The rows of the levels that a design certainly misses."""
        return np.flatnonzero(self.upper[design] < 0)

    def counting(self, fine_at: Floats, rivals: Indices) -> Floats:
        """(m, r): from which epsilon on each of these rivals is no obstacle: fine against it, or it does not count."""
        return np.minimum(fine_at, self.room_at[rivals][None, :]) if self.spared else fine_at


@dataclass(frozen=True, eq=False)
class Requirements:
    """The levels of a question, and how far the average of one design may err."""

    columns: Indices
    """(R,): the objectives that have a level."""
    least: Floats
    """(R,): the levels in steps, more is better."""
    radii: Radii
    """Along the axes, with the part of delta that is for levels."""
    upward: bool
    spared: bool
    among: int = 1
    """By how many such requirements, each about other objectives, that part was divided (docs/adaptive, 9.6)."""

    @classmethod
    def of(cls, question: Question, n_designs: int, delta: float, *, once: bool = False) -> Requirements | None:
        """From the levels of a question as an algorithm sees it; None where it has none."""
        least = np.array([-np.inf if o.level is None else o.level for o in question.columns.each])
        columns = np.flatnonzero(np.isfinite(least))
        if not len(columns):
            return None
        axes, upward = np.eye(question.cone.dim), question.keeps_levels
        radii = (radii_for_one_look if once else radii_for)(axes, question.assumed, n_designs, delta, joint=False)
        return cls(columns, least[columns], radii, upward, not upward and question.success == "contain")

    @cached_property
    def alphas(self) -> tuple[float, float]:
        """What a wrong "meets", one a design, and a wrong "misses", one a level, may spend (docs/adaptive, 9.2)."""
        each = self.radii.delta * self.radii.claim_share / self.radii.n_designs
        return each * self.among, each / len(self.columns)

    def due(self, epsilon: float) -> float:
        """The count at which the last of a design's levels is decided within epsilon, about."""
        worst = self.radii.worst
        if epsilon == 0 or worst is None or self.radii.estimates:
            return math.inf
        reach = REACH * self.radii.noise.deviation(self.alphas[1])
        count = float(self.radii.planned(worst)[..., self.columns].max()) * (reach / epsilon) ** 2
        return count or math.inf  # without noise every look decides, and how probability is spread does not matter

    def boundary(self, levels: Levels, epsilon: float) -> Floats:
        """(2, P or 1, L): standard deviations of an average by part and level, for "meets" and "misses"."""
        return np.moveaxis(self.radii.boundaries_alone(levels, self.due(epsilon), self.alphas), 0, 1)

    def need(self, levels: Levels, epsilon: float) -> float:
        """At most 1 if the last level decides on every design within epsilon; else how many times too wide."""
        worst, count = self.radii.at_last(levels), np.array(float(levels.counts[-1]))
        spread = np.sqrt(worst / count).reshape(-1, worst.shape[-1]).max(axis=0)
        total = np.zeros(len(spread))
        for each in self.boundary(levels, epsilon)[:, :, -1]:
            z = np.broadcast_to(each, spread.shape)
            total = total + z * spread + [float(self.radii.shift(part, z[part], count)) for part in range(len(z))]
        return float(self.radii.combined(total)[self.columns].max() / epsilon)

    def at_looks(
        self,
        snapshots: Sequence[Snapshot],
        counts: Floats,
        z: Floats,
        rounding: Rounding | None,
        scale: float,
        before: Bounds | None,
    ) -> Bounds:
        """From all looks so far, with the boundaries (2, P or 1, L) (docs/adaptive, 9.2).

        `before` saves the looks that it was read off.
        """
        steps = b"" if rounding is None else rounding.key
        if before is not None and (before.steps != steps or not _extended(before.snapshots, snapshots)):
            before = None
        narrowing = _Narrowing(self, rounding, scale, before)
        known = () if before is None else before.snapshots
        for level, each in enumerate(snapshots):
            if len(each.designs) and not (level < len(known) and known[level] is each):
                times = np.full(len(each.designs), counts[level])
                narrowing.look(each.designs, each.means, each.scatters, times, z[:, :, level, None])
        return replace(narrowing.bounds, snapshots=snapshots, steps=steps)

    def at_once(self, statistics: Statistics, rounding: Rounding | None) -> Bounds:
        """From one look at a finished sample."""
        assert isinstance(self.radii, AtOnce)
        seen = np.flatnonzero(statistics.counts >= (2 if self.radii.estimates else 1))
        part = statistics.of(seen)
        counts = part.counts.astype(np.float64)
        parts = len(self.radii.parts.weights)
        z = np.array([self.radii.at_once(counts, math.log(a), False)[:parts] for a in self.alphas])
        narrowing = _Narrowing(self, rounding, 1.0)
        narrowing.look(seen, part.means, part.scatters if self.radii.estimates else None, counts, z)
        return narrowing.bounds

    def at_looks_apart(
        self, streams: Sequence[tuple[Noise, Sequence[Snapshot], Statistics]], counts: Floats, z: Floats, scale: float
    ) -> Bounds:
        """The same of objectives that are measured separately, with the boundaries (2, P or 1, L) of `boundary`."""

        def looked(place: int, noise: Noise, rounding: Rounding | None) -> Bounds:
            d = self.columns[place]
            part = int(np.flatnonzero(self.radii.facet_of == d)[0])
            own = z[:, min(part, z.shape[1] - 1), None]
            alone = self._alone(place, radii_for(np.eye(1), noise, *self._each, joint=False))
            return alone.at_looks(streams[d][1], counts, own, rounding, scale, None)

        return self._apart([(noise, sample) for noise, _, sample in streams], looked)

    def at_once_apart(self, samples: Sequence[tuple[Noise, Statistics]]) -> Bounds:
        """From one look at objectives that were measured separately, each with its own noise and sample."""

        def looked(place: int, noise: Noise, rounding: Rounding | None) -> Bounds:
            alone = self._alone(place, radii_for_one_look(np.eye(1), noise, *self._each, joint=False))
            return alone.at_once(samples[self.columns[place]][1], rounding)

        return self._apart(samples, looked)

    def _apart(
        self,
        samples: Sequence[tuple[Noise, Statistics]],
        looked: Callable[[int, Noise, Rounding | None], Bounds],
    ) -> Bounds:
        """Level by level; an objective without noise is as measured (docs/adaptive, 9.6)."""
        lower, upper = [], []
        for place, d in enumerate(self.columns):
            noise, sample = samples[d]
            if noise.noiseless:
                off, known = sample.means[:, 0] - self.least[place], sample.counts > 0
                lower.append(np.where(known, off, -np.inf))
                upper.append(np.where(known, off, np.inf))
            else:
                found = looked(place, noise, Rounding.of(noise, sample) if Estimated.of(noise, 1).any else None)
                lower.append(found.lower[:, 0])
                upper.append(found.upper[:, 0])
        return Bounds(np.column_stack(lower), np.column_stack(upper), self.upward, self.spared)

    @property
    def _each(self) -> tuple[int, float]:
        """Designs, and what one level may spend where each is judged by itself."""
        return self.radii.n_designs, self.radii.delta / len(self.columns)

    def _alone(self, place: int, radii: Radii) -> Requirements:
        """One of the levels, of an objective that was measured by itself."""
        least, among = self.least[[place]], len(self.columns)
        return replace(self, columns=np.zeros(1, np.intp), least=least, radii=radii, among=among)


def _extended(before: Sequence[Snapshot], now: Sequence[Snapshot]) -> bool:
    """Whether all that was seen before is still there, so that what followed from it follows now."""
    if len(before) > len(now):
        return False
    for old, new in zip(before, now, strict=False):
        if new is old or not len(old.designs):
            continue
        place = np.searchsorted(new.designs, old.designs)
        if not len(new.designs) or not np.array_equal(new.designs.take(place, mode="clip"), old.designs):
            return False
        same = np.array_equal(new.means[place], old.means)
        if old.scatters is not None and new.scatters is not None:
            same &= np.array_equal(new.scatters[place], old.scatters)
        if not same:
            return False
    return True


class _Narrowing:
    """Bounds of all designs, look by look."""

    def __init__(
        self, required: Requirements, rounding: Rounding | None, scale: float, before: Bounds | None = None
    ) -> None:
        self.required, self.rounding, self.scale = required, rounding, scale
        if before is not None:
            self.lower, self.upper = before.lower.copy(), before.upper.copy()
        else:
            shape = required.radii.n_designs, len(required.columns)
            self.lower, self.upper = np.full(shape, -np.inf), np.full(shape, np.inf)

    def look(self, designs: Indices, means: Floats, scatters: Floats | None, counts: Floats, z: Floats) -> None:
        """With the averages of some designs; z (2, P or 1, m or 1) (docs/adaptive, 9.5)."""
        required, radii = self.required, self.required.radii
        variances, slacks = radii.variances(designs, scatters, counts), np.zeros((1, 1))
        if self.rounding is not None and scatters is not None:
            parts = radii.parts
            coarse = self.rounding.coarse(parts.weights, parts.anywhere, spreads_of(scatters, means, counts))
            if coarse is not None:  # whoever never varied shows no noise: nothing is known of it
                variances = coarse.raised(variances, counts[:, None])
                slacks = np.where(coarse.still, np.inf, coarse.slacks)[:, : variances.shape[1]]
        spread, off = np.sqrt(variances / counts[:, None]), means[:, required.columns] - required.least
        # What rounding makes of an average that is the level itself.
        off[np.abs(off) <= ROUNDING * np.abs(required.least)] = 0.0
        for sign, reach in ((-1.0, z[0]), (1.0, z[1])):
            own = np.broadcast_to(reach, (spread.shape[1], len(counts)))
            shifts = [radii.shift(part, z_part, counts) + 0.0 * counts for part, z_part in enumerate(own)]
            each = self.scale * (own * spread.T + shifts) + slacks.T
            radius = radii.combined(each).T[:, required.columns]
            with np.errstate(invalid="ignore"):
                edge = off + sign * radius
            if sign < 0:
                self.lower[designs] = np.fmax(self.lower[designs], edge)
            else:
                self.upper[designs] = np.fmin(self.upper[designs], edge)

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.lower, self.upper, self.required.upward, self.required.spared)
