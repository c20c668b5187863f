"""How finely an objective was recorded: a small sample of its different values, and the smallest step between them.

Recorded values are rounded, and three equal values do not mean that there is no noise. What is kept of each objective
are the different values with the smallest hashes: the same for any order and any split of the same values, all of them
while they are few, and a fair sample of them after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from conewise._arrays import Floats

KEPT: Final = 128
"""Different values of an objective that are kept."""
_SAME: Final = 1e-9  # values closer than this share of the largest one differ by arithmetic alone
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of splitmix64 (Steele et al. 2014)
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different values of each objective: at most `KEPT` of them, by hash."""

    columns: tuple[Floats, ...]
    """One array an objective, in the order of the hashes."""

    @classmethod
    def nothing(cls, dim: int) -> Distinct:
        """No value seen."""
        return cls((np.empty(0),) * dim)

    def add(self, values: Floats) -> Distinct:
        """With the rows of an (n, D) array."""
        return Distinct(tuple(_joined(ours, values[:, d]) for d, ours in enumerate(self.columns)))

    def merge(self, other: Distinct) -> Distinct:
        """What either has seen."""
        both = zip(self.columns, other.columns, strict=True)
        return Distinct(tuple(a if a is b else _joined(a, b) for a, b in both))

    @property
    def numbers(self) -> NDArray[np.int64]:
        """(D,): how many different values are known, up to `KEPT`."""
        return np.array([1 + len(_steps(column)) if len(column) else 0 for column in self.columns], dtype=np.int64)

    @property
    def resolution(self) -> Floats:
        """(D,): the smallest step between two values; 0 where there are no two."""
        steps = (_steps(column) for column in self.columns)
        return np.array([float(step.min()) if len(step) else 0.0 for step in steps])

    def __len__(self) -> int:
        return len(self.columns)


def _joined(ours: Floats, values: Floats) -> Floats:
    """The values with the smallest hashes of both."""
    hashes = _hashes(values)
    if len(ours) == KEPT:  # most values come too late to matter
        values = values[hashes < _hashes(ours[-1:])[0]]
        if not len(values):
            return ours
    found = np.unique(np.concatenate([ours, values + 0.0]))
    return found[np.argsort(_hashes(found), kind="stable")[:KEPT]]


def _hashes(values: Floats) -> NDArray[np.uint64]:
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0: one zero
    with np.errstate(over="ignore"):
        for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
            bits = (bits ^ (bits >> shift)) * factor
    return bits ^ (bits >> _SHIFTS[2])


def _steps(column: Floats) -> Floats:
    steps = np.diff(np.sort(column))
    return np.asarray(steps[steps > _SAME * np.abs(column).max(initial=0.0)])
