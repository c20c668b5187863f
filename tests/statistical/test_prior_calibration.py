"""The promise on average over the prior, put to the test: truths are drawn from the prior and runs peek all the time.

Each family: RUNS truths drawn from the declared prior, delta = 0.2, stopping at the first certified look. Null: answers
fail with probability at most delta; the exact test at level 1e-3 rejects from 12 of 24 failures on (power against a
rate of 0.7: 0.99, of 0.6: 0.89), and runs that cannot change its verdict are left out. The negative control draws from
a prior whose length scales are a fraction of the declared ones, and must be withdrawn.
"""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.algorithms import ModelGuided
from conewise.models.axes import axes_of
from conewise.models.certificate import ALARM, PosteriorCertificate
from conewise.models.posterior import posterior_of
from conewise.noise import Gaussian, GaussianUnknown
from conewise.studies import run

RUNS, DELTA, EPSILON, SIGMA, K = 24, 0.2, 0.5, 0.4, 8
LEVEL = 1e-3
FEATURES = np.random.default_rng(11).random((K, 2))
SMOOTH = cw.models.Smooth(FEATURES, kernels=("matern52",), sizes=(3.0,), discrepancies=(0.1,), between=(0.2, 1.0))
FAMILIES = {
    "no features": (cw.models.Independent(sizes=(1.0, 4.0)), Gaussian(SIGMA), 2),
    "linear": (cw.models.Linear(FEATURES, sizes=(3.0,), discrepancies=(0.3,)), Gaussian(SIGMA), 2),
    "unknown kernel": (SMOOTH, Gaussian(SIGMA), 2),
    "three objectives": (cw.models.Independent(sizes=(2.0,)), Gaussian(SIGMA), 3),
    "unknown noise": (cw.models.Independent(sizes=(1.0, 4.0)), GaussianUnknown(), 2),
}


def truth(prior, noise, dim, rng):
    """Values from the prior, and the standard deviations of the noise."""
    empty = cw.Statistics.empty(K, dim)
    if isinstance(noise, Gaussian):
        posterior = posterior_of(prior, axes_of(noise, dim, EPSILON), empty, EPSILON, -1.0)
        return posterior.draws(np.arange(K), 1, rng)[0], np.full(dim, SIGMA)
    sigma = EPSILON * np.sqrt(0.5 / rng.standard_gamma(0.5, dim))  # inverse gamma with one degree of freedom
    units = axes_of(Gaussian(1.0), dim, 1.0)
    return posterior_of(prior, units, empty, 1.0, -1.0).draws(np.arange(K), 1, rng)[0] * sigma, sigma


@pytest.mark.parametrize("family", FAMILIES)
def test_failures_stay_within_delta(family):
    prior, noise, dim = FAMILIES[family]
    cone, finished = cw.Cone.orthant(dim), []

    def fails(seed: int) -> bool:
        rng = np.random.default_rng([seed, 77])
        means, sigma = truth(prior, noise, dim, rng)
        question = cw.Question(cone, EPSILON, DELTA, noise)
        rule = ModelGuided(question, K, model=prior, seed=seed, max_evaluations=400)
        result = run(rule, cw.SimulatedBandit(means, Gaussian(sigma)), rng=rng, batch=3)
        finished.append(isinstance(result.guarantee, cw.Guarantee))
        return finished[-1] and not cw.verdict(result.pareto, means, cone, result.guarantee.epsilon)

    assert not rejected(fails, RUNS, DELTA, LEVEL)
    assert sum(finished) > 0.8 * len(finished)


def test_a_prior_that_is_four_times_too_smooth_is_withdrawn_and_the_right_one_is_not():
    """30 runs: of wrong priors 95 % are withdrawn, of right ones 5 %; rejected below 25 and above 5 (level 0.01)."""
    features = np.linspace(0, 1, 40)[:, None]
    wiggly, stiff = (
        cw.models.Smooth(features, kernels=("squared",), sizes=(10.0,), discrepancies=(0.01,), between=between)
        for between in ((0.05, 0.06), (0.2, 0.24))
    )
    question, everyone = cw.Question(cw.Cone.orthant(2), 0.1, 0.1, Gaussian(0.1)), np.arange(40)
    withdrawn = {"wiggly": 0, "stiff": 0}
    for seed in range(30):
        rng = np.random.default_rng([seed, 5])
        axes = axes_of(Gaussian(0.1), 2, 0.1)
        means = posterior_of(wiggly, axes, cw.Statistics.empty(40, 2), 0.1, -1.0).draws(everyone, 1, rng)[0]
        designs = rng.integers(0, 40, size=24)
        values = means[designs] + 0.1 * rng.normal(size=(24, 2))
        for name, prior in (("wiggly", wiggly), ("stiff", stiff)):
            certificate = PosteriorCertificate(question, 40, prior)
            state, doubted = cw.Statistics.empty(40, 2), False
            for part in np.split(np.arange(24), 3):  # peeking: withdrawn once is withdrawn
                state = state.add(cw.Observations.single(designs[part], values[part]))
                doubted |= certificate.doubt(state) >= 1 / ALARM
            withdrawn[name] += doubted
    assert withdrawn["stiff"] >= 25
    assert withdrawn["wiggly"] <= 5
