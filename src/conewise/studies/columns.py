"""Columns of the designs of a study: what is a slip in them, in the first ones and in those that are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from conewise.errors import InputError, closest, shown
from conewise.tables.columns import listed_columns
from conewise.tables.designs import NAME_COLUMNS

Rows = Sequence[Mapping[str, Any]]

_TWO_OTHERS: Final = 2  # with one other design, nobody knows which of the two is the rule


def check_no_objective(rows: Rows, objectives: Sequence[str]) -> None:
    """Refuse a column of designs that is called like an objective: in a table of results it would be both."""
    taken = next((column for row in rows for column in row if column in objectives), None)
    if taken is not None:
        raise InputError(
            f"a column of the designs is called {taken!r:.60}, and so is an objective; rename the column, or leave it "
            "out."
        )


def check_complete(rows: Rows) -> None:
    """Refuse a design that lacks what all others have, of at least two others: a slip, and None says that it has none.

    What fewer have is a remark.
    """
    has = Counter(column for row in rows for column in row if column.lower() not in NAME_COLUMNS)
    for column, times in has.items():
        if times != len(rows) - 1 or times < _TWO_OTHERS:
            continue
        place, row = next((place, row) for place, row in enumerate(rows) if column not in row)
        meant = closest(column, [own for own in row if has[own] == 1])
        raise InputError(
            f"the design in place {place + 1} lacks {column!r:.60}, which all others have"
            + (f"; perhaps its {meant!r:.60} is meant." if meant is not None else "; say None where it has no value.")
        )


def check_like(rows: Rows, before: Rows) -> None:
    """Refuse a table of other things: rows without a name, or with other columns than the designs that there are."""
    always, ever = set(before[0]), set[str]()
    for row in before:
        always &= row.keys()
        ever |= row.keys()
    always -= set(NAME_COLUMNS)
    for place, row in enumerate(rows):
        own = [column for column in row if column.lower() not in NAME_COLUMNS]
        if len(own) == len(row):
            raise InputError(
                f"row {place + 1} of the designs to add has no name: one of its columns must be called name, design or "
                f"id, got {listed_columns(own)}."
            )
        stray = [column for column in own if column not in ever] if always else []
        lacking = sorted(always - set(own)) if own else []
        if stray or lacking:
            theirs = sorted(ever - set(NAME_COLUMNS))
            meant = closest(stray[0], theirs) if stray else None
            raise InputError(
                f"row {place + 1} of the designs to add {'has' if stray else 'lacks'} "
                f"{listed_columns(stray or lacking)}; the designs of the study have {listed_columns(theirs)}, beside "
                f"their name{'.' if meant is None else f'; perhaps {meant!r} is meant.'}"
            )
    _check_numbers(rows, before)


def _check_numbers(rows: Rows, before: Rows) -> None:
    """Refuse text in a column where all designs that there are have numbers."""
    of_numbers: dict[str, bool] = {}
    for place, row in enumerate(rows):
        for column, cell in row.items():
            if not isinstance(cell, str) or column.lower() in NAME_COLUMNS:
                continue
            if column not in of_numbers:
                of_numbers[column] = _holds_numbers(before, column)
            if of_numbers[column]:
                raise InputError(
                    f"row {place + 1} of the designs to add has {shown(cell)} under {column!r}, where all designs of "
                    "the study have numbers."
                )


def _holds_numbers(rows: Rows, column: str) -> bool:
    known = [row[column] for row in rows if row.get(column) is not None]
    return bool(known) and not any(isinstance(value, str | bool) for value in known)
