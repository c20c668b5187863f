"""Texts of strangers in the CSV of `conewise front`: no spreadsheet computes them, and reading gives them back."""

from __future__ import annotations

import csv
import io
import json
import sys
import time

import pytest
from click.testing import CliRunner

from conewise import limits
from conewise.cli.main import commands
from conewise.cli.show import print_table, progress_bar
from conewise.report.data import Table

NASTY = ["<script>alert(1)</script>", "=cmd()", "@SUM(A1)", "'=b", "'tis", "-5", "+1+2", "\tx", "plain"]


def run(*words):
    done = CliRunner().invoke(commands, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


def write(path, header, names):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *([name, k, len(names) - k] for k, name in enumerate(names))])
    return path


@pytest.mark.parametrize("header", [["name", "cost", "speed"], ["design", "=cost", "@speed"], ["=id", "cost", "speed"]])
def test_a_front_with_dangerous_texts_reads_back(tmp_path, header):
    name = ["--name", header[0]]
    source = write(tmp_path / "designs.csv", header, NASTY)
    text = run("front", source, *name)
    for row in csv.reader(io.StringIO(text)):
        assert all(cell[:1] not in "=+@\t" for cell in row if cell)
        assert row[0][:1] != "-" or row[0] == "-5"
    (tmp_path / "front.csv").write_text(text, encoding="utf-8")
    assert run("front", tmp_path / "front.csv", *name) == text  # again and again, and never one apostrophe more
    first, second = (json.loads(run("front", path, *name, "--json")) for path in (source, tmp_path / "front.csv"))
    assert first == second
    assert [design["name"] for design in second["designs"]] == NASTY
    out = tmp_path / "out.csv"
    run("front", source, *name, "--out", out)
    assert out.read_text(encoding="utf-8") == text


def test_a_harmless_front_is_a_plain_table(tmp_path):
    text = run("front", write(tmp_path / "designs.csv", ["name", "cost", "speed"], ["a", "'tis", "-5"]))
    assert text.splitlines() == ["name,cost,speed", "a,0,3", "'tis,1,2", "-5,2,1"]


def test_no_name_steers_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", screen := io.StringIO())
    print_table(Table("title", ("na\x1b[2Jme", "a"), (("\x1b]0;x\x07d1", "1"), ("two\nlines", "2"))))
    ends = [line.split()[-1] for line in screen.getvalue().splitlines() if line.strip()]
    assert "\x1b" not in screen.getvalue()
    assert "\x07" not in screen.getvalue()
    assert ends[-2:] == ["1", "2"]  # a line each


def test_a_progress_bar_does_not_count_to_zero(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with progress_bar("rows") as advance:
        advance(50_000, 0)
    assert "50000/?" in screen.getvalue()
    assert "50000/0" not in screen.getvalue()


def test_work_that_takes_long_is_said_where_no_bar_is_seen(monkeypatch, capsys):
    monkeypatch.setattr(limits, "PATIENCE", 0.0)
    with progress_bar("rows", shown=False) as advance:
        advance(50_000, 0)
        time.sleep(0.2)
    assert "conewise: still at work, " in capsys.readouterr().err
