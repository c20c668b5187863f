"""Measure how hard a problem is: the hardness H and two lower bounds that hold for every correct algorithm."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, as_count, as_floats, as_non_negative, as_positive, as_probability, read_only
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.order.dominance import cone_for
from conewise.order.gaps import covers, escapes, space_and_front


@dataclass(frozen=True, eq=False)
class LowerBound:
    """A lower bound on the number of evaluations, up to a constant that the paper does not give.

    The constant of the gap-dependent bound depends on the cone through |z*| (docs/theory, section 6).

    `direction` (z* or u*) lies in the cone's interior; the proof moves a design along it. `step` (k*) times the gap is
    the length of the moves that an algorithm must be able to detect.
    """

    evaluations: float
    direction: Floats
    step: float


def hardness(means: ArrayLike, cone: ConeLike, epsilon: float) -> float:
    """Return H = sum over designs of 1 / max(Delta_i, epsilon)^2, Delta = Delta+ on the front and Delta* elsewhere.

    H is the complexity in the gap-dependent lower bound. A lone Pareto design adds nothing (Delta+ is infinite). With
    epsilon = 0 a tie makes H infinite.

    >>> hardness([[0, 0], [2, 1]], Cone.orthant(2), 0.1)
    1.0

    Reference: Ararat & Tekin 2023, Theorem 5.1.
    """
    epsilon = as_non_negative(epsilon, "epsilon")
    space, front = space_and_front(means, cone)
    on_front = np.flatnonzero(front)
    gaps = np.concatenate(
        [
            escapes(space, np.flatnonzero(~front), on_front),
            covers(space, on_front, on_front, enough=epsilon),
        ]
    )
    np.maximum(gaps, epsilon, out=gaps)
    with np.errstate(divide="ignore", over="ignore"):  # a tie, or a gap whose square vanishes: infinitely hard
        return float(np.sum((1 / gaps) ** 2))


def gap_dependent_bound(means: ArrayLike, cone: ConeLike, epsilon: float, delta: float) -> LowerBound:
    """Return the lower bound of H log(1/delta) evaluations, with z* and k* of the proof.

    z* = argmin{ |z| : W z >= alpha }: moving a design by s z* takes it beyond every improvement of length s. k* = max_n
    alpha_n / (w_n.z*), which is 1 because some constraint is tight (docs/theory, section 6).

    Reference: Ararat & Tekin 2023, Theorem 5.1 and Remark 5.2.
    """
    epsilon, delta = as_positive(epsilon, "epsilon"), as_probability(delta, "delta")
    cone = cone_for(means := as_floats(means, "means"), cone)
    direction = beyond_unit_improvements(cone)
    step = float((cone.widths / (cone.facets @ direction)).max())
    return LowerBound(hardness(means, cone, epsilon) * math.log(1 / delta), direction, step)


def worst_case_bound(cone: ConeLike, n_designs: int, epsilon: float, delta: float) -> LowerBound:
    """Return K beta_2^2 / epsilon^2 log(1/delta) evaluations, a lower bound on the hardest instance (K >= 4).

    `direction` is u* with min_n w_n.u* = 1, where the ratio that defines beta_2 is attained. `step` is k* = max_n
    alpha_n / (w_n.u*) = 1/beta_2. Reference: Ararat & Tekin 2023, Theorem 5.3.
    """
    epsilon, delta = as_positive(epsilon, "epsilon"), as_probability(delta, "delta")
    n_designs = as_count(n_designs, "n_designs", minimum=4)
    direction = costliest_direction(cone := as_cone(cone))
    step = float((cone.widths / (cone.facets @ direction)).max())
    ratio = cone.complexity.beta2 / epsilon
    return LowerBound(n_designs * (ratio * ratio) * math.log(1 / delta), direction, step)


def beyond_unit_improvements(cone: Cone) -> Floats:
    """Return z*: the shortest z with w_n.z >= alpha_n for all n (Ararat & Tekin 2023, proof of Theorem 5.1)."""
    return read_only(cone.lifts(cone.widths[:, None])[:, 0])


def costliest_direction(cone: Cone) -> Floats:
    """Return u* in the interior of C, min_n w_n.u* = 1, that attains beta_2 (docs/theory, section 4).

    u* lies close to the facet of the smallest width and far from all other facets. Both minima in the ratio of Ararat &
    Tekin 2023, equation (4), are then attained by that facet.
    """
    tight = int(cone.widths.argmin())
    inside = cone.centre
    along = cone.rays[np.abs(cone.rays @ cone.facets[tight]) <= 1e-9].sum(axis=0) if cone.dim > 1 else inside * 0
    gains, depths = cone.facets @ along, cone.facets @ inside
    others = np.arange(len(gains)) != tight
    # w_n.x >= w_t.x and w_n.x / alpha_n >= w_t.x / alpha_t for x = inside + t along: linear in t.
    ratio = np.maximum(1.0, cone.widths / cone.widths[tight])
    needed = (ratio * depths[tight] - depths)[others] / gains[others] if others.any() else np.zeros(1)
    direction = inside + max(0.0, float(needed.max())) * along
    return read_only(direction / (cone.facets @ direction).min())
