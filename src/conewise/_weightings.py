"""Weightings that fit answers which may be wrong: draws from their posterior, and how far each answer is believed.

A weighting w >= 0 with sum 1 prefers a to b when w.(a - b) > 0. Before any answer all weightings are as likely as each
other; an answer that agrees with w has probability `trust` under it, one that does not 1 - trust (docs/preferences).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise._arrays import Floats

DRAWS: Final = 4000
"""Weightings kept in mind."""
_MOVES: Final = 8  # steps of each draw after some were drawn anew
_ENOUGH: Final = 0.5  # of the draws that count; below that they are drawn anew


def draws(certain: Floats, choices: Floats, trust: float, seed: int = 0) -> tuple[Floats, Floats]:
    """(M, D) weightings and their (M,) weights, that obey certain rays (c, D) and mostly the choices (m, D).

    Answers come in one by one; where few draws are left that fit, they are drawn anew and moved by steps that keep the
    distribution (Metropolis), so that many answers still leave a crowd.
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
    """Weightings that obey what is certain, drawn evenly: certain statements come in like answers that cannot err."""
    points = rng.dirichlet(np.ones(dim), DRAWS)
    for m, ray in enumerate(certain):
        fits = points @ ray >= 0
        if not fits.any():  # a sliver: the steps below start from the draw nearest to it
            fits = points @ ray >= (points @ ray).max()
        points = points[rng.choice(np.flatnonzero(fits), DRAWS)]
        points = _moved(points, certain[: m + 1], certain[:0], 1.0, rng)
    return points


def _moved(points: Floats, certain: Floats, choices: Floats, ratio: float, rng: np.random.Generator) -> Floats:
    """The same distribution after some steps of each draw, along differences of other draws."""
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
    """(m,): the least c of one rank such that w.ray >= -c for all rays at once with probability `credible`.

    Each ray is weakened to the same quantile of what the draws say of it, as high as their joint probability allows.
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
