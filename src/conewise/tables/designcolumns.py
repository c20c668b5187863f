"""Which designs the rows of a table are about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conewise.border import Indices
from conewise.errors import InputError
from conewise.question.objectives import Objective
from conewise.tables.columns import listed_columns, row_words
from conewise.tables.designs import check_columns, name_column
from conewise.tables.names import ArrowTexts, first_come, text_of


def called(objectives: Sequence[str | Objective]) -> tuple[str, ...]:
    """The names of objectives, whether they are names or records."""
    return tuple(o.name if isinstance(o, Objective) else o for o in objectives)


def design_column(columns: Sequence[str], design: str | None, path: Path) -> str:
    """The column that names the designs: as said, or one that is usually called so."""
    if design is not None:
        check_columns((design,), columns, path)
        return design
    found = name_column(columns)
    if found is None:
        raise InputError(f"say which column names the design with `design`; {path.name} has {listed_columns(columns)}.")
    return found


def texts(column: Sequence[Any], path: Path, name: str, first_row: int) -> list[str]:
    """Names as they stand; a row without one is refused."""
    codes, words = coded(column, path, name, first_row)
    return [words[code] for code in codes.tolist()]


def coded(column: Sequence[Any], path: Path, name: str, first_row: int) -> tuple[Indices, list[str]]:
    """The different names, in the order of their first rows, and the number of each row's; an empty one is refused."""
    if isinstance(column, ArrowTexts):
        codes, entries = column.coded()
    elif isinstance(column, np.ndarray):
        found, places = np.unique(column, return_inverse=True)
        codes, entries = first_come(list(found), places)
    else:
        known: dict[str, int] = {}
        codes = np.array([known.setdefault(text_of(entry), len(known)) for entry in column], dtype=np.intp)
        entries = list(known)
    words = [text_of(entry) for entry in entries]
    if "" in words:
        row = first_row + int((codes == words.index("")).argmax())
        raise InputError(f"{row_words(path, row)}, column {name!r} is empty; which design was it?")
    return codes, words
