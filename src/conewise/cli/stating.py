"""Statements about exchanges and choices as options, the same for every command that takes a cone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from conewise.cone.cone import Cone
from conewise.errors import InputError
from conewise.preferences.preferences import stated_cone
from conewise.question.objectives import as_objectives
from conewise.reading import text_of
from conewise.tables.known import all_rows, names_of
from conewise.tables.shards import ShardedTable

STATED = ("accept", "prefer", "never")
"""What can be stated in options and in the file of a study."""


def stating(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options --accept, --prefer, --never and --said; `stated` has what they say, in order."""
    helps = {
        "accept": 'An exchange that is worth it, such as "100 price for 1000 speed"; may be repeated.',
        "prefer": 'One design rather than another, "A > B", by name or by values; may be repeated.',
        "never": "An objective that is not given at any price; may be repeated.",
    }
    command = click.option(
        "--said",
        multiple=True,
        metavar="FILE",
        callback=_remembered,
        expose_value=False,
        help="What was said before: the JSON that `conewise prefer --json` printed; may be repeated.",
    )(command)
    for kind in reversed(STATED):
        command = click.option(
            f"--{kind}",
            multiple=True,
            metavar="TEXT",
            callback=_collected,
            expose_value=False,
            help=helps[kind],
        )(command)
    return command


def stated(context: click.Context | None = None) -> list[str | dict[str, Any]]:
    """What was stated on the command line: text forms, and dictionaries of what was said before."""
    context = click.get_current_context() if context is None else context
    found: list[str | dict[str, Any]] = context.meta.get(__name__, [])
    return found


def spoken_cone(spec: str | None, objectives: Sequence[str], minimise: Sequence[str], dim: int | None = None) -> Cone:
    """The cone of a text form and of what was stated, where no table says what the objectives are."""
    if objectives:
        named = as_objectives(objectives, minimise)
        if dim not in (None, len(named)):
            raise InputError(f"--dim says {dim} objectives, and --objectives names {len(named)}; leave out --dim.")
        return stated_cone(spec, named, stated())
    if minimise:
        raise InputError("--minimise chooses among named objectives: give their names with --objectives.")
    if stated():
        raise InputError("what is said speaks of objectives: give their names with --objectives.")
    if spec is None:
        raise InputError(
            "a cone was expected, such as planar:135, or objectives and what is worth it: --objectives price,speed "
            '--accept "100 price for 1000 speed".'
        )
    cone = Cone.parse(spec, dim)
    if dim is not None and cone.dim != dim:
        raise InputError(f"--dim says {dim} objectives, and {spec} orders {cone.dim}; leave out --dim.")
    return cone


def order_words(cone: Cone) -> str:
    """A cone as a summary calls it: by what was said, where something was; its facets would tell nobody."""
    return f"what was said ({'; '.join(cone.said)})" if cone.said else str(cone)


def designs_named(table: ShardedTable) -> dict[str, Any]:
    """Return the values of each design of a table by its name, if a statement compares designs."""
    if not any(isinstance(text, str) and text.startswith("prefer:") for text in stated()):
        return {}
    rows, values = all_rows(table)
    return dict(zip(map(str, names_of(table, rows)), values, strict=True))


def _collected(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> None:
    kind = str(parameter.opts[0]).removeprefix("--")
    context.meta.setdefault(__name__, []).extend(f"{kind}: {text}" for text in value)


def _remembered(context: click.Context, _: click.Parameter, value: tuple[str, ...]) -> None:
    context.meta.setdefault(__name__, []).extend(map(_read, value))


def _read(path: str) -> dict[str, Any]:
    """The dictionary of preferences in a file, itself or under the name by which a command prints it."""
    try:
        data = json.loads(text_of(Path(path)))
    except (ValueError, RecursionError):
        data = None
    data = data.get("preferences", data) if isinstance(data, dict) else None
    if not isinstance(data, dict) or "objectives" not in data:
        raise InputError(f"{path} holds nothing that was said: it was expected to be what `prefer --json` printed.")
    return data
