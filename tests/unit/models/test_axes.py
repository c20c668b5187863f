"""Axes of the noise: correlated noise becomes uncorrelated, and noise without axes is refused."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.errors import InputError
from conewise.models.axes import axes_of
from conewise.models.levels import Required
from conewise.noise import Bounded, Gaussian, GaussianUnknown


def test_axes_turn_correlated_noise_into_uncorrelated_noise():
    cov = np.array([[1.0, 0.6], [0.6, 2.0]])
    axes = axes_of(Gaussian(cov=cov), 2, 0.1)
    np.testing.assert_allclose(axes.directions @ axes.directions.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(axes.directions.T @ cov @ axes.directions, np.diag(axes.variances[0]), atol=1e-12)
    np.testing.assert_array_equal(axes_of(Gaussian([1, 2]), 2, 0.1).directions, np.eye(2))
    assert axes_of(GaussianUnknown(), 2, 0.1).variances is None


@pytest.mark.parametrize(
    ("noise", "epsilon", "sentence"),
    [
        (Bounded(0, 1), 0.1, r"needs normal noise .*, got observations between 0 and 1"),
        (GaussianUnknown(), 0.0, "needs epsilon above 0"),
        (Gaussian(1e-100), 0.1, "a standard deviation of 1e-100 beside 0.1: .* evaluate every design once and compare"),
        (Gaussian([1e-13, 1.0]), 0.0, "a standard deviation of 1e-13 beside 1:"),
        (Gaussian(1e-60), 1e-60, "choose units in which it lies between 1e-50 and 1e.50"),
        (Gaussian(1e60), 1e60, "choose units in which it lies between 1e-50 and 1e.50"),
        (Gaussian(cov=[[[1, 0.5], [0.5, 1]], [[1, -0.5], [-0.5, 2]]]), 0.1, "the same for all designs"),
    ],
)
def test_noise_without_axes_is_refused(noise, epsilon, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        axes_of(noise, 2, epsilon)


def levels(*given):
    question = cw.Question(
        cw.Cone.orthant(len(given)),
        0.1,
        0.1,
        objectives=[cw.Objective(f"f{d}", level=level) for d, level in enumerate(given)],
    )
    return Required.of(question)


def test_common_levels_are_drawn_around_what_is_acceptable():
    plain = axes_of(Gaussian([1, 2]), 2, 0.1).centred(levels(None, 3.0))
    np.testing.assert_array_equal(plain.centre, [np.nan, 3.0])
    turned = axes_of(Gaussian(cov=[[1.0, 0.5], [0.5, 1.0]]), 2, 0.1).centred(levels(2.0, 3.0))
    np.testing.assert_allclose(turned.directions @ turned.centre, [2.0, 3.0])


def test_a_level_beside_correlated_noise_is_refused_where_the_other_objective_has_none():
    axes = axes_of(Gaussian(cov=[[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 2.0]]), 3, 0.1)
    np.testing.assert_allclose(axes.centred(levels(None, None, 4.0)).centre, [np.nan, np.nan, 4.0])
    with pytest.raises(
        InputError, match="not correlated with one that has none, as objective 1 has: give that a level"
    ):
        axes.centred(levels(None, 3.0, None))
