"""Told evaluations as a table: CSV, TSV, JSON, JSON lines or Parquet, written whole or not at all.

One row an evaluation, sorted by design and number: design (its name), number, its block where designs share blocks, the
objectives as they were told, worker, told_at. In CSV all text is quoted, and a name such as "=1+1" has an apostrophe
before it, so that no spreadsheet computes it; conewise reads it back without. Control characters, which a worker of a
study from elsewhere may have in its name, are replaced there, since a terminal would obey them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from conewise.errors import printable
from conewise.studies.evaluations import Evaluations
from conewise.tables.outputs import Columns, write_columns
from conewise.tables.spreadsheets import EXPORT_COLUMNS, guarded


def write_table(
    path: Path,
    told: Evaluations,
    objectives: Sequence[str],
    *,
    inputs: Iterable[str | Path] = (),
    force: bool = False,
) -> int:
    """Write by the file's ending and return the number of rows; an existing file is replaced only with `force`."""
    design, number, worker, told_at = EXPORT_COLUMNS
    columns: Columns = {
        design: told.name,
        number: told.number,
        **({} if told.blocks is None else {told.blocks.column: told.block or []}),
        **{name: told.values[:, column] for column, name in enumerate(objectives)},
        worker: told.worker,
        told_at: [datetime.fromtimestamp(seconds, UTC) for seconds in told.told_at.tolist()],
    }
    texts = {design, worker, *(() if told.blocks is None else (told.blocks.column,))}
    write_columns(path, columns, lambda found: _guarded(found, texts), inputs=inputs, force=force, quote_texts=True)
    return len(told)


def _guarded(columns: Columns, texts: Collection[str]) -> Columns:
    return {
        guarded(name): [guarded(printable(entry)) for entry in c] if name in texts else c for name, c in columns.items()
    }
