"""Two kinds of doubt as one probability: what a person wants, and what the designs' values are; ask, or evaluate?

With a model the values mu have a posterior, with answers that may be wrong the person's weighting w has one, and given
everything that was seen the two are independent: evaluations say nothing about w, answers nothing about mu. So a design
is good enough, w.mu_k >= max_j w.mu_j - epsilon, with one probability over both (docs/posterior, section 13).

What to do next is what settles most for its price. Pairs of draws in which the best design is not good enough name the
rivals from which it would have to be told apart; the variance of w.(mu_j - mu_b) has a part of either kind, and a
question reduces the one as an evaluation reduces the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np

from conewise._arrays import Floats, Indices, as_positive
from conewise.algorithms.adaptive.modelled import ModelGuided
from conewise.cones import Cone
from conewise.errors import InputError
from conewise.feedback import Statistics
from conewise.goals import Heuristic
from conewise.models.posterior import Posterior
from conewise.objectives import Objectives
from conewise.preferences import Preferences

DRAWS: Final = 512
"""Draws of the values, and as many weightings, each with each."""
ASKED_ABOUT: Final = 24
"""Designs among which a question is looked for: those that are most probably good enough."""


@dataclass(frozen=True, eq=False)
class Step:
    """Something that could be done next."""

    designs: tuple[int, ...]
    """The two to ask about, or the one to evaluate."""
    settles: float
    """The share of what is open (a variance, of both kinds together) that it is expected to settle."""
    price: float

    @property
    def worth(self) -> float:
        """What it settles for its price."""
        return self.settles / self.price


@dataclass(frozen=True, eq=False)
class Doubts:
    """How probably a design is good enough for a person whose preference and whose designs are known in part."""

    best: int
    """The design that is most probably good enough."""
    doubt: float
    """How probably it is not: it is more than epsilon behind the person's own best design, by his own weighting."""
    delta: float
    """The doubt that was said to be small enough."""
    of_preference: float
    """The share of what is open that only answers can settle; the rest is about values."""
    probability: Floats
    """(K,): how probably each design is good enough."""
    values: Floats
    """(K, D): expected values in the user's units and directions, to be shown with a question."""
    question: Step | None
    """The question that settles most; None where none would."""
    evaluation: Step
    """The evaluation that settles most for its price."""
    worth: Heuristic

    @property
    def next(self) -> Literal["ask", "evaluate"] | None:
        """What to do next, by what it settles for its price; None where the doubt is small enough."""
        if self.doubt <= self.delta:
            return None
        return "ask" if self.question is not None and self.question.worth > self.evaluation.worth else "evaluate"


def doubts(
    said: Preferences, rule: ModelGuided, statistics: Statistics, *, question_price: float = 1.0, seed: int = 0
) -> Doubts:
    """What is open after these statements and evaluations; `question_price` in what evaluations cost (1, or `prices`).

    Weightings are those that fit what was said and the cone of the rule's question, as far as every gain counts there.
    """
    price = as_positive(question_price, "question_price")
    if said.dim != rule.cone.dim:
        raise InputError(f"the preferences speak of {said.dim} objectives, but the rule compares {rule.cone.dim}.")
    look = rule.certificate.thorough(rule.certificate.look(statistics), statistics)
    rng = np.random.default_rng([seed, statistics.evaluations, len(said.statements)])
    values = look.posterior.draws(look.designs, DRAWS, rng)
    weightings = _weightings(said, rule.cone, rng)
    good = _good(values, weightings, rule.epsilon)
    expected = look.posterior.means(np.arange(rule.n_designs))
    means = expected[look.designs]
    best = int(np.lexsort((means @ weightings.mean(axis=0), good))[-1])  # of equally good ones the better one
    rivals = _rivals(values, weightings, best, rule.epsilon)
    contrasts = _Contrasts(means - means[best], rivals, weightings)
    axes = look.posterior.axes
    spread = _spreads(values @ axes.directions, best, rivals, weightings @ axes.directions)
    by_evaluation = spread.gains(_noise(look.posterior, look.designs, rule.n_designs))
    open_ = max(spread.total + contrasts.total, np.finfo(float).tiny)
    prices = np.ones(rule.n_designs) if rule.prices is None else np.asarray(rule.prices, dtype=float)
    here = prices[look.designs]
    chosen = int((by_evaluation / here).argmax())
    probability = np.zeros(rule.n_designs)
    probability[look.designs] = good
    return Doubts(
        best=int(look.designs[best]),
        doubt=float(1 - good[best]),
        delta=rule.delta,
        of_preference=float(contrasts.total / open_),
        probability=probability,
        values=said.objectives.own(expected),
        question=_question(said, look.designs, means, good, contrasts, open_, price),
        evaluation=Step((int(look.designs[chosen]),), float(by_evaluation[chosen] / open_), float(here[chosen])),
        worth=Heuristic(
            f"the probability is an estimate from {DRAWS} draws of the values and of the weightings each, of which the "
            "weightings are drawn by steps, under a model of answers"
        ),
    )


def check_same(said: Preferences, objectives: Objectives) -> None:
    """Preferences and a question must speak of the same objectives, in the same units and directions."""
    mine, theirs = ([(o.name, o.goal, o.unit) for o in each] for each in (said.objectives, objectives))
    if mine != theirs:
        listed = [" ".join(f"{name} ({goal}, unit {unit:g})" for name, goal, unit in each) for each in (mine, theirs)]
        raise InputError(
            f"the preferences speak of {listed[0]}, the question of {listed[1]}; make them from its own objectives: "
            "Preferences(study.question.columns)."
        )


def _weightings(said: Preferences, cone: Cone, rng: np.random.Generator) -> Floats:
    """(L, D): weightings, as likely as each other."""
    if cone.includes(Cone.orthant(cone.dim)) and not Cone.orthant(cone.dim).includes(cone):
        said = said.better_under(cone)
    points, weights = said.weightings()
    return np.asarray(points[rng.choice(len(points), DRAWS, p=weights)])


def _worths(values: Floats, weightings: Floats) -> Iterator[Floats]:
    """(B, A) for each weighting: what every design is worth in every draw."""
    for weighting in weightings:
        yield values @ weighting


def _good(values: Floats, weightings: Floats, epsilon: float) -> Floats:
    """(A,): how probably each design is within epsilon of the person's best, over both kinds of draws."""
    found = np.zeros(values.shape[1])
    for worth in _worths(values, weightings):
        found += (worth >= worth.max(axis=1, keepdims=True) - epsilon).mean(axis=0)
    return np.asarray(found / len(weightings))


def _rivals(values: Floats, weightings: Floats, best: int, epsilon: float) -> Floats:
    """(A,): in what share of the draws where `best` is not good enough each design is the person's best."""
    found = np.zeros(values.shape[1])
    for worth in _worths(values, weightings):
        top = worth.argmax(axis=1)
        ahead = worth[np.arange(len(worth)), top] - worth[:, best]
        found += np.bincount(top[ahead > epsilon], minlength=len(found))
    return np.asarray(found / max(1.0, found.sum()))


class _Contrasts:
    """Differences of expected values from the best design, and how far weightings leave open what they are worth."""

    def __init__(self, ahead: Floats, rivals: Floats, weightings: Floats) -> None:
        there = np.flatnonzero(rivals)
        self._weight, self.weightings = rivals[there], weightings
        self._worth = weightings @ ahead[there].T  # (L, R)
        self.total = float(self._worth.var(axis=0) @ self._weight)

    def gains(self, rays: Floats, trust: float) -> Floats:
        """(P,): how much of the variance an answer about each ray is expected to explain: p (1 - p) (E_1 - E_0)^2."""
        right = np.where(self.weightings @ rays.T > 0, trust, 1 - trust)  # (L, P): how probable the answer "yes" is
        yes = right.mean(axis=0)
        average = self._worth.mean(axis=0)
        covariance = right.T @ (self._worth - average) / len(right)  # (P, R): p (E_1 - average)
        explained = np.divide(1.0, yes * (1 - yes), out=np.zeros_like(yes), where=(yes > 0) & (yes < 1))
        return np.asarray(explained * (covariance**2 @ self._weight))


@dataclass(frozen=True, eq=False)
class _Spreads:
    """Along axes where objectives are independent: how far values leave open what the differences are worth."""

    covariance: Floats
    """(D, R, A): of the differences with every candidate."""
    variance: Floats
    """(D, A): of the candidates."""
    weight: Floats
    """(D, R): how often a rival stands in the way, times the mean square of the axis's weight."""
    total: float

    def gains(self, noise: Floats) -> Floats:
        """(A,): by how much one evaluation of each candidate, with (A, D) noise variances, reduces the variance."""
        gained = np.einsum("dr,dra->da", self.weight, self.covariance**2)
        return np.asarray((gained / np.maximum(self.variance + noise.T, np.finfo(float).tiny)).sum(axis=0))


def _spreads(values: Floats, best: int, rivals: Floats, weightings: Floats) -> _Spreads:
    there = np.flatnonzero(rivals)
    off = (values - values.mean(axis=0)).transpose(2, 0, 1)  # (D, B, A)
    differences = off[:, :, there] - off[:, :, [best]]
    count = len(values) - 1
    weight = np.mean(weightings**2, axis=0)[:, None] * rivals[there]
    return _Spreads(
        np.einsum("dbr,dba->dra", differences, off, optimize=True) / count,
        np.einsum("dba,dba->da", off, off) / count,
        weight,
        float((weight * np.einsum("dbr,dbr->dr", differences, differences) / count).sum()),
    )


def _noise(posterior: Posterior, designs: Indices, n_designs: int) -> Floats:
    """(A, D): the variance of one evaluation along the axes; of unknown noise, a typical one."""
    typical = [m.weights @ np.array([part.spread for part in m.components]) for m in posterior.mixtures]
    return np.asarray(posterior.axes.variance_of(n_designs)[designs] * np.array(typical))


def _question(
    said: Preferences,
    designs: Indices,
    means: Floats,
    good: Floats,
    contrasts: _Contrasts,
    open_: float,
    price: float,
) -> Step | None:
    """Of pairs that are not settled by the componentwise order and were not asked about, the one that settles most."""
    some = np.sort(np.argsort(-good, kind="stable")[:ASKED_ABOUT])
    known = said.asked_about
    pairs = []
    for i, j in combinations(some.tolist(), 2):
        step = means[i] - means[j]
        shown = frozenset((tuple(means[i].tolist()), tuple(means[j].tolist())))
        if (step > 0).any() and (step < 0).any() and shown not in known:
            pairs.append((i, j))
    if not pairs:
        return None
    rays = np.array([means[i] - means[j] for i, j in pairs])
    gains = contrasts.gains(rays, said.trust)
    most = int(gains.argmax())
    if gains[most] <= 0:
        return None
    i, j = pairs[most]
    return Step((int(designs[i]), int(designs[j])), float(gains[most] / open_), price)
