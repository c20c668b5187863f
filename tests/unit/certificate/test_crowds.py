"""Of very many designs those that are clearly beaten are found checkpoint by checkpoint, and stay beaten."""

from __future__ import annotations

import numpy as np
import pytest
from shared.certificates import certificate, climbed, forgetful, masks, random_state

from conewise.certificate.history import Checkpoints
from conewise.data.observations import Observations
from conewise.noise import Gaussian, GaussianUnknown

K = 60


@pytest.fixture(autouse=True)
def very_many(monkeypatch):
    monkeypatch.setattr("conewise.certificate.certificate.PILOT_DESIGNS", 8)
    for module in ("claims", "certificate"):
        monkeypatch.setattr(f"conewise.certificate.{module}.FEW", 8)


def evaluated(state: Checkpoints, designs: np.ndarray, rng: np.random.Generator) -> Checkpoints:
    """Each of them up to its next level."""
    counts = np.array(state.levels.counts)
    steps = np.diff(counts, prepend=0)[state.reached[designs] + 1]
    every = np.repeat(designs, steps)
    means = np.linspace(-2.0, 1.0, K)[every, None] * [1.0, 1.0] + 0.4 * (every % 3 - 1)[:, None] * [1.0, -1.0]
    return state.add(Observations.single(every, means + rng.normal(size=(len(every), 2)) * 0.5))


@pytest.mark.parametrize("noise", [Gaussian(0.5), GaussianUnknown(resolution=0)], ids=repr)
@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_a_design_that_was_beaten_stays_beaten_and_nothing_else_is_taken_over(noise, notion):
    """Beside what is found for the first time; an earlier state, or one that went on otherwise, takes nothing over."""
    checked = certificate(noise=noise, n_designs=K, epsilon=0.3, notion=notion, most=500)
    rng = np.random.default_rng(3)
    state, before = climbed(checked, [np.empty((0, 2))] * K), np.zeros(K, dtype=bool)
    state, seen = evaluated(state, np.arange(K), rng), set()
    for look in range(18):
        claims, first = checked.claims(state), forgetful(checked).claims(state)
        assert (claims.beaten >= before).all()
        assert (claims.beaten >= first.beaten).all()
        assert (claims.by[claims.beaten] >= 0).all()
        before = claims.beaten
        seen.add(int(before.sum()))
        among = np.flatnonzero(~before) if look % 6 else np.arange(K)  # now and then beaten ones as well
        branch, state = evaluated(state, among, rng), evaluated(state, among, rng)
        if look % 6 == 5:
            _ = checked.claims(branch)
            assert masks(checked.claims(state)) == masks(forgetful(checked).claims(state))
            before = checked.claims(state).beaten
    assert len(seen) > 3


def test_another_run_with_the_same_certificate_takes_nothing_over():
    checked = certificate(n_designs=K, notion="contain", epsilon=0.0, most=400)
    for seed in range(6):
        state = random_state(checked, seed, spread=[0.5, 3.0][seed % 2])
        assert masks(checked.claims(state)) == masks(forgetful(checked).claims(state))
