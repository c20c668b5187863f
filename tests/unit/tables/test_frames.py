"""Tables in memory are read like files: mappings, and what behaves like a frame of pandas, polars or pyarrow."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import conewise as cw
from conewise import limits
from conewise.tables.designs import DesignTable
from conewise.tables.measurements import LongTable, open_measurements
from conewise.tables.shards import ShardedTable, front_of_table

RNG = np.random.default_rng(0)
NAMES = np.tile(["a", "b", "c"], 40)
VALUES = np.tile([[1.0, 3.0], [3.0, 1.0], [4.0, 4.0]], (40, 1)) + RNG.normal(size=(120, 2))
COLUMNS = {"plant": NAMES.tolist(), "cost": VALUES[:, 0], "size": VALUES[:, 1].tolist()}


TABLES = {
    "mapping": COLUMNS,
    "pandas": pandas.DataFrame(COLUMNS),
    "polars": polars.DataFrame(COLUMNS),
    "pyarrow": pyarrow.table(COLUMNS),
}


def csv_of(path):
    rows = "".join(f"{name},{cost!r},{size!r}\n" for name, (cost, size) in zip(NAMES, VALUES.tolist(), strict=True))
    path.write_text("plant,cost,size\n" + rows, encoding="utf-8")
    return path


@pytest.fixture(params=[*TABLES, "path", "text", "paths"])
def table(request, tmp_path):
    if request.param in TABLES:
        return TABLES[request.param]
    path = csv_of(tmp_path / "t.csv")
    return {"path": path, "text": str(path), "paths": [path]}[request.param]


def test_analyse_takes_whatever_has_columns(table):
    found = cw.analyse(table, delta=0.05, design="plant", objectives=["cost", "size"], minimise=["cost", "size"])
    source = LongTable(COLUMNS, design="plant", objectives=["cost", "size"], minimise=["cost", "size"])
    other = cw.analyse(source, cw.Cone.orthant(2), delta=0.05)
    assert found.names == ("a", "b", "c")
    assert found.objectives == found.minimised == ("cost", "size")
    assert found.result.status.tolist() == other.result.status.tolist()
    np.testing.assert_array_equal(found.means, other.means)
    np.testing.assert_allclose(found.means[0], VALUES[::3].mean(axis=0))
    assert found.result.evaluations == 120


def test_a_front_of_whatever_has_columns(table):
    found = front_of_table(ShardedTable(table, objectives=["cost", "size"]), cw.Cone.orthant(2))
    assert found.indices.tolist() == np.flatnonzero(cw.pareto_mask(VALUES, cw.Cone.orthant(2))).tolist()


def test_long_frames_come_in_chunks(monkeypatch):
    monkeypatch.setattr(limits, "CHUNK_ROWS", 7)
    for frame in TABLES.values():
        chunks = list(DesignTable(frame, objectives=["cost", "size"]).chunks())
        assert len(chunks) > 10
        np.testing.assert_array_equal(np.vstack([chunk.values for chunk in chunks]), VALUES)


def test_a_table_of_means_in_memory():
    means = {"design": ["a", "b"], "cost_mean": [1.0, 2.0], "cost_se": [0.1, 0.1], "n": [5, 5]}
    found = cw.analyse(means, delta=0.05, final=True)
    assert (found.names, found.objectives) == (("a", "b"), ("cost",))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"id": ["a", "b"], "x": [1.0, "low"]}, r"the table, row 2 \(counted from 1\), column 'x' holds 'low'"),
        ({"id": ["a", "b"], "x": [1.0, None]}, r"the table, row 2 \(counted from 1\), column 'x' is empty"),
        ({"id": ["a", "b"], "x": np.array([1.0, np.nan])}, r"row 2 \(counted from 1\), column 'x' is empty"),
        ({"id": ["a", "b"], "x": [2**53 + 1, 1]}, r"row 1 .* holds 9007199254740993, a whole number beyond 2\^53"),
        ({"id": ["a", "b"], "x": np.array([1, 2**60])}, r"row 2 .* a whole number beyond 2\^53"),
        ({"id": ["a", float("nan")], "x": [1.0, 2.0]}, "column 'id' is empty; which design was it"),
        ({"id": ["a", "b"], "x": [1.0]}, "the columns of a table are equally long, got 'id' with 2 and 'x' with 1"),
        ({"id": ["a", "b"], "x": 7}, "the column 'x' must be a list of entries, one a row, got 7"),
        ({"id": "ab", "x": [1, 2]}, "the column 'id' must be a list of entries"),
        ({"id": ["a", "b"], 7: [1, 2]}, "the columns of a table are called by text, got 7"),
        ({"id": ["a"], "y": [1.0]}, "the table has no column 'x'; it has id, y"),
    ],
)
def test_frames_that_are_refused(columns, words):
    with pytest.raises(cw.InputError, match=words):
        cw.analyse(columns, delta=0.05, objectives=["x"])


@pytest.mark.parametrize("given", [VALUES, VALUES.tolist(), 7, None, object(), iter([1])])
def test_what_has_no_columns_is_one_sentence(given):
    with pytest.raises(cw.InputError, match="observations must be a path, a mapping of columns, a data frame or Obs"):
        cw.analyse(given, cw.Cone.orthant(2), delta=0.05)


@pytest.mark.parametrize("given", [[], ()])
def test_a_table_without_rows_is_one_sentence(given):
    with pytest.raises(cw.InputError, match="the table has no rows"):
        cw.analyse(given, objectives=["x"], delta=0.05)


def test_arguments_that_do_not_belong_together():
    observations = cw.Observations.single([0, 1], [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(cw.InputError, match="name columns of a path or a frame; this has none"):
        cw.analyse(observations, delta=0.05, objectives=["cost", "size"])
    with pytest.raises(cw.InputError, match="`names` belong to observations"):
        cw.analyse(COLUMNS, delta=0.05, design="plant", objectives=["cost"], names=["x"])
    with pytest.raises(cw.InputError, match="objectives must be a list of columns, got the text 'cost'"):
        cw.analyse(COLUMNS, delta=0.05, design="plant", objectives="cost")
    with pytest.raises(cw.InputError, match="names the design with `design`; the table has plant"):
        open_measurements(COLUMNS, objectives=["cost"])
    with pytest.raises(cw.InputError, match=r"there is no file nowhere\.csv"):
        cw.analyse("nowhere.csv", delta=0.05, objectives=["cost"])


def test_no_frame_library_is_imported():
    code = (
        "import sys, conewise as cw; cw.analyse({'id': ['a', 'b'] * 3, 'x': [1.0, 2, 1.1, 2.1, 1.2, 2.2]}, delta=0.05, "
        "objectives=['x']); print([m for m in ('pandas', 'polars', 'pyarrow', 'narwhals') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
