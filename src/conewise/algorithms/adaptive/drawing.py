"""Identification with draws of somebody else's model: the rule of the posterior certificate, without its promise."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices, as_count
from conewise._memory import Memory
from conewise.algorithms.adaptive.confirming import Confirm, as_confirm, unconfirmed
from conewise.algorithms.adaptive.contrasts import Contrasts, View, best_of
from conewise.algorithms.contract import FixedConfidence, Result
from conewise.errors import InputError, shown
from conewise.feedback import Observations, Pulls, Statistics
from conewise.goals import Heuristic
from conewise.models.axes import Axes, axes_of
from conewise.models.choice import Choice, choose
from conewise.models.draws import Draws, moved
from conewise.models.failures import covers, needed

DRAWS: Final = 1024
"""Joint draws: one half chooses the set, the other one judges it."""
MOST_DESIGNS: Final = 2000
_LARGEST_SEED: Final = 2**63 - 1
_FEWEST: Final = 2  # designs that must have been evaluated before an answer stands
_PATIENCE: Final = 30  # a batch is one evaluation, and one more for every so many before it


@dataclass(frozen=True, eq=False)
class _Look:
    """What the draws say after some evaluations."""

    state: Statistics
    choice: Choice
    draws: Floats
    """(B, K, N): facet values of the half that chose."""
    covariances: Floats
    """(D, K, K): of all draws, along the axes."""
    failing: float
    """The share of the other half in which the set fails."""


@dataclass(frozen=True, eq=False)
class DrawGuided(FixedConfidence):
    """Evaluates what joint draws of a model leave open, until the answer fails in at most delta of them.

    Nothing is promised: the model is fitted, by somebody else, and its draws are as good as it is. The noise must be
    normal and known.

    >>> from conewise import Cone, Question, models, noise
    >>> model = models.Draws(lambda designs, size, rng: rng.normal(size=(size, len(designs), 2)))
    >>> rule = DrawGuided(Question(Cone.orthant(2), 0.1, 0.05, noise.Gaussian(0.1)), 3, model=model)
    >>> rule.ask(rule.start())
    Pulls(1 evaluation of 1 design)

    Reference: docs/features.
    """

    model: Draws = field(kw_only=True)
    confirm: Confirm = field(default=False, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.model, Draws):
            raise InputError(f"model must be draws such as models.Draws(function), got {shown(self.model)}.")
        if self.n_designs > MOST_DESIGNS:
            raise InputError(f"draws are made of at most {MOST_DESIGNS} designs together, got {self.n_designs}.")
        object.__setattr__(self, "seed", as_count(self.seed, "seed", minimum=0, maximum=_LARGEST_SEED))
        object.__setattr__(self, "confirm", as_confirm(self.confirm))
        if self._axes.variances is None:
            raise InputError("a model that is only drawn from needs a known noise: noise=noise.Gaussian(sigma).")

    @cached_property
    def _axes(self) -> Axes:
        return axes_of(self.question.assumed, self.cone.dim, self.epsilon)

    @cached_property
    def _prior(self) -> Floats:
        """(B, K, D): draws before any evaluation of this run, along the axes."""
        rng = np.random.default_rng([self.seed, 0])
        found = self.model.of(np.arange(self.n_designs), DRAWS, self.cone.dim, rng)
        return np.asarray(found @ self._axes.directions)

    def start(self) -> Statistics:
        """Nothing observed."""
        return Statistics.empty(self.n_designs, self.cone.dim)

    def tell(self, state: Statistics, observations: Observations) -> Statistics:
        """The state with these observations."""
        return state.add(observations)

    def ask(self, state: Statistics, most: int | None = None) -> Pulls:
        """What reduces most what the answer still depends on; nothing when it fails in few enough draws."""
        limit, count = self.allowed(state, most), 1 + state.evaluations // _PATIENCE
        count = count if limit is None else min(limit, count)
        if count == 0:
            return Pulls([], [])
        look = self._look(state)
        if self._finished(look):
            return Pulls(self._unconfirmed(look)[:count])
        pairs = Contrasts.of(look.draws, look.choice, self.cone, self.epsilon, self.success)
        weight = pairs.weight @ (self.cone.facets @ self._axes.directions) ** 2
        noise = self._axes.variance_of(self.n_designs)
        views = [View(look.covariances[d], pairs, noise[:, d], weight[:, d]) for d in range(self.cone.dim)]
        return best_of([views], np.arange(self.n_designs), count)

    def _unconfirmed(self, look: _Look) -> Indices:
        return unconfirmed(self.confirm, np.flatnonzero(look.choice.inside), look.state.counts)

    def _finished(self, look: _Look) -> bool:
        return look.failing <= self.delta and int((look.state.counts > 0).sum()) >= min(_FEWEST, self.n_designs)

    def _look(self, state: Statistics) -> _Look:
        last = _MEMORY.last(self)
        if last is None or last.state is not state:
            last = self._looked(state)
            _MEMORY.keep(self, last)
        return last

    def _looked(self, state: Statistics) -> _Look:
        seen = np.flatnonzero(state.counts > 0)
        variances = self._axes.variance_of(self.n_designs)[seen] / state.counts[seen, None]
        rng = np.random.default_rng([self.seed, 1, state.evaluations])
        draws = moved(self._prior, seen, state.means[seen] @ self._axes.directions, variances, rng)
        off = draws - draws.mean(axis=0)
        covariances = np.einsum("bid,bjd->dij", off, off, optimize=True) / (len(draws) - 1)
        z = self.cone.facet_values(draws @ self._axes.directions.T)
        half = len(z) // 2
        choice = choose(z[:half], self.cone, self.epsilon, self.success)
        fails = needed(z[half:], choice.inside, self.cone, self.success) > self.epsilon
        return _Look(state, choice, z[:half], covariances, float(fails.mean()))

    def recommend(self, state: Statistics) -> Result:
        """The answer so far; a heuristic."""
        look = self._look(state)
        finished = self._finished(look)
        done = finished and not len(self._unconfirmed(look))
        returned = look.choice.inside
        why = f"the answer fails in {look.failing:.1%} of the draws at epsilon = {self.epsilon:g}"
        return Result.of(
            state,
            returned,
            Heuristic(f"it rests on {self.model.words}, fitted elsewhere: nothing is proved of them"),
            why if done else f"not finished: {why}",
            kept=returned & done,
            covered=~returned & done,
            by=self._covering(look, returned) if done else None,
            probability=look.choice.probability,
            certified={"prior": None, "every truth": None},
        )

    def _covering(self, look: _Look, returned: Bools) -> Indices:
        by = np.full(self.n_designs, -1, dtype=np.intp)
        inside, outside = np.flatnonzero(returned), np.flatnonzero(~returned)
        if len(inside) and len(outside):
            by[outside] = covers(look.draws.mean(axis=0)[None], outside, inside, self.cone)[1][0]
        return by


_MEMORY: Memory[DrawGuided, _Look] = Memory()
