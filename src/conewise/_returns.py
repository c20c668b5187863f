"""The smallest change of a cone under which a beaten design returns, over all of its facets and exchanges at once.

Changes are measured by how far any exchange between two objectives moves: to what factor the ratio of two weights
differs from that of a weighting that the cone respects. Docs, preferences, section "When a design would return".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Floats
from conewise._polyhedra import needed_rows, unit
from conewise.cones import Cone
from conewise.order import dominates

_ROOMS: Final = (1e-4, 1e-2)  # beyond the factor at which a rival ties: rounding must not keep it ahead


@dataclass(frozen=True, eq=False)
class Change:
    """A cone under which a design remains, and the factor by which its exchanges ask for more than before."""

    factor: float
    cone: Cone
    """The cone before, narrowed by a few more weightings that must agree."""


def smallest_change(points: Floats, place: int, cone: Cone) -> Change | None:
    """The change that brings back point `place` of (K, D); None where none does, or where not every gain counts.

    A rival j that is ahead by d = d+ - d- stays ahead as long as W d+ >= r W d-. So the largest of these r, over all
    rivals, is a lower bound for every change, and a cone that reaches it needs one more weighting for some rivals only:
    the facet that is tied, with what the rival loses counted r times. Costs K N D.

    >>> points = np.array([[4.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> round(smallest_change(points, 1, Cone.importance(0.2, dim=3)).factor, 3)
    1.333
    """
    rows = cone.facets
    if (rows < 0).any():
        return None
    ahead = points[dominates(points, points[place], cone)] - points[place]
    gains, losses = np.maximum(ahead, 0.0), np.maximum(-ahead, 0.0)
    if not (losses > 0).any(axis=1).all():  # somebody is as good in every objective
        return None
    lost = losses @ rows.T
    ratios = np.where(lost > 0, (gains @ rows.T) / np.where(lost > 0, lost, 1.0), np.inf)
    factor = float(ratios.min(axis=1).max(initial=1.0))
    for room in _ROOMS:
        further = factor * (1 + room)
        found = _narrowed(rows, _weightings(rows, ahead, ratios, further))
        if not dominates(points, points[place], found).any():
            return Change(further, found)
    return None


def _weightings(rows: Floats, ahead: Floats, ratios: Floats, factor: float) -> Floats:
    """(M, D): weightings of which each puts some rivals behind, and together all; the hardest rival chooses first."""
    found: list[Floats] = []
    while len(ahead):
        last = int(ratios.min(axis=1).argmax())
        row = rows[int(ratios[last].argmin())] * np.where(ahead[last] < 0, factor, 1.0)
        found.append(row)
        left = ahead @ row >= 0
        left[last] = False
        ahead, ratios = ahead[left], ratios[left]
    return np.array(found).reshape(-1, rows.shape[1])


def _narrowed(rows: Floats, more: Floats) -> Cone:
    """The cone of these rows and more of them, without those that others make all but superfluous."""
    every = unit(np.vstack([more, rows]))
    kept, barely = needed_rows(every)
    return Cone(every[[n for n in kept if n not in barely]])
