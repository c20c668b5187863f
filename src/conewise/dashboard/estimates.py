"""About how many designs are Pareto, from a sample: what the page says until a very large front is counted."""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.cone.cone import Cone
from conewise.dashboard.sources import Designs

SAMPLE: Final = 128
"""Designs that are looked at; the estimated share is then within 9 percentage points in 19 cases of 20."""


def about(designs: Designs, cone: Cone) -> int:
    """K times the share of Pareto designs in a sample, each of which is held against all K designs, exactly.

    The sample is the same for every cone, so that the number moves smoothly with a slider. Costs K times the sample,
    whatever the size of the front.
    """
    if not len(designs.known):
        return 0
    columns = cone.order_columns(designs.means)
    total = len(designs.known)
    size = min(SAMPLE, total)
    chosen = np.random.default_rng(0).choice(total, size, replace=False)
    stays = sum(not _is_beaten(columns, columns[:, place]) for place in chosen.tolist())
    return round(stays * total / size)


def _is_beaten(columns: np.ndarray, point: np.ndarray) -> bool:
    """Whether some column is at least as large on every facet, and larger on one."""
    above = columns[0] >= point[0]
    for row, bar in zip(columns[1:], point[1:], strict=True):
        above &= row >= bar
    rivals = np.flatnonzero(above)  # itself and its equals, or those that beat it
    return bool((columns[:, rivals] != point[:, None]).any())
