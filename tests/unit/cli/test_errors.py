"""Mistakes on the command line: one line on stderr that says what to do, exit code 2, nothing on stdout.

Run inside this process; tests/e2e runs the commands as their users do.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from scipy.spatial import QhullError

import conewise as cw
from conewise.cli.main import commands, main
from conewise.tables.shards import ShardedTable

GOOD = "name,cost,speed\na,1,2\nb,2,3\nc,3,1\n"
BUDGET = {"--designs": "5", "--epsilon": "0.1", "--delta": "0.05"}


@pytest.fixture
def designs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "designs.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return caught.value.code, out, err


def refused(capsys, *arguments: str) -> str:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("conewise: ")
    assert err.endswith(".\n")
    assert err.count("\n") == 1
    return err


def budget_with(**changes: str) -> list[str]:
    options = BUDGET | {f"--{name}": value for name, value in changes.items()}
    return ["budget", *(word for pair in options.items() for word in pair)]


# -- what the user typed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fronts"], "No such command 'fronts'"),
        (["--colour"], "No such option"),
        (["cone"], "Missing argument 'SPEC'; see conewise cone --help"),
        (["front"], "Missing argument 'FILE...'; see conewise front --help"),
        (["budget"], "Missing option '--designs'; see conewise budget --help"),
        (["cone", "planar:135", "--angle"], "No such option"),
        (["cone", "planar:135", "--dim", "0"], "0 is not in the range"),
        (["reproduce", "--runs", "0"], "0 is not in the range 1<=x"),
        (["reproduce", "--runs", "many"], "'many' is not a valid integer"),
        (["reproduce", "--seed", "-1"], "-1 is not in the range"),
        (["reproduce", "--jobs", "0"], "0 is not in the range"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(capsys, arguments, words):
    assert words in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("planer:135", "no cone is called 'planer'; write one of orthant, planar"),
        ("planar", "planar"),
        ("planar:wide", "'wide' is not a number; planar is written planar:135"),
        ("planar:180", "180"),
        ("planar:-45", "-45"),
        ("planar:nan", "'nan' is not a number"),
        ("importance:0.5,2", "0.5"),
        ("orthant:0", "0"),
        ("[[1,0],[-1,0]]", "row"),
        ("[[1,0],[0]]", "unequal length"),
        ("[[1,0],[0,0]]", "row 1"),
        ("[[1,", "rows such as [[2,1],[1,2]] were expected"),
        ("exchange:[[1,0.5],[1,1]]", "arbitrage"),
        ("rays:[[1,0]]", "ray"),
        ("", "a cone's text form was expected"),
    ],
)
def test_bad_cones_are_one_line(capsys, spec, words):
    assert words in refused(capsys, "cone", spec)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sigma": "0"}, "sigma must be above 0 and finite, got 0.0; it is a standard deviation, not a variance"),
        ({"sigma": "-2"}, "sigma must be above 0"),
        ({"sigma": "nan"}, "sigma must be above 0 and finite"),
        ({"epsilon": "0"}, "epsilon must be above 0, got 0"),
        ({"epsilon": "-0.1"}, "epsilon must be above 0, got -0.1"),
        ({"epsilon": "inf"}, "epsilon must be finite"),
        ({"epsilon": "1e-300"}, "the budget exceeds 5e+18 evaluations in all; raise epsilon"),
        ({"epsilon": "small"}, "'small' is not a valid float"),
        ({"delta": "0"}, "delta must lie strictly between 0 and 1, got 0"),
        ({"delta": "1"}, "delta must lie strictly between 0 and 1, got 1"),
        ({"delta": "1.5"}, "delta must lie strictly between 0 and 1"),
        ({"designs": "1"}, "--designs must be at least 2: a single design is the Pareto set"),
        ({"designs": "0"}, "--designs must be at least 1"),
        ({"designs": "2.5"}, "'2.5' is not a valid integer"),
        ({"noise": "cauchy"}, "'cauchy' is not one of"),
        ({"noise": "bounded"}, "bounded noise needs --low and --high"),
        ({"noise": "bounded", "low": "1", "high": "0"}, "low must be below high"),
        ({"low": "1"}, "--low and --high belong to --noise bounded"),
        ({"cone": "planar:200"}, "200"),
    ],
    ids=str,
)
def test_bad_budgets_are_one_line(capsys, changes, words):
    assert words in refused(capsys, *budget_with(**changes))


def test_a_bad_constant_is_one_line(capsys):
    assert "c must be above 0, got 0" in refused(capsys, *budget_with(), "-c", "0")


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
        (GOOD, ["--objectives", "cost", "--minimise", "speed"], "not among the objectives"),
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
    assert "No such file or directory" in refused(capsys, "cone", "planar:45", "--plot", "nowhere/cone.png")
    assert "must end in .png, .svg or .pdf" in refused(capsys, "cone", "planar:45", "--plot", "cone.bmp")


# -- anything else -------------------------------------------------------------------------------------------------


def test_interruption_is_one_line_with_the_shells_code(capsys, monkeypatch):
    def stop(*_, **__):
        raise click.Abort

    monkeypatch.setattr(commands, "main", stop)
    code, _, err = run(capsys, "cone", "planar:45")
    assert (code, err) == (130, "conewise: interrupted.\n")


def test_our_own_errors_are_sentences(capsys, monkeypatch):
    def fail(*_, **__):
        raise cw.InputError("what was wrong;\n   what to do.")

    monkeypatch.setattr(commands, "main", fail)
    assert refused(capsys, "cone", "planar:45") == "conewise: what was wrong; what to do.\n"


def test_without_arguments_there_is_help(capsys):
    code, out, err = run(capsys)
    assert code == 0
    assert "Usage: conewise" in out
    assert err == ""


def test_a_name_that_the_output_cannot_say_is_one_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,a,b\n€,1,2\n€,1,2\n", encoding="utf-8")
    code = "from conewise.cli import main; import sys; main(sys.argv[1:])"
    words = [sys.executable, "-c", code, "analyse", str(path), "--objectives", "a,b", "--noise", "gaussian:1"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the output is written in ascii, which cannot say U+20AC; set PYTHONUTF8=1." in done.stderr


# -- beyond all reason: sizes, numbers and outputs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("orthant:1000000000", "dim must be at most 255, got 1000000000"),
        ("ranked:1000", "dim must be at most 255, got 1000"),
        ("importance:0.001,300", "dim must be at most 255, got 300"),
        ("ice_cream:60,3000", "facets must be at most 1000, got 3000"),
        ("planar:8e-7", "too thin: degrees = 8e-07 is too near to a half line to compute with"),
        ("exchange:[[1,1.000001],[1.000001,1]]", "some exchange there and back costs less than about 1e-06"),
        ("rays:[[1,1.000001],[1.000001,1]]", "the cone is too thin"),
        ("[[1,0],[-1,1e-9]]", "the cone is too thin"),
        ("[[1e400,1],[1,1]]", "W has NaN or infinity in row 0"),
        (f"[[{'9' * 400},1],[1,1]]", "W must be a rectangular array of real numbers"),
        (f"[[{'9' * 5000},1],[1,1]]", "rows such as [[2,1],[1,2]] were expected"),
        ("[" * 50_000, "rows such as [[2,1],[1,2]] were expected"),
        ("[[[[1]]]]", "W must have shape (N, D)"),
        (f"orthant:{'9' * 400}", "is not a finite number; orthant is written orthant:3"),
        ("importance", "importance:0.29 or importance:0.2,3 (the least share, and the number of objectives)"),
        ("exchange", "exchange needs its matrix: write it exchange:[[1,2],[2,1]] (a bid-ask matrix)"),
        ("planar:1e999", "'1e999' is not a finite number"),
        ("[" + ",".join(["[1,2]"] * 1001) + "]", "W may have up to 1000 rows and 255 columns"),
    ],
    ids=lambda text: text[:40],
)
def test_cones_beyond_reason_are_refused(capsys, spec, words):
    assert words in refused(capsys, "cone", spec)


def test_importance_without_a_share_says_what_is_missing(capsys):
    said = refused(capsys, "cone", "importance", "--dim", "7")
    assert "importance needs the least share of an objective: write it importance:0.29" in said


def test_an_epsilon_beyond_all_noise_needs_one_evaluation(capsys):
    code, out, err = run(capsys, *budget_with(epsilon="1e300"), "--json")
    assert (code, err) == (0, "")
    assert {row["each"] for row in json.loads(out)["budgets"]} == {1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"designs": "9" * 400}, "--designs must be at most 4611686018427387904, got a number of about 400 digits"),
        ({"designs": "4611686018427387904"}, "the budget exceeds 5e+18 evaluations in all"),
        ({"epsilon": "1e-200"}, "the budget exceeds 5e+18 evaluations in all; raise epsilon"),
        ({"sigma": "1e300"}, "sigma must lie between 1e-100 and 1e+100; change the units"),
        ({"noise": "bounded", "low": "-1e308", "high": "1e308"}, "high - low must lie between"),
        ({"noise": "bounded", "low": "0", "high": "1e308"}, "high - low must lie between 1e-100 and 1e+100; change"),
        ({"cone": "planar:0.0002", "epsilon": "1e-9"}, "the budget exceeds"),
    ],
    ids=str,
)
def test_budgets_beyond_reason_are_refused(capsys, changes, words):
    assert words in refused(capsys, *budget_with(**changes))


@pytest.mark.parametrize(
    "error", [ValueError("odd"), OverflowError("big"), ZeroDivisionError("zero"), FloatingPointError()]
)
def test_what_nobody_foresaw_is_one_line_as_well(capsys, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(commands, "main", fail)
    said = refused(capsys, "cone", "planar:90")
    assert said.startswith(f"conewise: this cannot be computed ({type(error).__name__}: {error}")
    assert said.endswith("report it if there are none.\n")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "conewise: there is not enough memory for this; give fewer or smaller things at a time.\n"),
        (RecursionError(), "conewise: something given is nested too deeply; write it flatter.\n"),
        (np.linalg.LinAlgError("no convergence"), "conewise: this cannot be computed (LinAlgError: no convergence); "),
        (QhullError("QH6154"), "conewise: this cannot be computed (QhullError: QH6154); "),
        (ValueError("a\x1b[31m\nb"), "conewise: this cannot be computed (ValueError: a\ufffd[31m b); "),
        (cw.InputError("no `objectives`\x1b[2J"), "conewise: no --objectives\ufffd[2J"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_kinds_of_error_have_a_line_of_their_own(capsys, monkeypatch, error, words):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(commands, "main", fail)
    code, out, said = run(capsys, "cone", "planar:90")
    assert (code, out, said.count("\n")) == (2, "", 1)
    assert said.startswith(words)


@pytest.mark.parametrize(
    "arguments", [["cone", "planar:135"], ["cone", "planar:135", "--json"], ["--help"], []], ids=str
)
@pytest.mark.parametrize("output", ["closed", "full", "unread"])
def test_an_output_that_takes_nothing_is_no_traceback(arguments, output):
    if output == "full" and not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    command = [sys.executable, "-m", "conewise", *arguments]
    if output == "unread":
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120)
        os.close(write)
        assert (done.returncode, done.stderr) == (1, "")
        return
    where = ">&-" if output == "closed" else ">/dev/full"
    done = subprocess.run(["sh", "-c", f'"$@" {where}', "sh", *command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (
        (0, "") if output == "closed" else (2, "conewise: No space left on device.\n")
    )
