"""How large a noise vector is, from how large it is along directions; and bad standard deviations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import conewise as cw
from conewise.noise import (
    Gaussian,
    NormSubGaussian,
    SubGaussian,
    normal_norm_factor,
    subgaussian_norm_factor,
)


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
