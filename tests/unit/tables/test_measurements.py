"""Tables of measurements: every format alike, designs in the order of appearance, and the row of what is wrong."""

from __future__ import annotations

import re
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from shared.longtables import ROWS, write

import conewise as cw
from conewise import limits
from conewise.tables import measurements
from conewise.tables.blocked import read_blocked
from conewise.tables.means import WideTable
from conewise.tables.measurements import LongTable, open_measurements
from conewise.tables.sums import sum_up


def told(table) -> tuple[list[int], np.ndarray]:
    """Designs and values of every evaluation, in order."""
    parts = list(table)
    return np.concatenate([p.designs for p in parts]).tolist(), np.vstack([p.means for p in parts])


# -- one row an evaluation -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".parquet"])
def test_every_format_tells_the_same_evaluations(tmp_path, reader, ending):
    table = LongTable(write(tmp_path / f"t{ending}"), objectives=["cost", "speed"], minimise=["cost"])
    designs, values = told(table)
    assert table.names == ("b", "a", "c, d")
    assert table.rows.tolist() == [3, 2, 1]
    assert designs == [0, 1, 0, 2, 1, 0]
    np.testing.assert_array_equal(values, [[-row[1] + 0.0, row[2]] for row in ROWS])
    assert (table.design, table.minimised) == ("design", ("cost",))


def test_a_table_may_be_read_as_often_as_wanted(tmp_path):
    table = LongTable(write(tmp_path / "t.csv"), objectives=["speed"])
    first, second = told(table), told(table)
    assert first[0] == second[0]
    np.testing.assert_array_equal(first[1], second[1])


def test_chunks_change_nothing(tmp_path, reader, monkeypatch):
    path = write(tmp_path / "t.csv", rows=[[f"d{k % 7}", float(k), float(-k)] for k in range(100)])
    whole = told(LongTable(path, objectives=["cost", "speed"]))
    monkeypatch.setattr(limits, "CHUNK_ROWS", 9)
    monkeypatch.setattr(measurements, "ENTRIES", 12)  # three evaluations of two objectives
    table = LongTable(path, objectives=["cost", "speed"])
    parts = list(table)
    assert max(len(part) for part in parts) == 3
    assert told(table)[0] == whole[0]
    np.testing.assert_array_equal(told(table)[1], whole[1])
    assert table.rows.tolist() == [15, 15, 14, 14, 14, 14, 14]


@pytest.mark.parametrize(
    "name", ["007", "=1+1", "@SUM(A1)", "-2", " padded ", "ä€𝛽", "two\nlines", "NA", "nan", "null", "\x1b[31mred"]
)
def test_names_are_kept_as_text(tmp_path, reader, name):
    table = LongTable(write(tmp_path / "t.csv", rows=[[name, 1.0, 2.0], ["x", 1.0, 2.0]]), objectives=["cost"])
    assert table.names == (name, "x")
    assert told(table)[0] == [0, 1]


def test_numbers_may_name_designs(tmp_path):
    table = LongTable(write(tmp_path / "t.parquet", rows=[[7, 1.0, 2.0], [3, 1.0, 2.0]]), objectives=["cost"])
    assert table.names == ("7", "3")


def test_another_column_may_name_the_design(tmp_path):
    path = write(tmp_path / "t.csv", header=["plant", "cost", "speed"])
    assert LongTable(path, objectives=["cost"], design="plant").names == ("b", "a", "c, d")
    with pytest.raises(cw.InputError, match=r"which column names the design with `design`; t\.csv has plant, cost"):
        LongTable(path, objectives=["cost"])


def test_memory_does_not_grow_with_the_rows(tmp_path):
    rows = 400_000
    rng = np.random.default_rng(0)
    names = pyarrow.array([f"design {k}" for k in range(50)]).take(pyarrow.array(rng.integers(0, 50, rows)))
    pyarrow.parquet.write_table(pyarrow.table({"design": names, "a": rng.normal(size=rows)}), tmp_path / "t.parquet")
    table = LongTable(tmp_path / "t.parquet", objectives=["a"])
    assert len(table.names) == 50
    tracemalloc.start()
    try:
        assert sum(len(part) for part in table) == rows
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20  # 400 000 rows of text and numbers would be 40 MB
    finally:
        tracemalloc.stop()


# -- rows that lack an objective -----------------------------------------------------------------------------------

HOLES = [["a", 1.0, 2.0], ["b", None, 3.0], ["a", 4.0, None], ["a", 5.0, 6.0], ["c", None, None]]


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".parquet"])
def test_a_missing_objective_is_refused_with_its_place_and_the_way_on(tmp_path, reader, ending):
    table = LongTable(write(tmp_path / f"t{ending}", rows=HOLES), objectives=["cost", "speed"])
    with pytest.raises(cw.InputError, match=r"(row|record) 2.*, column 'cost' is empty.*`incomplete=\"skip\"`"):
        list(table)


@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".parquet"])
def test_incomplete_rows_are_left_out_when_told_to(tmp_path, reader, ending):
    table = LongTable(write(tmp_path / f"t{ending}", rows=HOLES), objectives=["cost", "speed"], incomplete="skip")
    designs, values = told(table)
    assert designs == [0, 0]
    np.testing.assert_array_equal(values, [[1, 2], [5, 6]])
    assert table.names == ("a", "b", "c")  # designs stay, even those of which nothing is left
    assert table.rows.tolist() == [3, 1, 1]  # and what was recorded can still be counted


@pytest.mark.parametrize("word", ["NA", "n/a", "NaN", "null", " ", "None"])
def test_words_for_missing(tmp_path, reader, word):
    path = tmp_path / "t.csv"
    path.write_text(f"design,cost\na,1\na,{word}\na,3\n", encoding="utf-8")
    assert told(LongTable(path, objectives=["cost"], incomplete="skip"))[1].ravel().tolist() == [1, 3]
    with pytest.raises(cw.InputError, match="row 2"):
        list(LongTable(path, objectives=["cost"]))


def test_a_column_that_is_not_looked_at_may_have_holes(tmp_path):
    assert told(LongTable(write(tmp_path / "t.csv", rows=HOLES[:2]), objectives=["speed"]))[0] == [0, 1]


# -- what is wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("incomplete", ["refuse", "skip"])
@pytest.mark.parametrize(
    ("entry", "words"),
    [("fast", "holds 'fast', where a number"), ("inf", "finite number"), ("1,5", "holds '1,5'"), ("true", "'true'")],
)
def test_text_among_numbers_is_never_skipped(tmp_path, reader, entry, words, incomplete):
    path = write(tmp_path / "t.csv", rows=[["a", 1.0, 2.0], ["a", 1.0, entry]])
    with pytest.raises(cw.InputError, match=rf"t\.csv, row 2 \(below the header\), column 'speed'.*{words}"):
        list(LongTable(path, objectives=["cost", "speed"], incomplete=incomplete))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"objectives": ["price"]}, "no column 'price'; it has design, cost, speed"),
        ({"objectives": ["cost"], "design": "plant"}, "no column 'plant'"),
        ({"objectives": ["cost"], "minimise": ["speed"]}, "not among the objectives cost"),
        ({"objectives": ["cost", "cost"]}, "distinct"),
        ({"objectives": ["cost"], "design": "cost"}, "cannot be an objective as well"),
        ({"objectives": ["cost"], "incomplete": "guess"}, '"refuse", "skip" or "separate"'),
    ],
)
def test_columns_that_do_not_fit(tmp_path, options, words):
    with pytest.raises(cw.InputError, match=words):
        LongTable(write(tmp_path / "t.csv"), **options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("design,cost\n", "no rows below its header"),
        ("design,cost\n,1\n", "row 1 .*'design' is empty; which design was it"),
        ("design,cost,cost\na,1,2\n", "two columns called 'cost'"),
        ("design,cost\na,1,2\n", "3 entries for 2 columns"),
    ],
)
def test_files_that_are_no_tables(tmp_path, reader, text, words):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(cw.InputError, match=words):
        list(LongTable(tmp_path / "t.csv", objectives=["cost"]))


def test_a_record_without_a_design_is_refused(tmp_path):
    path = write(tmp_path / "t.jsonl", rows=[["a", 1.0, 2.0], [None, 1.0, 2.0]])
    with pytest.raises(cw.InputError, match=r"record 2, column 'design' is empty"):
        _ = LongTable(path, objectives=["cost"]).names


def test_a_file_that_changes_between_the_readings_is_refused(tmp_path):
    table = LongTable(write(tmp_path / "t.csv"), objectives=["cost"])
    assert len(table.names) == 3
    write(tmp_path / "t.csv", rows=[*ROWS, ["new", 1.0, 1.0]])
    with pytest.raises(cw.InputError, match="changed while it was read: 'new' is new"):
        list(table)


# -- one row a design ----------------------------------------------------------------------------------------------


def test_long_and_wide_are_told_apart(tmp_path):
    both = ["design", "a", "b", "a_mean", "b_mean", "n"]
    path = write(tmp_path / "t.csv", both, [["x", 1.0, 2.0, 3.0, 4.0, 5]])
    assert isinstance(open_measurements(path, objectives=["a", "b"]), LongTable)
    assert isinstance(open_measurements(path), WideTable)
    assert isinstance(open_measurements(path, objectives=["a", "b_mean"]), LongTable)
    narrow = write(tmp_path / "u.csv", ["design", "a_mean", "a_se", "n"], [["x", 1.0, 2.0, 3]])
    assert isinstance(open_measurements(narrow, objectives=["a"]), WideTable)
    assert open_measurements(narrow, minimise=["a_mean"]).minimised == ("a",)


@pytest.mark.parametrize(
    ("columns", "row", "example"),
    [
        (["name", "price", "power", "fuel"], ["a", 9000, 75, "petrol"], ", for example price,power; t.csv has"),
        (["name", "power", "fuel"], ["a", 75, "petrol"], ", for example power; t.csv has"),
        (["name", "fuel"], ["a", "petrol"], "which columns were measured; t.csv has"),
    ],
)
def test_only_columns_of_numbers_are_proposed_as_objectives(tmp_path, columns, row, example):
    with pytest.raises(cw.InputError, match=re.escape(example)):
        open_measurements(write(tmp_path / "t.csv", columns, [row]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "say with `objectives` which columns were measured"),
        ({"means": ["cost"]}, "number of evaluations: name it with `counts`"),
        ({"means": ["cost"], "objectives": ["speed"]}, "not both"),
        ({"objectives": ["cost"], "errors": ["speed"]}, "belong to a table of means"),
        ({"means": ["cost"], "counts": "speed", "errors": ["cost", "speed"]}, "1 columns of means and 2 of standard"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, options, words):
    with pytest.raises(cw.InputError, match=words):
        open_measurements(write(tmp_path / "t.csv"), **options)


def test_a_copy_of_a_file_is_refused(tmp_path):
    """Rows count twice otherwise, and a guarantee on twice the evaluations is none."""
    one, copy = write(tmp_path / "one.csv"), write(tmp_path / "copy.csv")
    with pytest.raises(cw.InputError, match=r"one.csv and .*copy.csv hold the same bytes, and every row would count"):
        LongTable([one, copy], objectives=["cost"])
    other = write(tmp_path / "other.csv", rows=[*ROWS[:-1], [*ROWS[-1][:-1], 7]])
    assert LongTable([one, other], objectives=["cost"]).rows.sum() == 2 * len(ROWS)


def in_pieces(table):
    with ThreadPoolExecutor(1) as pool:
        return sum_up(table, pool)


@pytest.mark.parametrize(
    "read",
    [
        list,
        lambda table: list(table.separately()),
        in_pieces,
        lambda table: read_blocked(table, "q"),
    ],
    ids=["rows", "separately", "in pieces", "blocks"],
)
def test_a_file_that_changes_between_two_readings_is_refused(tmp_path, read):
    path = tmp_path / "long.csv"
    path.write_text("design,q,a\nx,1,1\ny,1,2\n", encoding="utf-8")
    table = LongTable(path, objectives=["a"])
    assert list(table.names) == ["x", "y"]
    path.write_text("design,q,a\nx,1,1\ny,1,2\nx,2,3\n", encoding="utf-8")
    with pytest.raises(cw.InputError, match=r"long\.csv changed while it was read; read it when nobody writes to it"):
        read(table)
