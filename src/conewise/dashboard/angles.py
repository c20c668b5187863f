"""For two objectives: at which angle each design leaves the Pareto set, as planar cones open."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.dashboard.sources import Designs
from conewise.order.dominance import pareto_mask

STEPS: Final = (1.0, *(float(degrees) for degrees in range(5, 180, 5)), 179.0)
"""Degrees at which the front is computed before angles are made exact; the first and last are those of the slider."""
_SHORT_PAIRS: Final = 2**20  # pairs whose angles are computed at a time
MOST_ON_FRONT: Final = 5000  # a larger front would take long, and a list of its members would say nothing


def leaving_angles(designs: Designs) -> dict[str, Any]:
    """Who is Pareto until which angle, in the order of leaving; `from` is None where no front is short enough.

    `nobody` says why where no design counts at all.

    Planar cones are nested, so a design that has left never returns, and whoever beats it first is on the front until
    then. The front is therefore computed at some angles, and between two of them only its own members are compared.
    """
    first, places, ends = _leaving(designs.means)
    order = np.argsort(ends, kind="stable")
    places, ends = designs.known[places[order]], ends[order]
    return {
        "version": designs.version,
        "nobody": designs.nobody,
        "from": first,
        "to": STEPS[-1],
        "degrees": [end if math.isfinite(end) else None for end in ends.tolist()],
        "index": places.tolist(),
        "names": designs.shown(places.tolist()),
        "curve": _curve(first, ends) if first is not None else [],
    }


def _curve(first: float, ends: Floats) -> list[list[float]]:
    """How many stay beyond every whole degree."""
    return [[float(t), int((ends > t).sum())] for t in range(round(first), round(STEPS[-1]) + 1)]


def _leaving(means: Floats) -> tuple[float | None, np.ndarray, Floats]:
    """The first angle with a short front, who is Pareto there, and where each leaves; infinity for who stays."""
    start, alive = _first_short(means)
    if start is None:
        return None, alive, np.empty(0)
    everyone, ends = alive, np.full(len(means), np.inf)
    for degrees in STEPS[STEPS.index(start) + 1 :]:
        stays = pareto_mask(means[alive], Cone.planar(degrees))
        gone = alive[~stays]
        for part in np.array_split(gone, max(1, math.ceil(len(gone) * len(alive) / _SHORT_PAIRS))):
            ends[part] = _first_beaten(means[part], means[alive])
        alive = alive[stays]
    return start, everyone, ends[everyone]


def _first_short(means: Floats) -> tuple[float | None, np.ndarray]:
    """The narrowest of the steps whose front is short, by bisection: fronts shrink as the cone opens."""
    alive = np.arange(len(means))
    if not len(alive):
        return None, alive
    fronts: dict[int, np.ndarray] = {}

    def short(step: int) -> bool:
        fronts[step] = np.flatnonzero(pareto_mask(means, Cone.planar(STEPS[step])))
        return len(fronts[step]) <= MOST_ON_FRONT

    low, high = 0, len(STEPS) - 1
    if short(low):
        return STEPS[low], fronts[low]
    if not short(high):
        return None, alive[:0]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if short(middle) else (middle, high)
    return STEPS[high], fronts[high]


def _first_beaten(points: Floats, rivals: Floats) -> Floats:
    """(n,): the opening angle of the narrowest planar cone under which some rival beats each point."""
    east = rivals[None, :, 0] - points[:, None, 0]
    north = rivals[None, :, 1] - points[:, None, 1]
    # The angle between a step and the diagonal, from its parts along and across it; no step, no rival.
    away = np.degrees(np.arctan2(np.abs(north - east), north + east))
    return np.asarray(2 * np.where((east == 0) & (north == 0), np.inf, away).min(axis=1))
