"""From whatever holds evaluations to statistics: a source of them, read once, each value checked against the noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from conewise.analysis.fitting import check_values
from conewise.analysis.oddities import Values
from conewise.border import as_words
from conewise.certificate.fit import Limits, check_exact, check_fit, needs_scatters
from conewise.cone.cone import Cone
from conewise.data.observations import Observations, Statistics
from conewise.errors import InputError, shown
from conewise.noise import Noise
from conewise.question.objectives import Objective
from conewise.tables.frames import is_frame
from conewise.tables.measurements import LongTable, Recorded, Source, open_measurements
from conewise.tables.names import first_repeated
from conewise.tables.sums import Summed, sum_up

Progress = Callable[[int, int], None]
"""Called with the evaluations read so far and the total."""


def check_limit(evaluations: int, most: int | None) -> None:
    """Refuse a limit that is said to have been fixed before the first evaluation, and that the table exceeds."""
    if most is not None and evaluations > most:
        raise InputError(
            f"there are {evaluations} evaluations, where `max_evaluations` says that there would never be more than "
            f"{most}; give the limit that was fixed before the first evaluation, or leave it out."
        )


def as_source(
    observations: Any,
    names: Sequence[str] | None,
    design: str | None,
    objectives: Sequence[str | Objective],
    minimise: Sequence[str],
) -> Source:
    """Whatever holds evaluations, as a source of them."""
    if is_frame(observations) or _are_paths(observations):
        if names is not None:
            raise InputError("`names` belong to observations; the column `design` of a table names its designs.")
        for word, given in (("objectives", objectives), ("minimise", minimise)):
            if isinstance(given, str):
                raise InputError(f"{word} must be a list of columns, got the text {given[:60]!r}.")
            unordered = isinstance(given, Set) and word == "objectives"
            if unordered or isinstance(given, Objective) or not hasattr(given, "__len__"):
                raise InputError(f"{word} must be a list, got {shown(given)}.")
        records = [Objective.from_dict(o) if isinstance(o, Mapping) else o for o in objectives]
        return open_measurements(observations, design=design, objectives=records, minimise=minimise)
    if isinstance(observations, list | tuple) and not observations:
        raise InputError("the table has no rows; one row an evaluation was expected.")
    if design is not None or len(objectives) or len(minimise):
        raise InputError("`design`, `objectives` and `minimise` name columns of a path or a frame; this has none.")
    if not isinstance(observations, Observations):
        if hasattr(observations, "summarised") and hasattr(observations, "has_scatter"):
            source: Source = observations
            return source
        raise InputError(
            "observations must be a path, a mapping of columns, a data frame or Observations, got "
            f"{type(observations).__name__}; an array has no names: give Observations.single(designs, values), or "
            "{'design': [...], 'cost': [...]}."
        )
    if not len(observations):
        raise InputError("there are no observations to analyse.")
    largest = int(observations.designs.max()) + 1
    if names is None:
        names = [str(k) for k in range(largest)]
    names = as_words(names, "names")
    if (repeated := first_repeated(names)) is not None:
        raise InputError(f"names must be distinct, got {repeated!r:.60} twice.")
    if len(names) < largest:
        raise InputError(f"there are {len(names)} names, but design {largest - 1} was observed.")
    labels = tuple(f"objective {d + 1}" for d in range(observations.means.shape[1]))
    return Recorded(observations, tuple(names), labels)


def _are_paths(given: Any) -> bool:
    several = isinstance(given, list | tuple) and len(given) > 0
    return isinstance(given, str | Path) or (several and all(isinstance(path, str | Path) for path in given))


def summed_elsewhere(source: Source, final: bool, executor: Any, progress: Progress | None) -> Summed | None:
    """What the workers of an executor make of a table; None where it can only be read from its beginning."""
    if not final or not isinstance(source, LongTable):
        raise InputError(
            "only a table with one row an evaluation that is final is summed up in pieces: for one that may grow, the "
            "order of its rows counts; leave out `executor`."
        )
    summed = sum_up(source, executor, progress)
    if summed is not None:
        source.index(summed.names, summed.rows)
    return summed


def statistics_of(
    source: Source, stream: Iterator[Observations], noise: Noise, values: Values, summed: Summed | None
) -> Statistics:
    """Of the whole samples: from elsewhere, or by reading the stream, which also says what is outside of its range."""
    limits = Limits.of(noise, len(source.objectives))
    outside = (
        summed is not None and limits is not None and (summed.lowest < limits.low) | (summed.highest > limits.high)
    )
    if summed is not None and not np.any(outside):
        values.take(summed.few)
        return summed.statistics
    statistics = Statistics.empty(len(source.names), len(source.objectives))
    for observations in stream:
        check_exact(observations, noise, partial(_itself, statistics))
        statistics = statistics.add(observations)
    return statistics


def _itself(statistics: Statistics) -> Statistics:
    return statistics


def check_summaries(source: Source, noise: Noise, final: bool) -> None:
    """Refuse a table of means that may grow, and one without standard errors where the noise is to be seen."""
    if source.summarised and not final:
        raise InputError(
            "a table of means does not show the order of its evaluations, so it cannot be looked at as it grows; "
            "declare it final (`final=True`), or analyse the evaluations themselves."
        )
    if not source.has_scatter and needs_scatters(noise):
        raise InputError(
            "standard errors are needed to see how large the noise is: name their columns (`errors`), or assume a size "
            "(`noise=Gaussian(sigma)`)."
        )


def watched(
    source: Source, cone: Cone, noise: Noise, values: Values, progress: Progress | None
) -> Iterator[Observations]:
    """The observations of a source, checked against the noise assumed, unknown correlations at their worst."""
    done, total = 0, int(source.rows.sum())
    for observations in source:
        values.see(observations)
        check_values(observations, source, noise)
        check_fit(observations, noise)
        yield worst_correlations(observations, cone) if source.summarised else observations
        done += int(observations.counts.sum())
        if progress is not None:
            progress(done, total)


def worst_correlations(observations: Observations, cone: Cone) -> Observations:
    """Scatters whose variance along every facet is at least that of any evaluations with these standard errors.

    The sample standard deviation of w.x is at most sum |w_d| s_d, by the triangle inequality for deviations.
    """
    w = cone.facets
    if (np.count_nonzero(w, axis=1) == 1).all():
        return observations  # one objective a facet: correlations do not enter
    spread = np.sqrt(np.diagonal(observations.scatters, axis1=1, axis2=2))
    turn = np.where((w < 0).any(axis=0), -1.0, 1.0)
    if ((w * turn >= 0).all(axis=1) | (w * turn <= 0).all(axis=1)).all():
        spread = spread * turn  # all facets weigh with the same signs: objectives moving together is the worst case
        scatters = spread[:, :, None] * spread[:, None, :]
    else:  # (sum |w_d| s_d)^2 <= D sum w_d^2 s_d^2
        scatters = observations.scatters * w.shape[1]
    return Observations(observations.designs, observations.means, observations.counts, scatters)
