"""What an assumption is: a value that travels, with tails of its own."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from shared.noises import ONE_OF_EACH, Laplace

import conewise as cw
from conewise.noise import (
    Gaussian,
    Noise,
)


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
    from conewise.rules import SuccessiveElimination
    from conewise.rules.adaptive.fixed import FixedSample

    own, light = Laplace(), cw.noise.SubGaussian(1.0)
    cone = cw.Cone.orthant(2)
    for delta in (1e-3, 1e-6):
        sample = FixedSample(cw.Question(cone, 0.5, delta, own), 2)
        share = np.log([delta / 7])
        assert sample.radii.quantiles(np.array([9.0]), share) == pytest.approx([own.deviation(delta / 7)])
    heavy, thin = (SuccessiveElimination(cw.Question(cone, 0.5, 1e-6, noise), 3).certificate for noise in (own, light))
    assert (heavy.tables.fine[0, 0, :10] > thin.tables.fine[0, 0, :10]).all()
    assert heavy.levels.counts[-1] > thin.levels.counts[-1]
    budgets = [cw.naive_budget(cone, noise, 3, 0.5, 1e-6, bound="subgaussian") for noise in (own, light)]
    assert budgets[0] > budgets[1]
    risk = cw.order.budgets.failure_probability(cone, own, 3, 0.5, budgets[0], bound="subgaussian")
    assert risk <= 1e-6
