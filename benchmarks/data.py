"""Clouds of points and the cones that order them; every call with the same arguments gives the same numbers."""

from __future__ import annotations

import numpy as np

import conewise as cw

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
