"""Certify a set by a posterior: when to stop and what may be claimed, on average over the prior (docs/posterior).

Theorem A: choose the set and epsilon from the observations, so that their posterior probability to fail is at most
delta. Then they fail with probability at most delta, at any time of stopping and after any number of looks. The
posterior probability is bounded by fresh draws (Clopper & Pearson 1934), for which a tenth of delta is put aside.

Theorem B does the same for every component of the prior instead of on average over them (`robust`).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
ALARM: Final = 0.05
"""How often the check may withdraw a promise although the prior is right."""
CHOOSING: Final = (128, 512)  # draws that choose the set, at least and at most; they judge nothing
GLANCE: Final = 64  # draws of a glance ...
GLANCE_DESIGNS: Final = 128  # ... at the hardest designs, where there are more,
GLANCE_COMPONENTS: Final = 4  # ... and at the heaviest components of an objective
FAR_OFF: Final = 0.5  # a look that fails in this share of the draws of a glance ends there
STAGES: Final = (1024, 4096, 16384, 65536)  # draws that judge, in all after each stage; more only where it is open
MOST_PLAUSIBLE: Final = 64  # ways to take a component an objective that draws judge one by one; more share a bound
_LARGER: Final = "give larger sizes=..., or a larger epsilon"
_HALF: Final = 0.5  # of a posterior's weight, or of a size: lists go in steps of about three
FULLY: Final = 16384  # draws for the epsilon of an answer that is certified: four times as many hardly lower it
_AT_ONCE: Final = 4096  # draws in memory
_PAIRS: Final = 2**24  # pairs of designs in draws that choose
_ALL_LOOKS: Final = 2.11  # sum over t >= 2 of 1 / (t log(t)^2)


@dataclass(frozen=True, eq=False)
class Look:
    """The posterior after some evaluations, and the set that draws of it chose."""

    posterior: Posterior
    designs: Indices  # (A,): the designs of which values are drawn, ascending
    choice: Choice
    draws: Floats  # (B, A, N): facet values of the draws that chose the set
    spare: Spare | None = None  # of the same draws, where there are levels

    @property
    def chosen(self) -> Indices:
        """The set."""
        return np.asarray(self.designs[self.choice.inside])


@dataclass(frozen=True, eq=False)
class Judged:
    """A set that was judged by fresh draws."""

    epsilon: float  # the smallest at which failing is certified to be improbable enough; infinite where none is
    failing: float  # the share of the judging draws in which the set fails at the epsilon that was asked for


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
        own = [] if self.looks == 1 else [zlib.crc32(_times(statistics).tobytes())]
        return np.random.default_rng([self.seed, statistics.evaluations, stage, *own])

    def look(self, statistics: Sampled) -> Look:
        """Return the posterior and the set, by draws of designs that are hard to leave out (docs/posterior, section 5).

        As long as the answer is far off, a glance at the hardest designs and the heaviest components will do.
        """
        posterior = self._posterior(statistics)
        if self.robust:  # each component would have to screen for itself
            return self._everyone(posterior, statistics)
        rng, negligible = self.generator(statistics, 0), FOR_SCREENED * self.delta
        if self.n_designs > GLANCE_DESIGNS:
            heavy = posterior.heaviest(GLANCE_COMPONENTS)
            few = core(heavy, self.cone, self.n_designs, negligible, GLANCE_DESIGNS, self.required)
            look = self._chosen(heavy, few, (GLANCE, GLANCE), rng)
            if look.choice.failing > FAR_OFF:
                return look
        designs = core(posterior, self.cone, self.n_designs, negligible, required=self.required)
        look = self._chosen(posterior, designs, CHOOSING, rng)
        if look.choice.failing > self.delta or len(designs) >= min(CORE, self.n_designs):
            return look
        # Nearly certain: designs that all components together cannot rule out are drawn after all.
        others = np.setdiff1d(np.arange(self.n_designs), designs)
        bounds = screened(posterior, self.cone, look.chosen, others, self.required).bounds
        dear = np.flatnonzero(~affordable(bounds, negligible))
        if not len(dear):
            return look
        dear = dear[np.argsort(-bounds[dear], kind="stable")][: CORE - len(designs)]
        return self._chosen(posterior, np.union1d(designs, others[dear]), CHOOSING, rng)

    def thorough(self, look: Look, statistics: Sampled) -> Look:
        """Return a look at up to CORE designs, which certifies something even if the answer is far off."""
        if self.robust or look.choice.failing <= self.delta:
            return look
        return self._everyone(self._posterior(statistics), statistics)

    def _posterior(self, statistics: Sampled) -> Posterior:
        drop = FOR_NEGLIGIBLE * self.delta / self.cone.dim
        plausible = self.plausible if self.robust else math.inf
        return posterior_of(self.prior, self.axes, statistics, self.unit, drop, plausible)

    def _everyone(self, posterior: Posterior, statistics: Sampled) -> Look:
        designs = core(posterior, self.cone, self.n_designs, required=self.required)
        return self._chosen(posterior, designs, CHOOSING, self.generator(statistics, 0))

    def _chosen(
        self, posterior: Posterior, designs: Indices, counts: tuple[int, int], rng: np.random.Generator
    ) -> Look:
        """Choose the set by draws of some designs."""
        least, most = counts
        values = posterior.draws(designs, least, rng)
        z, spare = self._compared(values)
        # Fewer while very many designs may be optimal: it is early, and pairs of them are what takes the time.
        hopeful = max(1, len(possibly_optimal(z, None if spare is None else spare.acceptable)))
        count = min(most, _PAIRS // hopeful**2) if most > least else least
        if count > least:
            z, spare = self._compared(np.concatenate([values, posterior.draws(designs, count - least, rng)]))
        return Look(posterior, designs, choose(z, self.cone, self.epsilon, self.success, spare), z, spare)

    def _compared(self, values: Floats) -> tuple[Floats, Spare | None]:
        """Return facet values (B, A, N) of draws, and by how much these meet the levels."""
        return self.cone.facet_values(values), None if self.required is None else self.required.spare(values)

    def missing(self, look: Look) -> Bools:
        """Return the designs that are left out because they miss a level, (K,)."""
        result = np.zeros(self.n_designs, dtype=bool)
        if self.required is None or look.choice.missing is None:
            return result
        result[look.designs] = look.choice.missing
        others = np.setdiff1d(np.arange(self.n_designs), look.designs)
        result[others] = screened(look.posterior, self.cone, look.chosen, others, self.required).missing
        return result

    def judged(self, look: Look, statistics: Sampled, *, fully: bool = False) -> Judged:
        """Judge the chosen set by fresh draws, as few as it takes; with `fully` by more, for a smaller epsilon."""
        left = self.delta * (1 - FOR_DRAWS)
        if not self.robust:
            return self._judged(look, look.posterior, left - look.posterior.dropped, statistics, fully)
        ways = list(islice(look.posterior.plausible(self.plausible), MOST_PLAUSIBLE + 1))
        if len(ways) > MOST_PLAUSIBLE:
            sure = self.unlikely_in_every_way(look) <= left - FOR_COMPONENTS * self.delta
            return Judged(self.epsilon if sure else math.inf, look.choice.failing)
        worst = Judged(0.0, 0.0)
        for way in ways:
            one = self._judged(look, way, left - FOR_COMPONENTS * self.delta, statistics, fully)
            worst = Judged(max(worst.epsilon, one.epsilon), max(worst.failing, one.failing))
            if worst.epsilon > self.epsilon and not fully:
                break
        return worst

    def unlikely_in_every_way(self, look: Look) -> float:
        """Bound the probability to fail for every plausible component at once, without draws (section 4)."""
        if self.required is not None or len(look.designs) < self.n_designs:
            return 1.0
        plausible = look.posterior.only_plausible(self.plausible)
        reach = 0.0
        if self.success == "cover":
            facets = np.ones((len(self.cone.facets), 1))
            reach = self.epsilon / float(self.cone.lift_norms(facets, non_negative=True)[0])
        return in_every_way(plausible, self.cone, look.choice.inside, look.designs, self.epsilon, reach)

    def _judged(self, look: Look, posterior: Posterior, delta: float, statistics: Sampled, fully: bool) -> Judged:
        others = np.setdiff1d(np.arange(self.n_designs), look.designs)
        said = self.missing(look)[others]  # for every component the reasons of the answer are judged
        delta -= float(screened(posterior, self.cone, look.chosen, others, self.required, said).bounds.sum())
        level = level_of(statistics.evaluations, FOR_DRAWS * self.delta) / (len(STAGES) * self.looks)
        best, found = math.inf, np.empty(0)
        for stage, total in enumerate(STAGES):
            rng = self.generator(statistics, stage + 1)
            while len(found) < total:
                count, choice = min(_AT_ONCE, total - len(found)), look.choice
                z, spare = self._compared(posterior.draws(look.designs, count, rng))
                need = needed(z, choice.inside, self.cone, self.success, spare, choice.missing)
                found = np.concatenate([found, need])
            best = min(best, certified(found, delta, level))
            failing = float((found > self.epsilon).mean())
            if failing > delta or (best <= self.epsilon and total >= (FULLY if fully else 0)):
                break
        return Judged(best, failing)

    def doubt(self, statistics: Sampled, declared: Posterior | None = None) -> float:
        """Return how many times better a richer prior foretold the observations: a test martingale, so 20 is rare.

        By Ville's inequality it ever reaches 1 / ALARM with probability at most ALARM if the prior is right. `declared`
        is the posterior of a look at the same statistics, where there is one.
        """
        if declared is None:
            declared = posterior_of(self.prior, self.axes, statistics, self.unit, 1.0)
        return math.exp(min(self._richer(statistics).log_evidence - declared.log_evidence, 700.0))

    def _richer(self, statistics: Sampled) -> Posterior:
        """Return the posterior of the richer prior: only its heaviest components and its evidence are used."""
        return posterior_of(self.prior.richer, self.axes, statistics, self.unit, _HALF)

    def _remedy(self, statistics: Sampled) -> str:
        """Say what to do about a contradicted prior: it is too smooth, or its sizes are too small or too large."""
        own, scale = self.prior.components, 1.0 if self.axes.variances is None else self.unit
        counts = own.shape >= 0 if (own.shape >= 0).any() else own.shape < 0
        least = scale * float(np.hypot(own.size, own.discrepancy)[counts].min())
        heaviest = [mixture.heaviest(1).components[0] for mixture in self._richer(statistics).mixtures]
        far = [part.data for part in heaviest if part.known.discrepancy > scale * own.largest]
        if far:
            return f"{self._far(far)}, but its largest size is {self._in_units(own.largest)}: {_LARGER}"
        if any(math.hypot(part.known.size, part.known.discrepancy) < _HALF * least for part in heaviest):
            return "the designs differ by less than it believes: name smaller sizes, or a smaller epsilon"
        return "use a wider prior or none"

    def _far(self, each: Sequence[Data]) -> str:
        """Say how far averages lie apart, or from what is acceptable where that is farther."""
        spread = max(float(np.ptp(data.means)) for data in each)
        away = max((float(np.abs(data.means).max()) for data in each if not math.isnan(data.centre)), default=0.0)
        if away > spread:
            return f"the averages lie up to {away:.3g} from what is acceptable"
        return f"the averages spread over {spread:.3g}"

    def _in_units(self, size: float) -> str:
        if self.axes.variances is None:
            return f"{size:g} times the noise"
        unit = "epsilon" if self.epsilon > 0 else "the noise"
        return f"{size * self.unit:.3g} ({size:g} times {unit})"

    def withdrawn(self, statistics: Sampled, declared: Posterior | None = None) -> str | None:
        """Say why nothing may be promised: the observations contradict the prior; None if they do not."""
        doubt = self.doubt(statistics, declared)
        if doubt < 1 / ALARM:
            return None
        return (
            f"the observations contradict the prior ({self.prior.words}): a richer one foretold them {doubt:.3g} "
            f"times better, which a right prior allows in {ALARM:.0%} of runs; {self._remedy(statistics)}"
        )


def _times(sampled: Sampled) -> NDArray[np.int64]:
    """Return how often each design was measured, (K,), or (D, K) where objectives are measured one by one."""
    if isinstance(sampled, Statistics):
        return np.asarray(sampled.counts, dtype=np.int64)
    return np.array([own.counts for own in sampled.each], dtype=np.int64)


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
