"""Define what is assumed about the noise of one evaluation, and the confidence radii that follow from it.

`sigma` is always a standard deviation or a subgaussian parameter, never a variance. An assumption gives the scale of
the noise in a weighted sum of the objectives (`scales`) and the probability of a deviation of x scales (`log_tail`). It
also gives the parameter of Ararat & Tekin 2023, Definition 4.1 (`norm_subgaussian`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, as_count, as_floats, as_probability
from conewise.errors import InputError

SMALLEST_SIGMA: Final = 1e-100
"""Smallest sigma, and inverse of the largest: beyond these limits squares underflow or overflow."""

_GRID: Final = 1 + 1e-7  # covers the error of a supremum found on a grid, which is below 1e-8


class Noise(ABC):
    """An assumption about the noise of one evaluation: centred, independent between evaluations.

    A class of your own states with `log_tail` and `deviation` how far off averages may be. Nothing checks that
    statement. Both must hold for the average of any number of evaluations, and for the difference of two such averages,
    in units of its scale. (The tail of a single evaluation is not enough: averages of skewed noise stay skewed for
    long.)
    """

    given: Noise | None = None
    """This noise before it was `turned`, in the words of the user."""

    @property
    def subgaussian(self) -> bool:
        """True if a deviation of x scales has probability at most exp(-x^2 / 2); otherwise only `log_tail` holds."""
        return False

    @abstractmethod
    def scales(self, directions: ArrayLike) -> Floats:
        """Return the standard deviation or subgaussian parameter of u.noise for each vector u of shape (..., D).

        If designs differ, this is the largest over the designs.
        """

    @abstractmethod
    def largest_scale(self, dim: int) -> float:
        """Return the largest scale along a unit vector of R^dim."""

    @abstractmethod
    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Return the logarithm of a bound on P(u.noise >= x * scale) for each x >= 0; averages have a smaller scale."""

    @abstractmethod
    def deviation(self, delta: float) -> float:
        """Return the smallest x with tail at most delta; a one-sided interval of level 1 - delta is x scales wide."""

    @abstractmethod
    def norm_subgaussian(self, dim: int) -> float:
        """Return sigma of Ararat & Tekin 2023, Definition 4.1: P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2))."""

    def radius(self, directions: ArrayLike, n: int, delta: float) -> Floats:
        """Return the radius r along each direction: with probability 1 - delta the mean is below the truth plus r.

        >>> from conewise.noise import Gaussian
        >>> round(float(Gaussian(1).radius([1, 0], n=100, delta=0.025)), 4)
        0.196
        """
        n, delta = as_count(n, "n"), as_probability(delta, "delta")
        return self.scales(directions) * (self.deviation(delta) / math.sqrt(n))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """Refuse another number of objectives or designs than the assumption has; without arrays, accept any."""
        as_count(dim, "dim")

    def joined(self, dim: int, other: Noise) -> Noise | None:
        """Return one assumption for `dim` objectives with this noise and one more objective with the `other` noise.

        Return None if the two must stay apart, because nothing is known about how they vary together.
        """
        return None

    def of_one(self, column: int, dim: int) -> Noise:
        """Return the assumption about one of `dim` objectives; by default the assumption itself."""
        return self

    def turned(self, signs: Floats, units: Floats) -> Noise:
        """Return this noise in steps of `units` (D,), negated where `signs` (D,) are -1; it keeps its words.

        Noise that is equally large in all directions keeps one parameter, that of the objective with the smallest unit.
        """
        if self.noiseless or (units == 1).all():
            return self
        raise InputError(
            f"noise of the class {type(self).__name__} cannot be converted to units other than 1: divide your values "
            "by the units, and describe the noise of the quotients."
        )

    @property
    def presumed(self) -> str:
        """Sentence that the noise was assumed by default, and how to state it; empty if it was stated."""
        return ""

    @property
    def noiseless(self) -> bool:
        """True if there is no noise at all."""
        return False

    @property
    @abstractmethod
    def words(self) -> str:
        """Wording of the assumption for readers of results."""


class ChernoffTail(Noise):
    """Noise with E exp(t u.noise) <= exp(t^2 scale^2 / 2)."""

    @property
    def subgaussian(self) -> bool:
        return True

    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Return the logarithm of Chernoff's bound."""
        return -0.5 * np.square(np.asarray(deviations, dtype=np.float64))

    def deviation(self, delta: float) -> float:
        return math.sqrt(2 * math.log(1 / as_probability(delta, "delta")))


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
