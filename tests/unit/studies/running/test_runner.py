"""The runner: whoever evaluates, however it ends, the study is the same and nothing is lost."""

from __future__ import annotations

import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from shared import simulators
from shared.processes import LIMIT
from shared.running import NAIVE, Broken, make, nothing_in_flight, same_answer, values

from conewise import ConewiseError, InputError
from conewise.problems.evaluators import Command, PythonFunction
from conewise.studies.running import runner
from conewise.studies.running.runner import run_study
from conewise.studies.study import Study

# -- whoever evaluates ---------------------------------------------------------------------------------------------


def test_nobody_waits_for_the_slowest(tmp_path, monkeypatch):
    """One evaluation does not return before others have that are beyond its round: with a barrier it never would."""
    monkeypatch.setattr(runner, "ALONE", 0.0)
    done, lock, others = [], threading.Lock(), threading.Event()
    a_round = len(make(tmp_path, "twin").ask(1000, ahead=False))

    def patient(design, seed):
        with lock:
            first = not done
            done.append(design["name"])
        if first:
            assert others.wait(LIMIT)
        elif len(done) > a_round + 2:
            others.set()
        return simulators.trade_off(design, seed)

    study = make(tmp_path)
    with ThreadPoolExecutor(2) as threads:
        report = run_study(study, patient, executor=threads, batch=1, stop=lambda: len(done) > a_round + 3)
    assert report.failures == 0
    assert report.told > a_round


def test_two_runs_share_a_study(tmp_path, reference):
    study = make(tmp_path)
    reports, counts = [], {}

    def one(number):
        def evaluate(design, seed):
            with lock:
                counts[seed] = counts.get(seed, 0) + 1
            return simulators.slow(design, seed)

        with Study.open(tmp_path / "trial.db") as mine:
            reports.append(run_study(mine, evaluate, jobs=0, batch=2))

    lock = threading.Lock()
    threads = [threading.Thread(target=one, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert len(reports) == 2
    assert sum(report.told for report in reports) == study.status().evaluations
    assert all(report.told for report in reports)
    assert set(counts.values()) == {1}  # nobody was handed what another had
    same_answer(study, reference)


# -- failures ------------------------------------------------------------------------------------------------------


def test_failures_are_recorded_and_tried_again_with_another_seed(tmp_path):
    study, events = make(tmp_path), []
    report = run_study(study, simulators.fussy, jobs=0, retries=30, on_event=events.append)
    assert report.finished
    assert report.failures == study.status().failures == sum(event.kind == "failed" for event in events)
    assert report.failures > 10
    first = next(event for event in events if event.kind == "failed")
    assert re.search(r"did not converge \(simulators.py, line \d+\)$", first.text)
    assert "attempt 1" in first.text
    again = make(tmp_path, "again")
    run_study(again, simulators.fussy, jobs=0, retries=30, batch=3)
    same_answer(again, study)


@pytest.mark.parametrize("retries", [0, 2])
def test_what_fails_too_often_stops_the_run_with_a_sentence(tmp_path, retries):
    study = make(tmp_path)
    with pytest.raises(ConewiseError) as caught:
        run_study(study, simulators.hopeless, jobs=0, retries=retries)
    attempts = "1 attempt" if retries == 0 else "3 attempts"
    assert str(caught.value).startswith(f"evaluation d1n0 of design 'd1' failed in {attempts}, the last time because: ")
    assert "RuntimeError: the third pump is broken" in str(caught.value)
    assert "run again to continue" in str(caught.value)
    assert study.status().failures >= retries + 1
    assert study.status().evaluations > 0
    nothing_in_flight(study)
    assert run_study(study, simulators.trade_off, jobs=0).finished  # mended


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        ("shared.simulators:no_such_function", "cannot be imported: AttributeError"),
        ("./no-such-program {x}", "cannot be started: No such file"),
        ("simulate {temperature}", r"asks for \{temperature\}, but the designs have name, x, folder"),
    ],
)
@pytest.mark.parametrize("jobs", [0, 1])
def test_what_can_never_work_is_no_failure_of_an_evaluation(tmp_path, evaluator, words, jobs):
    study = make(tmp_path)
    with pytest.raises(InputError, match=words):
        run_study(study, evaluator, jobs=jobs)
    assert study.status().failures == 0
    nothing_in_flight(study)


def test_somebody_else_was_faster(tmp_path):
    study, events = make(tmp_path), []

    def overtaken(design, seed):
        lease = next((lease for lease in study.leases() if lease.evaluation.startswith("d3n")), None)
        if lease is not None and design["name"] == "d3" and not events:
            events.append(lease.evaluation)
            study.tell([lease.evaluation], [[0.25, 0.5]])
        return simulators.trade_off(design, seed)

    report = run_study(
        study, overtaken, jobs=0, batch=1, on_event=lambda e: events.append(e) if e.kind == "late" else None
    )
    assert report.finished
    told, late = events
    assert late.text.startswith(f"{told} was told by another worker")
    assert values(study)[told] == (0.25, 0.5)
    assert study.status().failures == 0


# -- workers that hang or die --------------------------------------------------------------------------------------


# -- how a run ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_run_makes_no_more_evaluations_than_it_may(tmp_path, jobs):
    with make(tmp_path) as study:
        report = run_study(study, simulators.trade_off, jobs=jobs, max_evaluations=7)
        assert (report.told, report.finished) == (7, False)
        assert report.stopped_because == "max_evaluations of this run are told"
        assert (study.status().evaluations, study.leases()) == (7, [])
        with pytest.raises(InputError, match="max_evaluations"):
            run_study(study, simulators.trade_off, jobs=0, max_evaluations=0)


def test_a_run_that_is_stopped_is_continued(tmp_path, reference):
    study = make(tmp_path)
    runs = 0
    while True:
        told = []
        count = lambda event, told=told: told.append(event.count) if event.kind == "told" else None  # noqa: E731
        report = run_study(
            study, simulators.trade_off, jobs=0, batch=4, on_event=count, stop=lambda told=told: sum(told) > 20
        )
        runs += 1
        nothing_in_flight(study)
        if report.finished:
            break
        assert report.stopped_because == "stopped on request"
    assert runs > 2
    same_answer(study, reference)
    assert run_study(study, simulators.trade_off, jobs=0).told == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stores_what_is_done_and_hands_back_the_rest(tmp_path, reference, number):
    study = make(tmp_path)
    before = signal.getsignal(number)
    told = []

    def interrupt(event):
        if event.kind == "told":
            told.append(event.count)
            if len(told) == 3:
                signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt, match="evaluations were told in this run"):
        run_study(study, simulators.trade_off, jobs=0, batch=2, on_event=interrupt)
    assert signal.getsignal(number) is before
    assert study.status().evaluations == sum(told)
    nothing_in_flight(study)
    run_study(study, simulators.trade_off, jobs=0)
    same_answer(study, reference)


def test_an_error_of_the_display_or_the_storage_ends_the_run_and_nothing_else(tmp_path, monkeypatch, reference):
    study = make(tmp_path)

    def broken_display(event):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_study(study, simulators.trade_off, jobs=0, on_event=broken_display)
    nothing_in_flight(study)

    def full(*_, **__):
        raise ConewiseError("the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(study, "tell", full)
        with pytest.raises(ConewiseError, match="the disk is full"):
            run_study(study, simulators.trade_off, jobs=0)
    nothing_in_flight(study)
    run_study(study, simulators.trade_off, jobs=0)
    same_answer(study, reference)


def test_what_others_have_in_hand_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "WAIT_FOR_OTHERS", 0.01)
    study = make(tmp_path, **NAIVE)
    theirs = study.ask(1, worker="Marie")
    said = []

    def answer(event):
        if event.kind == "waiting" and not said:
            said.append(event.text)
            study.tell(theirs, [simulators.trade_off(e.row, e.seed) for e in theirs])

    assert run_study(study, simulators.trade_off, jobs=0, on_event=answer).finished
    assert "1 evaluation, is in the hands of Marie; the first lease ends in 60 minutes" in said[0]


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"jobs": -1}, "jobs must be at least 0"),
        ({"jobs": 1.5}, "jobs must be a whole number"),
        ({"retries": -1}, "retries must be at least 0"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"time_limit": 0}, "time_limit must be above 0"),
        ({"time_limit": 1.0, "jobs": 0}, "`time_limit` needs `jobs=1` or more"),
        ({"time_limit": 1.0, "executor": Broken(OSError())}, "an executor cannot end a Python function that hangs"),
        ({"executor": 3}, "a concurrent.futures.Executor, a function that makes one, or a Dask client, got int"),
        ({"executor": dict}, "a concurrent.futures.Executor, a function that makes one, or a Dask client, got dict"),
        ({"jobs": 0, "executor": Broken(OSError())}, "jobs must be at least 1"),
    ],
    ids=str,
)
def test_arguments(tmp_path, settings, words):
    study = make(tmp_path)
    with pytest.raises(InputError, match=words):
        run_study(study, simulators.trade_off, **settings)
    nothing_in_flight(study)


def test_commands_keep_their_own_time(tmp_path):
    study = make(tmp_path, **NAIVE)
    with ThreadPoolExecutor(2) as threads:
        report = run_study(study, Command("echo {x} 0.5"), executor=threads, time_limit=30.0)
    assert report.finished
    assert values(study)["d2n0"] == (0.4, 0.5)
    with pytest.raises(ConewiseError, match=r"no answer within 0\.2 seconds"):
        run_study(make(tmp_path, "late"), Command("sleep 600"), jobs=0, time_limit=0.2, retries=0)
    assert PythonFunction("a:b").ends_itself is False
