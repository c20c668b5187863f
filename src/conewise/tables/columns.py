"""Columns of a table: how they are called in errors and options, which of them are read, and what pyarrow's hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from conewise.errors import InputError, closest
from conewise.tables.names import ArrowTexts

IN_MEMORY: Final = Path("the table")
"""Stands for the file where a table has none."""
JSON_ENDINGS: Final = (".json", ".jsonl", ".ndjson")
_LISTED: Final = 30  # columns named in an error
_SEARCHED: Final = 1000  # columns, and characters of a name, among which the one that was meant is looked for
_UNNAMED: Final = "Unnamed: "  # how pandas calls a column without a name that it has read


def wanted_columns(numbers: Sequence[str], name: str | None) -> list[str]:
    """The columns to read, each once."""
    return list(dict.fromkeys([*numbers, *([name] if name else [])]))


def is_unnamed(column: str) -> bool:
    """Whether nobody named this column: pandas writes its index like this, and reads it back as "Unnamed: 0".

    >>> [is_unnamed(column) for column in ("", "Unnamed: 0", "__index_level_0__", "cost")]
    [True, True, True, False]
    """
    if not column or (column.startswith("__index_level_") and column.endswith("__")):
        return True
    return column.startswith(_UNNAMED) and column.removeprefix(_UNNAMED).isdecimal()


def listed_columns(columns: Sequence[str]) -> str:
    """The names of columns for an error, as they would be written behind an option; not all of very many."""
    shown = ", ".join(quoted_name(column) if column else "a column without a name" for column in columns[:_LISTED])
    return shown if len(columns) <= _LISTED else f"{shown} and {len(columns) - _LISTED} more"


def no_column(whose: str, column: str, columns: Sequence[str]) -> InputError:
    """The refusal of a column that is not there, with the one that was probably meant."""
    meant = closest(column[:_SEARCHED], columns[:_SEARCHED])
    hint = "" if meant is None else f"; perhaps {meant!r} is meant"
    if {"metric", "value"} <= {known.lower() for known in columns[:_SEARCHED]}:
        hint = "; a row for each metric and its value is what readers.melted reads, --from melted on the command line"
    return InputError(f"{whose} has no column {column!r}; it has {listed_columns(columns) or 'none'}{hint}.")


def quoted_name(column: str) -> str:
    """A column's name as it is written in a list separated by commas: in quotes where it holds a comma or a quote.

    >>> quoted_name("cost"), quoted_name("cost, EUR")
    ('cost', '"cost, EUR"')
    """
    return '"' + column.replace('"', '""') + '"' if "," in column or '"' in column else column


def row_words(path: Path, row: int) -> str:
    """Where a row stands, for an error; `row` counts from 0, people count from 1."""
    if path.suffix.lower() in JSON_ENDINGS:
        return f"{path.name}, record {row + 1}"
    if path == IN_MEMORY:
        return f"{path.name}, row {row + 1} (counted from 1)"
    return f"{path.name}, row {row + 1} (below the header)"


def arrow_values(column: Any) -> Sequence[Any]:
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
