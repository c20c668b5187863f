"""Tables of designs from files, in chunks: which columns are objectives, and what a row must hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise._arrays import Floats
from conewise.errors import InputError
from conewise.problems.names import Labels, first_repeated
from conewise.problems.readers import Reader, reader

NAME_COLUMNS: Final = ("name", "design", "id")
"""What a column that names designs is called, in capitals or not."""
_MISSING: Final = frozenset({"", "na", "nan", "n/a", "null", "none"})  # how spreadsheets and R write "not measured"


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table: names (text, made when they are asked for) and objectives as the file has them, (n, D)."""

    names: Labels
    values: Floats


class DesignTable:
    """A file with one design a row: which columns are objectives, which are minimised, which one names the design."""

    def __init__(
        self,
        path: str | Path,
        *,
        objectives: Sequence[str] | None = None,
        minimise: Sequence[str] = (),
        name: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.reader = reader(self.path)
        columns = distinct_columns(self.reader, self.path)
        self.name = name if name is not None else name_column(columns)
        self.objectives = tuple(objectives) if objectives else tuple(c for c in columns if c != self.name)
        self.minimised = tuple(minimise)
        check_columns((*self.objectives, *self.minimised, *([name] if name else [])), columns, self.path)
        self.signs = signs(self.objectives, self.minimised)

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return len(self.objectives)

    def chunks(self) -> Iterator[Chunk]:
        """The rows in order; a missing or malformed entry stops with its row and column."""
        row = 0
        for columns in self.reader.chunks(self.objectives, self.name):
            yield (chunk := self.chunk(columns, row))
            row += len(chunk.values)
        if not row:
            raise InputError(f"{self.path.name} has no rows below its header.")

    def chunk(self, columns: Mapping[str, Sequence[Any]], row: int) -> Chunk:
        """Some columns of the file, from that row on, as names and numbers."""
        values = [numbers(columns[c], self.path, c, row) for c in self.objectives]
        return Chunk(
            Labels(columns[self.name] if self.name else range(row, row + len(values[0]))), np.column_stack(values)
        )


def two_of_one_name(where: str, label: str) -> InputError:
    """The refusal of a table of designs in which a name stands twice."""
    return InputError(
        f"{where} has two designs called {label!r}; a name is a design's identity: average repeated measurements "
        "first, or name another column."
    )


def distinct_columns(table: Reader, path: Path) -> list[str]:
    """The names of a table's columns; a name that stands twice is refused."""
    columns = table.columns()
    repeated = first_repeated(columns)
    if repeated is not None:
        raise InputError(f"{path.name} has two columns called {repeated!r}; rename one of them.")
    return columns


def name_column(columns: Sequence[str]) -> str | None:
    """The first column called name, design or id."""
    return next((c for c in columns if c.lower() in NAME_COLUMNS), None)


def check_columns(wanted: Sequence[str], columns: Sequence[str], path: Path) -> None:
    """Refuse a column that is not there."""
    for column in wanted:
        if column not in columns:
            raise InputError(f"{path.name} has no column {column!r}; it has {', '.join(columns)}.")


def signs(objectives: Sequence[str], minimised: Sequence[str]) -> Floats:
    """(D,): -1 for an objective that should be small, 1 for the others."""
    stray = next((c for c in minimised if c not in objectives), None)
    if stray is not None:
        raise InputError(f"`minimise` names {stray!r}, which is not among the objectives {', '.join(objectives)}.")
    if len(set(objectives)) < len(objectives) or not objectives:
        raise InputError("the objectives must be distinct columns, at least one.")
    return np.array([-1.0 if c in minimised else 1.0 for c in objectives])


def numbers(column: Sequence[Any], path: Path, name: str, first_row: int, *, missing: bool = False) -> Floats:
    """A column as numbers, or the row of the first entry that is none; NaN for empty entries if they may be missing."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        values = column.astype(np.float64)
        if np.isfinite(values).all() or (missing and not np.isinf(values).any()):
            return values
    try:
        values = np.array([_number(entry) for entry in column], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.full(len(column), np.inf)
    if np.isfinite(values).all() or (missing and not np.isinf(values).any()):
        return values
    for offset, entry in enumerate(column):
        where = f"{path.name}, row {first_row + offset + 1} (below the header), column {name!r}"
        if entry is None or (isinstance(entry, str) and not entry.strip()):
            if missing:
                continue
            raise InputError(f"{where} is empty; every design needs all its objectives.")
        try:
            number = _number(entry) if missing else float(entry)
        except (TypeError, ValueError, OverflowError):
            hint = "; write decimals with a point" if re.fullmatch(r"\s*[+-]?\d+,\d+\s*", str(entry)[:40]) else ""
            raise InputError(f"{where} holds {str(entry)[:40]!r}, where a number was expected{hint}.") from None
        if math.isinf(number) or (math.isnan(number) and not missing) or isinstance(entry, bool):
            raise InputError(f"{where} holds {str(entry)[:40]}, where a finite number was expected.")
    raise AssertionError("unreachable")


def _number(entry: Any) -> float:
    """NaN for what stands for a missing value; True is a number to float(), not to whoever wrote the table."""
    if isinstance(entry, bool):
        raise TypeError("bool")
    if entry is None or (isinstance(entry, str) and entry.strip().lower() in _MISSING):
        return math.nan
    return float(entry)
