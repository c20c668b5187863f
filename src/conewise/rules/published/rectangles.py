"""Rectangles of a posterior, compared along finitely many directions (docs/posterior, section 9)."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.cone.polyhedra import extreme_rays, needed_rows, smallest_combination
from conewise.order.dominance import pareto_mask

_FLAT: Final = 1e-9  # a part of the dual cone without an inside has a combination of rows this short
_SAME: Final = 12  # digits in which directions of neighbouring parts agree


def discarded_by(low: Floats, high: Floats, depth: Floats, facets: int) -> Indices:
    """Return (K,): a pessimistically optimal design that is nowhere worse, but for the slack; -1 for no design."""
    best = pareto_mask(low, Cone.orthant(low.shape[1]))
    inside, outside = np.flatnonzero(best), np.flatnonzero(~best)
    by = np.full(len(low), -1, dtype=np.intp)
    everywhere = np.ones((len(outside), len(inside)), dtype=bool)
    for n in range(facets):
        everywhere &= low[inside, n][None, :] + depth[n] >= high[outside, n][:, None]
    beaten = everywhere.any(axis=1)
    by[outside[beaten]] = inside[everywhere[beaten].argmax(axis=1)]
    return by


def may_exceed(high: Floats, low: Floats, depth: Floats) -> Bools:
    """Return (A, A): whether j may be better than i by the slack: some point of R(j) lies in R(i) + e u + C."""
    result = ~np.eye(len(low), dtype=bool)
    for q, deep in enumerate(depth):
        result &= high[:, q][None, :] >= low[:, q][:, None] + deep
    return result


def sign_rays(facets: Floats, rays: Floats) -> Floats:
    """Return (Q, D): the facets, and the other extreme rays of the parts of C+ where no coordinate changes its sign."""
    dim = facets.shape[1]
    mixed = np.flatnonzero((facets.min(axis=0) < 0) & (facets.max(axis=0) > 0))
    found = [facets]
    for signs in product((1.0, -1.0), repeat=len(mixed)):
        rows = np.vstack([rays, np.array(signs)[:, None] * np.eye(dim)[mixed]])
        if not len(mixed) or np.linalg.norm(smallest_combination(rows)[1]) <= _FLAT:
            continue
        found.append(extreme_rays(rows[needed_rows(rows)[0]]))
    every = np.vstack(found)
    _, first = np.unique(np.round(every, _SAME) + 0.0, axis=0, return_index=True)
    return np.asarray(every[np.sort(first)])
