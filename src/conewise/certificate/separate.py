"""One look at a sample whose objectives were measured separately, each with its own number of repetitions.

The radius of a facet is the sum of those of the objectives that it weighs, each at its own counts and at its share of
the probability: a union bound, for which nothing has to be known of how objectives depend on each other
(docs/adaptive, 8). `separatelooks` looks again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from conewise._arrays import Floats, Indices
from conewise.certificate.boundaries import Comparisons, OneLook
from conewise.certificate.certificate import Asked
from conewise.certificate.claims import Claims, Struck, Worked
from conewise.certificate.fit import check_constant, check_fit
from conewise.certificate.mixed import AddedAtOnce
from conewise.certificate.pairs import Hidden, PairTable
from conewise.certificate.radii import radii_for_one_look
from conewise.certificate.rounding import Rounding, spreads_of, taken_as_exact
from conewise.certificate.weights import Standing
from conewise.errors import InputError
from conewise.feedback import Counts, Observations, Statistics
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
class EachCount(OneLook):
    """A single look, every objective of every design at its own count."""

    repetitions: Floats
    """(P + W, K): of the objective that a part is about."""

    def _counts(self, table: PairTable, rows: Indices, columns: Indices, level: Indices) -> Floats:
        counts = np.maximum(self.repetitions[:, table.designs], 1.0)
        return np.asarray(np.minimum(counts[:, rows, None], counts[:, None, columns]))

    def _z(self, table: PairTable, rows: Indices, columns: Indices, level: Indices, logs: Floats, out: bool) -> Floats:
        fewer = self._counts(table, rows, columns, level)
        found = np.empty_like(fewer)
        for part, counts in enumerate(fewer):
            sizes, place = np.unique(counts, return_inverse=True)
            z = self.radii.at_once(sizes, logs.item(), out)[part]
            found[part] = z[place.ravel()].reshape(counts.shape)
        return found


@dataclass(frozen=True, eq=False)
class SeparateSample(Asked):
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

    def claims(self, seen: Separately, epsilon: float | None = None) -> Claims:
        """What the sample certifies; valid for every epsilon at once."""
        if (came := seen.repetitions.shape) != (self.n_designs, self.cone.dim):
            raise InputError(f"the sample has {came[0]} designs and {came[1]} objectives, others were announced.")
        bounds = None
        if self.requirements is not None:
            bounds = self.requirements.at_once_apart(list(zip(self.apart.each, seen.each, strict=True)))
        out = np.zeros(self.n_designs, dtype=bool) if bounds is None else bounds.misses
        compared = self.compare(seen, np.flatnonzero(~out), Standing(~out, np.zeros_like(out)))
        start = Struck(out, np.full(self.n_designs, -1, dtype=np.intp), compared)
        return self.judged(start, epsilon, Worked(), bounds)[0]

    def compare(self, seen: Separately, designs: Indices, standing: Standing | None = None) -> Comparisons:
        """How the sample compares any designs, ascending."""
        members, dim = self.radii.members, self.cone.dim
        variances, widest, repetitions, extra = [], [], [], []
        enough = np.all(seen.repetitions[designs] >= 1, axis=1)
        spreads = np.full((len(designs), dim), np.inf)
        for member in members:
            d = int(member.columns[0])
            own = seen.each[d].of(designs)
            counts = own.counts.astype(np.float64)
            enough &= counts >= (2 if member.radii.estimates else 1)
            scatters = own.scatters if member.radii.estimates else None
            per = np.maximum(counts, 1.0)
            variances.append(member.radii.variances(designs, scatters, counts) / per[:, None])
            widest.append(member.radii.widest(designs, scatters, counts) / per)
            repetitions += [seen.each[d].counts] * len(member.facets)
            extra.append(seen.each[d].counts)
            spreads[:, d] = spreads_of(own.scatters, own.means, counts)[:, 0]
        table = np.column_stack([*variances, *(widest if self.directions else [])])
        times = np.array([*repetitions, *extra], dtype=np.float64)
        values = self.cone.facet_values(np.where(enough[:, None], seen.means[designs], np.nan))
        pairs = PairTable(
            designs, np.where(enough, 0, -1), 0, np.ones((1, len(designs))), values.T[:, None], table.T[:, None]
        )
        pairs = self._rounded(pairs, seen, spreads, times[: table.shape[1], designs])
        boundaries = EachCount(self.radii, self.spending(self.even), 1.0, times)
        return Comparisons(pairs, boundaries, Standing.at_first(self.n_designs) if standing is None else standing)

    def _rounded(self, pairs: PairTable, seen: Separately, spreads: Floats, times: Floats) -> PairTable:
        """With what the steps of recorded values hide, as `PairTable.rounded` has it for one count a design."""
        rounding, parts = rounding_apart(self.apart, seen), self.radii.parts
        hidden = rounding.coarse(parts.weights, parts.anywhere, spreads)
        if hidden is None:
            return pairs
        rows = len(pairs.variances)
        slacks, still = hidden.slacks.T[:rows], hidden.still.T[:rows]
        spread = np.sqrt(times / np.maximum(times - 1, 1e-300))
        plain = pairs.variances[:, 0] * times
        with np.errstate(invalid="ignore"):
            raised = np.where(slacks > 0, (np.sqrt(plain) + slacks * spread) ** 2, plain) / times
        coarse = Hidden(rounding.key, slacks[:, None], still[:, None])
        return replace(pairs, variances=raised[:, None], coarse=coarse)


def rounding_apart(noise: ByObjective, seen: Separately) -> Rounding:
    """How finely each objective was recorded, by its own sample."""
    return Rounding(np.array([Rounding.of(*own).steps[0] for own in zip(noise.each, seen.each, strict=True)]))


def exact_words(noise: ByObjective, seen: Separately) -> str:
    """What a guarantee adds to the words of the noise."""
    said = [taken_as_exact(*own) for own in zip(noise.each, seen.each, strict=True)]
    return next((words for words in said if words), "")
