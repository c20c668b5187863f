"""Draw weightings from their posterior given answers that may be wrong, and weaken answers accordingly.

A weighting w >= 0 with sum 1 prefers a to b when w.(a - b) > 0. The prior is uniform. An answer has probability `trust`
under a weighting that agrees with the answer, and 1 - `trust` under any other weighting (docs/preferences).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Floats

DRAWS: Final = 4000
"""Number of weightings in a sample."""
_MOVES: Final = 8  # Metropolis steps of each draw after a resampling
_ENOUGH: Final = 0.5  # resample if the effective sample size falls below this share of the draws


def draws(certain: Floats, choices: Floats, trust: float, seed: int = 0) -> tuple[Floats, Floats]:
    """Return weightings (M, D) and their weights (M,), from the posterior given statements.

    Weightings obey the `certain` rays (c, D) exactly and the `choices` (m, D) with probability `trust` each. Answers
    are added one by one. When too few draws fit, they are resampled and moved by Metropolis steps, which keep the
    distribution.
    """
    rng = np.random.default_rng([seed, len(choices), len(certain)])
    points = _fitting(certain, choices.shape[1], rng)
    weights = np.full(len(points), 1 / len(points))
    ratio = trust / (1 - trust) if trust < 1 else np.inf
    for m, ray in enumerate(choices):
        weights = weights * np.where(points @ ray > 0, 1.0, 1 / ratio)
        weights /= weights.sum()
        if 1 / (weights**2).sum() < _ENOUGH * len(points):
            points = points[rng.choice(len(points), len(points), p=weights)]
            points = _moved(points, certain, choices[: m + 1], ratio, rng)
            weights = np.full(len(points), 1 / len(points))
    return points, weights


def _fitting(certain: Floats, dim: int, rng: np.random.Generator) -> Floats:
    """Return weightings drawn uniformly from those that obey the certain rays, added one by one."""
    points = rng.dirichlet(np.ones(dim), DRAWS)
    for m, ray in enumerate(certain):
        fits = points @ ray >= 0
        if not fits.any():  # a thin region: the steps below start from the draw nearest to it
            fits = points @ ray >= (points @ ray).max()
        points = points[rng.choice(np.flatnonzero(fits), DRAWS)]
        points = _moved(points, certain[: m + 1], certain[:0], 1.0, rng)
    return points


def _moved(points: Floats, certain: Floats, choices: Floats, ratio: float, rng: np.random.Generator) -> Floats:
    """Return the draws after some Metropolis steps along differences of other draws. The distribution is unchanged."""
    wrong = (points @ choices.T <= 0).sum(axis=1)
    for _ in range(_MOVES):
        one, two = points[rng.permutation(len(points))], points[rng.permutation(len(points))]
        moved = points + rng.normal(size=(len(points), 1)) * (one - two)
        allowed = (moved >= 0).all(axis=1) & (moved @ certain.T >= 0).all(axis=1)
        then = (moved @ choices.T <= 0).sum(axis=1)
        accepted = allowed & (rng.random(len(points)) < ratio ** np.minimum(wrong - then, 0.0))
        points, wrong = np.where(accepted[:, None], moved, points), np.where(accepted, then, wrong)
    return points


def allowances(points: Floats, weights: Floats, rays: Floats, credible: float) -> Floats:
    """Return (m,): the smallest c with w.ray >= -c for all rays jointly, with probability `credible`.

    Each c is minus a quantile of w.ray over the draws. All rays use one quantile rank, the highest that the joint
    probability allows.
    """
    if not len(rays):
        return np.empty(0)
    values = points @ rays.T
    order = np.argsort(values, axis=0)
    mass = np.take_along_axis(np.broadcast_to(weights[:, None], values.shape), order, axis=0).cumsum(axis=0)
    # The rank of each draw along each ray; a draw is inside at rank q when all its ranks are at least q.
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, mass, axis=0)
    lowest = ranks.min(axis=1)
    by_rank = np.argsort(-lowest)
    inside = by_rank[: int(np.searchsorted(weights[by_rank].cumsum(), credible)) + 1]
    return np.asarray(np.maximum(0.0, -values[inside].min(axis=0)))
