"""Bound the size of a noise vector by its size along directions, and check standard deviations and covariances."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np

from conewise.border import Floats, as_count, as_floats
from conewise.errors import InputError

SMALLEST_SIGMA: Final = 1e-100
"""Smallest sigma, and inverse of the largest: beyond these limits squares underflow or overflow."""

_GRID: Final = 1 + 1e-7  # covers the error of a supremum found on a grid, which is below 1e-8


@lru_cache
def normal_norm_factor(dim: int) -> float:
    """Return the norm-subgaussian parameter of N(0, I): sup_r r / sqrt(2 log(2 / P(chi_dim >= r))); 1 for dim <= 2.

    >>> [round(normal_norm_factor(dim), 3) for dim in (1, 2, 3, 4, 5)]
    [1.0, 1.0, 1.035, 1.141, 1.265]
    """
    as_count(dim, "dim")
    if dim <= 2:
        return 1.0
    from scipy.special import gammainccinv

    # Parametrised by the tail probability p: r^2 / 2 = gammainccinv(dim / 2, p). The supremum lies at moderate p.
    p = np.exp(-np.geomspace(1e-6, 200.0, 200_001))
    return math.sqrt(float(np.max(gammainccinv(dim / 2, p) / np.log(2 / p)))) * _GRID


@lru_cache
def subgaussian_norm_factor(dim: int) -> float:
    """Return the norm-subgaussian parameter of a vector that is 1-subgaussian in every direction.

    It is the supremum over t >= 0 that follows from P(|Y|^2 > sigma^2 (D + 2 sqrt(D t) + 2 t)) <= exp(-t) (Hsu, Kakade
    & Zhang 2012).
    """
    as_count(dim, "dim")
    if dim == 1:
        return 1.0  # the two tails of a subgaussian variable are the definition itself
    log2 = math.log(2)
    # (D + 2 sqrt(D) s + 2 s^2) / (2 (s^2 + log 2)), s = sqrt(t), has one stationary point, from a quadratic equation
    s = (2 * log2 - dim + math.hypot(dim, 2 * log2)) / (2 * math.sqrt(dim))
    return math.sqrt((dim + 2 * math.sqrt(dim) * s + 2 * s**2) / (2 * (s**2 + log2)))


def as_sigma(sigma: Any, scalar: bool = False) -> Floats:
    """Return standard deviations as an array; refuse values that are not positive and finite."""
    values = as_floats(sigma, "sigma")
    if values.ndim > (0 if scalar else 2):
        raise InputError(
            f"sigma must be a number{'' if scalar else ', or one an objective'}, got shape {values.shape}."
        )
    if not np.isfinite(values).all() or not values.size or (values <= 0).any():
        raise InputError(
            f"sigma must be above 0 and finite, got {values.ravel()[:3].tolist() if values.ndim else float(values)}; "
            "it is a standard deviation, not a variance."
        )
    if (values < SMALLEST_SIGMA).any() or (values > 1 / SMALLEST_SIGMA).any():
        raise InputError(f"sigma must lie between {SMALLEST_SIGMA:g} and {1 / SMALLEST_SIGMA:g}; change the units.")
    return values.copy()


def as_covariance(cov: Any) -> Floats:
    """Return covariances as an array; refuse matrices that are asymmetric, zero or have negative variances."""
    values = as_floats(cov, "cov")
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or not values.size:
        raise InputError(f"cov must have shape (D, D), or (K, D, D) by design, got {values.shape}.")
    if not np.isfinite(values).all():
        raise InputError("cov has NaN or infinity; every entry must be finite.")
    if not np.allclose(values, np.swapaxes(values, -1, -2), rtol=1e-10, atol=0):
        raise InputError("cov must be symmetric.")
    eigenvalues = np.linalg.eigvalsh(values)
    if (eigenvalues[..., -1] <= 0).any() or (eigenvalues[..., 0] < -1e-10 * eigenvalues[..., -1]).any():
        raise InputError("cov must be positive semi-definite and not zero: no negative variances, some noise.")
    return values.copy()
