"""Claims from checkpoints: their definitions, and what they depend on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from shared.certificates import (
    CONES,
    at_levels,
    certificate,
    climbed,
    forgetful,
    masks,
    out_boundary,
    random_state,
    sure,
    twin,
)

import conewise as cw
from conewise.certificate.history import Checkpoints
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


def test_two_designs_never_beat_each_other_and_a_beater_is_left():
    for delta in (0.01, 0.5, 0.95):
        for seed in range(40):
            checked = certificate(cw.Cone.orthant(1), n_designs=2, delta=delta, epsilon=0.5)
            claims = checked.claims(random_state(checked, seed, spread=0.3))
            assert not claims.beaten.all()


# -- claims are a function of the checkpoints ----------------------------------------------------------------------


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


# -- without noise ------------------------------------------------------------------------------------------------


def test_identical_designs_without_noise_do_not_beat_each_other():
    """Values are said to be exact and never vary: gains and radii are all 0, and a twin is not a better design."""
    checked = certificate(noise=GaussianUnknown(resolution=0), n_designs=3)
    claims = checked.claims(at_levels(checked, [[1.0, 1.0], [1.0, 1.0], [0.0, 2.0]], [2] * 3))
    assert not claims.beaten.any()
    claims = checked.claims(at_levels(checked, [[1.0, 1.0], [1.0, 1.0], [1.0, 0.5]], [2] * 3))
    assert claims.beaten.tolist() == [False, False, True]


@pytest.mark.parametrize("noise", [Gaussian(0.3), SubGaussian(0.3), GaussianUnknown()], ids=repr)
@pytest.mark.parametrize("cone", CONES[1:4], ids=lambda cone: cone.text)
def test_exact_identification_step_by_step_is_what_its_definitions_say(cone, noise):
    """Followers about as far behind leaders as it takes to be beaten, while all are left or while few are."""
    met, steps = np.zeros(4, dtype=int), 0
    for seed in range(8):
        checked = certificate(cone, noise, 6, epsilon=0.0, notion="contain", most=300)
        rng, level = np.random.default_rng(seed), len(checked.levels.counts) - 3
        means = np.vstack([[[0.4, -0.4], [-0.4, 0.4]], np.zeros((4, 2))]) + rng.normal(size=(6, 2)) * 0.05
        spread, narrow = 0.3 * np.sqrt(2 / checked.levels.counts[level]), (cone.facets @ cone.centre).min()
        for i in range(2, 6):
            few, all_ = (out_boundary(checked, left)[level] * spread for left in (1, 6))
            means[i] = means[i % 2] - (few + rng.choice([-6.0, -0.3, 0.5, 1.2]) * (all_ - few)) * cone.centre / narrow
        state = random_climb(checked, means, level, rng)
        for epsilon in (0.0, 0.1):
            claims = checked.claims(state, epsilon)
            assert masks(claims) == twin(checked, state, epsilon), (seed, epsilon)
        met += np.sum(masks(claims), axis=1)
        steps += sum(sure(claims))
    assert met[1] > 0
    assert steps > 0
    assert met[0] > 0 or isinstance(noise, SubGaussian)


def random_climb(checked, means, level, rng):
    """Noisy means at every checkpoint, up to about this one."""
    counts, entries = np.array(checked.levels.counts), []
    for mean in means:
        steps = np.diff(counts[: level + rng.integers(3)], prepend=0)
        entries.append(mean + rng.uniform(-0.5, 0.5, size=(len(steps), 2)) / np.sqrt(steps)[:, None])
    return climbed(checked, entries)


def test_all_designs_identical_raise_nothing_and_none_is_beaten_or_certain():
    for noise in (Gaussian(0.5), SubGaussian(0.5), GaussianUnknown(resolution=0), Bounded(-1, 1)):
        checked = certificate(noise=noise, n_designs=5, epsilon=0.0, notion="contain", most=60)
        claims = checked.claims(at_levels(checked, [[0.3, -0.2]] * 5, [len(checked.levels.counts) - 1] * 5))
        assert not claims.beaten.any()
        assert not claims.certain.any()
        assert checked.certified_epsilon(claims) is not None


def test_a_design_that_only_ties_where_there_is_no_noise_is_never_certain():
    """It is weakly dominated: worse in the noisy objective, and known to be equal in the other."""
    checked = certificate(
        noise=Gaussian(cov=[[0.25, 0.0], [0.0, 0.0]]), n_designs=3, epsilon=0.0, notion="contain", most=200
    )
    for level in (0, 3, len(checked.levels.counts) - 1):
        claims = checked.claims(at_levels(checked, [[0.0, 0.1], [-0.001, 0.1], [4.0, -3.0]], [level] * 3))
        assert not claims.certain[1]
        assert not claims.beaten[0]


@pytest.mark.parametrize("noise", [Gaussian(0.5), GaussianUnknown()], ids=repr)
@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_what_was_read_before_changes_nothing(noise, notion):
    """Two runs in turn on one certificate: claims are those of a certificate that has computed nothing yet."""
    checked = certificate(noise=noise, n_designs=6, notion=notion, most=200)
    for seed in range(6):
        state = random_state(checked, seed, spread=0.5)
        claims, fresh = checked.claims(state), forgetful(checked).claims(state)
        assert masks(claims) == masks(fresh)
        np.testing.assert_array_equal(claims.accept_at, fresh.accept_at)
