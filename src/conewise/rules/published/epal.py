"""Pareto active learning: epsilon-PAL, for a cone.

Zuluaga, Krause & Püschel, "epsilon-PAL: an active learning approach to the multi-objective optimization problem",
Journal of Machine Learning Research 17, 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from conewise.border import Floats
from conewise.rules.published.rectangles import Rectangles


@dataclass(frozen=True, eq=False)
class EpsilonPAL(Rectangles):
    """Rectangles of facet values, W mu +- beta_t sd: the componentwise algorithm in the space of the facets.

    beta_t^2 = 2 log(pi^2 N K t^2 / (6 delta)) for N facets; the orthant gives the published algorithm, where facets are
    objectives. Its slack, an epsilon for each objective, is e w_n.u along facet n, with u the unit vector deepest
    inside the cone, so that covering means the same for every cone; the rule runs at e = epsilon / 2, because returned
    designs may be 2 e from optimal. Guaranteed on average over the prior where that is one known Gaussian process with
    normal noise of known size; otherwise a heuristic, with the radius of the authors' experiments, a third of it.

    Beside `VOGP` it has an interval for each facet in place of one for each objective: narrower along facets that mix
    objectives, and more of them in the union bound where the cone has more facets than objectives.
    """

    source: ClassVar[str] = "epsilon-PAL (Zuluaga et al. 2016)"
    contraction: ClassVar[float] = 3.0
    share: ClassVar[float] = 6.0

    @property
    def directions(self) -> Floats:
        """(N, D): the facets."""
        return self.facets

    @property
    def bounds(self) -> int:
        """One interval a facet."""
        return len(self.facets)

    def spreads(self, variances: Floats) -> Floats:
        """(K, N): standard deviations of facet values."""
        return np.asarray(np.sqrt(variances @ (self.facets**2).T))

    def diagonals(self, variances: Floats) -> Floats:
        """(K,): in the space of the facets."""
        return np.asarray(2 * np.linalg.norm(self.spreads(variances), axis=1))
