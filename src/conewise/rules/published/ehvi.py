"""Expected hypervolume improvement, for a cone and for noisy values.

Emmerich, Deutz & Klinkenberg, "Hypervolume-based expected improvement: monotonicity properties and exact computation",
IEEE Congress on Evolutionary Computation 2011; by draws as in Daulton, Balandat & Bakshy 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.cone.cone import Cone
from conewise.order.dominance import pareto_mask
from conewise.rules.published.boxes import Boxes
from conewise.rules.published.drawn import DrawnRule

_DRAWS: Final = 128
_BEYOND: Final = 0.1  # the reference lies this share of the front's range below its worst values


@dataclass(frozen=True, eq=False)
class HypervolumeImprovement(DrawnRule):
    """Evaluates the design whose value may exceed the front of predictions by the largest volume, on average.

    The volume is that of facet values W mu, above the worst of the front less a tenth of its range. Values are noisy:
    the front is that of the posterior means of all designs, and not of observed values, so a design on the front is
    worth evaluating again as long as it may be better than predicted. With more facets than objectives the volume
    counts directions that cannot vary freely; it ranks designs all the same.

    The certificate of `ModelGuided` says when to stop, and the promise is its promise: on average over the prior. The
    acquisition looks for improvement and not for doubt about the answer: a design that is in the way and hardly ever on
    the front is evaluated late, so that a run may take very many evaluations. Name a `max_evaluations`.
    """

    def scores(self, z: Floats, noise: Floats, candidates: Indices) -> Floats:
        """(C,): the average over draws of the volume that each candidate adds."""
        return expected_improvements(z[:_DRAWS, candidates], z.mean(axis=0))


def expected_improvements(z: Floats, means: Floats) -> Floats:
    """(C,): of draws (B, C, N), over the front of the means (K, N)."""
    front = means[pareto_mask(means, Cone.orthant(means.shape[1]))]
    spread = np.ptp(front, axis=0)
    spread = np.where(spread > 0, spread, 10 * z.std(axis=0).mean(axis=0))  # a front of one design has no range
    gained = Boxes.above(front, front.min(axis=0) - _BEYOND * spread).gained(z.reshape(-1, z.shape[2]))
    return np.asarray(gained.reshape(z.shape[:2]).mean(axis=0))
