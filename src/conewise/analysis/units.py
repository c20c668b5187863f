"""Units that are taken from the values: a tenth of each spread, and what is left of a guarantee then.

Cone, gaps and epsilon count in units. A guarantee is about a question that was fixed before anybody looked; units that
noisy values chose make directions and distances random. One question does not depend on units: under the orthant, at
epsilon = 0, one design beats another or does not, whatever a step is (docs/objectives).
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np

from conewise.algorithms import Result
from conewise.analysis.unproven import without_proof
from conewise.errors import InputError, shown
from conewise.feedback import Statistics
from conewise.goals import Question
from conewise.objectives import proposed_units, weighs, with_units
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source

AUTO: Final = "auto"
CHOSEN: Final = (
    "the units were taken from the values, and no proof covers directions and distances that noisy values chose"
)


def take_units(source: Source, units: Any) -> None:
    """With "auto", a tenth of the spread of the averages for each objective without a unit; the table remembers it."""
    if not isinstance(units, str) or units != AUTO:
        raise InputError(
            f'units must be "auto" or None, got {shown(units)}; a unit of your own is Objective(unit=...).'
        )
    if not hasattr(source, "meaning_as"):
        raise InputError('units="auto" needs a table with names for its objectives, got observations alone.')
    table = cast(LongTable | WideTable, source)
    statistics = Statistics.empty(len(table.names), len(table.objectives))
    for observations in table:
        statistics = statistics.add(observations)
    averages = table.meaning.own(statistics.means[statistics.counts > 0])
    spreads = np.ptp(averages, axis=0) if len(averages) else np.zeros(len(table.objectives))
    given = {o.name for o in table.meaning.each if o.unit != 1}
    proposal = proposed_units(table.meaning, spreads)
    table.meaning_as(with_units(table.meaning, {n: u for n, u in proposal.items() if n not in given}))
    table.units_chosen = True


def were_chosen(source: Source) -> bool:
    """Whether the values of a table have chosen its units."""
    return bool(getattr(source, "units_chosen", False))


def stands(result: Result, question: Question) -> bool:
    """Whether a guarantee is the same for all units: the orthant at epsilon = 0."""
    worth = result.guarantee
    return bool(worth and worth.epsilon == 0 and not weighs(question.cone))


def with_chosen_units(result: Result, question: Question) -> Result:
    """What is left of an answer whose units were taken from the values."""
    if stands(result, question) or not result.guarantee:
        return result
    return without_proof(result, CHOSEN)
