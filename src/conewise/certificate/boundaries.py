"""How far a difference of means may err: radii for blocks of pairs, by what each claim may spend.

A strategy for each way of looking: `Looks` on a schedule, again and again, and `OneLook` at a finished sample. Both
read a passive `PairTable` and know nothing of what is concluded from their radii.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.looks import Levels
from conewise.certificate.pairs import PairTable
from conewise.certificate.radius import AtOnce, Radii
from conewise.certificate.weights import Spending, Standing


@dataclass(frozen=True, eq=False)
class Meeting:
    """A block of pairs: row and column designs at the highest level that both have reached."""

    level: Indices
    """(rows, columns): the lowest of the table where the two have not met."""
    gains: Floats
    """(N, rows, columns): w_n.(mu^_j - mu^_i), NaN where the two have not met."""
    spreads: Floats
    """(P or P + W, rows, columns): standard deviations, by part; last, if wanted, the largest of any direction."""
    slacks: Floats | None
    """As large: how far a part may be off because values were recorded in steps; None where that hides nothing."""

    @classmethod
    def of(cls, table: PairTable, rows: Indices, columns: Indices, known: int) -> Meeting:
        """Pairs by their positions, with the first `known` rows of the variances (docs/adaptive, 2)."""
        facets, levels, many = table.values.shape
        gains = np.full((facets, len(rows), len(columns)), np.nan)
        spreads = np.full((known, len(rows), len(columns)), np.nan)
        level = np.minimum(table.reached[rows][:, None], table.reached[columns][None, :])
        if not levels or not gains.size:
            return cls(np.zeros_like(level), gains, spreads, None)
        never = level < table.first
        place = np.maximum(level - table.first, 0)
        mine, theirs = place * many + rows[:, None], place * many + columns[None, :]
        for n in range(facets):
            values = table.values[n].ravel()
            np.take(values, theirs, out=gains[n], mode="clip")
            gains[n] -= values.take(mine)
        for n in range(known):
            variances = table.variances[n].ravel()
            if table.variances.shape[2] == 1:  # the same for all designs: by level alone
                np.take(np.sqrt(2 * variances), place, out=spreads[n], mode="clip")
            else:
                np.take(variances, theirs, out=spreads[n], mode="clip")
                spreads[n] += variances.take(mine)
                np.sqrt(spreads[n], out=spreads[n])
        if never.any():
            gains[:, never] = np.nan
        slacks = None if table.coarse is None else table.coarse.slack(known, mine, theirs)
        return cls(place + table.first, gains, spreads, slacks)


@dataclass(frozen=True, eq=False)
class Seen:
    """A block of comparisons: rows i, columns j."""

    gains: Floats
    """(rows, columns, N): w_n.(mu^_j - mu^_i), NaN where the two have not met."""
    radii: Floats
    """As large: how far a gain may be off."""
    widest: Floats | None = None
    """(rows, columns): how far it may be off along any unit direction; None where nobody asked, or nobody knows."""

    def filled(self, other: Seen) -> Seen:
        """With what another block says of the pairs that have not met here."""
        never, widest = np.asarray(np.isnan(self.gains).any(axis=2)), self.widest
        if other.widest is not None:  # known here too, unless nobody has met
            widest = other.widest if widest is None else np.where(never, other.widest, widest)
        gains, radii = (
            np.where(never[:, :, None], theirs, mine)
            for mine, theirs in ((self.gains, other.gains), (self.radii, other.radii))
        )
        return Seen(gains, radii, widest)


@dataclass(frozen=True, eq=False)
class Boundaries(ABC):
    """How many standard deviations the radii of "fine" and of "beaten" and "covered" have (docs/adaptive, 2 and 3)."""

    radii: Radii
    spending: Spending
    scale: float
    """Multiplies every radius: anything but 1 voids the proof (for negative controls)."""

    @abstractmethod
    def _z(self, table: PairTable, rows: Indices, columns: Indices, level: Indices, logs: Floats, out: bool) -> Floats:
        """(P + W or N or 1, rows, columns): standard deviations, by the logarithm of what a claim may spend.

        That is (N or 1, ...), N where it differs between the facets. `out` is for "beaten" and "covered".
        """

    @abstractmethod
    def _counts(self, table: PairTable, rows: Indices, columns: Indices, level: Indices) -> Floats:
        """(1 or P + W, rows, columns): the smaller number of observations of a pair."""

    def meeting(self, table: PairTable, rows: Indices, columns: Indices, known: int) -> Meeting:
        """Where pairs meet, by their positions, with the first `known` rows of the variances."""
        return Meeting.of(table, rows, columns, known)

    def in_sight(
        self, designs: Indices, rivals: Indices, standing: Standing, onward: Callable[[], Looks]
    ) -> tuple[Floats, Floats]:
        """Twice (L,): the z that claims "fine" and "beaten" of some designs are likely to meet next: for planning.

        After a finished sample, as looks would go on from here (`onward`).
        """
        return onward().in_sight(designs, rivals, standing, onward)


@dataclass(frozen=True, eq=False)
class OneLook(Boundaries):
    """A single look at a finished sample, every design (or objective of it) at its own count (docs/adaptive, 8)."""

    radii: AtOnce

    def _counts(self, table: PairTable, rows: Indices, columns: Indices, level: Indices) -> Floats:
        counts = np.maximum(table.counts[..., 0, :], 1.0).reshape(-1, len(table.designs))
        return np.asarray(np.minimum(counts[:, rows, None], counts[:, None, columns]))

    def _z(self, table: PairTable, rows: Indices, columns: Indices, level: Indices, logs: Floats, out: bool) -> Floats:
        """A quantile for each count, not for each pair: all claims of one kind spend the same."""
        fewer, found = self._counts(table, rows, columns, level), []
        for part, counts in enumerate(fewer):
            sizes, place = np.unique(counts, return_inverse=True)
            z = self.radii.at_once(sizes, logs.item(), out)
            own = z if len(fewer) == 1 else z[[part]]
            found.append(own[:, place.ravel()].reshape(len(own), *counts.shape))
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class Tables:
    """Boundaries on a schedule, for probabilities from the least that a claim may spend up to delta; made once."""

    levels: Levels
    least: tuple[float, float]
    """Logarithms of the least probabilities, of "fine" and of "beaten" and "covered"."""
    step: float
    """Logarithm of the ratio of two probabilities."""
    fine: Floats
    """(1 or parts, F, L): z by level, the least probability first."""
    out: Floats
    """(1 or parts, B, L)"""

    @classmethod
    def of(
        cls,
        radii: Radii,
        levels: Levels,
        anchors: tuple[float, float],
        least: tuple[float, float],
        most: tuple[float, float],
        ratio: float,
    ) -> Tables:
        """From the least probabilities of both kinds up to `most` (docs/adaptive, 2)."""
        step = math.log(ratio)
        alphas = [
            tuple(low * ratio ** np.arange(math.floor(math.log(high / low) / step + 1e-9), -1, -1.0))
            for low, high in zip(least, most, strict=True)
        ]
        fine, out = (radii.boundaries(levels, anchors[out], alphas[out], out) for out in (False, True))
        logs = math.log(least[0]), math.log(least[1])
        return cls(levels, logs, step, *(np.ascontiguousarray(table[:, ::-1]) for table in (fine, out)))

    def rows(self, logs: Floats, out: bool) -> Indices:
        """Where probabilities stand: at the next smaller one that is tabulated (docs/adaptive, 3.3)."""
        place = np.floor((logs - self.least[out]) / self.step + 1e-9)
        return np.clip(place, 0, (self.out if out else self.fine).shape[-2] - 1).astype(np.intp)


@dataclass(frozen=True, eq=False)
class Looks(Boundaries):
    """Looks on a schedule, as often as anybody likes (docs/adaptive, 2)."""

    tables: Tables

    @cached_property
    def _observations(self) -> Floats:
        return np.array(self.tables.levels.counts, dtype=np.float64)

    def _counts(self, table: PairTable, rows: Indices, columns: Indices, level: Indices) -> Floats:
        return np.asarray(self._observations[level])[None]

    def _z(self, table: PairTable, rows: Indices, columns: Indices, level: Indices, logs: Floats, out: bool) -> Floats:
        boundary = self.tables.out if out else self.tables.fine
        where = self.tables.rows(logs, out) * boundary.shape[-1] + level
        if len(boundary) == 1:
            return np.asarray(boundary.ravel().take(where))
        facets = np.minimum(self.radii.facet_of, len(where) - 1)
        return np.array([part.ravel().take(where[n]) for part, n in zip(boundary, facets, strict=True)])

    def of_everybody(self, standing: Standing) -> Floats:
        """(1 or parts, L): z of "beaten", where all designs share evenly."""
        nobody = np.zeros(0, dtype=np.intp)
        row = self.tables.rows(self.spending.log_out(nobody, nobody, standing), True)
        return np.asarray(self.tables.out[:, int(row.item())])

    def shift_at(self, part: int, z: float, level: int) -> float:
        """The second term of a part's radius at a level, 0 for most kinds of noise."""
        return float(self.scale * self.radii.shift(part, np.array(z), self._observations[level]))

    def in_sight(
        self, designs: Indices, rivals: Indices, standing: Standing, onward: Callable[[], Looks]
    ) -> tuple[Floats, Floats]:
        """At the levels of the schedule; where the parts of a radius differ, the largest z of any part."""
        fine, out = self.spending.in_sight(designs, rivals, standing)
        rows = self.tables.rows(fine, False), self.tables.rows(out, True)
        return self.tables.fine[:, rows[0]].max(axis=0), self.tables.out[:, rows[1]].max(axis=0)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """All pairs of some designs, on demand, with the radii in force: what claims and reports read."""

    table: PairTable
    boundaries: Boundaries
    standing: Standing

    @cached_property
    def _parts(self) -> int:
        """How many rows of variances belong to the facets: one each, unless radii are sums of parts."""
        radii = self.boundaries.radii
        return len(radii.parts.weights) if radii.summed else len(self.table.values)

    def fine(self, rows: Indices, columns: Indices) -> Seen:
        """Pairs by their positions in the table, with the radii of "fine" (docs/adaptive, 1 and 3)."""
        logs = self.boundaries.spending.log_fine(self.table.designs[rows], self.standing)
        meeting = self.boundaries.meeting(self.table, rows, columns, self._parts)
        return self._seen(rows, columns, meeting, logs, out=False)

    def out(self, rows: Indices, columns: Indices, *, covering: bool = False) -> list[Seen]:
        """Pairs with the radii of "beaten" and "covered" (docs/adaptive, 3); once more, narrower, if columns are sure.

        For `covering` with the radius along the noisiest direction too, where it is known.
        """
        table, standing, spending = self.table, self.standing, self.boundaries.spending
        pairs = table.designs[rows], table.designs[columns]
        logs = spending.log_out(*pairs, standing)
        known = len(table.variances) if covering else self._parts
        meeting = self.boundaries.meeting(table, rows, columns, known)
        found = [self._seen(rows, columns, meeting, logs, out=True)]
        sure = standing.sure[table.designs[columns]]
        if sure.any() and spending.by_sure:
            narrower = spending.log_by_sure(*pairs, standing)
            by_sure = replace(meeting, gains=np.where(sure, meeting.gains, np.nan))
            found.append(self._seen(rows, columns, by_sure, narrower, out=True))
        return found

    def _seen(self, rows: Indices, columns: Indices, meeting: Meeting, logs: Floats, *, out: bool) -> Seen:
        """Radii z * spread + shift (docs/adaptive, 2), and what recorded steps add (7); part by part, as tables lie."""
        ways, at = self.boundaries, (self.table, rows, columns, meeting.level)
        z, facets = ways._z(*at, logs, out), len(meeting.gains)
        counts = ways._counts(*at) if ways.radii.shifted else z
        radii = np.empty_like(meeting.spreads)
        for part in range(len(radii)):
            here = z[min(part, len(z) - 1)]
            np.multiply(meeting.spreads[part], here, out=radii[part])
            if ways.radii.shifted:
                radii[part] += ways.radii.shift(part, here, counts[min(part, len(counts) - 1)])
        if ways.scale != 1:
            radii *= ways.scale
        if meeting.slacks is not None:
            radii += meeting.slacks
        if ways.radii.summed:
            radii = ways.radii.combined(radii)
        widest = radii[facets] if len(radii) > facets else None
        return Seen(np.moveaxis(meeting.gains, 0, 2), np.moveaxis(radii[:facets], 0, 2), widest)


@dataclass(frozen=True, eq=False)
class Filled(Comparisons):
    """The same, and an earlier look at the pairs that have not met since (docs/adaptive, 3.3): for reports."""

    earlier: Comparisons

    def fine(self, rows: Indices, columns: Indices) -> Seen:
        """As above."""
        return super().fine(rows, columns).filled(self.earlier.fine(rows, columns))

    def out(self, rows: Indices, columns: Indices, *, covering: bool = False) -> list[Seen]:
        """As above."""
        first, *others = super().out(rows, columns, covering=covering)
        return [first.filled(self.earlier.out(rows, columns, covering=covering)[0]), *others]
