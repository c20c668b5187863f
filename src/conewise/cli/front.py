"""`conewise front`: the Pareto set of a table of known means, streaming."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from conewise.cli.options import columns
from conewise.cli.readers import crew
from conewise.cli.show import print_json, print_table, progress_bar, write_whole
from conewise.cones import Cone
from conewise.fronts import Front
from conewise.problems.shards import ShardedTable, front_of_table
from conewise.problems.spreadsheets import guarded_table
from conewise.report.data import Table

_SHOWN = 60  # rows on a terminal
_BLOCK = 100_000  # rows of an answer that are written at a time


@click.command(short_help="The Pareto set of a table of known means.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--objectives", callback=columns, help="Columns to compare, separated by commas; all but the name by default."
)
@click.option("--minimise", callback=columns, help="Those of them that should be small.")
@click.option("--cone", "spec", help="Text form of the cone; the orthant by default.")
@click.option(
    "--name", help="Column that names a design; one called name, design or id by default, else the row number."
)
@click.option("--first-of-equals", is_flag=True, help="Of identical designs keep only the first.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the Pareto set to a CSV file.")
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
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """The Pareto set of a table with one design a row (CSV, TSV, JSON, JSON lines, Parquet), of any length.

    Several files, or the files in a folder, are one table; rows are numbered through all of them, from 0. Memory holds
    some rows and the Pareto set, never the table, and the answer is the same for any number of workers.

    On a terminal a table is shown; in a pipe the designs come as CSV.

    Example: conewise front designs.csv --objectives cost,speed --minimise cost --cone planar:135
    """
    table = ShardedTable(files, objectives=objectives or None, minimise=minimise, name=name)
    cone = Cone.orthant(table.dim) if spec is None else Cone.parse(spec, dim=table.dim)
    with progress_bar("rows", not as_json) as advance, crew(workers, dask) as executor:
        found = front_of_table(table, cone, keep_duplicates=not first_of_equals, executor=executor, progress=advance)
    summary = f"{len(found)} of {found.rows} designs are Pareto under {cone}"
    if out is not None:
        write_whole(out, "".join(_csv(table, found)))
    if as_json:
        designs = [
            {"row": row, "name": label, **dict(zip(table.objectives, point, strict=True))}
            for rows, labels, values in _blocks(table, found)
            for row, label, point in zip(rows, labels, values, strict=True)
        ]
        print_json(
            {
                "cone": str(cone),
                "rows": found.rows,
                "pareto": len(found),
                "minimised": list(table.minimised),
                "designs": designs,
            }
        )
    elif sys.stdout.isatty():
        _, labels, values = next(_blocks(table, found, _SHOWN))
        shown = tuple((label, *(f"{v:g}" for v in point)) for label, point in zip(labels, values, strict=True))
        more = f"... and {len(found) - _SHOWN} more: --out FILE or a pipe has them all." if len(found) > _SHOWN else ""
        print_table(Table(summary, (table.name or "row", *table.objectives), shown, more))
    elif out is None:
        for block in _csv(table, found):
            click.echo(block, nl=False)
        click.echo(summary, err=True)
    if out is not None:
        click.echo(f"{summary}; written to {out}", err=True)


def _blocks(
    table: ShardedTable, found: Front, size: int = _BLOCK
) -> Iterator[tuple[list[int], list[str], list[list[float]]]]:
    """Row numbers, names and objectives as the file has them, some at a time."""
    for start in range(0, len(found), size):
        rows = found.indices[start : start + size].tolist()
        labels = list(map(str, rows)) if found.labels is None else found.labels[start : start + size].tolist()
        yield rows, labels, (found.points[start : start + size] * table.signs + 0.0).tolist()


def _csv(table: ShardedTable, found: Front) -> Iterator[str]:
    """The Pareto set in the form in which it can be read again, some lines at a time."""
    header, labels = guarded_table(
        [table.name or "row", *table.objectives], () if found.labels is None else found.labels.tolist()
    )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    place = 0
    for _, plain, values in _blocks(table, found):
        names = plain if found.labels is None else labels[place : place + len(plain)]
        writer.writerows([name, *point] for name, point in zip(names, values, strict=True))
        yield text.getvalue()
        place += len(plain)
        text.seek(0)
        text.truncate()
