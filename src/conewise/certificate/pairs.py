"""Who has met whom on the schedule of looks: the comparisons that the certificate reads its claims off.

Two designs meet at the highest level that both have reached, or with the second one a number of levels ahead. Means are
kept in facet space, facet by facet: blocks of pairs are made of long rows of numbers, which is what makes them quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.certificate.claims import BELOW, Claims, Comparisons, Seen
from conewise.certificate.favourites import PILOT, Favourites
from conewise.certificate.history import Checkpoints, Snapshot, places
from conewise.certificate.pilots import Weights
from conewise.certificate.rounding import spreads_of
from conewise.noise import GaussianUnknown
from conewise.order import maximal_columns

if TYPE_CHECKING:
    from conewise.certificate.certificate import Certificate


@dataclass(frozen=True, eq=False)
class FacetView:
    """A snapshot in facet space: values w_n.mean and the variances of these means."""

    values: Floats
    """(m, N)"""
    shares: Floats
    """(m, N)"""
    widest: Floats | None
    """(m,): the largest variance along a unit direction, for covering."""
    spreads: Floats | None = None
    """(m, D): sample standard deviations, where recorded values may hide the noise."""

    @classmethod
    def of(cls, certificate: Certificate, snapshot: Snapshot, level: int) -> FacetView:
        """Worked out once a snapshot."""
        if (last := snapshot.known.get(certificate)) is not None:
            return last  # type: ignore[no-any-return]
        cone, count = certificate.cone, float(certificate.levels.counts[level])
        values = cone.facet_values(snapshot.means)
        counts = np.full(len(snapshot.designs), count)
        looks = len(certificate.levels.counts)
        radii, widest, spreads = certificate.radii, None, None
        variances = radii.variances(snapshot.designs, snapshot.scatters, counts, looks)
        if certificate.covers_along_directions:
            widest = radii.widest(snapshot.designs, snapshot.scatters, counts) / count
        if isinstance(certificate.noise, GaussianUnknown) and snapshot.scatters is not None:
            spreads = spreads_of(snapshot.scatters, snapshot.means, counts)
        found = cls(values, variances / count, widest, spreads)
        snapshot.known[certificate] = found
        return found


@dataclass(frozen=True, eq=False)
class Hidden:
    """What the steps of recorded values hide: tables as large as those of `Meetings`."""

    key: bytes
    """Of the steps in force."""
    slacks: Floats
    """(N or N + 1, levels, L)"""
    still: Bools
    """(N or N + 1, levels, L)"""

    @classmethod
    def of(cls, table: Meetings, state: Checkpoints) -> Hidden | None:
        """Of all designs of a table; the variances of those concerned are raised in its `shares`."""
        certificate = table.certificate
        rounding = certificate.rounding(state)
        if rounding is None:
            return None
        slacks, still = np.zeros(table.shares.shape), np.zeros(table.shares.shape, dtype=bool)
        found, rows = False, len(table.shares)
        for place in range(table.values.shape[1]):
            snapshot = state.snapshots[table.first + place]
            mine, theirs = snapshot.find(table.designs)
            spreads = FacetView.of(certificate, snapshot, table.first + place).spreads
            coarse = None if spreads is None else rounding.coarse(certificate.cone, spreads[theirs])
            if coarse is not None:
                found = True
                slacks[:, place, mine], still[:, place, mine] = coarse.slacks.T[:rows], coarse.still.T[:rows]
                count = float(certificate.levels.counts[table.first + place])
                variances = coarse.raised(table.shares[:, place, mine].T * count, np.full(len(mine), count))
                table.shares[:, place, mine] = variances.T / count
        return cls(rounding.key, slacks, still) if found else None

    def keep(self, which: Bools) -> Hidden:
        """Without the others."""
        return Hidden(self.key, self.slacks[:, :, which], self.still[:, :, which])

    def widen(self, radii: Floats, facet: int, mine: Indices, theirs: Indices) -> None:
        """Radii of pairs along a facet, by the flat positions of both in the tables, changed in place."""
        slacks, still = self.slacks[facet].ravel(), self.still[facet].ravel()
        radii += np.take(slacks, theirs, mode="clip") + slacks.take(mine)
        radii[np.take(still, theirs, mode="clip") & still.take(mine)] = np.inf


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
    """(N or N + 1, levels, L): variance of that mean; (..., 1) where it is the same for all designs.

    The last one of N + 1 is the largest along any unit direction, for covering."""
    sure: Bools
    """(L,): known to be Pareto optimal; nobody for `cover`."""
    all_reached: Indices
    """(K,): the last level of every design, these and others."""
    snapshots: tuple[Snapshot, ...]
    """Of all of them."""
    known: int = 0
    """How many are known to be Pareto optimal, these and others."""
    weights: Weights | None = None
    """How a pilot shares out delta; None where all share evenly."""
    judged: Claims | None = None
    """Claims whose radii are to be shown, where those depend on what else is known."""
    hidden: Hidden | None = None
    """What the steps of recorded values hide of these designs; None where they hide nothing."""

    @classmethod
    def of(cls, certificate: Certificate, state: Checkpoints, live: Indices) -> Meetings:
        """Of these designs, ascending."""
        reached = state.reached[live]
        low, high = (int(reached.min()), int(reached.max())) if len(live) else (0, -1)
        first = max(0, low - certificate.depth)
        facets, levels = len(certificate.cone.facets), max(0, high + 1 - first)
        values = np.full((facets, levels, len(live)), np.nan)
        alike, widest = certificate.variances_alike, certificate.covers_along_directions
        shares = np.full((facets + widest, levels, len(live) if alike is None else 1), np.nan)
        for place in range(levels):
            snapshot = state.snapshots[first + place]
            mine, theirs = snapshot.find(live)
            view = FacetView.of(certificate, snapshot, first + place)
            values[:, place, mine] = view.values[theirs].T
            if alike is None:
                shares[:facets, place, mine] = view.shares[theirs].T
                if view.widest is not None:
                    shares[facets, place, mine] = view.widest[theirs]
            else:
                shares[:, place, 0] = alike / certificate.levels.counts[first + place]
        nobody = np.zeros(len(live), dtype=bool)
        weights = None if state.pilot is None else state.pilot.weights
        table = cls(
            certificate, live, reached, first, values, shares, nobody, state.reached, state.snapshots, weights=weights
        )
        return replace(table, hidden=Hidden.of(table, state)) if levels and alike is None else table

    def keep(self, which: Bools) -> Meetings:
        """Without the others."""
        return replace(
            self,
            designs=self.designs[which],
            reached=self.reached[which],
            values=self.values[:, :, which],
            shares=self.shares if self.shares.shape[2] == 1 < len(which) else self.shares[:, :, which],
            sure=self.sure[which],
            hidden=None if self.hidden is None else self.hidden.keep(which),
        )

    def marked(self, sure: Bools, known: int) -> Meetings:
        """With these known to be Pareto optimal, which only `contain` can use."""
        return replace(self, sure=sure, known=known) if self.certificate.spending.stepwise else self

    def as_judged(self, claims: Claims) -> Meetings:
        """With what these claims know."""
        known = claims.comparisons.designs[claims.accept_at < 0]
        marked = self.marked(np.isin(self.designs, known), len(known))
        return replace(marked, judged=claims) if self.certificate.recount is not None else marked

    def strong(self, most: int) -> Indices:
        """The empirical front, those with the best worst facet first."""
        if not self.values.shape[1]:  # nobody has reached a level
            return np.empty(0, dtype=np.intp)
        last = self.values[:, np.maximum(self.reached - self.first, 0), np.arange(len(self.designs))]
        met = np.flatnonzero(~np.isnan(last).any(axis=0))
        front = met[maximal_columns(last[:, met])]
        return np.asarray(front[np.argsort(-last[:, front].min(axis=0), kind="stable")][:most])

    def same_boundary(self, before: Comparisons) -> bool:
        """Whether so many fewer remaining designs, or pairs that matter, change nothing."""
        if not self.certificate.same_boundary(len(before.designs), len(self.designs)):
            return False
        if self.certificate.recount is None or not isinstance(before, Meetings):
            return True
        if self.favourites is not before.favourites:
            return False
        nobody = not (self.sure.any() or before.sure.any())
        return nobody or np.array_equal(self.sure_boundary, before.sure_boundary)  # type: ignore[arg-type]

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
        if (self.hidden and self.hidden.key) != (before.hidden and before.hidden.key):
            return nobody, nobody  # finer steps were seen: radii change although nobody moved
        if out:
            same = self.same_boundary(before) and before._looks == self._looks
        else:
            k = self.certificate.n_designs
            same = self.certificate.same_boundary(k - before.known, k - self.known)
        if not same:
            return nobody, nobody
        _, mine, theirs = np.intersect1d(self.designs, before.designs, assume_unique=True, return_indices=True)
        still = self.reached[mine] == before.reached[theirs]
        if out:
            still &= self.sure[mine] == before.sure[theirs]
        return mine[still], theirs[still]

    @property
    def lists(self) -> tuple[tuple[int, int], ...]:
        """Which ratios of counts, and offsets in levels, are worth a look."""
        return self._worthwhile(self.certificate.offsets)

    @property
    def favoured_lists(self) -> tuple[tuple[int, int], ...]:
        """The same for favourites; none before they are known."""
        recount = self.certificate.recount
        return () if recount is None or self.favourites is None else self._worthwhile(recount.favoured_offsets)

    @property
    def _looks(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        return self.lists, self.favoured_lists

    def _worthwhile(self, offsets: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Those beyond which nobody is far enough ahead for a list to say more than the first."""
        apart = int(np.ptp(self.reached)) if len(self.reached) else 0
        return tuple(pair for pair in enumerate(offsets) if pair[1] <= 2 * apart)

    @cached_property
    def sure_boundary(self) -> Floats | None:
        """(leads, L): z by level for "beaten by a sure design", where claims are counted anew."""
        recount = self.certificate.recount
        if recount is not None and self.judged is not None and isinstance(self.judged.comparisons, Meetings):
            return recount.sure_boundary(self.judged.comparisons, everywhere=True)
        return None if recount is None else recount.sure_boundary(self)

    @cached_property
    def favourites(self) -> Favourites | None:
        """Who is likely to beat the others, as soon as that is known."""
        recount = self.certificate.recount
        return None if recount is None else recount.favourites(self.snapshots)

    def sharpened(self, fine_at: Floats, beaten: Bools) -> Floats:
        """Below 0 where claims at epsilon = 0, counted anew, say that i is not dominated by j."""
        if self.certificate.recount is None:
            return fine_at
        return np.where(self.certificate.recount.won(self, fine_at, beaten), BELOW, fine_at)

    def fine(self, rows: Indices, columns: Indices) -> Iterator[Seen]:
        """At the highest common level."""
        if self.weights is not None:
            which = self.weights.fine_rows[self.designs[rows]]
            yield self._weighted(rows, columns, 0, self.certificate.fine_by_weight, which[:, None, :])
            return
        doubtful = self.certificate.n_designs - self.known
        yield self._seen(rows, columns, 0, self.certificate.fine_boundary(doubtful))
        if self.judged is not None:
            yield self._won(self.judged, rows, columns)

    def _won(self, claims: Claims, rows: Indices, columns: Indices) -> Seen:
        """The pairs that claims at epsilon = 0 have settled, with the radii that did so."""
        recount, left = self.certificate.recount, claims.comparisons
        seen = self._seen(rows, columns, 0, np.ones(len(self.certificate.levels.counts)))
        won = np.zeros((len(rows), len(columns)), dtype=bool)
        if recount is not None and claims.fine_at is not None and isinstance(left, Meetings):
            mine, first = places(left.designs, self.designs[rows])
            theirs, second = places(left.designs, self.designs[columns])
            won[np.ix_(mine, theirs)] = claims.fine_at[np.ix_(first, second)] == BELOW
            where = np.nonzero(won)
            place = np.searchsorted(left.designs, self.designs)
            z = recount.fine_boundary(left, claims.beaten, place[rows[where[0]]], place[columns[where[1]]])
            seen.radii[where] *= z
        seen.gains[~won] = np.nan
        return seen

    def out(self, rows: Indices, columns: Indices, remaining: int, *, covering: bool = False) -> Iterator[Seen]:
        """The same, and with the column designs ahead; once more with narrower radii where these are sure."""
        if self.weights is not None:
            pairs = self.weights.out_rows[np.ix_(self.designs[rows], self.designs[columns])]
            for which, offset in self.lists:
                table = self.certificate.out_by_weight[which]
                yield self._weighted(rows, columns, offset, table, pairs[:, :, None], covering)
            return
        for which, offset in self.lists:
            yield self._seen(rows, columns, offset, self.certificate.out_boundary(remaining, which), covering)
            if (sure := self.sure[columns]).any():
                sharper = self.sure_boundary
                z = self.certificate.out_boundary(remaining, which, by_sure=True) if sharper is None else sharper[which]
                yield self._seen(rows, columns, offset, z).only(sure)
        if (known := self.favourites) is not None:
            yield from self._favoured(known, rows, columns, remaining)

    def _favoured(self, known: Favourites, rows: Indices, columns: Indices, remaining: int) -> Iterator[Seen]:
        """Row designs against favourites without their pilots, with the boundary that each one's rank allows."""
        recount = self.certificate.recount
        assert recount is not None
        weights = known.weights[np.ix_(self.designs[rows], self.designs[columns])]
        where = np.flatnonzero(weights.any(axis=0))
        if not len(where) or not len(rows):
            return
        some, weights = columns[where], weights[:, where]
        boundary_rows = recount.favoured_rows(remaining, weights)
        counts, pilots = recount._counts, known.values[:, self.designs[some]]
        facets, last = len(self.values), len(counts) - 1
        for which, offset in self.favoured_lists:
            level = np.minimum(self.reached[rows][:, None], self.reached[some][None, :] - offset)
            place = np.maximum(level - self.first, 0)
            mine, theirs = counts[place + self.first], counts[np.minimum(place + self.first + offset, last)]
            met = (level >= self.first) & (theirs > PILOT) & (weights > 0)
            rest = np.where(met, theirs - PILOT, 1.0)
            wide = recount.favoured[which, boundary_rows, place + self.first] * np.sqrt(1 / mine + 1 / rest)
            ahead = np.minimum(place + offset, self.values.shape[1] - 1)
            gains, radii = (np.full((len(rows), len(columns), facets), np.nan) for _ in range(2))
            for n in range(facets):
                mean = self.values[n][ahead, some]
                without = mean + (mean - pilots[n]) * (PILOT / rest)  # exact for observations that are all equal
                gains[:, where, n] = np.where(met, without - self.values[n][place, rows[:, None]], np.nan)
                radii[:, where, n] = wide * np.sqrt(recount._variances[n])
            yield Seen(gains, radii)

    def _weighted(
        self, rows: Indices, columns: Indices, offset: int, table: Floats, which: Indices, covering: bool = False
    ) -> Seen:
        """The same with a boundary for each pair, (rows, columns, 1), or for each design and facet, (rows, 1, N)."""
        level = np.minimum(self.reached[rows][:, None], self.reached[columns][None, :] - offset)
        np.maximum(level, 0, out=level)
        seen = self._seen(rows, columns, offset, np.ones(table.shape[1]), covering)
        flat, by_facet = table.ravel(), which.shape[2] > 1
        for n in range(seen.radii.shape[2]):  # facet by facet, in place: that is how the tables lie in memory
            if n == 0 or by_facet:
                z = flat.take(which[:, :, n] * table.shape[1] + level)
            radii = seen.radii[:, :, n]
            radii *= z
            if self.certificate.radii.shifted:
                radii += self.certificate.shift_along(n, z, level)
        if seen.widest is not None:
            seen.widest[...] *= z
        return seen

    def _seen(self, rows: Indices, columns: Indices, offset: int, z: Floats, covering: bool = False) -> Seen:
        """Row designs at their level, column designs `offset` levels ahead, as high as both have come."""
        facets, levels, many = self.values.shape
        gains = np.full((facets, len(rows), len(columns)), np.nan)
        known = len(self.shares) if covering else facets
        radii = np.full((known, len(rows), len(columns)), np.nan)
        if levels and gains.size:
            level = np.minimum(self.reached[rows][:, None], self.reached[columns][None, :] - offset)
            never = level < self.first
            place = np.maximum(level - self.first, 0)
            ahead = np.minimum(place + offset, levels - 1)
            mine, theirs = place * many + rows[:, None], ahead * many + columns[None, :]
            shifts = self.certificate.shifts(z)
            here = z[self.first : self.first + levels]
            for n in range(facets):
                table = self.values[n].ravel()
                np.take(table, theirs, out=gains[n], mode="clip")
                gains[n] -= table.take(mine)
            for n in range(known):
                shares = self.shares[n].ravel()
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
                if self.hidden is not None:
                    self.hidden.widen(radii[n], n, mine, theirs)
            if never.any():
                gains[:, never] = np.nan
        widest = radii[facets] if known > facets else None
        return Seen(np.moveaxis(gains, 0, 2), np.moveaxis(radii[:facets], 0, 2), widest)
