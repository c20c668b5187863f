"""The command line as a whole: usage, interruptions, errors of every kind, outputs that take nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from scipy.spatial import QhullError
from shared.commandline import refused, run

import conewise as cw
from conewise.cli.main import commands, main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fronts"], "No such command 'fronts'"),
        (["study", "create", "none.toml"], "there is no file none.toml; conewise study init none.toml writes one"),
        (["--colour"], "No such option"),
        (["cone"], "a cone was expected, such as planar:135, or objectives and what is worth it"),
        (["front"], "Missing argument 'FILE...'; see conewise front --help"),
        (["budget"], "Missing option '--designs'; see conewise budget --help"),
        (["cone", "planar:135", "--angle"], "No such option"),
        (["cone", "planar:135", "--dim", "0"], "0 is not in the range"),
        (["reproduce", "--runs", "0"], "0 is not in the range 1<=x"),
        (["reproduce", "--runs", "many"], "'many' is not a valid integer range; see"),
        (
            ["reproduce", "--runs", "2,000"],
            "'2,000' is not a valid integer range; write decimals with a point and thousands",
        ),
        (["analyse", "t.csv", "--epsilon", "0,5"], "'0,5' is not a valid float; write decimals with a point"),
        (["budget", "--delta", "0,05"], "'0,05' is not a valid float; write decimals with a point"),
        (["reproduce", "--seed", "-1"], "-1 is not in the range"),
        (["reproduce", "--jobs", "0"], "0 is not in the range"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(capsys, arguments, words):
    assert words in refused(capsys, *arguments)


def test_a_question_ends_with_its_mark(capsys, monkeypatch):
    """Newer versions of click suggest a command."""

    def refuse(*_, **__):
        raise click.UsageError("Did you mean 'study'?")

    monkeypatch.setattr(commands, "main", refuse)
    assert refused(capsys, "studdy") == "conewise: Did you mean 'study'? See conewise --help.\n"


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


AT_ITS_END = {"closed": (0, ""), "full": (2, "conewise: No space left on device.\n"), "unread": (1, "")}
"""The exit code and what is said, by what the output is."""
FORKED = """
import json, os, sys, tempfile
from conewise.cli.main import main

def unread():
    read, write = os.pipe()
    os.close(read)
    return write

ended = []
for arguments, output in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if not child:
            os.dup2(said.fileno(), 2)
            if output == "closed":
                os.close(1)
                sys.stdout = None  # as the interpreter finds it
            else:
                os.dup2(unread() if output == "unread" else os.open("/dev/full", os.O_WRONLY), 1)
            sys.exit(main(arguments))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        ended.append([arguments, output, code, said.read()])
print(json.dumps(ended))
"""


def test_an_output_that_takes_nothing_is_no_traceback():
    """Forks of one process, which pays for the imports once; each ends as an interpreter does."""
    every = [["cone", "planar:135"], ["cone", "planar:135", "--json"], ["--help"], []]
    outputs = [name for name in AT_ITS_END if name != "full" or Path("/dev/full").exists()]
    cases = [[arguments, output] for output in outputs for arguments in every]
    command = [sys.executable, "-c", FORKED, json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout) == [[*case, *AT_ITS_END[case[1]]] for case in cases]


def test_a_process_whose_output_was_closed_before_it_began_is_no_traceback():
    command = [sys.executable, "-m", "conewise", "cone", "planar:135"]
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == AT_ITS_END["closed"]


@pytest.mark.parametrize("stopped", ["numpy", "click"])
@pytest.mark.parametrize("command", [["-m", "conewise"], ["conewise"]], ids=" ".join)
def test_an_interruption_while_modules_are_imported_is_one_line(tmp_path, stopped, command):
    """The module stands in the way of the real one, and is interrupted."""
    (tmp_path / stopped).mkdir()
    (tmp_path / stopped / "__init__.py").write_text("raise KeyboardInterrupt\n")
    script = tmp_path / "conewise"  # as an installer writes it
    script.write_text("from conewise.__main__ import main\nmain()\n")
    start = command if command[0] == "-m" else [str(script)]
    places = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    asked = [
        sys.executable,
        *start,
        "budget",
        "--designs",
        "5",
        "--cone",
        "planar:60",
        "--epsilon",
        "1",
        "--delta",
        "0.1",
    ]
    found = subprocess.run(asked, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": places}, cwd="/")
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "conewise: interrupted.\n")
    imported = subprocess.run(
        [sys.executable, "-c", "import conewise, conewise.cli.main"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": places},
    )
    assert imported.stderr.endswith("KeyboardInterrupt\n")  # a program that imports us hears of it


@pytest.mark.parametrize(("raw", "shown"), [("é".encode(), "é"), (b"\xe9", "\N{REPLACEMENT CHARACTER}")])
def test_an_argument_that_is_no_text_here_is_quoted_as_it_was_typed(capsysbinary, raw, shown):
    with pytest.raises(SystemExit) as caught:
        main(["cone", raw.decode("ascii", "surrogateescape")])
    assert caught.value.code == 2
    assert f"no cone is called '{shown}'".encode() in capsysbinary.readouterr().err
