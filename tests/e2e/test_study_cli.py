"""`conewise study` as its users type it: a laboratory with tables, a simulator with workers, every slip on the way."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from shared.postgres import server
from shared.studies import reseal

from conewise.cli.main import commands, main
from conewise.studies.study import Study

TESTS = Path(__file__).parents[1]
PLACES = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
ENVIRONMENT = os.environ | {"PYTHONPATH": PLACES, "PYTHONWARNINGS": "error", "TERM": "xterm-256color"}
LIMIT = 60  # seconds for anything that is waited for
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
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "designs.csv").write_text(DESIGNS, encoding="utf-8")
    (tmp_path / "trial.toml").write_text(TOML, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
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
    shutil.copy(template, folder / "trial.db")
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
    assert found.pop("schema") == 1
    return found


def refused(capsys, *arguments: str) -> str:
    code, out, err = conewise(capsys, *arguments)
    assert code == 2, out
    assert out == ""
    assert re.fullmatch(r"conewise: [^\n]+[.?]\n", err), err
    return err


def rows_of(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))


# -- a laboratory --------------------------------------------------------------------------------------------------


def test_a_laboratory_from_the_first_question_to_the_answer(folder, capsys):
    said = succeeds(capsys, "create", "trial.toml")
    assert said.startswith(
        "Study trial is in trial.db: 3 designs, gain, cost under planar:100, epsilon 0.1, delta 0.05"
    )
    assert said.count("\n") == 1

    todo = rows_of(succeeds(capsys, "ask", "trial.db", "-n", "5", "--worker", "Marie"))
    assert list(todo[0]) == ["id", "design", "seed", "x", "batch", "maker", "gain", "cost"]
    assert [row["id"] for row in todo] == ["d0n0", "d1n0", "d2n0", "d0n1", "d1n1"]
    assert [(row["design"], row["batch"], row["maker"]) for row in todo[:3]] == [
        ("007", "3", "A"),
        ("blue steel", "4", "B"),
        ("c", "12", ""),
    ]
    assert (todo[0]["gain"], todo[0]["cost"]) == ("", "")

    # three of them measured, in another order, by a spreadsheet that likes semicolons
    measured = [row | {"gain": f"{float(row['x'])}", "cost": "0.5"} for row in (todo[3], todo[0], todo[1])]
    with (folder / "done.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(todo[0]), delimiter=";")
        writer.writeheader()
        writer.writerows([*measured, todo[2]])
    said = succeeds(capsys, "tell", "trial.db", "--file", "done.csv", "--worker", "Marie")
    assert said == "3 evaluations stored in trial.db, 1 without values left for later.\n"
    again = data(capsys, "tell", "trial.db", "--file", "done.csv")
    assert (again["stored"], again["repeated"], again["left_out"]) == (0, 3, 1)

    assert succeeds(capsys, "tell", "trial.db", "d2n0", "-0.25", "1e-1") == "1 evaluation stored in trial.db.\n"
    assert "use `correct` if the stored values are wrong" in refused(capsys, "tell", "trial.db", "d2n0", "0.25", "0.1")
    said = succeeds(capsys, "correct", "trial.db", "d2n0", "0.25", "0.1", "--reason", "sign lost")
    assert said == "Evaluation d2n0 now counts as 0.25, 0.1.\n"
    assert data(capsys, "tell", "trial.db", "--design", "c", "0.3", "0.2")["evaluations"] == ["d2n1"]

    state = data(capsys, "status", "trial.db")
    assert state["evaluations"] == 5
    assert state["corrected"] == 1
    assert state["in_flight"] == 1
    assert not state["finished"]
    assert succeeds(capsys, "release", "trial.db", "d1n1") == "1 evaluation handed back.\n"
    assert data(capsys, "release", "trial.db", "--all") == {"released": []}

    said = succeeds(capsys, "run", "trial.db", "--toml", "trial.toml")
    assert re.match(r"Finished after 7 evaluations in [\d.]+ s: ", said), said
    state = data(capsys, "status", "trial.db")
    assert state["finished"]
    assert (state["evaluations"], state["in_flight"], state["remaining"]) == (12, 0, 0)
    assert "nothing: the study has all that it asked for" in conewise(capsys, "ask", "trial.db")[2]
    assert data(capsys, "ask", "trial.db") == {"finished": True, "evaluations": []}

    assert succeeds(capsys, "export", "trial.db", "out.csv") == "12 evaluations of study trial written to out.csv.\n"
    exported = rows_of((folder / "out.csv").read_text(encoding="utf-8"))
    assert len(exported) == 12
    assert [(row["design"], row["number"]) for row in exported[:4]] == [("007", str(k)) for k in range(4)]
    assert float(exported[8]["gain"]) == 0.25

    listed = succeeds(capsys, "list", ".")
    assert "1 study in ." in listed
    assert re.search(r"trial\s+3\s+12\s.*finished\s+trial\.db", listed)


def test_names_that_look_like_formulas_come_back_from_a_spreadsheet(folder, capsys):
    """Handed out, filled in and told; exported, and told to another study by the names of the designs."""
    (folder / "designs.csv").write_text("name,x\n=1+1,0.0\n'=1+1,0.5\n-5,1.0\n", encoding="utf-8")
    for storage in ("trial.db", "other.db"):
        succeeds(capsys, "create", "trial.toml", "--storage", storage)
    todo = succeeds(capsys, "ask", "trial.db", "-n", "3")
    assert [row["design"] for row in rows_of(todo)] == ["'=1+1", "''=1+1", "-5"]
    Path("done.csv").write_text(todo.replace(",,\n", ",1,2\n"), encoding="utf-8")
    assert data(capsys, "tell", "trial.db", "--file", "done.csv")["evaluations"] == ["d0n0", "d1n0", "d2n0"]
    succeeds(capsys, "export", "trial.db", "out.csv")
    assert data(capsys, "tell", "other.db", "--file", "out.csv")["evaluations"] == ["d0n0", "d1n0", "d2n0"]


def test_a_table_of_designs_that_was_told_before_is_recognised(trial, capsys):
    """The same rows, also in another format or with new ones below, are not counted twice by a slip."""
    Path("done.csv").write_text("design,gain,cost\nc,0.9,0.1\n007,0.1,0.2\n", encoding="utf-8")
    assert data(capsys, "tell", trial, "--file", "done.csv")["stored"] == 2
    before = Path(trial).read_bytes()
    said = refused(capsys, "tell", trial, "--file", "done.csv")
    assert "the rows of done.csv were told before; nothing was written: if they are new measurements" in said
    Path("same.jsonl").write_text(
        '{"cost": 0.1, "design": "c", "gain": 0.9}\n{"gain": 0.1, "cost": 0.2, "name": "007", "design": "007"}\n',
        encoding="utf-8",
    )
    assert "say --again" in refused(capsys, "tell", trial, "--file", "same.jsonl")
    Path("longer.csv").write_text("design,gain,cost\nc,0.9,0.1\n007,0.1,0.2\nc,0.8,0.1\n", encoding="utf-8")
    said = refused(capsys, "tell", trial, "--file", "longer.csv")
    assert "the first 2 of the 3 rows of longer.csv were told before; nothing was written: tell the new rows" in said
    assert Path(trial).read_bytes() == before
    assert data(capsys, "tell", trial, "--file", "done.csv", "--again")["evaluations"] == ["d2n1", "d0n1"]
    assert "told before" in refused(capsys, "tell", trial, "--file", "done.csv")


def test_a_value_is_withdrawn(trial, capsys):
    for word in ("d0n0", "1-0", "D2N0"):  # as it is written now, as it was written once, as a spreadsheet may write it
        succeeds(capsys, "tell", trial, word, "1", "2")
    said = succeeds(capsys, "withdraw", trial, "d0n0", "--reason", "the sample was mislabelled")
    assert said == ("The value of d0n0 does not count any more (1 withdrawn in all); the evaluation is open again.\n")
    found = data(capsys, "withdraw", trial, "d1n0", "d2n0", "--reason", "wrong day")
    assert found == {"withdrawn": ["d1n0", "d2n0"], "reason": "wrong day", "withdrawn_in_all": 3}
    state = data(capsys, "status", trial)
    assert (state["evaluations"], state["withdrawn"]) == (0, 3)
    assert "evaluations told   0, 3 withdrawn" in succeeds(capsys, "status", trial)


def test_odd_values_are_shown_where_they_are_told_and_in_the_status(folder, capsys):
    unknown = TOML.replace('kind = "gaussian"\nsigma = 0.1', 'kind = "gaussian_unknown"')
    unknown = unknown.replace('name = "naive"\nevaluations_each = 4', 'name = "elimination"')
    (folder / "trial.toml").write_text(unknown, encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    rows = "".join(f"c,{gain},{gain / 3}\n" for gain in (0.41, 0.42, 0.405, 0.395, 0.4))
    Path("done.csv").write_text("design,gain,cost\n" + rows, encoding="utf-8")
    assert conewise(capsys, "tell", "trial.db", "--file", "done.csv") == (0, "5 evaluations stored in trial.db.\n", "")
    code, out, err = conewise(capsys, "tell", "trial.db", "--design", "c", "40.1", "0.13")
    assert (code, out) == (0, "1 evaluation stored in trial.db.\n")
    assert re.fullmatch(r"look at: 'gain' of c is 40.1, [\d,]+ spreads away .* \(d2n5\): [^\n]*withdraw it\.\n", err)
    (remark,) = data(capsys, "status", "trial.db")["warnings"]
    assert remark["evaluations"] == ["d2n5"]
    assert f"look at            {remark['sentence']}" in succeeds(capsys, "status", "trial.db")
    assert data(capsys, "tell", "trial.db", "--design", "007", "0.1", "0.2")["warnings"] == []
    succeeds(capsys, "withdraw", "trial.db", "d2n5", "--reason", "the decimal point was lost")
    assert data(capsys, "status", "trial.db")["warnings"] == []


def test_ids_are_nothing_that_a_spreadsheet_changes(trial, capsys):
    """No date, number, formula, truth value or error: letters and digits that begin with a letter, no E alone."""
    ids = [row["id"] for row in rows_of(succeeds(capsys, "ask", trial, "-n", "6"))]
    assert len(ids) == 6
    assert all(re.fullmatch(r"d[0-9]+n[0-9]+", name) for name in ids)


def test_results_from_standard_input(trial, capsys, monkeypatch):
    def typed(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    typed("name,cost,gain\nc,0.1,0.9\n007,0.2,0.1\nc,0.3,0.8\n")
    assert data(capsys, "tell", trial, "--file", "-")["evaluations"] == ["d2n0", "d0n0", "d2n1"]
    typed('{"id": "d1n0", "gain": 0.5, "cost": 0.5}\n{"id": "d1n1", "gain": 0.25, "cost": 1}\n')
    assert data(capsys, "tell", trial, "--file", "-")["stored"] == 2
    typed('[{"id": "d1n0", "gain": 0.5, "cost": 0.5, "design": "blue steel"}]')
    assert data(capsys, "tell", trial, "--file", "-")["repeated"] == 1
    Path("more.jsonl").write_text('{"design": "c", "gain": 1, "cost": 2}\n', encoding="utf-8")
    assert data(capsys, "tell", trial, "--file", "more.jsonl")["evaluations"] == ["d2n2"]
    with Study.open(trial) as study:
        told = study.evaluations()
        assert dict(zip(told.ids, told.values.tolist(), strict=True))["d2n1"] == [0.8, 0.3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tell", "trial.db"], "an id and its values were expected, or --file"),
        (["tell", "trial.db", "d0n0"], "2 values (gain, cost) were expected, got 0"),
        (["tell", "trial.db", "d0n0", "1"], "2 values (gain, cost) were expected, got 1"),
        (["tell", "trial.db", "d0n0", "1", "high"], "'high' is not a number"),
        (["tell", "trial.db", "d0n0", "1", "nan"], "nan"),
        (["tell", "trial.db", "d9n0", "1", "2"], "is it an evaluation of another study?"),
        (["tell", "trial.db", "d0n0", "1", "2", "--wroker", "Marie"], "No such option '--wroker'"),
        (["tell", "trial.db", "d0n0", "1", "2", "--wroker=Marie"], "--worker"),
        (["tell", "trial.db", "--wroker", "d0n0", "1", "2"], "--worker"),
        (["tell", "trial.db", "-w", "d0n0", "1", "2"], "No such option '-w'"),
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


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "results.csv is empty"),
        ("id,gain,cost\n", "results.csv has no rows below its header"),
        ("id,gain\n0-0,1\n", "has no column 'cost'; it has id, gain"),
        ("who,gain,cost\nme,1,2\n", "neither a column id nor a column design; it has who, gain, cost"),
        ("id,gain,cost\n0-0,,\n1-0,,\n", "holds no values yet: the columns gain, cost are empty"),
        ("id,gain,cost\n0-0,1,\n", "row 1 (below the header) has no value for 'cost', but values for other objectives"),
        (
            "id,gain,cost\n0-0,1,2\n1-0,1,low\n",
            "row 2 (below the header), column 'cost' holds 'low', where a number was expected",
        ),
        ("id,gain,cost\n0-0,1,inf\n", "column 'cost' holds inf, where a finite number was expected"),
        ("id,gain,cost\n,1,2\n", "has no id; give rows with ids and rows with designs in two tables"),
        ("id,design,gain,cost\n0-0,c,1,2\n", "0-0 is an evaluation of '007', not of 'c'"),
        ("design,gain,cost\n,1,2\n", "names no design"),
        ("design,gain,cost\nd,1,2\n", "there is no design called 'd'"),
        ("id,gain,cost\n0-0,1\n", "has 2 entries for 3 columns"),
        ("id,gain,gain,cost\n0-0,1,1,2\n", "two columns called 'gain'"),
        (
            "id;gain;cost\n0-0;1,5;2\n",
            "column 'gain' holds '1,5', where a number was expected; write decimals with a point",
        ),
        ("id,gain,cost\n0-0,1_000,2\n", "column 'gain' holds '1_000', where a number was expected; write thousands"),
        ('id,gain,cost\n"d0n0,1,2\n', "a quote is opened in this row and never closed"),
    ],
)
def test_slips_in_a_table_of_results(trial, capsys, table, words):
    Path("results.csv").write_text(table, encoding="utf-8")
    assert words in refused(capsys, "tell", trial, "--file", "results.csv")
    assert data(capsys, "status", trial)["evaluations"] == 0


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


def test_a_changed_bit_is_harmless_or_one_line(trial, capsys):
    """100 bits drawn with a fixed seed, through the commands: the same answer, or exit code 2 and nothing written."""
    rows = "".join(f"{name},{k / 7},{k / 3}\n" for k, name in enumerate(["c", "007", "blue steel"] * 40))
    Path("done.csv").write_text("design,gain,cost\n" + rows, encoding="utf-8")
    succeeds(capsys, "tell", trial, "--file", "done.csv")
    whole, expected = Path(trial).read_bytes(), succeeds(capsys, "status", trial)
    rng, refusals = random.Random(15), 0
    for _ in range(100):
        bit = rng.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        Path(trial).write_bytes(flipped)
        code, out, err = conewise(capsys, "status", trial)
        if code == 0:
            assert out == expected
            continue
        refusals += 1
        assert (code, out) == (2, "")
        assert re.fullmatch(r"conewise: [^\n]+\.\n", err)
        for arguments in (["ask", trial], ["tell", trial, "d0n50", "1", "2"], ["export", trial, "out.csv"]):
            refused(capsys, *arguments)
        assert Path(trial).read_bytes() == flipped
        assert not Path("out.csv").exists()
    assert refusals > 20


def test_a_study_from_elsewhere_cannot_steer_the_terminal(trial, folder, capsys):
    """Names of studies and workers that our own commands would not have stored."""
    succeeds(capsys, "tell", trial, "d0n0", "1", "2", "--worker", "Marie")
    with contextlib.closing(sqlite3.connect(trial)) as file, file:
        file.execute("UPDATE studies SET name = ?", ("\x1b[2J\x1b]0;owned\x07",))
        file.execute("UPDATE journal SET worker = ?", ("\x1b[31mroot\r",))
    reseal(trial)
    for arguments in (
        ["status", trial],
        ["list", "."],
        ["list", trial],
        ["export", trial, "out.csv"],
        ["status", trial, "--json"],
        ["status", trial, "--name", "none"],
    ):
        _, out, err = conewise(capsys, *arguments)
        assert "\x1b" not in out + err
        assert "\x07" not in out + err
        assert "\r" not in out + err
    exported = Path("out.csv").read_text(encoding="utf-8")
    assert "\x1b" not in exported
    assert "root" in exported


# -- trial.toml ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('objectives = ["gain", "cost"]', "", "does not say objectives; a study needs objectives, epsilon, delta"),
        ("[noise]", "[noize]", "'noize' is not a key of it; did you mean 'noise'?"),
        ("epsilon = 0.1", "epsilom = 0.1", "did you mean 'epsilon'?"),
        ("epsilon = 0.1", 'epsilon = "0.1"', "epsilon must be a number, got '0.1'"),
        ("epsilon = 0.1", "epsilon = true", "epsilon must be a number, got 'True'"),
        ("epsilon = 0.1", "epsilon = -1.0", "epsilon"),
        ("epsilon = 0.1", "epsilon = 1e400", "epsilon must be finite"),
        ("seed = 3", f"seed = {'9' * 5000}", "trial.toml holds a number that is too long"),
        ("seed = 3", f"seed = {'9' * 400}", "seed must be at most"),
        ("seed = 3", f"seed = {'[' * 5000}{']' * 5000}", "trial.toml is nested too deeply"),
        ('file = "designs.csv"', f"count = {'9' * 400}", "designs must be at most 10000000"),
        ("delta = 0.05", "delta = 1.5", "delta must lie strictly between 0 and 1"),
        ("seed = 3", "seed = 3.5", "seed must be a whole number"),
        ("seed = 3", "colour = 3", "'colour' is not a key of it; it may have name, objectives"),
        ("seed = 3", "seed = 3\nlease = 0", "lease must be above 0"),
        ('cone = "planar:100"', 'cone = "planer:100"', "no cone is called 'planer'"),
        ('cone = "planar:100"', 'cone = "orthant:3"', "3"),
        ('minimise = ["cost"]', 'minimise = ["mass"]', "minimise names 'mass'"),
        ('minimise = ["cost"]', 'minimise = "cost"', "minimise must be a list, got 'cost'"),
        ('minimise = ["cost"]', "minimise = [1]", "objectives and minimise are lists of names"),
        ('file = "designs.csv"', 'file = "desings.csv"', "there is no file"),
        ('file = "designs.csv"', "", "[designs]: say exactly one of file, list and count"),
        ('file = "designs.csv"', 'file = "designs.csv"\ncount = 3', "say exactly one of file, list and count, got 2"),
        ('file = "designs.csv"', 'file = "designs.csv"\nname = "label"', "has no column 'label'; it has name, x"),
        ('file = "designs.csv"', 'list = ["a", "b"]\nname = "x"', "name is a column of a file"),
        ('file = "designs.csv"', 'list = ["a", "a"]', "two designs are called 'a'"),
        ('file = "designs.csv"', "count = 1", "at least 2"),
        ('kind = "gaussian"', 'kind = "cauchy"', "the kind of the noise must be one of gaussian"),
        ("sigma = 0.1", "sigma = 0", "sigma must be above 0"),
        ("sigma = 0.1", "simga = 0.1", "did you mean 'sigma'?"),
        ("sigma = 0.1", "sigma = [1, 2, 3]", "the noise is given for 3 objectives, but there are 2"),
        ('name = "naive"', 'name = "naiv"', "algorithm must be"),
        ('name = "naive"', "name = 3", "name in [algorithm] must be text"),
        ("evaluations_each = 4", "evaluation_each = 4", "has no option 'evaluation_each'"),
        ("jobs = 0", "job = 0", "did you mean 'jobs'?"),
        ("jobs = 0", 'jobs = "all"', "jobs must be a whole number"),
        ("seed = 3", "seed = ", "is not valid TOML"),
    ],
    ids=lambda value: value[:40].replace("\n", " "),
)
def test_slips_in_a_toml_are_one_line(folder, capsys, old, new, words):
    assert old in TOML
    (folder / "trial.toml").write_text(TOML.replace(old, new), encoding="utf-8")
    assert words in refused(capsys, "create", "trial.toml")
    assert not (folder / "trial.db").exists()


def test_every_key_of_a_toml_arrives(folder, capsys):
    text = TOML.replace('file = "designs.csv"', 'file = "sub/table.csv"\nname = "maker"').replace(
        "seed = 3", 'seed = 4\nname = "alloys"\nlease = 60'
    )
    text = text.replace("sigma = 0.1", "cov = [[0.01, 0.002], [0.002, 0.02]]")
    (folder / "sub").mkdir()
    (folder / "sub" / "table.csv").write_text("maker;x;n\nA;0.5;3\nB;1;04\n", encoding="utf-8")
    (folder / "trial.toml").write_text(text, encoding="utf-8")
    made = data(capsys, "create", "trial.toml", "--storage", "elsewhere.db")
    assert (made["study"], made["place"], made["designs"]) == ("alloys", "elsewhere.db", 2)
    with Study.open("elsewhere.db") as study:
        assert study.names == ("A", "B")
        assert study.rows == [{"name": "A", "x": 0.5, "n": 3}, {"name": "B", "x": 1.0, "n": 4}]
        assert (study.seed, study.lease, study.minimised) == (4, 60.0, ("cost",))
        assert study.noise.cov.tolist() == [[0.01, 0.002], [0.002, 0.02]]
        assert study.options == {"evaluations_each": 4}
    again = data(capsys, "create", "trial.toml", "--storage", "elsewhere.db", "--name", "second")
    assert again["study"] == "second"
    assert "holds 2 studies; say which by name: alloys, second" in refused(capsys, "status", "elsewhere.db")
    assert data(capsys, "status", "elsewhere.db", "--name", "second")["study"] == "second"
    assert [found["study"] for found in data(capsys, "list", "elsewhere.db")["studies"]] == ["alloys", "second"]
    assert "already holds a study called 'second'" in refused(
        capsys, "create", "trial.toml", "--storage", "elsewhere.db", "--name", "second"
    )


def test_a_list_leaves_out_what_is_no_study(trial, capsys):
    Path("foreign.db").write_text("not a database, only called like one\n" * 50)
    code, out, err = conewise(capsys, "list", ".")
    assert code == 0
    assert "1 study in ." in out
    assert "left out: foreign.db" in err
    found = data(capsys, "list", ".")
    assert [study["study"] for study in found["studies"]] == ["trial"]
    assert [other["place"] for other in found["unreadable"]] == ["foreign.db"]


# -- run -----------------------------------------------------------------------------------------------------------


def test_a_command_evaluates(trial, capsys):
    # each value arrives as one argument, whatever is in it
    command = """sh -c 'echo "$1" | wc -w; echo 0.5' sim {name}"""
    found = data(capsys, "run", trial, "--command", command, "--jobs", "0")
    assert found["finished"]
    assert found["run"]["told"] == 12
    with Study.open(trial) as study:
        told = study.evaluations()
        assert {name: value[0] for name, value in zip(told.name, told.values.tolist(), strict=True)} == {
            "007": 1,
            "blue steel": 2,
            "c": 1,
        }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say what evaluates: exactly one of --function, --command and --toml"),
        (["--function", "a:b", "--command", "ls"], "exactly one of"),
        (["--function", "simulate"], "a function is written module:function"),
        (["--function", "no_such_module:f"], "cannot be imported: ModuleNotFoundError"),
        (["--command", "./nothing-here"], "cannot be started: No such file"),
        (["--command", "simulate {temperature}"], "the command asks for {temperature}, but the designs have name, x"),
        (["--command", "'"], "cannot be split into words"),
        (["--toml", "nowhere.toml"], "nowhere.toml"),
        (["--toml", "other.toml"], "other.toml has the objectives gain, mass, but the study has gain, cost"),
        (["--toml", "silent.toml"], "silent.toml, [run]: say exactly one of function and command"),
        (
            ["--function", "shared.simulators:trade_off", "--time-limit", "3"],
            "cannot be ended, so --time-limit needs --jobs 1 or more",
        ),
        (["--function", "shared.simulators:trade_off", "--dask", "tcp://127.0.0.1:1"], "leave one of them out"),
        (["--function", "shared.simulators:trade_off", "--retries", "-1"], "-1 is not in the range"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_slips_of_a_run_are_one_line(trial, capsys, arguments, words):
    other = TOML.replace('objectives = ["gain", "cost"]', 'objectives = ["gain", "mass"]').replace('"cost"]', '"mass"]')
    Path("other.toml").write_text(other, encoding="utf-8")
    Path("silent.toml").write_text(TOML.split("[run]")[0], encoding="utf-8")
    assert words in refused(capsys, "run", trial, *arguments, "--jobs", "0")
    state = data(capsys, "status", trial)
    assert (state["evaluations"], state["failures"], state["in_flight"]) == (0, 0, 0)


def test_what_evaluates_is_never_in_the_study(trial, capsys):
    """It was made from a TOML with [run]; the file holds nothing of it."""
    assert b"simulators" in Path("trial.toml").read_bytes()
    assert b"simulators" not in Path(trial).read_bytes()
    assert "say what evaluates" in refused(capsys, "run", trial)


def test_a_failing_evaluator_stops_with_a_sentence(folder, capsys):
    (folder / "designs.csv").write_text("name,x\nd0,0\nd1,1\n", encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    code, out, err = conewise(
        capsys, "run", "trial.db", "--function", "shared.simulators:hopeless", "--jobs", "0", "--retries", "1"
    )
    assert code == 2
    assert out == ""
    *log, last = err.strip().splitlines()
    assert last.startswith("conewise: evaluation d1n0 of design 'd1' failed in 2 attempts, the last time because: ")
    assert "RuntimeError: the third pump is broken" in last
    assert any(line.startswith("failed: design 'd1', evaluation d1n0, attempt 1") for line in log)
    state = data(capsys, "status", "trial.db")
    assert state["in_flight"] == 0
    assert state["failures"] >= 2


def test_a_run_with_a_time_of_its_own_is_continued(trial, capsys, monkeypatch):
    monkeypatch.setattr("conewise.cli.run._FIRST_LINE", 0.0)
    code, said, _ = conewise(capsys, "run", trial, "--toml", "trial.toml", "--max-seconds", "0")
    assert code == 3
    assert re.match(
        r"Not finished \(stopped on request\) after 0 evaluations .*; still to do: about 12 evaluations; run again to "
        r"continue\.",
        said,
    )
    code, out, _ = conewise(capsys, "run", trial, "--toml", "trial.toml", "--max-seconds", "0", "--json")
    assert code == 3
    assert json.loads(out)["run"]["stopped_because"] == "stopped on request"
    assert json.loads(out)["remaining"] == 12
    code, out, err = conewise(capsys, "run", trial, "--toml", "trial.toml")
    assert code == 0
    assert out.startswith("Finished after 12 evaluations")
    assert re.match(r"1 evaluation, \d+ in flight, 0 failures; ", err)
    assert "\x1b" not in out + err


def test_status_is_watched_until_the_end(trial, capsys):
    succeeds(capsys, "run", trial, "--toml", "trial.toml")
    said = succeeds(capsys, "status", trial, "--watch")
    assert said.startswith("12 evaluations, 0 in flight, 0 failures; ")
    said = succeeds(capsys, "status", trial)
    assert re.search(r"^certified epsilon +\S+ \(asked for: 0.1\)$", said, re.MULTILINE)


# -- as a process --------------------------------------------------------------------------------------------------


def start(*arguments: str, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "conewise", "study", *arguments]
    return subprocess.Popen(command, env=ENVIRONMENT, text=True, encoding="utf-8", **options)


def test_control_c_stores_what_is_done_and_says_how_to_continue(folder, capsys):
    slow = "".join(f"d{k},{k / 3},0.2\n" for k in range(3))
    (folder / "designs.csv").write_text("name,x,seconds\n" + slow, encoding="utf-8")
    succeeds(capsys, "create", "trial.toml")
    function = ["run", "trial.db", "--function", "shared.simulators:slow", "--jobs", "2"]
    run = start(*function, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, start_new_session=True)
    try:
        with Study.open("trial.db", read_only=True) as study:
            end = time.monotonic() + LIMIT
            while not len(study.evaluations()):
                assert time.monotonic() < end
                assert run.poll() is None, run.communicate()
                time.sleep(0.02)
            os.killpg(run.pid, signal.SIGINT)  # a terminal sends it to everyone
            out, err = run.communicate(timeout=LIMIT)
            assert run.returncode == 130, err
            assert out == ""
            assert "Traceback" not in err
            told = len(study.evaluations())
            last = err.strip().splitlines()[-1]
            assert last.startswith(
                f"Interrupted: all {told} evaluations are stored and what was under way is handed back"
            )
            assert "continue with the same command (conewise study run trial.db" in last
            assert study.leases() == []
            assert not study.finished
    finally:
        run.kill()
        run.communicate()
    assert data(capsys, *function[:-1], "0")["run"]["told"] == 12 - told


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-", "| true", "2>&1 | true"])
def test_a_closed_output_ends_a_run_quietly(folder, trial, closed):
    line = f"{sys.executable} -m conewise study run trial.db --toml trial.toml --jobs 0 {closed}; echo done"
    ran = subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT
    )
    assert "Traceback" not in ran.stderr
    assert "Exception" not in ran.stderr
    assert ran.stdout.endswith("done\n")
    with Study.open("trial.db", read_only=True) as study:
        assert study.leases() == []
        assert study.finished or "2>&1 |" in closed  # what happens to the display is no matter of the study's


def test_the_display_of_a_terminal(folder, trial):
    leader, follower = pty.openpty()
    run = start("run", trial, "--toml", "trial.toml", stdout=subprocess.PIPE, stderr=follower, cwd=folder)
    os.close(follower)
    shown = b""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if select.select([leader], [], [], 0.1)[0]:
            try:
                shown += os.read(leader, 65536)
            except OSError:  # how Linux says that nobody writes any more
                break
    os.close(leader)
    out, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0
    assert out.startswith("Finished after 12 evaluations")
    assert "\x1b" not in out
    text = shown.decode()
    for words in ("Study trial", "kept", "certified epsilon", "still to do", "in flight", "this run"):
        assert words in text
    assert "\x1b[" in text


def test_a_database_by_its_address_and_no_password_anywhere(folder, capfd):
    def said(*arguments: str) -> tuple[int, str]:
        code, out, err = conewise(capfd, *arguments)
        assert "hunter2" not in out + err
        return code, out + err

    with server() as database:
        database.add_user("marie", "hunter2")
        url = database.address_of("marie", "hunter2")
        code, text = said("create", "trial.toml", "--storage", url)
        assert code == 0, text
        assert "Study study is in postgresql://" in text
        assert said("create", "trial.toml", "--storage", url, "--name", "second")[0] == 0
        code, text = said("run", url, "--name", "second", "--toml", "trial.toml", "--jobs", "2")
        assert code == 0, text
        assert "Finished after 12 evaluations" in text
        assert said("ask", url, "--name", "study", "-n", "2")[0] == 0
        code, text = said("list", url)
        assert code == 0
        assert text.startswith("2 studies in postgresql://")
        for arguments in (
            ["status", url],
            ["status", url, "--name", "third"],
            ["create", "trial.toml", "--storage", url],
            ["tell", url, "--name", "study", "d0n0", "1"],
            ["run", url, "--name", "study", "--function", "no_such_module:f", "--jobs", "0"],
            ["list", url.replace("marie", "pierre")],
        ):
            code, text = said(*arguments)
            assert code == 2, text
            assert text.count("\n") == 1


# -- help ----------------------------------------------------------------------------------------------------------

STUDY = commands.commands["study"].commands


def test_all_commands_are_there():
    made = {"init", "create", "list"}
    day_by_day = {"ask", "tell", "fail", "release", "run", "correct", "withdraw"}
    assert set(STUDY) == made | day_by_day | {"add", "drop", "change"} | {"status", "log", "export"}


@pytest.mark.parametrize("name", sorted(STUDY))
def test_every_command_has_an_example_and_speaks_json(name):
    # a command remembers its help option as it was first asked for: with the names that it has on the command line
    top = click.Context(commands, info_name="conewise", **commands.context_settings)
    context = click.Context(STUDY[name], info_name=f"study {name}", parent=top, terminal_width=100)
    text = STUDY[name].get_help(context)
    assert f"Example: conewise study {name} " in text
    assert re.search(r"--json\s+Print JSON\.", text)
