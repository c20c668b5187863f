"""What is left out of the draws: dominated as surely as said, and without it the same answer."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.feedback import Observations, Statistics
from conewise.models import screen
from conewise.models.certificate import PosteriorCertificate
from conewise.models.screen import screened
from conewise.noise import Gaussian, GaussianUnknown

ORTHANT = cw.Cone.orthant(2)


FEATURES = np.linspace(0, 1, 30)[:, None]


MEANS = np.column_stack([np.sin(5 * FEATURES[:, 0]), np.cos(4 * FEATURES[:, 0])])


def certificate(model=None, noise=None, cone=ORTHANT, k=30, **options):
    question = cw.Question(cone, 0.3, 0.1, noise or Gaussian(0.2), options.pop("success", "cover"))
    return PosteriorCertificate(question, k, model or cw.models.Smooth(FEATURES), **options)


def observed(count, seed=0, sigma=0.2, means=MEANS):
    rng = np.random.default_rng(seed)
    designs = rng.integers(0, len(means), size=count)
    values = means[designs] + sigma * rng.normal(size=(count, means.shape[1]))
    return Statistics.empty(len(means), means.shape[1]).add(Observations.single(designs, values))


@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone.planar(60), cw.Cone.planar(135)], ids=["90", "60", "135"])
@pytest.mark.parametrize("noise", [Gaussian(0.2), GaussianUnknown()], ids=["known", "unknown"])
def test_what_is_left_out_is_dominated_as_surely_as_said(cone, noise):
    """20 000 draws: the share in which the chosen design does not dominate exceeds no bound by 4 deviations."""
    state = observed(60)
    sure = certificate(noise=noise, cone=cone)
    look = sure.look(state)
    outside = np.flatnonzero(~look.choice.inside)
    bound = screened(look.posterior, cone, look.chosen, outside)
    z = cone.facet_values(look.posterior.draws(np.arange(30), 20_000, np.random.default_rng(5)))
    best = np.array([min(float((z[:, j] < z[:, i][:, :]).any(axis=1).mean()) for j in look.chosen) for i in outside])
    # The twin picks the best of all; the bound is for one of them, so it can only be larger.
    assert (bound >= best - 4 * np.sqrt(best * (1 - best) / 20_000)).all()
    assert (bound < 0.01).any()


def test_a_core_of_the_designs_gives_the_same_answer(monkeypatch):
    state = observed(300)
    whole = certificate()
    full = whole.look(state)
    monkeypatch.setattr(screen, "CORE", 18)
    part = whole.look(state)
    assert len(part.designs) == 18
    assert set(full.chosen) <= set(part.designs)
    assert whole.judged(part, state).epsilon == pytest.approx(whole.judged(full, state).epsilon, rel=0.2)
    lonely = np.zeros(30, dtype=bool)
    assert screened(part.posterior, ORTHANT, np.flatnonzero(lonely), part.designs).tolist() == [1.0] * 18
