"""One cone as each control of the page would say it; None where a control has no words for it."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone

_SAME: Final = 1e-6  # of a weight or a direction: stated rays carry 1e-9 of room for rounding
_PLACES: Final = 6


def views(cone: Cone) -> dict[str, Any]:
    """Angle, least shares, ranking, for three objectives the extreme weightings, and exchanges.

    `exchanges[i][j]` is the least gain in j that pays for a loss of 1 in i.
    """
    rows = cone.facets
    shares = None if (rows < 0).any() else rows / rows.sum(axis=1, keepdims=True)
    return {
        "degrees": _degrees(cone),
        "shares": None if shares is None else _least_shares(shares),
        "ranking": None if shares is None else _ranking(shares),
        "weights": None if shares is None or cone.dim != 3 else _around(shares),
        "exchanges": None if (rows < 0).any() else _exchanges(rows),
    }


def _degrees(cone: Cone) -> float | None:
    """The opening angle, where the cone lies evenly about the diagonal."""
    if cone.dim != 2:
        return None
    (east, north), (other_east, other_north) = cone.rays
    if abs(east - other_north) > _SAME or abs(north - other_east) > _SAME:
        return None
    return round(float(np.degrees(np.arccos(np.clip(cone.rays[0] @ cone.rays[1], -1, 1)))), _PLACES)


def _least_shares(rows: Floats) -> list[float] | None:
    """In %, where the extreme weightings are s + (1 - sum s) e_d (see `preferences.least_shares`)."""
    least = rows.min(axis=0)
    corners = least + (1 - least.sum()) * np.eye(len(least))
    if len(rows) != len(least) or not _same_rows(rows, corners):
        return None
    return [round(100 * share, _PLACES) + 0.0 for share in least.tolist()]


def _ranking(rows: Floats) -> list[int] | None:
    """The order, where the extreme weightings share all weight evenly among the first ones of it."""
    dim = rows.shape[1]
    order = np.argsort(-rows.sum(axis=0), kind="stable")
    wanted = np.zeros((dim, dim))
    wanted[:, order] = np.tri(dim) / np.arange(1, dim + 1)[:, None]
    return order.tolist() if len(rows) == dim and _same_rows(rows, wanted) else None


def _around(rows: Floats) -> list[list[float]]:
    """Weightings of three objectives in the order in which they surround their middle, in their own plane."""
    flat = (rows - rows.mean(axis=0)) @ np.array([[0.0, 1.0], [-np.sqrt(3) / 2, -0.5], [np.sqrt(3) / 2, -0.5]])
    around: list[list[float]] = rows[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]), kind="stable")].tolist()
    return around


def _same_rows(rows: Floats, wanted: Floats) -> bool:
    """Whether two lists of rows are the same in some order."""
    away = np.abs(rows[:, None, :] - wanted[None, :, :]).max(axis=2) <= _SAME
    return bool(away.any(axis=0).all() and away.any(axis=1).all())


def _exchanges(rows: Floats) -> list[list[float | None]]:
    """The least gain in j that pays for a loss of 1 in i: all weightings w agree when w_j gain >= w_i."""
    dim = rows.shape[1]
    found: list[list[float | None]] = [[None] * dim for _ in range(dim)]
    tops = rows / rows.max(axis=1, keepdims=True)
    for i, j in permutations(range(dim), 2):
        paid, gained = tops[:, i], tops[:, j]
        here = paid > _SAME
        if (gained[here] > _SAME).all():
            found[i][j] = float((paid[here] / gained[here]).max())
    return found
