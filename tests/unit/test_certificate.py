"""Claims from checkpoints: their definitions, what they depend on, and what is refused."""

from __future__ import annotations

import math
from itertools import pairwise

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


def twin(checked: Certificate, state: Checkpoints, epsilon: float) -> list[list[bool]]:
    """The definitions of docs/adaptive, one pair and one direction at a time."""
    k, cone, counts = checked.n_designs, checked.cone, checked.levels.counts

    def met(i, j, offset, z):
        """Gains and radii at the highest level at which j is `offset` levels ahead."""
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

    def out(i, j):
        apart = state.reached[list(live)].max() - state.reached[list(live)].min()
        offsets = [(k, offset) for k, offset in enumerate(checked.offsets) if offset <= 2 * apart]
        seen = [met(i, j, offset, checked.out_boundary(len(live), k)) for k, offset in offsets]
        return [pair for pair in seen if pair is not None]

    live = set(range(k))
    while True:
        struck = {i for i in live for j in live - {i} for gain, radius in out(i, j) if (gain >= radius).all()}
        if not struck:
            break
        live -= struck
    accepted = set()
    for i in live:
        seen = [met(i, j, 0, checked._fine_boundary) for j in live - {i}]
        if all((gain + radius <= epsilon * cone.widths).any() for gain, radius in seen):
            accepted.add(i)
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


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("n_designs", [2, 3, 10, 57])
def test_the_two_kinds_of_error_together_spend_no_more_than_delta(notion, n_designs):
    """For every possible size p of the Pareto set: p (K - 1) d a_out(p) + (K - p) N a_fine <= delta.

    A false "covered" can come from min(N, D) directions, a false "beaten" from one. The probabilities are read back
    from the boundaries: for subgaussian noise they are sums of exp(-z^2 / 2).
    """
    delta = 0.1
    for cone in CONES:
        checked = certificate(cone, SubGaussian(0.5), n_designs, delta=delta, notion=notion)
        rows = len(cone.facets)
        directions = min(rows, cone.dim) if notion == "cover" else 1
        fine = float(np.exp(-(checked._fine_boundary**2) / 2).sum())
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
            z = checked._fine_boundary[-1] + checked.out_boundary(n_designs)[-1]
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
