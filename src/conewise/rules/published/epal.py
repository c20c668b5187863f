"""Pareto active learning: epsilon-PAL, for a cone.

Zuluaga, Krause & Püschel, "epsilon-PAL: an active learning approach to the multi-objective optimization problem",
Journal of Machine Learning Research 17, 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise.border import Floats
from conewise.rules.published.vogp import VOGP


@dataclass(frozen=True, eq=False)
class EpsilonPAL(VOGP):
    """Judge rectangles of facet values, W mu +- beta_t sd: the rounds of `VOGP` in the space of the facets.

    beta_t^2 = 2 log(pi^2 N K t^2 / (6 delta)) for N facets. The orthant gives the published algorithm, where facets are
    objectives. Its slack, an epsilon for each objective, is e w_n.u along facet n, so that covering means the same for
    every cone. Returned designs may be 2 e from optimal, so e = epsilon / 2. Where the theorem does not apply, the
    radius is a third of it, as in the authors' experiments, and the answer is a heuristic.

    Intervals along facets are narrower than those of `VOGP` where facets mix objectives. Where the cone has more facets
    than objectives, the union bound has more intervals.
    """

    source: ClassVar[str] = "epsilon-PAL (Zuluaga et al. 2016)"
    contraction: ClassVar[float] = 3.0
    share: ClassVar[float] = 6.0

    @cached_property
    def frame(self) -> tuple[Floats, Floats]:
        return self.facets, np.eye(len(self.facets))
