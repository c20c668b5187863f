"""Results as people write them down: a record for each evaluation, with an id or a design and the objectives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conewise.certificate.fit import Limits
from conewise.errors import InputError, shown
from conewise.noise import Noise
from conewise.tables.designs import NAME_COLUMNS, OUTCOMES
from conewise.tables.frames import is_frame, records_of
from conewise.tables.spreadsheets import EXPORT_COLUMNS, TO_FILL_IN


@dataclass(frozen=True)
class Records:
    """What records say: ids, or designs where nobody asked; values in the order of the objectives."""

    ids: list[Any]
    designs: list[Any]
    values: list[list[Any]]
    blocks: list[Any]
    """Of each design, where a study has blocks."""
    ignored: tuple[str, ...] = ()
    """Keys that mean nothing here."""


def outcomes_of(noise: Noise | None, objectives: Sequence[str]) -> frozenset[str]:
    """The objectives whose values are 0 or 1, which may be told in words."""
    limits = None if noise is None else Limits.of(noise, len(objectives))
    two_valued = () if limits is None else limits.two_valued
    return frozenset(name for name, two in zip(objectives, two_valued, strict=False) if two)


def in_numbers(entry: Any, outcome: bool) -> Any:
    """1 or 0 for the word of an outcome, such as "yes" and "false"; anything else as it is."""
    return OUTCOMES.get(entry.strip().lower(), entry) if outcome and isinstance(entry, str) else entry


def meaningless(keys: Iterable[Any], known: Iterable[str]) -> tuple[str, ...]:
    """Those of the keys of a record that are neither `known` nor something that conewise writes beside results.

    >>> meaningless(["ID", "cost", "Cost", "heat_", "remark"], ["cost", "heat"])
    ('Cost', 'remark')
    """
    ours = {*TO_FILL_IN, *EXPORT_COLUMNS, *NAME_COLUMNS}
    theirs = {name.rstrip("_") for name in known}  # in a table to fill in a column may have underscores at its end
    found = (str(key) for key in keys)
    return tuple(dict.fromkeys(k for k in found if k.lower() not in ours and k.rstrip("_") not in theirs))


def design_in(row: Mapping[str, Any]) -> Any:
    """What a record says of its design, under "design" or "name"; None where it says nothing."""
    return next((row[c] for c in ("design", *NAME_COLUMNS) if c != "id" and row.get(c) not in (None, "")), None)


def as_rows(given: Any, objectives: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """One mapping or several, or a table in memory, as a list that is not empty."""
    by_column = isinstance(given, Mapping) and bool(given) and all(isinstance(e, list | tuple) for e in given.values())
    if by_column or (not isinstance(given, Mapping) and is_frame(given)):
        given = records_of(given)
    rows = [given] if isinstance(given, Mapping) else given
    if isinstance(rows, str) or not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            "tell takes a batch and its values, or records with an id (or a design) and the objectives, such as "
            f'{{"id": "d0n3", "{objectives[0]}": 0.5, ...}}, got {shown(given)}.'
        )
    if not rows:
        raise InputError("at least one record was expected, with an id (or a design) and the objectives, got none.")
    return rows


def as_records(
    given: Any,
    objectives: Sequence[str],
    block: str | None = None,
    outcomes: Collection[str] = (),
    columns: Collection[str] = (),
) -> Records:
    """From one mapping or several: each has "id" or "design" (or "name"), and every objective; more is ignored.

    What is ignored is said, but for `columns` of the designs and what conewise itself writes beside results.

    `block` is the column that a record with a design has to have as well, where designs share blocks; `outcomes` are
    the objectives that may be told in words.
    """
    rows = as_rows(given, objectives)
    ids: list[Any] = []
    designs: list[Any] = []
    blocks: list[Any] = []
    rows = [{name: in_numbers(entry, name in outcomes) for name, entry in row.items()} for row in rows]
    for place, row in enumerate(rows):
        missing = next((name for name in objectives if row.get(name) is None), None)
        if missing is not None:
            raise InputError(f"record {place} has no value for {missing!r}; it has {', '.join(map(str, row))}.")
        words = next((name for name in objectives if isinstance(row[name], str)), None)
        if words is not None:
            raise InputError(f"record {place}, {words!r} is {row[words]!r:.60}, where a number was expected.")
        design = design_in(row)
        if row.get("id") is not None:
            ids.append(row["id"])
        elif design is not None:
            if block is not None and row.get(block) is None:
                raise InputError(f"record {place} names no {block}; it has {', '.join(map(str, row))}.")
            designs.append(design)
            blocks += [] if block is None else [row[block]]
        else:
            raise InputError(f'record {place} has neither "id" nor "design"; it has {", ".join(map(str, row))}.')
    if ids and designs:
        raise InputError("some records have an id and some only a design; tell the two kinds one after the other.")
    known = {*objectives, *columns, *(() if block is None else (block,))}
    ignored = meaningless((key for row in rows for key in row), known)
    return Records(ids, designs, [[row[name] for name in objectives] for row in rows], blocks, ignored)
