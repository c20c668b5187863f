"""Elimination by facet intervals: Algorithm 1 of Auer et al., for a cone.

Auer, Chiang, Ortner & Drugan, "Pareto front identification from stochastic bandit feedback", AISTATS 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise.border import Bools, Floats
from conewise.data.observations import Counts, Statistics
from conewise.rules.contract import Result
from conewise.rules.published.rounds import Elimination, Rounds, Standing, Standings


@dataclass(frozen=True, eq=False)
class AuerElimination(Elimination):
    """Evaluate every active design once a round; discard beaten designs, accept those that no decision needs.

    With c_i = sqrt(2 log(4 K N t_i^2 / delta) / t_i) the interval of design i along facet n is mu^ +- s_n c_i. A round

    * keeps in A1 the active designs that no active one beats along every facet by more than both half widths;
    * finds in P1 the members of A1 that, raised by epsilon alpha, are ahead of every other member along some facet;
    * accepts (P2) the members of P1 that cannot still beat, within epsilon, a member of A1 outside P1.

    The rule ends when no design is active. The accepted designs contain the Pareto set and have Delta* <= epsilon
    ("contain"). The orthant gives the published componentwise algorithm, where N = D and alpha = 1.

    The half widths are the proven ones: a union of subgaussian tails over designs, facets and counts. They hold for
    all counts at once, so rounds may skip counts: `growth` = g goes from t to about (1 + g) t evaluations of each
    active design in one round. The smaller half widths of the authors' experiments are tuned.
    """

    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        active = np.flatnonzero(standing == Standing.OPEN)
        z, c = self.cone.facet_values(used.means[active]), self.half_widths(used.counts[active])
        # A1: m^(i, j) <= the half widths for all active j.
        beaten = _ahead(z, c, self.scales, np.zeros_like(self.scales), strict=True).any(axis=1)
        left = np.flatnonzero(~beaten)
        # P1: M^_epsilon(i, j) > the half widths for all j in A1; elsewhere j may beat i raised by epsilon alpha.
        threatened = _ahead(z[left], c[left], -self.scales, self.epsilon * self.cone.widths, strict=False)
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

    def recommend(self, state: Rounds) -> Result:
        theorem = 'Auer et al. 2016, Algorithm 1, in facet space; success "contain"'
        return self.answer(state.seen, state.accepted, state.discarded, theorem)


def _ahead(z: Floats, c: Floats, scales: Floats, lead: Floats, *, strict: bool) -> Bools:
    """Return (A, A): for j other than i, whether j is ahead of i by lead_n + scales_n (c_i + c_j) on every facet n."""
    both = c[:, None] + c[None, :]
    result = np.ones(both.shape, dtype=bool)
    for n, scale in enumerate(scales):
        margin = z[None, :, n] - z[:, None, n] - lead[n] - scale * both
        result &= margin > 0 if strict else margin >= 0
    np.fill_diagonal(result, False)
    return result
