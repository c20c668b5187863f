"""Published rules against literal readings of their papers, number by number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.stats import chi
from shared.published import DELTA, PROBLEMS, SIGMA, columns_of, name, play, rounds_of

import conewise as cw
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit
from conewise.rules.published.ape import LeaderChallenger, threshold
from conewise.rules.published.auer import AuerElimination
from conewise.rules.published.ege import SequentialHalving, SequentialRejects, empirical_gaps, estimated_error
from conewise.rules.published.hedge import ada_hedge
from conewise.rules.published.paveba import PaVeBa
from conewise.rules.published.psips import PosteriorSampling

# -- leader and challenger ---------------------------------------------------------------------------------------------


def test_leader_and_challenger_by_hand():
    """Every pull of a run, from the formulas pair by pair, for a cone with unequal alpha and correlated noise."""
    cone = cw.Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1], [1, 0.2, 1]])
    noise = Gaussian(cov=[[1, 0.5, 0], [0.5, 2, 0.3], [0, 0.3, 0.5]])
    means, epsilon, k = np.random.default_rng(2).normal(size=(5, 3)) * 3, 1.0, 5
    w, alpha = cone.facets, cone.widths
    s = np.sqrt(np.einsum("nd,de,ne->n", w, noise.covariance(3), w))
    level = threshold(math.log(k * (k - 1) * len(w) / 2 / DELTA) / 2)
    algorithm, problem, rng = (
        LeaderChallenger(cw.Question(cone, epsilon, DELTA, noise), k),
        SimulatedBandit(means, noise),
        3,
    )
    generator = np.random.default_rng(rng)
    state = algorithm.tell(algorithm.start(), problem.evaluate(Pulls(range(k)), generator))
    for _ in range(400):
        mean, t = state.means, state.counts

        def bound(i, j, sign, mean=mean, t=t):
            slow = math.log(4 + math.log(t[i])) + math.log(4 + math.log(t[j]))
            b = s * 2 * math.sqrt((level + slow) * (1 / t[i] + 1 / t[j]))
            return max((w @ (mean[i] - mean[j]) + sign * b + epsilon * alpha) / alpha)

        def beaten(i, j, bound=bound):  # mlo(i, j)
            return epsilon - bound(i, j, +1)

        others = {i: [j for j in range(k) if j != i] for i in range(k)}
        h = {i: min(bound(i, j, -1) for j in others[i]) for i in range(k)}
        g = {i: max(beaten(i, j) for j in others[i]) for i in range(k)}
        front = cw.pareto_mask(mean, cone)
        if all(h[i] > 0 if front[i] else max(g[i], h[i]) > 0 for i in range(k)):
            break
        b = max((i for i in range(k) if h[i] <= 0), key=lambda i: min(bound(i, j, +1) for j in others[i]))
        c = min(others[b], key=lambda j: bound(b, j, -1))
        pulls = algorithm.ask(state)
        assert pulls.designs.tolist() == [b if t[b] <= t[c] else c]
        assert pulls.counts.tolist() == [1]
        state = algorithm.tell(state, problem.evaluate(pulls, generator))
    assert state.evaluations > 50
    assert algorithm.ask(state).total == 0
    result = algorithm.recommend(state)
    assert result.indices == [i for i in range(k) if g[i] <= 0]
    assert isinstance(result.guarantee, cw.Guarantee)


def test_the_threshold_is_about_x_plus_log_x():
    for x in (5.0, 10.0, 20.0, 40.0):
        assert threshold(x) == pytest.approx(x + math.log(x), rel=0.05)
    # any value of the free parameter gives an upper bound; here 3/4, and zeta(3/2) from a table
    g = 1.5 - 1.5 * math.log(3) + math.log(2.6123753487) + math.log(4) / 2
    assert threshold(8.0) < (g + 8.0) / 0.75
    assert threshold(0.5) < (g + 0.5) / 0.75 < 1.5 * threshold(0.5)


# -- elimination by facet intervals ------------------------------------------------------------------------------------


def auer_by_hand(values: np.ndarray, epsilon: float, delta: float) -> tuple[list[set[int]], set[int]]:
    """Auer et al. 2016, Algorithm 1, componentwise with unit noise, word for word."""
    _, k, d = values.shape
    active, accepted, history = set(range(k)), set(), []
    for t in range(1, len(values) + 1):
        mean = values[:t].mean(axis=0)
        beta = 2 * math.sqrt(2 * math.log(4 * k * d * t**2 / delta) / t)

        def m(i, j, mean=mean):
            return max(0.0, min(mean[j] - mean[i]))

        def big_m(i, j, mean=mean):
            return max(0.0, max(mean[i] + epsilon - mean[j]))

        a1 = {i for i in active if all(m(i, j) <= beta for j in active)}
        p1 = {i for i in a1 if all(big_m(i, j) >= beta for j in a1 - {i})}
        p2 = {j for j in p1 if not any(big_m(i, j) <= beta for i in a1 - p1)}
        active, accepted = a1 - p2, accepted | p2
        history.append(set(active))
        if not active:
            break
    return history, accepted


@pytest.mark.parametrize("seed", range(4))
def test_auer_round_by_round(seed):
    means = np.random.default_rng(seed).normal(size=(8, 3)) * 2
    values = columns_of(means, 1.0, 3000, seed)
    by_hand = auer_by_hand(values, 1.0, DELTA)
    assert len(by_hand[0]) > 20
    assert rounds_of(AuerElimination(cw.Question(cw.Cone.orthant(3), 1.0, DELTA, Gaussian(1.0)), 8), values) == by_hand


# -- elimination by confidence balls -----------------------------------------------------------------------------------


def test_paveba_needs_a_positive_epsilon():
    with pytest.raises(cw.InputError, match="epsilon must be above 0"):
        PaVeBa(cw.Question(cw.Cone.orthant(2), 0.0, DELTA, Gaussian(1), success="contain"), 4, max_evaluations=100)


def distance(gain: np.ndarray, cone: cw.Cone, epsilon: float) -> float:
    """From a difference to {v : W v >= epsilon alpha}: least-distance programming (Lawson & Hanson 1974, ch. 23)."""
    system = np.vstack([cone.facets.T, epsilon * cone.widths - cone.facets @ gain])
    last = np.eye(len(system))[-1]
    rest = system @ nnls(system, last)[0] - last
    return float(np.linalg.norm(rest[:-1] / rest[-1]))


def paveba_by_hand(
    values: np.ndarray, cone: cw.Cone, epsilon: float, delta: float, sigma: float, scale: float
) -> tuple[list[set[int]], set[int]]:
    """Karagözlü et al. 2024, round by round with sets and a solver."""
    _, k, d = values.shape
    undecided, accepted, useful, history = set(range(k)), set(), set(), []
    for t in range(1, len(values) + 1):
        mean = values[:t].mean(axis=0)
        r = scale * math.sqrt(8 * sigma**2 / t * math.log(math.pi**2 * (d + 1) * k * t**2 / (6 * delta)))
        in_play = undecided | useful

        def far(x, y, mean=mean, r=r):
            return distance(mean[y] - mean[x], cone, epsilon) > 2 * r

        undecided = {
            x for x in undecided if not any((cone.facets @ (mean[y] - mean[x]) >= 2 * r).all() for y in in_play - {x})
        }
        in_play = undecided | useful
        new = {x for x in undecided if all(far(x, y) for y in in_play - {x})}
        undecided, accepted = undecided - new, accepted | new
        useful = {y for y in new | useful if any(not far(x, y) for x in undecided)}
        history.append((undecided | useful) if undecided else set())
        if not undecided:
            break
    return history, accepted


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(50), cw.Cone.planar(140)], ids=str)
def test_paveba_round_by_round(cone):
    means = [[0.0, 0.0], [2.0, -1.0], [2.4, -1.5], [-0.8, 1.5], [-1.0, 1.7], [-2.0, -1.0]]
    values = columns_of(means, 0.5, 400, 1)
    by_hand = paveba_by_hand(values, cone, 0.5, DELTA, 0.5, 1 / 2)
    assert len(by_hand[0]) > 10
    algorithm = PaVeBa(cw.Question(cone, 0.5, DELTA, Gaussian(0.5)), 6, radius_scale=1 / 2)
    assert rounds_of(algorithm, values) == by_hand


def test_an_accepted_design_is_evaluated_while_it_may_decide_another():
    """Design 1 is soon accepted; 0 is behind it by little more than epsilon, and without 1 would be accepted too."""
    means, cone = [[0.0, 0.0], [0.6, 0.6], [-4.0, 4.0]], cw.Cone.orthant(2)
    algorithm = PaVeBa(cw.Question(cone, 0.5, DELTA, Gaussian(SIGMA)), 3, growth=0.02)
    state, generator, useful = algorithm.start(), np.random.default_rng(0), 0
    while (pulls := algorithm.ask(state)).total:
        useful += int(algorithm.recommend(state).status[1] == "kept" and 1 in pulls.designs)
        state = algorithm.tell(state, SimulatedBandit(means, Gaussian(SIGMA)).evaluate(pulls, generator))
    assert useful > 5
    assert algorithm.recommend(state).indices == [1, 2]


def test_published_balls_hold_for_normal_noise():
    """P(|mean| > r) summed over rounds and designs stays below delta, from the exact distribution of the length."""
    for dim, k in [(1, 2), (2, 5), (3, 200), (8, 20), (12, 50)]:
        algorithm = PaVeBa(cw.Question(cw.Cone.orthant(dim), 0.1, DELTA, Gaussian(1)), k)
        t = np.arange(1, 10_000)
        assert k * chi(dim).sf(algorithm.radii(t) * np.sqrt(t)).sum() < DELTA
        assert "not known to hold" not in str(algorithm.recommend(algorithm.start()).guarantee)
    large = PaVeBa(cw.Question(cw.Cone.orthant(60), 0.5, 0.5, Gaussian(1)), 2)
    assert "not known to hold" in str(large.recommend(large.start()).guarantee)


def test_paveba_takes_as_many_evaluations_as_the_authors_library():
    """Standardised SNW, sigma 0.1, epsilon 0.1, delta 0.05, 135 degrees: VOPy 0.2.0 with the proven radius: 45 420."""
    means = cw.problems.load("snw").means
    means = (means - means.mean(axis=0)) / means.std(axis=0)
    algorithm = PaVeBa(cw.Question(cw.Cone.planar(135), 0.1, 0.05, Gaussian(0.1)), len(means), growth=0.02)
    assert play(algorithm, means, 0).evaluations == pytest.approx(45_420, rel=0.1)


# -- posterior sampling ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(45), cw.Cone.ice_cream(80, facets=5)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4])
def test_compatible_draws_are_those_for_which_the_set_succeeds(cone, epsilon):
    rng = np.random.default_rng(1)
    question = cw.Question(cone, epsilon, DELTA, Gaussian(1), "cover" if epsilon else "contain")
    algorithm = PosteriorSampling(question, 6, max_evaluations=100)
    seen = set()
    for _ in range(300):
        means = rng.normal(size=(6, cone.dim))
        chosen = cw.pareto_mask(means + 0.3 * rng.normal(size=means.shape), cone)
        if epsilon:
            expected = cw.verdict(chosen, means, cone, epsilon).success
        else:
            expected = bool((cw.pareto_mask(means, cone) == chosen).all())
        assert algorithm.compatible((means @ cone.facets.T)[None], chosen).tolist() == [expected]
        seen.add(expected)
    assert seen == {True, False}


def test_the_number_of_draws_and_the_seed():
    cone, means = PROBLEMS["right angle"]
    first, second = (
        PosteriorSampling(cw.Question(cone, 0.1, 0.1, Gaussian(1)), 7, growth=2.0, seed=seed) for seed in (0, 1)
    )
    assert first.draws_in_a_row(1000) == math.ceil(math.log(1000 / 0.1) / math.log(1 / 0.9)) == 88
    state = first.tell(first.start(), SimulatedBandit(means, Gaussian(1)).evaluate(first.ask(first.start()), 0))
    assert first.ask(state).counts.tolist() != second.ask(state).counts.tolist()
    assert first.ask(state).total == 14
    with pytest.raises(cw.InputError, match="seed must be"):
        PosteriorSampling(cw.Question(cone, 0.1, 0.1, Gaussian(1)), 7, seed=-1)


def test_posterior_sampling_looks_where_it_is_close():
    """Two designs in a near-tie, the others clear: each of the two gets more than any other."""
    means = [[0.0], [4.0], [4.4], [-3.0]]
    algorithm = PosteriorSampling(
        cw.Question(cw.Cone.orthant(1), 0.0, 0.01, Gaussian(1), success="contain"), 4, max_evaluations=5000
    )
    result = play(algorithm, means, 0)
    assert result.indices == [2]
    assert result.evaluations > 100
    assert result.counts[[1, 2]].min() > 1.2 * result.counts[[0, 3]].max()


def test_small_batches_of_a_growing_rule_still_go_to_everyone():
    """Asked for one at a time, a batch drawn for many designs must not be cut down to its first ones."""
    means, k = np.zeros((6, 2)), 6
    algorithm = PosteriorSampling(
        cw.Question(cw.Cone.orthant(2), 0.0, DELTA, Gaussian(1), success="contain"),
        k,
        growth=1.0,
        max_evaluations=10**6,
    )
    state, rng = algorithm.tell(algorithm.start(), Observations(range(k), means, [20] * k)), np.random.default_rng(0)
    asked = np.zeros(k, dtype=int)
    for _ in range(120):
        pulls = algorithm.ask(state, 1)
        assert pulls.total == 1
        asked[pulls.designs] += 1
        state = algorithm.tell(state, SimulatedBandit(means, Gaussian(1)).evaluate(pulls, rng))
    # Each weight is about 1/6 here: Binomial(120, 1/6) is below 3 or above 50 with probability below 1e-5.
    assert asked.min() >= 3
    assert asked.max() <= 50


def test_the_learner_follows_the_gains():
    assert ada_hedge(np.empty((0, 4))).tolist() == [0.25] * 4
    np.testing.assert_allclose(ada_hedge(np.ones((5, 3))), 1 / 3)
    gains = np.tile([0.0, 1.0, 0.2], (200, 1))
    assert ada_hedge(gains)[1] > 0.99
    np.testing.assert_allclose(ada_hedge(np.tile([[1.0, 0.0], [0.0, 1.0]], (50, 1))), 0.5, atol=0.1)


# -- a fixed budget ----------------------------------------------------------------------------------------------------


BUDGETED = [SequentialRejects, SequentialHalving]


@pytest.mark.parametrize("make", BUDGETED, ids=name)
@pytest.mark.parametrize("k", [2, 3, 4, 5, 7, 8, 9, 16, 17])
def test_exactly_the_budget_is_spent(make, k):
    means = np.random.default_rng(k).normal(size=(k, 2))
    least = k + 1 if make is SequentialRejects else k * math.ceil(math.log2(k))
    for budget in (least, least + 1, 10 * k + 3, 997):
        algorithm = make(cw.Cone.planar(100), budget, k, Gaussian(0.1))
        result = play(algorithm, means, budget)
        assert result.evaluations == budget == algorithm.total
        assert (result.counts >= 1).all()
        assert result.stopped_because == f"the budget of {budget} evaluations is spent"
        assert "undecided" not in result.status.tolist()
        assert isinstance(result.guarantee, cw.Heuristic)
        assert result.certified_epsilon is None
    with pytest.raises(cw.InputError, match=f"budget must be at least {least} for {k} designs"):
        make(cw.Cone.planar(100), least - 1, k, Gaussian(0.1))


def test_rejects_follow_their_schedule():
    k, budget = 6, 500
    algorithm = SequentialRejects(cw.Cone.orthant(2), budget, k, Gaussian(1))
    logbar = 1 / 2 + sum(1 / i for i in range(2, k + 1))
    levels = [math.ceil((budget - k) / (logbar * (k + 1 - r))) for r in range(1, k)]
    counts = sorted(play(algorithm, np.random.default_rng(0).normal(size=(k, 2)), 0).counts.tolist())
    assert counts[: k - 2] == levels[:-1]
    assert sum(counts) == budget
    assert 0 <= counts[-1] - counts[-2] <= 1
    assert levels[-1] <= counts[-2]


def test_halving_keeps_the_hardest():
    """Eight designs, of which two are hard to tell apart: these two get the most evaluations."""
    means = [[5.0, 5.0], [5.1, 4.9], [0.0, 0.0], [0.5, 1.0], [1.0, 0.0], [-1.0, 0.0], [-2.0, 1.0], [0.0, -3.0]]
    result = play(SequentialHalving(cw.Cone.orthant(2), 2400, 8, Gaussian(0.5)), means, 0)
    assert result.counts.tolist()[:2] == [100 + 200 + 400] * 2
    assert sorted(result.counts.tolist()[2:]) == [100] * 4 + [300] * 2


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(50), cw.Cone.planar(130)], ids=str)
def test_gaps_pair_by_pair(cone):
    rng = np.random.default_rng(4)
    for _ in range(20):
        means = rng.normal(size=(6, 2))
        m, big = cw.escape_gaps(means, cone), cw.cover_gaps(means, cone)
        front, off = cw.pareto_mask(means, cone), cw.suboptimality_gaps(means, cone)
        expected = [
            min(min(big[i, j], big[j, i] + off[j]) for j in range(6) if j != i) if front[i] else m[i].max()
            for i in range(6)
        ]
        gaps, found = empirical_gaps(means, cone)
        np.testing.assert_array_equal(found, front)
        np.testing.assert_allclose(gaps, expected, rtol=1e-12)


def test_the_estimated_error_is_that_of_a_normal_difference():
    cone, means = cw.Cone.orthant(1), np.array([[0.0], [0.5]])
    statistics = Statistics.empty(2, 1).add(Observations([0, 1], means, [50, 50]))
    exact = float(np.exp(Gaussian(1).log_tail(0.5 / math.sqrt(2 / 50))))
    # one design returned that the other might dominate, one left out that might not be dominated: each counts
    assert estimated_error(np.array([False, True]), statistics, cone, Gaussian(1)) == pytest.approx(2 * exact)
    assert estimated_error(np.array([True, False]), statistics, cone, Gaussian(1)) == 1.0
    assert estimated_error(np.array([True, True]), statistics, cone, Gaussian(1)) > 0.5


def test_a_budget_spent_elsewhere_is_said():
    algorithm = SequentialRejects(cw.Cone.orthant(2), 60, 4, Gaussian(1))
    state = algorithm.tell(algorithm.start(), Observations([0], [[0.0, 0.0]], [60]))
    assert algorithm.ask(state).total == 0
    result = algorithm.recommend(state)
    assert result.stopped_because == "the budget of 60 evaluations is spent, with 3 rounds to go"
    assert "not every design has been evaluated yet" in str(result.guarantee)
    assert (result.status == "undecided").all()
