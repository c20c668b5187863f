"""Text that a spreadsheet must not take for a formula: how conewise writes it into CSV files, and reads it back.

A spreadsheet program computes a cell that begins with =, +, - or @, quoted or not, and names may come from strangers.
Where a cell begins depends on the program: many split at semicolons, and then a quote inside a line protects nothing.
In the CSV files that conewise makes for people such text has an apostrophe before it, at its beginning and behind
every separator in it, and so has text that could be mistaken for that; reading takes one away. These files are known
by their headers: anyone else's is read as it stands.
A table whose columns are the user's own has an apostrophe before its first column where anything in it is guarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

EXPORT_COLUMNS: Final = ("design", "number", "worker", "told_at")
"""The first two and the last two columns of an exported study; design and number identify an evaluation."""
TO_FILL_IN: Final = ("id", "design", "seed")
"""The first columns of a table of evaluations to make."""
JUDGED: Final = ("design", "status", "returned", "evaluations")
"""The first columns of an analysis."""

_ENDS: Final = r"[;,|\t\r\n]"  # where some spreadsheet or other may begin a new cell, whatever is quoted
_NUMBER: Final = (
    rf"[+-][0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?(?:{_ENDS}|\Z)"  # -5 does no harm, and others read it as it is
)
_COMPUTED: Final = rf"(?!{_NUMBER})[=+\-@\uff1d\uff0b\uff0d\uff20]"  # the last four: wide = + - @
_BEGINNING: Final = rf"(?:\A|(?<={_ENDS}))"
_BARE: Final = re.compile(rf"{_BEGINNING}(?='*{_COMPUTED})|\A(?='*[\t\r\n])")
_GUARDED: Final = re.compile(rf"{_BEGINNING}'(?='*{_COMPUTED})|\A'(?='*[\t\r\n])")


def guarded(text: str) -> str:
    """The text as it goes into a cell.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("-5"), guarded("a=b"), guarded("a;=1+1")
    ("'=1+1", "''=1+1", '-5', 'a=b', "a;'=1+1")
    """
    return _BARE.sub("'", text)


def unguarded(cell: str) -> str:
    """The text that `guarded` was given.

    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("'tis"), unguarded("a;'=1+1")
    ('=1+1', "'=1+1", "'tis", 'a;=1+1')
    """
    return _GUARDED.sub("", cell)


def is_guarded(header: Sequence[str]) -> bool:
    """Whether a table with these columns is one of ours."""
    columns = tuple(header)
    if (columns and columns[0].startswith("'")) or set(EXPORT_COLUMNS) <= set(
        columns
    ):  # in whatever order a spreadsheet has saved them
        return True
    # Our columns have an underscore more where an objective is called so (`outputs.free_name`).
    return any(tuple(c.rstrip("_") for c in columns[: len(first)]) == first for first in (TO_FILL_IN, JUDGED))


def guarded_table(header: Sequence[str], texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """The header and the texts of a table with the user's own columns; as they are where nothing could do harm.

    >>> guarded_table(["name", "cost"], ["a", "b"])
    (['name', 'cost'], ['a', 'b'])
    >>> guarded_table(["name", "cost"], ["a", "=1+1"])
    (["'name", 'cost'], ['a', "'=1+1"])
    """
    columns, cells = list(header), list(texts)
    safe = [[guarded(column) for column in columns], [guarded(cell) for cell in cells]]
    if safe == [columns, cells] and not columns[0].startswith("'"):
        return columns, cells
    return [f"'{columns[0]}", *safe[0][1:]], safe[1]


def unguarded_header(header: Sequence[str]) -> list[str]:
    """The columns of one of our tables as they were called.

    >>> unguarded_header(["'name", "'=cost"]), unguarded_header(["design", "number", "=a", "worker", "told_at"])[:1]
    (['name', '=cost'], ['design'])
    """
    first, *others = header
    return [first.removeprefix("'"), *map(unguarded, others)]
