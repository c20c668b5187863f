"""Leader and challenger among designs that have to meet levels: ours, in the manner of Adaptive Pareto Exploration.

It is not e-cAPE (Kone, Kaufmann & Richert 2025, "Constrained Pareto set identification with bandit feedback"), whose
statement was not at hand. It joins their rule of 2023 (`published.ape`) with the levels of docs/adaptive, 9. The proof
is ours (9.7). The rule serves for comparison; `SuccessiveElimination` takes fewer evaluations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.tuning import LEVEL_PART
from conewise.data.observations import Counts, Pulls, Statistics
from conewise.errors import InputError
from conewise.question.question import Heuristic
from conewise.rules.contract import Result
from conewise.rules.published.ape import LeaderChallenger, threshold
from conewise.rules.published.common import best_guess


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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.question.keeps_levels:
            raise InputError(
                f"LevelChallenger needs a cone that keeps the levels, got {self.cone}, which trades an objective away; "
                "use SuccessiveElimination."
            )

    @cached_property
    def _levels(self) -> Floats:
        """(D,): the least acceptable values; minus infinity for an objective without a level."""
        each = self.question.columns.each if self.question.names else ()
        return np.array([-np.inf if own.level is None else own.level for own in each] or [-np.inf] * self.dim)

    @cached_property
    def _columns(self) -> Indices:
        return np.flatnonzero(np.isfinite(self._levels))

    @property
    def delta_for_pairs(self) -> float:
        """The part of delta for comparisons of pairs; levels take the rest (docs/adaptive, 9.2)."""
        return self.delta * (1 - LEVEL_PART) if len(self._columns) else self.delta

    def level_widths(self, counts: Counts) -> Floats:
        """Return how far an average may be off at any time, for all designs and levels, (K, R) (docs/adaptive, 9.7)."""
        columns = self._columns
        fixed = threshold(math.log(self.n_designs * len(columns) / (self.delta * LEVEL_PART)))
        budget = fixed + 2 * np.log(4 + np.log(counts))
        scales = self.noise.scales(np.eye(self.dim)[columns])
        return np.asarray(self.radius_scale * scales * np.sqrt(2 * budget / counts)[:, None])

    def choose(self, state: Statistics, limit: int | None) -> Pulls:
        """Return the leader or the challenger, and how often to evaluate it."""
        found = _Standing.of(self, state)
        open_ = np.flatnonzero(~(found.out | found.accepted))
        if not len(open_):
            return Pulls([], [])
        leader = open_[found.reach[open_].argmax()]
        pair = np.array([leader, found.low[leader].argmin()])
        chosen = pair[:1] if found.h[leader] > 0 else pair[[state.counts[pair].argmin()]]
        return Pulls(chosen, self.batch(state.counts[chosen]))

    def recommend(self, state: Statistics) -> Result:
        """Return the answer so far: accepted designs, and undecided ones whose averages are Pareto optimal."""
        if (state.counts == 0).any():
            return super().recommend(state)
        found = _Standing.of(self, state)
        open_ = ~(found.out | found.accepted)
        why = "every design is decided"
        worth = self.proven(
            self.epsilon,
            "leader and challenger with levels, in the manner of Kone, Kaufmann & Richert 2023, docs/adaptive; "
            f'success "{self.success}"',
        )
        if open_.any():
            why = self.unfinished(state.evaluations, int(open_.sum()))
            worth = Heuristic(why) if worth.proof else worth
        returned = found.accepted | open_ & best_guess(state, ~found.out, self.cone)
        epsilon = self.epsilon if worth.proof else None
        beaten = found.out & ~found.misses
        return Result.of(
            state, returned, worth, why, kept=found.accepted, beaten=beaten, misses=found.misses, epsilon=epsilon
        )


@dataclass(frozen=True, eq=False)
class _Standing:
    """Designs which are out, designs which are accepted, and comparisons with the designs which are not out."""

    misses: Bools
    out: Bools
    accepted: Bools
    low: Floats
    """(K, K): Mlo of `published.ape`, infinite for a design with itself and with a design which is out."""
    h: Floats
    """(K,): above 0 where a design is certainly fine against every other design which is not out."""
    reach: Floats
    """(K,): the least Mhi against the other designs which are not out."""

    @classmethod
    def of(cls, rule: LevelChallenger, state: Statistics) -> _Standing:
        bounds = rule.bounds(state)
        misses: Bools = np.zeros(rule.n_designs, dtype=bool)
        meets = ~misses
        if len(rule._columns):
            off = state.means[:, rule._columns] - rule._levels[rule._columns]
            widths = rule.level_widths(state.counts)
            misses = np.asarray((off + widths < 0).any(axis=1))
            meets = np.asarray((off - widths >= -rule.epsilon).all(axis=1))
        out = misses | (bounds[1].min(axis=1) < rule.epsilon)
        low, high = (np.where(out[None, :], np.inf, table) for table in bounds)
        h = low.min(axis=1)
        return cls(misses, out, ~out & meets & (h > 0), low, h, high.min(axis=1))
