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
    """Whether it has columns with names: a mapping, or what behaves like a data frame."""
    return isinstance(given, Mapping) or (hasattr(given, "columns") and hasattr(given, "__getitem__"))


class FrameReader:
    """The columns of a frame, as `readers.Reader` has them for files."""

    def __init__(self, frame: Any) -> None:
        if isinstance(frame, Mapping):
            names = list(frame)
        else:  # pyarrow's columns are the arrays themselves
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
