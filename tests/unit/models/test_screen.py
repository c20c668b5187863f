"""What is left out of the draws: dominated as surely as said, and without it the same answer."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Observations, Statistics
from conewise.models import certificate as certifying
from conewise.models import screen
from conewise.models.certificate import PosteriorCertificate
from conewise.models.failures import needed
from conewise.models.screen import screened
from conewise.noise import Gaussian, GaussianUnknown

ORTHANT = cw.Cone.orthant(2)


FEATURES = np.linspace(0, 1, 30)[:, None]


MEANS = np.column_stack([np.sin(5 * FEATURES[:, 0]), np.cos(4 * FEATURES[:, 0])])


def certificate(model=None, noise=None, cone=ORTHANT, k=30, levels=(None, None), **options):
    meaning = [cw.Objective(f"f{d}", level=level) for d, level in enumerate(levels)]
    question = cw.Question(cone, 0.3, 0.1, noise or Gaussian(0.2), options.pop("success", "cover"), meaning)
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
    bound = screened(look.posterior, cone, look.chosen, outside).bounds
    z = cone.facet_values(look.posterior.draws(np.arange(30), 20_000, np.random.default_rng(5)))
    best = np.array([min(float((z[:, j] < z[:, i][:, :]).any(axis=1).mean()) for j in look.chosen) for i in outside])
    # The twin picks the best of all; the bound is for one of them, so it can only be larger.
    assert (bound >= best - 4 * np.sqrt(best * (1 - best) / 20_000)).all()
    assert (bound < 0.01).any()


def test_a_core_of_the_designs_gives_the_same_answer(monkeypatch):
    state = observed(300)
    whole = certificate()
    full = whole.look(state)
    assert len(full.designs) == 30
    monkeypatch.setattr(screen, "FEW", 2)
    part = whole.look(state)
    assert len(part.designs) < 20
    assert set(full.chosen) <= set(part.designs)
    assert part.judged() == pytest.approx(full.judged(), rel=0.2)
    assert screened(part.posterior, ORTHANT, np.empty(0, dtype=int), part.designs).bounds.tolist() == [1.0] * len(
        part.designs
    )


@pytest.mark.parametrize("noise", [Gaussian(0.2), GaussianUnknown()], ids=["known", "unknown"])
@pytest.mark.parametrize("count", [60, 150, 300])
def test_what_is_left_out_of_a_nearly_certain_look_costs_no_more_than_its_share(monkeypatch, noise, count):
    """The twin draws all designs: how often one that was left out is not dominated by any returned design."""
    sure, state = certificate(noise=noise), observed(count)
    monkeypatch.setattr(screen, "FEW", 2)
    look = sure.look(state)
    others = np.setdiff1d(np.arange(30), look.designs)
    if look.choice.failing <= sure.delta and len(others):
        assert screened(look.posterior, ORTHANT, look.chosen, others).bounds.sum() < 0.1 * sure.delta
        z = look.posterior.draws(np.arange(30), 20_000, np.random.default_rng(6))
        above = (z[:, look.chosen][:, None] >= z[:, others][:, :, None]).all(axis=3).any(axis=2)
        assert (~above).any(axis=1).mean() <= 0.1 * sure.delta
    assert len(others) or count < 300


def test_the_core_takes_the_hardest_and_what_is_affordable_is_the_least():
    posterior = certificate().look(observed(60)).posterior
    whole = screen.core(posterior, ORTHANT, 30)
    some, few = (screen.core(posterior, ORTHANT, 30, 0.01, most) for most in (25, 6))
    assert whole.tolist() == list(range(30))
    assert set(few) <= set(some)
    assert len(few) == 6
    mask = screen.affordable(np.array([0.3, 0.001, 0.02, 0.004]), 0.01)
    assert mask.tolist() == [False, True, False, True]


def test_a_glance_ends_a_look_that_is_far_off_and_nothing_is_certified_by_it(monkeypatch):
    sure, early, late = certificate(), observed(3), observed(300)
    before = sure.look(early)
    monkeypatch.setattr(certifying, "GLANCE_DESIGNS", 12)
    glance, look = (sure.look(state) for state in (early, late))
    assert glance.choice.failing > 0.5
    assert len(glance.designs) <= 12
    assert glance.judged() == np.inf
    thorough = glance.thorough
    np.testing.assert_array_equal(thorough.choice.inside, before.choice.inside)
    assert thorough.judged() == before.judged()
    assert look.thorough is look
    assert cw.verdict(look.chosen, MEANS, ORTHANT, 0.3)


def test_by_how_many_deviations_a_design_is_dominated():
    posterior = certificate().look(observed(60)).posterior.heaviest(1)
    means = posterior.means(np.arange(30))
    front = cw.pareto_mask(means, ORTHANT)
    inside, outside = np.flatnonzero(front), np.flatnonzero(~front)
    bounds, deviations = screen.dominated(posterior, ORTHANT, inside, outside)
    assert (deviations > 0).all()
    assert (bounds[deviations > 4] < 1e-3).all()
    assert (bounds[deviations < 0.1] > 0.1).all()
    behind = screen.dominated(posterior, ORTHANT, outside[:1], inside)
    assert (behind[1] <= 0).all()
    assert (behind[0] == 1).all()


@pytest.mark.parametrize(
    "noise",
    [Gaussian(0.2), Gaussian(cov=[[0.04, 0.02], [0.02, 0.03]]), GaussianUnknown()],
    ids=["known", "turned", "?"],
)
def test_what_is_left_out_misses_a_level_as_surely_as_said(noise):
    """20 000 draws: the share in which a design meets its levels exceeds no bound by 4 deviations."""
    sure = certificate(noise=noise, levels=(0.4, -0.2))
    look = sure.look(observed(60))
    everyone = np.arange(30)
    bounds, below = screen.missing(look.posterior, sure.required, everyone)
    values = look.posterior.draws(everyone, 20_000, np.random.default_rng(5))
    meets = (values >= [0.4, -0.2]).all(axis=2).mean(axis=0)
    assert (bounds >= meets - 4 * np.sqrt(meets * (1 - meets) / 20_000)).all()
    assert (bounds < 0.01).any()
    assert (bounds[below <= 0] == 1).all()


def test_the_reason_to_leave_a_design_out_is_the_surer_one():
    sure = certificate(levels=(0.4, None))
    look = sure.look(observed(400))
    others = np.setdiff1d(np.arange(30), look.chosen)
    why = screened(look.posterior, ORTHANT, look.chosen, others, sure.required)
    alone, _ = screen.missing(look.posterior, sure.required, others)
    beaten, _ = screen.dominated(look.posterior, ORTHANT, look.chosen, others)
    np.testing.assert_array_equal(why.bounds, np.minimum(alone, beaten))
    given = screened(look.posterior, ORTHANT, look.chosen, others, sure.required, ~why.missing)
    np.testing.assert_array_equal(given.bounds, np.maximum(alone, beaten))
    assert why.missing.any()
    assert (MEANS[others[why.missing & (why.bounds < 1e-3)], 0] < 0.4).all()
    # A wide cone trades the level away: who is dominated may be acceptable where the other one is not.
    wide = certificate(cone=cw.Cone.planar(135), levels=(0.4, None))
    assert not wide.required.keeps
    traded = screened(look.posterior, wide.cone, look.chosen, others, wide.required)
    np.testing.assert_array_equal(traded.bounds, alone)


def test_a_core_leaves_out_who_misses_a_level_and_the_answer_is_as_good(monkeypatch):
    state, sure = observed(300), certificate(levels=(0.4, None))
    full = sure.look(state)
    monkeypatch.setattr(screen, "FEW", 2)
    part = sure.look(state)
    assert len(part.designs) < len(full.designs)
    for look in (full, part):
        assert look.judged() <= 0.3
        assert cw.verdict(look.chosen, MEANS, ORTHANT, 0.3, levels=[0.4, -np.inf])
        assert (MEANS[look.missing, 0] < 0.4).all()
    assert part.missing.sum() > len(full.designs) / 4


def test_with_very_many_designs_a_cone_has_to_keep_the_levels():
    wide = cw.Cone.planar(135)
    with pytest.raises(cw.InputError, match="a model compares at most 400 designs, got 401: take a cone that does not"):
        certificate(model=cw.models.Independent(), cone=wide, k=401, levels=(0.4, None))
    assert certificate(model=cw.models.Independent(), k=401, levels=(0.4, None)).required.keeps


# -- for every component at once -----------------------------------------------------------------------------------


FEW = np.column_stack([np.array([0.0, 0.4, 0.9, 0.1, 0.5, 0.2]), np.array([1.0, 0.7, 0.0, 0.1, 0.3, 0.8])])
SIX = np.random.default_rng(0).random((6, 2))


def of_six(noise=None, **options):
    cone = options.pop("cone", ORTHANT)
    question = cw.Question(cone, 0.3, 0.1, noise or Gaussian(0.2), options.pop("success", "cover"))
    model = cw.models.Smooth(SIX, kernels=("matern52",), sizes=(10,), discrepancies=(0.1,))
    return PosteriorCertificate(question, 6, model, robust=True, **options)


@pytest.mark.parametrize("noise", [Gaussian(0.2), GaussianUnknown()], ids=["known", "unknown"])
@pytest.mark.parametrize("success", ["cover", "contain"])
@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone.planar(60), cw.Cone.planar(120)], ids=["orthant", "narrow", "wide"])
def test_no_way_to_take_a_component_fails_more_often_than_said(noise, success, cone):
    each, state = of_six(noise, success=success, cone=cone), observed(60, means=FEW)
    look = each.look(state)
    said = look.unlikely_in_every_way
    rng, ways = np.random.default_rng(1), list(look.posterior.plausible(each.plausible))
    assert len(ways) > 64
    for which in rng.choice(len(ways), 8, replace=False):
        z = cone.facet_values(ways[which].draws(look.designs, 1000, rng))
        failing = (needed(z, look.choice.inside, cone, success) > 0.3).mean()
        assert failing <= said + 3 * np.sqrt(0.25 / 1000)


def test_few_designs_end_for_every_component_although_hundreds_stay_plausible():
    lab = cw.SimulatedBandit(FEW, Gaussian(0.1))
    model = cw.models.Smooth(SIX)
    result = cw.identify(lab, ORTHANT, epsilon=0.3, delta=0.1, model=model, robust=True, max_evaluations=60, rng=0)
    assert result.evaluations < 60
    assert "for every component of the prior" in str(result.guarantee)
    assert cw.verdict(result.pareto, FEW, ORTHANT, 0.3)


def test_levels_and_designs_that_are_not_drawn_have_no_such_bound():
    each = certificate(levels=(0.0, None), robust=True)
    state = observed(5)
    assert each.look(state).unlikely_in_every_way == 1.0
