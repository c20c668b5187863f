"""Studies of Optuna: real files, objects that behave like them, and one sentence for what is none."""

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
        (DATA / "optuna.db", {"objectives": ["speed"]}, "there is no 'speed' in the study 'pipes', only cost, yield"),
        (optuna_like([("FAIL", {}, None)]), {}, "has no completed trials"),
        (optuna_like([("COMPLETE", {}, [1.0])]), {}, "is complete and has no finite values"),
    ],
)
def test_what_is_no_study_of_optuna_is_one_sentence(study, options, words):
    refused(lambda: readers.optuna(study, **options), words)


def test_an_empty_storage_has_nothing_to_name(tmp_path):
    shutil.copy(DATA / "optuna.db", tmp_path / "empty.db")
    with closing(sqlite3.connect(tmp_path / "empty.db")) as file:
        file.execute("DELETE FROM studies")
        file.commit()
    refused(
        lambda: readers.optuna(tmp_path / "empty.db"), "is a storage of Optuna without any study: there is nothing to"
    )


def test_a_trial_that_breaks_a_constraint_is_not_compared(tmp_path):
    """Its samplers write constraints among a trial's own attributes: a list, or one by one since Optuna 5."""
    study = optuna_like([("COMPLETE", {"a": k}, [1.0, 2.0]) for k in range(3)])
    for attributes in ({"constraints": [-1.0, 0.5]}, {"constraints:size": 0.5}):
        study.trials[1].system_attrs = attributes
        refused(lambda: readers.optuna(study), r"1 completed trial of 's' \(1\) breaks a constraint")
    study.trials[1].system_attrs = {"constraints": [-1.0, 0.0], "constraints:size": -2.0, "other": 3}
    assert len(readers.optuna(study).names) == 3
    shutil.copy(DATA / "optuna.db", tmp_path / "s.db")
    with closing(sqlite3.connect(tmp_path / "s.db")) as file:
        trial = "SELECT trial_id FROM trials WHERE state = 'COMPLETE' ORDER BY number LIMIT 1"
        columns = "trial_system_attributes (trial_id, key, value_json)"
        file.execute(f"INSERT INTO {columns} VALUES (({trial}), 'constraints', '[0.5]')")
        file.commit()
    refused(lambda: readers.optuna(tmp_path / "s.db"), "breaks a constraint, and Optuna would return none of them")


@pytest.mark.parametrize(
    "damage",
    [
        "trial_params SET distribution_json = 'x'",
        "trial_params SET distribution_json = '[1]'",
        "trial_params SET param_value = 'x'",
        "trial_values SET objective = objective + 9",
        "study_system_attributes SET value_json = '[1]' WHERE key = 'study:metric_names'",
    ],
)
def test_a_damaged_storage_is_one_sentence(tmp_path, damage):
    shutil.copy(DATA / "optuna.db", tmp_path / "s.db")
    with closing(sqlite3.connect(tmp_path / "s.db")) as file:
        file.execute(f"UPDATE {damage}")
        file.commit()
    refused(lambda: readers.optuna(tmp_path / "s.db"), "s.db is not as Optuna writes it")


def test_what_is_a_study_by_half_is_one_sentence():
    study = optuna_like([("COMPLETE", {"a": 1}, ["x", "y"])])
    refused(lambda: readers.optuna(study), "an optuna.Study has a study_name, directions, and trials")
    refused(lambda: readers.optuna(optuna_like([]), name="s"), "of a study itself leave it out")


def test_no_password_of_an_address_is_repeated():
    for address in ("postgresql://me:secret@host/lab", Path("mysql://me:secret@host/lab")):
        with pytest.raises(cw.InputError, match=r"there is no SQLite file (postgresql|mysql):") as caught:
            readers.optuna(address)
        assert "secret" not in str(caught.value)


def test_only_pruned_trials_of_designs_that_are_compared_spoil_the_comparison():
    done = [("COMPLETE", {"a": k}, [1.0, 2.0]) for k in (1, 2)]
    table = readers.optuna(optuna_like([*done, ("PRUNED", {"a": 3}, None), ("PRUNED", {"a": 1}, None)]))
    assert (table.left_out, table.pruned) == (2, 1)


def test_a_guarantee_names_that_a_search_chose_its_designs():
    """A sampler that learns adds designs because of values: no certificate of the designs at hand knows of that."""
    trials = [("COMPLETE", {"a": name}, [float(name == "y") + 0.01 * k, 0.0]) for k in range(40) for name in "xy"]
    table = readers.optuna(optuna_like(trials))
    found = cw.analyse(table, delta=0.1, epsilon=0.5, noise=cw.noise.Gaussian(0.5))
    assert found.result.guarantee.assumption.endswith("that no value had a part in which designs the search tried")
