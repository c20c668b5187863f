"""Pareto-frontier entropy search, for a cone and for noisy values.

Suzuki, Takeno, Tamura, Shitara & Karasuyama, "Multi-objective Bayesian optimization using Pareto-frontier entropy",
ICML 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from conewise.border import Floats, Indices, read_only
from conewise.cone.cone import Cone
from conewise.order.dominance import pareto_mask
from conewise.rules.published.drawn import Boxes, DrawnRule

_FRONTS: Final = 10  # draws of the front, as in the paper's experiments
_NODES: Final = 32  # imagined values of an evaluation
_LEAST: Final = 1e-12  # probabilities are not below this
_SURELY: Final = 1e-9  # of a standard deviation: what noise leaves of it at least
_WORK: Final = 2**24  # probabilities that a decision may ask for: with very many boxes fewer designs are looked at
_FEWEST: Final = 16  # ... but no fewer than these, the designs known least
_ENTRIES: Final = 2**20  # numbers in a temporary array


@dataclass(frozen=True, eq=False)
class FrontierEntropy(DrawnRule):
    """Evaluate the design whose value has most information about the Pareto front, in facet values W mu.

    Given a front F, a design has the values of its posterior that F allows: none of them above F. The information of an
    evaluation y is the average over drawn fronts of the divergence of y given F from y. By so much the entropy of y
    falls on average when F is known. The paper computes it for values without noise. In a finite set designs are
    evaluated again, and the information of a noiseless value does not shrink when the value is well known. So here y
    is the noisy value, and its divergence is a sum over imagined values. Facet values of a design count as independent
    of each other, as the objectives of the paper do, and their posterior as normal.

    The certificate of `ModelGuided` stops the rule and makes its promise, on average over the prior. The rule looks for
    the front and not for what the certificate lacks: give `max_evaluations`.
    """

    def scores(self, z: Floats, noise: Floats, candidates: Indices) -> Floats:
        orthant, dim = Cone.orthant(z.shape[2]), z.shape[2]
        fronts = [Boxes.above(one[pareto_mask(one, orthant)], np.full(dim, -np.inf)) for one in z[:_FRONTS]]
        each = _NODES * sum(front.low.size for front in fronts)
        known_least = np.argsort(-z[:, candidates].var(axis=0).sum(axis=1), kind="stable")
        asked = known_least[: max(_FEWEST, _WORK // each)]
        some, scores = z[:, candidates[asked]], np.zeros(len(candidates))
        moments = some.mean(axis=0), some.std(axis=0)
        scores[asked] = np.mean([information(*moments, noise[candidates[asked]], front) for front in fronts], axis=0)
        return scores


def information(means: Floats, deviations: Floats, noise: Floats, beyond: Boxes) -> Floats:
    """Return (C,): the divergence of noisy values given that the true values are not beyond a front, in nats.

    With t the imagined value in its own standard deviations, g(t) is the probability that the front allows the value
    given t, over that probability without t. The divergence is the average of g log g over normal t.
    """
    from scipy.special import ndtr

    nodes = normal_nodes(means.shape[1])
    total = np.sqrt(deviations**2 + noise)
    share = np.divide(deviations, total, out=np.zeros_like(total), where=total > 0)
    left = np.maximum(np.sqrt(1 - share**2), _SURELY) * np.maximum(deviations, np.finfo(float).tiny)
    result = np.empty(len(means))
    step = max(1, _ENTRIES // max(1, len(nodes) * beyond.low.size))
    for at in range(0, len(means), step):
        part = slice(at, at + step)
        middle = means[part, None, :] + (deviations * share)[part, None, :] * nodes  # (c, J, N)
        scale = left[part, None, None, :]
        upper = ndtr((beyond.high - middle[:, :, None, :]) / scale)
        lower = ndtr((beyond.low - middle[:, :, None, :]) / scale)
        allowed = np.maximum(1 - (upper - lower).prod(axis=3).sum(axis=2), _LEAST)
        g = allowed / allowed.mean(axis=1, keepdims=True)
        result[part] = (g * np.log(g)).mean(axis=1)
    return result


@lru_cache
def normal_nodes(dim: int) -> Floats:
    """Return (J, N): points that fill a normal distribution evenly, always the same points."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    points = qmc.Sobol(dim, scramble=True, seed=np.random.default_rng(0)).random(_NODES)
    return read_only(np.asarray(ndtri(points)))
