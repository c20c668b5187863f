"""Answers and evaluations as frames."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import conewise as cw

pytest.importorskip("narwhals")
LIBRARIES = [name for name in ("pandas", "polars", "pyarrow") if importlib.util.find_spec(name)]


def listed(frame, column):
    found = frame[column]
    return found.to_pylist() if hasattr(found, "to_pylist") else found.to_list()


def columns(frame):
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    designs = np.repeat(["x", "y", "z"], 30)
    means = np.repeat([[2.0, 100.0], [1.0, 200.0], [3.0, 50.0]], 30, axis=0)
    values = means + rng.normal(size=(90, 2)) * [0.1, 5]
    table = {"design": list(designs), "cost": values[:, 0], "speed": values[:, 1]}
    return cw.analyse(table, objectives=[cw.Objective("cost", "min", unit=0.5), "speed"], delta=0.05)


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_answer_has_a_row_for_each_design_in_the_users_units(found, library):
    frame = found.to_frame(library)
    assert type(frame).__module__.partition(".")[0] == library
    assert columns(frame)[:6] == ["design", "status", "returned", "by", "certainly_pareto", "evaluations"]
    assert listed(frame, "design") == ["x", "y", "z"]
    assert listed(frame, "status") == ["beaten", "kept", "beaten"]
    assert listed(frame, "returned") == [False, True, False]
    assert listed(frame, "by")[0] == "y"
    assert listed(frame, "cost") == pytest.approx([2, 1, 3], abs=0.1)
    assert listed(found.result.to_frame(library), "evaluations") == [30, 30, 30]


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_answer_without_names_has_numbers(library):
    result = cw.identify(
        cw.SimulatedBandit([[0.0, 0.0], [1.0, 1.0]], cw.noise.Gaussian(0.1)),
        cw.Cone.orthant(2),
        epsilon=0.5,
        delta=0.1,
        rng=0,
    )
    frame = result.to_frame(library)
    assert listed(frame, "design") == ["0", "1"]
    assert columns(frame)[-2:] == ["objective 1", "objective 2"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_evaluations_are_as_they_were_told(tmp_path, library):
    options = {"cone": cw.Cone.orthant(2), "epsilon": 1, "delta": 0.1, "noise": cw.noise.Gaussian(1)}
    objectives = [cw.Objective("cost", "min", unit=500), "speed"]
    with cw.Study.create(tmp_path / "t.db", designs=["a", "b"], objectives=objectives, **options) as study:
        study.record(["b", "a"], [[1000.0, 2.0], [3000.0, 4.0]], worker="w")
        frame = study.evaluations().to_frame(library)
    assert columns(frame) == ["design", "number", "cost", "speed", "worker", "told_at"]
    assert listed(frame, "design") == ["a", "b"]
    assert listed(frame, "cost") == [3000, 1000]


def test_columns_of_ours_hide_none_of_the_users():
    table = {"design": ["a", "a", "b", "b"], "status": [1.0, 2, 3, 4]}
    frame = cw.analyse(table, objectives=["status"], delta=0.1).to_frame(LIBRARIES[0])
    assert "status_" in columns(frame)
    assert listed(frame, "status") == pytest.approx([1.5, 3.5])


def test_a_library_that_is_unknown_or_missing_is_one_sentence(found, monkeypatch):
    with pytest.raises(cw.InputError, match='backend must be "pandas", "polars" or "pyarrow", got \'excel\''):
        found.to_frame("excel")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(cw.ConewiseError, match="a frame needs pandas, polars or pyarrow, which is not installed"):
        found.to_frame()


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_in_and_frames_out_are_one_table(library):
    module = importlib.import_module(library)
    table = {"design": ["a", "a", "a", "b", "b", "b"], "cost": [1.0, 1.1, 1.2, 5.0, 5.1, 5.3]}
    frame = module.table(table) if library == "pyarrow" else module.DataFrame(table)
    options = {"objectives": ["cost"], "minimise": ["cost"], "delta": 0.1}
    assert cw.analyse(frame, **options).result.status.tolist() == cw.analyse(table, **options).result.status.tolist()
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    assert cw.analyse(rows, **options).names == ("a", "b")
