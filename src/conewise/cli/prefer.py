"""`conewise prefer`: a cone from a few choices between designs of a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from conewise.border import Bools, Floats
from conewise.cli.meaning import all_named, meant_by, unit_option
from conewise.cli.options import columns, minimise_option
from conewise.cli.show import print_json, print_table
from conewise.cli.stating import stated, stating
from conewise.errors import ConeError, InputError, printable
from conewise.preferences.preferences import Preferences, stated_preferences
from conewise.question.objectives import unit_options, with_proposed_units
from conewise.report.data import Table
from conewise.report.words import describe
from conewise.tables.designs import DesignTable, two_of_one_name
from conewise.tables.names import first_repeated

_SHOWN = 20  # designs that remain, on a terminal
_TRIES = 100  # lines without an answer, and letters of one
_MOST = 200_000  # designs that are held in memory


@click.command(short_help="Find your cone by a few choices between designs.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--objectives", callback=columns, help="Columns to compare, separated by commas; by default all others.")
@minimise_option
@click.option("--name", help="Column that names a design; one called name, design or id by default.")
@unit_option
@click.option("--cone", "spec", help="Begin with this: a text form such as ranked:speed,price or price=20%,speed=30%.")
@stating
@click.option("--questions", type=click.IntRange(0), help="Ask at most so many; by default until nothing changes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON at the end; questions go to stderr.")
def prefer(
    file: Path,
    objectives: list[str],
    minimise: list[str],
    name: str | None,
    units: tuple[str, ...],
    spec: str | None,
    questions: int | None,
    as_json: bool,
) -> None:
    """Ask which of two designs of FILE is better, until no answer would change anything, and print the cone.

    Each question is the one whose worse answer leaves the fewest designs. Answer 1 or 2, s where you cannot say, u to
    take the last answer back, q to stop. Answers are read from standard input, one a line.

    Example: conewise prefer cars.csv --objectives price,speed --minimise price --accept "100 price for 1 speed"
    """
    compared = all_named(objectives, minimise, units) if objectives else None
    table = DesignTable(file, objectives=compared, minimise=minimise, name=name)
    labels, values = _designs(table)
    meaning, auto = meant_by(table.meaning, units)
    if auto:
        meaning = with_proposed_units(meaning, np.ptp(values, axis=0))
    said = stated_preferences(spec, meaning, stated(), dict(zip(labels, values, strict=True)))
    asked = 0
    while questions is None or asked < questions:
        pair = said.ask(values)
        if pair is None:
            break
        left = int(said.remaining(values).sum())
        answer = answered(said, labels, values, pair, f"{_left(left, len(labels))}.")
        if answer is None:
            break
        asked += len(answer.statements) > len(said.statements)
        said = agreeing(answer, said)
    _tell(table, said, labels, values, as_json)


def _designs(table: DesignTable) -> tuple[list[str], Floats]:
    labels: list[str] = []
    values = []
    for chunk in table.chunks():
        labels += map(str, chunk.names)
        values.append(chunk.values)
        if len(labels) > _MOST:
            raise InputError(
                f"{table.path.name} has more than {_MOST:,} designs; ask about its front: `conewise front`."
            )
    twice = None if table.name is None else first_repeated(labels)
    if twice is not None:
        raise two_of_one_name(table.path.name, twice)
    return labels, np.concatenate(values)


def _shown(value: float) -> str:
    """Six digits, and all of a large number that are in front of its point."""
    return f"{value:.15g}" if 1e5 <= abs(value) < 1e15 and value == int(value) else f"{value:g}"


def _left(some: int, every: int) -> str:
    return f"{some:,} of {every:,} designs remain{'s' if some == 1 else ''}"


def answered(
    said: Preferences, labels: Sequence[str], values: Floats, pair: tuple[int, int], standing: str
) -> Preferences | None:
    """What is known after one answer; None where no more are wanted."""
    click.echo(printable(f"\n{standing} Which is better?"), err=True)
    for number, k in enumerate(pair, start=1):
        listed = ", ".join(f"{n} {_shown(v)}" for n, v in zip(said.objectives.names, values[k], strict=True))
        click.echo(printable(f"  {number}  {labels[k]}: {listed}"), err=True)
    names = (labels[pair[0]], labels[pair[1]])
    for _ in range(_TRIES):
        click.echo("1, 2, s (cannot say), u (undo), q (stop)? ", nl=False, err=True)
        line = sys.stdin.readline(_TRIES)
        word = line.strip().lower()
        if not line or word == "q":
            click.echo("", err=True)
            return None
        if word in ("1", "2"):
            first, second = pair if word == "1" else pair[::-1]
            chosen = names if word == "1" else names[::-1]
            return said.prefers(values[first], over=values[second], names=chosen)
        if word == "s":
            return said.cannot_say(values[pair[0]], values[pair[1]], names=names)
        if word == "u" and said.statements:
            return said.without(-1)
        click.echo("Nothing was said yet." if word == "u" else "Answer 1, 2, s, u or q.", err=True)
    raise InputError(f"no answer among {_TRIES} lines; answer 1, 2, s, u or q.")


def agreeing(answer: Preferences, before: Preferences) -> Preferences:
    """The answer, unless it contradicts what was said before: then that is explained, and it is asked again."""
    try:
        _ = answer.cone
    except ConeError as error:
        click.echo(printable(str(error)), err=True)
        return before
    return answer


def _tell(table: DesignTable, said: Preferences, labels: list[str], values: Floats, as_json: bool) -> None:
    cone, kept = said.cone, said.remaining(values)
    words = describe(cone, table.objectives, table.minimised, said.objectives.units)
    if as_json:
        print_json(
            {
                "cone": cone.text,
                "said": list(cone.said),
                "words": words,
                "preferences": said.to_dict(),
                "n_designs": len(labels),
                "designs": [_record(table, labels, values, k) for k in np.flatnonzero(kept).tolist()],
            }
        )
        return
    print_table(_remaining(table, labels, values, kept))
    for sentence in cone.said:
        click.echo(printable(f"You said: {sentence}."))
    for sentence in words:
        click.echo(printable(sentence))
    units = {o.name: o.unit for o in said.objectives if o.unit != 1}
    click.echo(printable(f"The cone for other commands: --cone '{cone.text}' {unit_options(units)}".rstrip()))


def _record(table: DesignTable, labels: list[str], values: Floats, k: int) -> dict[str, Any]:
    return {"name": labels[k], "values": dict(zip(table.objectives, values[k].tolist(), strict=True))}


def _remaining(table: DesignTable, labels: list[str], values: Floats, kept: Bools) -> Table:
    shown = np.flatnonzero(kept)[:_SHOWN].tolist()
    rows = tuple((labels[k], *map(_shown, values[k])) for k in shown)
    more = int(kept.sum()) - len(shown)
    title = _left(int(kept.sum()), len(labels))
    return Table(title, ("design", *table.objectives), rows, f"... and {more:,} more." if more else "")
