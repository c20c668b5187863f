"""Claims from checkpoints: their definitions, and what they depend on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from shared.certificates import (
    CONES,
    at_levels,
    certificate,
    masks,
    random_state,
    twin,
)

import conewise as cw
from conewise.certificate.history import Checkpoints, Snapshot
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian

NOISES = [Gaussian(0.5), SubGaussian(0.5), Bounded(-1, 1)]


# -- definitions, against an obvious twin --------------------------------------------------------------------------


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", CONES, ids=lambda cone: cone.text)
def test_claims_are_what_their_definitions_say(cone, notion):
    seen = np.zeros(4, dtype=int)
    for seed in range(12):  # every noise, and a deviation for each design with every spread
        noise = NOISES[seed % 3] if cone.dim != 2 or seed % 2 else Gaussian(np.linspace(0.2, 1.0, 12).reshape(6, 2))
        checked = certificate(cone, noise, 6, epsilon=1.0, notion=notion)
        state = random_state(checked, seed, spread=[0.1, 0.5, 2.0][seed % 3])
        claims = checked.claims(state)
        assert masks(claims) == twin(checked, state, 1.0), seed
        seen += [part.sum() for part in (claims.beaten, claims.accepted, claims.covered, claims.undecided)]
    assert (seen[[0, 1, 3]] > 0).all()  # every kind of claim was met


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_claims_are_disjoint_and_hold_every_design(notion):
    for seed in range(30):
        checked = certificate(n_designs=7, notion=notion)
        claims = checked.claims(random_state(checked, seed, spread=0.4))
        assert (np.sum(masks(claims), axis=0) == 1).all()
        assert claims.done == (not claims.undecided.any())
        assert notion == "cover" or not claims.covered.any()


def test_two_designs_never_beat_each_other_and_a_beater_is_left():
    for delta in (0.01, 0.5, 0.95):
        for seed in range(40):
            checked = certificate(cw.Cone.orthant(1), n_designs=2, delta=delta, epsilon=0.5)
            claims = checked.claims(random_state(checked, seed, spread=0.3))
            assert not claims.beaten.all()


def test_beaten_designs_do_not_depend_on_epsilon_and_a_larger_one_accepts_more():
    for seed in range(20):
        checked = certificate(n_designs=6)
        state = random_state(checked, seed, spread=0.5)
        small, large = checked.claims(state, 0.2), checked.claims(state, 1.5)
        np.testing.assert_array_equal(small.beaten, large.beaten)
        assert (small.accepted <= large.accepted).all()


# -- claims are a function of the checkpoints ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_any_sampling_order_with_the_same_streams_gives_the_same_claims(seed):
    checked = certificate(n_designs=5)
    rng = np.random.default_rng(seed)
    counts = rng.integers(5, 40, size=5)
    values = [rng.normal(size=(count, 2)) + rng.normal(size=2) * 0.5 for count in counts]
    found = []
    for again in range(4):
        order = np.random.default_rng(again).permutation(np.repeat(np.arange(5), counts))
        left = [iter(rows) for rows in values]
        state = Checkpoints.empty(checked.levels, 5, 2)
        for part in np.array_split(order, again + 1):
            state = state.add(Observations.single(part, [next(left[design]) for design in part]))
        claims = checked.claims(state)
        found.append((masks(claims), checked.certified_epsilon(claims).epsilon))
    assert all(other == found[0] for other in found[1:])


def test_renaming_the_designs_renames_the_claims():
    checked = certificate(n_designs=6)
    for seed in range(10):
        state = random_state(checked, seed, spread=0.5)
        turn = np.random.default_rng(seed).permutation(6)
        place = np.argsort(turn)
        turned = replace(
            state,
            reached=state.reached[turn],
            snapshots=tuple(
                Snapshot(np.sort(place[part.designs]), part.means[np.argsort(place[part.designs])], None)
                for part in state.snapshots
            ),
        )
        first, second = checked.claims(state), checked.claims(turned)
        assert [np.array(part)[turn].tolist() for part in masks(first)] == masks(second)


def test_a_design_that_nobody_has_seen_leaves_the_others_open():
    checked = certificate(n_designs=3)
    state = Checkpoints.empty(checked.levels, 3, 2)
    state = state.add(Observations([0, 1], [[9.0, 9.0], [0.0, 0.0]], [checked.levels.counts[0]] * 2))
    claims = checked.claims(state)
    assert not claims.done
    assert not claims.accepted.any()
    assert checked.certified_epsilon(claims) is None


@pytest.mark.parametrize("far", [False, True])
def test_a_level_that_was_jumped_over_claims_nothing_wrong(far):
    """Entries that miss the levels leave NaN behind: no claim rests on it, and nothing is raised."""
    checked = certificate(n_designs=3, epsilon=0.2)
    counts = checked.levels.counts
    between = next(a + 1 for a, b in pairwise(counts) if b > a + 1)
    count = 10 * counts[-1] if far else between
    means = [[9.0, 9.0], [0.0, 0.0], [5.0, -5.0]]
    state = Checkpoints.empty(checked.levels, 3, 2).add(Observations([0, 1, 2], means, [count] * 3))
    claims = checked.claims(state)
    assert not (claims.beaten | claims.accepted | claims.covered).any()
    assert checked.certified_epsilon(claims) is None


def test_after_a_jump_the_next_level_counts_again():
    checked = certificate(n_designs=2, epsilon=0.2)
    counts = checked.levels.counts
    jump = Observations([0, 1], [[9.0, 9.0], [0.0, 0.0]], [counts[2] - 1] * 2)
    land = Observations([0, 1], [[9.0, 9.0], [0.0, 0.0]], [1, 1])
    state = Checkpoints.empty(checked.levels, 2, 2).add(jump).add(land)
    assert checked.claims(state).beaten.tolist() == [False, True]


# -- certified epsilon ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_the_certified_epsilon_is_done_and_a_little_less_is_not(notion):
    for seed in range(15):
        checked = certificate(n_designs=5, notion=notion)
        state = random_state(checked, seed, spread=0.5)
        claims = checked.claims(state)
        certified = checked.certified_epsilon(claims)
        found, returned = certified.epsilon, certified.returned
        again = checked.claims(state, found)
        assert again.done
        np.testing.assert_array_equal(again.accepted, returned)
        assert found < 1e-12 or not checked.claims(state, found * 0.999).done
        assert claims.done == (found <= checked.epsilon * (1 + 1e-9))


def test_more_observations_of_everyone_certify_less():
    checked = certificate(n_designs=3)
    means = [[0.0, 0.0], [0.1, -0.1], [0.05, 0.0]]
    found = [
        checked.certified_epsilon(checked.claims(at_levels(checked, means, [level] * 3))).epsilon
        for level in range(0, len(checked.levels.counts), 3)
    ]
    assert all(later < earlier for earlier, later in pairwise(found))


# -- without noise ------------------------------------------------------------------------------------------------


def test_identical_designs_without_noise_do_not_beat_each_other():
    """Values are said to be exact and never vary: gains and radii are all 0, and a twin is not a better design."""
    checked = certificate(noise=GaussianUnknown(resolution=0), n_designs=3)
    claims = checked.claims(at_levels(checked, [[1.0, 1.0], [1.0, 1.0], [0.0, 2.0]], [2] * 3))
    assert not claims.beaten.any()
    claims = checked.claims(at_levels(checked, [[1.0, 1.0], [1.0, 1.0], [1.0, 0.5]], [2] * 3))
    assert claims.beaten.tolist() == [False, False, True]
