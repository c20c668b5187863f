"""Slow, obvious twins, written from the definitions of Ararat & Tekin 2023 and not from the library's closed forms.

A cone enters as its matrix W of unit rows, C = {x : W x >= 0}. Every distance is a least-distance quadratic programme,
min{ |u| : A u >= b }, solved by non-negative least squares (Lawson & Hanson 1974, chapter 23) and accepted only with a
certificate of optimality, so that a wrong twin cannot pass for a right one.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CERTIFIED = 1e-11  # admitted violation of the optimality conditions, relative to the length of the answer
IDLE = 1e-9  # a multiplier this far below the largest is rounding
INDEPENDENT = 1e-7  # smallest singular value of a subset of rows that counts as independent
INSIDE = 1e-11  # a coefficient this far below zero is rounding


class NotCertifiedError(AssertionError):
    """The solver's answer could not be proved optimal: nothing may be concluded from it."""


# -- distances ------------------------------------------------------------------------------------------------


def nearest_combination(generators: Floats, x: Floats) -> Floats:
    """The l >= 0 for which generators' l is nearest to x, with proof: no slope is positive, none is wasted.

    scipy's `nnls` is asked first and `lsq_linear` when its answer fails the proof, as it can (scipy issue 25389).
    """
    A, size = generators.T, float(np.linalg.norm(x))
    for solve in (_by_nnls, _by_bvls):
        weights = solve(A, x)
        slopes = (x - A @ weights) @ A
        if max(slopes.max(), np.abs(slopes * weights).max() / max(1.0, weights.max())) <= CERTIFIED * size:
            return weights
    raise NotCertifiedError(f"slopes up to {slopes.max():.2g} for a vector of length {size:.3g}")


def shortest_lift(A: Floats, b: Floats) -> Floats:
    """argmin{ |u| : A u >= b }, with proof.

    u is feasible, and u = A'l with l >= 0 and l.b = |u|^2. Then every feasible v has |u|^2 = l.b <= l.Av = u.v, so
    none is shorter.
    """
    largest = float(np.max(b, initial=0.0))
    if largest <= 0:
        return np.zeros(A.shape[1])
    scaled = b / largest
    system = np.vstack([A.T, scaled])
    doubts = []
    for solve in (_by_nnls, _by_bvls):
        # The solver says which rows are tight; the equations on these rows are then solved anew, to full precision. A
        # row that is tight by chance has a multiplier of zero but for rounding, of either sign: it is left out.
        tight = np.flatnonzero(solve(system, np.eye(len(system))[-1]) > 0)
        u, length, dual = _on_rows(A, scaled, tight)
        if (idle := np.abs(dual) <= IDLE * np.abs(dual).max()).any():
            tight = tight[~idle]
            u, length, dual = _on_rows(A, scaled, tight)
        missing, negative = float((scaled - A @ u).max()), -float(dual.min()) / max(1.0, float(dual.max()))
        apart = float(np.linalg.norm(u - A[tight].T @ dual)) + abs(float(dual @ scaled[tight]) - length**2) / length
        if max(missing, negative, apart) <= CERTIFIED * length:
            return u * largest
        doubts.append(f"infeasible by {missing:.2g}, multipliers from {-negative:.2g}, sides apart by {apart:.2g}")
    raise NotCertifiedError("; ".join(doubts))


def _on_rows(A: Floats, b: Floats, tight: NDArray[np.intp]) -> tuple[Floats, float, Floats]:
    """The shortest u with A u = b on these rows, its length, and the multipliers of the rows."""
    u = np.linalg.lstsq(A[tight], b[tight], rcond=None)[0]
    return u, float(np.linalg.norm(u)), np.linalg.lstsq(A[tight].T, u, rcond=None)[0]


def _by_nnls(A: Floats, b: Floats) -> Floats:
    return nnls(A, b, maxiter=100 * A.shape[1])[0]


def _by_bvls(A: Floats, b: Floats) -> Floats:
    return lsq_linear(A, b, (0.0, np.inf), method="bvls", tol=np.finfo(float).eps).x


def lift_length(A: Floats, b: Floats) -> float:
    """min{ |u| : A u >= b }."""
    return float(np.linalg.norm(shortest_lift(A, b)))


def distance_to_cone(x: Floats, W: Floats) -> float:
    """d(x, C): the least |v| with x + v in C."""
    return lift_length(W, -(W @ x))


def cover_distance(x: Floats, W: Floats) -> float:
    """d(x, C cut with x + C): the least |u| with u in C and x + u in C; M(i, j) for x = mu_j - mu_i."""
    return lift_length(np.vstack([W, W]), np.concatenate([np.zeros(len(W)), -(W @ x)]))


def distance_out(x: Floats, W: Floats) -> float:
    """d(x, complement of int C): the complement is the union of the half-spaces w_n.y <= 0, and |w_n| = 1."""
    return max(0.0, float((W @ x).min()))


def least_improvement(w: Floats, gain: float, W: Floats) -> float:
    """The least |u| with u in C and w.u >= gain."""
    return lift_length(np.vstack([W, w]), np.append(np.zeros(len(W)), gain))


def distance_out_downwards(x: Floats, W: Floats) -> float:
    """d(x, complement of int C cut with x - C): the least |u| with u in C and w_n.(x - u) <= 0 for some n."""
    return min(least_improvement(w, float(w @ x), W) for w in W)


def width(w: Floats, W: Floats) -> float:
    """max{ w.u : u in C, |u| <= 1 } = 1 / min{ |u| : u in C, w.u >= 1 }."""
    return 1 / least_improvement(w, 1.0, W)


def escape_by_bisection(x: Floats, W: Floats, precision: float = 1e-12) -> float:
    """m(i, j) for x = mu_j - mu_i: the least s >= 0 with mu_i + s u not in mu_j - int C for some u in C, |u| <= 1."""
    gains = W @ x
    if (gains <= 0).any():  # u = 0 will do
        return 0.0

    def escapes(s: float) -> bool:
        """x - s u is not in int C when one row has w_n.u >= w_n.x / s: is a u in C of length at most 1 enough?"""
        return any(least_improvement(w, gain / s, W) <= 1 for w, gain in zip(W, gains, strict=True))

    low, high = 0.0, float(gains.min())
    while not escapes(high):
        low, high = high, 2 * high
    while high - low > precision * high:
        middle = (low + high) / 2
        low, high = (low, middle) if escapes(middle) else (middle, high)
    return high


# -- ordering complexity --------------------------------------------------------------------------------------


def beta1_ratio(x: Floats, W: Floats) -> float:
    """The ratio whose supremum over x outside C is beta_1 (Ararat & Tekin 2023, equation (3))."""
    return cover_distance(x, W) / distance_to_cone(x, W)


def beta2_ratio(x: Floats, W: Floats) -> float:
    """The ratio whose supremum over x in int C is beta_2 (Ararat & Tekin 2023, equation (4))."""
    return distance_out_downwards(x, W) / distance_out(x, W)


def beta_by_ascent(W: Floats, starts: Floats, steps: int = 300) -> float:
    """max{ |a| / |a + b| : a, b in the dual cone } by local search from many starts: a value that is attained.

    A convex function is maximised by maximising its tangent again and again. For the tangent at v = a / |a| this is
    max{ a.v : |a + b| <= 1 }: by duality the multipliers l of the shortest u with W u >= (W v)^+ , split into the rows
    with w_n.v > 0, which make a, and the others, which make b.
    """
    return max(_climb(W, start, steps) for start in starts)


def _climb(W: Floats, a: Floats, steps: int) -> float:
    best = 0.0
    for _ in range(steps):
        gains = np.maximum(W @ a / np.linalg.norm(a), 0.0)
        system = np.vstack([W.T, gains / gains.max()])
        tight = np.flatnonzero(_by_nnls(system, np.eye(len(system))[-1]) > 0)
        u = np.linalg.lstsq(W[tight], gains[tight], rcond=None)[0]
        multipliers = np.zeros(len(W))
        multipliers[tight] = _by_nnls(W[tight].T, u)
        a = np.where(gains > 0, multipliers, 0.0) @ W
        value = float(np.linalg.norm(a) / np.linalg.norm(multipliers @ W))  # of a pair in the dual cone, in any case
        if value <= best * (1 + 1e-15):
            break
        best = value
    return best


def beta_by_subsets(W: Floats) -> float:
    """csc of the widest obtuse angle of the dual cone (1 without one), from all pairs of row subsets; exhaustive.

    A widest pair lies in the cones of two disjoint independent subsets S and T, |S| + |T| <= D, and is a pair of
    singular vectors of their spans with non-negative coefficients in the rows (docs/theory, section 4).
    """
    n, dim = W.shape
    groups: dict[int, tuple[NDArray[np.intp], Floats, Floats]] = {}
    for size in range(1, dim):
        members = np.array(list(combinations(range(n), size))).reshape(-1, size)
        kept = np.linalg.svd(W[members], compute_uv=False)[:, -1] > INDEPENDENT
        members = members[kept]
        if len(members):
            bases = np.linalg.qr(np.swapaxes(W[members], 1, 2))[0]
            groups[size] = members, bases, np.linalg.pinv(np.swapaxes(W[members], 1, 2))
    sine = 1.0
    for first in groups:
        for second in range(first, dim - first + 1):
            if second not in groups:
                continue
            (S, Q, to_S), (T, R, to_T) = groups[first], groups[second]
            i, j = (index.ravel() for index in np.indices((len(S), len(T))))
            disjoint = ~(S[i][:, :, None] == T[j][:, None, :]).any(axis=(1, 2))
            i, j = i[disjoint], j[disjoint]
            left, _, right = np.linalg.svd(np.swapaxes(Q[i], 1, 2) @ R[j], full_matrices=False)
            u, v = Q[i] @ left, -R[j] @ np.swapaxes(right, 1, 2)
            coefficients = np.concatenate([to_S[i] @ u, to_T[j] @ v], axis=1)
            inside = (coefficients >= -INSIDE).all(axis=1) | (coefficients <= INSIDE).all(axis=1)
            sines = np.linalg.norm(u + v, axis=1) * np.linalg.norm(u - v, axis=1) / 2
            obtuse = (u * v).sum(axis=1) < 0
            sine = min(sine, float(np.min(sines[inside & obtuse], initial=1.0)))
    return 1 / sine


# -- designs ----------------------------------------------------------------------------------------------------


def maximal_by_chunks(z: Floats, *, keep_duplicates: bool = True, chunk: int = 256) -> Bools:
    """Which rows of z (K, N) no other row exceeds: at least as large everywhere and larger somewhere; all pairs."""
    mask = np.empty(len(z), dtype=bool)
    columns = np.ascontiguousarray(z.T)
    for start in range(0, len(z), chunk):
        part = columns[:, start : start + chunk]
        as_good = np.ones((part.shape[1], len(z)), dtype=bool)
        equal = as_good.copy()
        for mine, all_ in zip(part, columns, strict=True):
            as_good &= all_[None, :] >= mine[:, None]
            equal &= all_[None, :] == mine[:, None]
        kept = ~(as_good & ~equal).any(axis=1)
        if not keep_duplicates:
            kept &= equal.argmax(axis=1) == np.arange(start, start + part.shape[1])  # the first of its equals
        mask[start : start + chunk] = kept
    return mask


def verdict_by_definition(
    chosen: Bools, front: Bools, m: Floats, M: Floats, epsilon: float
) -> tuple[set[int], set[int], set[int]]:
    """(uncovered, too far, missed) of Definition 4.6 and Remark 4.7, from the full matrices of both gaps."""
    returned = np.flatnonzero(chosen)
    uncovered = {int(i) for i in np.flatnonzero(front) if not any(M[i, j] <= epsilon for j in returned)}
    too_far = {int(i) for i in returned if not front[i] and max(m[i, j] for j in np.flatnonzero(front)) > epsilon}
    missed = {int(i) for i in np.flatnonzero(front) if not chosen[i]}
    return uncovered, too_far, missed
