"""`conewise study run`: what evaluates, how long, and what is said when it goes wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from shared.laboratory import TOML, conewise, data, refused, succeeds

from conewise.studies.study import Study


def test_a_run_ends_after_its_number_of_evaluations(begun, capsys):
    code, out, _ = conewise(
        capsys, "run", begun, "--toml", "trial.toml", "--jobs", "0", "--max-evaluations", "3", "--json"
    )
    found = json.loads(out)
    assert code == 3
    assert (found["evaluations"], found["in_flight"]) == (3, 0)
    assert found["run"]["stopped_because"] == "max_evaluations of this run are told"


def test_a_command_evaluates(trial, capsys):
    # each value arrives as one argument, whatever is in it
    command = """sh -c 'echo "$1" | wc -w; echo 0.5' sim {name}"""
    found = data(capsys, "run", trial, "--command", command, "--jobs", "0")
    assert found["finished"]
    assert found["run"]["told"] == 12
    with Study.open(trial) as study:
        told = study.evaluations()
        assert {name: value[0] for name, value in zip(told.name, told.values.tolist(), strict=True)} == {
            "007": 1,
            "blue steel": 2,
            "c": 1,
        }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say what evaluates: exactly one of --function, --command and --toml"),
        (["--function", "a:b", "--command", "ls"], "exactly one of"),
        (["--function", "simulate"], "a function is written module:function"),
        (["--function", "no_such_module:f"], "cannot be imported: ModuleNotFoundError"),
        (["--command", "./nothing-here"], "cannot be started: No such file"),
        (["--command", "simulate {temperature}"], "the command asks for {temperature}, but the designs have name, x"),
        (["--command", "'"], "cannot be split into words"),
        (["--toml", "nowhere.toml"], "nowhere.toml"),
        (["--toml", "other.toml"], "other.toml has the objectives gain, mass, but the study has gain, cost"),
        (["--toml", "silent.toml"], "silent.toml, [run]: say exactly one of function and command"),
        (
            ["--function", "shared.simulators:trade_off", "--time-limit", "3"],
            "cannot be ended, so --time-limit needs --jobs 1 or more",
        ),
        (["--function", "shared.simulators:trade_off", "--dask", "tcp://127.0.0.1:1"], "leave one of them out"),
        (["--function", "shared.simulators:trade_off", "--retries", "-1"], "-1 is not in the range"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_slips_of_a_run_are_one_line(trial, capsys, arguments, words):
    other = TOML.replace('objectives = ["gain", "cost"]', 'objectives = ["gain", "mass"]').replace('"cost"]', '"mass"]')
    Path("other.toml").write_text(other, encoding="utf-8")
    Path("silent.toml").write_text(TOML.split("[run]")[0], encoding="utf-8")
    assert words in refused(capsys, "run", trial, *arguments, "--jobs", "2" if "--dask" in arguments else "0")
    state = data(capsys, "status", trial)
    assert (state["evaluations"], state["failures"], state["in_flight"]) == (0, 0, 0)


def test_what_evaluates_is_never_in_the_study(trial, capsys):
    """It was made from a TOML with [run]; the file holds nothing of it."""
    assert b"simulators" in Path("trial.toml").read_bytes()
    assert b"simulators" not in Path(trial).read_bytes()
    assert "say what evaluates" in refused(capsys, "run", trial)


def test_a_failing_evaluator_stops_with_a_sentence(folder, capsys):
    (folder / "designs.csv").write_text("name,x\nd0,0\nd1,1\n", encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    code, out, err = conewise(
        capsys, "run", "trial.db", "--function", "shared.simulators:hopeless", "--jobs", "0", "--retries", "1"
    )
    assert code == 2
    assert out == ""
    *log, last = err.strip().splitlines()
    assert last.startswith("conewise: evaluation d1n0 of design 'd1' failed in 2 attempts, the last time because: ")
    assert "RuntimeError: the third pump is broken" in last
    assert any(line.startswith("failed: design 'd1', evaluation d1n0, attempt 1") for line in log)
    state = data(capsys, "status", "trial.db")
    assert state["in_flight"] == 0
    assert state["failures"] >= 2


def test_a_run_with_a_time_of_its_own_is_continued(trial, capsys, monkeypatch):
    monkeypatch.setattr("conewise.cli.run.FIRST_LINE", 0.0)
    code, said, _ = conewise(capsys, "run", trial, "--toml", "trial.toml", "--max-seconds", "0")
    assert code == 3
    assert re.match(
        r"Not finished \(stopped on request\) after 0 evaluations .*; still to do: about 12 evaluations; run again to "
        r"continue\.",
        said,
    )
    code, out, _ = conewise(capsys, "run", trial, "--toml", "trial.toml", "--max-seconds", "0", "--json")
    assert code == 3
    assert json.loads(out)["run"]["stopped_because"] == "stopped on request"
    assert json.loads(out)["remaining"] == 12
    code, out, err = conewise(capsys, "run", trial, "--toml", "trial.toml")
    assert code == 0
    assert out.startswith("Finished after 12 evaluations")
    assert re.match(r"1 evaluation, \d+ in flight, 0 failures; ", err)
    assert "\x1b" not in out + err
