"""Disjoint boxes that hold the points which no point of a front dominates.

Lacour, Klamroth & Fonseca, "A box decomposition algorithm to compute the hypervolume indicator", Computers & Operations
Research 79, 2017. Each of N defining points gives a box one coordinate of its lower corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Floats

_ENTRIES: Final = 2**18  # numbers in a temporary array


@dataclass(frozen=True, eq=False)
class Boxes:
    """Disjoint boxes low <= z < high."""

    low: Floats
    """(M, N)"""
    high: Floats
    """(M, N): infinite where a box has no bound."""

    @classmethod
    def above(cls, points: Floats, reference: Floats) -> Boxes:
        """Return the boxes above the reference that no point dominates; larger is better.

        >>> Boxes.above(np.array([[1.0, 2.0]]), np.zeros(2)).low.tolist()
        [[1.0, 0.0], [0.0, 2.0]]
        """
        dim = len(reference)
        corners = np.array(reference, dtype=np.float64)[None]
        # defining[m, k]: the point that bounds box m in coordinate k; at first imagined ones, infinitely good elsewhere
        defining = np.full((1, dim, dim), np.inf)
        defining[0, np.arange(dim), np.arange(dim)] = reference
        others = ~np.eye(dim, dtype=bool)
        for point in points:
            inside = (corners < point).all(axis=1)
            if not inside.any():
                continue
            split, bounds = corners[inside], defining[inside]
            lows, defines = [corners[~inside]], [defining[~inside]]
            for j in range(dim):
                nearest = bounds[:, others[j], j].min(axis=1, initial=np.inf)
                keep = point[j] <= nearest
                low, by = split[keep].copy(), bounds[keep].copy()
                low[:, j], by[:, j] = point[j], point
                lows.append(low)
                defines.append(by)
            corners, defining = np.concatenate(lows), np.concatenate(defines)
        high = np.full(corners.shape, np.inf)
        for j in range(1, dim):
            high[:, j] = defining[:, :j, j].min(axis=1)
        full = (corners < high).all(axis=1)
        return cls(corners[full], high[full])

    def gained(self, points: Floats) -> Floats:
        """Return (P,): the volume that each point would add to the part dominated by the front above the reference."""
        result = np.zeros(len(points))
        step = max(1, _ENTRIES // max(1, self.low.size))
        for at in range(0, len(points), step):
            some = points[at : at + step, None, :]
            result[at : at + step] = np.maximum(np.minimum(some, self.high) - self.low, 0.0).prod(axis=2).sum(axis=1)
        return result
