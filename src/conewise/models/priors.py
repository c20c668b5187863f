"""Priors: finite mixtures of Gaussian components, declared before anything is seen and never fitted.

Every component is S = s^2 R + tau^2 I with a flat constant on top: R is the shape (a kernel of the features with a
linear trend), s the size of what features explain and tau the discrepancy, what they do not. Sizes are multiples of a
unit (epsilon, or the noise where that is unknown): a prior knows the scale on which answers are wanted, not the data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from conewise.border import Floats, Indices, as_floats, read_only
from conewise.errors import InputError, shown
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

_SHAPES: Final = 32  # kernels of each kind: some with one length scale for all features, most with one for each
_ALIKE: Final = 6  # of which so many have one length scale for all
_SLOPE: Final = 1.0  # sd of a slope, as a multiple of the size
_REMEMBERED: Final = 512  # designs of which all correlations are kept: 2 megabytes a kernel at most
_LARGEST: Final = 1e30  # of sizes and length scales, whose squares are multiplied with each other
_INDEPENDENT: Final = 0.1  # what independent designs get of the weight beside features


@dataclass(frozen=True, eq=False)
class Components:
    """G components as arrays, sizes in units."""

    shape: Indices
    """(G,): which shape; -1 for independent designs."""
    size: Floats
    """(G,): s"""
    discrepancy: Floats
    """(G,): tau"""
    log_weight: Floats
    """(G,): logarithms of the prior weights, which sum to 1."""

    def __len__(self) -> int:
        return len(self.shape)

    def only(self, which: Indices) -> Components:
        """Some of them, with the weights that they have here."""
        return Components(self.shape[which], self.size[which], self.discrepancy[which], self.log_weight[which])


class Prior(ABC):
    """What is believed of K designs before any evaluation, the same and independently for every objective."""

    @property
    @abstractmethod
    def components(self) -> Components:
        """The mixture."""

    @property
    def independent(self) -> bool:
        """Whether designs say nothing about each other."""
        return bool((self.components.shape < 0).all())

    @property
    @abstractmethod
    def words(self) -> str:
        """The prior, for a reader of results: what a promise is averaged over."""

    @property
    @abstractmethod
    def richer(self) -> Prior:
        """A wider prior, by which this one is checked: it should not have foretold the observations much better."""

    @abstractmethod
    def check(self, n_designs: int) -> None:
        """Refuse another number of designs than features describe."""

    @abstractmethod
    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        """(rows, columns): R, kernel and trend, of some designs."""

    @abstractmethod
    def diagonal(self, shape: int, designs: Indices) -> Floats:
        """(designs,): the diagonal of R."""

    @abstractmethod
    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        """(pairs,): the variance of the difference of two designs under R, pair by pair."""


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
        """One a size, evenly weighted."""
        return _independent(self.sizes, 1.0)

    @property
    def words(self) -> str:
        """The prior, for a reader of results."""
        count = len(self.sizes)
        return f"independent normal designs of {count} size{'s' if count > 1 else ''}"

    @property
    def richer(self) -> Prior:
        """With more sizes."""
        return Independent(sizes=WIDER_SIZES)

    def check(self, n_designs: int) -> None:
        """Fits every number of designs."""

    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        """None of them has one."""
        return np.zeros((len(rows), len(columns)))

    def diagonal(self, shape: int, designs: Indices) -> Floats:
        """None of them has one."""
        return np.zeros(len(designs))

    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        """None of them has one."""
        return np.zeros(len(first))


@dataclass(frozen=True, eq=False)
class _Featured(Prior):
    """A prior that knows features of the designs."""

    features: Any
    """As they were given; kept as numbers (`table`)."""
    orders: Mapping[str, Sequence[Any]] | None = field(default=None, kw_only=True)
    sizes: tuple[float, ...] = field(default=SIGNALS, kw_only=True)
    discrepancies: tuple[float, ...] = field(default=DISCREPANCIES, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", _positive(self.sizes, "sizes"))
        object.__setattr__(self, "discrepancies", _positive(self.discrepancies, "discrepancies"))
        # A copy: what the caller does to theirs later does not matter.
        table = self.features if isinstance(self.features, Encoded) else encoded(self.features, self.orders)
        object.__setattr__(self, "features", table)

    @property
    def table(self) -> Encoded:
        """The features as numbers."""
        assert isinstance(self.features, Encoded)
        return self.features

    def check(self, n_designs: int) -> None:
        """One row of features a design."""
        if self.table.n_designs != n_designs:
            raise InputError(
                f"features describe {self.table.n_designs} designs, but there are {n_designs}: give one row a design."
            )

    @cached_property
    def richer(self) -> Prior:
        """Shorter length scales, more sizes and larger remainders."""
        return Smooth(self.table, sizes=WIDER_SIGNALS, discrepancies=WIDER_DISCREPANCIES, between=WIDER_LENGTHS)

    @cached_property
    def _trend(self) -> Floats:
        """(K, H): the features around their middle, times the size of a slope."""
        return np.asarray(_SLOPE * (self.table.values - 0.5))

    def diagonal(self, shape: int, designs: Indices) -> Floats:
        """A kernel is 1 at a distance of 0; and the trend."""
        return np.asarray(self._at_zero + (self._trend[designs] ** 2).sum(axis=1))

    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        """What the trend says of two designs."""
        return np.asarray(((self._trend[first] - self._trend[second]) ** 2).sum(axis=1))

    _at_zero: ClassVar[float] = 1.0

    @property
    @abstractmethod
    def n_shapes(self) -> int:
        """How many shapes R there are."""

    @cached_property
    def components(self) -> Components:
        """Every shape with every size and every discrepancy; and independent designs."""
        shape, size, share = (
            part.ravel() for part in np.meshgrid(range(self.n_shapes), self.sizes, self.discrepancies, indexing="ij")
        )
        even = np.full(len(shape), np.log((1 - _INDEPENDENT) / len(shape)))
        other = _independent(SIZES, _INDEPENDENT)
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
        """The trend alone."""
        return 1

    @property
    def words(self) -> str:
        """The prior, for a reader of results."""
        pairs = len(self.sizes) * len(self.discrepancies)
        return f"linear in {_counted(self.table)}, with {pairs} sizes of trend and remainder, or independent designs"

    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        """Products of features."""
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
        """Kinds times length scales."""
        return len(self.kernels) * len(self.lengths)

    @property
    def words(self) -> str:
        """The prior, for a reader of results."""
        return (
            f"a mixture of {len(self.components)} Gaussian processes in {_counted(self.table)} "
            f"({', '.join(self.kernels)}, with a linear trend and independent differences), or independent designs"
        )

    def difference(self, shape: int, first: Indices, second: Indices) -> Floats:
        """What kernel and trend say of two designs."""
        kind, scale = self._kind(shape)
        square = (((self.table.values[first] - self.table.values[second]) / scale) ** 2).sum(axis=1)
        return super().difference(shape, first, second) + 2 * (1 - KERNEL_OF[kind](square))

    def _kind(self, shape: int) -> tuple[str, Floats]:
        kind, which = divmod(shape, len(self.lengths))
        return self.kernels[kind], self.lengths[which][self.table.owner]

    def correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        """A kernel of the distance, each feature measured in its length scale, and products of features."""
        if self.table.n_designs > _REMEMBERED:
            return self._correlation(shape, rows, columns)
        if shape not in self._known:
            everyone = np.arange(self.table.n_designs)
            self._known[shape] = read_only(self._correlation(shape, everyone, everyone))
        return np.asarray(self._known[shape][rows].take(columns, axis=1))

    @cached_property
    def _known(self) -> dict[int, Floats]:
        """Correlations of all designs, where they are few: saves time, changes nothing."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_known", "richer")}

    def _correlation(self, shape: int, rows: Indices, columns: Indices) -> Floats:
        kind, scale = self._kind(shape)
        if rows is columns:
            result = _symmetric(KERNEL_OF[kind], self.table.values[rows] / scale)
        else:
            a, b = self.table.values[rows] / scale, self.table.values[columns] / scale
            square = (-2 * a) @ b.T
            square += (a * a).sum(axis=1)[:, None]
            square += (b * b).sum(axis=1)
            np.maximum(square, 0.0, out=square)
            result = KERNEL_OF[kind](square)
        result += self._trend[rows] @ self._trend[columns].T
        return result


def _symmetric(kernel: Callable[[Floats], Floats], points: Floats) -> Floats:
    """(n, n): a kernel of the distances between points, each pair worked out once."""
    from scipy.spatial.distance import pdist, squareform

    if len(points) < 2:
        return np.ones((len(points), len(points)))
    result = squareform(kernel(pdist(points, "sqeuclidean")), checks=False)
    result[np.diag_indices(len(points))] = 1.0
    return np.asarray(result)


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


KERNEL_OF: Final = {"matern52": _matern, "squared": _squared}
"""Kernels of squared distances."""


def length_scales(n_features: int, between: tuple[float, float] = LENGTHS) -> Floats:
    """(shapes, F): some scales for all features alike, others one for each, from a sequence that fills the box evenly.

    >>> length_scales(1).shape, length_scales(3).shape
    ((12, 1), (32, 3))
    """
    low, high = np.log(between)
    if n_features == 1:
        return read_only(np.exp(np.linspace(low, high, 2 * _ALIKE))[:, None])
    from scipy.stats import qmc

    alike = np.repeat(np.linspace(low, high, _ALIKE)[:, None], n_features, axis=1)
    with np.errstate(all="ignore"):
        points = qmc.Sobol(n_features, scramble=False).fast_forward(1).random(_SHAPES - _ALIKE)
    return read_only(np.exp(np.vstack([alike, low + (high - low) * points])))


def _independent(sizes: Sequence[float], share: float) -> Components:
    count = len(sizes)
    return Components(
        read_only(np.full(count, -1, dtype=np.intp)),
        read_only(np.zeros(count)),
        read_only(np.array(sizes, dtype=np.float64)),
        read_only(np.full(count, np.log(share / count))),
    )


def _positive(values: Any, name: str) -> tuple[float, ...]:
    array = np.atleast_1d(as_floats(values, name))
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all() or (array <= 0).any():
        raise InputError(f"{name} must be a list of numbers above 0, got {shown(values)}.")
    if array.max() > _LARGEST or array.min() < 1 / _LARGEST:
        raise InputError(f"{name} must lie between {1 / _LARGEST:g} and {_LARGEST:g}, got {shown(values)}.")
    return tuple(array.tolist())


def _counted(table: Encoded) -> str:
    return f"{table.n_features} feature{'' if table.n_features == 1 else 's'}"
