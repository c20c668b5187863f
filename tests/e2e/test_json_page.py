"""The page about --json names every key that the commands print, and no other; pages print what they show."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from conewise.cli.main import commands
from conewise.cli.show import SCHEMA

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "json.md").read_text(encoding="utf-8")

TABLE = "design,cost,speed\n" + "a,1,2\na,1.5,2.5\na,1.25,2.2\nb,2,3\nb,2.1,3.1\nb,2.3,3.2\n" * 3
TOML = """
objectives = ["cost", "speed"]
epsilon = 1.0
delta = 0.1
[designs]
list = ["a", "b"]
[noise]
kind = "gaussian"
sigma = 1.0
"""


def documented(command):
    section = PAGE.split(f"\n## {command}\n")[1].split("\n## ")[0]
    return {
        key for cell in re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE) for key in re.findall(r"`(\w+)`", cell)
    }


def printed(*words):
    done = CliRunner().invoke(commands, [*map(str, words), "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    (folder / "d.csv").write_text("name,cost,speed\na,1,2\nb,2,3\n", encoding="utf-8")
    (folder / "trial.toml").write_text(TOML, encoding="utf-8")
    study = folder / "trial.db"
    printed("study", "create", folder / "trial.toml", "--storage", study)
    asked = printed("study", "ask", study, "-n", "1")
    one = asked["handed_out"][0]["id"]
    table, known = folder / "t.csv", folder / "d.csv"
    (folder / "b.csv").write_text(
        "design,question,right,short\n"
        + "\n".join(f"m{k},q{q},{(k + q) % 2},{q % 2}" for k in (0, 1) for q in range(9)),
        encoding="utf-8",
    )
    choice = ("--objectives", "cost,speed")
    return {
        "front --all": printed("front", known, "--all", "--where", "cost < 9"),
        "analyse --plan": printed("analyse", table, *choice, "--plan", "3", "--cone", "planar:60", "--unit", "auto"),
        "analyse --block": printed("analyse", folder / "b.csv", "--objectives", "right,short", "--block", "question"),
        "report": printed("report", table, *choice),
        "prefer": printed("prefer", known, "--accept", "1 cost for 1 speed"),
        "front": printed("front", folder / "d.csv"),
        "analyse": printed("analyse", folder / "t.csv", "--objectives", "cost,speed"),
        "cone": printed("cone", "planar:45"),
        "budget": printed("budget", "--cone", "planar:45", "--designs", 9, "--epsilon", 0.1, "--delta", 0.1),
        "study ask": asked,
        "study tell": printed("study", "tell", study, one, "1", "2"),
        "study status": printed("study", "status", study),
        "study status --designs": printed("study", "status", study, "--designs"),
        "study correct": printed("study", "correct", study, one, "1", "3", "--reason", "a slip"),
        "study withdraw": printed("study", "withdraw", study, one, "--reason", "mislabelled"),
        "study fail": printed("study", "fail", study, one, "--reason", "broken"),
        "study release": printed("study", "release", study, "--all"),
        "report of a study": printed("report", study),
        "study add": printed("study", "add", study, "c"),
        "study drop": printed("study", "drop", study, "c", "--reason", "gone"),
        "study change": printed("study", "change", study, "--epsilon", "2"),
        "study add-objective": printed("study", "add-objective", study, "weight", "--noise", "gaussian:1"),
        "study log": printed("study", "log", study),
        "study list": printed("study", "list", folder),
        "study export": printed("study", "export", study, folder / "out.csv"),
        "study init": printed("study", "init", folder / "new.toml"),
    }


def kinds(value, key="", found=None):
    """Every key at any depth, with the kinds of values that stand under it; names that a user gave are no keys."""
    found = {} if found is None else found
    if isinstance(value, dict):
        for name, entry in value.items():
            if key not in FREE:
                found.setdefault(name, set()).add(kind(entry))
            kinds(entry, name, found)
    elif isinstance(value, list):
        for entry in value:
            kinds(entry, key, found)
    return found


def kind(value):
    if isinstance(value, list):
        return "list of " + "/".join(sorted({kind(entry) for entry in value} - {"null"}))
    return {bool: "truth", int: "number", float: "number", str: "text", dict: "object", type(None): "null"}[type(value)]


FREE = {"means", "standard_errors", "values", "units", "columns", "others", "preferences", "by_status", "counts"}
"""Objects whose keys are names of the user, or words of a status."""


def test_a_key_has_one_kind_of_value_in_every_command(answers):
    found = {}
    for answer in answers.values():
        for key, each in kinds(answer).items():
            found.setdefault(key, set()).update(each - {"null", "list of "})
    several = {key: each for key, each in found.items() if len(each) > 1}
    assert several == {}


def test_designs_evaluations_and_guarantees_are_the_same_everywhere(answers):
    for command, answer in answers.items():
        for design in answer.get("designs", ()):
            assert isinstance(design["name"], str), command
        assert isinstance(answer.get("n_designs", 0), int), command
        assert isinstance(answer.get("evaluations", 0), int), command
        if "guarantee" in answer:
            worth = answer["guarantee"]
            assert worth is None or list(worth) == ["epsilon", "delta", "theorem", "assumption"], command
            assert (worth is None) == (answer["not_guaranteed_because"] is not None), command


PAGES = ["front", "analyse", "report", "prefer", "cone", "budget", "study ask", "study tell", "study status"]


@pytest.mark.parametrize("command", PAGES)
def test_every_key_is_on_the_page_and_every_key_of_the_page_is_there(answers, command):
    found = answers[command]
    assert found["schema"] == SCHEMA
    assert next(iter(found)) == "schema"
    assert set(found) - {"schema"} == documented(command)


def test_the_page_says_the_version():
    assert f'`"schema": {SCHEMA}`' in PAGE


@pytest.mark.parametrize("page", ["objectives.md", "sources.md"])
def test_what_a_page_shows_is_what_its_code_prints(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    namespace: dict[str, object] = {}
    said, shown = "", 0
    for kind, block in re.findall(r"```(python|text)\n(.*?)```", text, flags=re.DOTALL):
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(block, namespace)
            said = out.getvalue()
        else:
            assert block == said
            shown += 1
    assert shown >= 4
