"""What a set needs in a draw, against the verdict that everybody else uses; and the choice of a set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise.models import failures
from conewise.models.choice import choose
from conewise.models.failures import escapes, fronts, needs, pareto, possibly_optimal

CONES = {
    "orthant": cw.Cone.orthant(2),
    "narrow": cw.Cone.planar(45),
    "wide": cw.Cone.planar(135),
    "space": cw.Cone.ice_cream(60, facets=5),
}
seeds = st.integers(0, 10**6)


def case(cone: cw.Cone, seed: int, draws: int = 3, designs: int = 6):
    """Draws on a grid, so that ties and exact coverings occur, and a set that is not empty."""
    rng = np.random.default_rng(seed)
    means = rng.integers(-3, 4, size=(draws, designs, cone.dim)).astype(float)
    inside = rng.random(designs) < 0.5
    inside[rng.integers(designs)] = True
    return means, inside


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_the_needed_epsilon_is_where_the_verdict_turns(cone, seed):
    means, inside = case(cone, seed)
    needed = needs(cone.facet_values(means), inside, cone, "cover").largest
    for truth, epsilon in zip(means, needed, strict=True):
        assert cw.verdict(inside, truth, cone, epsilon * (1 + 1e-9))
        assert epsilon < 1e-12 or not cw.verdict(inside, truth, cone, epsilon * (1 - 1e-6))


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_to_contain_is_to_miss_no_pareto_design(cone, seed):
    means, inside = case(cone, seed)
    needed = needs(cone.facet_values(means), inside, cone, "contain").largest
    for truth, epsilon in zip(means, needed, strict=True):
        missed = bool((cw.pareto_mask(truth, cone) & ~inside).any())
        assert np.isinf(epsilon) == missed
        if not missed:
            far = cw.suboptimality_gaps(truth, cone)[inside].max()
            assert epsilon == pytest.approx(far, abs=1e-9)


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_pareto_optimal_in_a_draw_is_what_the_mask_says(cone, seed):
    means, _ = case(cone, seed)
    z = np.stack([cone._order_columns(truth).T for truth in means])  # as exact as the mask itself
    found, rival = pareto(z, np.arange(means.shape[1]))
    np.testing.assert_array_equal(fronts(z), found)
    for truth, mask, by in zip(means, found, rival, strict=True):
        np.testing.assert_array_equal(mask, cw.pareto_mask(truth, cone))
        for i in np.flatnonzero(~mask):
            assert cw.dominates(truth[by[i]], truth[i], cone)


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_how_far_a_design_is_and_the_rival_that_says_so(cone, seed):
    means, _ = case(cone, seed, designs=9)
    z, rows = cone.facet_values(means), np.array([1, 4, 7])
    found, rival = escapes(z, rows, cone)
    for truth, values, far, by in zip(means, z, found, rival, strict=True):
        np.testing.assert_allclose(far, cw.suboptimality_gaps(truth, cone)[rows], atol=1e-9)
        reached = ((values[by] - values[rows]) / cone.widths).min(axis=1)
        np.testing.assert_allclose(np.maximum(reached, 0.0), far, atol=1e-12)


@given(seed=seeds)
def test_the_front_of_the_average_draw_rules_out_no_pareto_design(seed):
    cone = CONES["orthant"]
    means, _ = case(cone, seed, draws=5, designs=9)
    z = cone.facet_values(means)
    found, _ = pareto(z, np.arange(9))
    assert set(np.flatnonzero(found.any(axis=0))) <= set(possibly_optimal(z))


def test_small_blocks_change_nothing(monkeypatch):
    cone = CONES["orthant"]
    means, inside = case(cone, 8, draws=20, designs=15)
    whole = needs(cone.facet_values(means), inside, cone, "cover")
    monkeypatch.setattr(failures, "_ENTRIES", 40)
    monkeypatch.setattr(failures, "_AT_HAND", 40)
    parts = needs(cone.facet_values(means), inside, cone, "cover")
    np.testing.assert_array_equal(parts.at, whole.at)
    np.testing.assert_array_equal(parts.by, whole.by)


@pytest.mark.parametrize("notion", ["cover", "contain"])
@given(seed=seeds)
def test_the_chosen_set_fails_in_as_few_draws_as_it_says_and_no_single_change_is_better(notion, seed):
    cone, epsilon = CONES["orthant"], 0.7
    rng = np.random.default_rng(seed)
    z = cone.facet_values(rng.normal(size=(1, 7, 2)) * 2 + 0.5 * rng.normal(size=(30, 7, 2)))
    choice = choose(z, cone, epsilon, notion)

    def failing(inside):
        return float((needs(z, inside, cone, notion).largest > epsilon).mean()) if inside.any() else 1.0

    assert choice.failing == pytest.approx(failing(choice.inside))
    if notion == "cover" and choice.failing <= 0.5:
        for i in range(7):
            changed = choice.inside.copy()
            changed[i] = not changed[i]
            assert (
                failing(changed) >= choice.failing or (needs(z, changed, cone, notion).at[:, i] > epsilon).mean() > 0.4
            )
    np.testing.assert_allclose(choice.probability, pareto(z, np.arange(7))[0].mean(axis=0))
