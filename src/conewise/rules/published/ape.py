"""Leader and challenger: Adaptive Pareto Exploration (APE), for a cone.

Kone, Kaufmann & Richert, "Adaptive algorithms for relaxed Pareto set identification", NeurIPS 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from conewise._memory import Memory
from conewise.border import Bools, Floats, Indices
from conewise.data.observations import Counts, Statistics
from conewise.order.dominance import pareto_mask
from conewise.rules.contract import Result
from conewise.rules.published.common import Sequential

_Which = Indices | slice


@dataclass(frozen=True, eq=False)
class LeaderChallenger(Sequential):
    """Evaluate the design whose membership is most open, or its closest rival, whichever has fewer evaluations.

    With u_in = w_n.mu^_i / alpha_n and simultaneous half widths b_n,ij = s_n rho_ij / alpha_n, the bounds are
    Mhi / Mlo(i, j) = max_n (u_in - u_jn +- b_n,ij) + epsilon, h_i = min_j Mlo(i, j), g_i = epsilon - min_j Mhi(i, j).
    h_i > 0 certifies m(i, j) < epsilon against every j; g_i > 0 certifies that some j strongly dominates i.
    The leader b has the largest min_j Mhi among the designs with h <= 0, the challenger is c = argmin_j Mlo(b, j). It
    stops when every empirical Pareto design has h > 0 and every other one h > 0 or g > 0, and returns all designs
    but those with g > 0: the Pareto set is among them and Delta* <= epsilon ("contain").

    The radius is the proven one, with no constant left open (`half_widths`); it holds at all times and for all counts
    at once, so any `growth` keeps the guarantee: g evaluates the chosen design about g times its count in one batch.
    The much smaller radius of the authors' experiments is tuned; `radius_scale` makes it, and a heuristic answer.

    >>> from conewise import Cone, Question
    >>> from conewise.noise import Gaussian
    >>> algorithm = LeaderChallenger(Question(Cone.orthant(2), 0.1, 0.05, Gaussian(1)), n_designs=3)
    >>> algorithm.ask(algorithm.start())
    Pulls(3 evaluations of 3 designs)
    """

    def choose(self, state: Statistics, limit: int | None) -> tuple[Indices, Counts]:
        """The leader or the challenger."""
        bounds = PairBounds.of(self, state)
        if bounds.done:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
        open_ = np.flatnonzero(bounds.h <= 0)
        leader = open_[bounds.reach[open_].argmax()]
        pair = np.array([leader, bounds.low[leader].argmin()])
        chosen = pair[[state.counts[pair].argmin()]]
        return chosen, self.batch(state.counts[chosen])

    def recommend(self, state: Statistics) -> Result:
        """The answer so far; before the end, undecided designs are returned when their averages are Pareto optimal."""
        theorem = 'Kone, Kaufmann & Richert 2023, Adaptive Pareto Exploration, in facet space; success "contain"'
        nothing = np.zeros(self.n_designs, dtype=bool)
        if (state.counts == 0).any():
            return self.answer(state, nothing, nothing, theorem)
        bounds = PairBounds.of(self, state)
        discarded = bounds.g > 0
        return self.answer(state, (bounds.h > 0) & ~discarded, discarded, theorem)

    @property
    def delta_for_pairs(self) -> float:
        """What comparisons may spend: all of delta."""
        return self.delta

    def half_widths(self, mine: Counts, theirs: Counts) -> Floats:
        """(I, J): rho_ij, such that |w_n.(D^_ij - D_ij)| <= s_n rho_ij at all times, for all pairs and facets.

        This holds with probability 1 - delta. For two designs, the sum of T_a (error of a)^2 / (2 s^2) stays below
        2 Cg(x/2) + 2 log(4 + log T_i) + 2 log(4 + log T_j) but for a probability exp(-x) (Kaufmann & Koolen 2021,
        Corollary 10); then Cauchy-Schwarz, and a union over K (K-1) N / 2 pairs and facets.
        """
        pairs = self.n_designs * (self.n_designs - 1) / 2 * len(self.cone.facets)
        fixed = threshold(math.log(pairs / self.delta_for_pairs) / 2)
        budget = fixed + np.log(4 + np.log(mine))[:, None] + np.log(4 + np.log(theirs))[None, :]
        rho = 2 * np.sqrt(budget * (1 / mine[:, None] + 1 / theirs[None, :]))
        return np.asarray(self.radius_scale * rho)

    def _block(self, u: Floats, counts: Counts, rows: _Which, columns: _Which) -> tuple[Floats, Floats]:
        """Mlo and Mhi of these pairs."""
        rho = self.half_widths(counts[rows], counts[columns])
        low, high = np.full(rho.shape, -np.inf), np.full(rho.shape, -np.inf)
        for n, spread in enumerate(self.scales / self.cone.widths):  # facet by facet: no (K, K, N) table
            ahead, half = u[rows, n][:, None] - u[columns, n][None, :], spread * rho
            np.maximum(low, ahead - half, out=low)
            np.maximum(high, ahead + half, out=high)
        low += self.epsilon
        high += self.epsilon
        return low, high


@dataclass(frozen=True, eq=False)
class PairBounds:
    """Bounds on how far each design is from being, and from not being, dominated."""

    epsilon: float
    u: Floats
    counts: Counts
    low: Floats
    """(K, K): Mlo, infinite on the diagonal."""
    high: Floats
    """(K, K): Mhi, infinite on the diagonal."""
    front: Bools

    @classmethod
    def of(cls, rule: LeaderChallenger, state: Statistics) -> PairBounds:
        """What the averages say, taken over from the last look where nothing has changed."""
        u, counts = rule.cone.facet_values(state.means) / rule.cone.widths, state.counts
        everyone, last = slice(None), _LAST.taken(rule)
        moved = None if last is None else np.flatnonzero((last.counts != counts) | (last.u != u).any(axis=1))
        if last is None or moved is None or 4 * len(moved) > rule.n_designs:
            low, high = rule._block(u, counts, everyone, everyone)
        else:
            low, high = last.low, last.high
            low[moved], high[moved] = rule._block(u, counts, moved, everyone)
            low[:, moved], high[:, moved] = rule._block(u, counts, everyone, moved)
        for table in (low, high):
            np.fill_diagonal(table, np.inf)
        bounds = cls(rule.epsilon, u, counts, low, high, pareto_mask(state.means, rule.cone))
        _LAST.keep(rule, bounds)
        return bounds

    @cached_property
    def h(self) -> Floats:
        """(K,): above 0 where a design is certainly fine against all others."""
        return np.asarray(self.low.min(axis=1))

    @cached_property
    def reach(self) -> Floats:
        """(K,): min_j Mhi(i, j)."""
        return np.asarray(self.high.min(axis=1))

    @property
    def g(self) -> Floats:
        """(K,): above 0 where another design certainly dominates; max_j mlo(i, j) = epsilon - min_j Mhi(i, j)."""
        return self.epsilon - self.reach

    @property
    def done(self) -> bool:
        """Z1 > 0 and Z2 > 0 (Kone, Kaufmann & Richert 2023)."""
        return bool(((self.h > 0) | (~self.front & (self.g > 0))).all())


# An entry depends on its two designs alone, so that after an evaluation of one design all others are taken over.
_LAST: Memory[LeaderChallenger, PairBounds] = Memory()


@lru_cache
def threshold(x: float) -> float:
    """Cg(x) = min over 1/2 < l < 1 of (g(l) + x) / l, about x + log x; every l gives a valid bound.

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
