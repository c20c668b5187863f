"""Acquisitions on joint draws of facet values, in the place of the sampling rule of `ModelGuided`.

The Pareto set under a cone is the componentwise one of W mu. So every acquisition for several objectives serves any
cone when it gets facet values. Published acquisitions choose what to evaluate and not when to stop. Here the posterior
certificate stops: it is valid for any sampling rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.history import Checkpoints
from conewise.data.observations import Pulls
from conewise.models.certificate import Look
from conewise.rules.modelled import ModelGuided

_ENTRIES: Final = 2**18  # numbers in a temporary array
_STEPS: Final = 8  # decisions a batch: where it is longer, each stands for several evaluations of a design


@dataclass(frozen=True, eq=False)
class DrawnRule(ModelGuided, ABC):
    """Evaluate the design with the largest score among the designs that are Pareto optimal in some draw."""

    knows_levels: ClassVar[bool] = False

    @abstractmethod
    def scores(self, z: Floats, noise: Floats, candidates: Indices) -> Floats:
        """Return the value of evaluating each candidate, given facet values (B, A, N) and noise variances (A, N)."""

    def chosen(self, look: Look, state: Checkpoints, count: int) -> Pulls:
        """Choose the largest scores for their price one by one, each as if earlier values came out as predicted."""
        rng = np.random.default_rng([self.seed, state.evaluations, len(look.draws)])
        z, noise = look.draws, facet_noise(look, self.cone.facets)
        candidates = np.flatnonzero(look.choice.probability > 0)
        price = np.ones(len(candidates)) if self.prices is None else np.asarray(self.prices)[look.designs[candidates]]
        times = np.zeros(len(look.designs), dtype=np.int64)
        each = -(-count // _STEPS)
        while count > 0:
            worth = self.scores(z, noise, candidates)
            if not worth.max() > 0:  # nothing to gain that draws can tell: what is known least
                worth = z[:, candidates].var(axis=0).sum(axis=1)
            x, some = int(candidates[(worth / price).argmax()]), min(each, count)
            times[x] += some
            count -= some
            if count:
                z = as_predicted(z, x, noise[x] / some, rng)
        taken = np.flatnonzero(times)
        return Pulls(look.designs[taken], times[taken])


def facet_noise(look: Look, facets: Floats) -> Floats:
    """Return (A, N): variances of one evaluation along the facets; an unknown noise has its typical size."""
    axes, mixtures = look.posterior.axes, look.posterior.mixtures
    along = axes.variance_of(int(look.designs.max()) + 1)[look.designs]
    typical = [mixture.weights @ [part.spread for part in mixture.components] for mixture in mixtures]
    return np.asarray((along * typical) @ ((facets @ axes.directions) ** 2).T)


def as_predicted(z: Floats, x: int, noise: Floats, rng: np.random.Generator) -> Floats:
    """Return the draws (B, A, N) after an imagined evaluation of design x at its mean, facet by facet.

    By Matheron's rule every draw is corrected by the difference between its own noisy value of x and the mean.
    """
    around = z - z.mean(axis=0)
    along = around[:, x]
    covariance = np.einsum("ban,bn->an", around, along) / len(z)
    seen = along + rng.standard_normal(along.shape) * np.sqrt(noise)
    gain = covariance / np.maximum(covariance[x] + noise, np.finfo(float).tiny)
    return np.asarray(z - gain * seen[:, None, :])


@dataclass(frozen=True, eq=False)
class Boxes:
    """Disjoint boxes low <= z < high.

    Lacour, Klamroth & Fonseca, "A box decomposition algorithm to compute the hypervolume indicator", Computers &
    Operations Research 79, 2017. Each of N defining points gives a box one coordinate of its lower corner.
    """

    low: Floats
    """(M, N)"""
    high: Floats
    """(M, N): infinite where a box has no bound."""

    @classmethod
    def above(cls, points: Floats, reference: Floats) -> Boxes:
        """Return the boxes above the reference that no point dominates; larger is better.

        >>> Boxes.above(np.array([[1.0, 2.0]]), np.zeros(2)).low.tolist()
        [[1.0, 0.0], [0.0, 2.0]]
        """
        dim = len(reference)
        corners = np.array(reference, dtype=np.float64)[None]
        # defining[m, k]: the point that bounds box m in coordinate k; at first imagined ones, infinitely good elsewhere
        defining = np.full((1, dim, dim), np.inf)
        defining[0, np.arange(dim), np.arange(dim)] = reference
        others = ~np.eye(dim, dtype=bool)
        for point in points:
            inside = (corners < point).all(axis=1)
            if not inside.any():
                continue
            split, bounds = corners[inside], defining[inside]
            lows, defines = [corners[~inside]], [defining[~inside]]
            for j in range(dim):
                nearest = bounds[:, others[j], j].min(axis=1, initial=np.inf)
                keep = point[j] <= nearest
                low, by = split[keep].copy(), bounds[keep].copy()
                low[:, j], by[:, j] = point[j], point
                lows.append(low)
                defines.append(by)
            corners, defining = np.concatenate(lows), np.concatenate(defines)
        high = np.full(corners.shape, np.inf)
        for j in range(1, dim):
            high[:, j] = defining[:, :j, j].min(axis=1)
        full = (corners < high).all(axis=1)
        return cls(corners[full], high[full])

    def gained(self, points: Floats) -> Floats:
        """Return (P,): the volume that each point would add to the part dominated by the front above the reference."""
        result = np.zeros(len(points))
        step = max(1, _ENTRIES // max(1, self.low.size))
        for at in range(0, len(points), step):
            some = points[at : at + step, None, :]
            result[at : at + step] = np.maximum(np.minimum(some, self.high) - self.low, 0.0).prod(axis=2).sum(axis=1)
        return result
