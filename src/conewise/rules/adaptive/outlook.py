"""How far designs would have to read until what is open is settled: a forecast by the averages, never a claim.

For a pair and a facet with gain d and standard deviation s of the differences, a bound of z standard errors is narrow
enough after g blocks where d = z s sqrt(1 / g - 1 / Q), so 1 / g = (d / (z s))^2 + 1 / Q: never more than all Q.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Bools, Floats
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.paired import Paired, Prefixes
from conewise.certificate.rounding import never_varied

_TINY: Final = 1e-100


def reading_targets(certificate: Paired, state: Prefixes, epsilon: float, gone: Bools) -> Floats:
    """(K,): up to which block each design should read so that everything is settled at epsilon; 0 for who is gone.

    Infinite where no number of blocks would do. All that are left must have met a rival on two blocks or more.
    """
    found, left = np.zeros(len(gone)), np.flatnonzero(~gone)
    if not len(left):
        return found
    cone, population = certificate.cone, certificate.population
    never = np.where(never_varied(certificate.kinds.noise, state.statistics), np.inf, 0.0)
    seen = Differences.of(state.values[left], cone.facets, never, population)
    fine_z, out_z = certificate.deviations
    spreads = np.maximum(seen.spreads[:, :, :-1], _TINY)
    slack = ((epsilon * cone.widths - seen.gains) / spreads).max(axis=2)
    bonus = 0.0
    if certificate.success == "cover":
        bonus = epsilon / float(cone.lift_norms(np.ones((len(cone.facets), 1)), non_negative=True)[0])
    margin = ((seen.gains + bonus) / spreads).min(axis=2)
    # A forecast allows for errors: of many gaps some look far smaller than they are.
    error = np.sqrt(np.maximum(0.5 / np.maximum(seen.counts, 1) - (0.5 / population if population else 0.0), 0.0))
    slack, margin = (np.where(ahead > 0, np.hypot(ahead, error), ahead) for ahead in (slack, margin))
    if certificate.bets:  # what a bet wins goes by the mean square, the squared distance among it
        slack, margin = slack / np.hypot(1, slack), margin / np.hypot(1, margin)
    fine, out = _blocks(slack, fine_z, population), _blocks(margin, out_z, population)
    np.fill_diagonal(fine, 0.0)
    np.fill_diagonal(out, np.inf)
    rival = out.argmin(axis=1)
    inward, outward = fine.max(axis=1), out[np.arange(len(left)), rival]
    leaving = outward < inward
    needed = np.minimum(outward, inward)
    np.maximum.at(needed, rival[leaving], outward[leaving])
    # Whoever stays has to be told from all others, but only as long as they are there.
    against = np.minimum(fine[~leaving], np.where(leaving, outward, np.inf))
    np.maximum(needed, against.max(axis=0, initial=0.0), out=needed)
    found[left] = needed
    return found


def _blocks(distance: Floats, z: float, population: int | None) -> Floats:
    """Blocks after which a bound of z standard errors is below a distance, given in standard deviations."""
    whole = 0.0 if population is None else 1.0 / population
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / ((np.maximum(distance, 0.0) / z) ** 2 + whole))
