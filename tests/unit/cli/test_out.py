"""`--out`: no input is ever destroyed, every ending is honoured or refused, and no column of ours hides the user's."""

from __future__ import annotations

import csv
import io
import json
import os
import sys

import pyarrow.parquet
import pytest
from click.testing import CliRunner
from shared.studies import make

from conewise.cli.main import commands
from conewise.tables.designs import DesignTable
from conewise.tables.readers import read_rows

DESIGNS = "name,cost,speed\na,1,2\nb,2,3\nc,3,1\n"
EVALUATIONS = "design,cost,speed\n" + "a,1,2\na,1.5,2.5\na,1.25,2.2\nb,2,3\nb,2.1,3.1\nb,2.3,3.2\n" * 3
COMMANDS = {
    "front": ["front", "t.csv", "--out"],
    "analyse": ["analyse", "t.csv", "--objectives", "cost,speed", "--out"],
    "report": ["report", "t.csv", "--objectives", "cost,speed", "--format", "md", "-o"],
}


@pytest.fixture(params=list(COMMANDS))
def words(request, tmp_path, monkeypatch):
    """A command that reads t.csv, all but the name of what it writes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(DESIGNS if request.param == "front" else EVALUATIONS, encoding="utf-8")
    return COMMANDS[request.param]


def run(*words, code=0):
    done = CliRunner().invoke(commands, [str(word) for word in words])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def refused(*words):
    return str(run(*words, code=1).exception)


def test_an_input_is_never_destroyed(words, tmp_path):
    before = (tmp_path / "t.csv").read_bytes()
    (tmp_path / "link.csv").symlink_to("t.csv")
    os.link(tmp_path / "t.csv", tmp_path / "hard.csv")
    for target in ("t.csv", "./t.csv", tmp_path / "t.csv", f"../{tmp_path.name}/t.csv", "link.csv", "hard.csv"):
        for force in ([], ["--force"]):
            assert "is the file that is read and would be destroyed" in refused(*words, target, *force)
    assert (tmp_path / "t.csv").read_bytes() == before


def test_a_folder_never_receives_its_own_output(words, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "t.csv").rename(tmp_path / "parts" / "t.csv")
    command = ["parts" if word == "t.csv" else word for word in words]
    assert "which is read with all its tables" in refused(*command, "parts/out.csv", "--force")
    refused(*command, "parts/t.csv", "--force")
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["t.csv"]


def test_another_file_is_replaced_only_with_force_and_keeps_its_permissions(words, tmp_path):
    out = tmp_path / "out.md" if words[0] == "report" else tmp_path / "out.csv"
    out.write_text("precious", encoding="utf-8")
    out.chmod(0o600)
    assert "exists already" in refused(*words, out)
    assert out.read_text(encoding="utf-8") == "precious"
    run(*words, out, "--force")
    assert out.read_text(encoding="utf-8") != "precious"
    assert out.stat().st_mode & 0o777 == 0o600


def test_a_refusal_comes_before_the_work(words, tmp_path, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the table was read")

    monkeypatch.setattr("conewise.tables.csvfiles.CsvReader.chunks", never)
    monkeypatch.setattr("conewise.tables.csvfiles.FastCsvReader.chunks", never)
    out = tmp_path / "out.md"
    out.touch()
    assert "exists already" in refused(*words, out) or words[0] != "report"
    assert "there is no folder" in refused(*words, "nowhere/out.csv", *(["--force"]))


# -- endings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt", "", ".json", ".jsonl", ".parquet", ".pq"])
def test_a_front_is_written_in_the_format_of_its_ending(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(DESIGNS, encoding="utf-8")
    run("front", "t.csv", "--out", f"out{ending}")
    out = tmp_path / f"out{ending}"
    table = DesignTable(out)
    chunk = next(table.chunks())
    assert (list(chunk.names), chunk.values.tolist()) == (["b", "c"], [[2, 3], [3, 1]])
    kind = {".json": json.loads, ".tsv": lambda text: text.index("name\tcost")}.get(ending)
    if kind is not None:
        kind(out.read_text(encoding="utf-8"))
    if ending in (".parquet", ".pq"):
        assert pyarrow.parquet.read_table(out).num_rows == 2


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_an_analysis_is_written_in_the_format_of_its_ending(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(EVALUATIONS, encoding="utf-8")
    run("analyse", "t.csv", "--objectives", "cost,speed", "--noise", "unknown", "--out", f"out{ending}")
    rows = read_rows(tmp_path / f"out{ending}")
    assert sorted(row["design"] for row in rows) == ["a", "b"]
    assert list(rows[0]) == ["design", "status", "returned", "evaluations", "cost", "speed"]
    assert float(rows[0]["evaluations"]) == 9


def test_an_analysis_in_json_is_what_json_prints_and_what_a_report_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(EVALUATIONS, encoding="utf-8")
    command = ["analyse", "t.csv", "--objectives", "cost,speed"]
    printed = run(*command, "--json").stdout
    run(*command, "--out", "answer.json")
    assert (tmp_path / "answer.json").read_text(encoding="utf-8") == printed
    run("report", "answer.json", "-o", "report.md")


@pytest.mark.parametrize("ending", [".xlsx", ".ods", ".pdf", ".db"])
def test_an_ending_that_is_not_written_is_refused_with_the_remedy(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(DESIGNS, encoding="utf-8")
    words = refused("front", "t.csv", "--out", f"out{ending}")
    assert f"the ending '{ending}' is not known; use .csv, .tsv, .json, .jsonl or .parquet" in words
    assert ("a spreadsheet opens .csv" in words) == (ending in (".xlsx", ".ods"))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


# -- what was compared -------------------------------------------------------------------------------------------------


def test_a_front_says_which_columns_were_compared_and_in_which_direction(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",cost,speed\n0,1,2\n1,2,3\n2,3,1\n", encoding="utf-8")
    done = run("front", path, "--minimise", "cost")
    assert done.stderr == (
        "2 of 3 designs are Pareto under orthant:2; compared: cost (smaller is better), speed (larger is better), "
        "left out: 1 column without a name\n"
    )
    assert done.stdout == "row,cost,speed\n1,1,2\n2,2,3\n"
    data = json.loads(run("front", path, "--minimise", "cost", "--json").stdout)
    assert data["compared"] == [
        {"name": "cost", "direction": "smaller", "unit": 1.0, "level": None},
        {"name": "speed", "direction": "larger", "unit": 1.0, "level": None},
    ]
    assert (
        "compared: cost (smaller is better)"
        in run("front", path, "--minimise", "cost", "--out", path.with_suffix(".json")).stderr
    )


def test_columns_with_commas_in_their_names_can_be_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name,"cost, EUR","say ""x""",speed\na,1,5,2\nb,2,5,3\n', encoding="utf-8")
    done = run("front", path, "--objectives", '"cost, EUR", speed', "--minimise", '"cost, EUR"')
    assert "compared: cost, EUR (smaller is better), speed (larger is better)" in done.stderr
    assert (
        run("front", path, "--objectives", '"say ""x""",speed').stdout.splitlines()[0]
        == 'name,"say ""x""",speed,"cost, EUR"'
    )
    assert "one that holds a comma in double quotes" in refused("front", path, "--objectives", '"cost, EUR')
    assert 'it has name, "cost, EUR", "say ""x""", speed' in refused("front", path, "--objectives", "cost")


# -- names of columns that are ours ------------------------------------------------------------------------------------


def test_no_column_of_ours_hides_one_of_the_users_in_a_front(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("row,status,seed\n5,1,2\n6,0,1\n", encoding="utf-8")
    assert run("front", path).stdout == "row_,row,status,seed\n1,5,1,2\n2,6,0,1\n"
    data = json.loads(run("front", path, "--json").stdout)
    assert data["designs"][0] == {"row": 1, "name": "1", "values": {"row": 5, "status": 1, "seed": 2}, "others": {}}
    path.write_text("name,row\n1,5\n2,6\n", encoding="utf-8")
    objectives = ["--objectives", "name,row", "--name", "name"]
    assert run("front", path, *objectives).stdout == "name_,name,row\n2,2,6\n"
    assert json.loads(run("front", path, *objectives, "--json").stdout)["designs"] == [
        {"row": 2, "name": "2", "values": {"name": 2, "row": 6}, "others": {}}
    ]


def test_no_column_of_ours_hides_one_of_the_users_in_an_analysis(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "out.csv"
    path.write_text("name,status,design\n" + "=a,1,2\n=a,1.1,2.1\nb,3,4\nb,3.1,4.2\n", encoding="utf-8")
    run("analyse", path, "--design", "name", "--objectives", "status,design", "--out", out)
    header, *rows = csv.reader(io.StringIO(out.read_text(encoding="utf-8")))
    assert header == ["design_", "status_", "returned", "evaluations", "status", "design"]
    assert {row[0] for row in rows} == {"'=a", "b"}
    assert {row["design_"] for row in read_rows(out)} == {"=a", "b"}


def test_a_table_to_fill_in_shows_every_column_of_a_design(tmp_path):
    designs = [{"name": "a", "seed": 7, "id": 1, "row": 3}, {"name": "b", "seed": 8, "id": 2, "row": 4}]
    with make(tmp_path / "a.db", designs=designs) as study:
        objectives = list(study.objectives)
    text = run("study", "ask", tmp_path / "a.db", "--csv").stdout
    row, *_ = csv.DictReader(io.StringIO(text))
    assert list(row) == ["id", "design", "seed", "seed_", "id_", "row", *objectives]
    assert (row["design"], row["seed_"], row["id_"], row["row"]) in {("a", "7", "1", "3"), ("b", "8", "2", "4")}


@pytest.mark.parametrize("name", ["id", "seed", "Design", "name", "number", "worker"])
def test_an_objective_of_a_study_may_not_be_called_like_a_column_of_ours(tmp_path, name):
    with pytest.raises(ValueError, match=f"no objective may be called '{name}'"):
        make(tmp_path / "a.db", objectives=[name, "cost"])


def test_an_export_never_replaces_its_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with make(tmp_path / "told.csv") as study:  # a study may be called anything
        study.record([0, 1], [[1.0, 2.0], [2.0, 1.0]])
    before = (tmp_path / "told.csv").read_bytes()
    assert "is the file that is read" in refused("study", "export", "told.csv", "./told.csv", "--force")
    assert (tmp_path / "told.csv").read_bytes() == before
    run("study", "export", "told.csv", "out.csv")
    assert "exists already" in refused("study", "export", "told.csv", "out.csv")
    run("study", "export", "told.csv", "out.csv", "--force")


# -- sizes, and what a terminal shows ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "words"), [(255, None), (256, "there are 256 objectives, where at most 255")])
def test_as_many_objectives_as_there_may_be(tmp_path, columns, words):
    path = tmp_path / "t.csv"
    rows = [",".join(str((k * c) % 7) for c in range(columns)) for k in range(1, 8)]
    path.write_text("\n".join([",".join(f"c{c}" for c in range(columns)), *rows]), encoding="utf-8")
    if words is None:
        assert json.loads(run("front", path, "--json").stdout)["rows"] == 7
    else:
        assert words in refused("front", path)


def test_a_name_twice_among_very_many_designs(tmp_path):
    """At once: looking each one up in a list of 100 000 would take minutes."""
    names = [f"d{k}" for k in range(100_000)]
    with pytest.raises(ValueError, match="two designs are called 'd99999'; a name is a design's identity"):
        make(tmp_path / "a.db", designs=[*names, "d99999"])
    path = tmp_path / "t.csv"
    path.write_text("name,a\n" + "".join(f"{name},1\n" for name in [*names, "d99999"]), encoding="utf-8")
    assert "has two designs called 'd99999'" in refused("front", path)
    assert "two designs are called 'd99999'" in refused_study(tmp_path)


def refused_study(folder):
    (folder / "trial.toml").write_text(
        'objectives = ["a", "b"]\nepsilon = 0.1\ndelta = 0.1\n[designs]\nfile = "t.csv"\n[noise]\nkind = "gaussian"\n'
        "sigma = 1.0\n",
        encoding="utf-8",
    )
    return refused("study", "create", folder / "trial.toml")


def test_no_name_of_a_column_steers_the_terminal_that_shows_a_front(tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    path = tmp_path / "t.csv"
    path.write_text("name,co\x1b[2Jst,\u202espeed\na,1,2\nb,2,3\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", screen := Terminal())
    commands.main(args=["front", str(path)], standalone_mode=False)
    shown = screen.getvalue()
    assert "compared: co" in shown
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
