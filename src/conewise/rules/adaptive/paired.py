"""Elimination block by block: all designs on which something depends read the next blocks together (docs/blocks)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise.border import Bools, Indices, as_count
from conewise.certificate.blocks.paired import Paired, Prefixes
from conewise.certificate.claims import Claims
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.errors import InputError
from conewise.noise import GaussianUnknown
from conewise.question.question import Guarantee, Heuristic
from conewise.rules.adaptive.answers import certified_answer, nothing_certified
from conewise.rules.adaptive.outlook import decisive, reading_targets
from conewise.rules.contract import INDEPENDENT, FixedConfidence, Plan, Result, undecided_words


@dataclass(frozen=True, eq=False)
class PairedElimination(FixedConfidence):
    """Read each undecided design, and each rival it may be worse than, on to the next checkpoint.

    The n-th observation of a design is its value on the n-th block of an order that was drawn at random. `blocks` is
    the number of blocks to read. `population` is the number of blocks over which averages are taken (None for an
    unlimited number). The guarantee does not depend on which designs read which blocks.

    >>> from conewise import Cone
    >>> from conewise.question.question import Question
    >>> from conewise.noise import Bounded
    >>> question = Question(Cone.orthant(2), epsilon=0.1, delta=0.05, noise=Bounded(0, 1))
    >>> rule = PairedElimination(question, n_designs=3, blocks=800, population=800)
    >>> rule.ask(rule.start())
    Pulls(12 evaluations of 3 designs)
    """

    knows_levels: ClassVar[bool] = True

    _: KW_ONLY
    blocks: int
    population: int | None
    once: bool = False
    """True if there is a single look, after all blocks are read."""
    independent: bool = False
    """True if designs were evaluated independently, and are paired by the numbers of their observations."""
    planned: int | None = None
    """The limit on evaluations that was known before the first one; max_evaluations by default."""
    pilots: bool = True
    """True if the first observations may decide how delta is shared; False where epsilon may be chosen later."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", as_count(self.blocks, "blocks"))
        if self.population is not None and as_count(self.population, "population") < self.blocks:
            raise InputError(
                f"population must be at least the number of blocks seen, got {self.population:,} and {self.blocks:,}."
            )
        super().__post_init__()
        _ = self.certificate

    @property
    def ends_on_ties(self) -> bool:
        """True: the number of blocks is limited."""
        return True

    @cached_property
    def certificate(self) -> Paired:
        """The certificate, which decides when to stop and what to claim."""
        planned = self.max_evaluations if self.planned is None else self.planned
        settings = self.blocks, self.population, self.once, self.radius_scale, self.independent
        return Paired(self.question, self.n_designs, *settings, planned, self.pilots)

    @property
    def most_each(self) -> int:
        """The number of all blocks."""
        return self.blocks

    def start(self) -> Prefixes:
        """Return the state before any block is read."""
        return self.certificate.start()

    def seen(self, state: Prefixes) -> Statistics:
        """Return the statistics on all blocks that were read."""
        return state.statistics

    def tell(self, state: Prefixes, observations: Observations) -> Prefixes:
        """Return the state with the next blocks of some designs."""
        return self.certificate.tell(state, observations)

    def ask(self, state: Prefixes, most: int | None = None) -> Pulls:
        """Return the evaluations up to the next checkpoint of the designs on which an open question depends."""
        limit = self.allowed(state, most)
        pilot = state.pilot if state.weights is None else None
        wanted = self._wanted(state) if pilot is None else pilot.missing
        if limit is not None and wanted.sum() > limit:
            wanted = np.minimum(wanted, np.maximum(limit - np.cumsum(wanted) + wanted, 0))
        pulls = Pulls.each(wanted)
        return Pulls(np.repeat(pulls.designs, pulls.counts)) if self.independent else pulls  # sums have no partners

    def _wanted(self, state: Prefixes) -> Indices:
        """Return how many blocks each design should read next, (K,)."""
        claims = self.certificate.claims(state)
        below = state.reach < self.blocks
        needed = self.needed(claims, self.epsilon) & below
        if not needed.any():
            return np.zeros(self.n_designs, dtype=np.intp)
        levels = np.array(self.certificate.levels)
        if (state.reach[~claims.out] >= levels[0]).all():
            asked = decisive(self.certificate, state, self.epsilon, claims) & below
            needed = asked if asked.any() else needed
        target = levels[np.searchsorted(levels, state.reach[needed].min(), side="right")]
        return np.asarray(np.where(needed, np.maximum(target - state.reach, 0), 0))

    @staticmethod
    def needed(claims: Claims, epsilon: float) -> Bools:
        """Return the undecided designs, and the designs which an undecided one may be worse than, (K,)."""
        needed = claims.undecided.copy()
        assert claims.no_worse_at is not None
        needed[claims.left] |= (claims.no_worse_at[needed[claims.left]] > epsilon).any(axis=0)
        return needed

    def plan(self, state: Prefixes) -> Plan:
        """Return roughly how many more blocks each design has to read, judged by the present differences."""
        claims = self.certificate.claims(state)
        needed = self.needed(claims, self.epsilon) & (state.reach < self.blocks)
        levels = np.array(self.certificate.levels)
        coming = levels[np.minimum(np.searchsorted(levels, state.reach, side="right"), len(levels) - 1)]
        targets = np.maximum(self.targets(state, self.epsilon), coming)
        missing = np.where(needed, targets - state.reach, 0)
        early = bool((state.reach[~claims.out] < self.certificate.levels[0]).any())
        early |= self.certificate.required is not None  # there is no forecast for levels
        if state.pilot is not None:
            missing = missing + state.pilot.missing
        return Plan(Pulls.each(missing), int(missing.sum()), early)

    def targets(self, state: Prefixes, epsilon: float) -> Indices:
        """Return the checkpoint up to which each design should be read to settle the open questions at epsilon, (K,).

        The checkpoint is a forecast. Before the first checkpoint there is none, and the first one is returned.
        """
        levels = np.array(self.certificate.levels)
        out = self.certificate.claims(state).out
        if (state.reach[~out] < levels[0]).any():
            return np.where(out, 0, levels[0])
        found = reading_targets(self.certificate, state, epsilon, out)
        looks = levels[np.minimum(np.searchsorted(levels, found), len(levels) - 1)]
        return np.where(found > 0, looks, 0)

    def recommend(self, state: Prefixes) -> Result:
        """Return what is certified so far: for epsilon when finished, for a larger epsilon before."""
        claims = self.certificate.claims(state)
        claims = claims if claims.done else self.certificate.claims(state, sharp=True)
        found = self.certificate.certified_epsilon(claims)
        why = self._why(state, claims)
        if found is None:
            result = nothing_certified(claims, state.statistics, "too early: nothing is certified yet")
            return replace(result, stopped_because=why)
        worth = self._worth(max(found.epsilon, self.epsilon), state)
        return certified_answer(claims, found, state.statistics, self.question, worth, why)

    def _why(self, state: Prefixes, claims: Claims) -> str:
        if claims.done:
            return "every design is certified"
        undecided = int(claims.undecided.sum())
        limited = self.max_evaluations is not None and state.evaluations >= self.max_evaluations
        if limited or (self.needed(claims, self.epsilon) & (state.reach < self.blocks)).any():
            return self.unfinished(state.evaluations, undecided)
        return f"all recorded blocks are read: {undecided_words(undecided)} at epsilon = {self.epsilon:g}"

    def _worth(self, epsilon: float, state: Prefixes) -> Guarantee | Heuristic:
        levels = "" if self.certificate.required is None else ", levels met within epsilon"
        if levels and not self.question.keeps_levels and self.success == "contain":
            levels += " (of rivals with more to spare)"
        page = "adaptive" if self.independent else "blocks"
        theorem = f'for every truth: paired differences{levels}, success "{self.success}", docs/{page}'
        worth = self.proven(epsilon, theorem, f"{self._order_words()}; {self._noise_words}")
        exact = self.population is not None and bool((state.counts == self.population).all())
        return worth.proof if exact and worth.proof else worth  # averages that are known exactly need no normal noise

    def _order_words(self) -> str:
        if self.independent:
            return INDEPENDENT
        if self.population is None:
            return "blocks that are a random sample of an unlimited population, in random order"
        return f"blocks in random order out of the {self.population:,} over which averages are taken"

    @property
    def _noise_words(self) -> str:
        kinds = self.certificate.kinds
        dependent = ", dependent on each other within a block in any way"
        if self.certificate.bets:
            return kinds.noise.words + dependent * (not self.independent)
        normal = "differences between designs that are normal from block to block, of unknown covariance"
        words = self.noise.words.replace(GaussianUnknown().words, normal) + dependent * kinds.several
        required = self.certificate.required
        if required is not None and np.isin(required, kinds.normal).any():
            words += f", and values that are {'normal' if kinds.several else 'so'} themselves where they have a level"
        return words
