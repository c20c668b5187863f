"""Keep a small sample of the distinct values of each objective, and estimate the step they were recorded in.

Recorded values are rounded, so three equal values do not show that there is no noise. The sample keeps the values with
the smallest hashes, or all distinct values if they are few. It does not depend on the order of the values or on their
batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_not
from typing import Final

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats

KEPT: Final = 128
"""Number of distinct values kept for each objective."""
SAME: Final = 1e-7
"""Numbers closer than this share of the largest count as equal: one may be in single precision."""
_MOST: Final = 0.75  # least share of values on a common grid for the grid's step to count as the recording step
_NEAR: Final = 0.02  # largest distance from the grid, in steps
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of splitmix64 (Steele et al. 2014)
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


@dataclass(frozen=True, eq=False)
class Distinct:
    """Sample of the distinct values of each objective, at most `KEPT` of them, chosen by hash."""

    columns: tuple[Floats, ...]
    """One array for each objective, sorted by hash."""
    times: tuple[Floats, ...]
    """How often each value of `columns` was seen."""

    @classmethod
    def nothing(cls, dim: int) -> Distinct:
        """Return an empty sample for `dim` objectives."""
        return cls((np.empty(0),) * dim, (np.empty(0),) * dim)

    def add(self, values: Floats) -> Distinct:
        """Return the sample with the rows of an (n, D) array added."""
        return self.merge(Distinct(tuple(values.T + 0.0), (np.ones(len(values)),) * values.shape[1]))

    def merge(self, other: Distinct) -> Distinct:
        """Return the sample of all values of both samples, which must come from different evaluations."""
        mine, theirs = zip(self.columns, self.times, strict=True), zip(other.columns, other.times, strict=True)
        columns, times = zip(*map(_smallest_hashes, mine, theirs), strict=True)
        return Distinct(columns, times) if any(map(is_not, columns, self.columns)) else self

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """Number of distinct values of each objective, at most `KEPT`, (D,)."""
        return np.array([len(values) for values, _ in self._merged], dtype=np.int64)

    def steps(self, apart: Sequence[Floats] = ()) -> tuple[Floats, Bools]:
        """Return the step of each objective, (D,), and whether values show it; else it is their smallest gap.

        `apart` holds for each objective the largest step which the values of each design that varies allow, ascending.
        By default no design varies.
        """
        shares = [float(_hashes(own[-1:])[0]) / 2**64 if len(own) == KEPT else 1.0 for own in self.columns]
        each = zip(self._merged, apart or (np.empty(0),) * len(self), shares, strict=True)
        steps, shown = zip(*(_recording_step(*merged, own, share) for merged, own, share in each), strict=True)
        return np.array(steps), np.array(shown, dtype=bool)

    @cached_property
    def _merged(self) -> list[tuple[Floats, Floats]]:
        """Ascending values of each objective, nearly equal ones merged, and how often each was seen."""
        found = []
        for column, times in zip(self.columns, self.times, strict=True):
            order = np.argsort(column)
            values = column[order]
            new = np.flatnonzero(np.diff(values, prepend=-np.inf) > SAME * np.abs(values).max(initial=0.0))
            found.append((values[new], np.add.reduceat(times[order], new) if len(new) else times))
        return found

    def __len__(self) -> int:
        return len(self.columns)

    def __getstate__(self) -> dict[str, object]:
        return {"columns": self.columns, "times": self.times}  # nothing that was only computed from them


def _smallest_hashes(ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the values of both samples with the smallest hashes, and how often each was seen."""
    if len(ours[0]) == KEPT:  # most new values have hashes too large to be kept
        few = _hashes(theirs[0]) <= _hashes(ours[0][-1:])[0]
        theirs = theirs[0][few], theirs[1][few]
    if not len(theirs[0]):
        return ours
    found, place = np.unique(np.concatenate([ours[0], theirs[0]]), return_inverse=True)
    times = np.bincount(place, np.concatenate([ours[1], theirs[1]])).astype(np.float64)
    first = np.argsort(_hashes(found), kind="stable")[:KEPT]
    return found[first], times[first]


def _hashes(values: Floats) -> NDArray[np.uint64]:
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0
    with np.errstate(over="ignore"):
        for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
            bits = (bits ^ (bits >> shift)) * factor
    return bits ^ (bits >> _SHIFTS[2])


def _recording_step(values: Floats, times: Floats, apart: Floats, kept: float) -> tuple[float, bool]:
    """Return the largest gap between neighbours that is the step of most values, or of those seen too often.

    `kept` is the share of all different values that the sample holds.
    """
    if len(values) < 2:
        return 0.0, False
    steps = _shared(values, times, SAME, apart, 0.5)
    gap = max(steps, default=float(np.diff(values).min()))
    # About as many pairs of n normal values are equal by chance, recorded in steps of `gap`.
    centre = np.average(values, weights=times)
    deviation = np.sqrt(np.average((values - centre) ** 2, weights=times))
    chance = times.sum() ** 2 / (2 * kept) * min(gap / (deviation * 2 * np.sqrt(np.pi)), 1.0)
    if len(apart) and (times * (times - 1) / 2).sum() > 2 * chance + 1:
        often = times > 1
        steps += _shared(values[often], times[often], _NEAR, apart, 0.0)
    return float(max(steps, default=gap)), bool(steps)


def _shared(values: Floats, times: Floats, tolerance: float, apart: Floats, share: float) -> list[float]:
    """Return the gaps of which most values are multiples, and which more than a share of varying designs allow."""
    often = values[times > 1]  # gaps between repeated values are candidates too
    steps, starts = np.concatenate([np.diff(values), np.diff(often)]), np.concatenate([values[:-1], often[:-1]])
    off = (values - starts[:, None]) / steps[:, None]
    allowed = np.minimum(tolerance * np.abs(values).max(initial=0.0) / steps[:, None] * (1 + np.abs(off)), _NEAR)
    most = (np.abs(off - np.round(off)) <= allowed) @ times >= _MOST * times.sum()
    varying, agree = (len(apart) - np.searchsorted(apart, part * steps) for part in (_NEAR, 1 - _NEAR))
    return [float(step) for step in steps[most & ((varying == 0) | (agree > share * varying))]]
