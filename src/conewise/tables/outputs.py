"""Tables that conewise writes, by the file's ending: CSV, TSV, JSON, JSON lines or Parquet (extra `tables`).

Floats are written in the shortest form that reads back to the same number. JSON and Parquet have every text as it is;
in CSV and TSV text that a spreadsheet would compute is guarded (`spreadsheets`).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from conewise.errors import ConewiseError, InputError, from_extra
from conewise.tables.files import check_target, written

Column = Sequence[Any] | NDArray[Any]
Columns = Mapping[str, Column]
"""Columns by name: texts, whole numbers, floats, moments; None or NaN where there is nothing."""
Guard = Callable[[Columns], Columns]
"""The same columns as they go into CSV."""

_CSV: Final = (".csv", ".txt", "")
_TSV: Final = (".tsv",)
_JSON: Final = (".json",)
_LINES: Final = (".jsonl", ".ndjson")
_PARQUET: Final = (".parquet", ".pq")
_SHEETS: Final = (".xlsx", ".xls", ".ods")
_BLOCK: Final = 50_000  # rows that are text at a time


def check_output(path: Path, *, inputs: Iterable[str | Path] = (), force: bool = False) -> None:
    """Refuse an ending that is not written, or a place that must not be written to; called before the work."""
    ending = _ending(path)
    if ending not in (*_CSV, *_TSV, *_JSON, *_LINES, *_PARQUET):
        hint = "; a spreadsheet opens .csv" if ending in _SHEETS else ""
        raise InputError(
            f"{path.name}: the ending {ending!r} is not known; use .csv, .tsv, .json, .jsonl or .parquet{hint}."
        )
    if ending in _PARQUET:
        _pyarrow()
    check_target(path, inputs=inputs, force=force)


def write_columns(
    path: Path,
    columns: Columns,
    guard: Guard,
    *,
    inputs: Iterable[str | Path] = (),
    force: bool = False,
    quote_texts: bool = False,
) -> None:
    """A table, whole or not at all."""
    check_output(path, inputs=inputs, force=force)
    ending = _ending(path)
    with written(path, inputs=inputs, force=force) as file:
        if ending in _PARQUET:
            _write_parquet(file, columns)
            return
        if ending in _JSON:
            text: Iterable[str] = _array(json_lines(columns))
        elif ending in _LINES:
            text = (f"{line}\n" for line in json_lines(columns))
        else:
            text = csv_text(guard(columns), "\t" if ending in _TSV else ",", quote_texts)
        for part in text:
            file.write(part.encode())


def csv_text(columns: Columns, delimiter: str = ",", quote_texts: bool = False) -> Iterator[str]:
    """Yield a header, in which nothing else seems to separate columns, and the guarded rows, some lines at a time."""
    lines: list[str] = []

    def write(rows: Iterable[Iterable[Any]], quote: bool = quote_texts) -> None:
        """Quote texts, or only those with a delimiter, a quote or one of the two characters that end a line."""
        sink = SimpleNamespace(write=lambda line: lines.append(line[:-1]))  # without the second of them
        how: Any = csv.QUOTE_NONNUMERIC if quote else csv.QUOTE_MINIMAL
        csv.writer(sink, delimiter=delimiter, quoting=how, lineterminator="\n\r").writerows(rows)

    write([columns], quote_texts or any((set(",;\t") - {delimiter}) & set(column) for column in columns))
    for rows in _blocks(columns, ""):
        write(rows)
        yield "".join(lines)
        lines.clear()
    yield "".join(lines)


def json_lines(columns: Columns) -> Iterator[str]:
    """One record a row."""
    for rows in _blocks(columns, None):
        for row in rows:
            yield json.dumps(dict(zip(columns, row, strict=True)), allow_nan=False, ensure_ascii=False)


def free_name(label: str, taken: Iterable[str]) -> str:
    """A name for a column of ours beside the user's own: with an underscore more where they have one called so.

    >>> free_name("status", ["cost"]), free_name("status", ["status", "status_"])
    ('status', 'status__')
    """
    others = set(taken)
    while label in others:
        label += "_"
    return label


def _ending(path: Path) -> str:
    """In small letters; none for a device, which may be called anything."""
    return "" if path.exists() and not path.is_file() and not path.is_dir() else path.suffix.lower()


def _array(records: Iterable[str]) -> Iterator[str]:
    before = "[\n"
    for record in records:
        yield before + record
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _blocks(columns: Columns, nothing: str | None) -> Iterator[Iterator[tuple[Any, ...]]]:
    """The rows, some at a time, in what csv and json write; `nothing` stands where there is no value."""
    length = min((len(values) for values in columns.values()), default=0)
    for start in range(0, length, _BLOCK):
        yield zip(*(_entries(values[start : start + _BLOCK], nothing) for values in columns.values()), strict=True)


def _entries(values: Column, nothing: str | None) -> Sequence[Any]:
    if isinstance(values, np.ndarray):
        listed: list[Any] = values.tolist()
        if values.dtype.kind in "iu" or (values.dtype.kind == "f" and not np.isnan(values).any()):
            return listed
        values = listed
    return [
        nothing if entry is None or entry != entry else _plain(entry) for entry in values
    ]  # NaN differs from itself


def _plain(entry: Any) -> Any:
    return entry.isoformat() if isinstance(entry, datetime) else entry


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise ConewiseError(f"Parquet files need pyarrow: {from_extra('tables')}.") from None
    return pyarrow


def _write_parquet(file: BinaryIO, columns: Columns) -> None:
    arrow = _pyarrow()
    arrow.parquet.write_table(arrow.table({name: _arrow(arrow, values) for name, values in columns.items()}), file)


def _arrow(arrow: Any, values: Column) -> Any:
    listed = values.tolist() if isinstance(values, np.ndarray) and values.dtype.kind == "O" else values
    first = next((entry for entry in listed if entry is not None), None) if isinstance(listed, list | tuple) else None
    if isinstance(first, datetime):
        return arrow.array(listed, arrow.timestamp("us", tz="UTC"))
    if isinstance(first, str):
        return arrow.array(listed, arrow.string())
    return arrow.array(listed, from_pandas=True)  # NaN is an empty cell, as in every other format
