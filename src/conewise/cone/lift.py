"""Compute the norm of the smallest lift, f(b) = min{ |u| : W u >= b }, in closed form for many b at once.

By duality f(b) = max{ l.b : l >= 0, |W'l| <= 1 }. The maximum is attained on a linearly independent subset S of the
rows: f(b)^2 is the largest b_S' G_S^{-1} b_S over the subsets with G_S^{-1} b_S >= 0, where G_S = W_S W_S'
(docs/theory, section 2). The subsets depend on the cone alone, so they are tabulated once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, groupby
from math import comb
from typing import Final

import numpy as np

from conewise.border import Floats
from conewise.cone.polyhedra import non_negative_least_squares

TABLE_COST: Final = 120_000
"""Operations a column above which the table is slower than solving one least-squares problem a column."""

_CHUNK: Final = 1024  # columns a pass: small enough for the cache
_PRODUCT: Final = 900_000  # OpenBLAS shares products of more than 10^6 multiplications among threads, at a loss here
_BLOCK: Final = 24  # subsets at a time, to stay below _PRODUCT
_INDEPENDENT: Final = 1e-8  # a subset counts as independent if its smallest singular value exceeds this
_FAR: Final = 1e12  # entries of b this far below zero never matter: |u| is at most a few times max(b) / DEGENERATE
_LONG: Final = 16.0  # a longer least-distance answer is computed again, in units of its length
_ZERO: Final = 1e-20  # a multiplier this far below zero is zero (b is scaled to a largest entry of 1)


@dataclass(frozen=True)
class _Subset:
    """An independent subset S of k rows, with what is needed for the shortest u with W_S u = b_S."""

    members: tuple[int, ...]
    inverse: Floats  # (k, k): G_S^{-1}
    solve: Floats  # (D, k): u = solve @ b_S


class Lift:
    """Compute f for one cone: `norms(b)` and `vectors(b)` for b of shape (N, P), one problem a column."""

    def __init__(self, facets: Floats) -> None:
        self._facets = facets
        n, dim = facets.shape
        self.tabulated = sum(comb(n, k) * k * (n + 3) for k in range(1, min(n, dim) + 1)) <= TABLE_COST
        self._subsets = _independent_subsets(facets) if self.tabulated else []
        self._for_any = _table(facets, self._subsets)
        self._for_non_negative = _table(facets, _needed_if_non_negative(self._subsets))
        self._chunk = _CHUNK
        while self._chunk * _BLOCK * (n + 1) > _PRODUCT:
            self._chunk //= 2

    def norms(self, b: Floats, *, non_negative: bool = False) -> Floats:
        """Return f of every column. `non_negative=True` promises b >= 0 and is faster."""
        result = np.empty(b.shape[1])
        # Padded to a power of two: with an odd tail the products of equal columns could round differently.
        chunk = min(self._chunk, 1 << max(4, (b.shape[1] - 1).bit_length()))
        scaled = np.zeros((len(b), chunk))
        for start in range(0, b.shape[1], chunk):
            part = b[:, start : start + chunk]
            width = part.shape[1]
            largest = np.maximum(part.max(axis=0), 0.0)
            if not non_negative:
                part = np.maximum(part, -_FAR * largest)
            # f is positively homogeneous: with a largest entry of 1 nothing overflows or underflows.
            scaled[:, width:] = 0.0
            np.divide(part, np.where(largest > 0, largest, 1.0), out=scaled[:, :width])
            if self.tabulated:
                lengths = np.sqrt(_largest_value(self._for_non_negative if non_negative else self._for_any, scaled))
            else:
                lengths = np.linalg.norm(self.vectors(scaled), axis=0)
            # |w_n| = 1, so f is at least the largest entry. This also keeps f > 0 exact if some b_n > 0.
            result[start : start + width] = np.maximum(lengths[:width], 1.0) * largest
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
            rows = list(subset.members)
            chosen = b[rows]
            # Multipliers count in units of b: each is divided by its diagonal entry of G_S^{-1}.
            negative = -((subset.inverse / np.diag(subset.inverse)[:, None]) @ chosen).min(axis=0)
            columns = np.flatnonzero(negative < violation)
            if not len(columns):
                continue
            u = subset.solve @ chosen[:, columns]
            short = b[:, columns] - self._facets @ u
            worst = np.maximum(negative[columns], np.maximum(short.max(axis=0), -short[rows].min(axis=0)))
            better = worst < violation[columns]
            result[:, columns[better]] = u[:, better]
            violation[columns[better]] = worst[better]
        return result


def _independent_subsets(facets: Floats) -> list[_Subset]:
    """Return every linearly independent subset S of the rows, sorted by size."""
    n, dim = facets.shape
    subsets: list[_Subset] = []
    for size in range(1, min(n, dim) + 1):
        members = list(combinations(range(n), size))
        rows = facets[np.array(members)]
        independent = np.flatnonzero(np.linalg.svd(rows, compute_uv=False)[:, -1] > _INDEPENDENT)
        for k, solve in zip(independent, np.linalg.pinv(rows[independent]), strict=True):
            inverse = solve.T @ solve  # (W_S W_S')^{-1} without squaring the condition number first
            diagonal = np.sqrt(np.diag(inverse))
            inverse[np.abs(inverse) <= 8 * np.finfo(float).eps * np.outer(diagonal, diagonal)] = 0.0
            subsets.append(_Subset(members[k], inverse, solve))
    return subsets


def _needed_if_non_negative(subsets: list[_Subset]) -> list[_Subset]:
    """Return the subsets that are not contained in one with G_S^{-1} >= 0, which is feasible for every b >= 0.

    The value of a subset is at most that of a larger one (docs/theory, section 2.5).
    """
    feasible = [set(subset.members) for subset in subsets if (subset.inverse >= 0).all()]
    return [subset for subset in subsets if not any(set(subset.members) < larger for larger in feasible)]


def _table(facets: Floats, subsets: list[_Subset]) -> list[tuple[int, Floats]]:
    """Return k and the rows of (2k, m, N) products with b, for m subsets of k >= 2 rows at a time.

    The first k products are the multipliers G_S^{-1} b_S, and the squares of the last k add up to b_S' G_S^{-1} b_S.
    """
    table = []
    for size, group in groupby(subsets, key=lambda subset: len(subset.members)):
        alike = list(group) if size > 1 else []
        for start in range(0, len(alike), _BLOCK):
            block = alike[start : start + _BLOCK]
            products = np.zeros((2 * size, len(block), len(facets)))
            for m, subset in enumerate(block):
                root = np.linalg.qr(facets[list(subset.members)].T, mode="r")  # G_S = root' root
                products[:, m, subset.members] = np.vstack([subset.inverse, np.linalg.inv(root).T])
            table.append((size, products))
    return table


def _largest_value(table: list[tuple[int, Floats]], b: Floats) -> Floats:
    """Return the largest b_S' G_S^{-1} b_S over the feasible S of a table, for each column of b."""
    best = np.zeros(b.shape[1])
    for size, products in table:
        found = products @ b
        roots = found[size:]
        roots *= roots  # squares lose no digits where subsets are nearly dependent; multipliers times b would
        values = np.where(found[:size].min(axis=0) >= -_ZERO, roots.sum(axis=0), 0.0)
        np.maximum(best, values.max(axis=0), out=best)
    return best


def _least_distance(facets: Floats, b: Floats) -> Floats:
    """Return argmin{ |u| : facets u >= b } by least distance programming (Lawson & Hanson 1974, chapter 23)."""
    largest = float(b.max())
    if largest <= 0:
        return np.zeros(facets.shape[1])
    bounded, scale = np.maximum(b, -_FAR * largest), largest
    target = np.eye(facets.shape[1] + 1)[-1]
    while True:
        system = np.vstack([facets.T, bounded / scale])
        residual = system @ non_negative_least_squares(system, target) - target
        u: Floats = -residual[:-1] / residual[-1]
        length = float(np.linalg.norm(u))
        if length <= _LONG:
            return u * scale
        scale *= length  # residual[-1] is 1 / (1 + |u|^2), so a long u loses digits quadratically
