"""Rendering shared by the commands: tables on a terminal, plain text in a pipe, JSON on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from conewise.errors import printable
from conewise.report.data import Table

SCHEMA = 1
"""The version of what --json prints (docs/json): raised where a key goes or changes its meaning, not for new ones."""

_PIPE_WIDTH = 240  # characters: nothing is cut in a pipe


def json_text(data: Any) -> str:
    """As --json prints it; an object says first which version of the schema it follows."""
    versioned = {"schema": SCHEMA} | data if isinstance(data, dict) else data
    return json.dumps(versioned, indent=2, allow_nan=False)


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
def progress_bar(label: str, shown: bool = True) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal's stderr, or None where nobody would see it."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)  # 0: nobody knows
