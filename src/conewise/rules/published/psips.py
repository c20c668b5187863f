"""Posterior sampling in the sampling rule and in the stopping rule: PSIPS, for a cone.

Kone, Jourdan & Kaufmann, "Pareto set identification with posterior sampling", AISTATS 2025.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from conewise.border import Bools, Floats, as_count
from conewise.cone.cone import Cone
from conewise.data.observations import Pulls, Statistics
from conewise.limits import LARGEST_SEED
from conewise.noise import Gaussian
from conewise.order.dominance import pareto_mask
from conewise.rules.contract import Result, as_answered
from conewise.rules.published.common import Sequential
from conewise.rules.published.hedge import ada_hedge

_NUMBERS_AT_ONCE: Final = 2**18
_FIRST: Final = 32  # draws in the first batch: while much is open, a few of them are rejected


@dataclass(frozen=True, eq=False)
class PosteriorSampling(Sequential):
    """Draw means from an inflated posterior; evaluate the designs that separate rejected draws from the averages.

    With t evaluations in all, a draw is N(mu^_i, c S / T_i) for each design, c = 1 + log(max(log t, 1)) / log(1/delta).
    A draw is compatible with the empirical Pareto set P when P succeeds for it. For epsilon = 0 P is its Pareto set;
    else P covers its designs within epsilon, and no member has Delta* above epsilon. The rule stops when
    ceil(log(t / delta) / log(1 / (1 - delta))) draws in a row are compatible, and returns P.

    Until then a learner (AdaHedge; de Rooij et al. 2014) plays against the rejected draws, in which design i gains
    |draw_i - mu^_i|^2 / 2 in units of S. Its weights, mixed with a share 1 / sqrt(t) for all designs, are the
    probabilities of the next evaluation. The learner of the paper keeps past rounds. This one starts again on the
    present draws, from a generator made of `seed` and t, so that the rule is a function of its state.

    Optimality is proven only as delta tends to 0, so the answer is always heuristic. Noise that is not normal is drawn
    as normal with its largest scale. `growth` = g draws about g t designs from the same weights in one batch.
    """

    seed: int = field(default=0, kw_only=True)

    source: ClassVar[str] = "Kone, Jourdan & Kaufmann 2025"
    premises = "posterior sampling is proven only asymptotically: it stops without a bound on the error for this delta"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon > 0:
            as_answered(self.question, ("cover",), type(self).__name__)
        object.__setattr__(self, "seed", as_count(self.seed, "seed", minimum=0, maximum=LARGEST_SEED))

    def choose(self, state: Statistics, limit: int | None) -> Pulls:
        gains, rng = self._rejected(state)
        if not len(gains):
            return Pulls([], [])
        explore = 1 / math.sqrt(state.evaluations)
        weights = (1 - explore) * ada_hedge(gains) + explore / self.n_designs
        total = int(self.batch(state.evaluations, limit))  # a smaller draw, not the first designs of a large one
        return Pulls.each(rng.multinomial(total, weights / weights.sum()))

    def recommend(self, state: Statistics) -> Result:
        if (state.counts == 0).any():
            return self.answer(state, nothing := np.zeros(self.n_designs, dtype=bool), nothing)
        front, settled = pareto_mask(state.means, self.cone), not len(self._rejected(state)[0])
        return self.answer(state, front & settled, ~front & settled)

    def draws_in_a_row(self, evaluations: int) -> int:
        """Return how many compatible draws in a row end the run: ceil(log(t / delta) / log(1 / (1 - delta)))."""
        return math.ceil(math.log(evaluations / self.delta) / -math.log1p(-self.delta))

    @cached_property
    def _roots(self) -> Floats:
        """Square roots of S, the covariance of one evaluation: (1, D, D), or (K, D, D) if designs differ."""
        dim = self.cone.dim
        if not isinstance(self.noise, Gaussian):
            return np.asarray(self.noise.largest_scale(dim) * np.eye(dim)[None])
        values, vectors = np.linalg.eigh(self.noise.covariance(dim).reshape(-1, dim, dim))
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])

    def _rejected(self, state: Statistics) -> tuple[Floats, np.random.Generator]:
        """Return (R, K): the evidence of each design against the rejected draws; R = 0 if enough are compatible."""
        front, rng = pareto_mask(state.means, self.cone), np.random.default_rng([self.seed, state.evaluations])
        dim, k, row = self.cone.dim, self.n_designs, self.draws_in_a_row(state.evaluations)
        inflation = 1 + math.log(max(math.log(state.evaluations), 1.0)) / math.log(1 / self.delta)  # c(t, delta)
        spread = self.radius_scale * np.sqrt(inflation / state.counts)
        most = max(1, _NUMBERS_AT_ONCE // (k * (dim + int(front.sum()) * len(self.cone.facets))))
        size, done = _FIRST, 0
        while done < row:
            size = min(size, row - done, most)
            errors = rng.standard_normal((size, k, dim))
            shifts = spread[:, None] * (self._roots @ errors[..., None])[..., 0]
            z = self.cone.facet_values((state.means + shifts).reshape(-1, dim)).reshape(size, k, -1)
            wrong = ~self.compatible(z, front)
            if wrong.any():
                return (spread * np.linalg.norm(errors[wrong], axis=2)) ** 2 / 2, rng
            done, size = done + size, 2 * size
        return np.empty((0, k)), rng

    def compatible(self, z: Floats, chosen: Bools) -> Bools:
        """Return (B,): whether the chosen designs succeed for each draw, given by facet values of shape (B, K, N)."""
        if self.epsilon == 0:
            orthant = Cone.orthant(z.shape[2])
            return np.array([np.array_equal(pareto_mask(draw, orthant), chosen) for draw in z])
        inside, others = z[:, chosen], z[:, ~chosen]
        # Delta* <= epsilon on the chosen: against every design some facet gains at most epsilon alpha.
        clear = np.ones((len(z), inside.shape[1], z.shape[1]), dtype=bool)
        for n, width in enumerate(self.cone.widths):
            clear &= z[:, None, :, n] - inside[:, :, None, n] > self.epsilon * width
        # Every other design is covered within epsilon: true if it is of the Pareto designs, which cover the others.
        deficit = np.maximum(others[:, :, None] - inside[:, None], 0.0)
        close = deficit.max(axis=3) <= self.epsilon
        close[close] = self.cone.lift_norms(np.ascontiguousarray(deficit[close].T), non_negative=True) <= self.epsilon
        return np.asarray(~clear.any(axis=(1, 2)) & close.any(axis=2).all(axis=1))
