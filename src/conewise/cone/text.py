"""Read and write the text form of a cone: `planar:135` is a kind and its numbers, `[[2,1],[1,2]]` a matrix."""

from __future__ import annotations

import json
import re
from math import isfinite, isnan, nan
from typing import Any, Final

from conewise.border import Floats, as_decimal, refuse_comma
from conewise.errors import ConeError, shown
from conewise.limits import LONGEST_CONE_TEXT

CONE_FORMS: Final = {
    "orthant": "orthant:3 (the number of objectives)",
    "planar": "planar:135 (an angle in degrees)",
    "importance": "importance:0.29 or importance:0.2,3 (the least share, and the number of objectives)",
    "ranked": "ranked:3 (the number of objectives)",
    "ice_cream": "ice_cream:60.0,12 (the opening angle in degrees, and the number of facets)",
    "exchange": "exchange:[[1,2],[2,1]] (a bid-ask matrix)",
    "rays": "rays:[[1,0],[1,1]] (generators)",
}

_ARGUMENTS: Final = {"orthant": (1, 1), "ranked": (1, 1), "planar": (1, 1), "importance": (1, 2), "ice_cream": (1, 2)}
_SHOWN: Final = 16  # a matrix with more numbers is not written out
_BARE_POINT: Final = re.compile(r"(?<![0-9])\.(?=[0-9])")  # people write .3, but JSON needs 0.3


def split_cone_text(text: str) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of cone (`rows` for a bare matrix) and its arguments: numbers, or one matrix."""
    if not isinstance(text, str) or not text.strip():
        raise ConeError(f"a cone's text form was expected, such as planar:135 or [[2,1],[1,2]], got {shown(text)}.")
    if len(text) > LONGEST_CONE_TEXT:
        raise ConeError(f"a cone's text form may have {LONGEST_CONE_TEXT} characters, got {len(text)}.")
    text = text.strip()
    if text.startswith("["):
        return "rows", (_matrix(text),)
    kind, _, rest = text.partition(":")
    kind = kind.strip().lower().replace("-", "_")
    if kind not in CONE_FORMS:
        raise ConeError(
            f"no cone is called {kind!r}; write one of {', '.join(CONE_FORMS)}, or rows such as [[2,1],[1,2]]."
        )
    if kind in ("exchange", "rays"):
        if not rest.strip():
            raise ConeError(f"{kind} needs its matrix: write it {CONE_FORMS[kind]}.")
        return kind, (_matrix(rest),)
    if not rest.strip():
        return kind, ()
    refuse_comma(rest, f"{kind}:")
    return kind, tuple(_number(word, kind) for word in rest.split(","))


def cone_arguments(text: str, dim: int | None) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of cone and all its arguments. `dim` fills in the number of objectives if it is missing."""
    kind, arguments = split_cone_text(text)
    if kind not in _ARGUMENTS:
        return kind, arguments
    if kind == "importance" and not arguments:
        raise ConeError(f"importance needs the least share of an objective: write it {CONE_FORMS[kind]}.")
    fewest, most = _ARGUMENTS[kind]
    if kind in ("orthant", "ranked", "importance") and dim is not None and len(arguments) < most:
        arguments = (*arguments, dim)
    if not fewest <= len(arguments) <= most:
        raise ConeError(f"the cone {text!r:.60} does not have the form {CONE_FORMS[kind]}; write it that way.")
    return kind, arguments


def stored_text(text: str) -> str:
    """Return a stored text form in today's spelling: in files, `ice_cream:60,12` means two numbers."""
    return re.sub("^((?:cone: )?(?:importance|ice_cream):[0-9]+),", r"\1.0,", text) if isinstance(text, str) else text


def cone_repr(text: str | None, rows: Floats, said: tuple[str, ...]) -> str:
    """Return the repr of a cone: its sentences, its constructor call, its rows, or only their number."""
    if said:
        return f"<Cone in R^{rows.shape[1]}: {'; '.join(said)}>"
    if text is not None and not text.startswith("exchange"):
        kind, _, arguments = text.partition(":")
        first, _, second = arguments.partition(",")
        keyword = {"importance": f", dim={second or 2}", "ice_cream": f", facets={second}"}.get(kind, "")
        return f"Cone.{kind}({first.removesuffix('.0')}{keyword})"
    if rows.size <= _SHOWN:
        return f"Cone({matrix_text(rows, digits=4)})".replace(",", ", ")
    return f"<Cone with {len(rows)} facets in R^{rows.shape[1]}>"


def _matrix(text: str) -> Any:
    text = _BARE_POINT.sub("0.", text)
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise ConeError(f"rows such as [[2,1],[1,2]] were expected, got {text[:60]!r}.")
    return rows


def _number(word: str, kind: str) -> float | int:
    """Return a number, as int if it is whole. `orthant:3.5` is refused later, where the message fits."""
    word = word.strip()
    try:
        value = as_decimal(word)
    except ValueError:
        value = nan
    if not any(c.isdigit() for c in word) or isnan(value):  # "nan" and "inf" are no numbers either
        raise ConeError(f"{word!r:.60} is not a number; {kind} is written {CONE_FORMS[kind]}.")
    if not isfinite(value):
        raise ConeError(f"{word!r:.60} is not a finite number; {kind} is written {CONE_FORMS[kind]}.")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def number_text(value: float) -> str:
    """Return a number as text that reads back as the same number."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def matrix_text(rows: Floats, digits: int | None = None) -> str:
    """Return the rows of a matrix as text, with all digits by default."""

    def entry(value: float) -> str:
        return number_text(value) if digits is None or value == int(value) else f"{value:.{digits}g}"

    return "[" + ",".join("[" + ",".join(entry(x) for x in row) + "]" for row in rows.tolist()) + "]"
