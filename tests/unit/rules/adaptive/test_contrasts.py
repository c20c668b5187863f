"""Contrasts: where a batch of evaluations goes."""

from __future__ import annotations

import numpy as np

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import ModelGuided
from conewise.rules.adaptive.contrasts import next_pulls

X = np.random.default_rng(4).random((40, 2))


MEANS = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1], np.cos(2 * X[:, 0]) - X[:, 1] ** 2])


LAB = cw.SimulatedBandit(MEANS, Gaussian(0.05))


CONE = cw.Cone.orthant(2)


SMALL = cw.models.Smooth(X, kernels=("matern52",), sizes=(5.0, 20.0), discrepancies=(0.03,))


def rule(model=SMALL, noise=None, cone=CONE, success="cover", n_designs=40, **options):
    question = cw.Question(cone, 0.1, 0.05, noise or Gaussian(0.05), success)
    return ModelGuided(question, n_designs, model=model, **options)


def test_a_batch_has_the_size_that_was_asked_for_and_spreads():
    algorithm = rule()
    pulls = algorithm.ask(algorithm.start(), 8)
    assert pulls.total == 8
    assert len(pulls.designs) > 4


def test_a_long_batch_gives_designs_several_evaluations_at_once():
    algorithm = rule(model=cw.models.Independent())
    state = algorithm.tell(algorithm.start(), LAB.evaluate(cw.Pulls(np.arange(40)), 1))
    look = algorithm.certificate.look(state.everything)
    pulls = next_pulls(look, algorithm.certificate, 1000, np.ones((40, 1)))
    assert pulls.total == 1000
    assert pulls.counts.max() >= 63


def test_what_is_asked_for_is_worth_its_price():
    algorithm = rule()
    look = algorithm.certificate.look(algorithm.start().everything)
    (first,) = next_pulls(look, algorithm.certificate, 1, np.ones((40, 1))).designs
    (same,) = next_pulls(look, algorithm.certificate, 1, np.full((40, 1), 7.0)).designs
    assert same == first
    prices = np.ones((40, 1))
    prices[first] = 1000.0
    assert first not in next_pulls(look, algorithm.certificate, 20, prices).designs
    prices[first] = 1e-3
    assert next_pulls(look, algorithm.certificate, 1, prices).designs.tolist() == [first]
