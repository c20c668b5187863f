"""Values of studies whose objectives are measured separately: an evaluation has one objective, and one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from conewise.border import Floats, as_floats, as_number, check_finite
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations
from conewise.errors import InputError, closest, shown
from conewise.question.objectives import Objectives
from conewise.studies.identity import Identity

OBJECTIVE: Final = "objective"
VALUE: Final = "value"
CELL_COLUMNS: Final = frozenset({OBJECTIVE, VALUE})
"""Columns of a table to fill in: which objective is to be measured, and what came of it."""
_RULES: Final = ("auto", "separate")


def check_separate(algorithm: Any, rows: Sequence[Mapping[str, Any]], block: Any) -> None:
    """Refuse what does not go together with objectives that are measured separately."""
    if not isinstance(algorithm, str) or algorithm not in _RULES:
        raise InputError(
            f"objectives that are measured separately have a rule of their own, got {shown(algorithm)}; leave the "
            'algorithm out, or name "separate".'
        )
    if block is not None:
        raise InputError(
            "objectives that are measured separately share no blocks: leave out `block`, or measure all objectives of "
            "a design on its block."
        )
    if any(column.lower() == OBJECTIVE for row in rows for column in row):
        raise InputError(
            f"a column of the designs is called {OBJECTIVE!r}, and so is what is to be measured; rename the column."
        )


def as_objective(name: Any, names: Sequence[str]) -> int:
    """The place of an objective by its name."""
    if isinstance(name, str) and name in names:
        return names.index(name)
    near = closest(name[:60], names) if isinstance(name, str) else None
    hint = f"did you mean {near!r:.60}?" if near is not None else f"it has {', '.join(names)}."
    raise InputError(f"there is no objective {shown(name)} in this study; {hint}")


def cell_values(given: Any, objectives: Sequence[int], names: Sequence[str]) -> Floats:
    """(n, 1) finite numbers, one for each of these objectives: numbers, or mappings such as {"cost": 2.5}."""
    n = len(objectives)
    if isinstance(given, Mapping):
        given = [given]
    if (
        isinstance(given, Sequence)
        and not isinstance(given, str | bytes)
        and any(isinstance(g, Mapping) for g in given)
    ):
        if len(given) != n:
            raise InputError(f"{n} values were expected, one an evaluation, got {len(given)}.")
        given = [_only(entry, names[d], i) for i, (entry, d) in enumerate(zip(given, objectives, strict=True))]
    array = as_floats(given, "values")
    if array.shape not in ((n,), (n, 1)) and not (n == 1 and array.shape == ()):
        raise InputError(
            f"values must be {n} number{'s' * (n != 1)}, one an evaluation, which in this study is of one objective; "
            f"got shape {array.shape}."
        )
    array = array.reshape(n, 1)
    if n:
        check_finite(array, "values")
    return array.copy()


def _only(entry: Any, name: str, place: int) -> Any:
    """The value of an objective, where it is all that is told."""
    if not isinstance(entry, Mapping):
        return entry
    stray = next((key for key in entry if key != name), None)
    if stray is not None or name not in entry:
        raise InputError(
            f"evaluation {place} of these is of {name!r:.60} alone, and was told "
            f"{shown(stray) if stray is not None else 'nothing'}; tell {{{name!r}: value}}, or the value."
        )
    return entry[name]


def as_told(entry: Any, name: str, where: str) -> Any:
    """Return a number that was told in Python as it is; refuse what is none."""
    if isinstance(entry, str | bytes | Mapping) or np.ndim(entry) != 0:
        raise InputError(f"{where}, {name!r:.60} is {shown(entry)}, where a number was expected.")
    as_number(float(entry) if isinstance(entry, bool | np.bool_) else entry, f"{where}, {name!r:.60}")
    return entry


def cells_of(row: Mapping[str, Any], names: Sequence[str], where: str) -> dict[str | None, Any]:
    """Return the values of a row by objective; that of None where the row does not say of which."""
    own: dict[str | None, Any] = {name: row[name] for name in names if row.get(name) not in (None, "")}
    if row.get(VALUE) in (None, ""):
        return own
    if own:
        raise InputError(f"{where} has a {VALUE} and one for {next(iter(own))!r:.60}; give one of them.")
    named = row.get(OBJECTIVE)
    return {None if named in (None, "") else named: row[VALUE]}


def named_cells(
    said: Mapping[str | None, Any], row: Mapping[str, Any], one: Identity | None, names: Sequence[str], where: str
) -> dict[str, Any]:
    """Return the values of a row by the names of their objectives; refuse those of others than its id has."""
    if one is None:
        if None in said:
            raise InputError(f"{where} names no objective; it has {', '.join(map(str, row))}.")
        return {names[as_objective(name, names)]: entry for name, entry in said.items()}
    name = names[one.objective or 0]
    stray = next((o for o in (row.get(OBJECTIVE), *said) if o not in (None, "", name)), None)
    if stray is not None:
        raise InputError(f"{where}: {one} is an evaluation of {name!r:.60}, not of {shown(stray)}.")
    return dict.fromkeys([name], *said.values())


def apart(streams: Any, values: Floats, columns: Objectives, n_designs: int) -> Separately:
    """Statistics of each objective by itself, in steps; stream k * D + d is objective d of design k."""
    dim = len(columns)
    steps, parts = columns.steps(values, streams % dim), []
    for d in range(dim):
        mine = streams % dim == d
        parts.append(Observations.single(streams[mine] // dim, steps[mine]))
    return Separately.empty(n_designs, dim).add(parts)


def widened(streams: Any, values: Floats, dim: int) -> Floats:
    """(n, D): values (n, 1) in the columns of their objectives, NaN in all others."""
    wide = np.full((len(values), dim), np.nan)
    wide[np.arange(len(values)), streams % dim] = values[:, 0]
    return wide
