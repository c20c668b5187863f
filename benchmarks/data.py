"""Clouds of points and the cones that order them; every call with the same arguments gives the same numbers."""

from __future__ import annotations

import numpy as np

import conewise as cw

SIGMA = 0.1
"""Noise of the simulated bandits."""
EPSILON = 0.2
"""What is asked for on them."""
DELTA = 0.05
ORTHANT = cw.Cone.orthant(3)
GENERAL = cw.Cone([[1, 0.4, 1.6], [1.6, 1, 0.4], [0.4, 1.6, 1]])
"""Three facets, none along an axis; wide, so that few designs stay."""
NARROW = cw.Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]])
"""Three facets again, but narrow: many designs stay."""


def cloud(kind: str, n_designs: int, dim: int) -> np.ndarray:
    """`cube` and `Gaussian` have small fronts, `ball` a larger one; a `sphere` is all front, `nested` spheres half."""
    rng = np.random.default_rng([n_designs, dim])
    if kind == "cube":
        return rng.random((n_designs, dim))
    points = rng.standard_normal((n_designs, dim))
    if kind == "Gaussian":
        return points
    points = np.abs(points) / np.linalg.norm(points, axis=1, keepdims=True)
    if kind == "ball":
        return points * rng.random((n_designs, 1)) ** (1 / dim)
    if kind == "nested":
        points[n_designs // 2 :] *= 0.9
    return points


def with_facet_values(values: np.ndarray, cone: cw.Cone) -> np.ndarray:
    """Points whose facet values are the given ones up to rounding and the lengths of the rows (as many facets as D)."""
    return np.ascontiguousarray(np.linalg.solve(cone.facets, values.T).T)


def facet_values(points: np.ndarray, cone: cw.Cone) -> np.ndarray:
    """W mu as a user would compute it for a componentwise filter, one row a design."""
    return np.ascontiguousarray(points @ cone.facets.T)


def random_cone(dim: int, n_facets: int) -> cw.Cone:
    """Rows around the diagonal, drawn until none is redundant."""
    rng = np.random.default_rng([dim, n_facets])
    while True:
        rows = rng.standard_normal((n_facets, dim))
        rows += 1.5 * np.linalg.norm(rows, axis=1, keepdims=True) / np.sqrt(dim)
        try:
            cone = cw.Cone(rows)
        except cw.ConeError:
            continue
        if not cone.removed:
            return cone


def front_of(size: int, n_designs: int, dim: int) -> np.ndarray:
    """As many designs on the orthant's front as told; every other one is well below a member of it."""
    points = cloud("sphere", n_designs, dim)
    rng = np.random.default_rng([size, n_designs, dim])
    below = np.arange(size, n_designs)
    points[below] = points[rng.integers(size, size=len(below))] * rng.uniform(0.2, 0.9, size=(len(below), 1))
    return points[rng.permutation(n_designs)]


def mostly_beaten(designs: int, contenders: int = 1000, objectives: int = 3, seed: int = 0) -> cw.SimulatedBandit:
    """A bandit of which all but the contenders are clearly beaten after a few looks; noise of sigma 0.1.

    A tenth of the contenders lie on a sphere and the others 0.2 to 0.6 inside; everyone else is 1 to 2 (ten noise
    levels and more) below a design on the sphere, on every objective. So one look or two beat the crowd, and the
    contenders need some tens of evaluations each until EPSILON, two noise levels, is certified.
    """
    means = mostly_beaten_means(designs, contenders, objectives, seed)
    return cw.SimulatedBandit(means, cw.noise.Gaussian(SIGMA))


def mostly_beaten_means(designs: int, contenders: int = 1000, objectives: int = 3, seed: int = 0) -> np.ndarray:
    """The true means of `mostly_beaten`."""
    contenders = min(contenders, designs)
    rng = np.random.default_rng([seed, designs, contenders, objectives])
    points = np.abs(rng.standard_normal((contenders, objectives))) + 0.2
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    best = max(1, contenders // 10)
    points[best:] -= rng.uniform(0.2, 0.6, size=(contenders - best, 1)) / np.sqrt(objectives)
    crowd = points[rng.integers(best, size=designs - contenders)]
    crowd -= rng.uniform(1.0, 2.0, size=(len(crowd), objectives))
    return np.concatenate([points, crowd])[rng.permutation(designs)]
