"""Refuse invalid cones, with a message that names the direction, rows or exchanges at fault and the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import (
    BARELY_NEEDED,
    DEGENERATE,
    ROUNDING,
    Floats,
    as_count,
    as_floats,
    as_number,
    as_positive,
)
from conewise.cone.polyhedra import line_inside, needed_rows, smallest_combination
from conewise.errors import ConeError, InputError
from conewise.limits import MOST_FACETS, MOST_OBJECTIVES

T = TypeVar("T")

SMALLEST_ANGLE: Final = 2e-4
"""Degrees: a cone given by an angle must be this far from a half line and from a half space (see DEGENERATE)."""

_TOO_LITTLE = f"and less than {DEGENERATE:g} is too little to compute with"


def checked(check: Callable[..., T], value: Any, name: str, *limits: int) -> T:
    """Return what a check of `border` returns, or raise its refusal as a ConeError."""
    try:
        return check(value, name, *limits)
    except InputError as error:
        raise ConeError(str(error)) from None


def whole(dim: Any) -> int:
    """Return a number of objectives, or raise ConeError."""
    return checked(as_count, dim, "dim", 1, MOST_OBJECTIVES)


def as_rows(values: ArrayLike, name: str) -> Floats:
    """Return a finite (N, D) array without zero rows; raise ConeError otherwise."""
    rows = checked(as_floats, values, name)
    if rows.ndim != 2 or rows.size == 0:
        raise ConeError(f"{name} must have shape (N, D), one row a facet or ray, got shape {rows.shape}.")
    if rows.shape[0] > MOST_FACETS or rows.shape[1] > MOST_OBJECTIVES:
        raise ConeError(
            f"{name} may have up to {MOST_FACETS} rows and {MOST_OBJECTIVES} columns (objectives), got shape "
            f"{rows.shape}; leave out what the others imply."
        )
    if not np.isfinite(rows).all():
        row = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ConeError(f"{name} has NaN or infinity in row {row} (counted from 0); every entry must be finite.")
    zero = np.flatnonzero(~rows.any(axis=1))
    if len(zero):
        raise ConeError(f"row {zero[0]} of {name} is zero and says nothing; remove it.")
    return rows


def angle(value: Any, flat: str) -> float:
    """Return an opening angle between 0 and 180 degrees, not too close to either end. `flat` names the cone at 180."""
    degrees = checked(as_number, value, "degrees")
    if not 0 < degrees < 180:
        raise ConeError(
            f"degrees must lie strictly between 0 and 180, got {degrees:g}: at 180 the cone is a {flat}, "
            "beyond it is not convex."
        )
    if min(degrees, 180 - degrees) < SMALLEST_ANGLE:
        what, near, remedy = (
            ("thin", "half line", f"choose at least {SMALLEST_ANGLE:g}")
            if degrees < 90
            else ("wide", flat, f"stay at least {SMALLEST_ANGLE:g} below 180")
        )
        raise ConeError(
            f"the cone is too {what}: degrees = {degrees!r} is too near to a {near} to compute with; {remedy}."
        )
    return degrees


def refuse_degenerate(vectors: Floats, kind: Literal["rows", "rays"]) -> None:
    """Refuse rows or rays of a cone that contains a line or has no interior, exactly or nearly.

    The two kinds are dual. A direction across all rows lies in the cone with its opposite, and rays with such a
    direction make a flat cone. Rows with a combination that vanishes make a flat cone, and such rays contain a line.
    """
    across = line_inside(vectors)
    if across is None and len(vectors) <= vectors.shape[1]:
        return  # independent vectors
    off = 0.0 if across is None else float(np.abs(vectors @ across).max())
    weights, shortest = smallest_combination(vectors)
    length = float(np.linalg.norm(shortest))
    which, line = listed(np.flatnonzero(weights > 1e-9)), "" if across is None else vector(across)
    cancel, nearly = f"{kind} {which} (counted from 0) have a positive combination that vanishes", _TOO_LITTLE
    if kind == "rows":
        texts = (
            f"the cone is not pointed: {line} lies in C and in -C, so two different designs "
            "would be each better than the other; add a row that is not zero along it.",
            f"the cone has an empty interior: {cancel}, so W x > 0 has no solution; remove or tilt one of them.",
            f"the cone is too thin: {cancel} within {length:.1g}, {nearly}; "
            "tilt its rows apart, or choose more degrees where it is given by an angle.",
            f"the cone is too wide: within {off:.1g} it contains the whole line along {line}, as a half space does, "
            f"{nearly}; tilt its rows apart, or choose fewer degrees or a smaller share where it is given by one.",
        )
    else:
        texts = (
            f"the rays are all orthogonal to {line}, so the cone is flat (empty interior): "
            "add a ray that leaves this hyperplane.",
            f"the cone is not pointed: {vector(vectors[weights.argmax()])} lies in C and in -C "
            f"(rays {which} have a positive combination that vanishes); remove one of these rays.",
            f"the cone is too wide: {cancel} within {length:.1g}, {nearly}; tilt one of them inwards.",
            f"the cone is too thin: the rays are all orthogonal to {line} within {off:.1g}, {nearly}; "
            "add a ray that leaves this hyperplane.",
        )
    found = (across is not None and off <= ROUNDING, length <= ROUNDING, length <= DEGENERATE, across is not None)
    if any(found):
        raise ConeError(texts[found.index(True)])


def irredundant(rows: Floats, name: str) -> list[int]:
    """Return the indices of the needed rows or rays of a pointed, solid cone; refuse it if rounding would decide."""
    kept, barely = needed_rows(rows)
    if barely:
        row, apart = next(iter(barely.items()))
        raise ConeError(
            f"{name} {row} (counted from 0) follows from the others within {apart:.1g}, and {BARELY_NEEDED:g} or less "
            "is too little to compute with; leave it out, or tilt it outwards."
        )
    return kept


def as_bid_ask(values: ArrayLike, name: str) -> Floats:
    """Return a bid-ask matrix without arbitrage: the product of the rates along each cycle must exceed 1."""
    matrix = as_rows(values, name)
    dim = len(matrix)
    if matrix.shape != (dim, dim):
        raise ConeError(f"{name} must be square, one row and column an asset, got shape {matrix.shape}.")
    if (matrix <= 0).any() or (np.diag(matrix) != 1).any():
        raise ConeError(f"{name} must be positive with ones on its diagonal (one unit of an asset buys itself).")
    cost, then = np.log(matrix), np.tile(np.arange(dim), (dim, 1))
    np.fill_diagonal(cost, np.inf)
    for via in range(dim):  # Floyd & Warshall; `then` holds the next asset on the cheapest way
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
                    f"{name} allows {word}: exchanging asset {' -> '.join(map(str, cycle))} turns 1 unit into "
                    f"{rate:.6g}; raise the rates along this cycle until their product exceeds 1."
                )
    return matrix


def as_about(entries: Any, dim: int) -> tuple[tuple[str, str, float], ...]:
    """Return the name, goal and unit of each of the `dim` objectives, or () if there are none."""
    try:
        about = tuple((name, goal, as_positive(unit, "unit")) for name, goal, unit in entries)
        given = isinstance(entries, list | tuple) and len(about) in (0, dim)
        if given and all(isinstance(name, str) and goal in ("max", "min") for name, goal, _ in about):
            return about
    except (TypeError, ValueError):
        pass
    raise ConeError(
        '"about" in a cone\'s dictionary must have a name, "max" or "min", and a positive unit for each of the '
        f"{dim} objectives, as to_dict writes it."
    )


def vector(values: Floats) -> str:
    """Return a vector as text with four digits."""
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"


def listed(indices: Any) -> str:
    """Return numbers as a list in words: "1, 2 and 3"."""
    *before, last = map(str, indices)
    return f"{', '.join(before)} and {last}" if before else last
