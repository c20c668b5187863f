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
    nowhere = _at_least((low + depth)[inside, :facets], high[outside, :facets])
    by = np.full(len(low), -1, dtype=np.intp)
    by[outside] = np.where(nowhere.any(axis=1), inside[nowhere.argmax(axis=1)], -1)
    return by


def may_exceed(high: Floats, low: Floats, depth: Floats) -> Bools:
    """Return (A, A): whether j may be better than i by the slack: some point of R(j) lies in R(i) + e u + C."""
    return _at_least(high, low + depth) & ~np.eye(len(low), dtype=bool)


def sign_rays(facets: Floats, rays: Floats) -> Floats:
    """Return (Q, D): the facets, and the other extreme rays of the parts of C+ where no coordinate changes its sign."""
    mixed = np.flatnonzero((facets.min(axis=0) < 0) & (facets.max(axis=0) > 0))
    found = [facets]
    for signs in product((1.0, -1.0), repeat=len(mixed)):
        rows = np.vstack([rays, np.array(signs)[:, None] * np.eye(facets.shape[1])[mixed]])
        if len(mixed) and np.linalg.norm(smallest_combination(rows)[1]) > _FLAT:
            found.append(extreme_rays(rows[needed_rows(rows)[0]]))
    every = np.vstack(found)
    _, first = np.unique(np.round(every, _SAME) + 0.0, axis=0, return_index=True)
    return np.asarray(every[np.sort(first)])


def _at_least(better: Floats, worse: Floats) -> Bools:
    """Return (R, C): whether column c of `better` (C, N) is at least row r of `worse` (R, N) everywhere."""
    result = np.ones((len(worse), len(better)), dtype=bool)
    for above, below in zip(better.T, worse.T, strict=True):
        result &= above[None, :] >= below[:, None]
    return result
