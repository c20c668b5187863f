"""Files read as data only, by columns and some rows at a time: CSV, JSON lines, JSON, Parquet (extra `tables`).

Every table that conewise reads comes through here: `reader(path)` for columns of any length, `read_rows(path)` for the
rows of a small one.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, Final

from conewise import limits
from conewise.errors import InputError, closest
from conewise.tables.columns import IN_MEMORY, JSON_ENDINGS
from conewise.tables.csvfiles import CsvReader, FastCsvReader, GuardedCsvReader
from conewise.tables.files import PACKED_ENDINGS, files_of, packed
from conewise.tables.frames import FrameReader, in_memory, is_frame
from conewise.tables.jsonfiles import JsonReader
from conewise.tables.names import first_repeated
from conewise.tables.parquetfiles import ParquetReader
from conewise.tables.spreadsheets import is_guarded, unguarded, unguarded_header

Reader = CsvReader | GuardedCsvReader | JsonReader | ParquetReader | FrameReader
"""`columns()` names the columns; `chunks(numbers, name)` gives the rows in order, some at a time."""

_CSV: Final = (".csv", ".tsv", ".txt", "")
_SEARCHED: Final = 1000  # files of a folder, among which the one that was meant is looked for


def sources_of(given: Any) -> list[Any]:
    """What a table consists of: the files of a path, of several or of a folder, or a frame or mapping of columns."""
    return [in_memory(given)] if is_frame(given) else list(files_of(given))


def opened(given: Any) -> tuple[Path, Reader]:
    """One of them: its path, or what stands for it in errors, and its reader."""
    if is_frame(given):
        return IN_MEMORY, FrameReader(given)
    (path,) = files_of(given) if not isinstance(given, Path) else [given]
    return path, reader(path)


def reader(path: Path) -> Reader:
    """By the file's ending."""
    if not path.exists():
        raise _no_file(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a table in it.")
    if not path.is_file():
        raise InputError(f"{path} is a pipe or a device, and a table is read twice; save it to a file first.")
    path = path.absolute()  # a worker elsewhere would look for it in a folder of its own
    ending = path.suffix.lower()
    if ending in JSON_ENDINGS:
        return JsonReader(path)
    if ending in (".parquet", ".pq"):
        return ParquetReader(path)
    if ending in _CSV:
        table = FastCsvReader(path) if has_arrow() else CsvReader(path)
        return GuardedCsvReader(table) if is_guarded(table.columns()) else table
    if ending in PACKED_ENDINGS:
        raise packed(path)
    hint = "; save the sheet as CSV" if ending in (".xlsx", ".xls", ".ods") else ""
    if ending == ".db":
        hint = "; `conewise study export` writes the evaluations of a study to a table"
    raise InputError(
        f"{path.name}: the ending {ending!r} is not known; use .csv, .tsv, .json, .jsonl or .parquet{hint}."
    )


def _no_file(path: Path) -> InputError:
    """The refusal of a file that is not there, with the one beside it that was probably meant."""
    try:
        beside = [found.name for found in islice(path.parent.iterdir(), _SEARCHED)]
    except OSError:
        beside = []
    meant = closest(path.name, beside)
    hint = "" if meant is None else f"; perhaps {path.with_name(meant)} is meant"
    return InputError(f"there is no file {path}{hint}.")


def has_arrow() -> bool:
    """Return True if pyarrow is installed."""
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None


def distinct_columns(table: Reader, path: Path) -> list[str]:
    """The names of a table's columns; a name that stands twice is refused, a column without a name does no harm."""
    columns = table.columns()
    if len(columns) > limits.MOST_COLUMNS:
        raise InputError(f"{path.name} has {len(columns)} columns, where at most {limits.MOST_COLUMNS} are accepted.")
    repeated = first_repeated([column for column in columns if column])
    if repeated is not None:
        raise InputError(f"{path.name} has two columns called {repeated!r}; rename one of them.")
    return columns


# -- whole rows ------------------------------------------------------------------------------------------------------


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a table, each with every column that has a name: entries of CSV as text, others as they are.

    None stands for an empty entry and for a key that a record lacks; a row without any entry is left out.
    """
    if path.suffix.lower() in _CSV and path.is_file():
        return _rows_of(CsvReader(path), path)
    return _rows_of(reader(path), path)


def _rows_of(table: Reader, path: Path) -> list[dict[str, Any]]:
    cells = distinct_columns(table, path)
    ours = isinstance(table, CsvReader) and is_guarded(cells)
    names = unguarded_header(cells) if ours else cells
    kept = {cell: name for cell, name in zip(cells, names, strict=True) if cell}
    read = _text_entry if isinstance(table, CsvReader) else plain_entry
    rows: list[dict[str, Any]] = []
    for chunk in table.chunks(list(kept), None):
        columns = [[read(value, ours) for value in chunk[cell]] for cell in kept]
        rows += [dict(zip(kept.values(), row, strict=True)) for row in zip(*columns, strict=True)]
    return [row for row in rows if any(value is not None for value in row.values())]


def _text_entry(text: str, ours: bool) -> str | None:
    """Without spaces around it, and as it was before it was guarded; None where nothing is left."""
    return (unguarded(text) if ours else text).strip() or None


def plain_entry(value: Any, _: bool = False) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value
