"""Exact identification: only pairs that are near to a wrong "beaten" share what it may spend (docs/adaptive, 3.5).

A union bound pays for every claim that could be wrong, however far it is from being made. A Pareto design that leads
its rival by far is hardly ever beaten by it. So the data bound every lead from below, at a small price, and a pair
counts the less the larger its lead is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise._arrays import Floats, Indices
from conewise.certificate.boundaries import Looks, Meeting, Tables
from conewise.certificate.pairs import PairTable
from conewise.certificate.weights import Spending, Standing

_CELLS: Final = np.concatenate([[0.0], np.geomspace(1e-5, 30.0, 160)])
"""Lower edges of cells of leads, in standard deviations of a difference of single observations."""

_WITHIN: Final = 1 - 1e-9  # a step of the tables, with room for rounding


@dataclass(frozen=True, eq=False)
class Near(Looks):
    """Looks on a schedule, where pairs count for "beaten" by their leads (docs/adaptive, 3.5)."""

    part: float
    """Of what "beaten" may spend: for leads that are overestimated."""
    leads: Indices
    """(K, K): the cell of the lead that the row design has over the column design at least; the first where none."""

    @classmethod
    def of(cls, plain: Looks, part: float, table: PairTable) -> Near:
        """From a table of all designs (docs/adaptive, 3.5: the bound of the leads)."""
        everyone, facets = np.arange(len(table.designs)), len(table.values)
        log_share = math.log(overestimated(plain.spending, facets, part))
        meeting = Meeting.of(table, everyone, everyone, facets)
        z = plain.scale * plain.tables.out[0, int(plain.tables.rows(np.array(log_share), True)), meeting.level]
        observations = np.array(plain.tables.levels.counts, dtype=np.float64)[meeting.level]
        leads = ((-meeting.gains / meeting.spreads).max(axis=0) - z) / np.sqrt(observations)
        cells = np.searchsorted(_CELLS, np.nan_to_num(leads, nan=0.0), side="right") - 1
        return cls(plain.radii, plain.spending, plain.scale, plain.tables, part, np.maximum(cells, 0))

    @cached_property
    def _rivals(self) -> Indices:
        """(K, cells): how many rivals a design leads by so much."""
        k, cells = len(self.leads), len(_CELLS)
        place = np.arange(k)[:, None] * cells + self.leads
        return np.bincount(place[~np.eye(k, dtype=bool)], minlength=k * cells).reshape(k, cells)

    def log_near(self, standing: Standing) -> Floats:
        """(L,): by level, the logarithm of the part of all pairs that counts; it falls by a step of the tables at most.

        Counted are pairs of a design that is left and any other.
        """
        rivals = self._rivals[standing.left].sum(axis=0)
        part = rivals @ _near_weights(self.tables) / max(int(rivals.sum()), 1)
        steps = _WITHIN * self.tables.step * np.arange(len(part))
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum.accumulate(np.log(part) + steps) - steps)

    def freed(self, standing: Standing, level: Indices) -> Floats:
        """What pairs that hardly count leave to the others."""
        return np.asarray(math.log1p(-self.part) - self.log_near(standing)[level])

    def out_key(self, standing: Standing) -> object:
        """By what counts, too."""
        return self.log_near(standing).tobytes()


def overestimated(spending: Spending, facets: int, part: float) -> float:
    """What may be spent on the lead of one design over another along one facet (docs/adaptive, 3.5)."""
    k = spending.weights.n_designs
    return part * spending.weights.parts[1] * spending.delta / (facets * k * (k - 1))


def _near_weights(tables: Tables) -> Floats:
    """(cells, L): exp(-b y - y^2 / 2), where b is the least z at a level and y the lead there (Lemma N)."""
    least = tables.out[0, -1]
    leads = _CELLS[:, None] * np.sqrt(np.array(tables.levels.counts, dtype=np.float64))
    return np.asarray(np.exp(-least * leads - leads**2 / 2))
