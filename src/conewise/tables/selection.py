"""Rows of a table in the kind in which it was given: a frame stays a frame, a list of dictionaries a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from conewise.border import Floats, Indices, as_decimal
from conewise.errors import ConewiseError, InputError, from_extra, shown
from conewise.tables.csvfiles import CsvReader, GuardedCsvReader
from conewise.tables.designs import DesignTable
from conewise.tables.frames import is_records
from conewise.tables.readers import plain_entry
from conewise.tables.shards import ShardedTable
from conewise.tables.spreadsheets import unguarded


def taken(given: Any, rows: Indices) -> Any:
    """These rows of an array, a list of dictionaries, a mapping of columns or a frame, in that order."""
    if isinstance(given, np.ndarray):
        return given[rows]
    if isinstance(given, list | tuple):
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


class Written(float):
    """A number that is shown as it stands in a file: 0.10 stays 0.10.

    >>> Written(0.1, "0.10") == 0.1, str(Written(0.1, "0.10"))
    (True, '0.10')
    """

    text: str

    def __new__(cls, value: float, text: str = "") -> Self:
        """The number, and how it was written."""
        made = super().__new__(cls, value)
        made.text = text
        return made

    def __str__(self) -> str:
        return self.text


def other_columns(table: ShardedTable, rows: Indices) -> dict[str, list[Any]]:
    """The columns that were not compared, at these rows of all files, by a second reading; None where a file has none.

    Entries of CSV are texts, but for columns that hold nothing but numbers.
    """
    return _read_again(table, rows, (), float)


def all_columns(
    table: ShardedTable, rows: Indices, values: Floats
) -> tuple[dict[str, Sequence[Any] | Floats], dict[str, list[Any]]]:
    """(compared, others): the objectives of these rows as they stand in the files, and the columns not compared.

    `values` (n, D) are what was read of the objectives; texts of CSV that say whole numbers become whole numbers, and
    other numbers are `Written`.
    """
    found = _read_again(table, rows, table.objectives, _written)
    compared: dict[str, Sequence[Any] | Floats] = {}
    for d, name in enumerate(table.objectives):
        entries = found.pop(name)
        same = len(entries) == len(values)
        compared[name] = list(map(_as_written, entries, values[:, d].tolist())) if same else values[:, d]
    return compared, found


def _read_again(
    table: ShardedTable, rows: Indices, also: Sequence[str], number: Callable[[str], float]
) -> dict[str, list[Any]]:
    """Some columns, and all that are not compared, at these rows, which are in order."""
    columns = list(dict.fromkeys([*also, *(column for part in table.tables for column in part.others)]))
    found: dict[str, list[Any]] = {column: [] for column in columns}
    if not columns or not len(rows):
        return found
    offset = 0
    texts: set[str] = set()
    for part in table.tables:
        here = (*also, *part.others)
        cells = _cells(part)
        if cells is None:
            entries, size = _entries_at(part, here or part.objectives[:1], rows - offset)
        else:
            entries, size = _texts_at(part, cells, here or part.objectives[:1], rows - offset)
            texts |= set(here)
        some = int(((rows >= offset) & (rows < offset + size)).sum())
        for column in columns:
            found[column] += entries[column] if column in here else [None] * some
        offset += size
        part.file.check()
    return {column: _numbers(entries, number) if column in texts else entries for column, entries in found.items()}


def _cells(part: DesignTable) -> CsvReader | None:
    """What reads the entries of a CSV file as they stand, not as numbers; None for other kinds."""
    reader = part.reader._cells if isinstance(part.reader, GuardedCsvReader) else part.reader
    return CsvReader(reader._path) if isinstance(reader, CsvReader) else None


def _texts_at(
    part: DesignTable, cells: CsvReader, columns: Sequence[str], rows: Indices
) -> tuple[dict[str, list[Any]], int]:
    """The columns at those of the rows that are in this file, and how many rows it has."""
    ours = isinstance(part.reader, GuardedCsvReader)
    written = dict(zip(part.reader.columns(), cells.columns(), strict=True)) if ours else {}
    lines, size = cells.picked([written.get(column, column) for column in columns], rows)
    texts = [[unguarded(text) for text in line] for line in lines] if ours else lines
    return {column: [line[k] for line in texts] for k, column in enumerate(columns)}, size


def _entries_at(part: DesignTable, columns: Sequence[str], rows: Indices) -> tuple[dict[str, list[Any]], int]:
    """The same of a file that is not CSV."""
    found: dict[str, list[Any]] = {column: [] for column in columns}
    done = 0
    for block in part.reader.chunks(columns, None):
        size = len(next(iter(block.values())))
        here = rows[(rows >= done) & (rows < done + size)] - done
        for column in columns:
            found[column] += [plain_entry(block[column][int(k)]) for k in here]
        done += size
    return found, done


def _numbers(entries: list[Any], number: Callable[[str], float]) -> list[Any]:
    """Texts that are all numbers, written as numbers are, as whole numbers or as `number` makes them; "" is None."""
    entries = [None if isinstance(entry, str) and not entry.strip() else entry for entry in entries]
    texts = [entry for entry in entries if isinstance(entry, str)]
    if len(texts) < sum(entry is not None for entry in entries):
        return entries
    for kind, made in ((int, int), (float, number)):
        try:
            if all(_same(text, kind) for text in texts):
                return [None if entry is None else made(entry) for entry in entries]
        except (ValueError, OverflowError):
            continue
    return entries


def _as_written(entry: Any, value: float) -> float:
    """An objective as it stands, also where others of its column stand in another form: 007, or a number of JSON."""
    if isinstance(entry, str):
        text = entry.strip()
        return int(text) if text.isdecimal() and str(int(value)) == text else Written(value, text)
    return entry if isinstance(entry, int | float) and not isinstance(entry, bool) else value


def _written(text: str) -> Written:
    return Written(float(text), text.strip())


def _same(text: str, kind: type[int] | type[float]) -> bool:
    """Whether a text says a finite number and no more than that: 007 is a name."""
    text = text.strip()
    digits = text.lstrip("+-")
    leading = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return bool(np.isfinite(as_decimal(text))) and not leading and (kind is float or str(int(text)) == text)


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
