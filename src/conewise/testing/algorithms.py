"""One suite for every rule: ask, tell and recommend keep their contract, whatever the rule samples."""

from __future__ import annotations

import dataclasses
import pickle
from abc import abstractmethod
from collections.abc import Mapping
from functools import reduce
from itertools import accumulate
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike

from conewise.cone.cone import Cone
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError
from conewise.noise import Gaussian
from conewise.problems.simulated import SimulatedBandit
from conewise.question.question import Guarantee, Heuristic, Question, verdict
from conewise.rules.contract import Algorithm, Result

_SEED: Final = 11
_LONGEST: Final = 10_000  # batches of a run

PROBLEMS: Final[dict[str, tuple[Cone, ArrayLike]]] = {
    "one objective": (Cone.orthant(1), [[0.0], [1.0], [3.0], [3.0]]),
    "two objectives": (Cone.orthant(2), [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [2.0, 2.0], [-2.0, 2.0]]),
    "narrow cone": (Cone.planar(45), [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [6.0, 6.0], [-2.0, 2.0]]),
    "wide cone": (Cone.planar(135), [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [2.0, 2.0], [-2.0, 2.0]]),
    "three objectives": (Cone.ice_cream(60, facets=5), np.random.default_rng(3).normal(size=(4, 3)) * 3),
    "two designs": (Cone.orthant(2), [[0.0, 0.0], [3.0, 3.0]]),
}
"""Cones and true means whose gaps are several epsilons wide, or zero: with the seeds used, right answers are found."""


class Case(NamedTuple):
    """An algorithm, a problem to try it on, the cone, and the runs that were made, by the size of their batches."""

    algorithm: Algorithm[Any]
    problem: SimulatedBandit
    cone: Cone
    runs: dict[int | None, list[Observations]]


_MADE: Final[dict[tuple[type, str], Case]] = {}


class RuleContract:
    """Inherit it and say in `make` how the algorithm is made for a question and a number of designs.

    `heuristic` are words that a finished answer says where no proof covers it; None where it is guaranteed for the
    epsilon and delta of the question. `summaries` says whether an observation may sum up several evaluations.
    """

    epsilon: ClassVar[float] = 0.8
    delta: ClassVar[float] = 0.1
    noise: ClassVar[Gaussian] = Gaussian(0.5)
    problems: ClassVar[Mapping[str, tuple[Cone, ArrayLike]]] = PROBLEMS
    heuristic: ClassVar[str | None] = None
    summaries: ClassVar[bool] = True

    @abstractmethod
    def make(self, question: Question, n_designs: int) -> Algorithm[Any]:
        """The algorithm for this question about so many designs."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Every test that asks for a case is run on all problems."""
        if "problem_name" in metafunc.fixturenames:
            metafunc.parametrize("problem_name", list(self.problems))

    @pytest.fixture
    def case(self, problem_name: str) -> Case:
        """The algorithm on one of the problems; made once for all tests: no test may leave a trace in it."""
        key = type(self), problem_name
        if key not in _MADE:
            cone, means = self.problems[problem_name]
            problem = self.problem(means)
            _MADE[key] = Case(self.make(self.question(cone), problem.n_designs), problem, cone, {})
        return _MADE[key]

    def problem(self, means: ArrayLike) -> SimulatedBandit:
        """Return the problem with these true means."""
        return SimulatedBandit(means, self.noise)

    def question(self, cone: Cone) -> Question:
        """Return the question that is asked on every problem."""
        return Question(cone, self.epsilon, self.delta, self.noise)

    def check_worth(self, result: Result) -> None:
        """Hold a finished answer to what is promised: a guarantee for the question, or the words for none."""
        if self.heuristic is None:
            assert isinstance(result.guarantee, Guarantee)
            assert (result.guarantee.epsilon, result.guarantee.delta) == (self.epsilon, self.delta)
            assert result.guarantee.theorem
            assert result.certified_epsilon is not None
            assert 0 <= result.certified_epsilon <= self.epsilon
        else:
            assert isinstance(result.guarantee, Heuristic)
            assert self.heuristic in result.guarantee.reason
            assert result.certified_epsilon is None

    # -- configuration and state -----------------------------------------------------------------------------------

    def test_the_configuration_is_frozen(self, case: Case) -> None:
        """A dataclass must be frozen; whatever else it is, `test_a_run_leaves_no_trace_in_the_algorithm` sees."""
        if dataclasses.is_dataclass(case.algorithm):
            for field in dataclasses.fields(case.algorithm):
                with pytest.raises(dataclasses.FrozenInstanceError):
                    setattr(case.algorithm, field.name, None)

    def test_it_starts_with_nothing_observed(self, case: Case) -> None:
        """A count of 0 for every design."""
        state = case.algorithm.start()
        assert state.counts.tolist() == [0] * case.problem.n_designs
        assert state.evaluations == 0

    def test_a_run_leaves_no_trace_in_the_algorithm(self, case: Case) -> None:
        """A run on the same random numbers is the same run, whatever was asked and told since the first."""
        for a, b in zip(whole(journal(case)), whole(played(case)), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_algorithms_and_states_travel_between_processes(self, case: Case) -> None:
        """Both are pickled, and go on as if nothing had happened."""
        state = begun(case, 7)
        algorithm, copied = pickle.loads(pickle.dumps((case.algorithm, state)))
        assert seen_by(case._replace(algorithm=algorithm), copied) == seen_by(case, state)

    # -- ask -------------------------------------------------------------------------------------------------------

    def test_pulls_are_designs_that_exist_and_no_more_than_asked_for(self, case: Case) -> None:
        """Ask for batches of any size."""
        algorithm, problem, rng = case.algorithm, case.problem, np.random.default_rng(_SEED)
        for most in (None, 1, 2, 3, 7, 50, 10**9):
            state = algorithm.start()
            for _ in range(12):
                pulls = algorithm.ask(state, most)
                if not pulls.total:
                    break
                assert (pulls.counts >= 1).all()
                assert pulls.designs.min() >= 0
                assert pulls.designs.max() < problem.n_designs
                assert most is None or pulls.total <= most
                state = algorithm.tell(state, problem.evaluate(pulls, rng, one_by_one=not self.summaries))

    def test_asking_changes_nothing_and_repeats_itself(self, case: Case) -> None:
        """The state looks the same afterwards, and the answer is the same."""
        algorithm, state = case.algorithm, begun(case, 5)
        before = snapshot(state)
        for most in (None, 1, 4):
            assert pulls_of(algorithm.ask(state, most)) == pulls_of(algorithm.ask(state, most))
        assert snapshot(state) == before

    def test_a_batch_must_be_a_whole_number_above_zero(self, case: Case) -> None:
        """Anything else is an InputError; `Pulls.first` says so."""
        wrong: tuple[Any, ...] = (0, -1, 1.5, np.nan, np.inf, "3", [3], True, np.True_)
        for most in wrong:
            with pytest.raises(InputError, match="most must be"):
                case.algorithm.ask(case.algorithm.start(), most)

    @pytest.mark.parametrize("batch", [None, 1, 13])
    def test_a_run_ends_and_then_nothing_more_is_asked_for(self, case: Case, batch: int | None) -> None:
        """And before its end something is."""
        algorithm, parts = case.algorithm, journal(case, batch)
        *before, last = accumulate(parts, algorithm.tell, initial=algorithm.start())
        assert all(algorithm.ask(state).total > 0 for state in before)
        assert all(algorithm.ask(last, most).total == 0 for most in (None, 1, 100))

    # -- tell ------------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("length", [17, None])
    def test_any_split_of_the_same_observations_gives_the_same_state_and_answer(
        self, case: Case, length: int | None
    ) -> None:
        """A whole run and a part of one: one by one, at once, or cut anywhere."""
        designs, values = (part[:length] for part in whole(journal(case)))
        once, n, rng = seen_by(case, told(case, designs, values, 1)), len(designs), np.random.default_rng(_SEED)
        for cuts in (n, [n // 2], *(np.sort(rng.integers(0, n + 1, size=9)) for _ in range(3))):
            assert seen_by(case, told(case, designs, values, cuts)) == once

    def test_how_the_evaluations_of_different_designs_interleave_does_not_show(self, case: Case) -> None:
        """Only the order of each design's own evaluations may count."""
        designs, values = whole(journal(case, batch=5))
        grouped = np.argsort(designs, kind="stable")
        sorted_state = told(case, designs[grouped], values[grouped], 7)
        assert seen_by(case, sorted_state) == seen_by(case, told(case, designs, values, 1))

    def test_telling_makes_a_new_state_and_leaves_the_old_one(self, case: Case) -> None:
        """A state is a value."""
        algorithm, old = case.algorithm, begun(case, 4)
        before, pulls = snapshot(old), case.algorithm.ask(old, 6)
        new = algorithm.tell(old, case.problem.evaluate(pulls, _SEED, one_by_one=True))
        assert snapshot(old) == before
        assert new.evaluations == old.evaluations + pulls.total

    def test_what_does_not_fit_is_refused_and_the_state_stays(self, case: Case) -> None:
        """Designs that do not exist, objectives that are too many, values that are no numbers."""
        problem, state = case.problem, begun(case, 4)
        before = snapshot(state)
        good, dim, k = np.zeros((1, problem.dim)), problem.dim, problem.n_designs
        refused: list[tuple[list[int], ArrayLike]] = [
            ([k], good),
            ([0, k + 5], np.vstack([good, good])),
            ([0], np.zeros((1, dim + 1))),
            ([-1], good),
            ([0], np.full((1, dim), np.nan)),
            ([0], np.full((1, dim), np.inf)),
        ]
        for designs, values in refused:
            with pytest.raises(InputError):
                case.algorithm.tell(state, Observations.single(designs, values))
            assert snapshot(state) == before

    def test_telling_nothing_changes_nothing(self, case: Case) -> None:
        """No observations, no difference."""
        state = begun(case, 4)
        again = case.algorithm.tell(state, Observations([], np.empty((0, case.problem.dim))))
        assert seen_by(case, again) == seen_by(case, state)

    def test_observations_that_were_not_asked_for_are_welcome(self, case: Case) -> None:
        """A user may have more observations than were asked for."""
        algorithm, problem = case.algorithm, case.problem
        extra = problem.evaluate(Pulls([problem.n_designs - 1], [3]), _SEED, one_by_one=True)
        state = algorithm.tell(algorithm.start(), extra)
        assert state.counts[-1] == 3
        assert algorithm.ask(state).total > 0
        assert algorithm.recommend(state).evaluations == 3

    # -- recommend -------------------------------------------------------------------------------------------------

    def test_there_is_an_answer_at_every_moment_and_it_says_what_it_is_worth(self, case: Case) -> None:
        """Before the first evaluation as well."""
        for state in accumulate(journal(case, batch=29), case.algorithm.tell, initial=case.algorithm.start()):
            result = case.algorithm.recommend(state)
            check_shape(result, case.problem.n_designs)
            assert result.evaluations == state.evaluations == int(result.counts.sum())
            unfinished = case.algorithm.ask(state).total > 0
            if isinstance(result.guarantee, Guarantee):  # before the end for a larger epsilon, if at all
                assert result.guarantee.epsilon >= self.epsilon
                assert unfinished or result.guarantee.epsilon == self.epsilon

    def test_the_finished_answer_is_right_and_worth_what_was_promised(self, case: Case) -> None:
        """The returned set succeeds, and no design is left undecided."""
        result = case.algorithm.recommend(told(case, *whole(journal(case)), 1))
        self.check_worth(result)
        assert "undecided" not in result.status.tolist()
        assert verdict(result.pareto, case.problem.means, case.cone, self.epsilon).success

    def test_before_the_end_nothing_is_guaranteed(self, case: Case) -> None:
        """Judge a run with no evaluation, and with one."""
        for state in (case.algorithm.start(), begun(case, 1)):
            result = case.algorithm.recommend(state)
            assert isinstance(result.guarantee, Heuristic)
            assert result.guarantee.reason

    def test_an_answer_cannot_be_used_to_change_the_state(self, case: Case) -> None:
        """Its arrays are copies, or read-only."""
        state = begun(case, 9)
        before, result = snapshot(state), case.algorithm.recommend(state)
        for array in (result.means, result.counts, result.pareto, result.status):
            try:
                array[...] = array.dtype.type(0)
            except ValueError:  # read-only: just as well
                continue
        assert snapshot(state) == before

    def test_a_summary_of_many_evaluations_counts_as_many(self, case: Case) -> None:
        """The mean of n evaluations drawn in one step ends the run as n single ones do."""
        if not self.summaries:
            pytest.skip("takes evaluations one by one")
        algorithm, state, rng = case.algorithm, case.algorithm.start(), np.random.default_rng(_SEED)
        while (pulls := algorithm.ask(state)).total:
            state = algorithm.tell(state, case.problem.evaluate(pulls, rng))
        self.check_worth(algorithm.recommend(state))


# -- runs and what they say ------------------------------------------------------------------------------------------


def journal(case: Case, batch: int | None = None) -> list[Observations]:
    """A run to the end, one observation an evaluation, as the batches in which it was told; made once for all tests."""
    if batch not in case.runs:
        case.runs[batch] = played(case, batch)
    return case.runs[batch]


def played(case: Case, batch: int | None = None) -> list[Observations]:
    """Such a run, made now."""
    algorithm, rng, parts = case.algorithm, np.random.default_rng(_SEED), list[Observations]()
    state = algorithm.start()
    while (pulls := algorithm.ask(state, batch)).total:
        parts.append(case.problem.evaluate(pulls, rng, one_by_one=True))
        state = algorithm.tell(state, parts[-1])
        assert len(parts) < _LONGEST, "the algorithm never has enough"
    return parts


def begun(case: Case, most: int) -> Any:
    """The state after the first batch."""
    start = case.algorithm.start()
    return case.algorithm.tell(start, case.problem.evaluate(case.algorithm.ask(start, most), _SEED, one_by_one=True))


def told(case: Case, designs: np.ndarray, values: np.ndarray, cuts: Any) -> Any:
    """The state after these evaluations in so many parts, or cut at these places."""
    parts = zip(np.array_split(designs, cuts), np.array_split(values, cuts), strict=True)
    return reduce(case.algorithm.tell, (Observations.single(*part) for part in parts), case.algorithm.start())


def seen_by(case: Case, state: Any) -> tuple[object, ...]:
    """All that a rule makes of a state."""
    counts, answer = state.counts.tolist(), said(case.algorithm.recommend(state))
    return counts, answer, *(pulls_of(case.algorithm.ask(state, most)) for most in (None, 3))


def whole(parts: list[Observations]) -> tuple[np.ndarray, np.ndarray]:
    """The designs and the values of a journal."""
    return np.concatenate([part.designs for part in parts]), np.concatenate([part.means for part in parts])


def snapshot(state: Any) -> bytes:
    """Everything a state holds, whatever its class."""
    return pickle.dumps(state)


def said(result: Result) -> dict[str, object]:
    """Everything a result says, comparable."""
    found = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in found.items()} | {
        "means": result.means.tobytes(),  # NaN equals itself here
        "guarantee": str(result.guarantee),
    }


def pulls_of(pulls: Pulls) -> tuple[list[int], list[int]]:
    """Comparable."""
    return pulls.designs.tolist(), pulls.counts.tolist()


def check_shape(result: Result, n_designs: int) -> None:
    """Check what every answer has in common."""
    assert result.pareto.dtype == bool
    assert result.pareto.shape == result.status.shape == (n_designs,)
    assert set(result.status.tolist()) <= {"kept", "covered", "beaten", "misses a level", "undecided"}
    assert (result.pareto[result.status == "kept"]).all()
    assert not result.pareto[np.isin(result.status, ("covered", "beaten", "misses a level"))].any()
    if result.probability is None:  # a model may return what was never evaluated, and says so: `Result.evidence`
        assert not result.pareto[result.counts == 0].any()
    np.testing.assert_array_equal(np.isnan(result.means).any(axis=1), result.counts == 0)
    assert isinstance(result.guarantee, Guarantee | Heuristic)
    assert result.stopped_because
    assert "\n" not in f"{result.stopped_because}{result.guarantee}"
