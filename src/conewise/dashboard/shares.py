"""For three objectives and more: at which least share of the weight, alike for all, each design leaves the front."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.dashboard.sources import Designs

MOST_ON_FRONT: Final = 3000  # a larger front would take long
_SHORT_PAIRS: Final = 2**16  # pairs whose shares are computed at a time


def leaving_shares(designs: Designs, front: np.ndarray) -> dict[str, Any]:
    """Who is Pareto until which share, in %, in the order of leaving; nobody where too many are Pareto to compare.

    The cone of least shares s has the rows s (1, ..., 1) + (1 - D s) e_d. It grows with s, so a design that has left
    never returns, and whoever beats it first is on the `front` of the componentwise order, s = 0.
    """
    front = front if len(front) <= MOST_ON_FRONT else front[:0]
    ends = 100 * _first_beaten(designs.means[np.searchsorted(designs.known, front)])
    order = np.argsort(ends, kind="stable")
    places, ends = front[order], ends[order]
    largest = math.ceil(100 / designs.dim) - 1  # in whole %: some weighting must be left
    return {
        "version": designs.version,
        "shares": [end if math.isfinite(end) else None for end in ends.tolist()],
        "index": places.tolist(),
        "curve": [[share, int((ends > share).sum())] for share in range(largest + 1)] if len(places) else [],
    }


def _first_beaten(means: Floats) -> Floats:
    """(n,): the least share at which some other one beats each; infinity where that is all the weight there is.

    A step with the least gain m < 0 and the sum S is an improvement where s S + (1 - D s) m >= 0, s >= -m / (S - D m),
    which lies below 1 / D where S > 0.
    """
    count, dim = means.shape
    ends = np.full(count, np.inf)
    if not count:
        return ends
    for part in np.array_split(np.arange(count), max(1, math.ceil(count * count / _SHORT_PAIRS))):
        step = means[None] - means[part, None]
        least, total = step.min(axis=2), step.sum(axis=2)
        beats = total > 0
        share = np.divide(-least, total - dim * least, out=np.full(least.shape, np.inf), where=beats)
        ends[part] = share.min(axis=1)
    return ends
