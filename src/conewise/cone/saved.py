"""Write cones to dictionaries of plain data and read them back, for `Cone.to_dict` and `Cone.from_dict`."""

from __future__ import annotations

import math
from typing import Any

from conewise.errors import ConeError

About = tuple[tuple[str, str, float], ...]
"""Name, goal and unit of each objective that a cone was stated for."""


def written(
    rows: list[list[float]], rays: list[list[float]] | None, text: str | None, said: tuple[str, ...], about: About
) -> dict[str, Any]:
    """Return a cone as plain lists and text, without the entries that are empty."""
    both = {"rows": rows} if rays is None else {"rows": rows, "rays": rays}
    named: dict[str, Any] = {} if text is None else {"text": text}
    sentences = {"said": list(said)} if said else {}
    objectives = {"about": [list(each) for each in about]} if about else {}
    return {**both, **named, **sentences, **objectives}


def read(data: object) -> tuple[Any, Any, Any, tuple[str, ...], object]:
    """Return (rows, rays, text, said, about) from a dictionary. The caller checks the first three."""
    if not isinstance(data, dict) or "rows" not in data:
        raise ConeError('a cone\'s dictionary needs the key "rows" (and may have "text"), as to_dict writes it.')
    said = data.get("said", ())
    if not isinstance(said, list | tuple) or not all(isinstance(word, str) for word in said):
        raise ConeError('"said" in a cone\'s dictionary must be a list of sentences, as to_dict writes it.')
    return data["rows"], data.get("rays"), data.get("text"), tuple(said), data.get("about", ())


def as_about(entries: object, dim: int) -> About:
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
