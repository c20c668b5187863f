"""`conewise front`: units, levels, conditions, standard input, every design, and JSON."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest
from click.testing import CliRunner
from shared.commandline import run as anything

from conewise.cli.main import commands, main

CARS = """name,price (EUR),power,fuel
a,20000,90,diesel
b,15000,70,petrol
c,21000,80,petrol
d,40000,200,diesel
"""
CHOICE = ["--objectives", "price (EUR),power", "--minimise", "price (EUR)"]


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(CARS, encoding="utf-8")
    return path


def run(*words, **options):
    done = CliRunner().invoke(commands, [str(word) for word in words], **options)
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def rows(done):
    return list(csv.DictReader(io.StringIO(done.stdout)))


def refusal(capsys, *words):
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    assert caught.value.code == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    return text


def test_other_columns_are_kept(cars):
    found = rows(run("front", cars, *CHOICE))
    assert [(row["name"], row["fuel"]) for row in found] == [("a", "diesel"), ("b", "petrol"), ("d", "diesel")]


WRITTEN = "design,cost,gain,note\na,14900,0.10,x\n\nb, 15000 ,1e3,y\nc,99999,-3.50,z\nd,123456789,2000,\n"


def test_cells_are_given_back_as_they_were_written(tmp_path):
    (tmp_path / "first.csv").write_text(WRITTEN, encoding="utf-8")
    (tmp_path / "second.csv").write_text('gain,design,cost\n"+1.50",e,14000\n', encoding="utf-8")
    choice = ["--objectives", "cost,gain", "--minimise", "cost"]
    done = run("front", tmp_path / "first.csv", *choice)
    assert done.stdout == "design,cost,gain,note\na,14900,0.10,x\nb,15000,1e3,y\nd,123456789,2000,\n"
    done = run("front", tmp_path / "first.csv", *choice, "--all")
    assert [line.split(",")[:3] for line in done.stdout.splitlines()[1:]] == [
        ["a", "14900", "0.10"],
        ["b", "15000", "1e3"],
        ["c", "99999", "-3.50"],
        ["d", "123456789", "2000"],
    ]
    done = run("front", tmp_path / "first.csv", tmp_path / "second.csv", *choice)
    assert done.stdout.splitlines()[1:] == ["b,15000,1e3,y", "d,123456789,2000,", "e,14000,+1.50,"]
    again = tmp_path / "again.csv"
    again.write_text(done.stdout, encoding="utf-8")
    assert run("front", again, *choice).stdout == done.stdout
    values = json.loads(run("front", again, *choice, "--json").stdout)["designs"][0]["values"]
    assert values == {"cost": 15000, "gain": 1000.0}


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".parquet", ".tsv"])
def test_whole_numbers_stay_whole_in_every_form(cars, tmp_path, ending):
    other = tmp_path / f"cars{ending}"
    run("front", cars, *CHOICE, "--out", other)
    assert run("front", other, *CHOICE).stdout == run("front", cars, *CHOICE).stdout
    assert "a,20000,90,diesel" in run("front", other, *CHOICE).stdout


def test_on_a_terminal_large_numbers_are_not_cut(cars, capsys, monkeypatch):
    cars.write_text("name,cost,speed\na,123456789,1234567.25\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(SystemExit):
        main(["front", str(cars)])
    shown = capsys.readouterr().out
    assert "123456789 " in shown
    assert "1234567.25 " in shown


def test_units_are_given_by_name_and_said(cars):
    words = ["--cone", "importance:0.2", "--unit", "price (EUR)=500", "--unit", "power=10"]
    done = run("front", cars, *CHOICE, *words)
    assert "price (EUR) (smaller is better, one step is 500), power (larger is better, one step is 10)" in done.stderr
    assert "Note" not in done.stderr


def test_without_units_there_is_one_note_whose_proposal_can_be_pasted(cars):
    import shlex

    done = run("front", cars, *CHOICE, "--cone", "importance:0.2")
    assert done.stderr.count("Note:") == 1
    words = shlex.split(done.stderr.split("for example ")[1].split(" (in Python")[0])
    assert words == ["--unit", "price (EUR)=2000", "--unit", "power=10"]
    pasted = run("front", cars, *CHOICE, "--cone", "importance:0.2", *words)
    auto = run("front", cars, *CHOICE, "--cone", "importance:0.2", "--unit", "auto")
    assert pasted.stdout == auto.stdout
    assert "Note" not in auto.stderr


def test_a_name_with_an_equal_sign_or_a_comma_is_quoted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name,"a=b, c",d\nx,1,5\ny,9000,4\n', encoding="utf-8")
    done = run("front", path, "--cone", "importance:0.2", "--unit", '"a=b, c"=1000', "--unit", "d=1")
    assert "a=b, c (larger is better, one step is 1000)" in done.stderr
    proposal = run("front", path, "--cone", "importance:0.2").stderr
    assert """--unit '"a=b, c"=1000'""" in proposal


def test_the_summary_repeats_what_was_said_and_counts_one_as_one(cars):
    said = run("front", cars, *CHOICE, "--accept", "1000 price (EUR) for 10 power").stderr
    assert "Pareto under what was said (1000 price (EUR) for 10 power is worth it); compared: " in said
    assert "1 of 4 designs is Pareto under orthant:1" in run("front", cars, "--objectives", "power").stderr


def test_only_who_meets_the_levels_is_compared(cars):
    done = run("front", cars, *CHOICE, "--level", "price (EUR)<=30000", "--level", "power>=80")
    assert [row["name"] for row in rows(done)] == ["a"]
    assert "2 miss a level (price (EUR) <= 30000, power >= 80)" in done.stderr
    none = run("front", cars, *CHOICE, "--level", "power>=1000")
    assert rows(none) == []
    assert "0 of 4 designs are Pareto" in none.stderr


def test_only_designs_that_meet_the_conditions_are_compared(cars):
    done = run("front", cars, *CHOICE, "--where", "fuel == petrol")
    assert [row["name"] for row in rows(done)] == ["b", "c"]
    assert "2 of the 2 designs with fuel == petrol (of 4) are Pareto" in done.stderr


def test_conditions_and_levels_with_workers(cars, tmp_path):
    words = [*CHOICE, "--where", "price (EUR) < 30000", "--level", "power>=75"]
    alone = run("front", cars, *words)
    crowd = run("front", cars, *words, "--workers", "2")
    assert alone.stdout == crowd.stdout


def test_standard_input_in_every_form(cars):
    expected = run("front", cars, *CHOICE).stdout
    assert run("front", "-", *CHOICE, input=CARS).stdout == expected
    records = [
        {**row, "price (EUR)": int(row["price (EUR)"]), "power": int(row["power"])}
        for row in csv.DictReader(io.StringIO(CARS))
    ]
    assert run("front", "-", *CHOICE, input=json.dumps(records)).stdout == expected
    lines = "\n".join(map(json.dumps, records))
    assert run("front", "-", *CHOICE, input=lines).stdout == expected


def test_every_design_with_its_standing(cars):
    found = rows(run("front", cars, *CHOICE, "--all", "--unit", "price (EUR)=500", "--unit", "power=10"))
    assert [row["status"] for row in found] == ["kept", "kept", "beaten", "kept"]
    assert [row["rank"] for row in found] == ["1", "1", "2", "1"]
    assert [float(row["gap"]) for row in found] == [0, 0, 1, 0]
    assert [row["by"] for row in found] == ["", "", "a", ""]
    assert found[2]["fuel"] == "petrol"


def test_the_json_of_every_design(cars):
    data = json.loads(run("front", cars, *CHOICE, "--all", "--json", "--level", "price (EUR)<=30000").stdout)
    assert data["schema"] == 2
    assert data["misses_a_level"] == 1
    assert data["compared"][0] == {"name": "price (EUR)", "direction": "smaller", "unit": 1.0, "level": 30000.0}
    assert data["designs"][2] == {
        "row": 3,
        "name": "c",
        "values": {"price (EUR)": 21000.0, "power": 80.0},
        "status": "beaten",
        "rank": 2,
        "gap": 10.0,
        "by": "a",
        "others": {"fuel": "petrol"},
    }
    assert data["designs"][3]["status"] == "misses a level"
    assert data["designs"][3]["rank"] is None


def test_what_is_written_is_read_again(cars, tmp_path):
    for ending in ("csv", "tsv", "json", "jsonl", "parquet"):
        out = tmp_path / f"out.{ending}"
        run("front", cars, *CHOICE, "--all", "--out", out)
        again = run("front", out, *CHOICE, "--where", "status == beaten")
        assert [row["name"] for row in rows(again)] == ["c"]


def test_texts_of_other_columns_cannot_be_computed_by_a_spreadsheet(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,cost,note\na,1,=1+1\n", encoding="utf-8")
    done = run("front", path, "--objectives", "cost")
    assert done.stdout == "'name,cost,note\na,1,'=1+1\n"
    again = tmp_path / "again.csv"
    again.write_text(done.stdout, encoding="utf-8")
    assert run("front", again, "--objectives", "cost").stdout == done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--unit", "power=0"], "the unit of the objective 'power' must be above 0"),
        (["--unit", "power=nan"], "the unit of 'power' must be finite, got 'nan'"),
        (["--objectives", "price,power,price"], "--objectives names 'price' twice; name it once"),
        (["--unit", "power=many"], "'many' is not a number"),
        (["--unit", "power"], "a unit is written 'price = 500'"),
        (["--unit", "weight=3"], "has no column 'weight'; it has name"),
        (["--unit", "power=3", "--unit", "power=4"], "two units of 'power'"),
        (["--level", "weight<=3"], "has no column 'weight'; it has name"),
        (["--level", "power<=3"], "'power' should be large, so its level is the least that is acceptable"),
        (["--level", "price (EUR)>=3"], "should be small, so its level is the most that is acceptable"),
        (["--level", "power=3"], "a level has <= or >=, such as 'price <= 500', got = in 'power=3'"),
        (["--level", "power>=3", "--level", "power>=4"], "two levels of 'power'"),
        (["--where", "colour == red"], "has no column 'colour'"),
        (["--where", "power"], "a condition is written"),
        (["--where", "power > 9999"], "none of the 4 designs has power > 9999"),
        (["-"], "standard input (-) is one table by itself"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(capsys, cars, tmp_path, words, said):
    out = tmp_path / "out.csv"
    assert said in refusal(capsys, "front", cars, *CHOICE, *words, "--out", out)
    assert not out.exists()


def test_an_empty_pipe_is_called_as_it_is(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    code, _, said = anything(capsys, "front", "-", "--objectives", "cost")
    assert (code, said) == (2, "conewise: standard input is empty; a header row with column names was expected.\n")


def test_a_number_stays_as_it_is_written_beside_others_in_another_form(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.json"
    first.write_text("name,cost,gain\na,007,1\nb,14900,2\n")
    second.write_text('[{"name": "c", "cost": 14901, "gain": 3.5}]')
    words = ["front", str(first), str(second), "--minimise", "cost"]
    done = CliRunner().invoke(commands, words)
    assert done.stdout == "name,cost,gain\na,007,1\nb,14900,2\nc,14901,3.5\n"
    values = [
        design["values"]["cost"]
        for design in json.loads(CliRunner().invoke(commands, [*words, "--json"]).stdout)["designs"]
    ]
    assert values == [7, 14900, 14901]
    out = tmp_path / "c.jsonl"
    assert CliRunner().invoke(commands, [*words, "--out", str(out)]).exit_code == 0
    assert json.loads(out.read_text().splitlines()[0])["cost"] == 7


def test_two_designs_without_a_name_are_said_to_have_none(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,cost\n,1\n,2\n")
    done = CliRunner().invoke(commands, ["front", str(path)])
    assert "t.csv has two designs without a name" in str(done.exception)
