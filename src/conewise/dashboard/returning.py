"""When a design that is out would come back: by the smallest change of all, or by one exchange or the shares alone.

The smallest change may affect all facets and exchanges at once. Its size is the factor by which the ratio of two
weights moves away from a weighting that the cone respects. See docs/preferences, section "When a design would return".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.cone.polyhedra import needed_rows, unit
from conewise.dashboard.sources import Designs
from conewise.dashboard.statements import spoken, stated
from conewise.dashboard.views import views
from conewise.errors import ConewiseError
from conewise.order.dominance import dominates

_FARTHEST: Final = 2.0**20  # times the amount that was said: beyond, the exchange is as good as never
_HALVINGS: Final = 24
_MOST_ASKED: Final = 5  # exchanges of one preference that are looked at
_MOST_NAMED: Final = 2  # exchanges of a change that are told
_MOVED: Final = 1.001  # times what was wanted: below, nobody would notice
_ROOMS: Final = (1e-4, 1e-2)  # margins above the factor at which a rival ties, against rounding


def returning(designs: Designs, index: int, preference: Any) -> list[dict[str, Any]]:
    """What a preference would have to be for design `index`, which is beaten, to remain: first the smallest change.

    Then each part of it alone. Larger amounts and smaller shares make smaller cones, each inside the last, so that
    halving finds where it returns.
    """
    mine = designs.means[designs.known == index][0]
    if dominates(designs.means, mine, Cone.orthant(designs.dim)).any():
        return [{"never": True}]

    def remains(changed: dict[str, Any]) -> bool:
        try:
            cone: Cone = stated(changed, designs)
        except ConewiseError:  # the rest contradicts it
            return False
        return not dominates(designs.means, mine, cone).any()

    found: list[dict[str, Any]] = []
    factor = math.inf  # by which one exchange alone would have to change
    said = preference.get("said", [])
    for place in [n for n, statement in enumerate(said) if "accept" in statement][-_MOST_ASKED:]:
        if (times := _least(partial(_holds_dearer, remains, preference, place))) is not None:
            give, much, get, more = said[place]["accept"]
            found.append({"loss": give, "gain": get, "amount": more * times / much})
            factor = min(factor, times)
    shares = preference.get("shares")
    if (
        shares
        and any(shares)
        and (times := _least(lambda t: remains({**preference, "shares": [share / t for share in shares]}))) is not None
    ):
        found.append({"shares": [math.floor(10 * share / times) / 10 for share in shares]})
    # Where one exchange alone does it as well, that is the simpler way to say it.
    return [way for way in _changed(designs, index, preference, remains) if way["factor"] * _MOVED < factor] + found


def _changed(
    designs: Designs, index: int, preference: Any, remains: Callable[[dict[str, Any]], bool]
) -> list[dict[str, Any]]:
    """The smallest change over all exchanges: as a cone, with what was said that still holds, and what it means.

    `exchanges` are those that it moves furthest: for 1 of an objective so much of another one, before and after.
    """
    cone = stated(preference, designs)
    change = smallest_change(designs.means, int(np.searchsorted(designs.known, index)), cone)
    if change is None:
        return []
    said = preference.get("said", [])
    kept = [
        place
        for place, statement in enumerate(spoken(preference, designs))
        if bool(change.cone.contains(statement.rays).all())
    ]
    text = str(change.cone)
    if not remains({"text": text, "said": [said[place] for place in kept]}):
        return []  # no click would do it: the numbers are too far apart
    before, after = views(cone)["exchanges"], views(change.cone)["exchanges"]
    units = designs.meaning.units.tolist()
    moved = sorted(
        (
            (now / then, i, j, then * units[j] / units[i], now * units[j] / units[i])
            for i, row in enumerate(after)
            for j, now in enumerate(row)
            if now is not None and (then := before[i][j]) is not None and now > then * _MOVED
        ),
        reverse=True,
    )
    exchanges = [list(exchange) for _, *exchange in moved[:_MOST_NAMED]]
    return [{"factor": change.factor, "text": text, "kept": kept, "exchanges": exchanges}]


def _holds_dearer(
    remains: Callable[[dict[str, Any]], bool], preference: dict[str, Any], place: int, times: float
) -> bool:
    """Whether it remains when a larger amount is wanted in one exchange."""
    said = list(preference["said"])
    give, much, get, more = said[place]["accept"]
    said[place] = {"accept": [give, much, get, more * times]}
    return remains({**preference, "said": said})


def _least(holds: Callable[[float], bool]) -> float | None:
    """The least number from 1 on from which something holds, to the last halving; None where it never does."""
    if not holds(_FARTHEST):
        return None
    low, high = 0.0, math.log(_FARTHEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(math.exp(middle)) else (middle, high)
    return math.exp(high)


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
