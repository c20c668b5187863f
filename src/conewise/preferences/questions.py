"""Choose which two designs to ask about: the pair whose worse answer leaves the fewest designs (docs/preferences)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from conewise.border import LARGEST_MEASURED, Bools, Floats, Indices, check_sums

CANDIDATES: Final = 40
"""Largest number of designs that are paired into questions; from a larger front, designs far apart are taken."""
JUDGED: Final = 120
"""Largest number of designs of the front for which the effect of an answer is counted."""

_AT_ONCE: Final = 2**22  # entries of an array of comparisons


def next_question(
    front: Floats,
    facets: Floats,
    asked: Callable[[int, int], bool],
) -> tuple[int, int] | None:
    """Return two rows of the front (K, D) that were not asked about before; None if no pair is left.

    Both designs are Pareto optimal under the known cone with these facets (N, D), so either answer removes a design.
    """
    check_sums(front, "means", LARGEST_MEASURED)
    some = _apart(front, CANDIDATES)
    pairs = [(i, j) for a, i in enumerate(some.tolist()) for j in some[a + 1 :].tolist() if not asked(i, j)]
    if not pairs:
        return None
    judged = front[_apart(front, JUDGED)]
    rays = np.array([front[i] - front[j] for i, j in pairs])
    left = np.maximum(remaining(judged, facets, rays), remaining(judged, facets, -rays))
    return pairs[int(left.argmin())]


def remaining(designs: Floats, facets: Floats, rays: Floats) -> Indices:
    """Return (R,): how many designs stay Pareto optimal when each ray alone is added to {x : facets x >= 0}.

    Then k dominates l if mu_k - mu_l - t ray lies in the old cone for some t >= 0. Each facet bounds t from one side.
    """
    values = designs @ facets.T
    gains = values[:, None, :] - values[None, :, :]  # of k over l
    along = rays @ facets.T
    many, count = len(designs), np.empty(len(rays), dtype=np.intp)
    step = max(1, _AT_ONCE // (many * many))
    for start in range(0, len(rays), step):
        beaten = _dominated(gains, along[start : start + step])
        count[start : start + step] = many - beaten.sum(axis=1)
    return count


def _dominated(gains: Floats, along: Floats) -> Bools:
    """Return (R, K): for each ray, which designs are dominated under the cone with that ray added."""
    shape = (len(along), *gains.shape[:2])
    low, high, never = np.zeros(shape), np.full(shape, np.inf), np.zeros(shape, dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        for n in range(along.shape[1]):
            gain, rate = gains[None, :, :, n], along[:, None, None, n]
            bound = gain / rate
            np.minimum(high, bound, out=high, where=np.broadcast_to(rate > 0, shape))
            np.maximum(low, bound, out=low, where=np.broadcast_to(rate < 0, shape))
            never |= (rate == 0) & (gain < 0)
    better = (low <= high) & ~never
    better &= (gains != 0).any(axis=2)[None]  # equal designs do not dominate each other
    return np.asarray(better.any(axis=1))


def _apart(points: Floats, most: int) -> Indices:
    """Return up to `most` rows that lie far apart, each the farthest from the rows chosen before it."""
    if len(points) <= most:
        return np.arange(len(points))
    spread = np.ptp(points, axis=0)
    scaled = points / np.where(spread > 0, spread, 1.0)
    chosen = [int(np.abs(scaled - scaled.mean(axis=0)).sum(axis=1).argmax())]
    near = np.full(len(points), np.inf)
    while len(chosen) < most:
        near = np.minimum(near, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
        chosen.append(int(near.argmax()))
    return np.sort(np.array(chosen))
