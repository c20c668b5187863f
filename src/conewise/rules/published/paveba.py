"""Elimination by confidence balls: PaVeBa.

Karagözlü, Yıldırım, Ararat & Tekin, "Learning the Pareto set under incomplete preferences: pure exploration in vector
bandits", AISTATS 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.data.observations import Counts, Statistics
from conewise.question.question import Notion
from conewise.rules.contract import Result
from conewise.rules.published.rounds import Elimination, Rounds, Standing, Standings

_PAIRS_AT_ONCE: Final = 2**18


@dataclass(frozen=True, eq=False)
class PaVeBa(Elimination):
    """Evaluate once a round every undecided design and every accepted one that may still cover an undecided one.

    In round t all of these have t evaluations and lie in balls of radius r around their averages,
    r^2 = 8 sigma^2 / t * log(pi^2 (D + 1) K t^2 / (6 delta)). With D^_xy = mu^_y - mu^_x a round

    * discards an undecided x when some y in play has w_n.D^_xy >= 2 r along every facet;
    * accepts x when for every other y in play the distance of D^_xy to {v : W v >= epsilon alpha} exceeds 2 r
      (the lift norm of epsilon alpha - W D^_xy);
    * keeps evaluating an accepted y while this distance is at most 2 r for some undecided x.

    The rule ends when no design is undecided. The accepted designs are an (epsilon, delta)-PAC Pareto set ("cover").

    The radius is the published one, and proven. The public implementations divide it by 16 or 32, which is tuned:
    `radius_scale=1/32` does so too, and makes the answer heuristic. The radius holds for all counts at once, so rounds
    may skip counts: `growth` = g goes from t to about (1 + g) t evaluations in one round. sigma is the largest standard
    deviation (or subgaussian parameter) of the noise along a unit vector.
    """

    answers: ClassVar[tuple[Notion, ...]] = ("cover",)
    exact: ClassVar[bool] = False

    @cached_property
    def sigma(self) -> float:
        """Largest standard deviation of the noise along a unit vector."""
        return self.noise.largest_scale(self.cone.dim)

    def radii(self, counts: Counts) -> Floats:
        """Return r for each design at its own count t (Karagözlü et al. 2024)."""
        t = np.maximum(counts, 1)
        log = math.log(math.pi**2 * (self.cone.dim + 1) * self.n_designs / (6 * self.delta)) + 2 * np.log(t)
        return np.asarray(self.radius_scale * self.sigma * np.sqrt(8 * log / t))

    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        z, r = self.cone.facet_values(used.means), self.radii(used.counts)
        after = standing.copy()
        in_play = np.flatnonzero((standing == Standing.OPEN) | (standing == Standing.USEFUL))
        open_ = np.flatnonzero(standing == Standing.OPEN)
        # Discard
        beaten = self._beaten(z, r, open_, in_play).any(axis=1)
        after[open_[beaten]] = Standing.DISCARDED
        # Accept
        open_, in_play = open_[~beaten], in_play[after[in_play] != Standing.DISCARDED]
        near = self._may_cover(z, r, open_, in_play)
        accepted = ~near.any(axis=1)
        # Keep U, the useful designs. By the proof the other accepted ones are never needed again.
        useful: Bools = np.asarray(near[~accepted].any(axis=0))
        was_in = (after[in_play] == Standing.USEFUL) | np.isin(in_play, open_[accepted])
        after[in_play[was_in]] = np.where(useful[was_in], Standing.USEFUL, Standing.ACCEPTED)
        return after

    def _beaten(self, z: Floats, r: Floats, rows: Indices, columns: Indices) -> Bools:
        """Return (R, C): whether w_n.D^ is at least both radii along every facet; False on equal designs."""
        both = r[rows][:, None] + r[columns][None, :]
        result: Bools = np.not_equal.outer(rows, columns)
        for n in range(z.shape[1]):
            result &= z[columns, n][None, :] - z[rows, n][:, None] >= both
        return result

    def _may_cover(self, z: Floats, r: Floats, rows: Indices, columns: Indices) -> Bools:
        """Return (R, C): whether dist(D^, {v : W v >= epsilon alpha}) <= both radii; False on equal designs."""
        slack = self.epsilon * self.cone.widths
        both = r[rows][:, None] + r[columns][None, :]
        deficit = np.full(both.shape, -np.inf)
        for n in range(z.shape[1]):
            np.maximum(deficit, slack[n] - (z[columns, n][None, :] - z[rows, n][:, None]), out=deficit)
        result = deficit <= 0  # inside: distance 0
        # Rows of W are unit vectors, so the distance is at least the largest deficit: few pairs need the lift norm.
        first, second = np.nonzero((deficit > 0) & (deficit <= both))
        for start in range(0, len(first), _PAIRS_AT_ONCE):
            i, j = first[start : start + _PAIRS_AT_ONCE], second[start : start + _PAIRS_AT_ONCE]
            b = np.ascontiguousarray((slack - (z[columns[j]] - z[rows[i]])).T)
            result[i, j] = self.cone.lift_norms(b) <= both[i, j]
        return np.asarray(result & np.not_equal.outer(rows, columns))

    def recommend(self, state: Rounds) -> Result:
        doubt = (
            f"with {self.cone.dim} objectives and few designs the published radius is not known to hold: "
            "the noise may leave its balls too often"
        )
        theorem = 'Karagözlü et al. 2024 (PaVeBa); success "cover"'
        return self.answer(state.seen, state.accepted, state.discarded, theorem, None if self.balls_hold else doubt)

    @property
    def balls_hold(self) -> bool:
        """True if the published balls hold for noise that is subgaussian along every direction, as in practice.

        |mean|^2 exceeds sigma^2 (D + 2 sqrt(D x) + 2 x) / t with probability at most exp(-x) (Hsu, Kakade & Zhang
        2012). At x = log(pi^2 K t^2 / (6 delta)) these sum to delta, so that must be at most 8 (log(D + 1) + x).
        """
        dim = self.cone.dim
        # The difference is convex in x with its minimum at D / 36.
        x = max(math.log(math.pi**2 * self.n_designs / (6 * self.delta)), dim / 36)
        return 8 * (math.log(dim + 1) + x) >= dim + 2 * math.sqrt(dim * x) + 2 * x
