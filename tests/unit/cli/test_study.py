"""The commands of a study: all there, each with an example, and one line for every slip."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from pathlib import Path

import click
import pytest
from shared.laboratory import conewise, data, refused
from shared.studies import reseal

from conewise.cli.main import commands


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tell", "trial.db"], "an id and its values were expected, or --file"),
        (["tell", "trial.db", "d0n0"], "2 values (gain, cost) were expected, got 0"),
        (["tell", "trial.db", "d0n0", "1"], "2 values (gain, cost) were expected, got 1"),
        (["tell", "trial.db", "d0n0", "1", "high"], "'high' is not a number"),
        (["tell", "trial.db", "d0n0", "1", "nan"], "nan"),
        (["tell", "trial.db", "d9n0", "1", "2"], "is it an evaluation of another study?"),
        (["tell", "trial.db", "d0n0", "1", "2", "--wroker", "Marie"], "No such option"),
        (["tell", "trial.db", "d0n0", "1", "2", "--wroker=Marie"], "--worker"),
        (["tell", "trial.db", "--wroker", "d0n0", "1", "2"], "--worker"),
        (["tell", "trial.db", "-w", "d0n0", "1", "2"], "No such option"),
        (["correct", "trial.db", "d0n0", "1", "2", "--reason", "x", "--raeson", "y"], "--reason"),
        (["withdraw", "trial.db", "d0n0", "--reason", "x"], "d0n0 is not told yet, so there is nothing to withdraw"),
        (["withdraw", "trial.db", "d0n0"], "Missing option '--reason'"),
        (["tell", "trial.db", "d0n0", "1", "2", "--worker", "\x1b[31mMarie"], "worker must be printable text"),
        (["status", ":memory:"], "kept in a file or a database"),
        (["tell", "trial.db", "first", "1", "2"], 'an evaluation\'s id looks like "d3n0"'),
        (["tell", "trial.db", "--design", "d", "1", "2"], "there is no design called 'd'"),
        (["tell", "trial.db", "d0n0", "1", "2", "--file", "x.csv"], "give either --file, or an id"),
        (["tell", "trial.db", "--file", "x.csv"], "there is no file x.csv"),
        (["tell", "nowhere.db", "d0n0", "1", "2"], "nowhere.db"),
        (["tell", "designs.csv", "d0n0", "1", "2"], "designs.csv"),
        (["tell", "trial.db", "d0n0", "1", "2", "--name", "other"], "no study called 'other'; it holds trial"),
        (["correct", "trial.db", "d0n0", "1", "2", "--reason", "x"], "is not told yet"),
        (["correct", "trial.db", "d0n0", "1", "2"], "Missing option '--reason'"),
        (["ask", "trial.db", "-n", "0"], "0 is not in the range"),
        (["ask", "trial.db", "--lease", "0"], "0.0 is not in the range"),
        (["release", "trial.db"], "say what to hand back: ids, --worker or --all"),
        (["release", "trial.db", "x"], "an evaluation's id looks like"),
        (["export", "trial.db", "out.xls"], "out.xls"),
        (["export", "trial.db", "no/such/folder/out.csv"], "folder"),
        (["status", "."], "."),
        (["list", "nowhere"], "nowhere"),
        (["list", "designs.csv"], "designs.csv"),
        (["status", "mysql://me:hunter2@localhost/x"], "not at mysql://"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_slips_of_a_laboratory_are_one_line(trial, capsys, arguments, words):
    before = Path(trial).read_bytes()
    message = refused(capsys, *arguments)
    assert words in message
    assert "hunter2" not in message
    assert Path(trial).read_bytes() == before


def test_one_broken_file_does_not_hide_the_others(trial, folder, capsys):
    """Foreign, edited by hand, cut off: each is left out with its reason, and the rest of the folder is listed."""
    for name in ("edited", "foreign", "short"):
        shutil.copy(trial, f"{name}.db")
    for name, statement in (
        ("edited", "UPDATE studies SET header = replace(header, 'gaussian', 'gaussien')"),
        ("foreign", 'UPDATE studies SET header = \'{"designs": [1, 2], "rows": [[]]}\''),
    ):
        with contextlib.closing(sqlite3.connect(f"{name}.db")) as file, file:
            file.execute(statement)
    reseal("foreign.db")
    Path("short.db").write_bytes(Path("short.db").read_bytes()[:5000])
    Path("text.db").write_text("no study", encoding="utf-8")
    code, out, err = conewise(capsys, "list", ".")
    assert code == 0
    assert "1 study in ." in out
    assert err.count("left out: ") == err.count("\n") == 4
    for name in ("edited", "foreign", "short"):
        for act in ("status", "ask"):
            assert refused(capsys, act, f"{name}.db")
    assert [other["place"] for other in data(capsys, "list", ".")["unreadable"]] == [
        "edited.db",
        "foreign.db",
        "short.db",
        "text.db",
    ]
    assert refused(capsys, "list", "edited.db")


STUDY = commands.commands["study"].commands


def test_all_commands_are_there():
    made = {"init", "create", "list"}
    day_by_day = {"ask", "tell", "fail", "release", "run", "correct", "withdraw"}
    changes, looks = {"add", "add-objective", "drop", "change"}, {"status", "log", "export", "prefer"}
    assert set(STUDY) == made | day_by_day | changes | looks


@pytest.mark.parametrize("name", sorted(STUDY))
def test_every_command_has_an_example_and_speaks_json(name):
    # a command remembers its help option as it was first asked for: with the names that it has on the command line
    top = click.Context(commands, info_name="conewise", **commands.context_settings)
    context = click.Context(STUDY[name], info_name=f"study {name}", parent=top, terminal_width=100)
    text = STUDY[name].get_help(context)
    assert f"Example: conewise study {name} " in text
    assert re.search(r"--json\s+Print JSON\.", text)
