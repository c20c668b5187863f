"""Fix a schedule of looks at the data, and how far a comparison may err at each look (docs/adaptive, 2).

Designs are compared on the means of their first g observations, for g on a fixed list of levels. For one pair and one
direction, a boundary z_1, z_2, ... is exceeded by the error, in standard deviations, *at any level* with probability at
most alpha. Any sampling rule may be used, and looking costs nothing more.

For normal noise the errors at the levels form a Markov chain. The chance to have stayed below the boundary so far is
carried from look to look, as in group sequential trials (Armitage, McPherson & Rowe 1969). Other noise has no joint law
to use, so every look has a share of alpha.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from conewise.border import Floats, Indices

GROWTH: Final = 1.08
"""Ratio of two levels. Finer levels cost time to decide, coarser ones cost observations."""
FIRST_LEVEL: Final = 8
"""The first look comes at this many observations, earlier where a few are enough to decide everything."""
FIRST_SHARE: Final = 1 / 500
"""... namely at this share of the count at which near-ties are decided."""
BEYOND_ANCHOR: Final = 0.6
"""Share of the peak that looks beyond the anchor spend, falling off as 1/n."""
UNKNOWN_ANCHOR: Final = 1000.0
"""Count at which most is spent if no scale is known beforehand. Differences of a fifth of a standard deviation are
decided about there."""
UNKNOWN_POWERS: Final = (0.6, -0.25)
"""Exponents of the count: spending goes by these powers before and beyond that anchor."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_OUTWARDS, _OUTWEIGHTS = np.append(0.0, (_NODES + 1) / 2), np.append(0.0, _WEIGHTS / 2)
_STEP: Final = math.sqrt(2)  # ratio of two probabilities whose boundaries are worked out; others lie between
_CLOSE: Final = 1e-3  # the last of Newton's steps: what is left is of the order of its square
_REACH: Final = 9.0  # standard deviations of a step below the boundary within which staying below is worth knowing
SAFETY: Final = 1.001  # covers the quadrature error, which is below 1e-6 of each term (tested)


@dataclass(frozen=True)
class Levels:
    """Observation counts at which designs are compared."""

    counts: tuple[int, ...]
    timed: bool = True
    """True if looks before an anchor spend in proportion to the count; otherwise they spend as much as each other."""
    once: bool = False
    """True if every comparison is looked at a single time, at one of these counts."""

    @classmethod
    def up_to(cls, most: float, due: float = math.inf, growth: float = GROWTH, least: int = 1) -> Levels:
        """Return geometric counts, from `least` or more to `most`; near-ties are decided at the count `due`."""
        counts = [max(least, math.ceil(min(FIRST_LEVEL, most, due * FIRST_SHARE)))]
        while counts[-1] < most:
            counts.append(max(counts[-1] + 1, math.ceil(counts[-1] * growth)))
        return cls(tuple(counts))


def spending(levels: Levels, anchor: float) -> Floats:
    """Return shares of the looks that add up to 1: in proportion to the count up to the anchor, and little beyond."""
    n = np.array(levels.counts, dtype=np.float64)
    if levels.once:
        return np.ones(len(n))
    if math.isinf(anchor):
        before, beyond = ((n / UNKNOWN_ANCHOR) ** (levels.timed * power) for power in UNKNOWN_POWERS)
        shares = np.minimum(before, beyond)
    else:
        shares = np.where(n <= anchor, n / anchor if levels.timed else 1.0, BEYOND_ANCHOR * anchor / n)
    return np.asarray(shares / shares.sum())


@lru_cache(maxsize=64)
def boundaries(levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
    """Return z, (alphas, levels), which a normal error in standard deviations exceeds at any level w.p. alpha at most.

    Rows are in the order of `alphas`, which must decrease. A smaller alpha never has a smaller boundary
    (docs/adaptive, 2).
    """
    shares = spending(levels, anchor)
    totals = np.array(alphas)[:, None] / SAFETY
    with np.errstate(divide="ignore"):
        log_terms = np.log(totals) + np.log(shares)[None, :]
    from scipy.special import ndtri_exp

    chosen = _spread_out(totals[:, 0])
    log_terms = log_terms[chosen]
    single = np.maximum(-ndtri_exp(log_terms), 0.0)  # what each term would need alone: always enough
    nowhere, n = np.empty((len(chosen), 0)), levels.counts
    result, below = single.copy(), Below(np.full(len(chosen), np.inf), nowhere, nowhere, 0.0)
    for look in range(1, len(n)):
        below = below.after(result[:, look - 1], math.sqrt(n[look - 1] / n[look]))
        guess = result[:, look - 1] + (result[:, look - 1] - result[:, look - 2] if look > 1 else 0.0)
        result[:, look] = np.maximum.accumulate(_least(below, log_terms[:, look], single[:, look], guess))
    return _between(totals[:, 0], chosen, result)


def _spread_out(alphas: Floats) -> Indices:
    """Return the positions of some decreasing probabilities: the first, the last, and some in steps of `_STEP`."""
    steps = np.floor(np.log(alphas[0] / alphas) / math.log(_STEP) + 1e-9)
    return np.unique(np.append(np.unique(steps, return_index=True)[1], len(alphas) - 1))


def _between(alphas: Floats, chosen: Indices, boundaries: Floats) -> Floats:
    """Return boundaries for all probabilities from those for the chosen ones (docs/adaptive, 2).

    The chance to stay below a boundary at all looks is a logarithmically concave function of the boundary (Prekopa
    1973). So the mixture of two boundaries, with the parts in which the logarithms of their chances make up another
    one, keeps at least that one.
    """
    kept = np.log1p(-alphas)
    if len(chosen) == len(alphas):
        return boundaries
    high = np.clip(np.searchsorted(chosen, np.arange(len(alphas))), 1, None)
    one, two = kept[chosen[high - 1]], kept[chosen[high]]
    part = np.clip((kept - one) / (two - one), 0.0, 1.0)[:, None]
    return np.asarray((1 - part) * boundaries[high - 1] + part * boundaries[high])


@dataclass(frozen=True, eq=False)
class Below:
    """Compute the chance to have stayed below the boundary at all looks before, given the error at this look."""

    edge: Floats
    """(A,): boundary at the look before."""
    nodes: Floats
    """(A, G): errors at the look before, within reach below the edge."""
    weights: Floats
    """(A, G): quadrature weights times the chance, for an error at each node, to have stayed below before that look."""
    correlation: float
    """Correlation of the error at this look with that at the look before."""

    def after(self, edge: Floats, correlation: float) -> Below:
        """Return the next look, if the boundary here is `edge` and errors of the two looks have this correlation."""
        width = _REACH * math.sqrt(1 - correlation**2)
        nodes = edge[:, None] + width * (_NODES - 1) / 2
        return Below(edge, nodes, _WEIGHTS * width / 2 * self.chance(nodes), correlation)

    def chance(self, error: Floats) -> Floats:
        """Return the chance to have stayed below at every look before, (A, X); far below the edge it is put at 1."""
        from scipy.special import log_ndtr

        spread = math.sqrt(1 - self.correlation**2)
        mean = self.correlation * error
        lowest = self.edge[:, None] - _REACH * spread
        density = np.exp(-0.5 * ((self.nodes[:, None, :] - mean[:, :, None]) / spread) ** 2)
        near = (density * self.weights[:, None, :]).sum(axis=2) / (spread * math.sqrt(2 * math.pi))
        return np.asarray(near + np.exp(log_ndtr((lowest - mean) / spread)))

    def crossing(self, edge: Floats) -> tuple[Floats, Floats]:
        """Return the logarithm of the chance to exceed `edge` now for the first time, and its slope in `edge`: (A,)."""
        from scipy.special import log_ndtr

        reach = 12.0 / np.maximum(edge, 1.0)[:, None]  # exp(-z * 12 / z) of the mass lies beyond
        error = edge[:, None] + reach * _OUTWARDS
        chance = self.chance(error)
        density = np.exp(-0.5 * (error**2 - edge[:, None] ** 2)) * chance
        inside = (density * _OUTWEIGHTS * reach).sum(axis=1) / math.sqrt(2 * math.pi)
        beyond = log_ndtr(-(edge + reach[:, 0]))
        with np.errstate(divide="ignore"):
            crossing = np.logaddexp(np.log(inside) - 0.5 * edge**2, beyond)
            # The derivative of the chance is minus the density at the edge itself, which is the first node.
            return crossing, -np.exp(np.log(chance[:, 0]) - 0.5 * edge**2 - crossing) / math.sqrt(2 * math.pi)


def _least(below: Below, log_terms: Floats, enough: Floats, guess: Floats) -> Floats:
    """Return the smallest z, to 1e-6 and from above, crossed now with probability exp(log_terms) at most.

    `enough` always is such a z. The logarithm of the probability is concave in z, so each of Newton's steps lands at
    such a z again, on whichever side it began (docs/adaptive, 2).
    """
    guess = np.clip(guess, 0.0, enough)
    for _ in range(60):
        value, slope = below.crossing(guess)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.clip(np.nan_to_num(guess - (value - log_terms) / slope, nan=np.inf), 0.0, enough)
        if (np.abs(found - guess) <= _CLOSE).all():
            break
        guess = found
    return found
