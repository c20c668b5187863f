"""Bound averages of designs that share blocks, by the assumption about each objective (docs/blocks, sections 4 to 8).

An objective is bounded, normal or known. Along a direction w the mean is the sum of the means in the bounded, the
normal and the known objectives. Let w weigh G noisy kinds. Each stays above its own lower bound except with probability
a / G. So the mean stays above the sum of the bounds except with probability a, however the kinds depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.wagers import HAIR, lower_bounds, stakes_for
from conewise.data.observations import Statistics
from conewise.errors import InputError
from conewise.noise import Bounded, ByObjective, Gaussian, GaussianUnknown, Noise


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of D objectives: in a range, with normal differences, or without noise."""

    noise: Noise
    """The assumption about differences: normal noise counts as normal with an unknown covariance."""
    bounded: Indices
    normal: Indices
    known: Indices
    low: Floats
    """(D,): the least value of an objective; minus infinity where nothing limits it."""
    high: Floats

    @classmethod
    def of(cls, noise: Noise, dim: int) -> Kinds:
        """Return the kinds of an assumption; refuse objectives of any other kind."""
        each = [noise.of_one(d, dim) for d in range(dim)]
        for d, own in enumerate(each):
            if not own.noiseless and not isinstance(own, Bounded | Gaussian | GaussianUnknown):
                where = f" in objective {d + 1}" if isinstance(noise, ByObjective) else ""
                raise InputError(
                    "designs are compared block by block for bounded observations (noise.Bounded, 0/1 among them), "
                    "for normal differences (noise.GaussianUnknown) and for known values (noise.Known), got "
                    f"{own.words}{where}; give every objective a range, or leave the noise out."
                )
        low, high = np.full(dim, -np.inf), np.full(dim, np.inf)
        for d, own in enumerate(each):
            if isinstance(own, Bounded):
                low[d], high[d] = own.low.item(), own.high.item()
        bounded, known = np.isfinite(low), np.array([own.noiseless for own in each])
        counts: Noise = noise.of_each(_of_differences) if isinstance(noise, ByObjective) else _of_differences(noise)
        normal = ~(bounded | known)
        return cls(counts, np.flatnonzero(bounded), np.flatnonzero(normal), np.flatnonzero(known), low, high)

    @property
    def several(self) -> bool:
        """True if objectives differ, so that bounds of gains are sums over the kinds."""
        return len(self.known) > 0 or (len(self.bounded) > 0 and len(self.normal) > 0)

    def given(self, values: Floats) -> Floats:
        """Return the values of objectives without noise, (K, known); NaN where a design has not read a block."""
        part = values[:, :, self.known]
        seen = np.where(np.isnan(part), -np.inf, part).max(axis=1, initial=-np.inf)
        return np.asarray(np.where(np.isinf(seen), np.nan, seen))

    def averages(self, values: Floats, statistics: Statistics) -> Floats:
        """Return means, (K, D); objectives without noise have the exact value, not an average of roundings."""
        means = statistics.means.copy()
        if len(self.known):
            means[:, self.known] = self.given(values)
        return means

    def misfit(self, values: Floats) -> Bools:
        """Return where values (..., D) lie outside of the ranges."""
        with np.errstate(invalid="ignore"):
            return np.asarray((values < self.low) | (values > self.high))


@dataclass(frozen=True, eq=False)
class Rows:
    """Lower bounds along directions (R, D): of gains of one design over another, or of averages of one design."""

    weights: Floats
    kinds: Kinds
    blocks: int
    """The number of blocks for which stakes are chosen."""
    population: int | None
    looks: int
    """Number of looks at normal values that share a probability."""
    scale: float = 1.0
    """Factor of every radius. Anything but 1 voids the proof (for negative controls)."""
    aside: int = 0
    """Number of first blocks on which nothing is bet: what they show is known (docs/blocks, section 9)."""

    @property
    def rest(self) -> int | None:
        """Number of blocks of the population that are bet on."""
        return None if self.population is None else self.population - self.aside

    @cached_property
    def stakes(self) -> Floats:
        """The stakes of bets."""
        return stakes_for(self.blocks)

    @cached_property
    def noisy(self) -> Indices:
        """(R,): number of noisy kinds that a direction weighs."""
        weighs = [(self.weights[:, columns] != 0).any(axis=1) for columns in (self.kinds.bounded, self.kinds.normal)]
        return np.asarray(np.sum(weighs, axis=0, dtype=np.intp))

    @cached_property
    def reach(self) -> Floats:
        """(R,): the largest difference of two designs in the bounded objectives."""
        columns = self.kinds.bounded
        return np.asarray(np.abs(self.weights[:, columns]) @ (self.kinds.high - self.kinds.low)[columns])

    @property
    def hair(self) -> Floats:
        """(R,): what is taken off a bound that a mean may equal, so that the mean is above it."""
        return HAIR * self.reach

    def needed(self, shares: Floats) -> Floats:
        """Return the logarithm of the wealth with which bets are won, for these probabilities."""
        with np.errstate(divide="ignore"):
            return np.asarray(-(self.scale**2) * np.log(shares))

    def by_bets(self, values: Floats, shares: Floats, *, alone: bool = False) -> Floats:
        """Return what the bounded objectives add, (P, R, A), for probabilities that broadcast to it (sections 4 and 8).

        Values (P, T, D) are differences of pairs, or with `alone` those of single designs; NaN where one is missing.
        The mean may equal a bound.
        """
        columns, found = self.kinds.bounded, np.zeros((len(values), len(self.weights), shares.shape[-1]))
        part = 1.0 if self.population is None else 1 - self.aside / self.population
        rows, low, high = self.weights[:, columns], self.kinds.low[columns], self.kinds.high[columns]
        reach = self.reach / (1 + alone)
        if len(here := np.flatnonzero(reach)):
            centre = rows[here] @ (low + high) / 2 * alone
            along = values[:, :, columns] @ rows[here].T
            scaled = (along[:, self.aside :] - centre) / reach[here]
            needed = self.needed(np.broadcast_to(shares / np.maximum(self.noisy, 1)[:, None], found.shape)[:, here])
            bounds = lower_bounds(scaled, needed, self.stakes, self.rest) * reach[here, None] + centre[:, None]
            known = along[:, : self.aside].sum(axis=1) / (self.population or 1)
            found[:, here] = known[:, :, None] + part * bounds
        return found

    def others(self, values: Floats, steps: Floats, shares: Floats) -> Floats:
        """Return what normal and known objectives add to gains: (K, K, R, A), row i for the gains over design i.

        Values are (K, T, D), recorded in these steps (D,). Probabilities broadcast to (K, K, R, A) (docs/blocks,
        sections 5 and 8).
        """
        columns, rows = self.kinds.normal, self.weights[:, self.kinds.normal]
        offered = self.kinds.given(values) @ self.weights[:, self.kinds.known].T
        found = np.repeat((offered[None, :, :] - offered[:, None, :])[..., None], shares.shape[-1], axis=3)
        if len(columns):
            seen = Differences.of(values[:, :, columns], rows, steps[columns], self.population)
            part = shares / np.maximum(self.noisy, 1)[:, None] / self.looks
            radii = np.stack([seen.radii(part[..., a], self.scale)[0] for a in range(part.shape[-1])], axis=3)
            found += np.where((rows != 0).any(axis=1)[:, None], seen.gains[..., None] - radii, 0.0)
        found[np.isnan(found)] = -np.inf
        return found

    def others_alone(self, values: Floats, steps: Floats, shares: Floats) -> Floats:
        """Return what normal and known objectives add to averages of single designs, (K, R, A)."""
        origin = np.zeros((1, *values.shape[1:]))  # the gain over a design that is 0 on every block
        return self.others(np.concatenate([origin, values]), steps, shares)[0, 1:]


def _of_differences(noise: Noise) -> Noise:
    """Return the assumption about a difference on one block, which the size of single values does not give."""
    return GaussianUnknown() if isinstance(noise, Gaussian) else noise
