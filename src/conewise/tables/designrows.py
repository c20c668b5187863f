"""Tables with one row a design, read whole: each row's columns, texts that are all numbers as numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from conewise.border import as_decimal
from conewise.errors import InputError
from conewise.tables.columns import no_column, row_words
from conewise.tables.designs import name_column
from conewise.tables.readers import read_rows


def read_designs(path: Path, name: str | None = None) -> list[dict[str, Any]]:
    """One row a design; the column `name` (or one called name, design or id) names it and stays text as it stands."""
    return designs_of(read_rows(path), path, name)


def designs_of(rows: list[dict[str, Any]], path: Path, name: str | None = None) -> list[dict[str, Any]]:
    """The same of rows at hand; `path` stands for them in errors."""
    if not rows:
        raise InputError(f"{path.name} has no rows below its header.")
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if name is not None and name not in columns:
        raise no_column(path.name, name, columns)
    label = name if name is not None else name_column(columns)
    typed = {column: typed_column([row.get(column) for row in rows]) for column in columns if column != label}
    result = []
    for place, row in enumerate(rows):
        design = {column: typed[column][place] if column in typed else row.get(column) for column in columns}
        if label is not None:
            if row.get(label) in (None, ""):
                raise InputError(f"{row_words(path, place)} has no name in column {label!r}.")
            design = {"name": str(row[label]), **{c: v for c, v in design.items() if c not in ("name", label)}}
        result.append(design)
    return result


def typed_column(column: list[Any]) -> list[Any]:
    """Texts of a column as numbers, if every one of them is a number; whole ones stay whole."""
    texts = [entry for entry in column if entry is not None]
    if not all(isinstance(entry, str) for entry in texts):
        return column
    for kind in (int, float):
        try:
            if all(math.isfinite(as_decimal(text)) and math.isfinite(kind(text)) for text in texts) and texts:
                return [None if entry is None else kind(entry) for entry in column]
        except (ValueError, OverflowError):
            continue
    return column
