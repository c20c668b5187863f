"""The numbers on the page: the Pareto set under a cone, what it costs, who enters or leaves and at which angle."""

from __future__ import annotations

import math
import shlex
from typing import Any, Final

import numpy as np

from conewise._arrays import Floats
from conewise.budgets import naive_budget
from conewise.complexity import hardness
from conewise.cones import Cone
from conewise.dashboard.sources import Designs
from conewise.errors import ConewiseError
from conewise.noise import Gaussian, Noise
from conewise.order import dominates, pareto_mask
from conewise.report.words import describe

DRAWN: Final = 1500
"""Designs of each kind in a picture: more cannot be told apart, and a browser must stay quick."""
LISTED: Final = 200
"""Rows of a table on the page, and names in a list."""
_RIVALS: Final = 10
_ANGLES: Final = tuple(range(5, 180, 5))  # degrees at which the front is computed before angles are made exact
_SHORT_PAIRS: Final = 2**20  # pairs whose angles are computed at a time
_MOST_ON_FRONT: Final = 5000  # from a larger front on, angles would take long and the list would say nothing
_MOST_PAIRS: Final = 10**8  # comparisons after which the hardness is not worth waiting for


def backdrop(designs: Designs) -> dict[str, Any]:
    """The designs to draw behind the front: all, or an even sample that is the same in every answer."""
    known = designs.known
    if len(known) > DRAWN:
        known = np.sort(np.random.default_rng(0).choice(known, DRAWN, replace=False))
    return {
        "version": designs.version,
        "designs": len(designs.names),
        "unknown": len(designs.names) - len(designs.known),
        "objectives": list(designs.objectives),
        "minimised": list(designs.minimised),
        "drawn": _points(designs, known),
    }


def front(designs: Designs, cone: Cone) -> np.ndarray:
    """Places of the Pareto designs among all designs."""
    if not len(designs.known):
        return designs.known
    return np.asarray(designs.known[pareto_mask(designs.means, cone)])


def summary(designs: Designs, cone: Cone, pareto: np.ndarray) -> dict[str, Any]:
    """What a preference means and gives."""
    complexity = cone.complexity
    return {
        "cone": str(cone),
        "option": f"--cone {shlex.quote(str(cone))}",
        "beta": complexity.beta,
        "exact": complexity.exact,
        "words": describe(cone),
        "pareto": len(pareto),
        "points": _points(designs, pareto[:DRAWN]),
        "rays": cone.rays.tolist() if cone.dim == 2 else None,
    }


def cost(designs: Designs, cone: Cone, noise: Noise, epsilon: float, delta: float) -> dict[str, Any]:
    """Evaluations that naive elimination needs: a guarantee before any data, whatever the true means are."""
    bound: Any = "gaussian" if isinstance(noise, Gaussian) else "subgaussian"
    each = naive_budget(cone, noise, len(designs.names), epsilon, delta, bound=bound)
    return {"each": each, "total": each * len(designs.names), "bound": bound}


def hardness_of(designs: Designs, cone: Cone, sigma: float, epsilon: float, delta: float) -> dict[str, Any]:
    """sigma^2 H log(1/delta), the rate below which no correct rule can stay if these values were the true means.

    Ararat & Tekin 2023, Theorem 5.1, for noise of scale sigma; the constant in front is not known.
    """
    pareto = len(front(designs, cone))
    if pareto * len(designs.known) > _MOST_PAIRS:
        raise ConewiseError("too many designs are Pareto to measure every gap while you wait.")
    if not pareto:
        raise ConewiseError("no design has values yet.")
    rate = sigma**2 * hardness(designs.means, cone, epsilon) * math.log(1 / delta)
    if not math.isfinite(rate):
        raise ConewiseError("the evaluations for this noise and accuracy are beyond counting.")
    return {"rate": rate}


def difference(designs: Designs, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Who is Pareto under one cone only."""
    only_first, only_second = np.setdiff1d(first, second), np.setdiff1d(second, first)
    return {
        "both": len(first) - len(only_first),
        "only_first": _named(designs, only_first),
        "only_second": _named(designs, only_second),
    }


def design(designs: Designs, index: int, cone: Cone) -> dict[str, Any]:
    """One design: its values, whether it is Pareto, and which Pareto designs beat it."""
    place = int(np.searchsorted(designs.known, index))
    facts: dict[str, Any] = {"index": index, "name": str(designs.names[index])}
    if place == len(designs.known) or designs.known[place] != index:
        return {**facts, "values": None, "pareto": False, "rivals": [], "beaten_by": 0}
    pareto = pareto_mask(designs.means, cone)
    beating = dominates(designs.means[pareto], designs.means[place], cone)
    rivals = designs.known[np.flatnonzero(pareto)[beating]]
    return {
        **facts,
        "values": designs.values[index].tolist(),
        "pareto": bool(pareto[place]),
        "beaten_by": len(rivals),
        "rivals": [str(designs.names[k]) for k in rivals[:_RIVALS].tolist()],
    }


def leaving_angles(designs: Designs) -> dict[str, Any]:
    """For two objectives: the angle at which each design leaves the Pareto set, as planar cones open.

    Planar cones are nested, so a design that has left never returns, and whoever beats it first is on the front until
    then. The front is therefore computed at some angles, and between two of them only its own members are compared.
    """
    places, ends = _leaving(designs.means)
    order = np.argsort(ends, kind="stable")
    places, ends = places[order], ends[order]
    listed = order.size <= _MOST_ON_FRONT
    names = [str(designs.names[k]) for k in designs.known[places].tolist()] if listed else []
    return {
        "version": designs.version,
        "from": float(_ANGLES[0]),
        "to": float(_ANGLES[-1]),
        "degrees": [end if math.isfinite(end) else None for end in ends.round(6).tolist()] if listed else [],
        "index": designs.known[places].tolist() if listed else [],
        "names": names,
        "curve": [[float(t), int((ends > t).sum())] for t in range(_ANGLES[0], _ANGLES[-1] + 1)] if listed else [],
    }


def _leaving(means: Floats) -> tuple[np.ndarray, Floats]:
    """Designs that are Pareto at the first angle, and where each leaves; infinity for those that stay to the last."""
    alive = np.arange(len(means))
    if not len(alive):
        return alive, np.empty(0)
    alive = alive[pareto_mask(means, Cone.planar(_ANGLES[0]))]
    start, ends = alive, np.full(len(means), np.inf)
    if len(start) > _MOST_ON_FRONT:
        return start, ends[start]
    for degrees in _ANGLES[1:]:
        stays = pareto_mask(means[alive], Cone.planar(degrees))
        gone = alive[~stays]
        for part in np.array_split(gone, max(1, math.ceil(len(gone) * len(alive) / _SHORT_PAIRS))):
            ends[part] = _first_beaten(means[part], means[alive])
        alive = alive[stays]
    return start, ends[start]


def _first_beaten(points: Floats, rivals: Floats) -> Floats:
    """(n,): the opening angle of the narrowest planar cone under which some rival beats each point."""
    east = rivals[None, :, 0] - points[:, None, 0]
    north = rivals[None, :, 1] - points[:, None, 1]
    # The angle between a step and the diagonal, from its parts along and across it; no step, no rival.
    away = np.degrees(np.arctan2(np.abs(north - east), north + east))
    return np.asarray(2 * np.where((east == 0) & (north == 0), np.inf, away).min(axis=1))


def _points(designs: Designs, places: np.ndarray) -> dict[str, Any]:
    return {
        "index": places.tolist(),
        "names": [str(designs.names[k]) for k in places.tolist()],
        "values": [column.tolist() for column in designs.values[places].T],
    }


def _named(designs: Designs, places: np.ndarray) -> dict[str, Any]:
    shown = places[:LISTED].tolist()
    return {"count": len(places), "index": shown, "names": [str(designs.names[k]) for k in shown]}
