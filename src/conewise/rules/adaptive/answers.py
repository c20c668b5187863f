"""From claims to an answer: which set is returned, where every design stands, and what that is worth.

The set that is returned, its epsilon and its covers belong together: they come from one `Certified`. While something is
open at the epsilon that was asked for, that is a larger epsilon; once nothing is, a smaller one, with a smaller set.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Generic

import numpy as np

from conewise.border import Bools
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Certified, Claims
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Statistics
from conewise.question.question import Guarantee, Heuristic, Question, worth_of
from conewise.rules.contract import INDEPENDENT, Averaged, FixedConfidence, Result, State, undecided_words
from conewise.rules.evidence import Evidence


@dataclass(frozen=True, eq=False)
class CertifiedRule(FixedConfidence, Generic[State]):
    """A sampling rule on a certificate of looks: when it stops, and what it answers, is the certificate's alone."""

    knows_levels: ClassVar[bool] = True
    theorem: ClassVar[str]
    """What the guarantee rests on, in words."""
    early: ClassVar[str]
    """Why there is no answer before every design can be compared."""

    _: KW_ONLY
    any_epsilon: bool = False
    """Whether epsilon may be chosen anew at every look at the same observations; costs a few evaluations."""

    planned: int | None = None
    """The limit on evaluations that was known before the first one; max_evaluations by default."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.planned is None:
            object.__setattr__(self, "planned", self.max_evaluations)
        _ = self.certificate.levels  # refuses bad configurations now, not at the first look

    @property
    def ends_on_ties(self) -> bool:
        """Where epsilon is chosen at every look, nothing waits for this one."""
        return self.any_epsilon

    @property
    @abstractmethod
    def certificate(self) -> Certificate:
        """When to stop and what to claim."""

    @abstractmethod
    def begun(self, state: State) -> bool:
        """Whether every design can be compared."""

    @abstractmethod
    def seen(self, state: State) -> Statistics | Separately:
        """All that was observed."""

    @abstractmethod
    def start(self) -> State:
        """Nothing observed."""

    @abstractmethod
    def tell(self, state: State, observations: Observations) -> State:
        """The state with these observations; refused are those with which no claim would hold."""

    @abstractmethod
    def assumed(self, state: State) -> str:
        """What is taken for granted, in words."""

    @property
    def most_looked_at(self) -> int | None:
        """The most evaluations of one design that a schedule need reach; None where that follows from epsilon."""
        if self.max_evaluations is None or not (self.epsilon == 0 or self.any_epsilon):
            return None
        return max(2, self.max_evaluations // 2)

    def evidence(self, state: State) -> Evidence:
        """Of the certificate."""
        return Evidence.of(self.certificate, state)

    def recommend(self, state: State) -> Result:
        """The answer so far: what is certified, for epsilon when finished and for a larger one before."""
        claims, seen = self.certificate.claims(state), self.seen(state)
        if not self.begun(state):
            return nothing_certified(claims, seen, self.early)
        why = "every design is certified"
        if not claims.done:
            why = self.unfinished(state.evaluations, int(claims.undecided.sum()))
        found = self.certificate.certified_epsilon(claims)
        if found is None:
            guess = claims.accepted | claims.undecided
            result = nothing_certified(claims, seen, "too early: nothing is certified yet", guess)
            return replace(result, stopped_because=why)
        theorem = f'{self.theorem}{self.certificate.with_levels}, success "{self.success}", docs/adaptive'
        worth = self.proven(max(found.epsilon, self.epsilon), theorem, self.assumed(state))
        return certified_answer(claims, found, seen, worth, why)


def certified_answer(
    claims: Claims, found: Certified, statistics: Averaged, worth: Guarantee | Heuristic, why: str
) -> Result:
    """What is certified for a set: kept, covered and beaten at the epsilon of the claims where nothing is open there.

    Else the set is returned for a larger epsilon. Then statuses are those at the epsilon of the claims, and what is
    covered there, but returned for the larger one, counts as undecided.
    """
    open_ = ~(claims.out | found.returned)
    if claims.done:
        kept, covered, by = found.returned, open_, np.where(open_, found.covered_by, claims.by)
    else:
        kept, covered, by = claims.accepted, claims.covered & open_, claims.by
    return _result(claims, statistics, found.returned, kept, covered, worth, why, found.epsilon, by)


def final_answer(
    claims: Claims, found: Certified, statistics: Averaged, question: Question, theorem: str, assumed: str
) -> Result:
    """What one look at a finished sample certifies, and on what that rests."""
    why = "the sample is final"
    if not claims.done:
        why += f": {undecided_words(int(claims.undecided.sum()))} at epsilon = {question.epsilon:g}"
    proof = Guarantee(
        max(found.epsilon, question.epsilon),
        question.delta,
        f'{theorem}, success "{question.success}", docs/adaptive',
        f"{INDEPENDENT}, as many as were decided beforehand{assumed}",
    )
    return certified_answer(claims, found, statistics, worth_of(proof, question.assumed), why)


def nothing_certified(claims: Claims, statistics: Averaged, why: str, returned: Bools | None = None) -> Result:
    """While no epsilon is certified: nothing is returned, or a guess."""
    guess = np.zeros_like(claims.beaten) if returned is None else returned
    return _result(claims, statistics, guess, claims.accepted, claims.covered, Heuristic(why), why, None, claims.by)


def _result(
    claims: Claims,
    statistics: Averaged,
    returned: Bools,
    kept: Bools,
    covered: Bools,
    worth: Guarantee | Heuristic,
    why: str,
    epsilon: float | None,
    by: np.ndarray,
) -> Result:
    return Result.of(
        statistics,
        returned,
        worth,
        why,
        kept=kept,
        covered=covered,
        beaten=claims.beaten,
        misses=claims.misses,
        by=by,
        certain=claims.certain & bool(worth),
        epsilon=epsilon,
    )
