"""One component of a prior, given where evaluations were made: all that does not depend on what they found.

With A = L L' the covariance of the averages, S their covariance with other designs and 1 a column of ones, everything
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
_KEPT: Final = 2**24  # numbers that are kept for the next draws of the same designs: 128 megabytes


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A component S = s^2 R + tau^2 I with a common level, and n designs whose averages have these variances."""

    prior: Prior
    shape: int
    size: float
    discrepancy: float
    seen: Indices
    """(n,)"""
    variances: Floats
    """(n,): of the averages; relative to the noise where that is unknown."""
    level: float = np.inf
    """The standard deviation of the common level beforehand; infinite where that is flat."""

    @cached_property
    def _factored(self) -> tuple[Floats, Floats, float]:
        from scipy.linalg import cholesky, solve_triangular

        total = self.beforehand(self.seen)
        total[np.diag_indices(len(total))] += self.variances
        factor = cholesky(total, lower=True, overwrite_a=True, check_finite=False)
        b = solve_triangular(factor, np.ones(len(self.seen)), lower=True, check_finite=False)
        return factor, b, float(b @ b)

    def whitened(self, sides: Floats, *, back: bool = False) -> Floats:
        """(n, ...): L^-1 times right hand sides; `back`: L'^-1."""
        from scipy.linalg import solve_triangular

        if not len(self.seen):
            return sides
        return np.asarray(
            solve_triangular(self._factored[0], sides, lower=True, trans=1 if back else 0, check_finite=False)
        )

    @property
    def b(self) -> Floats:
        """(n,): L^-1 1"""
        return self._factored[1]

    @property
    def weight(self) -> float:
        """The precision with which the level is known: b.b, and what was known beforehand."""
        return self._factored[2] + self.level**-2

    def beforehand(self, rows: Indices, columns: Indices | None = None) -> Floats:
        """(rows, columns): the covariance before any evaluation, the level aside."""
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
        """(n, P) and (P,): V and 1 - V'b, all that averages say about some designs."""
        across = self.whitened(self.beforehand(self.seen, designs))
        return across, 1 - self.b @ across

    def covariance(
        self, rows: Indices, columns: Indices | None = None, reaches: tuple[tuple[Floats, Floats], ...] | None = None
    ) -> Floats:
        """(P, Q): posterior covariances, to be multiplied by the noise variance where that is unknown."""
        if reaches is None:
            first = self.reach(rows)
            reaches = (first, first if columns is None else self.reach(columns))
        (v, left), (u, right) = reaches
        result = self.beforehand(rows, columns)
        result -= v.T @ u
        if self.weight > 0:
            result += left[:, None] * (right / self.weight)[None, :]
        return result

    def variance(self, designs: Indices, reach: tuple[Floats, Floats]) -> Floats:
        """(P,): posterior variances alone."""
        v, left = reach
        result = np.full(len(designs), self.discrepancy**2)
        if self.shape >= 0:
            result += self.size**2 * self.prior.diagonal(self.shape, designs)
        result -= np.einsum("np,np->p", v, v)
        if self.weight > 0:
            result += left**2 / self.weight
        return np.asarray(np.maximum(result, 0.0))

    def difference(self, first: Indices, second: Indices, moved: Floats, gone: Floats) -> Floats:
        """(P,): variances of differences of pairs of designs, from the differences of what `reach` says of them."""
        result = 2 * self.discrepancy**2 * (first != second)
        if self.shape >= 0:
            result = result + self.size**2 * self.prior.difference(self.shape, first, second)
        result = result - np.einsum("np,np->p", moved, moved)
        if self.weight > 0:
            result += gone**2 / self.weight
        return np.asarray(np.maximum(result, 0.0))

    def joint(self, designs: Indices) -> Joint:
        """All that draws of some designs need: n^2 P and n P^2 operations."""
        reach = self.reach(designs)
        return Joint(reach, self.covariance(designs, None, (reach, reach)))


class Exchangeable(Conditioned):
    """Independent designs: S = tau^2 I. L is diagonal, and so is a posterior covariance but for the level."""

    @cached_property
    def _factored(self) -> tuple[Floats, Floats, float]:
        factor = np.sqrt(self.discrepancy**2 + self.variances)
        return factor, 1 / factor, float((factor**-2.0).sum())

    def whitened(self, sides: Floats, *, back: bool = False) -> Floats:
        """(n, ...): right hand sides, each row divided."""
        return np.asarray((sides.T / self._factored[0]).T)

    def joint(self, designs: Indices) -> Joint:
        """As above, at the cost of n P."""
        v, left = reach = self.reach(designs)
        own = np.maximum(self.discrepancy**2 - np.einsum("np,np->p", v, v), 0.0)
        common = left / np.sqrt(self.weight) if self.weight > 0 else np.zeros(len(designs))
        return Joint(reach, np.diag(own) + np.outer(common, common), (own, common))


@dataclass(frozen=True, eq=False)
class Joint:
    """What a component says of some designs together, to be multiplied by the noise's size where that is unknown."""

    reach: tuple[Floats, Floats]
    covariance: Floats
    """(P, P)"""
    apart: tuple[Floats, Floats] | None = None
    """(P,) twice, where only the level is common: the variance of each design by itself, and its share of the level."""

    @cached_property
    def _factor(self) -> Floats:
        return factored(self.covariance)

    def deviations(self, count: int, rng: np.random.Generator) -> Floats:
        """(count, P): joint draws around 0."""
        standard = rng.standard_normal((count, len(self.covariance)))
        if self.apart is None:
            return np.asarray(standard @ self._factor.T)
        own, common = self.apart
        standard *= np.sqrt(own)
        standard += rng.standard_normal((count, 1)) * common
        return standard


class Joints:
    """What was worked out for the designs of a look, as far as memory goes: saves time, changes nothing."""

    def __init__(self) -> None:
        self._designs: Indices | None = None
        self._kept: dict[Conditioned, Joint] = {}

    def of(self, known: Conditioned, designs: Indices) -> Joint:
        """As `Conditioned.joint`; other designs than the last time are a new beginning."""
        if self._designs is not designs:
            self._designs, self._kept = designs, {}
        joint = self._kept.get(known)
        if joint is None:
            joint = known.joint(designs)
            numbers = joint.reach[0].size + 2 * joint.covariance.size
            if (len(self._kept) + 1) * numbers <= _KEPT:
                self._kept[known] = joint
        return joint


def _meetings(rows: Indices, columns: Indices) -> tuple[Indices, Indices]:
    """Where a design is both a row and a column; rows are different designs."""
    if not len(rows):
        return rows, rows
    order = np.argsort(rows, kind="stable")
    place = order[np.minimum(np.searchsorted(rows, columns, sorter=order), len(rows) - 1)]
    met = np.flatnonzero(rows[place] == columns)
    return np.asarray(place[met]), met


def factored(covariance: Floats) -> Floats:
    """A square root of a covariance; rounding is mended by a jitter relative to the diagonal, as little as it takes."""
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
