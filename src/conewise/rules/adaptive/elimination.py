"""One elimination rule on a certificate, whatever is measured at a time: advance what an open question depends on.

Whole rows, single objectives and blocks differ in what they add here (`layouts`): the state, what a forecast reads of
it (`outlook`), and the words of the guarantee. The certificate alone gives the guarantee, whatever is evaluated.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Final

import numpy as np

from conewise.border import Bools, Floats
from conewise.certificate.claims import Claims
from conewise.certificate.streams import Separately
from conewise.certificate.tuning import TUNING, Tuning
from conewise.data.observations import Counts, Pulls, Statistics
from conewise.question.question import Guarantee, Heuristic
from conewise.rules.adaptive.answers import answered
from conewise.rules.adaptive.outlook import Needs, Outlook, open_needs
from conewise.rules.contract import Algorithm, FixedConfidence, Plan, Result, State

_ANY: Final = 10**15  # more evaluations than are ever made


@dataclass(frozen=True, eq=False)
class Elimination(FixedConfidence, Algorithm[State]):
    """Evaluate the open designs in rounds, all at the same checkpoint.

    An undecided design can be settled in two ways. To be out (beaten, or covered by a returned design) takes
    evaluations of the design and of its best rival. To be in (no worse than every design left) takes evaluations of the
    design and of every rival than which it may be worse. The rule evaluates for the way that looks cheaper. Designs
    that run ahead wait for the others. An open design with less than half the evaluations of another one does not
    wait, whatever its forecast.

    A design has one *part*, or one for each objective where objectives are measured one by one. Part m of design k is
    evaluated as k M + m, where M is the number of parts. Of the wanted parts, those with the fewest evaluations for
    their price come first.
    """

    knows_levels: ClassVar[bool] = True
    early: ClassVar[str] = "not every design has been evaluated often enough yet"
    """Why there is no answer before every design can be compared."""

    _: KW_ONLY
    planned: int | None = None
    """The limit on evaluations that was known before the first one; max_evaluations by default."""
    pilots: bool = True
    """True if the first observations may decide how delta is shared, where that pays; they know epsilon."""
    tuning: Tuning = TUNING
    """Constants that change the cost of a run, never its guarantee."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.planned is None:
            object.__setattr__(self, "planned", self.max_evaluations)
        _ = self.certificate.levels  # refuses bad configurations now, not at the first look

    # -- what layouts add ----------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def certificate(self) -> Any:
        """The certificate, which decides when to stop and what to claim."""

    @abstractmethod
    def seen(self, state: State) -> Statistics | Separately:
        """Return the statistics of all observations."""

    @abstractmethod
    def read(self, state: State) -> Counts:
        """Return how many observations of each part comparisons use, (K, M)."""

    @abstractmethod
    def outlook(self, state: State, claims: Claims) -> Outlook:
        """Return what forecasts read of the designs that are left."""

    @abstractmethod
    def worth(self, epsilon: float, state: State) -> Guarantee | Heuristic:
        """Return the worth of an answer that is certified for this epsilon."""

    @property
    def checkpoints(self) -> Counts:
        """(M, C): the numbers of observations at which a part is compared."""
        return np.array([self.certificate.levels.counts])

    @property
    def prices(self) -> Floats:
        """(M,): the price of an evaluation of each part."""
        return np.ones(self.parts)

    # -- what to evaluate ----------------------------------------------------------------------------------------

    def waiting(self, state: State) -> Bools:
        """Return the parts that have not come to their first checkpoint, (K, M)."""
        return np.asarray(self.read(state) < self.checkpoints[:, 0])

    def begun(self, state: State) -> bool:
        """Return whether pilots are complete and every design can be compared."""
        return self._pilot(state) is None and not self.waiting(state).any()

    def ask(self, state: State, most: int | None = None) -> Pulls:
        """Return the evaluations up to the next checkpoint of what open questions depend on, design by design."""
        limit = self.allowed(state, most)
        if limit == 0:
            return Pulls([], [])
        if (pilot := self._pilot(state)) is not None:
            return Pulls.each(pilot.missing, limit)
        have, parts = self.read(state), np.arange(self.parts)
        each = zip(self.checkpoints, have.T, strict=True)
        reached = np.column_stack([np.searchsorted(counts, own, side="right") for counts, own in each])
        grid = np.column_stack([np.zeros_like(parts), self.checkpoints, self.checkpoints[:, -1]])
        waiting = self.waiting(state)
        chosen = waiting if waiting.any() else self._chosen(state, have, reached < self.checkpoints.shape[1])
        cost = np.where(chosen, grid[parts, reached] * self.prices, np.inf)
        wanted = np.where(chosen & (cost <= cost.min()), grid[parts, reached + 1] - have, 0)
        return Pulls.each(wanted.ravel(), limit)

    def _pilot(self, state: Any) -> Any:
        """Return the pilot that is not complete; None for no pilot, and after it."""
        pilot = getattr(state, "pilot", None)
        return None if pilot is None or state.weights is not None else pilot

    def _chosen(self, state: State, have: Counts, below: Bools) -> Bools:
        """Return the parts that go on, (K, M), of those `below` their last checkpoint."""
        claims = self.certificate.claims(state)
        open_ = below & self.needed(claims)[:, None]
        if not claims.undecided.any():
            return open_
        below = below & ~claims.out[:, None]
        if (needs := self.needs(state, claims, waiting=True)) is None:  # too many are left to compare every pair
            chosen = open_ & claims.undecided[:, None]
        else:
            chosen, seen = np.zeros_like(below), have[needs.left]
            chosen[needs.left] = seen < needs.targets.T
            # A forecast that was too low must not leave a design behind while near-ties take all evaluations. Once all
            # designs have as many observations as were forecast, every open design goes on.
            spent = seen[needs.rows] @ self.prices
            most = spent.max(initial=0.0) / self.tuning.lag if (chosen & below).any() else np.inf
            behind = (spent < most)[:, None] & (needs.own.T > 0)
            for positions in (needs.rows, needs.best):
                np.logical_or.at(chosen, needs.left[positions], behind)
        # If the cheapest way is at its last checkpoint, take whatever else is open.
        return np.asarray(chosen & below if (chosen & below).any() else open_)

    def needed(self, claims: Claims) -> Bools:
        """Return the undecided designs, and the designs than which an undecided one may be worse, (K,).

        With too many designs left to compare every pair, return all of them where one is undecided.
        """
        needed = claims.undecided.copy()
        if claims.no_worse_at is None:
            needed[claims.left] |= needed.any()
        else:
            needed[claims.left] |= (claims.no_worse_at[needed[claims.left]] > self.epsilon).any(axis=0)
        return needed

    def needs(
        self, state: State, claims: Claims, epsilon: float | None = None, *, waiting: bool = False
    ) -> Needs | None:
        """Return what the open questions need; None when too many designs are left to look at every pair."""
        if claims.no_worse_at is None or not claims.no_worse_at.size:
            return None
        asked = self.question, self.epsilon if epsilon is None else epsilon
        return open_needs(self.outlook(state, claims), claims, *asked, waiting=waiting)

    def missing(self, state: State, claims: Claims, epsilon: float | None = None) -> Counts | None:
        """Return roughly how many evaluations of each part settle the open questions of these claims, (K, M).

        They are judged by the present estimates; None when too many designs are left to look at every pair.
        """
        if (needs := self.needs(state, claims, epsilon)) is None:
            return None
        targets = np.zeros((self.n_designs, self.parts))
        targets[needs.left] = needs.targets.T
        return np.maximum(np.ceil(np.minimum(targets, _ANY)) - self.read(state), 0).astype(np.int64)

    def plan(self, state: State) -> Plan:
        """Return what is worth evaluating and roughly how often, judged by the present estimates."""
        pilot, early, have = self._pilot(state), not self.begun(state), self.read(state)
        if early:
            missing = np.where(self.waiting(state), self.checkpoints[:, 0] - have, 0)
            missing += 0 if pilot is None else pilot.missing[:, None]
        else:
            claims = self.certificate.claims(state)
            found = self.missing(state, claims)
            asked = np.where(claims.undecided[:, None], self.checkpoints[:, -1] - have, 0) if found is None else found
            pairs = zip(self.checkpoints, (have + asked).T, strict=True)
            ends = [counts[np.minimum(np.searchsorted(counts, goal), len(counts) - 1)] for counts, goal in pairs]
            missing = np.where(asked > 0, np.maximum(np.column_stack(ends) - have, 0), 0)
        return Plan(Pulls.each(missing.ravel()), int(missing.sum()), early)

    # -- the answer ----------------------------------------------------------------------------------------------

    def recommend(self, state: State) -> Result:
        """Return what is certified so far: for epsilon when finished, for a larger epsilon before."""
        claims, seen = self.claims(state), self.seen(state)
        if not self.begun(state):
            return answered(claims, seen, self.question, Heuristic(self.early), self.early)
        found, why = self.certificate.certified_epsilon(claims), self.why(state, claims)
        if found is None:
            worth = Heuristic("too early: nothing is certified yet")
            return answered(claims, seen, self.question, worth, why, guess=claims.accepted | claims.undecided)
        return answered(claims, seen, self.question, self.worth(max(found.epsilon, self.epsilon), state), why, found)

    def claims(self, state: State) -> Claims:
        """Return the claims from which the answer is made."""
        found: Claims = self.certificate.claims(state)
        return found

    def why(self, state: State, claims: Claims) -> str:
        """Return why a run has stopped, or that it has not."""
        undecided = int(claims.undecided.sum())
        return self.unfinished(state.evaluations, undecided) if undecided else "every design is certified"
