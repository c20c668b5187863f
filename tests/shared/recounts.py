"""Exact identification counted anew (docs/adaptive, 3.3), the slow and obvious way: one design, facet, level at a time.

Boundaries are read from the tables of `Recount`; every number with which they are entered is counted here.
"""

from __future__ import annotations

import math

import numpy as np

from conewise.algorithms import Certificate
from conewise.certificate.history import Checkpoints

RHO = 2**0.25
TAU = 2.0


def row_for(number: float, rows: int) -> int:
    """The first of 1, rho, rho^2, ... that is not below the number, as far as the table goes."""
    row = 0
    while row < rows - 1 and RHO**row < number * (1 - 1e-12):
        row += 1
    return row


class Counted:
    """What 3.3 counts, of a state and of who is left and who is sure."""

    def __init__(self, checked: Certificate, state: Checkpoints, live: set[int], sure: set[int]) -> None:
        self.checked, self.state, self.live, self.sure = checked, state, live, sure & live
        self.g, self.facets = checked.levels.counts, checked.cone.facets
        sigma = checked.noise.covariance(checked.cone.dim)
        self.noises = self.facets @ sigma @ self.facets.T
        self.means = [state.means_at(level) for level in range(len(state.snapshots))]
        clear = [width / math.sqrt(self.noises[n, n]) for n, width in enumerate(checked.cone.widths)]
        self.kappa, self.separate = max(clear) / min(clear), self.independent()

    def spread(self, n: int, level: int) -> float:
        """s_n: the standard deviation of a difference of two designs along facet n, both at this level."""
        return math.sqrt(2 * self.noises[n, n] / self.g[level])

    def lead(self, i: int, j: int, n: int, level: int) -> float:
        """Standard deviations by which i is ahead of j; NaN where one of them was not seen there."""
        return float(self.facets[n] @ (self.means[level][i] - self.means[level][j])) / self.spread(n, level)

    # -- won ---------------------------------------------------------------------------------------------------

    def independent(self) -> bool:
        """Whether errors along different facets are independent, and there are any."""
        many = len(self.facets)
        least = min(self.noises[n, n] for n in range(many))
        pairs = [(n, m) for n in range(many) for m in range(many) if n != m]
        return bool(pairs) and all(abs(self.noises[n, m]) <= 1e-12 * least for n, m in pairs)

    def mean_spread(self, n: int, level: int) -> float:
        """The standard deviation of one design's mean along facet n."""
        return math.sqrt(self.noises[n, n] / self.g[level])

    def last(self, k: int, n: int) -> float:
        """Where k stands along facet n at its last level; NaN where it was not seen there."""
        level = int(self.state.reached[k])
        return float(self.facets[n] @ self.means[level][k]) if level >= 0 else math.nan

    def at_least(self, k: int, n: int) -> float:
        """The same, if it looks better than it is."""
        level = int(self.state.reached[k])
        return self.last(k, n) - self.checked.recount.high[level] * self.mean_spread(n, level)

    def at_least_average(self, i: int, j: int, n: int, level: int) -> float:
        """The average of two, at a level of both, if that looks better than it is: half the variance."""
        average = float(self.facets[n] @ (self.means[level][i] + self.means[level][j])) / 2
        return average - self.checked.recount.high[level] * self.mean_spread(n, level) / math.sqrt(2)

    def dominated(self, h: int, i: int, j: int, n: int, level: int) -> bool:
        """Whether somebody dominates h, without how i and j, who meet at this level, differ along n."""
        many = range(len(self.facets))
        worse = self.checked.recount.low[self.state.reached[h]]
        edges = [self.last(h, m) + worse * self.mean_spread(m, int(self.state.reached[h])) for m in many]
        thirds = [k for k in range(self.checked.n_designs) if k not in (h, i, j)]
        by = [[self.at_least(k, m) for m in many] for k in thirds]
        blind = [n] if self.separate else list(many)
        by.append([self.at_least_average(i, j, m, level) if m in blind else self.at_least(j, m) for m in many])
        return any(all(value >= edge for value, edge in zip(values, edges, strict=True)) for values in by)

    def designs(self, i: int, j: int, n: int, levels: range) -> list[int]:
        """u at these levels: the design i itself, and all others but j that are neither sure nor left out."""
        found = [1 for _ in levels]
        for h in range(self.checked.n_designs):
            if h in (i, j) or h in self.sure:
                continue
            gone = self.state.reached[h] >= 0 and self.dominated(h, i, j, n, levels[0])
            for place, level in enumerate(levels):
                late = self.g[level] >= self.kappa**2 * self.g[self.state.reached[h]] * (1 - 1e-12)
                if not (gone and late):
                    found[place] += 1
        return found

    def directions(self, i: int, j: int, n: int, level: int) -> int:
        """q_n: this facet, and others along which the two are not clearly apart."""
        if not self.separate:
            return len(self.facets)
        others = [m for m in range(len(self.facets)) if m != n]
        return 1 + sum(not abs(self.lead(i, j, m, level)) >= TAU for m in others)

    def numbers(self, i: int, j: int) -> list[float]:
        """For every facet u q_n, no less than what it was at earlier levels allows."""
        level = min(self.state.reached[i], self.state.reached[j])
        found = []
        for n in range(len(self.facets)):
            designs, number = self.designs(i, j, n, range(level, -1, -1)), 1.0
            for ago in range(level + 1):
                recent = ago <= self.checked.recount.back  # before that no facet was clear, so to speak: safe, quicker
                many = self.directions(i, j, n, level - ago) if recent else len(self.facets)
                number = max(number, designs[ago] * many / RHO**ago)
            found.append(number)
        return found

    def won(self, i: int, j: int) -> bool:
        level, table = min(self.state.reached[i], self.state.reached[j]), self.checked.recount.fine
        return level >= 0 and any(
            self.lead(i, j, n, level) > table[row_for(number, len(table)), level]
            for n, number in enumerate(self.numbers(i, j))
        )

    # -- beaten by a sure design -------------------------------------------------------------------------------

    def pairs_at(self, level: int) -> float:
        """k before it is held back: pairs of designs that are left, those led by far counted for less than one."""
        total, wide, least = 0.0, self.checked.recount.wide(len(self.live)), min(self.checked.recount.sure[:, 0, level])
        for i in self.live:
            for j in self.live - {i}:
                met = min(self.state.reached[i], self.state.reached[j])
                leads = [self.lead(i, j, n, met) for n in range(len(self.facets))]
                surely = max([0.0, *(lead - wide[met] for lead in leads if not math.isnan(lead))])
                drift = surely * math.sqrt(self.g[level] / self.g[met])
                total += math.exp(-least * drift - drift**2 / 2)
        return total

    def pairs(self) -> list[float]:
        """k by level, no less than what it was before allows; before the first level all pairs count."""
        reached = [self.state.reached[i] for i in self.live]
        everybody = max(1.0, len(self.live) * (len(self.live) - 1.0))
        result = [everybody] * len(self.g)
        if len(self.live) < 2 or min(reached) < 0:
            return result
        number = everybody
        for level in range(max(reached) + 1):
            number = max(1.0, self.pairs_at(level), number / RHO)
            if level >= min(reached):
                result[level] = number
        return result

    def by_sure(self) -> np.ndarray:
        """z by list and level, for a sure rival."""
        pairs = list(enumerate(self.pairs()))
        return np.array(
            [[t[row_for(number, len(t)), level] for level, number in pairs] for t in self.checked.recount.sure]
        )
