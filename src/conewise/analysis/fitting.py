"""Whether the values of a table are what its noise assumes, said of designs and objectives by name."""

from __future__ import annotations

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.fit import Limits
from conewise.data.observations import Observations
from conewise.errors import InputError
from conewise.noise import Binary, Known, Noise
from conewise.question.objectives import Objectives
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, Source, meaning_of


def told_apart(source: Source, meaning: Objectives, noise: Noise) -> Objectives:
    """The objectives with their own noise, so that a table knows how outcomes and known values are written in it."""
    if isinstance(source, LongTable | WideTable):
        noise.check_dim(len(meaning))
        each = [noise.of_one(d, len(meaning)) for d in range(len(meaning))]
        if any(isinstance(own, Binary | Known) for own in each):
            source.meaning_as(meaning.having("noise", dict(zip(meaning.names, each, strict=True))))
            source.fill_known()
            return source.meaning
    return meaning


def check_values(observations: Observations, source: Source, noise: Noise) -> None:
    """Refuse the first value that the noise rules out."""
    limits = Limits.of(noise, observations.means.shape[1])
    misfit = limits is not None and limits.misfits(observations)
    if limits is not None and np.any(misfit):
        entry, d = np.argwhere(misfit)[0]
        value = float(meaning_of(source).own(observations.means[entry])[d])
        it = f"{source.objectives[d]!r} of {source.names[observations.designs[entry]]!r} is {value:g}"
        if limits.two_valued[d]:
            raise InputError(f"{it}, where 0 or 1 was expected: its noise is declared binary.")
        raise InputError(
            f"{it}, outside the range that the noise assumes; no claim would hold with it: give the true range."
        )


def check_separate(designs: Indices, values: Floats, source: Source, noise: Noise) -> None:
    """The same for values (m, D) in steps, NaN where an objective was not measured."""
    if (limits := Limits.of(noise, values.shape[1])) is None:
        return
    between = limits.two_valued & (values != limits.low) & (values != limits.high) & ~np.isnan(values)
    off = np.argwhere((values < limits.low) | (values > limits.high) | between)
    if len(off):
        row, d = off[0]
        value = float(meaning_of(source).own(np.nan_to_num(values[row]))[d])
        raise InputError(
            f"{source.objectives[d]!r} of {source.names[designs[row]]!r} is {value:g}, which its noise rules out; no "
            "claim would hold with it: give the true range."
        )
