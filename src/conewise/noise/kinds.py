"""Define the kinds of noise of one evaluation, and the confidence radii that follow from them.

`sigma` is always a standard deviation or a subgaussian parameter, never a variance. An assumption gives the scale of
the noise in a weighted sum of the objectives (`scales`) and the probability of a deviation of x scales (`log_tail`). It
also gives the parameter of Ararat & Tekin 2023, Definition 4.1 (`norm_subgaussian`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Bools, Floats, as_count, as_floats, as_probability, read_only
from conewise.errors import InputError

SMALLEST_SIGMA: Final = 1e-100
"""Smallest sigma, and inverse of the largest: beyond these limits squares underflow or overflow."""

_GRID: Final = 1 + 1e-7  # covers the error of a supremum found on a grid, which is below 1e-8


NORM_TO_DIRECTION: Final = 3.8938
"""A centred norm-subgaussian vector of parameter sigma is subgaussian along every unit vector with variance proxy
NORM_TO_DIRECTION * sigma^2, in every dimension (docs/theory, section 7.3)."""

UNSTATED: Final = "the noise was not stated; if it is normal, say --noise "
_SAID: Final = 6  # most standard deviations that are written out


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


class Gaussian(Noise):
    """Normal noise with `sigma` (a number, one for each objective, or (K, D) by design) or `cov` ((D, D) or (K, D, D)).

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
        self.sigma = None if sigma is None else read_only(as_sigma(sigma))
        self.cov = None if cov is None else read_only(as_covariance(cov))

    @property
    def subgaussian(self) -> bool:
        return True

    def covariance(self, dim: int) -> Floats:
        """Return the covariance, (D, D), or (K, D, D) if designs differ."""
        if self.cov is not None:
            return self.cov
        assert self.sigma is not None
        variances = np.broadcast_to(self.sigma**2, (*self.sigma.shape[:-1], dim))
        return np.asarray(variances[..., None] * np.eye(dim))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        given = self.cov if self.cov is not None else self.sigma
        assert given is not None
        if given.ndim and given.shape[-1] != dim:
            raise InputError(f"the noise is given for {given.shape[-1]} objectives, but there are {dim}.")
        layered = given.ndim == (3 if self.cov is not None else 2)
        if layered and n_designs is not None and len(given) != n_designs:
            raise InputError(f"the noise is given for {len(given)} designs, but there are {n_designs}.")

    def of_one(self, column: int, dim: int) -> Noise:
        sigma = np.sqrt(self.covariance(dim)[..., column, column])
        return Gaussian(sigma[:, None] if sigma.ndim else sigma)

    def joined(self, dim: int, other: Noise) -> Noise | None:
        """Return normal noise whose new objective is independent of the others."""
        if not isinstance(other, Gaussian):
            return None
        total = np.zeros((dim + 1, dim + 1))
        total[:dim, :dim], total[dim:, dim:] = self.covariance(dim), other.covariance(1)
        diagonal = bool((total == np.diag(np.diagonal(total))).all())
        return Gaussian(np.sqrt(np.diagonal(total))) if diagonal else Gaussian(cov=total)

    def turned(self, signs: Floats, units: Floats) -> Noise:
        if self.cov is None and (units == 1).all():
            return self
        factors = signs / units
        cov = None if self.cov is None else self.cov * factors[:, None] * factors
        found = Gaussian(None if self.sigma is None else self.sigma / units, cov=cov)
        found.given = self
        return found

    def scales(self, directions: ArrayLike) -> Floats:
        u = np.asarray(directions, dtype=np.float64)
        self.check_dim(u.shape[-1])
        covariance = self.covariance(u.shape[-1])
        variances = np.einsum("...d,kde,...e->k...", u, covariance.reshape(-1, u.shape[-1], u.shape[-1]), u)
        return np.asarray(np.sqrt(np.maximum(variances.max(axis=0), 0.0)))

    def largest_scale(self, dim: int) -> float:
        """Return the square root of the largest eigenvalue of the covariance."""
        self.check_dim(dim)
        return math.sqrt(float(np.linalg.eigvalsh(self.covariance(dim)).max()))

    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Return the logarithm of the exact normal tail."""
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(-np.asarray(deviations, dtype=np.float64)))

    def deviation(self, delta: float) -> float:
        from scipy.special import ndtri

        return max(0.0, -float(ndtri(as_probability(delta, "delta"))))

    def norm_subgaussian(self, dim: int) -> float:
        """Return the factor of N(0, I) times the square root of the largest eigenvalue of the covariance."""
        return normal_norm_factor(dim) * self.largest_scale(dim)

    @property
    def words(self) -> str:
        if self.given is not None:
            return self.given.words
        if self.sigma is not None and self.sigma.ndim == 0:
            return f"normal noise, independent between objectives, standard deviation {float(self.sigma):g}"
        if self.sigma is not None and self.sigma.ndim == 1 and len(self.sigma) <= _SAID:
            each = ", ".join(f"{value:g}" for value in self.sigma.tolist())
            return f"normal noise, independent between objectives, standard deviations {each}"
        if self.cov is None:
            return "normal noise, independent between objectives, of the standard deviations given"
        return "normal noise of the covariance given"

    def __repr__(self) -> str:
        if self.given is not None:
            return repr(self.given)
        given, word = (self.cov, "cov") if self.cov is not None else (self.sigma, "sigma")
        assert given is not None
        return f"Gaussian({float(given):g})" if given.ndim == 0 else f"Gaussian({word} of shape {given.shape})"


@dataclass(frozen=True)
class GaussianUnknown(Noise):
    """Normal noise of unknown covariance, which may differ between designs and is estimated from the observations.

    Adaptive identification and `analyse` use it with sequential t-type bounds (docs/adaptive). No number of evaluations
    suffices for every covariance, so no budget can be computed beforehand.

    Recorded values are rounded, so equal values do not show an absence of noise, however many there are; declare that
    with `Known`. `resolution` is the recording step, one number or one for each objective. By default it is the step
    that most values show. 0 declares an exact recording: normal values are then never equal, so an objective that does
    not vary has no noise.

    >>> GaussianUnknown(resolution=(0.1, None)).words
    'normal noise of unknown covariance, one for each design, recorded in the steps given'
    """

    resolution: float | tuple[float | None, ...] | None = None
    stated: bool = field(default=True, kw_only=True, compare=False)  # False if it was assumed by default

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
        """Return the recording steps of the objectives, (D,); NaN if a step is to be read off the values."""
        steps = np.array(np.nan if self.resolution is None else self.resolution, dtype=np.float64)
        return np.array(np.broadcast_to(steps, (dim,)))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        super().check_dim(dim, n_designs)
        if isinstance(self.resolution, tuple) and len(self.resolution) != dim:
            raise InputError(f"resolution is given for {len(self.resolution)} objectives, but there are {dim}.")

    def of_one(self, column: int, dim: int) -> Noise:
        """Return the noise of one objective, with its recording resolution."""
        step = float(self.steps(dim)[column])
        return replace(self, resolution=None if math.isnan(step) else step)

    def joined(self, dim: int, other: Noise) -> Noise | None:
        """Return noise in which objectives may be correlated in any way."""
        if not isinstance(other, GaussianUnknown):
            return None
        steps = [*self.steps(dim).tolist(), *other.steps(1).tolist()]
        each = tuple(None if math.isnan(step) else step for step in steps)
        return GaussianUnknown(each, stated=self.stated and other.stated)

    def turned(self, signs: Floats, units: Floats) -> Noise:
        if self.resolution is None or (units == 1).all():
            return self
        each = (self.steps(len(units)) / units).tolist()
        return replace(self, resolution=tuple(None if math.isnan(step) else step for step in each))

    @property
    def presumed(self) -> str:
        return "" if self.stated else UNSTATED + "unknown (in Python noise=GaussianUnknown())"

    def _nothing_known(self) -> InputError:
        return InputError(
            "the size of this noise is unknown, so no budget or radius can be fixed beforehand; use the adaptive "
            'algorithm "elimination", which estimates it, or assume a size: noise.Gaussian(sigma).'
        )

    def scales(self, directions: ArrayLike) -> Floats:
        raise self._nothing_known()

    def largest_scale(self, dim: int) -> float:
        raise self._nothing_known()

    def log_tail(self, deviations: ArrayLike) -> Floats:
        raise self._nothing_known()

    def deviation(self, delta: float) -> float:
        raise self._nothing_known()

    def norm_subgaussian(self, dim: int) -> float:
        raise self._nothing_known()

    @property
    def words(self) -> str:
        given = np.ravel(np.array(self.resolution, dtype=object))
        steps = ", recorded in the steps given" if any(step is not None for step in given) else ""
        exact = ", and none where a value recorded exactly never varies" if 0 in given else ""
        return f"normal noise of unknown covariance, one for each design{steps}{exact}"

    def __repr__(self) -> str:
        parts = [] if self.resolution is None else [f"resolution={self.resolution}"]
        return f"GaussianUnknown({', '.join(parts if self.stated else [*parts, 'stated=False'])})"


@dataclass(frozen=True)
class SubGaussian(ChernoffTail):
    """Noise with E exp(u.noise) <= exp(sigma^2 |u|^2 / 2): along every u no worse than normal noise of that sigma."""

    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float(as_sigma(self.sigma, scalar=True)))

    def scales(self, directions: ArrayLike) -> Floats:
        return np.asarray(self.sigma * np.linalg.norm(np.asarray(directions, dtype=np.float64), axis=-1))

    def largest_scale(self, dim: int) -> float:
        return self.sigma

    def norm_subgaussian(self, dim: int) -> float:
        """Return the parameter by Hsu, Kakade & Zhang (2012), sharper than the 2 sqrt(2 D) of Jin et al. (2019)."""
        return subgaussian_norm_factor(dim) * self.sigma

    def turned(self, signs: Floats, units: Floats) -> Noise:
        own = type(self) is SubGaussian and (units != 1).any()
        return SubGaussian(self.sigma / float(units.min())) if own else super().turned(signs, units)

    @property
    def words(self) -> str:
        return f"subgaussian noise of parameter {self.sigma:g} in every direction"


@dataclass(frozen=True)
class NormSubGaussian(ChernoffTail):
    """Noise with P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2)), as in Ararat & Tekin 2023, Definition 4.1."""

    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float(as_sigma(self.sigma, scalar=True)))

    def scales(self, directions: ArrayLike) -> Floats:
        """Return the subgaussian parameter along each direction (docs/theory, section 7.3)."""
        lengths = np.linalg.norm(np.asarray(directions, dtype=np.float64), axis=-1)
        return np.asarray(math.sqrt(NORM_TO_DIRECTION) * self.sigma * lengths)

    def largest_scale(self, dim: int) -> float:
        return math.sqrt(NORM_TO_DIRECTION) * self.sigma

    def norm_subgaussian(self, dim: int) -> float:
        return self.sigma

    def turned(self, signs: Floats, units: Floats) -> Noise:
        own = type(self) is NormSubGaussian and (units != 1).any()
        return NormSubGaussian(self.sigma / float(units.min())) if own else super().turned(signs, units)

    @property
    def words(self) -> str:
        return f"norm-subgaussian noise of parameter {self.sigma:g}"


class Bounded(ChernoffTail):
    """Noise of observations between `low` and `high` (numbers, or one for each objective), of any distribution.

    >>> Bounded(0, 1).scales([[1, 0], [1, 1]]).tolist()
    [0.5, 1.0]
    """

    low: Floats
    high: Floats
    two_valued: Bools
    """True if every evaluation is either `low` or `high`; one truth value, or one for each objective."""

    def __init__(self, low: ArrayLike, high: ArrayLike, *, two_valued: ArrayLike = False) -> None:
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
        if not ((width >= SMALLEST_SIGMA) & (width <= 1 / SMALLEST_SIGMA)).all():
            raise InputError(
                f"high - low must lie between {SMALLEST_SIGMA:g} and {1 / SMALLEST_SIGMA:g}; change the units."
            )
        self.low, self.high = read_only(first.copy()), read_only(second.copy())
        self.two_valued = read_only(np.array(two_valued, dtype=bool))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        width = self.high - self.low
        if width.ndim and width.shape[0] != dim:
            raise InputError(f"the noise is given for {width.shape[0]} objectives, but there are {dim}.")

    def of_one(self, column: int, dim: int) -> Noise:
        low, high, two = (np.broadcast_to(end, (dim,))[column] for end in (self.low, self.high, self.two_valued))
        return Binary() if two and (low, high) == (0, 1) else Bounded(low, high, two_valued=two)

    def joined(self, dim: int, other: Noise) -> Noise | None:
        """Return bounded noise in which objectives may depend on each other in any way."""
        if not isinstance(other, Bounded):
            return None
        low, high, two = (
            np.append(np.broadcast_to(mine, (dim,)), np.ravel(theirs))
            for mine, theirs in (
                (self.low, other.low),
                (self.high, other.high),
                (self.two_valued, other.two_valued),
            )
        )
        return Bounded(low, high, two_valued=two)

    def turned(self, signs: Floats, units: Floats) -> Noise:
        if (units == 1).all() and (signs > 0).all():
            return self
        ends = self.low * signs / units + 0.0, self.high * signs / units + 0.0
        found = Bounded(np.minimum(*ends), np.maximum(*ends), two_valued=self.two_valued)
        found.given = self
        return found

    def scales(self, directions: ArrayLike) -> Floats:
        """Return half the range of u.observation (Hoeffding's lemma), whatever the dependence between objectives."""
        u = np.asarray(directions, dtype=np.float64)
        self.check_dim(u.shape[-1])
        return np.asarray((np.abs(u) * (self.high - self.low)).sum(axis=-1) / 2)

    def largest_scale(self, dim: int) -> float:
        """Return half the diagonal of the box."""
        self.check_dim(dim)
        return float(np.linalg.norm(np.broadcast_to(self.high - self.low, (dim,))) / 2)

    def norm_subgaussian(self, dim: int) -> float:
        """Return sigma with 2 exp(-r^2 / (2 sigma^2)) >= 1 up to the diagonal of the box, which bounds |noise|."""
        return 2 * self.largest_scale(dim) / math.sqrt(2 * math.log(2))

    @property
    def words(self) -> str:
        if self.given is not None:
            return self.given.words
        low, high = (", ".join(f"{end:g}" for end in np.atleast_1d(ends).tolist()) for ends in (self.low, self.high))
        apart = " (one an objective)" if self.low.ndim or self.high.ndim else ""
        return f"observations between {low} and {high}{apart}, of any distribution"

    def __repr__(self) -> str:
        return repr(self.given) if self.given else f"Bounded({self.low.tolist()}, {self.high.tolist()})"


class Binary(Bounded):
    """Noise of observations that are 0 or 1, such as a success: `Bounded(0, 1)`. Other values are refused.

    >>> Binary().scales([[1, 0]]).tolist()
    [0.5]
    """

    def __init__(self) -> None:
        super().__init__(0.0, 1.0, two_valued=True)

    @property
    def words(self) -> str:
        return "observations of 0 or 1"

    def __repr__(self) -> str:
        return "Binary()"


@dataclass(frozen=True)
class Known(ChernoffTail):
    """No noise, as of a price list: all evaluations of a design must be equal."""

    @property
    def noiseless(self) -> bool:
        return True

    def joined(self, dim: int, other: Noise) -> Noise | None:
        return self if isinstance(other, Known) else None

    def scales(self, directions: ArrayLike) -> Floats:
        return np.zeros(np.shape(directions)[:-1])

    def largest_scale(self, dim: int) -> float:
        return 0.0

    def norm_subgaussian(self, dim: int) -> float:
        return 0.0

    @property
    def words(self) -> str:
        return "no noise"
