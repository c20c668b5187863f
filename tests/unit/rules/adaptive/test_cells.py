"""A model of objectives that are measured one by one: the same posterior, prices, and the promise."""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.data.observations import Observations, Statistics
from conewise.models.posterior import posterior_of
from conewise.noise import Bounded, Gaussian, GaussianUnknown
from conewise.problems import OneByOne
from conewise.rules import ModelGuided, SeparateModelGuided

X = np.random.default_rng(4).random((12, 2))
MEANS = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1], np.cos(2 * X[:, 0]) - X[:, 1] ** 2])
CONE, SIGMA = cw.Cone.orthant(2), Gaussian([0.1, 0.11])
SMALL = cw.models.Smooth(X, kernels=("matern52",), sizes=(10.0,), discrepancies=(0.03,))
LAB = cw.SimulatedBandit(MEANS, SIGMA)


def rule(model=SMALL, noise=SIGMA, cone=CONE, n_designs=12, objectives=(), whole=False, **options):
    question = cw.Question(cone, 0.1, 0.05, noise, objectives=objectives)
    return (ModelGuided if whole else SeparateModelGuided)(question, n_designs, model=model, **options)


def found(problem=LAB, objectives=None, **options) -> cw.Result:
    given = {"model": SMALL, "rng": 3} | options
    return cw.identify(OneByOne(problem), CONE, epsilon=0.1, delta=0.05, objectives=objectives, **given)


def told(algorithm, cells, values):
    return algorithm.tell(algorithm.start(), Observations.single(cells, np.reshape(values, (-1, 1))))


def finished(algorithm):
    """The states of a run to its end."""
    states, rng, problem = [algorithm.start()], np.random.default_rng(3), OneByOne(LAB)
    while (pulls := algorithm.ask(states[-1])).total:
        states.append(algorithm.tell(states[-1], problem.evaluate(pulls, rng)))
    return states


@pytest.mark.parametrize("noise", [SIGMA, Gaussian(0.05), GaussianUnknown()], ids=["two", "one", "unknown"])
def test_where_every_cell_has_as_many_the_posterior_is_that_of_whole_rows(noise):
    rng = np.random.default_rng(1)
    designs = np.repeat(rng.permutation(12)[:7], 2)
    values = MEANS[designs] + 0.05 * rng.normal(size=(14, 2))
    rows, cells = rule(noise=noise, whole=True), rule(noise=noise)
    whole = rows.tell(rows.start(), Observations.single(designs, values))
    apart = told(cells, (2 * designs[:, None] + np.arange(2)).ravel(), values)
    everyone = np.arange(12)
    looks = [each.certificate.look(each.seen(state)) for each, state in ((rows, whole), (cells, apart))]
    for first, second in zip(*(look.posterior.mixtures for look in looks), strict=True):
        np.testing.assert_allclose(first.weights, second.weights, rtol=1e-9)
        for one, other in zip(first.components, second.components, strict=True):
            np.testing.assert_allclose(one.mean_alone(everyone), other.mean_alone(everyone), rtol=1e-9)
            np.testing.assert_allclose(
                one.spread * one.known.covariance(everyone), other.spread * other.known.covariance(everyone), rtol=1e-9
            )


def test_the_answer_is_right_and_says_what_it_rests_on():
    state = finished(rule())[-1]
    times, result = state.seen.repetitions, rule().recommend(state)
    assert isinstance(result.guarantee, cw.Guarantee)
    assert "on average over the prior, posterior certificate" in result.guarantee.theorem
    assert "objectives measured separately" in result.guarantee.assumption
    assert cw.verdict(result.pareto, MEANS, CONE, 0.1)
    lacking = (times == 0).any(axis=1)
    assert f"among the {lacking.sum()} designs of which not every objective was measured" in str(result.guarantee)
    np.testing.assert_array_equal(result.evidence == "predicted", lacking)
    assert result.evaluations == times.sum()
    assert result.certified["every truth"] is None


def test_a_dear_objective_is_measured_less_and_a_dear_design_too():
    """Of 30 measurements that are chosen after one of every cell."""
    cells, rng = np.arange(24), np.random.default_rng(0)
    state = told(rule(), cells, MEANS.ravel() + 0.1 * rng.normal(size=24))

    def asked(first=1.0, second=1.0, designs=None) -> np.ndarray:
        objectives = [cw.Objective("a", price=first), cw.Objective("b", price=second)]
        pulls = rule(objectives=objectives, prices=designs, batch=30).ask(state)
        return np.bincount(pulls.designs, pulls.counts, minlength=24).reshape(12, 2)

    even = asked()
    assert 0 < asked(first=20.0)[:, 0].sum() < 0.5 * even[:, 0].sum()
    assert asked(second=20.0)[:, 1].sum() < 0.5 * even[:, 1].sum()
    (often,) = np.flatnonzero(even.sum(axis=1) == even.sum(axis=1).max())[:1]
    dear = np.where(np.arange(12) == often, 20.0, 1.0)
    assert asked(designs=dear).sum(axis=1)[often] < 0.5 * even.sum(axis=1)[often]


def test_a_price_is_that_of_the_objective_times_that_of_the_design():
    start = rule().start()
    design, objective = divmod(int(rule().ask(start).designs[0]), 2)

    def asked(own=1.0, other=1.0, at=1.0) -> int:
        prices, objectives = np.ones(12), [cw.Objective(name) for name in "ab"]
        prices[design] = at
        objectives[objective] = cw.Objective("own", price=own)
        objectives[1 - objective] = cw.Objective("other", price=other)
        return int(rule(prices=prices, objectives=objectives).ask(start).designs[0])

    first = 2 * design + objective
    assert asked(own=8.0, other=8.0) == first
    assert asked(own=1e4, other=1e4, at=1e-4) == first
    assert asked(own=1e4) % 2 != objective
    assert asked(at=1e4) // 2 != design


def test_the_promise_for_every_truth_is_read_off_the_same_measurements():
    algorithm, rng = rule(model=cw.models.Independent()), np.random.default_rng(0)
    cells = np.tile(np.arange(24), 50)
    result = algorithm.recommend(told(algorithm, cells, MEANS.ravel()[cells] + 0.05 * rng.normal(size=len(cells))))
    assert result.certified["prior"] < result.certified["every truth"] < 1
    assert cw.verdict(result.pareto, MEANS, CONE, result.certified["every truth"])


@pytest.mark.parametrize("confirm", [True, "all"])
def test_every_objective_of_a_returned_design_is_confirmed(confirm):
    algorithm = rule(confirm=confirm)
    *_, before, state = finished(algorithm)
    result = algorithm.recommend(state)
    assert (state.seen.repetitions[result.pareto | (confirm == "all")] > 0).all()
    assert result.stopped_because == "the answer is certified on average over the prior"
    if confirm == "all":
        assert "designs are to be confirmed" in algorithm.recommend(before).stopped_because


def test_answers_do_not_depend_on_the_order_of_tells():
    algorithm, rng = rule(), np.random.default_rng(8)
    cells = rng.integers(0, 24, size=30)
    values = MEANS.ravel()[cells] + 0.05 * rng.normal(size=30)
    results = []
    for order in (np.arange(30), np.argsort(cells, kind="stable"), np.argsort(-cells, kind="stable")):
        state = algorithm.start()
        for part in np.array_split(order, 4):
            state = algorithm.tell(state, Observations.single(cells[part], values[part, None]))
        result, pulls = algorithm.recommend(state), algorithm.ask(state, 5)
        results.append((result.indices, result.probability.tolist(), result.certified, pulls.designs.tolist()))
    assert results[0] == results[1] == results[2]


def test_levels_and_unknown_noise():
    objectives = [cw.Objective("a", level=0.9), cw.Objective("b")]
    result = found(objectives=objectives)
    assert cw.verdict(result.pareto, MEANS, CONE, 0.1, levels=(0.9, -np.inf))
    assert (MEANS[result.status == "misses a level", 0] < 0.9).all()
    unknown = found(noise=GaussianUnknown(), max_evaluations=24)
    assert "of unknown size, one for all designs" in str(unknown.guarantee)
    assert cw.verdict(unknown.pareto, MEANS, CONE, unknown.certified_epsilon)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: found(noise=Gaussian(cov=[[1.0, 0.5], [0.5, 1.0]])), "independent between them, got a covariance"),
        (lambda: found(noise=Bounded(0, 1)), "needs normal noise"),
        (lambda: found(prices=[0.0] * 12), "the price of a design must be above 0, got 0 for design 0"),
        (lambda: found(prices=[-1.0] * 12), "the price of a design must be above 0, got -1 for design 0"),
        (lambda: found(prices=[np.nan] * 12), "the price of a design must be above 0, got nan"),
        (lambda: found(prices=[1.0]), "prices must be 12 numbers, one a design"),
        (lambda: cw.Objective("a", price=0), "the price of the objective 'a' must be"),
        (lambda: cw.Objective("a", price=-1), "the price of the objective 'a' must be"),
        (lambda: cw.Objective("a", price=np.nan), "the price of the objective 'a' must be"),
        (lambda: found(algorithm="ehvi"), "have a rule of their own, got 'ehvi'"),
        (lambda: found(bound="paper"), "separate has no option 'bound'; it has batch"),
        (lambda: found(model=None, prices=[1.0] * 12), "separate has no option 'prices' without a model"),
        (lambda: told(rule(), [24], [1.0]), "cell 24 does not exist"),
    ],
)
def test_refused_in_one_sentence(make, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        make()


PRIOR = cw.models.Independent(sizes=(2.0,))


def wrong(assumed: float, seed: int) -> bool:
    """Whether an answer about a truth that the prior draws fails, with prices, stopping at the first that certifies."""
    rng, noise = np.random.default_rng([7, seed]), Gaussian(0.1)
    objectives = [cw.Objective("a"), cw.Objective("b", price=4.0)]
    question = cw.Question(CONE, 0.1, 0.1, Gaussian(assumed), objectives=objectives)
    algorithm = SeparateModelGuided(question, 6, model=PRIOR, seed=seed)
    beforehand = posterior_of(PRIOR, algorithm.certificate.axes, Statistics.empty(6, 2), 0.1, -1.0)
    means = beforehand.draws(np.arange(6), 1, rng)[0]
    state, problem = algorithm.start(), OneByOne(cw.SimulatedBandit(means, noise))
    while (pulls := algorithm.ask(state)).total:
        state = algorithm.tell(state, problem.evaluate(pulls, rng))
    return not cw.verdict(algorithm.recommend(state).pareto, means, CONE, 0.1)


def test_failures_stay_within_delta_and_the_test_has_power():
    """Null: truths of the prior are answered wrongly with probability at most 0.1; Wald's test at level 1e-3.

    Rejected is a rule that takes the noise for a tenth of what it is.
    """
    assert not rejected(lambda seed: wrong(0.1, seed), 0.1, 1e-3)
    assert rejected(lambda seed: wrong(0.01, seed), 0.1, 1e-3)
