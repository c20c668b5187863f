"""Bound the error of a difference of means where objectives differ in their kind of noise: add the radii.

Along a row w the error is the sum, over the kinds k, of the errors along w_k. Here w_k is the part of w in the
objectives of that kind. Let w weigh G kinds. Each stays below its own radius except with probability a / G. So the sum
stays below the sum of the radii except with probability a. This union bound asks for nothing about how the kinds depend
on each other. Objectives without noise add nothing (docs/adaptive, 7).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.looks import Levels
from conewise.certificate.radius import FEWEST, AtOnce, Parts, Radii
from conewise.data.observations import Statistics
from conewise.noise import ByObjective, Noise

Own = TypeVar("Own", bound=Radii, covariant=True)


@dataclass(frozen=True, eq=False)
class Member(Generic[Own]):
    """One kind of noise: its objectives, the rows that weigh them, and the radii along these rows."""

    columns: Indices
    facets: Indices
    radii: Own

    def scatters(self, scatters: Floats | None) -> Floats | None:
        """Return the scatters of its objectives, (m, d, d); None if it estimates nothing."""
        if scatters is None or not self.radii.estimates:
            return None
        return scatters[:, self.columns[:, None], self.columns]


def members_of(rows: Floats, noise: ByObjective, make: Callable[[Floats, Noise], Own]) -> tuple[Member[Own], ...]:
    """Return the kinds of a mixture, with radii along their parts of the rows."""
    found = []
    for kind in noise.kinds:
        seen = rows[:, kind.columns]
        facets = np.flatnonzero((seen != 0).any(axis=1))
        found.append(Member(kind.columns, facets, make(np.ascontiguousarray(seen[facets]), kind.noise)))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Added(Radii):
    """Sums of the radii of several kinds; a part is the share of one kind in a row."""

    members: tuple[Member[Radii], ...]
    joint: bool
    """True if "beaten" and "covered" err along any direction, which all kinds may share; False if along one row."""

    @property
    def _strictest(self) -> Radii:
        """The radii whose levels suit all kinds: sums of squares need theirs, estimates a few observations."""
        return max((each.radii for each in self.members), key=lambda own: (own.centre is not None, own.estimates))

    def __post_init__(self) -> None:
        kinds = [each.radii for each in self.members]
        settings = {
            "growth": self._strictest.growth,
            "estimates": any(own.estimates for own in kinds),
            "claim_share": min(own.claim_share for own in kinds),  # kinds share what else is spent on
            "shifted": any(own.shifted for own in kinds),
            "any_direction": all(own.any_direction for own in kinds),
            "summed": True,
        }
        for name, value in settings.items():
            object.__setattr__(self, name, value)

    # -- parts -------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> Parts:
        """The parts of each kind, kind after kind."""
        weights, anywhere = [], []
        for each in self.members:
            seen = np.zeros((len(each.facets), self.dim))
            seen[:, each.columns] = each.radii.rows
            weights.append(seen)
            anywhere.append(np.isin(np.arange(self.dim), each.columns))
        return Parts(np.concatenate(weights), np.array(anywhere))

    @cached_property
    def _facet(self) -> Indices:
        """(P,): the row of each part."""
        return np.concatenate([each.facets for each in self.members])

    @property
    def facet_of(self) -> Indices:
        """(P + W,): the row of each part, and N for parts along any direction."""
        return np.append(self._facet, np.full(len(self.members), len(self.rows)))

    @cached_property
    def _place(self) -> tuple[tuple[Member[Radii], int], ...]:
        """For each part: its kind, and its index within that kind."""
        return tuple((each, part) for each in self.members for part in range(len(each.facets)))

    def combined(self, parts: Floats) -> Floats:
        """Return sums along the rows.

        Along any unit direction, the root of the sum of squares is enough (Cauchy and Schwarz).
        """
        facets, many = len(self.rows), len(self._facet)
        total = np.zeros((facets + (len(parts) > many), *parts.shape[1:]))
        for part, facet in enumerate(self._facet):
            total[facet] += parts[part]
        if len(parts) > many:
            total[facets] = np.sqrt(np.square(parts[many:]).sum(axis=0))
        return total

    def _owned(self, out: bool) -> list[tuple[Any, float]]:
        """Return for each of the P + W parts the radii of its kind, and how many kinds share its probability."""
        everybody = float(len(self.members))
        each = np.bincount(self._facet, minlength=len(self.rows))[self._facet].astype(np.float64)
        if out and self.joint:
            each = np.full_like(each, everybody)
        along = [(owner.radii, float(share)) for (owner, _), share in zip(self._place, each, strict=True)]
        return [*along, *((owner.radii, everybody) for owner in self.members)]

    def boundaries(self, levels: Levels, anchor: float, alphas: tuple[float, ...], out: bool) -> Floats:
        """Return z of each part, by its kind and by what it may spend."""

        @cache
        def boundary(own: Radii, share: float) -> Floats:
            return own.boundary(levels, anchor, tuple(alpha / share for alpha in alphas))

        return np.array([boundary(*part) for part in self._owned(out)])

    def boundaries_alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z of each part for the average of one design, by its kind and by what it may spend."""
        along = self._owned(False)[: len(self._place)]
        return np.array([own.alone(levels, anchor, tuple(alpha / share for alpha in alphas)) for own, share in along])

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return the largest z of any part, for planning."""
        return np.asarray(self.boundaries(levels, anchor, alphas, True).max(axis=0))

    @property
    def worst(self) -> Floats | None:
        """The largest variances, kind after kind; None where one of them is unknown."""
        found = [each.radii.worst for each in self.members]
        known = [worst for worst in found if worst is not None]
        return _beside(known) if len(known) == len(found) else None

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the variances of all parts, kind after kind."""
        found = [each.radii.variances(designs, each.scatters(scatters), counts) for each in self.members]
        return np.concatenate(found, axis=1)

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the largest variance along any direction, one column for each kind: (m, W)."""
        return np.column_stack([each.radii.widest(designs, each.scatters(scatters), counts) for each in self.members])

    def schedule(self, most: float, due: float) -> Levels:
        """Return the levels of the strictest kind, from the first level on that suits all kinds."""
        levels = self._strictest.schedule(most, due)
        first = max(FEWEST if own.estimates and own.centre is None else 1 for own in (m.radii for m in self.members))
        return replace(levels, counts=tuple(count for count in levels.counts if count >= first))

    def at_last(self, levels: Levels) -> Floats:
        """Return the largest variances at the last level, kind after kind."""
        return _beside([each.radii.at_last(levels) for each in self.members])

    @property
    def centre(self) -> Floats | None:
        """The centres of all objectives; NaN for objectives whose scatters are enough."""
        centre = np.full(self.dim, np.nan)
        for each in self.members:
            if (own := each.radii.centre) is not None:
                centre[each.columns] = own
        return None if np.isnan(centre).all() else centre

    def shift(self, part: int, z: Floats, counts: Floats) -> Floats | float:
        """Return the shift of a part, or of a kind along any direction."""
        if part >= len(self._place):
            own = self.members[part - len(self._place)].radii
            return own.shift(len(own.rows), z, counts)
        each, place = self._place[part]
        return each.radii.shift(place, z, counts)

    def typical(self, pilots: Statistics) -> Floats:
        """Return a covariance matrix with one block for each kind."""
        total = np.zeros((self.dim, self.dim))
        for each in self.members:
            pooled = Radii.typical(each.radii, pilots) if each.radii.estimates else None
            block = np.ix_(each.columns, each.columns)
            total[block] = each.radii.typical(pilots) if pooled is None else pooled[block]
        return total

    def planned(self, variances: Floats) -> Floats:
        """Return variances along the rows; standard deviations of the parts of a row add up."""
        return np.square(self.combined(np.sqrt(variances.T))).T


class AddedAtOnce(Added, AtOnce):
    """Sums of radii for a single look."""

    members: tuple[Member[AtOnce], ...]

    def at_once(self, counts: Floats, log_share: float, out: bool) -> Floats:
        """Return z of each part, by its kind and by what it may spend."""
        parts = self._owned(out)
        return np.concatenate([own.at_once(counts, log_share - math.log(share), out) for own, share in parts])


def _beside(tables: list[Floats]) -> Floats:
    """Return tables side by side: (P,), or (K, P) if any of them differs between designs."""
    layers = next((len(table) for table in tables if table.ndim == 2), None)
    if layers is None:
        return np.concatenate(tables)
    return np.concatenate([np.broadcast_to(table, (layers, table.shape[-1])) for table in tables], axis=1)
