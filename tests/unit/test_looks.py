"""The schedule of looks: its boundaries are exceeded, at any level, with probability at most alpha, and not far less.

Exact: joint normal probabilities from scipy for few levels. Monte Carlo: fixed seeds, exact binomial bounds at LEVEL.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr
from scipy.stats import binom, multivariate_normal, norm

from conewise.algorithms import looks
from conewise.algorithms.looks import Levels, boundaries, spending

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


def reference(now: float, before: float, rho: float) -> float:
    """log P(X > now, Y <= before) by adaptive quadrature, in units of the density at `now`: exact in the deep tail."""

    def integrand(x: float) -> float:
        return math.exp(-0.5 * (x**2 - now**2) + log_ndtr((before - rho * x) / math.sqrt(1 - rho**2)))

    kink = min(max(before / rho, now), now + 40)
    parts = [quad(integrand, a, b, epsabs=0, epsrel=1e-12, limit=400)[0] for a, b in ((now, kink), (kink, kink + 40))]
    return math.log(sum(parts)) - 0.5 * now**2 - 0.5 * math.log(2 * math.pi)


@pytest.mark.parametrize("now", [0.0, 0.4, 1.0, 2.5, 4.0, 6.5])
@pytest.mark.parametrize("lead", [-0.6, -0.1, 0.0, 0.2, 1.0])
@pytest.mark.parametrize("ratio", [0.5, 0.8, 1 / 1.1])
def test_a_term_is_never_too_small_and_hardly_too_large(now, lead, ratio):
    """The factor 1.001 of the module must cover what the quadrature loses; the tail that it adds is tiny."""
    rho, before = math.sqrt(ratio), max(now + lead, 0.0)
    computed = float(looks._log_fresh_excess(np.array([now]), np.array([before]), rho)[0])
    exact = reference(now, before, rho)
    assert -1e-6 < computed - exact < 1e-3
    assert abs(math.log(looks._SAFETY)) > 100 * 1e-6


@pytest.mark.parametrize(
    ("now", "before", "ratio"), [(0.5, 0.7, 0.5), (1.0, 1.0, 0.9), (2.0, 2.2, 0.8), (2.5, 2.4, 0.9)]
)
def test_a_term_agrees_with_the_bivariate_normal_of_scipy(now, before, ratio):
    rho = math.sqrt(ratio)
    computed = math.exp(float(looks._log_fresh_excess(np.array([now]), np.array([before]), rho)[0]))
    exact = multivariate_normal(cov=[[1, -rho], [-rho, 1]]).cdf([-now, before])
    assert computed == pytest.approx(exact, rel=1e-4)


# -- whole boundaries ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(8,), (1, 2), (8, 9, 10, 11), (5, 10, 20, 40, 80), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("alpha", [0.4, 0.1, 0.01])
def test_few_looks_exactly(counts, alpha):
    """Crossing at any level, from the joint normal distribution: at most alpha, and no less than seven tenths of it."""
    levels = Levels(counts)
    z = boundaries(levels, 20.0, (alpha,), True)[0]
    inside = norm.cdf(z[0]) if len(counts) == 1 else multivariate_normal(cov=joint(levels), maxpts=10**6).cdf(z)
    assert 0.7 * alpha < 1 - inside <= alpha + 1e-5  # scipy's error for five dimensions


@pytest.mark.parametrize("most", [60, 3000])
def test_many_looks_by_monte_carlo(most):
    levels = Levels.up_to(most)
    errors = walks(levels, np.random.default_rng(1))
    for alpha, z in zip(ALPHAS, boundaries(levels, most / 3, ALPHAS, True), strict=True):
        crossed = int((errors >= z).any(axis=1).sum())
        assert crossed <= binom.isf(LEVEL, WALKS, alpha)
        assert crossed >= 0.35 * alpha * WALKS  # sharp enough to be of use


def test_a_boundary_a_tenth_lower_is_caught():
    """The Monte Carlo test has power where looks are few: nine tenths of the boundary is crossed too often."""
    levels = Levels((8, 9, 10, 11))
    errors = walks(levels, np.random.default_rng(2))
    z = boundaries(levels, 10.0, (0.1,), True)[0]
    assert (errors >= 0.9 * z).any(axis=1).sum() > binom.isf(LEVEL, WALKS, 0.1)


def test_neighbouring_looks_are_credited_for_their_correlation():
    levels = Levels.up_to(3000)
    z = boundaries(levels, 1000.0, (0.05,), True)[0]
    alone = norm.isf(0.05 * spending(levels, 1000.0))
    assert z[0] == pytest.approx(alone[0], rel=1e-3)
    assert (z[1:] < alone[1:]).all()


def test_other_noise_pays_for_every_look():
    levels = Levels.up_to(500)
    z = boundaries(levels, 200.0, ALPHAS, False)
    totals = np.exp(-(z**2) / 2).sum(axis=1)
    assert (totals <= ALPHAS).all()
    np.testing.assert_allclose(totals, ALPHAS, rtol=2e-3)


def test_two_point_noise_stays_within_the_boundary_for_other_noise():
    levels, rng = Levels.up_to(200), np.random.default_rng(3)
    errors = walks(levels, rng, steps=lambda n: 2.0 * rng.binomial(n, 0.5, WALKS) - n)
    for alpha, z in zip(ALPHAS, boundaries(levels, 100.0, ALPHAS, False), strict=True):
        assert (errors >= z).any(axis=1).sum() <= binom.isf(LEVEL, WALKS, alpha)


@pytest.mark.parametrize("normal", [True, False])
@pytest.mark.parametrize("anchor", [1.0, 50.0, 1e5, math.inf])
def test_a_smaller_alpha_never_has_a_lower_boundary(normal, anchor):
    """Nested events: Holm's step rests on it."""
    alphas = tuple(0.3 * 0.84**k for k in range(60))
    table = boundaries(Levels.up_to(2000), anchor, alphas, normal)
    assert table.shape == (60, len(Levels.up_to(2000).counts))
    assert np.isfinite(table).all()
    assert (np.diff(table, axis=0) >= 0).all()


def test_tiny_probabilities_have_finite_boundaries():
    table = boundaries(Levels.up_to(100), 30.0, (1e-10, 1e-100, 1e-250), True)
    assert np.isfinite(table).all()
    assert (table[2] > table[1]).all()
    assert (table[1] > 19).all()
