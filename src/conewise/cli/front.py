"""`conewise front`: the Pareto set of a table of known means, streaming."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from conewise.border import Indices
from conewise.cli.meaning import all_named, level_option, meant_by, unit_option
from conewise.cli.options import columns, force_option, minimise_option
from conewise.cli.readers import crew, spooled
from conewise.cli.show import print_json, print_table, progress_bar
from conewise.cli.stating import designs_named, order_words, stated, stating
from conewise.cone.cone import Cone
from conewise.errors import printable
from conewise.preferences.preferences import stated_cone
from conewise.report.data import Table
from conewise.tables.clauses import parse_where
from conewise.tables.known import STANDING, all_rows, names_of, spread_remark, standing_columns, take_units
from conewise.tables.outputs import Columns, check_output, csv_text, free_name, write_columns
from conewise.tables.selection import Written, all_columns
from conewise.tables.shards import ShardedTable, TableFront, front_of_table
from conewise.tables.spreadsheets import guarded_table
from conewise.tables.standings import standings

_SHOWN = 60  # rows on a terminal
_NAMED = 12  # columns named in the summary


@click.command(short_help="The Pareto set of a table of known means.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--objectives",
    callback=columns,
    help="Columns to compare, separated by commas ('\"a, b\",c' where a name holds one); by default all that have a "
    "name, but for the column that names designs.",
)
@minimise_option
@unit_option
@level_option
@click.option("--where", metavar="CONDITION", help="Only rows like this: 'price < 1000 and fuel == diesel'.")
@click.option("--cone", "spec", help="Text form of the cone; the orthant by default.")
@stating
@click.option(
    "--name", help="Column that names a design; one called name, design or id by default, else the row number."
)
@click.option("--first-of-equals", is_flag=True, help="Of identical designs keep only the first.")
@click.option(
    "--all",
    "everyone",
    is_flag=True,
    help="Every design, with its status, rank, gap in steps and the design that is furthest ahead of it.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the designs to this file: .csv, .tsv, .json, .jsonl or .parquet.",
)
@force_option
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that read at a time.")
@click.option("--dask", metavar="ADDRESS", help="Read on the workers of this Dask scheduler; they must see the files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def front(
    files: tuple[Path, ...],
    objectives: list[str],
    minimise: list[str],
    units: tuple[str, ...],
    levels: tuple[str, ...],
    where: str | None,
    spec: str | None,
    name: str | None,
    first_of_equals: bool,
    everyone: bool,
    out: Path | None,
    force: bool,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """The Pareto set of a table with one design a row (CSV, TSV, JSON, JSON lines, Parquet), of any length.

    Several files, or the files in a folder, are one table; rows are numbered through all of them, from 1; - is standard
    input. Memory holds some rows and the Pareto set, never the table, and the answer is the same for any number of
    workers. Columns that are not compared are kept.

    On a terminal a table is shown; in a pipe the designs come as CSV.

    Example: conewise front designs.csv --objectives cost,speed --minimise cost --cone planar:135
    """
    if out is not None:
        check_output(out, inputs=files, force=force)
    condition = None if where is None else parse_where(where)
    with spooled(files) as paths:
        compared = all_named(objectives, minimise, units, levels) if objectives else None
        table = ShardedTable(paths, objectives=compared, minimise=minimise, name=name, where=condition)
        meaning, auto = meant_by(table.meaning, units, levels)
        table.meaning_as(meaning)
        take_units(table, "auto" if auto else None)
        cone = stated_cone(spec, table.meaning, stated(), designs_named(table))
        with progress_bar("rows", not as_json) as advance, crew(workers, dask) as executor:
            found = front_of_table(
                table, cone, keep_duplicates=not first_of_equals, executor=executor, progress=advance
            )
        rows, shown = _everyone(table, cone, not first_of_equals) if everyone else _columns(table, found)
    remark = None if units else spread_remark(table, found, cone)
    if out is not None:
        write_columns(out, shown, _guarded, inputs=files, force=force)
    _print(table, found, cone, rows, shown, as_json, out is not None, remark)
    if remark is not None:
        click.echo(printable(f"Note: {remark}"), err=True)
    if out is not None:
        click.echo(printable(f"{_summary(table, found, cone)}; written to {out}"), err=True)


def _print(
    table: ShardedTable,
    found: TableFront,
    cone: Cone,
    rows: Indices,
    shown: Columns,
    as_json: bool,
    written: bool,
    remark: str | None,
) -> None:
    summary = _summary(table, found, cone)
    if as_json:
        print_json(_json(table, found, cone, rows, shown) | {"remarks": [] if remark is None else [remark]})
    elif sys.stdout.isatty():
        n = len(next(iter(shown.values())))
        lines = tuple(tuple(map(_cell, row)) for row in zip(*(c[:_SHOWN] for c in shown.values()), strict=True))
        more = f"... and {n - _SHOWN} more: --out FILE or a pipe has them all." if n > _SHOWN else ""
        print_table(Table(summary, tuple(shown), lines, more))
    elif not written:
        for block in csv_text(_guarded(shown)):
            click.echo(block, nl=False)
        click.echo(printable(summary), err=True)


def _cell(entry: Any) -> str:
    if entry is None or entry != entry:
        return ""
    return f"{entry:g}" if isinstance(entry, float) and not isinstance(entry, Written) else str(entry)


def _summary(table: ShardedTable, found: TableFront, cone: Cone) -> str:
    """How many of how many, and which columns decided in which direction."""
    of = f"{found.rows} designs"
    if table.where is not None:
        of = f"the {found.compared} designs with {table.where} (of {found.rows})"
    words = f"{len(found)} of {of} {'is' if len(found) == 1 else 'are'} Pareto under {order_words(cone)}"
    if missing := found.compared - found.feasible:
        words += f"; {missing} {'misses' if missing == 1 else 'miss'} a level ({', '.join(table.meaning.levels)})"
    return f"{words}; compared: {_compared(table)}"


def _compared(table: ShardedTable) -> str:
    words = []
    for o in table.meaning.each[:_NAMED]:
        step = f", one step is {o.unit:g}" if table.meaning.in_steps else ""
        words.append(f"{o.name} ({'smaller' if o.minimised else 'larger'} is better{step})")
    if len(table.objectives) > _NAMED:
        words.append(f"and {len(table.objectives) - _NAMED} more")
    if table.unnamed:
        words.append(f"left out: {table.unnamed} column{'s' * (table.unnamed > 1)} without a name")
    return ", ".join(words)


def _columns(table: ShardedTable, found: TableFront) -> tuple[Indices, Columns]:
    """The Pareto set as the file has it: names or row numbers, then the objectives, then all other columns."""
    labels = found.indices + 1 if found.labels is None else found.labels.tolist()
    compared, others = all_columns(table, found.indices, found.points * table.meaning.signs + 0.0)
    label = free_name(table.name or "row", {*table.objectives, *others})
    return found.indices, {label: labels, **compared, **others}


def _everyone(table: ShardedTable, cone: Cone, keep: bool) -> tuple[Indices, Columns]:
    """Every design that meets the condition, with where it stands."""
    rows, values = all_rows(table)
    names = names_of(table, rows)
    stand = standing_columns(table, standings(values, table.meaning, cone, keep_duplicates=keep), names)
    compared, others = all_columns(table, rows, values)
    label = free_name(table.name or "row", {*table.objectives, *others, *stand})
    labels = rows + 1 if table.name is None else names
    return rows, {label: labels, **compared, **stand, **others}


def _guarded(columns: Columns) -> Columns:
    """The same in the form in which no spreadsheet computes it, and in which it can be read again."""
    texts = {name: column for name, column in columns.items() if isinstance(column, list)}
    flat = ["" if entry is None else entry for column in texts.values() for entry in column]
    cells = [entry for entry in flat if isinstance(entry, str)]
    header, safe = guarded_table(list(columns), cells)
    again = iter(safe)
    replaced = {n: [next(again) if isinstance(e, str) or e is None else e for e in c] for n, c in texts.items()}
    return dict(zip(header, [replaced.get(name, column) for name, column in columns.items()], strict=True))


def _json(table: ShardedTable, found: TableFront, cone: Cone, rows: Indices, shown: Columns) -> dict[str, Any]:
    label, *_ = shown
    kept = {c for part in table.tables for c in part.others}
    stand = [c for c in list(shown)[1 + table.dim :] if c not in kept]
    others = [c for c in list(shown)[1 + table.dim :] if c in kept]
    listed = {
        name: np.asarray(column).tolist() if isinstance(column, np.ndarray) else list(column)
        for name, column in shown.items()
    }
    words = dict(zip(STANDING, stand, strict=False))
    return {
        "cone": str(cone),
        "said": list(cone.said),
        "rows": found.rows,
        "compared_rows": found.compared,
        "where": None if table.where is None else str(table.where),
        "n_pareto": len(found),
        "misses_a_level": found.compared - found.feasible,
        "compared": [
            {
                "name": o.name,
                "direction": "smaller" if o.minimised else "larger",
                "unit": o.unit,
                "level": o.level,
            }
            for o in table.meaning.each
        ],
        "objectives": list(table.objectives),
        "minimised": list(table.minimised),
        "units": table.meaning.stated(),
        "designs": [
            {
                "row": row + 1,
                "name": str(listed[label][k]),
                "values": {name: listed[name][k] for name in table.objectives},
                **{word: listed[column][k] for word, column in words.items()},
                "others": {name: listed[name][k] for name in others},
            }
            for k, row in enumerate(rows.tolist())
        ],
    }
