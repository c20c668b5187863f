"""Compare designs that were evaluated independently of each other: gains along the facets, and how far they may err.

A *stream* is everything that is measured together: whole rows, or one objective where objectives are measured
separately. Two designs are compared stream by stream, on the means of their first g observations, at the last
checkpoint that both have reached. A gain is the sum over the streams. A radius is the sum of z * spread + shift over
the parts of the noise (docs/adaptive, 2, 7 and 8.1). One look at a finished sample is the same with every design at its
own count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.history import Snapshot
from conewise.certificate.looks import Levels
from conewise.certificate.mixed import Radii
from conewise.certificate.rounding import Rounding, spreads_of
from conewise.certificate.weights import Spending, Standing
from conewise.cone.cone import Cone
from conewise.noise import Noise
from conewise.order.directions import cover_at, facet_floor, not_settled_by_ties
from conewise.order.dominance import maximal_columns

NOWHERE = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Tables:
    """Boundaries z for the probabilities that a claim may spend, from the least one up to delta (docs/adaptive, 2)."""

    counts: Floats
    """(L,): observations at each checkpoint."""
    least: tuple[float, float]
    """Logarithms of the least probabilities: of "no worse", and of "dominated" and "covered"."""
    step: float
    """Logarithm of the ratio of two probabilities."""
    fine: Floats
    """(parts, F, L): z by checkpoint, the least probability first."""
    out: Floats
    """(parts, B, L)"""

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
        """Return the boundaries of a schedule, for the least probabilities of both kinds up to `most` (section 2)."""
        step = math.log(ratio)
        alphas = [
            tuple(low * ratio ** np.arange(math.floor(math.log(high / low) / step + 1e-9), -1, -1.0))
            for low, high in zip(least, most, strict=True)
        ]
        fine, out = (radii.boundaries(levels, anchors[out], alphas[out], out) for out in (False, True))
        logs, counts = (math.log(least[0]), math.log(least[1])), np.array(levels.counts, dtype=np.float64)
        return cls(counts, logs, step, *(np.ascontiguousarray(table[:, ::-1]) for table in (fine, out)))

    def rows(self, logs: Floats, out: bool) -> Indices:
        """Return the rows of probabilities: each at the next smaller one in the table (docs/adaptive, 3.3)."""
        place = np.floor((logs - self.least[out]) / self.step + 1e-9)
        return np.clip(place, 0, (self.out if out else self.fine).shape[-2] - 1).astype(np.intp)


@dataclass(frozen=True, eq=False)
class View:
    """Contributions of one checkpoint of a stream to the facets, for the designs that landed on it, ascending."""

    designs: Indices
    values: Floats
    """(m, N): contributions to w_n.mean."""
    variances: Floats
    """(m, P or P + W): variances of these means, by part; last, if wanted, the largest along any direction."""
    spreads: Floats
    """(m, D_s): sample standard deviations where noise is estimated; (m, 0) elsewhere."""


@dataclass(frozen=True, eq=False)
class Stream:
    """Objectives that are measured together, and their weights in the facets."""

    cone: Cone
    objective: int | None
    """The objective that is measured by itself; None where whole rows are measured."""
    noise: Noise
    radii: Radii | None
    """None for an objective without noise."""
    parts: Indices
    """(P_s + W_s,): the places of its parts among all parts, those along any direction last."""
    directions: bool

    @classmethod
    def of(cls, cone: Cone, noise: Noise, radii: Radii, *, directions: bool, apart: bool) -> tuple[Stream, ...]:
        """Return the one stream of rows, or one for each objective of `noise`, with a kind for each (section 8.1)."""
        weighs = np.concatenate([radii.weights != 0, radii.anywhere[: len(radii.anywhere) * directions]])
        if not apart:
            return (cls(cone, None, noise, radii, np.arange(len(weighs)), directions),)
        each = [(d, noise.of_one(d, cone.dim), radii.of_one(d)) for d in range(cone.dim)]
        return tuple(cls(cone, *own, np.flatnonzero(weighs[:, own[0]]), directions) for own in each)

    def view(self, designs: Indices, means: Floats, scatters: Floats | None, counts: Floats) -> View:
        """Return what these means of so many observations add to the facets, and how uncertain that is."""
        facets, radii = self.cone.facets, self.radii
        values = self.cone.facet_values(means) if self.objective is None else means * facets[:, self.objective]
        variances, spreads = np.empty((len(designs), 0)), np.empty((len(designs), 0))
        if radii is not None:
            scatters = scatters if radii.estimates else None
            variances = radii.variances(designs, scatters, counts)
            if self.directions:
                variances = np.column_stack([variances, radii.widest(designs, scatters, counts)])
            variances = variances / np.maximum(counts, 1.0)[:, None]
            spreads = spreads if scatters is None else spreads_of(scatters, means, counts)
        return View(designs, values, variances, spreads)

    def at(self, snapshot: Snapshot, counts: Floats) -> View:
        """Return the view of a checkpoint; views are kept as long as their snapshots."""
        known = _VIEWS.get(snapshot)
        if known is None or known[0] is not self:
            known = self, self.view(snapshot.designs, snapshot.means, snapshot.scatters, counts)
            _VIEWS[snapshot] = known
        return known[1]


_VIEWS: WeakKeyDictionary[Snapshot, tuple[Stream, View]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Shown:
    """The observations of a stream at each checkpoint. At one look, each design has its own count at a single one."""

    reached: Indices
    """(K,): the last checkpoint of each design, or the place of its count at one look; -1 before the first."""
    snapshots: tuple[Snapshot, ...]
    counts: tuple[Floats, ...]
    """Observations of each design of a snapshot, (m,)."""
    rounding: Rounding | None
    """How values were recorded, where that may hide their noise; None elsewhere."""

    @property
    def steps(self) -> bytes:
        """Key of the steps of recorded values: equal keys, equal steps."""
        return b"" if self.rounding is None else self.rounding.key

    def latest(self) -> tuple[Snapshot, Floats]:
        """Return every design at its last checkpoint in one snapshot, and its observations there, (m,)."""
        every = np.concatenate([each.designs for each in self.snapshots])
        designs, place = np.unique(every[::-1], return_index=True)
        place, seen = len(every) - 1 - place, [each.scatters for each in self.snapshots if each.scatters is not None]
        means = np.concatenate([each.means for each in self.snapshots])[place]
        scatters = np.concatenate(seen)[place] if seen else None
        return Snapshot(designs, means, scatters), np.concatenate(self.counts)[place]

    def views(self, stream: Stream) -> list[View]:
        """Return the views of all checkpoints."""
        return [stream.at(snapshot, counts) for snapshot, counts in zip(self.snapshots, self.counts, strict=True)]


@dataclass(frozen=True, eq=False)
class Table:
    """Some designs of one stream, at the checkpoints at which they may meet."""

    parts: Indices
    """(P_s,): the places of its parts among all parts."""
    reached: Indices
    """(L,): the last checkpoint of each design, or the place of its count at one look; -1 before the first."""
    first: int
    """The lowest checkpoint in the table."""
    values: Floats
    """(N, levels, L): contributions to w_n.mean, NaN where missing; one level for one look."""
    variances: Floats
    """(P_s, levels, L): variances of these means by part; (..., 1) where they are the same for all designs."""
    slacks: Floats | None = None
    """(P_s, levels, L): how far means may be off because values were recorded in steps; None where they are not."""
    still: Bools | None = None
    """(P_s, levels, L): no observation differs from the others; two such designs have not met."""

    @classmethod
    def of(cls, stream: Stream, own: Shown, designs: Indices, *, once: bool) -> Table:
        """Return the table of these designs, at the checkpoints from the lowest to the highest that any has reached."""
        height = own.reached[designs]
        first = 0 if once or not len(designs) else max(0, int(height.min()))
        shown = slice(None) if once else slice(first, int(height.max(initial=-1)) + 1)
        views, counts = own.views(stream)[shown], own.counts[shown]
        many, parts, alike = len(views), len(stream.parts), not once and stream.radii is not None and stream.radii.alike
        values, times = np.full((len(stream.cone.facets), many, len(designs)), np.nan), np.ones((many, len(designs)))
        variances = np.full((parts, many, 1 if alike else len(designs)), np.nan)
        spreads = np.full((many, len(designs), views[0].spreads.shape[1] if views else 0), np.inf)
        for place, (view, count) in enumerate(zip(views, counts, strict=True)):
            mine, theirs = places(view.designs, designs)
            values[:, place, mine] = view.values[theirs].T
            if alike:
                variances[:, place, 0] = view.variances[0] if len(view.variances) else np.nan
            else:
                variances[:, place, mine] = view.variances[theirs].T
            spreads[place, mine], times[place, mine] = view.spreads[theirs], count[theirs]
        table = cls(stream.parts, height, first, values, variances)
        return (
            table if own.rounding is None or not spreads.size else table._rounded(own.rounding, stream, spreads, times)
        )

    def _rounded(self, rounding: Rounding, stream: Stream, spreads: Floats, counts: Floats) -> Table:
        """Return the table with what recorded steps hide of designs with these spreads (levels, L, D_s)."""
        assert stream.radii is not None
        levels, many, dim = spreads.shape
        about, rows = stream.radii, len(self.parts)
        hidden = rounding.coarse(about.weights, about.anywhere, spreads.reshape(-1, dim))
        if hidden is None:
            return self
        shape, times = (rows, levels, many), counts.reshape(1, -1).T
        flat = np.broadcast_to(self.variances, shape).reshape(rows, -1).T
        with np.errstate(invalid="ignore", divide="ignore"):
            variances = (hidden.raised(flat * times, times) / times).T.reshape(shape)
        slacks, still = hidden.slacks[:, :rows].T.reshape(shape), hidden.still[:, :rows].T.reshape(shape)
        return replace(self, variances=variances, slacks=slacks, still=still)

    def keep(self, which: Bools) -> Table:
        """Return the table of some of the designs."""
        alike = self.variances.shape[2] == 1 < len(which)
        return replace(
            self,
            reached=self.reached[which],
            values=self.values[:, :, which],
            variances=self.variances if alike else self.variances[:, :, which],
            slacks=None if self.slacks is None else self.slacks[:, :, which],
            still=None if self.still is None else self.still[:, :, which],
        )

    @property
    def last(self) -> Floats:
        """Contributions of every design at its last checkpoint, (N, L)."""
        place = np.minimum(np.maximum(self.reached - self.first, 0), max(self.values.shape[1] - 1, 0))
        return self.values[:, place, np.arange(len(self.reached))]


@dataclass(frozen=True, eq=False)
class Seen:
    """Some comparisons: rows i, columns j."""

    gains: Floats
    """(rows, columns, N): w_n.(mu^_j - mu^_i), NaN where the two designs have not met."""
    radii: Floats
    """(rows, columns, N): how far a gain may be off."""
    widest: Floats | None = None
    """(rows, columns): how far a gain may be off along any unit direction; None where that is not known or wanted."""


@dataclass(frozen=True, eq=False)
class Ruler:
    """All that radii depend on besides the designs: the kinds of noise, boundaries and shares of delta."""

    cone: Cone
    radii: Radii
    spending: Spending
    directions: bool
    """Whether covering goes along directions (docs/adaptive, 3.4)."""
    counts: Floats
    """(L,): observations at each checkpoint; at one look, all different counts of designs."""
    tables: Tables | None = None
    """Boundaries of a schedule; None for one look, at which all claims of a kind spend the same."""
    scale: float = 1.0
    """Multiplies every radius: anything but 1 voids the proof (for negative controls)."""

    @cached_property
    def noiseless(self) -> Bools:
        """(N,): facets that weigh no objective with noise."""
        return ~np.isin(np.arange(len(self.cone.facets)), self.radii.facet_of)

    def boundary(self, logs: Floats, out: bool) -> tuple[Floats, Indices]:
        """Return boundaries (parts, R, L), and which of their R rows suits each probability of `logs`."""
        if self.tables is not None:
            return (self.tables.out if out else self.tables.fine), self.tables.rows(logs, out)
        levels = Levels(tuple(self.counts.astype(int).tolist()), once=True)
        found = self.radii.boundaries(levels, math.inf, (math.exp(logs.item()),), out)
        return found, np.zeros((1, 1, 1), dtype=np.intp)

    def in_sight(self, designs: Indices, standing: Standing) -> tuple[Floats, Floats]:
        """Return the z (L,) that claims "no worse" and "dominated" of these designs are likely to meet next.

        Use it for planning only. Where the parts of a radius differ, it is the largest z of any part.
        """
        assert self.tables is not None
        fine, out = self.spending.in_sight(designs, standing)
        rows = self.tables.rows(fine, False), self.tables.rows(out, True)
        return self.tables.fine[:, rows[0]].max(axis=0), self.tables.out[:, rows[1]].max(axis=0)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """All pairs of some designs, computed on demand (`Pairs`)."""

    ruler: Ruler
    streams: tuple[Table, ...]
    designs: Indices
    standing: Standing
    steps: bytes = b""
    """Key of the steps of recorded values: equal keys, equal steps."""

    def among(self, which: Bools, standing: Standing) -> Self:
        """Return the pairs of some of the designs, with the radii of another standing."""
        tables = tuple(table.keep(which) for table in self.streams)
        return replace(self, streams=tables, designs=self.designs[which], standing=standing)

    # -- what claims read --------------------------------------------------------------------------------------

    def dominated(self, rows: Indices, columns: Indices) -> Bools:
        """Return where all gains of the column design are at least their radii (docs/adaptive, 1)."""
        seen = self.out(rows, columns)
        # Without noise a gain of 0 is no advantage: equal designs do not dominate each other.
        return np.asarray((seen.gains >= seen.radii).all(axis=2) & (seen.gains > 0).any(axis=2))

    def no_worse_at(self, rows: Indices, columns: Indices) -> Floats:
        """Return the least over the facets of (gain + radius) / alpha; minus infinity against itself."""
        seen, at = self.fine(rows, columns), np.full((len(rows), len(columns)), np.inf)
        upper = not_settled_by_ties(seen.gains + seen.radii, self.ruler.noiseless)
        np.fmin(at, (upper / self.ruler.cone.widths).min(axis=2), out=at)
        at[rows[:, None] == columns[None, :]] = -np.inf
        return at

    def covered_at(self, rows: Indices, columns: Indices, below: Floats) -> Floats:
        """Return from which epsilon on the column design covers the row design, where that is less than `below`."""
        seen, found = self.out(rows, columns, covering=True), np.full((len(rows), len(columns)), np.inf)
        with np.errstate(invalid="ignore"):
            worth = facet_floor(self.ruler.cone, seen.gains, seen.radii) < below
        first, second = np.nonzero(worth)
        if len(first):
            gains, radii = (np.ascontiguousarray(each[first, second].T) for each in (seen.gains, seen.radii))
            widest = None if seen.widest is None else seen.widest[first, second]
            found[first, second] = cover_at(self.ruler.cone, gains, radii, widest)
        return found

    def strong(self, most: int) -> Indices:
        """Return positions of at most so many designs of the empirical front, the best by their worst facet first."""
        if any(not table.values.shape[1] for table in self.streams):
            return NOWHERE
        last = np.sum([table.last for table in self.streams], axis=0)
        met = np.flatnonzero(~np.isnan(last).any(axis=0))
        front = met[maximal_columns(last[:, met])]
        return np.asarray(front[np.argsort(-last[:, front].min(axis=0), kind="stable")][:most])

    def unmoved(self, before: Any, name: str) -> tuple[Indices, Indices]:
        """Return positions of designs here and in earlier pairs about which nothing new is known."""
        keys = [self.ruler.spending.key(each.standing, name) for each in (self, before)]
        if before.ruler is not self.ruler or before.steps != self.steps or keys[0] != keys[1]:
            return NOWHERE, NOWHERE
        _, mine, theirs = np.intersect1d(self.designs, before.designs, assume_unique=True, return_indices=True)
        same = np.ones(len(mine), dtype=bool)
        for new, old in zip(self.streams, before.streams, strict=True):
            first = max(new.first, old.first)
            here, there = new.values[:, first - new.first :, mine], old.values[:, first - old.first :, theirs]
            levels = min(here.shape[1], there.shape[1])
            here, there = here[:, :levels], there[:, :levels]
            same &= ((here == there) | (np.isnan(here) & np.isnan(there))).all(axis=(0, 1))
            same &= new.reached[mine] == old.reached[theirs]
        return mine[same], theirs[same]

    # -- gains and radii ---------------------------------------------------------------------------------------

    @cached_property
    def _log_fine(self) -> Floats:
        """Logarithms of what claims "no worse" may spend, (N or 1, L or 1, 1)."""
        return self.ruler.spending.log_fine(self.designs, self.standing)

    def fine(self, rows: Indices, columns: Indices) -> Seen:
        """Return pairs, by their positions, with the radii of "no worse" (docs/adaptive, 1 and 3)."""
        logs = self._log_fine if self._log_fine.shape[1] == 1 else self._log_fine[:, rows]
        return self._seen(rows, columns, logs, out=False)

    def out(self, rows: Indices, columns: Indices, *, covering: bool = False) -> Seen:
        """Return pairs, by their positions, with the radii of "dominated" and "covered" (docs/adaptive, 3).

        With `covering`, also with the radius along the noisiest direction where that is known.
        """
        logs = self.ruler.spending.log_out(self.designs[rows], self.designs[columns], self.standing)
        return self._seen(rows, columns, logs, out=True, widest=covering and self.ruler.directions)

    def _seen(self, rows: Indices, columns: Indices, logs: Floats, *, out: bool, widest: bool = False) -> Seen:
        """Return gains and radii, for what each claim may spend (docs/adaptive, 2, 7 and 8.1)."""
        ruler, radii_of, shape = self.ruler, self.ruler.radii, (len(rows), len(columns))
        known = len(radii_of.weights) + (len(radii_of.anywhere) if widest else 0)
        gains, radii = np.zeros((len(ruler.cone.facets), *shape)), np.zeros((known, *shape))
        boundary, where = ruler.boundary(logs, out)
        where = where * boundary.shape[-1]
        facet_of = np.minimum(radii_of.facet_of, len(where) - 1)
        for table in self.streams:
            _, levels, width = table.values.shape
            level = np.minimum(table.reached[rows][:, None], table.reached[columns][None, :])
            if not levels or not level.size:
                gains[:] = np.nan
                continue
            never = level < table.first
            level = np.maximum(level, 0)
            least = most = ruler.counts[level]
            if ruler.tables is None:
                most = ruler.counts[np.maximum(table.reached[rows][:, None], table.reached[columns][None, :])]
            place = np.zeros_like(level) if ruler.tables is None else np.maximum(level - table.first, 0)
            mine, theirs = place * width + rows[:, None], place * width + columns[None, :]
            for n, values in enumerate(table.values):
                gains[n] += np.take(values.ravel(), theirs) - np.take(values.ravel(), mine)
            gains[:, never] = np.nan
            for at, part in enumerate(table.parts[table.parts < known]):
                variances = table.variances[at].ravel()
                if table.variances.shape[2] == 1:  # the same for all designs: by checkpoint alone
                    both = np.take(2 * variances, place)
                else:
                    both = np.take(variances, theirs) + np.take(variances, mine)
                z = np.take(boundary[part].ravel(), where[facet_of[part]] + level)
                radius = radii_of.radius(part, z, both, least, most)
                if ruler.scale != 1:
                    radius *= ruler.scale
                if table.slacks is not None and table.still is not None:
                    still = np.take(table.still[at].ravel(), mine) & np.take(table.still[at].ravel(), theirs)
                    slack = np.take(table.slacks[at].ravel(), mine) + np.take(table.slacks[at].ravel(), theirs)
                    radius += np.where(still, np.inf, slack)
                radii[part] = radius
        radii = radii_of.combined(radii)
        along = radii[len(gains)] if widest else None
        return Seen(np.moveaxis(gains, 0, 2), np.moveaxis(radii[: len(gains)], 0, 2), along)


def places(designs: Indices, wanted: Indices) -> tuple[Any, Any]:
    """Return which of `wanted` are among the ascending `designs`: positions in `wanted`, and in `designs`."""
    if len(designs) == len(wanted) and np.array_equal(designs, wanted):
        return slice(None), slice(None)
    if not len(designs):
        return NOWHERE, NOWHERE
    place = np.minimum(np.searchsorted(designs, wanted), len(designs) - 1)
    here = np.flatnonzero(designs[place] == wanted)
    return here, place[here]
