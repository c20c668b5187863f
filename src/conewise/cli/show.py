"""Rendering shared by the commands: tables on a terminal, plain text in a pipe, JSON on request."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click

from conewise._version import SCHEMA
from conewise.analysis.guesses import Guess
from conewise.border import Floats
from conewise.errors import printable
from conewise.question.question import Guarantee, Heuristic
from conewise.reading import patience
from conewise.report.data import Table
from conewise.rules import Result

_PIPE_WIDTH = 240  # characters: nothing is cut in a pipe


def json_text(data: Any) -> str:
    """As --json prints it; an object says first which version of the schema it follows."""
    versioned = {"schema": SCHEMA} | data if isinstance(data, dict) else data
    return json.dumps(versioned, indent=2, allow_nan=False)


def guarantee_data(worth: Guarantee | Heuristic) -> dict[str, Any]:
    """What an answer is worth, as every command writes it."""
    proof = None if worth.proof is None else asdict(worth.proof)
    if worth:
        return {"guarantee": proof, "not_guaranteed_because": None, "guarantee_if_normal": None}
    return {"guarantee": None, "not_guaranteed_because": worth.reason, "guarantee_if_normal": proof}


def designs_data(result: Result, errors: Floats | None = None) -> list[dict[str, Any]]:
    """A record for each design of an answer, as every command writes it; with standard errors (K, D), if known."""
    names, objectives = result.designs, result.objectives

    def by_name(values: Sequence[float]) -> dict[str, float | None]:
        return {o: None if math.isnan(v) else v for o, v in zip(objectives, values, strict=True)}

    unknown = [math.nan] * len(objectives)
    return [
        {
            "name": names[k],
            "status": str(result.status[k]),
            "returned": bool(result.pareto[k]),
            "by": names[result.by[k]] if result.by[k] >= 0 else None,
            "certainly_pareto": bool(result.certain[k]),
            "evaluations": int(result.counts[k]),
            "means": by_name(mean),
            "standard_errors": by_name(unknown if errors is None else errors[k].tolist()),
            "probability": None if result.probability is None else float(result.probability[k]),
            "evidence": None if result.probability is None else str(result.evidence[k]),
        }
        for k, mean in enumerate(result.averages.tolist())
    ]


def average(value: float, error: float) -> str:
    """An average for people, with its standard error where there is one."""
    if math.isnan(value):
        return ""
    return f"{value:.5g}" if math.isnan(error) else f"{value:.5g} ± {error:.2g}"


def guess_data(guess: Guess | None, names: Sequence[str]) -> dict[str, Any] | None:
    """What the averages say by themselves."""
    if guess is None:
        return None
    return {
        "pareto": [name for name, is_there in zip(names, guess.pareto.tolist(), strict=True) if is_there],
        "prices": [{"epsilon": price.epsilon, "remaining": price.remaining} for price in guess.prices],
    }


def print_json(data: Any) -> None:
    """The data and nothing else, on stdout."""
    click.echo(json_text(data))


def print_table(table: Table) -> None:
    """With lines and colours on a terminal; in a pipe, plain columns. No name in it can steer the terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    terminal = sys.stdout.isatty()
    drawn = RichTable(box=SIMPLE_HEAD)
    for position, name in enumerate(table.header):
        drawn.add_column(Text(printable(name)), justify="left" if position == 0 else "right", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(printable(cell), style="bold red" if "(!)" in cell else "") for cell in row))
    console = Console(no_color=not terminal, highlight=False, width=None if terminal else _PIPE_WIDTH)
    console.print(Text(printable(table.title), style="bold"))
    console.print(drawn)
    if table.note:
        console.print(Text(printable(table.note)))


@contextmanager
def progress_bar(label: str, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Yield what counts the work: a bar on a terminal's stderr, elsewhere a word if it takes long."""
    if not shown or not sys.stderr.isatty():
        seen = [0]
        with patience("at work", lambda: seen[0], label):
            yield lambda done, total: seen.__setitem__(0, done)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)  # 0: nobody knows
