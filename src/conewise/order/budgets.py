"""Compute how often to evaluate every design so that the Pareto set of the averages is (epsilon, delta)-correct."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Final, Literal

import numpy as np

from conewise.border import as_count, as_option, as_positive, as_probability
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError
from conewise.limits import MOST_EVALUATIONS
from conewise.noise import Gaussian, Noise
from conewise.noise.text import as_noise

Bound = Literal["paper", "gaussian", "subgaussian"]
"""paper: Ararat & Tekin 2023, Theorem 6.1; gaussian: exact normal tails; subgaussian: Chernoff tails."""

PAPER_CONSTANT: Final = 1 + math.sqrt(2)
"""The absolute constant c of Theorem 6.1, which the paper does not give: its reported L = 38.8e3 (theta = 90 degrees,
epsilon = 0.1, delta = 0.01, K = 206, sigma = 1) is this one, 38 800. docs/theory, section 7.3, shows it is enough."""


_CERTAIN: Final = 1e100  # deviations are cut here: their probability is 0 and their square is finite


def naive_budget(
    cone: ConeLike,
    noise: Noise | str,
    n_designs: int,
    epsilon: float,
    delta: float,
    *,
    bound: Bound = "paper",
    c: float = PAPER_CONSTANT,
) -> int:
    """Return the evaluations L of each design after which naive elimination succeeds with probability 1 - delta.

    `bound="paper"` is Ararat & Tekin 2023, Theorem 6.1, with its constant `c`. `bound="gaussian"` uses exact normal
    tails and has no constant (docs/theory, section 7.2). `bound="subgaussian"` uses Chernoff tails, or the noise's own.

    >>> from conewise import Cone
    >>> naive_budget(Cone.planar(90), Gaussian(1), 206, epsilon=0.1, delta=0.01)
    38800
    >>> naive_budget(Cone.planar(90), Gaussian(1), 206, epsilon=0.1, delta=0.01, bound="gaussian")
    5074
    """
    cone, noise, n_designs, epsilon, delta = _checked(cone, noise, n_designs, epsilon, delta)
    as_option(bound, "bound", ("paper", "gaussian", "subgaussian"))
    if bound == "paper":
        pairs = n_designs * (n_designs - 1) / 2
        sigma, beta = noise.norm_subgaussian(cone.dim), cone.complexity.beta
        ratio = beta * as_positive(c, "c") * sigma / epsilon
        # min() and the difference of logarithms: a tiny epsilon or delta must not overflow before it is refused
        budget = 4 * min(ratio, 1e50) ** 2 * (math.log(4 * cone.dim * pairs) - math.log(delta))
        return check_total(math.ceil(budget), n_designs)
    if bound == "gaussian" and not isinstance(noise, Gaussian):
        raise InputError(f'bound="gaussian" needs Gaussian noise, got {noise!r}; use bound="subgaussian".')

    def enough(each: int) -> bool:
        return failure_probability(cone, noise, n_designs, epsilon, each, bound=bound) <= delta

    high = 1
    while not enough(high):
        high = check_total(2 * high, n_designs)
    return bisect_left(range(high), True, lo=high // 2 + 1, key=enough) if high > 1 else 1


def failure_probability(
    cone: ConeLike, noise: Noise | str, n_designs: int, epsilon: float, evaluations: int, *, bound: Bound = "gaussian"
) -> float:
    """Bound the probability that naive elimination with `evaluations` of each design fails at `epsilon`.

    The bound is the larger of K (K-1) tail(x / beta) and K sum_n tail(alpha_n x) and may exceed 1. Here x = epsilon
    sqrt(L / 2), in scales of the noise along each direction (docs/theory, section 7.2).
    """
    cone, noise, n_designs, epsilon, _ = _checked(cone, noise, n_designs, epsilon, 0.5)
    evaluations = as_count(evaluations, "evaluations")
    as_option(bound, "bound", ("gaussian", "subgaussian"))
    x = epsilon * math.sqrt(evaluations / 2)
    chernoff = bound == "subgaussian" and noise.subgaussian  # other noise uses its own tail
    log_tail = (lambda x: -0.5 * np.square(np.minimum(x, _CERTAIN))) if chernoff else noise.log_tail
    widest = float(log_tail(x / (cone.complexity.beta * noise.largest_scale(cone.dim))))
    scales = noise.scales(cone.facets)
    with np.errstate(divide="ignore"):
        facets = log_tail(np.where(scales > 0, cone.widths * x / scales, np.inf))
    covering = math.log(n_designs) + math.log(n_designs - 1) + widest
    quality = math.log(n_designs) + float(np.logaddexp.reduce(np.asarray(facets)))
    return math.exp(min(max(covering, quality), 700.0))


def certified_epsilon(
    cone: ConeLike, noise: Noise | str, n_designs: int, evaluations: int, delta: float, *, bound: Bound = "gaussian"
) -> float:
    """Return the smallest epsilon for which that many evaluations of each design suffice by `failure_probability`."""
    cone, noise, n_designs, _, delta = _checked(cone, noise, n_designs, 1.0, delta)
    low, high = 0.0, 1.0
    while failure_probability(cone, noise, n_designs, high, evaluations, bound=bound) > delta:
        high *= 2
    while high - low > 1e-12 * high and low < (middle := (low + high) / 2) < high:
        fails = failure_probability(cone, noise, n_designs, middle, evaluations, bound=bound) > delta
        low, high = (middle, high) if fails else (low, middle)
    return high


def _checked(
    cone: object, noise: object, n_designs: int, epsilon: float, delta: float
) -> tuple[Cone, Noise, int, float, float]:
    n_designs, cone = check_designs(n_designs), as_cone(cone)
    noise = check_noise(noise, cone.dim, n_designs)
    return cone, noise, n_designs, as_positive(epsilon, "epsilon"), as_probability(delta, "delta")


def check_designs(n_designs: int) -> int:
    """Return `n_designs`, which must be at least two: a single design needs no comparison."""
    n_designs = as_count(n_designs, "n_designs")
    if n_designs < 2:
        raise InputError("n_designs must be at least 2: a single design is the Pareto set, with no evaluation at all.")
    return n_designs


def check_noise(noise: object, dim: int, n_designs: int) -> Noise:
    """Return an assumption about the noise, given in any form; refuse one that does not fit the objectives."""
    found = as_noise(noise)
    found.check_dim(dim, n_designs)
    return found


def check_total(each: int, n_designs: int) -> int:
    """Return the evaluations of each design; refuse them if their total is too large to count."""
    if each * n_designs > MOST_EVALUATIONS:
        raise InputError(f"the budget exceeds {MOST_EVALUATIONS:.0e} evaluations in all; raise epsilon or lower sigma.")
    return max(1, each)
