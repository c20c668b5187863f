"""Successive elimination on the certificate: advance only designs on which an open question depends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise._arrays import Floats
from conewise.algorithms.adaptive.certified import CertifiedRule, Costs


@dataclass(frozen=True, eq=False)
class SuccessiveElimination(CertifiedRule):
    """Evaluate in rounds whatever is still open, everyone at the same level.

    An undecided design has two ways to be settled: to be out (beaten, or covered by a returned design), which asks for
    itself and its best rival, or to be in (fine against everyone left), which asks for itself and every rival against
    which it is not. The cheaper one, judged by the estimates, decides whom to evaluate; designs that run ahead wait for
    the others.
    """

    def targets(self, costs: Costs) -> Floats:
        """The largest that any open question asks for."""
        leaving, targets = costs.ways()
        np.maximum.at(targets, costs.rows[leaving], costs.out[leaving])
        np.maximum.at(targets, costs.best[leaving], costs.out[leaving])
        return targets
