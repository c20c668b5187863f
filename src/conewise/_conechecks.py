"""What a cone refuses, and the sentence for each: the direction, the rows or the exchanges at fault, and the remedy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from conewise._arrays import DEGENERATE, Floats, as_count, as_floats, as_number
from conewise._polyhedra import line_inside, smallest_combination
from conewise.errors import ConeError, InputError


def real(value: Any, name: str) -> float:
    try:
        return as_number(value, name)
    except InputError as error:
        raise ConeError(str(error)) from None


def whole(value: Any, name: str, minimum: int = 1) -> int:
    try:
        return as_count(value, name, minimum)
    except InputError as error:
        raise ConeError(str(error)) from None


def as_rows(values: ArrayLike, name: str) -> Floats:
    """A finite (N, D) array without zero rows, or a ConeError."""
    try:
        rows = as_floats(values, name)
    except InputError as error:
        raise ConeError(str(error)) from error
    if rows.ndim != 2 or rows.size == 0:
        raise ConeError(f"{name} must have shape (N, D), one row a facet or ray, got shape {rows.shape}.")
    if not np.isfinite(rows).all():
        row = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ConeError(f"{name} has NaN or infinity in row {row} (counted from 0); every entry must be finite.")
    zero = np.flatnonzero(~rows.any(axis=1))
    if len(zero):
        raise ConeError(f"row {zero[0]} of {name} is zero and says nothing; remove it.")
    return rows


def refuse_line(units: Floats) -> None:
    direction = line_inside(units)
    if direction is not None:
        raise ConeError(
            f"the cone is not pointed: {vector(direction)} lies in C and in -C, so two different designs "
            "would be each better than the other; add a row that is not zero along it."
        )


def refuse_flat(units: Floats) -> None:
    if len(units) == units.shape[1]:  # independent rows: W x = 1 has a solution
        return
    weights, shortest = smallest_combination(units)
    if np.linalg.norm(shortest) <= DEGENERATE:
        raise ConeError(
            f"the cone has an empty interior: rows {listed(np.flatnonzero(weights > 1e-9))} (counted from 0) "
            "have a positive combination that vanishes, so W x > 0 has no solution; remove or tilt one of them."
        )


def refuse_arbitrage(matrix: Floats) -> None:
    """Every cycle of exchanges must cost something: no product of rates along a cycle may be 1 or less."""
    dim = len(matrix)
    cost, then = np.log(matrix), np.tile(np.arange(dim), (dim, 1))
    np.fill_diagonal(cost, np.inf)
    for via in range(dim):  # Floyd & Warshall, remembering the next asset on the cheapest way
        for start in range(dim):
            through = cost[start, via] + cost[via]
            shorter = through < cost[start]
            cost[start, shorter] = through[shorter]
            then[start, shorter] = then[start, via]
            if cost[start, start] <= DEGENERATE:
                cycle = [start, int(then[start, start])]
                while cycle[-1] != start and len(cycle) <= dim:
                    cycle.append(int(then[cycle[-1], start]))
                rate = math.exp(-cost[start, start])
                word = "arbitrage" if rate > 1 + DEGENERATE else "a free exchange (the cone would not be pointed)"
                raise ConeError(
                    f"pi allows {word}: exchanging asset {' -> '.join(map(str, cycle))} turns 1 unit into {rate:.6g}; "
                    "raise the rates along this cycle until their product exceeds 1."
                )


def vector(values: Floats) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"


def listed(indices: Any) -> str:
    words = [str(int(n)) for n in indices]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
