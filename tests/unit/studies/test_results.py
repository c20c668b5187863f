"""Results told as records: an id or a design, and every objective by its name."""

from __future__ import annotations

import pytest
from shared.studies import make

import conewise as cw
from conewise.studies.results import as_records


@pytest.fixture
def study(tmp_path):
    with make(tmp_path / "trial.db") as made:
        yield made


def test_records_with_ids_are_told_and_again_is_harmless(study):
    study.ask(3)
    told = study.tell({"id": "d1n0", "cost": 3.0, "gain": 0.5, "remark": "ignored"}, worker="Marie")
    assert (told.evaluations, told.stored, told.ignored) == (("d1n0",), 1, ("remark",))
    again = study.tell([{"id": "d1n0", "gain": 0.5, "cost": 3.0}, {"id": "d0n0", "gain": 1, "cost": 2}])
    assert (again.stored, again.repeated) == (1, 1)
    found = study.evaluations()
    assert found.values.tolist() == [[1.0, 2.0], [0.5, 3.0]]
    assert found.worker == ["", "Marie"]


@pytest.mark.parametrize("kind", ["columns", "pandas", "polars"])
def test_a_table_in_memory_is_a_list_of_records(study, kind):
    columns = {"design": ["b", "a"], "gain": [1.0, 2.0], "cost": [2.0, 3.0], "remark": ["x", None]}
    told = study.tell(columns if kind == "columns" else pytest.importorskip(kind).DataFrame(columns))
    assert (told.evaluations, told.ignored) == (("d1n0", "d0n0"), ("remark",))
    assert study.evaluations().values.tolist() == [[2.0, 3.0], [1.0, 2.0]]


def test_records_with_designs_take_the_next_numbers(study):
    told = study.tell([{"design": "b", "gain": 1, "cost": 2}, {"name": "b", "gain": 2, "cost": 3}])
    assert told.evaluations == ("d1n0", "d1n1")
    assert told.ignored == ()
    assert study.tell({"design": "b", "gain": 1, "cost": 2, "gian": 3, "seed": 4}).ignored == ("gian",)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"id": "d0n0", "gain": 1}, "record 0 has no value for 'cost'; it has id, gain"),
        ([{"gain": 1, "cost": 2}], 'record 0 has neither "id" nor "design"; it has gain, cost'),
        ([{"id": "d0n0", "gain": 1, "cost": 2}, {"design": "a", "gain": 1, "cost": 2}], "one after the other"),
        ({"design": "z", "gain": 1, "cost": 2}, "there is no design called 'z'"),
        ({"id": "d0n0", "gain": "much", "cost": 2}, "record 0, 'gain' is 'much', where a number was expected"),
        ([], "at least one record was expected"),
        ("d0n0", "tell takes a batch and its values, or records"),
        (["d0n0"], "tell takes a batch and its values, or records"),
        (7, "tell takes a batch and its values, or records"),
    ],
)
def test_what_is_no_record_is_refused_and_nothing_is_stored(study, given, words):
    study.ask(1)
    with pytest.raises(cw.InputError, match=words):
        study.tell(given)
    assert study.status().evaluations == 0


def test_values_come_in_the_order_of_the_objectives():
    assert as_records({"id": "d0n0", "b": 1, "a": 2}, ["a", "b"]).values == [[2, 1]]


def test_outcomes_are_told_in_words_where_the_noise_is_binary(tmp_path):
    ours = [cw.Objective("right", noise="binary"), cw.Objective("seconds", "min", noise="unknown")]
    facts = {"designs": ["a", "b"], "cone": cw.Cone.orthant(2), "epsilon": 0.1, "delta": 0.05, "noise": None}
    with cw.Study.create(tmp_path / "words.db", objectives=ours, **facts) as study:
        study.tell([{"id": "d0n0", "right": "Yes", "seconds": 2}, {"id": "d1n0", "right": "false", "seconds": 3}])
        assert study.evaluations().values[:, 0].tolist() == [1, 0]
        with pytest.raises(cw.InputError, match="record 0, 'seconds' is 'yes', where a number was expected"):
            study.tell({"id": "d0n1", "right": "yes", "seconds": "yes"})


def test_an_objective_keeps_its_own_noise_beside_that_of_all(tmp_path):
    ours = [cw.Objective("right", noise="binary"), cw.Objective("seconds", "min")]
    facts = {"designs": ["a", "b"], "cone": cw.Cone.orthant(2), "epsilon": 0.1, "delta": 0.05}
    with cw.Study.create(tmp_path / "own.db", objectives=ours, noise=cw.noise.Gaussian([9, 2]), **facts) as study:
        assert repr(study.noise) == "ByObjective([Binary(), Gaussian(2)])"
