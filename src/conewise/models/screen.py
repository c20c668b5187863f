"""Very many designs: joint draws of some of them, and a bound for all others.

A design that a returned one dominates is covered, and as a rival it asks for nothing that the returned one does not ask
for. So a design may be left out of the draws at the price of the posterior probability that the returned design which
seems to dominate it most clearly does not (docs/posterior, section 5). Where there are levels, the price may also be
the probability that it meets the one which it seems to miss most clearly (section 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
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
    """The designs that are hardest to leave out, as far as the heaviest components can tell; any choice is valid.

    Left out are those that the front of the means dominates, as it seems, or that seem to miss a level, but for a
    probability of `negligible` together; and the easiest of the others where they are more than `most` (CORE).
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
    front[short <= 0] = _front(z[short <= 0])
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
    return np.sort(chosen if len(chosen) else some[:1])  # somebody has to be looked at


def affordable(bounds: Floats, most: float) -> Bools:
    """(Q,): the designs with the least bounds, as many as sum to no more than `most`."""
    order = np.argsort(bounds, kind="stable")
    result = np.zeros(len(bounds), dtype=bool)
    result[order[np.cumsum(bounds[order]) <= most]] = True
    return result


@dataclass(frozen=True, eq=False)
class Screened:
    """Why designs are left out of the draws, and at what price."""

    bounds: Floats
    """(Q,): on the posterior probability that the reason is wrong."""
    missing: Bools
    """(Q,): whether it is that the design misses a level, and not that a returned one dominates it."""


def screened(
    posterior: Posterior,
    cone: Cone,
    inside: Indices,
    outside: Indices,
    required: Required | None = None,
    said: Bools | None = None,
) -> Screened:
    """For each design outside a reason to leave it out: one inside dominates it, or it misses a level.

    One of those inside is chosen for each by the means. The margin along a facet is divided among the axes, and each
    axis has its mixture of tails. Under a cone that trades levels away a design that dominates another may miss a level
    which that one meets, so there nobody is left out for being dominated. `said` (Q,) are reasons that are given
    already, whether each misses a level; else it is the surer one.
    """
    bounds, _ = dominated(posterior, cone, inside, outside)
    if required is None:
        return Screened(bounds, np.zeros(len(outside), dtype=bool))
    bounds = bounds if required.keeps else np.ones(len(outside))
    unlikely, _ = missing(posterior, required, outside)
    said = unlikely < bounds if said is None else said
    return Screened(np.where(said, unlikely, bounds), said)


def dominated(posterior: Posterior, cone: Cone, inside: Indices, outside: Indices) -> tuple[Floats, Floats]:
    """(Q,) twice: a bound on the posterior probability that no design inside dominates, and how clearly one does.

    That is by how many standard deviations each is dominated in the means; 0 or less where it is not.
    """
    if not len(outside):
        return np.zeros(0), np.zeros(0)
    if not len(inside):
        return np.ones(len(outside)), np.full(len(outside), -np.inf)
    starts = range(0, len(outside), _AT_ONCE)
    parts = [_dominated(posterior, cone, inside, outside[at : at + _AT_ONCE]) for at in starts]
    return np.concatenate([bounds for bounds, _ in parts]), np.concatenate([deviations for _, deviations in parts])


def _dominated(posterior: Posterior, cone: Cone, inside: Indices, outside: Indices) -> tuple[Floats, Floats]:
    designs = np.concatenate([inside, outside])
    reaches = [[part.known.reach(designs) for part in mixture.components] for mixture in posterior.mixtures]
    each = [
        np.array([part.mean(reach) for part, reach in zip(mixture.components, some, strict=True)])
        for mixture, some in zip(posterior.mixtures, reaches, strict=True)
    ]
    middle = np.column_stack([mixture.weights @ means for mixture, means in zip(posterior.mixtures, each, strict=True)])
    facets = cone.facets @ posterior.axes.directions
    z = middle @ facets.T
    mine, theirs = z[: len(inside)], z[len(inside) :]
    worst = np.full((len(outside), len(inside)), np.inf)
    for n in range(z.shape[1]):
        np.minimum(worst, mine[None, :, n] - theirs[:, None, n], out=worst)
    over = worst.argmax(axis=1)
    rows = len(inside) + np.arange(len(outside))
    spreads = [
        np.sqrt(
            [
                part.spread * _contrast(part, designs, reach, over, rows)
                for part, reach in zip(mixture.components, some, strict=True)
            ]
        )
        for mixture, some in zip(posterior.mixtures, reaches, strict=True)
    ]
    typical = np.column_stack(
        [np.sqrt(mixture.weights @ spread**2) for mixture, spread in zip(posterior.mixtures, spreads, strict=True)]
    )
    margins = z[over] - z[rows]
    result, least = np.zeros(len(outside)), np.full(len(outside), np.inf)
    for n, facet in enumerate(facets):
        total = typical @ np.abs(facet)
        with np.errstate(invalid="ignore", divide="ignore"):
            np.fmin(least, margins[:, n] / total, out=least)
        for axis, mixture in enumerate(posterior.mixtures):
            if facet[axis] == 0:
                continue
            with np.errstate(invalid="ignore", divide="ignore"):
                slack = np.where(total > 0, margins[:, n] * typical[:, axis] / total, margins[:, n])
            shift = np.sign(facet[axis]) * (each[axis][:, over] - each[axis][:, rows])
            shift -= np.sign(facet[axis]) * (middle[over, axis] - middle[rows, axis])
            with np.errstate(invalid="ignore", divide="ignore"):
                deviation = (slack + shift) / spreads[axis]
            deviation = np.where(spreads[axis] > 0, deviation, np.where(slack + shift > 0, np.inf, -np.inf))
            result += mixture.weights @ _tails(mixture.components, deviation)
        result[margins[:, n] <= 0] = 1.0
    return np.minimum(result, 1.0), least


def in_every_way(
    posterior: Posterior, cone: Cone, inside: Bools, designs: Indices, epsilon: float, reach: float
) -> float:
    """A bound on the posterior probability to fail at epsilon, whichever component of each axis is the right one.

    By Boole over pairs: a design inside fails against a rival along all facets, so along the surest one; one outside is
    covered by the surest design inside, within `reach` along every facet. A margin is divided among the axes, so the
    worst component of each axis is found by itself, and ways to take one an axis need not be gone through.
    """
    facets, everyone = cone.facets @ posterior.axes.directions, np.arange(len(designs))
    known = [[(part, part.known.reach(designs)) for part in mixture.components] for mixture in posterior.mixtures]
    means = [np.array([part.mean(found) for part, found in some]) for some in known]
    total, covered = 0.0, np.full(len(designs), np.inf)
    for one in np.flatnonzero(inside):
        over = np.full(len(designs), one)
        ahead = [each[:, [one]] - each for each in means]
        spreads = [
            np.sqrt([part.spread * _contrast(part, designs, found, over, everyone) for part, found in some])
            for some in known
        ]
        best, rest = np.ones(len(designs)), np.zeros(len(designs))
        for n, facet in enumerate(facets):
            parts = (posterior, facet, ahead, spreads)
            best = np.minimum(best, _worst(*parts, epsilon * float(cone.widths[n])))
            rest += _worst(*parts, reach)
        total += float(best[everyone != one].sum())
        covered = np.minimum(covered, rest)
    return total + float(covered[~inside].sum())


def _worst(posterior: Posterior, facet: Floats, ahead: list[Floats], spreads: list[Floats], slack: float) -> Floats:
    """(A,): a bound on the probability to be behind by more than `slack` along a facet, in whatever way."""
    weights = [mixture.weights for mixture in posterior.mixtures]
    middle = [weight @ some for weight, some in zip(weights, ahead, strict=True)]
    typical = [np.sqrt(weight @ some**2) for weight, some in zip(weights, spreads, strict=True)]
    margin = slack + sum(share * some for share, some in zip(facet, middle, strict=True))
    whole = sum(abs(share) * some for share, some in zip(facet, typical, strict=True))
    result = np.zeros(len(margin))
    for axis in np.flatnonzero(facet):
        room = margin * np.divide(typical[axis], whole, out=np.zeros_like(margin), where=whole > 0)
        room = room + np.sign(facet[axis]) * (ahead[axis] - middle[axis])
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.where(spreads[axis] > 0, room / spreads[axis], np.where(room > 0, np.inf, -np.inf))
        result += _tails(posterior.mixtures[axis].components, deviation).max(axis=0)
    return np.where(margin > 0, np.minimum(result, 1.0), 1.0)


def missing(posterior: Posterior, required: Required, designs: Indices) -> tuple[Floats, Floats]:
    """(Q,) twice: a bound on the posterior probability that each design meets its levels, and how clearly it does not.

    At the level that it seems to miss most clearly, by that many standard deviations; the margin is divided among the
    axes as above.
    """
    bounds, clearly = np.ones(len(designs)), np.full(len(designs), -np.inf)
    for start in range(0, len(designs), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        for column, least in zip(required.columns, required.least, strict=True):
            bound, below = _missing(posterior, posterior.axes.directions[column], float(least), designs[some])
            better = below > clearly[some]
            bounds[some], clearly[some] = np.where(better, bound, bounds[some]), np.where(better, below, clearly[some])
    return bounds, clearly


def _missing(posterior: Posterior, along: Floats, least: float, designs: Indices) -> tuple[Floats, Floats]:
    """Of one objective, which is the combination `along` (D,) of the axes."""
    axes = np.flatnonzero(along)
    means, spreads = [], []
    for axis in axes:
        parts = posterior.mixtures[axis].components
        reaches = [part.known.reach(designs) for part in parts]
        means.append(np.array([part.mean(reach) for part, reach in zip(parts, reaches, strict=True)]))
        variances = [
            part.spread * part.known.variance(designs, reach) for part, reach in zip(parts, reaches, strict=True)
        ]
        spreads.append(np.sqrt(variances))
    weights = [posterior.mixtures[axis].weights for axis in axes]
    middle = np.array([weight @ mean for weight, mean in zip(weights, means, strict=True)])
    typical = np.array([np.sqrt(weight @ spread**2) for weight, spread in zip(weights, spreads, strict=True)])
    margin, total = least - along[axes] @ middle, np.abs(along[axes]) @ typical
    bound = np.zeros(len(designs))
    for place, axis in enumerate(axes):
        # Along the axis, in the sense in which more meets the level.
        sense = np.sign(along[axis])
        slack = margin * np.divide(typical[place], total, out=np.ones_like(total), where=total > 0)
        beyond = slack - sense * (means[place] - middle[place])
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = beyond / spreads[place]
        deviation = np.where(spreads[place] > 0, deviation, np.where(beyond > 0, np.inf, -np.inf))
        bound += weights[place] @ _tails(posterior.mixtures[axis].components, deviation)
    with np.errstate(invalid="ignore", divide="ignore"):
        below = np.where(total > 0, margin / total, np.where(margin > 0, np.inf, -np.inf))
    return np.minimum(np.where(margin > 0, bound, 1.0), 1.0), below


def _tails(components: tuple[Component, ...], deviations: Floats) -> Floats:
    """(G, Q): probabilities to fall short by so many deviations, normal or Student's t."""
    from scipy.special import ndtr, stdtr

    shapes = np.array([part.noise_variance[0] for part in components])[:, None]
    return np.asarray(ndtr(-deviations) if np.isinf(shapes).all() else stdtr(2 * shapes, -deviations))


def _contrast(
    part: Component, designs: Indices, reach: tuple[Floats, Floats], first: Indices, second: Indices
) -> Floats:
    """(Q,): variances of differences of two designs each."""
    v, left = reach
    moved, gone = v[:, first] - v[:, second], left[first] - left[second]
    return part.known.difference(designs[first], designs[second], moved, gone)


def _front(z: Floats) -> Bools:
    """The designs that none of the others is at least as good as along all facets and better along one."""
    from conewise.order.dominance import pareto_mask

    if not len(z):
        return np.zeros(0, dtype=bool)
    return np.asarray(pareto_mask(z, Cone.orthant(z.shape[1])))


def _lag(z: Floats, front: Floats) -> Floats:
    """(K,): how far each is from being undominated: negative where no point of the front is above it."""
    result = np.full(len(z), -np.inf)
    for point in front:
        np.maximum(result, (point - z).min(axis=1), out=result)
    return result
