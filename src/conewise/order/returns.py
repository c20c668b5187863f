"""Find the smallest change of a cone under which a dominated design becomes Pareto optimal.

A change may affect all facets and exchanges at once. Its size is the factor by which the ratio of two weights moves
away from a weighting that the cone respects. See docs/preferences, section "When a design would return".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.cone.polyhedra import needed_rows, unit
from conewise.order.dominance import dominates

_ROOMS: Final = (1e-4, 1e-2)  # margins above the factor at which a rival ties, against rounding


@dataclass(frozen=True, eq=False)
class Change:
    """A cone under which a design is not dominated, and the factor by which it demands more in exchanges."""

    factor: float
    cone: Cone
    """The given cone, narrowed by a few more rows."""


def smallest_change(points: Floats, place: int, cone: Cone) -> Change | None:
    """Return the smallest change that makes point `place` of (K, D) Pareto optimal; None if no change does.

    Also None if a gain in some objective is no improvement under the cone.

    A rival j that is ahead by d = d+ - d- stays ahead as long as W d+ >= r W d-. The largest of these r over all rivals
    is a lower bound for every change. To reach it, the cone needs one more row for some rivals: the facet that is tied,
    with the rival's losses counted r times. Costs K N D.

    >>> points = np.array([[4.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> round(smallest_change(points, 1, Cone.importance(0.2, dim=3)).factor, 3)
    1.333
    """
    rows = cone.facets
    if (rows < 0).any():
        return None
    ahead = points[dominates(points, points[place], cone)] - points[place]
    gains, losses = np.maximum(ahead, 0.0), np.maximum(-ahead, 0.0)
    if not (losses > 0).any(axis=1).all():  # a rival is no worse in every objective
        return None
    lost = losses @ rows.T
    ratios = np.where(lost > 0, (gains @ rows.T) / np.where(lost > 0, lost, 1.0), np.inf)
    factor = float(ratios.min(axis=1).max(initial=1.0))
    for room in _ROOMS:
        further = factor * (1 + room)
        every = unit(np.vstack([*_weightings(rows, ahead, ratios, further), rows]))
        kept, barely = needed_rows(every)
        found = Cone(every[[n for n in kept if n not in barely]])
        if not dominates(points, points[place], found).any():
            return Change(further, found)
    return None


def _weightings(rows: Floats, ahead: Floats, ratios: Floats, factor: float) -> list[Floats]:
    """Return weightings (D,) such that every rival is worse under one of them, hardest rivals first."""
    found: list[Floats] = []
    while len(ahead):
        last = int(ratios.min(axis=1).argmax())
        row = rows[int(ratios[last].argmin())] * np.where(ahead[last] < 0, factor, 1.0)
        found.append(row)
        left = ahead @ row >= 0
        left[last] = False
        ahead, ratios = ahead[left], ratios[left]
    return found
