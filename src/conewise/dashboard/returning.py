"""When a design that is out would come back: at which amount of an exchange, or with which least shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from conewise.cones import Cone
from conewise.dashboard.sources import Designs
from conewise.dashboard.statements import stated
from conewise.errors import ConewiseError
from conewise.order import dominates

_FARTHEST: Final = 2.0**20  # times the amount that was said: beyond, the exchange is as good as never
_HALVINGS: Final = 24
_MOST_ASKED: Final = 5  # exchanges of one preference that are looked at


def returning(designs: Designs, index: int, preference: Any) -> list[dict[str, Any]]:
    """What each part of a preference would have to be for design `index`, which is beaten, to remain.

    Larger amounts and smaller shares make smaller cones, each inside the last, so that halving finds where it returns.
    """
    mine = designs.means[designs.known == index][0]

    def remains(changed: dict[str, Any]) -> bool:
        try:
            cone: Cone = stated(changed, designs)
        except ConewiseError:  # the rest contradicts it
            return False
        return not dominates(designs.means, mine, cone).any()

    found: list[dict[str, Any]] = []
    said = preference.get("said", [])
    for place in [n for n, statement in enumerate(said) if "accept" in statement][-_MOST_ASKED:]:
        if (times := _least(partial(_holds_dearer, remains, preference, place))) is not None:
            give, much, get, more = said[place]["accept"]
            found.append({"loss": give, "gain": get, "amount": more * times / much})
    shares = preference.get("shares")
    if (
        shares
        and any(shares)
        and (times := _least(lambda t: remains({**preference, "shares": [share / t for share in shares]}))) is not None
    ):
        found.append({"shares": [math.floor(10 * share / times) / 10 for share in shares]})
    return found


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
