"""Bound the error of a difference of means, by the assumption about the noise.

A radius is z * sqrt(q_i + q_j) for most kinds of noise. Here q is the variance of a design's mean along a row (a
facet), known or estimated from the same observations. z depends on the checkpoint and on the probability that a claim
may spend. There is one class for each argument. For proofs see docs/adaptive, "Looks" (known noise) and "Noise that
nobody knows".
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.looks import GROWTH, Levels, boundaries, spending
from conewise.data.observations import Statistics
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise

FEWEST: Final = 3
"""Least number of observations from which variances are estimated."""
COARSE_GROWTH: Final = 1.25
"""Ratio of two levels where neighbouring looks get no credit for their correlation (tuned; any is valid)."""
FREE_GROWTH: Final = 2**0.125
"""Ratio of two levels where looks cost nothing (tuned, like the constants below; any is valid)."""
FOR_VARIANCE: Final = 0.1
"""Part of a claim's probability for the variance, in one look at bounded observations."""
LARGEST_ODDS: Final = 8.0
"""Value of x / (1 - x) for the largest x; see `SelfNormalised`."""
STEEPNESS: Final = 1.5
"""Ratio of the odds of one x and the next."""
CURVE: Final = 1.03, 0.12, 0.621
"""Numbers k, h, c: some x gives a bound below k sqrt(2 (v + h)) + c for any v, in units of log(1 / a) (tested)."""

_FAR: Final = -230.0  # 1e-100: no quantile of Student's t beyond this is taken from a routine
_ROUNDING: Final = 1 + 1e-9  # of a bound, far above what its logarithms lose


@dataclass(frozen=True, eq=False)
class Kind(ABC):
    """The radii of objectives with one kind of noise."""

    rows: Floats
    """(P, d): the parts of unit vectors in these objectives. Means are compared along them."""
    noise: Noise

    growth: float = field(default=GROWTH, init=False)
    """Ratio of two levels."""
    estimates: bool = field(default=True, init=False)
    """True if variances come from the observations, so that snapshots must keep scatters."""
    any_direction: bool = field(default=False, init=False)
    """True if radii hold along any one direction that is fixed beforehand, not only along rows (docs/adaptive, 3.4)."""

    @property
    def worst(self) -> Floats | None:
        """(P,) or (K, P): variances (proxies) that no design exceeds; None where nothing is known beforehand."""
        return None

    @property
    def alike(self) -> bool:
        """True if variances are known, and equal for all designs."""
        return False

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return variances of one observation along the rows, (m, P), for means of so many observations."""
        return sample_variances(self.rows, scatters, counts)

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return variances along the noisiest unit direction, (m,); infinite without `any_direction`."""
        return np.full(len(designs), np.inf)

    @abstractmethod
    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return z for one look, by the smaller count and the logarithm of what the look may spend."""

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z by level, (A, L): each look spends its share, unless a class overrides it."""
        counts = np.array(levels.counts, dtype=np.float64)
        logs = np.log(np.array(alphas))[:, None] + np.log(spending(levels, anchor))[None, :]
        return np.asarray(np.maximum.accumulate(self.quantiles(counts[None, :], logs), axis=0))

    def radius(self, part: int, z: Floats, variances: Floats, least: Floats, most: Floats) -> Floats:
        """Return radii along a row for sums of the variances of both means, and the smaller and larger count.

        A level that designs have to meet is compared like a design of infinitely many observations.
        """
        return np.asarray(z * np.sqrt(variances))

    def typical(self, pilots: Statistics) -> Floats:
        """Return an approximate covariance of one observation, (D, D); for planning, not for claims."""
        freedom = np.maximum(pilots.counts - 1, 0).sum()
        pooled = pilots.scatters.sum(axis=0) / max(int(freedom), 1)
        return np.asarray(pooled if freedom else np.eye(pilots.dim))


class KnownScale(Kind):
    """Radii for noise of known scale; only normal noise uses the joint law of the looks."""

    estimates = False
    any_direction = True

    @cached_property
    def worst(self) -> Floats:
        """(P,) or (K, P): variance (proxy) of w_n.observation."""
        w = self.rows
        if isinstance(self.noise, Gaussian):
            covariance = self.noise.covariance(w.shape[1])
            if covariance.ndim == 3:
                return np.asarray(np.maximum(np.einsum("nd,kde,ne->kn", w, covariance, w), 0.0))
        return np.asarray(self.noise.scales(w) ** 2)

    @cached_property
    def alike(self) -> bool:
        """False if every design has a covariance of its own."""
        return self.worst.ndim == 1

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the assumed variances; observations do not matter."""
        return np.broadcast_to(self.worst, (len(designs), len(self.worst))) if self.alike else self.worst[designs]

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the largest eigenvalue of the covariance, or the proxy, which holds for every direction."""
        return np.asarray(self._largest[designs] if self._largest.ndim else np.full(len(designs), self._largest))

    def typical(self, pilots: Statistics) -> Floats:
        """Return the assumed covariance; the average over the designs where they differ."""
        dim = self.rows.shape[1]
        if isinstance(self.noise, Gaussian):
            return np.asarray(self.noise.covariance(dim).reshape(-1, dim, dim).mean(axis=0))
        return float(self._largest) * np.eye(dim)

    @cached_property
    def _largest(self) -> Floats:
        dim = self.rows.shape[1]
        if isinstance(self.noise, Gaussian):
            return np.asarray(np.linalg.eigvalsh(self.noise.covariance(dim))[..., -1])
        return np.asarray(self.noise.largest_scale(dim) ** 2)

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return normal quantiles, Chernoff's bounds, or the bounds that the noise gives itself."""
        if isinstance(self.noise, Gaussian):
            from scipy.special import ndtri_exp

            return np.asarray(np.maximum(-ndtri_exp(log_shares), 0.0) + 0.0 * counts)
        if self.noise.subgaussian:
            return np.sqrt(-2 * log_shares) + 0.0 * counts
        shares, place = np.unique(log_shares, return_inverse=True)
        own = np.array([self.noise.deviation(math.exp(share)) for share in shares])
        return np.asarray(own[place].reshape(log_shares.shape) + 0.0 * counts)

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z for all looks, with credit for their correlation where noise is normal."""
        if levels.once or not isinstance(self.noise, Gaussian):
            return super().boundary(levels, anchor, alphas)
        return boundaries(levels, float(anchor), alphas)


class StudentT(Kind):
    """Normal noise of unknown covariance, one for each design: Welch's statistic has lighter tails than t.

    Its tail is below that of Student's t with min(n_i, n_j) - 1 degrees of freedom, for all variances (Mickey & Brown
    1966). Here n_i and n_j are the two sample sizes. Looks are paid for by a plain union bound.
    """

    growth = COARSE_GROWTH
    any_direction = True

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the largest eigenvalue of the sample covariance: the argument holds along any fixed direction."""
        assert scatters is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.maximum(np.linalg.eigvalsh(scatters)[:, -1], 0.0) / (counts - 1)
        return np.where(counts > 1, largest, np.inf)

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return quantiles of Student's t, with one degree of freedom fewer than observations."""
        return student_quantiles(np.maximum(counts - 1, 1.0), log_shares)


class InRange(Kind):
    """Bounded observations. Variances are scatters over counts."""

    @cached_property
    def ranges(self) -> Floats:
        """(P,): the length of the interval that holds w_n.observation."""
        return 2 * self.noise.scales(self.rows)

    @cached_property
    def worst(self) -> Floats:
        """Largest variances: a variable in an interval of length R has variance R^2 / 4 at most (Popoviciu)."""
        return np.asarray(self.ranges**2 / 4)

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return scatters over counts."""
        assert scatters is not None
        total = np.maximum(np.einsum("nd,kde,ne->kn", self.rows, scatters, self.rows), 0.0)
        return np.asarray(total / np.maximum(counts, 1.0)[:, None])


class EmpiricalBernstein(InRange):
    """Radii for one look: Bernstein's inequality with a variance bounded from the data (Maurer & Pontil 2009)."""

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return z of the main term, with what the variance leaves."""
        return np.sqrt(-2 * (log_shares + math.log(1 - FOR_VARIANCE))) + 0.0 * counts

    def radius(self, part: int, z: Floats, variances: Floats, least: Floats, most: Floats) -> Floats:
        """Return Bernstein's radii for the variance of a difference bounded from above (docs/adaptive, 7)."""
        size = self.ranges[part]
        log = z**2 / 2 + math.log(len(self.rows) * (1 - FOR_VARIANCE) / FOR_VARIANCE)
        with np.errstate(divide="ignore", invalid="ignore"):
            hidden = size**2 * log / (2 * least * (least - 1))
            seen = np.where(least > 1, variances * least / (least - 1), np.inf)
        sigma = np.minimum(np.sqrt(seen + hidden) + np.sqrt(hidden), size / 2 * np.sqrt(1 / least + 1 / most))
        return np.asarray(z * sigma + size * z**2 / (6 * least))


class SelfNormalised(InRange):
    """Radii for all looks together: a product of exponentials that pays for a sum of squares.

    Take observations X in an interval of length 1, with mean mu, a centre m that depends on earlier observations, and
    0 < x < 1:

        E exp(x (X - mu) - psi(x) (X - m)^2) <= 1,      psi(x) = -log(1 - x) - x

    (Fan, Grama & Liu 2015). The products over both designs of a pair are supermartingales. They reach 1 / a with
    probability a at most (Ville 1939). Centres are averages of earlier observations. The sum of squares around them
    exceeds the scatter by little, for any observations in any order (docs/adaptive, 7).
    """

    growth = FREE_GROWTH

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return z for all looks up to a count: z^2 / 2 is log(1 / a), with the number of x in a."""
        many = 1 + np.ceil(np.log(LARGEST_ODDS * np.sqrt(counts)) / math.log(STEEPNESS))
        return np.asarray(np.sqrt(2 * (np.log(many) - log_shares)))

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return the z that holds at all levels."""
        last = self.quantiles(np.array(float(levels.counts[-1])), np.log(np.array(alphas)))
        return np.tile(last[:, None], (1, len(levels.counts)))

    def radius(self, part: int, z: Floats, variances: Floats, least: Floats, most: Floats) -> Floats:
        """Return the bound on the error for the largest squares that fit to both scatters (docs/adaptive, 7)."""
        (k, h, c), size, log = CURVE, self.ranges[part], z**2 / 2
        scatter = variances * least**2 / size**2
        squares = scatter + 0.79 + np.log(2 + 2 * scatter) / 2
        return np.asarray(size * (k * np.sqrt(2 * log * (squares + h * log)) + c * log) / least)


def sample_variances(rows: Floats, scatters: Floats | None, counts: Floats) -> Floats:
    """Return unbiased sample variances along the rows, (m, P); infinite from a single observation."""
    assert scatters is not None
    total = np.maximum(np.einsum("nd,kde,ne->kn", rows, scatters, rows), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts[:, None] > 1, total / (counts[:, None] - 1), np.inf)


def kind_for(rows: Floats, noise: Noise, *, once: bool = False) -> Kind:
    """Return the radii of one kind of noise, for a schedule or for a sample that is looked at once."""
    if isinstance(noise, Bounded):
        return (EmpiricalBernstein if once else SelfNormalised)(rows, noise)
    return (StudentT if isinstance(noise, GaussianUnknown) else KnownScale)(rows, noise)


def student_quantiles(freedom: Floats, log_tails: Floats) -> Floats:
    """Return the number that Student's t exceeds with probability exp(log_tails); never too small, and never below 0.

    Routines for these quantiles fail at tiny probabilities: SciPy's return NaN or the wrong sign. So quantiles are
    checked against bounds from both sides, and replaced by the upper bound where they leave them. t has heavier tails
    than the normal distribution. With density c (1 + x^2 / f)^(-(f + 1) / 2), its tail is at most c f^((f - 1) / 2)
    x^-f (drop the 1). It is also at most the normal tail at sqrt((f - 1/2) log(1 + x^2 / f)) (Wallace 1959).
    """
    from scipy.special import gammaln, ndtri_exp, stdtrit

    f, logs = np.broadcast_arrays(np.asarray(freedom, dtype=np.float64), log_tails)
    normal = np.maximum(-ndtri_exp(logs), 0.0)
    density = gammaln((f + 1) / 2) - gammaln(f / 2) - 0.5 * np.log(f * np.pi)
    with np.errstate(over="ignore"):
        light = np.sqrt(f * np.expm1(normal**2 / (f - 0.5)))
        heavy = np.exp((density + (f - 1) / 2 * np.log(f) - logs) / f)
    above = np.minimum(light, heavy) * _ROUNDING
    found = np.maximum(-stdtrit(f, np.exp(logs)), 0.0)
    return np.asarray(np.where((logs > _FAR) & (found >= normal) & (found <= above), found, above))
