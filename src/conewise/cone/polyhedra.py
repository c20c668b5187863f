"""Compute with polyhedral cones given as arrays of unit rows: test flatness, find needed rows, generate rays.

Nothing here uses the class `Cone`. Linear algebra is LAPACK's, the convex hull Qhull's, non-negative least squares
scipy's. The last two are imported when first needed: a simplicial cone (as many independent rows as dimensions, such as
the orthant and every planar cone) needs neither.
"""

from __future__ import annotations

import math

import numpy as np

from conewise.border import BARELY_NEEDED, DEGENERATE, INCIDENT, OPTIMAL, REDUNDANT, SAME_DIRECTION, Bools, Floats
from conewise.errors import ConeError
from conewise.limits import MOST_RAYS


def unit(vectors: Floats) -> Floats:
    """Return the rows scaled to length one, without overflow. Rows that are already unit stay bit for bit."""
    scaled = power_scaled(vectors)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    result: Floats = scaled / lengths
    with np.errstate(over="ignore"):
        already = np.abs(np.linalg.norm(vectors, axis=1) - 1.0) <= 4 * np.finfo(float).eps
    result[already] = vectors[already]
    return result + 0.0  # no negative zeros


def power_scaled(vectors: Floats) -> Floats:
    """Return each row times the power of two that brings its largest entry into [1/2, 1): exact, without overflow."""
    exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))[1]
    return np.asarray(np.ldexp(vectors, -exponents)) + 0.0


def line_inside(rows: Floats) -> Floats | None:
    """Return a unit direction v with rows @ v = 0, so that v and -v satisfy every row; None if there is none."""
    _, singular, right = np.linalg.svd(rows, full_matrices=True)
    rank = int((singular > DEGENERATE * singular[0]).sum())
    if rank == rows.shape[1]:
        return None
    direction: Floats = right[-1]
    return np.asarray(direction * np.sign(direction[np.abs(direction).argmax()]))


def smallest_combination(rows: Floats) -> tuple[Floats, Floats]:
    """Return the weights l >= 0 with sum one for which p = rows' l is shortest, and that p.

    p = 0 exactly when {x : rows x > 0} is empty (Gordan). Otherwise rows @ p >= |p|^2 > 0: p is an interior direction
    and 1/|p| bounds the ordering complexity (docs/theory, section 4).
    """
    # With l = s * (weights summing to 1) the objective is s^2 |p|^2 + (s - 1)^2: p is as short as can be.
    lifted = np.vstack([rows.T, np.ones(len(rows))])
    weights = non_negative_least_squares(lifted, np.eye(len(lifted))[-1])
    weights = weights / weights.sum()
    return weights, rows.T @ weights


def non_negative_least_squares(A: Floats, b: Floats) -> Floats:
    """Return argmin{ |A x - b| : x >= 0 }, checked for optimality.

    scipy.optimize.nnls (1.15 to at least 1.17) can silently return a wrong x and a wrong residual (scipy issue 25389).
    That happens when several entries of x are zero and not held there. A doubtful answer is therefore compared with the
    answer of another algorithm, which also answers where nnls gives up.
    """
    from scipy.optimize import lsq_linear, nnls

    try:
        x: Floats = nnls(A, b)[0]
    except RuntimeError:  # too many steps, which nearly parallel columns can cause
        x = np.zeros(A.shape[1])
    residual = b - A @ x
    slopes = residual @ A  # optimal: none positive, and zero where x is positive
    slopes /= np.linalg.norm(A, axis=0)
    allowed = OPTIMAL * float(np.linalg.norm(b))
    if slopes.max() <= allowed and np.abs(slopes[x > 0]).max(initial=0.0) <= allowed:
        return x
    other: Floats = lsq_linear(A, b, (0.0, np.inf), method="bvls", tol=np.finfo(float).eps).x
    return other if np.linalg.norm(b - A @ other) < np.linalg.norm(residual) else x


def needed_rows(rows: Floats) -> tuple[list[int], dict[int, float]]:
    """Return the indices of an irredundant subset of the rows of a pointed, solid cone, and which are barely needed.

    Of equal rows the first stays. A barely needed row is returned with its distance from the cone that the others
    generate.
    """
    kept: list[int] = []
    for n, row in enumerate(rows):
        if not kept or np.linalg.norm(rows[kept] - row, axis=1).min() > SAME_DIRECTION:
            kept.append(n)
    if len(kept) <= rows.shape[1]:  # rank D and at most D rows: independent, none redundant
        return kept, {}
    if rows.shape[1] == 2:
        return _outermost(rows, kept), {}
    barely: dict[int, float] = {}
    for n in list(kept):
        others = [k for k in kept if k != n]
        generators = rows[others].T
        apart = float(np.linalg.norm(rows[n] - generators @ non_negative_least_squares(generators, rows[n])))
        if apart <= REDUNDANT:
            kept = others
        elif apart <= BARELY_NEEDED:
            barely[n] = apart
    return kept, barely


def _outermost(rows: Floats, kept: list[int]) -> list[int]:
    """Return the first and the last by angle of unit vectors in an open half-plane; these two generate the rest."""
    centre = rows[kept].sum(axis=0)  # not zero: a pointed, solid cone has one strictly positive on all of its rows
    turns = np.arctan2(rows[kept] @ np.array([-centre[1], centre[0]]), rows[kept] @ centre)
    return sorted({kept[int(turns.argmin())], kept[int(turns.argmax())]})


def extreme_rays(rows: Floats) -> Floats:
    """Return unit generators (R, D) of {x : rows x >= 0}, for unit, irredundant rows of a pointed, solid cone.

    The rows, scaled to lie in one hyperplane, are the vertices of a polytope of dimension D - 1. Its facets are the
    rays. Qhull finds the facets, and each ray is then recomputed from its own rows.
    """
    dim = rows.shape[1]
    if dim == 1:
        return rows[:1].copy()
    if len(rows) == dim:
        return unit(np.ascontiguousarray(np.linalg.inv(rows).T))
    level, _ = levelled(rows)
    _, centre = smallest_combination(level)
    centre = centre / np.linalg.norm(centre)
    basis = np.linalg.svd(centre[None, :])[2][1:]  # coordinates of the hyperplane orthogonal to the centre
    section = (level @ basis.T) / (level @ centre)[:, None]

    # A cyclic polytope with these vertices has the most facets (McMullen 1970).
    most = sum(math.comb(len(rows) - half // 2, len(rows) - dim + 1) for half in (dim, dim + 1))
    if most > MOST_RAYS:
        raise ConeError(
            f"{len(rows)} rows or rays of {dim} objectives can make a cone of {most:.0e} rays or facets, and "
            f"{MOST_RAYS:.0e} is the limit; give fewer rows, rays or objectives."
        )
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(section)
    except QhullError as error:
        raise ConeError(
            "the rows or rays of the cone lie too close to each other to compute with; take fewer."
        ) from error
    # A facet a.s + c <= 0 of the section says (-a, -c) . (s, 1) >= 0 for every row: that vector is a ray.
    normals, offsets = hull.equations[:, :-1], hull.equations[:, -1]
    rays = unit(-(normals @ basis) - offsets[:, None] * centre)
    met = np.unique(np.abs(rays @ level.T) <= INCIDENT, axis=0)
    return np.vstack([_ray_of(rows[on], rows) for on in met])


def levelled(rows: Floats) -> tuple[Floats, Floats]:
    """Return unit rows of the cone in coordinates y = map x in which nearly equal rows are far apart; also the map.

    W = U S V', so W x = U (S V' x). Rows of a thin or wide cone differ little in x but by ordinary angles in y. There,
    incidence can be told from near incidence.
    """
    left, singular, right = np.linalg.svd(rows, full_matrices=False)
    return unit(left), singular[:, None] * right


def _ray_of(met: Floats, rows: Floats) -> Floats:
    """Return the unit vector orthogonal to D - 1 independent rows, with the sign that makes the other rows positive."""
    ray: Floats = _across(*met) if met.shape == (2, 3) else np.linalg.svd(met)[2][-1]
    ray = unit(ray[None, :])[0]
    values = rows @ ray
    ray = ray * np.sign(values[np.abs(values).argmax()])
    ray[np.abs(ray) < np.finfo(float).eps] = 0.0
    return ray + 0.0


def _across(first: Floats, second: Floats) -> Floats:
    """Return the cross product of two unit vectors, accurate also if they are nearly equal or nearly opposite."""
    along = float(first @ second)
    return np.asarray(np.cross(first, second - np.sign(along) * first if abs(along) > 0.5 else second))


def incidence(rays: Floats, rows: Floats) -> Bools:
    """Return (R, N): True where ray r lies on facet n."""
    if rows.shape[0] == rows.shape[1]:  # simplicial: each ray lies on all facets but one
        return np.asarray(np.arange(len(rows)) != (rays @ rows.T).argmax(axis=1)[:, None])
    level, mapped = levelled(rows)
    return np.asarray(np.abs(unit(rays @ mapped.T) @ level.T) <= INCIDENT)


def tangent_planes(half: float, count: int) -> Floats:
    """Return (count, 3) unit normals of planes tangent to the round cone around (1, 1, 1) with half angle `half`."""
    axis = np.ones(3) / math.sqrt(3)
    across = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    turns = 2 * math.pi * np.arange(count) / count
    rim = np.column_stack([np.cos(turns), np.sin(turns)]) @ across
    return np.asarray(math.sin(half) * axis + math.cos(half) * rim)
