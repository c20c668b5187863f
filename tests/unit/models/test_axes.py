"""Axes of the noise: correlated noise becomes uncorrelated, and noise without axes is refused."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.models.axes import axes_of
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
        (Bounded(0, 1), 0.1, "needs normal noise"),
        (GaussianUnknown(), 0.0, "needs epsilon above 0"),
        (Gaussian(cov=[[[1, 0.5], [0.5, 1]], [[1, -0.5], [-0.5, 2]]]), 0.1, "the same for all designs"),
    ],
)
def test_noise_without_axes_is_refused(noise, epsilon, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        axes_of(noise, 2, epsilon)
