"""Naive elimination: evaluate every design L times, return the Pareto set of the averages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np

from conewise._digits import rounded_up
from conewise.border import Bools, Floats, Indices, as_count, as_option, as_positive
from conewise.certificate.fit import check_possible
from conewise.cone.cone import Cone
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.noise import Gaussian, Noise
from conewise.order.budgets import (
    PAPER_CONSTANT,
    Bound,
    certified_epsilon,
    check_designs,
    check_total,
    failure_probability,
    naive_budget,
)
from conewise.order.dominance import pareto_mask
from conewise.question.question import Answering, Guarantee, Heuristic, Question, as_question
from conewise.rules.contract import INDEPENDENT, Plan, Planner, Result, as_answered

_THEOREMS = {
    "paper": "Ararat & Tekin 2023, Theorem 6.1; constant by docs/theory, section 7.3",
    "gaussian": "exact normal tails, docs/theory, section 7.2",
    "subgaussian": "subgaussian tails, docs/theory, section 7.2",
}
_NAMED_PAIRS: Final = 2**24  # beyond, nobody is told who covers whom


class _FromBound(int):
    """A number that nobody else can give."""


FROM_BOUND: Final = _FromBound(-1)
"""Says that `evaluations_each` is to be derived."""


@dataclass(frozen=True)
class NaiveElimination(Answering, Planner):
    """Round-robin over all designs, L times each (Ararat & Tekin 2023, Algorithm 1).

    L comes from a bound ("paper", "gaussian", "subgaussian"; "auto" takes the smallest that the noise allows) or is
    given as `evaluations_each`, which makes the answer heuristic; a question without noise needs it.

    >>> algorithm = NaiveElimination(Question(Cone.orthant(2), 0.5, 0.1, Gaussian(1)), n_designs=3)
    >>> algorithm.evaluations_each
    37
    >>> algorithm.ask(algorithm.start(), most=4)
    Pulls(4 evaluations of 3 designs)
    """

    question: Question
    n_designs: int
    bound: Bound | Literal["auto", "given"] = "auto"
    evaluations_each: int = FROM_BOUND
    c: float = PAPER_CONSTANT

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", as_question(self.question, self.n_designs))
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        as_positive(self.epsilon, "epsilon")
        as_answered(self.question.success, ("cover",), type(self).__name__)
        if self.evaluations_each is not FROM_BOUND:
            each = as_count(self.evaluations_each, "evaluations_each")
            object.__setattr__(self, "evaluations_each", check_total(each, self.n_designs))
            object.__setattr__(self, "bound", "given")
            return
        if self.noise is None:
            raise InputError(
                "nothing is known of this noise, so no number of evaluations can be derived; "
                "pass noise=... (an assumption) or evaluations_each=... (a number, and a heuristic answer)."
            )
        as_option(self.bound, "bound", ("auto", *_THEOREMS))
        if self.bound == "auto":
            tails: Bound = "gaussian" if isinstance(self.noise, Gaussian) else "subgaussian"
            object.__setattr__(self, "bound", tails)
        each = naive_budget(
            self.cone,
            self.noise,
            self.n_designs,
            self.epsilon,
            self.delta,
            bound=cast(Bound, self.bound),
            c=self.c,
        )
        object.__setattr__(self, "evaluations_each", each)

    @property
    def noise(self) -> Noise | None:
        """What is assumed of an evaluation, if anything."""
        return self.question.noise

    @property
    def total(self) -> int:
        """K L."""
        return self.n_designs * self.evaluations_each

    @property
    def most_each(self) -> int:
        """L."""
        return self.evaluations_each

    def plan(self, state: Statistics) -> Plan:
        """What is missing of L each."""
        pulls = self.ask(state)
        return Plan(pulls, pulls.total)

    def start(self) -> Statistics:
        """Nothing observed."""
        return Statistics.empty(self.n_designs, self.cone.dim)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        """Whoever was evaluated least comes next, in the order of the designs: the paper's I_t = (t - 1 mod K) + 1."""
        missing = np.maximum(self.evaluations_each - state.counts, 0)
        remaining = int(missing.sum())
        if most is not None:
            most = as_count(most, "most")
        if most is None or most >= remaining:
            return Pulls.each(missing)
        # Raise everyone to a common level while the batch lasts, then one more for the first ones below the next.
        low, high = int(state.counts.min()), self.evaluations_each
        while high - low > 1:
            level = (low + high) // 2
            if int(np.maximum(level - state.counts, 0).sum()) <= most:
                low = level
            else:
                high = level
        extra = np.maximum(low - state.counts, 0)
        below = np.flatnonzero(state.counts + extra < low + 1)
        extra[below[: most - int(extra.sum())]] += 1
        return Pulls.each(extra)

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        """The state with these observations; refused are those that the assumption rules out."""
        if self.noise is not None:
            check_possible(observations, self.noise, state)
        return state.add(observations)

    def recommend(self, state: Statistics) -> Result:
        """The Pareto set of the averages; designs never evaluated are undecided and not returned."""
        seen = state.counts > 0
        pareto = np.zeros(self.n_designs, dtype=bool)
        if seen.any():
            pareto[seen] = pareto_mask(state.means[seen], self.cone)
        least = int(state.counts.min())
        done = least >= self.evaluations_each
        most = int(state.counts.max())
        reached = self._certified(least) if least == most == self.evaluations_each else None
        times = "once" if self.evaluations_each == 1 else f"{self.evaluations_each} times"
        why = (
            f"every design has been evaluated {times}"
            if done
            else f"not finished: {int((state.counts < self.evaluations_each).sum())} designs have fewer than "
            f"{self.evaluations_each} evaluations"
        )
        # At the end whoever is not returned is dominated by the averages of one that is: covered (docs/theory, 7.2).
        return Result.of(
            state,
            pareto,
            self._worth(least, most, reached),
            why,
            kept=pareto & done,
            covered=~pareto & done,
            by=_dominators(state.means, pareto, self.cone) if done else None,
            epsilon=reached,
        )

    def _certified(self, least: int) -> float | None:
        if self.noise is None:
            return None
        return certified_epsilon(self.cone, self.noise, self.n_designs, least, self.delta, bound=self._tails)

    @property
    def _tails(self) -> Bound:
        return "gaussian" if isinstance(self.noise, Gaussian) else "subgaussian"

    def _worth(self, least: int, most: int, reached: float | None) -> Guarantee | Heuristic:
        if least < self.evaluations_each:
            return Heuristic(f"stopped before every design had its {self.evaluations_each} evaluations")
        if most > self.evaluations_each:  # going on until an average looks right would break the proof
            return Heuristic(
                f"some designs were evaluated up to {most} times, which the proof does not cover: it fixes "
                f"{self.evaluations_each} evaluations of each before anything is seen"
            )
        if self.bound == "given":
            one = self.evaluations_each == 1
            each, them = (
                ("1 evaluation of each design was", "it")
                if one
                else (f"{self.evaluations_each} evaluations of each design were", "them")
            )
            known = (
                "nothing is assumed of the noise"
                if reached is None
                else (
                    f"a proof gives epsilon = {rounded_up(reached, 4):g} for {them}, not {self.epsilon:g}"
                    if reached > self.epsilon
                    else f"a proof would give epsilon = {rounded_up(reached, 4):g} had the number been fixed by a bound"
                )
            )
            return Heuristic(f"{each} chosen by hand; {known}")
        assert self.noise is not None
        risk = failure_probability(
            self.cone, self.noise, self.n_designs, self.epsilon, self.evaluations_each, bound=self._tails
        )
        # The paper's constant is not proven there: the proof is ours, and holds whenever this is at most delta.
        if risk > self.delta * (1 + 1e-12):
            return Heuristic(
                f"with the constant c = {self.c:g} of the paper's bound the failure probability can only be "
                f"bounded by {min(risk, 1.0):.3g}, above delta = {self.delta:g}"
            )
        return Guarantee(
            self.epsilon,
            self.delta,
            _THEOREMS[self.bound],
            f"{INDEPENDENT}; {self.noise.words}",
        )


def _dominators(means: Floats, pareto: Bools, cone: Cone) -> Indices:
    """(K,): for each design that is not on the front, one of the front that dominates it; -1 where pairs are many."""
    by = np.full(len(pareto), -1, dtype=np.intp)
    front, others = np.flatnonzero(pareto), np.flatnonzero(~pareto)
    if len(front) * len(others) > _NAMED_PAIRS:
        return by
    values = cone.facet_values(means).T
    lost = np.ones((len(others), len(front)), dtype=bool)
    for row in values:
        lost &= row[front][None, :] >= row[others][:, None]
    by[others] = np.where(lost.any(axis=1), front[lost.argmax(axis=1)], -1) if len(front) else -1
    return by
