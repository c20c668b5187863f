"""The promise on average over the prior, put to the test: the families of docs/validation-models, with fewer runs.

Each draws its truths from the prior that it declares, with delta = 0.1, looks after every evaluation and stops at the
first that certifies. Null: answers fail with probability at most delta; sequential test at level 1e-3 with fixed seeds
(power against a rate of 0.6: 0.90, of 0.7: 0.97). The negative control draws from a prior whose length scales are a
fraction of the declared ones, and must be withdrawn.
"""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from benchmarks.calibration import DELTA, families, made
from conewise.models.axes import axes_of
from conewise.models.certificate import ALARM, PosteriorCertificate
from conewise.models.posterior import posterior_of
from conewise.noise import Gaussian

LEVEL, OFTEN = 1e-3, 0.8


@pytest.mark.parametrize("family", families()[:7], ids=lambda family: family.name)
def test_failures_stay_within_delta(family):
    finished = []

    def fails(seed: int) -> bool:
        run = made(family, 10**6 + seed)
        finished.append(run.finished)
        return run.wrong

    assert not rejected(fails, DELTA, LEVEL, against=OFTEN)
    assert all(finished)


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
                doubted |= certificate.belief(state).doubt >= 1 / ALARM
            withdrawn[name] += doubted
    assert withdrawn["stiff"] >= 25
    assert withdrawn["wiggly"] <= 5


def test_promises_after_an_alarm_fail_within_delta_where_the_richer_prior_draws_the_truth():
    """Theorem D (b) of docs/posterior; most truths of the richer prior raise the alarm."""
    stated, delta, named = cw.models.Independent(sizes=(1.0,)), 0.1, []
    question, everyone = cw.Question(cw.Cone.orthant(2), 0.5, delta, Gaussian(0.4)), np.arange(8)

    def fails(seed: int) -> bool:
        rng = np.random.default_rng([seed, 7])
        empty = cw.Statistics.empty(8, 2)
        truth = posterior_of(stated.richer, axes_of(Gaussian(0.4), 2, 0.5), empty, 0.5, -1.0).draws(everyone, 1, rng)[0]
        lab = cw.SimulatedBandit(truth, Gaussian(0.4))
        result = cw.identify(lab, epsilon=0.5, delta=delta, model=stated, rng=seed)
        named.append("a richer prior" in str(result.guarantee))
        return named[-1] and not cw.verdict(result.pareto, truth, question.cone, result.certified["prior"])

    assert not rejected(fails, delta, LEVEL)
    assert np.mean(named) > 0.5
