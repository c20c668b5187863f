"""Multiply weights and points so that equal points get equal results, bit for bit. Exact comparisons rely on this."""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Floats

_AT_ONCE: Final = 16_384  # points multiplied at a time: the columns of a chunk stay in cache


def products(rows: Floats, points: Floats) -> Floats:
    """Return (N, K): each row of (N, D) times each point of (K, D), summed in the order of the objectives.

    A matrix product may round equal points differently, depending on their position, so the sum is spelled out. A zero
    weight adds nothing. Overflow stays in the result.
    """
    result = np.empty((len(rows), len(points)))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(points), _AT_ONCE):
            part = np.ascontiguousarray(points[start : start + _AT_ONCE].T)
            term = np.empty(part.shape[1])
            for row, target in zip(rows.tolist(), result[:, start : start + _AT_ONCE], strict=True):
                _weighted_sum(row, part, target, term)
    return result


def _weighted_sum(row: list[float], columns: Floats, target: Floats, term: Floats) -> None:
    empty = True
    for weight, column in zip(row, columns, strict=True):
        if weight == 0.0:
            continue
        if empty:
            np.multiply(column, weight, out=target)
            empty = False
        else:
            np.multiply(column, weight, out=term)
            target += term
