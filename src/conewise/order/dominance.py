"""Compare designs in the cone order: three kinds of dominance, and the Pareto set.

With z = W mu the cone order is the componentwise order of z (docs/theory, section 1), so a fast componentwise filter is
a fast cone filter.

**Rounding.** Comparisons are exact: no tolerance, no `allclose`. The facet values z are computed once for each design,
from the rows as given and in a fixed order of summation. They are then compared as floating-point numbers. The orthant
uses the objectives unchanged, and rows of whole numbers keep ties between whole numbers. The relation is therefore a
true partial order: it is transitive and does not depend on the position of a design in the table.

Two designs whose facet values differ only by rounding are different designs. If the data are known to fewer digits than
they carry, round the data first.
"""

from __future__ import annotations

from math import isfinite
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Bools, Floats, as_flag, as_floats, as_vectors, check_finite, check_shape, check_sums
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError

_SMALL: Final = 1024  # below this many designs the compiled filter alone is fastest
_COMPARED: Final = 254  # most facets that moocore compares: with 255 it hangs, with more it refuses
_SORTED: Final = 1024  # from this many designs on, sorting before the compiled filter pays
_CHUNK: Final = 16_384  # designs filtered at a time: their columns stay in cache
_SAMPLE: Final = 1000  # size of the sample from which pivots are chosen
_ONE_THREAD: Final = 8192  # beyond about 10^4 numbers a BLAS product starts threads, which is slow on a busy machine
_CANDIDATES: Final = 100  # designs of the sample's front that may become pivots
_PIVOTS: Final = 12
_WORTH_A_PASS: Final = 0.01  # share of the sample that each further pivot must remove
_WORTHWHILE: Final = 0.2  # share that all pivots together must remove to be used at all


def weakly_dominates(better: ArrayLike, worse: ArrayLike, cone: ConeLike) -> Bools:
    """Return True where better - worse lies in C; arrays (..., D) broadcast. Equal designs weakly dominate each other.

    >>> weakly_dominates([1, 2], [[1, 2], [0, 3]], Cone.orthant(2)).tolist()
    [True, False]

    Reference: Ararat & Tekin 2023, Definition 2.8.
    """
    z_better, z_worse = _facet_values(better, worse, cone)
    return np.asarray((z_better >= z_worse).all(axis=-1))


def dominates(better: ArrayLike, worse: ArrayLike, cone: ConeLike) -> Bools:
    """Return True where better - worse lies in C and is not zero; arrays (..., D) broadcast.

    >>> dominates([1, 2], [[1, 2], [1, 1]], Cone.orthant(2)).tolist()
    [False, True]

    Reference: Ararat & Tekin 2023, Definition 2.8.
    """
    z_better, z_worse = _facet_values(better, worse, cone)
    return np.asarray((z_better >= z_worse).all(axis=-1) & (z_better != z_worse).any(axis=-1))


def strongly_dominates(better: ArrayLike, worse: ArrayLike, cone: ConeLike) -> Bools:
    """Return True where better - worse lies in the interior of C; arrays (..., D) broadcast.

    >>> strongly_dominates([1, 2], [[1, 1], [0, 1]], Cone.orthant(2)).tolist()
    [False, True]

    Reference: Ararat & Tekin 2023, Definition 2.8.
    """
    z_better, z_worse = _facet_values(better, worse, cone)
    return np.asarray((z_better > z_worse).all(axis=-1))


def pareto_mask(points: ArrayLike, cone: ConeLike, *, keep_duplicates: bool = True) -> Bools:
    """Return the Pareto set P* of the (K, D) points as a mask (K,): the points that no other point dominates.

    Identical designs do not dominate each other, so all of them are kept; `keep_duplicates=False` keeps the first. A
    first pass removes designs that a few strong designs strongly dominate. The rest costs K log K for two or three
    facets and K log^(N-2) K beyond (moocore's dimension sweep; Kung, Luccio & Preparata 1975). Memory is O(K) beyond
    the input.

    >>> pareto_mask([[0.8, -0.3], [0.9, -0.5], [0.0, 0.0], [1.0, -1.0]], Cone.planar(135)).tolist()
    [True, True, False, False]

    Reference: Ararat & Tekin 2023, Definition 3.1.
    """
    as_flag(keep_duplicates, "keep_duplicates")
    array = as_floats(points, "points")
    cone = cone_for(array, cone)
    check_shape(array, "points", cone.dim)
    if len(array) <= _SMALL:
        return maximal_columns(_mapped(array, cone), keep_duplicates)
    alive, columns = _survivors(array, cone)
    mask = np.zeros(len(array), dtype=bool)
    mask[alive] = maximal_columns(columns, keep_duplicates)
    return mask


def pareto_mask_by_definition(points: ArrayLike, cone: ConeLike, *, keep_duplicates: bool = True) -> Bools:
    """Return the result of `pareto_mask`, computed pair by pair in O(K^2): for tests and for reading."""
    array = as_floats(points, "points")
    cone = cone_for(array, cone)
    check_shape(array, "points", cone.dim)
    check_finite(array, "points")
    mask = np.empty(len(array), dtype=bool)
    for i, point in enumerate(array):
        mask[i] = not dominates(array, point, cone).any()
        if not keep_duplicates and i:
            mask[i] &= not (weakly_dominates(array[:i], point, cone) & weakly_dominates(point, array[:i], cone)).any()
    return mask


def cone_for(points: Floats, cone: object) -> Cone:
    """Return a cone, given in any form, for points (..., D)."""
    return as_cone(cone, points.shape[-1] if points.ndim else None)


def _facet_values(better: ArrayLike, worse: ArrayLike, cone: ConeLike) -> tuple[Floats, Floats]:
    cone = cone_for(better := as_floats(better, "better"), cone)
    first = as_vectors(better, "better", cone.dim)
    second = as_vectors(worse, "worse", cone.dim)
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise InputError(
            f"better has shape {first.shape} and worse {second.shape}, which do not broadcast; "
            "for all pairs use better[:, None] and worse[None, :]."
        ) from None
    return cone.order_values(first, "better"), cone.order_values(second, "worse")


@np.errstate(over="ignore", invalid="ignore")  # check_sums below gives a better message
def _mapped(points: Floats, cone: Cone, first_row: int = 0) -> Floats:
    """Return facet values in columns, (N, K); refuse NaN and infinity by row, and overflow of the sums.

    Every objective has weight in some row (W has rank D), so a value that is not finite shows in the sums.
    """
    columns = cone.order_columns(points)
    # A finite sum (of squares or not) proves that all values are finite. It may overflow although they are.
    quick = np.vdot(columns, columns) if columns.size <= _ONE_THREAD else columns.sum()
    if not isfinite(quick) and not np.isfinite(columns).all():
        check_finite(points, "points", first_row)
        check_sums(columns, "points")
    return columns


def maximal_columns(columns: Floats, keep_duplicates: bool = True) -> Bools:
    """Return the componentwise maximal columns of (N, K), by moocore, which misclassifies if values are not finite."""
    columns = np.ascontiguousarray(columns)
    if len(columns) == 1:
        mask = columns[0] == columns[0].max()
        if not keep_duplicates:
            mask[mask.argmax() + 1 :] = False
        return np.asarray(mask)
    if len(columns) > _COMPARED:
        return _maximal_among_many(columns, keep_duplicates)
    import moocore

    if not keep_duplicates or columns.shape[1] < _SORTED:  # sorting would lose which duplicate came first
        return np.asarray(moocore.is_nondominated(columns.T, maximise=True, keep_weakly=keep_duplicates))
    # Sorted by the last facet (the first, for four and more), moocore is up to twice as fast, and numpy sorts fast.
    order = np.argsort(columns[-1 if len(columns) <= 3 else 0])
    mask = np.empty(len(order), dtype=bool)
    mask[order] = moocore.is_nondominated(columns[:, order].T, maximise=True, keep_weakly=True)
    return mask


def _maximal_among_many(columns: Floats, keep_duplicates: bool) -> Bools:
    """Return `maximal_columns` for any number of facets, in O(K F N) for a front of F columns."""
    with np.errstate(over="ignore"):
        order = np.argsort(-columns.sum(axis=0), kind="stable")  # largest sums first; equal sums keep their order
    rows = np.ascontiguousarray(columns.T)
    kept = np.empty(0, dtype=np.intp)
    for k in order.tolist():
        above = (rows[kept] >= rows[k]).all(axis=1)
        same = above & (rows[kept] == rows[k]).all(axis=1)
        if (above & ~same).any() or (same.any() and not keep_duplicates):
            continue
        kept = np.append(kept[~(rows[kept] <= rows[k]).all(axis=1) | same], k)  # sums may tie where columns do not
    mask = np.zeros(len(rows), dtype=bool)
    mask[kept] = True
    return mask


@np.errstate(over="ignore", invalid="ignore")  # overflow can only lead to worse pivots
def _survivors(points: Floats, cone: Cone) -> tuple[np.ndarray, Floats]:
    """Return indices and facet values of the designs that no pivot strongly dominates, in one pass by chunks."""
    sample = cone.order_columns(points[:: max(1, len(points) // _SAMPLE)])
    pivots = _pivots(sample) if np.isfinite(sample).all() else sample[:, :0]
    if not pivots.size:
        return np.arange(len(points)), _mapped(points, cone)
    weights, best = 1 / np.maximum(np.ptp(sample, axis=1), np.finfo(float).tiny), -np.inf
    alive: list[np.ndarray] = []
    columns: list[Floats] = []
    for start in range(0, len(points), _CHUNK):
        z = _mapped(points[start : start + _CHUNK], cone, start)
        scores = weights @ z
        if scores[top := scores.argmax()] > best:  # the last pivot is the best design so far
            best, pivots[:, -1] = scores[top], z[:, top]
        kept = np.flatnonzero(~_below_a_pivot(z, pivots))
        alive.append(start + kept)
        columns.append(z[:, kept])
    indices, z = np.concatenate(alive), np.concatenate(columns, axis=1)
    while z.shape[1] > _CHUNK and (pivots := _pivots(z[:, :: z.shape[1] // _SAMPLE])).size:
        left = ~_below_a_pivot(z, pivots)
        indices, z = indices[left], z[:, left]
    return indices, z


def _pivots(sample: Floats) -> Floats:
    """Choose greedily a few columns that strongly dominate much of the sample; none if that fails."""
    front = sample[:, maximal_columns(sample, False)][:, :_CANDIDATES]
    beats = np.ones((front.shape[1], sample.shape[1]), dtype=bool)
    for bars, row in zip(front, sample, strict=True):
        beats &= row[None, :] < bars[:, None]
    wins = beats.astype(np.float32)  # counting wins is then a matrix product, exact for so few
    left = np.ones(sample.shape[1], dtype=np.float32)
    chosen: list[int] = []
    while len(chosen) < _PIVOTS:
        gains = wins @ left
        pick = int(gains.argmax())
        if gains[pick] < _WORTH_A_PASS * len(left):
            break
        chosen.append(pick)
        left[beats[pick]] = 0
    worthwhile = left.mean() <= 1 - _WORTHWHILE
    return front[:, [*chosen, chosen[0]]] if worthwhile else front[:, :0]


def _below_a_pivot(z: Floats, pivots: Floats) -> Bools:
    """Return True for columns that some pivot exceeds on every facet."""
    beaten = np.zeros(z.shape[1], dtype=bool)
    for pivot in pivots.T.tolist():
        below = z[0] < pivot[0]
        for row, bar in zip(z[1:], pivot[1:], strict=True):
            below &= row < bar
        beaten |= below
    return beaten
