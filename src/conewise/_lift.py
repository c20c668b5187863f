"""The norm of the smallest lift, f(b) = min{ |u| : W u >= b }, in closed form for a million b's at a time.

By duality f(b) = max{ l.b : l >= 0, |W'l| <= 1 }, attained on a linearly independent subset S of the rows:
f(b)^2 is the largest b_S' G_S^{-1} b_S over the subsets with G_S^{-1} b_S >= 0, where G_S = W_S W_S'
(docs/theory, section 2). The subsets depend on the cone alone, so they are tabulated once and
every evaluation is a fixed list of array operations on columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from conewise._arrays import Floats, Indices

TABLE_COST: Final = 120_000
"""Above this many operations a column the table is slower than one non-negative least squares a column."""

_CHUNK: Final = 1024  # columns a pass, always padded to this many: small enough for the cache, and no odd tail
_BLOCK: Final = 64  # subsets at a time, for the same reason
_INDEPENDENT: Final = 1e-8  # smallest singular value of a subset that counts as independent
_HUGE: Final = 1e40  # raises multipliers above every value, so that a minimum does the work of a mask
_ZERO: Final = 1e-20  # a multiplier this far below zero is zero (b is scaled to a largest entry of 1)


@dataclass(frozen=True)
class _Block:
    """Independent subsets of one size k, and what their values and their feasibility need.

    The multipliers G_S^{-1} b_S have the signs of b_a + sum_c (G_S^{-1})_ac / (G_S^{-1})_aa b_c; `signs` @ (b, 1)
    gives these sums, raised by _HUGE, first for the first members of all subsets, then for the second, and so on.
    A value is that of the subset without its last member (`parents`) plus `gains` times the last sum squared: a step
    of a Cholesky solve.
    """

    signs: Floats  # (k m, N + 1)
    gains: Floats  # (m, 1)
    parents: Indices  # (m,) positions among the subsets of size k - 1
    candidates: Indices | None  # positions that can attain the maximum; all of them when None


class Lift:
    """f for one cone: `norms(b)` and `vectors(b)` for b of shape (N, P), one problem a column."""

    def __init__(self, facets: Floats) -> None:
        self._facets = facets
        n, dim = facets.shape
        self.tabulated = sum(comb(n, k) * k * (n + 3) for k in range(1, min(n, dim) + 1)) <= TABLE_COST
        self._inverses = _independent_subsets(facets) if self.tabulated else {}
        self._for_any = _blocks(self._inverses, set(), n)
        self._for_non_negative = _blocks(self._inverses, _superfluous_for_non_negative(self._inverses), n)

    def norms(self, b: Floats, *, non_negative: bool = False) -> Floats:
        """F of every column; `non_negative=True` promises b >= 0 and is faster."""
        if not self.tabulated:
            return np.asarray(np.linalg.norm(self.vectors(b), axis=0))
        sizes = self._for_non_negative if non_negative else self._for_any
        result = np.empty(b.shape[1])
        raised = np.ones((b.shape[0] + 1, _CHUNK))
        for start in range(0, b.shape[1], _CHUNK):
            part = b[:, start : start + _CHUNK]
            width = part.shape[1]
            largest = np.maximum(part.max(axis=0), 0.0)
            raised[:-1, width:] = 0.0
            # f is positively homogeneous: with a largest entry of 1 nothing overflows or underflows.
            np.divide(part, np.where(largest > 0, largest, 1.0), out=raised[:-1, :width])
            # |w_n| = 1, so f(b) >= max b_n: also what keeps f > 0 exact wherever some b_n > 0.
            root = np.sqrt(_largest_value(raised, sizes)[:width])
            result[start : start + width] = np.maximum(root, 1.0) * largest
        return result

    def vectors(self, b: Floats) -> Floats:
        """The minimisers u, (D, P): the shortest vectors with W u >= b."""
        if not self.tabulated:
            return np.column_stack([_least_distance(self._facets, column) for column in b.T])
        best = np.zeros(b.shape[1])
        choice = np.full(b.shape[1], -1)
        for index, (members, inverse) in enumerate(self._inverses.items()):
            chosen = b[list(members)]
            multipliers = inverse @ chosen
            value = (multipliers * chosen).sum(axis=0)
            better = (multipliers >= 0).all(axis=0) & (value > best)
            best[better] = value[better]
            choice[better] = index
        result = np.zeros((self._facets.shape[1], b.shape[1]))
        subsets = list(self._inverses.items())
        for index in np.unique(choice[choice >= 0]):
            rows, columns = list(subsets[index][0]), np.flatnonzero(choice == index)
            result[:, columns] = self._facets[rows].T @ (subsets[index][1] @ b[np.ix_(rows, columns)])
        return result


def _largest_value(raised: Floats, sizes: list[list[_Block]]) -> Floats:
    """The largest b_S' G_S^{-1} b_S over feasible S, for each column of (b, 1)."""
    best = np.zeros(raised.shape[1])
    smaller = np.zeros((1, raised.shape[1]))
    for blocks in sizes:
        values: list[Floats] = []
        for block in blocks:
            members = (block.signs @ raised).reshape(-1, len(block.gains), raised.shape[1])
            value = members[-1] * members[-1]
            value *= block.gains
            value += smaller[block.parents]
            values.append(value)
            candidate = members[0]
            for other in members[1:]:
                np.minimum(candidate, other, out=candidate)
            np.minimum(candidate, value, out=candidate)
            if block.candidates is not None:
                candidate = candidate[block.candidates]
            if len(candidate):
                np.maximum(best, candidate.max(axis=0), out=best)
        smaller = values[0] if len(values) == 1 else np.concatenate(values)
    return best


def _independent_subsets(facets: Floats) -> dict[tuple[int, ...], Floats]:
    """G_S^{-1} for every linearly independent subset S of the rows, by size."""
    n, dim = facets.shape
    inverses: dict[tuple[int, ...], Floats] = {}
    for size in range(1, min(n, dim) + 1):
        members = np.array(list(combinations(range(n), size)))
        rows = facets[members]
        independent = np.linalg.svd(rows, compute_uv=False)[:, -1] > _INDEPENDENT
        for chosen, pseudo in zip(members[independent], np.linalg.pinv(rows[independent]), strict=True):
            inverse = pseudo.T @ pseudo  # (W_S W_S')^{-1} without squaring the condition number first
            inverse[np.abs(inverse) <= 8 * np.finfo(float).eps * np.abs(inverse).max()] = 0.0
            inverses[tuple(int(k) for k in chosen)] = inverse
    return inverses


def _superfluous_for_non_negative(inverses: dict[tuple[int, ...], Floats]) -> set[tuple[int, ...]]:
    """Subsets inside one that is feasible for every b >= 0 (no negative entry): its value is never smaller."""
    covered: set[tuple[int, ...]] = set()
    for members, inverse in inverses.items():
        if (inverse >= 0).all():
            for size in range(1, len(members)):
                covered.update(combinations(members, size))
    return covered


def _blocks(inverses: dict[tuple[int, ...], Floats], superfluous: set[tuple[int, ...]], n: int) -> list[list[_Block]]:
    """The subsets by size in blocks, without those that neither count nor lead to one that does."""
    wanted = {
        members[:size] for members in inverses if members not in superfluous for size in range(1, len(members) + 1)
    }
    sizes: list[list[_Block]] = []
    before: dict[tuple[int, ...], int] = {(): 0}
    for size in range(1, max(map(len, wanted), default=0) + 1):
        subsets = [members for members in inverses if len(members) == size and members in wanted]
        sizes.append(
            [
                _block(subsets[start : start + _BLOCK], inverses, superfluous, before, n)
                for start in range(0, len(subsets), _BLOCK)
            ]
        )
        before = {members: position for position, members in enumerate(subsets)}
    return sizes


def _block(
    subsets: list[tuple[int, ...]],
    inverses: dict[tuple[int, ...], Floats],
    superfluous: set[tuple[int, ...]],
    before: dict[tuple[int, ...], int],
    n: int,
) -> _Block:
    size = len(subsets[0])
    signs = np.zeros((size, len(subsets), n + 1))
    for column, members in enumerate(subsets):
        inverse = inverses[members]
        signs[:, column, members] = inverse / np.diag(inverse)[:, None]
    signs[:, :, n] = _ZERO
    gains = np.array([[inverses[members][-1, -1]] for members in subsets]) / _HUGE**2
    counting = [position for position, members in enumerate(subsets) if members not in superfluous]
    return _Block(
        signs.reshape(-1, n + 1) * _HUGE,
        gains,
        np.array([before[members[:-1]] for members in subsets]),
        None if len(counting) == len(subsets) else np.array(counting, dtype=np.intp),
    )


def _least_distance(facets: Floats, b: Floats) -> Floats:
    """argmin{ |u| : facets u >= b } by least distance programming (Lawson & Hanson 1974, chapter 23)."""
    from scipy.optimize import nnls

    largest = float(b.max())
    if largest <= 0:
        return np.zeros(facets.shape[1])
    system = np.vstack([facets.T, b / largest])
    target = np.zeros(len(system))
    target[-1] = 1.0
    multipliers, _ = nnls(system, target)
    residual = system @ multipliers - target
    u: Floats = -residual[:-1] / residual[-1] * largest
    return u
