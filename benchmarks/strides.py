"""Runs with fewer looks at the same boundaries: whoever is asked for goes on by several levels before anybody looks.

A certificate holds for every sampling rule, so this one is as good a test as another; an entry ends on each level on
the way, so that no level is jumped over.
"""

from __future__ import annotations

import numpy as np

from conewise.certificate.history import Checkpoints
from conewise.data.observations import Pulls
from conewise.rules import SuccessiveElimination


def ahead(rule: SuccessiveElimination, state: Checkpoints, pulls: Pulls, times: float) -> Pulls:
    """The same designs, an entry a level, until each has `times` what it has; pilots as they are asked for."""
    if not state.piloted:
        return pulls
    counts = np.array(rule.certificate.levels.counts)
    designs, more = [], []
    for design in pulls.designs:
        first = state.reached[design] + 1
        last = max(first + 1, int(np.searchsorted(counts, times * state.statistics.counts[design])))
        steps = np.diff(counts[first:last], prepend=state.statistics.counts[design])
        designs += [design] * len(steps)
        more += steps.tolist()
    return Pulls(designs, more)
