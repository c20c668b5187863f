"""Certificates to be tested: states made level by level, and claims worked out the slow and obvious way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import conewise as cw
from conewise.algorithms import Certificate
from conewise.certificate.history import Checkpoints
from conewise.directions import cover_at
from conewise.feedback import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown

from .recounts import Counted

ORTHANT = cw.Cone.orthant(2)
CONES = [cw.Cone.orthant(1), ORTHANT, cw.Cone.planar(45), cw.Cone.planar(135), cw.Cone.ice_cream(60, facets=5)]


def certificate(
    cone=ORTHANT, noise=None, n_designs=4, epsilon=0.5, delta=0.1, notion="cover", **options
) -> Certificate:
    question = cw.Question(cone, epsilon, delta, Gaussian(0.5) if noise is None else noise, notion)
    return Certificate(question, n_designs, **options)


def at_levels(checked: Certificate, means, levels) -> Checkpoints:
    """Design k has reached levels[k] (an index), with these means at every level on the way: noise-free streams."""
    return climbed(checked, [np.tile(mean, (level + 1, 1)) for mean, level in zip(means, levels, strict=True)])


def climbed(checked: Certificate, entries) -> Checkpoints:
    """One entry a level for each design: entries[k] are means of what design k got on the way from level to level."""
    counts = np.array(checked.levels.counts)
    state = Checkpoints.empty(checked.levels, checked.n_designs, checked.cone.dim, checked.radii.estimates)
    designs = np.repeat(np.arange(len(entries)), [len(part) for part in entries])
    steps = np.concatenate([np.diff(counts[: len(part)], prepend=0) for part in entries])
    return state.add(Observations(designs, np.vstack(entries), steps))


def random_state(checked: Certificate, seed: int, spread: float = 1.0) -> Checkpoints:
    """Noisy designs, each at a level of its own."""
    rng = np.random.default_rng(seed)
    k, dim = checked.n_designs, checked.cone.dim
    means = rng.normal(size=(k, dim)) * spread
    counts, entries = np.array(checked.levels.counts), []
    for mean in means:
        steps = np.diff(counts[: rng.integers(len(counts)) + 1], prepend=0)
        entries.append(mean + rng.normal(size=(len(steps), dim)) * 0.5 / np.sqrt(steps)[:, None])
    return climbed(checked, entries)


def forgetful(state: Checkpoints) -> Checkpoints:
    """The same checkpoints without anything that was worked out of them."""
    return replace(state, known={}, snapshots=tuple(replace(part, known={}) for part in state.snapshots))


def masks(claims) -> list[list[bool]]:
    return [part.tolist() for part in (claims.beaten, claims.accepted, claims.covered, claims.undecided)]


def variance(checked: Certificate, state: Checkpoints, design: int, level: int) -> np.ndarray:
    """Along the facets: as assumed, that of the sample, or the bound of Maurer & Pontil from it."""
    w, k = checked.cone.facets, checked.n_designs
    if isinstance(checked.noise, Gaussian) and checked.noise.covariance(w.shape[1]).ndim == 3:
        return np.array([u @ checked.noise.covariance(w.shape[1])[design] @ u for u in w])
    if not isinstance(checked.noise, Bounded | GaussianUnknown):
        return checked.noise.scales(w) ** 2
    snapshot, n = state.snapshots[level], checked.levels.counts[level]
    scatter = snapshot.scatters[snapshot.designs.tolist().index(design)]
    seen = np.array([u @ scatter @ u for u in w]) / (n - 1)
    if isinstance(checked.noise, GaussianUnknown):
        return np.maximum(seen, 0)
    reach = math.sqrt(2 * math.log(k * len(w) * len(checked.levels.counts) / (0.1 * checked.delta)) / (n - 1))
    width = 2 * checked.noise.scales(w)
    return np.minimum((np.sqrt(np.maximum(seen, 0)) + width * reach) ** 2, width**2 / 4)


def met(checked: Certificate, state: Checkpoints, i: int, j: int, offset: int, z: np.ndarray):
    """Gains and radii at the highest level at which j is `offset` levels ahead."""
    cone, counts = checked.cone, checked.levels.counts
    level = min(state.reached[i], state.reached[j] - offset)
    if level < 0:
        return None
    gain = cone.facets @ (state.means_at(level + offset)[j] - state.means_at(level)[i])
    share = variance(checked, state, i, level) / counts[level]
    share = share + variance(checked, state, j, level + offset) / counts[level + offset]
    radius = z[level] * np.sqrt(share)
    if isinstance(checked.noise, Bounded):
        radius = radius + z[level] ** 2 / 6 * 2 * checked.noise.scales(cone.facets) / counts[level]
    return gain, radius


def widest(checked: Certificate, state: Checkpoints, design: int, level: int) -> float:
    """The variance of a mean along the noisiest direction."""
    noise, dim, count = checked.noise, checked.cone.dim, checked.levels.counts[level]
    if isinstance(noise, GaussianUnknown):
        snapshot = state.snapshots[level]
        covariance = snapshot.scatters[snapshot.designs.tolist().index(design)] / (count - 1)
    elif isinstance(noise, Gaussian):
        covariance = noise.covariance(dim)
        covariance = covariance[design] if covariance.ndim == 3 else covariance
    else:
        covariance = noise.largest_scale(dim) ** 2 * np.eye(dim)
    return float(np.linalg.eigvalsh(covariance)[-1]) / count


def covered_at(checked: Certificate, state: Checkpoints, i: int, j: int, offset: int, z: np.ndarray) -> float:
    """The epsilon from which j covers i on this list; infinite before they have met."""
    pair = met(checked, state, i, j, offset, z)
    if pair is None:
        return math.inf
    level = min(state.reached[i], state.reached[j] - offset)
    reach = None
    if not isinstance(checked.noise, Bounded):
        both = widest(checked, state, i, level) + widest(checked, state, j, level + offset)
        reach = np.array([z[level] * math.sqrt(both)])
    return float(cover_at(checked.cone, pair[0][:, None], pair[1][:, None], reach)[0])


def twin(checked: Certificate, state: Checkpoints, epsilon: float, anew: bool = True) -> list[list[bool]]:
    """The definitions of docs/adaptive, one pair and one direction at a time.

    If not `anew`, exact identification as if 3.2 were all there is, with the parts of delta of 3.3.
    """
    k, cone = checked.n_designs, checked.cone
    stepwise = checked.notion == "contain"
    anew = anew and stepwise and checked.recount is not None

    def boundary(which, by_sure):
        if anew and by_sure:
            return by_sure_anew[which]
        return checked.out_boundary(len(live), which, by_sure=by_sure)

    def offsets():
        apart = state.reached[list(live)].max() - state.reached[list(live)].min()
        return [(k, offset) for k, offset in enumerate(checked.offsets) if offset <= 2 * apart]

    def out(i, j):
        seen = [
            met(checked, state, i, j, offset, boundary(k, by_sure))
            for k, offset in offsets()
            for by_sure in ([False, True] if j in sure else [False])
        ]
        return [pair for pair in seen if pair is not None]

    def fine(i, j, at, strictly=False):
        if anew and counted.won(i, j):
            return True
        pair = met(checked, state, i, j, 0, checked.fine_boundary(k - known))
        if pair is None:
            return False
        over = pair[0] + pair[1] - at * cone.widths
        return bool((over < 0).any() if strictly else (over <= 0).any())

    live, sure, known = set(range(k)), set(), 0
    while True:
        while True:
            counted = Counted(checked, state, live, sure) if anew else None
            by_sure_anew = counted.by_sure() if anew and sure else None
            struck = {
                i
                for i in live
                for j in live - {i}
                for gain, radius in out(i, j)
                if (gain >= radius).all() and (gain > 0).any()
            }
            live = live - struck
            if not struck:
                break
        marked = {i for i in live if stepwise and all(fine(i, j, 0.0, strictly=True) for j in live - {i})}
        if len(marked) <= known:
            break
        sure, known = marked, len(marked)
    accepted = {i for i in live if all(fine(i, j, epsilon) for j in live - {i})}
    covered = set()
    if checked.notion == "cover":
        for i in live - accepted:
            for j in accepted:
                for k_list, offset in offsets():
                    if covered_at(checked, state, i, j, offset, boundary(k_list, False)) <= epsilon:
                        covered.add(i)
    chosen = [set(range(k)) - live, accepted, covered, live - accepted - covered]
    return [[design in part for design in range(k)] for part in chosen]
