"""First steps that go wrong on the command line: the one line says what to write instead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conewise.cli.main import main

TRIAL = """objectives = ["yield", "cost"]
epsilon = 1.0
delta = 0.05
designs = {designs}
noise = {{ kind = "gaussian_unknown" }}
"""
MEASURED = "design,yield,cost\n" + "".join(f"{name},{k},{k % 3}\n" for k in range(6) for name in ("old", "new"))
ONE_BY_ONE = """
import sys
from conewise.cli.main import main
for address in sys.argv[1:]:
    try:
        main(["front", "designs.csv", "--dask", address])
    except SystemExit as ended:
        print(ended.code)
"""


def refused(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert (caught.value.code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_address_that_is_none_is_one_line_until_the_process_has_ended(folder):
    """In a process of their own: half a client of Dask's would complain when the interpreter ends."""
    pytest.importorskip("distributed")
    Path("designs.csv").write_text("name,a,b\nx,1,2\n", encoding="utf-8")
    addresses = ["nonsense", "http://x:1", "tcp://host:port"]
    done = subprocess.run([sys.executable, "-c", ONE_BY_ONE, *addresses], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "2\n2\n2\n")
    for address, line in zip(addresses, done.stderr.splitlines(), strict=True):
        assert line.startswith(f"conewise: no Dask scheduler answers at {address} (")
        assert line.endswith("; write its address as tcp://host:8786.")


def test_a_cone_for_another_number_of_columns(capsys, folder):
    pytest.importorskip("starlette")
    Path("designs.csv").write_text("name,a,b,c\nx,1,2,3\n", encoding="utf-8")
    said = refused(capsys, "explore", "designs.csv", "--no-browser", "--cone", "planar:45")
    assert "orders 2 objectives, but there are 3: a, b, c; choose columns with --objectives, or another cone" in said


@pytest.mark.parametrize(
    ("designs", "remedy"),
    [
        ('["old", "new"]', "write the line [designs], and below it list = [...]."),
        ('"designs.csv"', 'write the line [designs], and below it file = "...".'),
        ("12", "write the line [designs], and below it count = 12."),
    ],
)
def test_designs_that_are_not_in_their_table(capsys, folder, designs, remedy):
    Path("trial.toml").write_text(TRIAL.format(designs=designs), encoding="utf-8")
    said = refused(capsys, "study", "create", "trial.toml")
    assert "trial.toml: designs must be a table, got " in said
    assert said.endswith(f"; {remedy}\n")
    assert not Path("trial.db").exists()


def test_other_spellings_of_commands_and_options_are_understood(capsys, folder):
    Path("trial.csv").write_text(MEASURED, encoding="utf-8")
    said = []
    for command, option in (("analyse", "--minimise"), ("analyze", "--minimize")):
        with pytest.raises(SystemExit) as caught:
            main([command, "trial.csv", "--objectives", "yield,cost", option, "cost", "--json"])
        assert caught.value.code == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    with pytest.raises(SystemExit) as caught:
        main(["cone", "planar:90", "--objectives", "yield,cost", "--minimize", "cost", "--json"])
    assert caught.value.code == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("exchange:[[1,2],[2,1]]", None),
        ("rays:[[1,0],[0,1],[1,1]]", "redundant rays left out: 2 (counted from 0)"),
        ("[[1,0],[0,1],[1,1]]", "redundant rows left out: 2 (counted from 0)"),
    ],
)
def test_what_is_left_out_of_a_cone_is_what_was_given(capsys, spec, words):
    with pytest.raises(SystemExit) as caught:
        main(["cone", spec])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert (words in out) if words else ("left out" not in out)
