"""When to stop and what may be claimed, for any sampling rule: beaten, fine, covered.

Two designs are compared at the highest level that both have reached, on the means of their first g observations. With
D^ = mu^_j - mu^_i, radii r_n = z * sd(w_n.D^) and epsilon:

* i is *beaten* by j when w_n.D^ - r_n >= 0 for all n: j weakly dominates it;
* i is *fine against* j when w_n.D^ + r_n <= epsilon alpha_n for some n: m(i, j) <= epsilon;
* i is *covered by* j when f((r - W D^)^+) <= epsilon: M(i, j) <= epsilon.

Where the errors can come from, and so where delta is spent (docs/adaptive): a wrong "fine" that matters concerns a
design outside the Pareto set and the one rival that attains its gap, in N directions; a wrong "beaten" or "covered"
concerns a Pareto design, K - 1 rivals, and the directions that carry M(i, j): at most min(N, D), or one where nothing
is ever covered. The two kinds belong to different designs, so each may spend delta / K a design. Giving up a share of
the first kind's part lets designs that are not beaten share it among themselves (Holm 1979).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

import numpy as np

from conewise._arrays import Bools, Floats, Indices, as_non_negative, as_probability
from conewise.algorithms.checkpoints import Checkpoints
from conewise.algorithms.looks import GROWTH, Levels, boundaries
from conewise.budgets import check_designs
from conewise.cones import Cone
from conewise.errors import InputError
from conewise.noise import Gaussian, Noise
from conewise.order import _front

Notion = Literal["cover", "contain"]
"""cover: the paper's (epsilon, delta)-PAC set; contain: P* inside the returned set, Delta* <= epsilon (Auer's SC1)."""

OUT_ANCHOR: Final = 0.3
"""Where claims "beaten" and "covered" spend most, as a share of where the last of them is due (tuned; any is valid)."""

FINE_SHARE: Final[dict[str, float]] = {"cover": 1.0, "contain": 0.25}
"""Part of delta that claims "fine" may spend; the rest is Holm's, for designs not yet beaten (tuned; any is valid)."""

_HOLM_STEPS: Final = 2.0**0.5  # ratio of the numbers of designs for which boundaries are tabulated
_MATRIX: Final = 2500  # designs whose comparisons are kept as matrices; beyond, they are made row by row
_PAIRS_AT_ONCE: Final = 2**18


@dataclass(frozen=True, eq=False)
class Pairs:
    """Comparisons between the L designs that are not beaten, each pair at its highest common level."""

    designs: Indices
    levels: Indices
    """Index of the level of each pair."""
    gains: Floats
    """w_n.(mu^_j - mu^_i) for row i and column j."""
    spreads: Floats
    """Standard deviation of `gains`."""


@dataclass(frozen=True, eq=False)
class Claims:
    """What the data certify at one epsilon: disjoint masks that together hold every design."""

    beaten: Bools
    accepted: Bools
    """Fine against every design that is not beaten: these are returned."""
    covered: Bools
    undecided: Bools
    pairs: Pairs | None
    """None when too many designs are left to keep all pairs in memory."""
    fine: Bools | None
    """(L, L): fine against, for the designs of `pairs`; the diagonal is True."""

    @property
    def done(self) -> bool:
        """Nothing is undecided."""
        return not self.undecided.any()


@dataclass(frozen=True, eq=False)
class Certificate:
    """Claims from checkpoints; frozen configuration, no state."""

    cone: Cone
    noise: Noise
    n_designs: int
    epsilon: float
    delta: float
    notion: Notion = "cover"
    most: int | None = None
    """Largest number of observations of one design that will ever be looked at; from epsilon by default."""
    scale: float = field(default=1.0)
    """Multiplies every radius: anything but 1 voids the proof (for negative controls)."""

    def __post_init__(self) -> None:
        check_designs(self.n_designs)
        as_non_negative(self.epsilon, "epsilon")
        as_probability(self.delta, "delta")
        self.noise.check_dim(self.cone.dim, self.n_designs)
        if self.notion not in ("cover", "contain"):
            raise InputError(f'the notion of success must be "cover" or "contain", got {self.notion!r}.')
        if self.epsilon == 0 and self.notion == "cover":
            raise InputError('epsilon = 0 asks for the exact Pareto set: use success="contain".')
        if self.epsilon == 0 and self.most is None:
            raise InputError("epsilon = 0 never ends on ties: give max_evaluations.")

    # -- the schedule ---------------------------------------------------------------------------------------

    @cached_property
    def variances(self) -> Floats:
        """(N,) or (K, N): variance (proxy) of w_n.observation."""
        w = self.cone.facets
        if isinstance(self.noise, Gaussian):
            covariance = self.noise.covariance(self.cone.dim)
            if covariance.ndim == 3:
                return np.asarray(np.maximum(np.einsum("nd,kde,ne->kn", w, covariance, w), 0.0))
        return np.asarray(self.noise.scales(w) ** 2)

    def _fine_delta(self) -> float:
        """Spent by one claim "fine"."""
        return FINE_SHARE[self.notion] * self.delta / (self.n_designs * len(self.cone.facets))

    def _out_delta(self, remaining: float) -> float:
        """Spent by one claim "beaten" or "covered" while that many designs are not beaten."""
        share, k = FINE_SHARE[self.notion], self.n_designs
        directions = min(self.cone.facets.shape) if self.notion == "cover" else 1
        return self.delta / ((k - 1) * directions) * ((1 - share) / remaining + share / k)

    @cached_property
    def _due(self) -> tuple[float, float]:
        """Counts at which the last claims "fine" and "out" of an epsilon-sized near-tie are due."""
        reach = 1.15  # looks make boundaries about this much wider than single tests
        z_fine, z_out = (reach * self.noise.deviation(d) for d in (self._fine_delta(), self._out_delta(self.n_designs)))
        if self.epsilon == 0:
            return math.inf, math.inf  # no scale is known beforehand
        widest = 2 * float((self.variances / self.cone.widths**2).max()) / self.epsilon**2
        return widest * z_fine**2, widest * z_out**2

    @cached_property
    def anchors(self) -> tuple[float, float]:
        """Counts towards which the two kinds of claims spend delta: designs are mostly out before they are fine."""
        fine, out = self._due
        return fine, OUT_ANCHOR * out * self._lift_of_ones**2

    @cached_property
    def _lift_of_ones(self) -> float:
        """f(1): covering costs this much more than one facet's radius (at least 1)."""
        return float(self.cone._lift.norms(np.ones((len(self.cone.facets), 1)))[0])

    @cached_property
    def levels(self) -> Levels:
        """Up to the count that decides every pair whatever its means, or `most`."""
        if self.most is not None:
            return Levels.up_to(self.most)
        fine, out = self._due
        # Not fine: all gains exceed epsilon alpha - r_fine; beaten once that is r_out or more.
        most = (math.sqrt(fine) + math.sqrt(out)) ** 2
        levels = Levels.up_to(most, due=fine)
        while levels.counts[-1] < (needed := self._enough(levels)):  # more levels change the boundaries a little
            most = max(most * GROWTH, needed)
            levels = Levels.up_to(most, due=fine)
        return levels

    def _enough(self, levels: Levels) -> float:
        """The count at which these boundaries leave no pair open (docs/adaptive, section 6)."""
        (early, late), normal = self.anchors, isinstance(self.noise, Gaussian)
        z_fine = boundaries(levels, early, (self._fine_delta(),), normal)[0, -1]
        z_out = boundaries(levels, late, (self._out_delta(self.n_designs),), normal)[0, -1]
        return float(2 * (self.variances / self.cone.widths**2).max() * ((z_fine + z_out) / self.epsilon) ** 2)

    @cached_property
    def _fine_boundary(self) -> Floats:
        return np.asarray(self._boundary(self.anchors[0], (self._fine_delta(),))[0])

    @cached_property
    def _holm(self) -> tuple[Floats, Floats]:
        """Numbers of designs, ascending, and the boundary of "beaten" and "covered" for each of them."""
        sizes = [float(self.n_designs)]
        while FINE_SHARE[self.notion] < 1 and sizes[-1] > 1:
            sizes.append(max(1.0, math.floor(sizes[-1] / _HOLM_STEPS)))
        ascending = sizes[::-1]
        return np.array(ascending), self._boundary(self.anchors[1], tuple(self._out_delta(m) for m in ascending))

    def _boundary(self, anchor: float, alphas: tuple[float, ...]) -> Floats:
        normal = isinstance(self.noise, Gaussian)
        return np.asarray(self.scale * boundaries(self.levels, float(anchor), alphas, normal))

    def out_boundary(self, remaining: int) -> Floats:
        """The z by level for "beaten" and "covered" while that many designs are not beaten."""
        sizes, table = self._holm
        return np.asarray(table[int(np.searchsorted(sizes, remaining, side="left"))])

    # -- claims -------------------------------------------------------------------------------------------------

    def claims(self, state: Checkpoints, epsilon: float | None = None) -> Claims:
        """What the observations certify; a function of the checkpoints alone, valid for every epsilon at once."""
        epsilon = self.epsilon if epsilon is None else epsilon
        values = [self._facet_values(snapshot) for snapshot in state.snapshots]
        beaten = self._clearly_beaten(state, values)
        live = np.flatnonzero(~beaten)
        if len(live) > _MATRIX or (state.reached < 0).any():
            rest = ~beaten
            none = np.zeros(self.n_designs, dtype=bool)
            return Claims(beaten, none, none.copy(), rest, None, None)
        pairs = self._pairs(state, values, live)
        worst = _in_spreads(pairs.gains, pairs.spreads).min(axis=2)
        np.fill_diagonal(worst, -np.inf)
        while (out := (worst >= self.out_boundary(len(live))[pairs.levels]).any(axis=1)).any():  # Holm's passes
            beaten[live[out]] = True
            keep = np.ix_(~out, ~out)
            live, worst = live[~out], worst[keep]
            pairs = Pairs(live, pairs.levels[keep], pairs.gains[keep], pairs.spreads[keep])
        return self._judged(beaten, pairs, epsilon)

    def _judged(self, beaten: Bools, pairs: Pairs, epsilon: float) -> Claims:
        """Accept and cover among the designs that are not beaten."""
        radius = self._fine_boundary[pairs.levels][:, :, None] * pairs.spreads
        with np.errstate(invalid="ignore"):
            fine: Bools = np.asarray((pairs.gains + radius <= epsilon * self.cone.widths).any(axis=2))
        np.fill_diagonal(fine, True)
        inside = fine.all(axis=1)
        accepted, covered = (np.zeros(self.n_designs, dtype=bool) for _ in range(2))
        accepted[pairs.designs[inside]] = True
        rows, columns = np.flatnonzero(~inside), np.flatnonzero(inside)
        if self.notion == "cover" and len(rows) and len(columns):
            both = np.ix_(rows, columns)
            z = self.out_boundary(len(pairs.designs))[pairs.levels[both]][:, :, None]
            deficit = np.maximum(z * pairs.spreads[both] - pairs.gains[both], 0.0)
            deficit[np.isnan(deficit)] = np.inf
            near = np.isfinite(deficit).all(axis=2) & (deficit.max(axis=2) <= epsilon)
            where = np.nonzero(near)
            reach = self.cone._lift.norms(np.ascontiguousarray(deficit[where].T), non_negative=True) <= epsilon
            covered[pairs.designs[rows[where[0][reach]]]] = True
        undecided = ~(beaten | accepted | covered)
        return Claims(beaten, accepted, covered, undecided, pairs, fine)

    def certified_epsilon(self, claims: Claims) -> tuple[float, Bools] | None:
        """The smallest epsilon that the data certify already, and the set to return for it; None if there is none."""
        if claims.pairs is None:
            return None
        reach = claims.pairs.gains + self._fine_boundary[claims.pairs.levels][:, :, None] * claims.pairs.spreads
        if np.isnan(reach).any():
            return None
        low, high = 0.0, max(self.epsilon, float(np.abs(reach / self.cone.widths).max())) * (1 + 1e-9) + 1e-300
        best = self._judged(claims.beaten, claims.pairs, high)
        if not best.done:
            return None
        for _ in range(50):
            middle = (low + high) / 2
            found = self._judged(claims.beaten, claims.pairs, middle)
            low, high, best = (low, middle, found) if found.done else (middle, high, best)
        return high, best.accepted

    def _facet_values(self, snapshot: Floats) -> Floats:
        """(K, N): w_n.mean along unit rows, the sums taken as everywhere."""
        return np.asarray((self.cone._order_columns(snapshot) / self.cone._lengths[:, None]).T)

    def _variance(self, designs: Indices) -> Floats:
        return (
            self.variances[designs]
            if self.variances.ndim == 2
            else np.broadcast_to(self.variances, (len(designs), self.variances.shape[0]))
        )

    def _clearly_beaten(self, state: Checkpoints, values: list[Floats]) -> Bools:
        """Beaten by an empirical front design at one's own last level: a pass that costs K times the fronts.

        At a common level a design on the front is at least as far ahead as any it dominates, so with equal variances
        nothing is missed; what unequal ones hide is found among the pairs.
        """
        best = np.full(self.n_designs, -np.inf)
        for level, z in enumerate(values):
            mine = np.flatnonzero(state.reached == level)
            theirs = np.flatnonzero((state.reached >= level) & ~np.isnan(z).any(axis=1))
            mine = mine[~np.isnan(z[mine]).any(axis=1)]
            if not len(mine) or not len(theirs):
                continue
            rivals = theirs[_front(np.ascontiguousarray(z[theirs].T), True)]
            step = max(1, _PAIRS_AT_ONCE // len(rivals))
            count = self.levels.counts[level]
            for start in range(0, len(mine), step):
                rows = mine[start : start + step]
                score = np.full((len(rows), len(rivals)), np.inf)
                for n in range(z.shape[1]):
                    spread = np.sqrt((self._variance(rows)[:, None, n] + self._variance(rivals)[None, :, n]) / count)
                    np.minimum(score, _in_spreads(z[rivals, n][None, :] - z[rows, n][:, None], spread), out=score)
                score[rows[:, None] == rivals[None, :]] = -np.inf
                best[rows] = score.max(axis=1)
        return np.asarray(best >= self.out_boundary(self.n_designs)[np.maximum(state.reached, 0)])

    def _pairs(self, state: Checkpoints, values: list[Floats], live: Indices) -> Pairs:
        reached = state.reached[live]
        levels = np.minimum(reached[:, None], reached[None, :])
        gains = np.empty((len(live), len(live), len(self.cone.facets)))
        for level in np.unique(reached):
            z = values[level][live]
            rows, columns = np.flatnonzero(reached == level), np.flatnonzero(reached >= level)
            block = z[columns][None, :, :] - z[rows][:, None, :]
            gains[np.ix_(rows, columns)] = block
            gains[np.ix_(columns, rows)] = -np.swapaxes(block, 0, 1)
        variance = self._variance(live)
        counts = np.array(self.levels.counts, dtype=np.float64)[levels]
        spreads = np.sqrt((variance[:, None, :] + variance[None, :, :]) / counts[:, :, None])
        return Pairs(live, levels, gains, spreads)


def _in_spreads(gains: Floats, spreads: Floats) -> Floats:
    """Gains in units of their standard deviations; along a direction without noise the sign alone decides."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spreads > 0, gains / spreads, np.where(gains >= 0, np.inf, -np.inf))
