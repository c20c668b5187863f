"""How far a difference of means may err along the facets, by what is assumed of the noise.

A radius is z * sqrt(q_i + q_j) + shift: q is the variance of a design's mean along a facet, known or estimated from the
same observations; z and the shift depend on the level and on the probability that a claim may spend. One class an
argument; docs/adaptive, "Looks" (known noise) and "Noise that nobody knows" have the proofs.
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
    """Normal noise of known covariance, with the joint law of the looks; or any other of known scale, without."""

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
        """Unless every design has a covariance of its own."""
        return self.worst.ndim == 1

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """What is assumed, whatever was seen."""
        return np.broadcast_to(self.worst, (len(designs), len(self.worst))) if self.alike else self.worst[designs]

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """The largest eigenvalue of the covariance, or the proxy of every direction."""
        return np.asarray(self._largest[designs] if self._largest.ndim else np.full(len(designs), self._largest))

    def typical(self, pilots: Statistics) -> Floats:
        """What is assumed; the average of the designs where they differ."""
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
        """Of the normal distribution, Chernoff's, or what the noise says of itself."""
        if isinstance(self.noise, Gaussian):
            from scipy.special import ndtri_exp

            return np.asarray(np.maximum(-ndtri_exp(log_shares), 0.0) + 0.0 * counts)
        if self.noise.subgaussian:
            return np.sqrt(-2 * log_shares) + 0.0 * counts
        shares, place = np.unique(log_shares, return_inverse=True)
        own = np.array([self.noise.deviation(math.exp(share)) for share in shares])
        return np.asarray(own[place].reshape(log_shares.shape) + 0.0 * counts)

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """With credit for correlated looks where noise is normal."""
        if not self.noise.subgaussian:
            return super().boundary(levels, anchor, alphas)
        return boundaries(levels, float(anchor), alphas, isinstance(self.noise, Gaussian))


class StudentT(PerLook):
    """Normal noise of unknown covariance, one for each design: Welch's statistic has lighter tails than t.

    With sample variances from n_i and n_j observations its tail is below that of Student's t with min(n_i, n_j) - 1
    degrees of freedom, whatever the variances (Mickey & Brown 1966). Looks are paid for by a plain union bound.
    """

    growth = COARSE_GROWTH
    estimates = True
    any_direction = True

    @property
    def worst(self) -> None:
        """Nothing is known beforehand."""
        return

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Unbiased sample variances; infinite from a single observation."""
        return sample_variances(self.rows, scatters, counts)

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """The largest eigenvalue of the sample covariance: along any fixed direction the argument is the same."""
        assert scatters is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.maximum(np.linalg.eigvalsh(scatters)[:, -1], 0.0) / (counts - 1)
        return np.where(counts > 1, largest, np.inf)

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Of Student's t, with one degree of freedom fewer than observations."""
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
    """What Student's t exceeds with probability exp(log_tails); never too small, and never below 0.

    Routines for these quantiles fail at tiny probabilities, SciPy's with NaN or with the wrong sign, so they are held
    against bounds from both sides and replaced by the upper one where they leave them. t has heavier tails than the
    normal distribution; with density c (1 + x^2 / f)^(-(f + 1) / 2), its tail is at most c f^((f - 1) / 2) x^-f (drop
    the 1), and at most the normal tail at sqrt((f - 1/2) log(1 + x^2 / f)) (Wallace 1959).
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
