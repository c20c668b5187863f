"""Mistakes on the command line: one line on stderr that says what to do, exit code 2, nothing on stdout.

Run inside this process; tests/e2e runs the commands as their users do.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest
from shared.commandline import refused

import conewise as cw
from conewise.tables.shards import ShardedTable

GOOD = "name,cost,speed\na,1,2\nb,2,3\nc,3,1\n"


@pytest.fixture
def designs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "designs.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


# -- what the user typed -------------------------------------------------------------------------------------------


# -- what the file holds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", [], "designs.csv is empty; a header row with column names was expected"),
        ("name,cost,speed\n", [], "designs.csv has no rows below its header"),
        ("name,cost,speed\na,1,\n", [], "row 1 (below the header), column 'speed' is empty"),
        ("name,cost,speed\na,1,fast\n", [], "column 'speed' holds 'fast', where a number was expected"),
        ("name,cost,speed\na,1,inf\n", [], "where a finite number was expected"),
        ("name,cost,speed\na,1,2\na,2,3\n", [], "two designs called 'a'; a name is a design's identity"),
        ("name,cost,cost\na,1,2\n", [], "two columns called 'cost'; rename one of them"),
        ("name,cost,speed\na,1\n", [], "has 2 entries for 3 columns"),
        (GOOD, ["--objectives", "cost,mass"], "has no column 'mass'; it has name, cost, speed"),
        (GOOD, ["--minimise", "mass"], "has no column 'mass'"),
        (GOOD, ["--name", "label"], "has no column 'label'"),
        (GOOD, ["--cone", "orthant:3"], "orders 3 objectives, but there are 2: cost, speed"),
        (GOOD, ["--cone", "planar:200"], "200"),
        (GOOD, ["--objectives", "name,cost"], "column 'name' holds 'a', where a number was expected"),
    ],
)
def test_bad_tables_are_one_line(capsys, designs, text, options, words):
    designs.write_text(text, encoding="utf-8")
    assert words in refused(capsys, "front", "designs.csv", *options)


def test_unreadable_files_are_one_line(capsys, designs):
    assert "there is no file nowhere.csv" in refused(capsys, "front", "nowhere.csv")
    (designs.parent / "empty").mkdir()
    assert "is a folder without tables" in refused(capsys, "front", str(designs.parent / "empty"))
    designs.write_bytes(bytes(range(256)) * 20)
    assert "not text in UTF-8" in refused(capsys, "front", "designs.csv")
    designs.write_bytes("name,cost,speed\nä,1,2\n".encode("latin-1"))
    assert "not text in UTF-8" in refused(capsys, "front", "designs.csv")
    assert "the ending '.xlsx' is not known" in refused(capsys, "front", str(designs.rename("designs.xlsx")))


def test_a_file_that_the_system_will_not_open(capsys, designs, monkeypatch):
    """No permission: root may read anything, so the system's refusal is played."""

    def no(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", "designs.csv")

    monkeypatch.setattr("pathlib.Path.open", no)
    assert refused(capsys, "front", "designs.csv") == "conewise: Permission denied: designs.csv.\n"


def test_what_a_file_says_cannot_break_the_one_line(capsys, designs):
    designs.write_text('name,"co\nst",speed\na,1,2\n', encoding="utf-8")
    refused(capsys, "front", "designs.csv", "--objectives", "cost")
    designs.write_text('name,cost,speed\na,1,"two\nlines"\n', encoding="utf-8")
    refused(capsys, "front", "designs.csv")
    designs.write_text("name,co\x1b]0;owned\x07st,\u202espeed\na,1,2\n", encoding="utf-8")
    words = refused(capsys, "front", "designs.csv", "--objectives", "cost")
    assert "it has name, co\ufffd]0;owned\ufffdst, \ufffdspeed" in words
    with pytest.raises(cw.InputError) as caught:
        ShardedTable("designs.csv", objectives=["cost"])
    assert str(caught.value).isprintable()


# -- where the answer goes -----------------------------------------------------------------------------------------


def test_places_that_cannot_be_written_to_are_one_line(capsys, designs, tmp_path):
    assert "there is no folder" in refused(capsys, "front", "designs.csv", "--out", "nowhere/front.csv")
    assert "is a directory" in refused(capsys, "front", "designs.csv", "--out", str(tmp_path)).lower()
    assert "is a file" in refused(capsys, "reproduce", "--runs", "1", "--out", "designs.csv").lower()
    assert "there is no folder nowhere to write cone.png to" in refused(
        capsys, "cone", "planar:45", "--plot", "nowhere/cone.png"
    )
    assert "must end in .png, .svg or .pdf" in refused(capsys, "cone", "planar:45", "--plot", "cone.bmp")


# -- anything else -------------------------------------------------------------------------------------------------


def test_a_name_that_the_output_cannot_say_is_one_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,a,b\n€,1,2\n€,1,2\n", encoding="utf-8")
    code = "from conewise.cli import main; import sys; main(sys.argv[1:])"
    words = [sys.executable, "-c", code, "analyse", str(path), "--objectives", "a,b", "--noise", "gaussian:1"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the output is written in ascii, which cannot say U+20AC; set PYTHONUTF8=1." in done.stderr


# -- beyond all reason: sizes, numbers and outputs --------------------------------------------------------------------
