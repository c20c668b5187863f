"""Runs of MLflow: equal parameters are one design."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from shared.sentences import refused

import conewise as cw
from conewise import readers

DATA = Path(__file__).parents[2] / "data" / "readers"


def test_runs_with_equal_parameters_are_one_design():
    table = readers.mlflow(DATA / "mlruns", minimise=["cost"])
    assert sorted(table.names) == ["temp=20", "temp=40", "temp=60"]
    assert table.rows.tolist() == [2, 2, 2]
    assert table.objectives == ("cost", "yield")
    assert table.minimised == ("cost",)
    averages = dict(zip(table.names, cw.analyse(table, delta=0.1).means.tolist(), strict=True))
    assert averages["temp=60"] == pytest.approx([6, 3], abs=0.4)  # what was simulated


def test_runs_as_objects():
    def run(status, params, metrics, start):
        info = SimpleNamespace(status=status, start_time=start)
        return SimpleNamespace(info=info, data=SimpleNamespace(params=params, metrics=metrics))

    runs = [
        run("FINISHED", {"t": "1"}, {"m": 2.0, "extra": 1.0}, 5),
        run("FINISHED", {"t": "1"}, {"m": 1.0}, 3),
        run("FAILED", {"t": "2"}, {"m": 9.0}, 4),
    ]
    table = readers.mlflow(runs)
    assert table.objectives == ("m",)
    assert table.columns["m"] == [1.0, 2.0]  # in the order in which they began
    assert table.left_out == 1


def test_runs_of_the_store_that_is_the_default_now():
    table = readers.mlflow(DATA / "mlflow.db", minimise=["cost"])
    assert table.names == ("temp=20", "temp=40", "temp=60")
    assert (table.rows.tolist(), table.objectives, table.left_out) == ([2, 2, 2], ("cost", "yield"), 1)
    # what mlflow.search_runs() has printed for this store: the last value of a metric that was logged twice
    assert table.columns["cost"][:2] == pytest.approx([1.965822, 2.010696], abs=1e-6)
    named = readers.mlflow(f"sqlite:///{DATA / 'mlflow.db'}", experiment="ovens", minimise=["cost"])
    assert named.columns == table.columns


@pytest.mark.parametrize("kind", ["records", "pandas", "polars"])
def test_runs_as_a_frame_of_search_runs(kind):
    rows = [
        {"run_id": "c", "status": "FAILED", "metrics.m": None, "params.t": "2", "params.lost": None},
        {"run_id": "b", "status": "FINISHED", "metrics.m": 2.0, "params.t": "1", "params.lost": None},
        {"run_id": "a", "status": "FINISHED", "metrics.m": 1.0, "params.t": "1", "params.lost": None},
    ]
    frame = rows if kind == "records" else pytest.importorskip(kind).DataFrame(rows)
    table = readers.mlflow(frame)
    assert (table.names, table.columns["m"], table.left_out) == (("t=1",), [1.0, 2.0], 1)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (3, {}, "runs of MLflow or a folder of them was expected, got 3"),
        ([3], {}, "a run of MLflow has data and info, got 3"),
        ([], {}, "there are no finished runs"),
        ("nowhere", {}, "there is no file or folder nowhere; MLflow keeps its runs in a file called mlflow.db"),
        (DATA / "optuna.db", {}, "optuna.db is not a store of MLflow"),
        (DATA / "mlflow.db", {"experiment": "other"}, "has no experiment 'other'; it has ovens"),
        ({"a": [1]}, {}, "a frame of runs has a column status and columns such as metrics.NAME"),
        (DATA / "mlruns", {"experiment": "other"}, "has no experiment 'other'; it has boilers"),
        (DATA / "inspect", {}, "inspect has no experiment with runs: there is nothing to read"),
        (DATA / "mlruns", {"objectives": ["speed"]}, "there is no 'speed' in all of the runs, only cost, yield"),
    ],
)
def test_what_is_no_run_is_one_sentence(given, options, words):
    refused(lambda: readers.mlflow(given, **options), words)


def test_the_latest_value_is_that_of_the_last_step(tmp_path):
    """Steps may be logged in any order; MLflow shows the value of the largest."""
    run = tmp_path / "1" / "r"
    for folder in ("metrics", "params"):
        (run / folder).mkdir(parents=True)
    (run.parent / "meta.yaml").write_text("name: x\n", encoding="utf-8")
    (run / "meta.yaml").write_text("status: 3\nstart_time: 5\n", encoding="utf-8")
    (run / "metrics" / "m").write_text("10 1.0 0\n11 3.0 2\n12 2.0 1\n", encoding="utf-8")
    assert readers.mlflow(tmp_path).columns["m"] == [3.0]
    (run / "metrics" / "m").write_text(
        "11 7.0\n10 8.0\n", encoding="utf-8"
    )  # as it was written before there were steps
    assert readers.mlflow(tmp_path).columns["m"] == [7.0]
    (run / "meta.yaml").write_text("status: 3\nstart_time: soon\n", encoding="utf-8")
    refused(lambda: readers.mlflow(tmp_path), "begins at a time in milliseconds, got 'soon'")
    (run / "meta.yaml").write_bytes(b"\xff")
    refused(lambda: readers.mlflow(tmp_path), "meta.yaml is not text in UTF-8")


def test_what_are_runs_by_half_is_one_sentence():
    frame = [{"status": "FINISHED", "metrics.m": "soon"}]
    refused(lambda: readers.mlflow(frame), "metrics.m is 'soon', where a number was expected")
    refused(lambda: readers.mlflow(frame, experiment="x"), "`experiment` names one of several")
    info = SimpleNamespace(status="FINISHED", start_time=1)
    for data in (1, SimpleNamespace(metrics={}, params=3)):
        refused(
            lambda data=data: readers.mlflow([SimpleNamespace(info=info, data=data)]), "a run of MLflow has metrics"
        )


def test_a_damaged_store_is_one_sentence(tmp_path):
    shutil.copy(DATA / "mlflow.db", tmp_path / "m.db")
    with closing(sqlite3.connect(tmp_path / "m.db")) as file:
        file.execute("UPDATE latest_metrics SET value = 'x'")
        file.commit()
    refused(lambda: readers.mlflow(tmp_path / "m.db"), "the metric .* is 'x', where a number was expected")
