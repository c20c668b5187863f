"""Tables of results that are told: from files and pipes, what is recognised, and slips in them."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from shared.commandline import run
from shared.laboratory import data, refused, rows_of, succeeds

from conewise.studies.study import Study


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
    assert data(capsys, "tell", trial, "--file", "done.csv", "--again")["ids"] == ["d2n1", "d0n1"]
    assert "told before" in refused(capsys, "tell", trial, "--file", "done.csv")


def test_ids_are_nothing_that_a_spreadsheet_changes(trial, capsys):
    """No date, number, formula, truth value or error: letters and digits that begin with a letter, no E alone."""
    ids = [row["id"] for row in rows_of(succeeds(capsys, "ask", trial, "-n", "6"))]
    assert len(ids) == 6
    assert all(re.fullmatch(r"d[0-9]+n[0-9]+", name) for name in ids)


def test_results_from_standard_input(trial, capsys, monkeypatch):
    def typed(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    typed("name,cost,gain\nc,0.1,0.9\n007,0.2,0.1\nc,0.3,0.8\n")
    assert data(capsys, "tell", trial, "--file", "-")["ids"] == ["d2n0", "d0n0", "d2n1"]
    typed('{"id": "d1n0", "gain": 0.5, "cost": 0.5}\n{"id": "d1n1", "gain": 0.25, "cost": 1}\n')
    assert data(capsys, "tell", trial, "--file", "-")["stored"] == 2
    typed('[{"id": "d1n0", "gain": 0.5, "cost": 0.5, "design": "blue steel"}]')
    assert data(capsys, "tell", trial, "--file", "-")["repeated"] == 1
    Path("more.jsonl").write_text('{"design": "c", "gain": 1, "cost": 2}\n', encoding="utf-8")
    assert data(capsys, "tell", trial, "--file", "more.jsonl")["ids"] == ["d2n2"]
    with Study.open(trial) as study:
        told = study.evaluations()
        assert dict(zip(told.ids, told.values.tolist(), strict=True))["d2n1"] == [0.8, 0.3]


def test_columns_of_which_the_study_knows_nothing_are_named(trial, capsys):
    Path("done.csv").write_text("design,gain,cost,remark,gian\nc,1,2,fine,3\n", encoding="utf-8")
    code, _, noted = run(capsys, "study", "tell", str(trial), "--file", "done.csv")
    assert code == 0
    assert noted == "Note: the study knows nothing of the columns remark, gian, which are not stored.\n"
    handed = succeeds(capsys, "ask", trial, "-n", "1")
    header, row = handed.splitlines()
    Path("todo.csv").write_text(f"{header}\n{row[:-1]}1,2\n", encoding="utf-8")
    told = data(capsys, "tell", trial, "--file", "todo.csv")
    assert (told["stored"], told["ignored"]) == (1, [])


def test_a_table_without_anything_to_do_is_taken_back(trial, capsys, monkeypatch):
    """A loop of ask, evaluate and tell need not look whether there was anything to do."""
    while (todo := succeeds(capsys, "ask", trial, "-n", "50")).count("\n") > 1:
        header, *rows = todo.splitlines()
        filled = [row[:-1] + ("9,0" if ",c," in row else "0,9") for row in rows]  # two empty cells end each of them
        Path("todo.csv").write_text("\n".join([header, *filled]) + "\n", encoding="utf-8")
        succeeds(capsys, "tell", trial, "--file", "todo.csv")
    assert todo == "id,design,seed,gain,cost\n"
    Path("todo.csv").write_text(todo, encoding="utf-8")
    assert data(capsys, "tell", trial, "--file", "todo.csv")["stored"] == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(todo.encode())))
    assert data(capsys, "tell", trial, "--file", "-")["stored"] == 0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "results.csv is empty"),
        ("id,gain,cost\n", "results.csv has no rows below its header"),
        ("id,gain\n0-0,1\n", "has no column 'cost'; it has id, gain"),
        ("who,gain,cost\nme,1,2\n", "row 1 (below the header) has neither an id nor a design; it has who, gain, cost"),
        ("id,gain,cost\n0-0,,\n1-0,,\n", "holds no values yet: the columns gain, cost are empty"),
        ("id,gain,cost\n0-0,1,\n", "row 1 (below the header) has no value for 'cost', but values for other objectives"),
        (
            "id,gain,cost\n0-0,1,2\n1-0,1,low\n",
            "row 2 (below the header), column 'cost' holds 'low', where a number was expected",
        ),
        ("id,gain,cost\n0-0,1,inf\n", "column 'cost' holds inf, where a finite number was expected"),
        ("id,gain,cost\n,1,2\n", "has neither an id nor a design"),
        ("id,design,gain,cost\n0-0,007,1,2\n,c,1,2\n", "row 2 (below the header) has no id, and other rows have"),
        ("id,design,gain,cost\n0-0,c,1,2\n", "0-0 is an evaluation of '007', not of 'c'"),
        ("design,gain,cost\n,1,2\n", "has neither an id nor a design"),
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


def test_columns_that_differ_in_capitals_alone_are_two(trial, capsys):
    Path("twins.csv").write_text("ID,id,Gain,gain,cost,Cost\nmine,d0n0,9,0.5,0.25,9\n", encoding="utf-8")
    found = data(capsys, "tell", trial, "--file", "twins.csv")
    assert (found["ids"], found["ignored"]) == (["d0n0"], ["Gain", "Cost"])
    with Study.open(trial) as study:
        assert study.evaluations().values.tolist() == [[0.5, 0.25]]


def test_again_is_said_of_tables_of_designs_alone(trial, capsys):
    Path("ids.csv").write_text("id,gain,cost\nd0n0,0.5,0.25\n", encoding="utf-8")
    assert "--again goes with a table of designs" in refused(capsys, "tell", trial, "--file", "ids.csv", "--again")
    assert "--again goes with --file" in refused(capsys, "tell", trial, "d0n0", "1", "2", "--again")
    assert "--again goes with --file" in refused(capsys, "tell", trial, "--design", "c", "1", "2", "--again")
    assert data(capsys, "log", trial)["entries"] == []
