"""Refuse invalid cones, with a message that names the direction, rows or exchanges at fault and the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeVar

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
)
from conewise.cone.polyhedra import line_inside, needed_rows, smallest_combination
from conewise.errors import ConeError, InputError
from conewise.limits import MOST_FACETS, MOST_OBJECTIVES

T = TypeVar("T")

SMALLEST_ANGLE: Final = 2e-4
"""Degrees: a cone given by an angle must be this far from a half line and from a half space (see DEGENERATE)."""

_LARGER = "tilt its rows apart, or choose more degrees where it is given by an angle"
_SMALLER = "tilt its rows apart, or choose fewer degrees or a smaller share where it is given by one"
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
    if degrees < SMALLEST_ANGLE:
        raise ConeError(
            f"the cone is too thin: degrees = {degrees:g} is too near to a half line to compute with; "
            f"choose at least {SMALLEST_ANGLE:g}."
        )
    if 180 - degrees < SMALLEST_ANGLE:
        raise ConeError(
            f"the cone is too wide: degrees = {degrees!r} is too near to a {flat} to compute with; "
            f"stay at least {SMALLEST_ANGLE:g} below 180."
        )
    return degrees


def refuse_line(units: Floats) -> None:
    """Raise ConeError if the cone contains a line."""
    direction = line_inside(units)
    if direction is None:
        return
    most = float(np.abs(units @ direction).max())
    if most <= ROUNDING:
        raise ConeError(
            f"the cone is not pointed: {vector(direction)} lies in C and in -C, so two different designs "
            "would be each better than the other; add a row that is not zero along it."
        )
    _refuse_thin(units)
    raise ConeError(
        f"the cone is too wide: within {most:.1g} it contains the whole line along {vector(direction)}, as a half "
        f"space does, {_TOO_LITTLE}; {_SMALLER}."
    )


def refuse_flat(units: Floats) -> None:
    """Raise ConeError if the cone has no interior."""
    if len(units) > units.shape[1]:  # else independent rows: W x = 1 has a solution
        _refuse_thin(units)


def _refuse_thin(units: Floats) -> None:
    """Refuse rows if a positive combination of them is zero, exactly or nearly."""
    weights, shortest = smallest_combination(units)
    length = float(np.linalg.norm(shortest))
    rows = listed(np.flatnonzero(weights > 1e-9))
    if length <= ROUNDING:
        raise ConeError(
            f"the cone has an empty interior: rows {rows} (counted from 0) "
            "have a positive combination that vanishes, so W x > 0 has no solution; remove or tilt one of them."
        )
    if length <= DEGENERATE:
        raise ConeError(
            f"the cone is too thin: rows {rows} (counted from 0) have a positive combination that vanishes within "
            f"{length:.1g}, {_TOO_LITTLE}; {_LARGER}."
        )


def refuse_bad_rays(rays: Floats) -> None:
    """Refuse rays that lie in a hyperplane or cancel each other, exactly or nearly."""
    across = line_inside(rays)
    weights, shortest = smallest_combination(rays)
    length, cancel = float(np.linalg.norm(shortest)), listed(np.flatnonzero(weights > 1e-9))
    if across is not None and float(np.abs(rays @ across).max()) <= ROUNDING:
        raise ConeError(
            f"the rays are all orthogonal to {vector(across)}, so the cone is flat (empty interior): "
            "add a ray that leaves this hyperplane."
        )
    if length <= ROUNDING:
        raise ConeError(
            f"the cone is not pointed: {vector(rays[weights.argmax()])} lies in C and in -C "
            f"(rays {cancel} have a positive combination that vanishes); remove one of these rays."
        )
    if length <= DEGENERATE:
        raise ConeError(
            f"the cone is too wide: rays {cancel} (counted from 0) have a positive combination that vanishes within "
            f"{length:.1g}, {_TOO_LITTLE}; tilt one of them inwards."
        )
    if across is not None:
        raise ConeError(
            f"the cone is too thin: the rays are all orthogonal to {vector(across)} within "
            f"{np.abs(rays @ across).max():.1g}, {_TOO_LITTLE}; add a ray that leaves this hyperplane."
        )


def holds_axes(rays: Floats) -> bool:
    """Return True if every coordinate axis is among the rays, so that no facet has a negative entry."""
    alone = rays[((rays != 0).sum(axis=1) == 1) & (rays >= 0).all(axis=1)]
    return bool(alone.any(axis=0).all())


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


def refuse_many(facets: Floats) -> None:
    """Refuse a cone given by rays if it has too many facets."""
    if len(facets) > MOST_FACETS:
        raise ConeError(
            f"a cone may have up to {MOST_FACETS} facets, and these rays make {len(facets)}; give fewer rays."
        )


def as_bid_ask(values: ArrayLike, name: str) -> Floats:
    """Return a bid-ask matrix without arbitrage; refuse any other matrix."""
    matrix = as_rows(values, name)
    if matrix.shape != (len(matrix), len(matrix)):
        raise ConeError(f"{name} must be square, one row and column an asset, got shape {matrix.shape}.")
    if (matrix <= 0).any() or (np.diag(matrix) != 1).any():
        raise ConeError(f"{name} must be positive with ones on its diagonal (one unit of an asset buys itself).")
    refuse_arbitrage(matrix)
    return matrix


def refuse_arbitrage(matrix: Floats) -> None:
    """Refuse a matrix with a free cycle: the product of the rates along each cycle must exceed 1."""
    dim = len(matrix)
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
                    f"pi allows {word}: exchanging asset {' -> '.join(map(str, cycle))} turns 1 unit into {rate:.6g}; "
                    "raise the rates along this cycle until their product exceeds 1."
                )


def as_about(entries: object, dim: int) -> tuple[tuple[str, str, float], ...]:
    """Return the name, goal and unit of each of the `dim` objectives, or () if there are none."""
    if entries == () or entries == []:
        return ()
    if not isinstance(entries, list | tuple) or len(entries) != dim or not all(map(_is_objective, entries)):
        raise ConeError(
            '"about" in a cone\'s dictionary must have a name, "max" or "min", and a positive unit for each of the '
            f"{dim} objectives, as to_dict writes it."
        )
    return tuple((name, goal, float(unit)) for name, goal, unit in entries)


def _is_objective(entry: object) -> bool:
    if not isinstance(entry, list | tuple) or len(entry) != 3:
        return False
    name, goal, unit = entry
    number = isinstance(unit, int | float) and not isinstance(unit, bool) and math.isfinite(unit) and unit > 0
    return isinstance(name, str) and goal in ("max", "min") and number


def vector(values: Floats) -> str:
    """Return a vector as text with four digits."""
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"


def listed(indices: Any) -> str:
    """Return numbers as a list in words: "1, 2 and 3"."""
    words = [str(int(n)) for n in indices]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
