"""Claims from checkpoints: their definitions, what they depend on, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest

import conewise as cw
from conewise.algorithms import Certificate, SuccessiveElimination
from conewise.algorithms.checkpoints import Checkpoints, Snapshot
from conewise.feedback import Observations, Pulls
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian
from conewise.problems import SimulatedBandit

ORTHANT = cw.Cone.orthant(2)
CONES = [cw.Cone.orthant(1), ORTHANT, cw.Cone.planar(45), cw.Cone.planar(135), cw.Cone.ice_cream(60, facets=5)]
NOISES = [Gaussian(0.5), SubGaussian(0.5), Bounded(-1, 1)]


def certificate(cone=ORTHANT, noise=None, n_designs=4, epsilon=0.5, delta=0.1, **options) -> Certificate:
    return Certificate(cone, Gaussian(0.5) if noise is None else noise, n_designs, epsilon, delta, **options)


def at_levels(checked: Certificate, means, levels) -> Checkpoints:
    """Design k has reached levels[k] (an index), with these means at every level on the way: noise-free streams."""
    return climbed(checked, [np.tile(mean, (level + 1, 1)) for mean, level in zip(means, levels, strict=True)])


def climbed(checked: Certificate, entries) -> Checkpoints:
    """One entry a level for each design: entries[k] are means of what design k got on the way from level to level."""
    counts = np.array(checked.levels.counts)
    state = Checkpoints.empty(checked.levels, checked.n_designs, checked.cone.dim, checked.radii.estimates)
    designs = np.repeat(np.arange(len(entries)), [len(part) for part in entries])
    steps = np.concatenate([np.diff(counts[: len(part)], prepend=0) for part in entries])
    return state.add(Observations(designs, np.vstack(entries), steps))


def random_state(checked: Certificate, seed: int, spread: float = 1.0) -> Checkpoints:
    """Noisy designs, each at a level of its own."""
    rng = np.random.default_rng(seed)
    k, dim = checked.n_designs, checked.cone.dim
    means = rng.normal(size=(k, dim)) * spread
    counts, entries = np.array(checked.levels.counts), []
    for mean in means:
        steps = np.diff(counts[: rng.integers(len(counts)) + 1], prepend=0)
        entries.append(mean + rng.normal(size=(len(steps), dim)) * 0.5 / np.sqrt(steps)[:, None])
    return climbed(checked, entries)


def masks(claims) -> list[list[bool]]:
    return [part.tolist() for part in (claims.beaten, claims.accepted, claims.covered, claims.undecided)]


# -- definitions, against an obvious twin --------------------------------------------------------------------------


def variance(checked: Certificate, state: Checkpoints, design: int, level: int) -> np.ndarray:
    """Along the facets: as assumed, that of the sample, or the bound of Maurer & Pontil from it."""
    w, k = checked.cone.facets, checked.n_designs
    if isinstance(checked.noise, Gaussian) and checked.noise.covariance(w.shape[1]).ndim == 3:
        return np.array([u @ checked.noise.covariance(w.shape[1])[design] @ u for u in w])
    if not isinstance(checked.noise, Bounded | GaussianUnknown):
        return checked.noise.scales(w) ** 2
    snapshot, n = state.snapshots[level], checked.levels.counts[level]
    scatter = snapshot.scatters[snapshot.designs.tolist().index(design)]
    seen = np.array([u @ scatter @ u for u in w]) / (n - 1)
    if isinstance(checked.noise, GaussianUnknown):
        return np.maximum(seen, 0)
    reach = math.sqrt(2 * math.log(k * len(w) * len(checked.levels.counts) / (0.1 * checked.delta)) / (n - 1))
    width = 2 * checked.noise.scales(w)
    return np.minimum((np.sqrt(np.maximum(seen, 0)) + width * reach) ** 2, width**2 / 4)


def met(checked: Certificate, state: Checkpoints, i: int, j: int, offset: int, z: np.ndarray):
    """Gains and radii at the highest level at which j is `offset` levels ahead."""
    cone, counts = checked.cone, checked.levels.counts
    level = min(state.reached[i], state.reached[j] - offset)
    if level < 0:
        return None
    gain = cone.facets @ (state.means_at(level + offset)[j] - state.means_at(level)[i])
    share = variance(checked, state, i, level) / counts[level]
    share = share + variance(checked, state, j, level + offset) / counts[level + offset]
    radius = z[level] * np.sqrt(share)
    if isinstance(checked.noise, Bounded):
        radius = radius + z[level] ** 2 / 6 * 2 * checked.noise.scales(cone.facets) / counts[level]
    return gain, radius


def twin(checked: Certificate, state: Checkpoints, epsilon: float) -> list[list[bool]]:
    """The definitions of docs/adaptive, one pair and one direction at a time."""
    k, cone = checked.n_designs, checked.cone
    stepwise = checked.notion == "contain"

    def out(i, j):
        apart = state.reached[list(live)].max() - state.reached[list(live)].min()
        offsets = [(k, offset) for k, offset in enumerate(checked.offsets) if offset <= 2 * apart]
        seen = [
            met(checked, state, i, j, offset, checked.out_boundary(len(live), k, by_sure=by_sure))
            for k, offset in offsets
            for by_sure in ([False, True] if j in sure else [False])
        ]
        return [pair for pair in seen if pair is not None]

    def fine(i, j, at, strictly=False):
        pair = met(checked, state, i, j, 0, checked.fine_boundary(k - known))
        if pair is None:
            return False
        over = pair[0] + pair[1] - at * cone.widths
        return bool((over < 0).any() if strictly else (over <= 0).any())

    live, sure, known = set(range(k)), set(), 0
    while True:
        while struck := {
            i
            for i in live
            for j in live - {i}
            for gain, radius in out(i, j)
            if (gain >= radius).all() and (gain > 0).any()
        }:
            live -= struck
        marked = {i for i in live if stepwise and all(fine(i, j, 0.0, strictly=True) for j in live - {i})}
        if len(marked) <= known:
            break
        sure, known = marked, len(marked)
    accepted = {i for i in live if all(fine(i, j, epsilon) for j in live - {i})}
    covered = set()
    if checked.notion == "cover":
        for i in live - accepted:
            for j in accepted:
                for gain, radius in out(i, j):
                    if cw.lift_norm(np.maximum(radius - gain, 0.0), cone) <= epsilon:
                        covered.add(i)
    chosen = [set(range(k)) - live, accepted, covered, live - accepted - covered]
    return [[design in part for design in range(k)] for part in chosen]


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", CONES, ids=lambda cone: cone.text)
def test_claims_are_what_their_definitions_say(cone, notion):
    seen = np.zeros(4, dtype=int)
    for seed in range(12):
        noise = NOISES[seed % 3] if cone.dim != 2 or seed % 2 else Gaussian(np.linspace(0.2, 1.0, 12).reshape(6, 2))
        checked = certificate(cone, noise, 6, epsilon=1.0, notion=notion)
        state = random_state(checked, seed, spread=[0.1, 0.5, 2.0][seed % 3])
        claims = checked.claims(state)
        assert masks(claims) == twin(checked, state, 1.0), seed
        seen += [part.sum() for part in (claims.beaten, claims.accepted, claims.covered, claims.undecided)]
    assert (seen[[0, 1, 3]] > 0).all()  # every kind of claim was met


@pytest.fixture
def two_lists(monkeypatch):
    """As with many designs: the second design of a pair as far on as the first, or four times as far."""
    monkeypatch.setattr("conewise.algorithms.certificate.LEADS_FROM", 2)


@pytest.mark.usefixtures("two_lists")
@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("noise", [Gaussian(0.5), Bounded(-1, 1), GaussianUnknown()], ids=repr)
def test_claims_where_a_leader_may_be_ahead_are_what_their_definitions_say(noise, notion):
    for seed in range(12):
        checked = certificate([ORTHANT, CONES[-1]][seed % 2], noise, 5, epsilon=0.5, notion=notion)
        assert len(checked.offsets) == 2
        state = random_state(checked, seed, spread=[0.1, 0.5, 2.0][seed % 3])
        assert masks(checked.claims(state)) == twin(checked, state, 0.5), seed


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
    easy, hard = (checked.out_boundary(k, by_sure=by_sure) for by_sure in (True, False))
    for i in range(leaders, k):
        where = rng.choice([-6.0, -0.3, 0.3, 0.7, 1.2])  # 0: just beaten by a sure one; 1: by anybody
        gain, radius = met(checked, level, i, i % leaders, 0, easy + where * (hard - easy))
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
    table = type(checked.claims(state).comparisons)
    with mock.patch.object(table, "marked", lambda self, sure, known: self):
        return checked.claims(replace(state, known={}))


@pytest.mark.parametrize("cone", CONES, ids=lambda cone: cone.text)
@pytest.mark.parametrize("noise", EXACT_NOISES, ids=["normal", "by design", "subgaussian", "unknown"])
def test_exact_identification_is_what_its_definitions_say(cone, noise):
    if isinstance(noise, Gaussian) and noise.covariance(2).ndim == 3 and cone.dim != 2:
        noise = Gaussian(np.linspace(0.2, 0.5, 6 * cone.dim).reshape(6, cone.dim))
    checked = certificate(cone, noise, 6, epsilon=0.0, notion="contain", most=300)
    seen, steps = agrees(checked, range(4))
    assert (seen[:2] > 0).all()
    assert steps > 0  # claims that only a sure design made possible


def test_exact_identification_of_bounded_observations_is_what_its_definitions_say():
    checked = certificate(noise=Bounded(-1, 1), n_designs=6, epsilon=0.0, notion="contain", most=30_000)
    seen, steps = agrees(checked, range(6))
    assert (seen[:2] > 0).all()
    assert steps > 0


@pytest.mark.usefixtures("two_lists")
@pytest.mark.parametrize("noise", [Gaussian(0.3), Bounded(-1, 1), GaussianUnknown()], ids=repr)
def test_exact_identification_where_a_leader_may_be_ahead_is_what_its_definitions_say(noise):
    most = 30_000 if isinstance(noise, Bounded) else 800
    for cone in (ORTHANT, CONES[-1]):
        checked = certificate(cone, noise, 6, epsilon=0.0, notion="contain", most=most)
        assert len(checked.offsets) == 2
        assert agrees(checked, range(4))[1] > 0


@pytest.mark.usefixtures("two_lists")
def test_a_leader_that_is_ahead_beats_what_it_could_not_beat_at_the_same_level():
    checked = certificate(epsilon=0.1, n_designs=3)
    ahead, level = checked.lead, 20
    radius = checked.out_boundary(3)[level] * 0.5 * math.sqrt(2 / checked.levels.counts[level])
    means = [[0.9 * radius, 0.9 * radius], [0.0, 0.0], [-9.0, 9.0]]
    assert not checked.claims(at_levels(checked, means, [level] * 3)).beaten.any()
    assert checked.claims(at_levels(checked, means, [level + ahead, level, level])).beaten.tolist() == [0, 1, 0]
    assert not checked.claims(at_levels(checked, means, [level, level + ahead, level])).beaten.any()


@pytest.mark.usefixtures("two_lists")
@pytest.mark.parametrize("noise", [Gaussian(0.5), GaussianUnknown()], ids=repr)
def test_nobody_is_beaten_by_itself_further_on(noise):
    """A design whose mean rises late is ahead of its own past; that says nothing against it."""
    checked = certificate(noise=noise, epsilon=0.1, n_designs=2)
    late = np.where(np.arange(checked.lead + 12) < 12, 0.0, 9.0)[:, None] * np.ones(2)
    assert not checked.claims(climbed(checked, [late, late[::-1] - [9.0, 0.0]])).beaten[0]


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
        found.append((masks(claims), checked.certified_epsilon(claims)[0]))
    assert all(other == found[0] for other in found[1:])


def told_step_by_step(checked: Certificate, entries, ask: bool) -> Checkpoints:
    """Level by level for everybody, claims asked for after each; or all in one, and none asked for."""
    if not ask:
        return climbed(checked, entries)
    counts = np.array(checked.levels.counts)
    state = Checkpoints.empty(checked.levels, checked.n_designs, checked.cone.dim, checked.radii.estimates)
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


def test_exact_claims_of_very_many_designs_are_those_of_the_state_however_it_was_reached():
    """Beyond 400 designs what was clearly beaten is taken over from look to look, where nobody was evaluated since."""
    checked = certificate(noise=Gaussian(0.2), n_designs=450, epsilon=0.0, notion="contain", most=50)
    for seed, behind in ((0, 1.0), (1, 4.0)):
        entries = crowd(checked, behind, seed)
        first, second = (checked.claims(told_step_by_step(checked, entries, ask)) for ask in (False, True))
        assert masks(first) == masks(second)
        assert first.beaten.sum() > 50
        assert first.comparisons.sure.sum() == second.comparisons.sure.sum()


@pytest.mark.parametrize("crowded", [0, 420])
def test_who_was_sure_may_be_sure_no_longer_and_takes_back_what_followed(crowded):
    """A leader, sure at one look, is not at the next: a design that only a sure one beats is in doubt again.

    With many more far behind, so that what was clearly beaten is taken over from one look to the next.
    """
    checked = certificate(noise=Gaussian(0.3), n_designs=3 + crowded, epsilon=0.0, notion="contain", most=400)
    k, level = checked.n_designs, 25
    spread = 0.3 * math.sqrt(2 / checked.levels.counts[level])
    far = np.full((crowded, 2), -50.0) + np.arange(crowded)[:, None] * [0.01, -0.01]
    easy, hard = (checked.out_boundary(3, by_sure=by_sure)[level] for by_sure in (True, False))
    fine = checked.fine_boundary(k)[level]
    assert max(easy, fine) < hard
    step = (max(easy, fine) + 0.2 * (hard - max(easy, fine))) * spread
    means = np.vstack([[0.0, 0.0], [-step, -step], [-1.0, 1.0], far])
    heights = np.array([level] * 3 + [5] * crowded)
    entries = [np.tile(mean, (height + 1, 1)) for mean, height in zip(means, heights, strict=True)]
    before = told_step_by_step(checked, entries, ask=True)
    claims = checked.claims(before)
    assert masks(claims)[0] == [False, True, False] + [True] * crowded
    assert claims.comparisons.designs[claims.comparisons.sure].tolist() == [0, 2]
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


def test_renaming_the_designs_renames_the_claims():
    checked = certificate(n_designs=6)
    for seed in range(10):
        state = random_state(checked, seed, spread=0.5)
        turn = np.random.default_rng(seed).permutation(6)
        place = np.argsort(turn)
        turned = Checkpoints(
            state.levels,
            state.statistics,
            state.reached[turn],
            tuple(
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


# -- spending ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_designs", [2, 3, 10, 57])
def test_the_two_kinds_of_error_together_spend_no_more_than_delta(n_designs):
    """For every possible size p of the Pareto set: p (K - 1) d a_out(p) + (K - p) N a_fine <= delta.

    Covering; tests/unit/test_radii.py has "contain". A false "covered" can come from min(N, D) directions. The
    probabilities are read back from the boundaries: for subgaussian noise they are sums of exp(-z^2 / 2).
    """
    delta = 0.1
    for cone in CONES:
        checked = certificate(cone, SubGaussian(0.5), n_designs, delta=delta)
        rows = len(cone.facets)
        directions = min(rows, cone.dim)
        fine = float(np.exp(-(checked.fine_boundary(n_designs) ** 2) / 2).sum())
        for p in range(1, n_designs + 1):
            lists = [checked.out_boundary(p, which) for which in range(len(checked.offsets))]
            out = float(np.exp(-(np.array(lists) ** 2) / 2).sum())
            spent = p * (n_designs - 1) * directions * out + (n_designs - p) * rows * fine
            assert spent <= delta * (1 + 1e-9), (cone, p)
        assert spent >= 0.99 * delta  # and nothing is left lying about


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("n_designs", [2, 5, 100])
def test_fewer_designs_left_never_ask_for_a_wider_radius(n_designs, notion):
    checked = certificate(n_designs=n_designs, notion=notion)
    table = np.array([checked.out_boundary(m) for m in range(1, n_designs + 1)])
    assert (np.diff(table, axis=0) >= 0).all()
    assert (table >= 0).all()


@pytest.mark.parametrize("delta", [0.001, 0.1, 0.9])
@pytest.mark.parametrize("n_designs", [2, 10])
def test_the_last_level_settles_every_pair_whatever_the_means(n_designs, delta):
    """(z_fine + z_out) times the spread is at most epsilon alpha in every direction: not fine is beaten."""
    for cone, noise in zip(CONES[::2], [Gaussian(0.5), SubGaussian(0.5), Gaussian(0.3)], strict=True):
        for notion in ("cover", "contain"):
            checked = certificate(cone, noise, n_designs, notion=notion, epsilon=0.7, delta=delta)
            z = checked.fine_boundary(n_designs)[-1] + checked.out_boundary(n_designs)[-1]
            spreads = np.sqrt(2 * checked.radii.worst / checked.levels.counts[-1])
            assert (z * spreads <= 0.7 * cone.widths * (1 + 1e-12)).all(), (cone, noise)


# -- certified epsilon ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_the_certified_epsilon_is_done_and_a_little_less_is_not(notion):
    for seed in range(15):
        checked = certificate(n_designs=5, notion=notion)
        state = random_state(checked, seed, spread=0.5)
        claims = checked.claims(state)
        found, returned = checked.certified_epsilon(claims)
        again = checked.claims(state, found)
        assert again.done
        np.testing.assert_array_equal(again.accepted, returned)
        assert found < 1e-12 or not checked.claims(state, found * 0.999).done
        assert claims.done == (found <= checked.epsilon * (1 + 1e-9))


def test_more_observations_of_everyone_certify_less():
    checked = certificate(n_designs=3)
    means = [[0.0, 0.0], [0.1, -0.1], [0.05, 0.0]]
    found = [
        checked.certified_epsilon(checked.claims(at_levels(checked, means, [level] * 3)))[0]
        for level in range(0, len(checked.levels.counts), 3)
    ]
    assert all(later < earlier for earlier, later in pairwise(found))


# -- refused -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_designs": 1}, "n_designs"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"notion": "approximately"}, "cover"),
        ({"epsilon": 0.0}, "contain"),
        ({"most": 1}, "most"),
        ({"noise": Gaussian([1, 1, 1])}, "3 objectives"),
        ({"noise": Gaussian(np.ones((3, 2)))}, "3 designs"),
    ],
)
def test_bad_configurations_are_refused_with_a_reason(wrong, words):
    with pytest.raises(cw.InputError, match=words):
        certificate(**wrong)


@pytest.mark.parametrize("sigma", [0, -1.0, math.nan])
def test_a_noise_level_of_zero_is_refused(sigma):
    with pytest.raises(cw.InputError, match="sigma must be above 0"):
        Gaussian(sigma)


@pytest.mark.parametrize("scale", [0, -1, math.nan])
def test_a_radius_must_be_scaled_by_something_positive(scale):
    with pytest.raises(cw.InputError, match="radius_scale"):
        SuccessiveElimination(ORTHANT, 0.5, 0.1, 3, Gaussian(0.5), radius_scale=scale)


def test_a_direction_without_noise_is_known_at_once():
    """A singular covariance leaves a facet without noise: no division by zero, and the right answer."""
    means = [[0.0, 0.0], [0.5, 1.0], [0.0, 1.0]]
    for cov in ([[1.0, 0.0], [0.0, 0.0]], [[[1.0, 0.0], [0.0, 0.0]]] * 3):
        problem = SimulatedBandit(means, Gaussian(cov=cov))
        result = cw.identify(problem, ORTHANT, epsilon=0.3, delta=0.1, rng=0)
        assert result.guarantee
        assert cw.verdict(result.pareto, means, ORTHANT, 0.3)


def test_scaled_radii_void_the_guarantee():
    problem = SimulatedBandit([[0.0, 0.0], [3.0, 3.0]], Gaussian(0.5))
    result = cw.identify(problem, ORTHANT, epsilon=0.5, delta=0.1, rng=0, radius_scale=0.5)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert "0.5" in result.guarantee.reason


def test_pulls_stop_at_the_last_level():
    rule = SuccessiveElimination(ORTHANT, 0.5, 0.1, 3, Gaussian(0.5))
    state = at_levels(rule.certificate, [[0.0, 0.0]] * 3, [len(rule.certificate.levels.counts) - 1] * 3)
    assert isinstance(rule.ask(state), Pulls)
    assert rule.ask(state).total == 0
    assert rule.recommend(state).indices == [0, 1, 2]


def test_the_exact_set_needs_a_limit_to_the_run():
    with pytest.raises(cw.InputError, match="max_evaluations"):
        SuccessiveElimination(ORTHANT, 0.0, 0.1, 3, Gaussian(0.5), success="contain")


def test_identical_designs_without_noise_do_not_beat_each_other():
    """Nothing was ever seen to vary: gains and radii are all 0, and a twin is not a better design."""
    checked = certificate(noise=GaussianUnknown(), n_designs=3)
    claims = checked.claims(at_levels(checked, [[1.0, 1.0], [1.0, 1.0], [0.0, 2.0]], [2] * 3))
    assert not claims.beaten.any()
    claims = checked.claims(at_levels(checked, [[1.0, 1.0], [1.0, 1.0], [1.0, 0.5]], [2] * 3))
    assert claims.beaten.tolist() == [False, False, True]


# -- ties without noise, epsilon = 0 -------------------------------------------------------------------------------

FLAT = Gaussian(cov=[[0.25, 0.0], [0.0, 0.0]])
"""The second objective has no noise."""


def exact(noise, n_designs: int, most: int = 10_000) -> Certificate:
    return certificate(noise=noise, n_designs=n_designs, epsilon=0.0, notion="contain", most=most)


@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone([[3, 1], [0, 0.7]])], ids=lambda cone: cone.text)
@pytest.mark.parametrize("level", [0, 3, -1])
def test_a_design_that_only_ties_where_there_is_no_noise_is_never_sure(cone, level):
    """It is weakly dominated: worse in the noisy direction and equal in the other, where it is known to be equal."""
    checked = Certificate(cone, FLAT, 3, 0.0, 0.1, "contain", most=200)
    level %= len(checked.levels.counts)
    values = np.linalg.solve(cone.facets, np.array([[0.0, 0.1], [-0.001, 0.1], [4.0, -3.0]]).T).T
    values = values if cone is not ORTHANT else np.array([[0.0, 0.1], [-0.001, 0.1], [4.0, -3.0]])
    claims = checked.claims(at_levels(checked, values, [level] * 3))
    assert not claims.comparisons.sure[claims.comparisons.designs == 1].any()
    assert not claims.beaten[0]
    assert claims.accept_at[claims.comparisons.designs == 1].max(initial=0.0) >= 0


def test_ties_are_not_sure_whatever_the_counts_and_batches():
    """Sums are exact: the same constant, told one by one or in sums, does not differ by rounding."""
    for value in (0.1, 1 / 3, 1e-3, 123.456):
        checked = exact(GaussianUnknown(), 3, most=300)
        counts = np.array(checked.levels.counts)[:12]
        single = Observations.single([0] * counts[-1], [[value, 3 * value]] * counts[-1])
        sums = Observations([1] * 12, [[value, 3 * value]] * 12, np.diff(counts, prepend=0))
        other = Observations([2] * 12, [[-1.0, 9.0 * value]] * 12, np.diff(counts, prepend=0))
        state = Checkpoints.empty(checked.levels, 3, 2, True).add(single).add(sums).add(other)
        claims = checked.claims(state)
        assert not claims.beaten.any()
        assert claims.comparisons.sure.tolist() == [False, False, True]
        assert claims.accepted.all()


@pytest.mark.parametrize("noise", [Gaussian(0.5), SubGaussian(0.5), GaussianUnknown(), Bounded(-1, 1), FLAT], ids=repr)
@pytest.mark.parametrize("n_designs", [2, 5, 430])
def test_all_designs_identical_raise_nothing_and_nobody_is_beaten_or_sure(noise, n_designs):
    checked = exact(noise, n_designs, most=60)
    for level in (0, len(checked.levels.counts) - 1):
        state = at_levels(checked, [[0.3, -0.2]] * n_designs, [level] * n_designs)
        claims = checked.claims(state)
        assert not claims.beaten.any()
        assert not claims.comparisons.sure.any()
        assert checked.certified_epsilon(claims) is not None
    rule = SuccessiveElimination(ORTHANT, 0.0, 0.1, n_designs, noise, success="contain", max_evaluations=60 * n_designs)
    state = at_levels(rule.certificate, [[0.3, -0.2]] * n_designs, [2] * n_designs)
    rule.ask(state)
    assert rule.recommend(state).pareto.all()


def test_designs_that_are_all_sure_are_all_accepted():
    for k in (2, 3, 6):
        means = [[3.0 * i, -3.0 * i] for i in range(k)]
        checked = exact(Gaussian(0.1), k)
        claims = checked.claims(at_levels(checked, means, [20] * k))
        assert claims.accepted.all()
        assert claims.comparisons.sure.all()
