"""What is odd about the values of a study, in sentences that name the evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conewise.analysis.oddities import Extremes, Oddities, Remark, far_values, two_valued
from conewise.border import Bools, Floats
from conewise.certificate.rounding import Estimated
from conewise.data.observations import Observations, Statistics
from conewise.noise import Noise
from conewise.question.objectives import as_objectives, units_remark
from conewise.question.question import Question
from conewise.rules import Result
from conewise.studies.evaluations import Integers
from conewise.studies.identity import Identity


def units_lacking(question: Question, result: Result) -> list[Remark]:
    """Return what an answer remarks about its units, and that they belong to a new study.

    Before there are values, the noise that is assumed shows their sizes.
    """
    noise, said = question.noise, list(result.remarks)
    if not result.evaluations and noise is not None and not Estimated.of(noise, question.cone.dim).any:
        sizes = np.asarray(noise.scales(np.eye(question.cone.dim)))
        said = [units_remark(question.columns, sizes, question.cone, question.epsilon, "noise") or ""]
    return [Remark(f"{line} Units belong to a new study: [[objectives]] in trial.toml.") for line in said if line]


@dataclass(frozen=True, eq=False)
class Values:
    """What was told: one row an evaluation, of all objectives or, where these are measured separately, of one."""

    stream: Integers
    number: Integers
    values: Floats
    names: Sequence[str]
    """Of all designs that there ever were."""
    question: Question
    separate: bool = False


def remarks(told: Values, chosen: Bools | None = None) -> tuple[Remark, ...]:
    """Return remarks on two-valued objectives, values that never vary, and values far from the others of a design.

    `chosen` are the designs to look at, all by default.
    """
    question, dim = told.question, told.question.cone.dim
    if not told.separate:
        return tuple(_odd(told, told.stream, told.values, tuple(range(dim)), question.noise, chosen))
    found = []
    for d in range(dim):
        mine = told.stream % dim == d
        part = Values(told.stream[mine], told.number[mine], told.values[mine], told.names, question, True)
        noise = None if question.noise is None else question.noise.of_one(d, dim)
        found += _odd(part, part.stream // dim, part.values, (d,), noise, chosen)
    return tuple(found)


def _odd(
    told: Values, design: Integers, values: Floats, which: tuple[int, ...], noise: Noise | None, chosen: Bools | None
) -> list[Remark]:
    """Return the remarks on some objectives, in all of which these values are."""
    question, k, dim = told.question, len(told.names), len(which)
    names = [question.names[d] for d in which]
    values = values * question.signs[list(which)]
    found, statistics, extremes = Observations.single(design, values), Statistics.empty(k, dim), Extremes(k, dim)
    if len(design):
        statistics = statistics.add(found)
        extremes.see(found)
    far = [one for one in far_values(statistics, extremes) if chosen is None or chosen[one.design]]
    plain = as_objectives(names, [name for name in names if name in question.minimised])  # values as they were told
    odd = Oddities(told.names, plain, noise, statistics, two_valued(values), far, chosen)
    unknown = noise is not None and Estimated.of(noise, dim).any  # declared noise is what it is declared to be
    said = [Remark(line) for line in (*(odd.constants() if unknown else []), *odd.pairs())]
    for one in far:
        same = (design == one.design) & (values[:, one.objective] == one.value)
        which_one = which[0] if told.separate else None
        ids = tuple(str(Identity(one.design, int(n), which_one)) for n in told.number[same])
        line = f"{odd.far_words(one)} ({', '.join(ids)}): if it was recorded wrongly, correct or withdraw it."
        said.append(Remark(line, ids))
    return said
