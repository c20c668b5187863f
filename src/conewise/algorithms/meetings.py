"""Who has met whom on the schedule of looks: the comparisons that the certificate reads its claims off.

Two designs meet at the highest level that both have reached, or with the second one a number of levels ahead. Means are
kept in facet space, facet by facet: blocks of pairs are made of long rows of numbers, which is what makes them quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.algorithms.checkpoints import Checkpoints, Snapshot
from conewise.algorithms.claims import Comparisons, Seen
from conewise.order import _front

if TYPE_CHECKING:
    from conewise.algorithms.certificate import Certificate


@dataclass(frozen=True, eq=False)
class FacetView:
    """A snapshot in facet space: values w_n.mean and the variances of these means."""

    values: Floats
    """(m, N)"""
    shares: Floats
    """(m, N)"""

    @classmethod
    def of(cls, certificate: Certificate, snapshot: Snapshot, level: int) -> FacetView:
        """Worked out once a snapshot."""
        if (last := snapshot.known.get(certificate)) is not None:
            return last  # type: ignore[no-any-return]
        cone, count = certificate.cone, float(certificate.levels.counts[level])
        values = (cone._order_columns(snapshot.means) / cone._lengths[:, None]).T
        counts = np.full(len(snapshot.designs), count)
        looks = len(certificate.levels.counts)
        variances = certificate.radii.variances(snapshot.designs, snapshot.scatters, counts, looks)
        snapshot.known[certificate] = found = cls(values, variances / count)
        return found


@dataclass(frozen=True, eq=False)
class Meetings:
    """Some designs, at the levels at which they may meet: `Comparisons` of the schedule."""

    certificate: Certificate
    designs: Indices
    reached: Indices
    first: int
    """The lowest level in the tables."""
    values: Floats
    """(N, levels, L): w_n.mean, NaN where missing."""
    shares: Floats
    """(N, levels, L): variance of that mean; (N, levels, 1) where it is the same for all designs."""
    sure: Bools
    """(L,): known to be Pareto optimal; nobody for `cover`."""
    known: int = 0
    """How many are, these and others."""

    @classmethod
    def of(cls, certificate: Certificate, state: Checkpoints, live: Indices) -> Meetings:
        """Of these designs, ascending."""
        reached = state.reached[live]
        low, high = (int(reached.min()), int(reached.max())) if len(live) else (0, -1)
        first = max(0, low - certificate.lead)
        facets, levels = len(certificate.cone.facets), max(0, high + 1 - first)
        values = np.full((facets, levels, len(live)), np.nan)
        alike = certificate.radii.common
        shares = np.full((facets, levels, len(live) if alike is None else 1), np.nan)
        for place in range(levels):
            snapshot = state.snapshots[first + place]
            mine, theirs = snapshot.find(live)
            view = FacetView.of(certificate, snapshot, first + place)
            values[:, place, mine] = view.values[theirs].T
            if alike is None:
                shares[:, place, mine] = view.shares[theirs].T
            else:
                shares[:, place, 0] = alike / certificate.levels.counts[first + place]
        return cls(certificate, live, reached, first, values, shares, np.zeros(len(live), dtype=bool))

    def keep(self, which: Bools) -> Meetings:
        """Without the others."""
        return replace(
            self,
            designs=self.designs[which],
            reached=self.reached[which],
            values=self.values[:, :, which],
            shares=self.shares if self.shares.shape[2] == 1 < len(which) else self.shares[:, :, which],
            sure=self.sure[which],
        )

    def marked(self, sure: Bools, known: int) -> Meetings:
        """With these known to be Pareto optimal, which only `contain` can use."""
        return replace(self, sure=sure, known=known) if self.certificate.spending.stepwise else self

    def strong(self, most: int) -> Indices:
        """The empirical front, those with the best worst facet first."""
        last = self.values[:, np.maximum(self.reached - self.first, 0), np.arange(len(self.designs))]
        met = np.flatnonzero(~np.isnan(last).any(axis=0))
        front = met[_front(np.ascontiguousarray(last[:, met]), True)]
        return np.asarray(front[np.argsort(-last[:, front].min(axis=0), kind="stable")][:most])

    def same_boundary(self, before: int, after: int) -> bool:
        """Whether so many fewer remaining designs change nothing."""
        return self.certificate.same_boundary(before, after)

    def overtaken(self, before: Comparisons, unmoved: Indices) -> Indices:
        """Whoever moved had reached their level before: a pair meets at the lower level, whatever the offset."""
        assert isinstance(before, Meetings)
        _, mine, theirs = np.intersect1d(self.designs, before.designs, assume_unique=True, return_indices=True)
        moved = self.reached[mine] != before.reached[theirs]
        lowest = before.reached[theirs[moved]].min(initial=np.iinfo(np.intp).max)
        return np.asarray(unmoved[self.reached[unmoved] <= lowest])

    def unmoved(self, before: Comparisons, *, out: bool) -> tuple[Indices, Indices]:
        """Those at the level at which they were, if boundaries and lists of looks are the same; else nobody."""
        nobody = np.empty(0, dtype=np.intp)
        if not isinstance(before, Meetings) or before.certificate is not self.certificate:
            return nobody, nobody
        k, same = self.certificate.n_designs, self.same_boundary
        if not (
            same(len(before.designs), len(self.designs)) and before.lists == self.lists
            if out
            else same(k - before.known, k - self.known)
        ):
            return nobody, nobody
        _, mine, theirs = np.intersect1d(self.designs, before.designs, assume_unique=True, return_indices=True)
        still = self.reached[mine] == before.reached[theirs]
        if out:
            still &= self.sure[mine] == before.sure[theirs]
        return mine[still], theirs[still]

    @property
    def lists(self) -> tuple[tuple[int, int], ...]:
        """Which ratios of counts, and offsets in levels, are worth a look."""
        apart = int(np.ptp(self.reached)) if len(self.reached) else 0
        # Beyond that nobody is far enough ahead for a list to say more than the first.
        return tuple(pair for pair in enumerate(self.certificate.offsets) if pair[1] <= 2 * apart)

    def fine(self, rows: Indices, columns: Indices) -> Iterator[Seen]:
        """At the highest common level."""
        doubtful = self.certificate.n_designs - self.known
        yield self._seen(rows, columns, 0, self.certificate.fine_boundary(doubtful))

    def out(self, rows: Indices, columns: Indices, remaining: int) -> Iterator[Seen]:
        """The same, and with the column designs ahead; once more with narrower radii where these are sure."""
        for which, offset in self.lists:
            yield self._seen(rows, columns, offset, self.certificate.out_boundary(remaining, which))
            if (sure := self.sure[columns]).any():
                z = self.certificate.out_boundary(remaining, which, by_sure=True)
                yield self._seen(rows, columns, offset, z).only(sure)

    def _seen(self, rows: Indices, columns: Indices, offset: int, z: Floats) -> Seen:
        """Row designs at their level, column designs `offset` levels ahead, as high as both have come."""
        facets, levels, many = self.values.shape
        gains = np.full((facets, len(rows), len(columns)), np.nan)
        radii = np.full((facets, len(rows), len(columns)), np.nan)
        if levels and gains.size:
            level = np.minimum(self.reached[rows][:, None], self.reached[columns][None, :] - offset)
            never = level < self.first
            place = np.maximum(level - self.first, 0)
            ahead = np.minimum(place + offset, levels - 1)
            mine, theirs = place * many + rows[:, None], ahead * many + columns[None, :]
            shifts = self.certificate.shifts(z)
            here = z[self.first : self.first + levels]
            for n in range(facets):
                table, shares = self.values[n].ravel(), self.shares[n].ravel()
                np.take(table, theirs, out=gains[n], mode="clip")
                gains[n] -= table.take(mine)
                if len(shares) == levels:  # the radius depends on the level alone
                    other = np.minimum(np.arange(levels) + offset, levels - 1)
                    np.take(here * np.sqrt(shares[other] + shares), place, out=radii[n], mode="clip")
                else:
                    np.take(shares, theirs, out=radii[n], mode="clip")
                    radii[n] += shares.take(mine)
                    np.sqrt(radii[n], out=radii[n])
                    radii[n] *= here.take(place)
                if shifts is not None:
                    radii[n] += shifts[self.first :, n].take(place)
            if never.any():
                gains[:, never] = np.nan
        return Seen(np.moveaxis(gains, 0, 2), np.moveaxis(radii, 0, 2))
