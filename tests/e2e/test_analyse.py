"""`conewise analyse` as its users run it: formats, sentences, JSON, files, and one line for a mistake.

A few runs are processes of their own; the others call the command inside this one.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from conewise.cli.main import main

NAMES = ["plain", "007", "=1+1", "with, comma", "\x1b[31mred"]
MEANS = [[9.0, 210.0], [14.0, 380.0], [22.0, 540.0], [15.0, 360.0], [24.0, 200.0]]  # cost small, speed large
LONG = ("--objectives", "cost,speed", "--minimise", "cost")


def measured(each=40, seed=0):
    rng = np.random.default_rng(seed)
    return [
        [name, *(np.array(mean) + [0.5, 8.0] * rng.normal(size=2)).tolist()]
        for _ in range(each)
        for name, mean in zip(NAMES, MEANS, strict=True)
    ]


def write(path, rows=None, header=("design", "cost", "speed")):
    rows = measured() if rows is None else rows
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(zip(header, r, strict=True)) for r in rows]), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def run(capsys):
    def call(*arguments: object, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["analyse", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert caught.value.code == code, err
        return out, err

    return call


def process(*arguments: object, cwd) -> subprocess.CompletedProcess[str]:
    unwanted = {"FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"}
    environment = {k: v for k, v in os.environ.items() if k not in unwanted} | {"PYTHONWARNINGS": "error"}
    command = [sys.executable, "-m", "conewise", "analyse", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


# -- in a process of its own ---------------------------------------------------------------------------------------


def test_a_pipe_gets_plain_text_with_the_answer_in_sentences(tmp_path):
    write(tmp_path / "trial.csv", measured(each=9))
    done = process("trial.csv", *LONG, "--plan", 20, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    lines = done.stdout.splitlines()
    assert lines[0] == "45 evaluations of 5 designs under orthant:2"
    row = r"^  plain +(kept|undecided) +[89]\.\d+ ± [\d.]+ +\d+\.?\d* ± [\d.]+ +9 *$"
    assert re.search(row, done.stdout, re.MULTILINE)
    assert any(line.startswith("Assumed: evaluations independent of each other") for line in lines)
    assert any(line.startswith("The data certify epsilon = ") for line in lines)
    assert re.search(r"^Next \d+ evaluations, the most valuable first: ", done.stdout, re.MULTILINE)


def test_a_mistake_is_one_line_in_a_process_too(tmp_path):
    done = process("none.csv", *LONG, cwd=tmp_path)
    assert done.returncode == 2
    assert (done.stdout, done.stderr) == ("", "conewise: there is no file none.csv.\n")


def test_the_example_of_the_help_runs(tmp_path):
    text = process("--help", cwd=tmp_path).stdout
    example = re.search(r"Example: conewise analyse (.*?)\n\n", text, re.DOTALL)[1].split()
    write(tmp_path / "trial.csv", [[n, c, s] for n, c, s in measured(each=9)], header=("design", "cost", "yield"))
    done = process(*example, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "under orthant:2" in done.stdout


def test_the_page_shows_what_the_command_prints(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "analyse.md").read_text(encoding="utf-8")
    Path("recipes.csv").write_text(re.search(r"```text\n(.*?)```", page, re.DOTALL)[1], encoding="utf-8")
    blocks = re.findall(r"```console\n\$ conewise analyse (.*?)\n(.*?)\n```", page, re.DOTALL)
    assert len(blocks) == 2
    for arguments, shown in blocks:
        out, err = run(*arguments.split())
        assert err == ""
        assert "\n".join(line.rstrip() for line in out.splitlines()) == shown


# -- the answer ----------------------------------------------------------------------------------------------------


# -- mistakes ------------------------------------------------------------------------------------------------------
