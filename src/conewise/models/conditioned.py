"""Compute the posterior covariances of one component of a prior, which do not depend on observed values.

Let A = L L' be the covariance of the averages, S their covariance with other designs and 1 a column of ones. Everything
is made of V = L^-1 S and b = L^-1 1. Objectives with the same noise share it, and so do all draws of a look.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.models.priors import Prior

_JITTER: Final = 1e-9  # relative to the diagonal
KEPT: Final = 2**24  # numbers that are kept for the next draws of the same designs: 128 megabytes


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A component S = s^2 R + tau^2 I with a common level, and n designs whose averages have these variances."""

    prior: Prior
    shape: int
    size: float
    discrepancy: float
    seen: Indices  # (n,)
    variances: Floats  # (n,): of the averages; relative to the noise where that is unknown
    level: float = np.inf  # the standard deviation of the common level beforehand; infinite where that is flat

    @cached_property
    def _factored(self) -> tuple[Floats, Floats, float]:
        from scipy.linalg import cholesky, solve_triangular

        total = self.beforehand(self.seen)
        total[np.diag_indices(len(total))] += self.variances
        factor = cholesky(total, lower=True, overwrite_a=True, check_finite=False)
        b = solve_triangular(factor, np.ones(len(self.seen)), lower=True, check_finite=False)
        return factor, b, float(b @ b)

    def whitened(self, sides: Floats, *, back: bool = False) -> Floats:
        """Return L^-1 times right hand sides, (n, ...); with `back` L'^-1 times them."""
        from scipy.linalg import solve_triangular

        if not len(self.seen):
            return sides
        factor = self._factored[0]
        return np.asarray(solve_triangular(factor, sides, lower=True, trans=1 if back else 0, check_finite=False))

    @property
    def b(self) -> Floats:
        """(n,): L^-1 1"""
        return self._factored[1]

    @property
    def weight(self) -> float:
        """The precision with which the level is known: b.b, and its precision beforehand."""
        return self._factored[2] + self.level**-2

    def beforehand(self, rows: Indices, columns: Indices | None = None) -> Floats:
        """Return the covariance before any evaluation, (rows, columns), without the level."""
        others = rows if columns is None else columns
        if self.shape < 0:
            result = np.zeros((len(rows), len(others)))
        else:
            result = self.prior.correlation(self.shape, rows, others)
            result *= self.size**2
        if columns is None:
            result[np.diag_indices(len(rows))] += self.discrepancy**2
        else:
            result[_meetings(rows, others)] += self.discrepancy**2
        return result

    def reach(self, designs: Indices) -> tuple[Floats, Floats]:
        """Return V and 1 - V'b, (n, P) and (P,), all that averages tell about some designs."""
        across = self.whitened(self.beforehand(self.seen, designs))
        return across, 1 - self.b @ across

    def covariance(self, designs: Indices, reach: tuple[Floats, Floats] | None = None) -> Floats:
        """Return posterior covariances, (P, P), to be multiplied by the noise variance where that is unknown."""
        v, left = self.reach(designs) if reach is None else reach
        result = self.beforehand(designs)
        result -= v.T @ v
        if self.weight > 0:
            result += left[:, None] * (left / self.weight)[None, :]
        return result

    def variance(self, designs: Indices, reach: tuple[Floats, Floats]) -> Floats:
        """Return posterior variances, (P,)."""
        v, left = reach
        result = np.full(len(designs), self.discrepancy**2)
        if self.shape >= 0:
            result += self.size**2 * self.prior.diagonal(self.shape, designs)
        result -= np.einsum("np,np->p", v, v)
        if self.weight > 0:
            result += left**2 / self.weight
        return np.asarray(np.maximum(result, 0.0))

    def difference(self, designs: Indices, reach: tuple[Floats, Floats], first: Indices, second: Indices) -> Floats:
        """Return posterior variances of differences of pairs, (Q,); `first` and `second` are places in `designs`."""
        v, left = reach
        moved, gone = v[:, first] - v[:, second], left[first] - left[second]
        first, second = designs[first], designs[second]
        result = 2 * self.discrepancy**2 * (first != second)
        if self.shape >= 0:
            result = result + self.size**2 * self.prior.difference(self.shape, first, second)
        result = result - np.einsum("np,np->p", moved, moved)
        if self.weight > 0:
            result += gone**2 / self.weight
        return np.asarray(np.maximum(result, 0.0))

    def joint(self, designs: Indices) -> Joint:
        """Compute all that draws of some designs need, in n^2 P and n P^2 operations."""
        reach = self.reach(designs)
        return Joint(reach, self.covariance(designs, reach))


class Exchangeable(Conditioned):
    """Independent designs: S = tau^2 I. L is diagonal, and so is a posterior covariance but for the level."""

    @cached_property
    def _factored(self) -> tuple[Floats, Floats, float]:
        factor = np.sqrt(self.discrepancy**2 + self.variances)
        return factor, 1 / factor, float((factor**-2.0).sum())

    def whitened(self, sides: Floats, *, back: bool = False) -> Floats:
        return np.asarray((sides.T / self._factored[0]).T)

    def joint(self, designs: Indices) -> Joint:
        v, left = reach = self.reach(designs)
        own = np.maximum(self.discrepancy**2 - np.einsum("np,np->p", v, v), 0.0)
        common = left / np.sqrt(self.weight) if self.weight > 0 else np.zeros(len(designs))
        return Joint(reach, np.diag(own) + np.outer(common, common), (own, common))


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint posterior of some designs, to be multiplied by the noise variance where that is unknown."""

    reach: tuple[Floats, Floats]
    covariance: Floats  # (P, P)
    apart: tuple[Floats, Floats] | None = None  # where only the level is common: own variances, shares of the level

    @cached_property
    def _factor(self) -> Floats:
        return factored(self.covariance)

    def deviations(self, count: int, rng: np.random.Generator) -> Floats:
        """Return joint draws around 0, (count, P)."""
        standard = rng.standard_normal((count, len(self.covariance)))
        if self.apart is None:
            return np.asarray(standard @ self._factor.T)
        own, common = self.apart
        standard *= np.sqrt(own)
        standard += rng.standard_normal((count, 1)) * common
        return standard


class Joints:
    """Store joint posteriors of the designs of a look while memory allows; this saves time and changes no result."""

    def __init__(self) -> None:
        self._designs: Indices | None = None
        self._kept: dict[Conditioned, Joint] = {}

    def of(self, known: Conditioned, designs: Indices) -> Joint:
        """Return `Conditioned.joint`; other designs than the last time empty the store."""
        if self._designs is not designs:
            self._designs, self._kept = designs, {}
        joint = self._kept.get(known)
        if joint is None:
            joint = known.joint(designs)
            numbers = joint.reach[0].size + 2 * joint.covariance.size
            if (len(self._kept) + 1) * numbers <= KEPT:
                self._kept[known] = joint
        return joint


def _meetings(rows: Indices, columns: Indices) -> tuple[Indices, Indices]:
    """Return where a design is both a row and a column; rows are different designs."""
    if not len(rows):
        return rows, rows
    order = np.argsort(rows, kind="stable")
    place = order[np.minimum(np.searchsorted(rows, columns, sorter=order), len(rows) - 1)]
    met = np.flatnonzero(rows[place] == columns)
    return np.asarray(place[met]), met


def factored(covariance: Floats) -> Floats:
    """Return a square root of a covariance, with the least jitter relative to the diagonal that mends rounding."""
    largest = float(np.einsum("pp->p", covariance).max(initial=0.0))
    if largest <= 0:
        return np.zeros_like(covariance)
    diagonal = np.arange(len(covariance))
    jitter = _JITTER * largest
    while True:
        lifted = covariance.copy()
        lifted[diagonal, diagonal] += jitter
        try:
            return np.asarray(np.linalg.cholesky(lifted), dtype=np.float64)
        except np.linalg.LinAlgError:
            jitter *= 100
