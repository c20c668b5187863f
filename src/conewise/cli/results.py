"""Tables of results: rows with an id or a design, and a value for each objective."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from conewise.cli.readers import spooled
from conewise.errors import InputError
from conewise.studies.cells import OBJECTIVE, VALUE
from conewise.studies.identity import NEXT
from conewise.studies.opened import read_records
from conewise.studies.results import Records
from conewise.studies.study import Study
from conewise.tables.columns import no_column, row_words
from conewise.tables.designs import what_is_wrong
from conewise.tables.readers import read_rows, reader
from conewise.tables.spreadsheets import TO_FILL_IN


def known_by(found: Records, study: Study) -> list[str]:
    """Return a text for the first new row, the first two new rows, ..., by which these rows are known again."""
    rows, texts = blake2b(digest_size=16), []
    for one, values in zip(found.places, found.values, strict=True):
        if one.number == NEXT:
            objective = "" if one.objective is None else f"{study.objectives[one.objective]}\0"
            rows.update(f"{study.name_of(one.design)}\0{objective}{values!r}\0".encode())
            texts.append(f"table {rows.hexdigest()}")
    return texts


def read_results(file: str, study: Study) -> Records:
    """Read evaluations from a file, or from standard input when it is called `-`."""
    with spooled([Path(file)]) as (path,):
        what, rows = path.name, read_rows(path)
        header = () if rows else tuple(reader(path).columns())
    if not rows:
        if header[: len(TO_FILL_IN)] == TO_FILL_IN:
            return Records()  # as `ask` writes it when there is nothing to hand out
        raise InputError(f"{what} has no rows below its header.")
    there = list(dict.fromkeys(column for row in rows for column in row))
    columns = folded(there)
    for name in () if study.separate else study.objectives:
        if name not in there:
            raise no_column(what, name, there)
    value = [word for word in (OBJECTIVE, VALUE) if study.separate]
    if value and VALUE not in columns and not set(there) & set(study.objectives):
        raise no_column(what, VALUE, list(columns.values()))
    ours = {columns[word]: word for word in ("id", "design", "name", *value) if word in columns}
    ours = {theirs: word for theirs, word in ours.items() if theirs not in study.objectives}
    given = [{ours.get(column, column): entry for column, entry in row.items()} for row in rows]
    for row in given:
        if row.get("id") in (None, ""):  # a number names a design here, and does not count it
            row.update({word: str(row[word]) for word in ("design", "name") if row.get(word) not in (None, "")})
    found = read_records(study, given, lambda place: row_words(Path(what), place), _number)
    if not found.values:
        empty = [name for name in study.objectives if name in there] or [VALUE]
        are = "column {} is" if len(empty) == 1 else "columns {} are"
        raise InputError(f"{what} holds no values yet: the {are.format(', '.join(empty))} empty.")
    return found


def folded(columns: Sequence[str]) -> dict[str, str]:
    """Columns by their names in small letters; of two that differ in nothing else, the one in small letters.

    >>> folded(["id", "ID", "Cost"])
    {'id': 'id', 'cost': 'Cost'}
    """
    return {column.lower(): column for column in sorted(columns, key=str.islower)}


def _number(entry: Any, objective: str, where: str) -> float:
    if (wrong := what_is_wrong(entry)) is not None:
        raise InputError(f"{where}, column {objective!r} {wrong}.")
    return float(entry)
