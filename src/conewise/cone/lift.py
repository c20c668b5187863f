"""Compute the norm of the smallest lift, f(b) = min{ |u| : W u >= b }, in closed form for many b at once.

By duality f(b) = max{ l.b : l >= 0, |W'l| <= 1 }. The maximum is attained on a linearly independent subset S of the
rows: f(b)^2 is the largest b_S' G_S^{-1} b_S over the subsets with G_S^{-1} b_S >= 0, where G_S = W_S W_S'
(docs/theory, section 2). The subsets depend on the cone alone, so they are tabulated once. Every evaluation is then a
fixed list of array operations on columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.polyhedra import non_negative_least_squares

TABLE_COST: Final = 120_000
"""Operations a column above which the table is slower than solving one least-squares problem a column."""

_CHUNK: Final = 1024  # columns a pass: small enough for the cache
_PRODUCT: Final = 900_000  # OpenBLAS shares products of more than 10^6 multiplications among threads, at a loss here
_BLOCK: Final = 24  # subsets at a time, to stay below _PRODUCT
_INDEPENDENT: Final = 1e-8  # a subset counts as independent if its smallest singular value exceeds this
_HUGE: Final = 1e40  # scales multipliers above every value, so that a minimum acts as a mask
_FAR: Final = 1e12  # entries of b this far below zero never matter: |u| is at most a few times max(b) / DEGENERATE
_LONG: Final = 16.0  # a longer least-distance answer is computed again, in units of its length
_ZERO: Final = 1e-20  # a multiplier this far below zero is zero (b is scaled to a largest entry of 1)


@dataclass(frozen=True)
class _Size:
    """Independent subsets of one size k >= 2, prepared for computing their values and testing their feasibility.

    The multipliers G_S^{-1} b_S have the signs of b_a + sum_c (G_S^{-1})_ac / (G_S^{-1})_aa b_c: `signs` @ (b, 1),
    raised by _HUGE.

    The value of a subset is the value of the subset without its last member (`parents`) plus `gains` times the last sum
    squared. This is one step of a Cholesky solve.
    """

    signs: Floats  # (k, m, N + 1)
    gains: Floats  # (m, 1)
    parents: Indices  # (m,) positions among the subsets of size k - 1
    counts: Bools  # (m,) True for subsets that can attain the maximum


@dataclass(frozen=True)
class _Subset:
    """An independent subset S of k rows, with what is needed for the shortest u with W_S u = b_S."""

    members: Indices  # (k,)
    inverse: Floats  # (k, k): G_S^{-1}
    multipliers: Floats  # (k, k): `inverse` with each row divided by its diagonal entry, in units of b
    solve: Floats  # (D, k): u = solve @ b_S


class Lift:
    """Compute f for one cone: `norms(b)` and `vectors(b)` for b of shape (N, P), one problem a column."""

    def __init__(self, facets: Floats) -> None:
        self._facets = facets
        n, dim = facets.shape
        self.tabulated = sum(comb(n, k) * k * (n + 3) for k in range(1, min(n, dim) + 1)) <= TABLE_COST
        self._subsets = _independent_subsets(facets) if self.tabulated else []
        inverses = {tuple(subset.members.tolist()): subset.inverse for subset in self._subsets}
        self._chunk = _CHUNK
        while self._chunk * _BLOCK * (n + 1) > _PRODUCT:
            self._chunk //= 2
        self._for_any = _sizes(inverses, set(), n)
        self._for_non_negative = _sizes(inverses, _not_needed_if_non_negative(inverses), n)

    def norms(self, b: Floats, *, non_negative: bool = False) -> Floats:
        """Return f of every column. `non_negative=True` promises b >= 0 and is faster."""
        if not self.tabulated:
            return np.asarray(np.linalg.norm(self.vectors(b), axis=0))
        sizes = self._for_non_negative if non_negative else self._for_any
        result = np.empty(b.shape[1])
        # Padded to a power of two: with an odd tail the products of equal columns could round differently.
        chunk = min(self._chunk, 1 << max(4, (b.shape[1] - 1).bit_length()))
        raised = np.ones((b.shape[0] + 1, chunk))
        for start in range(0, b.shape[1], chunk):
            part = b[:, start : start + chunk]
            width = part.shape[1]
            largest = np.maximum(part.max(axis=0), 0.0)
            raised[:-1, width:] = 0.0
            if not non_negative:
                part = np.maximum(part, -_FAR * largest)
            # f is positively homogeneous: with a largest entry of 1 nothing overflows or underflows.
            np.divide(part, np.where(largest > 0, largest, 1.0), out=raised[:-1, :width])
            # |w_n| = 1, so a single row has the value b_n^2 <= 1. This also keeps f > 0 exact if some b_n > 0.
            root = np.sqrt(_largest_value(raised, sizes)[:width])
            result[start : start + width] = np.maximum(root, 1.0) * largest
        return result

    def vectors(self, b: Floats) -> Floats:
        """Return the minimisers u, (D, P): the shortest vectors with W u >= b.

        For every subset S the candidate is the shortest u with W_S u = b_S. The candidate that violates the optimality
        conditions least is returned. (Comparing lengths instead could be off by the root of a rounding error.)
        """
        result = np.zeros((self._facets.shape[1], b.shape[1]))
        if not self.tabulated:
            for target, column in zip(result.T, b.T, strict=True):
                target[:] = _least_distance(self._facets, column)
            return result
        violation = np.maximum(b.max(axis=0), 0.0)  # of u = 0, the answer of the empty subset
        for subset in self._subsets:
            chosen = b[subset.members]
            negative = -(subset.multipliers @ chosen).min(axis=0)
            columns = np.flatnonzero(negative < violation)
            if not len(columns):
                continue
            u = subset.solve @ chosen[:, columns]
            short = b[:, columns] - self._facets @ u
            worst = np.maximum(negative[columns], np.maximum(short.max(axis=0), -short[subset.members].min(axis=0)))
            better = worst < violation[columns]
            result[:, columns[better]] = u[:, better]
            violation[columns[better]] = worst[better]
        return result


def _largest_value(raised: Floats, sizes: list[_Size]) -> Floats:
    """Return the largest b_S' G_S^{-1} b_S over feasible S of two rows or more, for each column of (b, 1)."""
    best = np.zeros(raised.shape[1])
    smaller = raised[:-1] * raised[:-1]
    for size in sizes:
        values = np.empty((len(size.gains), raised.shape[1]))
        for start in range(0, len(values), _BLOCK):
            part = slice(start, start + _BLOCK)
            members = size.signs[:, part] @ raised
            values[part] = members[-1] * members[-1] * size.gains[part] + smaller[size.parents[part]]
            candidates = np.minimum(members.min(axis=0), values[part])[size.counts[part]]
            np.maximum(best, candidates.max(axis=0, initial=0.0), out=best)
        smaller = values
    return best


def _independent_subsets(facets: Floats) -> list[_Subset]:
    """Return every linearly independent subset S of the rows, sorted by size."""
    n, dim = facets.shape
    subsets: list[_Subset] = []
    for size in range(1, min(n, dim) + 1):
        members = np.array(list(combinations(range(n), size)))
        rows = facets[members]
        independent = np.linalg.svd(rows, compute_uv=False)[:, -1] > _INDEPENDENT
        for chosen, solve in zip(members[independent], np.linalg.pinv(rows[independent]), strict=True):
            inverse = solve.T @ solve  # (W_S W_S')^{-1} without squaring the condition number first
            diagonal = np.sqrt(np.diag(inverse))
            inverse[np.abs(inverse) <= 8 * np.finfo(float).eps * np.outer(diagonal, diagonal)] = 0.0
            subsets.append(_Subset(chosen, inverse, inverse / np.diag(inverse)[:, None], solve))
    return subsets


def _not_needed_if_non_negative(inverses: dict[tuple[int, ...], Floats]) -> set[tuple[int, ...]]:
    """Return the subsets contained in one that is feasible for every b >= 0, whose value is at least as large."""
    covered: set[tuple[int, ...]] = set()
    for members, inverse in inverses.items():
        if (inverse >= 0).all():
            for size in range(1, len(members)):
                covered.update(combinations(members, size))
    return covered


def _sizes(inverses: dict[tuple[int, ...], Floats], superfluous: set[tuple[int, ...]], n: int) -> list[_Size]:
    """Return the subsets by size, without subsets that are superfluous and are no parent of a needed one."""
    wanted = {
        members[:size] for members in inverses if members not in superfluous for size in range(2, len(members) + 1)
    }
    sizes: list[_Size] = []
    before: dict[tuple[int, ...], int] = {(row,): row for row in range(n)}
    for size in range(2, max(map(len, wanted), default=0) + 1):
        subsets = [members for members in inverses if len(members) == size and members in wanted]
        signs = np.zeros((size, len(subsets), n + 1))
        for column, members in enumerate(subsets):
            signs[:, column, members] = inverses[members] / np.diag(inverses[members])[:, None]
        signs[:, :, n] = _ZERO
        gains = np.array([[inverses[members][-1, -1]] for members in subsets]) / _HUGE**2
        parents = np.array([before[members[:-1]] for members in subsets])
        counts = np.array([members not in superfluous for members in subsets])
        sizes.append(_Size(signs * _HUGE, gains, parents, counts))
        before = {members: position for position, members in enumerate(subsets)}
    return sizes


def _least_distance(facets: Floats, b: Floats) -> Floats:
    """Return argmin{ |u| : facets u >= b } by least distance programming (Lawson & Hanson 1974, chapter 23)."""
    largest = float(b.max())
    if largest <= 0:
        return np.zeros(facets.shape[1])
    bounded, scale = np.maximum(b, -_FAR * largest), largest
    target = np.zeros(facets.shape[1] + 1)
    target[-1] = 1.0
    while True:
        system = np.vstack([facets.T, bounded / scale])
        residual = system @ non_negative_least_squares(system, target) - target
        u: Floats = -residual[:-1] / residual[-1]
        length = float(np.linalg.norm(u))
        if length <= _LONG:
            return u * scale
        scale *= length  # residual[-1] is 1 / (1 + |u|^2), so a long u loses digits quadratically
