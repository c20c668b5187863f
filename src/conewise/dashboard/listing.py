"""The list of designs on the page: those that match a text, sorted by a column, one page at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from conewise.dashboard.levels import missed
from conewise.dashboard.preferences import is_number
from conewise.dashboard.sources import Designs, not_out
from conewise.errors import InputError

PAGE: Final = 100
"""Rows of one page of the list."""
_LONGEST_TEXT: Final = 1000


@dataclass(frozen=True)
class Wanted:
    """Which part of the list the page shows."""

    everyone: bool = False
    """All designs, and not only the Pareto set."""
    text: str = ""
    column: str | int | None = None
    """`name`, `pareto`, `probability`, the number of an objective, or None for the order of the source."""
    descending: bool = False
    offset: int = 0
    between: dict[str, list[float]] = field(default_factory=dict)
    """By the number of an objective: the least and the greatest value, as they were brushed."""


def wanted(asked: object, dim: int, *, likely: bool = False) -> Wanted:
    """The part that a request names; anything else is refused in one sentence. `likely`: probabilities are known."""
    if asked is None:
        return Wanted()
    if not isinstance(asked, dict):
        raise InputError("a list is asked for by an object with everyone, text, column, descending and offset.")
    made = Wanted(**{key: asked[key] for key in asked if key in Wanted.__dataclass_fields__})
    if not isinstance(made.everyone, bool) or not isinstance(made.descending, bool):
        raise InputError("everyone and descending are true or false.")
    if not isinstance(made.text, str) or len(made.text) > _LONGEST_TEXT:
        raise InputError(f"text must be a text of at most {_LONGEST_TEXT} characters.")
    if type(made.offset) is not int or made.offset < 0:
        raise InputError(f"offset must be a whole number from 0, got {made.offset!r:.40}.")
    if not isinstance(made.between, dict) or not all(_is_range(*item, dim) for item in made.between.items()):
        raise InputError('between names objectives by number, each with two numbers, as in {"0": [1.5, 2]}.')
    objective = type(made.column) is int and 0 <= made.column < dim
    ours = (None, "name", "pareto", *(("probability",) if likely else ()))
    if made.column not in ours and not objective:
        raise InputError(f"there is no column {made.column!r:.40}; choose name, pareto, or 0 to {dim - 1}.")
    return made


def _is_range(place: object, ends: object, dim: int) -> bool:
    named = isinstance(place, str) and place.isdecimal() and int(place) < dim
    return named and isinstance(ends, list) and len(ends) == 2 and all(map(is_number, ends))


def listing(designs: Designs, pareto: np.ndarray, part: Wanted, status: np.ndarray | None = None) -> dict[str, Any]:
    """Return one page of the list, or its last; with a study's `status`, of the designs that it has not ruled out."""
    pareto = pareto if status is None else not_out(status)
    on_front = np.zeros(len(designs.names), dtype=bool)
    on_front[pareto] = True
    places = np.arange(len(designs.names)) if part.everyone else np.asarray(pareto)
    listed = len(places)
    if text := part.text.strip().casefold():
        folded = designs.folded
        places = np.array([k for k in places.tolist() if text in folded[k]], dtype=np.int64)
    for place, (low, high) in part.between.items():
        values = designs.values[places, int(place)]
        places = places[(values >= low) & (values <= high)]
    if part.column is not None:
        keys = _keys(designs, on_front, part.column)[places]
        # Turned keys, not a turned order: equal rows keep the order of the source, and unknown values come last.
        places = places[np.argsort(-keys if part.descending else keys, kind="stable")]
    offset = min(part.offset, max(0, len(places) - 1)) // PAGE * PAGE
    shown = places[offset : offset + PAGE]
    return {
        "everyone": part.everyone,
        "column": part.column,
        "descending": part.descending,
        "listed": listed,
        "matching": len(places),
        "offset": offset,
        "page": PAGE,
        "index": shown.tolist(),
        "names": designs.shown(shown.tolist()),
        "values": [[v if np.isfinite(v) else None for v in column.tolist()] for column in designs.values[shown].T],
        "pareto": on_front[shown].tolist(),
        "status": None if status is None else [str(word) for word in status[shown]],
        "probability": None if designs.probability is None else designs.probability[shown].tolist(),
        "misses": [bool(missed(designs, k)) for k in shown.tolist()],
    }


def _keys(designs: Designs, on_front: np.ndarray, column: str | int) -> np.ndarray:
    if column == "name":
        return designs.name_ranks
    if column == "pareto":
        return np.where(on_front, 0.0, 1.0)  # Pareto designs first
    if column == "probability" and designs.probability is not None:
        return -designs.probability  # the most probable first
    return np.asarray(designs.values[:, int(column)])
