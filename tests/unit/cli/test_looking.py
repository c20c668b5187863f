"""`conewise study init`, `fail`, `log`, `status --designs`, `run --max-evaluations`, as their users type them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from shared.laboratory import conewise, data, succeeds

from conewise.studies.study import Study


def test_the_log_shows_who_did_what(begun, capsys):
    succeeds(capsys, "ask", begun, "-n", "2", "--worker", "Marie")
    succeeds(capsys, "tell", begun, "d0n0", "61.5", "4", "--worker", "Marie")
    succeeds(capsys, "correct", begun, "d0n0", "61.4", "4", "--reason", "a slip")
    lines = succeeds(capsys, "log", begun).splitlines()
    assert [line.split()[3] for line in lines] == ["ask", "tell", "correct"]
    assert lines[0].endswith("d0n0 d1n0 (Marie)")
    assert lines[1].endswith("d0n0: 61.5, 4.0 (Marie)")
    assert lines[2].endswith("d0n0: 61.4, 4.0; a slip")
    assert succeeds(capsys, "log", begun, "-n", "1").splitlines() == lines[2:]
    entries = json.loads(succeeds(capsys, "log", begun, "--all", "--json"))["entries"]
    assert [(e["seq"], e["kind"], e["ids"]) for e in entries] == [
        (1, "ask", ["d0n0", "d1n0"]),
        (2, "tell", ["d0n0"]),
        (3, "correct", ["d0n0"]),
    ]
    assert entries[1]["numbers"] == [61.5, 4.0]


def test_status_has_a_line_a_design_and_who_has_what(begun, capsys):
    succeeds(capsys, "ask", begun, "-n", "5", "--worker", "Marie")
    succeeds(capsys, "tell", begun, "d0n0", "61.5", "4")
    table = succeeds(capsys, "status", begun, "--designs").split("Designs (times are UTC)")[1]
    (cold,), (warm,) = (
        [line for line in table.splitlines() if line.split()[:1] == [name]] for name in ("cold", "warm")
    )
    assert cold.split()[:5] == ["cold", "undecided", "1", "61.5", "4"]
    assert re.search(r"Marie: d0n1 until \d{4}-\d\d-\d\d \d\d:\d\d", cold)
    assert re.search(r"undecided +0 +Marie: d1n0 until", warm)
    found = json.loads(succeeds(capsys, "status", begun, "--designs", "--json"))
    assert found["designs"][0] == {
        "name": "cold",
        "status": "undecided",
        "returned": False,
        "by": None,
        "certainly_pareto": False,
        "evaluations": 1,
        "means": {"yield": 61.5, "cost": 4.0},
        "standard_errors": {"yield": None, "cost": None},
        "probability": None,  # no model
        "evidence": None,
        "repetitions": None,  # an evaluation has all objectives
    }
    assert found["designs"][1]["means"] == {"yield": None, "cost": None}
    assert {lease["id"] for lease in found["leases"]} == {"d0n1", "d1n0", "d2n0", "d3n0"}
    assert "designs" not in json.loads(succeeds(capsys, "status", begun, "--json"))


def test_nothing_is_handed_out_ahead_where_nobody_wants_that(begun, capsys):
    with Study.open(begun) as study:
        now = len(study.ask(1000, ahead=False))
        study.release([lease.evaluation for lease in study.leases()])
        assert len(study.ask(1000)) > now
        study.release([lease.evaluation for lease in study.leases()])
    handed = json.loads(succeeds(capsys, "ask", begun, "-n", "1000", "--no-ahead", "--json"))["handed_out"]
    assert len(handed) == now


def test_a_list_leaves_out_what_is_no_study(trial, capsys):
    Path("foreign.db").write_text("not a database, only called like one\n" * 50)
    code, out, err = conewise(capsys, "list", ".")
    assert code == 0
    assert "1 study in ." in out
    assert "left out: foreign.db" in err
    found = data(capsys, "list", ".")
    assert [study["study"] for study in found["studies"]] == ["trial"]
    assert [other["place"] for other in found["unreadable"]] == ["foreign.db"]


def test_status_is_watched_until_the_end(trial, capsys):
    succeeds(capsys, "run", trial, "--toml", "trial.toml")
    said = succeeds(capsys, "status", trial, "--watch")
    assert said.startswith("12 evaluations, 0 in flight, 0 failures; ")
    said = succeeds(capsys, "status", trial)
    assert re.search(r"^certified epsilon +\S+ \(asked for: 0.1\)$", said, re.MULTILINE)
