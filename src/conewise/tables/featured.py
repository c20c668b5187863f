"""Features of designs: columns of the table of measurements itself, or of a table of designs beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise.border import read_only
from conewise.data.observations import Counts, Observations
from conewise.errors import InputError, shown
from conewise.question.objectives import Objectives
from conewise.tables.columns import IN_MEMORY, row_words
from conewise.tables.designrows import designs_of, read_designs, typed_column
from conewise.tables.designs import MISSING, check_columns
from conewise.tables.frames import is_frame, records_of
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source, meaning_of
from conewise.tables.names import first_repeated, text_of
from conewise.tables.readers import Reader, distinct_columns
from conewise.tables.shards import Piece

_KNOWN: Final = "every feature must be known: fill it in, or leave that feature or design out"


def features_of(table: LongTable | WideTable, columns: Sequence[str]) -> dict[str, list[Any]]:
    """The features of the designs of a table, one value a design: a column whose rows disagree is refused."""
    _check_roles(columns, table.design, table.objectives)
    files = _files(table)
    for path, reader in files:
        check_columns(columns, distinct_columns(reader, path), path)
    return {column: _one_a_design(table, files, column) for column in columns}


def features_of_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of designs that are rows with a name; a cell without a value is refused."""
    for column in columns:
        lacking = next((row for row in rows if row.get(column) is None), None)
        if lacking is not None:
            named = f"{shown(column)} of {shown(lacking['name'])}"
            raise InputError(f"{named} is empty: fill it in, or leave that column or that design out.")
    return {column: [row[column] for row in rows] for column in columns}


def _files(table: LongTable | WideTable) -> list[tuple[Path, Reader]]:
    return [(f.path, f.reader) for f in table.files] if isinstance(table, LongTable) else [(table.path, table.reader)]


def _check_roles(columns: Sequence[str], design: str, objectives: Sequence[str]) -> None:
    taken = next((c for c in columns if c == design or c in objectives), None)
    if taken is not None:
        what = "names the designs" if taken == design else "is an objective"
        raise InputError(f"the column {taken!r} {what} and cannot be a feature as well.")
    if (twice := first_repeated(columns)) is not None:
        raise InputError(f"the feature {twice!r} is named twice.")


def _one_a_design(table: LongTable | WideTable, files: list[tuple[Path, Reader]], column: str) -> list[Any]:
    found: dict[str, str] = {}
    for path, reader in files:
        rows = zip(_texts(reader, table.design), _texts(reader, column), strict=True)
        for row, (name, given) in enumerate(rows):
            entry = given.strip()
            if entry.lower() in MISSING:
                raise InputError(f"{row_words(path, row)}, column {column!r} is empty; {_KNOWN}.")
            if _differ(found.setdefault(name, entry), entry):
                raise InputError(
                    f"{row_words(path, row)}: {column!r} of {name!r} is {entry!r:.40}, and {found[name]!r:.40} before; "
                    "a feature has one value a design."
                )
    return typed_column([found[name] for name in table.names])


def _texts(reader: Reader, column: str) -> Iterator[str]:
    """The entries of a column as texts, row by row."""
    for _, columns in Piece(reader).blocks((), column):
        yield from (text_of(entry) for entry in columns[column])


def _differ(first: str, second: str) -> bool:
    if first == second:
        return False
    both = typed_column([first, second])
    return bool(both[0] != both[1])


class Listed:
    """A table of measurements beside a table of all designs, evaluated or not; numbered as the latter lists them."""

    def __init__(self, source: Source, designs: Any) -> None:
        if is_frame(designs):
            self._path, rows = IN_MEMORY, designs_of(records_of(designs), IN_MEMORY)
        elif isinstance(designs, str | Path):
            self._path, rows = Path(designs), read_designs(Path(designs))
        else:
            raise InputError(f"designs must be a file or a frame with one row a design, got {shown(designs)}.")
        if "name" not in rows[0]:
            raise InputError(f"{self._path.name} needs a column called name, design or id, which names the designs.")
        self._source, self._designs = source, rows
        self.names = tuple(str(row["name"]) for row in rows)
        if (twice := first_repeated(self.names)) is not None:
            raise InputError(f"{self._path.name} has two designs called {twice!r}; a name is a design's identity.")
        number = {name: k for k, name in enumerate(self.names)}
        stranger = next((name for name in source.names if name not in number), None)
        if stranger is not None:
            raise InputError(f"{stranger!r} was measured, but {self._path.name} does not list it; add its features.")
        self._places = np.array([number[name] for name in source.names], dtype=np.intp)

    def features(self, columns: Sequence[str]) -> dict[str, list[Any]]:
        """One value a design."""
        _check_roles(columns, "name", ())
        check_columns(columns, list(dict.fromkeys(column for row in self._designs for column in row)), self._path)
        for column in columns:
            self._check_same(column)
        return features_of_rows(self._designs, columns)

    def _check_same(self, column: str) -> None:
        """Where the measurements have a feature as well, it is what the list says."""
        if not isinstance(self._source, LongTable | WideTable):
            return
        listed = {str(row["name"]): text_of(row.get(column)) for row in self._designs}
        for path, reader in _files(self._source):
            if column not in reader.columns():
                continue
            rows = zip(_texts(reader, self._source.design), _texts(reader, column), strict=True)
            for row, (name, given) in enumerate(rows):
                entry = given.strip()
                if entry.lower() not in MISSING and _differ(listed[name], entry):
                    raise InputError(
                        f"{row_words(path, row)}: {column!r} of {name!r} is {entry!r:.40}, and {listed[name]!r:.40} in "
                        f"{self._path.name}; a feature has one value a design."
                    )

    @property
    def objectives(self) -> tuple[str, ...]:
        """What was measured."""
        return self._source.objectives

    @property
    def minimised(self) -> tuple[str, ...]:
        """Those of them that should be small."""
        return self._source.minimised

    @property
    def meaning(self) -> Objectives:
        """What the objectives mean."""
        return meaning_of(self._source)

    @property
    def rows(self) -> Counts:
        """(K,): evaluations of each design that were recorded."""
        found = np.zeros(len(self.names), dtype=np.int64)
        found[self._places] = self._source.rows
        return read_only(found)

    @property
    def summarised(self) -> bool:
        """Whether there are means and standard errors only."""
        return self._source.summarised

    @property
    def has_scatter(self) -> bool:
        """Whether the observations show how much evaluations of one design differ."""
        return self._source.has_scatter

    @property
    def shared(self) -> str:
        """What all designs were evaluated on, so that evaluations are not independent; nothing by default."""
        return str(getattr(self._source, "shared", ""))

    @property
    def exported(self) -> bool:
        """Whether a study wrote the table."""
        return bool(getattr(self._source, "exported", False))

    def __iter__(self) -> Iterator[Observations]:
        for seen in self._source:
            yield Observations(self._places[seen.designs], seen.means, seen.counts, seen.scatters)
