"""kill -9 at random moments of `conewise study run`: nothing acknowledged is lost or doubled, the answer is the same.

20 runs of one study are killed, the whole process group at once: 16 that evaluate in the run's own process and 4 with
workers, some anywhere from their start on, most after they have told something.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from shared import simulators
from shared.processes import LIMIT, born, is_gone, wait_until

from conewise import Cone
from conewise.noise import Gaussian
from conewise.studies.running.runner import run_study
from conewise.studies.study import Study

TESTS = Path(__file__).parents[1]
DRIVER = TESTS / "shared" / "crash_driver.py"
PLACES = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
ENVIRONMENT = os.environ | {"PYTHONPATH": PLACES, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "error"}
TOML = """
objectives = ["gain", "cost"]
epsilon = 0.05
delta = 0.05
designs = { count = 24 }
noise = { kind = "gaussian", sigma = 0.1 }
run = { function = "shared.simulators:slow", batch = 3 }
"""


def make(path: Path) -> Study:
    rows = [{"name": f"d{k}", "x": k / 24, "seconds": 0.002} for k in range(24)]
    noise = Gaussian(simulators.SIGMA)
    settings = {"epsilon": 0.05, "delta": 0.05, "noise": noise, "objectives": ["gain", "cost"], "minimise": ["cost"]}
    return Study.create(path, designs=rows, cone=Cone.planar(120), seed=11, algorithm="elimination", **settings)


def drive(folder: Path, phases: list[dict]) -> list[dict]:
    settings = {
        "study": str(folder / "trial.db"),
        "acknowledged": str(folder / "acknowledged"),
        "errors": str(folder / "errors"),
        "seed": 1,
        "phases": phases,
    }
    command = [sys.executable, str(DRIVER), json.dumps(settings)]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def told_in_the_journal(study: Study) -> Counter:
    entries = (entry for block in study.journal.read(0) for entry in block)
    return Counter(identity for e in entries if e.kind == "tell" for identity in e.evaluations.split(","))


def test_killed_runs_end_like_one_that_was_never_interrupted(tmp_path):
    make(tmp_path / "trial.db").close()
    (tmp_path / "trial.toml").write_text(TOML, encoding="utf-8")
    toml = ["--toml", str(tmp_path / "trial.toml"), "--jobs"]
    phases = [
        {"kills": 16, "early_ones": 4, "longest": 0.04, "arguments": [*toml, "0"]},
        {"kills": 4, "early_ones": 4, "longest": 0.04, "arguments": [*toml, "2"]},
    ]
    alone, workers = drive(tmp_path, phases)
    assert (alone["kills"], workers["kills"]) == (16, 4)
    assert alone["before_the_first_tell"] <= 4  # those that do not wait for a first tell: every fourth

    with Study.open(tmp_path / "trial.db") as killed, make(tmp_path / "reference.db") as reference:
        assert not killed.finished  # or the last kills would have hit nothing
        report = run_study(killed, simulators.trade_off, jobs=0)
        assert report.finished
        assert report.failures == killed.status().failures == 0
        run_study(reference, simulators.trade_off, jobs=0)

        assert set(told_in_the_journal(killed).values()) == {1}
        ours, theirs = killed.result(), reference.result()
        for part in ("pareto", "status", "counts", "means"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
        assert ours.certified_epsilon == theirs.certified_epsilon
        assert ours.evaluations > 1000
        used = [f"d{design}n{number}" for design, count in enumerate(ours.counts.tolist()) for number in range(count)]
        one, other = killed.evaluations(), reference.evaluations()
        one, other = (dict(zip(told.ids, told.values.tolist(), strict=True)) for told in (one, other))
        assert {identity: one[identity] for identity in used} == {identity: other[identity] for identity in used}
        acknowledged = [json.loads(line) for line in (tmp_path / "acknowledged").read_text().splitlines()]
        assert len(acknowledged) >= 15  # from each of the others at least one
        assert max(Counter(identity for identity, _ in acknowledged).values()) == 1
        assert all(one[identity] == values for identity, values in acknowledged)


@pytest.mark.parametrize("evaluator", ["function", "command"])
def test_workers_and_their_commands_end_with_a_run_that_is_killed(tmp_path, evaluator):
    rows = [{"name": f"d{k}", "folder": str(tmp_path)} for k in range(4)]
    settings = {"algorithm": "naive", "options": {"evaluations_each": 2}, "noise": Gaussian(1)}
    Study.create(tmp_path / "trial.db", designs=rows, cone=Cone.orthant(2), epsilon=0.1, delta=0.1, **settings).close()
    simulate = tmp_path / "simulate"
    simulate.write_text('#!/bin/sh\necho $$ > "$1/part$$" && mv "$1/part$$" "$1/command$$.pid"\nexec sleep 3600\n')
    simulate.chmod(0o755)
    what = {"function": ["--function", "shared.simulators:hangs"], "command": ["--command", f"{simulate} {{folder}}"]}
    command = [sys.executable, "-m", "conewise", "study", "run", "trial.db", "--jobs", "2", *what[evaluator]]
    run = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: len(list(tmp_path.glob("*.pid"))) == 2, "two evaluations at work")
        started = [int(path.read_text()) for path in tmp_path.glob("*.pid")]
        births = {process: born(process) for process in started}
        assert not any(is_gone(process) for process in started)
        os.kill(run.pid, signal.SIGKILL)
        run.wait(LIMIT)
        wait_until(lambda: all(is_gone(process, births[process]) for process in started), "the end of the workers")
    finally:
        run.kill()
        run.communicate()
