"""Acquisitions on joint draws of facet values, in the place of the sampling rule of `ModelGuided`.

The Pareto set under a cone is the componentwise one of W mu, so that every acquisition for several objectives is one
for any cone when it is given facet values. Published acquisitions say what to evaluate and not when to stop: here the
posterior certificate stops, which is valid for any sampling rule, so that the answer keeps its promise.
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

_STEPS: Final = 8  # decisions a batch: where it is longer, each stands for several evaluations of a design


@dataclass(frozen=True, eq=False)
class DrawnRule(ModelGuided, ABC):
    """Evaluates the design with the largest score among those that are Pareto optimal in some draw."""

    knows_levels: ClassVar[bool] = False

    @abstractmethod
    def scores(self, z: Floats, noise: Floats, candidates: Indices) -> Floats:
        """What an evaluation of each candidate is worth, for facet values (B, A, N) and noise variances (A, N)."""

    def chosen(self, look: Look, state: Checkpoints, count: int) -> Pulls:
        """The largest scores for their price, one after the other, each as if values before came out as predicted."""
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
    """(A, N): variances of one evaluation along the facets; an unknown noise has its typical size."""
    axes, mixtures = look.posterior.axes, look.posterior.mixtures
    along = axes.variance_of(int(look.designs.max()) + 1)[look.designs]
    typical = [mixture.weights @ [part.spread for part in mixture.components] for mixture in mixtures]
    return np.asarray((along * typical) @ ((facets @ axes.directions) ** 2).T)


def as_predicted(z: Floats, x: int, noise: Floats, rng: np.random.Generator) -> Floats:
    """Draws (B, A, N) as they would be if an evaluation of design x came out at its mean, facet by facet.

    Matheron's rule: every draw, with noise of its own on top, is corrected by what it saw and should have seen.
    """
    around = z - z.mean(axis=0)
    along = around[:, x]
    covariance = np.einsum("ban,bn->an", around, along) / len(z)
    seen = along + rng.standard_normal(along.shape) * np.sqrt(noise)
    gain = covariance / np.maximum(covariance[x] + noise, np.finfo(float).tiny)
    return np.asarray(z - gain * seen[:, None, :])
