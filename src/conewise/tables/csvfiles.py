"""CSV files by columns, some rows at a time: through the standard library, or through pyarrow where it is at hand.

Both read the same rows: a line ends with a line feed, a carriage return or both, and a quoted cell may hold any of
them. Empty lines are no rows, but a line of spaces is one. Comma, semicolon or tab separates, whichever the first line
has most of.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from conewise import limits
from conewise.border import Indices
from conewise.errors import InputError
from conewise.reading import as_text
from conewise.tables.columns import arrow_values, wanted_columns
from conewise.tables.spreadsheets import unguarded, unguarded_header

_QUOTED: Final = re.compile(r'"[^"]*(?:"|\Z)')
_END: Final = "\0 the end of the file \0"  # where a quote is still open, this becomes part of a cell

Span = tuple[int, int]
"""Bytes of a file, from the first to before the second."""


class UnsplittableError(Exception):
    """A file whose rows cannot be told apart in the middle; it has to be read from its beginning."""


class CsvReader:
    """Rows by the standard library's csv module."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def columns(self) -> list[str]:
        """Their names, in order; "" where one has none."""
        with self._open() as file:
            header = next(self._rows(file), None)
        if not header:
            raise InputError(f"{self._path.name} is empty; a header row with column names was expected.")
        return [name.strip() for name in header]

    def spans(self, size: int) -> list[Span]:
        """Ranges of about `size` bytes that hold the rows: a line belongs to the range in which it begins.

        None where the end of the header is not to be found.
        """
        with self._path.open("rb") as file:
            try:
                first = len(_rest_of_line(file))
            except UnsplittableError:
                return []
            length = file.seek(0, os.SEEK_END)
        return [(start, min(start + size, length)) for start in range(first, length, size)]

    def chunks(
        self, numbers: Sequence[str], name: str | None, span: Span | None = None
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """Blocks of exactly CHUNK_ROWS rows but for the last; empty lines are no rows."""
        with self._open() as file:
            rows = self._rows(file)
            header = [column.strip() for column in next(rows)]
            position = {column: k for k, column in reversed(list(enumerate(header)))}
            places = {column: position[column] for column in wanted_columns(numbers, name)}
            rows = filter(None, rows if span is None else self._rows_of(span))
            done = 0
            while block := list(islice(rows, limits.CHUNK_ROWS)):
                short = next((k for k, row in enumerate(block) if len(row) != len(header)), None)
                if short is not None:
                    raise InputError(
                        f"{self._path.name}, row {done + short + 1} (below the header) has {len(block[short])} entries "
                        f"for {len(header)} columns."
                    )
                columns = list(zip(*block, strict=True))
                yield {column: columns[place] for column, place in places.items()}
                done += len(block)

    def picked(self, columns: Sequence[str], rows: Indices) -> tuple[list[list[str]], int]:
        """The entries of these columns, as they stand, at those of the rows that are there, and how many rows are.

        Rows count from 0, in order; whether all have as many entries as the header, somebody has seen before.
        """
        with self._open() as file:
            lines = self._rows(file)
            header = [column.strip() for column in next(lines)]
            places = [header.index(column) for column in columns]
            wanted = iter(rows[rows >= 0].tolist())
            number, found, row = -1, list[list[str]](), next(wanted, None)
            for number, line in enumerate(filter(None, lines)):
                if number == row:
                    found.append([line[place] for place in places])
                    row = next(wanted, None)
        return found, number + 1

    def _rows_of(self, span: Span) -> Iterator[list[str]]:
        delimiter = self._delimiter()
        try:
            for lines in self._lines_of(span):
                yield from csv.reader(io.StringIO(lines.decode(), newline=""), delimiter=delimiter)
        except csv.Error:
            raise UnsplittableError from None

    def _lines_of(self, span: Span) -> Iterator[bytes]:
        """The lines that begin in a range of bytes, some at a time; quotes might make rows of several lines."""
        place, stop = span
        with self._path.open("rb") as file:
            file.seek(place - 1)
            place += len(_rest_of_line(file)) - 1
            while place < stop:
                file.seek(place)
                block = file.read(min(limits.RANGE_BYTES, stop - place) - 1)
                block += _rest_of_line(file)  # from the last byte on, which may be the first half of a line's end
                if not block or b'"' in block:
                    raise UnsplittableError
                yield block
                place += len(block)

    def _delimiter(self) -> str:
        with self._open() as file:
            return self._separator(file)

    def _separator(self, file: Any) -> str:
        """What the first line has most of, outside of quotes."""
        with as_text(self._path.name):
            first = file.readline(limits.LONGEST_LINE)
        if len(first) == limits.LONGEST_LINE:
            raise InputError(
                f"the first line of {self._path.name} is longer than {limits.LONGEST_LINE} characters; a header row "
                "with column names was expected."
            )
        return max(",;\t", key=_QUOTED.sub("", first).count)

    def _open(self) -> Any:
        return self._path.open(encoding="utf-8-sig", newline="")

    def _rows(self, file: Any) -> Iterator[list[str]]:
        csv.field_size_limit(limits.LONGEST_FIELD)
        delimiter = self._separator(file)
        file.seek(0)
        rows = csv.reader(chain(file, (_END,)), delimiter=delimiter)
        begun = 1
        try:
            with as_text(self._path.name):
                for row in rows:
                    if row and row[-1].endswith(_END):
                        if row == [_END]:
                            return
                        raise InputError(
                            f"{self._path.name}, line {begun}: a quote is opened in this row and never closed; close "
                            "it."
                        )
                    yield row
                    begun = rows.line_num + 1
        except csv.Error as error:
            raise InputError(f"{self._path.name}, line {rows.line_num}: {error}.") from None


def _rest_of_line(file: BinaryIO) -> bytes:
    r"""Up to its end (\n, \r\n or \r, as in rows), which is not looked for any longer than LONGEST_LINE bytes."""
    found = file.readline(limits.LONGEST_LINE)
    end = found.find(b"\r")
    if 0 <= end < len(found) - 1:
        length = end + (2 if found[end + 1 : end + 2] == b"\n" else 1)
        file.seek(length - len(found), os.SEEK_CUR)
        return found[:length]
    if len(found) == limits.LONGEST_LINE and not found.endswith(b"\n"):
        raise UnsplittableError
    return found


class FastCsvReader(CsvReader):
    """The same rows through pyarrow; what it cannot convert goes to the plain reader, whose errors name the row."""

    def chunks(
        self, numbers: Sequence[str], name: str | None, span: Span | None = None
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """All rows, or those of a range."""
        import pyarrow

        columns = wanted_columns(numbers, name)
        if span is not None:
            try:
                for batch in self._batches_of(span, numbers, name):
                    yield _exact({column: arrow_values(batch.column(column)) for column in columns})
            except (pyarrow.ArrowException, _DoubtfulError):
                raise UnsplittableError from None
            return
        rows = 0
        try:
            for batch in self._batches(numbers, name):
                yield _exact({column: arrow_values(batch.column(column)) for column in columns})
                rows += batch.num_rows
        except (pyarrow.ArrowException, KeyError, _DoubtfulError):
            for number, chunk in enumerate(super().chunks(numbers, name)):
                if (number + 1) * limits.CHUNK_ROWS > rows:
                    skip = max(0, rows - number * limits.CHUNK_ROWS)
                    yield {column: values[skip:] for column, values in chunk.items()}

    def _batches(self, numbers: Sequence[str], name: str | None) -> Iterator[Any]:
        from pyarrow import csv as arrow

        # A quote that is never closed swallows the rows of the last block in silence, as a cell of the last column.
        tail, header = self._tail(), self.columns()
        last = header[-1] if b'"' in tail else None
        ending = tail[max(tail.rfind(b"\n"), tail.rfind(b"\r")) + 1 :]  # of the last line, where it has no end
        if ending.count(b'"') % 2 or (last is not None and header.count(last) > 1):  # of two, pyarrow shows the first
            raise _DoubtfulError
        for batch in arrow.open_csv(
            self._path,
            read_options=arrow.ReadOptions(block_size=limits.ARROW_BYTES),
            **self._options(numbers, name, last),
        ):
            if last is not None and batch.num_rows and set(str(batch.column(last)[-1].as_py())) & {"\n", "\r"}:
                raise _DoubtfulError
            yield batch

    def _tail(self) -> bytes:
        """At least what pyarrow takes for the last block."""
        with self._path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2 * limits.ARROW_BYTES))
            return file.read()

    def _batches_of(self, span: Span, numbers: Sequence[str], name: str | None) -> Iterator[Any]:
        import pyarrow
        from pyarrow import csv as arrow

        largest = limits.RANGE_BYTES + limits.LONGEST_LINE
        reading = arrow.ReadOptions(column_names=self.columns(), block_size=largest, use_threads=False)
        for lines in self._lines_of(span):
            if lines.strip(b"\r\n"):  # a line of spaces or tabs is a row, as in `CsvReader`
                table = arrow.read_csv(
                    pyarrow.BufferReader(lines), read_options=reading, **self._options(numbers, name)
                )
                yield from table.to_batches(max_chunksize=limits.CHUNK_ROWS)

    def _options(self, numbers: Sequence[str], name: str | None, watched: str | None = None) -> dict[str, Any]:
        import pyarrow
        from pyarrow import csv as arrow

        # Types are told, not guessed: the name 007 stays as it is, and true or 0x10 is no number here either.
        texts = {} if watched is None else {watched: pyarrow.string()}
        types = {**texts, **dict.fromkeys(numbers, pyarrow.float64()), **({name: pyarrow.string()} if name else {})}
        return {
            "parse_options": arrow.ParseOptions(delimiter=self._delimiter()),
            "convert_options": arrow.ConvertOptions(include_columns=list(types), column_types=types, null_values=[""]),
        }


class _DoubtfulError(Exception):
    """What pyarrow read may not be what the file says; the plain reader knows."""


def _exact(columns: dict[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """The same, but for numbers so large that they may have been whole ones, and rounded: only their texts can say."""
    for values in columns.values():
        if isinstance(values, np.ndarray) and len(values):
            if np.fmax.reduce(values) >= limits.LARGEST_WHOLE or np.fmin.reduce(values) <= -limits.LARGEST_WHOLE:
                raise _DoubtfulError
        elif isinstance(values, list) and any(
            isinstance(entry, float) and abs(entry) >= limits.LARGEST_WHOLE for entry in values
        ):
            raise _DoubtfulError
    return columns


class GuardedCsvReader:
    """A CSV file that conewise made for people: texts as they were before they were guarded against spreadsheets."""

    def __init__(self, cells: CsvReader) -> None:
        self._cells = cells

    def columns(self) -> list[str]:
        """Their names, in order."""
        return unguarded_header(self._cells.columns())

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        """The rows in order, some at a time."""
        written = dict(zip(self.columns(), self._cells.columns(), strict=True))
        called = {cell: column for column, cell in written.items()}
        label = None if name is None else written[name]
        for block in self._cells.chunks([written[column] for column in numbers], label):
            if label is not None:
                block[label] = [entry and unguarded(entry) for entry in block[label]]
            yield {called[column]: entries for column, entries in block.items()}
