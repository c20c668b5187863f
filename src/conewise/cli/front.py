"""`conewise front`: the Pareto set of a table of known means, streaming."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import click
import numpy as np

from conewise.cli.options import columns
from conewise.cli.show import print_json, print_table, progress_bar, write_whole
from conewise.cones import Cone
from conewise.errors import InputError
from conewise.order import RunningFront
from conewise.problems.tables import DesignTable
from conewise.report.data import Table

_SHOWN = 60  # rows on a terminal


@click.command(short_help="The Pareto set of a table of known means.")
@click.argument("file", type=click.Path(path_type=Path))
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def front(
    file: Path,
    objectives: list[str],
    minimise: list[str],
    spec: str | None,
    name: str | None,
    first_of_equals: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """The Pareto set of a table with one design a row (CSV, TSV, JSON, JSON lines, Parquet), of any length.

    On a terminal a table is shown; in a pipe the designs come as CSV.

    Example: conewise front designs.csv --objectives cost,speed --minimise cost --cone planar:135
    """
    table = DesignTable(file, objectives=objectives or None, minimise=minimise, name=name)
    cone = Cone.orthant(table.dim) if spec is None else Cone.parse(spec, dim=table.dim)
    if cone.dim != table.dim:
        raise InputError(
            f"the cone {cone} orders {cone.dim} objectives, but there are {table.dim}: {', '.join(table.objectives)}; "
            "choose columns with --objectives."
        )
    running = RunningFront(cone, keep_duplicates=not first_of_equals)
    names: dict[int, str] = {}
    hashes: list[np.ndarray] = []
    rows = 0
    with progress_bar("rows", not as_json) as advance:
        for chunk in table.chunks():
            kept = running.add(chunk.values * table.signs)
            names.update((rows + int(k), chunk.names[k]) for k in kept)
            if table.name is not None:
                hashes.append(np.fromiter(map(hash, chunk.names), dtype=np.int64, count=len(chunk.names)))
            rows += len(chunk.names)
            if len(names) > 4 * len(running) + 100_000:
                names = {k: names[k] for k in running.candidates.tolist()}
            if advance is not None:
                advance(rows, 0)
    if hashes:
        table.check_names(np.concatenate(hashes))
    indices = running.indices.tolist()
    values = running.points * table.signs + 0.0
    summary = f"{len(indices)} of {rows} designs are Pareto under {cone}"
    if out is not None:
        write_whole(out, _csv(table, indices, names, values))
    if as_json:
        designs = [
            {"row": k, "name": names[k], **dict(zip(table.objectives, point, strict=True))}
            for k, point in zip(indices, values.tolist(), strict=True)
        ]
        print_json(
            {
                "cone": str(cone),
                "rows": rows,
                "pareto": len(indices),
                "minimised": list(table.minimised),
                "designs": designs,
            }
        )
    elif sys.stdout.isatty():
        shown = tuple(
            (names[k], *(f"{v:g}" for v in point))
            for k, point in zip(indices[:_SHOWN], values[:_SHOWN].tolist(), strict=True)
        )
        more = (
            f"... and {len(indices) - _SHOWN} more: --out FILE or a pipe has them all." if len(indices) > _SHOWN else ""
        )
        print_table(Table(summary, (table.name or "row", *table.objectives), shown, more))
    elif out is None:
        click.echo(_csv(table, indices, names, values), nl=False)
        click.echo(summary, err=True)
    if out is not None:
        click.echo(f"{summary}; written to {out}", err=True)


def _csv(table: DesignTable, indices: list[int], names: dict[int, str], values: np.ndarray) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([table.name or "row", *table.objectives])
    writer.writerows([names[k], *point] for k, point in zip(indices, values.tolist(), strict=True))
    return text.getvalue()
