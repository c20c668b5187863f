"""`conewise study init`: what it writes runs as it stands, and no file is replaced unasked."""

from __future__ import annotations

import errno
import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from shared.laboratory import refused, succeeds

import conewise as cw
from conewise.cli.main import main


def test_what_init_writes_runs_as_it_stands(begun, capsys):
    said = succeeds(capsys, "run", begun, "--toml", "trial.toml", "--jobs", "0")
    assert said.startswith("Finished after ")
    assert "guaranteed: within epsilon = 0.5" in said


def test_what_init_writes_is_true_with_its_comments_taken_away(begun):
    """The lines that are commented out name keys that exist, in the tables under which they stand."""
    text = Path("trial.toml").read_text(encoding="utf-8")
    longer = re.sub(r"(?m)^# (\[algorithm\]|success|max_evaluations)", r"\1", text)
    Path("longer.toml").write_text(longer, encoding="utf-8")
    assert tomllib.loads(longer)["algorithm"] == {"success": "contain", "max_evaluations": 10000}
    with pytest.raises(SystemExit) as caught:
        main(["study", "create", "longer.toml"])
    assert caught.value.code == 0


def test_objectives_one_by_one_are_explained_as_well(begun):
    text = Path("trial.toml").read_text(encoding="utf-8")
    start, stop = text.index("# [[objectives]]"), text.index("[designs]")
    one_by_one = re.sub(r"(?m)^# ", "", text[start:stop])
    rest = re.sub(r"(?m)^(objectives|minimise|kind|sigma) =.*\n|^\[noise\].*\n", "", text[:start])
    after = re.sub(r"(?ms)^\[noise\].*?(?=^# \[algorithm\])", "", text[stop:])
    Path("each.toml").write_text(rest + one_by_one + after, encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["study", "create", "each.toml"])
    assert caught.value.code == 0
    with cw.Study.open("each.db") as study:
        assert study.question.columns.levels == ("yield >= 2.5",)
        assert study.question.columns.units.tolist() == [1, 0.5]
        assert study.minimised == ("cost",)
        assert study.noise.sigma.tolist() == [0.4, 0.1]


def test_init_replaces_no_file_unasked(empty, capsys):
    Path("mine.toml").write_text("mine", encoding="utf-8")
    assert "mine.toml exists already" in refused(capsys, "init", "mine.toml")
    assert Path("mine.toml").read_text(encoding="utf-8") == "mine"
    assert json.loads(succeeds(capsys, "init", "mine.toml", "--force", "--json"))["file"] == "mine.toml"
    assert "there is no folder nowhere" in refused(capsys, "init", "nowhere/mine.toml")


def test_init_leaves_no_half_a_file_on_a_full_disk(empty, capsys, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left on device; nothing was changed" in refused(capsys, "init", "mine.toml")
    assert not list(Path().iterdir())
