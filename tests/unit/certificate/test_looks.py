"""The schedule of looks: its boundaries are exceeded, at any level, with probability at most alpha, and hardly less.

Exact: adaptive quadrature and scipy's joint normal probabilities for few levels, a naive recursion for more. Monte
Carlo: fixed seeds, exact binomial bounds at LEVEL.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr
from scipy.stats import binom, multivariate_normal, norm
from shared.crossings import dense

from conewise.certificate import looks
from conewise.certificate.looks import GROWTH, Levels, boundaries, spending
from conewise.certificate.radii import kind_for
from conewise.noise import Gaussian, SubGaussian

LEVEL = 1e-6
WALKS = 200_000
ALPHAS = (0.2, 0.1, 0.05)


def walks(levels: Levels, rng: np.random.Generator, steps=None) -> np.ndarray:
    """(WALKS, levels): standardised errors at the levels of one stream each; `steps(n)` sums n observations."""
    counts = np.array(levels.counts)
    gaps = np.diff(counts, prepend=0)
    if steps is None:
        sums = rng.standard_normal((WALKS, len(gaps))) * np.sqrt(gaps)
    else:
        sums = np.column_stack([steps(gap) for gap in gaps])
    return np.cumsum(sums, axis=1) / np.sqrt(counts)


def joint(levels: Levels) -> np.ndarray:
    """Correlation of the errors at the levels: sqrt(smaller count / larger count)."""
    n = np.array(levels.counts, dtype=float)
    return np.sqrt(np.minimum.outer(n, n) / np.maximum.outer(n, n))


# -- levels and spending -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0.3, 1, 1.5, 2, 7, 8, 9, 100, 12345.6])
@pytest.mark.parametrize("due", [math.inf, 1.0, 500.0, 1e4])
def test_levels_increase_from_one_or_more_until_the_last_count_is_passed(most, due):
    counts = Levels.up_to(most, due=due).counts
    assert counts[0] >= 1
    assert all(b > a for a, b in pairwise(counts))
    assert counts[-1] >= most
    assert len(counts) == 1 or counts[-2] < most


@pytest.mark.parametrize("anchor", [0.5, 3.0, 40.0, 1e6, math.inf])
def test_all_of_a_total_of_one_is_spent_and_every_look_gets_some(anchor):
    shares = spending(Levels.up_to(300), anchor)
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1, rel=1e-12)


# -- one term ------------------------------------------------------------------------------------------------------


def terms(edges: list[float], correlations: list[float]) -> list[float]:
    """What `dense` finds, as logarithms, from the module's recursion."""
    column = [np.array([edge]) for edge in edges]
    below = looks.Below(np.array([np.inf]), np.empty((1, 0)), np.empty((1, 0)), 0.0)
    found = [float(norm.logsf(edges[0]))]
    for (before, edge), rho in zip(pairwise(column), correlations, strict=True):
        below = below.after(before, rho)
        found.append(float(below.crossing(edge)[0][0]))
    return found


def two_looks(now: float, before: float, rho: float) -> float:
    """log P(X > now, Y <= before) by adaptive quadrature, in units of the density at `now`: exact in the deep tail."""
    spread = math.sqrt(1 - rho**2)

    def integrand(x: float) -> float:
        return math.exp(-0.5 * (x**2 - now**2) + log_ndtr((before - rho * x) / spread))

    kink = min(max(before / rho, now), now + 40)
    ends = sorted({now, *(max(now, kink + step * spread) for step in (-8, -3, 0, 3, 8)), kink + 40})
    parts = [quad(integrand, a, b, epsabs=0, epsrel=1e-11, limit=400)[0] for a, b in pairwise(ends)]
    return math.log(sum(parts)) - 0.5 * now**2 - 0.5 * math.log(2 * math.pi)


LOST = {0.5: 1e-6, 0.8: 1e-6, 1 / GROWTH: 1e-6, 1 / 1.04: 2e-4}
"""Ratio of neighbouring counts, and how much too small a term may be. Levels are never closer than GROWTH; twice as
close, 32 nodes would lose more at boundaries below 1 (48 would not), if far less than the factor 1.001 allows."""


@pytest.mark.parametrize("now", [0.0, 0.4, 1.0, 2.5, 4.0, 6.5, 12.0])
@pytest.mark.parametrize("ratio", LOST)
def test_the_second_term_is_never_too_small_and_hardly_too_large(now, ratio):
    """Falling boundaries, level ones, and those that rise: there what lies far out is put in whole, which is safe."""
    rho = math.sqrt(ratio)
    for fall in (-0.3, -0.1, 0.0, 0.2, 0.6):
        before = max(now + fall, 0.0)
        excess = terms([before, now], [rho])[1] - two_looks(now, before, rho)
        assert -LOST[ratio] < excess < (1e-3 if ratio <= 1 / GROWTH else 0.05), fall
    assert math.log(looks.SAFETY) > 4 * LOST[ratio]


def test_levels_are_never_closer_than_where_the_quadrature_was_tested():
    for most in (100, 10**6, 10**9):
        for due in (0.0, math.inf):
            assert min(b / a for a, b in pairwise(Levels.up_to(most, due=due).counts)) >= GROWTH


@pytest.mark.parametrize(
    ("edges", "ratios"),
    [
        ([0.7, 0.5], [0.5]),
        ([2.4, 2.5], [0.9]),
        ([0.3, 0.1, 0.0], [0.5, 0.8]),
        ([1.0, 1.0, 1.0], [0.8, 0.9]),
        ([2.2, 2.0, 2.1], [0.8, 1 / 1.08]),
        ([2.5, 2.45, 2.4], [1 / 1.04, 1 / 1.04]),
    ],
    ids=str,
)
def test_terms_agree_with_the_multivariate_normal_of_scipy(edges, ratios):
    """All edges but the last are kept, the last is exceeded: the first coordinates below, the last one above."""
    steps = np.sqrt(ratios)
    size = len(edges)
    cov = np.array([[np.prod(steps[min(i, j) : max(i, j)]) for j in range(size)] for i in range(size)])
    cov[-1, :-1] *= -1
    cov[:-1, -1] *= -1
    accurate = {"maxpts": 10**6, "abseps": 1e-9, "releps": 1e-9}
    exact = float(multivariate_normal.cdf([*edges[:-1], -edges[-1]], cov=cov, **accurate))
    assert math.exp(terms(edges, list(steps))[-1]) == pytest.approx(exact, rel=2e-4, abs=2e-7)


@pytest.mark.parametrize("ratio", LOST)
@pytest.mark.parametrize("slope", [-0.05, 0.0, 0.04])
def test_eight_terms_are_never_too_small_and_hardly_too_large(ratio, slope):
    """Against the naive recursion: errors do not add up from look to look."""
    for first in (0.4, 2.0, 4.0):
        edges = [first + slope * look for look in range(8)]
        rhos = [math.sqrt(ratio)] * 7
        excess = np.array(terms(edges, rhos)) - np.log(dense(edges, rhos))
        assert (excess > -LOST[ratio]).all()
        assert (excess < 2e-3).all()


@pytest.mark.parametrize("anchor", [10.0, 100.0, math.inf])
def test_the_terms_of_a_whole_boundary_add_up_to_alpha_without_its_safety_factor(anchor):
    """Dozens of looks: nothing is lost to quadrature, and what is given away stays within a hundredth."""
    levels = Levels.up_to(150, due=0.0)
    counts = np.array(levels.counts, dtype=float)
    for alpha, z in zip((0.3, 0.01, 1e-6), boundaries(levels, anchor, (0.3, 0.01, 1e-6)), strict=True):
        found = dense(z, np.sqrt(counts[:-1] / counts[1:]))
        assert (found <= alpha / looks.SAFETY * spending(levels, anchor) * (1 + 1e-6)).all()
        assert 0.99 * alpha < found.sum() < alpha / looks.SAFETY * (1 + 1e-6)


# -- whole boundaries ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(8,), (1, 2), (8, 9, 10, 11), (5, 10, 20, 40, 80), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("alpha", [0.4, 0.1, 0.01])
def test_few_looks_exactly(counts, alpha):
    """Crossing at any level, from the joint normal distribution: at most alpha, and hardly less."""
    levels = Levels(counts)
    z = boundaries(levels, 20.0, (alpha,))[0]
    inside = norm.cdf(z[0]) if len(counts) == 1 else multivariate_normal.cdf(z, cov=joint(levels), maxpts=10**6)
    assert 0.995 * alpha - 1e-5 < 1 - inside <= alpha + 1e-5  # scipy's error for five dimensions


@pytest.mark.parametrize("counts", [(1, 2), (8, 9, 10, 11), (5, 10, 20, 40)])
def test_a_boundary_between_two_others_is_never_too_low_and_hardly_too_high(counts):
    """Most rows of a table are mixtures of two that were worked out."""
    levels, alphas = Levels(counts), tuple(0.4 * 0.9**k for k in range(30))
    for alpha, z in zip(alphas, boundaries(levels, 20.0, alphas), strict=True):
        outside = 1 - multivariate_normal.cdf(z, cov=joint(levels), maxpts=10**6, abseps=1e-7)
        assert 0.97 * alpha - 1e-5 < outside <= alpha + 1e-6


@pytest.mark.parametrize("most", [60, 3000])
def test_many_looks_by_monte_carlo(most):
    levels = Levels.up_to(most)
    errors = walks(levels, np.random.default_rng(1))
    for alpha, z in zip(ALPHAS, boundaries(levels, most / 3, ALPHAS), strict=True):
        crossed = int((errors >= z).any(axis=1).sum())
        assert crossed <= binom.isf(LEVEL, WALKS, alpha)
        assert crossed >= binom.ppf(LEVEL, WALKS, 0.99 * alpha)  # and hardly less often


@pytest.mark.parametrize("most", [11, 3000])
def test_a_boundary_a_fiftieth_lower_is_caught_and_one_a_fiftieth_higher_too(most):
    """The Monte Carlo test has power, however many the looks."""
    levels = Levels.up_to(most)
    errors = walks(levels, np.random.default_rng(2))
    z = boundaries(levels, most / 3, (0.1,))[0]
    assert (errors >= 0.98 * z).any(axis=1).sum() > binom.isf(LEVEL, WALKS, 0.1)
    assert (errors >= 1.02 * z).any(axis=1).sum() < binom.ppf(LEVEL, WALKS, 0.99 * 0.1)


def test_neighbouring_looks_are_credited_for_their_correlation():
    levels = Levels.up_to(3000)
    z = boundaries(levels, 1000.0, (0.05,))[0]
    alone = norm.isf(0.05 * spending(levels, 1000.0))
    assert z[0] == pytest.approx(alone[0], rel=1e-3)
    assert (z[1:] < alone[1:]).all()


def test_other_noise_pays_for_every_look():
    levels = Levels.up_to(500)
    z = kind_for(np.eye(1), SubGaussian(1.0)).boundary(levels, 200.0, ALPHAS)
    totals = np.exp(-(z**2) / 2).sum(axis=1)
    assert (totals <= np.array(ALPHAS) * (1 + 1e-9)).all()
    np.testing.assert_allclose(totals, ALPHAS, rtol=2e-3)


def test_two_point_noise_stays_within_the_boundary_for_other_noise():
    levels, rng = Levels.up_to(200), np.random.default_rng(3)
    errors = walks(levels, rng, steps=lambda n: 2.0 * rng.binomial(n, 0.5, WALKS) - n)
    for alpha, z in zip(ALPHAS, kind_for(np.eye(1), SubGaussian(1.0)).boundary(levels, 100.0, ALPHAS), strict=True):
        assert (errors >= z).any(axis=1).sum() <= binom.isf(LEVEL, WALKS, alpha)


@pytest.mark.parametrize("noise", [Gaussian(1.0), SubGaussian(1.0)], ids=repr)
@pytest.mark.parametrize("anchor", [1.0, 50.0, 1e5, math.inf])
def test_a_smaller_alpha_never_has_a_lower_boundary(noise, anchor):
    """Nested events: Holm's step rests on it."""
    alphas = tuple(0.3 * 0.84**k for k in range(60))
    table = kind_for(np.eye(1), noise).boundary(Levels.up_to(2000), anchor, alphas)
    assert table.shape == (60, len(Levels.up_to(2000).counts))
    assert np.isfinite(table).all()
    assert (np.diff(table, axis=0) >= 0).all()


def test_tiny_probabilities_have_finite_boundaries():
    table = boundaries(Levels.up_to(100), 30.0, (1e-10, 1e-100, 1e-250))
    assert np.isfinite(table).all()
    assert (table[2] > table[1]).all()
    assert (table[1] > 19).all()
