"""The epsilon that claims certify for a set which somebody else chose, for instance with a model."""

from __future__ import annotations

import math

import numpy as np

from conewise.border import Bools
from conewise.certificate.claims import Claims, nearest_cover
from conewise.cone.cone import Cone


def epsilon_of(claims: Claims, cone: Cone, covering: bool, returned: Bools) -> float | None:
    """The smallest epsilon at which the set succeeds by these claims (docs/adaptive, 4); None if there is none.

    Its members are accepted from accept_at on; every other design is beaten, or covered by a member from cover_at on.
    A member that is beaten has no epsilon here: by how much it is beaten was not asked. An empty set succeeds where
    nobody is acceptable: then every design is out.
    """
    left = claims.left
    if not returned.any():
        return None if len(left) else 0.0
    if (claims.out & returned).any() or claims.fine_at is None:
        return None
    inside = np.flatnonzero(returned[left])
    others = np.flatnonzero(~returned[left])
    worst = max(0.0, float(claims.accept_at[inside].max(initial=-math.inf)))
    if len(others):
        if not covering:
            return None  # a design that is not beaten may be Pareto optimal, and is missing
        limits = np.full(len(others), math.inf)
        reach, _ = nearest_cover(claims.comparisons, cone, others, inside, np.zeros(len(inside)), limits)
        worst = max(worst, float(reach.max()))
    return worst if math.isfinite(worst) else None
