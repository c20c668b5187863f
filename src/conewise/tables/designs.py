"""Tables of designs from files, in chunks: which columns are objectives, and what a row must hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise import limits
from conewise.border import NO_REAL_NUMBERS, Floats, Indices, as_decimal
from conewise.errors import InputError, shown
from conewise.question.objectives import Objective, Objectives, as_objectives
from conewise.tables.clauses import Where
from conewise.tables.columns import is_unnamed, listed_columns, no_column, row_words
from conewise.tables.files import Unchanged
from conewise.tables.names import Labels, first_repeated
from conewise.tables.readers import distinct_columns, opened

NAME_COLUMNS: Final = ("name", "design", "id")
"""What a column that names designs is called, in capitals or not."""
MISSING: Final = frozenset({"", "na", "nan", "n/a", "null", "none"})
"""How spreadsheets and R write "not measured"."""
_NOT_FINITE: Final = frozenset({"nan", "+nan", "-nan"})
_FRACTIONAL: Final = frozenset(".eEiInN")  # of a text that is no whole number, infinity and NaN included
_NO_NUMBER: Final = "where a number was expected"
OUTCOMES: Final = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
"""The words for 1 and 0 that a column of outcomes may hold."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table: names (text, made when they are asked for) and objectives as the file has them, (n, D)."""

    names: Labels
    values: Floats
    rows: int
    """How many rows were read for them: those that a condition left out are counted."""
    places: Indices
    """(n,): which of these rows they are, counted from 0."""


class DesignTable:
    """A file or frame with one design a row: which columns are objectives and which one names the design."""

    def __init__(
        self,
        path: Any,
        *,
        objectives: Sequence[str | Objective] | None = None,
        minimise: Sequence[str] = (),
        name: str | None = None,
        where: Where | None = None,
    ) -> None:
        self.path, self.reader = opened(Path(path) if isinstance(path, str) else path)
        self.file = Unchanged(self.path)
        columns = distinct_columns(self.reader, self.path)
        self.name = name if name is not None else name_column(columns)
        named = [column for column in columns if not is_unnamed(column)]
        chosen = objectives if objectives else [c for c in named if c != self.name]
        self.unnamed = len(columns) - len(named) if not objectives else 0
        """How many columns nobody named, and which are therefore not compared unless they are asked for."""
        self.where = where
        called = [o.name if isinstance(o, Objective) else o for o in chosen]
        watched = where.columns if where is not None else ()
        check_columns((*called, *minimise, *([name] if name is not None else []), *watched), columns, self.path)
        self.meaning = meant(chosen, minimise)
        self.others = tuple(c for c in named if c not in called and c != self.name)
        """The columns with a name that are not compared and do not name the designs."""

    @property
    def objectives(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return self.meaning.names

    @property
    def minimised(self) -> tuple[str, ...]:
        """Those of them that should be small."""
        return self.meaning.minimised

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return len(self.objectives)

    def chunks(self) -> Iterator[Chunk]:
        """The rows in order; a missing or malformed entry stops with its row and column."""
        row = 0
        for columns in self.reader.chunks(self.read, self.name):
            yield (chunk := self.chunk(columns, row))
            row += chunk.rows
        if not row:
            raise InputError(f"{self.path.name} has no rows below its header.")

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that are read for the values: those compared, and those of a condition."""
        watched = self.where.columns if self.where is not None else ()
        return tuple(dict.fromkeys((*self.objectives, *watched)))

    def chunk(self, columns: Mapping[str, Sequence[Any]], row: int) -> Chunk:
        """Some columns of the file, from that row on, as names and numbers; only rows that meet the condition."""
        rows = len(next(iter(columns.values())))
        label: Sequence[Any] = columns[self.name] if self.name else range(row + 1, row + 1 + rows)
        places = np.arange(rows)
        if self.where is not None:
            places = np.flatnonzero(self.where.accepts(columns, self.path, row))
            columns = {c: [columns[c][k] for k in places.tolist()] for c in self.objectives}
            label = [label[k] for k in places.tolist()]
        values = [numbers(columns[c], self.path, c, row, places=places) for c in self.objectives]
        return Chunk(Labels(label), np.column_stack(values), rows, places)


def two_of_one_name(where: str, label: str) -> InputError:
    """The refusal of a table of designs in which a name stands twice."""
    alike = f"called {label!r}" if label.strip() else "without a name"
    return InputError(
        f"{where} has two designs {alike}; a name is a design's identity: repeated measurements are for "
        "`analyse`; else name another column."
    )


def name_column(columns: Sequence[str]) -> str | None:
    """The first column called name, design or id."""
    return next((c for c in columns if c.lower() in NAME_COLUMNS), None)


def check_columns(wanted: Sequence[str], columns: Sequence[str], path: Path) -> None:
    """Refuse a column that is not there, or that has no name."""
    known = set(columns)
    for column in wanted:
        if not isinstance(column, str):
            raise InputError(f"the columns of a table are called by text, got {shown(column)}.")
        if not column:
            raise InputError(f"a column without a name cannot be chosen; give it one in the header of {path.name}.")
        if column not in known:
            raise no_column(path.name, column, columns)


def meant(objectives: Sequence[str | Objective], minimise: Sequence[str] = ()) -> Objectives:
    """What the columns of a table mean, from names or records; not too many of them, and each one once."""
    called = [o.name if isinstance(o, Objective) else o for o in objectives]
    stray = next((c for c in minimise if c not in set(called)), None)
    if stray is not None:
        raise InputError(f"`minimise` names {stray!r}, which is not among the objectives {listed_columns(called)}.")
    if not called:
        raise InputError("name at least one column to compare: there are no objectives.")
    if (repeated := first_repeated(called)) is not None:
        raise InputError(f"the objectives must be distinct, got {repeated!r:.60} twice.")
    if len(called) > limits.MOST_OBJECTIVES:
        raise InputError(
            f"there are {len(called)} objectives, where at most {limits.MOST_OBJECTIVES} are compared; choose some."
        )
    return as_objectives(objectives, minimise)


def signs(objectives: Sequence[str], minimised: Sequence[str]) -> Floats:
    """(D,): -1 for an objective that should be small, 1 for the others."""
    return meant(objectives, minimised).signs


# -- numbers ---------------------------------------------------------------------------------------------------------


def numbers(
    column: Sequence[Any],
    path: Path,
    name: str,
    first_row: int,
    *,
    missing: bool = False,
    places: Indices | None = None,
) -> Floats:
    """A column as numbers, or the row of the first entry that is none; NaN for empty entries if they may be missing.

    `places` says which rows the entries stand in, counted from the first one, where some were left out.
    """
    values = _as_numbers(column)
    if values is not None and (np.isfinite(values).all() or (missing and not np.isinf(values).any())):
        return values
    for offset, entry in enumerate(column):
        if (wrong := what_is_wrong(entry, missing=missing)) is not None:
            row = first_row + (offset if places is None else int(places[offset]))
            words = isinstance(entry, str) and any(c.isalpha() for c in entry) and wrong.endswith(_NO_NUMBER)
            remedy = "; if it is no objective, name the objectives without it" if words else ""
            if str(entry).strip().lower() in OUTCOMES:
                remedy = "; outcomes are written 1 and 0, or in words where their noise is declared binary"
            raise InputError(f"{row_words(path, row)}, column {name!r} {wrong}{remedy}.")
    raise AssertionError("unreachable")


def _as_numbers(column: Sequence[Any]) -> Floats | None:
    """All of them, or None if some entry is no number."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return column.astype(np.float64)
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu" and len(column):
        exact = int(column.min()) >= -limits.LARGEST_WHOLE and int(column.max()) <= limits.LARGEST_WHOLE
        return column.astype(np.float64) if exact else None
    if (values := _as_plain_numbers(column)) is not None:
        return values
    try:
        return np.array([_number(entry) for entry in column], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _as_plain_numbers(column: Sequence[Any]) -> Floats | None:
    """Texts that are all numbers by one look at all of them, which is quick; None where each has to be looked at."""
    try:
        text = "".join(column)
        if "_" in text or not text.isascii():
            return None
        values = np.array(list(map(float, column)), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return values if (np.abs(values) < limits.LARGEST_WHOLE).all() else None


def what_is_wrong(entry: Any, *, missing: bool = False) -> str | None:
    """Why an entry of a table is not a finite number, in words that follow the name of its column; None where it is.

    >>> what_is_wrong("1,5")
    "holds '1,5', where a number was expected; write decimals with a point and thousands without a separator"
    >>> what_is_wrong("1.5") is None
    True
    """
    if entry is None or (isinstance(entry, str) and not entry.strip()):
        return None if missing else "is empty; every design needs all its objectives"
    try:
        number = _number(entry)
    except _RoundedError:
        return (
            f"holds {str(entry)[:40]}, a whole number beyond 2^53 = {limits.LARGEST_WHOLE}, which would be rounded; "
            "subtract an offset first, or write it with a decimal point if its last digits do not matter"
        )
    except (TypeError, ValueError, OverflowError):
        shown = str(entry)[:40] if isinstance(entry, bool | np.bool_) else f"{str(entry)[:40]!r}"
        return f"holds {shown}, {_NO_NUMBER}{_remedy(entry)}"
    if math.isnan(number) and isinstance(entry, str) and not missing and entry.strip().lower() not in _NOT_FINITE:
        return f"holds {entry[:40]!r}, {_NO_NUMBER}"
    if math.isinf(number) or (math.isnan(number) and not missing):
        return f"holds {str(entry)[:40]}, where a finite number was expected"
    return None


def _number(entry: Any) -> float:
    """NaN for what stands for a missing value; True is a number to float(), not to whoever wrote the table."""
    if isinstance(entry, str):
        try:
            value = as_decimal(entry)
        except ValueError:
            if entry.strip().lower() in MISSING:
                return math.nan
            raise
        if abs(value) >= limits.LARGEST_WHOLE and not set(entry) & _FRACTIONAL:
            _check_whole(int(entry))
        return value
    if entry is None:
        return math.nan
    if type(entry) is not float and isinstance(entry, (bool, np.bool_, np.ndarray, *NO_REAL_NUMBERS)):
        raise TypeError("not a number")
    if isinstance(entry, int | np.integer):
        _check_whole(int(entry))
    return float(entry)


def _check_whole(number: int) -> None:
    if abs(number) > limits.LARGEST_WHOLE:
        raise _RoundedError


class _RoundedError(ValueError):
    """A whole number that float64 cannot tell from its neighbours."""


def _remedy(entry: Any) -> str:
    """What to do about a number in a form of other programs."""
    text = str(entry).strip()[:40]
    if re.fullmatch(
        r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]{1,3}(?:[.\u00a0\u202f '][0-9]{3})+,[0-9]+", text
    ):
        return "; write decimals with a point and thousands without a separator"
    if re.fullmatch(r"[+-]?[0-9]{1,3}(?:[,_\u00a0\u202f '\u2019][0-9]{3})+(?:\.[0-9]*)?", text):
        return "; write thousands without a separator"
    if "_" in text or (not text.isascii() and any(c.isdigit() for c in text)):
        return "; write it with the digits 0 to 9 and nothing between them"
    return ""
