"""Define the kinds of noise of one evaluation, and the confidence radii that follow from them.

`sigma` is always a standard deviation or a subgaussian parameter, never a variance. An assumption gives the scale of
the noise in a weighted sum of the objectives (`scales`) and the probability of a deviation of x scales (`log_tail`). It
also gives the parameter of Ararat & Tekin 2023, Definition 4.1 (`norm_subgaussian`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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
    subgaussian: bool = False
    """True if a deviation of x scales has probability at most exp(-x^2 / 2); otherwise only `log_tail` holds."""
    noiseless: bool = False
    """True if there is no noise at all."""
    joint: Callable[[Sequence[Any]], Noise] | None = None
    """Function from the noise of several single objectives, all of this kind, to one assumption about all of them.

    None if the objectives must stay apart, because nothing is known about how they vary together.
    """

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

    @property
    @abstractmethod
    def words(self) -> str:
        """Wording of the assumption for readers of results."""

    @property
    def presumed(self) -> str:
        """Sentence that the noise was assumed by default, and how to state it; empty if it was stated."""
        return ""

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


class ChernoffTail(Noise):
    """Noise with E exp(t u.noise) <= exp(t^2 scale^2 / 2)."""

    subgaussian = True

    def log_tail(self, deviations: ArrayLike) -> Floats:
        return -0.5 * np.square(np.asarray(deviations, dtype=np.float64))

    def deviation(self, delta: float) -> float:
        return math.sqrt(2 * math.log(1 / as_probability(delta, "delta")))

    def norm_subgaussian(self, dim: int) -> float:
        """Return the parameter by Hsu, Kakade & Zhang (2012), sharper than the 2 sqrt(2 D) of Jin et al. (2019)."""
        return subgaussian_norm_factor(dim) * self.largest_scale(dim)


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


def check_given(number: int, there: int | None, of: str = "objectives", what: str = "the noise") -> None:
    """Refuse an assumption about another number of objectives (or designs) than there are."""
    if there not in (None, number):
        raise InputError(f"{what} is given for {number} {of}, but there are {there}.")


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
    subgaussian = True

    def __init__(self, sigma: ArrayLike | None = None, *, cov: ArrayLike | None = None) -> None:
        if (sigma is None) == (cov is None):
            raise InputError("Gaussian noise needs either sigma or cov, not both and not none.")
        self._sizes = read_only(as_covariance(cov) if sigma is None else as_sigma(sigma))
        self.sigma, self.cov = (None, self._sizes) if sigma is None else (self._sizes, None)

    def covariance(self, dim: int) -> Floats:
        """Return the covariance, (D, D), or (K, D, D) if designs differ."""
        if self.sigma is None:
            return self._sizes
        variances = np.broadcast_to(self.sigma**2, (*self.sigma.shape[:-1], dim))
        return np.asarray(variances[..., None] * np.eye(dim))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        if shape := self._sizes.shape:
            check_given(shape[-1], dim)
        if len(shape) == (3 if self.sigma is None else 2):
            check_given(shape[0], n_designs, "designs")

    def of_one(self, column: int, dim: int) -> Noise:
        sigma = np.sqrt(self.covariance(dim)[..., column, column])
        return Gaussian(sigma[:, None] if sigma.ndim else sigma)

    @staticmethod
    def joint(each: Sequence[Gaussian]) -> Gaussian:
        """Return normal noise that is independent between the objectives."""
        sigmas = [np.sqrt(one.covariance(1)[..., 0, 0]) for one in each]
        layers = {len(sigma) for sigma in sigmas if sigma.ndim}
        if len(layers) > 1:
            check_given(min(layers), max(layers), "designs")
        return Gaussian(np.stack(np.broadcast_arrays(*sigmas), axis=-1))

    def turned(self, signs: Floats, units: Floats) -> Noise:
        if self.sigma is not None and (units == 1).all():
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
        if self.sigma is None:
            return "normal noise of the covariance given"
        said = "normal noise, independent between objectives, "
        if self.sigma.ndim > 1 or self.sigma.size > _SAID:
            return f"{said}of the standard deviations given"
        return f"{said}standard deviation{'s' * self.sigma.ndim} {_listed(self.sigma)}"

    def __repr__(self) -> str:
        if self.given is not None:
            return repr(self.given)
        word, shape = "cov" if self.sigma is None else "sigma", self._sizes.shape
        return f"Gaussian({word} of shape {shape})" if shape else f"Gaussian({self._sizes:g})"


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
        if isinstance(self.resolution, tuple):
            check_given(len(self.resolution), dim, what="resolution")

    def of_one(self, column: int, dim: int) -> Noise:
        """Return the noise of one objective, with its recording resolution."""
        return replace(self, resolution=float(self.steps(dim)[column]))

    @staticmethod
    def joint(each: Sequence[GaussianUnknown]) -> GaussianUnknown:
        """Return noise in which objectives may be correlated in any way."""
        steps = tuple(float(one.steps(1)[0]) for one in each)
        return GaussianUnknown(steps, stated=all(one.stated for one in each))

    def turned(self, signs: Floats, units: Floats) -> Noise:
        if self.resolution is None or (units == 1).all():
            return self
        return replace(self, resolution=tuple((self.steps(len(units)) / units).tolist()))

    @property
    def presumed(self) -> str:
        return "" if self.stated else UNSTATED + "unknown (in Python noise=GaussianUnknown())"

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise InputError(
            "the size of this noise is unknown, so no budget or radius can be fixed beforehand; use the adaptive "
            'algorithm "elimination", which estimates it, or assume a size: noise.Gaussian(sigma).'
        )

    scales = largest_scale = log_tail = deviation = norm_subgaussian = _refused

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
class _OneSize(ChernoffTail):
    """Noise that is equally large in all directions; a conversion to units keeps one size, the largest."""

    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float(as_sigma(self.sigma, scalar=True)))

    def scales(self, directions: ArrayLike) -> Floats:
        return np.asarray(self.largest_scale(1) * np.linalg.norm(np.asarray(directions, dtype=np.float64), axis=-1))

    def turned(self, signs: Floats, units: Floats) -> Noise:
        ours = type(self) in (SubGaussian, NormSubGaussian) and (units != 1).any()
        return replace(self, sigma=self.sigma / float(units.min())) if ours else super().turned(signs, units)


class SubGaussian(_OneSize):
    """Noise with E exp(u.noise) <= exp(sigma^2 |u|^2 / 2): along every u no worse than normal noise of that sigma."""

    def largest_scale(self, dim: int) -> float:
        return self.sigma

    @property
    def words(self) -> str:
        return f"subgaussian noise of parameter {self.sigma:g} in every direction"


class NormSubGaussian(_OneSize):
    """Noise with P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2)), as in Ararat & Tekin 2023, Definition 4.1."""

    def largest_scale(self, dim: int) -> float:
        """Return the subgaussian parameter along any unit vector (docs/theory, section 7.3)."""
        return math.sqrt(NORM_TO_DIRECTION) * self.sigma

    def norm_subgaussian(self, dim: int) -> float:
        return self.sigma

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
            with np.errstate(over="ignore"):
                width = second - first
        except ValueError:
            raise InputError(f"low and high differ in shape: {first.shape} and {second.shape}.") from None
        if not (width > 0).all():
            raise InputError("low must be below high for every objective.")
        if not ((width >= SMALLEST_SIGMA) & (width <= 1 / SMALLEST_SIGMA)).all():
            raise InputError(
                f"high - low must lie between {SMALLEST_SIGMA:g} and {1 / SMALLEST_SIGMA:g}; change the units."
            )
        self.low, self.high = read_only(first.copy()), read_only(second.copy())
        self.two_valued = read_only(np.array(two_valued, dtype=bool))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        if shape := np.shape(self.high - self.low):
            check_given(shape[0], dim)

    def of_one(self, column: int, dim: int) -> Noise:
        low, high, two = (np.broadcast_to(end, (dim,))[column] for end in (self.low, self.high, self.two_valued))
        return Binary() if two and (low, high) == (0, 1) else Bounded(low, high, two_valued=two)

    @staticmethod
    def joint(each: Sequence[Bounded]) -> Bounded:
        """Return bounded noise in which objectives may depend on each other in any way."""
        low, high, two = (
            np.concatenate([np.ravel(end) for end in ends])
            for ends in zip(*((one.low, one.high, one.two_valued) for one in each), strict=True)
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
        apart = " (one an objective)" if self.low.ndim or self.high.ndim else ""
        return f"observations between {_listed(self.low)} and {_listed(self.high)}{apart}, of any distribution"

    def __repr__(self) -> str:
        return repr(self.given) if self.given else f"Bounded({self.low.tolist()}, {self.high.tolist()})"


class Binary(Bounded):
    """Noise of observations that are 0 or 1, such as a success: `Bounded(0, 1)`. Other values are refused.

    >>> Binary().scales([[1, 0]]).tolist()
    [0.5]
    """

    words = "observations of 0 or 1"

    def __init__(self) -> None:
        super().__init__(0.0, 1.0, two_valued=True)

    def __repr__(self) -> str:
        return "Binary()"


@dataclass(frozen=True)
class Known(ChernoffTail):
    """No noise, as of a price list: all evaluations of a design must be equal."""

    noiseless = True
    words = "no noise"

    def scales(self, directions: ArrayLike) -> Floats:
        return np.zeros(np.shape(directions)[:-1])

    def largest_scale(self, dim: int) -> float:
        return 0.0


def _listed(values: ArrayLike) -> str:
    return ", ".join(f"{value:g}" for value in np.ravel(values).tolist())
