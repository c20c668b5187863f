"""What columns mean, from the options --unit, --level and --noise.

An objective is whatever any option names. Where --objectives says which columns are compared, those that --minimise,
--unit, --level or --noise name are compared as well; where it is left out, all columns are (known values), or those
that the other options name (measurements).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from conewise.errors import InputError
from conewise.noise import Noise
from conewise.noise.text import parse_noise
from conewise.question.objectives import Level, Objectives
from conewise.tables.clauses import parse_clause
from conewise.tables.names import first_repeated

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


def all_named(
    objectives: Sequence[str],
    minimise: Sequence[str] = (),
    units: Sequence[str] = (),
    levels: Sequence[str] = (),
    assumptions: Sequence[str] = (),
) -> list[str]:
    """Every objective that any option names, each once: those of --objectives first."""
    if (repeated := first_repeated(objectives)) is not None:
        raise InputError(f"--objectives names {repeated[:60]!r} twice; name it once.")
    found = dict.fromkeys((*objectives, *minimise))
    clauses = [parse_clause(text, ("=",), "unit") for text in units if text != "auto"]
    clauses += [parse_clause(text, ("<=", ">="), "level") for text in levels]
    clauses += [parse_clause(text, ("=",), "noise") for text in assumptions if "=" in text]
    return list(found | dict.fromkeys(clause.column for clause in clauses))


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
    return objectives.having("unit", given).having("level", _levels(levels)), auto


noise_option: Final = click.option(
    "--noise",
    "assumption",
    multiple=True,
    metavar="KIND",
    help="What is assumed: unknown (normal, estimated from repetitions), gaussian:SIGMA, subgaussian:SIGMA, "
    "bounded:LOW:HIGH, binary (0/1, yes/no, true/false) or known (no noise, as of a price list); of all objectives, "
    "with commas one number an objective, or of one: 'correct=binary'; repeatable. Without it normal noise is taken, "
    "and nothing is guaranteed.",
)


def assumed_of(objectives: Objectives, assumptions: Sequence[str]) -> tuple[Objectives, Noise | None]:
    """Return the objectives with what is said of each, and what is said of all others: None where nothing is."""
    named: dict[str, Noise | float | str] = {}
    plain: list[str] = []
    for text in assumptions:
        if "=" not in text:
            plain.append(text)
            continue
        clause = parse_clause(text, ("=",), "noise")
        if clause.column in named:
            raise InputError(f"--noise says two things of {clause.column[:60]!r}; say which.")
        named[clause.column] = clause.value
    if len(plain) > 1:
        both = " and ".join(f"{text[:40]!r}" for text in plain[:2])
        raise InputError(f"--noise says two things of all objectives, {both}; say which.")
    return objectives.having("noise", named), parse_noise(plain[0], "--noise") if plain else None


def _levels(levels: Sequence[str]) -> dict[str, Level]:
    found: dict[str, Level] = {}
    for text in levels:
        clause = parse_clause(text, ("<=", ">="), "level")
        if isinstance(clause.value, str):
            raise InputError(f"--level {text[:60]!r}: {clause.value[:40]!r} is not a number.")
        if clause.column in found:
            raise InputError(f"--level gives two levels of {clause.column[:60]!r}; an objective has one.")
        found[clause.column] = (clause.sign, clause.value)
    return found
