"""Naive elimination: the order of its pulls, where its budget comes from, and what its answer claims."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.digits import rounded_up
from conewise.noise import Bounded, Gaussian, NormSubGaussian, SubGaussian
from conewise.order.budgets import failure_probability
from conewise.rules import NaiveElimination

RIGHT = cw.Cone.orthant(2)
ASKED = {"cone": RIGHT, "epsilon": 0.5, "delta": 0.1}


def asked(noise) -> cw.Question:
    return cw.Question(**ASKED, noise=noise)


def given_each(each: int, n_designs: int = 3, **options) -> NaiveElimination:
    return NaiveElimination(
        asked(options.pop("noise", Gaussian(1))),
        n_designs,
        evaluations_each=each,
        **options,
    )


def state_with(counts: list[int]) -> Statistics:
    chosen = np.flatnonzero(counts)
    means = np.arange(2.0 * len(counts)).reshape(-1, 2)
    return Statistics.empty(len(counts), 2).add(Observations(chosen, means[chosen], np.array(counts)[chosen]))


def finished(algorithm: NaiveElimination, means: list[list[float]] | np.ndarray) -> cw.Result:
    state = algorithm.start()
    pulls = algorithm.ask(state)
    return algorithm.recommend(algorithm.tell(state, Observations(pulls.designs, means, pulls.counts)))


# -- what it asks for ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "most", "expected"),
    [
        ([0, 0, 0], None, {0: 10, 1: 10, 2: 10}),
        ([0, 0, 0], 1, {0: 1}),
        ([0, 0, 0], 4, {0: 2, 1: 1, 2: 1}),
        ([2, 0, 1], 1, {1: 1}),
        ([2, 0, 1], 2, {1: 2}),  # from 0 to 1, and from 1 to 2 as the first of the two at 1
        ([2, 0, 1], 3, {1: 2, 2: 1}),
        ([2, 0, 1], 4, {0: 1, 1: 2, 2: 1}),
        ([10, 10, 7], None, {2: 3}),
        ([10, 10, 7], 2, {2: 2}),
        ([12, 10, 10], None, {}),
        ([12, 9, 10], 5, {1: 1}),
        ([10, 10, 10], 1, {}),
    ],
)
def test_whoever_was_evaluated_least_comes_next(counts, most, expected):
    pulls = given_each(10).ask(state_with(counts), most)
    assert dict(zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True)) == expected


@given(
    counts=st.lists(st.integers(0, 12), min_size=2, max_size=8),
    most=st.integers(1, 60),
)
def test_a_batch_is_what_one_at_a_time_would_have_asked_for(counts, most):
    algorithm = given_each(10, n_designs=len(counts))
    level = np.array(counts)
    for _ in range(most):
        open_ = np.flatnonzero(level < 10)
        if not len(open_):
            break
        level[open_[level[open_].argmin()]] += 1
    pulls = algorithm.ask(state_with(counts), most)
    asked = np.zeros(len(counts), dtype=int)
    asked[pulls.designs] = pulls.counts
    np.testing.assert_array_equal(asked, level - counts)


def test_a_huge_budget_is_shared_out_without_counting_to_it():
    algorithm = given_each(10**15, n_designs=4)
    assert algorithm.ask(algorithm.start(), 4 * 10**14).counts.tolist() == [10**14] * 4
    assert algorithm.ask(algorithm.start()).total == 4 * 10**15 == algorithm.total


# -- where L comes from --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noise", "bound"),
    [
        (Gaussian(1), "gaussian"),
        (Gaussian(cov=[[1, 0.5], [0.5, 2]]), "gaussian"),
        (SubGaussian(1), "subgaussian"),
        (NormSubGaussian(1), "subgaussian"),
        (Bounded(-1, 1), "subgaussian"),
    ],
    ids=repr,
)
def test_auto_takes_the_smallest_bound_that_the_noise_allows(noise, bound):
    algorithm = NaiveElimination(asked(noise), 5)
    assert algorithm.bound == bound
    assert algorithm.evaluations_each == cw.naive_budget(RIGHT, noise, 5, 0.5, 0.1, bound=bound)
    paper = NaiveElimination(asked(noise), 5, bound="paper")
    assert paper.evaluations_each == cw.naive_budget(RIGHT, noise, 5, 0.5, 0.1) > algorithm.evaluations_each


def test_the_papers_example():
    algorithm = NaiveElimination(cw.Question(cw.Cone.planar(90), 0.1, 0.01, Gaussian(1)), 206, bound="paper")
    assert (algorithm.evaluations_each, algorithm.total) == (38_800, 206 * 38_800)


# -- what the answer claims ----------------------------------------------------------------------------------------

MEANS = [[0.0, 0.0], [2.0, 1.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("bound", "noise", "theorem"),
    [
        ("paper", Gaussian(1), "Ararat & Tekin 2023, Theorem 6.1"),
        ("paper", NormSubGaussian(1), "Ararat & Tekin 2023, Theorem 6.1"),
        ("gaussian", Gaussian(1), "exact normal tails"),
        ("subgaussian", SubGaussian(1), "subgaussian tails"),
        ("subgaussian", Gaussian(1), "subgaussian tails"),
    ],
)
def test_a_guarantee_names_its_theorem_and_its_assumption(bound, noise, theorem):
    result = finished(NaiveElimination(asked(noise), 3, bound=bound), MEANS)
    assert isinstance(result.guarantee, cw.Guarantee)
    assert result.guarantee
    assert result.guarantee.theorem.startswith(theorem)
    assert noise.words in result.guarantee.assumption
    assert (result.guarantee.epsilon, result.guarantee.delta) == (0.5, 0.1)
    assert str(result.guarantee).startswith("guaranteed: within epsilon = 0.5 with probability at least 90 %")
    assert result.certified_epsilon <= 0.5


def test_an_answer_has_a_status_and_a_name_for_every_design():
    algorithm = NaiveElimination(asked(Gaussian(1)), 3)
    result = finished(algorithm, MEANS)
    assert result.pareto.tolist() == [False, True, True]
    assert result.status.tolist() == ["covered", "kept", "kept"]
    assert result.by[0] in (1, 2)
    assert result.indices == [1, 2]
    assert result.names(["a", "b", "c"]) == ["b", "c"]
    assert result.evaluations == algorithm.total
    assert result.stopped_because == f"every design has been evaluated {algorithm.evaluations_each} times"
    assert repr(result).startswith(f"Result(2 of 3 designs after {algorithm.total} evaluations; guaranteed")


def test_a_number_given_by_hand_is_a_heuristic_that_says_what_a_proof_would_give():
    result = finished(given_each(5), MEANS)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert not result.guarantee
    assert "5 evaluations of each design were chosen by hand" in str(result.guarantee)
    assert result.certified_epsilon > 0.5
    reached = rounded_up(result.certified_epsilon, 4)
    assert f"a proof gives epsilon = {reached:g} for them, not 0.5" in str(result.guarantee)
    plenty = finished(given_each(10_000), MEANS)
    assert isinstance(plenty.guarantee, cw.Heuristic)
    assert plenty.certified_epsilon < 0.5


def test_the_certified_epsilon_is_what_the_bound_gives_for_the_evaluations():
    result = finished(given_each(123), MEANS)
    assert failure_probability(RIGHT, Gaussian(1), 3, result.certified_epsilon, 123) <= 0.1
    assert failure_probability(RIGHT, Gaussian(1), 3, result.certified_epsilon * 0.999, 123) > 0.1


def test_unknown_noise_is_never_a_guarantee():
    result = finished(given_each(5, noise=None), MEANS)
    assert "nothing is assumed of the noise" in str(result.guarantee)
    assert result.certified_epsilon is None


def test_a_smaller_constant_than_the_proof_needs_is_a_heuristic():
    result = finished(NaiveElimination(asked(Gaussian(1)), 3, bound="paper", c=0.2), MEANS)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert "with the constant c = 0.2" in str(result.guarantee)
    assert "above delta = 0.1" in str(result.guarantee)


def test_before_the_end_designs_without_evaluations_are_undecided():
    result = given_each(4).recommend(state_with([2, 4, 0]))
    assert result.status.tolist() == ["undecided"] * 3
    assert result.stopped_because == "not finished: 2 designs have fewer than 4 evaluations"
    assert "stopped before every design had its 4 evaluations" in str(result.guarantee)
    assert result.certified_epsilon is None


def test_going_on_beyond_the_budget_is_not_covered_by_the_proof():
    """One design evaluated until its average looks right: the number was not fixed before anything was seen."""
    algorithm = NaiveElimination(asked(Gaussian(1)), 3)
    each = algorithm.evaluations_each
    pulls = Pulls([0, 1, 2], [each, each + 1, each])
    result = algorithm.recommend(algorithm.tell(algorithm.start(), Observations(pulls.designs, MEANS, pulls.counts)))
    assert isinstance(result.guarantee, cw.Heuristic)
    assert f"evaluated up to {each + 1} times" in str(result.guarantee)
    assert result.certified_epsilon is None


# -- configuration -------------------------------------------------------------------------------------------------


def test_it_is_frozen_and_counts_are_whole():
    algorithm = NaiveElimination(asked(Gaussian(1)), 3.0, evaluations_each=np.int64(7))
    assert (algorithm.n_designs, algorithm.evaluations_each, algorithm.total) == (3, 7, 21)
    assert isinstance(algorithm.total, int)
    with pytest.raises(dataclasses.FrozenInstanceError):
        algorithm.evaluations_each = 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_designs": 1}, "n_designs must be at least 2: a single design is the Pareto set"),
        ({"noise": None}, "nothing is known of this noise"),
        ({"noise": "normal"}, "noise must be"),
        ({"noise": "normal", "evaluations_each": 3}, "noise must be"),
        ({"noise": Gaussian([1, 1, 1]), "evaluations_each": 3}, "given for 3 objectives, but there are 2"),
        ({"noise": Gaussian([[1, 1]]), "evaluations_each": 3}, "given for 1 designs, but there are 3"),
        ({"noise": SubGaussian(1), "bound": "gaussian"}, "needs Gaussian noise, got SubGaussian"),
        ({"bound": "best"}, 'bound must be "auto", "paper", "gaussian" or "subgaussian", got \'best\''),
        ({"evaluations_each": 10.5}, "evaluations_each must be a whole number, got 10.5"),
        ({"evaluations_each": -5}, "evaluations_each must be at least 1, got -5"),
        ({"evaluations_each": 0}, "evaluations_each must be at least 1, got 0"),
        ({"evaluations_each": True}, "evaluations_each must be a whole number"),
        ({"evaluations_each": 2**62}, "exceeds 5e.18 evaluations in all"),
        ({"bound": "paper", "c": -1}, "c must be above 0"),
    ],
    ids=str,
)
def test_bad_configurations_are_refused(wrong, words):
    wrong = dict(wrong)
    with pytest.raises(cw.InputError, match=words) as caught:
        NaiveElimination(asked(wrong.pop("noise", Gaussian(1))), **({"n_designs": 3} | wrong))
    assert "\n" not in str(caught.value)


def test_one_evaluation_is_no_plural():
    problem = cw.SimulatedBandit([[0.0, 1.0], [1.0, 0.0]], cw.noise.Gaussian(1))
    options = {"algorithm": "naive", "evaluations_each": 1, "epsilon": 0.1, "delta": 0.1, "rng": 0}
    result = cw.identify(problem, cw.Cone.orthant(2), **options)
    assert result.stopped_because == "every design has been evaluated once"
    assert result.guarantee.reason.startswith("1 evaluation of each design was chosen by hand; a proof gives epsilon")
    assert " for it, " in result.guarantee.reason


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (cw.Question(RIGHT, 0, 0.1, Gaussian(1), success="contain"), "epsilon must be above 0"),
        (cw.Question(**ASKED, noise=Gaussian(1), success="contain"), 'answers success "cover" alone, got "contain"'),
        (RIGHT, r"question must be a Question\(cone, epsilon, delta, noise\)"),
    ],
    ids=["exact", "contain", "cone"],
)
def test_questions_that_it_cannot_answer_are_refused(question, words):
    with pytest.raises(cw.InputError, match=words):
        NaiveElimination(question, 3)
