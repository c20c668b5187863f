"""Results told as records: an id or a design, and every objective by its name."""

from __future__ import annotations

import pytest
from shared.studies import make

import conewise as cw


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
        ({"id": "d0n0", "gain": 1}, "record 0 has no value for 'cost', but values for other objectives"),
        ([{"gain": 1, "cost": 2}], "record 0 has neither an id nor a design; it has gain, cost"),
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


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"design": "c"}, "record 1: d1n0 is an evaluation of 'b', not of 'c'"),
        ({"design": None, "name": "c"}, "not of 'c'"),
        ({"design": 2}, "record 1: d1n0 is an evaluation of 'b', not of 2"),
        ({"design": ["b"]}, "not of"),
        ({"id": "d9n0"}, "record 1: evaluation d9n0 is of design 9, but designs are numbered 0 to 5"),
    ],
)
def test_an_id_beside_another_design_is_refused(study, said, words):
    study.ask(3)
    records = [{"id": f"d{k}n0", "design": name, "gain": 1, "cost": 2} for k, name in enumerate("ab")]
    with pytest.raises(cw.InputError, match=words):
        study.tell([records[0], records[1] | said])
    assert study.status().evaluations == 0
    for agreed in ({"design": 1}, {"design": None}, {"design": float("nan")}, {"design": 1, "name": "b"}):
        study.tell([records[0], records[1] | agreed])
    assert study.status().evaluations == 2


def test_the_number_of_a_design_is_not_the_name_of_another_one(tmp_path):
    with make(tmp_path / "counted.db", designs=["1", "2", "3"]) as study:
        study.tell({"id": "d0n0", "design": 1, "gain": 1, "cost": 2})  # its name
        with pytest.raises(cw.InputError, match="d1n0 is an evaluation of '2', not of 1"):
            study.tell({"id": "d1n0", "design": 1, "gain": 1, "cost": 2})


def test_an_id_beside_another_block_is_refused(tmp_path):
    shared = {"noise": cw.noise.Bounded(0, 1), "block": "question", "blocks": ["sum", "poem", "joke"]}
    with make(tmp_path / "blocks.db", **shared) as study:
        first = study.ask(1)[0]
        other = next(name for name in ("sum", "poem") if name != first.block)
        record = {"id": first.id, "gain": 1, "cost": 0}
        with pytest.raises(cw.InputError, match=f"{first.id} is not an evaluation on question '{other}'"):
            study.tell(record | {"question": other})
        assert study.tell(record | {"question": first.block, "design": first.name}).stored == 1


def test_an_id_beside_another_design_is_refused_where_objectives_are_measured_separately(tmp_path):
    with make(tmp_path / "apart.db", separate=True) as study:
        with pytest.raises(cw.InputError, match="record 0: d0o1n0 is an evaluation of 'a', not of 'b'"):
            study.tell({"id": "d0o1n0", "design": "b", "cost": 1})
        assert study.tell({"id": "d0o1n0", "design": "a", "cost": 1}).stored == 1


def test_values_come_in_the_order_of_the_objectives(study):
    study.tell({"cost": 1, "id": "d0n0", "gain": 2})
    assert study.evaluations().values.tolist() == [[2, 1]]


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
