"""Sort the objectives of designs that share blocks by the assumption about their noise (docs/blocks, section 8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise.border import Bools, Floats, Indices
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
        if not len(self.known):
            return statistics.means
        means, given = statistics.means.copy(), self.given(values)
        means[:, self.known] = np.where(np.isnan(given), means[:, self.known], given)
        return means

    def misfit(self, values: Floats) -> Bools:
        """Return where values (..., D) lie outside of the ranges."""
        with np.errstate(invalid="ignore"):
            return np.asarray((values < self.low) | (values > self.high))


def _of_differences(noise: Noise) -> Noise:
    """Return the assumption about a difference on one block, which the size of single values does not give."""
    return GaussianUnknown() if isinstance(noise, Gaussian) else noise
