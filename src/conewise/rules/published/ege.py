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
from conewise.certificate.fit import check_possible
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.noise import Noise
from conewise.order.budgets import check_noise
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import cover_gaps, escape_gaps
from conewise.question.question import Heuristic
from conewise.rules.contract import Planner, Result
from conewise.rules.published.common import best_guess, check_pairs, estimated_error
from conewise.rules.published.rounds import Rounds, Standing, Standings


@dataclass(frozen=True, eq=False)
class EmpiricalGapElimination(Planner, ABC):
    """Spend exactly `budget` evaluations, in rounds that drop the designs with the largest empirical gaps.

    After a round the active designs are judged by their averages, among themselves. A dropped design is accepted if
    it is empirically Pareto optimal and discarded otherwise; the last one is accepted. Equal gaps drop designs outside
    the empirical Pareto set first. A design keeps its observations from round to round.

    The published error bounds hold for the evaluations of their schedules; the designs of the last round get what
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
        if self.budget < self.smallest_budget:
            raise InputError(
                f"budget must be at least {self.smallest_budget} for {self.n_designs} designs, or some of them would "
                f"not be evaluated at all; got {self.budget}."
            )

    @property
    @abstractmethod
    def smallest_budget(self) -> int:
        """Smallest budget with which every design is evaluated."""

    @property
    @abstractmethod
    def schedule(self) -> tuple[tuple[int, int], ...]:
        """The number of active designs in each round, and the evaluations that each of them has at its end."""

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
        check_possible(observations, self.noise, state.seen)
        return state.told(observations, self.reach, self.judge)

    def reach(self, judged: int, standing: Standings, counts: Counts) -> Counts:
        """Return the level of the schedule; the last round shares out the remainder, first designs first."""
        target, active = np.zeros_like(counts), np.flatnonzero(standing == Standing.OPEN)
        if judged < len(self.schedule):
            target[active] = self.schedule[judged][1]
        if judged == len(self.schedule) - 1:
            sizes, levels = np.array(self.schedule).T
            each, more = divmod(self.budget - int(sizes @ np.diff(levels, prepend=0)), len(active))
            target[active] += each + (np.arange(len(active)) < more)
        return target

    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        """Drop the designs with the largest gaps until as many are left as the next round has."""
        active = np.flatnonzero(standing == Standing.OPEN)
        stay = [size for size, _ in (*self.schedule, (0, 0))][judged + 1]
        gaps, front = empirical_gaps(used.means[active], self.cone)
        dropped = np.lexsort((front, -gaps))[
            : len(active) - stay
        ]  # among equals those outside the front, then by index
        after = standing.copy()
        after[active[dropped]] = np.where(front[dropped], Standing.ACCEPTED, Standing.DISCARDED)
        if not stay:
            after[active[dropped[-1]]] = Standing.ACCEPTED
        return after

    def recommend(self, state: Rounds) -> Result:
        accepted, discarded, left = state.accepted, state.discarded, len(self.schedule) - state.judged
        open_ = ~(accepted | discarded)
        returned = accepted | open_ & best_guess(state.seen, open_, self.cone)
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

    @property
    def smallest_budget(self) -> int:
        return self.n_designs + 1  # one each, and one to share out

    @cached_property
    def schedule(self) -> tuple[tuple[int, int], ...]:
        k = self.n_designs
        logbar = 0.5 + math.fsum(1 / i for i in range(2, k + 1))
        return tuple((k - r, math.ceil((self.budget - k) / (logbar * (k - r)))) for r in range(k - 1))


@dataclass(frozen=True, eq=False)
class SequentialHalving(EmpiricalGapElimination):
    """EGE-SH: ceil(log2 K) rounds, each keeping the half of the designs with the smallest empirical gaps.

    In each round every one of the A active designs is evaluated floor(T / (A ceil(log2 K))) times.
    See `EmpiricalGapElimination` for the answer.
    """

    @property
    def smallest_budget(self) -> int:
        return self.n_designs * (self.n_designs - 1).bit_length()  # one each in the first round

    @cached_property
    def schedule(self) -> tuple[tuple[int, int], ...]:
        rounds = (self.n_designs - 1).bit_length()  # ceil(log2 K)
        active = [-(-self.n_designs // 2**r) for r in range(rounds)]
        levels = np.cumsum([self.budget // (a * rounds) for a in active])
        return tuple(zip(active, levels.tolist(), strict=True))


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
