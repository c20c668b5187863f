"""Who is likely to beat the others, judged by a pilot: a union bound over rivals in which these have most of the say.

Commonly each rival of a design has the same share. It need not: shares may go by any order that has nothing to do with
the errors of the comparison. The first few observations of every design give one. The favourites are those that
dominate most designs by most, one after the other as in covering; the r-th may spend 1 / (r (r + 1)).
Two things keep the order apart from the comparison of i with a favourite j (docs/adaptive, 3.3): it is worked out
without i, and the mean of j is taken without its pilot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise._arrays import Floats, Indices
from conewise.order import maximal_columns

PILOT: Final = 5
"""Observations of each design on which the order is based (tuned; any number is valid)."""
LEADS: Final = {1.0: 0.3, 3.0: 0.35, 10.0: 0.35}
"""How many times the observations of i those of a favourite are, and the part spent on looks at that ratio (tuned)."""
MOST_FAVOURITES: Final = 30
"""No claim is made by whoever comes later in the order."""

_SHARPNESS: Final = 4.0  # how much less a favourite is worth for whom another one is further ahead of (tuned)


@dataclass(frozen=True, eq=False)
class Favourites:
    """Shares by rank, for every design to be beaten."""

    values: Floats
    """(N, K): w_n.mean of the pilots."""
    weights: Floats
    """(K, K): the share of j among the rivals of i, which has nothing to do with i; rows add up to 1 at most."""

    @classmethod
    def of(cls, values: Floats, spreads: Floats) -> Favourites:
        """From pilots of all designs, (N, K), whose means have these standard deviations along the facets, (N,)."""
        scaled = values / spreads[:, None]
        many = scaled.shape[1]
        weights = np.zeros((many, many))
        everyone = np.arange(many)
        front = np.flatnonzero(maximal_columns(scaled))
        ahead = _ahead(scaled, front)
        for one in range(many):
            if one in front:  # those it hides come forward
                others = np.delete(everyone, one)
                leaders = others[maximal_columns(scaled[:, others])]
                margins = _ahead(scaled, leaders)
            else:
                leaders, margins = front, ahead
            order = leaders[covering(np.delete(margins, one, axis=1))]
            rank = np.arange(1.0, len(order) + 1)
            weights[one, order] = 1 / (rank * (rank + 1))
        return cls(values, weights)


def covering(margins: Floats) -> Indices:
    """Rows one after the other, each the one that adds most to how well the columns are covered so far.

    A margin that is the largest of its column covers it; smaller ones do so the less. Who is behind by no more than
    the noise of a difference is nobody's to cover.
    """
    largest = margins.max(axis=0, initial=0.0)
    behind = largest > np.sqrt(2)
    worth = np.clip(margins[:, behind] / largest[behind], 0.0, 1.0) ** _SHARPNESS
    covered = np.zeros(worth.shape[1])
    order: list[int] = []
    while len(order) < MOST_FAVOURITES:
        gains = np.maximum(worth - covered, 0.0).sum(axis=1)
        best = int(gains.argmax()) if len(gains) else -1
        if best < 0 or gains[best] <= 0:
            break
        order.append(best)
        np.maximum(covered, worth[best], out=covered)
    return np.array(order, dtype=np.intp)


def _ahead(values: Floats, leaders: Indices) -> Floats:
    """(leaders, K): by how much each of them is ahead of everybody along all facets."""
    margins = np.full((len(leaders), values.shape[1]), np.inf)
    for row in values:
        np.minimum(margins, row[leaders][:, None] - row[None, :], out=margins)
    return margins
