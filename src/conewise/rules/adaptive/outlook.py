"""Forecast from the averages how many blocks would settle the open questions; never a claim.

Take a pair and a facet with gain d and standard deviation s of the differences. A bound of z standard errors is narrow
enough after g blocks, where d = z s sqrt(1 / g - 1 / Q). So 1 / g = (d / (z s))^2 + 1 / Q: never more than all Q.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.paired import Paired, Prefixes
from conewise.certificate.claims import Claims
from conewise.certificate.radii import sample_variances
from conewise.certificate.rounding import never_varied

_TINY: Final = 1e-100


def reading_targets(certificate: Paired, state: Prefixes, epsilon: float, gone: Bools) -> Floats:
    """Return up to which block each design should read so that everything is settled at epsilon; 0 for designs gone.

    The target is infinite if no number of blocks would do. Each design left must have met a rival on two blocks.
    """
    found, left = np.zeros(len(gone)), np.flatnonzero(~gone)
    if not len(left):
        return found
    fine, out = _costs(certificate, state, epsilon, left, careful=True)
    rival = out.argmin(axis=1)
    inward, outward = fine.max(axis=1), out[np.arange(len(left)), rival]
    leaving = outward < inward
    needed = np.minimum(outward, inward)
    np.maximum.at(needed, rival[leaving], outward[leaving])
    # A design that stays has to be compared with all other designs, but only as long as they are left.
    against = np.minimum(fine[~leaving], np.where(leaving, outward, np.inf))
    np.maximum(needed, against.max(axis=0, initial=0.0), out=needed)
    found[left] = needed
    return found


def decisive(certificate: Paired, state: Prefixes, epsilon: float, claims: Claims) -> Bools:
    """Return the designs on which the cheaper way to settle some undecided design depends, (K,).

    An undecided design can be settled in two ways. Either its best rival dominates or covers it. Or it is no worse than
    every rival against which that is still open.
    """
    left, needed = claims.left, np.zeros(certificate.n_designs, dtype=bool)
    assert claims.no_worse_at is not None
    fine, out = _costs(certificate, state, epsilon, left, careful=False)
    open_ = claims.no_worse_at > epsilon
    fine[~open_] = 0.0
    rows = np.flatnonzero(claims.undecided[left])
    rival = out[rows].argmin(axis=1)
    leaving = out[rows, rival] < fine[rows].max(axis=1)
    needed[left[rows]] = needed[left[rival[leaving]]] = True
    needed[left] |= open_[rows[~leaving]].any(axis=0)
    return needed


def _costs(
    certificate: Paired, state: Prefixes, epsilon: float, left: Indices, *, careful: bool
) -> tuple[Floats, Floats]:
    """Return after how many blocks each design is no worse than another, and is out by it, (L, L).

    Judged by the averages; if `careful`, with an allowance for their errors.
    """
    cone, population = certificate.cone, certificate.population
    fine_z, out_z = certificate.deviations(state, left)
    gains, spreads, counts = _seen(certificate, state, left)
    slack = ((epsilon * cone.widths - gains) / spreads).max(axis=2)
    bonus = 0.0
    if certificate.success == "cover":
        bonus = epsilon / float(cone.lift_norms(np.ones((len(cone.facets), 1)), non_negative=True)[0])
    margin = ((gains + bonus) / spreads).min(axis=2)
    if careful:  # of many gaps some look far smaller than they are
        error = np.sqrt(np.maximum(0.5 / np.maximum(counts, 1) - (0.5 / population if population else 0.0), 0.0))
        slack, margin = (np.where(ahead > 0, np.hypot(ahead, error), ahead) for ahead in (slack, margin))
    if certificate.bets:  # the gain of a bet depends on the mean square, which includes the squared distance
        slack, margin = slack / np.hypot(1, slack), margin / np.hypot(1, margin)
    fine, out = _blocks(slack, fine_z, population), _blocks(margin, out_z, population)
    np.fill_diagonal(fine, 0.0)
    np.fill_diagonal(out, np.inf)
    return fine, out


def _seen(certificate: Paired, state: Prefixes, left: Indices) -> tuple[Floats, Floats, Floats]:
    """Return gains and standard deviations of differences along the facets, (L, L, N), and how often pairs have met."""
    cone = certificate.cone
    if not certificate.independent:
        never = np.where(never_varied(certificate.kinds.noise, state.statistics), np.inf, 0.0)
        seen = Differences.of(state.values[left], cone.facets, never, certificate.population)
        return seen.gains, np.maximum(seen.spreads[:, :, :-1], _TINY), seen.counts
    part = state.statistics.of(left)
    counts, values = part.counts.astype(np.float64), cone.facet_values(part.means)
    # A design whose values are all alike may still vary: one more value as far off as can be.
    own = sample_variances(cone.facets, part.scatters, counts) + certificate.reaches**2 / counts[:, None] ** 2
    spreads = np.sqrt(own[None, :, :] + own[:, None, :])
    return values[None, :, :] - values[:, None, :], spreads, np.minimum(counts[None, :], counts[:, None])


def _blocks(distance: Floats, z: Floats, population: int | None) -> Floats:
    """Return the blocks after which a bound of z standard errors is below a distance, given in standard deviations."""
    whole = 0.0 if population is None else 1.0 / population
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / ((np.maximum(distance, 0.0) / z) ** 2 + whole))
