"""Executors: any of them, grouped tasks, tasks that take too long, and broken ones."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from shared import simulators
from shared.running import Broken, designs, make, nothing_in_flight, same_answer

from conewise import ConewiseError
from conewise.studies.running import executors
from conewise.studies.running.runner import run_study


def test_any_executor(tmp_path, reference):
    study = make(tmp_path)
    with ThreadPoolExecutor(3) as threads:
        assert run_study(study, simulators.trade_off, executor=threads).finished
        assert threads.submit(int, "7").result() == 7  # it belongs to whoever made it, and stays open
    same_answer(study, reference)
    nothing_in_flight(study)


@pytest.mark.parametrize(("seconds", "enough", "least", "most"), [(0.0, 400, 20, 500), (0.3, 3, 1, 1)])
def test_fast_evaluations_are_grouped_and_slow_ones_are_not(tmp_path, seconds, enough, least, most):
    rows = [{**row, "seconds": seconds} for row in designs(tmp_path)]
    study = make(tmp_path, designs=rows, algorithm="naive", options={"evaluations_each": 1000})
    sizes = []
    run_study(
        study,
        simulators.slow,
        jobs=0,
        stop=lambda: sum(sizes) >= enough,
        on_event=lambda event: sizes.append(event.count) if event.kind == "told" else None,
    )
    assert least <= max(sizes) <= most


def test_a_task_that_takes_too_long_returns_what_it_has(tmp_path, monkeypatch, reference):
    monkeypatch.setattr(executors, "PATIENCE", 0.0)
    events = []
    study = make(tmp_path)
    run_study(study, simulators.trade_off, jobs=0, batch=10, on_event=events.append)
    assert {event.count for event in events if event.kind == "told"} == {1}
    same_answer(study, reference)


def pool():
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def test_a_broken_executor_is_made_again_if_we_know_how(tmp_path):
    study, events = make(tmp_path), []
    report = run_study(study, simulators.killed_once, executor=pool, batch=2, on_event=events.append)
    assert report.finished
    assert any(event.kind == "lost" and "BrokenProcessPool" in event.text for event in events)
    nothing_in_flight(study)


def test_an_executor_that_is_broken_for_good_stops_the_run(tmp_path):
    from concurrent.futures.process import BrokenProcessPool

    study = make(tmp_path)
    with pytest.raises(ConewiseError, match=r"workers have gone .*; run again with a new executor to continue"):
        run_study(study, simulators.trade_off, executor=Broken(BrokenProcessPool("a process died")))
    nothing_in_flight(study)
    with pytest.raises(
        ConewiseError, match="first 3 attempts all failed, the last time because: OSError: no route to host"
    ):
        run_study(study, simulators.trade_off, executor=Broken(OSError("no route to host")))
    nothing_in_flight(study)
    with ThreadPoolExecutor(1) as closed:
        pass
    with pytest.raises(ConewiseError, match="takes no more work"):
        run_study(study, simulators.trade_off, executor=closed)
    nothing_in_flight(study)
