"""Define priors: finite mixtures of Gaussian components, declared before the first evaluation and never fitted.

Every component is S = s^2 R + tau^2 I with a flat constant on top: R is the shape (a kernel of the features with a
linear trend), s the size of what features explain and tau the discrepancy, what they do not. Sizes are multiples of a
unit (epsilon, or the noise where that is unknown): a prior depends on the scale of the answer, not on the data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from conewise.border import Floats, Indices, as_floats, as_option, read_only
from conewise.errors import InputError, counted, shown
from conewise.models.features import Encoded, encoded

KERNELS: Final = ("matern52", "squared")
"""Matern with smoothness 5/2, and the squared exponential."""

SIZES: Final = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Sizes of independent differences, in units."""
SIGNALS: Final = (3.0, 10.0, 30.0, 100.0)
"""Sizes of what features explain, in units."""
DISCREPANCIES: Final = (0.01, 0.1, 0.3)
"""What they do not explain, as a share of the size: never 0, or near duplicates would have to agree."""
LENGTHS: Final = (0.15, 8.0)
"""Length scales lie between these, where 1 is the range of a feature: the longest makes it all but linear."""

WIDER_SIZES: Final = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5)
WIDER_SIGNALS: Final = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
WIDER_DISCREPANCIES: Final = (0.01, 0.1, 0.5)
WIDER_LENGTHS: Final = (0.04, 8.0)
"""The lists of the richer priors, by which declared ones are checked."""
BEYOND: Final = (3.0, 10.0, 100.0)
"""Independent designs of a richer prior have sizes that are so many times the largest declared one."""

_SHAPES: Final = 32  # kernels of each kind: some with one length scale for all features, most with one for each
_ALIKE: Final = 6  # of which so many have one length scale for all
_SLOPE: Final = 1.0  # sd of a slope, as a multiple of the size
_LARGEST: Final = 1e30  # of sizes and length scales, whose squares are multiplied with each other
_INDEPENDENT: Final = 0.1  # what independent designs get of the weight beside features
_SOBOL: Final = (
    *(0, 573, 931, 977, 1000, 778, 373, 532, 148, 622, 4, 328, 981, 227, 696, 881, 248, 441, 596, 751, 439, 242, 37),
    *(305, 849, 620, 77, 54, 407, 802, 757, 399, 137, 724, 30, 422, 83, 1017, 1021, 361, 873, 702, 783, 577, 612, 47),
)  # Joe & Kuo 2008: the first five direction numbers of each feature, (m - 1) / 2 in 0, 1, 2, 3 and 4 bits


@dataclass(frozen=True, eq=False)
class Components:
    """G components as arrays, sizes in units."""

    shape: Indices  # (G,): the number of the shape; -1 for independent designs
    size: Floats  # (G,): s
    discrepancy: Floats  # (G,): tau
    log_weight: Floats  # (G,): logarithms of the prior weights, which sum to 1

    @property
    def largest(self) -> float:
        """The largest size, in units: differences that are many times larger contradict every component."""
        return float(max(self.size.max(), self.discrepancy.max()))

    def __len__(self) -> int:
        return len(self.shape)


class Prior(ABC):
    """Belief about K designs before any evaluation, alike and independent for every objective."""

    @property
    @abstractmethod
    def components(self) -> Components:
        """The mixture."""

    @property
    def independent(self) -> bool:
        """True if a value of one design tells nothing about the other designs."""
        return bool((self.components.shape < 0).all())

    @property
    @abstractmethod
    def words(self) -> str:
        """The prior, for a reader of results: what a promise is averaged over."""

    @property
    @abstractmethod
    def richer(self) -> Prior:
        """A wider prior, by which this one is checked: it should not have foretold the observations much better."""

    def check(self, n_designs: int) -> None:  # noqa: B027 - most priors fit every number
        """Refuse a number of designs that is not the number of rows of features."""

    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        """Return R, kernel and trend, of some designs, (rows, columns)."""
        return np.zeros((len(rows), len(columns)))

    def diagonal(self, shape: int, designs: Indices) -> Floats:
        """Return the diagonal of R, (designs,)."""
        return np.zeros(len(designs))

    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        """Return the variance of the difference of two designs under R, pair by pair, (pairs,)."""
        return np.zeros(len(first))


@dataclass(frozen=True)
class Independent(Prior):
    """Designs that have nothing to do with each other: normal around a common level, with one of several sizes.

    >>> len(Independent().components)
    7
    """

    sizes: tuple[float, ...] = field(default=SIZES, kw_only=True)
    """In units: multiples of epsilon (of the noise where that is unknown)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", _positive(self.sizes, "sizes"))

    @property
    def components(self) -> Components:
        return _independent(self.sizes, 1.0)

    @property
    def words(self) -> str:
        return f"independent normal designs of {counted(len(self.sizes), 'size')}"

    @property
    def richer(self) -> Prior:
        return Independent(sizes=(*WIDER_SIZES, *_beyond(self.components, WIDER_SIZES)))


@dataclass(frozen=True, eq=False)
class _Featured(Prior):
    """A prior that depends on features of the designs."""

    features: Any
    """As they were given; kept as numbers (`table`)."""
    orders: Mapping[str, Sequence[Any]] | None = field(default=None, kw_only=True)
    sizes: tuple[float, ...] = field(default=SIGNALS, kw_only=True)
    discrepancies: tuple[float, ...] = field(default=DISCREPANCIES, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", _positive(self.sizes, "sizes"))
        object.__setattr__(self, "discrepancies", _positive(self.discrepancies, "discrepancies"))
        # A copy, so that later changes of the caller's table do not matter.
        table = self.features if isinstance(self.features, Encoded) else encoded(self.features, self.orders)
        object.__setattr__(self, "features", table)

    @property
    def table(self) -> Encoded:
        """The features as numbers."""
        assert isinstance(self.features, Encoded)
        return self.features

    def check(self, n_designs: int) -> None:
        if self.table.n_designs != n_designs:
            raise InputError(
                f"features describe {self.table.n_designs} designs, but there are {n_designs}: give one row a design."
            )

    @cached_property
    def richer(self) -> Prior:
        return _Richer(
            self.table,
            sizes=WIDER_SIGNALS,
            discrepancies=WIDER_DISCREPANCIES,
            between=WIDER_LENGTHS,
            apart=(*SIZES, *_beyond(self.components, SIZES)),
        )

    @property
    def apart(self) -> tuple[float, ...]:
        """Sizes of the independent designs."""
        return SIZES

    @cached_property
    def _trend(self) -> Floats:
        """(K, H): the features around their middle, times the size of a slope."""
        return np.asarray(_SLOPE * (self.table.values - 0.5))

    def diagonal(self, shape: int, designs: Indices) -> Floats:
        return np.asarray(self._at_zero + (self._trend[designs] ** 2).sum(axis=1))

    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        return np.asarray(((self._trend[first] - self._trend[second]) ** 2).sum(axis=1))

    _at_zero: ClassVar[float] = 1.0  # a kernel at a distance of 0

    @property
    @abstractmethod
    def n_shapes(self) -> int:
        """The number of shapes R."""

    @cached_property
    def components(self) -> Components:
        """Every shape with every size and every discrepancy; and independent designs."""
        shape, size, share = (
            part.ravel() for part in np.meshgrid(range(self.n_shapes), self.sizes, self.discrepancies, indexing="ij")
        )
        even = np.full(len(shape), np.log((1 - _INDEPENDENT) / len(shape)))
        other = _independent(self.apart, _INDEPENDENT)
        return Components(
            read_only(np.concatenate([shape.astype(np.intp), other.shape])),
            read_only(np.concatenate([size, other.size])),
            read_only(np.concatenate([size * share, other.discrepancy])),
            read_only(np.concatenate([even, other.log_weight])),
        )


@dataclass(frozen=True, eq=False)
class Linear(_Featured):
    """A linear trend in the features, and independent differences that it leaves over.

    >>> Linear([[0.0], [0.5], [1.0]]).words
    'linear in 1 feature, with 12 sizes of trend and remainder, or independent designs'
    """

    _at_zero: ClassVar[float] = 0.0

    @property
    def n_shapes(self) -> int:
        return 1

    @property
    def words(self) -> str:
        features, pairs = counted(self.table.n_features, "feature"), len(self.sizes) * len(self.discrepancies)
        return f"linear in {features}, with {pairs} sizes of trend and remainder, or independent designs"

    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        return np.asarray(self._trend[rows] @ self._trend[columns].T)


@dataclass(frozen=True, eq=False)
class Smooth(_Featured):
    """Designs with similar features have similar values: Gaussian processes with a linear trend, many of them at once.

    `kernels` are kinds ("matern52", "squared"), each with a list of length scales a feature; nothing is fitted.

    >>> len(Smooth([[0.0, 1.0], [0.5, 3.0], [1.0, 2.0]]).components)
    775
    """

    kernels: tuple[str, ...] = field(default=KERNELS, kw_only=True)
    between: tuple[float, float] = field(default=LENGTHS, kw_only=True)
    """The shortest and the longest length scale, where 1 is the range of a feature."""

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = (self.kernels,) if isinstance(self.kernels, str) else self.kernels or ()
        if not isinstance(kinds, Iterable):
            raise InputError(f"kernels must be a list of {' and '.join(KERNELS)}, or one of them, got {shown(kinds)}.")
        kinds = tuple(kinds)
        if not kinds:
            raise InputError(f"kernels is empty: name at least one of {', '.join(KERNELS)}.")
        stranger = next((kind for kind in kinds if kind not in KERNELS), None)
        if stranger is not None:
            raise InputError(f"no kernel is called {shown(stranger)}; there are {', '.join(KERNELS)}.")
        object.__setattr__(self, "kernels", kinds)
        between = _positive(self.between, "between")
        if len(between) != 2 or between[0] >= between[1]:
            raise InputError(f"between must be a shortest and a longest length scale, got {shown(self.between)}.")
        object.__setattr__(self, "between", between)

    @cached_property
    def lengths(self) -> Floats:
        """(shapes of one kind, F): length scales, spread evenly in logarithms."""
        return length_scales(self.table.n_features, self.between)

    @property
    def n_shapes(self) -> int:
        return len(self.kernels) * len(self.lengths)

    @property
    def words(self) -> str:
        return (
            f"a mixture of {len(self.components)} Gaussian processes in {counted(self.table.n_features, 'feature')} "
            f"({', '.join(self.kernels)}, with a linear trend and independent differences), or independent designs"
        )

    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        kind, scale = self._kind(shape)
        square = (((self.table.values[first] - self.table.values[second]) / scale) ** 2).sum(axis=1)
        return super().difference(shape, first, second) + 2 * (1 - _KERNEL_OF[kind](square))

    def _kind(self, shape: int) -> tuple[str, Floats]:
        kind, which = divmod(shape, len(self.lengths))
        return self.kernels[kind], self.lengths[which][self.table.owner]

    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        """Return a kernel of the distance, with a length scale for each feature, and products of features."""
        from scipy.spatial.distance import cdist

        kind, scale = self._kind(shape)
        points = self.table.values / scale
        result = _KERNEL_OF[kind](cdist(points[rows], points[columns], "sqeuclidean"))
        result += self._trend[rows] @ self._trend[columns].T
        return result


@dataclass(frozen=True, eq=False)
class _Richer(Smooth):
    """The prior by which one with features is checked."""

    apart: tuple[float, ...] = field(default=SIZES, kw_only=True)


def _matern(square: Floats) -> Floats:
    root = np.sqrt(5 * square)
    result = root * root  # (1 + r + r^2 / 3) exp(-r), with few arrays of that size
    result /= 3
    result += root
    result += 1
    np.negative(root, out=root)
    result *= np.exp(root, out=root)
    return result


def _squared(square: Floats) -> Floats:
    return np.asarray(np.exp(-square / 2))


_KERNEL_OF: Final = {"matern52": _matern, "squared": _squared}  # kernels of squared distances


def length_scales(n_features: int, between: tuple[float, float] = LENGTHS) -> Floats:
    """Return length scales, (shapes, F): first equal ones for all features, then a sequence that fills the box evenly.

    >>> length_scales(1).shape, length_scales(3).shape
    ((12, 1), (32, 3))
    """
    low, high = np.log(between)
    if n_features == 1:
        return read_only(np.exp(np.linspace(low, high, 2 * _ALIKE))[:, None])
    alike = np.repeat(np.linspace(low, high, _ALIKE)[:, None], n_features, axis=1)
    return read_only(np.exp(np.vstack([alike, low + (high - low) * _evenly(_SHAPES - _ALIKE, n_features)])))


def _evenly(count: int, dim: int) -> Floats:
    """Return points 1 to `count` < 32 of Sobol's sequence in Gray code order; scipy.stats loads slowly."""
    if dim > len(_SOBOL):
        from scipy.stats import qmc

        with np.errstate(all="ignore"):
            return np.asarray(qmc.Sobol(dim, scramble=False).fast_forward(1).random(count))
    index, packed = np.arange(1, count + 1)[:, None], np.array(_SOBOL[:dim])
    points = np.zeros((count, dim), dtype=np.int64)
    for k in range(5):
        direction = (1 + 2 * (packed >> k * (k - 1) // 2 & 2**k - 1)) << 4 - k
        points ^= ((index ^ index >> 1) >> k & 1) * direction
    return points / 32


def _independent(sizes: Sequence[float], share: float) -> Components:
    count = len(sizes)
    return Components(
        read_only(np.full(count, -1, dtype=np.intp)),
        read_only(np.zeros(count)),
        read_only(np.array(sizes, dtype=np.float64)),
        read_only(np.full(count, np.log(share / count))),
    )


def _beyond(declared: Components, listed: Sequence[float]) -> tuple[float, ...]:
    """Return sizes beyond the largest declared one that are not listed.

    Without them no prior foretells values that are far larger than every size, and a check would notice nothing.
    """
    sizes = (min(times * declared.largest, _LARGEST) for times in BEYOND)
    return tuple(size for size in sizes if size not in listed)


def _positive(values: Any, name: str) -> tuple[float, ...]:
    array = np.atleast_1d(as_floats(values, name))
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all() or (array <= 0).any():
        raise InputError(f"{name} must be a list of numbers above 0, got {shown(values)}.")
    if array.max() > _LARGEST or array.min() < 1 / _LARGEST:
        raise InputError(f"{name} must lie between {1 / _LARGEST:g} and {_LARGEST:g}, got {shown(values)}.")
    return tuple(array.tolist())


KINDS: Final[dict[str, Any]] = {"smooth": Smooth, "linear": Linear, "independent": Independent}
"""The priors that have a name."""


def prior_of(kind: str, features: Any = None, **options: Any) -> Prior:
    """Return the prior of that kind; `features` are given as to `Smooth`, and left out for independent designs.

    >>> prior_of("independent").words
    'independent normal designs of 7 sizes'
    """
    chosen = KINDS[as_option(kind, "model", tuple(KINDS))]
    own = {one.name for one in fields(chosen)} - {"features"}
    stranger = next((key for key in options if key not in own), None)
    if stranger is not None:
        raise InputError(f"the model {kind!r} has no {shown(stranger)}; it has {', '.join(sorted(own))}.")
    if chosen is Independent:
        if features is not None:
            raise InputError("independent designs have no features: leave them out, or take the model 'smooth'.")
        return Independent(**options)
    if features is None:
        raise InputError(f"the model {kind!r} needs features of the designs: name their columns.")
    made: Prior = chosen(features, **options)
    return made


def prior_to_dict(prior: Prior) -> dict[str, Any]:
    """Return a prior with its encoded features; `prior_from_dict` reads it back to the same numbers, bit by bit."""
    kind = next((kind for kind, chosen in KINDS.items() if type(prior) is chosen), None)
    if kind is None:
        known = ", ".join(chosen.__name__ for chosen in KINDS.values())
        raise InputError(f"a model that is written down is one of {known}, got {type(prior).__name__}.")
    data: dict[str, Any] = {"kind": kind}
    for name in (one.name for one in fields(prior)):  # type: ignore[arg-type]
        value = getattr(prior, name)
        if isinstance(value, Encoded):
            own = vars(value).items()
            data["encoded"] = {part: [*one] if isinstance(one, tuple) else one.tolist() for part, one in own}
        elif isinstance(value, tuple):
            data[name] = list(value)
    return data


def prior_from_dict(data: Mapping[str, Any]) -> Prior:
    """Read what `prior_to_dict` wrote; the constructors check everything in it."""
    options = {key: value for key, value in data.items() if key not in ("kind", "encoded")}
    features = None if "encoded" not in data else _encoded(data["encoded"])
    return prior_of(data["kind"], features, **options)


def _encoded(data: Mapping[str, Any]) -> Encoded:
    values, owner, names, constant = (data[one.name] for one in fields(Encoded))
    table, places = as_floats(values, "features"), np.asarray(owner, dtype=np.intp)
    fits = table.ndim == 2 and places.shape == (table.shape[1],) and np.isfinite(table).all()
    if not fits or not len(table) or set(places.tolist()) != set(range(len(names))):
        raise InputError("the features of the model are damaged.")
    return Encoded(read_only(table), read_only(places), tuple(map(str, names)), tuple(map(str, constant)))
