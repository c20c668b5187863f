"""What columns mean, from the options --unit and --level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from conewise.errors import InputError
from conewise.objectives import Objectives, with_levels, with_units
from conewise.tables.clauses import parse_clause

unit_option: Final = click.option(
    "--unit",
    "units",
    multiple=True,
    metavar="NAME=AMOUNT",
    help="How much of an objective is one step, in which cone and epsilon count: 'price (EUR)=500'; repeatable. "
    "auto: a tenth of each spread, rounded to 1-2-5.",
)
level_option: Final = click.option(
    "--level",
    "levels",
    multiple=True,
    metavar="CLAUSE",
    help="What is acceptable of an objective: 'toxicity<=3', 'yield>=0.8'; repeatable.",
)


def meant_by(objectives: Objectives, units: Sequence[str], levels: Sequence[str] = ()) -> tuple[Objectives, bool]:
    """The objectives with these units and levels, and whether the rest of the units is to be proposed."""
    auto = "auto" in units
    given: dict[str, float] = {}
    for text in units:
        if text == "auto":
            continue
        clause = parse_clause(text, ("=",), "unit")
        if isinstance(clause.value, str):
            raise InputError(f"--unit {text[:60]!r}: {clause.value[:40]!r} is not a number.")
        if clause.column in given:
            raise InputError(f"--unit gives two units of {clause.column[:60]!r}; say which.")
        given[clause.column] = clause.value
    return with_levels(with_units(objectives, given), _levels(objectives, levels)), auto


def _levels(objectives: Objectives, levels: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    known = {o.name: o for o in objectives.each}
    for text in levels:
        clause = parse_clause(text, ("<=", ">="), "level")
        if isinstance(clause.value, str):
            raise InputError(f"--level {text[:60]!r}: {clause.value[:40]!r} is not a number.")
        if clause.column in found:
            raise InputError(f"--level gives two levels of {clause.column[:60]!r}; an objective has one.")
        objective = known.get(clause.column)
        if objective is not None and (clause.sign == "<=") != objective.minimised:
            way, least = ("small", "most") if objective.minimised else ("large", "least")
            hint = "" if objective.minimised else ", or name it with --minimise; a range is a --where"
            raise InputError(
                f"--level {text[:60]!r}: {clause.column!r} should be {way}, so its level is the {least} that is "
                f"acceptable, '{clause.column}{'<=' if objective.minimised else '>='}...'{hint}."
            )
        found[clause.column] = clause.value
    return found
