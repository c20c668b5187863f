"""Bounded observations: the supermartingale, the radii made of it, and Bernstein's for one look.

Exact where two-point laws can be summed over; long runs are in tests/statistical/test_unknown_noise.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

import conewise as cw
from conewise.certificate.looks import Levels
from conewise.certificate.radii import CURVE, LARGEST_ODDS, STEEPNESS, InRange, kind_for
from conewise.noise import Bounded

LEVEL = 1e-6
LINE = cw.Cone.orthant(1)
LARGEST = LARGEST_ODDS / (1 + LARGEST_ODDS)


def made(*, once: bool, cone=LINE) -> InRange:
    found = kind_for(cone.facets, Bounded(0, 1), once=once)
    assert isinstance(found, InRange)
    return found


# -- all looks together ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [0.01, 0.3, 0.6, LARGEST])
def test_one_step_has_mean_one_at_most_for_every_two_point_law_and_every_centre(x):
    """Any law on an interval is a mixture of two-point laws of the same mean, so these are enough."""
    grids = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 21), np.linspace(0, 1, 21), np.linspace(0, 1, 11))
    mean, low, high, centre = (axis.ravel() for axis in grids)
    fits = (low <= mean) & (mean <= high) & (low < high)
    mean, low, high, centre = mean[fits], low[fits], high[fits], centre[fits]
    chance = (mean - low) / (high - low)
    psi = -math.log(1 - x) - x
    for sign in (1, -1):
        parts = [np.exp(sign * x * (value - mean) - psi * (value - centre) ** 2) for value in (low, high)]
        assert ((1 - chance) * parts[0] + chance * parts[1] <= 1 + 1e-12).all()
    too_cheap = [np.exp(x * (value - mean) - 0.5 * psi * (value - centre) ** 2) for value in (low, high)]
    assert ((1 - chance) * too_cheap[0] + chance * too_cheap[1]).max() > 1


@pytest.mark.parametrize("count", [3, 10, 300, 10**5, 10**9])
def test_some_x_gives_a_bound_below_the_curve_for_any_sum_of_squares_and_not_far_below(count):
    """In units of log(1 / a), of which a pair of designs has at least 1: its sum of squares is at most 2 count."""
    (k, h, c), smallest = CURVE, LARGEST_ODDS
    v, least = np.concatenate([[0.0], np.geomspace(1e-6, 2 * count, 200_000)]), math.inf
    while smallest > LARGEST_ODDS / STEEPNESS ** math.ceil(math.log(LARGEST_ODDS * math.sqrt(count), STEEPNESS)) / 1.01:
        x = smallest / (1 + smallest)
        least = np.minimum(least, (1 + (-math.log(1 - x) - x) * v) / x)
        smallest /= STEEPNESS
    curve = k * np.sqrt(2 * (v + h)) + c
    assert (curve >= least).all()
    assert (curve <= 1.05 * least).all()


def squares(x: np.ndarray) -> np.ndarray:
    """Return the sums of squares of each prefix around centres: earlier values and one more in the middle."""
    before = np.concatenate([[0.5], 0.5 + np.cumsum(x)[:-1]]) / np.arange(1, len(x) + 1)
    return np.cumsum((x - before) ** 2)


def test_the_radius_pays_for_the_squares_around_earlier_averages_of_any_values_in_any_order():
    """Rare and skewed values, in order and against it, alternating, and each as far from its centre as possible."""
    kind, (k, h, c), rng = made(once=False), CURVE, np.random.default_rng(3)
    far = []
    for t in range(1, 301):
        far.append(float((0.5 + sum(far)) / t < 0.5))
    streams = [np.array(far), np.arange(300) % 2.0, 1 - np.arange(300) % 2.0, np.zeros(300), np.full(300, 0.5)]
    streams += [rng.permutation(np.arange(300) < ones) * 1.0 for ones in (1, 6, 40, 150, 299)]
    streams += [np.sort(rng.beta(0.2, 3, 300))[::step] for step in (1, -1)]
    streams += [(np.arange(300) < ones) * 1.0 for ones in (1, 2, 6, 40, 150, 299)]
    g, log = np.arange(1, 301), 8.0
    for first in streams:
        for second in streams:
            scatter = sum(np.cumsum(x**2) - np.cumsum(x) ** 2 / g for x in (first, second))
            needed = log * (k * np.sqrt(2 * ((squares(first) + squares(second)) / log + h)) + c)
            radius = kind.radius(0, np.array(4.0), scatter / g**2, g.astype(float), g.astype(float))
            assert (radius * g >= needed * (1 - 1e-12)).all()
            assert radius[-1] * 300 <= 1.25 * needed[-1]


def test_the_radius_is_convex_in_the_root_of_the_squares_and_increases_with_the_range():
    """Covering by directions needs both (docs/adaptive, 3.4)."""
    root, count = np.linspace(0, 40, 4001), np.array(2000.0)
    wide = kind_for(np.eye(1), Bounded(0, 1.1))
    for z in (1.5, 3.0, 8.0):
        found = [kind.radius(0, np.array(z), root**2 / count**2, count, count) for kind in (made(once=False), wide)]
        assert (np.diff(found[0], 2) >= -1e-15).all()
        assert (found[1] > found[0]).all()


def test_a_smaller_probability_never_has_a_smaller_boundary_and_levels_share_one():
    levels = Levels.up_to(5000, growth=made(once=False).growth)
    table = made(once=False).boundary(levels, math.inf, tuple(0.1 * 2.0 ** -np.arange(40)))
    assert (np.diff(table, axis=0) >= 0).all()
    assert (table == table[:, :1]).all()


def ever(levels: Levels, alpha: float, chances: tuple[float, float], scale: float) -> float:
    """P(the error of mean_j - mean_i reaches the radius at any level), over all sums of two 0/1 streams."""
    kind, last = made(once=False), levels.counts[-1]
    z, ones = kind.boundary(levels, math.inf, (alpha,))[0], np.arange(last + 1)
    left, before = np.zeros((last + 1, last + 1)), 0
    left[0, 0] = 1.0
    for level, g in enumerate(levels.counts):
        steps = [binom.pmf(np.subtract.outer(ones, ones), g - before, p) for p in chances]
        left, before = steps[0] @ left @ steps[1].T, g
        squares, n = ones * np.maximum(g - ones, 0) / g, np.array(float(g))
        both = (squares[:, None] + squares[None, :]) / g**2
        radius = kind.radius(0, z[level], both, n, n)
        error = ones[None, :] / g - chances[1] - ones[:, None] / g + chances[0]
        left[error >= scale * radius] = 0.0
    return 1 - float(left.sum())


PAIRS = [(0.5, 0.5), (0.9, 0.1), (0.1, 0.9), (0.97, 0.02), (0.02, 0.02), (0.02, 0.5), (0.5, 0.02)]


@pytest.mark.parametrize("chances", PAIRS, ids=str)
def test_two_streams_of_zeros_and_ones_ever_reach_the_radius_with_probability_alpha_at_most(chances):
    levels = Levels.up_to(200, growth=made(once=False).growth)
    for alpha in (0.9, 0.3, 1e-2):
        assert ever(levels, alpha, chances, 1.0) <= alpha


@pytest.mark.parametrize("chances", [(0.5, 0.5), (0.9, 0.1), (0.02, 0.5)], ids=str)
def test_a_third_of_the_radius_would_not_do(chances):
    assert ever(Levels.up_to(200, growth=made(once=False).growth), 0.1, chances, 1 / 3) > 0.1


def crossings(law: str, scale: float, runs: int = 1500, alpha: float = 0.1) -> int:
    """Count the runs in which the error up to 4096 observations ever reaches the radius."""
    kind, rng = made(once=False), np.random.default_rng([17, 0])
    levels = Levels.up_to(4096, growth=kind.growth)
    counts = np.array(levels.counts)
    draw = {
        "rare": lambda: (rng.random((runs, 4096)) < 0.02) - 0.02,
        "half": lambda: (rng.random((runs, 4096)) < 0.5) - 0.5,
        "skewed": lambda: rng.beta(0.2, 3, size=(runs, 4096)) - 0.2 / 3.2,
    }[law]
    parts = []
    for sign in (1, -1):
        x = sign * draw()
        means = np.cumsum(x, axis=1)[:, counts - 1] / counts
        parts.append((means, np.cumsum(x**2, axis=1)[:, counts - 1] - counts * means**2))
    z = kind.boundary(levels, math.inf, (alpha,))[0]
    both = (parts[0][1] + parts[1][1]) / counts**2
    radius = kind.radius(0, z, both, counts.astype(float), counts.astype(float))
    return int(((parts[0][0] - parts[1][0]) >= scale * radius).any(axis=1).sum())


@pytest.mark.parametrize("law", ["rare", "half", "skewed"])
def test_long_streams_ever_reach_the_radius_at_the_stated_rate(law):
    """Null: at most 0.1; exact binomial test at 1e-6. Two fifths of the radius are reached far more often."""
    assert crossings(law, 1.0) <= binom.isf(LEVEL, 1500, 0.1)
    assert crossings(law, 0.4) > binom.isf(LEVEL, 1500, 0.1)


# -- one look ----------------------------------------------------------------------------------------------------------

Law = tuple[float, float]
"""1 with a probability, else this value."""
TWO_POINTS = [
    ((0.02, 0.0), (0.02, 0.0)),
    ((0.5, 0.0), (0.02, 0.0)),
    ((0.05, 0.1), (0.02, 0.0)),
    ((0.95, 0.0), (0.3, 0.0)),
]


def exact_tail(laws: tuple[Law, Law], n: tuple[int, int], alpha: float, radius=None) -> float:
    """P(mean_j - mean_i is off by the radius or more), by summing over both numbers of ones."""
    parts, kind = [], made(once=True)
    for (p, low), count in zip(laws, n, strict=True):
        k = np.arange(count + 1)
        scatter = ((1 - low) ** 2 * k * (count - k) / count)[:, None, None]
        share = kind.variances(k, scatter, np.full(count + 1, float(count)))[:, 0] / count
        parts.append(((1 - low) * (k / count - p), binom.pmf(k, count, p), share))
    (first, p, v), (second, q, w) = parts
    least, most = np.array(float(min(n))), np.array(float(max(n)))
    z = kind.quantiles(least, np.log([alpha]))[0]
    reach = (kind.radius if radius is None else radius)(0, z, v[:, None] + w[None, :], least, most)
    return float((p[:, None] * q[None, :])[second[None, :] - first[:, None] >= reach].sum())


@pytest.mark.parametrize("laws", TWO_POINTS, ids=str)
@pytest.mark.parametrize("n", [(1, 1), (3, 3), (30, 30), (30, 120), (400, 400)], ids=str)
def test_bernsteins_radius_holds_exactly_for_two_point_laws(laws, n):
    """Either design may be the one with fewer observations, and either tail."""
    for order in (laws, laws[::-1]):
        for alpha in (0.3, 0.05, 1e-3, 1e-6):
            assert exact_tail(order, n, alpha) <= alpha


def test_the_bound_on_the_variance_is_needed():
    """A sample without any of the rare ones has no scatter to estimate from."""
    laws, n = ((0.02, 0.0), (0.5, 0.0)), (30, 2000)
    assert exact_tail(laws, n, 1e-3) <= 1e-3
    assert exact_tail(laws, n, 1e-3, lambda _, z, v, least, most: z * np.sqrt(v)) > 0.005


@pytest.mark.parametrize("n", [(5, 5), (40, 40), (40, 160)], ids=str)
def test_bernsteins_radius_holds_for_a_skewed_density(n):
    samples, kind, rng = 20_000, made(once=True), np.random.default_rng([13, *n])
    x = [rng.beta(0.2, 3, size=(samples, count)) for count in n]
    both = sum(part.var(axis=1) / count for part, count in zip(x, n, strict=True))
    least, most = np.array(float(min(n))), np.array(float(max(n)))
    for alpha in (0.3, 0.05):
        radius = kind.radius(0, kind.quantiles(least, np.log([alpha]))[0], both, least, most)
        for sign in (1, -1):
            error = sign * (x[1].mean(axis=1) - x[0].mean(axis=1))
            assert (error >= radius).sum() <= binom.isf(LEVEL, samples, alpha)


def test_bounds_on_the_variance_hold_at_the_stated_rate():
    """The radius without Bernstein's second term is z times a bound, which may fail with a tenth of a claim."""
    samples, kind = 20_000, made(once=True)
    for n in (5, 30, 200):
        rng, count = np.random.default_rng([11, n]), np.array(float(n))
        for draw, true in (
            (lambda shape: (rng.random(shape) < 0.05).astype(float), 0.05 * 0.95),  # noqa: B023
            (lambda shape: rng.beta(0.2, 3, size=shape), float(beta(0.2, 3).var())),  # noqa: B023
        ):
            both = sum(draw((samples, n)).var(axis=1) / n for _ in range(2))
            for alpha in (0.9, 0.1):
                z = kind.quantiles(count, np.log([alpha]))[0]
                bound = (kind.radius(0, z, both, count, count) - z**2 / (6 * n)) / z
                assert (bound < math.sqrt(2 * true / n)).sum() <= binom.isf(LEVEL, samples, 0.1 * alpha)
                assert (bound <= math.sqrt(0.5 / n) * (1 + 1e-9)).all()  # Popoviciu


def test_a_radius_of_bernsteins_is_wider_than_the_normal_one_and_narrower_than_hoeffdings_where_little_varies():
    kind, count = made(once=True), np.array(2000.0)
    z = kind.quantiles(count, np.log([0.01]))[0]
    radius = float(kind.radius(0, z, np.array(2 * 0.001 / 2000), count, count))
    hoeffding = z * math.sqrt(2 * 0.25 / 2000)
    assert norm.isf(0.01) * math.sqrt(2 * 0.001 / 2000) < radius < 0.5 * hoeffding


def test_a_level_is_a_design_of_infinitely_many_observations():
    kind, count = made(once=True), np.array(50.0)
    z = kind.quantiles(count, np.log([0.01]))[0]
    alone, pair = (float(kind.radius(0, z, np.array(0.25 / 50), count, most)) for most in (np.array(np.inf), count))
    assert alone == pytest.approx(z * math.sqrt(0.25 / 50) + z**2 / 300)
    assert alone < pair


@pytest.mark.parametrize("once", [False, True])
def test_the_range_of_a_facet_is_that_of_the_box(once):
    kind = kind_for(np.eye(2), Bounded([0, -1], [1, 4]), once=once)
    assert isinstance(kind, InRange)
    assert kind.ranges.tolist() == [1.0, 5.0]
    assert kind.worst.tolist() == [0.25, 6.25]
    count = np.array(1000.0)
    one, five = (kind.radius(d, np.array(4.0), kind.worst[d] / 1000, count, count) for d in range(2))
    assert five == pytest.approx(5 * one)
