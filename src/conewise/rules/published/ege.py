"""A fixed budget: empirical gap elimination by successive rejects (EGE-SR) and by halving (EGE-SH), for a cone.

Kone, Kaufmann & Richert, "Bandit Pareto set identification: the fixed budget setting", AISTATS 2024.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise.border import Bools, Floats, as_count
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.noise import Noise
from conewise.order.budgets import check_noise
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import cover_gaps, escape_gaps
from conewise.question.question import Heuristic
from conewise.rules.contract import Planner, Result
from conewise.rules.published.common import Rounds, Standing, Standings, best_guess, check_pairs


@dataclass(frozen=True, eq=False)
class EmpiricalGapElimination(Planner, ABC):
    """Spend exactly `budget` evaluations, in rounds that drop the designs with the largest empirical gaps.

    After a round the active designs are judged by their averages, among themselves. A dropped design is accepted if
    it is empirically Pareto optimal and discarded otherwise; the last one is accepted. Equal gaps drop designs outside
    the empirical Pareto set first. A design keeps its observations from round to round.

    The published error bounds hold for the evaluations of their schedules; the two designs of the last round get what
    rounding leaves of the budget. A given budget comes with no confidence, so the answer is heuristic. It carries an
    estimate of the probability of error.
    """

    cone: Cone
    budget: int
    n_designs: int
    noise: Noise

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_pairs(self.n_designs, type(self).__name__))
        check_noise(self.noise, self.cone.dim, self.n_designs)
        object.__setattr__(self, "budget", as_count(self.budget, "budget"))
        if self.budget < self.course[0]:
            raise InputError(
                f"budget must be at least {self.course[0]} for {self.n_designs} designs, or some of them would "
                f"not be evaluated at all; got {self.budget}."
            )

    @property
    @abstractmethod
    def course(self) -> tuple[int, dict[int, int]]:
        """The smallest budget; and by the number of active designs, the evaluations that each has after a round."""

    @property
    def total(self) -> int:
        return self.budget

    @property
    def may_run_ahead(self) -> bool:
        return False

    def start(self) -> Rounds:
        return Rounds.begin(self.n_designs, self.cone.dim, self.reach)

    def ask(self, state: Rounds, most: int | None = None) -> Pulls:
        left = max(0, self.budget - state.evaluations)
        return state.missing(left if most is None else min(left, as_count(most, "most")))

    def tell(self, state: Rounds, observations: Observations) -> Rounds:
        return state.told(observations, self.noise, self.reach, self.judge)

    def reach(self, standing: Standings, counts: Counts) -> Counts:
        """Return the level of the schedule; the last two designs share the rest of the budget, the first one first."""
        target, active = np.zeros_like(counts), np.flatnonzero(standing == Standing.OPEN)
        if len(active) == 2:
            each, more = divmod(max(0, self.budget - int(counts.sum())), 2)
            target[active] = counts[active] + [each + more, each]
        else:
            target[active] = self.course[1].get(len(active), 0)
        return target

    def judge(self, used: Statistics, standing: Standings) -> Standings:
        """Drop the designs with the largest gaps until as many are left as the next round has."""
        active = np.flatnonzero(standing == Standing.OPEN)
        stay = max((size for size in self.course[1] if size < len(active)), default=0)
        gaps, front = empirical_gaps(used.means[active], self.cone)
        order = np.lexsort((front, -gaps))  # among equals those outside the front, then by index
        dropped, after = order[: len(active) - stay], standing.copy()
        after[active[dropped]] = np.where(front[dropped], Standing.ACCEPTED, Standing.DISCARDED)
        if not stay:
            after[active[dropped[-1]]] = Standing.ACCEPTED
        return after

    def recommend(self, state: Rounds) -> Result:
        accepted, discarded = state.accepted, state.discarded
        open_ = ~(accepted | discarded)
        returned = accepted | open_ & best_guess(state.seen, open_, self.cone)
        left = sum(size <= open_.sum() for size in self.course[1])
        why = f"the budget of {self.budget} evaluations is spent" + (f", with {left} rounds to go" if left else "")
        if left and state.evaluations < self.budget:
            why = f"not finished: {state.evaluations} of {self.budget} evaluations"
        words = "not every design has been evaluated yet"
        if (state.counts > 0).all():
            error = estimated_error(returned, state.seen, self.cone, self.noise)
            words = f"a fixed budget comes with no confidence; the averages suggest an error probability of {error:.2g}"
        return Result.of(state.seen, returned, Heuristic(words), why, kept=accepted, beaten=discarded)


@dataclass(frozen=True, eq=False)
class SequentialRejects(EmpiricalGapElimination):
    """EGE-SR: K - 1 rounds, each dropping the design with the largest empirical gap.

    At the end of round r every active design has n_r = ceil((T - K) / (logbar(K) (K + 1 - r))) evaluations.
    logbar(K) is 1/2 + sum_{i = 2..K} 1/i. See `EmpiricalGapElimination` for the answer.
    """

    @cached_property
    def course(self) -> tuple[int, dict[int, int]]:
        k = self.n_designs
        logbar = 0.5 + math.fsum(1 / i for i in range(2, k + 1))
        # One evaluation each, and at least one to share out.
        return k + 1, {size: math.ceil((self.budget - k) / (logbar * size)) for size in range(k, 1, -1)}


@dataclass(frozen=True, eq=False)
class SequentialHalving(EmpiricalGapElimination):
    """EGE-SH: ceil(log2 K) rounds, each keeping the half of the designs with the smallest empirical gaps.

    In each round every one of the A active designs is evaluated floor(T / (A ceil(log2 K))) times.
    See `EmpiricalGapElimination` for the answer.
    """

    @cached_property
    def course(self) -> tuple[int, dict[int, int]]:
        rounds = (self.n_designs - 1).bit_length()  # ceil(log2 K)
        sizes = [-(-self.n_designs // 2**r) for r in range(rounds)]
        levels = np.cumsum([self.budget // (size * rounds) for size in sizes]).tolist()
        return self.n_designs * rounds, dict(zip(sizes, levels, strict=True))


def empirical_gaps(means: Floats, cone: Cone) -> tuple[Floats, Bools]:
    """Return how hard each design is to classify (A,), and the Pareto set of these means.

    The gap is Delta*_i outside the Pareto set, and min over j of min(M(i, j), M(j, i) + Delta*_j) for i inside.
    """
    front = pareto_mask(means, cone)
    on_front = np.flatnonzero(front)
    gaps = escape_gaps(means, cone, rivals=on_front).max(axis=1)  # Delta*: exactly 0 on the front
    cover = cover_gaps(means, cone, rivals=on_front)  # M(j, i) for every j and i on the front
    # Non-Pareto j need no M(i, j): it is at least M(i, k) where k dominates j, or Delta*_j when only i does.
    cover[on_front, np.arange(len(on_front))] = np.inf
    gaps[on_front] = np.minimum((cover + gaps[:, None]).min(axis=0), cover[on_front].min(axis=1))
    return gaps, front


def estimated_error(returned: Bools, statistics: Statistics, cone: Cone, noise: Noise) -> float:
    """Return a bound on the probability that a returned set is not the Pareto set, if the averages were the truth.

    A returned design is wrong if a rival truly dominates it: at most the smallest of the tails of the facets, summed
    over the rivals. Another design is wrong if no design dominates it: the tails of the facets summed, for its best
    returned rival.
    """
    z, spread, scales = cone.facet_values(statistics.means), 1 / statistics.counts, noise.scales(cone.facets)
    inside, outside = np.flatnonzero(returned), np.flatnonzero(~returned)
    behind, missing = np.zeros((len(inside), len(z))), np.zeros((len(outside), len(inside)))
    for values, scale in zip(z.T, np.maximum(scales, np.finfo(np.float64).tiny), strict=True):
        gain = (values[None, :] - values[:, None]) / (scale * np.sqrt(spread[:, None] + spread[None, :]))
        behind = np.maximum(behind, -gain[inside])
        missing += np.exp(noise.log_tail(np.maximum(gain[np.ix_(outside, inside)], 0.0)))
    dominated = np.exp(noise.log_tail(behind))
    dominated[np.arange(len(inside)), inside] = 0.0
    # With nothing returned, every design counts 1.
    return min(1.0, float(dominated.sum() + missing.min(axis=1, initial=np.inf if len(inside) else 1.0).sum()))
