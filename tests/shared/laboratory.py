"""`conewise study` as its users type it, inside this process, in a folder with a study of three designs."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys

import pytest

from conewise.cli.main import main

DESIGNS = "name,x,batch,maker\n007,0.0,3,A\nblue steel,0.5,4,B\nc,1.0,12,\n"
TOML = """
objectives = ["gain", "cost"]
minimise = ["cost"]
cone = "planar:100"
epsilon = 0.1
delta = 0.05
seed = 3

[designs]
file = "designs.csv"

[noise]
kind = "gaussian"
sigma = 0.1

[algorithm]
name = "naive"
evaluations_each = 4

[run]
function = "shared.simulators:trade_off"
jobs = 0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with designs and a trial, nothing begun."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "designs.csv").write_text(DESIGNS, encoding="utf-8")
    (tmp_path / "trial.toml").write_text(TOML, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A study that has not begun, to be copied."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "designs.csv").write_text(DESIGNS, encoding="utf-8")
    (folder / "trial.toml").write_text(TOML, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["study", "create", str(folder / "trial.toml")])
    return folder / "trial.db"


@pytest.fixture
def trial(folder, template):
    """Such a study in that folder."""
    shutil.copy(template, folder / "trial.db")
    return "trial.db"


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder with nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def begun(empty, capsys):
    """The study that `init` proposes."""
    succeeds(capsys, "init")
    succeeds(capsys, "create", "trial.toml")
    return "trial.db"


def conewise(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["study", *map(str, arguments)])
    out, err = capsys.readouterr()
    return caught.value.code, out, err


def succeeds(capsys, *arguments: str) -> str:
    code, out, err = conewise(capsys, *arguments)
    assert code == 0, err
    return out


def data(capsys, *arguments: str) -> dict:
    found = json.loads(succeeds(capsys, *arguments, "--json"))
    assert found.pop("schema") == 2
    return found


def refused(capsys, *arguments: str) -> str:
    code, out, err = conewise(capsys, *arguments)
    assert code == 2, out
    assert out == ""
    assert re.fullmatch(r"conewise: [^\n]+[.?]\n", err), err
    return err


def rows_of(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))
