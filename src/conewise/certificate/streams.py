"""Keep observations of each objective by itself, where objectives are measured separately (docs/adaptive, 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.fit import check_constant, check_fit
from conewise.data.observations import Counts, Observations, Statistics
from conewise.noise import ByObjective, Noise


def by_objective(designs: Indices, values: Floats) -> list[Observations]:
    """Return the observations of each objective from values (m, D), NaN where an objective was not measured."""
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
    """Return the assumption about each objective by itself."""
    return ByObjective([noise.of_one(d, dim) for d in range(dim)], apart=True)


@dataclass(frozen=True, eq=False)
class Separately:
    """Observations of each objective by itself."""

    each: tuple[Any, ...]
    """The statistics of each objective, or its checkpoints; they have one column."""

    @classmethod
    def empty(cls, n_designs: int, dim: int) -> Separately:
        """Return the statistics before any measurement."""
        return cls(tuple(Statistics.empty(n_designs, 1) for _ in range(dim)))

    def add(self, parts: Sequence[Observations]) -> Separately:
        """Return the state with these observations of each objective, in the order in which they were made."""
        return Separately(tuple(own.add(part) for own, part in zip(self.each, parts, strict=True)))

    @property
    def seen(self) -> Separately:
        """Statistics without the means at the checkpoints."""
        return Separately(tuple(own.statistics for own in self.each))

    @property
    def reached(self) -> Indices:
        """The last checkpoint of each stream, (K, D); -1 before the first."""
        return np.column_stack([own.reached for own in self.each])

    @property
    def repetitions(self) -> Counts:
        """Number of measurements of each objective of each design, (K, D)."""
        return np.column_stack([own.counts for own in self.each])

    @property
    def counts(self) -> Counts:
        """Measurements of each design, (K,)."""
        return np.asarray(self.repetitions.sum(axis=1))

    @property
    def evaluations(self) -> int:
        """Number of all measurements."""
        return int(self.counts.sum())

    @property
    def means(self) -> Floats:
        """Averages, (K, D); NaN where nothing was measured."""
        return np.column_stack([own.means for own in self.each])
