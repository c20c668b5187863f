"""The certificate of one look: claims against an obvious twin, samples with holes, and what an answer says."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm, t

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import epsilon_of
from conewise.certificate.history import Checkpoints
from conewise.data.observations import Observations, Statistics
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian
from conewise.order.directions import cover_at
from conewise.rules.adaptive.fixed import FixedSample

ORTHANT = cw.Cone.orthant(2)
CONES = [cw.Cone.orthant(1), ORTHANT, cw.Cone.planar(45), cw.Cone.planar(135), cw.Cone.ice_cream(60, facets=5)]
NOISES = {
    "normal": lambda k, dim: Gaussian(0.5),
    "normal, by design": lambda k, dim: Gaussian(np.linspace(0.2, 0.9, k * dim).reshape(k, dim)),
    "normal, unknown": lambda k, dim: GaussianUnknown(),
    "subgaussian": lambda k, dim: SubGaussian(0.5),
    "bounded": lambda k, dim: Bounded(-3, 3),
}


def sample(cone=ORTHANT, noise=None, n_designs=4, epsilon=0.5, delta=0.1, notion="cover") -> FixedSample:
    return FixedSample(
        cw.Question(cone, epsilon, delta, Gaussian(0.5) if noise is None else noise, success=notion), n_designs
    )


def statistics(rows: list[np.ndarray], dim: int) -> Statistics:
    """One array of observations a design; an empty one where nothing was observed."""
    found = Statistics.empty(len(rows), dim)
    for design, values in enumerate(rows):
        if len(values):
            found = found.add(Observations.single([design] * len(values), values))
    return found


def random_rows(seed: int, n_designs: int, dim: int, spread: float, counts=(2, 60)) -> list[np.ndarray]:
    """Unequal counts, correlated objectives, means of some spread; within [-3, 3]."""
    rng = np.random.default_rng(seed)
    mix = np.eye(dim) + 0.4 * rng.normal(size=(dim, dim))
    means = rng.normal(size=(n_designs, dim)) * spread
    sizes = rng.integers(*counts, size=n_designs)
    return [np.clip(mean + 0.4 * rng.normal(size=(n, dim)) @ mix, -3, 3) for mean, n in zip(means, sizes, strict=True)]


def masks(claims) -> list[list[bool]]:
    return [part.tolist() for part in (claims.beaten, claims.accepted, claims.covered, claims.undecided)]


# -- an obvious twin -----------------------------------------------------------------------------------------------


@cache
def quantile(alpha: float, freedom: int | None = None) -> float:
    """Of the normal distribution, or of Student's t."""
    return float(norm.isf(alpha) if freedom is None else t.isf(alpha, freedom))


def radius(checked: FixedSample, rows: list[np.ndarray], i: int, j: int, n: int, alpha: float) -> float | None:
    """For one pair and one facet, straight from docs/adaptive; None where a design has too few observations."""
    w, noise, k = checked.cone.facets[n], checked.noise, checked.n_designs
    counts = [len(rows[a]) for a in (i, j)]
    if min(counts) < (2 if isinstance(noise, GaussianUnknown | Bounded) else 1):
        return None
    if isinstance(noise, GaussianUnknown):
        shares = [np.var(rows[a] @ w, ddof=1) / len(rows[a]) for a in (i, j)]
        return quantile(alpha, min(counts) - 1) * math.sqrt(sum(shares))
    if isinstance(noise, Bounded):
        width = 6 * float(np.abs(w).sum())
        fewer, log = min(counts), math.log(1 / (0.9 * alpha))
        seen = sum(np.var(rows[a] @ w) / len(rows[a]) for a in (i, j)) * fewer / (fewer - 1)
        hidden = width**2 * math.log(len(checked.cone.facets) / (0.1 * alpha)) / (2 * fewer * (fewer - 1))
        spread = min(math.sqrt(seen + hidden) + math.sqrt(hidden), width / 2 * math.sqrt(1 / counts[0] + 1 / counts[1]))
        return math.sqrt(2 * log) * spread + width * log / (3 * fewer)
    if isinstance(noise, Gaussian):
        covariance = np.broadcast_to(noise.covariance(len(w)), (k, len(w), len(w)))
        spread = math.sqrt(sum(w @ covariance[a] @ w / len(rows[a]) for a in (i, j)))
        return quantile(alpha) * spread
    spread = math.sqrt(sum(noise.sigma**2 / len(rows[a]) for a in (i, j)))
    return math.sqrt(2 * math.log(1 / alpha)) * spread


def widest(checked: FixedSample, rows, i: int, j: int, alpha: float) -> np.ndarray | None:
    """The radius along the noisiest direction; None for bounded observations, where none is known."""
    noise, dim = checked.noise, checked.cone.dim
    if isinstance(noise, Bounded):
        return None
    if isinstance(noise, GaussianUnknown):
        each = [np.cov(rows[a].T).reshape(dim, dim) for a in (i, j)]
    elif isinstance(noise, Gaussian):
        whole = np.broadcast_to(noise.covariance(dim), (checked.n_designs, dim, dim))
        each = [whole[a] for a in (i, j)]
    else:
        each = [noise.sigma**2 * np.eye(dim)] * 2
    spread = math.sqrt(sum(np.linalg.eigvalsh(c)[-1] / len(rows[a]) for a, c in zip((i, j), each, strict=True)))
    fewer = min(len(rows[i]), len(rows[j]))
    return np.array(
        [checked.radii.members[0].kind.quantiles(np.array(float(fewer)), np.array(math.log(alpha))) * spread]
    )


PARTS = {"fine": 0.4, "out": 0.6}
"""Of delta, for `contain`."""


def twin(checked: FixedSample, rows: list[np.ndarray], epsilon: float) -> list[list[bool]]:
    """The definitions, one pair and one direction at a time."""
    k, cone = checked.n_designs, checked.cone
    facets = len(cone.facets)
    delta = checked.delta
    stepwise = checked.success == "contain"

    def seen(i, j, alpha):
        found = [radius(checked, rows, i, j, n, alpha) for n in range(facets)]
        if None in found:
            return None
        return cone.facets @ (rows[j].mean(axis=0) - rows[i].mean(axis=0)), np.array(found)

    def out(i, j):
        return seen(i, j, PARTS["out"] * delta / ((k - 1) * len(live)) if stepwise else delta / (k * (k - 1)))

    def beaten(i, j):
        met = out(i, j)
        return met is not None and (met[0] >= met[1]).all() and (met[0] > 0).any()

    def fine(i, j, at, strictly=False):
        share = PARTS["fine"] / max(k - known, 1) if stepwise else 1 / k
        met = seen(i, j, share * delta / facets)
        if met is None:
            return False
        over = met[0] + met[1] - at * cone.widths
        return bool((over < 0).any() if strictly else (over <= 0).any())

    def covers(i, j):
        met = out(i, j)
        if met is None:
            return False
        wide = widest(checked, rows, i, j, delta / (k * (k - 1)))
        return cover_at(cone, met[0][:, None], met[1][:, None], wide)[0] <= epsilon

    live, known = set(range(k)), 0
    while True:
        while struck := {i for i in live for j in live - {i} if beaten(i, j)}:
            live -= struck
        marked = {i for i in live if stepwise and all(fine(i, j, 0.0, strictly=True) for j in live - {i})}
        if len(marked) <= known:
            break
        known = len(marked)
    accepted = {i for i in live if all(fine(i, j, epsilon) for j in live - {i})}
    covered = {i for i in live - accepted if checked.success == "cover" and any(covers(i, j) for j in accepted)}
    parts = [set(range(k)) - live, accepted, covered, live - accepted - covered]
    return [[design in part for design in range(k)] for part in parts]


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("kind", NOISES)
def test_claims_are_what_their_definitions_say(kind, notion):
    """Every cone, small and large samples, near and far means, designs with 0 or 1 observation among them."""
    met = np.zeros(4, dtype=int)
    for cone in CONES:
        for seed in range(6):
            k, many = 5, kind == "bounded"
            checked = sample(cone, NOISES[kind](k, cone.dim), k, epsilon=1.0, notion=notion)
            rows = random_rows(seed, k, cone.dim, [0.2, 1.0, 1.5][seed % 3], (40, 3000) if many else (3, 60))
            if seed == 4:
                rows[1], rows[3] = rows[1][:0], rows[3][:1]
            elif seed == 5:
                rows[0] = rows[0][:1]
            found = statistics(rows, cone.dim)
            for epsilon in (0.5, 1.5) if seed % 2 else (1.0,):
                claims = checked.claims(found, epsilon)
                assert masks(claims) == twin(checked, rows, epsilon), (cone, seed, epsilon)
                assert (np.sum(masks(claims), axis=0) == 1).all()
                met += np.sum(masks(claims), axis=1)
    assert (met[[0, 1, 3]] > 0).all()
    assert (met[2] > 0) == (notion == "cover")


@pytest.mark.parametrize("kind", NOISES)
def test_exact_identification_is_what_its_definitions_say(kind):
    """Followers about as far behind a leader as one look can tell, so that it matters who is sure."""
    met, steps, k = np.zeros(4, dtype=int), 0, 5
    for cone in CONES:
        checked = sample(cone, NOISES[kind](k, cone.dim), k, epsilon=0.0, notion="contain")
        assert checked.stepwise
        whole = checked.delta
        for seed in range(5):
            rows = random_rows(seed, k, cone.dim, 0.3, (3000, 4000) if kind == "bounded" else (40, 60))
            easy, hard = (PARTS["out"] * whole / ((k - 1) * left) for left in (1, k))
            for i in range(1, k):  # moved along the centre until the worst gain is where it should be
                alpha = float(np.random.default_rng([seed, i]).choice([1e-9, hard, math.sqrt(easy * hard), easy, 0.1]))
                radii = np.array([radius(checked, rows, i, 0, n, alpha) for n in range(len(cone.facets))])
                gains = cone.facets @ (rows[0].mean(axis=0) - rows[i].mean(axis=0))
                if seed % 2 or i != 4:
                    move = ((1.0001 * radii - gains) / (cone.facets @ cone.centre)).max()
                    rows[i] = rows[i] - move * cone.centre
            found = statistics(rows, cone.dim)
            for epsilon in (0.0, 0.2):
                claims = checked.claims(found, epsilon)
                assert masks(claims) == twin(checked, rows, epsilon), (cone, seed, epsilon)
            claims = checked.claims(found)
            met += np.sum(masks(claims), axis=1)
            steps += int(claims.pairs.standing.sure.any())
    assert (met[[0, 1, 3]] > 0).all()
    assert steps > 5


def test_a_tie_without_noise_is_not_sure():
    """Worse where there is noise, equal where there is none: weakly dominated."""
    flat = Gaussian(cov=[[0.25, 0.0], [0.0, 0.0]])
    checked = sample(noise=flat, n_designs=3, epsilon=0.0, notion="contain")
    for n, behind in ((5, 0.01), (400, 0.01), (400, 5.0)):
        rows = [np.tile(mean, (n, 1)) for mean in ([0.0, 0.1], [-behind, 0.1], [9.0, -3.0])]
        claims = checked.claims(statistics(rows, 2))
        assert not claims.pairs.standing.sure[1]
        assert claims.beaten.tolist() == [False, behind > 1, False]


# -- holes in the sample -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", NOISES)
def test_a_design_that_nobody_has_seen_leaves_the_others_open(kind):
    checked = sample(noise=NOISES[kind](3, 2), n_designs=3)
    full = random_rows(2, 3, 2, 0.05, (3000, 3001))
    for rows in ([full[0], full[1], full[2][:0]], [part[:0] for part in full]):
        found = statistics(rows, 2)
        claims = checked.claims(found)
        assert not claims.accepted.any()
        assert not claims.done
        assert checked.certified_epsilon(claims) is None
        answer = checked.recommend(found)
        assert isinstance(answer.guarantee, cw.Heuristic)
        assert "too few evaluations" in answer.stopped_because
        assert answer.certified_epsilon is None
        assert not answer.pareto.any()


def test_one_observation_is_enough_where_the_noise_is_known_and_says_nothing_where_it_is_not():
    rows = [np.array([[5.0, 5.0]]), np.array([[0.0, 0.0]]), np.array([[1.0, -5.0]])]
    assert sample(n_designs=3).claims(statistics(rows, 2)).beaten.tolist() == [False, True, True]
    for noise in (GaussianUnknown(), Bounded(-10, 10)):
        claims = sample(noise=noise, n_designs=3).claims(statistics(rows, 2))
        assert claims.undecided.all()


def test_a_beaten_design_with_one_observation_of_a_rival_missing_is_still_beaten():
    """Who has met a better design is out, whatever else is missing."""
    rng = np.random.default_rng(8)
    rows = [rng.normal(size=(30, 2)) + 9, rng.normal(size=(30, 2)), np.zeros((1, 2))]
    claims = sample(noise=GaussianUnknown(), n_designs=3).claims(statistics(rows, 2))
    assert masks(claims)[0] == [False, True, False]
    assert not claims.done


# -- no noise at all -----------------------------------------------------------------------------------------------


def test_twins_without_noise_do_not_beat_each_other():
    """Nothing varies, and values are said to be exact: differences count as known, and a twin is not better."""
    checked = sample(noise=GaussianUnknown(resolution=0), n_designs=3)
    same = np.tile([1.0, 2.0], (4, 1))
    claims = checked.claims(statistics([same, same, same - [0.0, 1.0]], 2))
    assert masks(claims)[:2] == [[False, False, True], [True, True, False]]
    assert checked.certified_epsilon(claims).epsilon == 0
    claims = checked.claims(statistics([same, same, same], 2))
    assert claims.accepted.all()


def test_a_column_that_never_varies_is_known_only_where_that_is_said():
    """Forty equal repetitions of three prices were once taken as proof; designs that fail rarely look the same."""
    rng = np.random.default_rng(4)
    prices = ((9, 1), (0, 0), (0, 0.5))
    rows = [np.column_stack([rng.normal(size=40) + gain, np.full(40, level)]) for gain, level in prices]
    for resolution, k, beaten in ((None, 3, False), (None, 2, False), ((None, 0), 2, True)):
        checked = sample(noise=GaussianUnknown(resolution), n_designs=k)
        assert checked.claims(statistics(rows[:k], 2)).beaten.tolist() == [False] + [beaten] * (k - 1)


# -- certified epsilon and the answer ------------------------------------------------------------------------------


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("kind", NOISES)
def test_the_certified_epsilon_is_done_and_a_little_less_is_not(kind, notion):
    for seed in range(8):
        checked = sample(noise=NOISES[kind](5, 2), n_designs=5, notion=notion)
        rows = random_rows(seed, 5, 2, 0.5)
        found = statistics(rows, 2)
        claims = checked.claims(found)
        certified = checked.certified_epsilon(claims)
        epsilon, returned = certified.epsilon, certified.returned
        again = checked.claims(found, epsilon)
        assert again.done
        assert again.accepted.tolist() == returned.tolist()
        assert epsilon < 1e-12 or not checked.claims(found, epsilon * 0.999).done
        assert claims.done == (epsilon <= checked.epsilon * (1 + 1e-9))


def test_a_large_sample_is_answered_for_epsilon():
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, 1.0]])
    rows = [mean + rng.normal(size=(200, 2)) for mean in means]
    for noise, words in ((GaussianUnknown(), "unknown covariance"), (Gaussian(1.0), "standard deviation 1")):
        answer = sample(noise=noise, n_designs=3).recommend(statistics(rows, 2))
        assert answer.indices == [0, 1]
        assert answer.status.tolist() == ["kept", "kept", "beaten"]
        assert isinstance(answer.guarantee, cw.Guarantee)
        assert (answer.guarantee.epsilon, answer.guarantee.delta) == (0.5, 0.1)
        assert 0 <= answer.certified_epsilon <= 0.5
        assert answer.stopped_because == "the sample is final"
        assert "one look" in answer.guarantee.theorem
        assert '"cover"' in answer.guarantee.theorem
        assert words in answer.guarantee.assumption
        assert "decided beforehand" in answer.guarantee.assumption
        assert (answer.evaluations, answer.counts.tolist()) == (600, [200] * 3)
        assert "\n" not in f"{answer.guarantee}{answer.stopped_because}"


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_a_small_sample_is_answered_for_the_epsilon_that_it_certifies(notion):
    early = 0
    for seed in range(12):
        rows = random_rows(seed, 5, 2, 0.3, (2, 9))
        checked = sample(noise=GaussianUnknown(), n_designs=5, notion=notion, epsilon=0.1)
        found = statistics(rows, 2)
        answer, claims = checked.recommend(found), checked.claims(found)
        if claims.done:
            continue
        early += 1
        certified = checked.certified_epsilon(claims)
        epsilon, returned = certified.epsilon, certified.returned
        assert isinstance(answer.guarantee, cw.Guarantee)
        assert answer.guarantee.epsilon == answer.certified_epsilon == epsilon > 0.1
        assert (answer.pareto <= returned).all()
        assert notion == "cover" or (answer.pareto == returned).all()
        assert epsilon_of(claims, notion == "cover", answer.pareto) == epsilon
        assert (answer.pareto[answer.status == "kept"]).all()
        assert not answer.pareto[answer.status == "beaten"].any()
        open_ = int(claims.undecided.sum())
        assert answer.stopped_because == f"the sample is final: {open_} designs are undecided at epsilon = 0.1"
    assert early > 5


def test_one_look_certifies_no_less_than_a_schedule_of_looks_for_known_noise():
    """Nothing is paid for looking again: with the same observations every claim is at least as strong."""
    schedule = Certificate(cw.Question(ORTHANT, 0.3, 0.1, Gaussian(0.5)), 4)
    n = schedule.levels.counts[len(schedule.levels.counts) // 2]
    for seed in range(6):
        rows = random_rows(seed, 4, 2, 0.4, (n, n + 1))
        designs, values = np.repeat(np.arange(4), n), np.vstack(rows)
        state = Checkpoints.empty(schedule.levels, 4, 2).add(Observations.single(designs, values))
        once = sample(epsilon=0.3)
        often = schedule.certified_epsilon(schedule.claims(state)).epsilon
        assert once.certified_epsilon(once.claims(state.statistics)).epsilon < often


# -- refused -------------------------------------------------------------------------------------------------------
