"""Identification with a model: what the result says, options, and what is refused."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown
from conewise.rules import ModelGuided

X = np.random.default_rng(4).random((20, 2))
MEANS = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1], np.cos(2 * X[:, 0]) - X[:, 1] ** 2])
LAB = cw.SimulatedBandit(MEANS, Gaussian(0.05))
CONE = cw.Cone.orthant(2)
SMALL = cw.models.Smooth(X, kernels=("matern52",), sizes=(5.0, 20.0), discrepancies=(0.03,))
FEW = cw.models.Smooth(X[:16], kernels=("matern52",), sizes=(5.0, 20.0), discrepancies=(0.03,))


def rule(model=SMALL, noise=None, cone=CONE, success="cover", n_designs=20, **options):
    question = cw.Question(cone, 0.1, 0.05, noise or Gaussian(0.05), success)
    return ModelGuided(question, n_designs, model=model, **options)


@cache
def found(**options):
    return cw.identify(LAB, CONE, epsilon=0.1, delta=0.05, model=SMALL, rng=3, **options)


def test_far_fewer_evaluations_than_designs_would_need_without_a_model():
    result = found()
    assert result.evaluations < 40
    assert cw.verdict(result.pareto, MEANS, CONE, 0.1)
    assert isinstance(result.guarantee, cw.Guarantee)
    assert "on average over the prior" in result.guarantee.theorem
    assert "Gaussian processes" in result.guarantee.assumption
    unseen = int((result.counts == 0).sum())
    assert f"a lone spike among the {unseen} designs that were never evaluated" in result.guarantee.assumption


def test_a_result_says_how_probable_each_design_is_and_what_was_measured():
    result = found()
    assert result.probability.shape == (20,)
    assert ((result.probability >= 0) & (result.probability <= 1)).all()
    assert result.probability[result.pareto].min() > result.probability[~result.pareto].mean()
    assert set(result.evidence) <= {"measured", "predicted"}
    assert (result.evidence == "predicted").any()
    assert result.certified["prior"] == result.certified_epsilon <= 0.1
    assert result.certified["every truth"] is None  # some design was never evaluated
    covered = result.by[~result.pareto]
    assert result.pareto[covered].all()


def test_the_promise_for_every_truth_is_read_off_the_same_observations():
    algorithm = rule(model=cw.models.Independent())
    state, rng = algorithm.start(), np.random.default_rng(0)
    for _ in range(60):
        values = MEANS + 0.05 * rng.normal(size=MEANS.shape)
        state = algorithm.tell(state, Observations.single(np.arange(20), values))
    result = algorithm.recommend(state)
    assert 0 < result.certified["prior"] < result.certified["every truth"] < 1
    assert cw.verdict(result.pareto, MEANS, CONE, result.certified["every truth"])


@pytest.mark.parametrize("confirm", ["returned", 1, None, ["all"]])
def test_other_words_for_confirm_are_refused(confirm):
    with pytest.raises(cw.InputError, match=r"confirm must be True .* or 'all' .every design is., got"):
        ModelGuided(cw.Question(CONE, 0.1, 0.05, Gaussian(0.1)), 3, model=cw.models.Independent(), confirm=confirm)


def test_every_returned_design_is_confirmed():
    without, confirmed = found(seed=2), found(seed=2, confirm=True)
    assert (confirmed.counts[confirmed.pareto] > 0).all()
    assert confirmed.evaluations >= without.evaluations
    assert confirmed.stopped_because == "the answer is certified on average over the prior"


def test_a_lone_spike_is_found_where_every_design_is_confirmed():
    """A design that nobody needs to evaluate, by its features, is the best in truth."""

    def answer(means, confirm):
        lab = cw.SimulatedBandit(means, Gaussian(0.05))
        return cw.identify(lab, CONE, epsilon=0.1, delta=0.05, rng=3, model=FEW, confirm=confirm)

    unseen = np.flatnonzero(answer(MEANS[:16], True).counts == 0)
    lone, means = int(unseen[0]), MEANS[:16].copy()
    means[lone] = 5.0
    missed, seen = (answer(means, confirm) for confirm in (True, "all"))
    assert lone not in missed.indices
    assert f"a lone spike among the {len(unseen)} designs" in str(missed.guarantee)
    assert (seen.counts > 0).all()
    assert seen.indices == [lone]


def test_two_designs_are_enough():
    lab = cw.SimulatedBandit([[0.0, 0.0], [1.0, 1.0]], Gaussian(0.05))
    two = cw.identify(lab, CONE, epsilon=0.1, delta=0.05, rng=0, model=cw.models.Smooth([[0.0], [1.0]], sizes=(10.0,)))
    assert two.guarantee
    assert two.indices == [1]


def test_a_promise_for_every_component_says_so():
    lab, model = cw.SimulatedBandit(MEANS[:8], Gaussian(0.3)), cw.models.Independent(sizes=(3.0, 30.0))
    result = cw.identify(lab, CONE, epsilon=0.1, delta=0.05, model=model, rng=3, robust=True)
    assert "for every component of the prior" in result.guarantee.theorem
    assert cw.verdict(result.pareto, MEANS[:8], CONE, 0.1)


def test_to_contain_every_pareto_design():
    result = found(success="contain", max_evaluations=600)
    assert (result.pareto | ~cw.pareto_mask(MEANS, CONE)).all()


@pytest.mark.parametrize("cone", [cw.Cone.planar(60), cw.Cone.planar(135)], ids=["60", "135"])
def test_other_cones_and_correlated_noise(cone):
    lab = cw.SimulatedBandit(MEANS, Gaussian(cov=[[0.0025, 0.001], [0.001, 0.004]]))
    result = cw.identify(lab, cone, epsilon=0.1, delta=0.05, model=SMALL, rng=1)
    assert cw.verdict(result.pareto, MEANS, cone, 0.1)
    assert result.guarantee


def test_unknown_noise_is_estimated_and_said():
    result = cw.identify(LAB, CONE, epsilon=0.1, delta=0.05, model=SMALL, noise=GaussianUnknown(), rng=1)
    assert cw.verdict(result.pareto, MEANS, CONE, 0.1)
    assert "of unknown size, one for all designs" in result.guarantee.assumption


def test_a_run_that_is_cut_short_is_certified_for_a_larger_epsilon():
    result = found(max_evaluations=8)
    assert result.evaluations == 8
    assert result.stopped_because.startswith("max_evaluations reached")
    assert isinstance(result.guarantee, cw.Guarantee)
    assert result.guarantee.epsilon == result.certified_epsilon > 0.1
    assert set(result.status) == {"undecided"}


def test_after_an_alarm_a_richer_prior_goes_on():
    wiggly = np.sin(60 * X) * 2
    stiff = cw.models.Smooth(X, between=(5.0, 8.0), sizes=(3.0,), discrepancies=(0.01,))
    asked = {"epsilon": 0.1, "delta": 0.05, "model": stiff, "rng": 1, "max_evaluations": 40}
    lab = cw.SimulatedBandit(wiggly, Gaussian(0.05))
    result = cw.identify(lab, CONE, **asked)
    assert result.guarantee.theorem.startswith("on average over a richer prior, posterior certificate")
    assert f"the declared prior, {stiff.words}, is contradicted by the observations" in result.guarantee.assumption
    assert cw.verdict(result.pareto, wiggly, CONE, result.certified["prior"])
    each = cw.identify(lab, CONE, robust=True, **asked)  # for every component there is no proof of that
    assert "contradict the prior" in each.guarantee.reason
    assert each.certified["prior"] is None


FIVE = np.linspace(0, 1, 5)[:, None]
SPREAD = np.array([[0.9, 0.2], [0.4, 1.8], [1.1, 0.7], [2.0, 0.1], [0.0, 1.5]])
FEATURED = [cw.models.Smooth(FIVE), cw.models.Linear(FIVE)]


def spread(model, epsilon, sigma, by="identify", path=None, **options):
    """Answer a question about five designs whose values lie between 0 and 2."""
    asked = {"epsilon": epsilon, "delta": 0.05, "noise": Gaussian(sigma), "model": model} | options
    if by == "identify":
        return cw.identify(cw.SimulatedBandit(SPREAD, Gaussian(sigma)), CONE, rng=1, **asked)
    if by == "analyse":
        return cw.analyse(Observations.single([1, 3], SPREAD[[1, 3]]), CONE, **asked).result
    with cw.Study.create(path / "study.db", **asked, cone=CONE, designs=[f"d{k}" for k in range(5)]) as study:
        while batch := study.ask():
            study.tell(batch, [SPREAD[one.design] for one in batch])
        return study.result()


@pytest.mark.parametrize("model", FEATURED, ids=["smooth", "linear"])
@pytest.mark.parametrize("by", ["identify", "analyse", "study"])
@pytest.mark.parametrize(("epsilon", "sigma"), [(1e-4, 1e-4), (1e-5, 1e-5), (1e-5, 1e-3)])
def test_values_that_spread_beyond_every_size_are_explained_by_a_richer_prior(model, by, epsilon, sigma, tmp_path):
    result = spread(model, epsilon, sigma, by, tmp_path)
    assert "on average over a richer prior" in str(result.guarantee)
    assert cw.verdict(result.pareto, SPREAD, CONE, result.certified["prior"])
    assert by == "analyse" or (result.certified["prior"] <= epsilon and "certified" in result.stopped_because)


@pytest.mark.parametrize("model", FEATURED, ids=["smooth", "linear"])
@pytest.mark.parametrize("by", ["identify", "analyse", "study"])
def test_values_that_spread_beyond_the_richer_prior_promise_nothing(model, by, tmp_path):
    result = spread(model, 1e-9, 1e-9, by, tmp_path)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert result.certified["prior"] is None
    remedy = "but its largest size is 1e-06 (1000 times epsilon): give larger sizes=..., or a larger epsilon"
    assert re.search(rf"the averages spread over [\d.]+, {re.escape(remedy)}$", result.guarantee.reason)
    assert "certified" not in result.stopped_because


def test_values_that_spread_beyond_the_noise_promise_nothing_about_epsilon_0():
    result = spread(FEATURED[0], 0.0, 1e-9, max_evaluations=100)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert "its largest size is 1e-06 (1000 times the noise)" in result.guarantee.reason


@pytest.mark.parametrize("model", FEATURED, ids=["smooth", "linear"])
@pytest.mark.parametrize("by", ["identify", "analyse", "study"])
@pytest.mark.parametrize("epsilon", [0.05, 0.02])
def test_values_that_some_size_explains_are_guaranteed(model, by, epsilon, tmp_path):
    assert spread(model, epsilon, epsilon, by, tmp_path).guarantee


def test_larger_sizes_are_the_remedy():
    result = spread(cw.models.Smooth(FIVE, sizes=(1e3, 1e4, 1e5)), 1e-4, 1e-4)
    assert result.guarantee
    assert cw.verdict(result.pareto, SPREAD, CONE, 1e-4)


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_independent_designs_that_spread_beyond_every_size_promise_nothing(size):
    result = spread(cw.models.Independent(sizes=(size,)), 1e-8, 1e-8)
    assert "the averages spread over" in result.guarantee.reason


def test_averages_that_are_far_from_every_level_promise_nothing():
    far = cw.SimulatedBandit(SPREAD + np.array([0, 2000]), Gaussian(1e-3))
    levels = [cw.Objective("a"), cw.Objective("b", level=1.0)]
    result = cw.identify(far, CONE, epsilon=1e-3, delta=0.05, model=FEATURED[0], rng=1, objectives=levels)
    assert re.search(r"the averages lie up to 2e\+03 from what is acceptable", result.guarantee.reason)


def test_answers_do_not_depend_on_the_order_of_tells():
    algorithm = rule()
    rng = np.random.default_rng(8)
    designs = rng.integers(0, 20, size=25)
    values = MEANS[designs] + 0.05 * rng.normal(size=(25, 2))
    results = []
    for order in (np.arange(25), np.argsort(designs, kind="stable"), np.argsort(-designs, kind="stable")):
        state = algorithm.start()
        for part in np.array_split(order, 4):
            state = algorithm.tell(state, Observations.single(designs[part], values[part]))
        results.append((algorithm.recommend(state), algorithm.ask(state, 5)))
    for result, pulls in results[1:]:
        np.testing.assert_array_equal(result.pareto, results[0][0].pareto)
        np.testing.assert_array_equal(result.probability, results[0][0].probability)
        assert result.certified == results[0][0].certified
        assert pulls.designs.tolist() == results[0][1].designs.tolist()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: rule(n_designs=21), "features describe 20 designs, but there are 21"),
        (lambda: rule(n_designs=1), "n_designs must be at least 2"),
        (lambda: rule(model="smooth"), "model must be a prior"),
        (lambda: rule(noise=Bounded(0, 1)), "needs normal noise"),
        (lambda: rule(radius_scale=0.5), "has no radii"),
        (lambda: rule(seed=-1), "seed must be"),
        (lambda: cw.identify(LAB, CONE, epsilon=0.1, delta=0.1, algorithm="model", rng=0), "needs a model"),
        (lambda: cw.identify(LAB, CONE, epsilon=0.1, delta=0.1, algorithm="ape", model=SMALL, rng=0), "has no option"),
        (lambda: found(bound="paper"), "model has no option 'bound'"),
        (
            lambda: cw.identify(LAB, CONE, epsilon=0, delta=0.1, model=SMALL, success="contain", rng=0),
            "give max_evaluations",
        ),
    ],
)
def test_refused_in_one_sentence(make, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        make()


def test_prices_make_an_answer_cheaper_and_no_less_certain():
    prices = np.where(X[:, 0] > 0.5, 20.0, 1.0)  # hot designs take long
    priced = found(prices=tuple(prices.tolist()))
    assert priced.guarantee.theorem == found().guarantee.theorem
    assert cw.verdict(priced.pareto, MEANS, CONE, 0.1)
    assert prices @ priced.counts < 0.9 * (prices @ found().counts)


@pytest.mark.parametrize(
    ("prices", "sentence"),
    [
        ([1.0, 2.0], "prices must be 20 numbers, one a design"),
        ([0.0] * 20, "the price of a design must be above 0, got 0 for design 0"),
        ([float("nan")] * 20, "the price of a design must be above 0, got nan"),
        ("cheap", "prices"),
    ],
)
def test_prices_that_are_refused(prices, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        rule(prices=prices)


FEW_LAB = cw.SimulatedBandit(MEANS[:16], Gaussian(0.05))


@cache
def with_levels(*levels, angle=90, model=FEW, **options):
    asked = [cw.Objective(name, level=level) for name, level in zip("ab", levels, strict=True)]
    cone = cw.Cone.planar(angle)
    return cw.identify(FEW_LAB, cone, epsilon=0.1, delta=0.05, objectives=asked, model=model, rng=3, **options)


def missing(result, *least, angle=90):
    """How many designs miss a level, in an answer that is right and whose every word is."""
    means = MEANS[:16]
    assert isinstance(result.guarantee, cw.Guarantee)
    assert cw.verdict(result.pareto, means, cw.Cone.planar(angle), 0.1, levels=least)
    assert set(result.status) <= {"kept", "covered", "misses a level"}
    named, covered = result.status == "misses a level", result.status == "covered"
    assert (means[named] < least).any(axis=1).all()
    assert result.pareto[result.by[covered]].all()
    assert (result.by[named] == -1).all()
    return int(named.sum())


@pytest.mark.parametrize(("angle", "success"), [(90, "cover"), (135, "cover"), (135, "contain")])
def test_levels_are_met_by_whoever_is_returned(angle, success):
    """At 135 degrees the cone trades the level away: a design may be dominated by one that is not acceptable."""
    result = with_levels(0.9, None, angle=angle, success=success)
    assert 0 < missing(result, 0.9, -np.inf, angle=angle) < 16
    assert "posterior certificate with levels" in result.guarantee.theorem
    assert "a standard deviation of 10, 100 or 1000 times epsilon" in result.guarantee.assumption
    assert (result.probability[MEANS[:16, 0] < 0.7] < 0.05).all()


def test_an_empty_answer_is_an_answer():
    result = with_levels(None, 5.0)
    assert missing(result, -np.inf, 5.0) == 16
    assert result.indices == []
    assert result.certified["prior"] == 0
    assert result.stopped_because == "the answer is certified on average over the prior"


def test_levels_that_everybody_meets_change_little():
    met = with_levels(-5.0, -5.0)
    assert missing(met, -5.0, -5.0) == 0
    assert met.evaluations <= 1.5 * with_levels(None, None).evaluations


def test_levels_with_unknown_noise_and_with_correlated_noise():
    unknown = with_levels(0.9, None, noise=GaussianUnknown(), max_evaluations=40)
    assert "10, 100 or 1000 times the noise" in str(unknown.guarantee)
    both = with_levels(0.9, -1.0, noise=Gaussian(cov=[[0.0025, 0.001], [0.001, 0.0025]]))
    assert missing(both, 0.9, -1.0)


def test_the_promise_for_every_truth_knows_levels_too():
    asked = [cw.Objective("a", level=9.0), "b"]
    algorithm = ModelGuided(
        cw.Question(CONE, 0.1, 0.05, Gaussian(0.05), objectives=asked), 16, model=cw.models.Independent()
    )
    state, rng = algorithm.start(), np.random.default_rng(0)
    for _ in range(30):
        values = MEANS[:16] + 0.05 * rng.normal(size=(16, 2))
        state = algorithm.tell(state, Observations.single(np.arange(16), values))
    assert algorithm.recommend(state).certified == {"prior": 0.0, "every truth": 0.0}


def test_levels_for_every_component():
    result = with_levels(0.9, None, model=cw.models.Independent(sizes=(10.0,)), robust=True)
    assert "for every component of the prior" in str(result.guarantee)
    assert "with levels" in str(result.guarantee)


def test_a_run_begins_where_somebody_wants_it_to():
    line = np.linspace(0, 1, 6)[:, None]
    asked = cw.Question(cw.Cone.orthant(2), 0.1, 0.05, cw.noise.Gaussian(0.1))
    rule = ModelGuided(asked, 6, model=cw.models.Smooth(line), begin=[5, 0], max_evaluations=2)
    pulls = rule.ask(rule.start())
    assert sorted(pulls.designs.tolist()) == [0, 5]
    told = rule.tell(rule.start(), Observations.single(np.array([5]), np.zeros((1, 2))))
    assert rule.ask(told).designs.tolist() == [0]
    told = rule.tell(told, Observations.single(np.array([0]), np.zeros((1, 2))))
    assert rule.ask(told).total == 0  # no more is allowed


@pytest.mark.parametrize("algorithm", ["auto", "ehvi", "one by one"])
def test_identify_begins_where_somebody_wants_it_to(algorithm):
    line = np.linspace(0, 1, 6)[:, None]
    problem = cw.SimulatedBandit(np.hstack([line, -line]), cw.noise.Gaussian(0.1))
    given = {"model": cw.models.Smooth(line, kernels=("squared",)), "begin": [5, 1]}
    if algorithm == "one by one":
        result = cw.identify(
            cw.problems.OneByOne(problem), cw.Cone.orthant(2), epsilon=0.1, delta=0.1, rng=0, max_evaluations=4, **given
        )
        assert result.counts.tolist() == [0, 2, 0, 0, 0, 2]
        return
    result = cw.identify(
        problem, cw.Cone.orthant(2), epsilon=0.1, delta=0.1, rng=0, max_evaluations=2, algorithm=algorithm, **given
    )
    assert result.counts.tolist() == [0, 1, 0, 0, 0, 1]


def test_one_design_is_and_several_are():
    line = np.linspace(0, 1, 3)[:, None]
    asked = cw.Question(cw.Cone.orthant(2), 0.1, 0.05, cw.noise.Gaussian(0.01))
    rule = ModelGuided(asked, 3, model=cw.models.Smooth(line, kernels=("squared",)))
    one = rule.tell(rule.start(), Observations.single(np.array([0]), np.zeros((1, 2))))
    assert "1 design has been evaluated, and 2 are needed" in rule.recommend(one).stopped_because
    two = rule.tell(one, Observations.single(np.array([2]), np.array([[5.0, -5.0]])))
    assert "a lone spike at the one design that was never evaluated" in str(rule.recommend(two).guarantee)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"begin": [6]}, "begin must be at most 5"),
        ({"begin": [1, 1]}, "begin names a design twice"),
        ({"begin": 3}, "begin must be a list of designs"),
        ({"robust": "yes"}, "robust must be True or False, got 'yes'"),
    ],
)
def test_beginnings_and_switches_that_are_refused(options, sentence):
    asked = cw.Question(cw.Cone.orthant(2), 0.1, 0.05, cw.noise.Gaussian(0.1))
    with pytest.raises(cw.InputError, match=sentence):
        ModelGuided(asked, 6, model=cw.models.Smooth(np.arange(6.0)), **options)
