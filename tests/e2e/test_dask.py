"""A real Dask cluster: two worker processes, one of them killed in the middle, and the cache that must not be used."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from shared import simulators
from shared.processes import wait_until

from conewise import Cone, InputError
from conewise.cli.main import main
from conewise.models import Smooth
from conewise.noise import Gaussian
from conewise.studies.running.runner import run_study
from conewise.studies.study import Study

distributed = pytest.importorskip("distributed")

LIMIT = 60  # seconds for a cluster to start
PLACES = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, silence_logs=50) as running:
        yield running


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as connected:
        connected.wait_for_workers(2, timeout=LIMIT)
        yield connected


def make(path: Path) -> Study:
    rows = [{"name": f"d{k}", "x": k / 4, "seconds": 0.02} for k in range(4)]
    settings = {"algorithm": "naive", "options": {"evaluations_each": 25}, "noise": Gaussian(simulators.SIGMA)}
    return Study.create(path, designs=rows, cone=Cone.orthant(2), epsilon=0.1, delta=0.1, seed=2, **settings)


def test_equal_calls_are_answered_from_memory_unless_we_say_that_they_are_noisy(client):
    def values(executor):
        return {future.result() for future in [executor.submit(simulators.draw) for _ in range(8)]}

    assert len(values(client.get_executor())) == 1  # why the default is refused
    assert len(values(client.get_executor(pure=False))) == 8


@pytest.mark.parametrize("options", [{}, {"pure": True}], ids=str)
def test_an_executor_that_caches_noise_is_refused(client, tmp_path, options):
    with make(tmp_path / "trial.db") as study:
        with pytest.raises(InputError, match=r"Dask would cache noise: .*get_executor\(pure=False\)"):
            run_study(study, simulators.trade_off, executor=client.get_executor(**options))
        assert study.leases() == []


def test_a_worker_killed_in_the_middle_changes_nothing(client, tmp_path):
    before = set(client.run(os.getpid).values())
    assert len(before) == 2
    told = []

    def kill_one(event):
        if event.kind == "told":
            told.append(event.count)
            if sum(told) > 20 and len(told) > 1 and killed == []:
                killed.append(min(before))
                os.kill(killed[0], signal.SIGKILL)

    killed: list[int] = []
    with make(tmp_path / "trial.db") as study, make(tmp_path / "reference.db") as reference:
        report = run_study(study, simulators.slow, executor=client, on_event=kill_one, batch=2)
        assert killed
        assert report.finished
        assert sum(told) == report.told == 100
        run_study(reference, simulators.trade_off, jobs=0)
        ours, theirs = study.evaluations(), reference.evaluations()
        assert ours.ids == theirs.ids
        if not report.failures:  # Dask evaluates lost tasks again by itself, with the same seeds
            np.testing.assert_array_equal(ours.values, theirs.values)
        assert len(np.unique(ours.values, axis=0)) == 100
        assert study.leases() == []


def test_a_model_asks_for_the_same_and_answers_the_same_on_a_cluster(client, tmp_path):
    """Which evaluations a model wants next depends on the values alone, not on who made them."""
    rows = [{"name": f"d{k}", "x": k / 9} for k in range(10)]
    asked = {"cone": Cone.orthant(2), "epsilon": 0.3, "delta": 0.1, "noise": Gaussian(simulators.SIGMA), "seed": 2}
    answers = []
    for where, crew in (("cluster.db", {"executor": client}), ("here.db", {"jobs": 0})):
        model = Smooth([[row["x"]] for row in rows])
        with Study.create(tmp_path / where, designs=rows, model=model, **asked) as study:
            assert run_study(study, simulators.trade_off, **crew).finished
            result, told = study.result(), study.evaluations()
        answers.append((result.indices, result.evaluations, str(result.guarantee), sorted(told.ids)))
    assert answers[0][:3] == answers[1][:3]
    assert set(answers[0][3]) >= set(answers[1][3])  # a cluster may be ahead of what turns out to be needed


def test_the_command_evaluates_on_a_cluster(cluster, client, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "trial.db").close()
    function = ["--function", "shared.simulators:trade_off"]
    with pytest.raises(SystemExit) as caught:
        main(["study", "run", "trial.db", *function, "--dask", cluster.scheduler_address, "--json"])
    out, err = capsys.readouterr()
    assert caught.value.code == 0, err
    found = json.loads(out)
    assert found["finished"]
    assert found["run"]["told"] == 100


def test_a_scheduler_without_workers_is_said_to_have_none(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "trial.db").close()
    options = {"n_workers": 0, "dashboard_address": ":0", "silence_logs": 50}
    function = ["--function", "shared.simulators:trade_off", "--max-seconds", "0"]
    with distributed.LocalCluster(**options) as empty:
        address = empty.scheduler_address
        with pytest.raises(SystemExit) as caught:
            main(["study", "run", "trial.db", *function, "--dask", address])
    _, err = capsys.readouterr()
    assert caught.value.code == 3
    assert err == f"Note: the Dask scheduler at {address} has no workers yet; everything waits for them.\n"


def test_a_scheduler_that_is_not_there(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("conewise.cli.options.CONNECT", 0.5)
    make(tmp_path / "trial.db").close()
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(SystemExit) as caught:
            main(["study", "run", "trial.db", "--function", "shared.simulators:trade_off", "--dask", address])
        out, err = capsys.readouterr()
        assert caught.value.code == 2
        assert out == ""
        assert err.startswith(f"conewise: no Dask scheduler answers at {address}")
        assert err.count("\n") == 1


ALL_IN_ONE = """
from distributed import LocalCluster
options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "protocol": "tcp", "dashboard_address": None}
with LocalCluster(**options) as cluster:
    print(cluster.scheduler_address, flush=True)
    input()
"""


def test_a_scheduler_that_is_killed_is_one_line_and_no_failure(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "trial.db").close()
    everything = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    cluster = subprocess.Popen(
        [sys.executable, "-c", ALL_IN_ONE], **everything, env=os.environ | {"PYTHONPATH": PLACES}
    )

    def kill_after_the_first_values():
        with Study.open("trial.db", read_only=True) as study:
            wait_until(lambda: len(study.evaluations()) > 0, "the first evaluation")
        cluster.kill()

    killer = threading.Thread(target=kill_after_the_first_values)
    try:
        address = cluster.stdout.readline().strip()
        killer.start()
        with pytest.raises(SystemExit) as caught:
            main(["study", "run", "trial.db", "--function", "shared.simulators:slow", "--dask", address, "--json"])
    finally:
        killer.join()
        cluster.kill()
        cluster.communicate()
    out, err = capfd.readouterr()
    assert caught.value.code == 2
    assert out == ""
    assert err == (
        "conewise: the Dask scheduler has gone; what was told is in the journal: run again to continue when it is "
        "back.\n"
    )
    with Study.open("trial.db") as study:
        status = study.status()
        assert status.evaluations > 0
        assert status.failures == 0
        assert study.leases() == []
