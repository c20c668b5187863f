"""Tables from what other programs have written: real files of theirs, and objects that behave like theirs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

import conewise as cw
from conewise import readers
from conewise.cli.main import commands, main

DATA = Path(__file__).parents[2] / "data" / "readers"


# -- Optuna ----------------------------------------------------------------------------------------------------------


def test_trials_with_equal_parameters_are_one_design():
    table = readers.optuna(DATA / "optuna.db")
    assert table.objectives == ("cost", "yield")
    assert table.minimised == ("cost",)
    assert set(table.names) == {f"kind={kind}, width={width}" for kind in "ab" for width in (1, 2, 3)}
    assert int(table.rows.sum()) + table.left_out == 36
    assert table.left_out > 0  # pruned
    assert table.columns["trial"] == sorted(table.columns["trial"])
    assert set(table.columns["width"]) == {1, 2, 3}
    found = cw.analyse(table, delta=0.1, epsilon=0.5)
    assert len(found.names) == 6
    averages = dict(zip(found.names, found.means.tolist(), strict=True))
    assert averages["kind=a, width=3"] == pytest.approx([3, 1.5], abs=0.3)  # what was simulated


def optuna_like(trials, directions=("MINIMIZE", "MAXIMIZE"), metrics=None):
    """What `optuna.Study` has, and nothing else."""
    listed = [
        SimpleNamespace(number=k, state=SimpleNamespace(name=state), params=params, values=values)
        for k, (state, params, values) in enumerate(trials)
    ]
    ways = [SimpleNamespace(name=direction) for direction in directions]
    return SimpleNamespace(study_name="s", trials=listed, directions=ways, metric_names=metrics)


def test_a_study_in_memory_needs_no_file():
    study = optuna_like(
        [
            ("COMPLETE", {"b": 1, "a": "x"}, [1.0, 2.0]),
            ("COMPLETE", {"a": "x", "b": 1}, [1.5, 2.5]),
            ("FAIL", {"a": "y", "b": 1}, None),
            ("COMPLETE", {"a": "y", "b": 1}, [3.0, 4.0]),
        ]
    )
    table = readers.optuna(study)
    assert table.names == ("a=x, b=1", "a=y, b=1")
    assert table.rows.tolist() == [2, 1]
    assert table.left_out == 1
    assert table.objectives == ("value 1", "value 2")
    one = readers.optuna(study, objectives=[cw.Objective("value 2", unit=10)])
    assert one.meaning.each == (cw.Objective("value 2", unit=10),)


def test_the_study_of_optuna_itself_is_read_like_its_file(tmp_path):
    optuna = pytest.importorskip("optuna")
    study = optuna.load_study(study_name="pipes", storage=f"sqlite:///{DATA / 'optuna.db'}")
    table, file = readers.optuna(study), readers.optuna(DATA / "optuna.db")
    assert table.columns == file.columns
    assert (table.objectives, table.minimised, table.left_out) == (file.objectives, file.minimised, file.left_out)


@pytest.mark.parametrize(
    ("study", "options", "words"),
    [
        (3, {}, "an optuna.Study or the path"),
        ("nothing.db", {}, "there is no SQLite file nothing.db"),
        ("postgresql://host/db", {}, "give the study itself"),
        (DATA / "sklearn.json", {}, "is not a storage of Optuna"),
        (DATA / "optuna.db", {"name": "other"}, "has no study 'other'; it has pipes"),
        (DATA / "optuna.db", {"objectives": ["speed"]}, "has no 'speed'; it has cost, yield"),
        (optuna_like([("FAIL", {}, None)]), {}, "has no completed trials"),
        (optuna_like([("COMPLETE", {}, [1.0])]), {}, "is complete and has no finite values"),
    ],
)
def test_what_is_no_study_of_optuna_is_one_sentence(study, options, words):
    refused(lambda: readers.optuna(study, **options), words)


# -- scikit-learn ----------------------------------------------------------------------------------------------------


def test_folds_are_evaluations_that_the_designs_share():
    data = json.loads((DATA / "sklearn.json").read_text(encoding="utf-8"))["cv_results_"]
    table = readers.cv_results(DATA / "sklearn.json")
    assert table.objectives == ("accuracy", "neg_log_loss")
    assert len(table.names) == 6
    assert table.rows.tolist() == [5] * 6
    averages = cw.analyse(table, delta=0.1).means
    np.testing.assert_allclose(averages[:, 0], data["mean_test_accuracy"], rtol=1e-12)
    np.testing.assert_allclose(averages[:, 1], data["mean_test_neg_log_loss"], rtol=1e-12)


def test_no_guarantee_where_designs_share_folds():
    found = cw.analyse(readers.cv_results(DATA / "sklearn.json"), delta=0.1, epsilon=0.2)
    assert not found.result.guarantee
    assert "evaluated on the same folds" in str(found.result.guarantee)
    assert found.result.certified_epsilon is None
    assert not found.result.certain.any()
    text = " ".join(found.explanations)
    assert "guess, not a guarantee" in text or "none is decided" in text
    assert "with probability" not in text


@pytest.mark.parametrize(
    ("table", "options", "returned"),
    [
        (lambda: readers.inspect(DATA / "inspect"), {"population": "all", "repetitions": True}, ["mockllm/good"]),
        (lambda: readers.lm_eval(DATA / "lm_eval"), {"population": "all"}, ["model-2"]),
        (lambda: readers.cv_results(DATA / "sklearn.json"), {"epsilon": 0.1}, None),
    ],
)
def test_what_is_shared_is_compared_block_by_block(table, options, returned):
    imported = table()
    found = cw.analyse(imported, block=imported.block, delta=0.1, **options)
    assert found.result.guarantee
    if returned is not None:  # the whole benchmark was seen, so the front of the averages is the answer
        assert found.result.names() == returned
    assert f"`block`={imported.block!r}" in str(cw.analyse(imported, delta=0.1).result.guarantee)


def test_the_search_of_scikit_learn_itself(tmp_path):
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_iris
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    grid = {"max_depth": [1, 2], "criterion": ["gini"]}
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3).fit(*load_iris(return_X_y=True))
    table = readers.cv_results(search)
    assert table.objectives == ("score",)
    assert table.names == ("criterion=gini, max_depth=1", "criterion=gini, max_depth=2")
    assert readers.cv_results(search.cv_results_).columns == table.columns


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "cv_results_ of a search, or the search itself, was expected, got 3"),
        ({"a": [1]}, "has params and split0_test_..., got a"),
        ("nothing.json", "there is no file nothing.json"),
    ],
)
def test_what_is_no_search_is_one_sentence(given, words):
    refused(lambda: readers.cv_results(given), words)


# -- language models -------------------------------------------------------------------------------------------------


def test_samples_of_inspect_are_evaluations_of_models():
    table = readers.inspect(DATA / "inspect")
    assert table.names == ("mockllm/good", "mockllm/poor")
    assert table.objectives == ("match", "includes")
    assert table.rows.tolist() == [12, 12]
    assert set(table.columns["match"]) <= {0.0, 1.0}
    logs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((DATA / "inspect").glob("*.json"))]
    for log, mean in zip(logs, cw.analyse(table, delta=0.1).means, strict=True):
        said = {score["name"]: score["metrics"]["accuracy"]["value"] for score in log["results"]["scores"]}
        assert mean == pytest.approx([said["match"], said["includes"]])  # as inspect-ai itself has averaged them
    assert readers.inspect(logs).columns == table.columns
    assert not cw.analyse(table, delta=0.1).result.guarantee


def test_samples_of_lm_eval_are_evaluations_of_models():
    table = readers.lm_eval(DATA / "lm_eval")
    assert table.names == ("model-1", "model-2")
    assert table.objectives == ("acc", "acc_norm")
    assert table.rows.tolist() == [6, 6]
    # lm-eval printed 0.3333 and 0.6667 for these two runs
    assert cw.analyse(table, delta=0.1).means.round(4).tolist() == [[0.3333, 0.3333], [0.6667, 0.6667]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: readers.inspect(path), "there is no file like"),
        (lambda path: readers.inspect(3), "a log of inspect-ai was expected, got 3"),
        (lambda path: readers.inspect([{"status": "error"}]), "did not succeed, or has no samples"),
        (lambda path: readers.inspect(path / "x.eval"), "there is no file"),
        (lambda path: readers.inspect(DATA / "inspect", design="day"), 'design must be "model" or "task"'),
        (lambda path: readers.inspect(DATA / "inspect", objectives=["f1"]), "the logs has no 'f1'; it has match"),
        (lambda path: readers.lm_eval(path), "there is no file like"),
        (lambda path: readers.lm_eval(DATA / "sklearn.json"), "is not valid JSON|no sample of lm-eval"),
    ],
)
def test_what_is_no_log_is_one_sentence(tmp_path, call, words):
    refused(lambda: call(tmp_path), words)


def test_a_packed_log_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "a.eval").write_bytes(b"PK")
    refused(lambda: readers.inspect(tmp_path / "a.eval"), "inspect log convert")


def test_a_grade_that_nobody_knows_is_named(tmp_path):
    log = {
        "status": "success",
        "eval": {"model": "m", "task": "t"},
        "samples": [{"id": 1, "scores": {"s": {"value": "X"}}}],
    }
    refused(lambda: readers.inspect([log]), "'s' is 'X', where a number or a grade")


# -- MLflow ----------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (3, {}, "runs of MLflow or a folder of them was expected, got 3"),
        ([3], {}, "a run of MLflow has data and info, got 3"),
        ([], {}, "there are no finished runs"),
        ("nowhere", {}, "there is no folder nowhere"),
        (DATA / "mlruns", {"experiment": "other"}, "has no experiment 'other'; it has boilers"),
        (DATA / "inspect", {}, "holds 0 experiments"),
        (DATA / "mlruns", {"objectives": ["speed"]}, "every run has no 'speed'; it has cost, yield"),
    ],
)
def test_what_is_no_run_is_one_sentence(given, options, words):
    refused(lambda: readers.mlflow(given, **options), words)


# -- melted tables ---------------------------------------------------------------------------------------------------

LONG = [
    {"model": model, "metric": metric, "value": value, "seed": seed}
    for seed, model, metric, value in [
        (1, "a", "acc", 0.5),
        (1, "a", "time", 3.0),
        (2, "a", "time", 4.0),
        (2, "a", "acc", 0.6),
        (1, "b", "acc", 0.9),
        (1, "b", "time", 5.0),
    ]
]
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
        ([{"model": "a"}], {}, "has no column 'metric'"),
        (LONG[:-1], {}, "'b' has no 'time' in evaluation '1'"),
        ([*LONG, LONG[0]], {"run": "seed"}, "'acc' of 'a' stands twice for seed '1'"),
        ([*LONG, {"model": "", "metric": "acc", "value": 1}], {}, "row 7 .* column 'model' is empty"),
        (LONG, {"objectives": ["speed"]}, "the column 'metric' has no 'speed'; it has acc, time"),
    ],
)
def test_what_cannot_be_put_together_is_one_sentence(rows, options, words):
    refused(lambda: readers.melted(rows, **MELTED, **options), words)


# -- on the command line ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "file", "words"),
    [
        ("optuna", "optuna.db", ["--epsilon", "0.5"]),
        ("sklearn", "sklearn.json", []),
        ("inspect", "inspect", []),
        ("lm-eval", "lm_eval", []),
        ("mlflow", "mlruns", ["--minimise", "cost"]),
    ],
)
def test_every_origin_is_read_by_the_command(origin, file, words):
    done = CliRunner().invoke(commands, ["analyse", str(DATA / file), "--from", origin, *words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    data = json.loads(done.stdout)
    assert len(data["designs"]) >= 2
    assert (data["guarantee"] is None) or origin in ("optuna", "mlflow")


def test_a_melted_table_on_the_command_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("model,metric,value\n" + "\n".join(f"{r['model']},{r['metric']},{r['value']}" for r in LONG))
    words = ["analyse", str(path), "--from", "melted", "--design", "model", "--minimise", "time", "--json"]
    data = json.loads(CliRunner().invoke(commands, words).stdout)
    assert data["objectives"] == ["acc", "time"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["optuna.db", "--from", "optuna", "--minimise", "cost"], "says itself which objectives should be small"),
        (["optuna.db", "sklearn.json", "--from", "optuna"], "--from optuna reads one file or folder, got 2"),
        (["sklearn.json", "--from", "optuna"], "is not a storage of Optuna"),
    ],
)
def test_what_the_command_cannot_read_is_one_line(capsys, monkeypatch, words, said):
    monkeypatch.chdir(DATA)
    with pytest.raises(SystemExit) as caught:
        main(["analyse", *words])
    assert caught.value.code == 2
    text = capsys.readouterr().err
    assert said in text
    assert text.count("\n") == 1


def refused(call, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
