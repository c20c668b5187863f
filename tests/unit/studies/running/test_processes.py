"""Processes of our own: what they print, how they end, and what can go to them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from shared import simulators
from shared.processes import LIMIT, is_gone
from shared.running import NAIVE, make, nothing_in_flight, same_answer

from conewise import ConewiseError, InputError
from conewise.studies.running.runner import run_study


@pytest.mark.parametrize(
    "settings", [{"jobs": 0}, {"jobs": 0, "batch": 7}, {"jobs": 2}, {"jobs": 2, "batch": 3}], ids=str
)
def test_processes_of_our_own(tmp_path, reference, settings):
    study = make(tmp_path)
    report = run_study(study, "shared.simulators:trade_off", **settings)
    assert report.finished
    assert report.stopped_because == "the study has all that it asked for"
    same_answer(study, reference)
    nothing_in_flight(study)


def test_what_a_function_prints_is_not_our_output(tmp_path, capfd):
    study = make(tmp_path, **NAIVE)
    run_study(study, simulators.noisy, jobs=0)
    out, err = capfd.readouterr()
    assert out == ""
    assert "a line on standard output" in err


def test_the_time_limit_ends_a_function_that_hangs(tmp_path):
    study, events = make(tmp_path), []
    report = run_study(study, simulators.hangs_once, jobs=2, time_limit=1.0, on_event=events.append)
    assert report.finished
    assert report.failures == study.status().failures == 1
    (failure,) = [event.text for event in events if event.kind == "failed"]
    assert "'d2'" in failure
    assert failure.endswith("no answer within 1 seconds")
    assert is_gone(int((tmp_path / "hung.pid").read_text()))


def test_whatever_a_function_raises_is_a_recorded_failure(tmp_path, capfd):
    study, events = make(tmp_path), []
    report = run_study(study, simulators.raises_once, jobs=1, on_event=events.append)
    assert report.finished
    assert report.failures == study.status().failures == 5
    failures = sorted(event.text.rpartition("attempt 1: ")[2] for event in events if event.kind == "failed")
    assert [words.partition(" (simulators.py")[0] for words in failures] == [
        "GeneratorExit",
        "KeyboardInterrupt",
        "Own",
        "RuntimeError: not computed",
        "ZeroDivisionError",
    ]
    assert "Traceback" not in capfd.readouterr().err


def test_an_interruption_in_this_process_ends_the_run_and_keeps_what_was_told(tmp_path):
    study, done = make(tmp_path), []

    def interrupted(design, seed):
        done.append(design["name"])
        if len(done) > 5:
            raise KeyboardInterrupt
        return simulators.trade_off(design, seed)

    with pytest.raises(KeyboardInterrupt):
        run_study(study, interrupted, jobs=0, batch=1)
    assert study.status().evaluations == 5
    nothing_in_flight(study)


@pytest.mark.parametrize(
    ("function", "words"),
    [("killed_once", "was killed by SIGKILL"), ("leaves_once", "ended with exit code 3")],
)
def test_a_worker_that_ends_is_a_recorded_failure_of_what_it_was_doing(tmp_path, function, words):
    study, events = make(tmp_path), []
    report = run_study(study, f"shared.simulators:{function}", jobs=2, batch=4, on_event=events.append)
    assert report.finished
    assert report.failures == study.status().failures == 1
    (failure,) = [event.text for event in events if event.kind == "failed"]
    assert "'d2'" in failure
    assert words in failure
    nothing_in_flight(study)


def test_workers_that_always_end_stop_the_run(tmp_path):
    study = make(tmp_path)
    with pytest.raises(ConewiseError, match=r"the first 3 attempts all failed, .* was killed by SIGKILL; mend"):
        run_study(study, simulators.killed_always, jobs=1)
    with pytest.raises(ConewiseError, match=r"of design .* failed in 1 attempt, .* was killed by SIGKILL"):
        run_study(study, simulators.killed_always, jobs=1, retries=0)
    nothing_in_flight(study)


def test_a_function_without_a_name_cannot_go_to_a_process(tmp_path, reference):
    study = make(tmp_path)
    nameless = lambda design, seed: simulators.trade_off(design, seed)  # noqa: E731
    with pytest.raises(InputError, match=r"cannot be handed to a process .*; define it in a module, .* `jobs=0`\.$"):
        run_study(study, nameless, jobs=1)
    with pytest.raises(InputError, match=r"with `jobs=0` \(without `time_limit`\)\.$"):
        run_study(study, nameless, time_limit=10.0)
    nothing_in_flight(study)
    assert run_study(study, nameless).finished  # nobody asked for processes: here it can be done
    same_answer(study, reference)


CELL = """
import sys
from conewise import Cone, ConewiseError, Study, run_study
from conewise.noise import Gaussian

def evaluate(design, seed):
    return [len(design["name"]), 0.5]

options = {"evaluations_each": 3}
study = Study.create(sys.argv[1], designs=["a", "bc"], cone=Cone.orthant(2), epsilon=0.1, delta=0.1,
                     noise=Gaussian(0.1), algorithm="naive", options=options)
try:
    run_study(study, evaluate, jobs=2)
except ConewiseError as error:
    print(error)
print(run_study(study, evaluate).told)
"""


def test_a_function_from_a_notebook(tmp_path):
    """As there, __main__ is no file: a worker that is handed the function would look for it in vain."""
    done = subprocess.run(
        [sys.executable, "-", str(tmp_path / "trial.db")], input=CELL, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.stderr == ""
    refusal, told = done.stdout.splitlines()
    assert "typed into a notebook or at a prompt cannot be handed to a process; define it in a module" in refusal
    assert told == "6"
