"""Searches of scikit-learn: folds are evaluations that the designs share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from shared.sentences import refused

import conewise as cw
from conewise import readers

DATA = Path(__file__).parents[2] / "data" / "readers"
SEARCH = {"params": [{"depth": 1}, {"depth": 2}], "split0_test_score": [0.5, 0.6], "split1_test_score": [0.4, 0.7]}


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


@pytest.mark.parametrize("options", [{}, {"final": True}])
def test_no_guarantee_either_where_objectives_on_shared_folds_count_separately(options):
    found = cw.analyse(readers.cv_results(DATA / "sklearn.json"), delta=0.1, epsilon=5, separate=True, **options)
    assert "evaluated on the same folds" in str(found.result.guarantee)
    assert found.result.certified_epsilon is None
    text = " ".join(found.explanations)
    assert "guess, not a guarantee" in text
    assert "with probability" not in text
    assert "the guarantee" not in text


def test_folds_share_training_data_so_that_no_proof_covers_more_folds_than_these():
    table = readers.cv_results(DATA / "sklearn.json")
    more = cw.analyse(table, block="fold", delta=0.1, epsilon=5)
    assert "share training data" in str(more.result.guarantee)
    assert more.result.certified_epsilon is None
    assert "guess, not a guarantee" in more.explanations[0]
    assert cw.analyse(table, block="fold", delta=0.1, epsilon=5, population="all").result.guarantee


@pytest.mark.parametrize(
    ("table", "options", "returned"),
    [
        (lambda: readers.inspect(DATA / "inspect"), {"population": "all", "repetitions": True}, ["mockllm/good"]),
        (lambda: readers.lm_eval(DATA / "lm_eval"), {"population": "all"}, ["model-2"]),
        (lambda: readers.cv_results(DATA / "sklearn.json"), {"epsilon": 0.1, "population": "all"}, None),
    ],
)
def test_what_is_shared_is_compared_block_by_block(table, options, returned):
    imported = table()
    found = cw.analyse(imported, block=imported.block, delta=0.1, **options)
    assert found.result.guarantee
    if returned is not None:  # the whole benchmark was seen, so the front of the averages is the answer
        assert found.result.names() == returned
    assert f"--block {imported.block}, in Python block={imported.block!r}" in str(
        cw.analyse(imported, delta=0.1).result.guarantee
    )


def test_a_score_that_is_empty_or_no_double_is_named():
    for stray in (None, 10**400):
        refused(
            lambda stray=stray: readers.cv_results(SEARCH | {"split1_test_score": [0.4, stray]}),
            "split1_test_score .* got None|split1_test_score of 'depth=2' is 1000",
        )


def test_a_search_by_halving_repeats_nothing():
    halving = SEARCH | {"params": [{"depth": 1}] * 2, "iter": [0, 1]}
    refused(lambda: readers.cv_results(halving | {"n_resources": [100, 300]}), "halving, with n_resources 100, 300")
    assert readers.cv_results(halving | {"n_resources": [100, 100]}).rows.tolist() == [4]


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
        (SEARCH | {"params": [{"depth": 1}]}, "split0_test_score in cv_results_ must have a number for each of the 1"),
        (SEARCH | {"params": 3}, "params in cv_results_ must list the parameters of every setting, got 3"),
        (SEARCH | {"params": [1, 2]}, "params in cv_results_ must list the parameters of every setting"),
        (SEARCH | {"split1_test_score": [1.0]}, "split1_test_score .* each of the 2 settings in params, got 1"),
        (SEARCH | {"split1_test_score": 1.0}, "split1_test_score .* each of the 2 settings in params, got 1.0"),
        (SEARCH | {"split1_test_score": [1.0, "x"]}, "split1_test_score .* each of the 2 settings, got 'x'"),
        (SEARCH | {"split1_test_loss": [1.0, 2.0]}, "split0_test_loss .* each of the 2 settings in params, got None"),
    ],
)
def test_what_is_no_search_is_one_sentence(given, words):
    refused(lambda: readers.cv_results(given), words)
