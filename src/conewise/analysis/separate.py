"""What a table certifies whose objectives were measured separately, each with its own number of repetitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import numpy as np

from conewise.analysis.fitting import check_separate
from conewise.analysis.gathering import check_limit
from conewise.analysis.guesses import Guess, front_words
from conewise.analysis.oddities import Oddities, Values, listed, undeclared_words
from conewise.analysis.planning import UP_TO_A_LOOK
from conewise.analysis.units import CHOSEN, units_words, were_chosen, with_chosen_units
from conewise.analysis.unproven import (
    STOPPED,
    as_imported,
    left_out_words,
    pruned_in,
    shared_by,
    where_exported,
    where_searched,
)
from conewise.border import Bools, Floats, Indices, advisory
from conewise.certificate.streams import Separately, by_objective, check_parts
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError, printable
from conewise.noise import ByObjective
from conewise.question.question import Question, certainty
from conewise.rules import Plan, Result, SeparateElimination, Status
from conewise.rules.adaptive.fixed import FixedSample
from conewise.rules.contract import undecided_words
from conewise.rules.evidence import Evidence
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source

_ANY: Final = 10**9  # more measurements than are asked for at once


@dataclass(frozen=True, eq=False)
class Apart:
    """The answer, in the names of the table."""

    result: Result
    sentences: tuple[str, ...]
    question: Question
    evidence: Evidence | None
    """None where no proof covers the table."""
    guess: Guess
    cells: Callable[[int], Pulls] | None
    """What to measure next, at most so many: cells, each the number of a design times D plus that of an objective."""

    @property
    def plan(self) -> Plan:
        """What brings a table that grows to its next look, by design; how many looks are left nobody can say."""
        wanted = Pulls([], []) if self.cells is None else self.cells(_ANY)
        each = np.bincount(wanted.designs // self.question.cone.dim, wanted.counts, len(self.result.pareto))
        return Plan(Pulls.each(each.astype(np.int64)), wanted.total, at_least=wanted.total > 0)


def measured_separately(source: Source, question: Question, final: bool, most: int | None = None) -> Apart:
    """What every objective's own sample certifies: in one look, or at looks that may be repeated (docs/adaptive, 8)."""
    if not isinstance(source, LongTable | WideTable):
        raise InputError(
            "objectives that were measured separately need a table with one row a measurement, or a table of means "
            "with a count for each objective."
        )
    if isinstance(source, LongTable) and source.incomplete == "skip":
        raise InputError(
            "where objectives were measured separately no row is left out for what it lacks: leave "
            '`incomplete="skip"` out.'
        )
    if isinstance(source, WideTable) and not final:
        raise InputError(
            "a table of means shows no order in which values came, so that it can be looked at once only: declare it "
            "final (`final=True`)."
        )
    if len(source.names) < 2:
        raise InputError("there is one design only, so nothing is compared.")
    values = [Values(1, len(source.names)) for _ in source.objectives]
    result, evidence, seen, cells = (_once if final else _again)(
        source, question, _measurements(source, question, values), most
    )
    check_limit(result.evaluations, most)
    proven = where_exported(as_imported(result, source), source, final)
    proven = with_chosen_units(proven, question) if were_chosen(source) else proven
    doubted, result = result.guarantee.proof and not proven.guarantee.proof, where_searched(proven, source)
    result, guess = result.answering(question, source.names), Guess.of(question, seen)
    wanted = None if cells is None else cells(_ANY)
    odd: list[str] = []
    with advisory():
        odd = [] if isinstance(source, WideTable) else _odd(values, seen, question, source.names)
    said = _sentences(result, seen, question, source, guess, wanted, odd)
    return Apart(result, said, question, None if doubted else evidence, guess, cells)


Read = tuple[Result, Evidence, Separately, Callable[[int], Pulls] | None]
"""The answer, on what it rests, what was measured, and what to measure next in a table that grows."""
Measured = Iterator[Sequence[Observations]]
"""What was measured of each objective, in the order of the rows."""


def _once(source: LongTable | WideTable, question: Question, measured: Measured, _: int | None) -> Read:
    """One look at a sample that is complete."""
    sample = FixedSample(question, len(source.names), apart=True)
    seen = Separately.empty(len(source.names), len(source.objectives))
    for parts in measured:
        check_parts(cast(ByObjective, sample.noise), seen.each, parts)
        seen = seen.add(parts)
    return sample.recommend(seen), Evidence.of(sample, seen), seen, None


def _again(source: LongTable | WideTable, question: Question, measured: Measured, most: int | None) -> Read:
    """Looks on a schedule, as often as anybody likes, at a table that may grow."""
    rule = SeparateElimination(question, len(source.names), max_evaluations=most, any_epsilon=True)
    state = rule.start()
    for parts in measured:
        state = rule.told(state, parts)
    return rule.recommend(state), rule.evidence(state), state.seen, partial(rule.ask, state)


def _measurements(source: LongTable | WideTable, question: Question, values: Sequence[Values]) -> Measured:
    """Yield what was measured of each objective, in the order of the rows; `values` see it too."""
    if isinstance(source, WideTable):
        yield source.separately()
        return
    known = np.array([question.assumed.of_one(d, question.cone.dim).noiseless for d in range(question.cone.dim)])
    given = np.zeros((len(source.names), len(known)), dtype=bool)
    for designs, rows in source.separately():
        check_separate(designs, rows, source, question.inside.assumed)
        parts = by_objective(designs, _given_once(designs, rows, known, given))
        for own, part in zip(values, parts, strict=True):
            own.see(part)
        yield parts


def _given_once(designs: Indices, values: Floats, known: Bools, given: Bools) -> Floats:
    """Values (m, D) with those of a price list in the first row of each design alone: none of them is a repetition."""
    if not known.any():
        return values
    values, first = values.copy(), np.zeros(len(designs), dtype=bool)
    first[np.unique(designs, return_index=True)[1]] = True
    again = (~first[:, None] | given[designs]) & known
    values[again] = np.nan
    given[designs] |= known
    return values


def _odd(values: Sequence[Values], seen: Separately, question: Question, names: Sequence[str]) -> list[str]:
    """Return sentences on objectives whose values are no normal noise."""
    lines = []
    for d, (own, measured) in enumerate(zip(values, seen.each, strict=True)):
        pairs = {d + column: ends for column, ends in own.pairs().items()}
        lines += Oddities(names, question.columns, question.inside.assumed, measured, pairs).pairs()
        lines += [] if pairs else own.ranges(question, measured, first=d).values()
    return lines


def _sentences(
    result: Result,
    seen: Separately,
    question: Question,
    source: LongTable | WideTable,
    guess: Guess,
    wanted: Pulls | None,
    odd: Sequence[str],
) -> tuple[str, ...]:
    """The answer first, then how sure it is, then what was measured how often; `wanted` is None for a final table."""
    kept = [printable(name) for name in result.names()]
    open_ = int((result.status == Status.UNDECIDED.value).sum())
    lines = []
    worth, condition = result.guarantee, f" {result.condition}".rstrip()
    spoilt = bool(shared_by(source)) or pruned_in(source) > 0
    doubted = not worth and (spoilt or worth.reason in (CHOSEN, STOPPED))
    returned = f"Returned{condition}: {listed(kept)}" if kept else "No design is returned"
    left = undecided_words(open_) if open_ else "nothing is undecided"
    found = f"{returned}; {left} at {question.columns.at(question.epsilon)}"
    if not worth and doubted:
        lines += [f"{found}; that is a guess, not a guarantee.", f"Nothing is certified: {worth.reason}."]
    elif result.certified_epsilon is None:
        lines.append(f"Nothing is certified: {result.stopped_because}.")
    else:
        lines.append(f"{found}.")
        if question.columns.levels:
            missing = int((result.status == Status.MISSES.value).sum())
            verb = "misses" if missing == 1 else "miss"
            levels = ", ".join(map(printable, question.columns.levels))
            lines.append(f"{missing} certainly {verb} a level{condition} ({levels}).")
        holds = question.columns.within(result.certified_epsilon)
        sure = f"with probability at least {certainty(question.delta)}"
        lines.append(f"The data certify epsilon = {holds}, {sure}{condition}.")
    lines += front_words(guess, source.names) if open_ else []
    if worth.proof:
        unsure = "" if worth else f" That is no guarantee: {worth.reason}."
        lines.append(f"Assumed: {worth.proof.assumption}.{unsure}")
    with advisory():
        lines += units_words(question, result, were_chosen(source))
    times = seen.repetitions
    each = ", ".join(
        f"{printable(name)} {_times(low, high)}"
        for name, low, high in zip(source.objectives, times.min(axis=0), times.max(axis=0), strict=True)
    )
    lines += [f"Measured separately, for each design: {each}.", *left_out_words(source)]
    lacking = np.argwhere(times == 0)
    if len(lacking):
        design, d = lacking[0]
        lines.append(f"{printable(source.names[design])} has no value of {source.objectives[d]!r}.")
    for d, (name, own) in enumerate(zip(source.objectives, seen.each, strict=True)):
        lines += undeclared_words(question.inside.assumed.of_one(d, question.cone.dim), own, [name])
    lines += odd
    if wanted is None and not doubted:
        lines.append(
            "The table was declared final: if you look again after adding data what is certified is lost, as it is "
            "if what was seen decided when to stop."
        )
    elif not doubted:
        lines.append(
            "You may add measurements of any objectives of these designs and look again: what is certified holds "
            "for all looks."
        )
    if wanted is not None:
        cells = cell_words(wanted, source.names, source.objectives)
        lines += [f"{UP_TO_A_LOOK}{listed(cells)}."] if cells else []
    return tuple(lines)


def cell_words(cells: Pulls, designs: Sequence[str], objectives: Sequence[str]) -> list[str]:
    """What is to be measured how often: "speed of A (3 times)"."""
    return [
        f"{printable(objectives[cell % len(objectives)])} of {printable(designs[cell // len(objectives)])} "
        f"({_times(times, times)})"
        for cell, times in zip(cells.designs.tolist(), cells.counts.tolist(), strict=True)
    ]


def _times(low: int, high: int) -> str:
    """How often, from the least to the most.

    >>> _times(1, 1), _times(4, 4), _times(1, 9)
    ('once', '4 times', '1 to 9 times')
    """
    if low < high:
        return f"{low:,} to {high:,} times"
    return "once" if low == 1 else f"{low:,} times"
