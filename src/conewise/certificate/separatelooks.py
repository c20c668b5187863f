"""Looks, again and again, at objectives that are measured separately, each with its own number of repetitions.

Every objective of every design is a stream with looks of its own. Two designs are compared, objective by objective, at
the highest level that both have reached *in that objective*, and the radius of a facet is the sum of those of the
objectives that it weighs. The levels may differ from objective to objective and depend on what was seen: what is paid
for is that no part ever leaves its own radius, at any of its levels (docs/adaptive, 8.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.boundaries import Looks, Meeting
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.certificate.mixed import Added
from conewise.certificate.pairs import PairTable, places
from conewise.certificate.requirements import Bounds
from conewise.certificate.rounding import Estimated, spreads_of
from conewise.certificate.schedule import Scheduled
from conewise.certificate.separate import Separately, by_objective, rounding_apart, taken_apart
from conewise.data.observations import Counts, Observations
from conewise.noise import ByObjective, Noise

_AT_ONCE = Levels((1,))
"""Of an objective without noise: one value says all."""


@dataclass(frozen=True, eq=False)
class Streams:
    """What was measured of each objective by itself, with the means at the levels."""

    each: tuple[Checkpoints, ...]
    """One an objective, of one objective."""

    def add(self, designs: Indices, values: Floats) -> Streams:
        """With these values (m, D), NaN where an objective was not measured."""
        return self.told(by_objective(designs, values))

    def told(self, parts: Sequence[Observations]) -> Streams:
        """With these observations of each objective, in the order in which they were made."""
        return Streams(tuple(own.add(part) for own, part in zip(self.each, parts, strict=True)))

    @property
    def seen(self) -> Separately:
        """Without the memory of levels."""
        return Separately(tuple(own.statistics for own in self.each))

    @property
    def reached(self) -> Indices:
        """(K, D): the last level of each stream; -1 before the first."""
        return np.column_stack([own.reached for own in self.each])

    @property
    def counts(self) -> Counts:
        """(K,): measurements of each design in all."""
        return self.seen.counts

    @property
    def evaluations(self) -> int:
        """Measurements in all."""
        return self.seen.evaluations


@dataclass(frozen=True, eq=False)
class ApartTable(PairTable):
    """Designs whose objectives have levels of their own: `reached` is (L, D), and `values` are (D, levels, L)."""

    facets: Floats = field(kw_only=True)
    """(N, D)"""
    objective: Indices = field(kw_only=True)
    """(P + W,): what each row of the variances is about."""

    def meeting(self, rows: Indices, columns: Indices, known: int) -> Meeting:
        """Pairs by their positions, each objective where both have come to (docs/adaptive, 8.1).

        Levels are (D, rows, columns).
        """
        dim, levels, many = self.values.shape
        shape = len(rows), len(columns)
        level = np.moveaxis(np.minimum(self.reached[rows][:, None], self.reached[columns][None, :]), 2, 0)
        if not levels or not level.size:
            nothing = np.full((len(self.facets), *shape), np.nan)
            return Meeting(np.zeros_like(level), nothing, np.full((known, *shape), np.nan), None)
        place = np.maximum(level, 0)
        mine, theirs = place * many + rows[:, None], place * many + columns[None, :]
        ahead = np.empty((dim, *shape))
        for d, table in enumerate(self.values.reshape(dim, -1)):
            ahead[d] = table.take(theirs[d]) - table.take(mine[d])
        gains = np.tensordot(self.facets, ahead, axes=1)
        gains[:, (level < 0).any(axis=0)] = np.nan
        spreads = np.empty((known, *shape))
        for part, d in enumerate(self.objective[:known]):
            table = self.variances[part].ravel()
            spreads[part] = np.sqrt(table.take(theirs[d]) + table.take(mine[d]))
        of = self.objective[:known]
        slacks = None if self.coarse is None else self.coarse.slack(known, mine[of], theirs[of])
        return Meeting(place, gains, spreads, slacks)

    def _last(self) -> Floats:
        """(N, L): every objective at its last level."""
        everyone = np.arange(len(self.designs))
        means = [own[np.maximum(self.reached[:, d], 0), everyone] for d, own in enumerate(self.values)]
        return np.asarray(self.facets @ np.array(means))

    def unmoved(self, before: PairTable) -> Indices:
        """Nobody: all pairs are worked out anew."""
        return np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class ApartLooks(Looks):
    """Looks on a schedule, every objective at a level of its own."""

    objective: Indices
    """(P + W,): what each part is about."""

    def meeting(self, table: PairTable, rows: Indices, columns: Indices, known: int) -> Meeting:
        """Objective by objective."""
        return cast(ApartTable, table).meeting(rows, columns, known)

    def _counts(self, table: PairTable, rows: Indices, columns: Indices, level: Indices) -> Floats:
        return np.asarray(self._observations[level[self.objective]])

    def _z(self, table: PairTable, rows: Indices, columns: Indices, level: Indices, logs: Floats, out: bool) -> Floats:
        boundary = self.tables.out if out else self.tables.fine
        place = self.tables.rows(logs, out) * boundary.shape[-1]
        facets = np.minimum(self.radii.facet_of, len(place) - 1)
        parts = zip(boundary, facets, self.objective, strict=True)
        return np.array([part.ravel().take(place[n] + level[d]) for part, n, d in parts])


@dataclass(frozen=True, eq=False)
class SeparateLooks(Scheduled[Streams]):
    """Claims from streams of measurements, at any moment and as often as anybody looks (docs/adaptive, 8.1).

    Levels, boundaries and what claims may spend are as they would be with all objectives in every row.
    """

    pilots: bool = False

    @cached_property
    def apart(self) -> ByObjective:
        """What is assumed of each objective by itself."""
        return taken_apart(self.question.assumed, self.cone.dim)

    @property
    def noise(self) -> Noise:
        """Every objective is a kind of its own."""
        return self.apart

    @cached_property
    def radii(self) -> Added:
        """How far a difference of means may err."""
        return cast(Added, super().radii)

    @cached_property
    def objective(self) -> Indices:
        """(P + W,): what each part of a radius is about."""
        members = self.radii.members
        along = [each.columns[0] for each in members for _ in each.facets]
        return np.array([*along, *(each.columns[0] for each in members)], dtype=np.intp)

    def start(self) -> Streams:
        """Nothing measured."""
        begun = [Checkpoints.empty(_AT_ONCE, self.n_designs, 1) for _ in range(self.cone.dim)]
        for member in self.radii.members:
            own = member.radii
            begun[int(member.columns[0])] = Checkpoints.empty(
                self.levels, self.n_designs, 1, own.estimates, None, own.centre
            )
        return Streams(tuple(begun))

    def bounds(self, seen: Streams) -> Bounds | None:
        """What is known of the levels of every design (docs/adaptive, 9.6); None where there are none."""
        if self.requirements is None:
            return None
        streams = [
            (noise, own.snapshots, own.statistics) for noise, own in zip(self.apart.each, seen.each, strict=True)
        ]
        return self.requirements.at_looks_apart(streams, self._counts, self.level_boundary, self.scale)

    def boundaries(self, seen: Streams) -> ApartLooks:
        """Every objective at a level of its own."""
        return ApartLooks(self.radii, self.spending(self.even), self.scale, self.tables, self.objective)

    def table(self, seen: Streams, designs: Indices) -> PairTable:
        """The means at the levels of each objective (docs/adaptive, 8.1)."""
        levels = max(len(own.snapshots) for own in seen.each)
        rows = len(self.objective) - (0 if self.directions else len(self.radii.members))
        values = np.full((self.cone.dim, levels, len(designs)), np.nan)
        variances = np.full((rows, levels, len(designs)), np.nan)
        spreads = np.full((levels, len(designs), self.cone.dim), np.inf)
        estimated = Estimated.of(self.apart, self.cone.dim).columns
        noisy = {int(member.columns[0]): member.radii for member in self.radii.members}
        for d, own in enumerate(seen.each):
            radii, here = noisy.get(d), np.flatnonzero(self.objective[:rows] == d)
            for level, snapshot in enumerate(own.snapshots):
                mine, theirs = places(snapshot.designs, designs)
                values[d, level, mine] = snapshot.means[theirs, 0]
                if radii is None:
                    continue
                scatters = None if snapshot.scatters is None else snapshot.scatters[theirs]
                times = np.full(len(mine), self._counts[level])
                of = designs[mine], scatters, times
                parts = [radii.variances(*of), *([radii.widest(*of)] if self.directions else [])]
                variances[:, level][np.ix_(here, mine)] = (np.column_stack(parts) / times[:, None]).T
                if estimated[d] and scatters is not None:
                    spreads[level, mine, d] = spreads_of(scatters, snapshot.means[theirs], times)[:, 0]
        reached = seen.reached[designs]
        times = self._counts[:levels, None]
        table = ApartTable(
            designs, reached, 0, times, values, variances, facets=self.cone.facets, objective=self.objective
        )
        if not estimated.any() or not spreads.size:
            return table
        return table.rounded(rounding_apart(self.apart, seen.seen), self.radii.parts, spreads)
