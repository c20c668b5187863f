"""Rules that put every design into a rectangle of a Gaussian posterior, and judge the rectangles.

Korkmaz et al. 2026 (VOGP) and Zuluaga et al. 2016 (epsilon-PAL) differ in where the rectangles live, along the axes of
the objectives or along the facets of the cone, and in a constant; the rest stands here. Let R(x) be the rectangle of
design x, C the cone, u the unit vector deepest inside it, and e the slack. A round

* finds the pessimistic Pareto set: the designs x with no R(x') + C strictly inside R(x) + C;
* discards x outside it when some x' inside has z' + e u >= z for all z in R(x) and z' in R(x');
* accepts x when no design x' that is left has z' >= z + e u for any z in R(x) and z' in R(x');
* evaluates the design with the largest rectangle among those that are left. It ends when all are accepted or discarded.

**What holds when every value lies in its rectangle.** A discarded design is covered by an accepted one within e: the
design that discarded it is pessimistically optimal, so it is left, and at the end it is accepted. An accepted x has for
every accepted y a facet with w_n.(y - x) < e w_n.u <= e alpha_n, and for every discarded y, which some accepted x'
covers, a facet with w_n.(y - x) < 2 e alpha_n: so Delta*_x <= 2 e. With e = epsilon / 2 the answer therefore succeeds.

**Every test is a comparison of bounds.** R(x) + C is the set of v with q.v >= min{q.z : z in R(x)} for all weightings q
in the dual cone C+. For a rectangle this minimum is linear in q on each part of C+ in which no coordinate of q changes
its sign, so that the extreme rays of these parts, finitely many `directions`, are enough: inclusion of R(x') + C in
R(x) + C, and whether R(x') meets R(x) + e u + C, are comparisons along them.

The published rules intersect the rectangles of all rounds, and a decision stands for good. Here both are worked out
anew from all observations, so that an answer is a function of them; the argument above looks at one round alone, the
last one, and does not need the others.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import ClassVar, Final

import numpy as np

from conewise._limits import LARGEST_SEED
from conewise._memory import Memory
from conewise.border import Bools, Floats, Indices, as_count, as_option
from conewise.cone.cone import Cone
from conewise.cone.polyhedra import extreme_rays, needed_rows, smallest_combination
from conewise.data.observations import Pulls, Statistics
from conewise.models.certificate import FOR_NEGLIGIBLE, PosteriorCertificate
from conewise.models.posterior import Posterior, posterior_of
from conewise.models.priors import Prior
from conewise.noise import Gaussian
from conewise.order.dominance import pareto_mask
from conewise.question.question import Guarantee, Heuristic, Notion
from conewise.rules.contract import INDEPENDENT, Result
from conewise.rules.published.common import OnStatistics

_FLAT: Final = 1e-9  # a part of the dual cone without an inside has a combination of rows this short
_SAME: Final = 12  # digits in which directions of neighbouring parts agree


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the rectangles say after some evaluations."""

    state: Statistics
    posterior: Posterior
    means: Floats
    """(K, N): posterior means along the facets."""
    sizes: Floats
    """(K,): diagonals of the rectangles, in units of the radius."""
    accepted: Bools
    discarded: Bools
    by: Indices
    """(K,): who discarded a design; -1 for the others."""


@dataclass(frozen=True, eq=False)
class Rectangles(OnStatistics, ABC):
    """A rule of this kind; a subclass says where its rectangles live and how large they are."""

    model: Prior = field(kw_only=True)
    radius: str = field(default="auto", kw_only=True)
    """ "proven", "practical" (divided by what the authors' experiments divide it by), or "auto": proven where the
    theorem covers the prior and the noise, which is one known Gaussian process with normal noise of known size."""
    seed: int = field(default=0, kw_only=True)
    """Of the draws behind `Result.probability`; they decide nothing."""

    answers: ClassVar[tuple[Notion, ...]] = ("cover",)
    exact: ClassVar[bool] = False
    source: ClassVar[str]
    """The paper, for results."""
    contraction: ClassVar[float]
    """What the practical radius is divided by."""
    share: ClassVar[float]
    """The squared radius after t - 1 evaluations is 2 log(bounds K pi^2 t^2 / (share delta))."""

    def __post_init__(self) -> None:
        super().__post_init__()
        as_option(self.radius, "radius", ("auto", "proven", "practical"))
        object.__setattr__(self, "seed", as_count(self.seed, "seed", minimum=0, maximum=LARGEST_SEED))
        _ = self.certificate.axes  # refuses a model or noise that has no posterior now

    @cached_property
    def certificate(self) -> PosteriorCertificate:
        """Axes, units and draws of the posterior; when to stop is the rule's own affair."""
        return PosteriorCertificate(self.question, self.n_designs, self.model, self.seed)

    @cached_property
    def facets(self) -> Floats:
        """(N, D): rows of W along the axes of the noise, where objectives are independent a posteriori."""
        return np.asarray(self.cone.facets @ self.certificate.axes.directions)

    @property
    def slack(self) -> float:
        """e: returned designs are within 2 e."""
        return self.epsilon / 2

    @property
    @abstractmethod
    def directions(self) -> Floats:
        """(Q, D): weightings along which rectangles are compared; the facets come first."""

    @property
    @abstractmethod
    def bounds(self) -> int:
        """How many intervals a rectangle is made of."""

    @abstractmethod
    def spreads(self, variances: Floats) -> Floats:
        """(K, Q): half the width of the rectangles along the directions, in units of the radius."""

    @abstractmethod
    def diagonals(self, variances: Floats) -> Floats:
        """(K,): how large the rectangles are, in units of the radius."""

    @property
    def premises(self) -> str | None:
        """Why the theorem does not cover this configuration; None where it does."""
        if len(self.model.components) > 1:
            return (
                f"{self.source} is proven for one known Gaussian process, and the prior is a mixture of "
                f"{len(self.model.components)}"
            )
        if not isinstance(self.noise, Gaussian):
            return f"{self.source} is proven for normal noise of known size"
        return None

    @property
    def proven_radius(self) -> bool:
        """Whether rectangles have the size that the theorem needs."""
        return self.radius == "proven" or (self.radius == "auto" and self.premises is None)

    def beta(self, evaluations: int) -> float:
        """The radius, in posterior standard deviations, after so many evaluations."""
        log = math.log(self.bounds * self.n_designs * math.pi**2 * (evaluations + 1) ** 2 / (self.share * self.delta))
        return self.radius_scale * math.sqrt(2 * log) / (1.0 if self.proven_radius else self.contraction)

    @property
    def may_run_ahead(self) -> bool:
        """Not: which rectangle is the largest changes with every evaluation. `growth` is for many hands."""
        return False

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        """The largest rectangles among the designs that are not discarded."""
        limit = self.allowed(state, most)
        judged = self._judged(state)
        left = np.flatnonzero(~judged.discarded)
        if limit == 0 or judged.accepted[left].all():
            return Pulls([], [])
        total = int(self.batch(state.evaluations))
        total = total if limit is None else min(total, limit)
        largest = left[np.argsort(-judged.sizes[left], kind="stable")[:total]]
        each, more = divmod(total, len(largest))
        return Pulls(largest, each + (np.arange(len(largest)) < more))

    def _judged(self, state: Statistics) -> Judgement:
        last = _MEMORY.last(self)
        if last is None or last.state is not state:
            last = self._judge(state)
            _MEMORY.keep(self, last)
        return last

    def _judge(self, state: Statistics) -> Judgement:
        certificate, k = self.certificate, self.n_designs
        drop = FOR_NEGLIGIBLE * self.delta / self.cone.dim
        posterior = posterior_of(self.model, certificate.axes, state, certificate.unit, drop)
        means, variances = posterior.moments(np.arange(k))
        middle = means @ self.directions.T
        half = self.beta(state.evaluations) * self.spreads(variances)
        by = np.full(k, -1, dtype=np.intp)
        accepted = np.zeros(k, dtype=bool)
        facets = len(self.facets)
        if state.evaluations:  # before that nobody knows the common level
            low, high = middle - half, middle + half
            depth = self.slack * (self.directions @ (self.cone.centre @ certificate.axes.directions))
            by = discarded_by(low, high, depth, facets)
            left = np.flatnonzero(by < 0)
            accepted[left] = ~may_exceed(high[left], low[left], depth).any(axis=1)
        return Judgement(state, posterior, middle[:, :facets], self.diagonals(variances), accepted, by >= 0, by)

    def recommend(self, state: Statistics) -> Result:
        """The answer so far; before the end, undecided designs are returned when their predictions are optimal."""
        judged = self._judged(state)
        open_ = ~(judged.accepted | judged.discarded)
        done = not open_.any()
        why = "every design is decided" if done else self.unfinished(state.evaluations, int(open_.sum()))
        guess = np.zeros(self.n_designs, dtype=bool)
        if state.evaluations:
            left = np.flatnonzero(~judged.discarded)
            guess[left] = pareto_mask(judged.means[left], Cone.orthant(judged.means.shape[1]))
        worth = self._worth(state, judged.posterior) if done else Heuristic(why)
        look = self.certificate.thorough(self.certificate.look(state), state)
        probability = np.zeros(self.n_designs)
        probability[look.designs] = look.choice.probability
        epsilon = self.epsilon if worth.proof else None
        return Result.of(
            state,
            judged.accepted | open_ & guess,
            worth,
            why,
            kept=judged.accepted,
            covered=judged.discarded,
            by=judged.by,
            epsilon=epsilon,
            probability=probability,
            certified={"prior": epsilon, "every truth": None},
        )

    def _worth(self, state: Statistics, posterior: Posterior) -> Guarantee | Heuristic:
        doubt = self.premises or self.certificate.withdrawn(state, posterior)
        if doubt is None and not self.proven_radius:
            doubt = f"the radius is the practical one, {self.contraction:.3g} times smaller than the proven one"
        if doubt is not None:
            return Heuristic(doubt)
        assumption = f"{INDEPENDENT}; {self.noise.words}; values drawn from the prior, {self.model.words}"
        return self.proven(self.epsilon, f'on average over the prior, {self.source}; success "cover"', assumption)


def discarded_by(low: Floats, high: Floats, depth: Floats, facets: int) -> Indices:
    """(K,): a pessimistically optimal design that is everywhere at least as good, but for the slack; -1 for nobody."""
    best = pareto_mask(low, Cone.orthant(low.shape[1]))
    inside, outside = np.flatnonzero(best), np.flatnonzero(~best)
    by = np.full(len(low), -1, dtype=np.intp)
    everywhere = np.ones((len(outside), len(inside)), dtype=bool)
    for n in range(facets):
        everywhere &= low[inside, n][None, :] + depth[n] >= high[outside, n][:, None]
    beaten = everywhere.any(axis=1)
    by[outside[beaten]] = inside[everywhere[beaten].argmax(axis=1)]
    return by


def may_exceed(high: Floats, low: Floats, depth: Floats) -> Bools:
    """(A, A): whether j may be better than i by the slack: some point of R(j) lies in R(i) + e u + C."""
    result = np.ones((len(low), len(low)), dtype=bool)
    for q, deep in enumerate(depth):
        result &= high[:, q][None, :] >= low[:, q][:, None] + deep
    np.fill_diagonal(result, False)
    return result


def sign_rays(facets: Floats, rays: Floats) -> Floats:
    """(Q, D): the facets, and the other extreme rays of the parts of C+ in which no coordinate changes its sign.

    >>> sign_rays(np.eye(2), np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    dim = facets.shape[1]
    mixed = np.flatnonzero((facets.min(axis=0) < 0) & (facets.max(axis=0) > 0))
    found = [facets]
    for signs in product((1.0, -1.0), repeat=len(mixed)):
        rows = np.vstack([rays, np.array(signs)[:, None] * np.eye(dim)[mixed]])
        if not len(mixed) or np.linalg.norm(smallest_combination(rows)[1]) <= _FLAT:
            continue
        found.append(extreme_rays(rows[needed_rows(rows)[0]]))
    every = np.vstack(found)
    _, first = np.unique(np.round(every, _SAME) + 0.0, axis=0, return_index=True)
    return np.asarray(every[np.sort(first)])


_MEMORY: Memory[Rectangles, Judgement] = Memory()
