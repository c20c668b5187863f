"""Naive elimination: evaluate every design L times, return the Pareto set of the averages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np

from conewise.border import as_count, as_option
from conewise.certificate.fit import check_possible
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.digits import rounded_up
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
from conewise.order.dominance import weakly_dominates
from conewise.question.question import Answering, Guarantee, Heuristic, Question, as_question
from conewise.rules.contract import INDEPENDENT, Plan, Planner, Result, as_answered
from conewise.rules.published.common import best_guess

_THEOREMS = {
    "paper": "Ararat & Tekin 2023, Theorem 6.1; constant by docs/theory, section 7.3",
    "gaussian": "exact normal tails, docs/theory, section 7.2",
    "subgaussian": "subgaussian tails, docs/theory, section 7.2",
}
_NAMED_PAIRS: Final = 2**24  # with more pairs, the designs that cover others are not named


@dataclass(frozen=True)
class NaiveElimination(Answering, Planner):
    """Evaluate all designs in turn, L times each, and return the Pareto set of the averages.

    L comes from a bound ("paper", "gaussian", "subgaussian"; "auto" takes the smallest that the noise allows). Or give
    it as `evaluations_each`: then the answer is heuristic, and the question needs no noise.

    >>> from conewise import Cone
    >>> algorithm = NaiveElimination(Question(Cone.orthant(2), 0.5, 0.1, Gaussian(1)), n_designs=3)
    >>> algorithm.evaluations_each
    37
    >>> algorithm.ask(algorithm.start(), most=4)
    Pulls(4 evaluations of 3 designs)

    Reference: Ararat & Tekin 2023, Algorithm 1.
    """

    question: Question
    n_designs: int
    bound: Bound | Literal["auto", "given"] = "auto"
    evaluations_each: int = cast(int, None)  # an int after the start: by the bound, if not given
    c: float = PAPER_CONSTANT

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", as_question(self.question, self.n_designs))
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        as_answered(self.question, ("cover",), type(self).__name__)
        if self.evaluations_each is not None:
            each, bound = check_total(as_count(self.evaluations_each, "evaluations_each"), self.n_designs), "given"
        else:
            if self.noise is None:
                raise InputError(
                    "nothing is known of this noise, so no number of evaluations can be derived; "
                    "pass noise=... (an assumption) or evaluations_each=... (a number, and a heuristic answer)."
                )
            bound = as_option(self.bound, "bound", ("auto", *_THEOREMS))
            bound = self._tails if bound == "auto" else bound
            asked = self.cone, self.noise, self.n_designs, self.epsilon, self.delta
            each = naive_budget(*asked, bound=cast(Bound, bound), c=self.c)
        object.__setattr__(self, "bound", bound)
        object.__setattr__(self, "evaluations_each", each)

    @property
    def noise(self) -> Noise | None:
        """The assumption on the noise of an evaluation; may be missing."""
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
        """Return the evaluations that are missing of L each."""
        pulls = self.ask(state)
        return Plan(pulls, pulls.total)

    def start(self) -> Statistics:
        """Return the state before any observation."""
        return Statistics.empty(self.n_designs, self.cone.dim)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        """Return the designs with the fewest evaluations, in their order: the paper's I_t = (t - 1 mod K) + 1."""
        have = np.minimum(state.counts, self.evaluations_each)
        missing = self.evaluations_each - have
        if most is None or (most := as_count(most, "most")) >= missing.sum():
            return Pulls.each(missing)
        # Raise the lowest designs to a common level, and the first of them by one more.
        low = np.sort(have)
        sums = np.cumsum(low)
        raised = int(np.searchsorted(np.arange(1, len(low) + 1) * low - sums, most, side="right"))
        level, more = divmod(most + int(sums[raised - 1]), raised)
        extra = np.maximum(level - have, 0)
        extra[np.flatnonzero(have <= level)[:more]] += 1
        return Pulls.each(extra)

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        """Add the observations; refuse those that the noise assumption rules out."""
        if self.noise is not None:
            check_possible(observations, self.noise, state)
        return state.add(observations)

    def recommend(self, state: Statistics) -> Result:
        """Return the Pareto set of the averages; designs without evaluations are undecided."""
        each, least, most = self.evaluations_each, int(state.counts.min()), int(state.counts.max())
        pareto, done, reached = best_guess(state, state.counts > 0, self.cone), least >= each, None
        why = f"every design has been evaluated {'once' if each == 1 else f'{each} times'}"
        if least == most == each and self.noise is not None:
            reached = certified_epsilon(self.cone, self.noise, self.n_designs, each, self.delta, bound=self._tails)
        worth = self._worth(reached)
        if not done:
            short = int((state.counts < each).sum())
            why = f"not finished: {short} designs have fewer than {each} evaluations"
            worth = Heuristic(f"stopped before every design had its {each} evaluations")
        elif most > each:  # going on until an average looks right would break the proof
            worth = Heuristic(
                f"some designs were evaluated up to {most} times, which the proof does not cover: it fixes "
                f"{each} evaluations of each before anything is seen"
            )
        # At the end a design that is not returned is dominated by the averages of one that is (docs/theory, 7.2).
        by, inside, outside = np.full(self.n_designs, -1), np.flatnonzero(pareto), np.flatnonzero(~pareto & done)
        if 0 < len(inside) * len(outside) <= _NAMED_PAIRS:
            lost = weakly_dominates(state.means[inside], state.means[outside][:, None], self.cone)
            by[outside] = inside[lost.argmax(axis=1)]
        return Result.of(state, pareto, worth, why, kept=pareto & done, covered=~pareto & done, by=by, epsilon=reached)

    @property
    def _tails(self) -> Bound:
        return "gaussian" if isinstance(self.noise, Gaussian) else "subgaussian"

    def _worth(self, reached: float | None) -> Guarantee | Heuristic:
        """Return the guarantee of L evaluations of each design, for which a proof gives the epsilon `reached`."""
        each = self.evaluations_each
        if self.bound == "given":
            were, them = (
                ("evaluation of each design was", "it") if each == 1 else ("evaluations of each design were", "them")
            )
            known = "nothing is assumed of the noise"
            if reached is not None and reached <= self.epsilon:
                known = f"a proof would give epsilon = {rounded_up(reached, 4):g} had the number been fixed by a bound"
            elif reached is not None:
                known = f"a proof gives epsilon = {rounded_up(reached, 4):g} for {them}, not {self.epsilon:g}"
            return Heuristic(f"{each} {were} chosen by hand; {known}")
        noise = self.question.assumed
        risk = failure_probability(self.cone, noise, self.n_designs, self.epsilon, each, bound=self._tails)
        # The paper's constant is not proven there: the proof is ours, and holds whenever this is at most delta.
        if risk > self.delta * (1 + 1e-12):
            return Heuristic(
                f"with the constant c = {self.c:g} of the paper's bound the failure probability can only be "
                f"bounded by {min(risk, 1.0):.3g}, above delta = {self.delta:g}"
            )
        return Guarantee(self.epsilon, self.delta, _THEOREMS[self.bound], f"{INDEPENDENT}; {noise.words}")
