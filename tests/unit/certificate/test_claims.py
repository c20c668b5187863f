"""Claims step by step where P* must be contained, who is sure, and ties."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from shared.certificates import (
    CONES,
    ORTHANT,
    at_levels,
    certificate,
    climbed,
    fine_boundary,
    masks,
    met,
    nothing,
    out_boundary,
    sure,
    twin,
)

import conewise as cw
from conewise.certificate.claims import Struck, Worked, judge
from conewise.certificate.history import Checkpoints
from conewise.certificate.tuning import TUNING
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian
from conewise.rules import Certificate, SuccessiveElimination

STEPWISE = replace(TUNING, pilots=False)
"""Exact identification step by step with even weights (docs/adaptive, 3.2)."""


def near_front(checked: Certificate, seed: int) -> Checkpoints:
    """Leaders across the cone, and followers about as far behind one as it takes to be beaten, anyhow or by a sure one.

    Followers are moved along the centre of the cone until the worst of their gains is where it should be.
    """
    rng, k, cone = np.random.default_rng(seed), checked.n_designs, checked.cone
    leaders = 1 if cone.dim == 1 else 2
    across = np.zeros((k, cone.dim))
    across[:, :2] = np.resize([[0.4, -0.4], [-0.4, 0.4]], (k, 2))[:, : cone.dim] if leaders == 2 else 0.0
    counts, entries = np.array(checked.levels.counts), []
    for mean in across:
        steps = np.diff(counts[: len(counts) - rng.integers(3)], prepend=0)
        entries.append(mean + rng.normal(size=(len(steps), cone.dim)) * 0.3 / np.sqrt(steps)[:, None])
    level = climbed(checked, entries)
    easy, hard = (out_boundary(checked, k, by_sure=by_sure) for by_sure in (True, False))
    for i in range(leaders, k):
        where = rng.choice([-6.0, -0.3, 0.3, 0.7, 1.2])  # 0: just beaten by a sure one; 1: by anybody
        gain, radius = met(checked, level, i, i % leaders, easy + where * (hard - easy))
        entries[i] = entries[i] - ((radius - gain) / (cone.facets @ cone.centre)).max() * cone.centre
    return climbed(checked, entries)


EXACT_NOISES = [Gaussian(0.3), Gaussian(np.linspace(0.2, 0.5, 12).reshape(6, 2)), SubGaussian(0.3), GaussianUnknown()]


def agrees(checked: Certificate, seeds: range) -> tuple[np.ndarray, int]:
    """Exact identification against its twin at epsilon 0 and beyond; how often each claim and a sure step was met."""
    seen, steps = np.zeros(4, dtype=int), 0
    for seed in seeds:
        state = near_front(checked, seed)
        for epsilon in (0.0, 0.1):
            claims = checked.claims(state, epsilon)
            assert masks(claims) == twin(checked, state, epsilon), (seed, epsilon)
        claims = checked.claims(state)
        seen += np.sum(masks(claims), axis=1)
        plain = judge_without_sure_steps(checked, state)
        assert (plain.beaten <= claims.beaten).all()
        assert (plain.accepted <= claims.accepted | claims.beaten).all()
        steps += masks(plain) != masks(claims)
    return seen, steps


def judge_without_sure_steps(checked: Certificate, state: Checkpoints):
    """The same radii, but nobody is ever marked: one strike, one acceptance."""
    compared = checked.compare(state, np.arange(checked.n_designs))
    nobody = np.zeros(checked.n_designs, dtype=bool)
    start = Struck(nobody, np.full(checked.n_designs, -1), compared)
    return judge(start, checked.epsilon, Worked(), None, cone=checked.cone, covering=False, stepwise=False)[0]


@pytest.mark.parametrize("cone", CONES, ids=lambda cone: cone.text)
@pytest.mark.parametrize("noise", EXACT_NOISES, ids=["normal", "by design", "subgaussian", "unknown"])
def test_exact_identification_is_what_its_definitions_say(cone, noise):
    if isinstance(noise, Gaussian) and noise.covariance(2).ndim == 3 and cone.dim != 2:
        noise = Gaussian(np.linspace(0.2, 0.5, 6 * cone.dim).reshape(6, cone.dim))
    checked = certificate(cone, noise, 6, epsilon=0.0, notion="contain", most=300, tuning=STEPWISE)
    seen, steps = agrees(checked, range(4))
    assert (seen[:2] > 0).all()
    assert steps > 0  # claims that only a sure design made possible


def test_exact_identification_of_bounded_observations_is_what_its_definitions_say():
    checked = certificate(noise=Bounded(-1, 1), n_designs=6, epsilon=0.0, notion="contain", most=30_000)
    seen, steps = agrees(checked, range(6))
    assert (seen[:2] > 0).all()
    assert steps > 0


# -- claims are a function of the checkpoints ----------------------------------------------------------------------


def told_step_by_step(checked: Certificate, entries, ask: bool) -> Checkpoints:
    """Level by level for everybody, claims asked for after each; or all in one, and none asked for."""
    if not ask:
        return climbed(checked, entries)
    counts = np.array(checked.levels.counts)
    state = nothing(checked)
    for level in range(max(len(part) for part in entries)):
        there = [design for design, part in enumerate(entries) if len(part) > level]
        times = counts[level] - (counts[level - 1] if level else 0)
        state = state.add(Observations(there, [entries[design][level] for design in there], [times] * len(there)))
        checked.claims(state)
        checked.claims(state, 0.1)
    return state


@pytest.mark.parametrize("noise", [Gaussian(0.3), GaussianUnknown(), Bounded(-1, 1)], ids=repr)
def test_exact_claims_are_those_of_the_state_however_it_was_reached(noise):
    for seed in range(3):
        checked = certificate(noise=noise, n_designs=6, epsilon=0.0, notion="contain", most=200)
        rng, levels = np.random.default_rng(seed), len(checked.levels.counts)
        means = rng.normal(size=(6, 2)) * 0.2
        heights = rng.integers(levels // 2, levels, size=6)
        entries = [mean + rng.normal(size=(height, 2)) * 0.1 for mean, height in zip(means, heights, strict=True)]
        first, second = (told_step_by_step(checked, entries, ask) for ask in (False, True))
        assert masks(checked.claims(first)) == masks(checked.claims(second))
        np.testing.assert_array_equal(checked.claims(first).accept_at, checked.claims(second).accept_at)


def crowd(checked: Certificate, behind: float, seed: int) -> list[np.ndarray]:
    """Two leaders and many followers, which are left alone once they were clearly behind, or a little later."""
    rng, levels = np.random.default_rng(seed), len(checked.levels.counts)
    heights = np.where(np.arange(checked.n_designs) < 60, levels - 2, rng.integers(1, 12, size=checked.n_designs))
    means = -behind * rng.uniform(0.2, 2.0, size=(checked.n_designs, 1)) * np.ones(2)
    means[:2] = [[0.3, -0.3], [-0.3, 0.3]]
    noise = [rng.normal(size=(height, 2)) * 0.05 for height in heights]
    return [mean + part for mean, part in zip(means, noise, strict=True)]


@pytest.fixture
def very_many(monkeypatch):
    """From 100 designs on what was clearly beaten is taken over from look to look, where nobody was evaluated since."""
    monkeypatch.setattr("conewise.certificate.schedule.PILOT_DESIGNS", 100)
    for module in ("claims", "certificate"):
        monkeypatch.setattr(f"conewise.certificate.{module}.FEW", 100)


@pytest.mark.usefixtures("very_many")
def test_exact_claims_of_very_many_designs_are_those_of_the_state_however_it_was_reached():
    checked = certificate(noise=Gaussian(0.2), n_designs=450, epsilon=0.0, notion="contain", most=50)
    for seed, behind in ((0, 1.0), (1, 4.0)):
        entries = crowd(checked, behind, seed)
        first, second = (checked.claims(told_step_by_step(checked, entries, ask)) for ask in (False, True))
        assert masks(first) == masks(second)
        assert first.beaten.sum() > 50
        assert sure(first) == sure(second)


@pytest.mark.usefixtures("very_many")
@pytest.mark.parametrize("crowded", [0, 420])
def test_who_was_sure_may_be_sure_no_longer_and_takes_back_what_followed(crowded):
    """A leader, sure at one look, is not at the next: a design that only a sure one beats is in doubt again.

    With many more far behind, so that what was clearly beaten is taken over from one look to the next.
    """
    checked = certificate(
        noise=Gaussian(0.3), n_designs=3 + crowded, epsilon=0.0, notion="contain", most=400, tuning=STEPWISE
    )
    k, level = checked.n_designs, 25
    spread = 0.3 * math.sqrt(2 / checked.levels.counts[level])
    far = np.full((crowded, 2), -50.0) + np.arange(crowded)[:, None] * [0.01, -0.01]
    easy, hard = (out_boundary(checked, 3, by_sure=by_sure)[level] for by_sure in (True, False))
    fine = fine_boundary(checked, k)[level]
    assert max(easy, fine) < hard
    step = (max(easy, fine) + 0.2 * (hard - max(easy, fine))) * spread
    means = np.vstack([[0.0, 0.0], [-step, -step], [-1.0, 1.0], far])
    heights = np.array([level] * 3 + [5] * crowded)
    entries = [np.tile(mean, (height + 1, 1)) for mean, height in zip(means, heights, strict=True)]
    before = told_step_by_step(checked, entries, ask=True)
    claims = checked.claims(before)
    assert masks(claims)[0] == [False, True, False] + [True] * crowded
    assert claims.left[sure(claims)].tolist() == [0, 2]
    # The next entry makes up for so much of what the third was behind that the leader is fine against it no more.
    counts = checked.levels.counts
    times = counts[level + 1] - counts[level]
    caught_up = (counts[level + 1] * np.array([-0.5 * fine * spread, 1.0]) - counts[level] * means[2]) / times
    after = checked.claims(before.add(Observations([0, 2], [means[0], caught_up], [times] * 2)))
    entries[0], entries[2] = np.vstack([entries[0], means[0]]), np.vstack([entries[2], caught_up])
    fresh = climbed(checked, entries)
    assert masks(after) == masks(checked.claims(fresh))
    assert not after.beaten[1]
    assert after.undecided[:2].all()
    if not crowded:
        assert masks(after) == twin(checked, fresh, 0.0)
    assert k == len(after.beaten)


# -- ties without noise, epsilon = 0 -------------------------------------------------------------------------------

FLAT = Gaussian(cov=[[0.25, 0.0], [0.0, 0.0]])
"""The second objective has no noise."""


def exact(noise, n_designs: int, most: int = 10_000) -> Certificate:
    return certificate(noise=noise, n_designs=n_designs, epsilon=0.0, notion="contain", most=most)


@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone([[3, 1], [0, 0.7]])], ids=lambda cone: cone.text)
@pytest.mark.parametrize("level", [0, 3, -1])
def test_a_design_that_only_ties_where_there_is_no_noise_is_never_sure(cone, level):
    """It is weakly dominated: worse in the noisy direction and equal in the other, where it is known to be equal."""
    checked = Certificate(cw.Question(cone, 0.0, 0.1, FLAT, success="contain"), 3, most=200)
    level %= len(checked.levels.counts)
    values = np.linalg.solve(cone.facets, np.array([[0.0, 0.1], [-0.001, 0.1], [4.0, -3.0]]).T).T
    values = values if cone is not ORTHANT else np.array([[0.0, 0.1], [-0.001, 0.1], [4.0, -3.0]])
    claims = checked.claims(at_levels(checked, values, [level] * 3))
    assert not np.array(sure(claims))[claims.left == 1].any()
    assert not claims.beaten[0]
    assert claims.accept_at[claims.left == 1].max(initial=0.0) >= 0


def test_ties_are_not_sure_whatever_the_counts_and_batches():
    """Sums are exact: the same constant, told one by one or in sums, does not differ by rounding."""
    for value in (0.1, 1 / 3, 1e-3, 123.456):
        checked = exact(GaussianUnknown(resolution=0), 3, most=300)
        counts = np.array(checked.levels.counts)[:12]
        single = Observations.single([0] * counts[-1], [[value, 3 * value]] * counts[-1])
        sums = Observations([1] * 12, [[value, 3 * value]] * 12, np.diff(counts, prepend=0))
        other = Observations([2] * 12, [[-1.0, 9.0 * value]] * 12, np.diff(counts, prepend=0))
        state = Checkpoints.empty(checked.levels, 3, 2, True).add(single).add(sums).add(other)
        claims = checked.claims(state)
        assert not claims.beaten.any()
        assert sure(claims) == [False, False, True]
        assert claims.accepted.all()


@pytest.mark.parametrize(
    "noise", [Gaussian(0.5), SubGaussian(0.5), GaussianUnknown(resolution=0), Bounded(-1, 1), FLAT], ids=repr
)
@pytest.mark.parametrize("n_designs", [2, 5, 430])
def test_all_designs_identical_raise_nothing_and_nobody_is_beaten_or_sure(noise, n_designs):
    checked = exact(noise, n_designs, most=60)
    for level in (0, len(checked.levels.counts) - 1):
        state = at_levels(checked, [[0.3, -0.2]] * n_designs, [level] * n_designs)
        claims = checked.claims(state)
        assert not claims.beaten.any()
        assert not any(sure(claims))
        assert checked.certified_epsilon(claims) is not None
    rule = SuccessiveElimination(
        cw.Question(ORTHANT, 0.0, 0.1, noise, success="contain"), n_designs, max_evaluations=60 * n_designs
    )
    state = at_levels(rule.certificate, [[0.3, -0.2]] * n_designs, [2] * n_designs)
    rule.ask(state)
    assert rule.recommend(state).pareto.all()


def test_designs_that_are_all_sure_are_all_accepted():
    for k in (2, 3, 6):
        means = [[3.0 * i, -3.0 * i] for i in range(k)]
        checked = exact(Gaussian(0.1), k)
        claims = checked.claims(at_levels(checked, means, [20] * k))
        assert claims.accepted.all()
        assert all(sure(claims))
