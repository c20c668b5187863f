"""Measure how far apart two designs are in the cone order: the lift norm, m and M, and the gap of each design.

m(i, j) ("escape") is the least improvement of i after which j no longer strongly dominates i. M(i, j) ("cover") is the
least improvement of j after which j weakly dominates i. At most one of them is positive (Ararat & Tekin 2023, Corollary
4.5). Signs are decided by the exact comparisons of `order`: m > 0 exactly where i is strongly dominated, and M = 0
exactly where i is weakly dominated.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import (
    LARGEST_MEASURED,
    Bools,
    Floats,
    as_choice,
    as_floats,
    as_points,
    as_selection,
    as_vectors,
    check_sums,
)
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError
from conewise.order.dominance import cone_for, pareto_mask
from conewise.order.rivals import FacetSpace, covers, escapes

_PAIRS_AT_ONCE: Final = 2**18


def lift_norm(b: ArrayLike, cone: ConeLike) -> Floats:
    """Return f(b) = min{ |u| : W u >= b } for b (..., N): the shortest move that gains b_n along every facet n.

    The result is exact, from a table of the independent subsets of the cone's rows. A solver is used only for very many
    rows.

    >>> float(lift_norm([3, 4], Cone.orthant(2)))
    5.0

    Reference: docs/theory, section 2.
    """
    cone = as_cone(cone)
    values = as_vectors(b, "b", len(cone.facets))
    check_sums(values, "b", LARGEST_MEASURED)
    flat = np.ascontiguousarray(values.reshape(-1, values.shape[-1]).T)
    return cone.lift_norms(flat).reshape(values.shape[:-1])


def escape_gaps(means: ArrayLike, cone: ConeLike, *, rivals: ArrayLike | None = None) -> Floats:
    """Return m(i, j) for every design i (row) and rival j (column): 0 unless j strongly dominates i.

    `rivals` is a mask or indices into the designs, or an (R, D) array of other points; all designs by default.

    >>> escape_gaps([[0, 0], [2, 1]], Cone.orthant(2)).tolist()
    [[0.0, 1.0], [0.0, 0.0]]

    Reference: Ararat & Tekin 2023, equation (8) and Proposition 4.2 (iv).
    """
    cone = cone_for(means := as_floats(means, "means"), cone)
    mine, theirs = _pairs(means, cone, rivals)
    per_width = 1 / (cone.order_lengths * cone.widths)
    result = np.full((mine.shape[1], theirs.shape[1]), np.inf)
    for first, second, factor in zip(mine, theirs, per_width, strict=True):
        for start in range(0, len(first), _rows_at_once(theirs)):
            part = slice(start, start + _rows_at_once(theirs))
            np.minimum(result[part], (second[None, :] - first[part, None]) * factor, out=result[part])
    np.maximum(result, 0.0, out=result)
    return result


def cover_gaps(means: ArrayLike, cone: ConeLike, *, rivals: ArrayLike | None = None) -> Floats:
    """Return M(i, j) for every design i (row) and rival j (column): 0 exactly if j weakly dominates i.

    `rivals` is a mask or indices into the designs, or an (R, D) array of other points; all designs by default.

    >>> cover_gaps([[0, 3], [4, 0]], Cone.orthant(2)).tolist()
    [[0.0, 3.0], [4.0, 0.0]]

    Reference: Ararat & Tekin 2023, equation (9) and Proposition 4.3; docs/theory, section 2.
    """
    cone = cone_for(means := as_floats(means, "means"), cone)
    mine, theirs = _pairs(means, cone, rivals)
    per_unit = (1 / cone.order_lengths)[:, None, None]
    result = np.empty((mine.shape[1], theirs.shape[1]))
    for start in range(0, mine.shape[1], _rows_at_once(theirs)):
        part = slice(start, start + _rows_at_once(theirs))
        deficit = (mine[:, part, None] - theirs[:, None, :]) * per_unit
        np.maximum(deficit, 0.0, out=deficit)
        result[part] = cone.lift_norms(deficit.reshape(len(mine), -1), non_negative=True).reshape(result[part].shape)
    return result


def suboptimality_gaps(means: ArrayLike, cone: ConeLike) -> Floats:
    """Return Delta*_i = max over the Pareto set of m(i, j), (K,).

    A dominated design i must improve by Delta*_i until no design strongly dominates it. The gap is 0 on the Pareto set
    and for designs dominated only along the boundary of the cone. No K x K array is made.

    >>> suboptimality_gaps([[0, 0], [2, 1], [2, 0]], Cone.orthant(2)).tolist()
    [1.0, 0.0, 0.0]

    Reference: Ararat & Tekin 2023, section 4.
    """
    cone = cone_for(means := as_floats(means, "means"), cone)
    space, front = space_and_front(means, cone)
    gaps = np.zeros(len(front))
    gaps[~front] = escapes(space, np.flatnonzero(~front), np.flatnonzero(front))
    return gaps


def separation_gaps(means: ArrayLike, cone: ConeLike) -> Floats:
    """Return Delta+_i = min over the other Pareto designs of M(i, j), (K,); infinite for i not on the front.

    The gap is also infinite for the only Pareto design, and 0 for identical Pareto designs. No K x K array is made.

    >>> separation_gaps([[0, 3], [4, 0], [0, 0]], Cone.orthant(2)).tolist()
    [3.0, 4.0, inf]

    Reference: Ararat & Tekin 2023, section 5.
    """
    cone = cone_for(means := as_floats(means, "means"), cone)
    space, front = space_and_front(means, cone)
    gaps = np.full(len(front), np.inf)
    on_front = np.flatnonzero(front)
    gaps[front] = covers(space, cone, on_front, on_front)
    return gaps


def space_and_front(means: ArrayLike, cone: Cone) -> tuple[FacetSpace, Bools]:
    """Return the space of all designs' order values, and the Pareto set as a mask."""
    points = as_points(means, "means", cone.dim)
    return FacetSpace.of(_measurable(points, cone, "means"), cone), pareto_mask(points, cone)


def _measurable(points: Floats, cone: Cone, name: str) -> Floats:
    """Return order values of finite points in columns, (N, K)."""
    columns = cone.order_columns(points)
    check_sums(columns, name, LARGEST_MEASURED)
    return columns


def _pairs(means: ArrayLike, cone: Cone, rivals: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return order values of the designs and of their rivals, in columns."""
    mine = _measurable(as_points(means, "means", cone.dim), cone, "means")
    if rivals is None:
        return mine, mine
    chosen = as_choice(rivals, "rivals")
    if chosen.ndim == 2:
        return mine, _measurable(as_points(as_floats(chosen, "rivals"), "rivals", cone.dim), cone, "rivals")
    if chosen.ndim == 1 and chosen.dtype.kind in "iu":
        as_selection(chosen, mine.shape[1], "rivals")
        return mine, np.ascontiguousarray(mine[:, chosen])  # keep the order of the indices
    if chosen.ndim == 1 and (chosen.dtype == np.bool_ or chosen.size == 0):
        return mine, np.ascontiguousarray(mine[:, as_selection(chosen, mine.shape[1], "rivals")])
    raise InputError(
        f"rivals must be a mask, a list of indices or an (R, {cone.dim}) array of points, "
        f"got {chosen.dtype} of shape {chosen.shape}."
    )


def _rows_at_once(theirs: Floats) -> int:
    return max(1, _PAIRS_AT_ONCE // max(1, len(theirs[0])))
