"""The posterior certificate: what draws may claim, what is left out of them, and when a promise is withdrawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

import conewise as cw
from conewise.data.observations import Observations, Statistics
from conewise.models import certificate as models
from conewise.models import posterior
from conewise.models.certificate import ALARM, PosteriorCertificate, certified, failures_allowed, level_of
from conewise.noise import Gaussian

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


@pytest.mark.parametrize("draws", [50, 1024, 16384])
@pytest.mark.parametrize("delta", [0.01, 0.1])
@pytest.mark.parametrize("level", [1e-8, 0.01])
def test_failures_that_are_allowed_are_those_of_clopper_and_pearson(draws, delta, level):
    allowed = failures_allowed(draws, delta, level)
    if allowed >= 0:
        assert beta.ppf(1 - level, allowed + 1, draws - allowed) <= delta * (1 + 1e-9)
    assert beta.ppf(1 - level, allowed + 2, draws - allowed - 1) > delta


def test_nothing_is_allowed_when_nothing_is_left_of_delta():
    assert failures_allowed(1000, 0.0, 0.01) == -1
    assert certified(np.zeros(1000), -0.1, 0.01) == math.inf


def test_the_certified_epsilon_is_exceeded_by_no_more_draws_than_allowed():
    needed = np.random.default_rng(1).exponential(size=2000)
    epsilon = certified(needed, 0.1, 1e-4)
    assert (needed > epsilon).sum() == failures_allowed(2000, 0.1, 1e-4)


def test_all_looks_together_spend_no_more_than_their_share():
    t = np.arange(10**6)
    spent = (
        sum(level_of(int(k), 1.0) for k in t[:2000]) + (1 / (2.11 * (t[2000:] + 2) * np.log(t[2000:] + 2) ** 2)).sum()
    )
    assert spent + 1 / (2.11 * math.log(10**6)) <= 1  # what is left of the series, by its integral


def test_an_answer_is_a_function_of_the_statistics():
    state = observed(12)
    first, second = certificate(), certificate()
    looks = first.look(state), second.look(state)
    np.testing.assert_array_equal(looks[0].choice.inside, looks[1].choice.inside)
    assert looks[0].judged() == looks[1].judged()


def test_more_evaluations_certify_a_smaller_epsilon_and_all_draws_no_larger_one():
    few, many = observed(8), observed(300)
    sure = certificate()
    epsilons = [sure.look(state).judged() for state in (few, many)]
    assert epsilons[1] < epsilons[0]
    assert epsilons[1] <= 0.3
    assert sure.look(many).judged(fully=True) <= epsilons[1]


def test_for_every_component_costs_more_than_on_average():
    state = observed(60)
    average, each = certificate(), certificate(robust=True)
    assert each.look(state).judged(fully=True) > average.look(state).judged()


def test_too_many_plausible_components_are_too_early():
    each = certificate(robust=True)
    state = observed(3)
    assert each.look(state).judged() == math.inf


# -- very many designs ---------------------------------------------------------------------------------------------


# -- the check -----------------------------------------------------------------------------------------------------


def test_a_prior_that_is_much_too_smooth_is_found_out():
    wiggly = np.column_stack([np.sin(40 * FEATURES[:, 0]), np.cos(30 * FEATURES[:, 0])]) * 2
    state = observed(25, means=wiggly)
    smooth = cw.models.Smooth(FEATURES, between=(4.0, 8.0), sizes=(3.0,), discrepancies=(0.01,))
    assert certificate(smooth).belief(state).doubt > 1 / ALARM
    assert certificate(smooth).belief(observed(25)).doubt > 1 / ALARM
    assert certificate().belief(observed(25)).doubt < 1 / ALARM
    assert "contradict the prior" in (certificate(smooth).belief(state).withdrawn or "")
    assert (certificate(smooth).belief(state).withdrawn or "").endswith("use a wider prior or none")
    assert certificate().belief(observed(25)).withdrawn is None


@pytest.mark.parametrize("model", [cw.models.Smooth(FEATURES), cw.models.Linear(FEATURES)], ids=["smooth", "linear"])
def test_designs_that_hardly_differ_contradict_the_prior_and_the_remedy_is_another_one(model):
    flat = observed(60, sigma=0.01, means=0.1 * FEATURES * [1, -1])
    withdrawn = certificate(model, noise=Gaussian(0.01)).belief(flat).withdrawn
    assert withdrawn.endswith("the designs differ by less than it believes: name smaller sizes, or a smaller epsilon")


@pytest.mark.parametrize("model", [cw.models.Independent(), cw.models.Linear(FEATURES)], ids=["independent", "linear"])
def test_every_prior_has_a_richer_one(model):
    assert certificate(model).belief(observed(25, means=4 * FEATURES * [1, -1])).doubt < 1 / ALARM


def test_looks_that_share_what_draws_may_cost_are_more_careful():
    model, statistics = cw.models.Independent(), observed(200)
    two, many = (certificate(model, looks=looks).look(statistics) for looks in (2, 10**6))
    assert many.judged(fully=True) > two.judged(fully=True)


@pytest.mark.parametrize("robust", [False, True])
def test_a_set_is_judged_by_draws_that_did_not_choose_it_and_stages_share_the_level_of_a_look(monkeypatch, robust):
    model = cw.models.Independent(sizes=(3.0,)) if robust else cw.models.Smooth(FEATURES, kernels=("squared",))
    statistics, sure = observed(400), certificate(model, robust=robust)
    drawn, spent = [], []
    plain, bound = posterior.Posterior.draws, models.certified

    def draws(self, designs, count, rng):
        drawn.append(plain(self, designs, count, rng))
        return drawn[-1]

    def counted(needed, delta, level):
        spent.append((len(needed), delta, level))
        return bound(needed, delta, level)

    monkeypatch.setattr(posterior.Posterior, "draws", draws)
    monkeypatch.setattr(models, "certified", counted)
    monkeypatch.setattr(models, "FULLY", 65536)  # all stages
    look = sure.look(statistics)
    chose = len(drawn)
    look.judged(fully=True)
    values = [part[:, 0, 0] for part in drawn]
    assert chose
    assert len(np.unique(np.concatenate(values))) == sum(map(len, values))  # none comes twice
    assert [count for count, _, _ in spent] == list(models.STAGES)
    assert sum(map(len, values[chose:])) == models.STAGES[-1]
    assert sum(level for *_, level in spent) <= level_of(400, 0.1 * sure.delta) * (1 + 1e-12)
    left = sure.delta * (0.8 if robust else 0.9) - (0 if robust else look.posterior.dropped)
    assert all(delta <= left + 1e-15 for _, delta, _ in spent)


def test_states_of_as_many_evaluations_have_draws_of_their_own_where_both_are_looked_at():
    first, second = observed(40), observed(40, seed=1)
    assert first.evaluations == second.evaluations

    def stream(sure, statistics):
        return sure.generator(statistics, 1).integers(2**60)

    shared = certificate(looks=2)
    assert stream(shared, first) != stream(shared, second)
    order = np.random.default_rng(2).permutation(30)
    again = Statistics.empty(30, 2)
    for k in order:  # the same evaluations, design by design
        times = int(first.counts[k])
        again = (
            again.add(Observations.single(np.repeat(k, times), np.tile(first.means[k], (times, 1)))) if times else again
        )
    assert stream(shared, again) == stream(shared, first)
    alone = certificate()
    assert stream(alone, first) == stream(alone, second)  # a run meets every number once


def test_a_delta_that_draws_never_show_is_refused_where_draws_are_all_there_is():
    question = cw.Question(cw.Cone.orthant(2), 0.3, 1e-4, cw.noise.Gaussian(0.1))
    with pytest.raises(cw.InputError, match=r"at most 65,536 draws, in which a delta of 0\.0001 can never be seen"):
        PosteriorCertificate(question, 4, cw.models.Independent())
    assert PosteriorCertificate(question, 4, cw.models.Independent(), robust=True).robust
