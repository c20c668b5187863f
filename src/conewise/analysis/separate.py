"""What a table certifies whose objectives were measured separately, each with its own number of repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from conewise.algorithms import Result, Status
from conewise.algorithms.adaptive.answers import final_answer, nothing_certified
from conewise.algorithms.evidence import Evidence
from conewise.analysis.fitting import check_separate
from conewise.certificate.separate import Separately, SeparateSample, exact_words
from conewise.errors import InputError, printable
from conewise.goals import Guarantee, Question, certainty
from conewise.tables.measurements import LongTable, Source

_NAMED = 5  # designs that a sentence lists


@dataclass(frozen=True, eq=False)
class Apart:
    """The answer, in the names of the table."""

    result: Result
    sentences: tuple[str, ...]
    question: Question
    evidence: Evidence


def measured_separately(source: Source, question: Question) -> Apart:
    """One look at every objective's own sample (docs/adaptive, 8)."""
    if not isinstance(source, LongTable):
        raise InputError(
            "objectives that were measured separately need a table with one row a measurement; in a table of means "
            "all objectives of a design share one count."
        )
    seen = Separately.empty(len(source.names), len(source.objectives))
    for designs, values in source.separately():
        check_separate(designs, values, source, question.inside.assumed)
        seen = seen.add(designs, values)
    if len(source.names) < 2:
        raise InputError("there is one design only, so nothing is compared.")
    sample = SeparateSample(question, len(source.names))
    claims = sample.claims(seen)
    found = sample.certified_epsilon(claims)
    if found is None:
        few = "some designs lack an objective, or have too few measurements of one to be compared"
        result = nothing_certified(claims, seen, few)
    else:
        theorem = f"certificate of one look at each objective{sample.with_levels}"
        assumed = f", objectives measured separately; {question.assumed.words}{exact_words(sample.apart, seen)}"
        result = final_answer(claims, found, seen, question, theorem, assumed)
    result = result.named(source.names, question.columns)
    evidence = Evidence(partial(sample.compare, seen), lambda: claims)
    return Apart(result, _sentences(result, seen, question, source), question, evidence)


def _sentences(result: Result, seen: Separately, question: Question, source: LongTable) -> tuple[str, ...]:
    """The answer first, then how sure it is, then what was measured how often."""
    kept = [printable(name) for name in result.names()]
    open_ = int((result.status == Status.UNDECIDED.value).sum())
    lines = []
    if result.certified_epsilon is None:
        lines.append(f"Nothing is certified: {result.stopped_because}.")
    else:
        more = " and more" if len(kept) > _NAMED else ""
        returned = f"Returned are {', '.join(kept[:_NAMED])}{more}" if kept else "No design is returned"
        lines.append(f"{returned}; {open_} designs are undecided at {question.columns.at(question.epsilon)}.")
        if question.columns.levels:
            missing = int((result.status == Status.MISSES.value).sum())
            lines.append(f"{missing} certainly miss a level ({', '.join(map(printable, question.columns.levels))}).")
        lines.append(
            f"The data certify {question.columns.at(result.certified_epsilon)}, with probability at least "
            f"{certainty(question.delta)}."
        )
        if isinstance(result.guarantee, Guarantee):
            lines.append(f"Assumed: {result.guarantee.assumption}.")
    times = seen.repetitions
    each = ", ".join(
        f"{printable(name)} {low} to {high} times" if low < high else f"{printable(name)} {low} times"
        for name, low, high in zip(source.objectives, times.min(axis=0), times.max(axis=0), strict=True)
    )
    lines.append(f"Measured separately, for each design: {each}.")
    lacking = np.argwhere(times == 0)
    if len(lacking):
        design, d = lacking[0]
        lines.append(f"{printable(source.names[design])} has no value of {source.objectives[d]!r}.")
    lines.append(
        "The table was declared final: if you look again after adding data the guarantee is lost, as it is if what was "
        "seen decided when to stop."
    )
    return tuple(lines)
