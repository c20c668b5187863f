"""One suite for every algorithm: ask, tell and recommend keep their contract, whatever the sampling rule.

A new algorithm joins with one line in ALGORITHMS: something that makes it from a question and the number of designs,
and what its finished answer is worth. Nothing below knows which algorithm it is
talking to.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import conewise as cw
from conewise.algorithms import (
    Algorithm,
    AuerElimination,
    LeaderChallenger,
    NaiveElimination,
    OptimalProportions,
    PaVeBa,
    PosteriorSampling,
    Result,
    SequentialHalving,
    SequentialRejects,
    SuccessiveElimination,
)
from conewise.certificate import certificate, claims
from conewise.feedback import Observations, Pulls
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit

Make = Callable[[cw.Question, int], Algorithm[Any]]


@dataclasses.dataclass(frozen=True)
class Entry:
    """How to make an algorithm, and what it promises."""

    make: Make
    heuristic: str | None = None
    """What a finished answer says instead of a guarantee; None where it is proven for the goal."""
    few: int | None = None
    """So many designs count as few: with more, not all pairs are looked at."""


def confident(rule: Callable[..., Algorithm[Any]], **options: Any) -> Make:
    """A rule that answers a question."""
    return lambda question, n_designs: rule(question, n_designs, **options)


def budgeted(rule: Callable[..., Algorithm[Any]], budget: int) -> Make:
    """A rule that takes a number of evaluations in place of epsilon and delta."""
    return lambda question, n_designs: rule(question.cone, budget, n_designs, question.noise)


NO_CONFIDENCE = "a fixed budget comes with no confidence"
ALGORITHMS: dict[str, Entry] = {
    "naive": Entry(NaiveElimination),
    "elimination": Entry(confident(SuccessiveElimination)),
    "proportions": Entry(confident(OptimalProportions)),
    "proportions, many designs": Entry(confident(OptimalProportions), few=3),
    "APE": Entry(confident(LeaderChallenger, growth=0.3)),
    "Auer": Entry(confident(AuerElimination)),
    "PaVeBa": Entry(confident(PaVeBa, growth=0.3)),  # hundreds of rounds otherwise
    "PSIPS": Entry(confident(PosteriorSampling, growth=0.1, seed=4), "proven only asymptotically"),
    "EGE-SR": Entry(budgeted(SequentialRejects, 60), NO_CONFIDENCE),
    "EGE-SH": Entry(budgeted(SequentialHalving, 61), NO_CONFIDENCE),
}

EPSILON, DELTA = 0.8, 0.1
NOISE = Gaussian(0.5)
PROBLEMS = {
    "one objective": (cw.Cone.orthant(1), [[0.0], [1.0], [3.0], [3.0]]),
    "two objectives": (cw.Cone.orthant(2), [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [2.0, 2.0], [-2.0, 2.0]]),
    "narrow cone": (cw.Cone.planar(45), [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [6.0, 6.0], [-2.0, 2.0]]),
    "wide cone": (cw.Cone.planar(135), [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [2.0, 2.0], [-2.0, 2.0]]),
    "three objectives": (cw.Cone.ice_cream(60, facets=5), np.random.default_rng(3).normal(size=(4, 3)) * 3),
    "two designs": (cw.Cone.orthant(2), [[0.0, 0.0], [3.0, 3.0]]),
}
SEED = 11


@pytest.fixture(params=ALGORITHMS, ids=str)
def entry(request, monkeypatch) -> Entry:
    chosen = ALGORITHMS[request.param]
    if chosen.few is not None:
        for module in (claims, certificate):
            monkeypatch.setattr(module, "FEW", chosen.few)
    return chosen


@pytest.fixture
def make(entry) -> Make:
    return entry.make


@pytest.fixture
def worth(entry) -> Callable[[Result], None]:
    """Holds a finished answer to what its algorithm promises: a guarantee for the goal, or the words for none."""

    def check(result: Result) -> None:
        if entry.heuristic is None:
            assert isinstance(result.guarantee, cw.Guarantee)
            assert (result.guarantee.epsilon, result.guarantee.delta) == (EPSILON, DELTA)
            assert result.guarantee.theorem
            assert result.certified_epsilon is not None
            assert 0 <= result.certified_epsilon <= EPSILON
        else:
            assert isinstance(result.guarantee, cw.Heuristic)
            assert entry.heuristic in result.guarantee.reason
            assert result.certified_epsilon is None

    return check


@cache
def made(make: Make, name: str) -> tuple[Algorithm[Any], SimulatedBandit, cw.Cone]:
    """Made once for all tests: an algorithm is a value, and no test may leave a trace in it."""
    cone, means = PROBLEMS[name]
    problem = SimulatedBandit(means, NOISE)
    return make(cw.Question(cone, EPSILON, DELTA, NOISE), problem.n_designs), problem, cone


@pytest.fixture(params=PROBLEMS, ids=str)
def case(request, make) -> tuple[Algorithm[Any], SimulatedBandit, cw.Cone]:
    return made(make, request.param)


def journal(algorithm: Algorithm[Any], problem: SimulatedBandit, batch: int | None = None) -> list[Observations]:
    """A run to the end, one observation an evaluation, as the batches in which it was told."""
    rng, state, told = np.random.default_rng(SEED), algorithm.start(), []
    while (pulls := algorithm.ask(state, batch)).total:
        told.append(problem.evaluate(pulls, rng, one_by_one=True))
        state = algorithm.tell(state, told[-1])
        assert len(told) < 10_000, "the algorithm never has enough"
    return told


def whole(parts: list[Observations]) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([part.designs for part in parts]), np.concatenate([part.means for part in parts])


def snapshot(state: Any) -> bytes:
    """Everything a state holds, whatever its class."""
    return pickle.dumps(state)


def answer(result: Result) -> dict[str, object]:
    """Everything a result says, comparable."""
    said = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in said.items()} | {
        "means": result.means.tobytes(),  # NaN equals itself here
        "guarantee": str(result.guarantee),
    }


def pulls_of(pulls: Pulls) -> tuple[list[int], list[int]]:
    return pulls.designs.tolist(), pulls.counts.tolist()


# -- configuration and state ---------------------------------------------------------------------------------------


def test_the_configuration_is_frozen(case):
    algorithm, _, _ = case
    assert dataclasses.is_dataclass(algorithm)
    for field in dataclasses.fields(algorithm):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(algorithm, field.name, None)


def test_it_starts_with_nothing_observed(case):
    algorithm, problem, _ = case
    state = algorithm.start()
    assert state.counts.tolist() == [0] * problem.n_designs
    assert state.evaluations == 0


def test_a_run_leaves_no_trace_in_the_algorithm(case):
    algorithm, problem, _ = case
    first = whole(journal(algorithm, problem))
    second = whole(journal(algorithm, problem))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_algorithms_and_states_travel_between_processes(case):
    algorithm, problem, _ = case
    state = algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 7), SEED))
    copied, copied_state = pickle.loads(pickle.dumps((algorithm, state)))
    assert pulls_of(copied.ask(copied_state, 5)) == pulls_of(algorithm.ask(state, 5))
    assert answer(copied.recommend(copied_state)) == answer(algorithm.recommend(state))


# -- ask -----------------------------------------------------------------------------------------------------------


def test_pulls_are_designs_that_exist_and_no_more_than_asked_for(case):
    algorithm, problem, _ = case
    rng = np.random.default_rng(SEED)
    for most in (None, 1, 2, 3, 7, 50, 10**9):
        state = algorithm.start()
        for _ in range(12):
            pulls = algorithm.ask(state, most)
            if not pulls.total:
                break
            assert (pulls.counts >= 1).all()
            assert pulls.designs.min() >= 0
            assert pulls.designs.max() < problem.n_designs
            assert len(set(pulls.designs.tolist())) == len(pulls.designs)
            assert most is None or pulls.total <= most
            state = algorithm.tell(state, problem.evaluate(pulls, rng))


def test_asking_changes_nothing_and_repeats_itself(case):
    algorithm, problem, _ = case
    state = algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 5), SEED))
    before = snapshot(state)
    for most in (None, 1, 4):
        assert pulls_of(algorithm.ask(state, most)) == pulls_of(algorithm.ask(state, most))
    assert snapshot(state) == before


def test_a_batch_must_be_a_whole_number_above_zero(case):
    algorithm, _, _ = case
    for most in (0, -1, 1.5, np.nan, np.inf, "3", [3], True, np.True_):
        with pytest.raises(cw.InputError, match="most must be"):
            algorithm.ask(algorithm.start(), most)


@pytest.mark.parametrize("batch", [None, 1, 13])
def test_a_run_ends_and_then_nothing_more_is_asked_for(case, batch):
    algorithm, problem, _ = case
    state = algorithm.start()
    for part in journal(algorithm, problem, batch):
        assert algorithm.ask(state).total > 0
        state = algorithm.tell(state, part)
    for most in (None, 1, 100):
        assert algorithm.ask(state, most).total == 0


# -- tell ----------------------------------------------------------------------------------------------------------


def test_any_split_of_the_same_observations_gives_the_same_state_and_answer(case):
    algorithm, problem, _ = case
    designs, values = whole(journal(algorithm, problem))
    one_big = algorithm.tell(algorithm.start(), Observations.single(designs, values))
    n, rng = len(designs), np.random.default_rng(SEED)
    splits = [range(n + 1), [0, n // 2, n], *(sorted({0, n, *rng.integers(0, n + 1, size=9)}) for _ in range(3))]
    for cuts in splits:
        state = algorithm.start()
        for a, b in pairwise(cuts):
            state = algorithm.tell(state, Observations.single(designs[a:b], values[a:b]))
        np.testing.assert_array_equal(state.counts, one_big.counts)
        assert pulls_of(algorithm.ask(state, 3)) == pulls_of(algorithm.ask(one_big, 3))
        assert answer(algorithm.recommend(state)) == answer(algorithm.recommend(one_big))


def test_the_same_answers_part_way_whatever_the_split(case):
    algorithm, problem, _ = case
    designs, values = (part[:17] for part in whole(journal(algorithm, problem)))
    one_big = algorithm.tell(algorithm.start(), Observations.single(designs, values))
    state = algorithm.start()
    for k in range(len(designs)):
        state = algorithm.tell(state, Observations.single(designs[k : k + 1], values[k : k + 1]))
    assert answer(algorithm.recommend(state)) == answer(algorithm.recommend(one_big))
    assert pulls_of(algorithm.ask(state)) == pulls_of(algorithm.ask(one_big))


def test_how_the_evaluations_of_different_designs_interleave_does_not_show(case):
    algorithm, problem, _ = case
    designs, values = whole(journal(algorithm, problem, batch=5))
    state = algorithm.tell(algorithm.start(), Observations.single(designs, values))
    one_design_after_the_other = np.argsort(designs, kind="stable")
    sorted_state = algorithm.start()
    for part in np.array_split(one_design_after_the_other, 7):
        sorted_state = algorithm.tell(sorted_state, Observations.single(designs[part], values[part]))
    assert answer(algorithm.recommend(sorted_state)) == answer(algorithm.recommend(state))
    assert pulls_of(algorithm.ask(sorted_state)) == pulls_of(algorithm.ask(state))


def test_telling_makes_a_new_state_and_leaves_the_old_one(case):
    algorithm, problem, _ = case
    old = algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 4), SEED))
    before = snapshot(old)
    new = algorithm.tell(old, problem.evaluate(algorithm.ask(old, 6), SEED))
    assert snapshot(old) == before
    assert new.evaluations == old.evaluations + algorithm.ask(old, 6).total


def test_what_does_not_fit_is_refused_and_the_state_stays(case):
    algorithm, problem, _ = case
    state = algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 4), SEED))
    before = snapshot(state)
    good, dim = np.zeros((1, problem.dim)), problem.dim
    refused = [
        lambda: Observations.single([problem.n_designs], good),
        lambda: Observations.single([0, problem.n_designs + 5], np.vstack([good, good])),
        lambda: Observations.single([0], np.zeros((1, dim + 1))),
        lambda: Observations.single([-1], good),
        lambda: Observations.single([0], np.full((1, dim), np.nan)),
        lambda: Observations.single([0], np.full((1, dim), np.inf)),
    ]
    for wrong in refused:
        with pytest.raises(cw.InputError):
            algorithm.tell(state, wrong())
        assert snapshot(state) == before


def test_telling_nothing_changes_nothing(case):
    algorithm, problem, _ = case
    state = algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 4), SEED))
    again = algorithm.tell(state, Observations([], np.empty((0, problem.dim))))
    assert answer(algorithm.recommend(again)) == answer(algorithm.recommend(state))


def test_observations_that_were_not_asked_for_are_welcome(case):
    algorithm, problem, _ = case
    extra = problem.evaluate(Pulls([problem.n_designs - 1], [3]), SEED, one_by_one=True)
    state = algorithm.tell(algorithm.start(), extra)
    assert state.counts[-1] == 3
    assert algorithm.ask(state).total > 0
    assert algorithm.recommend(state).evaluations == 3


# -- recommend -----------------------------------------------------------------------------------------------------


def test_there_is_an_answer_at_every_moment_and_it_says_what_it_is_worth(case):
    algorithm, problem, _ = case
    parts = journal(algorithm, problem, batch=29)
    state = algorithm.start()
    for part in [None, *parts]:
        state = state if part is None else algorithm.tell(state, part)
        result = algorithm.recommend(state)
        assert result.pareto.dtype == bool
        assert result.pareto.shape == result.status.shape == (problem.n_designs,)
        assert set(result.status.tolist()) <= {"kept", "covered", "beaten", "undecided"}
        assert (result.pareto[result.status == "kept"]).all()
        assert not result.pareto[np.isin(result.status, ("covered", "beaten"))].any()
        assert not result.pareto[result.counts == 0].any()
        assert result.evaluations == state.evaluations == int(result.counts.sum())
        np.testing.assert_array_equal(np.isnan(result.means).any(axis=1), result.counts == 0)
        assert isinstance(result.guarantee, cw.Guarantee | cw.Heuristic)
        assert result.stopped_because
        assert "\n" not in f"{result.stopped_because}{result.guarantee}"
        unfinished = algorithm.ask(state).total > 0
        if isinstance(result.guarantee, cw.Guarantee):  # before the end for a larger epsilon, if at all
            assert result.guarantee.epsilon >= EPSILON
            assert unfinished or result.guarantee.epsilon == EPSILON


def test_the_finished_answer_is_right_and_worth_what_was_promised(case, worth):
    """Gaps here are several epsilons wide, or zero: with these seeds the returned set succeeds."""
    algorithm, problem, cone = case
    state = algorithm.start()
    for part in journal(algorithm, problem):
        state = algorithm.tell(state, part)
    result = algorithm.recommend(state)
    worth(result)
    assert "undecided" not in result.status.tolist()
    assert cw.verdict(result.pareto, problem.means, cone, EPSILON).success


def test_before_the_end_nothing_is_guaranteed(case):
    algorithm, problem, _ = case
    for state in (
        algorithm.start(),
        algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 1), SEED)),
    ):
        result = algorithm.recommend(state)
        assert isinstance(result.guarantee, cw.Heuristic)
        assert result.guarantee.reason


def test_an_answer_cannot_be_used_to_change_the_state(case):
    algorithm, problem, _ = case
    state = algorithm.tell(algorithm.start(), problem.evaluate(algorithm.ask(algorithm.start(), 9), SEED))
    before, result = snapshot(state), algorithm.recommend(state)
    for array in (result.means, result.counts, result.pareto, result.status):
        try:
            array[...] = array.dtype.type(0)
        except ValueError:  # read-only: just as well
            continue
    assert snapshot(state) == before


def test_a_summary_of_many_evaluations_counts_as_many(case, worth):
    """The mean of n evaluations drawn in one step ends the run as n single ones do."""
    algorithm, problem, _ = case
    state, rng = algorithm.start(), np.random.default_rng(SEED)
    while (pulls := algorithm.ask(state)).total:
        state = algorithm.tell(state, problem.evaluate(pulls, rng))
    worth(algorithm.recommend(state))


@pytest.mark.parametrize("n_designs", [0, 1, -3, 2.5])
def test_fewer_than_two_designs_are_refused(make, n_designs):
    with pytest.raises(cw.InputError, match="n_designs must be"):
        make(cw.Question(cw.Cone.orthant(2), EPSILON, DELTA, NOISE), n_designs)


def test_noise_of_other_objectives_is_refused(make):
    with pytest.raises(cw.InputError, match="given for 3 objectives, but there are 2"):
        make(cw.Question(cw.Cone.orthant(2), EPSILON, DELTA, Gaussian([1, 1, 1])), 4)
