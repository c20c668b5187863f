"""One look at a sample whose objectives were measured separately, each with its own number of repetitions.

The radius of a facet is the sum of those of the objectives that it weighs, each at its own counts and at its share of
the probability: a union bound, for which nothing has to be known of how objectives depend on each other
(docs/adaptive, 8). `separatelooks` looks again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.asked import Asked, check_shape
from conewise.certificate.boundaries import OneLook
from conewise.certificate.fit import check_constant, check_fit
from conewise.certificate.mixed import AddedAtOnce
from conewise.certificate.pairs import PairTable
from conewise.certificate.radii import radii_for_one_look
from conewise.certificate.requirements import Bounds
from conewise.certificate.rounding import Rounding, spreads_of
from conewise.data.observations import Counts, Observations, Statistics
from conewise.noise import ByObjective, Noise


def by_objective(designs: Indices, values: Floats) -> list[Observations]:
    """What was measured of each objective: values (m, D), NaN where it was not."""
    told = [~np.isnan(column) for column in values.T]
    return [Observations.single(designs[some], values[some, d : d + 1]) for d, some in enumerate(told)]


def check_parts(noise: ByObjective, before: Sequence[Statistics], parts: Sequence[Observations]) -> None:
    """Refuse observations of an objective with which no claim would hold."""
    for d, (own, seen, part) in enumerate(zip(noise.each, before, parts, strict=True)):
        if own.noiseless:
            check_constant(part, np.zeros(1, dtype=np.intp), seen, first=d)
        else:
            check_fit(part, own)


def taken_apart(noise: Noise, dim: int) -> ByObjective:
    """What is assumed of each objective by itself."""
    return ByObjective([noise.of_one(d, dim) for d in range(dim)], apart=True)


@dataclass(frozen=True, eq=False)
class Separately:
    """Statistics of each objective by itself."""

    each: tuple[Statistics, ...]
    """One an objective, of one objective."""

    @classmethod
    def empty(cls, n_designs: int, dim: int) -> Separately:
        """Nothing measured."""
        return cls(tuple(Statistics.empty(n_designs, 1) for _ in range(dim)))

    def add(self, designs: Indices, values: Floats) -> Separately:
        """With these values (m, D), NaN where an objective was not measured."""
        return self.summed(by_objective(designs, values))

    def summed(self, parts: Sequence[Observations]) -> Separately:
        """With these observations of each objective, of one objective."""
        return Separately(tuple(own.add(part) for own, part in zip(self.each, parts, strict=True)))

    @property
    def repetitions(self) -> Counts:
        """(K, D): how often each objective of each design was measured."""
        return np.column_stack([own.counts for own in self.each])

    @property
    def counts(self) -> Counts:
        """(K,): measurements of each design in all."""
        return np.asarray(self.repetitions.sum(axis=1))

    @property
    def evaluations(self) -> int:
        """Measurements in all."""
        return int(self.counts.sum())

    @property
    def means(self) -> Floats:
        """(K, D): averages; NaN where nothing was measured."""
        return np.column_stack([own.means for own in self.each])


@dataclass(frozen=True, eq=False)
class SeparateSample(Asked[Separately]):
    """Claims from a sample whose sizes did not depend on what was seen (docs/adaptive, 8)."""

    once: ClassVar[bool] = True

    @cached_property
    def apart(self) -> ByObjective:
        """What is assumed of each objective by itself."""
        return taken_apart(self.noise, self.cone.dim)

    @cached_property
    def radii(self) -> AddedAtOnce:
        """How far a difference of means may err."""
        joint = self.success == "cover"
        made = radii_for_one_look(self.cone.facets, self.apart, self.n_designs, self.for_pairs, joint=joint)
        return cast(AddedAtOnce, made)

    def bounds(self, seen: Separately) -> Bounds | None:
        """What is known of the levels of every design (docs/adaptive, 9.6); None where there are none."""
        check_shape(seen.repetitions.shape, self)
        if self.requirements is None:
            return None
        return self.requirements.at_once_apart(list(zip(self.apart.each, seen.each, strict=True)))

    def boundaries(self, seen: Separately) -> OneLook:
        """Every objective of every design at its own count."""
        return OneLook(self.radii, self.spending(self.even), 1.0)

    def table(self, seen: Separately, designs: Indices) -> PairTable:
        """The sample means, at one level (docs/adaptive, 8); counts are those of the objective that a part is about."""
        members, dim = self.radii.members, self.cone.dim
        along: list[Floats] = []
        anywhere: list[Floats] = []
        times: list[Floats] = []
        enough = np.all(seen.repetitions[designs] >= 1, axis=1)
        spreads = np.full((len(designs), dim), np.inf)
        for member in members:
            d = int(member.columns[0])
            own = seen.each[d].of(designs)
            counts = own.counts.astype(np.float64)
            enough &= counts >= (2 if member.radii.estimates else 1)
            scatters = own.scatters if member.radii.estimates else None
            per = np.maximum(counts, 1.0)
            along.append(member.radii.variances(designs, scatters, counts) / per[:, None])
            anywhere.append(member.radii.widest(designs, scatters, counts) / per)
            times.append(counts)
            spreads[:, d] = spreads_of(own.scatters, own.means, counts)[:, 0]
        each = [counts for member, counts in zip(members, times, strict=True) for _ in member.facets]
        variances = np.column_stack([*along, *(anywhere if self.directions else [])])
        counts = np.array([*each, *(times if self.directions else [])])
        values = self.cone.facet_values(np.where(enough[:, None], seen.means[designs], np.nan))
        reached = np.where(enough, 0, -1)
        table = PairTable(designs, reached, 0, counts[:, None], values.T[:, None], variances.T[:, None])
        return table.rounded(rounding_apart(self.apart, seen), self.radii.parts, spreads[None])


def rounding_apart(noise: ByObjective, seen: Separately) -> Rounding:
    """How finely each objective was recorded, by its own sample."""
    each = [Rounding.of(*own) for own in zip(noise.each, seen.each, strict=True)]
    return Rounding(np.array([own.steps[0] for own in each]), np.array([own.still[0] for own in each]))
