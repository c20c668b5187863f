"""Define what to evaluate (Pulls), what came back (Observations), and what is kept of it (Statistics)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conewise.border import (
    ROUNDING,
    Floats,
    Indices,
    as_choice,
    as_count,
    as_floats,
    check_finite,
    check_sums,
    read_only,
)
from conewise.data import sums as exact
from conewise.data.resolution import Distinct
from conewise.errors import InputError, counted

Counts = NDArray[np.int64]

LARGEST_OBSERVED: Final = 2.0**400
"""Observations beyond this are refused: sums of their squares could overflow, and an average would silently be NaN."""


_ZERO: Final = np.zeros(())
_SCATTER_SLACK: Final = 1e-9  # relative, for the rounding of matrix products


@dataclass(frozen=True, eq=False)
class Pulls:
    """Designs to evaluate, in this order, and how many times each.

    >>> Pulls([0, 2], [5, 1])
    Pulls(6 evaluations of 2 designs)
    """

    designs: Indices
    counts: Counts

    def __init__(self, designs: ArrayLike, counts: ArrayLike | None = None) -> None:
        chosen = _as_whole(designs, "designs")
        times = np.ones(len(chosen), dtype=np.int64) if counts is None else _as_whole(counts, "counts")
        if chosen.shape != times.shape:
            raise InputError(f"designs and counts must be as long as each other, got {len(chosen)} and {len(times)}.")
        if (times < 1).any():
            raise InputError("every count of a pull must be at least 1; leave out designs that are not evaluated.")
        if (chosen < 0).any():
            raise InputError(f"designs are numbered from 0, got {chosen.min()}.")
        self.__dict__.update(designs=read_only(chosen.astype(np.intp)), counts=read_only(times))

    @classmethod
    def each(cls, times: Counts, most: int | None = None) -> Pulls:
        """Return the pulls for `times` (K,) evaluations of each design, at most `most` in all; nothing is checked.

        >>> Pulls.each(np.array([5, 0, 3]), most=6).counts.tolist()
        [5, 1]
        """
        designs, pulls = np.flatnonzero(times), object.__new__(cls)
        pulls.__dict__.update(designs=read_only(designs), counts=read_only(times[designs]))
        return pulls.first(most)

    @property
    def total(self) -> int:
        """Number of evaluations."""
        return int(self.counts.sum())

    def first(self, most: int | None) -> Pulls:
        """Return the first `most` of these evaluations; all of them for None.

        >>> Pulls([0, 2], [5, 3]).first(6).counts.tolist()
        [5, 1]
        """
        if most is None or self.total <= (most := as_count(most, "most")):
            return self
        before = np.cumsum(self.counts) - self.counts
        times = np.minimum(self.counts, most - before)
        return Pulls(self.designs[times > 0], times[times > 0])

    def __repr__(self) -> str:
        return f"Pulls({_words(self.total, self.designs)})"


@dataclass(frozen=True, eq=False)
class Observations:
    """Observations: for each entry a design, how many evaluations it sums up, their mean and their scatter.

    A single evaluation has count 1, its value as the mean and no scatter; `Observations.single(designs, values)` makes
    these. An entry may stand for many evaluations, so that a simulator can draw the mean of a million in one step.
    """

    designs: Indices
    counts: Counts
    means: Floats
    """Means of the entries, (M, D)."""
    scatters: Floats
    """Sums of outer products of deviations from the entry's own mean, (M, D, D)."""

    def __init__(
        self, designs: ArrayLike, means: ArrayLike, counts: ArrayLike | None = None, scatters: ArrayLike | None = None
    ) -> None:
        pulls = Pulls(designs, counts)
        values = as_floats(means, "values")
        if values.ndim != 2 or len(values) != len(pulls.designs):
            raise InputError(
                f"values must have shape ({len(pulls.designs)}, D), one row an entry of designs, got {values.shape}."
            )
        check_finite(values, "values")
        check_sums(values, "values", LARGEST_OBSERVED)
        shape = (*values.shape, values.shape[1])
        if scatters is None:
            scatter: Floats = np.broadcast_to(_ZERO, shape)  # read-only, and takes no memory
        else:
            scatter = read_only(as_floats(scatters, "scatters").copy())
            if scatter.shape != shape or not np.isfinite(scatter).all():
                raise InputError(f"scatters must be finite with shape {shape}, got {scatter.shape}.")
            _check_scatters(scatter, values, pulls.counts)
        means = read_only(values.copy())
        self.__dict__.update(designs=pulls.designs, counts=pulls.counts, means=means, scatters=scatter)

    @classmethod
    def single(cls, designs: ArrayLike, values: ArrayLike) -> Observations:
        """Return observations of one evaluation an entry, from designs (n,) and values (n, D)."""
        return cls(designs, values)

    def chosen(self, entries: Indices, designs: Indices) -> Observations:
        """Return some entries with their designs renumbered; nothing is checked again."""
        part = object.__new__(Observations)
        found = {name: read_only(getattr(self, name)[entries]) for name in ("counts", "means", "scatters")}
        part.__dict__.update(found, designs=read_only(designs))
        return part

    def __len__(self) -> int:
        return len(self.designs)

    def __repr__(self) -> str:
        return f"Observations({_words(int(self.counts.sum()), self.designs)})"


@dataclass(frozen=True, eq=False)
class Statistics:
    """Counts, sums and scatters of all observations so far, one row a design. This is a value, never changed in place.

    Sums and second moments are kept in double-double arithmetic, so any split of the observations into batches, in any
    order, gives the same averages, and 10^9 evaluations lose nothing.

    >>> empty = Statistics.empty(n_designs=2, dim=1)
    >>> empty.add(Observations.single([0, 0, 1], [[1.0], [3.0], [5.0]])).means.tolist()
    [[2.0], [5.0]]
    """

    counts: Counts
    _totals: Floats
    """(2, K, D + D^2): sums, and sums of outer products, as pairs of numbers (see `sums`)."""
    distinct: Distinct
    """Sample of the distinct values of single evaluations, from which recording steps are estimated."""

    @classmethod
    def empty(cls, n_designs: int, dim: int) -> Statistics:
        """Return statistics without any observation."""
        k, dim = as_count(n_designs, "n_designs"), as_count(dim, "dim")
        return cls(read_only(np.zeros(k, dtype=np.int64)), np.zeros((2, k, dim + dim**2)), Distinct.nothing(dim))

    @property
    def n_designs(self) -> int:
        """Number of designs K."""
        return len(self.counts)

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return len(self.distinct)

    @property
    def evaluations(self) -> int:
        """Number of evaluations of all designs."""
        return int(self.counts.sum())

    @property
    def means(self) -> Floats:
        """Averages, (K, D); NaN for a design that was never evaluated."""
        return read_only(self.means_of(slice(None)))

    def means_of(self, designs: Indices | slice) -> Floats:
        """Return the averages of some designs, (m, D)."""
        high, low = self._averages(designs)
        result: Floats = high + low
        result[self.counts[designs] == 0] = np.nan
        return result

    def _averages(self, designs: Indices | slice) -> exact.Pair:
        times = np.maximum(self.counts[designs], 1).astype(np.float64)[:, None]
        return exact.over(self._totals[:, designs, : self.dim], times)

    @property
    def scatters(self) -> Floats:
        """Sums of outer products of deviations from the mean, (K, D, D); divided by counts - 1: the covariance."""
        high, low = self._averages(slice(None))
        # second moment - count * mean mean', all in pairs: cancellation costs bits that are there to spare
        high, low = exact.product(self._totals[:, :, : self.dim, None], (high[:, None, :], low[:, None, :]))
        moments = self._totals[:, :, self.dim :].reshape(2, *high.shape)
        high, low = exact.add(moments, (-high, -low))
        scatter = high + low
        diagonal = np.arange(self.dim)
        scatter[:, diagonal, diagonal] = np.maximum(scatter[:, diagonal, diagonal], 0.0)
        return read_only((scatter + np.swapaxes(scatter, 1, 2)) / 2)

    def check(self, observations: Observations) -> None:
        """Refuse observations of other designs or another number of objectives."""
        if not len(observations):
            return
        if (dim := observations.means.shape[1]) != self.dim:
            raise InputError(f"values have {counted(dim, 'objective')}, but there are {self.dim}.")
        if observations.designs.max() >= self.n_designs:
            raise InputError(
                f"design {observations.designs.max()} does not exist: designs are numbered 0 to {self.n_designs - 1}."
            )

    def of(self, designs: Indices) -> Statistics:
        """Return the statistics of some designs, in the given order."""
        return Statistics(read_only(self.counts[designs]), self._totals[:, designs], self.distinct)

    def replaced(self, designs: Indices, part: Statistics) -> Statistics:
        """Return statistics in which some designs have those of `part`."""
        counts, totals = self.counts.copy(), self._totals.copy()
        counts[designs], totals[:, designs] = part.counts, part._totals
        return Statistics(read_only(counts), totals, part.distinct)

    def add(self, observations: Observations) -> Statistics:
        """Return statistics with the observations added; refuse observations that do not fit."""
        self.check(observations)
        if not len(observations):
            return self
        means, times = observations.means, observations.counts.astype(np.float64)[:, None]
        high, low = exact.two_product(means, times)
        # sum of x x' = scatter + count * mean mean'
        outer = exact.product((high[:, :, None], low[:, :, None]), (means[:, None, :], _ZERO))
        moments = np.reshape(exact.add(outer, (observations.scatters, _ZERO)), (2, len(means), -1))
        touched, groups = np.unique(observations.designs, return_inverse=True)
        k = len(touched)
        added = np.zeros(k, dtype=np.int64)
        np.add.at(added, groups, observations.counts)
        totals = exact.sum_by_group(np.concatenate([(high, low), moments], axis=2), groups, k)
        part = self if k == self.n_designs else self.of(touched)
        part = part._plus(added, totals, self.distinct.add(means[observations.counts == 1]))
        return part if k == self.n_designs else self.replaced(touched, part)

    def merge(self, other: Statistics) -> Statistics:
        """Return the statistics of the observations of both; associative and commutative."""
        if (other.n_designs, other.dim) != (self.n_designs, self.dim):
            raise InputError("statistics of different designs or objectives cannot be merged.")
        return self._plus(other.counts, other._totals, self.distinct.merge(other.distinct))

    def _plus(self, counts: Counts, totals: exact.Pair, distinct: Distinct) -> Statistics:
        return Statistics(read_only(self.counts + counts), np.array(exact.add(self._totals, totals)), distinct)

    def __repr__(self) -> str:
        return f"Statistics({self.evaluations} evaluations of {self.n_designs} designs, {self.dim} objectives)"


def check_returned(pulls: Pulls, returned: object, dim: int) -> Observations:
    """Return what a problem returned for `pulls`; refuse anything but exactly these evaluations, in any order."""
    if not isinstance(returned, Observations):
        raise InputError(
            "problem.evaluate must return Observations(designs, means, counts, scatters) or "
            f"Observations.single(designs, values), got {type(returned).__name__}."
        )
    if len(returned) and returned.means.shape[1] != dim:
        raise InputError(f"problem.evaluate returned {counted(returned.means.shape[1], 'objective')}, not {dim}.")
    if np.array_equal(pulls.designs, returned.designs) and np.array_equal(pulls.counts, returned.counts):
        return returned
    designs, places = np.unique(np.append(pulls.designs, returned.designs), return_inverse=True)
    asked, came = np.zeros((2, len(designs)), dtype=np.int64)
    np.add.at(asked, places[: len(pulls.designs)], pulls.counts)
    np.add.at(came, places[len(pulls.designs) :], returned.counts)
    if len(wrong := np.flatnonzero(asked != came)):
        design = wrong[0]
        raise InputError(
            f"problem.evaluate was asked for {counted(asked[design])} of design {designs[design]} and returned "
            f"{came[design]:,}; return exactly what was asked for (designs are counted from 0), or raise an error."
        )
    return returned


def _check_scatters(scatters: Floats, means: Floats, counts: Counts) -> None:
    """Refuse what cannot be sums of products of deviations: diagonal, symmetry, and the Cauchy-Schwarz inequality.

    Rounding is allowed for: relative to the diagonal, and what a sum of squares minus the square of a sum loses.
    """
    check_sums(scatters, "scatters", LARGEST_OBSERVED**2)
    dim, share = scatters.shape[1], np.sqrt(ROUNDING * counts)
    squares, lost = [scatters[:, d, d] for d in range(dim)], [np.abs(column) * share for column in means.T]
    for d, (square, length) in enumerate(zip(squares, lost, strict=True)):
        if (negative := square < -(length**2)).any():
            entry = int(negative.argmax())
            raise InputError(
                f"scatters of entry {entry} (counted from 0) has {square[entry]:g} on its diagonal, for objective {d}; "
                "sums of squared deviations are never negative: pass no scatters if they are not known."
            )
    for first, second in combinations(range(dim), 2):  # pair by pair: no further (M, D, D) tables
        above, below = scatters[:, first, second], scatters[:, second, first]
        largest = np.sqrt(np.maximum(squares[first], 0.0)) * np.sqrt(np.maximum(squares[second], 0.0))
        slack = _SCATTER_SLACK * largest + lost[first] * lost[second]
        if (wrong := (np.maximum(abs(above), abs(below)) > largest + slack) | (abs(above - below) > slack)).any():
            entry = int(wrong.argmax())
            raise InputError(
                f"scatters of entry {entry} (counted from 0) has {above[entry]:g} and {below[entry]:g} for objectives "
                f"{first} and {second}, beside {squares[first][entry]:g} and {squares[second][entry]:g} on its "
                "diagonal; sums of products of deviations are symmetric, and at most the root of the product of these."
            )


def _as_whole(values: ArrayLike, name: str) -> NDArray[np.int64]:
    array = as_choice(values, name)
    if isinstance(values, set | frozenset) or array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"{name} must be a list of whole numbers, got {array.dtype} of shape {array.shape}.")
    return array.astype(np.int64)


def _words(evaluations: int, designs: Indices) -> str:
    """Return the number of evaluations and of different designs, in words."""
    different = len(np.unique(designs))
    return f"{evaluations} evaluation{'s' * (evaluations != 1)} of {different} design{'s' * (different != 1)}"
