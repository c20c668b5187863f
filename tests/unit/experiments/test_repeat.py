"""Repeated runs: scored as the verdict scores, on common random numbers, the same in any number of processes.

Also the tests by which a printed number is called inside the sampling error (`experiments.compare`), and what lies
beyond the paper's tables (`experiments.beyond`).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import beta, binom
from shared.cones import random_cone

import conewise as cw
from conewise.experiments import beyond, compare
from conewise.experiments.repeat import Scores, Truth, repeat_naive

CONES = [cw.Cone.planar(angle) for angle in (45, 90, 135)]
MEANS = np.random.default_rng(5).normal(size=(25, 2))
EPSILONS = (0.001, 0.1, 0.5)
LEVELS = (10, 100, 1000)


@pytest.fixture(scope="module")
def scores() -> Scores:
    return repeat_naive(MEANS, CONES, LEVELS, EPSILONS, runs=60, seed=1)


# -- scoring -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_run_is_scored_as_the_verdict_scores_it(dim):
    rng = np.random.default_rng(dim)
    for _ in range(12):
        cone = random_cone(rng, dim, dim + 2)
        means = rng.integers(-3, 4, size=(12, dim)) / 4  # ties and duplicates
        truth = Truth.of(means, cone)
        epsilons = (0.0001, 0.2, 0.5, 1.0)
        for _ in range(20):
            returned = rng.random(12) < rng.uniform(0.1, 0.9)
            if not returned.any():
                continue
            for epsilon, (success, uncovered, too_far, missed) in zip(
                epsilons, truth.score(returned, epsilons), strict=True
            ):
                judged = cw.verdict(returned, means, cone, epsilon)
                assert bool(success) == judged.success
                assert (uncovered, too_far) == (len(judged.uncovered), len(judged.too_far))
                assert missed == pytest.approx(len(judged.missed) / truth.front.sum())


@pytest.mark.parametrize("run", [7, 25, 57])
def test_a_score_is_reproduced_by_hand(scores, run):
    """Run r draws from the stream (seed, r); its noise is shared by all L, divided by the square root of each."""
    noise = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(run,))).standard_normal(MEANS.shape)
    for c, cone in enumerate(CONES):
        for level, count in enumerate(LEVELS):
            returned = cw.pareto_mask(MEANS + noise / np.sqrt(count), cone)
            for e, epsilon in enumerate(EPSILONS):
                judged = cw.verdict(returned, MEANS, cone, epsilon)
                values = scores.values[c, level, e, :, run]
                assert values[:3].tolist() == [judged.success, len(judged.uncovered), len(judged.too_far)]


def test_shapes_and_averages(scores):
    assert scores.values.shape == (3, 3, 3, 4, 60)
    assert scores.runs == 60
    np.testing.assert_array_equal(scores.successes, scores.values[:, :, :, 0].sum(axis=-1))
    np.testing.assert_allclose(scores.averages, scores.values.mean(axis=-1))
    np.testing.assert_allclose(scores.spreads, scores.values.std(axis=-1, ddof=1))
    assert (scores.values[:, :, :, 0] == ((scores.values[:, :, :, 1] == 0) & (scores.values[:, :, :, 2] == 0))).all()


def test_a_larger_epsilon_never_fails_where_a_smaller_one_succeeds(scores):
    successes = scores.values[:, :, :, 0]
    assert (np.diff(successes, axis=2) >= 0).all()
    for measure in (1, 2):
        assert (np.diff(scores.values[:, :, :, measure], axis=2) <= 0).all()
    assert (np.ptp(scores.values[:, :, :, 3], axis=2) == 0).all()  # what is missed does not depend on epsilon


def test_sigma_and_level_act_together(scores):
    """Four times the evaluations and twice the noise are the same run."""
    doubled = repeat_naive(MEANS, CONES, [4 * count for count in LEVELS], EPSILONS, runs=60, seed=1, sigma=2.0)
    np.testing.assert_array_equal(doubled.values, scores.values)


# -- reproducibility -----------------------------------------------------------------------------------------------


def test_more_runs_begin_with_the_same_runs(scores):
    fewer = repeat_naive(MEANS, CONES, LEVELS, EPSILONS, runs=31, seed=1)
    np.testing.assert_array_equal(fewer.values, scores.values[..., :31])


def test_another_seed_gives_other_runs(scores):
    other = repeat_naive(MEANS, CONES, LEVELS, EPSILONS, runs=60, seed=2)
    assert (other.values != scores.values).any()


def test_the_number_of_processes_does_not_show(scores):
    spread = repeat_naive(MEANS, CONES, LEVELS, EPSILONS, runs=60, seed=1, jobs=2)
    np.testing.assert_array_equal(spread.values, scores.values)


def test_a_cone_alone_gives_what_it_gives_in_company(scores):
    alone = repeat_naive(MEANS, CONES[1:2], LEVELS[2:], EPSILONS, runs=60, seed=1)
    np.testing.assert_array_equal(alone.values, scores.values[1:2, 2:])


def test_progress_and_a_single_run():
    seen: list[tuple[int, int]] = []
    single = repeat_naive(MEANS, CONES[:1], [10], [0.1], runs=1, seed=0)
    assert (single.spreads == 0).all()
    repeat_naive(MEANS, CONES[:1], [10], [0.1], runs=60, seed=0, progress=lambda *at: seen.append(at))
    assert seen == [(25, 60), (50, 60), (60, 60)]


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"runs": 2.5}, {"jobs": 0}])
def test_runs_and_jobs_are_whole_numbers_above_zero(wrong):
    with pytest.raises(cw.InputError, match=f"{next(iter(wrong))} must be"):
        repeat_naive(MEANS, CONES, [10], [0.1], **({"runs": 5, "seed": 0} | wrong))


# -- inside the sampling error -------------------------------------------------------------------------------------


@pytest.mark.parametrize("successes", [0, 3, 290, 770, 998, 1000])
def test_the_interval_of_a_rate_by_brute_force(successes):
    """The counts of 100 inside the central binomial interval for some rate in our Clopper-Pearson interval."""
    tail = (1 - compare.LEVEL) / 2
    low = beta.ppf(tail, successes, 1001 - successes) if successes else 0.0
    high = beta.ppf(1 - tail, successes + 1, 1000 - successes) if successes < 1000 else 1.0
    counts, rates = np.arange(101), np.linspace(low, high, 400)[:, None]
    central = (binom.cdf(counts, 100, rates) >= tail) & (binom.sf(counts - 1, 100, rates) >= tail)
    admitted = set(np.flatnonzero(central.any(axis=0)).tolist())
    for count in range(101):
        cell = compare.rate_cell("Table 2", "row", "SR", count, 100, successes, 1000)
        assert cell.inside == (count in admitted), count
    assert cell.ours == successes / 10


@pytest.mark.parametrize(("rate", "level"), [(0.02, 1e-6), (0.5, 1e-6), (0.97, 1e-6)])
def test_a_true_rate_is_almost_always_called_inside(rate, level):
    """Both counts drawn from one rate: outside less often than 1 - LEVEL, by an exact binomial test of 4000 pairs."""
    rng = np.random.default_rng(9)
    ours, theirs = rng.binomial(1000, rate, 4000), rng.binomial(100, rate, 4000)
    cells = {
        pair: compare.rate_cell("", "", "", pair[1], 100, pair[0], 1000)
        for pair in set(zip(ours.tolist(), theirs.tolist(), strict=True))
    }
    outside = sum(not cells[pair].inside for pair in zip(ours.tolist(), theirs.tolist(), strict=True))
    assert outside <= binom.isf(level, 4000, 1 - compare.LEVEL)


def test_a_rate_that_is_far_off_is_outside():
    assert not compare.rate_cell("", "", "", 5, 100, 290, 1000).inside  # what standardised data would give
    assert not compare.rate_cell("", "", "", 100, 100, 770, 1000).inside


def test_the_interval_of_a_mean():
    """The spread of the runs, or that of events which come singly where this is larger; one event; the rounding."""

    def reach(variance: float) -> float:
        return 3.2905 * np.sqrt(variance * (1 / 100 + 1 / 1000)) + 1 / 100 + 0.005

    wide = compare.mean_cell("", "", "", 1.0, 100, 1.2, 3.0, 1000, one_event=1.0, digits=2)
    assert (wide.low, wide.high) == pytest.approx((1.2 - reach(9.0), 1.2 + reach(9.0)))
    single = compare.mean_cell("", "", "", 1.0, 100, 1.2, 0.5, 1000, one_event=1.0, digits=2)
    events = reach((100 * 1.0 + 1000 * 1.2) / 1100)
    assert (single.low, single.high) == pytest.approx((1.2 - events, 1.2 + events))
    assert single.inside
    assert single.difference == pytest.approx(0.2)
    assert not compare.mean_cell("", "", "", 2.0, 100, 1.2, 0.5, 1000, one_event=1.0, digits=2).inside
    # where we saw no event, one event in the paper's hundred runs is still inside, but ten are not
    assert compare.mean_cell("", "", "", 0.01, 100, 0.0, 0.0, 1000, one_event=1.0, digits=2).inside
    assert not compare.mean_cell("", "", "", 0.10, 100, 0.0, 0.0, 1000, one_event=1.0, digits=2).inside


@pytest.mark.parametrize("rate", [0.002, 0.02, 0.5])
def test_a_true_mean_is_almost_always_called_inside(rate):
    """Both means of Poisson counts of one rate: outside less often than 1 - LEVEL, exact binomial at level 1e-6."""
    rng = np.random.default_rng(10)
    outside = 0
    for _ in range(2000):
        ours, theirs = rng.poisson(rate, 1000), rng.poisson(rate, 100)
        cell = compare.mean_cell(
            "", "", "", round(theirs.mean(), 2), 100, ours.mean(), ours.std(ddof=1), 1000, one_event=1.0, digits=2
        )
        outside += not cell.inside
    assert outside <= binom.isf(1e-6, 2000, 1 - compare.LEVEL)


def test_an_exact_number_agrees_to_the_last_printed_digit():
    assert compare.exact_cell("", "", "", 0.666, 0.66649, 3).inside
    assert not compare.exact_cell("", "", "", 0.666, 0.66651, 3).inside


# -- beyond the paper ----------------------------------------------------------------------------------------------


def test_the_angle_moves_beta_the_budgets_and_the_front():
    rows = beyond.angles(runs=5, seed=0)
    assert [row.cone for row in rows] == [f"planar:{angle}" for angle in range(10, 180, 10)]
    expected = [1 / np.sin(np.radians(angle)) if angle < 90 else 1.0 for angle in range(10, 180, 10)]
    np.testing.assert_allclose([row.beta for row in rows], expected)
    for earlier, later in pairwise(rows):
        assert later.pareto <= earlier.pareto
        assert later.paper_budget <= earlier.paper_budget
        assert later.gaussian_budget <= earlier.gaussian_budget < earlier.paper_budget
    assert rows[8].pareto == 26  # 90 degrees, Table 1 of the paper: 206 less 180


def test_three_objectives_from_narrow_to_wide():
    rows = beyond.three_objectives(runs=3, seed=0)
    assert len(rows) == 7
    assert all(0 <= row.successes <= row.runs == 3 for row in rows)
    assert rows[0].beta > 1


def test_budgets_are_measured_against_the_delta_they_promise():
    rows = beyond.conservatism(runs=300, seed=0)
    assert len(rows) == 2 * len(beyond.small_instances())
    assert {row.bound for row in rows} == {"paper", "gaussian"}
    for row in rows:
        assert row.failures <= binom.isf(1e-6, 300, row.delta)
    for _, means, cone in beyond.small_instances():
        gaps = cw.suboptimality_gaps(means, cone)
        assert gaps[gaps > 0].min() == pytest.approx(1.001 * beyond.EPSILON)
