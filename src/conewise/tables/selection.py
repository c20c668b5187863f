"""Rows of a table in the kind in which it was given: a frame stays a frame, a list of dictionaries a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conewise._arrays import Indices, as_decimal
from conewise.errors import ConewiseError, InputError, from_extra, shown
from conewise.tables.csvfiles import CsvReader, GuardedCsvReader
from conewise.tables.frames import is_records
from conewise.tables.shards import ShardedTable
from conewise.tables.spreadsheets import unguarded


def taken(given: Any, rows: Indices) -> Any:
    """These rows of an array, a list of dictionaries, a mapping of columns or a frame, in that order."""
    if isinstance(given, np.ndarray):
        return given[rows]
    if is_records(given) or isinstance(given, list | tuple):
        return [given[k] for k in rows.tolist()]
    if isinstance(given, Mapping):
        return {column: _entries(entries, rows) for column, entries in given.items()}
    return _narwhal(given)[rows.tolist()].to_native()


def with_columns(given: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """All rows, with some columns more; an array becomes a mapping of columns."""
    plain = {name: list(entries) for name, entries in columns.items()}
    if is_records(given):
        rows = zip(*plain.values(), strict=True)
        return [dict(record) | dict(zip(plain, row, strict=True)) for record, row in zip(given, rows, strict=True)]
    if isinstance(given, Mapping):
        return dict(given) | plain
    import narwhals

    frame = _narwhal(given)
    backend = frame.implementation
    series = [narwhals.new_series(name, entries, backend=backend) for name, entries in plain.items()]
    if backend.is_pandas_like():  # rows are matched by the index there
        index = narwhals.maybe_get_index(frame)
        series = [narwhals.maybe_set_index(one, index=index) for one in series]
    return frame.with_columns(*series).to_native()


def frame_of(columns: Mapping[str, Sequence[Any]], backend: str | None) -> Any:
    """A frame of pandas, polars or pyarrow; of the first of them that is installed where none is named."""
    from importlib.util import find_spec

    known = ("pandas", "polars", "pyarrow")
    if backend is not None and backend not in known:
        raise InputError(f'backend must be "pandas", "polars" or "pyarrow", got {shown(backend)}.')
    chosen = backend or next((name for name in known if find_spec(name) is not None), None)
    if chosen is None or find_spec(chosen) is None:
        wanted = chosen or "pandas, polars or pyarrow"
        raise ConewiseError(f"a frame needs {wanted}, which is not installed: run pip install {chosen or 'pandas'}.")
    narwhals = _imported()
    return narwhals.from_dict(dict(columns), backend=chosen).to_native()


def other_columns(table: ShardedTable, rows: Indices) -> dict[str, list[Any]]:
    """The columns that were not compared, at these rows of all files, by a second reading; None where a file has none.

    Entries of CSV are texts, but for columns that hold nothing but numbers.
    """
    columns = list(dict.fromkeys(column for part in table.tables for column in part.others))
    found: dict[str, list[Any]] = {column: [] for column in columns}
    if not columns or not len(rows):
        return found
    offset = 0
    texts: set[str] = set()
    for part in table.tables:
        reader, ours = part.reader, isinstance(part.reader, GuardedCsvReader)
        cells = reader._cells if isinstance(reader, GuardedCsvReader) else reader
        if isinstance(cells, CsvReader):  # the entries as they stand, not as numbers
            reader = CsvReader(part.path, cells._text)
            reader = GuardedCsvReader(reader) if ours else reader
            texts |= set(part.others)
        for block in reader.chunks(part.others or part.objectives[:1], None):
            size = len(next(iter(block.values())))
            here = rows[(rows >= offset) & (rows < offset + size)] - offset
            for column in columns:
                entries = block.get(column)
                chosen = [None if entries is None else _plain(entries[int(k)]) for k in here]
                found[column] += [unguarded(e) if ours and isinstance(e, str) else e for e in chosen]
            offset += size
    return {column: _numbers(entries) if column in texts else entries for column, entries in found.items()}


def _numbers(entries: list[Any]) -> list[Any]:
    """Texts that are all numbers, written as numbers are, as numbers; "" is None."""
    entries = [None if isinstance(entry, str) and not entry.strip() else entry for entry in entries]
    texts = [entry for entry in entries if isinstance(entry, str)]
    if len(texts) < sum(entry is not None for entry in entries):
        return entries
    for kind in (int, float):
        try:
            if all(_same(text, kind) for text in texts):
                return [None if entry is None else kind(entry) for entry in entries]
        except (ValueError, OverflowError):
            continue
    return entries


def _same(text: str, kind: type[int] | type[float]) -> bool:
    """Whether a text says a finite number and no more than that: 007 is a name."""
    text = text.strip()
    digits = text.lstrip("+-")
    leading = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return bool(np.isfinite(as_decimal(text))) and not leading and (kind is float or str(int(text)) == text)


def _plain(entry: Any) -> Any:
    return entry.item() if hasattr(entry, "item") else entry


def _entries(entries: Any, rows: Indices) -> Any:
    if isinstance(entries, np.ndarray):
        return entries[rows]
    return [entries[k] for k in rows.tolist()]


def _imported() -> Any:
    try:
        import narwhals
    except ImportError:
        raise ConewiseError(f"frames are handed back through narwhals: {from_extra('frames')}.") from None
    return narwhals


def _narwhal(given: Any) -> Any:
    return _imported().from_native(given, eager_only=True)
