"""Evaluations from elsewhere as one table: one row an evaluation, one column an objective."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conewise.errors import InputError, counted, shown
from conewise.question.objectives import Objective
from conewise.tables.columns import IN_MEMORY, row_words
from conewise.tables.designcolumns import called
from conewise.tables.designs import OUTCOMES, check_columns, numbers
from conewise.tables.files import files_of
from conewise.tables.frames import is_frame, records_of
from conewise.tables.measurements import Incomplete, LongTable
from conewise.tables.readers import read_rows

Rows = Sequence[Mapping[str, Any]]


class Imported(LongTable):
    """One row an evaluation, in memory; `columns` has all of them, for a frame or a file of your own."""

    def __init__(
        self,
        rows: Rows,
        objectives: Sequence[str | Objective],
        *,
        minimise: Sequence[str] = (),
        design: str = "design",
        shared: str = "",
        block: str | None = None,
        left_out: int = 0,
        pruned: int = 0,
        incomplete: Incomplete = "refuse",
        assumed: str = "",
    ) -> None:
        names = dict.fromkeys(name for row in rows for name in row)
        self.columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
        """By name, in the order in which evaluations were made."""
        self.shared = shared
        """What the designs were evaluated on together, such as folds: their evaluations are not independent then."""
        self.block = block
        """The column that names these, for `analyse(..., block=table.block)`."""
        self.left_out = left_out
        """Evaluations without values: failed, pruned, not finished."""
        self.pruned = pruned
        """Of these, those that were ended because of how they went, of designs whose other evaluations count."""
        self.assumed = assumed
        """What a guarantee takes for granted of how the designs were found."""
        super().__init__(self.columns, objectives=objectives, minimise=minimise, design=design, incomplete=incomplete)

    def __repr__(self) -> str:
        return (
            f"Imported({counted(int(self.rows.sum()))} of {counted(len(self.names), 'design')}: "
            f"{', '.join(self.objectives)})"
        )


def melted(
    table: Any,
    *,
    design: str,
    metric: str,
    value: str,
    run: str | None = None,
    objectives: Sequence[str | Objective] = (),
    minimise: Sequence[str] = (),
    separate: bool = False,
) -> Imported:
    """A long ("melted") table with a row for each design, metric and value, as one row an evaluation.

    `run` is a column that says which values were measured together (a seed, a repetition); without it the first value
    of each metric is the first evaluation of a design, and so on. Every evaluation needs all objectives, unless
    `separate=True` says that they were measured separately (`analyse(..., separate=True)`).

    >>> rows = [{"who": "a", "what": w, "got": v} for w, v in (("x", 1.0), ("y", 2.0), ("x", 3.0), ("y", 4.0))]
    >>> melted(rows, design="who", metric="what", value="got").columns
    {'design': ['a', 'a'], 'run': ['1', '2'], 'x': [1.0, 3.0], 'y': [2.0, 4.0]}
    """
    rows = list(_placed(table))
    if not rows:
        raise InputError("the table has no rows; a row for each design, metric and value was expected.")
    wanted = (design, metric, value, *((run,) if run else ()))
    check_columns(wanted, list(dict.fromkeys(name for _, _, row in rows for name in row)), rows[0][0])
    known = list(dict.fromkeys(_word(row, metric, path, k) for path, k, row in rows))
    metrics = called(chosen(known, objectives, f"the column {metric!r:.60}"))
    beside({"design": None, "run": None}, dict.fromkeys(metrics))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    counts: dict[tuple[str, str], int] = {}
    for path, place, row in rows:
        who, what = _word(row, design, path, place), _word(row, metric, path, place)
        if what not in metrics:
            continue
        counts[who, what] = counts.get((who, what), 0) + 1
        when = _word(row, run, path, place) if run else str(counts[who, what])
        entry = found.setdefault((who, when), {"design": who, "run": when})
        if what in entry:
            raise InputError(f"{what!r:.60} of {who!r:.60} stands twice for {run} {when!r:.60}; name another column.")
        entry[what] = _cell(row.get(value), value, path, place)
    if not separate:
        _check_complete(list(found.values()), metrics)
    return Imported(list(found.values()), objectives or metrics, minimise=minimise)


def _placed(table: Any) -> Iterator[tuple[Path, int, Mapping[str, Any]]]:
    """The rows with the file in which each stands, and where in it, counted from 0."""
    if is_frame(table):
        yield from ((IN_MEMORY, place, row) for place, row in enumerate(records_of(table)))
        return
    for path in files_of(table):
        yield from ((path, place, row) for place, row in enumerate(read_rows(path)))


def _check_complete(rows: Rows, metrics: Sequence[str]) -> None:
    for row in rows:
        lacking = next((metric for metric in metrics if row.get(metric) is None), None)
        if lacking is not None:
            raise InputError(
                f"{row['design']!r:.60} has no {lacking!r:.60} in evaluation {row['run']!r:.60}; every evaluation "
                "needs all objectives: choose those that were measured together with `objectives`, or say that they "
                "were measured separately (`separate=True`)."
            )


def _cell(entry: Any, column: str, path: Path, place: int) -> Any:
    """A value as it stands, None where there is none; refused here, where its row is known, if it is no number."""
    if isinstance(entry, bool) or (isinstance(entry, str) and entry.strip().lower() in OUTCOMES):
        return entry
    return None if np.isnan(numbers([entry], path, column, place, missing=True)[0]) else entry


def _word(row: Mapping[str, Any], column: str, path: Path, place: int) -> str:
    entry = row.get(column)
    if entry is None or not str(entry).strip():
        raise InputError(f"{row_words(path, place)}, column {column!r} is empty.")
    return str(entry).strip()


def as_place(path: Path) -> str:
    """A path as a sentence quotes it; of an address, which may hold a password, how it begins.

    >>> as_place(Path("study.db")), as_place(Path("mysql://me:secret@host/lab"))
    ('study.db', 'mysql:...')
    """
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:(?=/)", path.as_posix())
    return str(path)[:200] if scheme is None else f"{scheme[0]}..."


def as_value(entry: Any, what: str) -> float:
    """A number as it is counted; `what` begins the sentence for anything else."""
    try:
        return float(entry)
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"{what} is {shown(entry)}, where a number was expected.") from None


def beside(about: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """One evaluation: what it was of, and its values, none of which may be called like the former."""
    taken = next((name for name in values if name in about), None)
    if taken is not None:
        raise InputError(
            f"a metric is called {taken!r}, like a column of the table that is made here ({', '.join(about)}); rename "
            "it where it was measured."
        )
    return {**about, **values}


def chosen(found: Sequence[str], objectives: Sequence[str | Objective], what: str) -> Sequence[str | Objective]:
    """The objectives asked for, all of them there; or all that were found."""
    if not found:
        raise InputError(f"there are no values to compare in {what}.")
    stray = next((name for name in called(objectives) if name not in found), None)
    if stray is not None:
        raise InputError(f"there is no {stray!r:.60} in {what}, only {', '.join(found)[:200]}.")
    return objectives or list(found)


def named_by(parameters: Mapping[str, Any]) -> str:
    """A design's name from its parameters: equal parameters are one design.

    >>> named_by({"depth": 2, "kind": "a", "rate": 0.1})
    'depth=2, kind=a, rate=0.1'
    """
    if not parameters:
        return "without parameters"
    return ", ".join(f"{name}={_shown(value)}" for name, value in parameters.items())


def check_told_apart(settings: Sequence[Mapping[str, Any]]) -> None:
    """Refuse settings that differ and are written alike, 1 and "1": they would become one design."""
    found: dict[str, Mapping[str, Any]] = {}
    for parameters in settings:
        name = named_by(parameters)
        if found.setdefault(name, parameters) != parameters:
            raise InputError(
                f"two settings that differ are both written {name!r:.60}, such as the number 1 and the text '1'; "
                "rename the value of one of them."
            )


def _shown(value: Any) -> str:
    if isinstance(value, float) and math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return repr(float(value))
    return str(value)
