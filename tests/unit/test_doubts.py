"""Two kinds of doubt as one probability, and what settles most of them for its price."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise import doubts as module
from conewise.algorithms.adaptive.modelled import ModelGuided
from conewise.doubts import check_same, doubts
from conewise.errors import InputError

K, SIGMA, EPSILON = 8, 0.3, 0.2
TRUTH = np.random.default_rng(5).normal(size=(K, 3))
NAMES = ["a", "b", "c"]


def rule_of(cone=None, **options):
    question = cw.Question(cone or cw.Cone.orthant(3), EPSILON, 0.05, cw.noise.Gaussian(SIGMA))
    return ModelGuided(question, K, model=cw.models.Independent(), **options)


def evaluated(times, sigma=SIGMA, seed=0):
    """Every design so many times."""
    rng = np.random.default_rng(seed)
    designs = np.repeat(np.arange(K), times)
    values = TRUTH[designs] + sigma * rng.normal(size=(len(designs), 3))
    return cw.Statistics.empty(K, 3).add(cw.Observations.single(designs, values))


def test_the_probability_is_over_both_kinds_of_draws():
    rng = np.random.default_rng(1)
    values, weightings = rng.normal(size=(7, 4, 3)), rng.dirichlet(np.ones(3), 5)
    worth = np.einsum("bkd,ld->lbk", values, weightings)
    good = (worth >= worth.max(axis=2, keepdims=True) - EPSILON).mean(axis=(0, 1))
    np.testing.assert_allclose(module._good(values, weightings, EPSILON), good)
    fails = worth.max(axis=2) - worth[:, :, 2] > EPSILON
    best = worth.argmax(axis=2)[fails]
    expected = np.bincount(best, minlength=4) / len(best)
    np.testing.assert_allclose(module._rivals(values, weightings, 2, EPSILON), expected)


def test_what_a_question_explains_is_the_variance_between_its_answers():
    rng = np.random.default_rng(2)
    weightings, ahead, rivals = rng.dirichlet(np.ones(3), 400), rng.normal(size=(4, 3)), np.array([0.0, 0.5, 0.2, 0.3])
    contrasts = module._Contrasts(ahead, rivals, weightings)
    rays, trust = rng.normal(size=(6, 3)), 0.8
    worth = weightings @ ahead.T
    for ray, gain in zip(rays, contrasts.gains(rays, trust), strict=True):
        yes = np.where(weightings @ ray > 0, trust, 1 - trust)
        left = 0.0
        for chance in (yes, 1 - yes):  # law of total variance
            share = chance / chance.sum()
            average = share @ worth
            left += chance.mean() * (share @ (worth - average) ** 2) @ rivals
        assert gain == pytest.approx(contrasts.total - left)
    assert (contrasts.gains(rays, 0.5 + 1e-12) < 1e-12).all()  # answers that say nothing


def test_what_an_evaluation_explains_is_what_conditioning_takes_away():
    rng = np.random.default_rng(3)
    mixing = rng.normal(size=(5, 5))
    values = np.stack([rng.normal(size=(4000, 5)) @ mixing for _ in range(2)], axis=2)
    rivals, weightings = np.array([0.0, 0.0, 0.6, 0.4, 0.0]), rng.dirichlet(np.ones(2), 300)
    spread = module._spreads(values, 1, rivals, weightings)
    noise = np.array([0.5, 2.0])
    gains = spread.gains(np.broadcast_to(noise, (5, 2)))
    square = (weightings**2).mean(axis=0)
    for x in range(5):
        gone = 0.0
        for d in range(2):
            cov = np.cov(values[:, :, d].T)
            after = cov - np.outer(cov[x], cov[x]) / (cov[x, x] + noise[d])
            for j, share in enumerate(rivals):
                contrast = np.eye(5)[j] - np.eye(5)[1]
                gone += share * square[d] * contrast @ (cov - after) @ contrast
        assert gains[x] == pytest.approx(gone)


def test_values_that_are_known_leave_questions_and_a_preference_that_is_known_leaves_evaluations():
    said = cw.Preferences(NAMES, trust=0.9)
    known = doubts(said, rule_of(), evaluated(400, 1e-3))
    assert known.of_preference > 0.95
    assert known.next == "ask"
    weights = np.array([0.5, 0.3, 0.2])
    told = cw.Preferences(NAMES).important(dict(zip(NAMES, weights - 1e-3, strict=True)))
    early = doubts(told, rule_of(), evaluated(1))
    assert early.of_preference < 0.05
    assert early.next == "evaluate"
    sure = doubts(told, rule_of(), evaluated(400, 1e-3))
    assert sure.next is None
    assert sure.best == int((TRUTH @ weights).argmax())
    assert sure.doubt == 0
    assert not sure.worth


def test_the_price_decides_and_the_question_is_not_asked_again():
    said, rule, statistics = cw.Preferences(NAMES, trust=0.9), rule_of(), evaluated(2)
    cheap = doubts(said, rule, statistics, question_price=1e-6)
    dear = doubts(said, rule, statistics, question_price=1e6)
    assert (cheap.next, dear.next) == ("ask", "evaluate")
    assert cheap.question.designs == dear.question.designs
    assert 0 < cheap.question.settles < 1
    assert 0 < cheap.evaluation.settles < 1
    i, j = cheap.question.designs
    again = doubts(said.cannot_say(cheap.values[i], cheap.values[j]), rule, statistics)
    assert again.question.designs != (i, j)
    prices = np.where(np.arange(K) == cheap.evaluation.designs[0], 1e6, 1.0)
    elsewhere = doubts(said, rule_of(prices=prices), statistics).evaluation
    assert elsewhere.designs != cheap.evaluation.designs
    assert elsewhere.price == 1


def test_the_cone_of_the_question_is_certain():
    cone = cw.Cone.importance(0.3, dim=3)
    free, bound = (doubts(cw.Preferences(NAMES), rule_of(c), evaluated(400, 1e-3)) for c in (None, cone))
    front = cw.pareto_mask(TRUTH, cone)
    assert bound.doubt <= free.doubt
    assert bound.probability[~front].max(initial=0) < 0.5
    weightings = module._weightings(cw.Preferences(NAMES), cone, np.random.default_rng(0))
    assert (weightings >= 0.3 - 1e-9).all()


def test_a_twin_in_the_users_own_direction_and_unit_is_refused_with_the_remedy():
    objectives = cw.Question(
        cw.Cone.orthant(2),
        0.1,
        0.05,
        cw.noise.Gaussian(1.0),
        objectives=[cw.Objective("price", "min", unit=10), "speed"],
    ).columns
    check_same(cw.Preferences(objectives), objectives)
    with pytest.raises(InputError, match=r"make them from its own objectives: Preferences\(study.question.columns\)"):
        check_same(cw.Preferences(["price", "speed"]), objectives)
    with pytest.raises(InputError, match="speak of 2 objectives, but the rule compares 3"):
        doubts(cw.Preferences(["a", "b"]), rule_of(), evaluated(1))
    with pytest.raises(InputError, match="question_price"):
        doubts(cw.Preferences(NAMES), rule_of(), evaluated(1), question_price=0)
