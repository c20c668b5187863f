"""VOPy's rules with Gaussian processes, replayed: the same decisions from closed forms, in milliseconds a round.

VOPy (0.2.0) fits its kernels to the noise-free values of all designs, the noise being held fixed, starts with one of
these values, and then judges rectangles by linear programmes. Here the fit is that of the same likelihood (and prior of
the length scales), and rectangles are compared as `conewise.rules.published.rectangles` compares them. Fitted
parameters come from another optimiser, so that a replayed run is not the same run, only one of the same rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize

import conewise as cw
from conewise.rules.published.rectangles import discarded_by, may_exceed

ORTHANT = cw.Cone.orthant(2)


def squared_exponential(features: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    scaled = features / lengths
    square = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
    return np.asarray(np.exp(-square / 2))


def fitted(features: np.ndarray, values: np.ndarray, noise: float, *, prior: bool) -> np.ndarray:
    """(K D, K D): the covariance R x B, of all designs and objectives, that makes the values most likely.

    One squared exponential R for all objectives, B = F F' + diag(v); `prior`: length scales are Gamma(3, rate 6).
    """
    dim, h = values.shape[1], features.shape[1]

    def parts(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        lengths, factor = np.exp(theta[:h]), theta[h : h + dim * dim].reshape(dim, dim)
        return lengths, factor @ factor.T + np.diag(np.exp(theta[h + dim * dim :])), factor

    def loss(theta: np.ndarray) -> float:
        lengths, between, _ = parts(theta)
        spread, directions = eigh(squared_exponential(features, lengths))
        along, turn = eigh(between)
        variances = np.maximum(spread, 0.0)[:, None] * along + noise
        found = float((np.log(variances) + (directions.T @ values @ turn) ** 2 / variances).sum() / 2)
        return found - float((2 * np.log(lengths) - 6 * lengths).sum() if prior else 0.0)

    start = np.concatenate([np.full(h, math.log(0.7)), 0.7 * np.eye(dim).ravel(), np.full(dim, math.log(0.1))])
    best = minimize(loss, start, method="L-BFGS-B", bounds=[(-6.0, 6.0)] * len(start))
    lengths, between, _ = parts(best.x)
    return np.kron(squared_exponential(features, lengths), between)


def fitted_apart(features: np.ndarray, values: np.ndarray, noise: float) -> np.ndarray:
    """The same with a kernel for each objective, independent of each other."""
    k, dim = values.shape
    whole = np.zeros((k, dim, k, dim))
    for d in range(dim):
        whole[:, d, :, d] = fitted(features, values[:, d : d + 1], noise, prior=False)
    return whole.reshape(k * dim, k * dim)


@dataclass(frozen=True)
class Replay:
    """A table, and how its values are believed to vary."""

    means: np.ndarray
    features: np.ndarray
    noise: float
    epsilon: float
    delta: float

    @cached_property
    def correlated(self) -> np.ndarray:
        return fitted(self.features, self.means, self.noise, prior=True)

    @cached_property
    def apart(self) -> np.ndarray:
        return fitted_apart(self.features, self.means, self.noise)

    def vogp(self, contraction: float, seed: int, most: int) -> tuple[int, np.ndarray, bool]:
        """Evaluations, the mask of the returned and whether it ended; contraction 32 is VOPy's default, 1 is proven."""
        belief, rng = Belief(self, self.correlated, seed), np.random.default_rng([seed, 1])
        k, dim = self.means.shape
        open_, accepted = np.ones(k, dtype=bool), np.zeros(k, dtype=bool)
        depth = self.epsilon * ORTHANT.centre
        while open_.any() and belief.evaluations < most:
            log = math.log(dim * k * math.pi**2 * belief.evaluations**2 / (3 * self.delta))
            low, high = belief.rectangles(math.sqrt(2 * log / contraction))
            active = np.flatnonzero(open_ | accepted)
            by = discarded_by(low[active], high[active], depth, dim)
            open_[active[by >= 0]] = False
            active = np.flatnonzero(open_ | accepted)
            fine = ~may_exceed(high[active], low[active], depth).any(axis=1)
            accepted[active[fine]] = True
            open_ &= ~accepted
            if open_.any():
                belief.evaluate(int(active[belief.variances[active].sum(axis=1).argmax()]), rng)
        return belief.evaluations, accepted, not open_.any()

    def paveba(self, contraction: float | None, seed: int, most: int) -> tuple[int, np.ndarray, bool]:
        """The same for PaVeBa-GP; a contraction divides alpha_t as VOPy does, None takes its root as the proof does."""
        belief, rng = Belief(self, self.apart, seed), np.random.default_rng([seed, 1])
        k, dim = self.means.shape
        open_, accepted, useful = np.ones(k, dtype=bool), np.zeros(k, dtype=bool), np.zeros(k, dtype=bool)
        depth, t = np.full(dim, self.epsilon), 0
        while open_.any() and belief.evaluations < most:
            t += 1
            active = np.flatnonzero(open_ | useful)
            belief.evaluate(int(active[belief.variances[active].sum(axis=1).argmax()]), rng)
            alpha = 8 * dim * math.log(6) + 4 * math.log(math.pi**2 * t**2 * k / (6 * self.delta))
            low, high = belief.rectangles(math.sqrt(alpha) if contraction is None else alpha / contraction)
            beaten = (low[active][None] >= high[active][:, None]).all(axis=2)
            np.fill_diagonal(beaten, False)
            open_[active[beaten.any(axis=1)]] = False
            active = np.flatnonzero(open_ | useful)
            fine = active[~may_exceed(high[active], low[active], depth).any(axis=1)]
            accepted[fine[open_[fine]]] = True
            open_ &= ~accepted
            near = (high[:, None] >= (low + depth)[open_][None]).all(axis=2).any(axis=1)
            useful = accepted & near
        return belief.evaluations, accepted, not open_.any()


class Belief:
    """Means and covariances of all designs and objectives, one evaluation after the other."""

    def __init__(self, table: Replay, covariance: np.ndarray, seed: int) -> None:
        self._table, self._covariance = table, covariance.copy()
        self.means = np.zeros(table.means.shape)
        self.evaluations = 1
        first = int(np.random.default_rng([seed, 0]).integers(len(table.means)))
        self._told(first, table.means[first])  # the first value comes without noise, and counts all the same

    def evaluate(self, design: int, rng: np.random.Generator) -> None:
        truth = self._table.means[design]
        self.evaluations += 1
        self._told(design, truth + math.sqrt(self._table.noise) * rng.standard_normal(len(truth)))

    def _told(self, design: int, values: np.ndarray) -> None:
        dim = len(values)
        own = slice(design * dim, (design + 1) * dim)
        across = self._covariance[:, own]
        gain = np.linalg.solve(across[own] + self._table.noise * np.eye(dim), across.T).T
        self.means += (gain @ (values - self.means[design])).reshape(self.means.shape)
        self._covariance -= gain @ across.T

    @property
    def variances(self) -> np.ndarray:
        return np.maximum(np.diag(self._covariance), 0.0).reshape(self.means.shape)

    def rectangles(self, radius: float) -> tuple[np.ndarray, np.ndarray]:
        half = radius * np.sqrt(self.variances)
        return self.means - half, self.means + half
