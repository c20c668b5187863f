"""What is assumed of one evaluation: scales, tails, radii, conversions that are right in every dimension, refusals."""

from __future__ import annotations

import dataclasses
import itertools
import math
import pickle

import numpy as np
import pytest
from scipy import stats
from shared.noises import COV, ONE_OF_EACH, Laplace

import conewise as cw
from conewise.noise import (
    NORM_TO_DIRECTION,
    Binary,
    Bounded,
    ByObjective,
    Gaussian,
    GaussianUnknown,
    Known,
    Noise,
    NormSubGaussian,
    SubGaussian,
    normal_norm_factor,
    subgaussian_norm_factor,
)


def unit_vectors(dim: int, n: int = 2000, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, dim))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


# -- norm-subgaussian parameters, Ararat & Tekin 2023, Definition 4.1 ---------------------------------------------


def test_from_the_norm_to_a_direction_by_a_fine_grid():
    """2 log(g(s)) / s^2, g(s) = E exp(s Z) - s E Z, for the largest Z the definition admits."""
    start = math.sqrt(2 * math.log(2))  # P(Z > r) = min(1, 2 exp(-r^2 / 2)) falls from here on
    s = np.concatenate([np.linspace(1e-3, 5.0, 500_000), np.linspace(5.0, 35.0, 100_000)])
    mean = start + 2 * math.sqrt(2 * math.pi) * stats.norm.sf(start)
    # E exp(s Z) = exp(s start) + integral of s exp(s r) 2 exp(-r^2 / 2) from `start`, a normal tail
    moment = np.exp(s * start) + 2 * s * math.sqrt(2 * math.pi) * np.exp(s**2 / 2) * stats.norm.sf(start - s)
    proxies = 2 * np.log(moment - s * mean) / s**2
    assert proxies.max() <= NORM_TO_DIRECTION
    assert proxies.max() > NORM_TO_DIRECTION - 2e-4  # not rounded up by more than the last digit printed


def test_the_largest_norm_subgaussian_variable_is_subgaussian_with_that_proxy():
    """Y = Z or -Z, each with probability one half: E exp(s Y) = E cosh(s Z)."""
    start = math.sqrt(2 * math.log(2))
    for s in (0.05, 0.2, 0.5, 1.0, 2.0, 4.0):
        halves = [
            math.exp(u * start)
            + 2 * u * math.sqrt(2 * math.pi) * math.exp(u**2 / 2) * stats.norm.sf(start - u)  # as above; u < 0 as well
            for u in (s, -s)
        ]
        assert math.log(sum(halves) / 2) <= NORM_TO_DIRECTION * s**2 / 2
    noise = NormSubGaussian(2.0)
    assert noise.norm_subgaussian(7) == 2.0
    np.testing.assert_allclose(noise.scales([[3.0, 4.0]]), 2 * 5 * math.sqrt(NORM_TO_DIRECTION))


def test_the_norm_parameter_scales_with_the_largest_standard_deviation():
    assert Gaussian(2.0).norm_subgaussian(3) == pytest.approx(2 * normal_norm_factor(3))
    largest = math.sqrt(np.linalg.eigvalsh(COV)[-1])
    assert Gaussian(cov=COV).norm_subgaussian(3) == pytest.approx(largest * normal_norm_factor(3))
    diagonal = math.sqrt(1 + 4 + 16)
    assert Bounded([0, 0, -1], [1, 2, 3]).norm_subgaussian(3) == pytest.approx(diagonal / math.sqrt(2 * math.log(2)))


# -- scales --------------------------------------------------------------------------------------------------------


def test_normal_scales_are_standard_deviations_along_each_direction():
    u = unit_vectors(3, 50) * np.linspace(0.1, 3, 50)[:, None]
    np.testing.assert_allclose(Gaussian(1.5).scales(u), 1.5 * np.linalg.norm(u, axis=1))
    np.testing.assert_allclose(Gaussian([1, 2, 3.0]).scales(u), np.linalg.norm(u * [1, 2, 3], axis=1))
    np.testing.assert_allclose(Gaussian(cov=COV).scales(u), [math.sqrt(v @ COV @ v) for v in u])


def test_where_designs_differ_the_largest_scale_counts():
    u = unit_vectors(2, 50)
    by_design = Gaussian([[1.0, 0.1], [0.2, 0.8]])
    expected = np.maximum(*(np.linalg.norm(u * sigma, axis=1) for sigma in ([1.0, 0.1], [0.2, 0.8])))
    np.testing.assert_allclose(by_design.scales(u), expected)
    assert by_design.largest_scale(2) == pytest.approx(1.0)


@pytest.mark.parametrize("noise", ONE_OF_EACH, ids=repr)
def test_no_direction_exceeds_the_largest_scale_and_one_comes_close(noise):
    scales = noise.scales(unit_vectors(3, 20_000))
    largest = noise.largest_scale(3)
    assert (scales <= largest * (1 + 1e-12)).all()
    assert scales.max() > 0.99 * largest


@pytest.mark.parametrize("noise", ONE_OF_EACH, ids=repr)
def test_scales_are_homogeneous_and_broadcast(noise):
    u = unit_vectors(3, 12).reshape(3, 4, 3)
    assert noise.scales(u).shape == (3, 4)
    assert np.shape(noise.scales(u[0, 0])) == ()
    np.testing.assert_allclose(noise.scales(-2 * u), 2 * noise.scales(u))


def test_bounded_scales_are_half_the_range_over_the_corners_of_the_box():
    noise = Bounded([0, 0, -1], [1, 2, 3])
    corners = np.array(list(itertools.product([0, 1], [0, 2], [-1, 3])))
    u = unit_vectors(3, 100)
    np.testing.assert_allclose(noise.scales(u), np.ptp(u @ corners.T, axis=1) / 2)


def test_hoeffding_and_cosh_moments_stay_below_the_subgaussian_bound():
    t = np.linspace(0.01, 30, 3000)
    scale = float(Bounded(-1, 1).scales([1.0]))
    assert (np.log(np.sinh(t) / t) <= t**2 * scale**2 / 2).all()  # uniform on [-1, 1]
    assert (np.log(np.cosh(t)) <= t**2 * scale**2 / 2).all()  # two points, the worst case
    y = np.array([3.0, 4.0])
    assert cw.problems.TwoPoint(y).assumption == SubGaussian(5.0)


# -- tails and radii -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", ONE_OF_EACH, ids=repr)
@pytest.mark.parametrize("delta", [0.4, 0.05, 1e-3, 1e-12, 1e-100])
def test_a_deviation_has_exactly_the_tail_asked_for(noise, delta):
    assert float(noise.log_tail(noise.deviation(delta))) == pytest.approx(math.log(delta), rel=1e-9)


def test_normal_tails_are_the_normal_distributions():
    x = np.array([0.0, 0.5, 3.0, 38.0])
    np.testing.assert_allclose(Gaussian(3).log_tail(x), stats.norm.logsf(x), rtol=1e-12)
    np.testing.assert_allclose(SubGaussian(3).log_tail(x), -(x**2) / 2)
    assert Gaussian(1).deviation(0.7) == 0.0  # a radius is never negative


def test_a_normal_radius_is_never_wider_than_the_chernoff_one():
    for delta in (0.4, 0.1, 1e-4, 1e-12):
        assert Gaussian(1).deviation(delta) < SubGaussian(1).deviation(delta)


# -- values --------------------------------------------------------------------------------------------------------


def test_arrays_are_copied_and_cannot_be_written_to():
    sigma, cov, low = np.array([1.0, 2.0]), np.eye(2), np.zeros(2)
    first, second, third = Gaussian(sigma), Gaussian(cov=cov), Bounded(low, low + 1)
    sigma[:], cov[:], low[:] = 9, 9, 9
    assert (first.sigma.tolist(), second.cov.tolist(), third.low.tolist()) == ([1, 2], [[1, 0], [0, 1]], [0, 0])
    for array in (first.sigma, second.cov, third.low, third.high):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


@pytest.mark.parametrize("noise", [SubGaussian(1.0), NormSubGaussian(1.0)])
def test_assumptions_without_arrays_are_frozen_values(noise):
    assert noise == type(noise)(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        noise.sigma = 2.0


def test_an_assumption_is_printed_as_it_was_written():
    assert repr(Gaussian(0.25)) == "Gaussian(0.25)"
    assert repr(Gaussian([1, 2])) == "Gaussian(sigma of shape (2,))"
    assert repr(Gaussian(cov=np.eye(2))) == "Gaussian(cov of shape (2, 2))"
    assert repr(Bounded(0, [1, 2])) == "Bounded(0.0, [1.0, 2.0])"
    assert repr(SubGaussian(2)) == "SubGaussian(sigma=2.0)"


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Gaussian(), "either sigma or cov"),
        (lambda: Gaussian(1, cov=[[1]]), "either sigma or cov"),
        (lambda: Gaussian([]), "above 0 and finite"),
        (lambda: Gaussian([1, 0]), r"got \[1.0, 0.0\]"),
        (lambda: Gaussian(cov=[1, 2]), "shape"),
        (lambda: Gaussian(cov=[[1, 2, 3], [4, 5, 6]]), r"got \(2, 3\)"),
        (lambda: Gaussian(cov=[[1, 0.5], [0.4, 1]]), "symmetric"),
        (lambda: Gaussian(cov=[[1, 2], [2, 1]]), "positive semi-definite"),
        (lambda: Gaussian(cov=np.zeros((2, 2))), "not zero"),
        (lambda: Gaussian(cov=[[np.nan, 0], [0, 1]]), "NaN"),
        (lambda: SubGaussian([1.0]), "sigma must be a number, got shape"),
        (lambda: Bounded(1, 1), "low must be below high"),
        (lambda: Bounded([0, 0], [1, -1]), "low must be below high"),
        (lambda: Bounded([0, 0], [1, 1, 1]), "differ in shape"),
        (lambda: Bounded(0, float("inf")), "finite"),
        (lambda: Bounded([[0]], 1), "one number an objective"),
        (lambda: Gaussian([1, 2]).scales(np.eye(3)), "given for 2 objectives, but there are 3"),
        (lambda: Gaussian(cov=COV).largest_scale(2), "given for 3 objectives, but there are 2"),
        (lambda: Bounded([0, 0], 1).largest_scale(3), "given for 2 objectives, but there are 3"),
        (lambda: Gaussian([[1, 2], [3, 4]]).check_dim(2, 5), "given for 2 designs, but there are 5"),
        (lambda: Gaussian(1).radius([1.0], n=0, delta=0.1), "n must be at least 1"),
        (lambda: Gaussian(1).radius([1.0], n=10.5, delta=0.1), "n must be a whole number"),
        (lambda: Gaussian(1).deviation(0), "delta must lie strictly between 0 and 1, got 0"),
        (lambda: SubGaussian(1).deviation(1), "delta must lie strictly between 0 and 1, got 1"),
        (lambda: normal_norm_factor(0), "dim must be at least 1"),
        (lambda: ByObjective([Known(), Known()]), "no objective has noise"),
        (lambda: ByObjective(3), "one assumption an objective"),
        (lambda: ByObjective([Gaussian([1, 2])]), "given for 2 objectives, but there are 1"),
        (lambda: ByObjective([Binary(), 1.0]).scales(np.eye(3)), "given for 2 objectives, but there are 3"),
        (lambda: ByObjective([Binary(), GaussianUnknown()]).largest_scale(2), "size of this noise is unknown"),
        (lambda: ByObjective([Binary(), Laplace()]).scales(np.eye(2)), "cannot be added"),
        (lambda: cw.Question(cw.Cone.orthant(2), 0.1, 0.1, Known()), "compare the values with `front`"),
    ],
)
def test_refusals_say_what_is_wrong_in_one_line(make, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_range_is_said_with_short_numbers():
    assert Bounded(0, 1).words == "observations between 0 and 1, of any distribution"
    said = Bounded([0.028319671145462966, 0], [1, 90]).words
    assert said == "observations between 0.0283197, 0 and 1, 90 (one an objective), of any distribution"


# -- values that travel, and a noise of one's own ----------------------------------------------


def test_radii_shrink_with_the_square_root_of_the_evaluations():
    noise = Gaussian([1.0, 3.0])
    u = np.array([[1.0, 0.0], [0.6, 0.8]])
    one, many = noise.radius(u, n=1, delta=0.025), noise.radius(u, n=400, delta=0.025)
    np.testing.assert_allclose(one, 1.959964 * np.array([1.0, math.hypot(0.6, 2.4)]), rtol=1e-6)
    np.testing.assert_allclose(many, one / 20)


@pytest.mark.parametrize("noise", ONE_OF_EACH, ids=repr)
def test_assumptions_travel_between_processes(noise):
    again = pickle.loads(pickle.dumps(noise))
    assert isinstance(again, Noise)
    assert repr(again) == repr(noise)
    np.testing.assert_array_equal(again.scales(np.eye(3)), noise.scales(np.eye(3)))


def test_a_noise_of_ones_own_keeps_its_own_tails():
    """Taken for subgaussian, one of Laplace's tails at delta = 1e-6 was exceeded 58 times too often."""
    from conewise.certificate.radii import kind_for
    from conewise.rules import SuccessiveElimination

    own, light = Laplace(), cw.noise.SubGaussian(1.0)
    cone = cw.Cone.orthant(2)
    for delta in (1e-3, 1e-6):
        kind, share = kind_for(cone.facets, own, once=True), np.log([delta / 7])
        assert kind.quantiles(np.array([9.0]), share) == pytest.approx([own.deviation(delta / 7)])
    heavy, thin = (SuccessiveElimination(cw.Question(cone, 0.5, 1e-6, noise), 3).certificate for noise in (own, light))
    assert (heavy.tables.fine[0, 0, :10] > thin.tables.fine[0, 0, :10]).all()
    assert heavy.levels.counts[-1] > thin.levels.counts[-1]
    budgets = [cw.naive_budget(cone, noise, 3, 0.5, 1e-6, bound="subgaussian") for noise in (own, light)]
    assert budgets[0] > budgets[1]
    risk = cw.order.budgets.failure_probability(cone, own, 3, 0.5, budgets[0], bound="subgaussian")
    assert risk <= 1e-6


# -- factors from directions to the norm ----------------------------------------------


@pytest.mark.parametrize(("dim", "expected"), [(1, 1.0), (2, 1.0), (3, 1.035), (4, 1.141), (5, 1.265)])
def test_the_standard_normal_vector_has_the_parameter_of_the_theory(dim, expected):
    assert round(normal_norm_factor(dim), 3) == expected


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 8, 20, 64])
def test_the_factor_of_the_normal_vector_is_enough_and_a_thousandth_less_is_not(dim):
    r = np.geomspace(1e-3, 200.0, 200_000)
    exact = {1: lambda: math.log(2) + stats.norm.logsf(r), 2: lambda: -(r**2) / 2}  # far beyond what chi.logsf can do
    log_tail = exact.get(dim, lambda: stats.chi.logsf(r, dim))()

    def excess(sigma: float) -> float:
        return float((log_tail - (math.log(2) - r**2 / (2 * sigma**2))).max())

    assert excess(normal_norm_factor(dim)) <= 1e-6
    assert excess(0.999 * normal_norm_factor(dim)) > 0


def test_parameter_one_is_wrong_for_three_normal_objectives():
    r = math.sqrt(2 * 2.5)
    assert stats.chi.sf(r, 3) > 2 * math.exp(-(r**2) / 2)


@pytest.mark.parametrize("dim", [2, 3, 5, 8, 64])
def test_the_factor_of_a_subgaussian_vector_covers_the_tail_bound_it_comes_from(dim):
    t = np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 300_001)])
    r_squared = dim + 2 * np.sqrt(dim * t) + 2 * t  # P(|Y|^2 > this) <= exp(-t)
    sigma = subgaussian_norm_factor(dim)
    assert (-t <= math.log(2) - r_squared / (2 * sigma**2) + 1e-9).all()
    assert not (-t <= math.log(2) - r_squared / (2 * (0.999 * sigma) ** 2)).all()
    assert normal_norm_factor(dim) <= sigma <= 2 * math.sqrt(2 * dim)


def test_in_one_dimension_subgaussian_is_the_definition_itself():
    assert subgaussian_norm_factor(1) == 1.0
    assert SubGaussian(2.5).norm_subgaussian(1) == 2.5


@pytest.mark.parametrize("kind", [Gaussian, SubGaussian, NormSubGaussian])
@pytest.mark.parametrize(
    ("sigma", "words"),
    [
        (0, "sigma must be above 0 and finite, got 0"),
        (-1.0, "sigma must be above 0 and finite, got -1.0; it is a standard deviation, not a variance"),
        (float("nan"), "got nan"),
        (float("inf"), "got inf"),
        ("1", "sigma must be a rectangular array of real numbers"),
        (1e-200, "sigma must lie between"),
        (1e200, "change the units"),
        (np.ones((2, 2, 2)), r"got shape \(2, 2, 2\)"),
    ],
)
def test_a_bad_sigma_is_refused(kind, sigma, words):
    with pytest.raises(cw.InputError, match=words):
        kind(sigma)
