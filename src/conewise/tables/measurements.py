"""Tables of measurements that exist already, as Observations: one row an evaluation, or one row a design.

A long table is read twice, in chunks: once for the names of the designs, once for the values, so that memory depends
on the number of designs and not on the number of rows. Designs are numbered in the order in which they first appear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np

from conewise.border import Floats, Indices, read_only
from conewise.data.observations import Counts, Observations
from conewise.errors import InputError
from conewise.noise import Binary, Known
from conewise.question.objectives import Objective, Objectives, as_objectives
from conewise.tables.columns import is_unnamed, listed_columns, quoted_name, row_words
from conewise.tables.designcolumns import called, coded, design_column
from conewise.tables.designs import check_columns, meant, numbers
from conewise.tables.files import Unchanged, copies_among
from conewise.tables.means import MEAN, WideTable
from conewise.tables.outcomes import outcomes
from conewise.tables.readers import Reader, distinct_columns, opened, sources_of
from conewise.tables.shards import Piece
from conewise.tables.spreadsheets import EXPORT_COLUMNS

Incomplete = Literal["refuse", "skip", "separate"]

ENTRIES: Final = 2**21  # of the scatter matrices of one batch: bounds the memory where there are many objectives
_ERROR, _DEVIATIONS, _COUNTS, _COUNT = "_se", ("_sd", "_std"), ("n", "count", "counts"), "_n"


class Source(Protocol):
    """Where evaluations were recorded: who the designs are, and their observations in order, as often as wanted."""

    @property
    def names(self) -> tuple[str, ...]:
        """The designs, by number."""
        ...

    @property
    def objectives(self) -> tuple[str, ...]:
        """What was measured."""
        ...

    @property
    def minimised(self) -> tuple[str, ...]:
        """Those of them that should be small; the observations have them negated."""
        ...

    @property
    def meaning(self) -> Objectives:
        """What the objectives mean; the observations are in steps of their units."""
        ...

    @property
    def rows(self) -> Counts:
        """(K,): evaluations of each design that were recorded, whether complete or not."""
        ...

    @property
    def summarised(self) -> bool:
        """Only means and standard errors: no order of evaluations, no correlation between objectives."""
        ...

    @property
    def has_scatter(self) -> bool:
        """Whether the observations show how much evaluations of one design differ."""
        ...

    def __iter__(self) -> Iterator[Observations]:
        """Some observations at a time, in the order in which they were recorded."""
        ...


@dataclass(frozen=True, eq=False)
class Recorded:
    """Observations at hand, with names."""

    observations: Observations
    names: tuple[str, ...]
    objectives: tuple[str, ...]
    minimised: tuple[str, ...] = ()
    summarised: bool = False
    has_scatter: bool = True

    @cached_property
    def meaning(self) -> Objectives:
        """Names and directions."""
        return as_objectives(self.objectives, self.minimised)

    @cached_property
    def rows(self) -> Counts:
        """(K,): evaluations of each design."""
        found = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(found, self.observations.designs, self.observations.counts)
        return read_only(found)

    def __iter__(self) -> Iterator[Observations]:
        yield self.observations


class LongTable:
    """One row an evaluation, in one or more files (CSV, TSV, JSON, JSON lines, Parquet): its design and its objectives.

    A row without all its objectives is refused, or left out with `incomplete="skip"`; `rows` counts it either way.
    Several files, or those in a folder, are read one after the other.
    """

    summarised = False
    has_scatter = True
    units_chosen = False
    """Whether the units were taken from the values."""

    def __init__(
        self,
        path: Any,
        *,
        objectives: Sequence[str | Objective],
        minimise: Sequence[str] = (),
        design: str | None = None,
        incomplete: Incomplete = "refuse",
    ) -> None:
        paths, readers = zip(*map(opened, sources_of(path)), strict=True)
        self.path: Path = paths[0]
        self.objectives = called(objectives)
        columns = distinct_columns(readers[0], self.path)
        self.design = design_column(columns, design, self.path)
        self.exported = set(EXPORT_COLUMNS) <= set(columns)
        """Whether a study wrote the table."""
        for path, table in zip(paths, readers, strict=True):
            check_columns((self.design, *self.objectives, *minimise), distinct_columns(table, path), path)
        if len(paths) > 1:
            _check_copies(paths)
        if self.design in self.objectives:
            raise InputError(f"the column {self.design!r} names the designs and cannot be an objective as well.")
        self.meaning = meant(objectives, minimise)
        self.minimised = self.meaning.minimised
        if incomplete not in ("refuse", "skip", "separate"):
            raise InputError(f'incomplete must be "refuse", "skip" or "separate", got {incomplete!r}.')
        self.incomplete = incomplete
        self._unchanged = tuple(map(Unchanged, paths))
        self.files = tuple(
            LongFile(path, table, self.design, self.meaning, incomplete)
            for path, table in zip(paths, readers, strict=True)
        )

    def meaning_as(self, meaning: Objectives) -> None:
        """Take the same columns to mean something else: other units, another noise."""
        self.meaning = meaning
        self.files = tuple(replace(file, meaning=meaning, given=None) for file in self.files)

    def fill_known(self) -> None:
        """Read the objectives without noise once: one value a design, which all its rows have from then on."""
        columns = np.flatnonzero([isinstance(o.noise, Known) for o in self.meaning])
        if not len(columns):
            return
        found = {name: np.full(len(columns), np.nan) for name in self.names}
        for place, column in enumerate(columns):
            for file in self.files:
                for codes, words, values, row in file.known_of(int(column)):
                    for entry in np.flatnonzero(~np.isnan(values)):
                        seen, name = found[words[codes[entry]]], words[codes[entry]]
                        if not np.isnan(seen[place]) and seen[place] != values[entry]:
                            raise InputError(
                                f"{row_words(file.path, row + int(entry))}: {self.objectives[column]!r} of {name!r} is "
                                f"{values[entry]:g}, and {seen[place]:g} before, although it is declared to be known, "
                                "without noise: correct it, or assume a noise."
                            )
                        seen[place] = values[entry]
        for name, seen in found.items():
            if np.isnan(seen).any():
                column = columns[int(np.isnan(seen).argmax())]
                raise InputError(f"no row of {name!r} has a value of {self.objectives[column]!r}, which is known.")
        self.files = tuple(replace(file, given=Given(columns, found)) for file in self.files)

    @cached_property
    def _index(self) -> tuple[dict[str, int], Counts]:
        """The first reading: the number of every name, and its rows."""
        known: dict[str, int] = {}
        counts = np.zeros(0, dtype=np.int64)
        for file in self.files:
            for codes, words in file.names():
                places = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.intp)
                counts = np.pad(counts, (0, len(known) - len(counts)))
                np.add.at(counts, places, np.bincount(codes, minlength=len(words)))
        return known, read_only(counts)

    def index(self, names: Sequence[str], rows: Counts) -> None:
        """Take over what a reading elsewhere has found, so that there need not be another one."""
        self.__dict__["_index"] = {name: k for k, name in enumerate(names)}, rows

    @property
    def names(self) -> tuple[str, ...]:
        """The designs in the order of their first rows."""
        return tuple(self._index[0])

    @property
    def rows(self) -> Counts:
        """(K,): rows of each design."""
        return self._index[1]

    def separately(self) -> Iterator[tuple[Indices, Floats]]:
        """Designs and values (m, D) of the rows, larger is better, NaN where an objective was not measured."""
        known = self._index[0]
        for file in self.files:
            apart = replace(file, incomplete="separate")
            for codes, words, values, _ in apart.evaluations(Piece(file.reader)):
                yield np.array([known[word] for word in words], dtype=np.intp)[codes], values
        self.check_unchanged()

    def __iter__(self) -> Iterator[Observations]:
        """The evaluations in the order of the rows, larger is better; a bad entry stops with its row and column."""
        known, dim = self._index[0], len(self.objectives)
        step = max(1, ENTRIES // dim**2)
        for file in self.files:
            for codes, words, values, _ in file.evaluations(Piece(file.reader)):
                try:
                    designs = np.array([known[word] for word in words], dtype=np.intp)[codes]
                except KeyError as stranger:
                    raise InputError(f"{file.path.name} changed while it was read: {stranger} is new.") from None
                for start in range(0, len(values), step):
                    yield Observations.single(designs[start : start + step], values[start : start + step])
        self.check_unchanged()

    def refuse_repeated(self) -> None:
        """Refuse an evaluation in two rows of exported tables, where design and number are its identity."""
        column, known, rows = EXPORT_COLUMNS[1], dict[str, int](), [np.empty((0, 3))]
        for file in self.files:
            if not set(EXPORT_COLUMNS) <= set(file.reader.columns()):
                continue
            for row, columns in Piece(file.reader).blocks((column, *self.objectives), self.design):
                codes, words = coded(columns[self.design], file.path, self.design, row)
                designs = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.intp)[codes]
                numbered = numbers(columns[column], file.path, column, row, missing=True)
                for d, objective in enumerate(self.meaning):  # each may be measured by itself, with its own numbers
                    values = file._column(columns[objective.name], objective, row)
                    there = ~np.isnan(values) & ~np.isnan(numbered)
                    rows.append(np.column_stack([np.full(len(designs), d), designs, numbered])[there])
        found = np.vstack(rows)
        found = found[np.lexsort(found.T)]
        twice = np.flatnonzero((np.diff(found, axis=0) == 0).all(axis=1))
        if len(twice):
            _, design, number = found[twice[0]].tolist()
            raise InputError(
                f"evaluation {number:g} of {list(known)[int(design)]!r:.60} stands in two rows, and would count twice: "
                "the same export was read twice, or an earlier and a later one. Leave one of them out, or rename the "
                f"column {column!r} if these are evaluations of different studies."
            )

    def check_unchanged(self) -> None:
        """Refuse files that have changed since they were opened; called when all has been read."""
        for one in self._unchanged:
            one.check()


@dataclass(frozen=True, eq=False)
class Given:
    """Objectives without noise, as a price list has them: one value a design, wherever it stands."""

    columns: Indices
    values: dict[str, Floats]
    """Of each design, by name, as they stand."""

    def filled(self, values: Floats, codes: Indices, words: Sequence[str]) -> Floats:
        """The rows with the values of their designs."""
        values = values.copy()
        values[:, self.columns] = np.array([self.values[word] for word in words])[codes]
        return values


@dataclass(frozen=True, eq=False)
class LongFile:
    """One file of a long table, and what is read of it."""

    path: Path
    reader: Reader
    design: str
    meaning: Objectives
    incomplete: Incomplete
    given: Given | None = None
    """What is known of each design without noise, and may stand in one of its rows only."""

    @property
    def objectives(self) -> tuple[str, ...]:
        """The columns of values."""
        return self.meaning.names

    def names(self) -> Iterator[tuple[Indices, list[str]]]:
        """The designs of the rows alone: numbers of names, and the names."""
        rows = 0
        for row, columns in Piece(self.reader).blocks((), self.design):
            codes, words = coded(columns[self.design], self.path, self.design, row)
            yield codes, words
            rows += len(codes)
        self._refuse_empty(rows)

    def evaluations(self, piece: Piece) -> Iterator[tuple[Indices, list[str], Floats, Counts]]:
        """The complete rows of a piece: numbers of names, the names, values (in steps), and all rows a name."""
        rows = 0
        for row, columns in piece.blocks(self.objectives, self.design):
            codes, words = coded(columns[self.design], self.path, self.design, row)
            rows += len(codes)
            values = np.column_stack(
                [self._column(columns[c], o, row) for c, o in zip(self.objectives, self.meaning, strict=True)]
            )
            if self.given is not None:
                values = self.given.filled(values, codes, words)
            kept = self._complete(values, row)
            yield codes[kept], words, self.meaning.steps(values[kept]), np.bincount(codes, minlength=len(words))
        if piece.span is None:  # a range of a file may be empty, a file may not
            self._refuse_empty(rows)

    def _column(self, column: Sequence[Any], objective: Objective, row: int) -> Floats:
        """As numbers, or as outcomes where it holds these."""
        if isinstance(objective.noise, Binary):
            return outcomes(column, self.path, objective.name, row)
        return numbers(column, self.path, objective.name, row, missing=True)

    def known_of(self, column: int) -> Iterator[tuple[Indices, list[str], Floats, int]]:
        """A column of every row: numbers of names, the names, values as they stand, and the first row."""
        objective = self.meaning[column]
        for row, columns in Piece(self.reader).blocks((objective.name,), self.design):
            codes, words = coded(columns[self.design], self.path, self.design, row)
            yield codes, words, self._column(columns[objective.name], objective, row), row

    def _refuse_empty(self, rows: int) -> None:
        if not rows:
            raise InputError(f"{self.path.name} has no rows below its header; one row an evaluation was expected.")

    def _complete(self, values: Floats, first_row: int) -> Indices:
        """The rows that have all their objectives."""
        missing = np.isnan(values)
        if missing.any() and self.incomplete == "refuse":
            row, column = np.argwhere(missing)[0]
            raise InputError(
                f"{row_words(self.path, first_row + row)}, column {self.objectives[column]!r} is empty; complete it, "
                "say that objectives were measured separately (`separate=True`), or leave out every incomplete row "
                'with `incomplete="skip"`, which is sound only if a value does not decide whether it is missing.'
            )
        return np.flatnonzero(~(missing.all(axis=1) if self.incomplete == "separate" else missing.any(axis=1)))


def _holds_numbers(table: Reader, path: Path, column: str) -> bool:
    """Whether the first rows of a column may be measurements."""
    try:
        return any(~np.isnan(numbers(next(table.chunks((column,), None))[column], path, column, 0, missing=True)))
    except (InputError, StopIteration):
        return False


def open_measurements(
    path: Any,
    *,
    design: str | None = None,
    objectives: Sequence[str | Objective] = (),
    minimise: Sequence[str] = (),
    means: Sequence[str] = (),
    errors: Sequence[str] = (),
    deviations: Sequence[str] = (),
    counts: str | Sequence[str] | None = None,
    incomplete: Incomplete = "refuse",
    named: Sequence[str] = (),
) -> LongTable | WideTable:
    """A long table, or a wide one where `means` names its columns or the file has them as a_mean, a_se (or a_sd) and n.

    Objectives that were measured separately have counts of their own: a_n.

    `path` is a file, several, or a folder, whose files are one long table; or a table in memory: a mapping of columns,
    or a frame of pandas, polars or pyarrow. `named` are columns of which anything else is said: objectives beside
    `objectives`, and in their place where neither they nor the file say which were measured.
    """
    sources = sources_of(path)
    path, first = opened(sources[0])
    columns = distinct_columns(first, path)
    if objectives:
        objectives = [*objectives, *(name for name in named if name not in called(objectives))]
    names = called(objectives)
    meant_as: Sequence[str | Objective] | None = objectives or None
    if not means:
        wide = not set(names) <= set(columns) and {f"{c}{MEAN}" for c in names} <= set(columns)
        if not objectives:
            objectives = [c.removesuffix(MEAN) for c in columns if c.endswith(MEAN) and c != MEAN]
            wide = bool(objectives)
            objectives = objectives or list(named)
        if not objectives:
            likely = (c for c in reversed(columns) if c not in EXPORT_COLUMNS and c != design and not is_unnamed(c))
            last = list(islice((c for c in likely if _holds_numbers(first, path, c)), 2))[::-1]
            example = f", for example {','.join(map(quoted_name, last))}" if last else ""
            raise InputError(
                f"say with `objectives` which columns were measured{example}; {path.name} has "
                f"{listed_columns(columns)}."
            )
        if not wide:
            if errors or counts:
                raise InputError("standard errors and counts belong to a table of means: name those with `means`.")
            read = sources[0] if len(sources) == 1 else sources
            found = LongTable(read, objectives=objectives, minimise=minimise, design=design, incomplete=incomplete)
            found.refuse_repeated()
            return found
        means = [f"{c}{MEAN}" for c in called(objectives)]
    elif all(isinstance(objective, str) for objective in objectives) and objectives:
        raise InputError("name either the columns of evaluations (`objectives`) or those of means (`means`), not both.")
    elif objectives and len(objectives) != len(means):
        raise InputError(f"there are {len(means)} columns of means, but {len(objectives)} objectives.")
    if incomplete == "skip":
        raise InputError('a table of means has no single evaluations to leave out: leave `incomplete="skip"` out.')
    if len(sources) > 1:
        raise InputError("a table of means is one file; several files hold one row an evaluation (`objectives`).")
    counts = counts or next((c for c in columns if c.lower() in _COUNTS), None) or _usual(means, columns, (_COUNT,))
    if not counts:
        raise InputError(
            "a table of means needs a column with the number of evaluations: name it with `counts`, or one for each "
            f"mean; {path.name} has {listed_columns(columns)}."
        )
    if errors and deviations:
        raise InputError("name either standard errors (`errors`) or standard deviations (`deviations`), not both.")
    if not errors and not deviations:
        errors = _usual(means, columns, (_ERROR,))
        deviations = () if errors else _usual(means, columns, _DEVIATIONS)
    return WideTable(
        sources[0],
        means=means,
        counts=counts,
        errors=errors or None,
        deviations=deviations or None,
        minimise=minimise,
        design=design,
        objectives=meant_as,
    )


def _check_copies(paths: Sequence[Path]) -> None:
    """Refuse a file and its copy."""
    for first, second in copies_among(paths):
        raise InputError(
            f"{first} and {second} hold the same bytes, and every row would count twice; leave one of them out, or put "
            "them into one file if they are different measurements that gave the same values."
        )


def meaning_of(source: Source) -> Objectives:
    """What a source says of its objectives; names and directions alone where it does not know units."""
    found = getattr(source, "meaning", None)
    return found if isinstance(found, Objectives) else as_objectives(source.objectives, source.minimised)


def _usual(means: Sequence[str], columns: Sequence[str], endings: Sequence[str]) -> list[str]:
    """The columns that go with those of means by their names, where the table has some of them."""
    for ending in endings:
        usual = [c.removesuffix(MEAN) + ending for c in means]
        if set(usual) & set(columns):
            return usual
    return []
