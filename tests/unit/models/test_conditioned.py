"""What does not depend on values is shared, and what is kept of it changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Observations, Statistics
from conewise.models import posterior as conditioned
from conewise.models.axes import axes_of
from conewise.models.posterior import Conditioned, Exchangeable, Joints, posterior_of
from conewise.noise import Gaussian

FEATURES = np.linspace(0, 1, 12)[:, None]
PRIOR = cw.models.Smooth(FEATURES, sizes=(4.0,), discrepancies=(0.1,))


def component() -> Conditioned:
    return Conditioned(PRIOR, 2, 2.0, 0.2, np.array([1, 5, 9]), np.array([0.1, 0.2, 0.1]))


def posterior(noise):
    rng = np.random.default_rng(1)
    designs = rng.integers(0, 12, size=20)
    state = Statistics.empty(12, 2).add(Observations.single(designs, rng.normal(size=(20, 2))))
    return posterior_of(PRIOR, axes_of(noise, 2, 0.3), state, 0.3, 1e-3)


def test_covariances_variances_and_differences_agree():
    known, everyone = component(), np.arange(12)
    reach, whole = known.reach(everyone), known.covariance(everyone)
    np.testing.assert_allclose(known.variance(everyone, reach), np.diag(whole))
    rows = np.array([7, 2, 5])
    np.testing.assert_allclose(known.covariance(rows), whole[np.ix_(rows, rows)], atol=1e-12)
    first, second = np.array([0, 3, 7]), np.array([5, 3, 8])
    expected = whole[first, first] + whole[second, second] - 2 * whole[first, second]
    np.testing.assert_allclose(known.difference(everyone, reach, first, second), expected, atol=1e-12)


def test_what_is_kept_is_kept_for_the_same_designs_and_within_memory(monkeypatch):
    known, joints, designs = component(), Joints(), np.arange(6)
    kept = joints.of(known, designs)
    assert joints.of(known, designs) is kept
    assert joints.of(known, np.arange(5)).covariance.shape == (5, 5)
    assert joints.of(known, designs) is not kept
    monkeypatch.setattr(conditioned, "KEPT", 10)
    without = Joints()
    assert without.of(known, designs) is not without.of(known, designs)
    np.testing.assert_array_equal(without.of(known, designs).covariance, kept.covariance)


def test_objectives_with_the_same_noise_share_what_depends_on_it_alone():
    first, second = ({part.known for part in mixture.components} for mixture in posterior(Gaussian(0.3)).mixtures)
    assert first & second
    first, second = (
        {part.known for part in mixture.components} for mixture in posterior(Gaussian([0.3, 0.4])).mixtures
    )
    assert not first & second


def test_draws_do_not_depend_on_what_is_kept(monkeypatch):
    designs = np.arange(12)
    kept = posterior(Gaussian(0.3)).draws(designs, 40, np.random.default_rng(3))
    monkeypatch.setattr(conditioned, "KEPT", 0)
    np.testing.assert_array_equal(posterior(Gaussian(0.3)).draws(designs, 40, np.random.default_rng(3)), kept)


def test_independent_designs_agree_with_what_a_full_matrix_says():
    """Also their draws: 200 000 of them, standardised errors of means and covariances within 5 deviations."""
    options = PRIOR, -1, 0.0, 1.5, np.array([1, 5, 9]), np.array([0.1, 0.2, 0.3])
    full, apart, everyone = Conditioned(*options), Exchangeable(*options), np.arange(12)
    sides = np.random.default_rng(2).normal(size=(3, 4))
    for back in (False, True):
        np.testing.assert_allclose(apart.whitened(sides, back=back), full.whitened(sides, back=back))
        np.testing.assert_allclose(apart.whitened(sides[:, 0], back=back), full.whitened(sides[:, 0], back=back))
    assert apart.weight == pytest.approx(full.weight)
    mine, theirs = apart.joint(everyone), full.joint(everyone)
    np.testing.assert_allclose(mine.covariance, theirs.covariance)
    for one, other in zip(mine.reach, theirs.reach, strict=True):
        np.testing.assert_allclose(one, other)
    draws = mine.deviations(200_000, np.random.default_rng(3))
    variance = np.diag(theirs.covariance)
    assert (np.abs(draws.mean(axis=0)) < 5 * np.sqrt(variance / len(draws))).all()
    error = np.sqrt((np.outer(variance, variance) + theirs.covariance**2) / len(draws))
    assert (np.abs(np.cov(draws.T) - theirs.covariance) < 5 * error).all()


def test_independent_designs_of_which_nothing_is_known_have_no_level():
    none = Exchangeable(PRIOR, -1, 0.0, 1.5, np.empty(0, dtype=int), np.empty(0))
    np.testing.assert_allclose(none.joint(np.arange(4)).covariance, 2.25 * np.eye(4))
