"""Elimination by facet intervals: Algorithm 1 of Auer et al., for a cone.

Auer, Chiang, Ortner & Drugan, "Pareto front identification from stochastic bandit feedback", AISTATS 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from conewise.border import Floats
from conewise.data.observations import Counts, Statistics
from conewise.rules.published.common import Elimination, Standing, Standings, ahead


@dataclass(frozen=True, eq=False)
class AuerElimination(Elimination):
    """Evaluate every active design once a round; discard beaten designs, accept those that no decision needs.

    The interval of design i along facet n is mu^ +- s_n c_i with c_i = sqrt(2 log(4 K N t_i^2 / delta) / t_i). A round
    has three steps.

    * Keep in A1 the active designs that no active one beats along every facet by more than both half widths.
    * Find in P1 the members of A1 that, raised by epsilon alpha, are ahead of every other member along some facet.
    * Accept (P2) the members of P1 that cannot still beat, within epsilon, a member of A1 outside P1.

    The rule ends when no design is active. The accepted designs contain the Pareto set and have Delta* <= epsilon
    ("contain"). The orthant gives the published componentwise algorithm, where N = D and alpha = 1. The half widths are
    a union of subgaussian tails over designs, facets and counts.
    """

    source: ClassVar[str] = "Auer et al. 2016, Algorithm 1, in facet space"

    def judge(self, used: Statistics, standing: Standings) -> Standings:
        active = np.flatnonzero(standing == Standing.OPEN)
        z, c = self.cone.facet_values(used.means[active]), self.half_widths(used.counts[active])
        # A1: m^(i, j) <= the half widths for all active j.
        beaten = ahead(z, c, self.scales, np.zeros_like(self.scales), strict=True).any(axis=1)
        left = np.flatnonzero(~beaten)
        # P1: M^_epsilon(i, j) > the half widths for all j in A1; elsewhere j may beat i raised by epsilon alpha.
        threatened = ahead(z[left], c[left], -self.scales, self.epsilon * self.cone.widths)
        fine = ~threatened.any(axis=1)
        # P2: no i in A1 outside P1 is threatened by j.
        needed = threatened[~fine].any(axis=0)
        after = standing.copy()
        after[active[beaten]] = Standing.DISCARDED
        after[active[left[fine & ~needed]]] = Standing.ACCEPTED
        return after

    def half_widths(self, counts: Counts) -> Floats:
        """Return c_i in units of s_n (Auer et al. 2016, Algorithm 1: there s_n = 1 and N = D)."""
        claims = 4 * self.n_designs * len(self.cone.facets) / self.delta
        return np.asarray(self.radius_scale * np.sqrt(2 * (np.log(claims) + 2 * np.log(counts)) / counts))
