"""Units that are taken from the values: a tenth of each spread, and what is left of a guarantee then.

Cone, gaps and epsilon count in units. A guarantee is about a question that was fixed before anybody looked; units that
noisy values chose make directions and distances random. One question does not depend on units: under the orthant, at
epsilon = 0, one design beats another or does not, whatever a step is (docs/objectives).
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np

from conewise.analysis.unproven import without_proof
from conewise.border import Floats
from conewise.certificate.streams import Separately, by_objective
from conewise.data.observations import Statistics
from conewise.errors import InputError, shown
from conewise.question.objectives import weighs, with_proposed_units
from conewise.question.question import Question
from conewise.rules import Result
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source

AUTO: Final = "auto"
CHOSEN: Final = (
    "the units were taken from the values, and no proof covers directions and distances that noisy values chose"
)


def take_units(source: Source, units: Any, separate: bool = False) -> None:
    """With "auto", a tenth of the spread of the averages for each objective without a unit; the table remembers it."""
    if not isinstance(units, str) or units != AUTO:
        raise InputError(
            f'units must be "auto" or None, got {shown(units)}; a unit of your own is Objective(unit=...).'
        )
    if not hasattr(source, "meaning_as"):
        raise InputError('units="auto" needs a table with names for its objectives, got observations alone.')
    table = cast(LongTable | WideTable, source)
    averages = table.meaning.own(_averages(table, separate))
    measured = [column[~np.isnan(column)] for column in averages.T]
    spreads = np.array([np.ptp(column) if len(column) else 0.0 for column in measured])
    table.meaning_as(with_proposed_units(table.meaning, spreads))
    table.units_chosen = True


def _averages(table: LongTable | WideTable, separate: bool) -> Floats:
    """(K, D): in steps; NaN where nothing was measured."""
    if not separate:
        statistics = Statistics.empty(len(table.names), len(table.objectives))
        for observations in table:
            statistics = statistics.add(observations)
        return np.where(statistics.counts[:, None] > 0, statistics.means, np.nan)
    seen = Separately.empty(len(table.names), len(table.objectives))
    if isinstance(table, WideTable):
        return seen.add(table.separately()).means
    for designs, values in table.separately():
        seen = seen.add(by_objective(designs, values))
    return seen.means


def were_chosen(source: Source) -> bool:
    """Whether the values of a table have chosen its units."""
    return bool(getattr(source, "units_chosen", False))


def stands(result: Result, question: Question) -> bool:
    """Whether a guarantee is the same for all units: the orthant at epsilon = 0."""
    proof = result.guarantee.proof
    return bool(proof and proof.epsilon == 0 and not weighs(question.cone))


def with_chosen_units(result: Result, question: Question) -> Result:
    """What is left of an answer whose units were taken from the values."""
    if stands(result, question) or not result.guarantee.proof:
        return result
    return without_proof(result, CHOSEN)


def units_words(question: Question, result: Result, chosen: bool) -> list[str]:
    """Return what the answer remarks about its units, or that the values have chosen them."""
    if not chosen:
        return list(result.remarks)
    words = f"One step is {question.columns.amounts(1.0) or '1'}: a tenth of each spread, taken from the values."
    if not weighs(question.cone):
        words += " Who beats whom does not depend on it under the orthant; distances and epsilon do."
    return [words]
