"""The one home for Hypothesis strategies: cones, and designs among which ties abound.

Whole-number cones and points make every facet value exact, so that laws can be stated without a tolerance.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from conewise import Cone
from shared.cones import named_cones, random_cone

Floats = NDArray[np.float64]


def dims() -> st.SearchStrategy[int]:
    """One to four objectives, three most often: the smallest dimension in which facets can outnumber objectives."""
    return st.sampled_from([2, 3, 3, 3, 4, 4, 1])


@st.composite
def unimodular(draw: st.DrawFn, dim: int) -> Floats:
    """A whole-number matrix of determinant 1: its inverse is whole as well."""
    entries = st.integers(-1, 1)
    lower = np.tril(draw(npst.arrays(float, (dim, dim), elements=entries)), -1) + np.eye(dim)
    upper = np.triu(draw(npst.arrays(float, (dim, dim), elements=entries)), 1) + np.eye(dim)
    return lower @ upper


@st.composite
def whole_rows(draw: st.DrawFn, dim: int, extra: int = 4) -> Floats:
    """Whole-number rows of a pointed cone with an interior, some of them redundant, none of them zero.

    Non-negative rows of full rank make a cone that contains the orthant; an invertible map then tilts it.
    """
    weights = npst.arrays(float, (dim, dim), elements=st.integers(0, 2))
    square = np.tril(draw(weights), -1) + np.diag(draw(npst.arrays(float, dim, elements=st.integers(1, 3))))
    more = draw(npst.arrays(float, (draw(st.integers(0, extra)), dim), elements=st.integers(0, 3)))
    rows = np.vstack([square, more[more.any(axis=1)]])
    return np.asarray(rows @ draw(unimodular(dim)))


def whole_cones(dim: int, extra: int = 4) -> st.SearchStrategy[Cone]:
    return whole_rows(dim, extra).map(Cone)


def scattered_cones(dim: int, most_rows: int = 7) -> st.SearchStrategy[Cone]:
    """Cones with rows in general position, by a seed."""
    return st.builds(
        lambda seed, rows: random_cone(np.random.default_rng(seed), dim, rows),
        st.integers(0, 10_000),
        st.integers(dim, max(dim, most_rows)),
    )


def cones(dim: int) -> st.SearchStrategy[Cone]:
    """Any cone of R^dim: named, whole-number or scattered."""
    named = [cone for cone in named_cones() if cone.dim == dim]
    kinds = [whole_cones(dim), scattered_cones(dim)]
    return st.one_of(st.sampled_from(named), *kinds) if named else st.one_of(*kinds)


@st.composite
def grid_points(draw: st.DrawFn, dim: int, most: int = 20, reach: int = 3) -> Floats:
    """Between one and `most` designs on a small whole-number grid, so that ties and duplicates are common."""
    count = draw(st.integers(1, most))
    return draw(npst.arrays(float, (count, dim), elements=st.integers(-reach, reach)))


@st.composite
def close_points(draw: st.DrawFn, dim: int, most: int = 16) -> Floats:
    """Grid points scaled to fractions, with duplicates and neighbours one unit in the last place away."""
    points = draw(grid_points(dim, most)) * draw(st.sampled_from([1.0, 0.1, 1 / 3, 1e-200, 1e200]))
    which = draw(st.lists(st.integers(0, len(points) - 1), max_size=6))
    towards = draw(npst.arrays(float, (len(which), dim), elements=st.sampled_from([-np.inf, 0.0, np.inf])))
    copies = points[which]
    neighbours = np.where(towards == 0.0, copies, np.nextafter(copies, towards))
    together = np.vstack([points, neighbours])
    return together[draw(st.permutations(range(len(together))))]


@st.composite
def cone_and_points(
    draw: st.DrawFn, *, whole: bool = False, close: bool = False, most: int = 20
) -> tuple[Cone, Floats]:
    """A cone of R^1 to R^4 and designs for it; `whole` makes every facet value exact, `close` adds near-duplicates."""
    dim = draw(dims())
    cone = draw(whole_cones(dim) if whole else cones(dim))
    return cone, draw(close_points(dim, most) if close else grid_points(dim, most))
