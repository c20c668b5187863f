"""Turn claims into an answer: the returned set, the status of every design, and the guarantee.

The returned set, its epsilon and its covers belong together: they come from one `Certified`. While a design is
undecided at the epsilon of the question, the epsilon of the answer is larger. Once none is, that epsilon may be
smaller, and the set smaller too.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Generic

import numpy as np

from conewise.border import Bools
from conewise.certificate.certificate import Certificate, State
from conewise.certificate.claims import Certified, Claims, contradicting_least
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Statistics
from conewise.question.question import Guarantee, Heuristic, Question, worth_of
from conewise.rules.contract import INDEPENDENT, Averaged, FixedConfidence, Result, undecided_words
from conewise.rules.evidence import Evidence


@dataclass(frozen=True, eq=False)
class CertifiedRule(FixedConfidence, Generic[State]):
    """A sampling rule on a certificate of looks: the certificate alone decides when it stops and what it answers."""

    knows_levels: ClassVar[bool] = True
    theorem: ClassVar[str]
    """What the guarantee rests on, in words."""
    early: ClassVar[str]
    """Why there is no answer before every design can be compared."""

    _: KW_ONLY
    any_epsilon: bool = False
    """True if epsilon may be chosen again at every look at the same observations; costs a few evaluations."""

    planned: int | None = None
    """The limit on evaluations that was known before the first one; max_evaluations by default."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.planned is None:
            object.__setattr__(self, "planned", self.max_evaluations)
        _ = self.certificate.levels  # refuses bad configurations now, not at the first look

    @property
    def ends_on_ties(self) -> bool:
        """True if epsilon is chosen at every look: then epsilon = 0 needs no max_evaluations."""
        return self.any_epsilon

    @property
    @abstractmethod
    def certificate(self) -> Certificate:
        """The certificate, which decides when to stop and what to claim."""

    @abstractmethod
    def begun(self, state: State) -> bool:
        """Return whether every design can be compared."""

    @abstractmethod
    def seen(self, state: State) -> Statistics | Separately:
        """Return the statistics of all observations."""

    @abstractmethod
    def start(self) -> State:
        """Return the state before any observation."""

    @abstractmethod
    def tell(self, state: State, observations: Observations) -> State:
        """Return the state with these observations; refuse observations with which no claim would hold."""

    @abstractmethod
    def assumed(self, state: State) -> str:
        """Return the assumptions of the guarantee, in words."""

    @property
    def most_looked_at(self) -> int | None:
        """The most evaluations of one design that a schedule has to reach; None where epsilon decides it."""
        if self.max_evaluations is None or not (self.epsilon == 0 or self.any_epsilon):
            return None
        return max(2, self.max_evaluations // 2)

    def evidence(self, state: State) -> Evidence:
        """Return the comparisons of designs by the certificate."""
        return Evidence.of(self.certificate, state)

    def recommend(self, state: State) -> Result:
        """Return what is certified so far: for epsilon when finished, for a larger epsilon before."""
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
        return certified_answer(claims, found, seen, self.question, worth, why)


def certified_answer(
    claims: Claims,
    found: Certified,
    statistics: Averaged,
    question: Question,
    worth: Guarantee | Heuristic,
    why: str,
) -> Result:
    """Return the answer with a set that is certified at the epsilon of `found`, and with the status of every design.

    For "cover" it is the certified set that contradicts the averages least. If no design is undecided, the statuses
    follow from that set. Otherwise the set is returned for a larger epsilon, and the statuses are those at the epsilon
    of the claims. A design that has one status at this epsilon and another one in the set counts as undecided.
    """
    if question.success == "cover":
        values = question.cone.facet_values(statistics.means) / question.cone.widths
        found = contradicting_least(found, claims, values)
    open_ = ~(claims.out | found.returned)
    if claims.done:
        kept, covered, by = found.returned, open_, np.where(open_, found.covered_by, claims.by)
    else:
        kept, by = claims.accepted & found.returned, claims.by
        covered = claims.covered & open_ & found.returned[by]
    return _result(claims, statistics, found.returned, kept, covered, worth, why, found.epsilon, by)


def final_answer(
    claims: Claims, found: Certified, statistics: Averaged, question: Question, theorem: str, assumed: str
) -> Result:
    """Return the answer that one look at a finished sample certifies, and the assumptions of its guarantee."""
    why = "the sample is final"
    if not claims.done:
        why += f": {undecided_words(int(claims.undecided.sum()))} at epsilon = {question.epsilon:g}"
    proof = Guarantee(
        max(found.epsilon, question.epsilon),
        question.delta,
        f'{theorem}, success "{question.success}", docs/adaptive',
        f"{INDEPENDENT}, as many as were decided beforehand{assumed}",
    )
    return certified_answer(claims, found, statistics, question, worth_of(proof, question.assumed), why)


def nothing_certified(claims: Claims, statistics: Averaged, why: str, returned: Bools | None = None) -> Result:
    """Return an answer without a guarantee, while no epsilon is certified: an empty set or a guess."""
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
