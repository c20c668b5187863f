"""Certificates to be tested: states made level by level, and claims worked out the slow and obvious way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import conewise as cw
from conewise.certificate.history import Checkpoints
from conewise.certificate.radii import CURVE, LARGEST_ODDS, STEEPNESS
from conewise.certificate.tuning import CONTAIN_PARTS
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown
from conewise.order.directions import cover_at
from conewise.rules import Certificate

ORTHANT = cw.Cone.orthant(2)
CONES = [cw.Cone.orthant(1), ORTHANT, cw.Cone.planar(45), cw.Cone.planar(135), cw.Cone.ice_cream(60, facets=5)]


def certificate(
    cone=ORTHANT, noise=None, n_designs=4, epsilon=0.5, delta=0.1, notion="cover", pilots=False, levels=None, **options
) -> Certificate:
    """Without pilots: all share evenly. `levels` are least values by objective, None for any."""
    columns = () if levels is None else [cw.Objective(f"y{d}", level=level) for d, level in enumerate(levels)]
    question = cw.Question(cone, epsilon, delta, Gaussian(0.5) if noise is None else noise, notion, columns)
    return Certificate(question, n_designs, pilots=pilots, **options)


def nothing(checked: Certificate) -> Checkpoints:
    """Before the first observation."""
    k, dim, radii = checked.n_designs, checked.cone.dim, checked.radii
    return Checkpoints.empty(checked.levels, k, dim, radii.estimates)


def spent_on_bounded(last: int, z: float) -> float:
    """What a boundary of bounded observations spends: an x more for every factor."""
    many = 1 + math.ceil(math.log(LARGEST_ODDS * math.sqrt(last)) / math.log(STEEPNESS))
    return many * math.exp(-(z**2) / 2)


def bounded_radius(scatter: float, count: int, z: float, width: float) -> float:
    """Straight from docs/adaptive, 7: the bound for the largest sum of squares that fits to a scatter."""
    (k, h, c), log, seen = CURVE, z**2 / 2, scatter / width**2
    squares = seen + 0.79 + 0.5 * math.log(2 + 2 * seen)
    return width * log * (k * math.sqrt(2 * (squares / log + h)) + c) / count


def means_at(state: Checkpoints, level: int) -> np.ndarray:
    """(K, D): means at a level, NaN where it was not reached or jumped over."""
    found = np.full((state.statistics.n_designs, state.statistics.dim), np.nan)
    found[state.snapshots[level].designs] = state.snapshots[level].means
    return found


def at_levels(checked: Certificate, means, levels) -> Checkpoints:
    """Design k has reached levels[k] (an index), with these means at every level on the way: noise-free streams."""
    return climbed(checked, [np.tile(mean, (level + 1, 1)) for mean, level in zip(means, levels, strict=True)])


def climbed(checked: Certificate, entries) -> Checkpoints:
    """One entry a level for each design: entries[k] are means of what design k got on the way from level to level."""
    counts = np.array(checked.levels.counts)
    state = nothing(checked)
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


def forgetful(checked: Certificate) -> Certificate:
    """The same question to a certificate that has worked out nothing yet."""
    return replace(checked)


def masks(claims) -> list[list[bool]]:
    return [part.tolist() for part in (claims.beaten, claims.accepted, claims.covered, claims.undecided)]


def sure(claims) -> list[bool]:
    """Of the designs that are left: known to be Pareto optimal when the last radii were chosen."""
    return claims.pairs.standing.sure[claims.left].tolist()


# -- what a claim may spend (docs/adaptive, 3.1 to 3.3), one claim at a time ---------------------------------------


def parts(checked: Certificate, weights=None) -> tuple[float, float]:
    """The parts of delta for "no worse" and for "dominated"; for cover both are whole."""
    whole = checked.for_pairs
    if checked.success == "cover":
        return whole, whole
    fine, out = CONTAIN_PARTS if weights is None else weights.parts
    return whole * fine, whole * out


def tabulated(checked: Certificate, alpha: float, *, out: bool) -> np.ndarray:
    """(L,): z of the largest tabulated probability that is not above this one, for "fine" or for "beaten"."""
    table = (checked.tables.out if out else checked.tables.fine)[0]
    row = 0
    while row + 1 < len(table) and checked.least[out] * np.exp(checked.tables.step * (row + 1)) <= alpha * (1 + 1e-9):
        row += 1
    return table[row]


def fine_boundary(checked: Certificate, unsure: int) -> np.ndarray:
    """(L,): z of "fine" while so many are not sure and all share evenly."""
    number = max(unsure, 1) if checked.success == "contain" else checked.n_designs
    return tabulated(checked, parts(checked)[0] / (number * len(checked.cone.facets)), out=False)


def out_boundary(checked: Certificate, left: int) -> np.ndarray:
    """(L,): z of "beaten" and "covered" while so many are left and all share evenly."""
    k = checked.n_designs
    if checked.success == "cover":
        return tabulated(checked, parts(checked)[1] / (k * (k - 1)), out=True)
    return tabulated(checked, parts(checked)[1] / (left * (k - 1)), out=True)


class Spent:
    """The same by the weights of a pilot."""

    def __init__(self, checked: Certificate, weights) -> None:
        self.checked, self.weights = checked, weights
        self.by_design = weights.fine, weights.out.sum(axis=1)

    def fine(self, i: int, sure: set[int]) -> list[np.ndarray]:
        """One z by level for each facet."""
        part = parts(self.checked, self.weights)[0]
        if self.checked.success == "contain":
            unsure = sum(self.by_design[0][h] for h in range(self.checked.n_designs) if h not in sure)
            part /= max(unsure, self.by_design[0].min())
        facets = len(self.checked.cone.facets)
        return [tabulated(self.checked, part * self.weights.fine[i] / facets, out=False)] * facets

    def out(self, i: int, j: int, live: set[int]) -> np.ndarray:
        alpha = parts(self.checked, self.weights)[1] * self.weights.out[i, j]
        if self.checked.success == "contain":
            alpha /= sum(self.by_design[1][h] for h in live)
        return tabulated(self.checked, alpha, out=True)


def variance(checked: Certificate, state: Checkpoints, design: int, level: int) -> np.ndarray:
    """Along the facets: as assumed, or that of the sample, from all values (bounded) or all but one (normal)."""
    w = checked.cone.facets
    if isinstance(checked.noise, Gaussian) and checked.noise.covariance(w.shape[1]).ndim == 3:
        return np.array([u @ checked.noise.covariance(w.shape[1])[design] @ u for u in w])
    if not isinstance(checked.noise, Bounded | GaussianUnknown):
        return checked.noise.scales(w) ** 2
    snapshot, n = state.snapshots[level], checked.levels.counts[level]
    scatter = snapshot.scatters[snapshot.designs.tolist().index(design)]
    seen = np.maximum([u @ scatter @ u for u in w], 0)
    return seen / (n - 1 if isinstance(checked.noise, GaussianUnknown) else n)


def met(checked: Certificate, state: Checkpoints, i: int, j: int, z: np.ndarray):
    """Gains and radii at the highest common level."""
    cone, counts = checked.cone, checked.levels.counts
    level = min(state.reached[i], state.reached[j])
    if level < 0:
        return None
    gain = cone.facets @ (means_at(state, level)[j] - means_at(state, level)[i])
    share = (variance(checked, state, i, level) + variance(checked, state, j, level)) / counts[level]
    if isinstance(checked.noise, Bounded):
        each = zip(share * counts[level] ** 2, 2 * checked.noise.scales(cone.facets), strict=True)
        return gain, np.array([bounded_radius(scatter, counts[level], z[level], width) for scatter, width in each])
    return gain, z[level] * np.sqrt(share)


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


def covered_at(checked: Certificate, state: Checkpoints, i: int, j: int, z: np.ndarray) -> float:
    """The epsilon from which j covers i; infinite before they have met."""
    pair = met(checked, state, i, j, z)
    if pair is None:
        return math.inf
    level = min(state.reached[i], state.reached[j])
    reach = None
    if not isinstance(checked.noise, Bounded):
        both = widest(checked, state, i, level) + widest(checked, state, j, level)
        reach = np.array([z[level] * math.sqrt(both)])
    return float(cover_at(checked.cone, pair[0][:, None], pair[1][:, None], reach)[0])


def least_values(checked: Certificate) -> dict[int, float]:
    """The levels of a question by objective."""
    return {d: o.level for d, o in enumerate(checked.question.columns.each) if o.level is not None}


def levels_known(checked: Certificate, state: Checkpoints, design: int) -> tuple[list[float], list[float]]:
    """What is certain of each level of a design: by how much its mean is above it at least, and at most."""
    axes, lower, upper = np.eye(checked.cone.dim), [], []
    for d, least in least_values(checked).items():
        low, high = -math.inf, math.inf
        for level in (last for last in [state.reached[design]] if last >= 0):
            mean, count, noise = means_at(state, level)[design, d], checked.levels.counts[level], checked.noise
            if isinstance(noise, Bounded | GaussianUnknown):
                snapshot = state.snapshots[level]
                seen = snapshot.scatters[snapshot.designs.tolist().index(design)][d, d]
            radii = []
            for z in checked.level_boundary[:, 0, level]:
                if isinstance(noise, GaussianUnknown):
                    radii.append(z * math.sqrt(seen / (count - 1) / count))
                elif isinstance(noise, Bounded):
                    radii.append(bounded_radius(seen, count, z, 2 * float(noise.scales(axes[d]))))
                elif isinstance(noise, Gaussian) and noise.covariance(checked.cone.dim).ndim == 3:
                    radii.append(z * math.sqrt(noise.covariance(checked.cone.dim)[design][d, d] / count))
                else:
                    radii.append(z * float(noise.scales(axes[d])) / math.sqrt(count))
            low, high = mean - radii[0] - least, mean + radii[1] - least
        lower.append(low)
        upper.append(high)
    return lower, upper


def upward(checked: Certificate) -> bool:
    """Whether no direction of improvement trades a level away: every ray keeps the objectives that have one."""
    return all(checked.cone.rays[:, d].min() >= -1e-12 for d in least_values(checked))


def twin(checked: Certificate, state: Checkpoints, epsilon: float) -> list[list[bool]]:
    """The definitions of docs/adaptive, one pair and one direction at a time."""
    known = [levels_known(checked, state, design) for design in range(checked.n_designs)]
    missing = {i for i, (_, high) in enumerate(known) if min(high, default=0.0) < 0}
    strikers = {i for i, (low, _) in enumerate(known) if upward(checked) or min(low, default=0.0) >= 0}
    spared = checked.success == "contain" and not upward(checked)

    def meets(i, at):
        return min(known[i][0], default=0.0) >= -at

    def counts(j, at):
        return not spared or min(known[j][1]) > at

    k, cone, facets = checked.n_designs, checked.cone, len(checked.cone.facets)
    stepwise, spent = checked.success == "contain", None if state.weights is None else Spent(checked, state.weights)

    def boundary(i, j):
        return out_boundary(checked, len(live)) if spent is None else spent.out(i, j, live)

    def out(i, j):
        pair = met(checked, state, i, j, boundary(i, j))
        return [] if pair is None else [pair]

    def fine(i, j, at, strictly=False):
        bounds = [fine_boundary(checked, k - len(sure))] * facets if spent is None else spent.fine(i, sure)
        pairs = [met(checked, state, i, j, z) for z in bounds]
        if None in pairs:
            return False
        over = np.array([pair[0][n] + pair[1][n] - at * cone.widths[n] for n, pair in enumerate(pairs)])
        return bool((over < 0).any() if strictly else (over <= 0).any())

    live, sure = set(range(k)) - missing, set()
    while live:
        while True:
            struck = {
                i
                for i in live
                for j in (live & strikers) - {i}
                for gain, radius in out(i, j)
                if (gain >= radius).all() and (gain > 0).any()
            }
            if not struck or struck == live:
                break
            live = live - struck
        marked = {
            i for i in live if stepwise and meets(i, 0.0) and all(fine(i, j, 0.0, strictly=True) for j in live - {i})
        }
        if len(marked) <= len(sure):
            break
        sure = marked
    accepted = {
        i for i in live if meets(i, epsilon) and all(fine(i, j, epsilon) for j in live - {i} if counts(j, epsilon))
    }
    covered = set()
    if checked.success == "cover":
        for i in live - accepted:
            for j in accepted:
                if covered_at(checked, state, i, j, boundary(i, j)) <= epsilon:
                    covered.add(i)
    chosen = [set(range(k)) - live - missing, accepted, covered, live - accepted - covered]
    return [[design in part for design in range(k)] for part in chosen]
