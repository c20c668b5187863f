"""The posterior against a twin that conditions on every single evaluation, with contrasts in place of a flat level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

import conewise as cw
from conewise.certificate.streams import Separately
from conewise.data.observations import Observations, Statistics
from conewise.models.axes import axes_of
from conewise.models.levels import WIDTHS, Required
from conewise.models.posterior import posterior_of
from conewise.noise import Gaussian, GaussianUnknown

K, DIM, UNIT = 5, 2, 0.5
FEATURES = np.random.default_rng(2).random((K, 2))
PRIORS = {
    "independent": cw.models.Independent(sizes=(0.5, 4.0)),
    "linear": cw.models.Linear(FEATURES, sizes=(2.0, 6.0)),
    "smooth": cw.models.Smooth(FEATURES, sizes=(4.0,), discrepancies=(0.05, 0.5), kernels=("matern52",)),
}
NOISES = {
    "known": Gaussian([0.3, 0.7]),
    "one covariance": Gaussian(cov=[[0.4, 0.2], [0.2, 0.3]]),
    "by design": Gaussian(np.random.default_rng(3).random((K, DIM)) + 0.1),
    "unknown": GaussianUnknown(),
}
SMALL_FREEDOM = 1.0


def contrasts(n: int) -> np.ndarray:
    """(n - 1, n): orthonormal rows that sum to 0."""
    return np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, :-1]]))[0][:, 1:].T


def prior_covariance(prior, g: int, unit: float) -> np.ndarray:
    parts, everyone = prior.components, np.arange(K)
    shape = int(parts.shape[g])
    matrix = np.zeros((K, K)) if shape < 0 else prior.correlation(shape, everyone, everyone)
    return unit**2 * (parts.size[g] ** 2 * matrix + parts.discrepancy[g] ** 2 * np.eye(K))


def twin(prior, axes, designs, values):
    """Per axis: weights, and mean and covariance of the contrasts of all designs, component by component."""
    unknown = axes.variances is None
    unit = 1.0 if unknown else UNIT
    pick = np.eye(K)[designs]
    rows, all_ = contrasts(len(designs)), contrasts(K)
    found = []
    for axis in range(DIM):
        y = rows @ (values @ axes.directions)[:, axis]
        noise = np.diag(axes.variance_of(K)[designs, axis])
        logs, means, covs = [], [], []
        for g in range(len(prior.components)):
            prior_cov = prior_covariance(prior, g, unit)
            total = rows @ (pick @ prior_cov @ pick.T + noise) @ rows.T
            across = all_ @ prior_cov @ pick.T @ rows.T
            quad, (_, logdet) = y @ np.linalg.solve(total, y), np.linalg.slogdet(total)
            cov = all_ @ prior_cov @ all_.T - across @ np.linalg.solve(total, across.T)
            if unknown:  # multivariate t with the prior's degrees of freedom and scale
                power = (SMALL_FREEDOM + len(y)) / 2
                scale = SMALL_FREEDOM * UNIT**2
                logs.append(gammaln(power) - logdet / 2 - power * np.log(scale + quad))
                cov = cov * (scale + quad) / (SMALL_FREEDOM + len(y))
            else:
                logs.append(-(logdet + quad) / 2)
            means.append(across @ np.linalg.solve(total, y))
            covs.append(cov)
        logs = prior.components.log_weight + np.array(logs)
        weights = np.exp(logs - logs.max())
        found.append((weights / weights.sum(), np.array(means), np.array(covs)))
    return found


def observations(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, K, size=count), rng.normal(size=(count, DIM)) * 2 + 50.0


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), count=st.integers(2, 9))
def test_weights_means_and_covariances_agree_with_the_twin(prior, noise, seed, count):
    prior, axes = PRIORS[prior], axes_of(NOISES[noise], DIM, UNIT)
    designs, values = observations(seed, count)
    state = Statistics.empty(K, DIM).add(Observations.single(designs, values))
    posterior = posterior_of(prior, axes, state, UNIT, drop=-1.0)
    all_, everyone = contrasts(K), np.arange(K)
    for mixture, (weights, means, covs) in zip(posterior.mixtures, twin(prior, axes, designs, values), strict=True):
        np.testing.assert_allclose(mixture.weights, weights, rtol=1e-6, atol=1e-12)
        for component, mean, cov in zip(mixture.components, means, covs, strict=True):
            reach = component.known.reach(everyone)
            np.testing.assert_allclose(all_ @ component.mean(reach), mean, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(component.mean_alone(everyone), component.mean(reach), rtol=1e-6, atol=1e-7)
            joint = component.known.covariance(everyone) * component.spread
            np.testing.assert_allclose(all_ @ joint @ all_.T, cov, rtol=1e-6, atol=1e-7)
            variance = component.known.variance(everyone, reach)
            np.testing.assert_allclose(variance * component.spread, np.diag(joint))


@pytest.mark.parametrize("noise", ["known", "by design", "unknown"])
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), counts=st.tuples(st.integers(2, 9), st.integers(2, 9)))
def test_objectives_that_are_measured_one_by_one_have_the_posterior_of_their_own_values(noise, seed, counts):
    """Each as if nothing else had been measured; the twin's other axis is not looked at."""
    prior, axes, all_, everyone = PRIORS["smooth"], axes_of(NOISES[noise], DIM, UNIT), contrasts(K), np.arange(K)
    own = [observations(seed + d, count) for d, count in enumerate(counts)]
    seen = Separately.empty(K, DIM).add(
        [Observations.single(designs, values[:, d : d + 1]) for d, (designs, values) in enumerate(own)]
    )
    posterior = posterior_of(prior, axes, seen, UNIT, drop=-1.0)
    for d, mixture in enumerate(posterior.mixtures):
        weights, means, covs = twin(prior, axes, *own[d])[d]
        np.testing.assert_allclose(mixture.weights, weights, rtol=1e-6, atol=1e-12)
        for component, mean, cov in zip(mixture.components, means, covs, strict=True):
            np.testing.assert_allclose(all_ @ component.mean_alone(everyone), mean, rtol=1e-6, atol=1e-7)
            joint = component.known.covariance(everyone) * component.spread
            np.testing.assert_allclose(all_ @ joint @ all_.T, cov, rtol=1e-6, atol=1e-7)


@given(seed=st.integers(0, 10**6))
def test_neither_order_nor_batches_of_the_observations_show(seed):
    prior, axes = PRIORS["smooth"], axes_of(GaussianUnknown(), DIM, UNIT)
    designs, values = observations(seed, 8)
    rng = np.random.default_rng(seed)
    first = Statistics.empty(K, DIM).add(Observations.single(designs, values))
    second = Statistics.empty(K, DIM)
    for part in np.array_split(rng.permutation(8), 3):
        second = second.add(Observations.single(designs[part], values[part]))
    draws = [
        posterior_of(prior, axes, state, UNIT, 0.01).draws(np.arange(K), 6, np.random.default_rng(1))
        for state in (first, second)
    ]
    np.testing.assert_array_equal(*draws)


def test_what_is_left_out_weighs_no_more_than_allowed():
    prior, axes = PRIORS["smooth"], axes_of(Gaussian(0.2), DIM, UNIT)
    designs, values = observations(4, 30)
    state = Statistics.empty(K, DIM).add(Observations.single(designs, values))
    whole, part = (posterior_of(prior, axes, state, UNIT, drop) for drop in (-1.0, 0.05))
    assert whole.dropped == pytest.approx(0, abs=1e-12)
    assert part.dropped <= DIM * 0.05
    for all_, some in zip(whole.mixtures, part.mixtures, strict=True):
        assert len(some.components) < len(all_.components)
        assert some.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("noise", ["one covariance", "unknown"])
def test_draws_have_the_moments_of_the_posterior(noise):
    """100 000 draws: standardised errors of 10 means and 10 x 10 covariances stay within 5 (and 6) deviations."""
    prior, axes = PRIORS["linear"], axes_of(NOISES[noise], DIM, UNIT)
    designs, values = observations(7, 24)
    state = Statistics.empty(K, DIM).add(Observations.single(designs, values))
    posterior = posterior_of(prior, axes, state, UNIT, drop=-1.0)
    count = 100_000
    draws = posterior.draws(np.arange(K), count, np.random.default_rng(0)) @ axes.directions
    all_ = contrasts(K)
    for axis, (weights, means, covs) in enumerate(twin(prior, axes, designs, values)):
        seen = draws[:, :, axis] @ all_.T
        if noise == "unknown":  # of a t distribution the variance exceeds the scale
            freedom = SMALL_FREEDOM + len(designs) - 1
            covs = covs * freedom / (freedom - 2)
        mean = weights @ means
        spread = np.einsum("g,gij->ij", weights, covs) + np.einsum("g,gi,gj->ij", weights, means - mean, means - mean)
        deviations = np.sqrt(np.diag(spread))
        assert (np.abs(seen.mean(axis=0) - mean) < 5 * deviations / np.sqrt(count)).all()
        error = np.abs(np.cov(seen.T) - spread) / np.outer(deviations, deviations)
        assert (error < 6 * np.sqrt(4 / count)).all()


def test_before_any_evaluation_differences_have_the_prior():
    prior, axes = cw.models.Independent(sizes=(3.0,)), axes_of(Gaussian(1.0), DIM, UNIT)
    posterior = posterior_of(prior, axes, Statistics.empty(K, DIM), UNIT, 0.0)
    draws = posterior.draws(np.arange(K), 20_000, np.random.default_rng(0))
    np.testing.assert_allclose((draws[:, 0] - draws[:, 1]).std(axis=0), 3 * UNIT * np.sqrt(2), rtol=0.03)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("prior", PRIORS)
def test_moments_are_those_of_draws(prior, noise):
    """Means and variances along the axes; of an unknown noise the typical size, which draws scatter around."""
    rng = np.random.default_rng(4)
    seen = Observations.single(rng.integers(0, K, 40), rng.normal(size=(40, DIM)))
    axes = axes_of(NOISES[noise], DIM, UNIT)
    posterior = posterior_of(PRIORS[prior], axes, Statistics.empty(K, DIM).add(seen), UNIT, 0.0)
    means, variances = posterior.moments(np.arange(K))
    draws = posterior.draws(np.arange(K), 20_000, rng) @ axes.directions
    np.testing.assert_allclose(draws.mean(axis=0), means, atol=0.02)
    np.testing.assert_allclose(draws.var(axis=0), variances, rtol=0.12)


def proper_twin(prior, axes, designs, values, breadths):
    """Per axis: weights, and mean and covariance of all designs, with a level that is normal around the centre."""
    unknown = axes.variances is None
    unit = 1.0 if unknown else UNIT
    pick, found = np.eye(K)[designs], []
    for axis in range(DIM):
        y = (values @ axes.directions)[:, axis] - axes.centre[axis]
        noise = np.diag(axes.variance_of(K)[designs, axis])
        logs, means, covs = [], [], []
        for g in range(len(prior.components)):
            for breadth in breadths:
                prior_cov = prior_covariance(prior, g, unit) + (unit * breadth) ** 2
                total, across = pick @ prior_cov @ pick.T + noise, prior_cov @ pick.T
                quad, (_, logdet) = y @ np.linalg.solve(total, y), np.linalg.slogdet(total)
                cov = prior_cov - across @ np.linalg.solve(total, across.T)
                power, scale = (SMALL_FREEDOM + len(y)) / 2, SMALL_FREEDOM * UNIT**2
                logs.append(-(logdet / 2 + power * np.log(scale + quad)) if unknown else -(logdet + quad) / 2)
                logs[-1] += prior.components.log_weight[g]
                means.append(axes.centre[axis] + across @ np.linalg.solve(total, y))
                covs.append(cov * (scale + quad) / (SMALL_FREEDOM + len(y)) if unknown else cov)
        weights = np.exp(np.array(logs) - np.max(logs))
        found.append((weights / weights.sum(), np.array(means), np.array(covs)))
    return found


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("prior", PRIORS)
@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 9))
def test_with_levels_values_themselves_agree_with_the_twin(prior, noise, seed, count):
    asked = [cw.Objective("a", level=49.0), cw.Objective("b", level=52.0)]
    required = Required.of(cw.Question(cw.Cone.orthant(DIM), UNIT, 0.1, NOISES[noise], objectives=asked))
    prior, axes = PRIORS[prior], axes_of(NOISES[noise], DIM, UNIT).centred(required)
    designs, values = observations(seed, count)
    state = Statistics.empty(K, DIM).add(Observations.single(designs, values))
    posterior, everyone = posterior_of(prior, axes, state, UNIT, drop=-1.0), np.arange(K)
    twins = proper_twin(prior, axes, designs, values, WIDTHS)
    for mixture, (weights, means, covs) in zip(posterior.mixtures, twins, strict=True):
        np.testing.assert_allclose(mixture.weights, weights, rtol=1e-5, atol=1e-10)
        for component, mean, cov in zip(mixture.components, means, covs, strict=True):
            reach = component.known.reach(everyone)
            np.testing.assert_allclose(component.mean(reach), mean, rtol=1e-5)
            np.testing.assert_allclose(component.mean_alone(everyone), mean, rtol=1e-5)
            joint = component.known.covariance(everyone) * component.spread
            np.testing.assert_allclose(joint, cov, rtol=1e-4, atol=1e-5)


def test_before_any_evaluation_a_level_is_drawn_around_what_is_acceptable():
    required = Required(np.array([0]), np.array([7.0]), keeps=True)
    axes = axes_of(Gaussian(1.0), DIM, UNIT).centred(required)
    posterior = posterior_of(cw.models.Independent(sizes=(3.0,)), axes, Statistics.empty(K, DIM), UNIT, 0.0)
    draws = posterior.draws(np.arange(K), 30_000, np.random.default_rng(0))[:, :, 0]
    levels = draws.mean(axis=1)
    assert np.median(levels) == pytest.approx(7.0, abs=0.5)
    assert levels.std() == pytest.approx(UNIT * np.sqrt(np.mean(np.square(WIDTHS))), rel=0.03)
    np.testing.assert_allclose((draws[:, 0] - draws[:, 1]).std(), 3 * UNIT * np.sqrt(2), rtol=0.03)
