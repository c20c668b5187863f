"""What is acceptable, as the page states it: by objective the least, or the most, that a design may have."""

from __future__ import annotations

import shlex
from typing import Any

from conewise.dashboard.preferences import is_number
from conewise.dashboard.sources import Designs, Levels
from conewise.errors import InputError
from conewise.tables.columns import quoted_name


def levels_in(asked: object, dim: int) -> Levels:
    """By the number of an objective, as in {"0": 12.5}; anything else is refused in one sentence.

    >>> levels_in({"1": 3, "0": 12.5}, 2)
    ((0, 12.5), (1, 3.0))
    """
    if asked is None:
        return ()
    if not isinstance(asked, dict) or not all(_is_level(*item, dim) for item in asked.items()):
        raise InputError('levels name objectives by number, each with one number, as in {"0": 12.5}.')
    return tuple(sorted((int(place), float(level)) for place, level in asked.items()))


def _is_level(place: object, level: object, dim: int) -> bool:
    return isinstance(place, str) and place.isdecimal() and int(place) < dim and is_number(level)


def stated_levels(designs: Designs) -> list[tuple[str, str, float]]:
    """The same by name, with the sign that says which way is acceptable."""
    named = ((designs.objectives[place], level) for place, level in designs.levels)
    return [(name, "<=" if name in designs.minimised else ">=", level) for name, level in named]


def as_options(designs: Designs) -> str:
    """The same for a command line."""
    said = stated_levels(designs)
    return shlex.join(word for name, sign, level in said for word in ("--level", f"{quoted_name(name)}{sign}{level!r}"))


def missed(designs: Designs, index: int) -> list[dict[str, Any]]:
    """Which levels a design misses, and by how much."""
    found = []
    for place, level in designs.levels:
        by = float(designs.misses(place, designs.values[index, place], level))
        if by > 0:
            found.append({"objective": place, "level": level, "by": by})
    return found
