"""`front`: the Pareto set of a table of known values, in the kind in which it was given."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise.border import Floats, Indices, advisory, as_flag, as_points, as_words
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError, shown
from conewise.question.objectives import (
    TENFOLD,
    Level,
    Objective,
    UnitsWarning,
    as_objectives,
    check_said_of,
    units_remark,
    with_proposed_units,
)
from conewise.tables.clauses import Where, parse_where
from conewise.tables.frames import check_rows, in_memory, is_frame
from conewise.tables.outputs import free_name
from conewise.tables.selection import other_columns, taken, with_columns
from conewise.tables.shards import ShardedTable, TableFront, front_of_table
from conewise.tables.standings import MOST_STANDINGS, Standings, standings

STANDING: Final = ("status", "rank", "gap", "by")
"""The columns that say where a design stands."""


def front(
    table: Any,
    cone: ConeLike | None = None,
    *,
    objectives: Sequence[str | Objective] | None = None,
    minimise: Sequence[str] = (),
    name: str | None = None,
    where: str | None = None,
    units: str | None = None,
    levels: Mapping[str, Level] | None = None,
    everyone: bool = False,
    keep_duplicates: bool = True,
) -> Any:
    """The Pareto set of a table of known values: its rows, in the kind in which the table was given, all columns kept.

    `table` is a frame of pandas, polars or pyarrow (extra `frames`), a list of dictionaries, a mapping of columns, an
    array (K, D), or the path of a file or several, whose rows come as a mapping of columns. `objectives` are names or
    `Objective` records; by default all columns but the one that names the designs. `levels` say what is acceptable,
    `{"power": 85, "price": ("<=", 9)}`, as records may: designs that miss one are neither returned nor beat anybody.
    `where` leaves rows out before: "price < 1000 and fuel == diesel".
    `units="auto"` takes a tenth of each spread, rounded to 1-2-5, for one step.

    `everyone=True` returns every row, with the columns status, rank (1 for the Pareto set, 2 for that of the rest),
    gap (in steps: what it would have to gain) and by (who is furthest ahead of it; a name, or a row counted from 1).

    >>> cars = [{"name": "a", "price": 9, "power": 80}, {"name": "b", "price": 8, "power": 90}]
    >>> front(cars, objectives=["price", "power"], minimise=["price"])
    [{'name': 'b', 'price': 8, 'power': 90}]
    """
    for word, flag in (("everyone", everyone), ("keep_duplicates", keep_duplicates)):
        as_flag(flag, word)
    opened, given = open_designs(table, objectives, minimise, name, where)
    cone = as_cone("orthant" if cone is None else cone, opened.dim)
    take_units(opened, units)
    if levels is not None:
        opened.meaning_as(opened.meaning.having("level", levels))
    check_said_of(cone, opened.meaning)
    found = front_of_table(opened, cone, keep_duplicates=keep_duplicates)
    if (remark := spread_remark(opened, found, cone)) is not None:
        warnings.warn(remark, UnitsWarning, stacklevel=2)
    meaning = opened.meaning
    if not everyone:
        labels = None if found.labels is None else found.labels.tolist()
        return _rows(opened, given, found.indices, labels, found.points * meaning.signs + 0.0)
    rows, values = all_rows(opened)
    names = names_of(opened, rows)
    stand = standings(values, meaning, cone, keep_duplicates=keep_duplicates)
    chosen = _rows(opened, None if isinstance(given, np.ndarray) else given, rows, names, values)
    return with_columns(chosen, standing_columns(opened, stand, names))


def open_designs(
    table: Any,
    objectives: Sequence[str | Objective] | None = None,
    minimise: Sequence[str] = (),
    name: str | None = None,
    where: str | Where | None = None,
) -> tuple[ShardedTable, Any]:
    """The table as designs are read from it, and what rows are chosen from; None for files."""
    chosen = None if objectives is None else as_objectives(objectives).each
    minimise = as_words(minimise, "minimise")
    if name is not None and not isinstance(name, str):
        raise InputError(f"name must be the name of a column, got {shown(name)}.")
    condition = where if where is None or isinstance(where, Where) else parse_where(where)
    options: dict[str, Any] = {"minimise": minimise, "name": name, "where": condition}
    if _is_array(table):
        points = as_points(table, "table")
        labels = chosen or [f"objective {d + 1}" for d in range(points.shape[1])]
        if len(labels) != points.shape[1]:
            raise InputError(f"the array has {points.shape[1]} columns, but {len(labels)} objectives are named.")
        called = [o.name if isinstance(o, Objective) else o for o in labels]
        columns = {label: points[:, d] for d, label in enumerate(called)}
        return ShardedTable(columns, objectives=labels, **options), points
    given = in_memory(table) if is_frame(table) else None
    return ShardedTable(table if given is None else given, objectives=chosen, **options), given


def take_units(table: ShardedTable, units: str | None) -> None:
    """With "auto", a tenth of each spread, by a reading of the whole table beforehand."""
    if units is None:
        return
    if not isinstance(units, str) or units != "auto":
        raise InputError(
            f'units must be "auto" or None, got {shown(units)}; a unit of your own is Objective(unit=...).'
        )
    table.meaning_as(with_proposed_units(table.meaning, _spreads(table)))


def take_steps_where_unequal(table: ShardedTable) -> bool:
    """Units as with "auto" where the spreads of the objectives are more than tenfold apart, and whether they are."""
    spreads = _spreads(table)
    known = spreads[np.isfinite(spreads) & (spreads > 0)]
    unequal = len(known) > 1 and bool(known.max() > TENFOLD * known.min())
    if unequal:
        table.meaning_as(with_proposed_units(table.meaning, spreads))
    return unequal


def _spreads(table: ShardedTable) -> Floats:
    """(D,): the largest minus the least value of each objective."""
    low, high = np.full(table.dim, np.inf), np.full(table.dim, -np.inf)
    for part in table.tables:
        for chunk in part.chunks():
            if len(chunk.values):
                low, high = np.minimum(low, chunk.values.min(axis=0)), np.maximum(high, chunk.values.max(axis=0))
    with np.errstate(over="ignore"):  # no unit is proposed for an infinite spread
        return np.asarray(high - low)


@advisory()
def spread_remark(table: ShardedTable, found: TableFront, cone: Cone) -> str | None:
    """What is to be said about units after a front was found."""
    return units_remark(table.meaning, found.span[1] - found.span[0], cone)


def all_rows(table: ShardedTable) -> tuple[Indices, Floats]:
    """(rows, values): the rows that meet the condition, numbered through all files, and their objectives."""
    rows: list[Indices] = []
    values: list[Floats] = []
    offset = held = 0
    for part in table.tables:
        for chunk in part.chunks():
            rows.append(chunk.places + offset)
            values.append(chunk.values)
            offset, held = offset + chunk.rows, held + len(chunk.values)
            if held > MOST_STANDINGS:
                raise InputError(
                    f"where every design stands is worked out for at most {MOST_STANDINGS} designs, and there are "
                    "more; leave some out with a condition, or ask for the Pareto set alone."
                )
    return np.concatenate(rows), np.concatenate(values)


def standing_columns(table: ShardedTable, stand: Standings, names: Sequence[str]) -> dict[str, list[Any]]:
    """Where designs of these names stand, as columns that no column of the table is called by."""
    others = {c for part in table.tables for c in part.others}
    status, rank, gap, by = (free_name(word, {*table.objectives, *others, table.name or ""}) for word in STANDING)
    return {
        status: [str(word) for word in stand.status],
        rank: [int(r) or None for r in stand.rank],
        gap: [None if g != g else float(g) for g in stand.gap],
        by: [None if j < 0 else names[int(j)] for j in stand.by],
    }


def names_of(table: ShardedTable, rows: Indices) -> list[str]:
    """The names of the designs that meet the condition, or their rows, counted from 1."""
    if table.name is None:
        return [str(int(row) + 1) for row in rows]
    return [name for part in table.tables for chunk in part.chunks() for name in chunk.names]


def _rows(table: ShardedTable, given: Any, rows: Indices, names: Sequence[str] | None, values: Floats) -> Any:
    """Some rows of what was given; of files, and of arrays with more columns, as a mapping of columns."""
    if given is not None:
        return taken(given, rows)
    named = {} if table.name is None or names is None else {table.name: list(names)}
    columns: dict[str, Any] = named | {name: values[:, d] for d, name in enumerate(table.objectives)}
    return columns | other_columns(table, rows)


def _is_array(table: Any) -> bool:
    listed = isinstance(table, list | tuple) and len(table) > 0 and not isinstance(table[0], str | Path | Mapping)
    if listed:
        check_rows(table)
    return listed or isinstance(table, np.ndarray)
