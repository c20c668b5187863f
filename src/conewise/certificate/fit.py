"""Check that observations fit the assumption about their noise, and refuse those with which no claim would hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.data.observations import Observations, Statistics
from conewise.errors import InputError
from conewise.noise import Bounded, ByObjective, GaussianUnknown, Noise
from conewise.noise.mixed import kinds_of

_SAME: Final = 1e-12  # relative: averages of equal values differ by roundings


@dataclass(frozen=True, eq=False)
class Limits:
    """The ranges in which values must lie."""

    low: Floats
    high: Floats
    two_valued: Bools
    """(D,): True where a single evaluation must be at one end of the range."""

    @classmethod
    def of(cls, noise: Noise, dim: int) -> Limits | None:
        """Return the limits of an assumption; None where it has none."""
        low, high, two = np.full(dim, -np.inf), np.full(dim, np.inf), np.zeros(dim, dtype=bool)
        for kind in kinds_of(noise, dim):
            if isinstance(own := kind.noise, Bounded):
                low[kind.columns], high[kind.columns], two[kind.columns] = own.low, own.high, own.two_valued
        return cls(low, high, two) if np.isfinite(low).any() else None

    def misfits(self, observations: Observations) -> Bools:
        """Return where values are outside their range, or single evaluations between two values: (M, D)."""
        values = observations.means
        between = self.two_valued & (values != self.low) & (values != self.high)
        return np.asarray((values < self.low) | (values > self.high) | (between & (observations.counts == 1)[:, None]))


def needs_scatters(noise: Noise) -> bool:
    """Return True if radii need an estimate of how much evaluations vary."""
    return any(isinstance(kind.noise, GaussianUnknown | Bounded) for kind in kinds_of(noise, 1))


def check_fit(observations: Observations, noise: Noise) -> None:
    """Refuse observations that contradict the assumption, or that do not show what has to be estimated."""
    if not needs_scatters(noise):
        return
    # Scatters that were not given are one shared 0, which has no strides; a sample that really is constant has its own.
    if (observations.counts > 1).any() and not any(observations.scatters.strides):
        raise InputError(
            "an entry sums up several evaluations without their scatter, so nothing shows how large the noise is: pass "
            "scatters, or tell every evaluation, or assume a size (Gaussian(sigma))."
        )
    check_range(observations, noise)


def check_range(observations: Observations, noise: Noise) -> None:
    """Refuse values outside the range that an assumption gives."""
    limits = Limits.of(noise, observations.means.shape[1])
    if limits is None or not (misfit := np.argwhere(limits.misfits(observations))).size:
        return
    entry, d = misfit[0]
    value = observations.means[entry, d]
    if limits.low[d] <= value <= limits.high[d]:
        raise InputError(
            f"a value of {value:g} came, but the noise assumes {limits.low[d]:g} or {limits.high[d]:g} and nothing "
            "between: give the range (Bounded(low, high)) if that is what it is."
        )
    raise InputError(
        f"a value of {value:g} came, outside of {limits.low[d]:g} to {limits.high[d]:g}, the range that the noise "
        "assumes: give the true range."
    )


def check_possible(observations: Observations, noise: Noise, before: Statistics) -> None:
    """Refuse values that an assumption of a known size rules out, because no guarantee would apply to them."""
    before.check(observations)
    check_range(observations, noise)
    check_exact(observations, noise, lambda: before)


def check_exact(observations: Observations, noise: Noise, before: Callable[[], Statistics]) -> None:
    """Refuse another value of an objective without noise than the one that a design had before."""
    if not isinstance(noise, ByObjective) or not noise.exact.any() or not len(observations):
        return
    check_constant(observations, np.flatnonzero(noise.exact), before())


def check_constant(observations: Observations, columns: Indices, before: Statistics, first: int = 0) -> None:
    """Refuse other values of these objectives than a design had before; messages count objectives from `first`."""
    if not len(observations):
        return
    designs, at_first, group = np.unique(observations.designs, return_index=True, return_inverse=True)
    part = before.of(designs)
    told = observations.means[at_first][:, columns]
    known = np.where((part.counts > 0)[:, None], part.means[:, columns], told)[group]
    values = observations.means[:, columns]
    scatters = np.diagonal(observations.scatters, axis1=1, axis2=2)[:, columns]
    scale = np.maximum(np.abs(known), np.abs(values))
    off = (np.abs(values - known) > _SAME * scale) | (scatters > observations.counts[:, None] * (_SAME * scale) ** 2)
    if off.any():
        entry, at = np.argwhere(off)[0]
        one, other = f"{known[entry, at]:g}", f"{values[entry, at]:g}"
        found = f"varies around {one}" if one == other else f"is {one} and {other}"
        raise InputError(
            f"objective {first + columns[at] + 1} of design {observations.designs[entry]} {found}, although it is "
            "declared to have no noise: give the right value, or assume a noise."
        )
