"""A report of a front: a table of known values, one design a row, under a preference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone, as_cone
from conewise.question.objectives import Objective, Objectives
from conewise.question.question import Heuristic, Question
from conewise.report.subject import Subject
from conewise.rules import Result
from conewise.tables.designs import two_of_one_name
from conewise.tables.known import all_rows, names_of, open_designs, take_units
from conewise.tables.names import first_repeated
from conewise.tables.shards import ShardedTable
from conewise.tables.standings import standings

_EXACT: Final = "the values are taken as exact, so that nothing is left to chance"
_UNUSED: Final = 0.5  # a probability of error, which exact values do not have


def of_front(
    table: Any,
    cone: Cone | None = None,
    title: str = "Front",
    *,
    objectives: Sequence[str | Objective] | None = None,
    minimise: Sequence[str] = (),
    name: str | None = None,
    where: str | None = None,
    units: str | None = None,
) -> Subject:
    """A table of known values, as `conewise.front` takes it: who is Pareto optimal, and who beats the others.

    >>> cars = [{"name": "a", "price": 9, "power": 80}, {"name": "b", "price": 8, "power": 90}]
    >>> of_front(cars, objectives=["price", "power"], minimise=["price"]).result.standing(0)
    'beaten by b'
    """
    opened, _ = open_designs(table, objectives, minimise, name, where)
    take_units(opened, units)
    return of_designs(opened, Cone.orthant(opened.dim) if cone is None else cone, title)


def of_designs(table: ShardedTable, cone: Cone, title: str) -> Subject:
    """The same of a table that is open, with what its columns mean."""
    rows, values = all_rows(table)
    names = names_of(table, rows)
    if (twice := first_repeated(names)) is not None:
        raise two_of_one_name(table.tables[0].path.name, twice)
    where = "" if table.where is None else f", only rows with {table.where}"
    return of_values(names, values, table.meaning, cone, title, source=f"the table {title}{where}")


def of_values(
    names: Sequence[str], values: Floats, meaning: Objectives, cone: Cone, title: str, *, source: str = "known values"
) -> Subject:
    """The same of values (K, D) in the units and directions of whoever asks."""
    stand = standings(values, meaning, as_cone(cone))
    k = len(values)
    result = Result(
        stand.status == "kept",
        stand.status,
        0,
        Heuristic(_EXACT),
        None,
        "every value is known",
        meaning.steps(values),
        np.zeros(k, dtype=np.int64),
        stand.by,
        stand.status == "kept",
    )
    question = Question(cone, 0.0, _UNUSED, None, "contain", meaning)
    result = result.answering(question, list(names))
    return Subject(
        title,
        result,
        question,
        "none: every value is taken as exact",
        "the exact Pareto set of a table",
        result.remarks,
        remaining=0,
        history_note="Known values have no history.",
        source=source,
        known=True,
    )
