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
from conewise.rules.published.drawn import Boxes, DrawnRule

_DRAWS: Final = 128
_BEYOND: Final = 0.1  # the reference lies this share of the front's range below its worst values


@dataclass(frozen=True, eq=False)
class HypervolumeImprovement(DrawnRule):
    """Evaluate the design whose value may exceed the front of predictions by the largest volume, on average.

    The volume is that of facet values W mu, above the worst of the front less a tenth of its range. Values are noisy,
    so the front is that of the posterior means of all designs, and not of observed values: a design on the front is
    worth another evaluation as long as it may be better than predicted. With more facets than objectives the volume
    includes directions that cannot vary freely; it still ranks designs.

    The certificate of `ModelGuided` stops the rule and makes its promise, on average over the prior. The acquisition
    looks for improvement and not for doubt about the answer. A design that decides about others but is rarely on the
    front is evaluated late, so a run may take very many evaluations: give `max_evaluations`.
    """

    def scores(self, z: Floats, noise: Floats, candidates: Indices) -> Floats:
        return expected_improvements(z[:_DRAWS, candidates], z.mean(axis=0))


def expected_improvements(z: Floats, means: Floats) -> Floats:
    """Return (C,): the average over draws (B, C, N) of the volume that a candidate adds to the front of the means."""
    front = means[pareto_mask(means, Cone.orthant(means.shape[1]))]
    spread = np.ptp(front, axis=0)
    spread = np.where(spread > 0, spread, 10 * z.std(axis=0).mean(axis=0))  # a front of one design has no range
    gained = Boxes.above(front, front.min(axis=0) - _BEYOND * spread).gained(z.reshape(-1, z.shape[2]))
    return np.asarray(gained.reshape(z.shape[:2]).mean(axis=0))
