"""What is assumed of one evaluation, and the deviation radii that follow: one function a lemma.

The word is `sigma`, always a standard deviation or a subgaussian parameter, never a variance. An assumption knows how
far the noise can push a weighted sum of the objectives (`scales`), how likely a deviation of so many scales is
(`log_tail`), and what its parameter is in the paper's sense (`norm_subgaussian`; Ararat & Tekin 2023, Definition 4.1).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise._arrays import Floats, as_count, as_floats, as_probability, read_only
from conewise.errors import InputError

NORM_TO_DIRECTION: Final = 3.8938
"""A centred norm-subgaussian vector of parameter sigma is subgaussian along every unit vector with variance proxy
NORM_TO_DIRECTION * sigma^2, in every dimension (docs/theory, section 7.3)."""

_SAID: Final = 6  # standard deviations written out
_GRID: Final = 1 + 1e-7  # makes a supremum found on a grid safe: the grid is within 1e-8 of it
_SMALLEST_SIGMA: Final = 1e-100  # the squares of a sigma beyond this, or of its inverse, would leave the floats


class Noise(ABC):
    """An assumption about the noise of one evaluation: centred, independent between evaluations.

    A class of your own says with `log_tail` and `deviation` how far off averages may be, and is taken at its word: both
    must hold for the average of any number of evaluations, and for the difference of two such averages, in units of its
    scale. (The tail of a single evaluation is not enough: averages of a skewed noise lean the same way for long.)
    """

    @property
    def subgaussian(self) -> bool:
        """Whether a deviation of x scales is at most as likely as exp(-x^2 / 2); else only `log_tail` counts."""
        return False

    @abstractmethod
    def scales(self, directions: ArrayLike) -> Floats:
        """For each vector u of shape (..., D): the standard deviation or subgaussian parameter of u.noise.

        Where designs differ, the largest over the designs.
        """

    @abstractmethod
    def largest_scale(self, dim: int) -> float:
        """The largest scale along a unit vector of R^dim."""

    @abstractmethod
    def log_tail(self, deviations: ArrayLike) -> Floats:
        """The logarithm of a bound on P(u.noise >= x * scale), for each x >= 0; averages have a smaller scale."""

    @abstractmethod
    def deviation(self, delta: float) -> float:
        """The x with tail at most delta: how many scales a one-sided interval of level 1 - delta is wide."""

    @abstractmethod
    def norm_subgaussian(self, dim: int) -> float:
        """The parameter sigma of Ararat & Tekin 2023, Definition 4.1: P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2))."""

    def radius(self, directions: ArrayLike, n: int, delta: float) -> Floats:
        """With probability 1 - delta the mean of n evaluations exceeds the truth along a direction by less than this.

        >>> round(float(Gaussian(1).radius([1, 0], n=100, delta=0.025)), 4)
        0.196
        """
        n, delta = as_count(n, "n"), as_probability(delta, "delta")
        return self.scales(directions) * (self.deviation(delta) / math.sqrt(n))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """Refuse data of another number of objectives or designs; assumptions without arrays fit every one."""
        as_count(dim, "dim")

    @property
    @abstractmethod
    def words(self) -> str:
        """The assumption, for a reader of results."""


class _ChernoffTail(Noise):
    """Noise with E exp(t u.noise) <= exp(t^2 scale^2 / 2)."""

    @property
    def subgaussian(self) -> bool:
        """Chernoff's bound."""
        return True

    def log_tail(self, deviations: ArrayLike) -> Floats:
        return -0.5 * np.square(np.asarray(deviations, dtype=np.float64))

    def deviation(self, delta: float) -> float:
        return math.sqrt(2 * math.log(1 / as_probability(delta, "delta")))


class Gaussian(Noise):
    """Normal noise: `sigma` (one number, one an objective, or (K, D) by design) or `cov` ((D, D), or (K, D, D)).

    >>> Gaussian(2).scales([[1, 0], [0, 3]]).tolist()
    [2.0, 6.0]
    >>> round(Gaussian(cov=[[1, 0.5], [0.5, 1]]).largest_scale(2) ** 2, 6)
    1.5
    """

    sigma: Floats | None
    """Standard deviations, (), (D,) or (K, D); None when a covariance was given."""
    cov: Floats | None
    """Covariance, (D, D) or (K, D, D); None when standard deviations were given."""

    def __init__(self, sigma: ArrayLike | None = None, *, cov: ArrayLike | None = None) -> None:
        if (sigma is None) == (cov is None):
            raise InputError("Gaussian noise needs either sigma or cov, not both and not none.")
        self.sigma = None if sigma is None else read_only(_as_sigma(sigma))
        self.cov = None if cov is None else read_only(_as_covariance(cov))

    @property
    def subgaussian(self) -> bool:
        """Normal tails are lighter still."""
        return True

    def covariance(self, dim: int) -> Floats:
        """(D, D), or (K, D, D) where designs differ."""
        if self.cov is not None:
            return self.cov
        assert self.sigma is not None
        variances = np.broadcast_to(self.sigma**2, (*self.sigma.shape[:-1], dim))
        return np.asarray(variances[..., None] * np.eye(dim))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """One entry an objective, and one layer a design where there are layers."""
        given = self.cov if self.cov is not None else self.sigma
        assert given is not None
        if given.ndim and given.shape[-1] != dim:
            raise InputError(f"the noise is given for {given.shape[-1]} objectives, but there are {dim}.")
        layered = given.ndim == (3 if self.cov is not None else 2)
        if layered and n_designs is not None and len(given) != n_designs:
            raise InputError(f"the noise is given for {len(given)} designs, but there are {n_designs}.")

    def scales(self, directions: ArrayLike) -> Floats:
        """The standard deviation along each vector; the largest over the designs where they differ."""
        u = np.asarray(directions, dtype=np.float64)
        self.check_dim(u.shape[-1])
        covariance = self.covariance(u.shape[-1])
        variances = np.einsum("...d,kde,...e->k...", u, covariance.reshape(-1, u.shape[-1], u.shape[-1]), u)
        return np.asarray(np.sqrt(np.maximum(variances.max(axis=0), 0.0)))

    def largest_scale(self, dim: int) -> float:
        """The square root of the largest eigenvalue of the covariance."""
        self.check_dim(dim)
        return math.sqrt(float(np.linalg.eigvalsh(self.covariance(dim)).max()))

    def log_tail(self, deviations: ArrayLike) -> Floats:
        """The exact normal tail."""
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(-np.asarray(deviations, dtype=np.float64)))

    def deviation(self, delta: float) -> float:
        """The normal quantile."""
        from scipy.special import ndtri

        return max(0.0, -float(ndtri(as_probability(delta, "delta"))))

    def norm_subgaussian(self, dim: int) -> float:
        """Of N(0, S): the factor of N(0, I) times the square root of the largest eigenvalue of S."""
        return normal_norm_factor(dim) * self.largest_scale(dim)

    @property
    def words(self) -> str:
        """The assumption, for a reader of results."""
        if self.sigma is not None and self.sigma.ndim == 0:
            return f"normal noise, independent between objectives, standard deviation {float(self.sigma):g}"
        if self.sigma is not None and self.sigma.ndim == 1 and len(self.sigma) <= _SAID:
            each = ", ".join(f"{value:g}" for value in self.sigma.tolist())
            return f"normal noise, independent between objectives, standard deviations {each}"
        if self.cov is None:
            return "normal noise, independent between objectives, of the standard deviations given"
        return "normal noise of the covariance given"

    def __repr__(self) -> str:
        given, word = (self.cov, "cov") if self.cov is not None else (self.sigma, "sigma")
        assert given is not None
        return f"Gaussian({float(given):g})" if given.ndim == 0 else f"Gaussian({word} of shape {given.shape})"


@dataclass(frozen=True)
class GaussianUnknown(Noise):
    """Normal noise of unknown covariance, which may differ from design to design: estimated from the observations.

    Adaptive identification and `analyse` use it with sequential t-type bounds (docs/adaptive). No number of evaluations
    is enough beforehand for every covariance, so there is no budget to compute from it.

    Recorded values are rounded, so that equal ones do not show an absence of noise. `resolution` is the step in which
    they were recorded, one number or one an objective; None, the default, is the smallest difference seen. 0 says that
    an objective is recorded exactly: it then has no noise where it does not vary.

    >>> GaussianUnknown(resolution=(0.0, None)).words
    'normal noise of unknown covariance, one for each design, recorded in the steps given'
    """

    resolution: float | tuple[float | None, ...] | None = None

    def __post_init__(self) -> None:
        given = self.resolution
        if given is None:
            return
        parts = [np.nan if part is None else part for part in given] if isinstance(given, tuple | list) else given
        steps = as_floats(parts, "resolution")
        if steps.ndim > 1 or np.isinf(steps).any() or (steps < 0).any():
            raise InputError(f"resolution must be 0 or more, one number or one an objective, got {given!r}.")
        each = tuple(None if math.isnan(step) else step for step in steps.ravel().tolist())
        object.__setattr__(self, "resolution", each if steps.ndim else each[0])

    def steps(self, dim: int) -> Floats:
        """(D,): the steps in which objectives are recorded; NaN where that is to be seen from the values."""
        steps = np.array(np.nan if self.resolution is None else self.resolution, dtype=np.float64)
        return np.array(np.broadcast_to(steps, (dim,)))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """One step an objective, where steps differ."""
        super().check_dim(dim, n_designs)
        if isinstance(self.resolution, tuple) and len(self.resolution) != dim:
            raise InputError(f"resolution is given for {len(self.resolution)} objectives, but there are {dim}.")

    def _nothing_known(self) -> InputError:
        return InputError(
            "the size of this noise is unknown, so no budget or radius can be fixed beforehand; use the adaptive "
            'algorithms ("elimination", "proportions"), which estimate it, or assume a size: noise.Gaussian(sigma).'
        )

    def scales(self, directions: ArrayLike) -> Floats:
        """Refused: nothing is known beforehand."""
        raise self._nothing_known()

    def largest_scale(self, dim: int) -> float:
        """Refused: nothing is known beforehand."""
        raise self._nothing_known()

    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Refused: nothing is known beforehand."""
        raise self._nothing_known()

    def deviation(self, delta: float) -> float:
        """Refused: nothing is known beforehand."""
        raise self._nothing_known()

    def norm_subgaussian(self, dim: int) -> float:
        """Refused: nothing is known beforehand."""
        raise self._nothing_known()

    @property
    def words(self) -> str:
        """The assumption, for a reader of results."""
        steps = "" if self.resolution is None else ", recorded in the steps given"
        return f"normal noise of unknown covariance, one for each design{steps}"

    def __repr__(self) -> str:
        return f"GaussianUnknown({'' if self.resolution is None else f'resolution={self.resolution}'})"


@dataclass(frozen=True)
class SubGaussian(_ChernoffTail):
    """E exp(u.noise) <= exp(sigma^2 |u|^2 / 2) for every u: no direction is worse than a normal one of that sigma."""

    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float(_as_sigma(self.sigma, scalar=True)))

    def scales(self, directions: ArrayLike) -> Floats:
        """The length of each vector times sigma."""
        return np.asarray(self.sigma * np.linalg.norm(np.asarray(directions, dtype=np.float64), axis=-1))

    def largest_scale(self, dim: int) -> float:
        """Sigma itself."""
        return self.sigma

    def norm_subgaussian(self, dim: int) -> float:
        """From the tail of |noise|^2 (Hsu, Kakade & Zhang 2012), sharper than the 2 sqrt(2 D) of Jin et al. (2019)."""
        return subgaussian_norm_factor(dim) * self.sigma

    @property
    def words(self) -> str:
        """The assumption, for a reader of results."""
        return f"subgaussian noise of parameter {self.sigma:g} in every direction"


@dataclass(frozen=True)
class NormSubGaussian(_ChernoffTail):
    """The paper's assumption: P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2)) (Ararat & Tekin 2023, Definition 4.1)."""

    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float(_as_sigma(self.sigma, scalar=True)))

    def scales(self, directions: ArrayLike) -> Floats:
        """From norm-subgaussian to subgaussian along a direction: docs/theory, section 7.3."""
        lengths = np.linalg.norm(np.asarray(directions, dtype=np.float64), axis=-1)
        return np.asarray(math.sqrt(NORM_TO_DIRECTION) * self.sigma * lengths)

    def largest_scale(self, dim: int) -> float:
        """The same in every direction."""
        return math.sqrt(NORM_TO_DIRECTION) * self.sigma

    def norm_subgaussian(self, dim: int) -> float:
        """Sigma itself."""
        return self.sigma

    @property
    def words(self) -> str:
        """The assumption, for a reader of results."""
        return f"norm-subgaussian noise of parameter {self.sigma:g}"


class Bounded(_ChernoffTail):
    """Every observation lies between `low` and `high` (numbers, or one an objective), whatever its distribution.

    >>> Bounded(0, 1).scales([[1, 0], [1, 1]]).tolist()
    [0.5, 1.0]
    """

    low: Floats
    high: Floats

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        first, second = as_floats(low, "low"), as_floats(high, "high")
        if first.ndim > 1 or second.ndim > 1 or not (np.isfinite(first).all() and np.isfinite(second).all()):
            raise InputError("low and high must be finite numbers, or one number an objective.")
        try:
            ordered = bool((first < second).all())
        except ValueError:
            raise InputError(f"low and high differ in shape: {first.shape} and {second.shape}.") from None
        if not ordered:
            raise InputError("low must be below high for every objective.")
        with np.errstate(over="ignore"):
            width = second - first
        if not ((width >= _SMALLEST_SIGMA) & (width <= 1 / _SMALLEST_SIGMA)).all():
            raise InputError(
                f"high - low must lie between {_SMALLEST_SIGMA:g} and {1 / _SMALLEST_SIGMA:g}; change the units."
            )
        self.low, self.high = read_only(first.copy()), read_only(second.copy())

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """One range an objective, where ranges differ."""
        width = self.high - self.low
        if width.ndim and width.shape[0] != dim:
            raise InputError(f"the noise is given for {width.shape[0]} objectives, but there are {dim}.")

    def scales(self, directions: ArrayLike) -> Floats:
        """Half the range of u.observation (Hoeffding's lemma); objectives may depend on each other in any way."""
        u = np.asarray(directions, dtype=np.float64)
        self.check_dim(u.shape[-1])
        return np.asarray((np.abs(u) * (self.high - self.low)).sum(axis=-1) / 2)

    def largest_scale(self, dim: int) -> float:
        """Half the diagonal of the box."""
        self.check_dim(dim)
        return float(np.linalg.norm(np.broadcast_to(self.high - self.low, (dim,))) / 2)

    def norm_subgaussian(self, dim: int) -> float:
        """|noise| is at most the diagonal R of the box, so 2 exp(-r^2 / (2 sigma^2)) >= 1 up to R is enough."""
        return 2 * self.largest_scale(dim) / math.sqrt(2 * math.log(2))

    @property
    def words(self) -> str:
        """The assumption, for a reader of results."""
        return f"observations between {self.low.tolist()} and {self.high.tolist()}, of any distribution"

    def __repr__(self) -> str:
        return f"Bounded({self.low.tolist()}, {self.high.tolist()})"


@lru_cache
def normal_norm_factor(dim: int) -> float:
    """The norm-subgaussian parameter of N(0, I_dim): sup_r r / sqrt(2 log(2 / P(chi_dim >= r))); 1 for dim <= 2.

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
    """From P(|Y|^2 > sigma^2 (D + 2 sqrt(D t) + 2 t)) <= exp(-t) (Hsu, Kakade & Zhang 2012): sup over t >= 0."""
    as_count(dim, "dim")
    if dim == 1:
        return 1.0  # the two tails of a subgaussian variable are the definition itself
    log2 = math.log(2)
    # (D + 2 sqrt(D) s + 2 s^2) / (2 (s^2 + log 2)), s = sqrt(t), has one stationary point, from a quadratic equation
    s = (2 * log2 - dim + math.hypot(dim, 2 * log2)) / (2 * math.sqrt(dim))
    return math.sqrt((dim + 2 * math.sqrt(dim) * s + 2 * s**2) / (2 * (s**2 + log2)))


def _as_sigma(sigma: Any, scalar: bool = False) -> Floats:
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
    if (values < _SMALLEST_SIGMA).any() or (values > 1 / _SMALLEST_SIGMA).any():
        raise InputError(f"sigma must lie between {_SMALLEST_SIGMA:g} and {1 / _SMALLEST_SIGMA:g}; change the units.")
    return values.copy()


def _as_covariance(cov: Any) -> Floats:
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
