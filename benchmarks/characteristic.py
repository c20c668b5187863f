"""How many evaluations exact identification needs at least: the characteristic time T*, numerically.

A rule that returns the exact Pareto set with probability 1 - delta needs on average at least T* log(1/(2.4 delta))
evaluations, and as delta tends to 0 no rule does better than T* log(1/delta) (Garivier & Kaufmann 2016; for Pareto sets
Crepon, Garivier & Koolen 2024 and Kone, Jourdan & Kaufmann 2025). For normal noise with one known covariance S,

    1 / T* = max over proportions p of min over alternatives of sum_i p_i |mu_i - lambda_i|^2 / 2   in the metric of S,

an alternative being means lambda with another Pareto set. Up to closure these are of two kinds:

* a Pareto design i comes to be dominated by some j: W (lambda_j - lambda_i) >= 0;
* another design i is no longer dominated by any *Pareto* design j: w_n.lambda_i >= w_n.lambda_j for some n = n(j).
  (If a design off the front still dominates it, a maximal one of those has joined the front: the set changed anyway.)

Every alternative found gives a linear upper bound of the minimum, as a function of p, whether or not it is the best
one. The largest value that all these bounds allow is a linear program; its solution is where the next alternatives are
looked for (Kelley's cutting planes). So `lower` is a lower bound of T* by explicit alternatives, `upper` an upper bound
as far as the inner minima are exact, and they meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

import conewise as cw

MOST_WAYS = 30_000
"""Ways to escape that are looked at together: beyond this it is not cheap."""

_NEWTON_STEPS = 60
_LEAST_SHARE = 1e-6
_MOST_CUTS = 4000


@dataclass(frozen=True)
class Characteristic:
    lower: float
    upper: float
    proportions: np.ndarray
    """Where `upper` is attained: how an optimal rule divides its evaluations."""


class TooLargeError(ValueError):
    pass


def characteristic_time(
    means: np.ndarray, cone: cw.Cone, covariance: np.ndarray, *, gap: float = 1e-3, steps: int = 2000
) -> Characteristic:
    """T* of exact identification, bracketed to the relative `gap`."""
    alternatives = Alternatives(np.asarray(means, dtype=float), cone, np.asarray(covariance, dtype=float))
    k = len(means)
    best, where, ceiling = 0.0, np.full(k, 1 / k), np.inf
    point, cuts = where, np.empty((0, k))
    for step in range(steps):
        found = alternatives.nearest(point)
        value = float((found @ point).min())
        if not found.max(axis=1).all():
            return Characteristic(np.inf, np.inf, where)  # a tie: no number of evaluations is enough
        if value > best:
            best, where = value, point
        # What binds here or nearly so; the others would only slow the program down.
        cuts = np.vstack([cuts, found[found @ point <= 3 * value]])
        corner, ceiling = _largest_minimum(cuts)
        if ceiling - best <= gap * ceiling:
            break
        if len(cuts) > _MOST_CUTS:
            cuts = cuts[np.argsort(cuts @ corner)[: _MOST_CUTS // 2]]
        # Corners of the program jump about: stay between them and the best point, near and far in turn.
        stride = (0.5, 0.1, 0.02)[step % 3]
        point = (1 - stride) * where + stride * corner
        point = (1 - k * _LEAST_SHARE) * point + _LEAST_SHARE
    return Characteristic(1 / ceiling, 1 / best, where)


def _largest_minimum(cuts: np.ndarray) -> tuple[np.ndarray, float]:
    """argmax and max over proportions p of min_s cuts_s.p."""
    size = float(cuts.max())
    rows, k = cuts.shape
    table = np.hstack([-cuts / size, np.ones((rows, 1))])
    found = linprog(
        np.append(np.zeros(k), -1.0),
        A_ub=table,
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(k), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * k + [(None, None)],
        method="highs",
    )
    if found.x is None:
        raise ArithmeticError(f"the linear program failed: {found.message}")
    # Weak duality: whatever the multipliers, this is an upper bound of the maximum, rounding of the solver included.
    weights = np.maximum(-found.ineqlin.marginals, 0.0)
    weights /= weights.sum()
    return np.maximum(found.x[:k], 0.0), float((weights @ cuts).max())


class Alternatives:
    """The nearest alternatives for given proportions, one a row: |mu_i - lambda_i|^2 / 2 of each design."""

    def __init__(self, means: np.ndarray, cone: cw.Cone, covariance: np.ndarray) -> None:
        root = np.linalg.cholesky(covariance)
        # Standard coordinates: unit noise, and the cone that W becomes there; its rows are unit vectors again.
        self.means = np.linalg.solve(root, means.T).T
        self.cone = cw.Cone(cone.facets @ root)
        self.rows = self.cone.facets
        front = cw.pareto_mask(self.means, self.cone)
        self.inside, self.outside = np.flatnonzero(front), np.flatnonzero(~front)
        gains = self.means[None, :, :] - self.means[self.inside, None, :]
        missing = self.cone.project(gains) - gains
        self.levels = self.means[self.inside] @ self.rows.T
        self.pair_costs = (missing**2).sum(axis=2) / 2  # (P, K): what brings j above Pareto design i, for unit shares

    def nearest(self, shares: np.ndarray) -> np.ndarray:
        """(S, K): for every pair, and for every design off the front."""
        return np.vstack([self._dominated(shares), self._escaped(shares)])

    def _dominated(self, shares: np.ndarray) -> np.ndarray:
        """A Pareto design i and any other j meet halfway, by their shares."""
        result = []
        for row, i in enumerate(self.inside):
            others = np.flatnonzero(np.arange(len(self.means)) != i)
            cuts = np.zeros((len(others), len(self.means)))
            both = shares[i] + shares[others]
            cuts[:, i] = self.pair_costs[row, others] * (shares[others] / both) ** 2
            cuts[np.arange(len(others)), others] = self.pair_costs[row, others] * (shares[i] / both) ** 2
            result.append(cuts)
        return np.vstack(result)

    def _escaped(self, shares: np.ndarray) -> np.ndarray:
        """Designs off the front: move i to x, and every Pareto design that would dominate x below it along one facet.

        Which facet, is searched by branching: with some Pareto designs given a facet and the others ignored the cost is
        a lower bound, and the solution when none of the ignored ones dominates x.
        """
        k, (n_rows, _) = len(self.means), self.rows.shape
        best = np.full(len(self.outside), np.inf)
        cuts = np.zeros((len(self.outside), k))
        owner = np.arange(len(self.outside))
        way = np.full((len(owner), len(self.inside)), -1)
        while len(owner):
            x, moved = self._moved(owner, way, shares)
            stay = ((x - self.means[self.outside[owner]]) ** 2).sum(axis=1) / 2
            cost = shares[self.outside[owner]] * stay + moved @ shares[self.inside]
            margin = (self.levels[None] - (x @ self.rows.T)[:, None, :]).min(axis=2)  # above 0: it dominates x
            margin[way >= 0] = -np.inf
            free = margin.max(axis=1) <= 1e-12
            for node in np.flatnonzero(free):
                i = owner[node]
                if cost[node] < best[i]:
                    best[i] = cost[node]
                    cuts[i] = 0.0
                    cuts[i, self.inside] = moved[node]
                    cuts[i, self.outside[i]] = stay[node]
            go_on = np.flatnonzero(~free & (cost < best[owner]))
            if len(go_on) * n_rows > MOST_WAYS:
                raise TooLargeError(
                    f"{len(self.inside)} Pareto designs and {n_rows} facets leave too many ways to escape"
                )
            pick = margin[go_on].argmax(axis=1)
            owner, way = np.repeat(owner[go_on], n_rows), np.repeat(way[go_on], n_rows, axis=0)
            way[np.arange(len(way)), np.repeat(pick, n_rows)] = np.tile(np.arange(n_rows), len(go_on))
        return cuts

    def _moved(self, owner: np.ndarray, way: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(B, D) and (B, P): x, and half the squared way of each Pareto design, for every given choice of facets.

        min over x of p_i |x - mu_i|^2 / 2 + sum_j p_j ((w_n(j).(mu_j - x))^+)^2 / 2 is convex: Newton steps on the
        active terms. Any x gives an alternative, so an unfinished iteration costs sharpness only.
        """
        chosen = way >= 0
        normals = self.rows[way] * chosen[:, :, None]  # (B, P, D)
        levels = np.take_along_axis(self.levels[None], np.maximum(way, 0)[:, :, None], axis=2)[:, :, 0] * chosen
        start, own = self.means[self.outside[owner]], shares[self.outside[owner]][:, None]
        identity, x = own[:, :, None] * np.eye(self.means.shape[1]), self.means[self.outside[owner]]
        for _ in range(_NEWTON_STEPS):
            excess = levels - np.einsum("bpd,bd->bp", normals, x)
            active = normals * (shares[self.inside] * (excess > 0))[:, :, None]
            matrix = np.swapaxes(active, 1, 2) @ normals + identity
            right = own * start + np.einsum("bpd,bp->bd", active, levels)
            new = np.linalg.solve(matrix, right[:, :, None])[:, :, 0]
            if np.allclose(new, x, rtol=1e-13, atol=1e-13):
                break
            x = new
        return x, np.maximum(levels - np.einsum("bpd,bd->bp", normals, x), 0.0) ** 2 / 2
