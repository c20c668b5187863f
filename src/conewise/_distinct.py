"""Keep a small sample of the different values of each objective, and estimate the step in which they were recorded.

Recorded values are rounded, so three equal values do not show that there is no noise. The sample holds the values with
the smallest hashes. It does not depend on the order of the values or on their split into batches, and it holds all
different values while they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import is_not
from typing import Final

import numpy as np
from numpy.typing import NDArray

from conewise._arrays import Floats

KEPT: Final = 128
"""Different values of an objective that are kept."""
SAME: Final = 1e-7
"""Numbers closer than this share of the largest are the same number, perhaps in single and in double precision."""
_MOST: Final = 0.75  # share of the values that are multiples of a step, from one of them on, if they were rounded to it
_NEAR: Final = 0.02  # of a step: how far a multiple may be off, at most
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of splitmix64 (Steele et al. 2014)
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different values of each objective: at most `KEPT` of them, by hash."""

    columns: tuple[Floats, ...]
    """One array an objective, in the order of the hashes."""
    times: tuple[Floats, ...]
    """How often each of these values was seen."""

    @classmethod
    def nothing(cls, dim: int) -> Distinct:
        """No value seen."""
        return cls((np.empty(0),) * dim, (np.empty(0),) * dim)

    def add(self, values: Floats) -> Distinct:
        """Return the sample with the rows of an (n, D) array added."""
        return self.merge(Distinct(tuple(values.T + 0.0), (np.ones(len(values)),) * values.shape[1]))

    def merge(self, other: Distinct) -> Distinct:
        """Return the sample of all values of both, which must come from different evaluations."""
        mine, theirs = zip(self.columns, self.times, strict=True), zip(other.columns, other.times, strict=True)
        columns, times = zip(*map(_joined, mine, theirs), strict=True)
        return Distinct(columns, times) if any(map(is_not, columns, self.columns)) else self

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """(D,): how many different values are known, up to `KEPT`."""
        return np.array([len(values) for values, _ in self._merged], dtype=np.int64)

    @cached_property
    def resolution(self) -> Floats:
        """(D,): the step in which most values were recorded; 0 where there are no two."""
        return np.array([_step(*merged) for merged in self._merged])

    @cached_property
    def _merged(self) -> list[tuple[Floats, Floats]]:
        """The values of each objective, ascending, one for all that are the same, and how often each was seen."""
        found = []
        for column, times in zip(self.columns, self.times, strict=True):
            order = np.argsort(column)
            values = column[order]
            new = np.flatnonzero(np.diff(values, prepend=-np.inf) > SAME * np.abs(values).max(initial=0.0))
            found.append((values[new], np.add.reduceat(times[order], new) if len(new) else times))
        return found

    def __len__(self) -> int:
        return len(self.columns)


def _joined(ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the values with the smallest hashes of both, and how often they were seen."""
    if len(ours[0]) == KEPT:  # most values come too late to matter
        few = _hashes(theirs[0]) <= _hashes(ours[0][-1:])[0]
        theirs = theirs[0][few], theirs[1][few]
    if not len(theirs[0]):
        return ours
    found, place = np.unique(np.concatenate([ours[0], theirs[0]]), return_inverse=True)
    times = np.bincount(place, np.concatenate([ours[1], theirs[1]])).astype(np.float64)
    first = np.argsort(_hashes(found), kind="stable")[:KEPT]
    return found[first], times[first]


def _hashes(values: Floats) -> NDArray[np.uint64]:
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0: one zero
    with np.errstate(over="ignore"):
        for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
            bits = (bits ^ (bits >> shift)) * factor
    return bits ^ (bits >> _SHIFTS[2])


def _step(values: Floats, times: Floats) -> float:
    """Return the largest distance of neighbours that most values are multiples of, or the smallest distance."""
    if len(values) < 2:
        return 0.0
    often = values[times > 1]  # their neighbours count as well
    steps, starts = np.concatenate([np.diff(values), np.diff(often)]), np.concatenate([values[:-1], often[:-1]])
    off = (values - starts[:, None]) / steps[:, None]
    allowed = np.minimum(SAME * np.abs(values).max() / steps[:, None] * (1 + np.abs(off)), _NEAR)
    shared = (np.abs(off - np.round(off)) <= allowed) @ times >= _MOST * times.sum()
    return float(steps[shared].max(initial=steps.min()))
