"""The posterior of a prior's mixture, given statistics: weights, means, covariances and joint draws.

Everything is a function of counts and averages (and of the scatter, where the noise is unknown), worked out anew in the
order of the designs: how observations arrived, and in what batches, cannot show. With n designs evaluated the cost is
n^3 a component for the weights, and K n^2 for each component that is not negligible; K x K is never made.

The common level has a flat prior. Differences of designs have proper priors all the same, given the differences of the
averages, and no verdict looks at anything else (docs/posterior, section 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np

from conewise._arrays import Floats, Indices
from conewise.feedback import Statistics
from conewise.models.axes import Axes
from conewise.models.priors import Components, Prior

_JITTER: Final = 1e-9  # relative to the diagonal
_FAR: Final = 1e140  # the corner of a bordered matrix: its square is a number, and nothing depends on it
_NOBODY: Final = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Data:
    """Statistics along the axes: n designs that were evaluated."""

    designs: Indices
    means: Floats
    """(n, D)"""
    variances: Floats
    """(n, D): of the averages; relative to the noise where that is unknown."""
    scatter: Floats
    """(D,): sums of squares around the averages of the designs."""
    evaluations: int

    @classmethod
    def of(cls, statistics: Statistics, axes: Axes) -> Data:
        """Turned to the axes."""
        seen = np.flatnonzero(statistics.counts > 0)
        counts = statistics.counts[seen].astype(np.float64)
        variances = axes.variance_of(statistics.n_designs)[seen] / counts[:, None]
        scatters = statistics.scatters[seen].sum(axis=0)
        scatter = np.einsum("ed,ef,fd->d", axes.directions, scatters, axes.directions)
        return cls(seen, statistics.means[seen] @ axes.directions, variances, scatter, statistics.evaluations)


@dataclass(frozen=True, eq=False)
class Component:
    """The posterior of one component for one objective, without its weight.

    With A = L L' the covariance of the averages, a = L^-1 y and b = L^-1 1, the level is estimated by a.b / b.b.
    """

    prior: Prior
    shape: int
    size: float
    discrepancy: float
    data: Data
    objective: int
    freedom: float
    """Degrees of freedom of the noise; infinite where it is known."""
    guess: float
    """What an unknown noise is guessed to be beforehand."""

    @cached_property
    def _solved(self) -> tuple[Floats, Floats, Floats, float, float]:
        from scipy.linalg import cholesky, solve_triangular

        designs = self.data.designs
        factor = cholesky(self._covariance(designs, noisy=True), lower=True, check_finite=False)
        sides = np.column_stack([self.data.means[:, self.objective], np.ones(len(designs))])
        a, b = solve_triangular(factor, sides, lower=True, check_finite=False).T
        weight = float(b @ b)
        level = float(a @ b) / weight if len(designs) else 0.0
        return factor, a - level * b, b, weight, level

    def _covariance(self, rows: Indices, columns: Indices | None = None, *, noisy: bool = False) -> Floats:
        others = rows if columns is None else columns
        if self.shape < 0:
            result = np.zeros((len(rows), len(others)))
        else:
            result = self.size**2 * self.prior.correlation(self.shape, rows, others)
        if columns is None:
            diagonal = result.reshape(-1)[:: len(rows) + 1] if len(rows) else result.reshape(-1)
            diagonal += self.discrepancy**2
            if noisy:
                diagonal += self.data.variances[:, self.objective]
        else:
            result += self.discrepancy**2 * (rows[:, None] == others[None, :])
        return result

    def reach(self, designs: Indices) -> tuple[Floats, Floats]:
        """(n, P) and (P,): V = L^-1 S and 1 - V'b, all that averages say about some designs."""
        from scipy.linalg import solve_triangular

        factor, _, b, _, _ = self._solved
        across = self._covariance(self.data.designs, designs)
        v = solve_triangular(factor, across, lower=True, check_finite=False) if len(b) else across
        return v, 1 - b @ v

    @cached_property
    def noise_variance(self) -> tuple[float, float]:
        """Shape and scale of the inverse gamma posterior of an unknown noise variance; (inf, inf) of a known one."""
        if np.isinf(self.freedom):
            return np.inf, np.inf
        _, rest, _, _, _ = self._solved
        gained = max(self.data.evaluations - 1, 0)
        total = float(rest @ rest) + float(self.data.scatter[self.objective])
        return (self.freedom + gained) / 2, (self.freedom * self.guess**2 + total) / 2

    @property
    def spread(self) -> float:
        """What variances are to be multiplied by: 1, or the typical variance of an unknown noise."""
        shape, scale = self.noise_variance
        return 1.0 if np.isinf(shape) else scale / shape

    def mean(self, designs: Indices, reach: tuple[Floats, Floats] | None = None) -> Floats:
        """(P,): posterior means."""
        v, _ = self.reach(designs) if reach is None else reach
        _, rest, _, _, level = self._solved
        return np.asarray(level + rest @ v)

    def mean_alone(self, designs: Indices) -> Floats:
        """(P,): posterior means, at the cost of n P."""
        from scipy.linalg import solve_triangular

        factor, rest, b, _, level = self._solved
        if not len(b):
            return np.full(len(designs), level)
        weights = solve_triangular(factor, rest, lower=True, trans=1, check_finite=False)
        return np.asarray(level + weights @ self._covariance(self.data.designs, designs))

    def difference(self, first: Indices, second: Indices, moved: Floats, gone: Floats) -> Floats:
        """(P,): variances of differences of pairs of designs, from the differences of what `reach` says of them."""
        result = 2 * self.discrepancy**2 * (first != second)
        if self.shape >= 0:
            result = result + self.size**2 * self.prior.difference(self.shape, first, second)
        result = result - np.einsum("np,np->p", moved, moved)
        weight = self._solved[3]
        if weight > 0:
            result += gone**2 / weight
        return np.asarray(np.maximum(result, 0.0))

    def covariance(
        self, rows: Indices, columns: Indices | None = None, reaches: tuple[tuple[Floats, Floats], ...] | None = None
    ) -> Floats:
        """(P, Q): posterior covariances, to be multiplied by the noise variance where that is unknown."""
        if reaches is None:
            first = self.reach(rows)
            reaches = (first, first if columns is None else self.reach(columns))
        (v, left), (u, right) = reaches
        result = self._covariance(rows, columns)
        result -= v.T @ u
        weight = self._solved[3]
        if weight > 0:
            result += left[:, None] * (right / weight)[None, :]
        return result

    def variance(self, designs: Indices, reach: tuple[Floats, Floats]) -> Floats:
        """(P,): posterior variances alone."""
        v, left = reach
        result = np.full(len(designs), self.discrepancy**2)
        if self.shape >= 0:
            result += self.size**2 * self.prior.diagonal(self.shape, designs)
        result -= np.einsum("np,np->p", v, v)
        weight = self._solved[3]
        if weight > 0:
            result += left**2 / weight
        return np.asarray(np.maximum(result, 0.0))

    def draws(self, designs: Indices, count: int, rng: np.random.Generator) -> Floats:
        """(count, P): joint draws of the values of some designs."""
        reach = self.reach(designs)
        joint = self.covariance(designs, None, (reach, reach))
        factor = factored(joint)
        deviations = rng.standard_normal((count, len(designs))) @ factor.T
        shape, scale = self.noise_variance
        if not np.isinf(shape):
            deviations *= np.sqrt(scale / rng.standard_gamma(shape, count))[:, None]
        return np.asarray(self.mean(designs, reach) + deviations)


@dataclass(frozen=True, eq=False)
class Mixture:
    """The posterior for one objective: components that are not negligible, and their weights."""

    components: tuple[Component, ...]
    weights: Floats
    """(G,): they sum to 1."""
    gains: Floats
    """(G,): by how much the observations have changed each weight: posterior over prior."""
    dropped: float
    """The posterior weight of all components that were left out."""
    log_evidence: float
    """The logarithm of the density of the differences of the averages, up to what is the same for every prior."""

    def alone(self, which: int) -> Mixture:
        """One component, as if it were the only one."""
        return Mixture((self.components[which],), np.ones(1), self.gains[which : which + 1], 0.0, self.log_evidence)

    def draws(self, designs: Indices, count: int, rng: np.random.Generator) -> Floats:
        """(count, P): joint draws, in random order."""
        times = rng.multinomial(count, self.weights)
        order = rng.permutation(count)
        result = np.empty((count, len(designs)))
        done = 0
        for component, share in zip(self.components, times, strict=True):
            if share:
                result[order[done : done + share]] = component.draws(designs, int(share), rng)
                done += share
        return result


@dataclass(frozen=True, eq=False)
class Posterior:
    """One mixture an objective, along the axes."""

    axes: Axes
    mixtures: tuple[Mixture, ...]

    @property
    def dropped(self) -> float:
        """The weight of all that was left out, in any objective."""
        return float(sum(mixture.dropped for mixture in self.mixtures))

    def plausible(self, least: float) -> Iterator[Posterior]:
        """One posterior for every way to take a component an objective, each with a gain of at least that."""
        chosen = [[g for g in range(len(mixture.components)) if mixture.gains[g] >= least] for mixture in self.mixtures]
        for one in product(*chosen):
            yield Posterior(self.axes, tuple(mixture.alone(g) for mixture, g in zip(self.mixtures, one, strict=True)))

    def draws(self, designs: Indices, count: int, rng: np.random.Generator) -> Floats:
        """(count, P, D): joint draws of the values of some designs, in the objectives themselves."""
        parts = [mixture.draws(designs, count, rng) for mixture in self.mixtures]
        return np.asarray(np.stack(parts, axis=2) @ self.axes.directions.T)


def posterior_of(
    prior: Prior, axes: Axes, statistics: Statistics, unit: float, drop: float, plausible: float = np.inf
) -> Posterior:
    """The posterior of everything observed; components that weigh `drop` together are left out of each objective.

    Components whose weight is at least `plausible` times what it was beforehand stay all the same.
    `unit` is what sizes of the prior are multiples of; where the noise is unknown they are multiples of the noise.
    """
    data = Data.of(statistics, axes)
    unknown = axes.variances is None
    scale = 1.0 if unknown else unit
    freedom = axes.freedom if unknown else np.inf
    components = prior.components
    evidence = log_evidences(prior, components, data, scale, freedom, axes.guess)
    mixtures = []
    for objective in range(axes.dim):
        logs = components.log_weight + evidence[:, objective]
        top = float(logs.max())
        weights = np.exp(logs - top)
        total = float(weights.sum())
        weights /= total
        order = np.argsort(weights, kind="stable")
        gains = weights / np.exp(components.log_weight)
        keep = np.union1d(order[np.cumsum(weights[order]) > drop], np.flatnonzero(gains >= plausible))
        kept = float(weights[keep].sum())
        mixtures.append(
            Mixture(
                tuple(
                    Component(
                        prior,
                        int(components.shape[g]),
                        float(components.size[g]) * scale,
                        float(components.discrepancy[g]) * scale,
                        data,
                        objective,
                        freedom,
                        axes.guess,
                    )
                    for g in keep
                ),
                weights[keep] / kept,
                gains[keep],
                max(0.0, 1.0 - kept),
                top + float(np.log(total)),
            )
        )
    return Posterior(axes, tuple(mixtures))


def log_evidences(
    prior: Prior, components: Components, data: Data, scale: float, freedom: float, guess: float
) -> Floats:
    """(G, D): logarithms of each component's density of the differences of the averages.

    Up to what is the same for all of them. For unknown noise it is a multivariate t, and the scatter counts as well.
    """
    n, dim = data.means.shape
    result = np.empty((len(components), dim))
    if n == 0:
        return np.zeros_like(result)
    # Objectives with the same noise share their factors.
    groups: dict[bytes, list[int]] = {}
    for objective in range(dim):
        groups.setdefault(data.variances[:, objective].tobytes(), []).append(objective)
    everyone = data.designs
    for shape in np.unique(components.shape):
        which = np.flatnonzero(components.shape == shape)
        correlation = prior.correlation(int(shape), everyone, everyone) if shape >= 0 else np.zeros((n, n))
        sizes = (scale * components.size[which]) ** 2
        ridges = (scale * components.discrepancy[which]) ** 2
        for objectives in groups.values():
            diagonal = ridges[:, None] + data.variances[:, objectives[0]]
            result[np.ix_(which, np.array(objectives))] = _evidence(
                correlation, sizes, diagonal, data, objectives, freedom, guess
            )
    return result


def _evidence(
    correlation: Floats,
    sizes: Floats,
    diagonal: Floats,
    data: Data,
    objectives: list[int],
    freedom: float,
    guess: float,
) -> Floats:
    """(G, O): of components with one shape, by one Cholesky factor each, bordered by the right hand sides."""
    n, sides = len(correlation), len(objectives) + 1
    whole = np.zeros((len(sizes), n + sides, n + sides))
    whole[:, :n, :n] = sizes[:, None, None] * correlation
    whole[:, np.arange(n), np.arange(n)] += diagonal
    whole[:, n:-1, :n] = data.means[:, objectives].T
    whole[:, -1, :n] = 1.0
    whole[:, np.arange(n, n + sides), np.arange(n, n + sides)] = _FAR
    factor = np.linalg.cholesky(whole)
    a, b = factor[:, n:-1, :n], factor[:, -1, :n]
    weight = np.einsum("gn,gn->g", b, b)
    rest = np.einsum("gon,gon->go", a, a) - np.einsum("gon,gn->go", a, b) ** 2 / weight[:, None]
    rest = np.maximum(rest, 0.0)
    half = np.log(np.einsum("gnn->gn", factor[:, :n, :n])).sum(axis=1) + np.log(weight) / 2
    if np.isinf(freedom):
        return np.asarray(-half[:, None] - rest / 2)
    power = (freedom + data.evaluations - 1) / 2
    total = freedom * guess**2 + data.scatter[objectives] + rest
    return np.asarray(-half[:, None] - power * np.log(total))


def factored(covariance: Floats) -> Floats:
    """A square root of a covariance; rounding is mended by a jitter relative to the diagonal, as little as it takes."""
    largest = float(np.einsum("pp->p", covariance).max(initial=0.0))
    if largest <= 0:
        return np.zeros_like(covariance)
    diagonal = np.arange(len(covariance))
    jitter = _JITTER * largest
    while True:
        lifted = covariance.copy()
        lifted[diagonal, diagonal] += jitter
        try:
            return np.asarray(np.linalg.cholesky(lifted), dtype=np.float64)
        except np.linalg.LinAlgError:
            jitter *= 100
