"""A passive table of what is known of designs: means in facet space, level by level, and how uncertain they are.

Means are kept facet by facet: blocks of pairs are made of long rows of numbers, which is what makes them quick. The
table knows neither a boundary nor a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.history import Snapshot
from conewise.certificate.radius import Parts, Radii
from conewise.certificate.rounding import Rounding, spreads_of
from conewise.cone.cone import Cone
from conewise.order.dominance import maximal_columns


@dataclass(frozen=True, eq=False)
class View:
    """One level in facet space: the designs that landed on it, ascending."""

    snapshot: Snapshot
    values: Floats
    """(m, N): w_n.mean."""
    variances: Floats
    """(m, P or P + W): of these means, by part (a facet, or what one kind of noise sees of it); last, where covering
    goes along directions, the largest along any of them."""
    spreads: Floats
    """(m, D): sample standard deviations where noise is estimated; (m, 0) elsewhere."""

    @property
    def designs(self) -> Indices:
        """(m,)"""
        return self.snapshot.designs

    @property
    def width(self) -> tuple[int, int, int]:
        """Facets, variances and spreads of a design."""
        return self.values.shape[1], self.variances.shape[1], self.spreads.shape[1]


@dataclass(frozen=True, eq=False)
class Lens:
    """How means are seen in facet space."""

    cone: Cone
    radii: Radii
    directions: bool
    """Whether the largest variance along any direction is wanted too (docs/adaptive, 3.4)."""

    def views(self, snapshots: Sequence[Snapshot], counts: Floats, before: Sequence[View]) -> list[View]:
        """One a level; those that were seen before, and have not changed since, are taken over as they are."""
        found = list(before[: len(snapshots)])
        new = [at for at, each in enumerate(snapshots) if at >= len(found) or found[at].snapshot is not each]
        if not new:
            return found
        sizes = [len(snapshots[at].designs) for at in new]
        means, designs = (np.concatenate([getattr(snapshots[at], name) for at in new]) for name in ("means", "designs"))
        scatters = np.concatenate([snapshots[at].scatters for at in new]) if self.radii.estimates else None
        seen = self.seen(designs, means, scatters, np.repeat(counts[new], sizes))
        ends = np.cumsum(sizes)
        for at, start, end in zip(new, ends - sizes, ends, strict=True):
            found[at : at + 1] = [View(snapshots[at], *(part[start:end] for part in seen))]
        return found

    def seen(
        self, designs: Indices, means: Floats, scatters: Floats | None, counts: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Values, variances and spreads, as in `View`."""
        variances = self.radii.variances(designs, scatters, counts)
        if self.directions:
            variances = np.column_stack([variances, self.radii.widest(designs, scatters, counts)])
        spreads = np.empty((len(designs), 0)) if scatters is None else spreads_of(scatters, means, counts)
        return self.cone.facet_values(means), variances / np.maximum(counts, 1.0)[:, None], spreads


@dataclass(frozen=True, eq=False)
class Hidden:
    """What the steps of recorded values hide of the designs of a table (docs/adaptive, 7)."""

    steps: bytes
    """Equal for equal steps."""
    slacks: Floats
    """(P or P + W, levels, L)"""
    still: Bools
    """(P or P + W, levels, L)"""

    def slack(self, known: int, mine: Indices, theirs: Indices) -> Floats:
        """(known, rows, columns): for pairs by their flat positions; infinite for two designs that never varied.

        Positions are (rows, columns), or (known, rows, columns) where they differ between the parts.
        """
        mine, theirs = (np.broadcast_to(at, (known, *at.shape[-2:])) for at in (mine, theirs))
        found = []
        for slacks, still, i, j in zip(self.slacks, self.still, mine, theirs, strict=False):
            both = still.take(j, mode="clip") & still.take(i)
            found.append(np.where(both, np.inf, slacks.take(j, mode="clip") + slacks.take(i)))
        return np.array(found)

    def keep(self, which: Bools) -> Hidden:
        """Without the others."""
        return replace(self, slacks=self.slacks[:, :, which], still=self.still[:, :, which])


@dataclass(frozen=True, eq=False)
class PairTable:
    """Some designs at the levels at which they may meet (docs/adaptive, 2)."""

    designs: Indices
    """(L,): ascending."""
    reached: Indices
    """(L,): each one's last level; -1 before the first."""
    first: int
    """The lowest level in the table."""
    counts: Floats
    """(levels, L) or (levels, 1): observations; (P or P + W, levels, L) where they differ between the parts."""
    values: Floats
    """(N, levels, L): w_n.mean, NaN where missing."""
    variances: Floats
    """(P or P + W, levels, L): of these means, by part; (..., 1) where they are the same for all designs."""
    coarse: Hidden | None = None
    """None where the steps of recorded values hide nothing."""

    @classmethod
    def of_views(
        cls, views: Sequence[View], counts: Floats, reached: Indices, designs: Indices, alike: bool
    ) -> tuple[PairTable, Floats]:
        """Of these designs, from the level of the lowest of them on; and their spreads, (levels, L, D)."""
        height = reached[designs]
        low, high = (int(height.min()), int(height.max())) if len(designs) else (0, -1)
        first = max(0, low)
        levels, shown = max(0, high + 1 - first), views[first : high + 1]
        facets, rows, dim = shown[0].width if shown else (1, 1, 0)
        values = np.full((facets, levels, len(designs)), np.nan)
        variances = np.full((rows, levels, 1 if alike else len(designs)), np.nan)
        spreads = np.full((levels, len(designs), dim), np.inf)
        for place, view in enumerate(shown):
            mine, theirs = _seats(view.designs, designs)
            values[:, place, mine] = view.values[theirs].T
            if alike:
                variances[:, place, 0] = view.variances[0] if len(view.variances) else np.nan
            else:
                variances[:, place, mine] = view.variances[theirs].T
            if dim:
                spreads[place, mine] = view.spreads[theirs]
        return cls(designs, height, first, counts[first : first + levels, None], values, variances), spreads

    def rounded(self, rounding: Rounding, parts: Parts, spreads: Floats) -> PairTable:
        """With what the steps hide of designs with these standard deviations, (levels, L, D)."""
        levels, many, dim = spreads.shape
        hidden = rounding.coarse(parts.weights, parts.anywhere, spreads.reshape(-1, dim))
        if hidden is None:
            return self
        shape = rows, _, _ = len(self.variances), levels, many
        counts = np.broadcast_to(self.counts, shape).reshape(rows, -1).T
        with np.errstate(invalid="ignore", divide="ignore"):  # whoever has no observation has not met anybody
            variances = hidden.raised(self.variances.reshape(rows, -1).T * counts, counts) / counts
        coarse = Hidden(rounding.key, hidden.slacks[:, :rows].T.reshape(shape), hidden.still[:, :rows].T.reshape(shape))
        return replace(self, variances=variances.T.reshape(self.variances.shape), coarse=coarse)

    def keep(self, which: Bools) -> PairTable:
        """Without the others."""
        alike = self.variances.shape[2] == 1 < len(which)
        return replace(
            self,
            designs=self.designs[which],
            reached=self.reached[which],
            counts=self.counts if self.counts.shape[-1] == 1 else self.counts[..., which],
            values=self.values[:, :, which],
            variances=self.variances if alike else self.variances[:, :, which],
            coarse=None if self.coarse is None else self.coarse.keep(which),
        )

    def strong(self, most: int) -> Indices:
        """Positions of at most so many designs of the empirical front, those with the best worst facet first."""
        if not self.values.shape[1]:  # nobody has reached a level
            return np.empty(0, dtype=np.intp)
        last = self._last()
        met = np.flatnonzero(~np.isnan(last).any(axis=0))
        front = met[maximal_columns(last[:, met])]
        return np.asarray(front[np.argsort(-last[:, front].min(axis=0), kind="stable")][:most])

    def _last(self) -> Floats:
        """(N, L): every design at its last level, in facet space."""
        return self.values[:, np.maximum(self.reached - self.first, 0), np.arange(len(self.designs))]

    def unmoved(self, before: PairTable) -> Indices:
        """The designs that are in both tables, and of which this one says nothing new."""
        if (self.coarse and self.coarse.steps) != (before.coarse and before.coarse.steps):
            return np.empty(0, dtype=np.intp)  # finer steps were seen: radii change although nobody moved
        designs, mine, theirs = np.intersect1d(self.designs, before.designs, assume_unique=True, return_indices=True)
        first = max(self.first, before.first)
        here, there = (
            table.values[:, first - table.first :, which] for table, which in ((self, mine), (before, theirs))
        )
        levels = min(here.shape[1], there.shape[1])
        here, there = here[:, :levels], there[:, :levels]
        still = ((here == there) | (np.isnan(here) & np.isnan(there))).all(axis=(0, 1))
        still &= self.reached[mine] == before.reached[theirs]
        return np.asarray(designs[still])


def _seats(designs: Indices, wanted: Indices) -> tuple[Indices | slice, Indices | slice]:
    """What `places` says; quicker where all that are wanted are there, and nobody else."""
    if len(designs) == len(wanted) and np.array_equal(designs, wanted):
        return slice(None), slice(None)
    return places(designs, wanted)


def places(designs: Indices, wanted: Indices) -> tuple[Indices, Indices]:
    """Which of `wanted` are among the ascending `designs`: their positions in `wanted`, and in `designs`."""
    if not len(designs):
        nowhere = np.empty(0, dtype=np.intp)
        return nowhere, nowhere
    place = np.minimum(np.searchsorted(designs, wanted), len(designs) - 1)
    here = np.flatnonzero(designs[place] == wanted)
    return here, place[here]
