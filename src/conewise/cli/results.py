"""Tables of results: rows with an id or a design, and a value for each objective."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from conewise.errors import InputError
from conewise.studies.cells import OBJECTIVE, VALUE, read_cells
from conewise.studies.opened import check_said
from conewise.studies.results import in_numbers, meaningless, outcomes_of
from conewise.studies.study import Study
from conewise.tables.columns import no_column, row_words
from conewise.tables.designs import what_is_wrong
from conewise.tables.readers import read_rows, reader, rows_of_text
from conewise.tables.spreadsheets import TO_FILL_IN


@dataclass(frozen=True)
class Results:
    """What a table says: ids, or designs where nobody asked; values; and how many rows have none yet."""

    ids: list[str]
    designs: list[str]
    values: list[list[float]]
    skipped: int
    ignored: tuple[str, ...] = ()
    """Columns that mean nothing to the study."""
    objectives: list[str] | None = None
    """Of each design, where objectives are measured separately."""

    def known_by(self) -> list[str]:
        """A text for the first row, the first two rows, ..., all rows: by it the same rows are known again."""
        rows, texts = blake2b(digest_size=16), []
        named = [f"{design}\0" for design in self.designs]
        if self.objectives is not None:
            named = [f"{design}{objective}\0" for design, objective in zip(named, self.objectives, strict=True)]
        for design, values in zip(named, self.values, strict=True):
            rows.update(f"{design}{values!r}\0".encode())
            texts.append(f"table {rows.hexdigest()}")
        return texts


def read_results(file: str, study: Study) -> Results:
    """From a file, or from standard input when it is called `-`."""
    if file == "-":
        what = "standard input"
        text = sys.stdin.buffer.read().decode("utf-8-sig")
        rows, header = rows_of_text(text, what), text.partition("\n")[0]
    else:
        what = Path(file).name
        rows, header = read_rows(Path(file)), ""
        if not rows:
            header = ",".join(reader(Path(file)).columns())
    if not rows:
        if tuple(header.strip().split(",")[: len(TO_FILL_IN)]) == TO_FILL_IN:
            return Results([], [], [], 0)  # as `ask` writes it when there is nothing to hand out
        raise InputError(f"{what} has no rows below its header.")
    there = list(dict.fromkeys(column for row in rows for column in row))
    columns = folded(there)
    if study.separate:
        return _one_by_one(rows, columns, study, what)
    missing = next((name for name in study.objectives if name not in there), None)
    if missing is not None:
        raise no_column(what, missing, there)
    by_id, by_design = columns.get("id"), columns.get("design", columns.get("name"))
    if by_id is None and by_design is None:
        raise InputError(f"{what} has neither a column id nor a column design; it has {', '.join(there)}.")
    block = None if study.blocks is None else study.blocks.column
    if by_id is None and block is not None and block not in there:
        raise InputError(f"{what} has neither a column id nor a column {block}; it has {', '.join(there)}.")
    outcomes = outcomes_of(study.noise, study.objectives)
    ids, designs, values, skipped = [], [], [], 0
    for number, row in enumerate(rows):
        where = row_words(Path(what), number)
        entries = [in_numbers(row.get(name), name in outcomes) for name in study.objectives]
        if all(entry is None or entry == "" for entry in entries):
            skipped += 1
            continue
        values.append([_number(e, o, where) for e, o in zip(entries, study.objectives, strict=True)])
        identity, design = row.get(by_id or ""), row.get(by_design or "")
        if by_id is not None:
            if identity in (None, ""):
                raise InputError(f"{where} has no id; give rows with ids and rows with designs in two tables.")
            check_said(study, str(identity), design, None if block is None else row.get(block), where)
            ids.append(str(identity))
        else:
            if design in (None, ""):
                raise InputError(f"{where} names no design.")
            if block is None:
                designs.append(str(design))
            elif row.get(block) in (None, ""):
                raise InputError(f"{where} names no {block}.")
            else:
                ids += study.ids_of([str(design)], [row[block]])
    if not values:
        raise InputError(f"{what} holds no values yet: the columns {', '.join(study.objectives)} are empty.")
    known = {*study.objectives, *([] if block is None else [block]), *(c for row in study.rows for c in row)}
    return Results(ids, designs, values, skipped, meaningless(there, known))


def folded(columns: Sequence[str]) -> dict[str, str]:
    """Columns by their names in small letters; of two that differ in nothing else, the one in small letters.

    >>> folded(["id", "ID", "Cost"])
    {'id': 'id', 'cost': 'Cost'}
    """
    return {column.lower(): column for column in sorted(columns, key=str.islower)}


def _one_by_one(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], study: Study, what: str) -> Results:
    """A table of a study whose objectives are measured separately: a row has a value of one of them, or of several."""
    there = {column for row in rows for column in row}
    named = next((name for name in study.objectives if name in there), None)
    if VALUE not in columns and named is None:
        raise no_column(what, VALUE, list(columns.values()))
    ours = {columns[word]: word for word in ("id", "design", "name", OBJECTIVE, VALUE) if word in columns}
    ours = {theirs: word for theirs, word in ours.items() if theirs not in study.objectives}
    given = [{ours.get(column, column): entry for column, entry in row.items()} for row in rows]
    outcomes = outcomes_of(study.noise, study.objectives)

    def where(number: int) -> str:
        return row_words(Path(what), number)

    for number, row in enumerate(given):
        if row.get("id") not in (None, ""):
            check_said(study, str(row["id"]), row.get("design", row.get("name")), None, where(number))
    own = {column for row in study.rows for column in row}
    found = read_cells(given, study.objectives, len(study.all_names), _number, where, outcomes, own)
    if not found.values:
        raise InputError(f"{what} holds no values yet: the column {named or VALUE} is empty.")
    values = [[value] for value in found.values]
    designs = [str(design) for design in found.designs]
    return Results(found.ids, designs, values, found.skipped, found.ignored, found.objectives)


def _number(entry: Any, objective: str, where: str) -> float:
    if entry is None or entry == "":
        raise InputError(f"{where} has no value for {objective!r}, but values for other objectives.")
    if (wrong := what_is_wrong(entry)) is not None:
        raise InputError(f"{where}, column {objective!r} {wrong}.")
    return float(entry)
