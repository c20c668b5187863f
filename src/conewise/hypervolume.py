"""Hypervolume of a set under a cone, and how far a returned set falls short of it.

The Pareto set under a cone is the componentwise one of the facet values W mu, so the componentwise hypervolume of these
is an indicator that knows the cone. With as many facets as objectives it is a volume of the objectives times |det W|;
with more facets than objectives it counts directions that cannot vary freely, and serves for ranking alone.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from conewise._arrays import Floats, as_floats, as_points, as_selection
from conewise.cones import Cone, as_cone
from conewise.errors import InputError
from conewise.order import pareto_mask

_LARGEST: Final = 1e30  # so that a volume along ten facets is a number


def hypervolume(points: ArrayLike, cone: Cone, reference: ArrayLike) -> float:
    """The volume between a point and a set, in facet values: of all z with W r <= z <= W x for some x of the set.

    Points that are not at least as good as the `reference` along every facet add nothing. The cost is that of moocore:
    n log n for two and three facets.

    >>> hypervolume([[1.0, 3.0], [2.0, 1.0]], Cone.orthant(2), [0.0, 0.0])
    4.0
    """
    cone = as_cone(cone)
    least = as_points(np.atleast_2d(as_floats(reference, "reference")), "reference", cone.dim)
    return _volume(_facets(as_points(points, "points", cone.dim), cone), _facets(least, cone)[0])


def log_hypervolume_discrepancy(returned: ArrayLike, values: ArrayLike, cone: Cone) -> float:
    """The logarithm of the hypervolume that a returned set lacks: log(HV(Pareto set) - HV(returned)); -inf for none.

    `values` (K, D) are the true values of all designs, `returned` a mask or indices. Hypervolumes are those of facet
    values W mu (unit rows of W), from the smallest facet values of all designs on. Smaller is better. This is the
    measure that VOPy takes of a model on 2048 points, with the set that the model's means call Pareto optimal.

    >>> values = [[0.0, 0.0], [1.0, 3.0], [2.0, 1.0]]
    >>> log_hypervolume_discrepancy([1], values, Cone.orthant(2)), log_hypervolume_discrepancy([1, 2], values,
    ... Cone.orthant(2))
    (0.0, -inf)
    """
    cone = as_cone(cone)
    points = as_points(values, "values", cone.dim)
    chosen = as_selection(returned, len(points), "returned")
    facets = _facets(points, cone)
    least = facets.min(axis=0)
    lacking = _volume(facets[pareto_mask(points, cone)], least) - _volume(facets[chosen], least)
    return math.log(lacking) if lacking > 0 else -math.inf


def _facets(points: Floats, cone: Cone) -> Floats:
    if np.abs(points).max(initial=0.0) > _LARGEST:
        raise InputError(f"volumes of numbers beyond {_LARGEST:g} cannot be computed; divide the values by a constant.")
    return cone.facet_values(points)


def _volume(values: Floats, reference: Floats) -> float:
    """Componentwise, larger is better."""
    from moocore import hypervolume as volume

    inside = values[(values > reference).all(axis=1)]
    return float(volume(np.ascontiguousarray(inside), ref=reference, maximise=True)) if len(inside) else 0.0
