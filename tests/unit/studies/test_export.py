"""Exports: the same numbers to the last bit, the same names, whole or not at all."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pyarrow.parquet as parquet
import pytest
from shared.studies import make

import conewise as cw
from conewise.cli.results import read_results
from conewise.tables.designs import DesignTable
from conewise.tables.measurements import LongTable
from conewise.tables.readers import read_rows
from conewise.tables.spreadsheets import unguarded

NAMES = ["=cmd()", "+1", "-5", "@x", 'say "a", then b', "a;b", "007", "Ünïcode 漢字", "'=1+1", "plain", "1e5", "null"]
ENDINGS = [".csv", ".jsonl", ".parquet", ".json", ".tsv"]


@pytest.fixture
def study(tmp_path):
    """Awkward names, awkward numbers, told out of order and corrected."""
    rng = np.random.default_rng(3)
    with make(
        tmp_path / "a.db", designs=NAMES, options={"evaluations_each": 9}, clock=lambda: 1_700_000_000.123456
    ) as made:
        chosen = rng.permutation(np.repeat(np.arange(len(NAMES)), 3))
        values = rng.standard_normal((len(chosen), 2)) * 10.0 ** rng.integers(-20, 20, (len(chosen), 2))
        values[:4] = [[0.1, 1 / 3], [-0.0, 5e-324], [1e100, -1e-300], [123456789.123456789, 2.0]]
        made.record(chosen.tolist(), values, worker="robot =2")
        made.correct("d0n1", [np.nextafter(1, 2), 1e22], "a slip")
        yield made


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_reads_back_to_the_same_numbers(study, tmp_path, ending):
    path = tmp_path / f"told{ending}"
    assert study.export(path) == 36
    told = study.evaluations()
    table = DesignTable(path, objectives=study.objectives, name="design")
    chunks = list(table.chunks())
    assert [name for chunk in chunks for name in chunk.names] == told.name
    assert np.concatenate([chunk.values for chunk in chunks]).tobytes() == told.values.tobytes()
    assert told.name == [name for name in NAMES for _ in range(3)]
    assert told.number.tolist() == [0, 1, 2] * len(NAMES)


def rows_of(path):
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="," if path.suffix == ".csv" else "\t"))
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return parquet.read_table(path).to_pylist()


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_a_row_holds(study, tmp_path, ending):
    path = tmp_path / f"told{ending}"
    study.export(path)
    rows = rows_of(path)
    assert list(rows[0]) == ["design", "number", "gain", "cost", "worker", "told_at"]
    text = unguarded if ending in (".csv", ".tsv") else str
    assert [text(row["design"]) for row in rows] == study.evaluations().name
    assert {row["worker"] for row in rows} == {"robot =2"}
    assert {str(row["told_at"]).replace("T", " ") for row in rows} == {"2023-11-14 22:13:20.123456+00:00"}
    assert [float(row["gain"]) for row in rows] == study.evaluations().values[:, 0].tolist()


def test_no_text_of_a_csv_is_a_formula(tmp_path):
    """Names, workers and objectives begin with nothing that a spreadsheet computes, and read back to what they were."""
    labels, columns = ["=cmd()", "'=cmd()", "-2+3", "@x", "plain"], ["=HYPERLINK(A1)", "cost"]
    path = tmp_path / "told.csv"
    with make(tmp_path / "a.db", designs=labels, objectives=columns) as study:
        study.record(labels, np.arange(10).reshape(5, 2), worker="+me")
        study.export(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == '"design","number","\'=HYPERLINK(A1)","cost","worker","told_at"'
    assert lines[1].startswith('"\'=cmd()",0,0.0,1.0,"\'+me",')
    for row in csv.reader(lines):
        assert not [cell for cell in row if cell[0] in "=+-@"]
    for table in (DesignTable(path, objectives=columns, name="design"), LongTable(path, objectives=columns)):
        assert list(getattr(table, "names", None) or next(table.chunks()).names) == labels
        assert table.objectives == tuple(columns)
    assert [row["design"] for row in read_rows(path)] == labels
    assert list(read_rows(path)[0])[2] == columns[0]


def test_a_table_of_someone_else_is_read_as_it_stands(tmp_path):
    path = tmp_path / "theirs.csv"
    path.write_text("design,gain,worker,told_at\n'=a,1,'=b,\n=c,2,,\n", encoding="utf-8")
    assert list(LongTable(path, objectives=["gain"]).names) == ["'=a", "=c"]
    assert [row["design"] for row in read_rows(path)] == ["'=a", "=c"]


def test_an_empty_study_has_a_header(tmp_path):
    with make(tmp_path / "a.db") as study:
        for ending in ENDINGS:
            assert study.export(tmp_path / f"told{ending}") == 0
    assert (tmp_path / "told.csv").read_text().count("\n") == 1
    assert (tmp_path / "told.jsonl").read_text() == ""
    assert parquet.read_table(tmp_path / "told.parquet").column_names[:3] == ["design", "number", "gain"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_whole_or_not_at_all(study, tmp_path, ending, monkeypatch):
    path = tmp_path / f"told{ending}"
    path.write_text("what was there before")

    def no_room(_):
        raise OSError(28, "No space left on device")

    with pytest.raises(cw.InputError, match="exists already; name another file, or allow to replace it"):
        study.export(path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", no_room)
        with pytest.raises(cw.ConewiseError, match="cannot be written: No space left on device"):
            study.export(path, force=True)
    assert path.read_text() == "what was there before"
    assert sorted(file.name for file in tmp_path.iterdir() if "told" in file.name) == [path.name]
    study.export(path, force=True)
    assert len(rows_of(path)) == 36


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("told.xls", "ending '.xls' is not known"),
        ("told.pdf", "ending '.pdf' is not known; use .csv"),
        ("no/told.csv", "there is no folder"),
    ],
)
def test_where_nothing_can_be_written(study, tmp_path, name, words):
    with pytest.raises(cw.InputError, match=words):
        study.export(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(cw.InputError, match="is a folder"):
        study.export(tmp_path / "folder.csv")


def test_parquet_without_pyarrow(study, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(cw.ConewiseError, match=r"pip install .\.\[tables\]"):
        study.export(tmp_path / "told.parquet")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_was_not_measured_is_empty_in_every_format(tmp_path, ending):
    """And another study takes the table."""
    asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.5, "delta": 0.1, "noise": cw.noise.Gaussian(1.0)}
    asked |= {"designs": ["a", "b"], "objectives": ["gain", "cost"], "separate": True}
    out = tmp_path / f"told{ending}"
    with cw.Study.create(tmp_path / "one.db", **asked) as study:
        study.record(["a", "b", "a"], [1.0, 2.0, 3.0], objective=["gain", "cost", "cost"])
        study.export(out)
        told = study.evaluations()
    with cw.Study.create(tmp_path / "two.db", **asked) as study:
        assert study.tell_records(read_results(str(out), study)).stored == 3
        assert study.evaluations().ids == told.ids
        assert np.array_equal(study.evaluations().values, told.values, equal_nan=True)
