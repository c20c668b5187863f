"""trial.toml: what a study asks and how its evaluations are made, read with a strict schema."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conewise.cli.stating import STATED
from conewise.errors import InputError, closest
from conewise.preferences.preferences import stated_cone
from conewise.problems.box import Box
from conewise.question.objectives import Objective, as_objectives
from conewise.reading import text_of
from conewise.tables.columns import no_column, row_words
from conewise.tables.designrows import read_designs
from conewise.tables.readers import read_rows

_TOP: Final[dict[str, Any]] = {
    "name": str,
    "objectives": list,
    "minimise": list,
    "cone": str,
    "accept": list,
    "prefer": list,
    "never": list,
    "epsilon": float,
    "delta": float,
    "seed": int,
    "lease": float,
    "reserve": float,
    "separate": bool,
    "block": str,
    "blocks": object,
    "population": object,
    "designs": dict,
    "box": dict,
    "noise": dict,
    "algorithm": dict,
    "model": dict,
    "run": dict,
}
_TABLES: Final[dict[str, dict[str, Any]]] = {
    "designs": {"file": str, "name": str, "list": list, "count": int},
    "box": {"parameters": dict, "candidates": int, "seed": int},
    "noise": {"kind": str, "sigma": object, "cov": list, "low": object, "high": object},
    "model": {
        "kind": str,
        "features": list,
        "price": str,
        "orders": dict,
        "kernels": list,
        "sizes": list,
        "discrepancies": list,
        "between": list,
    },
    "run": {"function": str, "command": str, "jobs": int, "retries": int, "time_limit": float, "batch": int},
}
_WORDS: Final = {
    str: "text",
    list: "a list",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    object: "a number or a list",
}
_REMEDIES: Final[dict[tuple[str, type], str]] = {
    ("designs", list): "; write the line [designs], and below it list = [...]",
    ("designs", str): '; write the line [designs], and below it file = "..."',
    ("designs", int): "; write the line [designs], and below it count = 12",
    ("noise", str): '; write the line [noise], and below it kind = "..."',
    ("algorithm", str): '; write the line [algorithm], and below it name = "..."',
    ("objectives", str): '; write objectives = ["cost", "speed"]',
    ("minimise", str): '; write minimise = ["cost"]',
}
_NEEDED: Final = ("objectives", "epsilon", "delta", "designs", "noise")
"""... or [box] in the place of [designs], and noise in each of [[objectives]]."""


@dataclass(frozen=True)
class Trial:
    """A trial.toml, checked: arguments for Study.create, and those for a run."""

    path: Path
    study: dict[str, Any]
    run: dict[str, Any]


def read_trial(path: Path, also: Sequence[str | Mapping[str, Any]] = ()) -> Trial:
    """The file, every key of it known and of the right type; the designs are read as well.

    `also` are statements beside those of the file.
    """
    text = text_of(path)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of numbers with more than 4300 digits, or tables in tables in ...
        raise InputError(f"{path.name} is not valid TOML: {error}.") from None
    _check(data, _TOP, path.name, "")
    for table, known in _TABLES.items():
        _check(data.get(table, {}), known, path.name, table)
    told = [o for o in data.get("objectives", ()) if isinstance(o, dict) and "noise" in o]
    given = {*data, *(["noise"] if told else []), *(["designs"] if "box" in data else [])}
    missing = next((key for key in _NEEDED if key not in given), None)
    if missing is not None:
        shown = f"[{missing}]" if _TOP[missing] is dict else missing
        raise InputError(f"{path.name} does not say {shown}; a study needs {', '.join(_NEEDED)}.")
    algorithm = dict(data.get("algorithm", {}))
    name = algorithm.pop("name", "auto")
    if not isinstance(name, str):
        raise InputError(f"{path.name}: name in [algorithm] must be text, got {name!r}.")
    objectives = _objectives(data["objectives"], data.get("minimise", []), path)
    study: dict[str, Any] = {
        "designs": _box(data, path) if "box" in data else _designs(data["designs"], path),
        "objectives": objectives,
        "cone": stated_cone(data.get("cone"), as_objectives(objectives), [*_statements(data, path), *also]),
        "epsilon": data["epsilon"],
        "delta": data["delta"],
        "noise": data.get("noise"),
        "algorithm": name,
        "options": algorithm,
        **{key: data[key] for key in ("name", "seed", "lease", "reserve", "separate", "block") if key in data},
        **({"population": data["population"]} if "population" in data else {}),
        **({"model": data["model"]} if "model" in data else {}),
        **({"blocks": _blocks(data["blocks"], data.get("block"), path)} if "blocks" in data else {}),
    }
    return Trial(path, study, dict(data.get("run", {})))


def _statements(data: Mapping[str, Any], path: Path) -> list[str]:
    """What is said of exchanges and choices, in the lists accept, prefer and never."""
    said = [(kind, text) for kind in STATED for text in data.get(kind, [])]
    odd = next((kind for kind, text in said if not isinstance(text, str)), None)
    if odd is not None:
        raise InputError(f"{path.name}: {odd} is a list of statements, such as ['100 price for 1000 speed'].")
    return [f"{kind}: {text}" for kind, text in said]


def _objectives(given: list[Any], minimise: list[Any], path: Path) -> tuple[Objective, ...]:
    """A list of names, or the tables [[objectives]]."""
    plain = all(isinstance(entry, str | dict) for entry in given) and all(isinstance(word, str) for word in minimise)
    if not given or not plain:
        raise InputError(f"{path.name}: objectives and minimise are lists of names, such as ['cost', 'speed'].")
    try:
        return as_objectives(given, minimise).each
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None


def _check(data: Mapping[str, Any], known: Mapping[str, Any], file: str, table: str) -> None:
    where = f"{file}, [{table}]" if table else file
    for key, value in data.items():
        if key not in known:
            close = closest(key, known)
            hint = f"did you mean {close!r}?" if close else f"it may have {', '.join(known)}."
            raise InputError(f"{where}: {key!r} is not a key of it; {hint}")
        kind = known[key]
        number = kind in (float, int)
        right = isinstance(value, (int, float) if kind is float else kind)
        if not right or (number and isinstance(value, bool)):
            hint = _REMEDIES.get((key, type(value)), "")
            raise InputError(f"{where}: {key} must be {_WORDS[kind]}, got {str(value)[:60]!r}{hint}.")


def _designs(table: Mapping[str, Any], path: Path) -> Any:
    given = [key for key in ("file", "list", "count") if key in table]
    if len(given) != 1:
        raise InputError(f"{path.name}, [designs]: say exactly one of file, list and count, got {len(given)} of them.")
    if "name" in table and given != ["file"]:
        raise InputError(f"{path.name}, [designs]: name is a column of a file; in a list each design has its name.")
    if given == ["count"]:
        return table["count"]
    if given == ["list"]:
        return table["list"]
    return read_designs(path.parent / table["file"], table.get("name"))


def _box(data: Mapping[str, Any], path: Path) -> Box:
    """Settings to choose instead of designs that somebody has listed."""
    if "designs" in data:
        raise InputError(f"{path.name}: the settings of [box] are the designs; say [box] or [designs], not both.")
    if "parameters" not in data["box"]:
        raise InputError(
            f"{path.name}, [box]: no parameters; write the line [box.parameters], and below it heat = {{ from = 20, "
            "to = 90 }."
        )
    try:
        return Box(**data["box"])
    except InputError as error:
        raise InputError(f"{path.name}, [box]: {error}") from None


def _blocks(given: Any, block: Any, path: Path) -> Any:
    """Names, how many, or a file with a column of them."""
    return blocks_in(path.parent / given, block) if isinstance(given, str) else given


def blocks_in(file: Path, block: Any) -> list[str]:
    """The blocks in the column of a file that is called like them, or in its only one."""
    rows = read_rows(file)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    column = block if block in columns else columns[0] if len(columns) == 1 else None
    if column is None:
        raise no_column(file.name, str(block), columns)
    empty = next((place for place, row in enumerate(rows) if row.get(column) in (None, "")), None)
    if empty is not None:
        raise InputError(f"{row_words(file, empty)} has no {column}.")
    return [str(row[column]) for row in rows]
