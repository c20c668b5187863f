"""A fixed budget: empirical gap elimination by successive rejects (EGE-SR) and by halving (EGE-SH), for a cone.

Kone, Kaufmann & Richert, "Bandit Pareto set identification: the fixed budget setting", AISTATS 2024.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise.border import Bools, Floats, as_count
from conewise.certificate.fit import check_possible
from conewise.cone.cone import Cone
from conewise.data.observations import Counts, Observations, Statistics
from conewise.errors import InputError
from conewise.noise import Noise
from conewise.order.budgets import check_noise
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import cover_gaps, escape_gaps
from conewise.question.question import Heuristic
from conewise.rules.contract import Planner, Result, Seen
from conewise.rules.published.common import best_guess, check_pairs
from conewise.rules.published.rounds import RoundByRound, Rounds, Standing, Standings


@dataclass(frozen=True, eq=False)
class EmpiricalGapElimination(RoundByRound, Planner):
    """The best set for exactly `budget` evaluations: rounds that drop the designs with the largest empirical gaps.

    After a round the active designs are judged by their averages, among themselves. A dropped design is accepted when
    it is empirically Pareto optimal and discarded otherwise; the last one is accepted. The gaps are Delta* outside the
    empirical Pareto set and, for i in it, min over j of min(M(i, j), M(j, i) + Delta*_j); equal gaps drop designs
    outside the set first. A design keeps its observations from round to round.

    The published error bounds hold for the evaluations of their schedules; what rounding leaves of the budget goes to
    the designs of the last round. There is no confidence to promise for a given budget, so the answer is
    heuristic; it carries an estimate of the probability of error.
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
    def dim(self) -> int:
        """The number of objectives D."""
        return self.cone.dim

    @property
    @abstractmethod
    def smallest_budget(self) -> int:
        """With which everyone is evaluated at least once."""

    @property
    @abstractmethod
    def schedule(self) -> tuple[tuple[int, int], ...]:
        """For each round: how many designs are active, and how many evaluations each of them has at its end."""

    @property
    def total(self) -> int:
        """The budget."""
        return self.budget

    @property
    def may_run_ahead(self) -> bool:
        """The budget is what the user wants to pay."""
        return False

    @cached_property
    def left_over(self) -> int:
        """What the schedule leaves of the budget."""
        before, spent = 0, 0
        for active, level in self.schedule:
            spent += active * (level - before)
            before = level
        return self.budget - spent

    def check_told(self, observations: Observations, seen: Statistics) -> None:
        """Refuse what the assumption rules out."""
        check_possible(observations, self.noise, seen)

    def allowed(self, state: Seen, most: int | None) -> int | None:
        """What is left of the budget."""
        left = max(0, self.budget - state.evaluations)
        return left if most is None else min(left, as_count(most, "most"))

    def reach(self, judged: int, standing: Standings, counts: Counts) -> Counts:
        """The schedule's level; in the last round also what is left over, the first designs taking the remainder."""
        target = np.zeros_like(counts)
        if judged == len(self.schedule):
            return target
        active = np.flatnonzero(standing == Standing.OPEN)
        target[active] = self.schedule[judged][1]
        if judged == len(self.schedule) - 1:
            each, more = divmod(self.left_over, len(active))
            target[active] += each
            target[active[:more]] += 1
        return target

    def judge(self, used: Statistics, judged: int, standing: Standings) -> Standings:
        """Drop the largest gaps until as many designs are left as the next round has."""
        active = np.flatnonzero(standing == Standing.OPEN)
        last = judged == len(self.schedule) - 1
        stay = 1 if last else self.schedule[judged + 1][0]
        gaps, front = empirical_gaps(used.means[active], self.cone)
        order = np.lexsort((front, -gaps))  # largest first; among equals those outside the front, then by index
        dropped = order[: len(active) - stay]
        after = standing.copy()
        after[active[dropped]] = np.where(front[dropped], Standing.ACCEPTED, Standing.DISCARDED)
        if last:
            after[active[order[len(dropped) :]]] = Standing.ACCEPTED
        return after

    def recommend(self, state: Rounds) -> Result:
        """The answer so far; before the end, open designs are returned when their averages are Pareto optimal."""
        rounds, over = len(self.schedule), state.judged == len(self.schedule)
        accepted, discarded = state.accepted, state.discarded
        open_ = ~(accepted | discarded)
        returned = accepted | open_ & best_guess(state.seen, open_, self.cone)
        if over:
            why = f"the budget of {self.budget} evaluations is spent"
        elif state.evaluations >= self.budget:
            why = f"the budget of {self.budget} evaluations is spent, with {rounds - state.judged} rounds to go"
        else:
            why = f"not finished: {state.evaluations} of {self.budget} evaluations"
        if (state.counts > 0).all():
            error = estimated_error(returned, state.seen, self.cone, self.noise)
            words = f"a fixed budget comes with no confidence; the averages suggest an error probability of {error:.2g}"
        else:
            words = "not every design has been evaluated yet"
        return Result.of(state, returned, Heuristic(words), why, kept=accepted, beaten=discarded)


@dataclass(frozen=True, eq=False)
class SequentialRejects(EmpiricalGapElimination):
    """EGE-SR: K - 1 rounds, each dropping the design with the largest empirical gap.

    At the end of round r every active design has n_r = ceil((T - K) / (logbar(K) (K + 1 - r))) evaluations,
    logbar(K) = 1/2 + sum_{i = 2..K} 1/i. See `EmpiricalGapElimination` for the gaps and the answer.

    >>> from conewise.noise import Gaussian
    >>> SequentialRejects(Cone.orthant(2), budget=100, n_designs=4, noise=Gaussian(1)).schedule
    ((4, 16), (3, 21), (2, 31))
    """

    @property
    def smallest_budget(self) -> int:
        """More than one each: the schedule shares out what goes beyond."""
        return self.n_designs + 1

    @cached_property
    def schedule(self) -> tuple[tuple[int, int], ...]:
        """K, K - 1, ..., 2 active designs."""
        k = self.n_designs
        logbar = 0.5 + math.fsum(1 / i for i in range(2, k + 1))
        return tuple((k - r, math.ceil((self.budget - k) / (logbar * (k - r)))) for r in range(k - 1))


@dataclass(frozen=True, eq=False)
class SequentialHalving(EmpiricalGapElimination):
    """EGE-SH: ceil(log2 K) rounds, each keeping the half of the designs with the smallest empirical gaps.

    In each round every one of the A active designs is evaluated floor(T / (A ceil(log2 K))) times.
    See `EmpiricalGapElimination` for the gaps and the answer.

    >>> from conewise.noise import Gaussian
    >>> SequentialHalving(Cone.orthant(2), budget=100, n_designs=5, noise=Gaussian(1)).schedule
    ((5, 6), (3, 17), (2, 33))
    """

    @property
    def smallest_budget(self) -> int:
        """One each in the first round."""
        return self.n_designs * (self.n_designs - 1).bit_length()

    @cached_property
    def schedule(self) -> tuple[tuple[int, int], ...]:
        """K designs, then half of them, rounded up, and so on down to two."""
        rounds = (self.n_designs - 1).bit_length()  # ceil(log2 K)
        found, active, level = [], self.n_designs, 0
        for _ in range(rounds):
            level += self.budget // (active * rounds)
            found.append((active, level))
            active = -(-active // 2)
        return tuple(found)


def empirical_gaps(means: Floats, cone: Cone) -> tuple[Floats, Bools]:
    """How hard each design is to classify, (A,), and the Pareto set of these means.

    >>> gaps, front = empirical_gaps(np.array([[0.0, 3.0], [4.0, 0.0], [1.0, -1.0]]), Cone.orthant(2))
    >>> gaps.tolist(), front.tolist()
    ([2.0, 1.0, 1.0], [True, True, False])
    """
    front = pareto_mask(means, cone)
    on_front = np.flatnonzero(front)
    gaps = escape_gaps(means, cone, rivals=on_front).max(axis=1)  # Delta*: exactly 0 on the front
    cover = cover_gaps(means, cone, rivals=on_front)  # M(j, i) for every j and i on the front
    # Non-Pareto j need no M(i, j): it is at least M(i, k) where k dominates j, or Delta*_j when only i does.
    out = cover + gaps[:, None]
    out[on_front, np.arange(len(on_front))] = np.inf
    among = cover[on_front]
    np.fill_diagonal(among, np.inf)
    gaps[on_front] = np.minimum(out.min(axis=0), among.min(axis=1))
    return gaps, front


def estimated_error(returned: Bools, statistics: Statistics, cone: Cone, noise: Noise) -> float:
    """The probability that a returned set is not the Pareto set, were the averages the truth: a union of tails.

    A returned design is wrong when some rival truly dominates it: at most the smallest of the facets' tails, summed
    over the rivals. Another one is wrong when nobody dominates it: the facets' tails summed, for its best returned
    rival.
    """
    z, scales, spread = cone.facet_values(statistics.means), noise.scales(cone.facets), 1 / statistics.counts
    inside, outside = np.flatnonzero(returned), np.flatnonzero(~returned)
    deviation = np.sqrt(spread[:, None] + spread[None, :])
    behind = np.full((len(inside), len(z)), np.inf)  # log of the smallest tail
    missing = np.zeros((len(outside), len(inside)))
    for n, scale in enumerate(np.maximum(scales, np.finfo(np.float64).tiny)):
        gain = (z[None, :, n] - z[:, None, n]) / (scale * deviation)
        np.minimum(behind, noise.log_tail(np.maximum(-gain[inside], 0.0)), out=behind)
        missing += np.exp(noise.log_tail(np.maximum(gain[np.ix_(outside, inside)], 0.0)))
    dominated = np.exp(behind)
    dominated[np.arange(len(inside)), inside] = 0.0
    error = float(dominated.sum())
    if len(outside):
        error += float(missing.min(axis=1).sum()) if len(inside) else float(len(outside))
    return min(1.0, error)
