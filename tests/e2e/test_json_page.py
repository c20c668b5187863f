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
    return {
        "front": printed("front", folder / "d.csv"),
        "analyse": printed("analyse", folder / "t.csv", "--objectives", "cost,speed"),
        "cone": printed("cone", "planar:45"),
        "budget": printed("budget", "--cone", "planar:45", "--designs", 9, "--epsilon", 0.1, "--delta", 0.1),
        "study ask": asked,
        "study tell": printed("study", "tell", study, asked["evaluations"][0]["id"], "1", "2"),
        "study status": printed("study", "status", study),
    }


@pytest.mark.parametrize("command", ["front", "analyse", "cone", "budget", "study ask", "study tell", "study status"])
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
