"""Vector optimisation with Gaussian processes: VOGP.

Korkmaz, Yıldırım, Ararat & Tekin, "Vector optimization with Gaussian process bandits", Machine Learning 115, 2026.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise.border import Floats
from conewise.rules.published.rectangles import Rectangles, sign_rays


@dataclass(frozen=True, eq=False)
class VOGP(Rectangles):
    """Rectangles mu +- beta_t sd in the space of the objectives, for any cone: discard, accept, evaluate the largest.

    beta_t^2 = 2 log(pi^2 D K t^2 / (3 delta)), and slack along u, the unit vector deepest inside the cone. The paper's
    theorem lets returned designs be twice its epsilon from optimal; here the rule runs at half the epsilon of the
    question, which is therefore met. Theorem and radius are for one known Gaussian process and normal noise of known
    size, `models.Independent(sizes=(3,))` say: then the answer is guaranteed, on average over that prior. A mixture,
    as `models.Smooth(features)` is, is handled by its mean and standard deviation, with the radius of the authors'
    experiments, sqrt(32) times smaller; that is a heuristic, and `radius="proven"` makes it a costly one.

    Correlations between designs count in the posterior alone: rectangles are compared as if nothing tied them together.
    """

    source: ClassVar[str] = "VOGP (Korkmaz et al. 2026)"
    contraction: ClassVar[float] = math.sqrt(32)  # the authors' implementation divides beta^2
    share: ClassVar[float] = 3.0

    @cached_property
    def directions(self) -> Floats:
        """(Q, D): the facets, and the rays of the dual cone where a coordinate changes its sign."""
        return sign_rays(self.facets, self.cone.rays @ self.certificate.axes.directions)

    @property
    def bounds(self) -> int:
        """One interval an objective."""
        return self.cone.dim

    def spreads(self, variances: Floats) -> Floats:
        """(K, Q): the support of a rectangle along a direction."""
        return np.asarray(np.sqrt(variances) @ np.abs(self.directions).T)

    def diagonals(self, variances: Floats) -> Floats:
        """(K,): in the space of the objectives."""
        return np.asarray(2 * np.sqrt(variances.sum(axis=1)))
