"""What is odd about the values of a study, in sentences that name the evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conewise._arrays import Bools, Floats
from conewise.analysis.oddities import Extremes, Oddities, Remark, far_values, two_valued
from conewise.certificate.rounding import Estimated
from conewise.errors import printable
from conewise.feedback import Observations, Statistics
from conewise.goals import Question
from conewise.noise import Noise
from conewise.objectives import as_objectives, proposed_units, unequal_words
from conewise.studies.evaluations import Integers
from conewise.studies.identity import Identity


def units_lacking(question: Question, spreads: Floats | None = None) -> list[str]:
    """A sentence where objectives of very different spread are weighed in one measure, and what to do in a new study.

    Before there are values, the noise that is assumed shows their sizes.
    """
    noise, what = question.noise, "spread"
    if spreads is None:
        if noise is None or Estimated.of(noise, question.cone.dim).any:
            return []
        spreads, what = np.asarray(noise.scales(np.eye(question.cone.dim))), "noise"
    said = unequal_words(question.columns, spreads, question.cone, question.epsilon, what)
    if said is None:
        return []
    remedy = "units say how much of each is one step, in a new study: [[objectives]] with name and unit in trial.toml"
    proposal = proposed_units(question.columns, spreads) if what == "spread" else {}
    example = ", ".join(f"{printable(name)} {unit:.12g}" for name, unit in proposal.items())
    return [f"{said}; {remedy}{f' (for example {example})' if example else ''}."]


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


def remarks(told: Values, chosen: Bools | None = None, compared: Sequence[int] | None = None) -> tuple[Remark, ...]:
    """Two-valued objectives, values that never vary, values far from all others of their design; spreads last.

    `chosen` are designs about which to speak, all by default; `compared` those whose spreads are looked at.
    """
    question, k = told.question, len(told.names)
    dim = question.cone.dim
    if not told.separate:
        found, statistics = _odd(told, told.stream, told.values, tuple(range(dim)), question.noise, chosen)
        counts, means = statistics.counts[:, None], statistics.means
    else:
        found, parts = [], []
        for d in range(dim):
            mine = told.stream % dim == d
            part = Values(told.stream[mine], told.number[mine], told.values[mine], told.names, question, True)
            noise = None if question.noise is None else question.noise.of_one(d, dim)
            more, statistics = _odd(part, part.stream // dim, part.values, (d,), noise, chosen)
            found += more
            parts.append(statistics)
        counts, means = (np.column_stack(both) for both in zip(*((p.counts, p.means) for p in parts), strict=True))
    if compared is not None and k and (counts[list(compared)] > 0).all():
        spreads = np.ptp(means[list(compared)], axis=0)
        found += [Remark(line) for line in units_lacking(question, spreads)]
    return tuple(found)


def _odd(
    told: Values, design: Integers, values: Floats, which: tuple[int, ...], noise: Noise | None, chosen: Bools | None
) -> tuple[list[Remark], Statistics]:
    """Of some objectives, in all of which these values are; with their statistics."""
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
    return said, statistics
