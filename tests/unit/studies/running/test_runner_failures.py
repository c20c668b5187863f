"""What a run does with attempts that give no value, or a value that cannot be: nothing is chosen by its value."""

from __future__ import annotations

import os
import re
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from shared import simulators
from shared.studies import ledger_of

from conewise import Cone, ConewiseError, Guarantee, Heuristic, InputError
from conewise.noise import Bounded, Gaussian
from conewise.problems.evaluators import EvaluationFailed
from conewise.studies.running.runner import run_study
from conewise.studies.study import Study

NAIVE = {"algorithm": "naive", "options": {"evaluations_each": 40}}


def make(folder: Path, name: str = "trial", **changes) -> Study:
    rows = [{"name": f"d{k}", "x": k / 5, "folder": str(folder)} for k in range(5)]
    settings = {
        "cone": Cone.planar(100),
        "epsilon": 0.05,
        "delta": 0.05,
        "noise": Gaussian(simulators.SIGMA),
        "seed": 5,
    }
    settings |= {"objectives": ["gain", "cost"], "minimise": ["cost"], **changes}
    return Study.create(folder / f"{name}.db", designs=rows, **settings)


def count(calls, result):
    """A function that counts its calls, and returns or raises what it is given."""

    def evaluate(design, seed):
        calls.append(design["name"])
        if isinstance(result, Exception):
            raise result
        return result

    return evaluate


# -- values that refute the assumption -----------------------------------------------------------------------------


def now_and_then_out_of_range(design, seed):
    """Between 0 and 1, once in eight times beyond."""
    return [0.5, 1.5 if seed % 8 == 0 else 0.5]


@pytest.mark.parametrize("settings", [{"jobs": 0}, {"jobs": 0, "batch": 20}, {"jobs": 1}], ids=str)
def test_a_value_out_of_range_stops_the_run_and_the_guarantee(tmp_path, settings):
    study = make(tmp_path, noise=Bounded(0, 1), **NAIVE)
    with pytest.raises(ConewiseError) as caught:
        run_study(study, now_and_then_out_of_range, retries=50, **settings)
    assert re.fullmatch(
        r"evaluation d\dn\d+ of design 'd\d' gave 1.5 for 'cost', outside the range that the study's noise assumes: "
        r"the assumption is refuted, and no guarantee holds in this study any more; make a new one [^.]*\.",
        str(caught.value),
    )
    status = study.status()
    assert status.failures >= 1
    assert study.leases() == []
    assert isinstance(status.result.guarantee, Heuristic)
    assert "outside the range that the noise assumes, which refutes the assumption" in str(status.result.guarantee)
    assert status.certified_epsilon is None


def test_a_refuted_assumption_stays_refuted(tmp_path):
    """Whoever runs again until the values fit gets an answer, and no guarantee; after opening the file anew as well."""
    study = make(tmp_path, noise=Bounded(0, 1), epsilon=0.5)
    while not study.finished:
        with suppress(ConewiseError):
            run_study(study, now_and_then_out_of_range, jobs=0)
    study.close()
    with Study.open(tmp_path / "trial.db", read_only=True) as again:
        result = again.result()
        assert result.guarantee == study_reason(again.status().failures)
        assert result.stopped_because == "every design is certified, under an assumption that is refuted"
        assert result.certified_epsilon is None
        assert not result.certain.any()


def study_reason(times: int) -> Heuristic:
    values = "1 value" if times == 1 else f"{times} values"
    return Heuristic(f"{values} fell outside the range that the noise assumes, which refutes the assumption")


@pytest.mark.parametrize("meanwhile", ["told", "failed"])
def test_a_value_out_of_range_refutes_the_assumption_also_where_somebody_was_faster(tmp_path, meanwhile):
    """A lease had ended, and another worker has told or given up the same evaluation."""
    study = make(tmp_path, noise=Bounded(0, 1), **NAIVE)

    def late(design, seed):
        (lease,) = study.leases()
        with Study.open(tmp_path / "trial.db") as other:
            if meanwhile == "told":
                other.tell([lease.evaluation], [[0.5, 0.5]])
            else:
                other.fail([lease.evaluation], "given up")
        return [0.5, 1.5]

    with pytest.raises(ConewiseError, match="no guarantee holds in this study any more"):
        run_study(study, late, jobs=0)
    while not study.finished:
        run_study(study, lambda design, seed: [0.5, 0.5], jobs=0)
    assert study.result().guarantee == study_reason(1)


def test_a_value_too_large_to_be_summed_is_not_replaced_either(tmp_path):
    study, calls = make(tmp_path, **NAIVE), []
    with pytest.raises(InputError, match=r"evaluation d0n0 of design 'd0' cannot be stored: values .*"):
        run_study(study, count(calls, [1e300, 0.0]), jobs=0)
    assert len(calls) == 1
    assert study.status().failures == 0
    assert study.leases() == []


# -- attempts that were evaluated again ----------------------------------------------------------------------------


def words_of(study: Study) -> str:
    guarantee = study.result().guarantee
    assert isinstance(guarantee, Guarantee)
    return guarantee.assumption


def test_replaced_attempts_are_counted_and_named_in_the_guarantee(tmp_path):
    study = make(tmp_path)
    report = run_study(study, simulators.fussy, jobs=0, retries=60)
    assert report.finished
    replaced = ledger_of(study).replaced  # those ahead of the last round may have failed and never been made again
    assert 10 < replaced <= report.failures
    named = f"; that failure does not depend on the value ({replaced} attempts failed and were evaluated again)"
    assert words_of(study).endswith(named)
    assert named in str(study.result().guarantee)
    study.close()
    with Study.open(tmp_path / "trial.db", read_only=True) as again:
        assert words_of(again).endswith(named)


def test_without_failures_nothing_is_said_of_them(tmp_path):
    study = make(tmp_path)
    assert run_study(study, simulators.trade_off, jobs=0).finished
    assert "fail" not in words_of(study)


def test_values_told_by_hand_after_a_failure_count_as_well(tmp_path):
    study = make(tmp_path)
    while batch := study.ask(50):
        if not study.status().failures:
            first = batch[0]
            study.fail(first, "the power went out")
            study.tell(first, [simulators.trade_off(first.row, first.seed)])
            batch = batch[1:]
        study.tell(batch, [simulators.trade_off(e.row, e.seed) for e in batch])
    assert words_of(study).endswith(
        "; that failure does not depend on the value (1 attempt failed and was evaluated again)"
    )


def test_a_failure_replaces_nothing_until_the_evaluation_is_told(tmp_path):
    study = make(tmp_path)
    first, second = study.ask(2)
    study.fail([first, second], "the power went out")
    study.fail([first.id], "again")
    assert (study.status().failures, ledger_of(study).replaced) == (3, 0)
    study.tell([second.id], [[0.0, 0.0]])
    assert ledger_of(study).replaced == 1
    study.tell([first.id], [[0.0, 0.0]])
    assert ledger_of(study).replaced == 3


# -- what always fails ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"jobs": 0}, {"jobs": 0, "batch": 100, "retries": 100}], ids=str)
def test_when_the_first_attempts_all_fail_so_will_the_others(tmp_path, settings):
    study, calls = make(tmp_path, **NAIVE), []
    with pytest.raises(ConewiseError) as caught:
        run_study(study, count(calls, OSError("no licence")), **settings)
    assert re.fullmatch(
        r"the first 3 attempts all failed, the last time because: OSError: no licence \(.*, line \d+\); mend the cause "
        r"and run again\.",
        str(caught.value),
    )
    assert len(calls) == 3
    assert study.leases() == []


def test_with_many_workers_one_evaluation_is_first(tmp_path):
    study, calls = make(tmp_path, **NAIVE), []
    with ThreadPoolExecutor(8) as threads, pytest.raises(ConewiseError, match="the first 3 attempts all failed"):
        run_study(study, count(calls, OSError("no licence")), executor=threads, batch=10)
    assert len(calls) == 3


def test_what_breaks_in_the_middle_is_not_called_hundreds_of_times(tmp_path):
    study, calls = make(tmp_path, algorithm="naive", options={"evaluations_each": 2000}), []

    def breaks(design, seed):
        calls.append(seed)
        if len(calls) > 500:
            raise OSError("no licence")
        return simulators.trade_off(design, seed)

    with pytest.raises(ConewiseError, match=r"^3\d attempts in a row failed, .* OSError: no licence"):
        run_study(study, breaks, jobs=0)
    assert len(calls) < 540
    assert study.status().evaluations == 500


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ([1.0], r"1 value for 2 objectives \(gain, cost\); an evaluation gives one number for each objective"),
        ([[0.5, 0.5]], "1 value for 2 objectives"),
        ([[0.5], [0.5, 0.1]], "a finite number was expected for the objective 'gain'"),
        (None, "2 numbers were expected, got None"),
        ({"gain": 1.0, "price": 1.0}, "no value for the objective 'cost' among gain, price"),
    ],
    ids=str,
)
def test_another_shape_or_name_stops_at_once_and_is_no_failure(tmp_path, result, words):
    study, calls = make(tmp_path, **NAIVE), []
    with pytest.raises(InputError, match=words):
        run_study(study, count(calls, result), jobs=0)
    assert len(calls) == 1
    assert study.status().failures == 0
    assert study.leases() == []


@pytest.mark.parametrize("evaluator", [lambda design: [0, 0], "shared.simulators:of_one"], ids=["function", "named"])
@pytest.mark.parametrize("jobs", [0, 1])
def test_a_function_of_other_arguments_is_never_called(tmp_path, evaluator, jobs):
    study = make(tmp_path, **NAIVE)
    with pytest.raises(InputError, match=r"called with a design \(a dict\) and a seed, .* does not take"):
        run_study(study, evaluator, jobs=jobs)
    assert study.status().failures == 0
    assert study.leases() == []


def test_what_was_evaluated_before_a_mistake_is_kept(tmp_path):
    study, calls = make(tmp_path, **NAIVE), []

    def forgetful(design, seed):
        calls.append(design["name"])
        return [0.5, 0.5] if len(calls) < 8 else None

    with pytest.raises(InputError, match="2 numbers were expected, got None"):
        run_study(study, forgetful, jobs=0, batch=20)
    assert len(calls) == 8
    assert study.status().evaluations == 7
    assert study.leases() == []


def test_nan_is_a_failure_also_from_an_evaluator_of_ones_own(tmp_path):
    class Own:
        ends_itself = True

        def check(self, columns):
            pass

        def prepare(self):
            pass

        def evaluate(self, row, seed, objectives, time_limit=None):
            if seed % 2:
                return [float("nan"), 0.0]
            if seed % 3 == 0:
                raise EvaluationFailed("colour\x1b[31m and\nlines\u202e")
            return [0.5, 0.5]

    study, said = make(tmp_path, **NAIVE), []
    report = run_study(study, Own(), jobs=0, retries=60, on_event=lambda event: said.append(event.text))
    assert report.finished
    assert report.failures == study.status().failures > 10
    assert all(text.isprintable() for text in said)
    assert any("[31m and lines" in text for text in said)


# -- evaluators that fork ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"jobs": 0, "batch": 4}, {"jobs": 1, "batch": 4}], ids=str)
@pytest.mark.parametrize("function", ["forks", "forks_and_raises"])
def test_a_child_of_the_evaluator_tells_nothing(tmp_path, settings, function):
    process = os.getpid()
    few = {"algorithm": "naive", "options": {"evaluations_each": 4}}
    study, reference = make(tmp_path, **few), make(tmp_path, "reference", **few)
    report = run_study(study, f"shared.simulators:{function}", **settings)
    if os.getpid() != process:
        os._exit(1)  # a child that came back through our loop
    assert report.finished
    assert report.failures == 0
    run_study(reference, simulators.trade_off, jobs=0)
    ours, theirs = study.evaluations(), reference.evaluations()
    assert ours.ids == theirs.ids
    np.testing.assert_array_equal(ours.values, theirs.values)


def test_a_worker_that_ends_is_noticed_although_its_child_holds_the_pipe(tmp_path):
    study = make(tmp_path, **NAIVE)
    report = run_study(study, simulators.leaves_a_child_once, jobs=1)
    assert report.finished
    assert report.failures == 1
    os.kill(int((tmp_path / "child.pid").read_text()), 9)


# -- executors that give up ----------------------------------------------------------------------------------------


class Cancelling(Executor):
    """Cancels what it is given, so many times; `_client` is what a Dask executor has."""

    def __init__(self, times, status=None):
        self.times = times
        if status is not None:
            self._client = SimpleNamespace(status=status)

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.times -= 1
        if self.times >= 0:
            future.set_exception(CancelledError())
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_task_that_was_cancelled_is_no_failed_evaluation(tmp_path):
    study = make(tmp_path, algorithm="naive", options={"evaluations_each": 4})
    report = run_study(study, simulators.trade_off, executor=Cancelling(5, "running"), jobs=1)
    assert report.finished
    assert report.failures == study.status().failures == 0


def test_without_a_scheduler_the_run_is_over_at_once(tmp_path):
    study = make(tmp_path, **NAIVE)
    with pytest.raises(ConewiseError, match=r"^the Dask scheduler has gone; .* run again to continue"):
        run_study(study, simulators.trade_off, executor=Cancelling(5, "connecting"), jobs=1)
    assert study.status().failures == 0
    assert study.leases() == []
