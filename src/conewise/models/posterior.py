"""Compute the posterior of a prior's mixture, given statistics: weights, means, covariances and joint draws.

Everything is a function of counts and averages (and of the scatter, if the noise is unknown). It is computed afresh, in
the order of the designs. The order and the batches of observations change nothing. With n designs evaluated the weights
cost n^3 a component, and each component that is not negligible costs K n^2. K x K is never made. Objectives
that are measured one by one have data of their own each (docs/posterior, section 7).

For one component let A = L L' be the covariance of the averages, S their covariance with other designs and 1 a column
of ones. What does not depend on observed values is made of V = L^-1 S and b = L^-1 1 (`Conditioned`). Objectives with
the same noise share it, and so do all draws of a look.

The common level has a flat prior. Differences of designs have proper priors all the same, given the differences of the
averages, and no verdict depends on anything else (docs/posterior, section 2). Where an objective has a level that
designs have to meet, its common level has a proper prior too (section 12).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import Final, Protocol

import numpy as np

from conewise.border import Floats, Indices
from conewise.data.observations import Statistics
from conewise.models.axes import Axes
from conewise.models.levels import WIDTHS
from conewise.models.priors import Components, Prior

_JITTER: Final = 1e-9  # relative to the diagonal
KEPT: Final = 2**24  # numbers that are kept for the next draws of the same designs: 128 megabytes
_FAR: Final = 1e140  # the corner of a bordered matrix: its square is a number, and nothing depends on it
_AT_ONCE: Final = 128  # number of designs whose means are computed at a time; few enough for the cache


class Apart(Protocol):
    """Statistics of each objective by itself, as `certificate.streams.Separately` has them."""

    @property
    def each(self) -> tuple[Statistics, ...]: ...
    @property
    def evaluations(self) -> int: ...


Sampled = Statistics | Apart
"""What was observed: whole rows, or one objective at a time."""


@dataclass(frozen=True, eq=False)
class Data:
    """Statistics along one axis: n designs that were evaluated."""

    designs: Indices
    means: Floats  # (n,): around `origin`
    variances: Floats  # (n,): of the averages; relative to the noise where that is unknown
    scatter: float  # the sum of squares around the averages of the designs
    evaluations: int
    centre: float  # around what the common level is drawn; NaN where it is flat
    origin: float  # what averages are measured from: the centre, or 0

    @property
    def places(self) -> tuple[bytes, bytes]:
        """The measured designs and their variances: axes that agree here share all that depends on nothing else."""
        return self.designs.tobytes(), self.variances.tobytes()

    def levels(self, scale: float) -> tuple[float, ...]:
        """Return standard deviations that the common level may have beforehand, evenly weighted."""
        return (np.inf,) if np.isnan(self.centre) else tuple(scale * width for width in WIDTHS)

    @classmethod
    def of(cls, sampled: Sampled, axes: Axes) -> list[Data]:
        """Return one for each axis; single objectives need axes that are the objectives."""
        result = []
        for axis, direction in enumerate(axes.directions.T):
            whole = isinstance(sampled, Statistics)
            own = sampled if isinstance(sampled, Statistics) else sampled.each[axis]
            along = direction if whole else np.ones(1)
            seen = np.flatnonzero(own.counts > 0)
            variances = axes.variance_of(own.n_designs)[seen, axis] / own.counts[seen]
            scatter = float(along @ own.scatters[seen].sum(axis=0) @ along)
            centre = math.nan if axes.centre is None else float(axes.centre[axis])
            origin = 0.0 if math.isnan(centre) else centre
            means = own.means[seen] @ along - origin
            result.append(cls(seen, means, variances, scatter, own.evaluations, centre, origin))
        return result


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A component S = s^2 R + tau^2 I with a common level, and n designs whose averages have these variances."""

    prior: Prior
    shape: int
    size: float
    discrepancy: float
    seen: Indices  # (n,)
    variances: Floats  # (n,): of the averages; relative to the noise where that is unknown
    level: float = np.inf  # the standard deviation of the common level beforehand; infinite where that is flat

    @cached_property
    def _factored(self) -> tuple[Floats, Floats, float]:
        from scipy.linalg import cholesky, solve_triangular

        total = self.beforehand(self.seen)
        total[np.diag_indices(len(total))] += self.variances
        factor = cholesky(total, lower=True, overwrite_a=True, check_finite=False)
        b = solve_triangular(factor, np.ones(len(self.seen)), lower=True, check_finite=False)
        return factor, b, float(b @ b)

    def whitened(self, sides: Floats, *, back: bool = False) -> Floats:
        """Return L^-1 times right hand sides, (n, ...); with `back` L'^-1 times them."""
        from scipy.linalg import solve_triangular

        if not len(self.seen):
            return sides
        factor = self._factored[0]
        return np.asarray(solve_triangular(factor, sides, lower=True, trans=1 if back else 0, check_finite=False))

    @property
    def b(self) -> Floats:
        """(n,): L^-1 1"""
        return self._factored[1]

    @property
    def weight(self) -> float:
        """The precision with which the level is known: b.b, and its precision beforehand."""
        return self._factored[2] + self.level**-2

    def beforehand(self, rows: Indices, columns: Indices | None = None) -> Floats:
        """Return the covariance before any evaluation, (rows, columns), without the level."""
        others = rows if columns is None else columns
        if self.shape < 0:
            result = np.zeros((len(rows), len(others)))
        else:
            result = self.prior.correlation(self.shape, rows, others)
            result *= self.size**2
        if columns is None:
            result[np.diag_indices(len(rows))] += self.discrepancy**2
        else:
            result[_meetings(rows, others)] += self.discrepancy**2
        return result

    def reach(self, designs: Indices) -> tuple[Floats, Floats]:
        """Return V and 1 - V'b, (n, P) and (P,), all that averages tell about some designs."""
        across = self.whitened(self.beforehand(self.seen, designs))
        return across, 1 - self.b @ across

    def covariance(self, designs: Indices, reach: tuple[Floats, Floats] | None = None) -> Floats:
        """Return posterior covariances, (P, P), to be multiplied by the noise variance where that is unknown."""
        v, left = self.reach(designs) if reach is None else reach
        result = self.beforehand(designs)
        result -= v.T @ v
        if self.weight > 0:
            result += left[:, None] * (left / self.weight)[None, :]
        return result

    def variance(self, designs: Indices, reach: tuple[Floats, Floats]) -> Floats:
        """Return posterior variances, (P,)."""
        own = self.prior.diagonal(self.shape, designs) if self.shape >= 0 else 0.0
        return self._left_over(self.discrepancy**2 + self.size**2 * own, *reach)

    def difference(self, designs: Indices, reach: tuple[Floats, Floats], first: Indices, second: Indices) -> Floats:
        """Return posterior variances of differences of pairs, (Q,); `first` and `second` are places in `designs`."""
        v, left = reach
        moved, gone = v[:, first] - v[:, second], left[first] - left[second]
        first, second = designs[first], designs[second]
        own = self.prior.difference(self.shape, first, second) if self.shape >= 0 else 0.0
        return self._left_over(2 * self.discrepancy**2 * (first != second) + self.size**2 * own, moved, gone)

    def _left_over(self, beforehand: Floats | float, told: Floats, left: Floats) -> Floats:
        """Return variances after the averages, (P,), from variances beforehand and what averages tell."""
        level = left**2 / self.weight if self.weight > 0 else 0.0
        return np.asarray(np.maximum(beforehand - np.einsum("np,np->p", told, told) + level, 0.0))

    def joint(self, designs: Indices) -> Joint:
        """Compute all that draws of some designs need, in n^2 P and n P^2 operations."""
        reach = self.reach(designs)
        return Joint(reach, self.covariance(designs, reach))


class Exchangeable(Conditioned):
    """Independent designs: S = tau^2 I. L is diagonal, and so is a posterior covariance but for the level."""

    @cached_property
    def _factored(self) -> tuple[Floats, Floats, float]:
        factor = np.sqrt(self.discrepancy**2 + self.variances)
        return factor, 1 / factor, float((factor**-2.0).sum())

    def whitened(self, sides: Floats, *, back: bool = False) -> Floats:
        return np.asarray((sides.T / self._factored[0]).T)

    def joint(self, designs: Indices) -> Joint:
        v, left = reach = self.reach(designs)
        own = np.maximum(self.discrepancy**2 - np.einsum("np,np->p", v, v), 0.0)
        common = left / np.sqrt(self.weight) if self.weight > 0 else np.zeros(len(designs))
        return Joint(reach, np.diag(own) + np.outer(common, common), (own, common))


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint posterior of some designs, to be multiplied by the noise variance where that is unknown."""

    reach: tuple[Floats, Floats]
    covariance: Floats  # (P, P)
    apart: tuple[Floats, Floats] | None = None  # where only the level is common: own variances, shares of the level

    @cached_property
    def _factor(self) -> Floats:
        return factored(self.covariance)

    def deviations(self, count: int, rng: np.random.Generator) -> Floats:
        """Return joint draws around 0, (count, P)."""
        standard = rng.standard_normal((count, len(self.covariance)))
        if self.apart is None:
            return np.asarray(standard @ self._factor.T)
        own, common = self.apart
        standard *= np.sqrt(own)
        standard += rng.standard_normal((count, 1)) * common
        return standard


class Joints:
    """Store joint posteriors of the designs of a look while memory allows; this saves time and changes no result."""

    def __init__(self) -> None:
        self._designs: Indices | None = None
        self._kept: dict[Conditioned, Joint] = {}

    def of(self, known: Conditioned, designs: Indices) -> Joint:
        """Return `Conditioned.joint`; other designs than the last time empty the store."""
        if self._designs is not designs:
            self._designs, self._kept = designs, {}
        joint = self._kept.get(known)
        if joint is None:
            joint = known.joint(designs)
            numbers = joint.reach[0].size + 2 * joint.covariance.size
            if (len(self._kept) + 1) * numbers <= KEPT:
                self._kept[known] = joint
        return joint


def _meetings(rows: Indices, columns: Indices) -> tuple[Indices, Indices]:
    """Return where a design is both a row and a column; rows are different designs."""
    if not len(rows):
        return rows, rows
    order = np.argsort(rows, kind="stable")
    place = order[np.minimum(np.searchsorted(rows, columns, sorter=order), len(rows) - 1)]
    met = np.flatnonzero(rows[place] == columns)
    return np.asarray(place[met]), met


def factored(covariance: Floats) -> Floats:
    """Return a square root of a covariance, with the least jitter relative to the diagonal that mends rounding."""
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


@dataclass(frozen=True, eq=False)
class Component:
    """The posterior of one component for one objective, without its weight.

    Let A = L L' be the covariance of the averages, a = L^-1 y and b = L^-1 1. A flat level is estimated by a.b / b.b;
    where it is normal with variance v beforehand, by a.b / (b.b + 1/v).
    """

    known: Conditioned  # what does not depend on values
    data: Data
    freedom: float  # degrees of freedom of the noise; infinite where it is known
    guess: float  # what an unknown noise is guessed to be beforehand

    @cached_property
    def _solved(self) -> tuple[Floats, float]:
        """(n,): a - level b; and the level."""
        known, y = self.known, self.data.means
        if not len(y):
            return y, 0.0
        a = known.whitened(y)
        level = float(a @ known.b) / known.weight
        return a - level * known.b, level

    @cached_property
    def noise_variance(self) -> tuple[float, float]:
        """Shape and scale of the inverse gamma posterior of an unknown noise variance; infinite for a known one."""
        if np.isinf(self.freedom):
            return np.inf, np.inf
        rest, level = self._solved
        gained = max(self.data.evaluations - int(np.isinf(self.known.level)), 0)
        total = float(rest @ rest) + (level / self.known.level) ** 2 + self.data.scatter
        return (self.freedom + gained) / 2, (self.freedom * self.guess**2 + total) / 2

    @property
    def spread(self) -> float:
        """The factor of all variances: 1, or the typical variance of an unknown noise."""
        shape, scale = self.noise_variance
        return 1.0 if np.isinf(shape) else scale / shape

    def mean(self, reach: tuple[Floats, Floats]) -> Floats:
        """Return posterior means, (P,), from what averages tell about some designs (`Conditioned.reach`)."""
        rest, level = self._solved
        return np.asarray(self.data.origin + level + rest @ reach[0])

    def mean_alone(self, designs: Indices) -> Floats:
        """Return posterior means, (P,), at the cost of n P."""
        rest, level = self._solved
        result = np.full(len(designs), self.data.origin + level)
        if len(rest):
            weights = self.known.whitened(rest, back=True)
            for at in range(0, len(designs), _AT_ONCE):
                some = slice(at, at + _AT_ONCE)
                result[some] += weights @ self.known.beforehand(self.data.designs, designs[some])
        return result

    def draws(self, joint: Joint, count: int, rng: np.random.Generator) -> Floats:
        """Return joint draws of the values of some designs, (count, P)."""
        deviations = joint.deviations(count, rng)
        shape, scale = self.noise_variance
        if not np.isinf(shape):
            deviations *= np.sqrt(scale / rng.standard_gamma(shape, count))[:, None]
        return np.asarray(self.mean(joint.reach) + deviations)


@dataclass(frozen=True, eq=False)
class Mixture:
    """The posterior for one objective: components that are not negligible, and their weights."""

    components: tuple[Component, ...]
    weights: Floats  # (G,): they sum to 1
    gains: Floats  # (G,): posterior weight over prior weight
    dropped: float  # the posterior weight of all components that were left out
    log_evidence: float  # of the differences of the averages, up to what is the same for every prior

    def only(self, which: Indices) -> Mixture:
        """Return some components, as if they were all."""
        parts, weights = tuple(self.components[g] for g in which), self.weights[which]
        total = float(weights.sum())
        dropped = max(1.0 - (1.0 - self.dropped) * total, 0.0)
        return Mixture(parts, weights / total, self.gains[which], dropped, self.log_evidence)

    def heaviest(self, count: int) -> Mixture:
        """Return the heaviest components, as if they were all."""
        return self.only(np.argsort(-self.weights, kind="stable")[:count])

    def moments(self, designs: Indices, reaches: dict[Conditioned, tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
        """Return means and variances over all components, (P,) each; `reaches` keeps what objectives share."""
        means, variances = np.empty((2, len(self.components), len(designs)))
        for g, part in enumerate(self.components):
            if part.known not in reaches:
                reaches[part.known] = part.known.reach(designs)
            reach = reaches[part.known]
            means[g], variances[g] = part.mean(reach), part.spread * part.known.variance(designs, reach)
        mean = self.weights @ means
        return mean, np.asarray(self.weights @ (variances + (means - mean) ** 2))

    def draws(self, designs: Indices, count: int, rng: np.random.Generator, joints: Joints) -> Floats:
        """Return joint draws, (count, P), in random order."""
        times = rng.multinomial(count, self.weights)
        order = rng.permutation(count)
        result = np.empty((count, len(designs)))
        done = 0
        for component, share in zip(self.components, times, strict=True):
            if share:
                joint = joints.of(component.known, designs)
                result[order[done : done + share]] = component.draws(joint, int(share), rng)
                done += share
        return result


@dataclass(frozen=True, eq=False)
class Posterior:
    """One mixture an objective, along the axes."""

    axes: Axes
    mixtures: tuple[Mixture, ...]
    joints: Joints = field(default_factory=Joints, repr=False)

    @property
    def dropped(self) -> float:
        """Weight of all components that were left out, in any objective."""
        return float(sum(mixture.dropped for mixture in self.mixtures))

    @property
    def log_evidence(self) -> float:
        """Sum over all objectives; components that were left out count too."""
        return float(sum(mixture.log_evidence for mixture in self.mixtures))

    def only_plausible(self, least: float) -> Posterior:
        """Return the components with a gain of at least `least`, as if they were all."""
        some = (mixture.only(np.flatnonzero(mixture.gains >= least)) for mixture in self.mixtures)
        return Posterior(self.axes, tuple(some))

    def plausible(self, least: float) -> Iterator[Posterior]:
        """Yield a posterior for every way to take one component an objective, each with a gain of at least `least`."""
        for one in product(*(np.flatnonzero(mixture.gains >= least) for mixture in self.mixtures)):
            parts = (mixture.only(np.array([g])) for mixture, g in zip(self.mixtures, one, strict=True))
            yield Posterior(self.axes, tuple(parts), self.joints)

    def moments(self, designs: Indices) -> tuple[Floats, Floats]:
        """Return means and variances of some designs along the axes, (P, D) each."""
        reaches: dict[Conditioned, tuple[Floats, Floats]] = {}
        each = [mixture.moments(designs, reaches) for mixture in self.mixtures]
        return np.column_stack([mean for mean, _ in each]), np.column_stack([variance for _, variance in each])

    def heaviest(self, count: int) -> Posterior:
        """Return the heaviest components of each objective alone."""
        return Posterior(self.axes, tuple(mixture.heaviest(count) for mixture in self.mixtures))

    def means(self, designs: Indices) -> Floats:
        """Return posterior means of some designs in the objectives, (P, D)."""
        each = [
            mixture.weights @ np.array([part.mean_alone(designs) for part in mixture.components])
            for mixture in self.mixtures
        ]
        return np.asarray(np.column_stack(each) @ self.axes.directions.T)

    def draws(self, designs: Indices, count: int, rng: np.random.Generator) -> Floats:
        """Return joint draws of the values of some designs in the objectives, (count, P, D)."""
        parts = [mixture.draws(designs, count, rng, self.joints) for mixture in self.mixtures]
        return np.asarray(np.stack(parts, axis=2) @ self.axes.directions.T)


def posterior_of(
    prior: Prior, axes: Axes, sampled: Sampled, unit: float, drop: float, plausible: float = np.inf
) -> Posterior:
    """Compute the posterior of all observations; components that weigh `drop` together are left out of each objective.

    Components whose weight is at least `plausible` times what it was beforehand stay all the same.
    `unit` is what sizes of the prior are multiples of; where the noise is unknown they are multiples of the noise.
    """
    each = Data.of(sampled, axes)
    unknown = axes.variances is None
    scale = 1.0 if unknown else unit
    freedom = axes.freedom if unknown else np.inf
    components = prior.components
    evidence = log_evidences(prior, components, each, scale, freedom, axes.guess)

    @cache  # objectives that were measured alike, with the same noise, share what depends on that alone
    def known_as(g: int, level: float, designs: bytes, variances: bytes) -> Conditioned:
        size, discrepancy = (float(listed[g]) * scale for listed in (components.size, components.discrepancy))
        shape = int(components.shape[g])
        kind = Conditioned if shape >= 0 else Exchangeable
        seen = np.frombuffer(designs, dtype=np.intp)
        return kind(prior, shape, size, discrepancy, seen, np.frombuffer(variances), level)

    mixtures = []
    for data, found in zip(each, evidence, strict=True):
        levels = data.levels(scale)
        beforehand = np.repeat(components.log_weight, len(levels)) - np.log(len(levels))
        logs = beforehand + found.ravel()
        top = float(logs.max())
        weights = np.exp(logs - top)
        total = float(weights.sum())
        weights /= total
        order = np.argsort(weights, kind="stable")
        gains = weights / np.exp(beforehand)
        keep = np.union1d(order[np.cumsum(weights[order]) > drop], np.flatnonzero(gains >= plausible))
        kept, log_evidence = float(weights[keep].sum()), top + float(np.log(total))
        places = ((int(g) // len(levels), levels[int(g) % len(levels)]) for g in keep)
        parts = tuple(Component(known_as(*place, *data.places), data, freedom, axes.guess) for place in places)
        mixtures.append(Mixture(parts, weights[keep] / kept, gains[keep], max(0.0, 1.0 - kept), log_evidence))
    return Posterior(axes, tuple(mixtures))


def log_evidences(
    prior: Prior, components: Components, each: Sequence[Data], scale: float, freedom: float, guess: float
) -> list[Floats]:
    """Return logarithms of each component's density of the averages, for W sizes of its level: (G, W) an objective.

    A constant that all components share is left out. Where the level is flat, it is the density of the differences of
    the averages. For unknown noise it is a multivariate t, and the scatter counts as well.
    """
    levels = [data.levels(scale) for data in each]
    result = [np.zeros((len(components), len(widths))) for widths in levels]
    # Objectives that were measured alike with the same noise, and levels that are alike, share their factors.
    groups: dict[tuple[bytes, bytes, int], list[int]] = {}
    for objective, data in enumerate(each):
        if len(data.designs):
            groups.setdefault((*data.places, len(levels[objective])), []).append(objective)
    for shape in np.unique(components.shape):
        which = np.flatnonzero(components.shape == shape)
        sizes = (scale * components.size[which]) ** 2
        ridges = (scale * components.discrepancy[which]) ** 2
        correlations: dict[bytes, Floats] = {}
        for (designs, *_), objectives in groups.items():
            some = [each[objective] for objective in objectives]
            diagonal = ridges[:, None] + some[0].variances
            sides = np.column_stack([data.means for data in some])
            if shape < 0:
                solved = _apart(diagonal, sides)
            else:
                if designs not in correlations:
                    correlations[designs] = prior.correlation(int(shape), some[0].designs, some[0].designs)
                solved = _together(correlations[designs], sizes, diagonal, sides)
            found = _evidence(*solved, levels[objectives[0]], some, freedom, guess)
            for objective, density in zip(objectives, found, strict=True):
                result[objective][which] = density
    return result


def _evidence(
    half: Floats,
    weight: Floats,
    level: Floats,
    rest: Floats,
    levels: tuple[float, ...],
    some: Sequence[Data],
    freedom: float,
    guess: float,
) -> Floats:
    """Return `log_evidences` of components with one shape, for objectives that were measured alike, (O, G, W)."""
    gained, widths = some[0].evaluations, np.array(levels)
    if np.isinf(widths).all():  # differences alone have a density
        gained -= 1
        normaliser, away = np.log(weight)[:, None] / 2, np.zeros((*level.T.shape, 1))
    else:
        normaliser = np.log1p(weight[:, None] * widths**2) / 2
        away = level.T[:, :, None] ** 2 / (widths**2 + 1 / weight[:, None])
    total = rest.T[:, :, None] + away
    if np.isinf(freedom):
        return np.asarray(-half[:, None] - normaliser - total / 2)
    total = total + (freedom * guess**2 + np.array([data.scatter for data in some]))[:, None, None]
    return np.asarray(-half[:, None] - normaliser - (freedom + gained) / 2 * np.log(total))


_Solved = tuple[Floats, Floats, Floats, Floats]


def _apart(diagonal: Floats, values: Floats) -> _Solved:
    """Solve for a diagonal A: half the logarithm of the determinant and the precision b.b of the level, (G,) each.

    Also return the estimate of the level and the squares that it leaves, (G, O) each.
    """
    precise = 1 / diagonal
    weight = precise.sum(axis=1)
    levels = precise @ values / weight[:, None]
    rest = np.einsum("gn,gno->go", precise, (values - levels[:, None, :]) ** 2)
    return np.log(diagonal).sum(axis=1) / 2, weight, levels, rest


def _together(correlation: Floats, sizes: Floats, diagonal: Floats, values: Floats) -> _Solved:
    """Return what `_apart` does for A = s^2 R + diagonal, by one Cholesky factor each, bordered by the right sides."""
    n, sides = len(correlation), values.shape[1] + 1
    whole = np.empty((len(sizes), n + sides, n + sides))  # of which the lower triangle is read
    np.multiply(sizes[:, None, None], correlation, out=whole[:, :n, :n])
    whole[:, np.arange(n), np.arange(n)] += diagonal
    whole[:, n:-1, :n] = values.T
    whole[:, -1, :n] = 1.0
    whole[:, n:, n:] = 0.0
    whole[:, np.arange(n, n + sides), np.arange(n, n + sides)] = _FAR
    factor = np.linalg.cholesky(whole)
    a, b = factor[:, n:-1, :n], factor[:, -1, :n]
    weight = np.einsum("gn,gn->g", b, b)
    levels = np.einsum("gon,gn->go", a, b) / weight[:, None]
    rest = np.einsum("gon,gon->go", a, a) - levels**2 * weight[:, None]
    return np.log(np.einsum("gnn->gn", factor[:, :n, :n])).sum(axis=1), weight, levels, np.maximum(rest, 0.0)
