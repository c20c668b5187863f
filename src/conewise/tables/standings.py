"""Where every design of a known table stands: status, rank, gap, and who beats it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.order.dominance import pareto_mask
from conewise.question.objectives import Objectives

MISSES: Final = "misses a level"
KEPT, COVERED, BEATEN = "kept", "covered", "beaten"
MOST_STANDINGS: Final = 200_000
"""Designs whose standing is worked out: each is compared with every Pareto design."""

_RANKED: Final = 254  # facets that moocore's ranks take
_PAIRS: Final = 2**20  # differences at a time


@dataclass(frozen=True, eq=False)
class Standings:
    """One entry a design, in the order of the table."""

    status: NDArray[np.str_]
    """(K,): "kept", "beaten", "covered" (the equal of an earlier design, where one is enough), "misses a level"."""
    rank: NDArray[np.int64]
    """(K,): 1 for the Pareto set, 2 for that of the rest, and so on; 0 for designs that miss a level."""
    gap: Floats
    """(K,): Delta*, the least improvement, in steps, after which no design is better in every respect; NaN for designs
    that miss a level."""
    by: Indices
    """(K,): the Pareto design that is furthest ahead of a beaten one; -1 for the others."""


def standings(values: Floats, meaning: Objectives, cone: Cone, *, keep_duplicates: bool = True) -> Standings:
    """Of values (K, D) in the table's own units; designs that miss a level are compared with nobody.

    Cost: every design is compared with every Pareto design, in blocks.
    """
    feasible = np.flatnonzero(meaning.meets(values))
    k = len(values)
    status = np.full(k, MISSES, dtype="<U14")
    rank, gap, by = np.zeros(k, dtype=np.int64), np.full(k, np.nan), np.full(k, -1, dtype=np.intp)
    if not len(feasible):
        return Standings(status, rank, gap, by)
    steps = meaning.steps(values[feasible])
    front = pareto_mask(steps, cone)
    rank[feasible] = _ranks(steps, cone)
    gap[feasible] = 0.0
    status[feasible[front]] = KEPT
    rest = np.flatnonzero(~front)
    status[feasible[rest]] = BEATEN
    gaps, best = _furthest_ahead(steps, cone, rest, np.flatnonzero(front))
    gap[feasible[rest]], by[feasible[rest]] = gaps, feasible[best]
    if not keep_duplicates:
        first = pareto_mask(steps, cone, keep_duplicates=False)
        _, group = np.unique(cone.order_columns(steps).T, axis=0, return_inverse=True)
        leader = {int(g): int(i) for g, i in zip(group.ravel()[first], np.flatnonzero(first), strict=True)}
        for i in np.flatnonzero(front & ~first):
            status[feasible[i]], by[feasible[i]] = COVERED, feasible[leader[int(group.ravel()[i])]]
    return Standings(status, rank, gap, by)


def _ranks(steps: Floats, cone: Cone) -> NDArray[np.int64]:
    """Of the facet values, whose componentwise order is the cone's."""
    columns = cone.order_columns(steps)
    if len(columns) <= _RANKED:
        import moocore

        return np.asarray(moocore.pareto_rank(np.ascontiguousarray(columns.T), maximise=True), dtype=np.int64) + 1
    ranks, left, rank = np.zeros(len(steps), dtype=np.int64), np.arange(len(steps)), 0
    while len(left):
        rank += 1
        mask: Bools = pareto_mask(steps[left], cone)
        ranks[left[mask]] = rank
        left = left[~mask]
    return ranks


def _furthest_ahead(steps: Floats, cone: Cone, designs: Indices, rivals: Indices) -> tuple[Floats, Indices]:
    """max_j m(i, j) and the j that attains it, among the rivals that dominate i (Ararat & Tekin 2023, Prop. 4.2)."""
    gaps, best = np.zeros(len(designs)), np.full(len(designs), -1, dtype=np.intp)
    columns = cone.order_columns(steps)
    widths = (cone.order_lengths * cone.widths)[:, None, None]
    block = max(1, _PAIRS // max(1, len(rivals) * len(columns)))
    for start in range(0, len(designs), block):
        some = designs[start : start + block]
        with np.errstate(over="ignore"):  # a gap beyond all numbers is infinite
            lead = columns[:, None, rivals] - columns[:, some, None]
            least = np.where((lead >= 0).all(axis=0), (lead / widths).min(axis=0), -1.0)
        place = least.argmax(axis=1)
        gaps[start : start + block] = np.take_along_axis(least, place[:, None], axis=1)[:, 0]
        best[start : start + block] = rivals[place]
    return gaps, best
