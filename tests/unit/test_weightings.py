"""Weightings that answers leave: draws have their probabilities, allowances hold together."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.preferences.weightings import allowances, draws


def test_draws_have_the_probabilities_of_the_answers():
    points, weights = draws(np.empty((0, 2)), np.array([[1.0, -1.0]]), 0.9)
    assert weights @ (points[:, 0] > points[:, 1]) == pytest.approx(0.9, abs=0.03)
    points, weights = draws(np.array([[1.0, -1.0]]), np.empty((0, 2)), 0.9)
    assert (points[:, 0] >= points[:, 1]).all()
    assert points[:, 0].mean() == pytest.approx(0.75, abs=0.02)


def test_allowances_hold_together_with_the_probability_asked_for():
    rng = np.random.default_rng(8)
    points, rays = rng.dirichlet(np.ones(3), 2000), rng.normal(size=(4, 3))
    weights = np.full(2000, 1 / 2000)
    slack = allowances(points, weights, rays, 0.9)
    assert (points @ rays.T >= -slack).all(axis=1).mean() >= 0.9
