"""Leader and challenger: Adaptive Pareto Exploration (APE), for a cone.

Kone, Kaufmann & Richert, "Adaptive algorithms for relaxed Pareto set identification", NeurIPS 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from conewise.border import Floats
from conewise.data.observations import Counts, Pulls, Statistics
from conewise.order.dominance import pareto_mask
from conewise.rules.contract import Result
from conewise.rules.published.common import Sequential


@dataclass(frozen=True, eq=False)
class LeaderChallenger(Sequential):
    """Evaluate the design whose membership is most open, or its closest rival, whichever has fewer evaluations.

    Let u_in = w_n.mu^_i / alpha_n, and b_n,ij = s_n rho_ij / alpha_n its simultaneous half widths. The bounds are
    Mhi / Mlo(i, j) = max_n (u_in - u_jn +- b_n,ij) + epsilon.

    * h_i = min_j Mlo(i, j) > 0 certifies m(i, j) < epsilon against every j.
    * g_i = epsilon - min_j Mhi(i, j) > 0 certifies that some j strongly dominates i.
    * The leader b has the largest min_j Mhi among the designs with h <= 0. The challenger is c = argmin_j Mlo(b, j).

    The rule stops when every empirical Pareto design has h > 0 and every other one h > 0 or g > 0. It returns all
    designs but those with g > 0: the Pareto set is among them and Delta* <= epsilon ("contain").
    """

    source: ClassVar[str] = "Kone, Kaufmann & Richert 2023, Adaptive Pareto Exploration, in facet space"

    def choose(self, state: Statistics, limit: int | None) -> Pulls:
        low, high = self.bounds(state)
        fine, reach = low.min(axis=1) > 0, high.min(axis=1)
        beaten = (reach < self.epsilon) & ~pareto_mask(state.means, self.cone)
        if (fine | beaten).all():  # Z1 > 0 and Z2 > 0
            return Pulls([], [])
        leader = np.where(fine, -np.inf, reach).argmax()
        pair = np.array([leader, low[leader].argmin()])  # b_t and c_t
        chosen = pair[[state.counts[pair].argmin()]]
        return Pulls(chosen, self.batch(state.counts[chosen]))

    def recommend(self, state: Statistics) -> Result:
        fine = beaten = np.zeros(self.n_designs, dtype=bool)
        if (state.counts > 0).all():
            low, high = self.bounds(state)
            fine, beaten = low.min(axis=1) > 0, high.min(axis=1) < self.epsilon
        return self.answer(state, fine & ~beaten, beaten)

    def bounds(self, state: Statistics) -> tuple[Floats, Floats]:
        """Return Mlo and Mhi (K, K), infinite on the diagonal."""
        u, rho = self.cone.facet_values(state.means) / self.cone.widths, self.half_widths(state.counts)
        low, high = np.full((2, *rho.shape), -np.inf)
        for values, spread in zip(u.T, self.scales / self.cone.widths, strict=True):  # no (K, K, N) table
            lead, half = values[:, None] - values[None, :], spread * rho
            np.maximum(low, lead - half, out=low)
            np.maximum(high, lead + half, out=high)
        low[np.diag_indices_from(low)] = high[np.diag_indices_from(high)] = np.inf
        return low + self.epsilon, high + self.epsilon

    @property
    def delta_for_pairs(self) -> float:
        """The share of delta that comparisons of designs may spend."""
        return self.delta

    def half_widths(self, counts: Counts) -> Floats:
        """Return rho_ij (K, K). With probability 1 - delta, always |w_n.(D^_ij - D_ij)| <= s_n rho_ij for all i, j, n.

        Take the sum of T_a (error of a)^2 / (2 s^2) over two designs. With probability at most exp(-x) it exceeds
        2 Cg(x/2) + 2 log(4 + log T_i) + 2 log(4 + log T_j) (Kaufmann & Koolen 2021, Corollary 10). Then apply
        Cauchy-Schwarz, and a union over K (K-1) N / 2 pairs and facets.
        """
        pairs = self.n_designs * (self.n_designs - 1) / 2 * len(self.cone.facets)
        slow = np.log(4 + np.log(counts))
        budget = threshold(math.log(pairs / self.delta_for_pairs) / 2) + slow[:, None] + slow
        return np.asarray(self.radius_scale * (2 * np.sqrt(budget * (1 / counts[:, None] + 1 / counts[None, :]))))


@lru_cache
def threshold(x: float) -> float:
    """Return Cg(x) = min over 1/2 < l < 1 of (g(l) + x) / l, about x + log x; every l gives a valid bound.

    g(l) = 2 l - 2 l log(4 l) + log zeta(2 l) - log(1 - l) / 2 (Kaufmann & Koolen 2021, Corollary 10).

    >>> round(threshold(10.0), 2)
    11.95
    """
    from scipy.special import zeta

    # The minimum is flat, and a grid can only err upwards: 1 - l runs from 1/2 to far below the optimal 1 / (2 x).
    rest = np.geomspace(1e-9, 0.5, 4001)[:-1]
    free = 1 - rest
    g = 2 * free - 2 * free * np.log(4 * free) + np.log(zeta(2 * free)) - np.log(rest) / 2
    return float(((g + x) / free).min())
