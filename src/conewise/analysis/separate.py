"""What a table certifies whose objectives were measured separately, each with its own number of repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from conewise.algorithms import Result, SeparateElimination, Status
from conewise.algorithms.adaptive.answers import final_answer, nothing_certified
from conewise.algorithms.evidence import Evidence
from conewise.analysis.fitting import check_separate
from conewise.analysis.oddities import listed
from conewise.certificate.separate import Separately, SeparateSample, by_objective, check_parts, exact_words
from conewise.errors import InputError, printable
from conewise.feedback import Observations
from conewise.goals import Guarantee, Question, certainty
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source


@dataclass(frozen=True, eq=False)
class Apart:
    """The answer, in the names of the table."""

    result: Result
    sentences: tuple[str, ...]
    question: Question
    evidence: Evidence


def measured_separately(source: Source, question: Question, final: bool, most: int | None = None) -> Apart:
    """What every objective's own sample certifies: in one look, or at looks that may be repeated (docs/adaptive, 8)."""
    if not isinstance(source, LongTable | WideTable):
        raise InputError(
            "objectives that were measured separately need a table with one row a measurement, or a table of means "
            "with a count for each objective."
        )
    if isinstance(source, WideTable) and not final:
        raise InputError(
            "a table of means shows no order in which values came, so that it can be looked at once only: declare it "
            "final (`final=True`)."
        )
    if len(source.names) < 2:
        raise InputError("there is one design only, so nothing is compared.")
    result, evidence, seen = (_once if final else _again)(source, question, most)
    result = result.named(source.names, question.columns)
    return Apart(result, _sentences(result, seen, question, source, final), question, evidence)


def _once(source: LongTable | WideTable, question: Question, _: int | None) -> tuple[Result, Evidence, Separately]:
    """One look at a sample that is complete."""
    sample = SeparateSample(question, len(source.names))
    seen = Separately.empty(len(source.names), len(source.objectives))
    for parts in _measurements(source, question):
        check_parts(sample.apart, seen.each, parts)
        seen = seen.summed(parts)
    claims = sample.claims(seen)
    evidence = Evidence(partial(sample.compare, seen), lambda: claims)
    found = sample.certified_epsilon(claims)
    if found is None:
        few = "some designs lack an objective, or have too few measurements of one to be compared"
        return nothing_certified(claims, seen, few), evidence, seen
    theorem = f"certificate of one look at each objective{sample.with_levels}"
    assumed = f", objectives measured separately; {question.assumed.words}{exact_words(sample.apart, seen)}"
    return final_answer(claims, found, seen, question, theorem, assumed), evidence, seen


def _again(source: LongTable | WideTable, question: Question, most: int | None) -> tuple[Result, Evidence, Separately]:
    """Looks on a schedule, as often as anybody likes, at a table that may grow."""
    rule = SeparateElimination(question, len(source.names), max_evaluations=most, any_epsilon=True)
    state = rule.start()
    for parts in _measurements(source, question):
        state = rule.told(state, parts)
    return rule.recommend(state), rule.evidence(state), state.seen


def _measurements(source: LongTable | WideTable, question: Question) -> Iterator[Sequence[Observations]]:
    """What was measured of each objective, in the order of the rows."""
    if isinstance(source, WideTable):
        yield source.separately()
        return
    for designs, values in source.separately():
        check_separate(designs, values, source, question.inside.assumed)
        yield by_objective(designs, values)


def _sentences(
    result: Result, seen: Separately, question: Question, source: LongTable | WideTable, final: bool
) -> tuple[str, ...]:
    """The answer first, then how sure it is, then what was measured how often."""
    kept = [printable(name) for name in result.names()]
    open_ = int((result.status == Status.UNDECIDED.value).sum())
    lines = []
    if result.certified_epsilon is None:
        lines.append(f"Nothing is certified: {result.stopped_because}.")
    else:
        returned = f"Returned: {listed(kept)}" if kept else "No design is returned"
        left = {0: "nothing is", 1: "1 design is"}.get(open_, f"{open_} designs are")
        lines.append(f"{returned}; {left} undecided at {question.columns.at(question.epsilon)}.")
        if question.columns.levels:
            missing = int((result.status == Status.MISSES.value).sum())
            verb = "misses" if missing == 1 else "miss"
            lines.append(f"{missing} certainly {verb} a level ({', '.join(map(printable, question.columns.levels))}).")
        lines.append(
            f"The data certify {question.columns.at(result.certified_epsilon)}, with probability at least "
            f"{certainty(question.delta)}."
        )
        if isinstance(result.guarantee, Guarantee):
            lines.append(f"Assumed: {result.guarantee.assumption}.")
    times = seen.repetitions
    each = ", ".join(
        f"{printable(name)} {_times(low, high)}"
        for name, low, high in zip(source.objectives, times.min(axis=0), times.max(axis=0), strict=True)
    )
    lines.append(f"Measured separately, for each design: {each}.")
    lacking = np.argwhere(times == 0)
    if len(lacking):
        design, d = lacking[0]
        lines.append(f"{printable(source.names[design])} has no value of {source.objectives[d]!r}.")
    if final:
        lines.append(
            "The table was declared final: if you look again after adding data the guarantee is lost, as it is if what "
            "was seen decided when to stop."
        )
    else:
        lines.append(
            "You may add measurements of any objectives and designs and look again: the guarantee covers all looks."
        )
    return tuple(lines)


def _times(low: int, high: int) -> str:
    """How often, from the least to the most.

    >>> _times(1, 1), _times(4, 4), _times(1, 9)
    ('once', '4 times', '1 to 9 times')
    """
    if low < high:
        return f"{low} to {high} times"
    return "once" if low == 1 else f"{low} times"
