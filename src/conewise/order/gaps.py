"""Measure how far apart two designs are in the cone order: the lift norm, m and M, and the gap of each design.

m(i, j) ("escape") is the least improvement of i after which j no longer strongly dominates i. M(i, j) ("cover") is the
least improvement of j after which j weakly dominates i. At most one of them is positive (Ararat & Tekin 2023, Corollary
4.5). Signs are decided by the exact comparisons of `order`: m > 0 exactly where i is strongly dominated, and M = 0
exactly where i is weakly dominated.

The rival that decides the gap of a design is found without every pair (docs/theory, section 3.3). With
s(i, j) = min_n (z_j - z_i)_n / alpha_n, m(i, j) is the positive part of s, and M(i, j) is at least -s. For every rival
in a box, s is at most its value at the upper corner of the box, so most boxes of rivals are never opened. Rounding is
monotone, so the result equals that of every pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import (
    LARGEST_MEASURED,
    Bools,
    Floats,
    Indices,
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

_BOX: Final = 128  # designs or rivals a box: small for tight bounds, large for array operations
_PAIRS_AT_ONCE: Final = 2**17  # entries of the largest temporary array: a megabyte


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
    return _matrix(means, cone, rivals, lambda space, i, j: np.maximum(space.scores(i, j), 0.0))


def cover_gaps(means: ArrayLike, cone: ConeLike, *, rivals: ArrayLike | None = None) -> Floats:
    """Return M(i, j) for every design i (row) and rival j (column): 0 exactly if j weakly dominates i.

    `rivals` is a mask or indices into the designs, or an (R, D) array of other points; all designs by default.

    >>> cover_gaps([[0, 3], [4, 0]], Cone.orthant(2)).tolist()
    [[0.0, 3.0], [4.0, 0.0]]

    Reference: Ararat & Tekin 2023, equation (9) and Proposition 4.3; docs/theory, section 2.
    """
    return _matrix(means, cone, rivals, lambda space, i, j: space.covers(i[:, None], j[None, :]))


def suboptimality_gaps(means: ArrayLike, cone: ConeLike) -> Floats:
    """Return Delta*_i = max over the Pareto set of m(i, j), (K,).

    A dominated design i must improve by Delta*_i until no design strongly dominates it. The gap is 0 on the Pareto set
    and for designs dominated only along the boundary of the cone. No K x K array is made.

    >>> suboptimality_gaps([[0, 0], [2, 1], [2, 0]], Cone.orthant(2)).tolist()
    [1.0, 0.0, 0.0]

    Reference: Ararat & Tekin 2023, section 4.
    """
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
    space, front = space_and_front(means, cone)
    gaps = np.full(len(front), np.inf)
    on_front = np.flatnonzero(front)
    gaps[front] = covers(space, on_front, on_front)
    return gaps


@dataclass(frozen=True)
class FacetSpace:
    """Points as columns of order values (N, K), with the factors that turn differences into lengths."""

    columns: Floats
    cone: Cone

    @cached_property
    def per_width(self) -> Floats:
        """1 / (|w_n| alpha_n), (N,): converts differences to units of the facets' widths."""
        return 1 / (self.cone.order_lengths * self.cone.widths)

    def scores(self, designs: Indices, rivals: Indices) -> Floats:
        """Return s(i, j) = min_n (z_j - z_i)_n / alpha_n for every pair, (len(designs), len(rivals))."""
        score = np.full((len(designs), len(rivals)), np.inf)
        for row, factor in zip(self.columns, self.per_width, strict=True):
            np.minimum(score, (row[rivals][None, :] - row[designs][:, None]) * factor, out=score)
        return score

    def covers(self, designs: Indices, rivals: Indices) -> Floats:
        """Return M(i, j) for indices of designs and rivals that broadcast against each other."""
        behind = self.columns[:, designs] - self.columns[:, rivals]
        deficits = behind.reshape(len(behind), behind[0].size) * (1 / self.cone.order_lengths)[:, None]
        np.maximum(deficits, 0.0, out=deficits)
        return self.cone.lift_norms(deficits, non_negative=True).reshape(behind.shape[1:])

    def boxes(self, members: Indices) -> list[Indices]:
        """Return positions of the members in boxes of at most _BOX, halved along the widest facet."""
        done: list[Indices] = []
        waiting = [np.arange(len(members))]
        while waiting:
            box = waiting.pop()
            if len(box) <= _BOX:
                done.append(box)
                continue
            columns = self.columns[:, members[box]]
            widest = int((np.ptp(columns, axis=1) * self.per_width).argmax())
            halves = np.argpartition(columns[widest], len(box) // 2)
            waiting += [box[halves[: len(box) // 2]], box[halves[len(box) // 2 :]]]
        return done


def space_and_front(means: ArrayLike, cone: ConeLike) -> tuple[FacetSpace, Bools]:
    """Return the space of all designs' order values, and the Pareto set as a mask."""
    cone = cone_for(means := as_floats(means, "means"), cone)
    points = as_points(means, "means", cone.dim)
    return FacetSpace(_measurable(points, cone, "means"), cone), pareto_mask(points, cone)


def escapes(space: FacetSpace, designs: Indices, rivals: Indices) -> Floats:
    """Return the maximum over the rivals of m(i, j) for each design i; 0 if no rival strongly dominates it."""
    return -_least(space, designs, rivals, np.zeros(len(designs)), -np.inf, space_covers=False) + 0.0


def covers(space: FacetSpace, designs: Indices, rivals: Indices, *, enough: float = 0.0) -> Floats:
    """Return the minimum over the other rivals of M(i, j) for each design i; infinite if there is no other rival.

    The search for a design ends as soon as a value of at most `enough` is found, and that value is returned.
    """
    return _least(space, designs, rivals, np.full(len(designs), np.inf), enough, space_covers=True)


def _least(
    space: FacetSpace, designs: Indices, rivals: Indices, best: Floats, enough: float, *, space_covers: bool
) -> Floats:
    """Lower `best` to the least value of each design over the rivals: M(i, j), or else -s(i, j), its lower bound.

    A box of rivals is opened only if its upper corner gives a bound below `best`.
    """
    if not len(designs) or not len(rivals):
        return best
    rival_boxes = [rivals[box] for box in space.boxes(rivals)]
    corners = np.array([space.columns[:, box].max(axis=1) for box in rival_boxes]).T
    factors = space.per_width[:, None]
    if len(rival_boxes) > 1:
        design_boxes = space.boxes(designs)
    else:  # nothing to skip, so no reason to group similar designs
        design_boxes = np.array_split(np.arange(len(designs)), len(designs) * len(rivals) // _PAIRS_AT_ONCE + 1)
    for box in design_boxes:
        columns = space.columns[:, designs[box]]
        reach = -((corners - columns.min(axis=1, keepdims=True)) * factors).min(axis=0)
        for b in np.argsort(reach, kind="stable"):
            if not (best[box] > max(enough, reach[b])).any():
                break  # later boxes reach less far
            bound = -((corners[:, [b]] - columns) * factors).min(axis=0)
            mine = np.flatnonzero((best[box] > enough) & (bound < best[box]))
            if len(mine):
                place, theirs = box[mine], rival_boxes[b]
                bounds = -space.scores(designs[place], theirs)
                found = _least_cover(space, designs[place], theirs, bounds, best[place]) if space_covers else bounds
                best[place] = np.minimum(best[place], found if space_covers else found.min(axis=1))
    return best


def _least_cover(space: FacetSpace, designs: Indices, rivals: Indices, bounds: Floats, best: Floats) -> Floats:
    """Return the least M(i, j) over the rivals, or `best` if that is less; `bounds` are lower bounds on M."""
    bounds[designs[:, None] == rivals[None, :]] = np.inf
    rows, nearest = np.arange(len(designs)), bounds.argmin(axis=1)
    first = np.where(np.isinf(bounds[rows, nearest]), np.inf, space.covers(designs, rivals[nearest]))
    found = np.minimum(best, first)
    bounds[rows, nearest] = np.inf
    i, j = np.nonzero(bounds < found[:, None])
    np.minimum.at(found, i, space.covers(designs[i], rivals[j]))
    return found


def _measurable(points: Floats, cone: Cone, name: str) -> Floats:
    """Return order values of finite points in columns, (N, K)."""
    columns = cone.order_columns(points)
    check_sums(columns, name, LARGEST_MEASURED)
    return columns


def _matrix(
    means: ArrayLike,
    cone: ConeLike,
    rivals: ArrayLike | None,
    gaps: Callable[[FacetSpace, Indices, Indices], Floats],
) -> Floats:
    """Return the gaps of every design (row) to every rival (column), a few designs at a time."""
    cone = cone_for(means := as_floats(means, "means"), cone)
    columns = _measurable(as_points(means, "means", cone.dim), cone, "means")
    designs = np.arange(columns.shape[1])
    others = designs if rivals is None else _chosen(rivals, len(designs), cone.dim)
    if others.ndim == 2:
        columns = np.hstack([columns, _measurable(as_points(others, "rivals", cone.dim), cone, "rivals")])
        others = np.arange(len(designs), columns.shape[1])
    space, result = FacetSpace(columns, cone), np.empty((len(designs), len(others)))
    step = max(1, _PAIRS_AT_ONCE // max(1, len(others)))
    for start in range(0, len(designs), step):
        result[start : start + step] = gaps(space, designs[start : start + step], others)
    return result


def _chosen(rivals: ArrayLike, n_designs: int, dim: int) -> Any:
    """Return the indices of rivals, in the order given and with repetitions, or (R, D) points."""
    chosen = as_choice(rivals, "rivals")
    if chosen.ndim == 2:
        return as_floats(chosen, "rivals")
    if chosen.ndim == 1 and (chosen.dtype.kind in "iu" or chosen.dtype == np.bool_ or not chosen.size):
        mask = as_selection(chosen, n_designs, "rivals")
        return chosen if chosen.dtype.kind in "iu" else np.flatnonzero(mask)
    raise InputError(
        f"rivals must be a mask, a list of indices or an (R, {dim}) array of points, "
        f"got {chosen.dtype} of shape {chosen.shape}."
    )
