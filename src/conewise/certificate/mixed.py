"""Bound the error of a difference of means as a sum over the kinds of noise of the objectives.

Along a row w the error is the sum, over the kinds k, of the errors along w_k. Here w_k is the part of w in the
objectives of that kind. Let w weigh G kinds. Each stays below its own radius except with probability a / G. So the sum
stays below the sum of the radii except with probability a. This union bound asks for nothing about how the kinds depend
on each other. Objectives without noise add nothing (docs/adaptive, 7). One kind of noise is a sum of one term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.looks import Levels
from conewise.certificate.radii import FEWEST, Kind, kind_for
from conewise.data.observations import Statistics
from conewise.noise import Noise
from conewise.noise.mixed import kinds_of


@dataclass(frozen=True, eq=False)
class Member:
    """One kind of noise: its objectives, the rows that weigh them, and the radii along these rows."""

    columns: Indices
    facets: Indices
    kind: Kind

    def scatters(self, scatters: Floats | None) -> Floats | None:
        """Return the scatters of its objectives, (m, d, d); None if it estimates nothing."""
        if scatters is None or not self.kind.estimates:
            return None
        return scatters[:, self.columns[:, None], self.columns]


@dataclass(frozen=True, eq=False)
class Radii:
    """Sums of the radii of all kinds; a *part* is the share of one kind in a row.

    The P parts along rows come kind after kind. W more parts follow: each kind along any unit direction.
    """

    rows: Floats
    """(N, D): unit vectors along which means are compared."""
    noise: Noise
    members: tuple[Member, ...]
    joint: bool = True
    """True if "beaten" and "covered" err along any direction, which all kinds may share; False if along one row."""

    @classmethod
    def of(cls, rows: Floats, noise: Noise, *, joint: bool = True, once: bool = False) -> Radii:
        """Return the radii that fit an assumption, for a schedule or for a sample that is looked at once."""
        found = []
        for each in kinds_of(noise, rows.shape[1]):
            seen = rows[:, each.columns]
            facets = np.flatnonzero((seen != 0).any(axis=1))
            kind = kind_for(np.ascontiguousarray(seen[facets]), each.noise, once=once)
            found.append(Member(each.columns, facets, kind))
        return cls(rows, noise, tuple(found), joint)

    def of_one(self, objective: int) -> Radii | None:
        """Return the radii of one objective by itself; None where it has no noise."""
        for each in self.members:
            if objective in each.columns:
                own = Member(np.zeros(1, dtype=np.intp), np.arange(len(each.facets)), each.kind)
                return Radii(each.kind.rows, each.kind.noise, (own,), self.joint)
        return None

    @property
    def dim(self) -> int:
        """The number of objectives."""
        return int(self.rows.shape[1])

    @cached_property
    def growth(self) -> float:
        """Ratio of two levels."""
        return max(each.kind.growth for each in self.members)

    @cached_property
    def estimates(self) -> bool:
        """True if variances come from the observations, so that snapshots must keep scatters."""
        return any(each.kind.estimates for each in self.members)

    @cached_property
    def any_direction(self) -> bool:
        """True if radii hold along any one direction that is fixed beforehand (docs/adaptive, 3.4)."""
        return all(each.kind.any_direction for each in self.members)

    @cached_property
    def alike(self) -> bool:
        """True if variances are known, and equal for all designs."""
        return all(each.kind.alike for each in self.members)

    # -- parts -------------------------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> Floats:
        """(P, D): how a part weighs the objectives."""
        found = []
        for each in self.members:
            found.append(np.zeros((len(each.facets), self.dim)))
            found[-1][:, each.columns] = each.kind.rows
        return np.concatenate(found)

    @cached_property
    def anywhere(self) -> Bools:
        """(W, D): True for the objectives in a part along any unit direction."""
        return np.array([np.isin(np.arange(self.dim), each.columns) for each in self.members])

    @cached_property
    def facet_of(self) -> Indices:
        """(P + W,): the row of each part, and N for those along any direction."""
        along = [each.facets for each in self.members]
        return np.concatenate([*along, np.full(len(self.members), len(self.rows))])

    @cached_property
    def _place(self) -> tuple[tuple[Kind, int], ...]:
        """The kind of each part, and its place within that kind."""
        return tuple((each.kind, part) for each in self.members for part in range(len(each.facets)))

    def combined(self, parts: Floats) -> Floats:
        """Return radii (N or N + 1, ...) from their parts, (P, ...), or (P + W, ...) with those along any direction.

        Along any unit direction, the root of the sum of squares is enough (Cauchy and Schwarz).
        """
        if len(self.members) == 1 and len(self._place) == len(self.rows):
            return parts
        facets, many = len(self.rows), len(self._place)
        total = np.zeros((facets + (len(parts) > many), *parts.shape[1:]))
        for facet, part in zip(self.facet_of[:many], parts[:many], strict=True):
            total[facet] += part
        if len(parts) > many:
            total[facets] = np.sqrt(np.square(parts[many:]).sum(axis=0))
        return total

    def boundaries(self, levels: Levels, anchor: float, alphas: tuple[float, ...], out: bool) -> Floats:
        """Return z of each part by level, (P + W, A, L); `out` for "beaten" and "covered", else for "fine".

        Each kind has the same share of the probability, of all kinds or of those that a row weighs.
        """

        @cache
        def boundary(kind: Kind, share: float) -> Floats:
            return kind.boundary(levels, anchor, tuple(alpha / share for alpha in alphas))

        along = self.facet_of[: len(self._place)]
        each = np.bincount(along)[along].tolist() if not (out and self.joint) else [len(self.members)] * len(along)
        z = [boundary(kind, share) for (kind, _), share in zip(self._place, each, strict=True)]
        return np.array([*z, *(boundary(own.kind, len(self.members)) for own in self.members)])

    def radius(self, part: int, z: Floats, variances: Floats, least: Floats, most: Floats) -> Floats:
        """Return radii of a part for sums of the variances of both means, and the smaller and larger count."""
        if part >= len(self._place):
            return np.asarray(z * np.sqrt(variances))
        kind, place = self._place[part]
        return kind.radius(place, z, variances, least, most)

    # -- variances ---------------------------------------------------------------------------------------------

    @cached_property
    def worst(self) -> Floats | None:
        """(P,) or (K, P): variances (proxies) that no design exceeds; None where one of them is unknown."""
        known = [worst for each in self.members if (worst := each.kind.worst) is not None]
        if len(known) < len(self.members):
            return None
        layers = np.broadcast_shapes(*(worst.shape[:-1] for worst in known))
        return np.concatenate([np.broadcast_to(worst, (*layers, worst.shape[-1])) for worst in known], axis=-1)

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return variances of one observation along the parts, (m, P), for means of so many observations."""
        found = [each.kind.variances(designs, each.scatters(scatters), counts) for each in self.members]
        return np.concatenate(found, axis=1)

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the largest variance along any direction, one column for each kind: (m, W)."""
        return np.column_stack([each.kind.widest(designs, each.scatters(scatters), counts) for each in self.members])

    # -- planning ----------------------------------------------------------------------------------------------

    def schedule(self, most: float, due: float) -> Levels:
        """Return levels until `most` is passed; `due` is the count at which near-ties are decided."""
        return Levels.up_to(most, due=due, growth=self.growth, least=FEWEST if self.estimates else 1)

    def typical(self, pilots: Statistics) -> Floats:
        """Return an approximate covariance of one observation, with one block for each kind; not for claims."""
        total = np.zeros((pilots.dim, pilots.dim))
        for each in self.members:
            block, own = np.ix_(each.columns, each.columns), each.kind.typical(pilots)
            total[block] = own[block] if each.kind.estimates else own
        return total

    def largest(self, z: Floats, count: int, designs: int) -> Floats:
        """Return the largest possible radii along the rows, (N,), of so many designs of one count; z (P, ...)."""
        worst, least = self.worst, np.array(float(count))
        assert worst is not None
        variances = designs * worst.reshape(-1, worst.shape[-1]).max(axis=0) / count
        most = least if designs == 2 else np.array(np.inf)
        return self.combined(np.array([self.radius(p, z[p], v, least, most) for p, v in enumerate(variances)]))

    def planned(self, variances: Floats) -> Floats:
        """Return variances along the rows, (m, N), from those of the parts; standard deviations add up."""
        return np.square(self.combined(np.sqrt(variances.T))).T
