"""Bound the error of a difference of means along the facets, by the assumption about the noise.

A radius is z * sqrt(q_i + q_j) + shift. Here q is the variance of a design's mean along a facet, known or estimated
from the same observations. z and the shift depend on the level and on the probability that a claim may spend. There is
one class for each argument. For proofs see docs/adaptive, "Looks" (known noise) and "Noise that nobody knows".
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.bounded import AnytimeBernstein, EmpiricalBernstein
from conewise.certificate.looks import Levels, boundaries
from conewise.certificate.mixed import Added, AddedAtOnce, members_of
from conewise.certificate.radius import PerLook, Radii, sample_variances
from conewise.data.observations import Statistics
from conewise.noise import Bounded, ByObjective, Gaussian, GaussianUnknown, Noise

COARSE_GROWTH: Final = 1.25
"""Ratio of two levels where neighbouring looks get no credit for their correlation (tuned; any is valid)."""

_FAR: Final = -230.0  # 1e-100: no quantile of Student's t beyond this is taken from a routine
_ROUNDING: Final = 1 + 1e-9  # of a bound, far above what its logarithms lose


class KnownScale(PerLook):
    """Radii for noise of known scale; only normal noise uses the joint law of the looks."""

    any_direction = True

    @cached_property
    def worst(self) -> Floats:
        """(N,) or (K, N): variance (proxy) of w_n.observation."""
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
        dim = self.dim
        if isinstance(self.noise, Gaussian):
            return np.asarray(self.noise.covariance(dim).reshape(-1, dim, dim).mean(axis=0))
        return float(self._largest) * np.eye(dim)

    @cached_property
    def _largest(self) -> Floats:
        if isinstance(self.noise, Gaussian):
            return np.asarray(np.linalg.eigvalsh(self.noise.covariance(self.rows.shape[1]))[..., -1])
        return np.asarray(self.noise.largest_scale(self.dim) ** 2)

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
        if not self.noise.subgaussian:
            return super().boundary(levels, anchor, alphas)
        return boundaries(levels, float(anchor), alphas, isinstance(self.noise, Gaussian))


class StudentT(PerLook):
    """Normal noise of unknown covariance, one for each design: Welch's statistic has lighter tails than t.

    Its tail is below that of Student's t with min(n_i, n_j) - 1 degrees of freedom, for all variances (Mickey & Brown
    1966). Here n_i and n_j are the two sample sizes. Looks are paid for by a plain union bound.
    """

    growth = COARSE_GROWTH
    estimates = True
    any_direction = True

    @property
    def worst(self) -> None:
        """None: no bound is given beforehand."""
        return

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return unbiased sample variances; infinite from a single observation."""
        return sample_variances(self.rows, scatters, counts)

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return the largest eigenvalue of the sample covariance: the argument holds along any fixed direction."""
        assert scatters is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.maximum(np.linalg.eigvalsh(scatters)[:, -1], 0.0) / (counts - 1)
        return np.where(counts > 1, largest, np.inf)

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return quantiles of Student's t, with one degree of freedom fewer than observations."""
        return student_quantiles(np.maximum(counts - 1, 1.0), log_shares)


def radii_for(
    rows: Floats, noise: Noise, n_designs: int, delta: float, *, joint: bool = True, once: bool = False
) -> Radii:
    """Return the radii that fit an assumption, for a schedule or for a sample that is looked at once.

    `joint` is explained in `Added`.
    """
    if isinstance(noise, ByObjective):
        # At one look, bounds on variances share what one kind spends on them (docs/adaptive, 8).
        each = delta / max(1, sum(isinstance(kind.noise, Bounded) for kind in noise.kinds)) if once else delta
        members = members_of(rows, noise, lambda part, kind: radii_for(part, kind, n_designs, each, once=once))
        return (AddedAtOnce if once else Added)(rows, noise, n_designs, delta, members, joint)
    if isinstance(noise, Bounded):
        return (EmpiricalBernstein if once else AnytimeBernstein)(rows, noise, n_designs, delta)
    return (StudentT if isinstance(noise, GaussianUnknown) else KnownScale)(rows, noise, n_designs, delta)


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
