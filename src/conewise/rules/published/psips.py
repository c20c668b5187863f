"""Posterior sampling in the sampling rule and in the stopping rule: PSIPS, for a cone.

Kone, Jourdan & Kaufmann, "Pareto set identification with posterior sampling", AISTATS 2025.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from conewise._limits import LARGEST_SEED
from conewise.border import Bools, Floats, Indices, as_count
from conewise.data.observations import Counts, Statistics
from conewise.noise import Gaussian
from conewise.order.dominance import pareto_mask
from conewise.rules.contract import Result, as_answered
from conewise.rules.published.common import Sequential

_NUMBERS_AT_ONCE: Final = 2**18
_FIRST: Final = 32  # draws in the first batch: while much is open, a few of them are rejected
_REASON = "posterior sampling is proven only asymptotically: it stops without a bound on the error for this delta"


@dataclass(frozen=True, eq=False)
class PosteriorSampling(Sequential):
    """Draw means from an inflated posterior; evaluate what tells the rejected draws from the averages.

    With t evaluations in all, a draw is N(mu^_i, c S / T_i) for each design, c = 1 + log(max(log t, 1)) / log(1/delta).
    It is compatible with the empirical Pareto set P when P succeeds for it: for epsilon = 0 when P is its Pareto set,
    else when P covers its designs within epsilon and has none with Delta* above it. The rule stops when
    ceil(log(t / delta) / log(1 / (1 - delta))) draws in a row are compatible, and returns P.

    Otherwise the rejected draws are what the averages must be told from: an online learner (AdaHedge; de Rooij et al.
    2014) gains T_i-free evidence |draw_i - mu^_i|^2 / 2, in units of S, from each design, and its weights,
    mixed with a share 1 / sqrt(t) for everyone, say whom to evaluate. The paper's learner remembers all past rounds;
    this one is run anew on the draws of the moment, so that the rule is a function of its state: the draws come from
    a generator made of `seed` and the number of evaluations.

    c, the number of draws and the exploration are the paper's choices; what is proven is optimality as delta tends to
    0, so the answer is always heuristic. Bounded and norm-subgaussian noise is drawn as normal with its largest scale.
    `growth` = g draws about g t designs from the same weights in one batch.
    """

    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon > 0:
            as_answered(self.success, ("cover",), type(self).__name__)
        object.__setattr__(self, "seed", as_count(self.seed, "seed", minimum=0, maximum=LARGEST_SEED))

    def choose(self, state: Statistics, limit: int | None) -> tuple[Indices, Counts]:
        """Designs drawn from the learner's weights."""
        rng = np.random.default_rng([self.seed, state.evaluations])
        gains = self._rejected(state, rng)
        if not len(gains):
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
        explore = 1 / math.sqrt(state.evaluations)
        weights = (1 - explore) * learned_weights(gains) + explore / self.n_designs
        total = int(self.batch(state.evaluations))
        if limit is not None:  # a smaller draw, not the first designs of a large one
            total = min(total, limit)
        times = rng.multinomial(total, weights / weights.sum())
        designs = np.flatnonzero(times)
        return designs, times[designs]

    def recommend(self, state: Statistics) -> Result:
        """The empirical Pareto set; its designs are undecided until the rule stops."""
        settled = False
        front = np.zeros(self.n_designs, dtype=bool)
        if (state.counts > 0).all():
            front = pareto_mask(state.means, self.cone)
            settled = not len(self._rejected(state, np.random.default_rng([self.seed, state.evaluations])))
        return self.answer(state, front & settled, ~front & settled, "", _REASON)

    def draws_in_a_row(self, evaluations: int) -> int:
        """How many compatible draws end the run."""
        return math.ceil(math.log(evaluations / self.delta) / -math.log1p(-self.delta))

    @cached_property
    def _roots(self) -> Floats:
        """Square roots of the covariance of one evaluation, (1, D, D) or (K, D, D)."""
        dim = self.cone.dim
        if not isinstance(self.noise, Gaussian):
            return np.asarray(self.noise.largest_scale(dim) * np.eye(dim)[None])
        values, vectors = np.linalg.eigh(self.noise.covariance(dim).reshape(-1, dim, dim))
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])

    def _rejected(self, state: Statistics, rng: np.random.Generator) -> Floats:
        """(R, K): the evidence of each design against the rejected draws; R = 0 when enough in a row are compatible."""
        front = pareto_mask(state.means, self.cone)
        total, dim, k = state.evaluations, self.cone.dim, self.n_designs
        inflation = 1 + math.log(max(math.log(total), 1.0)) / math.log(1 / self.delta)
        spread = self.radius_scale * np.sqrt(inflation / state.counts)
        row = self.draws_in_a_row(total)
        most = max(1, _NUMBERS_AT_ONCE // (k * (dim + int(front.sum()) * len(self.cone.facets))))
        size, done = _FIRST, 0
        while done < row:
            size = min(size, row - done, most)
            errors = rng.standard_normal((size, k, dim))
            shifts = spread[:, None] * (self._roots @ errors[..., None])[..., 0]
            z = self.cone.facet_values((state.means + shifts).reshape(-1, dim)).reshape(size, k, -1)
            wrong = ~self.compatible(z, front)
            if wrong.any():
                return np.asarray((spread * np.linalg.norm(errors[wrong], axis=2)) ** 2 / 2)
            done, size = done + size, 2 * size
        return np.empty((0, k))

    def compatible(self, z: Floats, chosen: Bools) -> Bools:
        """(B,): whether the chosen designs succeed for each draw, given by facet values of shape (B, K, N)."""
        inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        shape = (len(z), len(inside), z.shape[1])
        if self.epsilon == 0:
            weakly, strongly = np.ones(shape, dtype=bool), np.zeros(shape, dtype=bool)
            above = np.ones((len(z), len(outside), len(inside)), dtype=bool)
            equal = np.ones_like(above)
            for n in range(z.shape[2]):
                mine, all_ = z[:, inside, n], z[:, :, n]
                weakly &= all_[:, None, :] >= mine[:, :, None]
                strongly |= all_[:, None, :] > mine[:, :, None]
                above &= mine[:, None, :] >= z[:, outside, n][:, :, None]
                equal &= mine[:, None, :] == z[:, outside, n][:, :, None]
            none_better = ~(weakly & strongly).any(axis=(1, 2))
            dominated = np.any(above & ~equal, axis=2)
            return np.asarray(none_better & np.all(dominated, axis=1))
        # Delta* <= epsilon on the chosen: against everyone some facet gains at most epsilon alpha.
        clear = np.ones(shape, dtype=bool)
        for n, width in enumerate(self.cone.widths):
            clear &= z[:, None, :, n] - z[:, inside, n][:, :, None] > self.epsilon * width
        good = ~clear.any(axis=(1, 2))
        # Every other design covered within epsilon: enough for the draw's Pareto designs, and no more than that,
        # since whatever covers a design covers what it dominates.
        deficit = np.maximum(z[:, outside][:, :, None] - z[:, inside][:, None], 0.0)
        close = deficit.max(axis=3) <= self.epsilon if deficit.size else np.zeros(deficit.shape[:3], dtype=bool)
        where = np.nonzero(close)
        reach = self.cone.lift_norms(np.ascontiguousarray(deficit[where].T), non_negative=True)
        close[where] = reach <= self.epsilon
        covered = np.any(close, axis=2)
        return np.asarray(good & np.all(covered, axis=1))


def learned_weights(gains: Floats) -> Floats:
    """(K,): what AdaHedge would play after these gains, (R, K), one row a round; its regret needs no rate to be tuned.

    >>> learned_weights(np.array([[1.0, 0.0], [1.0, 0.0]])).round(2).tolist()
    [0.92, 0.08]
    """
    losses = np.zeros(gains.shape[1])
    mixability = 0.0
    for gain in gains:
        rate = math.log(len(losses)) / mixability if mixability > 0 else math.inf
        weights = _exponential(losses, rate)
        loss = float(weights @ -gain)
        if math.isinf(rate):
            mixed = float(-gain[losses == losses.min()].max())
        else:
            lowest = float((losses - gain).min())
            after = np.exp(-rate * (losses - gain - lowest)).sum()
            before = np.exp(-rate * (losses - losses.min())).sum()
            mixed = lowest - float(losses.min()) - math.log(after / before) / rate
        mixability += max(0.0, loss - mixed)
        losses = losses - gain
    return _exponential(losses, math.log(len(losses)) / mixability if mixability > 0 else math.inf)


def _exponential(losses: Floats, rate: float) -> Floats:
    """Weights proportional to exp(-rate * losses); the smallest losses alone for an infinite rate."""
    least = losses - losses.min()
    weights = (least == 0).astype(np.float64) if math.isinf(rate) else np.exp(-rate * least)
    return np.asarray(weights / weights.sum())
