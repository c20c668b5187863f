"""`conewise study add`, `drop`, `change`, as their users type them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from shared.commandline import run as anything
from shared.laboratory import refused, succeeds

from conewise.studies.study import Study


@pytest.fixture
def trial(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    succeeds(capsys, "init")
    text = Path("trial.toml").read_text(encoding="utf-8").replace("# reserve = 0.5", "reserve = 0.5")
    Path("trial.toml").write_text(text, encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    return "trial.db"


def data(capsys, *arguments: str) -> dict:
    return json.loads(succeeds(capsys, *arguments, "--json"))


def run(capsys, trial):
    return succeeds(capsys, "run", trial, "--toml", "trial.toml", "--jobs", "0")


def test_an_export_with_a_new_column_has_the_values_of_an_objective_that_is_added(trial, capsys):
    for value in ("1", "2"):
        succeeds(capsys, "tell", trial, "--design", "long", value, "3")
    succeeds(capsys, "export", trial, "told.csv")
    header, *rows = Path("told.csv").read_text(encoding="utf-8").splitlines()
    table = [f"{header},price", *(f"{row},{k + 7}" for k, row in enumerate(rows))]
    Path("told.csv").write_text("\n".join(table), encoding="utf-8")
    said = ["price", "--file", "told.csv", "--unseen", "--noise", "unknown", "--reason", "asked for"]
    succeeds(capsys, "add-objective", trial, *said)
    with Study.open(trial) as study:
        assert study.evaluations().values[:, 2].tolist() == [7, 8]


def test_a_study_is_changed_and_goes_on(trial, capsys):
    assert "with probability at least 97.5 %" in run(capsys, trial)
    told = data(capsys, "status", trial)["evaluations"]

    said = succeeds(capsys, "change", trial, "--epsilon", "0.25", "--reason", "finer")
    assert said == "epsilon is 0.25 now: 4 designs are compared; answers hold with probability at least 96.25 %.\n"
    assert "with probability at least 96.25 %" in run(capsys, trial)

    said = succeeds(capsys, "drop", trial, "long", "--reason", "the oven is sold", "--unseen")
    assert re.match(r"long dropped: 3 designs are compared, \d+ evaluations? set aside; answers hold .* 96.25 %", said)
    assert "dropped without regard to the values" in run(capsys, trial)

    Path("more.csv").write_text("name,temperature,hours\nmild,65,3\n", encoding="utf-8")
    added = data(capsys, "add", trial, "--file", "more.csv", "--reason", "between warm and hot")
    assert (added["added"], added["delta_spent"]) == (["mild"], 0.04375)
    assert added["set_aside"] >= told
    assert "with probability at least 95.625 %" in run(capsys, trial)

    found = data(capsys, "status", trial)
    assert (found["dropped"], found["finished"], found["delta_spent"]) == (["long"], True, 0.04375)
    assert "mild" in {design["name"] for design in data(capsys, "status", trial, "--designs")["designs"]}
    assert re.search(r"not compared +dropped: long", succeeds(capsys, "status", trial))
    kinds = [entry["kind"] for entry in data(capsys, "log", trial, "--all")["entries"]]
    assert [kind for kind in kinds if kind in ("add", "drop", "change")] == ["change", "drop", "add"]


def test_a_limit_ends_a_study_and_lets_it_go_on(trial, capsys):
    changed = data(capsys, "change", trial, "--max-evaluations", "6")
    assert (changed["max_evaluations"], changed["delta_spent"]) == (6, 0.025)
    assert "The study has reached its limit, with 1 design undecided, after 6 evaluations" in run(capsys, trial)
    assert data(capsys, "status", trial)["stopped_because"].startswith("max_evaluations reached")
    succeeds(capsys, "change", trial, "--max-evaluations", "100000")
    assert data(capsys, "status", trial)["finished"] is False


def test_an_objective_is_added_with_a_unit_and_a_level_said_like_everywhere(trial, capsys):
    told = ["--minimise", "--noise", "price=gaussian:50", "--unit", "price=500", "--level", "price<=2000"]
    succeeds(capsys, "add-objective", trial, "price", *told, "--reason", "the budget")
    found = data(capsys, "status", trial)
    assert (found["units"]["price"], found["levels"]) == (500.0, {"price": 2000.0})
    said = succeeds(capsys, "status", trial)
    assert re.search(r"^acceptable +price <= 2000$", said, re.MULTILINE)
    assert re.search(r"^certified epsilon +none yet; asked for: 0.5 steps \(.*price 250\)$", said, re.MULTILINE)


def test_the_log_says_in_words_what_was_changed(trial, capsys):
    succeeds(capsys, "change", trial, "--epsilon", "0.25", "--max-evaluations", "5000", "--reason", "finer")
    succeeds(capsys, "drop", trial, "long", "--reason", "the oven is sold", "--unseen")
    succeeds(capsys, "add-objective", trial, "price", "--minimise", "--noise", "price=known")
    lines = [re.split(r"  +", line.strip())[2:] for line in succeeds(capsys, "log", trial).splitlines()]
    assert [" ".join(words) for words in lines] == [
        "change epsilon 0.25, at most 5,000 evaluations; finer",
        "drop long, without regard to the values; the oven is sold",
        "objective price (smaller is better)",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add-objective", "price", "--unit", "prize=3"], "is not about 'price', which is the objective to add"),
        (["add-objective", "price", "--unit", "0"], "the unit of the objective 'price' must be above 0"),
        (["add-objective", "price", "--unit", "price=x"], "'x' is not a number"),
        (["add-objective", "price", "--level", "price<=3"], "goes against its objective"),
        (["change"], "say what to change"),
        (["change", "--epsilon", "0"], 'make a new study with success "contain"'),
        (["change", "--epsilon", "nan"], "epsilon"),
        (["add"], "say which designs to add"),
        (["add", "x", "--file", "trial.toml"], "say which designs to add"),
        (["add", "cold"], "two designs are called 'cold'"),
        (["drop", "cold"], "--reason"),
        (["drop", "col", "--reason", "x"], "there is no design called 'col' in this study; did you mean 'cold'?"),
        (["drop", "cold", "warm", "hot", "--reason", "x"], "at least 2 designs"),
    ],
)
def test_a_slip_is_one_line_and_nothing_is_written(trial, capsys, arguments, words):
    command, *rest = arguments
    assert words in refused(capsys, command, trial, *rest)
    assert data(capsys, "log", trial)["entries"] == []


def test_a_limit_below_what_is_under_way_says_so(trial, capsys):
    succeeds(capsys, "tell", trial, "--design", "cold", "1", "2")
    succeeds(capsys, "ask", trial, "-n", "4")
    code, _, noted = anything(capsys, "study", "change", trial, "--max-evaluations", "3")
    assert code == 0
    assert noted == (
        "look at: 1 is told and 4 in someone's hands; 2 of these lie beyond the limit, and do not count.\n"
    )
    code, _, noted = anything(capsys, "study", "change", trial, "--max-evaluations", "5")
    assert (code, noted) == (0, "")
