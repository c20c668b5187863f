"""One table of designs in any number of files, cut into shards: local fronts where the workers are, merged exactly.

Shards are row groups of Parquet files, ranges of CSV files without quotes, and whole files otherwise. How a table is
cut depends on its files alone, never on who works on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from conewise import limits
from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.errors import InputError
from conewise.fronts import Front, RunningFront
from conewise.order.dominance import pareto_mask
from conewise.question.objectives import Objective, Objectives, weighs
from conewise.tables.clauses import Where
from conewise.tables.csvfiles import CsvReader, Span, UnsplittableError
from conewise.tables.designs import Chunk, DesignTable, two_of_one_name
from conewise.tables.names import Hashes, Repetitions, hashes_of
from conewise.tables.parquetfiles import ParquetReader
from conewise.tables.readers import Reader, sources_of
from conewise.workers import in_order

Progress = Callable[[int, int], None]
"""Called with the rows read so far, and 0 since the total is not known."""


@dataclass(frozen=True, eq=False, repr=False)
class TableFront(Front):
    """The Pareto set of a table, with what was seen on the way."""

    compared: int = 0
    """Rows that met the condition."""
    feasible: int = 0
    """Those of them that miss no level; the others are neither returned nor beat anybody."""
    span: Floats = field(default_factory=lambda: np.empty((2, 0)))
    """(2, D): the least and the largest value of each objective among these, in the table's own units; infinite where
    nobody has looked, as the cone weighs no objective against another."""


class ShardedTable:
    """One table of designs in one or more files; rows are numbered through all of them, in their order.

    A frame of pandas, polars or pyarrow, or a mapping of columns, is a table as well.
    """

    def __init__(
        self,
        paths: Any,
        *,
        objectives: Sequence[str | Objective] | None = None,
        minimise: Sequence[str] = (),
        name: str | None = None,
        where: Where | None = None,
    ) -> None:
        files = sources_of(paths)
        first = DesignTable(files[0], objectives=objectives, minimise=minimise, name=name, where=where)
        self.name, self.meaning, self.where = first.name, first.meaning, where
        self.objectives, self.minimised = first.objectives, first.minimised
        self.dim, self.unnamed = first.dim, first.unnamed
        self.tables = [first, *(self._alike(path, first) for path in files[1:])]

    def meaning_as(self, meaning: Objectives) -> None:
        """Take the same columns to mean something else: other units, other levels."""
        self.meaning = meaning
        for table in self.tables:
            table.meaning = meaning

    @staticmethod
    def _alike(path: Path, first: DesignTable) -> DesignTable:
        table = DesignTable(path, objectives=first.meaning.each, name=first.name, where=first.where)
        if table.name != first.name:
            raise InputError(
                f"{path.name} names designs in its column {table.name!r}, and {first.path.name} has no such column; "
                "say with `name` which column names them in every file."
            )
        return table

    def shards(self, split: bool = True) -> Iterator[TableShard]:
        """The pieces in order; without `split`, whole files."""
        for table in self.tables:
            for piece in pieces_of(table.path, table.reader) if split else (Piece(table.reader),):
                yield TableShard(table, piece)


@dataclass(frozen=True, eq=False)
class Piece:
    """A file, some row groups of a Parquet file, or a range of a CSV file."""

    reader: Reader
    groups: tuple[int, ...] | None = None
    first_row: int = 0
    """Of the file; 0 where that is not known before it is read."""
    span: Span | None = None

    def blocks(self, numbers: Sequence[str], name: str | None) -> Iterator[tuple[int, dict[str, Sequence[Any]]]]:
        """The rows in order, some at a time, with the number of the first of them."""
        row = self.first_row
        if self.groups is not None and isinstance(self.reader, ParquetReader):
            blocks = self.reader.chunks(numbers, name, self.groups)
        elif self.span is not None and isinstance(self.reader, CsvReader):
            blocks = self.reader.chunks(numbers, name, self.span)
        else:
            blocks = self.reader.chunks(numbers, name)
        for columns in blocks:
            yield row, columns
            row += len(next(iter(columns.values())))


def pieces_of(path: Path, reader: Reader) -> Iterator[Piece]:
    """A file cut where that is possible; never by who works on it."""
    if isinstance(reader, ParquetReader):
        yield from _row_groups(path, reader)
    elif isinstance(reader, CsvReader) and len(spans := reader.spans(limits.PIECE_BYTES)) > 1:
        yield from (Piece(reader, span=span) for span in spans)
    else:
        yield Piece(reader)


def _row_groups(path: Path, reader: ParquetReader) -> Iterator[Piece]:
    """Neighbouring groups together, up to a number of rows."""
    groups: list[int] = []
    first = held = 0
    for group, count in enumerate(reader.groups()):
        if groups and held + count > limits.PIECE_ROWS:
            yield Piece(reader, tuple(groups), first)
            first, held, groups = first + held, 0, []
        groups.append(group)
        held += count
    if not first + held:
        raise InputError(f"{path.name} has no rows below its header.")
    yield Piece(reader, tuple(groups), first)


@dataclass(frozen=True, eq=False)
class TableShard:
    """Some rows of a table of designs."""

    table: DesignTable
    piece: Piece

    def chunks(self) -> Iterator[Chunk]:
        """The rows in order."""
        rows = 0
        for row, columns in self.piece.blocks(self.table.read, self.table.name):
            yield (chunk := self.table.chunk(columns, row))
            rows += chunk.rows
        if not rows and self.piece.span is None:
            raise InputError(f"{self.table.path.name} has no rows below its header.")


@dataclass(frozen=True, eq=False)
class _Local:
    """What a worker gives back; None where the rows of a file cannot be told apart in the middle."""

    front: Front
    hashes: tuple[Hashes, ...]
    compared: int
    """Rows that met the condition, whether or not they miss a level."""
    feasible: int
    """Rows of these that miss no level."""
    span: Floats
    """(2, D): the least and the largest value of each objective among the feasible ones, where somebody looks."""


def front_of_table(
    table: ShardedTable,
    cone: Cone,
    *,
    keep_duplicates: bool = True,
    executor: Any = None,
    progress: Progress | None = None,
) -> TableFront:
    """The Pareto set of a table, in memory for some chunks, the front, and nothing else; the labels are the names.

    With an executor (or a Dask client, whose workers see the same files) shards are read there; the answer is the same.
    """
    if cone.dim != table.dim:
        raise InputError(
            f"the cone {cone} orders {cone.dim} objectives, but there are {table.dim}: {', '.join(table.objectives)}; "
            "choose columns with `objectives`."
        )
    if executor is not None:
        try:
            return _merged(table, cone, keep_duplicates, executor, progress)
        except UnsplittableError:  # or something is wrong, and only a reading from the beginning can say in which row
            pass
    return _merged(table, cone, keep_duplicates, None, progress)


def _merged(table: ShardedTable, cone: Cone, keep: bool, executor: Any, progress: Progress | None) -> TableFront:
    running = RunningFront(cone, keep_duplicates=keep, units=_units(table.meaning))
    repetitions = Repetitions()
    compared = feasible = 0
    span = _nothing(table.dim)
    try:
        if executor is None:
            parts: Iterator[_Local | None] = (
                part for shard in table.shards(split=False) for part in _locals(shard, cone, keep)
            )
        else:
            parts = in_order(partial(_whole, cone=cone, keep=keep), table.shards(), executor)
        for part in parts:
            if part is None:
                raise UnsplittableError
            running.join(part.front)
            compared, feasible, span = compared + part.compared, feasible + part.feasible, _both(span, part.span)
            for hashes in part.hashes:
                repetitions.add(hashes)
            if progress is not None:
                progress(running.rows, 0)
        if not running.rows:  # ranges without a row: a reading from the beginning says of which file
            raise UnsplittableError
        for suspects in repetitions.suspects():
            _refuse_repeated(table, suspects)
        for file in table.tables:
            file.file.check()
    finally:
        repetitions.close()
    if not compared and table.where is not None:
        raise InputError(f"none of the {running.rows} designs has {table.where}.")
    return TableFront(**vars(running.front), compared=compared, feasible=feasible, span=span)


def _locals(shard: TableShard, cone: Cone, keep: bool) -> Iterator[_Local]:
    """Front by front, chunk by chunk."""
    named, meaning = shard.table.name is not None, shard.table.meaning
    for chunk in shard.chunks():
        values, places, which = chunk.values, chunk.places, None
        if meaning.levels:
            which = np.flatnonzero(meaning.meets(values))
            values, places = values[which], places[which]
        points = _turned(values, meaning.signs)
        kept = np.empty(0, dtype=np.intp)
        if len(points):
            kept = np.flatnonzero(pareto_mask(_in_steps(points, meaning), cone, keep_duplicates=keep))
        labels = chunk.names.taken(kept if which is None else which[kept]) if named else None
        front = Front(chunk.rows, places[kept], points[kept], labels)
        hashes = (hashes_of(chunk.names),) if named else ()
        yield _Local(front, hashes, len(chunk.values), len(values), _span_of(values, cone))


def _whole(shard: TableShard, cone: Cone, keep: bool) -> _Local | None:
    """The front of a whole shard, as a worker computes it."""
    running = RunningFront(cone, keep_duplicates=keep, units=_units(shard.table.meaning))
    hashes: list[Hashes] = []
    compared = feasible = 0
    span = _nothing(shard.table.dim)
    try:
        for part in _locals(shard, cone, keep):
            running.join(part.front)
            hashes += part.hashes
            compared, feasible, span = compared + part.compared, feasible + part.feasible, _both(span, part.span)
    except (UnsplittableError, InputError, ValueError):
        if shard.piece.span is None:
            raise
        return None
    return _Local(running.front, tuple(hashes), compared, feasible, span)


def _turned(values: Floats, signs: Floats) -> Floats:
    return values if (signs > 0).all() else values * signs


def _units(meaning: Objectives) -> Floats | None:
    return meaning.units if meaning.in_steps else None


def _in_steps(points: Floats, meaning: Objectives) -> Floats:
    return points / meaning.units if meaning.in_steps else points


def _nothing(dim: int) -> Floats:
    return np.array([np.full(dim, np.inf), np.full(dim, -np.inf)])


def _span_of(values: Floats, cone: Cone) -> Floats:
    """Looked for only where the cone weighs objectives against each other."""
    if not len(values) or not weighs(cone):
        return _nothing(values.shape[1])
    return np.array([values.min(axis=0), values.max(axis=0)])


def _both(first: Floats, second: Floats) -> Floats:
    return np.array([np.minimum(first[0], second[0]), np.maximum(first[1], second[1])])


def _refuse_repeated(table: ShardedTable, suspects: set[int]) -> None:
    """A second reading: two names of one hash are either one name or a coincidence."""
    seen: dict[str, str] = {}
    for part in table.tables:
        for chunk in part.chunks():
            for label, value in zip(chunk.names, hashes_of(chunk.names).tolist(), strict=True):
                if value in suspects:
                    if label in seen:
                        where = part.path.name if seen[label] == part.path.name else f"{seen[label]}, {part.path.name}"
                        raise two_of_one_name(where, label)
                    seen[label] = part.path.name
