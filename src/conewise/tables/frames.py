"""The gate for tables in memory: mappings of columns, lists of mappings, and frames of pandas, polars and pyarrow.

None of these libraries is imported here. Whatever is read or chosen from such a table comes from what `in_memory`
returns, so that an object of the user is taken once, and rows are told apart by their position alone.
"""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence, ValuesView
from contextlib import suppress
from numbers import Real
from typing import Any, Final

import numpy as np

from conewise import limits
from conewise.border import check_unmasked
from conewise.errors import InputError, shown
from conewise.tables.columns import wanted_columns
from conewise.tables.names import first_repeated

_LIBRARIES: Final = ("pandas", "polars", "pyarrow")
_LISTS: Final = ("to_pylist", "to_list", "tolist")  # of pyarrow, polars and pandas, numpy


def is_frame(given: Any) -> bool:
    """Return True for a table in memory: a mapping of columns, a list of mappings, or a frame of a known library."""
    framed = hasattr(type(given), "columns") and hasattr(type(given), "__getitem__")
    known = framed and any(base.__module__.partition(".")[0] in _LIBRARIES for base in type(given).__mro__)
    return known or isinstance(given, Mapping) or is_records(given)


def is_records(given: Any) -> bool:
    """Return True for a list of rows, each of which is a mapping."""
    return isinstance(given, list | tuple) and len(given) > 0 and all(isinstance(row, Mapping) for row in given)


def in_memory(given: Any) -> Any:
    """Return a table in memory as it may be read again and again: rows, a dictionary of columns, or a frame.

    Columns of a mapping become lists and arrays, and a lazy frame is collected.
    """
    if is_records(given):
        return given
    if type(given).__name__ == "RecordBatch":
        from pyarrow import Table

        return Table.from_batches([given])
    if not isinstance(given, Mapping):
        try:
            return given.collect() if hasattr(type(given), "collect") else given
        except Exception as error:  # whatever comes from a query that fails
            raise InputError(f"the lazy frame cannot be collected: {str(error).partition(chr(10))[0]:.99}.") from None
    taken = {name: given[name] for name in given}
    labels = [column.index for column in taken.values() if hasattr(getattr(column, "index", None), "equals")]
    if not all(index.equals(labels[0]) for index in labels):
        raise InputError("the columns are Series with different indices, so rows are unclear; give one data frame.")
    columns = {name: as_column(column, name) for name, column in taken.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        few = " and ".join(f"{name!r} with {length}" for name, length in list(lengths.items())[:3])
        raise InputError(f"the columns of a table are equally long, got {few} rows.")
    return columns


def columns_of(frame: Any) -> dict[Any, Any]:
    """Return the columns of what `in_memory` returned by their names; `as_column` makes lists and arrays of them."""
    frame = as_columns(frame) if is_records(frame) else frame
    arrow = hasattr(type(frame), "column_names")
    names = list(frame.column_names if arrow else frame if isinstance(frame, Mapping) else frame.columns)
    if (twice := first_repeated(list(map(str, names)))) is not None:
        raise InputError(f"the table has two columns called {twice!r:.60}; rename one of them.")
    return {name: frame[name] for name in names}


def check_rows(rows: Any) -> None:
    """Refuse rows whose values have names, but which are no mappings: their order may differ from that asked for."""
    for row in rows:
        if hasattr(row, "_fields") or not isinstance(row, Sequence | np.ndarray | Real):
            raise InputError(f"a row of a table must be a dictionary or a list of numbers, got {shown(row)}.")


def as_column(column: Any, name: Any) -> Any:
    """Return a column as a list or an array of numpy; only what has an order and can be read twice is accepted."""
    check_unmasked(column, f"the column {name!r:.60}")
    if isinstance(column, np.ndarray) and column.ndim:
        return np.asarray(column)
    ordered = isinstance(column, Sequence | KeysView | ValuesView)
    with suppress(Exception):  # whatever a library says of a type that numpy does not have
        numbers = not ordered and np.asarray(column[:1]).dtype.kind in "iuf"
        found: Any = np.asarray(column if numbers else None)
        exact = found.dtype.kind in "iu" or isinstance(getattr(column, "dtype", None), np.dtype)
        if found.ndim == 1 and found.dtype.kind in "iuf" and (exact or not np.isnan(found).any()):
            return found  # beside a missing one, numpy would round large whole numbers
    with suppress(Exception):
        found = list(column) if ordered else next(getattr(column, w) for w in _LISTS if hasattr(type(column), w))()
        if isinstance(found, list) and not isinstance(column, str | bytes | bytearray):
            return found
    hint = '; pandas gives lists with df.to_dict("list")' if isinstance(column, Mapping) else ""
    raise InputError(f"the column {name!r:.60} must be a list of entries, one a row, got {shown(column)}{hint}.")


def listed(column: Any) -> list[Any]:
    """Return the entries of a list or an array as values of Python's own; dates and times keep their units."""
    plain = isinstance(column, np.ndarray) and column.dtype.kind not in "mM"
    return column.tolist() if plain else list(column)


def as_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns, in the order in which their keys first come; None where a row lacks a key.

    >>> as_columns([{"a": 1}, {"b": 2}])
    {'a': [1, None], 'b': [None, 2]}
    """
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def records_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a table in memory as mappings, with values of Python's own; None where something is missing.

    >>> records_of({"a": [1, 2], "b": ["x", None]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}]
    """
    if is_records(frame):
        return [dict(record) for record in frame]
    reader = FrameReader(frame)
    columns = {name: reader.entries(name) for name in reader.columns()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class FrameReader:
    """The columns of a frame, as `readers.Reader` has them for files."""

    def __init__(self, frame: Any) -> None:
        self._columns = columns_of(_with_index(in_memory(frame)))
        stranger = next((name for name in self._columns if not isinstance(name, str)), None)
        if stranger is not None:
            raise InputError(f"the columns of a table are called by text, got {stranger!r:.60}; rename them.")

    def columns(self) -> list[str]:
        """Return their names, in order."""
        return list(self._columns)

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        """Yield the rows in order, some at a time."""
        columns = {column: self.entries(column, plain=column != name) for column in wanted_columns(numbers, name)}
        for start in range(0, len(next(iter(columns.values()), ())), limits.CHUNK_ROWS):
            yield {column: entries[start : start + limits.CHUNK_ROWS] for column, entries in columns.items()}

    def entries(self, name: str, *, plain: bool = False) -> Any:
        """Return the entries of a column, None for one that is missing; plain numbers as they are in memory."""
        column = as_column(self._columns[name], name)
        if plain and isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf":
            return column
        return [None if _is_missing(entry) else entry for entry in listed(column)]


def _with_index(frame: Any) -> Any:
    """Return a frame of pandas with the named levels of its index as columns: names of designs often stand there."""
    named = [name for name in getattr(getattr(frame, "index", None), "names", None) or () if name is not None]
    if not named or any(name in frame.columns for name in named):
        return frame
    return frame.reset_index(level=named)


def _is_missing(entry: Any) -> bool:
    """Return True for the marks of pandas for a missing value, and for NaN among texts."""
    return type(entry).__name__ in ("NAType", "NaTType") or (isinstance(entry, (float, np.floating)) and entry != entry)
