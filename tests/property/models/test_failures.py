"""What a set needs in a draw, against the verdict that everybody else uses; and the choice of a set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise.models import failures
from conewise.models.choice import choose
from conewise.models.failures import escapes, fronts, needed, needs, pareto, possibly_optimal
from conewise.models.levels import Required

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
    largest = needs(cone.facet_values(means), inside, cone, "cover").largest
    for truth, epsilon in zip(means, largest, strict=True):
        assert cw.verdict(inside, truth, cone, epsilon * (1 + 1e-9))
        assert epsilon < 1e-12 or not cw.verdict(inside, truth, cone, epsilon * (1 - 1e-6))


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_to_contain_is_to_miss_no_pareto_design(cone, seed):
    means, inside = case(cone, seed)
    found, covering = (needs(cone.facet_values(means), inside, cone, notion) for notion in ("contain", "cover"))
    np.testing.assert_array_equal(found.by, covering.by)  # a design that is missed is judged by its nearest cover
    for truth, epsilon in zip(means, found.largest, strict=True):
        missed = bool((cw.pareto_mask(truth, cone) & ~inside).any())
        assert np.isinf(epsilon) == missed
        if not missed:
            far = cw.suboptimality_gaps(truth, cone)[inside].max()
            assert epsilon == pytest.approx(far, abs=1e-9)


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_what_cannot_be_the_largest_is_left_out_and_the_largest_stays(cone, notion, seed):
    means, inside = case(cone, seed, draws=9, designs=12)
    z = cone.facet_values(means)
    for chosen in (inside, ~inside, np.ones_like(inside), np.zeros_like(inside)):
        np.testing.assert_array_equal(needed(z, chosen, cone, notion), needs(z, chosen, cone, notion).largest)


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_pareto_optimal_in_a_draw_is_what_the_mask_says(cone, seed):
    means, _ = case(cone, seed)
    z = np.stack([cone.order_columns(truth).T for truth in means])  # as exact as the mask itself
    found = pareto(z, np.arange(means.shape[1]), z)
    np.testing.assert_array_equal(fronts(z), found)
    for truth, mask in zip(means, found, strict=True):
        np.testing.assert_array_equal(mask, cw.pareto_mask(truth, cone))


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_how_far_a_design_is_and_the_rival_that_says_so(cone, seed):
    means, _ = case(cone, seed, designs=9)
    z, rows = cone.facet_values(means), np.array([1, 4, 7])
    rivals = np.zeros((3, len(z)), dtype=np.intp)
    found = escapes(z[:, rows], z, cone, rivals=rivals)
    np.testing.assert_array_equal(escapes(z[:, rows], z, cone), found)
    for truth, values, far, by in zip(means, z, found, rivals.T, strict=True):
        np.testing.assert_allclose(far, cw.suboptimality_gaps(truth, cone)[rows], atol=1e-9)
        reached = ((values[by] - values[rows]) / cone.widths).min(axis=1)
        np.testing.assert_allclose(np.maximum(reached, 0.0), far, atol=1e-12)


@given(seed=seeds)
def test_the_front_of_the_average_draw_rules_out_no_pareto_design(seed):
    cone = CONES["orthant"]
    means, _ = case(cone, seed, draws=5, designs=9)
    z = cone.facet_values(means)
    found = pareto(z, np.arange(9), z)
    assert set(np.flatnonzero(found.any(axis=0))) <= set(possibly_optimal(z))


def test_small_blocks_change_nothing(monkeypatch):
    cone = CONES["orthant"]
    means, inside = case(cone, 8, draws=20, designs=15)
    whole = needs(cone.facet_values(means), inside, cone, "cover")
    monkeypatch.setattr(failures, "ENTRIES", 40)
    monkeypatch.setattr(failures, "AT_HAND", 40)
    parts = needs(cone.facet_values(means), inside, cone, "cover")
    np.testing.assert_array_equal(parts.at, whole.at)
    np.testing.assert_array_equal(parts.by, whole.by)
    np.testing.assert_array_equal(needed(cone.facet_values(means), inside, cone, "cover"), whole.largest)


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
    np.testing.assert_allclose(choice.probability, pareto(z, np.arange(7), z).mean(axis=0))


def levelled(cone, seed, draws=3):
    """A case whose first objective has a level, on the grid too."""
    means, inside = case(cone, seed, draws)
    inside &= np.random.default_rng(seed + 1).random(len(inside)) < 0.8  # now and then nobody
    least = np.full(cone.dim, -np.inf)
    least[0] = np.random.default_rng(seed + 2).integers(-3, 4)
    asked = [cw.Objective(f"f{d}", level=None if np.isinf(level) else level) for d, level in enumerate(least)]
    required = Required.of(cw.Question(cone, 0.1, 0.1, objectives=asked))
    return means, inside, least, required.spare(means)


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_with_levels_the_needed_epsilon_is_where_the_verdict_turns(cone, seed):
    means, inside, least, spare = levelled(cone, seed)
    largest = needs(cone.facet_values(means), inside, cone, "cover", spare).largest
    for truth, epsilon in zip(means, largest, strict=True):
        if np.isinf(epsilon):
            assert not inside.any()
            assert (truth >= least).all(axis=1).any()
            continue
        assert cw.verdict(inside, truth, cone, epsilon * (1 + 1e-9), levels=least)
        assert epsilon < 1e-12 or not cw.verdict(inside, truth, cone, epsilon * (1 - 1e-6), levels=least)


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_a_design_outside_needs_a_right_reason(cone, notion, seed):
    """Said to miss a level: it must. Otherwise covered by the set, whatever its own levels."""
    means, inside, least, spare = levelled(cone, seed)
    missing = ~inside & (np.random.default_rng(seed + 3).random(len(inside)) < 0.5)
    z = cone.facet_values(means)
    plain, named = needs(z, inside, cone, notion, spare), needs(z, inside, cone, notion, spare, missing)
    acceptable = (means >= least).all(axis=2)
    np.testing.assert_array_equal(named.at[:, missing], np.where(acceptable[:, missing], np.inf, 0.0))
    assert (named.at[:, ~inside & ~missing] >= plain.at[:, ~inside & ~missing]).all()
    fine = ~(acceptable & missing).any(axis=1)  # where a reason is wrong the draw fails anyway
    np.testing.assert_allclose(named.at[fine][:, inside], plain.at[fine][:, inside], atol=1e-12)
    assert (named.largest >= plain.largest).all()


@pytest.mark.parametrize("cone", CONES.values(), ids=CONES)
@given(seed=seeds)
def test_to_contain_is_to_miss_no_acceptable_pareto_design(cone, seed):
    means, inside, least, spare = levelled(cone, seed)
    largest = needs(cone.facet_values(means), inside, cone, "contain", spare).largest
    for truth, epsilon in zip(means, largest, strict=True):
        acceptable = np.flatnonzero((truth >= least).all(axis=1))
        front = acceptable[cw.pareto_mask(truth[acceptable], cone)] if len(acceptable) else acceptable
        assert np.isinf(epsilon) == bool(np.setdiff1d(front, np.flatnonzero(inside)).size)


@given(seed=seeds)
def test_nobody_is_ruled_out_who_is_acceptable_and_pareto_optimal_in_some_draw(seed):
    cone = CONES["orthant"]
    means, _, least, spare = levelled(cone, seed, draws=5)
    possible = set(possibly_optimal(cone.facet_values(means), spare.acceptable))
    for truth in means:
        acceptable = np.flatnonzero((truth >= least).all(axis=1))
        if len(acceptable):
            assert set(acceptable[cw.pareto_mask(truth[acceptable], cone)]) <= possible


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", [CONES["orthant"], CONES["wide"]], ids=["orthant", "wide"])
@given(seed=seeds)
def test_with_levels_the_chosen_set_fails_in_as_few_draws_as_it_says(cone, notion, seed):
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(1, 7, 2)) * 2 + 0.5 * rng.normal(size=(30, 7, 2))
    asked = [cw.Objective("a", level=float(rng.normal())), cw.Objective("b")]
    spare = Required.of(cw.Question(cone, 0.7, 0.1, objectives=asked)).spare(means)
    z = cone.facet_values(means)
    choice = choose(z, cone, 0.7, notion, spare)
    failing = needs(z, choice.inside, cone, notion, spare, choice.missing).largest > 0.7
    assert choice.failing == pytest.approx(float(failing.mean()))
    assert not (choice.inside & choice.missing).any()
    # No other reason for one design is wrong in fewer draws.
    for i in np.flatnonzero(~choice.inside):
        other = choice.missing.copy()
        other[i] = not other[i]
        mine, theirs = (needs(z, choice.inside, cone, notion, spare, m).at[:, i] > 0.7 for m in (choice.missing, other))
        assert mine.sum() <= theirs.sum()
