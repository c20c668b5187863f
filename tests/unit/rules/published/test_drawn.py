"""Acquisitions on draws: imagined evaluations, noise along facets, batches, and the certificate that stops them."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.noise import Gaussian, GaussianUnknown
from conewise.rules import FrontierEntropy, HypervolumeImprovement
from conewise.rules.published.drawn import as_predicted, facet_noise

RULES = [HypervolumeImprovement, FrontierEntropy]
X = np.linspace(0, 1, 20)
MEANS = 2 * np.column_stack([np.sin(2 * X), np.cos(2 * X)])
SMOOTH = cw.models.Smooth(X[:, None], kernels=("squared",), sizes=(10.0,))


def test_an_imagined_evaluation_leaves_the_posterior_of_its_mean():
    rng = np.random.default_rng(0)
    root = np.array([[1.0, 0.0], [0.8, 0.6]])
    z = np.stack([rng.normal(size=(40_000, 2)) @ root.T + [1.0, 2.0] for _ in range(2)], axis=2)
    after = as_predicted(z, 0, np.array([0.25, 1.0]), rng)
    np.testing.assert_allclose(after.mean(axis=0), z.mean(axis=0), atol=0.02)
    for facet, noise in enumerate((0.25, 1.0)):
        covariance = np.cov(after[:, :, facet].T)
        known = root @ root.T
        expected = known - np.outer(known[0], known[0]) / (known[0, 0] + noise)
        np.testing.assert_allclose(covariance, expected, atol=0.02)


def look_of(cone, noise, make=HypervolumeImprovement):
    rule = make(cw.Question(cone, 0.3, 0.1, noise), len(X), model=SMOOTH)
    seen = cw.Observations.single(np.arange(0, 20, 3).repeat(3), MEANS[::3].repeat(3, axis=0) + NOISE)
    state = rule.tell(rule.start(), seen)
    return rule, state, rule.certificate.look(rule.seen(state))


NOISE = np.random.default_rng(1).normal(0, 0.1, (21, 2))


def test_noise_along_facets():
    cone, covariance = cw.Cone.planar(60), np.array([[0.04, 0.01], [0.01, 0.02]])
    _, _, look = look_of(cone, Gaussian(cov=covariance))
    expected = np.einsum("nd,de,ne->n", cone.facets, covariance, cone.facets)
    np.testing.assert_allclose(facet_noise(look, cone.facets), np.tile(expected, (20, 1)), rtol=1e-9)
    _, _, look = look_of(cone, GaussianUnknown())
    np.testing.assert_allclose(np.sqrt(facet_noise(look, cone.facets)), 0.1, rtol=0.5)


@pytest.mark.parametrize("make", RULES)
def test_a_batch_is_spread_and_starts_with_the_best(make):
    rule, state, look = look_of(cw.Cone.planar(60), Gaussian(0.1), make)
    first = rule.chosen(look, state, 1)
    batch = rule.chosen(look, state, 6)
    assert first.total == 1
    assert batch.total == 6
    assert first.designs[0] in batch.designs
    assert len(batch.designs) > 1
    assert rule.chosen(look, state, 100).total == 100


@pytest.mark.parametrize("make", RULES)
def test_what_is_dear_is_left_for_later(make):
    rule, state, look = look_of(cw.Cone.planar(60), Gaussian(0.1), make)
    best = int(rule.chosen(look, state, 1).designs[0])
    dear = make(rule.question, 20, model=SMOOTH, prices=np.where(np.arange(20) == best, 1e6, 1.0))
    assert dear.chosen(look, state, 1).designs[0] != best


@pytest.mark.parametrize("make", RULES)
@pytest.mark.parametrize("cone", [cw.Cone.planar(60), cw.Cone.planar(120)], ids=str)
def test_the_certificate_stops_it_with_its_promise(make, cone):
    problem = cw.SimulatedBandit(MEANS, Gaussian(0.1))
    name = {HypervolumeImprovement: "ehvi", FrontierEntropy: "pfes"}[make]
    result = cw.identify(problem, cone, epsilon=0.3, delta=0.1, algorithm=name, model=SMOOTH, rng=0)
    assert isinstance(result.guarantee, cw.Guarantee)
    assert "posterior certificate" in result.guarantee.theorem
    assert cw.verdict(result.pareto, MEANS, cone, 0.3)
    assert result.evaluations < 60


@pytest.mark.parametrize("make", RULES)
def test_designs_that_cannot_be_optimal_are_left_alone(make):
    rule, state, look = look_of(cw.Cone.planar(120), Gaussian(0.1), make)
    never = look.designs[look.choice.probability == 0]
    assert len(never)
    assert not np.isin(rule.chosen(look, state, 64).designs, never).any()
