"""Tables put together: one row an evaluation."""

from __future__ import annotations

import json
from collections import Counter
from types import SimpleNamespace

import pytest
from shared.records import LONG
from shared.sentences import refused

import conewise as cw
from conewise import readers

MELTED = {"design": "model", "metric": "metric", "value": "value"}


def test_a_melted_table_becomes_one_row_an_evaluation(tmp_path):
    expected = {"design": ["a", "a", "b"], "run": ["1", "2", "1"], "acc": [0.5, 0.6, 0.9], "time": [3.0, 4.0, 5.0]}
    assert readers.melted(LONG, **MELTED).columns == expected
    assert readers.melted(LONG, run="seed", **MELTED).columns == expected
    path = tmp_path / "t.csv"
    path.write_text("model,metric,value\n" + "\n".join(f"{r['model']},{r['metric']},{r['value']}" for r in LONG))
    table = readers.melted(path, minimise=["time"], **MELTED)
    assert table.minimised == ("time",)
    assert Counter(table.columns["design"]) == {"a": 2, "b": 1}
    assert cw.analyse(table, delta=0.1).means.tolist() == [[0.55, 3.5], [0.9, 5.0]]


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([], {}, "the table is empty"),
        ([{"model": "a"}], {}, "has no column 'metric'"),
        (LONG[:-1], {}, "'b' has no 'time' in evaluation '1'"),
        ([*LONG, LONG[0]], {"run": "seed"}, "'acc' of 'a' stands twice for seed '1'"),
        ([*LONG, {"model": "", "metric": "acc", "value": 1}], {}, "row 7 .* column 'model' is empty"),
        (
            [*LONG[:2], LONG[2] | {"value": "soon"}, *LONG[3:]],
            {},
            "row 3 .* column 'value' holds 'soon', where",
        ),
        (LONG, {"objectives": ["speed"]}, "there is no 'speed' in the column 'metric', only acc, time"),
    ],
)
def test_what_cannot_be_put_together_is_one_sentence(rows, options, words):
    refused(lambda: readers.melted(rows, **MELTED, **options), words)


def test_a_metric_is_not_called_like_a_column_of_the_table(tmp_path):
    """It would stand in the place of the design, the fold or the sample, and nobody would notice."""
    log = {"status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"sample": 1}}]}
    (tmp_path / "samples_t_1.jsonl").write_text(json.dumps({"doc_id": 1, "metrics": ["design"], "design": 1.0}))
    search = {"params": [{"a": 1}], "split0_test_fold": [1.0]}
    trial = SimpleNamespace(number=0, state=SimpleNamespace(name="COMPLETE"), params={"a": 1}, values=[1.0])
    way = SimpleNamespace(name="MINIMIZE")
    study = SimpleNamespace(study_name="s", trials=[trial], directions=[way], metric_names=["trial"])
    for call, name in (
        (lambda: readers.inspect([log]), "sample"),
        (lambda: readers.lm_eval(tmp_path), "design"),
        (lambda: readers.cv_results(search), "fold"),
        (lambda: readers.optuna(study), "trial"),
        (lambda: readers.mlflow([{"status": "FINISHED", "metrics.design": 1.0}]), "design"),
        (lambda: readers.melted([{"model": "a", "metric": "run", "value": 1}], **MELTED), "run"),
    ):
        refused(call, f"a metric is called '{name}', like a column of the table that is made here")


def test_settings_that_differ_do_not_become_one_design():
    trials = [
        SimpleNamespace(number=k, state=SimpleNamespace(name="COMPLETE"), params={"a": value}, values=[1.0])
        for k, value in enumerate((1, "1"))
    ]
    way = SimpleNamespace(name="MINIMIZE")
    study = SimpleNamespace(study_name="s", trials=trials, directions=[way], metric_names=None)
    refused(lambda: readers.optuna(study), "two settings that differ are both written 'a=1'")
    runs = [
        {"status": "FINISHED", "metrics.m": 1.0, "params.a": a, "params.b": b} for a, b in (("1, b=2", None), (1, 2))
    ]
    refused(lambda: readers.mlflow(runs), "both written 'a=1, b=2'")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("1_0", "t.csv, row 3 .below the header., column 'value' holds '1_0'"),
        ("inf", "t.csv, row 3 .below the header., column 'value' holds inf"),
        ("soon", "t.csv, row 3 .below the header., column 'value' holds 'soon'"),
        ("9007199254740993", "t.csv, row 3 .below the header., column 'value' holds 9007199254740993, a whole number"),
        ("", "'a' has no 'time' in evaluation '2'"),
        ("NA", "'a' has no 'time' in evaluation '2'"),
    ],
)
def test_a_value_is_refused_by_the_row_in_which_it_stands(tmp_path, value, words):
    path = tmp_path / "t.csv"
    rows = [LONG[0], LONG[1], LONG[2] | {"value": value}, *LONG[3:]]
    path.write_text("model,metric,value\n" + "\n".join(f"{r['model']},{r['metric']},{r['value']}" for r in rows))
    refused(lambda: readers.melted(path, **MELTED), words)
