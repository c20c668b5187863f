"""Compute from which epsilon on one design covers another, along directions of the dual cone instead of facets.

M(D) is the largest (-a.D) / alpha(a) over the directions a of C+, alpha(a) = max{ a.u : u in C, |u| <= 1 }. Let
g = W D^ be the gains, and r(a) the radius for the error of a.D^ along *one* direction, which is not known in advance.
Then j covers i from the following epsilon on (docs/adaptive, 3.4):

    cover_at = max over a in C+ of (r(a) - a.D^)^+ / alpha(a)

Every r used here is a seminorm: r(a + b) <= r(a) + r(b). The computed value is never below that maximum. It is never
above f((r - g)^+), which needs the radii of the facets alone:

* In the plane, three arcs give the maximum, exactly if the noise is the same in every direction.
* For any cone, it is the least (1 - t) beta r* + f((t r - g)^+) over a few t in [0, 1]. Here r* is the radius along
  the noisiest unit direction.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Bools, Floats
from conewise.cone.cone import Cone

TIE: Final = 1e-300
"""Just above 0: the epsilon at which two designs that tie along a facet without noise are no worse than each other."""

_SPLITS: Final = (0.0, 0.5)  # values of t besides 1 and the largest with f = 0; any t in [0, 1] is valid
_SAFETY: Final = 1 + 1e-12  # factor on beta, which is computed from a singular value


def cover_at(cone: Cone, gains: Floats, radii: Floats, widest: Floats | None = None) -> Floats:
    """Return (P,): an epsilon from which j covers i, for columns of gains w_n.D^ and of their radii, (N, P).

    `widest` is the radius along the noisiest unit direction, (P,), or None if only the radii of the facets are known.

    >>> import numpy as np
    >>> pair = np.array([[0.0], [-3.0]]), np.array([[1.0], [1.0]])
    >>> cover_at(Cone.orthant(2), *pair, np.array([1.0])).tolist(), cover_at(Cone.orthant(2), *pair).round(3).tolist()
    ([4.0], [4.123])
    """
    if widest is None:
        return _lifted(cone, radii - gains)
    if len(gains) == cone.dim == 2:
        arcs = _arcs(cone, gains, radii, widest)
        even = widest <= radii.min(axis=0) * _SAFETY
        arcs[~even] = np.minimum(arcs[~even], _lifted(cone, (radii - gains)[:, ~even]))
        return arcs
    best = _lifted(cone, radii - gains)
    length = widest * (cone.complexity.beta * _SAFETY)
    with np.errstate(divide="ignore", invalid="ignore"):
        slack = np.where(radii > 0, gains / radii, np.where(gains < 0, -np.inf, np.inf)).min(axis=0)
    for split in (*_SPLITS, np.clip(slack, 0.0, 1.0)):
        np.minimum(best, (1 - split) * length + _lifted(cone, split * radii - gains), out=best)
    return best


def facet_floor(cone: Cone, gains: Floats, radii: Floats) -> Floats:
    """Return a cheap lower bound (...,) on `cover_at` from the facets alone, for gains (..., N)."""
    return np.asarray((np.maximum(radii - gains, 0.0) / cone.widths).max(axis=-1))


def _lifted(cone: Cone, deficit: Floats) -> Floats:
    """Return the norm of the smallest lift, f, of the positive parts of the deficits."""
    return cone.lift_norms(np.maximum(deficit, 0.0), non_negative=True)


def _arcs(cone: Cone, gains: Floats, radii: Floats, widest: Floats) -> Floats:
    """Return the maximum in the plane: along the two facets, and along the arc of C and C+, where alpha is 1.

    On an arc between a facet's row and C, alpha(a) is linear. A convex function divided by it is largest at an end of
    the arc.
    """
    facets = cone.facets
    inner = cone.rays if float(facets[0] @ facets[1]) < 0 else facets  # generators of the smaller of C and C+
    back = np.linalg.inv(facets)
    along = (inner @ back) @ gains
    reach = -along.min(axis=0)
    # |D| where -D lies inside the arc: a combination of its two ends without a negative weight
    weights = -np.linalg.inv(inner.T) @ back @ gains
    inside = (weights >= 0).all(axis=0)
    if inside.any():
        reach[inside] = np.linalg.norm(back @ gains[:, inside], axis=0)
    edges = ((radii - gains) / cone.widths[:, None]).max(axis=0)
    return np.asarray(np.maximum(np.maximum(edges, reach + widest), 0.0))


def not_settled_by_ties(upper: Floats, noiseless: Bools) -> Floats:
    """Return upper bounds of gains (..., N) in which a tie along a facet without noise is not an advantage.

    One of two designs that tie there may still dominate the other; if they tie along all facets, neither does.
    """
    if noiseless.any():
        tie = upper == 0
        upper[tie & noiseless & ~tie.all(axis=-1, keepdims=True)] = TIE
    return upper
