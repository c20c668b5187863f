"""Files read as data only, by columns and some rows at a time: CSV, JSON lines, JSON, Parquet (extra `tables`)."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from conewise.errors import ConewiseError, InputError, from_extra
from conewise.problems.names import ArrowTexts
from conewise.problems.spreadsheets import is_guarded, unguarded, unguarded_header

_ROWS: Final = 50_000  # rows a chunk
_MAX_JSON: Final = 256 * 2**20  # a JSON array is read whole; JSON lines are not
_MAX_FIELD: Final = 2**20
_MAX_LINE: Final = 2**24  # bytes of one line, where a CSV file is read in ranges
_BLOCK: Final = 2**22  # bytes of a range that are parsed at a time
_ARROW_BLOCK: Final = 2**20  # bytes of a CSV file that pyarrow parses at a time; it keeps some ahead
_BUFFER: Final = 2**20  # bytes of a Parquet column that are read at a time

Span = tuple[int, int]
"""Bytes of a file, from the first to before the second."""


class UnsplittableError(Exception):
    """A file whose rows cannot be told apart in the middle; it has to be read from its beginning."""


class CsvReader:
    """Rows by the standard library's csv module."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def columns(self) -> list[str]:
        """Their names, in order."""
        with self._open() as file:
            header = next(self._rows(file), None)
        if not header:
            raise InputError(f"{self._path.name} is empty; a header row with column names was expected.")
        return [name.strip() for name in header]

    def spans(self, size: int) -> list[Span]:
        """Ranges of about `size` bytes that hold the rows: a line belongs to the range in which it begins."""
        with self._path.open("rb") as file:
            first = len(file.readline(_MAX_LINE))
            length = file.seek(0, os.SEEK_END)
        return [(start, min(start + size, length)) for start in range(first, length, size)]

    def chunks(
        self, numbers: Sequence[str], name: str | None, span: Span | None = None
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """Blocks of exactly _ROWS rows but for the last; empty lines are no rows."""
        with self._open() as file:
            rows = self._rows(file)
            header = [column.strip() for column in next(rows)]
            places = {column: header.index(column) for column in _wanted(numbers, name)}
            rows = (row for row in (rows if span is None else self._rows_of(span)) if row)
            done = 0
            while block := list(islice(rows, _ROWS)):
                short = next((k for k, row in enumerate(block) if len(row) != len(header)), None)
                if short is not None:
                    raise InputError(
                        f"{self._path.name}, row {done + short + 1} (below the header) has {len(block[short])} entries "
                        f"for {len(header)} columns."
                    )
                columns = list(zip(*block, strict=True))
                yield {column: columns[place] for column, place in places.items()}
                done += len(block)

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
                block = file.read(min(_BLOCK, stop - place))
                block += _rest_of_line(file) if block[-1:] != b"\n" else b""
                if not block or b'"' in block:
                    raise UnsplittableError
                yield block
                place += len(block)

    def _delimiter(self) -> str:
        with as_text(self._path), self._open() as file:
            return max(",;\t", key=file.readline().count)

    def _open(self) -> Any:
        return self._path.open(encoding="utf-8-sig", newline="")

    def _rows(self, file: Any) -> Iterator[list[str]]:
        csv.field_size_limit(_MAX_FIELD)
        with as_text(self._path):
            first = file.readline()
        file.seek(0)
        delimiter = max(",;\t", key=first.count)
        rows = csv.reader(file, delimiter=delimiter)
        while True:
            try:
                with as_text(self._path):
                    row = next(rows, None)
            except csv.Error as error:
                raise InputError(f"{self._path.name}, line {rows.line_num}: {error}.") from None
            if row is None:
                return
            yield row


@contextmanager
def as_text(path: Path) -> Iterator[None]:
    """Say which file is not text."""
    try:
        yield
    except UnicodeDecodeError as error:
        word = f"{error.object[error.start : error.end]!r}"[1:]
        raise InputError(f"{path.name} is not text in UTF-8 (it holds {word}); save it as UTF-8.") from None


def _rest_of_line(file: BinaryIO) -> bytes:
    """Up to its end, which is not looked for any longer than _MAX_LINE bytes."""
    found = file.readline(_MAX_LINE)
    if len(found) == _MAX_LINE:
        raise UnsplittableError
    return found


class JsonReader:
    """An array of objects, or one object a line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = path.suffix.lower() in (".jsonl", ".ndjson")

    def columns(self) -> list[str]:
        """Their names, in order."""
        first = next(self._records(), None)
        if first is None:
            raise InputError(f"{self._path.name} has no records.")
        return list(first)

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        """The rows in order, some at a time."""
        records = self._records()
        while block := list(islice(records, _ROWS)):
            yield {column: [record.get(column) for record in block] for column in _wanted(numbers, name)}

    def _records(self) -> Iterator[dict[str, Any]]:
        for number, record in enumerate(self._parsed(), start=1):
            if not isinstance(record, dict):
                raise InputError(f"{self._path.name}, record {number} is not an object with named values.")
            yield record

    def _parsed(self) -> Iterator[Any]:
        if self._lines:
            with as_text(self._path), self._path.open(encoding="utf-8-sig") as file:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield self._load(line, f"line {number}")
            return
        if self._path.stat().st_size > _MAX_JSON:
            raise InputError(f"{self._path.name} is too large to read whole; write JSON lines (.jsonl) instead.")
        with as_text(self._path):
            text = self._path.read_text(encoding="utf-8-sig")
        data = self._load(text, "the file")
        if not isinstance(data, list):
            raise InputError(f"{self._path.name} must hold an array of objects, one a design.")
        yield from data

    def _load(self, text: str, where: str) -> Any:
        try:
            found = json.loads(text)
            if "\\ud" in text or "\\uD" in text:  # half of a surrogate pair is no text, and nobody could print it
                json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError(f"{self._path.name}: {where} has half a character in it (\\ud... alone).") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self._path.name}: {where} is not valid JSON ({str(error)[:80]}).") from None
        return found


class ParquetReader:
    """Columns through pyarrow."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.parquet as parquet
        except ImportError:
            raise ConewiseError(f"Parquet files need pyarrow: {from_extra('tables')}.") from None
        import pyarrow

        self._path, self._open, self._invalid = path, parquet.ParquetFile, pyarrow.ArrowException

    def columns(self) -> list[str]:
        """Their names, in order."""
        try:
            return [str(name) for name in self._open(self._path).schema_arrow.names]
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is not a Parquet file") from None

    def groups(self) -> list[int]:
        """The rows of each row group."""
        try:
            found = self._open(self._path).metadata
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is not a Parquet file") from None
        return [found.row_group(k).num_rows for k in range(found.num_row_groups)]

    def chunks(
        self, numbers: Sequence[str], name: str | None, groups: Sequence[int] | None = None
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """All rows, or those of some row groups."""
        wanted = _wanted(numbers, name)
        try:
            file = self._open(
                self._path,
                # Bit by bit: otherwise pyarrow keeps whole columns of row groups, however many there are.
                pre_buffer=False,
                buffer_size=_BUFFER,
                read_dictionary=[name] if name and not numbers else None,
            )
            for batch in file.iter_batches(batch_size=_ROWS, columns=wanted, row_groups=groups):
                yield {column: _arrow_values(batch.column(column)) for column in wanted}
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is damaged") from None

    def _refusal(self, error: Exception, words: str) -> Exception:
        """Our sentence for what pyarrow cannot read; what the system says of files (it has a number) stays as it is."""
        if isinstance(error, OSError) and error.errno:
            return error
        if isinstance(error, MemoryError):
            return ConewiseError(f"there is not enough memory to read {self._path.name}.")
        return InputError(f"{self._path.name} {words} ({' '.join(str(error).split())[:80]}).")


class FastCsvReader(CsvReader):
    """The same rows through pyarrow; what it cannot convert goes to the plain reader, whose errors name the row."""

    def chunks(
        self, numbers: Sequence[str], name: str | None, span: Span | None = None
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """All rows, or those of a range."""
        import pyarrow

        if span is not None:
            try:
                for batch in self._batches_of(span, numbers, name):
                    yield {column: _arrow_values(batch.column(column)) for column in _wanted(numbers, name)}
            except pyarrow.ArrowException:
                raise UnsplittableError from None
            return
        rows = 0
        try:
            for batch in self._batches(numbers, name):
                yield {column: _arrow_values(batch.column(column)) for column in _wanted(numbers, name)}
                rows += batch.num_rows
        except (pyarrow.ArrowException, KeyError):
            for number, chunk in enumerate(super().chunks(numbers, name)):
                if (number + 1) * _ROWS > rows:
                    skip = max(0, rows - number * _ROWS)
                    yield {column: values[skip:] for column, values in chunk.items()}

    def _batches(self, numbers: Sequence[str], name: str | None) -> Iterator[Any]:
        from pyarrow import csv as arrow

        yield from arrow.open_csv(
            self._path, read_options=arrow.ReadOptions(block_size=_ARROW_BLOCK), **self._options(numbers, name)
        )

    def _batches_of(self, span: Span, numbers: Sequence[str], name: str | None) -> Iterator[Any]:
        import pyarrow
        from pyarrow import csv as arrow

        reading = arrow.ReadOptions(column_names=self.columns(), block_size=_BLOCK + _MAX_LINE, use_threads=False)
        for lines in self._lines_of(span):
            if lines.strip():
                table = arrow.read_csv(
                    pyarrow.BufferReader(lines), read_options=reading, **self._options(numbers, name)
                )
                yield from table.to_batches(max_chunksize=_ROWS)

    def _options(self, numbers: Sequence[str], name: str | None) -> dict[str, Any]:
        import pyarrow
        from pyarrow import csv as arrow

        # Types are told, not guessed: the name 007 stays as it is, and true or 0x10 is no number here either.
        types = {**dict.fromkeys(numbers, pyarrow.float64()), **({name: pyarrow.string()} if name else {})}
        return {
            "parse_options": arrow.ParseOptions(delimiter=self._delimiter()),
            "convert_options": arrow.ConvertOptions(
                include_columns=_wanted(numbers, name), column_types=types, null_values=[""]
            ),
        }


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


def _wanted(numbers: Sequence[str], name: str | None) -> list[str]:
    return list(dict.fromkeys([*numbers, *([name] if name else [])]))


def _arrow_values(column: Any) -> Sequence[Any]:
    """Numbers as a numpy array where there are no gaps, texts as they are, Python values otherwise."""
    import pyarrow

    kind = pyarrow.types
    if (kind.is_floating(column.type) or kind.is_integer(column.type)) and column.null_count == 0:
        values: Sequence[Any] = column.to_numpy(zero_copy_only=False)
        return values
    if kind.is_string(column.type) or kind.is_large_string(column.type) or kind.is_dictionary(column.type):
        return ArrowTexts(column)
    result: Sequence[Any] = column.to_pylist()
    return result


Reader = CsvReader | GuardedCsvReader | JsonReader | ParquetReader
"""`columns()` names the columns; `chunks(numbers, name)` gives the rows in order, some at a time."""


def reader(path: Path) -> Reader:
    """By the file's ending."""
    if not path.exists():
        raise InputError(f"there is no file {path}.")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a table in it.")
    if not path.is_file():
        raise InputError(f"{path} is a pipe or a device, and a table is read twice; save it to a file first.")
    ending = path.suffix.lower()
    if ending in (".json", ".jsonl", ".ndjson"):
        return JsonReader(path)
    if ending in (".parquet", ".pq"):
        return ParquetReader(path)
    if ending in (".csv", ".tsv", ".txt", ""):
        table = FastCsvReader(path) if _has_arrow() else CsvReader(path)
        return GuardedCsvReader(table) if is_guarded(table.columns()) else table
    raise InputError(f"{path.name}: the ending {ending!r} is not known; use .csv, .tsv, .json, .jsonl or .parquet.")


def _has_arrow() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None
