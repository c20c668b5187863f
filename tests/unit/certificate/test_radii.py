"""Radii by what is assumed of the noise: quantiles, Welch's statistic, empirical Bernstein bounds.

Exact where a distribution can be computed (beta integrals, sums over binomial counts); else fixed seeds and an exact
binomial bound at LEVEL. Each bound is also shown to be needed: what is a little smaller is exceeded too often.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import scipy.special
from scipy.special import betainc, betaln, stdtr
from scipy.stats import binom, norm, t

import conewise as cw
from conewise.certificate import radii
from conewise.certificate.looks import Levels, spending
from conewise.certificate.radii import (
    EmpiricalBernstein,
    KnownScale,
    SelfNormalised,
    StudentT,
    kind_for,
    student_quantiles,
)
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian

LEVEL = 1e-6
LINE, ORTHANT = cw.Cone.orthant(1), cw.Cone.orthant(2)
FREEDOMS = [1, 2, 3, 4, 5, 7, 10, 19, 34, 100, 1000, 10**5, 10**9]
TINY = [1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-30, 1e-60, 1e-99]


def student_tail(x: float, freedom: float) -> float:
    """P(T > x) from the incomplete beta function, which keeps its relative precision in the tail."""
    return float(0.5 * betainc(freedom / 2, 0.5, freedom / (freedom + x * x)))


# -- Student's t ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_are_those_of_students_t_also_at_tiny_probabilities(freedom):
    found = student_quantiles(np.full(len(TINY), freedom), np.log(TINY))
    np.testing.assert_allclose(found, t.isf(TINY, freedom), rtol=1e-9)
    for x, tail in zip(found, TINY, strict=True):
        assert student_tail(x, freedom) == pytest.approx(tail, rel=1e-6)


def test_two_quantiles_that_can_be_written_down():
    """One degree of freedom: cot(pi p). Two: (1 - 2p) / sqrt(2 p (1 - p))."""
    for p in (0.3, 1e-2, 1e-6, 1e-12, 1e-40, 1e-120, 1e-250):
        assert float(student_quantiles(np.array(1), np.log(p))) == pytest.approx(1 / math.tan(math.pi * p), rel=1e-8)
        expected = (1 - 2 * p) / math.sqrt(2 * p * (1 - p))
        assert float(student_quantiles(np.array(2), np.log(p))) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_where_scipy_fails_a_bound_from_above_is_taken(freedom):
    """SciPy's quantiles have the wrong sign, or are off by a factor, for some freedoms below 1e-190 (gh-25968)."""
    tails = np.array([1e-101, 1e-150, 1e-200, 1e-240, 1e-290])
    found = student_quantiles(np.full(len(tails), freedom), np.log(tails))
    assert (np.diff(found) > 0).all()
    assert (found >= norm.isf(tails)).all()
    for x, tail in zip(found, tails, strict=True):
        if x < 1e150:  # its square is a number
            assert 0.3 * tail < student_tail(x, freedom) <= tail * (1 + 1e-9)


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf, 0.0], ids=str)
def test_no_broken_routine_makes_a_radius_too_small(monkeypatch, broken):
    monkeypatch.setattr(scipy.special, "stdtrit", lambda f, p: np.full(np.broadcast(f, p).shape, broken))
    for freedom in FREEDOMS:
        for tail in (0.2, 1e-2, 1e-5, 1e-12):
            x = float(student_quantiles(np.array(freedom), np.log(tail)))
            assert 0.7 * tail < student_tail(x, freedom) <= tail * (1 + 1e-7)


def test_half_and_more_ask_for_no_radius():
    assert student_quantiles(np.array([1.0, 5.0, 50.0, 5.0]), np.log([0.5, 0.5, 0.9, 1.0])).tolist() == [0.0] * 4


def test_one_degree_of_freedom_fewer_than_observations_and_never_none():
    made = kind_for(np.eye(2), GaussianUnknown())
    assert isinstance(made, StudentT)
    counts = np.array([1.0, 2.0, 3.0, 50.0])
    np.testing.assert_allclose(made.quantiles(counts, np.full(4, np.log(0.01))), t.isf(0.01, [1, 1, 2, 49]), rtol=1e-9)


def welch_tail(x: float, share: float, first: int, second: int) -> float:
    """P(T > x) for T = Z / sqrt(share U / first + (1 - share) V / second), U and V chi-squared: exact.

    U + V is independent of B = U / (U + V), which has a beta distribution: given B, T is a multiple of Student's t with
    first + second degrees of freedom. With B = sin(a)^2 the integrand is smooth, if steep at both ends.
    """
    angle, weights = steep_ends()
    sine, cosine = np.sin(angle), np.cos(angle)
    scale = (first + second) * (share * sine**2 / first + (1 - share) * cosine**2 / second)
    log_density = (first - 1) * np.log(sine) + (second - 1) * np.log(cosine) - betaln(first / 2, second / 2)
    total = weights * 2 * np.exp(log_density) * stdtr(first + second, -x * np.sqrt(scale))
    return float(total.sum())


@cache
def steep_ends() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [0, pi / 2]: 40 Gauss points a panel, panels that halve towards both ends."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    ends = math.pi / 4 * 0.5 ** np.arange(40.0)
    points = np.concatenate([[0.0], ends[::-1], (math.pi / 2 - ends)[1:], [math.pi / 2]])
    halves, middles = np.diff(points) / 2, (points[1:] + points[:-1]) / 2
    return (middles[:, None] + halves[:, None] * nodes).ravel(), (halves[:, None] * weights).ravel()


@pytest.mark.parametrize(("first", "second"), [(2, 2), (2, 8), (2, 300), (4, 17), (9, 9), (9, 36), (60, 240)])
def test_welchs_statistic_has_lighter_tails_than_students_t_with_the_fewer_degrees_of_freedom(first, second):
    """Whatever share of the variance of the difference belongs to the first mean (Mickey & Brown 1966)."""
    shares = [0.0, 1e-6, 1e-3, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.999, 1 - 1e-6, 1.0]
    for tail in (0.2, 0.05, 1e-3, 1e-6):
        bound = float(student_quantiles(np.array(min(first, second)), np.log(tail)))
        tails = [welch_tail(bound, share, first, second) for share in shares]
        assert max(tails) <= tail * (1 + 1e-7)
        assert tails[-1] == pytest.approx(tail, rel=1e-6)  # all from the first: Student's t itself, so none is smaller
        pooled = float(student_quantiles(np.array(first + second), np.log(tail)))
        assert welch_tail(pooled, 1.0, first, second) > 1.001 * tail  # more degrees of freedom would not do


@pytest.mark.parametrize(("mine", "theirs"), [(1.0, 1.0), (25.0, 0.04), (0.04, 25.0)], ids=str)
def test_students_boundary_holds_at_the_stated_rate(mine, theirs):
    """Streams of very unequal variances: crossed anywhere by at most alpha.

    Power: with normal quantiles in place of Student's the same test rejects, where a short stream carries the noise.
    """
    streams, alpha = 20_000, 0.005
    levels = Levels.up_to(40, growth=radii.COARSE_GROWTH, least=3)
    counts = np.array(levels.counts)
    made = StudentT(np.eye(1), GaussianUnknown())
    z = made.boundary(levels, 20.0, (alpha,))[0]
    rng = np.random.default_rng([7, 0])
    values = [math.sqrt(v) * rng.standard_normal((streams, counts[-1])) for v in (mine, theirs)]
    sums, squares = zip(*((np.cumsum(x, axis=1), np.cumsum(x * x, axis=1)) for x in values), strict=True)
    crossed, naive = np.zeros(streams, dtype=bool), np.zeros(streams, dtype=bool)
    logs = np.log(alpha * spending(levels, 20.0))
    for level in range(len(counts)):
        n = counts[[level, level]]
        means = [total[:, count - 1] / count for total, count in zip(sums, n, strict=True)]
        scatters = [
            np.maximum(square[:, count - 1] - count * mean**2, 0.0)
            for square, count, mean in zip(squares, n, means, strict=True)
        ]
        variances = [
            made.variances(np.arange(streams), scatter[:, None, None], np.full(streams, float(count)))[:, 0]
            for scatter, count in zip(scatters, n, strict=True)
        ]
        statistic = (means[1] - means[0]) / np.sqrt(variances[0] / n[0] + variances[1] / n[1])
        crossed |= statistic >= z[level]
        naive |= statistic >= norm.isf(math.exp(logs[level]))
    assert crossed.sum() <= binom.isf(LEVEL, streams, alpha)
    if mine != theirs:
        assert naive.sum() > binom.isf(LEVEL, streams, alpha)


def test_sample_variances_are_those_of_the_definition_and_one_observation_has_none():
    rng, cone = np.random.default_rng(3), cw.Cone.ice_cream(60, facets=5)
    rows = [rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) for n in (1, 2, 9, 40)]
    scatters = np.array([(x - x.mean(axis=0)).T @ (x - x.mean(axis=0)) for x in rows])
    found = StudentT(cone.facets, GaussianUnknown()).variances(np.arange(4), scatters, np.array([1.0, 2, 9, 40]))
    assert np.isinf(found[0]).all()
    for k in (1, 2, 3):
        np.testing.assert_allclose(found[k], np.var(rows[k] @ cone.facets.T, axis=0, ddof=1), rtol=1e-9)


# -- which argument for which noise --------------------------------------------------------------------------------


def test_every_assumption_has_its_argument():
    for once, bounded in ((False, SelfNormalised), (True, EmpiricalBernstein)):
        kinds = {StudentT: GaussianUnknown(), KnownScale: SubGaussian(2.0), bounded: Bounded([0, -1], [1, 4])}
        for kind, noise in kinds.items():
            made = kind_for(np.eye(2), noise, once=once)
            assert type(made) is kind
            assert made.estimates == (kind is not KnownScale)
    assert type(kind_for(np.eye(2), Gaussian(2.0))) is KnownScale


def test_what_is_known_beforehand_is_used_and_what_was_seen_is_not():
    by_design = np.array([[[1.0, 0.5], [0.5, 1.0]], [[4.0, 0.0], [0.0, 1.0]]])
    made = kind_for(cw.Cone.planar(60).facets, Gaussian(cov=by_design))
    expected = np.array([[u @ s @ u for u in made.rows] for s in by_design])
    np.testing.assert_allclose(made.variances(np.array([1, 0]), None, np.ones(2)), expected[::-1])
    plain = kind_for(np.eye(2), SubGaussian(3.0))
    assert plain.variances(np.array([0]), None, np.ones(1)).tolist() == [[9.0, 9.0]]


def test_at_one_look_every_count_may_spend_all():
    levels = Levels((3, 9, 40), once=True)
    for noise, z in ((Gaussian(1.0), norm.isf(0.01)), (GaussianUnknown(), t.isf(0.01, [2, 8, 39]))):
        found = kind_for(np.eye(1), noise, once=True).boundary(levels, math.inf, (0.01,))
        np.testing.assert_allclose(found, np.broadcast_to(z, (1, 3)), rtol=1e-9)
