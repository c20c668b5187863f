"""The numbers that a page's pictures need, in few bytes: columns in place of records, and no text that its table has.

A page of 1000 designs stays below 500 KB. What would not fit is left out where it is missed least: rivals of a design
beyond the first, and weightings that do not decide a comparison.
"""

from __future__ import annotations

from typing import Any, Final

from conewise.digits import rounded_up
from conewise.report.answer import COLUMNS, STATUS_ORDER

_ROOM: Final = 18_000  # numbers in a page, about seven bytes each
_SMALL: Final = 4  # weightings shown of a comparison where there is little room
_ERRORS: Final = 4_000  # standard errors in a page; with more designs, or objectives, none
_DIGITS: Final = 6
_ROUGH: Final = 4  # digits of what is only drawn or read beside a larger number


def page_data(data: dict[str, Any]) -> dict[str, Any]:
    """What the page draws, from what `answer` gives."""
    rows, cone = data["rows"], data["cone"]
    place = {row["id"]: k for k, row in enumerate(rows)}
    relations = sorted({rival["relation"] for row in rows for rival in row["rivals"]})
    # Designs that were evaluated as often share their half-widths.
    kinds = {widths: n for n, widths in enumerate(dict.fromkeys(map(_half_widths, rows)))}
    rivals, facets = _room(len(rows), len(data["objectives"]), len(cone["facets"]), radii=data["has_radii"])
    return {
        "objectives": data["objectives"],
        "cone": {key: cone[key] for key in ("facets", "rays", "widths", "weightings")},
        "epsilon": data["epsilon"],
        "counts": data["counts"],
        "known": data["known"],
        "model": any(row["probability"] is not None for row in rows),
        "relations": relations,
        "statuses": [str(status) for status in STATUS_ORDER],
        "rows": {
            "status": [STATUS_ORDER.index(row["status"]) for row in rows],
            "returned": [int(row["returned"]) for row in rows],
            "certain": [int(row["certain"]) for row in rows],
            "beyond": [
                [_short(row["means"][d], _DIGITS) for row in rows] for d in range(COLUMNS, len(data["objectives"]))
            ],
            "errors": _errors(rows),
            "half_widths": [kinds[_half_widths(row)] for row in rows] if data["has_radii"] else None,
            "rivals": [
                [_rival(rival, place, relations, facets) for rival in _decisive(row)[: _wanted(row, rivals)]]
                for row in rows
            ],
        },
        "half_widths": list(kinds),
        "shortlist": [place[k] for k in data["shortlist"] if k in place],
        "history": [
            moment | {"certified_epsilon": _reached(moment["certified_epsilon"])} for moment in data["history"]
        ],
    }


def _room(designs: int, dim: int, facets: int, *, radii: bool = True) -> tuple[int, int]:
    """How many rivals of a design, and how many weightings of each, there is room for."""
    each = _ROOM / max(1, designs) - facets * radii - max(0, dim - COLUMNS)
    shown = facets if each >= 4 * (3 + 3 * facets) else min(facets, _SMALL)
    return int(min(4, max(1, each // (3 + 3 * shown * radii)))), shown


def _decisive(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Of a design that is out those that put it out, or the closest to doing so; of others all."""
    rivals: list[dict[str, Any]] = row["rivals"]
    if row["status"] in ("kept", "undecided"):
        return rivals
    return [rival for rival in rivals if rival["relation"].startswith(("better", "covers"))] or rivals[:1]


def _wanted(row: dict[str, Any], rivals: int) -> int:
    """Whoever is out needs no more than who puts it out."""
    return rivals if row["status"] in ("kept", "undecided") else min(2, rivals)


def _rival(rival: dict[str, Any], place: dict[int, int], relations: list[str], most: int) -> list[Any]:
    """[place in the list or name, relation, epsilon], and with confidence also weightings, gains and radii."""
    known = [
        place.get(rival["id"], rival["name"]),
        relations.index(rival["relation"]),
        _reached(rival["epsilon"]),
    ]
    if rival["radii"] is None:
        return known
    kept = sorted(range(len(rival["facets"])), key=lambda n: rival["gains"][n])[:most]
    return [
        *known,
        [rival["facets"][n] for n in sorted(kept)],
        [_short(rival["gains"][n], _ROUGH) for n in sorted(kept)],
        [_short(rival["radii"][n], _ROUGH) for n in sorted(kept)],
    ]


def _errors(rows: list[dict[str, Any]]) -> list[list[float | int | None]] | None:
    """Standard errors by objective, where they are known and there is room for them."""
    known = [row["standard_errors"] for row in rows if row["standard_errors"] is not None]
    if not known or len(known) < len(rows) or len(known) * len(known[0]) > _ERRORS:
        return None
    return [[_short(errors[d], _ROUGH) for errors in known] for d in range(len(known[0]))]


def _half_widths(row: dict[str, Any]) -> tuple[float | int, ...] | None:
    """None where some are not known."""
    widths = [_short(width, _ROUGH) for width in row["half_widths"] or [None]]
    return None if None in widths else tuple(width for width in widths if width is not None)


def _reached(epsilon: float | None) -> float | int | None:
    """An epsilon from which something holds, and never less than it is."""
    return None if epsilon is None else _short(rounded_up(epsilon, _ROUGH), _ROUGH)


def _short(value: float | None, digits: int) -> float | int | None:
    """No more digits than are read, and whole numbers without a point."""
    if value is None:
        return None
    number = float(f"{value:.{digits}g}")
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
