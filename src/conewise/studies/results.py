"""Results as people write them down: a record for each evaluation, with an id or a design and the objectives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

from conewise.certificate.fit import Limits
from conewise.errors import InputError, shown
from conewise.noise import Noise
from conewise.studies.identity import MOST_NUMBERS, Identity
from conewise.tables.designs import MISSING, NAME_COLUMNS, OUTCOMES, what_is_wrong
from conewise.tables.frames import is_frame, records_of
from conewise.tables.spreadsheets import EXPORT_COLUMNS, TO_FILL_IN


@dataclass
class Records:
    """Evaluations as they were written down, in rows: one entry a list for each of them."""

    places: list[Identity] = field(default_factory=list)
    values: list[list[Any]] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    """Where each stands, for an error."""
    by_id: bool = False
    """Whether the rows have ids."""
    skipped: int = 0
    """Rows without any value."""
    ignored: tuple[str, ...] = ()
    """Keys that mean nothing to the study."""


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


def number_in(row: Mapping[str, Any], columns: Collection[str], where: str) -> int | None:
    """Return the number that an export of the study gives an evaluation; None for a new one.

    A column of the designs may be called "number", too: then only an export has numbers of evaluations.
    """
    _, number, _, told_at = EXPORT_COLUMNS
    entry: Any = row.get(number)
    if (number in columns and told_at not in row) or str(entry).strip().lower() in {*MISSING, "<na>"}:
        return None
    if (wrong := what_is_wrong(entry)) is None and not (0 <= float(entry) < MOST_NUMBERS and float(entry) % 1 == 0):
        wrong = f"holds {shown(entry)}, where a whole number from 0 on was expected"
    if wrong is not None:
        raise InputError(f"{where}, column {number!r} {wrong}; leave it empty for a new measurement.")
    return int(float(entry))


def as_rows(given: Any, objectives: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """One mapping or several, or a table in memory, as a list that is not empty."""
    one = isinstance(given, Mapping) and any(isinstance(e, str) or not isinstance(e, Sized) for e in given.values())
    if not one and is_frame(given):
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
