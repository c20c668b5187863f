"""Leader and challenger among designs that have to meet levels: ours, in the manner of Adaptive Pareto Exploration.

It is not e-cAPE (Kone, Kaufmann & Richert 2025, "Constrained Pareto set identification with bandit feedback"), whose
statement was not at hand. It joins their rule of 2023 (`published.ape`) with the levels of docs/adaptive, 9. The proof
is ours (9.7). The rule serves for comparison; `SuccessiveElimination` takes fewer evaluations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.thresholds import levels_of
from conewise.certificate.tuning import LEVEL_PART
from conewise.data.observations import Counts, Pulls, Statistics
from conewise.errors import InputError
from conewise.rules.contract import Result
from conewise.rules.published.ape import LeaderChallenger, threshold


@dataclass(frozen=True, eq=False)
class LevelChallenger(LeaderChallenger):
    """Evaluate the open design that is least dominated, or its closest rival, whichever has fewer evaluations.

    A design is *out* if it certainly misses a level or if another design certainly dominates it. It is accepted if it
    meets its levels within epsilon and is fine within epsilon against every design which is not out. An open design is
    neither out nor accepted. If the leader is fine already, and only its levels are open, the rule evaluates the
    leader.

    For cones that keep the levels (docs/adaptive, 9.1): the orthant and all cones inside it.
    """

    knows_levels: ClassVar[bool] = True
    source: ClassVar[str] = (
        "leader and challenger with levels, in the manner of Kone, Kaufmann & Richert 2023, docs/adaptive"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.question.keeps_levels:
            raise InputError(
                f"LevelChallenger needs a cone that keeps the levels, got {self.cone}, which trades an objective away; "
                "use SuccessiveElimination."
            )

    @property
    def delta_for_pairs(self) -> float:
        """The part of delta for comparisons of pairs; levels take the rest (docs/adaptive, 9.2)."""
        return self.delta * (1 - LEVEL_PART) if len(levels_of(self.question)[0]) else self.delta

    def level_widths(self, counts: Counts, columns: Indices) -> Floats:
        """Return how far an average may be off at any time, for designs and these objectives (docs/adaptive, 9.7)."""
        fixed = threshold(math.log(self.n_designs * len(columns) / (self.delta * LEVEL_PART)))
        budget = fixed + 2 * np.log(4 + np.log(counts))
        scales = self.noise.scales(np.eye(self.dim)[columns])
        return np.asarray(self.radius_scale * scales * np.sqrt(2 * budget / counts)[:, None])

    def choose(self, state: Statistics, limit: int | None) -> Pulls:
        """Return the leader or the challenger, and how often to evaluate it."""
        _, out, accepted, low, reach = self._standing(state)
        open_ = np.flatnonzero(~(out | accepted))
        if not len(open_):
            return Pulls([], [])
        leader = open_[reach[open_].argmax()]
        pair = np.array([leader, low[leader].argmin()])
        chosen = pair[:1] if low[leader].min() > 0 else pair[[state.counts[pair].argmin()]]
        return Pulls(chosen, self.batch(state.counts[chosen]))

    def recommend(self, state: Statistics) -> Result:
        """Return the answer so far: accepted designs, and undecided ones whose averages are Pareto optimal."""
        if (state.counts == 0).any():
            return super().recommend(state)
        misses, out, accepted, _, _ = self._standing(state)
        return self.answer(state, accepted, out, beaten=out, misses=misses)

    def _standing(self, state: Statistics) -> tuple[Bools, Bools, Bools, Floats, Floats]:
        """Return designs that miss a level, are out, are accepted; Mlo (K, K) and the least Mhi against those left."""
        bounds, misses = self.bounds(state), np.zeros(self.n_designs, dtype=bool)
        meets, (columns, least, _, _) = ~misses, levels_of(self.question)
        if len(columns):
            off, widths = state.means[:, columns] - least, self.level_widths(state.counts, columns)
            misses = np.asarray((off + widths < 0).any(axis=1))
            meets = np.asarray((off - widths >= -self.epsilon).all(axis=1))
        out = misses | (bounds[1].min(axis=1) < self.epsilon)
        low, high = (np.where(out[None, :], np.inf, table) for table in bounds)
        return misses, out, ~out & meets & (low.min(axis=1) > 0), low, high.min(axis=1)
