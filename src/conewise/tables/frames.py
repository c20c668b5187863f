"""Tables in memory: a mapping of columns, or a frame of pandas, polars or pyarrow, none of which is imported here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from conewise import _limits as limits
from conewise.errors import InputError
from conewise.tables.columns import wanted_columns

_LISTS: Final = ("to_pylist", "to_list", "tolist")  # of pyarrow, polars and pandas, numpy


def is_frame(given: Any) -> bool:
    """Whether it has columns with names: a mapping, a list of mappings, or what behaves like a data frame."""
    if isinstance(given, Mapping) or is_records(given) or is_lazy(given):
        return True
    return hasattr(given, "columns") and hasattr(given, "__getitem__")


def is_lazy(given: Any) -> bool:
    """Whether it is a frame that is not worked out yet, such as one of polars."""
    return hasattr(type(given), "collect") and hasattr(type(given), "collect_schema")


def is_records(given: Any) -> bool:
    """Whether it is a list of rows, each a mapping."""
    return isinstance(given, list | tuple) and len(given) > 0 and all(isinstance(row, Mapping) for row in given)


def as_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns, in the order in which their keys first come; None where a row lacks a key.

    >>> as_columns([{"a": 1}, {"b": 2}])
    {'a': [1, None], 'b': [None, 2]}
    """
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def records_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a table in memory as mappings, with values of Python's own; None where something is missing.

    >>> records_of({"a": [1, 2], "b": ["x", None]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}]
    """
    if is_records(frame):
        return [dict(record) for record in frame]
    reader = FrameReader(frame)
    names = reader.columns()
    rows: list[dict[str, Any]] = []
    for chunk in reader.chunks(names, None):
        columns = [[None if _is_missing(entry) else entry for entry in _listed(chunk[name])] for name in names]
        rows += [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return rows


def _listed(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


class FrameReader:
    """The columns of a frame, as `readers.Reader` has them for files."""

    def __init__(self, frame: Any) -> None:
        frame = as_columns(frame) if is_records(frame) else frame
        if isinstance(frame, Mapping):
            names = list(frame)
        else:  # pyarrow's columns are the arrays themselves
            frame = _with_index(frame.collect() if is_lazy(frame) else frame)
            names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
        stranger = next((name for name in names if not isinstance(name, str)), None)
        if stranger is not None:
            raise InputError(f"the columns of a table are called by text, got {stranger!r:.60}; rename them.")
        self._names: list[str] = names
        self._frame = frame

    def columns(self) -> list[str]:
        """Their names, in order."""
        return list(self._names)

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        """The rows in order, some at a time."""
        columns: dict[str, Any] = {
            column: _array(self._frame[column]) if column != name else None for column in wanted_columns(numbers, name)
        }
        for column, found in columns.items():
            if found is None:
                columns[column] = _entries(self._frame[column], column)
        lengths = {column: len(entries) for column, entries in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"the columns of a table are equally long, got {_counted(lengths)} rows.")
        for start in range(0, next(iter(lengths.values()), 0), limits.CHUNK_ROWS):
            yield {column: entries[start : start + limits.CHUNK_ROWS] for column, entries in columns.items()}


def _with_index(frame: Any) -> Any:
    """A frame of pandas with the named levels of its index as columns: names of designs often stand there."""
    named = [name for name in getattr(getattr(frame, "index", None), "names", None) or () if name is not None]
    if not named or not hasattr(frame, "reset_index"):
        return frame
    clash = next((name for name in named if name in frame.columns), None)
    if clash is not None:
        return frame
    return frame.reset_index(level=named)


def _array(column: Any) -> NDArray[Any] | None:
    """A column of plain numbers as it is in memory, None otherwise."""
    convert = getattr(column, "to_numpy", None)
    found = column if convert is None else convert()
    return found if isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype.kind in "iuf" else None


def _entries(column: Any, name: str) -> list[Any]:
    """Values of Python's own; None where something stands for a missing value."""
    convert = next((getattr(column, word) for word in _LISTS if hasattr(column, word)), None)
    try:
        listed = list(column) if convert is None else convert()
    except TypeError:
        listed = None
    if not isinstance(listed, list) or isinstance(column, str | bytes):
        raise InputError(f"the column {name!r} must be a list of entries, one a row, got {column!r:.60}.")
    return [None if _is_missing(entry) else entry for entry in listed]


def _is_missing(entry: Any) -> bool:
    """Pandas' marks for a missing value, and NaN among texts."""
    return type(entry).__name__ in ("NAType", "NaTType") or (isinstance(entry, float) and math.isnan(entry))


def _counted(lengths: Mapping[str, int]) -> str:
    few = list(lengths.items())[:3]
    return " and ".join(f"{column!r} with {length}" for column, length in few)
