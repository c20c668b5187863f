"""Tables of designs from files, read as data only and in chunks: CSV, JSON lines, JSON, Parquet (extra `tables`)."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise._arrays import Floats
from conewise.errors import ConewiseError, InputError
from conewise.problems.spreadsheets import guarded, is_guarded, unguarded

_ROWS: Final = 50_000  # rows a chunk
_MAX_JSON: Final = 256 * 2**20  # a JSON array is read whole; JSON lines are not
_MAX_FIELD: Final = 2**20
NAME_COLUMNS: Final = ("name", "design", "id")
"""What a column that names designs is called, in capitals or not."""
_MISSING: Final = frozenset({"", "na", "nan", "n/a", "null", "none"})  # how spreadsheets and R write "not measured"


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table: names (text) and objectives as the file has them, (n, D)."""

    names: list[str]
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
        self._reader = reader(self.path)
        columns = distinct_columns(self._reader, self.path)
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
        for columns in self._reader.chunks(self.objectives, self.name):
            values = [numbers(columns[c], self.path, c, row) for c in self.objectives]
            n = len(values[0])
            names = [str(v) for v in columns[self.name]] if self.name else [str(k) for k in range(row, row + n)]
            yield Chunk(names, np.column_stack(values))
            row += n
        if not row:
            raise InputError(f"{self.path.name} has no rows below its header.")

    def check_names(self, hashes: np.ndarray) -> None:
        """Refuse a name that stands twice, from the hashes of all names: a second reading settles a coincidence."""
        order = np.sort(hashes)
        suspects = set(order[1:][order[1:] == order[:-1]].tolist())
        if not suspects or self.name is None:
            return
        seen: set[str] = set()
        for chunk in self.chunks():
            for label in chunk.names:
                if hash(label) in suspects:
                    if label in seen:
                        raise InputError(
                            f"{self.path.name} has two designs called {label!r}; a name is a design's identity: "
                            "average repeated measurements first, or name another column."
                        )
                    seen.add(label)


def distinct_columns(table: Reader, path: Path) -> list[str]:
    """The names of a table's columns; a name that stands twice is refused."""
    columns = table.columns()
    repeated = next((c for c in columns if columns.count(c) > 1), None)
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
        raise InputError(f"--minimise names {stray!r}, which is not among the objectives {', '.join(objectives)}.")
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
            raise InputError(f"{where} holds {str(entry)[:40]!r}, where a number was expected.") from None
        if math.isinf(number) or (math.isnan(number) and not missing) or isinstance(entry, bool):
            raise InputError(f"{where} holds {entry}, where a finite number was expected.")
    raise AssertionError("unreachable")


def _number(entry: Any) -> float:
    """NaN for what stands for a missing value; True is a number to float(), not to whoever wrote the table."""
    if isinstance(entry, bool):
        raise TypeError("bool")
    if entry is None or (isinstance(entry, str) and entry.strip().lower() in _MISSING):
        return math.nan
    return float(entry)


class _Csv:
    def __init__(self, path: Path) -> None:
        self._path = path

    def columns(self) -> list[str]:
        with self._open() as file:
            header = next(self._rows(file), None)
        if not header:
            raise InputError(f"{self._path.name} is empty; a header row with column names was expected.")
        return [name.strip() for name in header]

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        """Blocks of exactly _ROWS rows but for the last; empty lines are no rows."""
        with self._open() as file:
            rows = self._rows(file)
            header = [column.strip() for column in next(rows)]
            places = {column: header.index(column) for column in _wanted(numbers, name)}
            rows = (row for row in rows if row)
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

    def _open(self) -> Any:
        return self._path.open(encoding="utf-8-sig", newline="")

    def _rows(self, file: Any) -> Iterator[list[str]]:
        csv.field_size_limit(_MAX_FIELD)
        first = file.readline()
        file.seek(0)
        delimiter = max(",;\t", key=first.count)
        rows = csv.reader(file, delimiter=delimiter)
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                raise InputError(f"{self._path.name}, line {rows.line_num}: {error}.") from None
            if row is None:
                return
            yield row


class _Json:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = path.suffix.lower() in (".jsonl", ".ndjson")

    def columns(self) -> list[str]:
        first = next(self._records(), None)
        if first is None:
            raise InputError(f"{self._path.name} has no records.")
        return list(first)

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
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
            with self._path.open(encoding="utf-8-sig") as file:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield self._load(line, f"line {number}")
            return
        if self._path.stat().st_size > _MAX_JSON:
            raise InputError(f"{self._path.name} is too large to read whole; write JSON lines (.jsonl) instead.")
        data = self._load(self._path.read_text(encoding="utf-8-sig"), "the file")
        if not isinstance(data, list):
            raise InputError(f"{self._path.name} must hold an array of objects, one a design.")
        yield from data

    def _load(self, text: str, where: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self._path.name}: {where} is not valid JSON ({str(error)[:80]}).") from None


class _Parquet:
    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.parquet as parquet
        except ImportError:
            raise ConewiseError("Parquet files need pyarrow: install conewise[tables].") from None
        import pyarrow

        self._path, self._open, self._invalid = path, parquet.ParquetFile, pyarrow.ArrowException

    def columns(self) -> list[str]:
        try:
            return [str(name) for name in self._open(self._path).schema_arrow.names]
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is not a Parquet file") from None

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        wanted = _wanted(numbers, name)
        try:
            for batch in self._open(self._path).iter_batches(batch_size=_ROWS, columns=wanted):
                yield {column: _arrow_values(batch.column(column)) for column in wanted}
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is damaged") from None

    def _refusal(self, error: Exception, words: str) -> Exception:
        """Our sentence for what pyarrow cannot read; what the system says of files (it has a number) stays as it is."""
        if isinstance(error, OSError) and error.errno:
            return error
        return InputError(f"{self._path.name} {words} ({' '.join(str(error).split())[:80]}).")


class _FastCsv(_Csv):
    """The same rows through pyarrow; what it cannot convert goes to the plain reader, whose errors name the row."""

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        import pyarrow
        from pyarrow import csv as arrow

        wanted = _wanted(numbers, name)
        # Types are told, not guessed: the name 007 stays as it is, and true or 0x10 is no number here either.
        types = {**dict.fromkeys(numbers, pyarrow.float64()), **({name: pyarrow.string()} if name else {})}

        with self._open() as file:
            first = file.readline()
        delimiter = max(",;\t", key=first.count)
        options = arrow.ConvertOptions(include_columns=wanted, column_types=types, null_values=[""])
        rows = 0
        try:
            reader = arrow.open_csv(
                self._path,
                read_options=arrow.ReadOptions(block_size=8 * 2**20),
                parse_options=arrow.ParseOptions(delimiter=delimiter),
                convert_options=options,
            )
            for batch in reader:
                yield {column: _arrow_values(batch.column(column)) for column in wanted}
                rows += batch.num_rows
        except (pyarrow.ArrowException, KeyError):
            for number, chunk in enumerate(super().chunks(numbers, name)):
                if (number + 1) * _ROWS > rows:
                    skip = max(0, rows - number * _ROWS)
                    yield {column: values[skip:] for column, values in chunk.items()}


class _GuardedCsv:
    """A CSV file that conewise made for people: texts as they were before they were guarded against spreadsheets."""

    def __init__(self, cells: _Csv) -> None:
        self._cells = cells

    def columns(self) -> list[str]:
        return [unguarded(column) for column in self._cells.columns()]

    def chunks(self, numbers: Sequence[str], name: str | None) -> Iterator[dict[str, Sequence[Any]]]:
        label = None if name is None else guarded(name)
        for block in self._cells.chunks([guarded(column) for column in numbers], label):
            if label is not None:
                block[label] = [entry and unguarded(entry) for entry in block[label]]
            yield {unguarded(column): entries for column, entries in block.items()}


def _wanted(numbers: Sequence[str], name: str | None) -> list[str]:
    return list(dict.fromkeys([*numbers, *([name] if name else [])]))


def _arrow_values(column: Any) -> Sequence[Any]:
    """Numbers as a numpy array where there are no gaps, Python values otherwise."""
    import pyarrow

    number = pyarrow.types.is_floating(column.type) or pyarrow.types.is_integer(column.type)
    if number and column.null_count == 0:
        values: Sequence[Any] = column.to_numpy(zero_copy_only=False)
        return values
    result: Sequence[Any] = column.to_pylist()
    return result


Reader = _Csv | _GuardedCsv | _Json | _Parquet
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
        return _Json(path)
    if ending in (".parquet", ".pq"):
        return _Parquet(path)
    if ending in (".csv", ".tsv", ".txt", ""):
        table = _FastCsv(path) if _has_arrow() else _Csv(path)
        return _GuardedCsv(table) if is_guarded(table.columns()) else table
    raise InputError(f"{path.name}: the ending {ending!r} is not known; use .csv, .tsv, .json, .jsonl or .parquet.")


def _has_arrow() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None
