"""Find for each design the rival that decides its gap, without looking at every pair.

Both gaps obey one bound (docs/theory, section 3.3). With s(i, j) = min_n (z_j - z_i)_n / alpha_n, m(i, j) is the
positive part of s, and M(i, j) is at least -s. Designs and rivals are divided into small boxes. For every rival in a
box, s is at most its value at the upper corner of the box, so most boxes are never opened. Rounding is monotone, so the
bound holds for the computed numbers, and the result equals that of looking at every pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.cone.cone import Cone

_BOX: Final = 128  # designs or rivals a box: small for tight bounds, large for array operations
_PAIRS_AT_ONCE: Final = 2**17  # entries of the largest temporary array: a megabyte


@dataclass(frozen=True)
class FacetSpace:
    """Designs as columns of facet values (N, K), with the factors that turn differences into lengths."""

    columns: Floats
    per_unit: Floats
    """1 / |w_n|: converts a difference of order values to a distance along the unit row."""
    per_width: Floats
    """1 / (|w_n| alpha_n): converts it to units of the facet's width."""

    @classmethod
    def of(cls, columns: Floats, cone: Cone) -> FacetSpace:
        """Return the space of a cone's order values."""
        return cls(columns, 1 / cone.order_lengths, 1 / (cone.order_lengths * cone.widths))


def escapes(space: FacetSpace, designs: Indices, rivals: Indices) -> Floats:
    """Return the maximum over the rivals of m(i, j) for each design i; 0 if no rival strongly dominates it."""
    best = np.zeros(len(designs))
    for box, mine, theirs in _promising(space, designs, rivals, best, sign=1.0):
        score = _scores(space, designs[box][mine], theirs)
        best[box[mine]] = np.maximum(best[box[mine]], score.max(axis=1))
    return best


def covers(space: FacetSpace, cone: Cone, designs: Indices, rivals: Indices, *, enough: float = 0.0) -> Floats:
    """Return the minimum over the other rivals of M(i, j) for each design i; infinite if there is no other rival.

    The search for a design ends as soon as a value of at most `enough` is found, and that value is returned.
    """
    best = np.full(len(designs), np.inf)
    for box, mine, theirs in _promising(space, designs, rivals, best, sign=-1.0, enough=enough):
        open_designs = designs[box][mine]
        least = -_scores(space, open_designs, theirs)
        least[open_designs[:, None] == theirs[None, :]] = np.inf
        nearest = least.argmin(axis=1)
        rows = np.arange(len(open_designs))
        found = np.minimum(
            best[box[mine]], _cover_pairs(space, cone, open_designs, theirs[nearest], least[rows, nearest])
        )
        least[rows, nearest] = np.inf
        first, second = np.nonzero(least < found[:, None])
        values = _cover_pairs(space, cone, open_designs[first], theirs[second], least[first, second])
        np.minimum.at(found, first, values)
        best[box[mine]] = found
    return best


def _promising(
    space: FacetSpace, designs: Indices, rivals: Indices, best: Floats, *, sign: float, enough: float = 0.0
) -> Iterator[tuple[Indices, Indices, Indices]]:
    """Yield boxes that may improve `best`: (positions in `designs`, the part still open, the rivals of a box).

    The caller updates `best` between two items. A box of rivals is skipped once it cannot improve `best`.
    """
    if not len(designs) or not len(rivals):
        return
    rival_boxes = _boxes(space, rivals, _BOX)
    upper = np.array([space.columns[:, box].max(axis=1) for box in rival_boxes]).T
    if len(rival_boxes) == 1:  # nothing to skip, so no reason to group similar designs
        cuts = np.arange(0, len(designs), _PAIRS_AT_ONCE // len(rivals))[1:]
        design_boxes = np.split(np.arange(len(designs)), cuts)
    else:
        design_boxes = _boxes(space, designs, _BOX, positions=True)
    for box in design_boxes:
        lower = space.columns[:, designs[box]].min(axis=1)
        reach = ((upper - lower[:, None]) * space.per_width[:, None]).min(axis=0)
        for b in np.argsort(-reach, kind="stable"):
            if not _open(best[box], reach[b], sign, enough).any():
                break  # later boxes have a smaller reach
            bound = ((upper[:, b, None] - space.columns[:, designs[box]]) * space.per_width[:, None]).min(axis=0)
            mine = np.flatnonzero(_open(best[box], bound, sign, enough))
            if len(mine):
                yield box, mine, rival_boxes[b]


def _open(best: Floats, bound: Floats | float, sign: float, enough: float) -> np.ndarray:
    if sign > 0:
        return np.asarray(bound > best)
    return np.asarray((best > enough) & (np.maximum(-np.asarray(bound), 0.0) < best))


def _scores(space: FacetSpace, designs: Indices, rivals: Indices) -> Floats:
    """Return s(i, j) for every pair, (len(designs), len(rivals))."""
    score = np.full((len(designs), len(rivals)), np.inf)
    for row, factor in zip(space.columns, space.per_width, strict=True):
        np.minimum(score, (row[rivals][None, :] - row[designs][:, None]) * factor, out=score)
    return score


def _cover_pairs(space: FacetSpace, cone: Cone, designs: Indices, rivals: Indices, least: Floats) -> Floats:
    """Return M(i, j) for a list of pairs. `least` is the bound -s, infinite for pairs to leave out."""
    values = np.full(len(designs), np.inf)
    for start in range(0, len(designs), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        deficit = (space.columns[:, designs[part]] - space.columns[:, rivals[part]]) * space.per_unit[:, None]
        values[part] = cone.lift_norms(np.maximum(deficit, 0.0), non_negative=True)
    values[np.isinf(least)] = np.inf
    return values


def _boxes(space: FacetSpace, members: Indices, size: int, *, positions: bool = False) -> list[Indices]:
    """Return the members (or their positions) in boxes of at most `size`, halved along the widest facet."""
    done: list[Indices] = []
    waiting = [np.arange(len(members))]
    while waiting:
        box = waiting.pop()
        if len(box) <= size:
            done.append(box if positions else members[box])
            continue
        columns = space.columns[:, members[box]]
        widest = int(((columns.max(axis=1) - columns.min(axis=1)) * space.per_width).argmax())
        halves = np.argpartition(columns[widest], len(box) // 2)
        waiting += [box[halves[: len(box) // 2]], box[halves[len(box) // 2 :]]]
    return done
