"""Certify a set by a posterior: when to stop and what may be claimed, on average over the prior (docs/posterior).

Theorem A: choose the set and epsilon from the observations, so that their posterior probability to fail is at most
delta. Then they fail with probability at most delta, at any time of stopping and after any number of looks. The
posterior probability is bounded by fresh draws (Clopper & Pearson 1934), for which a tenth of delta is put aside.

Theorem B does the same for every component of the prior instead of on average over them (`robust`). Where observations
contradict the prior, claims go on with a richer prior (section 6).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.data.observations import Statistics
from conewise.errors import InputError, shown
from conewise.models.axes import Axes, axes_of
from conewise.models.choice import Choice, choose
from conewise.models.failures import needed, possibly_optimal
from conewise.models.levels import Required, Spare
from conewise.models.posterior import Data, Posterior, Sampled, posterior_of
from conewise.models.priors import Prior
from conewise.models.screen import CORE, affordable, core, in_every_way, screened
from conewise.question.question import Answering, Question

FOR_DRAWS: Final = 0.1  # the share of delta that pays for draws being finitely many, over all looks
FOR_NEGLIGIBLE: Final = 0.02  # ... for components that are left out; on average over the prior only
FOR_COMPONENTS: Final = 0.1  # ... for components that the observations rule out; for every component only
FOR_SCREENED: Final = 0.02  # ... for designs that are left out of the draws, where more of them could be drawn
FOR_ALARM: Final = 5e-4  # ... for a false alarm after which the richer prior alone is asked; no look spends this part
ALARM: Final = 0.05
"""How often the check may contradict a prior that is right."""
CHOOSING: Final = (128, 512)  # draws that choose the set, at least and at most; they judge nothing
CAREFUL: Final = 0.65  # of epsilon: for this a set is chosen where draws that chose for epsilon flatter theirs
GLANCE: Final = 64  # draws of a glance ...
GLANCE_DESIGNS: Final = 128  # ... at the hardest designs, where there are more,
GLANCE_COMPONENTS: Final = 4  # ... and at the heaviest components of an objective
FAR_OFF: Final = 0.5  # a look that fails in this share of the draws of a glance ends there
STAGES: Final = (1024, 4096, 16384, 65536)  # draws that judge, in all after each stage; more only where it is open
MOST_PLAUSIBLE: Final = 64  # ways to take a component an objective that draws judge one by one; more share a bound
_HALF: Final = 0.5  # of a size: lists go in steps of about three
FULLY: Final = 16384  # draws for the epsilon of an answer that is certified: four times as many hardly lower it
_AT_ONCE: Final = 4096  # draws in memory
_PAIRS: Final = 2**24  # pairs of designs in draws that choose
_ALL_LOOKS: Final = 2.11  # sum over t >= 2 of 1 / (t log(t)^2)


@dataclass(frozen=True, eq=False)
class Belief:
    """A prior's posterior after some evaluations, and the check of that prior by a richer one (docs/posterior, 6)."""

    by: PosteriorCertificate
    statistics: Sampled
    posterior: Posterior
    also: tuple[Posterior, ...] = ()
    """Posteriors by which a set has to be certified too: that of the declared prior while it is not ruled out."""

    @cached_property
    def _richer(self) -> Posterior:
        """The posterior of the richer prior: only its heaviest components and its evidence are used."""
        by = self.by
        return posterior_of(by.prior.richer, by.axes, self.statistics, by.unit, _HALF)

    @cached_property
    def doubt(self) -> float:
        """The evidence against the prior: how many times better a richer one foretold the observations. 20 is rare.

        It is a test martingale. If the prior is right it ever reaches 1 / ALARM with probability at most ALARM (Ville).
        """
        return math.exp(min(self._richer.log_evidence - self.posterior.log_evidence, 700.0))

    @property
    def withdrawn(self) -> str | None:
        """Why nothing may be promised with this prior: the observations contradict it; None if they do not."""
        if self.doubt < 1 / ALARM:
            return None
        return (
            f"the observations contradict the prior ({self.by.prior.words}): a richer one foretold them "
            f"{self.doubt:.3g} times better, which a right prior allows in {ALARM:.0%} of runs; {self._remedy}"
        )

    @property
    def _remedy(self) -> str:
        """The remedy for a contradicted prior: it is too smooth, or its sizes are too small or too large."""
        by, own = self.by, self.by.prior.components
        scale = 1.0 if by.axes.variances is None else by.unit
        counts = own.shape >= 0 if (own.shape >= 0).any() else own.shape < 0
        least = scale * float(np.hypot(own.size, own.discrepancy)[counts].min())
        heaviest = [mixture.heaviest(1).components[0] for mixture in self._richer.mixtures]
        far = [part.data for part in heaviest if part.known.discrepancy > scale * own.largest]
        if far:
            unit = "epsilon" if by.epsilon > 0 and by.axes.variances is not None else "the noise"
            size = f"{own.largest:g} times {unit}"
            size = size if by.axes.variances is None else f"{own.largest * by.unit:.3g} ({size})"
            return f"{_far(far)}, but its largest size is {size}: give larger sizes=..., or a larger epsilon"
        if any(math.hypot(part.known.size, part.known.discrepancy) < _HALF * least for part in heaviest):
            return "the designs differ by less than it believes: name smaller sizes, or a smaller epsilon"
        return "use a wider prior or none"


def _far(each: Sequence[Data]) -> str:
    """Say how far averages lie apart, or from what is acceptable where that is farther."""
    spread = max(float(np.ptp(data.means)) for data in each)
    away = max((float(np.abs(data.means).max()) for data in each if not math.isnan(data.centre)), default=0.0)
    if away > spread:
        return f"the averages lie up to {away:.3g} from what is acceptable"
    return f"the averages spread over {spread:.3g}"


@dataclass(frozen=True, eq=False)
class Look:
    """The set that draws of a posterior chose, and what fresh draws say of it."""

    belief: Belief
    posterior: Posterior  # of all components, or for a glance of the heaviest
    designs: Indices  # (A,): the designs of which values are drawn, ascending
    choice: Choice
    draws: Floats  # (B, A, N): facet values of the draws that chose the set
    spare: Spare | None = None  # of the same draws, where there are levels
    _judgements: list[tuple[int, float]] = field(default_factory=list, repr=False)  # draws at least, and the epsilon

    @property
    def chosen(self) -> Indices:
        """The set."""
        return np.asarray(self.designs[self.choice.inside])

    @property
    def probability(self) -> Floats:
        """The probability of each design to be Pareto optimal, on average over the prior, (K,)."""
        result = np.zeros(self.belief.by.n_designs)
        result[self.designs] = self.choice.probability
        return result

    @property
    def _others(self) -> Indices:
        """The designs that are not drawn."""
        return np.setdiff1d(np.arange(self.belief.by.n_designs), self.designs)

    @cached_property
    def missing(self) -> Bools:
        """The designs that are left out because they miss a level, (K,)."""
        by, others = self.belief.by, self._others
        result = np.zeros(by.n_designs, dtype=bool)
        if by.required is not None and self.choice.missing is not None:
            result[self.designs] = self.choice.missing
            result[others] = screened(self.posterior, by.cone, self.chosen, others, by.required).missing
        return result

    @property
    def certified(self) -> bool:
        """True if failing at epsilon is certified to be improbable enough; not judged where it cannot be."""
        by = self.belief.by
        return self.choice.failing <= by.delta and self.judged() <= by.epsilon

    @cached_property
    def standing(self) -> Look:
        """The look that counts: by the richer prior where the observations contradict this one (docs/posterior, 6)."""
        by, doubt = self.belief.by, self.belief.doubt
        if by.robust or by.declared is not None or doubt < 1 / ALARM:
            return self
        ruled_out = doubt >= by.looks / (FOR_ALARM * by.delta)  # Ville's inequality, for each of the looks
        richer = replace(by, prior=by.prior.richer, declared=by.prior)
        look = richer.look(self.belief.statistics, () if ruled_out else (self.belief.posterior,))
        return look if look.belief.doubt < 1 / ALARM else self  # where the richer prior is contradicted too, it ends

    @property
    def thorough(self) -> Look:
        """A look at up to CORE designs, which certifies something even if the answer is far off."""
        if self.belief.by.robust or self.choice.failing <= self.belief.by.delta:
            return self
        return self.belief.by.everyone(self.belief)

    def judged(self, *, fully: bool = False) -> float:
        """Return the smallest epsilon at which failing is certified to be improbable enough; infinite if none is.

        Fresh draws judge the set, as few as it takes; with `fully` more, for a smaller epsilon.
        """
        least = FULLY if fully else 0
        if not self._judgements or self._judgements[-1][0] < least:
            self._judgements.append(self._judged(least))
        return self._judgements[-1][1]

    def _judged(self, least: int) -> tuple[int, float]:
        by, left = self.belief.by, self.belief.by.delta * (1 - FOR_DRAWS)
        each = [(posterior, left - posterior.dropped) for posterior in (self.posterior, *self.belief.also)]
        if by.robust:
            left -= FOR_COMPONENTS * by.delta
            each = [(way, left) for way in islice(self.posterior.plausible(by.plausible), MOST_PLAUSIBLE + 1)]
            if len(each) > MOST_PLAUSIBLE:
                return FULLY, by.epsilon if self.unlikely_in_every_way <= left else math.inf
        draws, worst = STAGES[-1], 0.0
        for posterior, delta in each:
            if worst > by.epsilon and not least:
                return 0, worst  # the other posteriors are not asked
            used, epsilon = self._judged_by(posterior, delta, least)
            draws, worst = min(draws, used), max(worst, epsilon)
        return draws, worst

    @property
    def unlikely_in_every_way(self) -> float:
        """A bound on the probability to fail for every plausible component at once, without draws (section 4)."""
        by = self.belief.by
        if by.required is not None or len(self.designs) < by.n_designs:
            return 1.0
        plausible = self.posterior.only_plausible(by.plausible)
        reach = 0.0
        if by.success == "cover":
            reach = by.epsilon / float(by.cone.lift_norms(np.ones((len(by.cone.facets), 1)), non_negative=True)[0])
        return in_every_way(plausible, by.cone, self.choice.inside, self.designs, by.epsilon, reach)

    def _judged_by(self, posterior: Posterior, delta: float, least: int) -> tuple[int, float]:
        by, choice, others = self.belief.by, self.choice, self._others
        said = self.missing[others]  # for every posterior the reasons of the answer are judged
        delta -= float(screened(posterior, by.cone, self.chosen, others, by.required, said).bounds.sum())
        level = level_of(self.belief.statistics.evaluations, FOR_DRAWS * by.delta) / (len(STAGES) * by.looks)
        best, found = math.inf, np.empty(0)
        for stage, total in enumerate(STAGES):
            rng = by.generator(self.belief.statistics, stage + 1)
            while len(found) < total:
                z, spare = by.compared(posterior.draws(self.designs, min(_AT_ONCE, total - len(found)), rng))
                found = np.concatenate([found, needed(z, choice.inside, by.cone, by.success, spare, choice.missing)])
            best = min(best, certified(found, delta, level))
            if (found > by.epsilon).mean() > delta:
                return FULLY, best  # more draws are not made
            if best <= by.epsilon and total >= least:
                break
        return total, best


@dataclass(frozen=True, eq=False)
class PosteriorCertificate(Answering):
    """Claims about K designs with a prior and normal noise."""

    question: Question
    n_designs: int
    prior: Prior
    seed: int = 0
    robust: bool = False
    looks: int = 1
    """The most states with the same number of evaluations that are looked at: they share what draws may cost."""
    declared: Prior | None = None
    """The prior in the place of which this one goes on after an alarm; None if this one was declared."""

    def __post_init__(self) -> None:
        if not isinstance(self.prior, Prior):
            raise InputError(
                "model must be a prior such as models.Smooth(features) or models.Independent(), got "
                f"{shown(self.prior)}."
            )
        self.prior.check(self.n_designs)
        least = level_of(2, FOR_DRAWS * self.delta) / len(STAGES)  # what the first look that judges may spend
        if not self.robust and failures_allowed(STAGES[-1], (1 - FOR_DRAWS) * self.delta, least) < 0:
            raise InputError(
                f"a model is judged by at most {STAGES[-1]:,} draws, in which a delta of {self.delta:g} can never be "
                "seen: ask for 0.0005 or more, or leave the model out."
            )
        if self.required is not None and not self.required.keeps and self.n_designs > CORE:
            raise InputError(
                f"under a cone that trades an objective with a level away, a model compares at most {CORE} designs, "
                f"got {self.n_designs}: take a cone that does not, such as the orthant, or leave level or model out."
            )

    @cached_property
    def required(self) -> Required | None:
        """The levels, where there are any."""
        return Required.of(self.question)

    @cached_property
    def axes(self) -> Axes:
        """The axes along which the noise is uncorrelated."""
        axes = axes_of(self.question.assumed, self.cone.dim, self.epsilon)
        return axes if self.required is None else axes.centred(self.required)

    @cached_property
    def unit(self) -> float:
        """The unit of all sizes of the prior: epsilon, or the noise where epsilon is 0."""
        return self.epsilon if self.epsilon > 0 else self.question.assumed.largest_scale(self.cone.dim)

    @property
    def plausible(self) -> float:
        """The gain below which a component is ruled out, an objective: by Ville's inequality."""
        return FOR_COMPONENTS * self.delta / self.cone.dim

    def generator(self, statistics: Sampled, stage: int) -> np.random.Generator:
        """Return a generator that depends on the seed and on the number of evaluations: answers can be replayed.

        Where several states have as many evaluations, these were made elsewhere, and each state has draws of its own:
        a claim about one of them may have led to the next.
        """
        own = []
        if self.looks > 1:
            each = (statistics,) if isinstance(statistics, Statistics) else statistics.each
            own = [zlib.crc32(np.array([one.counts for one in each], dtype=np.int64).tobytes())]
        return np.random.default_rng([self.seed, statistics.evaluations, stage, *own])

    def belief(self, statistics: Sampled, also: tuple[Posterior, ...] = ()) -> Belief:
        """Return the posterior, with a check of the prior."""
        drop = FOR_NEGLIGIBLE * self.delta / self.cone.dim
        plausible = self.plausible if self.robust else math.inf
        posterior = posterior_of(self.prior, self.axes, statistics, self.unit, drop, plausible)
        return Belief(self, statistics, posterior, also)

    def look(self, statistics: Sampled, also: tuple[Posterior, ...] = ()) -> Look:
        """Return the set, chosen by draws of designs that are hard to leave out (docs/posterior, section 5).

        As long as the answer is far off, a glance at the hardest designs and the heaviest components will do.
        """
        belief = self.belief(statistics, also)
        posterior, negligible = belief.posterior, FOR_SCREENED * self.delta
        if self.robust:  # each component would have to screen for itself
            return self.everyone(belief)
        rng = self.generator(statistics, 0)
        if self.n_designs > GLANCE_DESIGNS:
            heavy = posterior.heaviest(GLANCE_COMPONENTS)
            few = core(heavy, self.cone, self.n_designs, negligible, GLANCE_DESIGNS, self.required)
            look = self._chosen(belief, heavy, few, rng, (GLANCE, GLANCE))
            if look.choice.failing > FAR_OFF:
                return look
        designs = core(posterior, self.cone, self.n_designs, negligible, required=self.required)
        look = self._chosen(belief, posterior, designs, rng)
        if look.choice.failing > self.delta or len(designs) >= min(CORE, self.n_designs):
            return look
        # Nearly certain: designs that all components together cannot rule out are drawn after all.
        others = np.setdiff1d(np.arange(self.n_designs), designs)
        bounds = screened(posterior, self.cone, look.chosen, others, self.required).bounds
        dear = np.flatnonzero(~affordable(bounds, negligible))
        if not len(dear):
            return look
        dear = dear[np.argsort(-bounds[dear], kind="stable")][: CORE - len(designs)]
        return self._chosen(belief, posterior, np.union1d(designs, others[dear]), rng)

    def everyone(self, belief: Belief) -> Look:
        """Return the set, chosen by draws of up to CORE designs."""
        designs = core(belief.posterior, self.cone, self.n_designs, required=self.required)
        return self._chosen(belief, belief.posterior, designs, self.generator(belief.statistics, 0))

    def _chosen(
        self,
        belief: Belief,
        posterior: Posterior,
        designs: Indices,
        rng: np.random.Generator,
        counts: tuple[int, int] = CHOOSING,
    ) -> Look:
        """Choose the set by draws of some designs."""
        least, most = counts
        values = posterior.draws(designs, least, rng)
        z, spare = self.compared(values)
        # Fewer while very many designs may be optimal: it is early, and pairs of them are what takes the time.
        hopeful = max(1, len(possibly_optimal(z, None if spare is None else spare.acceptable)))
        count = min(most, _PAIRS // hopeful**2) if most > least else least
        if count > least:
            z, spare = self.compared(np.concatenate([values, posterior.draws(designs, count - least, rng)]))
        choice = choose(z, self.cone, self.epsilon, self.success, spare)
        if choice.failing <= self.delta and self.success == "cover":
            # The draws that chose a set flatter it. One that was chosen for less than epsilon may do better in others.
            others = self.compared(posterior.draws(designs, most, rng))
            if (failing := self.failing(choice, *others)) > self.delta:
                careful = choose(z, self.cone, CAREFUL * self.epsilon, self.success, spare)
                choice = min(
                    replace(choice, failing=failing),
                    replace(careful, failing=self.failing(careful, *others)),
                    key=lambda one: one.failing,
                )
        return Look(belief, posterior, designs, choice, z, spare)

    def failing(self, choice: Choice, z: Floats, spare: Spare | None) -> float:
        """Return the share of draws in which a set fails at epsilon."""
        need = needed(z, choice.inside, self.cone, self.success, spare, choice.missing)
        return float((need > self.epsilon).mean())

    def compared(self, values: Floats) -> tuple[Floats, Spare | None]:
        """Return facet values (B, A, N) of draws, and by how much these meet the levels."""
        return self.cone.facet_values(values), None if self.required is None else self.required.spare(values)


def level_of(evaluations: int, total: float) -> float:
    """Return how much of `total` a look after so many evaluations may spend; over all numbers it sums to less."""
    t = evaluations + 2
    return total / (_ALL_LOOKS * t * math.log(t) ** 2)


def certified(needed: Floats, delta: float, level: float) -> float:
    """Return the smallest epsilon that draws show to be exceeded with probability at most delta, at this level.

    It is the (k + 1)-th largest of what draws needed, with k the most failures of which Clopper & Pearson's upper bound
    is at most delta: P(Binomial(B, delta) <= k) <= level.

    >>> certified(np.arange(1000.0), delta=0.05, level=0.05)
    961.0
    """
    allowed = failures_allowed(len(needed), delta, level)
    if allowed < 0:
        return math.inf
    return float(np.partition(needed, len(needed) - 1 - allowed)[len(needed) - 1 - allowed])


def failures_allowed(draws: int, delta: float, level: float) -> int:
    """Return the largest k with P(Binomial(draws, delta) <= k) <= level; -1 if there is none.

    >>> failures_allowed(1000, 0.05, 0.05), failures_allowed(10, 0.05, 0.05)
    (38, -1)
    """
    from scipy.special import bdtr

    if delta <= 0:
        return -1
    low, high = -1, draws - 1
    while high > low:
        middle = (low + high + 1) // 2
        if bdtr(middle, draws, min(delta, 1.0)) <= level:
            low = middle
        else:
            high = middle - 1
    return low
