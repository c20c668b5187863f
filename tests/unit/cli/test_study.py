"""The commands of a study: all there, each with an example, and one line for every slip."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from pathlib import Path

import click
import pytest
from shared.laboratory import conewise, data, refused, rows_of, succeeds
from shared.studies import reseal

from conewise.cli.main import commands
from conewise.errors import InputError


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
    changes, looks = {"add", "add-objective", "drop", "change"}, {"status", "log", "export"}
    assert set(STUDY) == made | day_by_day | changes | looks


@pytest.mark.parametrize("name", sorted(STUDY))
def test_every_command_has_an_example_and_speaks_json(name):
    # a command remembers its help option as it was first asked for: with the names that it has on the command line
    top = click.Context(commands, info_name="conewise", **commands.context_settings)
    context = click.Context(STUDY[name], info_name=f"study {name}", parent=top, terminal_width=100)
    text = STUDY[name].get_help(context)
    assert f"Example: conewise study {name} " in text
    assert re.search(r"--json\s+Print JSON\.", text)


# -- objectives that are measured separately ---------------------------------------------------------------------------


@pytest.fixture
def apart(folder, capsys):
    """The trial with `separate = true`, and a price."""
    text = (folder / "trial.toml").read_text(encoding="utf-8")
    text = text.replace('objectives = ["gain", "cost"]', "separate = true")
    text = (
        text.replace('minimise = ["cost"]\n', "").partition("[algorithm]")[0].replace("epsilon = 0.1", "epsilon = 0.6")
    )
    text += '[[objectives]]\nname = "gain"\n\n[[objectives]]\nname = "cost"\ngoal = "min"\nprice = 5\n\n'
    text += '[run]\nfunction = "shared.simulators:one_objective"\njobs = 0\n'
    (folder / "trial.toml").write_text(text, encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    return "trial.db"


def test_a_table_to_fill_in_names_the_objective_of_each_row(apart, folder, capsys):
    handed = rows_of(succeeds(capsys, "ask", apart, "-n", "3", "--csv"))
    assert list(handed[0])[:4] == ["id", "design", "seed", "objective"]
    assert list(handed[0])[-1] == "value"
    assert [(row["id"], row["design"], row["objective"]) for row in handed] == [
        ("d0o0n0", "007", "gain"),
        ("d0o1n0", "007", "cost"),
        ("d1o0n0", "blue steel", "gain"),
    ]
    lines = ["id,design,objective,value", "d0o0n0,007,gain,1.5", "d0o1n0,007,cost,", "d1o0n0,blue steel,gain,0.5"]
    (folder / "todo.csv").write_text("\n".join(lines), encoding="utf-8")
    told = data(capsys, "tell", apart, "--file", "todo.csv")
    assert (told["stored"], told["left_out"], told["ids"]) == (2, 1, ["d0o0n0", "d1o0n0"])
    assert data(capsys, "tell", apart, "--file", "todo.csv")["repeated"] == 2


def test_separate_values_are_told_by_id_by_design_and_in_wide_tables(apart, folder, capsys):
    handed = data(capsys, "ask", apart, "-n", "2")["handed_out"]
    assert [(one["id"], one["objective"]) for one in handed] == [("d0o0n0", "gain"), ("d0o1n0", "cost")]
    assert data(capsys, "tell", apart, "d0o1n0", "2.5")["ids"] == ["d0o1n0"]
    assert data(capsys, "tell", apart, "--design", "c", "--objective", "cost", "-1")["ids"] == ["d2o1n0"]
    (folder / "wide.csv").write_text("design,gain,cost\nc,1,\n007,2,3\n", encoding="utf-8")
    assert data(capsys, "tell", apart, "--file", "wide.csv")["ids"] == ["d2o0n0", "d0o0n1", "d0o1n1"]
    assert "were told before" in refused(capsys, "tell", apart, "--file", "wide.csv")
    corrected = data(capsys, "correct", apart, "d0o1n0", "2.25", "--reason", "digits")
    assert corrected["values"] == {"cost": 2.25}
    found = data(capsys, "status", apart, "--designs")
    assert (found["separate"], found["measured"], found["cost"]) == (True, {"gain": 2, "cost": 3}, 17.0)
    assert found["designs"][0]["repetitions"] == {"gain": 1, "cost": 2}
    shown = succeeds(capsys, "status", apart, "--designs")
    assert "measured           gain 2, cost 3" in shown
    assert "cost so far        17" in shown
    entries = data(capsys, "log", apart)["entries"]
    assert entries[0]["ids"] == ["d0o0n0", "d0o1n0"]
    assert entries[0]["objective_names"] == ["gain", "cost"]
    assert "tell       d0o1n0 cost: 2.5" in succeeds(capsys, "log", apart)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("d0o0n0", "1", "2"), "1 value (gain) was expected, got 2"),
        (("d0o0n0", "much"), "1 value (gain) was expected, and 'much' is not a number"),
        (("d0n0", "1"), "names no objective"),
        (("d0o7n0", "1"), "of objective 7"),
        (("d0o0n0", "nan"), "nan"),
        (("--design", "c", "1"), "say which with --objective"),
        (("--design", "c", "--objective", "cots", "1"), "did you mean 'cost'?"),
        (("--objective", "cost", "1"), "--objective goes with --design"),
        (("--file", "wrong.csv"), "d0o0n0 is an evaluation of 'gain', not of 'cost'"),
        (("--file", "mixed.csv"), "d0o0n0 is an evaluation of '007', not of 'c'"),
        (("--file", "empty.csv"), "empty.csv holds no values yet: the column value is empty"),
        (("--file", "none.csv"), "none.csv has no column 'value'"),
    ],
)
def test_separate_values_that_do_not_fit_are_one_sentence(apart, folder, capsys, words, said):
    (folder / "wrong.csv").write_text("id,objective,value\nd0o0n0,cost,1\n", encoding="utf-8")
    (folder / "mixed.csv").write_text("id,design,value\nd0o0n0,c,1\n", encoding="utf-8")
    (folder / "empty.csv").write_text("id,value\nd0o0n0,\n", encoding="utf-8")
    (folder / "none.csv").write_text("id,speed\nd0o0n0,1\n", encoding="utf-8")
    assert said in refused(capsys, "tell", apart, *words)
    assert data(capsys, "status", apart)["evaluations"] == 0


def test_a_run_measures_one_objective_at_a_time(apart, capsys):
    found = data(capsys, "run", apart, "--toml", "trial.toml")
    assert found["finished"]
    assert sum(found["measured"].values()) == found["evaluations"]
    assert found["guarantee"]["epsilon"] == 0.6
    assert found["cost"] == found["measured"]["gain"] + 5 * found["measured"]["cost"]


def test_a_study_of_whole_evaluations_takes_no_objective(trial, capsys):
    said = refused(capsys, "tell", trial, "--design", "c", "--objective", "cost", "1")
    assert "leave --objective out" in said
    assert data(capsys, "status", trial)["measured"] is None
    assert data(capsys, "ask", trial)["handed_out"][0]["objective"] is None


def test_separate_may_be_said_on_the_command_line(folder, capsys):
    text = (folder / "trial.toml").read_text(encoding="utf-8").partition("[algorithm]")[0]
    (folder / "plain.toml").write_text(text.replace("0.1\ndelta", "0.6\ndelta"), encoding="utf-8")
    assert data(capsys, "create", "plain.toml", "--separate")["separate"] is True
    (folder / "odd.toml").write_text(f"separate = 1\n{text}", encoding="utf-8")
    assert "separate must be true or false" in refused(capsys, "create", "odd.toml")


def test_a_study_in_a_database_is_called_like_its_toml(trial, capsys, monkeypatch):
    asked = []

    def kept(where, name, header):
        asked.append((where, name))
        raise InputError("that is enough.")

    monkeypatch.setattr("conewise.studies.study.create_journal", kept)
    Path("trial.toml").rename("ovens.toml")
    for more in ((), ("--name", "mine"), ("--storage", "other.db")):
        refused(capsys, "create", "ovens.toml", "--storage", "postgresql://me@host/lab", *more)
    assert asked == [("postgresql://me@host/lab", "ovens"), ("postgresql://me@host/lab", "mine"), ("other.db", None)]
