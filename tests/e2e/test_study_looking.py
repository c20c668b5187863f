"""`conewise study init`, `fail`, `log`, `status --designs`, `run --max-evaluations`, as their users type them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from conewise.cli.main import main
from conewise.studies.study import Study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def conewise(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["study", *map(str, arguments)])
    out, err = capsys.readouterr()
    return caught.value.code, out, err


def succeeds(capsys, *arguments: str) -> str:
    code, out, err = conewise(capsys, *arguments)
    assert code == 0, err
    return out


def refused(capsys, *arguments: str) -> str:
    code, out, err = conewise(capsys, *arguments)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"conewise: [^\n]+[.?]\n", err), err
    return err


@pytest.fixture
def trial(folder, capsys):
    succeeds(capsys, "init")
    succeeds(capsys, "create", "trial.toml")
    return "trial.db"


def test_what_init_writes_runs_as_it_stands(trial, capsys):
    said = succeeds(capsys, "run", trial, "--toml", "trial.toml", "--jobs", "0")
    assert said.startswith("Finished after ")
    assert "guaranteed: within epsilon = 0.5" in said


def test_what_init_writes_is_true_with_its_comments_taken_away(trial):
    """The lines that are commented out name keys that exist, in the tables under which they stand."""
    text = Path("trial.toml").read_text(encoding="utf-8")
    longer = re.sub(r"(?m)^# (\[algorithm\]|success|max_evaluations)", r"\1", text)
    Path("longer.toml").write_text(longer, encoding="utf-8")
    assert tomllib.loads(longer)["algorithm"] == {"success": "contain", "max_evaluations": 10000}
    with pytest.raises(SystemExit) as caught:
        main(["study", "create", "longer.toml"])
    assert caught.value.code == 0


def test_init_replaces_no_file_unasked(folder, capsys):
    Path("mine.toml").write_text("mine", encoding="utf-8")
    assert "mine.toml exists already" in refused(capsys, "init", "mine.toml")
    assert Path("mine.toml").read_text(encoding="utf-8") == "mine"
    assert json.loads(succeeds(capsys, "init", "mine.toml", "--force", "--json"))["file"] == "mine.toml"
    assert "cannot be written" in refused(capsys, "init", "nowhere/mine.toml")


def test_a_failure_is_recorded_and_the_evaluation_is_open_again(trial, capsys):
    succeeds(capsys, "ask", trial, "-n", "2")
    assert "d2n0 was never handed out" in refused(capsys, "fail", trial, "d2n0", "--reason", "none")
    assert succeeds(capsys, "fail", trial, "d0n0", "--reason", "the pump broke") == (
        "1 evaluation failed (1 in all), open again.\n"
    )
    succeeds(capsys, "tell", trial, "d1n0", "1", "2")
    said = json.loads(succeeds(capsys, "fail", trial, "d1n0", "--reason", "too late", "--json"))
    assert (said["failed"], said["reason"], said["failures_in_all"]) == (0, "too late", 1)
    handed = json.loads(succeeds(capsys, "ask", trial, "-n", "9", "--json"))["evaluations"]
    assert [(e["id"], e["attempt"]) for e in handed if e["design"] == 0][:1] == [("d0n0", 1)]


def test_the_log_shows_who_did_what(trial, capsys):
    succeeds(capsys, "ask", trial, "-n", "2", "--worker", "Marie")
    succeeds(capsys, "tell", trial, "d0n0", "61.5", "4", "--worker", "Marie")
    succeeds(capsys, "correct", trial, "d0n0", "61.4", "4", "--reason", "a slip")
    lines = succeeds(capsys, "log", trial).splitlines()
    assert [line.split()[3] for line in lines] == ["ask", "tell", "correct"]
    assert lines[0].endswith("d0n0 d1n0 (Marie)")
    assert lines[1].endswith("d0n0: 61.5, 4.0 (Marie)")
    assert lines[2].endswith("d0n0: 61.4, 4.0; a slip")
    assert succeeds(capsys, "log", trial, "-n", "1").splitlines() == lines[2:]
    entries = json.loads(succeeds(capsys, "log", trial, "--all", "--json"))["entries"]
    assert [(e["seq"], e["kind"], e["evaluations"]) for e in entries] == [
        (1, "ask", ["d0n0", "d1n0"]),
        (2, "tell", ["d0n0"]),
        (3, "correct", ["d0n0"]),
    ]
    assert entries[1]["numbers"] == [61.5, 4.0]


def test_status_has_a_line_a_design_and_who_has_what(trial, capsys):
    succeeds(capsys, "ask", trial, "-n", "5", "--worker", "Marie")
    succeeds(capsys, "tell", trial, "d0n0", "61.5", "4")
    table = succeeds(capsys, "status", trial, "--designs").split("Designs (times are UTC)")[1]
    (cold,), (warm,) = (
        [line for line in table.splitlines() if line.split()[:1] == [name]] for name in ("cold", "warm")
    )
    assert cold.split()[:5] == ["cold", "undecided", "1", "61.5", "4"]
    assert re.search(r"Marie: d0n1 until \d{4}-\d\d-\d\d \d\d:\d\d", cold)
    assert re.search(r"undecided +0 +Marie: d1n0 until", warm)
    found = json.loads(succeeds(capsys, "status", trial, "--designs", "--json"))
    assert found["by_design"][0] == {
        "design": "cold",
        "status": "undecided",
        "evaluations": 1,
        "averages": {"yield": 61.5, "cost": 4.0},
    }
    assert found["by_design"][1]["averages"] == {"yield": None, "cost": None}
    assert {lease["evaluation"] for lease in found["leases"]} == {"d0n1", "d1n0", "d2n0", "d3n0"}
    assert "by_design" not in json.loads(succeeds(capsys, "status", trial, "--json"))


def test_nothing_is_handed_out_ahead_where_nobody_wants_that(trial, capsys):
    with Study.open(trial) as study:
        now = len(study.ask(1000, ahead=False))
        study.release([lease.evaluation for lease in study.leases()])
        assert len(study.ask(1000)) > now
        study.release([lease.evaluation for lease in study.leases()])
    handed = json.loads(succeeds(capsys, "ask", trial, "-n", "1000", "--no-ahead", "--json"))["evaluations"]
    assert len(handed) == now


def test_a_run_ends_after_its_number_of_evaluations(trial, capsys):
    code, out, _ = conewise(
        capsys, "run", trial, "--toml", "trial.toml", "--jobs", "0", "--max-evaluations", "3", "--json"
    )
    found = json.loads(out)
    assert code == 3
    assert (found["evaluations"], found["in_flight"]) == (3, 0)
    assert found["run"]["stopped_because"] == "max_evaluations of this run are told"
