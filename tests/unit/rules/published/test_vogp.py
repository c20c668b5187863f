"""VOGP: its radius and rectangles, what it says of itself, and a table on which it finds the right set."""

from __future__ import annotations

import math

import numpy as np
import pytest

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import VOGP

ONE = cw.models.Independent(sizes=(4.0,))


def rule(cone=None, n_designs=6, noise=None, **options):
    question = cw.Question(cone or cw.Cone.orthant(2), 0.5, 0.1, noise or Gaussian(0.1))
    return VOGP(question, n_designs, **({"model": ONE} | options))


def test_the_radius_is_the_published_one():
    after = rule().beta(9)  # the tenth round: 2 log(pi^2 D K t^2 / (3 delta))
    assert after == pytest.approx(math.sqrt(2 * math.log(math.pi**2 * 2 * 6 * 100 / (3 * 0.1))))
    assert rule(radius="practical").beta(9) == pytest.approx(after / math.sqrt(32))
    assert rule(model=cw.models.Independent()).beta(9) == pytest.approx(after / math.sqrt(32))
    assert rule(model=cw.models.Independent(), radius="proven").beta(9) == pytest.approx(after)


def test_rectangles_are_those_of_the_posterior():
    """One design with two values and a known process: mean, variance and the largest rectangle by hand."""
    made = rule(n_designs=3)
    state = made.tell(made.start(), cw.Observations.single([0, 0, 1], [[1.0, 0.0], [3.0, 2.0], [0.0, 5.0]]))
    means, variances = made.judge(state).posterior.moments(np.arange(3))
    size, quiet = (4 * 0.5) ** 2, 0.1**2
    precise = np.array([1 / (size + quiet / 2), 1 / (size + quiet)])
    level = precise @ np.array([[2.0, 1.0], [0.0, 5.0]]) / precise.sum()
    np.testing.assert_allclose(means[2], level, rtol=1e-9)
    np.testing.assert_allclose(variances[2], size + 1 / precise.sum(), rtol=1e-9)
    assert made.ask(state).designs.tolist() == [2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": cw.models.Independent()}, "the prior is a mixture of 7"),
        ({"noise": cw.noise.GaussianUnknown(), "radius": "proven"}, "normal noise of known size"),
        ({"radius": "practical"}, "5.66 times smaller than the proven one"),
        ({"radius_scale": 0.5}, "every radius was multiplied by 0.5"),
    ],
)
def test_nothing_is_promised_that_the_theorem_does_not_cover(options, words):
    made = rule(**options)
    assert made.proven_radius == (options.get("radius") != "practical" and "model" not in options)
    far = cw.SimulatedBandit([[3.0, 0.0], [0.0, 3.0], [-1.0, -1.0]], Gaussian(0.1))
    made = VOGP(made.question, 3, **{k: v for k, v in options.items() if k != "noise"} | {"model": made.model})
    result = cw.studies.run(made, far, rng=0)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert words in result.guarantee.reason
    assert result.certified_epsilon is None


def test_a_known_process_is_promised_on_average_over_it():
    rng = np.random.default_rng(2)
    problem = cw.SimulatedBandit(rng.normal(0, 2, (8, 2)), Gaussian(0.1))
    result = cw.identify(
        problem, cw.Cone.planar(60), epsilon=0.5, delta=0.1, algorithm="vogp", model=ONE, growth=0.3, rng=0
    )
    assert isinstance(result.guarantee, cw.Guarantee)
    assert "on average over the prior" in result.guarantee.theorem
    assert cw.verdict(result.pareto, problem.means, cw.Cone.planar(60), 0.5)
    assert result.probability is not None
    assert (result.by[result.status == "covered"] >= 0).all()


def test_a_prior_that_the_values_contradict_promises_nothing():
    problem = cw.SimulatedBandit(np.array([[0.0, 0.0], [90.0, 0.0], [0.0, 90.0], [-90.0, 80.0]]), Gaussian(0.1))
    result = cw.identify(problem, cw.Cone.orthant(2), epsilon=0.5, delta=0.1, algorithm="vogp", model=ONE, rng=0)
    assert "contradict the prior" in str(result.guarantee)


def test_features_save_evaluations():
    x = np.linspace(0, 1, 40)
    problem = cw.SimulatedBandit(np.column_stack([np.sin(3 * x), np.cos(3 * x)]) * 3, Gaussian(0.1))
    asked = {"epsilon": 0.4, "delta": 0.05, "algorithm": "vogp", "rng": 1}
    found = {
        name: cw.identify(problem, cw.Cone.orthant(2), model=model, **asked)
        for name, model in (
            ("plain", cw.models.Independent()),
            ("smooth", cw.models.Smooth(x[:, None], kernels=("squared",), sizes=(10.0,))),
        )
    }
    for result in found.values():
        assert cw.verdict(result.pareto, problem.means, cw.Cone.orthant(2), 0.4)
    assert found["smooth"].evaluations < 0.5 * found["plain"].evaluations
    assert (found["smooth"].evidence == "predicted").any()


def test_it_needs_a_model():
    problem = cw.SimulatedBandit(np.eye(2), Gaussian(0.1))
    with pytest.raises(cw.InputError, match='algorithm "vogp" needs a model'):
        cw.identify(problem, cw.Cone.orthant(2), epsilon=0.5, delta=0.1, algorithm="vogp", rng=0)
    with pytest.raises(cw.InputError, match="model must be a prior"):
        rule(model="smooth")
    with pytest.raises(cw.InputError, match="radius must be"):
        rule(radius="large")
