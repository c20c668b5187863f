"""Values that cannot be: outside the range that the noise assumes, or two of an objective that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from conewise import noise as noises
from conewise.border import Floats, Indices
from conewise.certificate.fit import Limits
from conewise.data.observations import Observations
from conewise.errors import InputError


def out_of_range(noise: noises.Noise | None, values: Floats) -> tuple[int, int] | None:
    """Row and column of the first of the values (n, D) that the noise says cannot be; None where there is none."""
    limits = None if noise is None or not len(values) else Limits.of(noise, values.shape[1])
    if limits is None:
        return None
    outside = np.argwhere(limits.misfits(Observations.single(np.arange(len(values)), values)))
    return (int(outside[0][0]), int(outside[0][1])) if len(outside) else None


def check_known(
    noise: noises.Noise | None,
    names: Sequence[str],
    objectives: Sequence[str],
    before: Callable[[], tuple[Indices, Floats]],
    designs: Indices,
    values: Floats,
) -> None:
    """Refuse another value of an objective without noise than the one that a design has, or had first in these.

    `before` are the designs and values (in order) of what was told already; NaN where an objective was not measured.
    """
    if not isinstance(noise, noises.ByObjective) or not noise.exact.any():
        return
    earlier = before()
    who, told = np.concatenate([earlier[0], designs]), np.concatenate([earlier[1], values])
    for column in np.flatnonzero(noise.exact).tolist():
        there = ~np.isnan(told[:, column])  # not every evaluation has every objective
        own = told[there, column]
        _, first, group = np.unique(who[there], return_index=True, return_inverse=True)
        off = np.flatnonzero(own != own[first][group])
        if len(off):
            raise InputError(
                f"{objectives[column]!r} of {names[who[there][off[0]]]!r} is {own[first][group][off[0]]:g} and "
                f"{own[off[0]]:g}, although it is declared to be known, without noise: give the right value. Nothing "
                "was written."
            )
