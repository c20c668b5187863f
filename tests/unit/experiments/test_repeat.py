"""Repeated runs: scored as the verdict scores, on common random numbers, the same in any number of processes.

Also the tests by which a printed number is called inside the sampling error (`experiments.compare`), and what lies
beyond the paper's tables (`experiments.beyond`).
"""

from __future__ import annotations

import numpy as np
import pytest
from shared.cones import random_cone

import conewise as cw
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


# -- beyond the paper ----------------------------------------------------------------------------------------------
