"""`conewise front`: the Pareto set of a table of known means, streaming."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from conewise.cli.options import columns, force_option
from conewise.cli.readers import crew
from conewise.cli.show import print_json, print_table, progress_bar
from conewise.cones import Cone
from conewise.errors import printable
from conewise.fronts import Front
from conewise.report.data import Table
from conewise.tables.outputs import Columns, check_output, csv_text, free_name, write_columns
from conewise.tables.shards import ShardedTable, front_of_table
from conewise.tables.spreadsheets import guarded_table

_SHOWN = 60  # rows on a terminal
_NAMED = 12  # columns named in the summary


@click.command(short_help="The Pareto set of a table of known means.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--objectives",
    callback=columns,
    help="Columns to compare, separated by commas ('\"a, b\",c' where a name holds one); by default all that have a "
    "name, but for the column that names designs.",
)
@click.option("--minimise", callback=columns, help="Those of them that should be small.")
@click.option("--cone", "spec", help="Text form of the cone; the orthant by default.")
@click.option(
    "--name", help="Column that names a design; one called name, design or id by default, else the row number."
)
@click.option("--first-of-equals", is_flag=True, help="Of identical designs keep only the first.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the Pareto set to this file: .csv, .tsv, .json, .jsonl or .parquet.",
)
@force_option
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that read at a time.")
@click.option("--dask", metavar="ADDRESS", help="Read on the workers of this Dask scheduler; they must see the files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def front(
    files: tuple[Path, ...],
    objectives: list[str],
    minimise: list[str],
    spec: str | None,
    name: str | None,
    first_of_equals: bool,
    out: Path | None,
    force: bool,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """The Pareto set of a table with one design a row (CSV, TSV, JSON, JSON lines, Parquet), of any length.

    Several files, or the files in a folder, are one table; rows are numbered through all of them, from 1. Memory holds
    some rows and the Pareto set, never the table, and the answer is the same for any number of workers.

    On a terminal a table is shown; in a pipe the designs come as CSV.

    Example: conewise front designs.csv --objectives cost,speed --minimise cost --cone planar:135
    """
    if out is not None:
        check_output(out, inputs=files, force=force)
    table = ShardedTable(files, objectives=objectives or None, minimise=minimise, name=name)
    cone = Cone.orthant(table.dim) if spec is None else Cone.parse(spec, dim=table.dim)
    with progress_bar("rows", not as_json) as advance, crew(workers, dask) as executor:
        found = front_of_table(table, cone, keep_duplicates=not first_of_equals, executor=executor, progress=advance)
    summary = f"{len(found)} of {found.rows} designs are Pareto under {cone}; compared: {_compared(table)}"
    if out is not None:
        write_columns(out, _columns(table, found), _guarded, inputs=files, force=force)
    if as_json:
        print_json(_json(table, found, cone))
    elif sys.stdout.isatty():
        label, *_ = shown = _columns(table, found, _SHOWN)
        rows = tuple(
            (str(name), *(f"{value:g}" for value in point))
            for name, *point in zip(shown[label], *(shown[o] for o in table.objectives), strict=True)
        )
        more = f"... and {len(found) - _SHOWN} more: --out FILE or a pipe has them all." if len(found) > _SHOWN else ""
        print_table(Table(summary, tuple(shown), rows, more))
    elif out is None:
        for block in csv_text(_guarded(_columns(table, found))):
            click.echo(block, nl=False)
        click.echo(printable(summary), err=True)
    if out is not None:
        click.echo(printable(f"{summary}; written to {out}"), err=True)


def _compared(table: ShardedTable) -> str:
    """Which columns decided, and in which direction."""
    words = [f"{o} ({'smaller' if o in table.minimised else 'larger'} is better)" for o in table.objectives[:_NAMED]]
    if len(table.objectives) > _NAMED:
        words.append(f"and {len(table.objectives) - _NAMED} more")
    if table.unnamed:
        words.append(f"left out: {table.unnamed} column{'s' * (table.unnamed > 1)} without a name")
    return ", ".join(words)


def _columns(table: ShardedTable, found: Front, most: int | None = None) -> Columns:
    """The Pareto set as the file has it: names or row numbers, then the objectives."""
    labels = found.indices[:most] + 1 if found.labels is None else found.labels[:most].tolist()
    values = found.points[:most] * table.signs + 0.0
    label = free_name(table.name or "row", table.objectives)
    return {label: labels, **{name: values[:, k] for k, name in enumerate(table.objectives)}}


def _guarded(columns: Columns) -> Columns:
    """The same in the form in which no spreadsheet computes it, and in which it can be read again."""
    label, *_ = columns
    texts = columns[label] if isinstance(columns[label], list) else ()
    header, cells = guarded_table(list(columns), texts)
    return dict(zip(header, [cells if texts else columns[label], *list(columns.values())[1:]], strict=True))


def _json(table: ShardedTable, found: Front, cone: Cone) -> dict[str, Any]:
    rows = (found.indices + 1).tolist()
    labels = list(map(str, rows)) if found.labels is None else found.labels.tolist()
    values = (found.points * table.signs + 0.0).tolist()
    return {
        "cone": str(cone),
        "rows": found.rows,
        "pareto": len(found),
        "compared": [
            {"name": name, "direction": "smaller" if name in table.minimised else "larger"} for name in table.objectives
        ],
        "minimised": list(table.minimised),
        "designs": [
            {"row": row, "name": label, "values": dict(zip(table.objectives, point, strict=True))}
            for row, label, point in zip(rows, labels, values, strict=True)
        ],
    }
