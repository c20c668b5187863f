"""Told evaluations as a table: CSV, JSON lines or Parquet, written whole or not at all.

One row an evaluation, sorted by design and number: design (its name), number, the objectives as they were told, worker,
told_at. Floats are written in the shortest form that reads back to the same number. JSON lines and Parquet have every
text as it is. In CSV all text is quoted, and a name such as "=1+1" has an apostrophe before it, so that no spreadsheet
computes it; conewise reads it back without. Control characters, which a worker of a study from elsewhere may have in
its name, are replaced there, since a terminal would obey them.
"""

from __future__ import annotations

import csv
import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conewise.errors import ConewiseError, InputError, from_extra, printable
from conewise.problems.spreadsheets import EXPORT_COLUMNS, guarded
from conewise.studies.evaluations import Evaluations


def write_table(path: Path, told: Evaluations, objectives: Sequence[str]) -> int:
    """Write by the file's ending and return the number of rows; an existing file is replaced in one step."""
    writers = {".csv": _csv, ".jsonl": _json_lines, ".ndjson": _json_lines, ".parquet": _parquet, ".pq": _parquet}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise InputError(f"{path.name}: the ending {path.suffix!r} is not known; use .csv, .jsonl or .parquet.")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to put {path.name} in.")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        write(draft, told, objectives)
        draft.replace(path)
    except OSError as error:
        raise ConewiseError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)
    return len(told)


def _moments(told: Evaluations) -> list[datetime]:
    return [datetime.fromtimestamp(seconds, UTC) for seconds in told.told_at.tolist()]


def _columns(told: Evaluations, objectives: Sequence[str]) -> dict[str, Sequence[Any]]:
    design, number, worker, told_at = EXPORT_COLUMNS
    return {
        design: told.name,
        number: told.number.tolist(),
        **{name: told.values[:, column].tolist() for column, name in enumerate(objectives)},
        worker: told.worker,
        told_at: [moment.isoformat() for moment in _moments(told)],
    }


def _csv(path: Path, told: Evaluations, objectives: Sequence[str]) -> None:
    columns = _columns(told, objectives)
    columns |= {text: [guarded(printable(entry)) for entry in columns[text]] for text in ("design", "worker")}
    with path.open("x", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        rows.writerow(map(guarded, columns))
        rows.writerows(zip(*columns.values(), strict=True))


def _json_lines(path: Path, told: Evaluations, objectives: Sequence[str]) -> None:
    columns = _columns(told, objectives)
    with path.open("x", encoding="utf-8") as file:
        for row in zip(*columns.values(), strict=True):
            json.dump(dict(zip(columns, row, strict=True)), file, allow_nan=False, ensure_ascii=False)
            file.write("\n")


def _parquet(path: Path, told: Evaluations, objectives: Sequence[str]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise ConewiseError(f"Parquet files need pyarrow: {from_extra('tables')}.") from None
    design, number, worker, told_at = EXPORT_COLUMNS
    table = pyarrow.table(
        {
            design: pyarrow.array(told.name, pyarrow.string()),
            number: pyarrow.array(told.number),
            **{name: pyarrow.array(told.values[:, column].copy()) for column, name in enumerate(objectives)},
            worker: pyarrow.array(told.worker, pyarrow.string()),
            told_at: pyarrow.array(_moments(told), pyarrow.timestamp("us", tz="UTC")),
        }
    )
    parquet.write_table(table, path)
