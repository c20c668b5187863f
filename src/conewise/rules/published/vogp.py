"""Vector optimisation with Gaussian processes: VOGP.

Korkmaz, Yıldırım, Ararat & Tekin, "Vector optimization with Gaussian process bandits", Machine Learning 115, 2026.
The proof for the form here is in docs/posterior, section 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from conewise.border import Bools, Floats, Indices, as_count, as_option
from conewise.cone.cone import Cone
from conewise.data.observations import Pulls, Statistics
from conewise.limits import LARGEST_SEED
from conewise.models.certificate import FOR_NEGLIGIBLE, Belief, PosteriorCertificate
from conewise.models.posterior import Posterior, posterior_of
from conewise.models.priors import Prior
from conewise.noise import Gaussian
from conewise.order.dominance import pareto_mask
from conewise.question.question import Guarantee, Heuristic, Notion
from conewise.rules.contract import INDEPENDENT, Result
from conewise.rules.published.common import Sequential
from conewise.rules.published.rectangles import discarded_by, may_exceed, sign_rays


class Judgement(NamedTuple):
    """The decisions of the rectangles after some evaluations."""

    posterior: Posterior
    means: Floats
    """(K, N): posterior means along the facets."""
    sizes: Floats
    """(K,): half diagonals of the rectangles, in units of the radius."""
    accepted: Bools
    by: Indices
    """(K,): the design that discards a design; -1 for a design that is left."""


@dataclass(frozen=True, eq=False)
class VOGP(Sequential):
    """Judge designs by rectangles R(x), mu +- beta_t sd; evaluate the design with the largest rectangle.

    Let C be the cone, u the unit vector deepest inside it, and e = epsilon / 2 the slack. A round has four steps.

    * Find the pessimistic Pareto set: the designs x with no R(x') + C strictly inside R(x) + C.
    * Discard x outside it when some x' inside has z' + e u >= z for all z in R(x) and z' in R(x').
    * Accept x when no design x' that is left has z' >= z + e u for any z in R(x) and z' in R(x').
    * Evaluate the design with the largest rectangle among those that are left.

    beta_t^2 = 2 log(pi^2 D K t^2 / (3 delta)). Returned designs may be 2 e = epsilon from optimal. Theorem and radius
    are for one known Gaussian process and normal noise of known size, such as `models.Independent(sizes=(3,))`: then
    the answer is guaranteed, on average over that prior. A mixture, such as `models.Smooth(features)`, is reduced to
    its mean and standard deviation. It gets the radius of the authors' experiments, sqrt(32) times smaller, and a
    heuristic answer; `radius="proven"` makes it a costly one.

    The paper intersects the rectangles of all rounds. Here every round is judged from all observations.
    Correlations between designs count in the posterior alone: rectangles are compared as if designs were independent.
    """

    model: Prior = field(kw_only=True)
    radius: str = field(default="auto", kw_only=True)
    """ "proven", "practical" (of the authors' experiments), or "auto": proven where the theorem covers the question."""
    seed: int = field(default=0, kw_only=True)
    """Seed of the draws behind `Result.probability`; no decision depends on it."""

    answers: ClassVar[tuple[Notion, ...]] = ("cover",)
    each_first: ClassVar[bool] = False
    source: ClassVar[str] = "VOGP (Korkmaz et al. 2026)"
    contraction: ClassVar[float] = math.sqrt(32)
    """Divisor of the practical radius; the authors' implementation divides beta^2."""
    share: ClassVar[float] = 3.0
    """The 3 of beta_t^2."""
    may_run_ahead = False  # the largest rectangle changes with every evaluation; `growth` is for parallel work

    def __post_init__(self) -> None:
        super().__post_init__()
        as_option(self.radius, "radius", ("auto", "proven", "practical"))
        object.__setattr__(self, "seed", as_count(self.seed, "seed", minimum=0, maximum=LARGEST_SEED))
        _ = self.certificate.axes  # refuses a model or noise that has no posterior now

    @cached_property
    def certificate(self) -> PosteriorCertificate:
        """Axes, units and draws of the posterior; the rule itself decides when to stop."""
        return PosteriorCertificate(self.question, self.n_designs, self.model, self.seed)

    @cached_property
    def facets(self) -> Floats:
        """(N, D): rows of W along the axes of the noise, where objectives are independent a posteriori."""
        return np.asarray(self.cone.facets @ self.certificate.axes.directions)

    @cached_property
    def frame(self) -> tuple[Floats, Floats]:
        """Sides of a rectangle (R, D), here the objectives, and weightings of them (Q, R) to compare along."""
        return np.eye(self.cone.dim), sign_rays(self.facets, self.cone.rays @ self.certificate.axes.directions)

    @property
    def premises(self) -> str | None:
        if (parts := len(self.model.components)) > 1:
            return f"{self.source} is proven for one known Gaussian process, and the prior is a mixture of {parts}"
        return None if isinstance(self.noise, Gaussian) else f"{self.source} is proven for normal noise of known size"

    @property
    def proven_radius(self) -> bool:
        """True if the rectangles have the size that the theorem needs."""
        return self.radius == "proven" or (self.radius == "auto" and self.premises is None)

    def beta(self, evaluations: int) -> float:
        """Return beta_t, the radius in posterior standard deviations, with t - 1 = `evaluations`."""
        claims = len(self.frame[0]) * self.n_designs * math.pi**2 * (evaluations + 1) ** 2
        root = math.sqrt(2 * math.log(claims / (self.share * self.delta)))
        return self.radius_scale * root / (1.0 if self.proven_radius else self.contraction)

    def judge(self, state: Statistics) -> Judgement:
        """Compute the rectangles, and discard and accept designs."""
        certificate, drop = self.certificate, FOR_NEGLIGIBLE * self.delta / self.cone.dim
        posterior = posterior_of(self.model, certificate.axes, state, certificate.unit, drop)
        (means, variances), (sides, weightings) = posterior.moments(np.arange(self.n_designs)), self.frame
        spreads, along = np.sqrt(variances @ (sides**2).T), weightings @ sides
        middle, half = means @ along.T, self.beta(state.evaluations) * (spreads @ np.abs(weightings).T)
        by, accepted = np.full(self.n_designs, -1, dtype=np.intp), np.zeros(self.n_designs, dtype=bool)
        if state.evaluations:  # before that the common level is unknown
            low, high = middle - half, middle + half
            depth = self.epsilon / 2 * (along @ (self.cone.centre @ certificate.axes.directions))
            by = discarded_by(low, high, depth, len(self.facets))
            left = np.flatnonzero(by < 0)
            accepted[left] = ~may_exceed(high[left], low[left], depth).any(axis=1)
        return Judgement(posterior, middle[:, : len(self.facets)], np.linalg.norm(spreads, axis=1), accepted, by)

    def choose(self, state: Statistics, limit: int | None) -> Pulls:
        judged = self.judge(state)
        left = np.flatnonzero(judged.by < 0)
        if judged.accepted[left].all():
            return Pulls([], [])
        total = int(self.batch(state.evaluations, limit))
        largest = left[np.argsort(-judged.sizes[left], kind="stable")[:total]]
        each, more = divmod(total, len(largest))
        return Pulls(largest, each + (np.arange(len(largest)) < more))

    def proven(self, epsilon: float, theorem: str, assumption: str | None = None) -> Guarantee | Heuristic:
        known = f"{INDEPENDENT}; {self.noise.words}; values drawn from the prior, {self.model.words}"
        return super().proven(epsilon, f"on average over the prior, {theorem}", known)

    def recommend(self, state: Statistics) -> Result:
        judged, certificate, guess = self.judge(state), self.certificate, np.zeros(self.n_designs, dtype=bool)
        out, doubt = judged.by >= 0, self.premises
        if state.evaluations:
            guess[~out] = pareto_mask(judged.means[~out], Cone.orthant(judged.means.shape[1]))
        if (judged.accepted | out).all():
            doubt = doubt or Belief(certificate, state, judged.posterior).withdrawn
        if not (doubt or self.proven_radius):
            doubt = f"the radius is the practical one, {self.contraction:.3g} times smaller than the proven one"
        likely = certificate.look(state).thorough.probability
        result = self.answer(state, judged.accepted, out, doubt, guess, covered=out, by=judged.by, probability=likely)
        return replace(result, certified={"prior": result.certified_epsilon, "every truth": None})
