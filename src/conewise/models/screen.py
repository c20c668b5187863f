"""Draw some of very many designs jointly, and bound what the others can change.

A design that a returned one dominates is covered, and as a rival it asks for nothing that the returned one does not ask
for. So it may be left out of the draws. The price is the posterior probability that the returned design does not
dominate it (docs/posterior, section 5). Where there are levels, the price may also be the probability that it meets the
level which it seems to miss most clearly (section 12).

All these bounds are of one kind (`_below`): a margin is divided among the axes, and each axis has its mixture of tails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.models.failures import fronts
from conewise.models.levels import Required
from conewise.models.posterior import Component, Posterior

CORE: Final = 400
"""Designs of which values are drawn jointly, at most."""
FEW: Final = 40
"""So few designs are drawn all of them: leaving some out would save nothing."""
_CANDIDATES: Final = 1000  # designs that are screened when the core is chosen
_COMPONENTS: Final = 1  # components of an objective that choose it
_AT_ONCE: Final = 1000  # designs of which the posterior is worked out at a time


def core(
    posterior: Posterior,
    cone: Cone,
    n_designs: int,
    negligible: float = 0.0,
    most: int | None = None,
    required: Required | None = None,
) -> Indices:
    """Return the designs that are hardest to leave out, by the heaviest components; any choice is valid.

    Left out are designs that the front of the means seems to dominate or that seem to miss a level. Together this is
    wrong with probability `negligible`. The easiest of the other designs go too where they are more than `most` (CORE).
    """
    everyone, most = np.arange(n_designs), CORE if most is None else most
    if n_designs <= (min(FEW, most) if negligible > 0 else most):
        return everyone
    leading = posterior.heaviest(_COMPONENTS)
    means = leading.means(everyone)
    z = cone.facet_values(means)
    shuffled = np.random.default_rng(0).permutation(n_designs)  # ties must not follow the order of the designs
    short = np.full(n_designs, -np.inf)
    if required is not None:
        short = -required.spare(means[None]).least[0]
    front = np.zeros(n_designs, dtype=bool)
    front[short <= 0] = fronts(z[None, short <= 0])[0]
    lag = np.maximum(_lag(z, z[front]), short)
    some = shuffled[np.argsort(lag[shuffled], kind="stable")[:_CANDIDATES]]
    others = some[~front[some]]
    bounds, deviations = dominated(leading, cone, np.flatnonzero(front), others)
    if required is not None:
        unlikely, below = missing(leading, required, others)
        bounds, deviations = np.minimum(bounds, unlikely), np.maximum(deviations, below)
    dear = np.flatnonzero(~affordable(bounds, negligible))
    hardest = dear[np.argsort(deviations[dear], kind="stable")]
    ahead = shuffled[front[shuffled]]
    chosen = np.concatenate([ahead, others[hardest]])[:most]
    return np.sort(chosen if len(chosen) else some[:1])  # at least one design is drawn


def _lag(z: Floats, front: Floats) -> Floats:
    """Return how far each design is from being undominated, (K,): negative where no point of the front is above it."""
    result = np.full(len(z), -np.inf)
    for point in front:
        np.maximum(result, (point - z).min(axis=1), out=result)
    return result


def affordable(bounds: Floats, most: float) -> Bools:
    """Return the designs with the least bounds, (Q,), as many as sum to no more than `most`."""
    order = np.argsort(bounds, kind="stable")
    result = np.zeros(len(bounds), dtype=bool)
    result[order[np.cumsum(bounds[order]) <= most]] = True
    return result


@dataclass(frozen=True, eq=False)
class Screened:
    """Why designs are left out of the draws, and at what price."""

    bounds: Floats  # (Q,): on the posterior probability that the reason is wrong
    missing: Bools  # (Q,): True if the design misses a level, False if a returned design dominates it


def screened(
    posterior: Posterior,
    cone: Cone,
    inside: Indices,
    outside: Indices,
    required: Required | None = None,
    said: Bools | None = None,
) -> Screened:
    """Find for each design outside a reason to leave it out: one inside dominates it, or it misses a level.

    The dominating design is chosen by the means. Under a cone that trades levels away a design that dominates another
    may miss a level which that one meets, so being dominated is no reason there. `said` (Q,) are reasons that are given
    already, True for a missed level; by default it is the surer one.
    """
    bounds, _ = dominated(posterior, cone, inside, outside)
    if required is None:
        return Screened(bounds, np.zeros(len(outside), dtype=bool))
    bounds = bounds if required.keeps else np.ones(len(outside))
    unlikely, _ = missing(posterior, required, outside)
    said = unlikely < bounds if said is None else said
    return Screened(np.where(said, unlikely, bounds), said)


def dominated(posterior: Posterior, cone: Cone, inside: Indices, outside: Indices) -> tuple[Floats, Floats]:
    """Bound the posterior probability that no design inside dominates each one outside, (Q,), and say how clearly.

    The second array is by how many standard deviations each is dominated in the means, along its worst facet.
    """
    bounds, clearly = np.ones(len(outside)), np.full(len(outside), -np.inf)
    facets = cone.facets @ posterior.axes.directions
    for start in range(0, len(outside) if len(inside) else 0, _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        designs = np.concatenate([inside, outside[some]])
        known = _known(posterior, designs)
        middle = [mixture.weights @ means for mixture, (*_, means) in zip(posterior.mixtures, known, strict=True)]
        z = np.column_stack(middle) @ facets.T
        mine, theirs = z[: len(inside)], z[len(inside) :]
        worst = np.full((len(theirs), len(inside)), np.inf)
        for n in range(z.shape[1]):
            np.minimum(worst, mine[None, :, n] - theirs[:, None, n], out=worst)
        ahead = _differences(known, designs, worst.argmax(axis=1), len(inside) + np.arange(len(theirs)))
        each = [_below(posterior, facet, *ahead) for facet in facets]
        bounds[some] = np.minimum(sum(bound for bound, _ in each), 1.0)
        clearly[some] = np.min([by for _, by in each], axis=0)
    return bounds, clearly


def missing(posterior: Posterior, required: Required, designs: Indices) -> tuple[Floats, Floats]:
    """Bound the posterior probability that each design meets its levels, (Q,), and say how clearly it misses one.

    The second array is by how many standard deviations it misses the level that it seems to miss most clearly.
    """
    bounds, clearly = np.ones(len(designs)), np.full(len(designs), -np.inf)
    for start in range(0, len(designs), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        means, spreads = [], []
        for parts, reaches, mean in _known(posterior, designs[some]):
            pairs = zip(parts, reaches, strict=True)
            means.append(mean)
            spreads.append(np.sqrt([part.spread * part.known.variance(designs[some], reach) for part, reach in pairs]))
        for column, least in zip(required.columns, required.least, strict=True):
            bound, by = _below(posterior, -posterior.axes.directions[column], means, spreads, float(least))
            better = by > clearly[some]
            bounds[some], clearly[some] = np.where(better, bound, bounds[some]), np.where(better, by, clearly[some])
    return bounds, clearly


def in_every_way(
    posterior: Posterior, cone: Cone, inside: Bools, designs: Indices, epsilon: float, reach: float
) -> float:
    """Bound the posterior probability to fail at epsilon, whichever component of each axis is the right one.

    By Boole over pairs: a design inside fails against a rival along all facets, so along the surest one; one outside is
    covered by the surest design inside, within `reach` along every facet. A margin is divided among the axes, so the
    worst component of each axis is found by itself, and ways to take one an axis need not be gone through.
    """
    facets, everyone = cone.facets @ posterior.axes.directions, np.arange(len(designs))
    known = _known(posterior, designs)
    total, covered = 0.0, np.full(len(designs), np.inf)
    for one in np.flatnonzero(inside):
        ahead = _differences(known, designs, np.full(len(designs), one), everyone)
        within = [
            _below(posterior, facet, *ahead, epsilon * float(width), worst=True)[0]
            for facet, width in zip(facets, cone.widths, strict=True)
        ]
        total += float(np.minimum(np.min(within, axis=0), 1.0)[everyone != one].sum())
        behind = sum(_below(posterior, facet, *ahead, reach, worst=True)[0] for facet in facets)
        covered = np.minimum(covered, behind)
    return total + float(covered[~inside].sum())


_Known = tuple[tuple[Component, ...], list[tuple[Floats, Floats]], Floats]


def _known(posterior: Posterior, designs: Indices) -> list[_Known]:
    """Return the components of each axis, what averages tell them about the designs, and the means (G, P)."""
    result = []
    for mixture in posterior.mixtures:
        reaches = [part.known.reach(designs) for part in mixture.components]
        means = [part.mean(reach) for part, reach in zip(mixture.components, reaches, strict=True)]
        result.append((mixture.components, reaches, np.array(means)))
    return result


def _differences(
    known: Sequence[_Known], designs: Indices, first: Indices, second: Indices
) -> tuple[list[Floats], list[Floats]]:
    """Return means and standard deviations of differences of two designs each, (G, Q) for each axis."""
    means, spreads = [], []
    for parts, reaches, mean in known:
        means.append(mean[:, first] - mean[:, second])
        pairs = zip(parts, reaches, strict=True)
        variances = [part.spread * part.known.difference(designs, reach, first, second) for part, reach in pairs]
        spreads.append(np.sqrt(variances))
    return means, spreads


def _below(
    posterior: Posterior,
    along: Floats,
    means: Sequence[Floats],
    spreads: Sequence[Floats],
    slack: float = 0.0,
    *,
    worst: bool = False,
) -> tuple[Floats, Floats]:
    """Bound the probability that a combination of the axes is below -slack, (Q,); also by how many sd it is above.

    `means` and `spreads` are (G, Q) for each axis. The margin is divided among the axes in proportion to their standard
    deviations. With `worst` the bound holds for every component of each axis, not only on average over them.
    """
    weights = [mixture.weights for mixture in posterior.mixtures]
    middle = [weight @ mean for weight, mean in zip(weights, means, strict=True)]
    typical = [np.sqrt(weight @ spread**2) for weight, spread in zip(weights, spreads, strict=True)]
    margin = slack + sum(share * mean for share, mean in zip(along, middle, strict=True))
    total = sum(abs(share) * spread for share, spread in zip(along, typical, strict=True))
    bound = np.zeros(len(margin))
    for axis in np.flatnonzero(along).tolist():
        room = margin * np.divide(
            typical[axis], total, out=np.full_like(total, 1 / np.abs(along).sum()), where=total > 0
        )
        deviation = _over(room + np.sign(along[axis]) * (means[axis] - middle[axis]), spreads[axis])
        tails = _tails(posterior.mixtures[axis].components, deviation)
        bound += tails.max(axis=0) if worst else weights[int(axis)] @ tails
    return np.where(margin > 0, np.minimum(bound, 1.0), 1.0), _over(margin, total)


def _over(room: Floats, spread: Floats) -> Floats:
    """Return room / spread, with plus or minus infinity where there is no spread."""
    sure = np.where(room > 0, np.inf, -np.inf)
    return np.asarray(np.divide(room, spread, out=sure, where=spread > 0))


def _tails(components: tuple[Component, ...], deviations: Floats) -> Floats:
    """Return probabilities to fall short by so many deviations, (G, Q), normal or Student's t."""
    from scipy.special import ndtr, stdtr

    shapes = np.array([part.noise_variance[0] for part in components])[:, None]
    return np.asarray(ndtr(-deviations) if np.isinf(shapes).all() else stdtr(2 * shapes, -deviations))
