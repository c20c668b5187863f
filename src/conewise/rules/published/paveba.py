"""Elimination by confidence balls: PaVeBa.

Karagözlü, Yıldırım, Ararat & Tekin, "Learning the Pareto set under incomplete preferences: pure exploration in vector
bandits", AISTATS 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.data.observations import Counts, Statistics
from conewise.question.question import Notion
from conewise.rules.published.common import Elimination, Standing, Standings, ahead

_PAIRS_AT_ONCE: Final = 2**18


@dataclass(frozen=True, eq=False)
class PaVeBa(Elimination):
    """Evaluate once a round every undecided design and every accepted one that may still cover an undecided one.

    In round t all of these have t evaluations and lie in balls of radius r around their averages. There
    r^2 = 8 sigma^2 / t * log(pi^2 (D + 1) K t^2 / (6 delta)). Let D^_xy = mu^_y - mu^_x.

    * Discard an undecided x when some y in play has w_n.D^_xy >= 2 r along every facet.
    * Accept x when D^_xy is further than 2 r from {v : W v >= epsilon alpha} for every other y in play. The distance
      is the lift norm of epsilon alpha - W D^_xy.
    * Keep evaluating an accepted y while this distance is at most 2 r for some undecided x.

    The rule ends when no design is undecided. The accepted designs are an (epsilon, delta)-PAC Pareto set ("cover").
    sigma is the largest standard deviation (or subgaussian parameter) of the noise along a unit vector. The public
    implementations divide the published radius by 16 or 32, as `radius_scale=1/32` does.
    """

    answers: ClassVar[tuple[Notion, ...]] = ("cover",)
    source: ClassVar[str] = "Karagözlü et al. 2024 (PaVeBa)"

    def radii(self, counts: Counts) -> Floats:
        """Return r for each design at its own count t (Karagözlü et al. 2024)."""
        dim, t = self.cone.dim, np.maximum(counts, 1)
        log = math.log(math.pi**2 * (dim + 1) * self.n_designs / (6 * self.delta)) + 2 * np.log(t)
        return np.asarray(self.radius_scale * self.noise.largest_scale(dim) * np.sqrt(8 * log / t))

    def judge(self, used: Statistics, standing: Standings) -> Standings:
        in_play = np.flatnonzero(standing <= Standing.USEFUL)
        z, r, now = self.cone.facet_values(used.means[in_play]), self.radii(used.counts[in_play]), standing[in_play]
        # Discard
        open_, ones = now == Standing.OPEN, np.ones(z.shape[1])
        beaten = open_ & ahead(z, r, ones, 0 * ones).any(axis=1)
        now[beaten] = Standing.DISCARDED
        # Accept
        rows, left = np.flatnonzero(open_ & ~beaten), np.flatnonzero(~beaten)
        near = self._may_cover(z, r, rows, left)
        accepted = ~near.any(axis=1)
        now[rows[accepted]] = Standing.USEFUL
        # Keep U, the useful designs. By the proof the other accepted ones are never needed again.
        useful = near[~accepted].any(axis=0)
        now[left[(now[left] == Standing.USEFUL) & ~useful]] = Standing.ACCEPTED
        after = standing.copy()
        after[in_play] = now
        return after

    def _may_cover(self, z: Floats, r: Floats, rows: Indices, columns: Indices) -> Bools:
        """Return (R, C): whether dist(D^, {v : W v >= epsilon alpha}) <= both radii; False on equal designs."""
        slack, both = self.epsilon * self.cone.widths, r[rows][:, None] + r[columns][None, :]
        deficit = np.full(both.shape, -np.inf)
        for values, wanted in zip(z.T, slack, strict=True):
            np.maximum(deficit, wanted - (values[columns][None, :] - values[rows][:, None]), out=deficit)
        result = deficit <= 0  # inside: distance 0
        # Rows of W are unit vectors, so the distance is at least the largest deficit: few pairs need the lift norm.
        first, second = np.nonzero((deficit > 0) & (deficit <= both))
        for start in range(0, len(first), _PAIRS_AT_ONCE):
            i, j = first[start : start + _PAIRS_AT_ONCE], second[start : start + _PAIRS_AT_ONCE]
            b = np.ascontiguousarray((slack - (z[columns[j]] - z[rows[i]])).T)
            result[i, j] = self.cone.lift_norms(b) <= both[i, j]
        return np.asarray(result & np.not_equal.outer(rows, columns))

    @property
    def premises(self) -> str | None:
        """The reason why the published balls may not hold for noise that is subgaussian along every direction.

        |mean|^2 exceeds sigma^2 (D + 2 sqrt(D x) + 2 x) / t with probability at most exp(-x) (Hsu, Kakade & Zhang
        2012). At x = log(pi^2 K t^2 / (6 delta)) these sum to delta, so that must be at most 8 (log(D + 1) + x).
        """
        dim = self.cone.dim
        # The difference is convex in x with its minimum at D / 36.
        x = max(math.log(math.pi**2 * self.n_designs / (6 * self.delta)), dim / 36)
        if 8 * (math.log(dim + 1) + x) >= dim + 2 * math.sqrt(dim * x) + 2 * x:
            return None
        return (
            f"with {dim} objectives and few designs the published radius is not known to hold: the noise may leave its "
            "balls too often"
        )
