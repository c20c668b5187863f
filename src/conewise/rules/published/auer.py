"""Elimination by facet intervals: Algorithm 1 of Auer et al., for a cone.

Auer, Chiang, Ortner & Drugan, "Pareto front identification from stochastic bandit feedback", AISTATS 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise.border import Bools, Floats
from conewise.data.observations import Counts, Statistics
from conewise.rules.contract import Result
from conewise.rules.published.common import Published
from conewise.rules.published.rounds import RoundByRound, Rounds, Standing, Standings


@dataclass(frozen=True, eq=False)
class AuerElimination(Published, RoundByRound):
    """Evaluate every active design once a round; discard the beaten, accept those nobody needs any more.

    With c_i = sqrt(2 log(4 K N t_i^2 / delta) / t_i) the interval of design i along facet n is mu^ +- s_n c_i. A round

    * keeps in A1 the active designs that no active one beats along every facet by more than both half widths;
    * finds in P1 the members of A1 that, raised by epsilon alpha, are ahead of every other one along some facet;
    * accepts the members of P1 that may not be what still beats, within epsilon, a member of A1 outside P1.

    It ends when nothing is active and returns the accepted designs: the Pareto set is among them and
    Delta* <= epsilon ("contain"). The orthant gives the published componentwise algorithm, where N = D and alpha = 1.

    The half widths are the proven ones: a union of subgaussian tails over designs, facets and counts. They
    hold for all counts at once, so rounds may skip counts: `growth` = g goes from t to about (1 + g) t evaluations of
    each active design in one round. The empirical half widths of the authors' experiments are tuned.
    """

    def reach(self, judged: int, standing: Standings, counts: Counts) -> Counts:
        """One more evaluation of every active design, or a batch of them."""
        active = standing == Standing.OPEN
        least = int(counts[active].min(initial=np.iinfo(np.int64).max))
        return np.where(active, least + self.batch(least), 0) if active.any() else np.zeros_like(counts)

    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        """One pass over the active designs."""
        active = np.flatnonzero(standing == Standing.OPEN)
        z = self.cone.facet_values(used.means[active])
        c = self.half_widths(used.counts[active])
        beaten = _everywhere(z, c, self.scales, np.zeros_like(self.scales), strict=True).any(axis=1)
        left = np.flatnonzero(~beaten)
        # threatened[i, j]: M^_eps(i, j) <= half widths, j may still beat i raised by epsilon alpha
        threatened = _everywhere(z[left], c[left], -self.scales, self.epsilon * self.cone.widths, strict=False)
        fine = ~threatened.any(axis=1)  # P1
        needed = threatened[~fine].any(axis=0)
        after = standing.copy()
        after[active[beaten]] = Standing.DISCARDED
        after[active[left[fine & ~needed]]] = Standing.ACCEPTED  # P2
        return after

    def half_widths(self, counts: Counts) -> Floats:
        """c_i of the docstring, in units of s_n (Auer et al. 2016, Algorithm 1: there s_n = 1 and N = D)."""
        claims = 4 * self.n_designs * len(self.cone.facets) / self.delta
        return np.asarray(self.radius_scale * np.sqrt(2 * (np.log(claims) + 2 * np.log(counts)) / counts))

    def recommend(self, state: Rounds) -> Result:
        """The answer so far; before the end, undecided designs are returned when their averages are Pareto optimal."""
        theorem = 'Auer et al. 2016, Algorithm 1, in facet space; success "contain"'
        return self.answer(state.seen, state.accepted, state.discarded, theorem)


def _everywhere(z: Floats, c: Floats, scales: Floats, ahead: Floats, *, strict: bool) -> Bools:
    """(A, A): whether j is ahead of i by ahead_n + scales_n (c_i + c_j) along every facet n, for j other than i."""
    both = c[:, None] + c[None, :]
    result = np.ones(both.shape, dtype=bool)
    for n, scale in enumerate(scales):
        margin = z[None, :, n] - z[:, None, n] - ahead[n] - scale * both
        result &= margin > 0 if strict else margin >= 0
    np.fill_diagonal(result, False)
    return result
