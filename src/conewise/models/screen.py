"""Very many designs: joint draws of some of them, and a bound for all others.

A design that a returned one dominates is covered, and as a rival it asks for nothing that the returned one does not ask
for. So a design may be left out of the draws at the price of the posterior probability that the returned design which
seems to dominate it most clearly does not (docs/posterior, section 5).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.cones import Cone
from conewise.models.posterior import Component, Posterior

CORE: Final = 400
"""Designs of which values are drawn jointly; all of them where there are no more."""
_CANDIDATES: Final = 1000  # designs whose spread is looked at when the core is chosen
_COMPONENTS: Final = 1  # components of an objective that choose it
_OPTIMISM: Final = 3.0  # standard deviations
_AT_ONCE: Final = 1000  # designs of which the posterior is worked out at a time


def core(posterior: Posterior, cone: Cone, n_designs: int) -> Indices:
    """The designs that are hardest to leave out, as far as a few components can tell; any choice is valid."""
    if n_designs <= CORE:
        return np.arange(n_designs)
    everyone = np.arange(n_designs)
    leading = [_leading(mixture.components, mixture.weights) for mixture in posterior.mixtures]
    means = np.column_stack([_average(parts, everyone) for parts in leading]) @ posterior.axes.directions.T
    z = cone.facet_values(means)
    shuffled = np.random.default_rng(0).permutation(n_designs)  # ties must not follow the order of the designs
    front = _front(z)
    lag = _lag(z, z[front])
    some = np.sort(shuffled[np.argsort(lag[shuffled], kind="stable")[:_CANDIDATES]])
    variances = np.column_stack([_spread(parts, some) for parts in leading])
    spread = np.sqrt(variances @ ((cone.facets @ posterior.axes.directions) ** 2).T)
    order = np.argsort(_lag(z[some] + _OPTIMISM * spread, z[front]), kind="stable")
    return np.sort(some[order[:CORE]])


def screened(posterior: Posterior, cone: Cone, inside: Indices, outside: Indices) -> Floats:
    """(Q,): for each design outside a bound on the posterior probability that none of those inside dominates it.

    One of those inside is chosen for each by the means. The margin along a facet is divided among the axes, and each
    axis has its mixture of tails.
    """
    if not len(outside):
        return np.zeros(0)
    if not len(inside):
        return np.ones(len(outside))
    parts = [
        np.concatenate([_screened(posterior, cone, inside, outside[at : at + _AT_ONCE])])
        for at in range(0, len(outside), _AT_ONCE)
    ]
    return np.concatenate(parts)


def _screened(posterior: Posterior, cone: Cone, inside: Indices, outside: Indices) -> Floats:
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
    result = np.zeros(len(outside))
    for n, facet in enumerate(facets):
        total = typical @ np.abs(facet)
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
    return np.minimum(result, 1.0)


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


def _leading(components: tuple[Component, ...], weights: Floats) -> tuple[Component, ...]:
    return tuple(components[g] for g in np.argsort(-weights, kind="stable")[:_COMPONENTS])


def _average(parts: tuple[Component, ...], designs: Indices) -> Floats:
    return np.asarray(np.mean([part.mean_alone(designs) for part in parts], axis=0))


def _spread(parts: tuple[Component, ...], designs: Indices) -> Floats:
    each = [part.spread * part.known.variance(designs, part.known.reach(designs)) for part in parts]
    return np.asarray(np.mean(each, axis=0))


def _front(z: Floats) -> Bools:
    """The designs that none of the others is at least as good as along all facets and better along one."""
    from conewise.order import pareto_mask

    return np.asarray(pareto_mask(z, Cone.orthant(z.shape[1])))


def _lag(z: Floats, front: Floats) -> Floats:
    """(K,): how far each is from being undominated: negative where no point of the front is above it."""
    result = np.full(len(z), -np.inf)
    for point in front:
        np.maximum(result, (point - z).min(axis=1), out=result)
    return result
