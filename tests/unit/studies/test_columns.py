"""Columns of designs: slips are refused when a study is made, and when designs are added."""

from __future__ import annotations

import pytest
from shared.studies import make

import conewise as cw
from conewise.studies.changes import added


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ({}, "the design in place 3 lacks 'heat', which all others have; say None where it has no value"),
        ({"Heat": 3}, "the design in place 3 lacks 'heat', which all others have; perhaps its 'Heat' is meant"),
        ({"heat": 3, "cost": 4}, "a column of the designs is called 'cost', and so is an objective; rename the column"),
    ],
)
def test_designs_with_a_slip_in_a_column_are_refused(tmp_path, last, words):
    rows = [{"name": name, "heat": k} for k, name in enumerate("ab")]
    with pytest.raises(cw.InputError, match=words):
        make(tmp_path / "trial.db", designs=[*rows, {"name": "c"} | last])
    some = [{"name": "a", "heat": 1}, {"name": "b", "heat": 2, "remark": "new"}, {"name": "c", "heat": None}]
    make(tmp_path / "trial.db", designs=some).close()


STEELS = [{"name": "a", "carbon": 0.3}, {"name": "b", "carbon": None, "note": "old"}]


@pytest.mark.parametrize("rows", [["x"], [{"name": "x"}], [{"id": "x", "carbon": 1}], [{"carbon": 1, "Name": "x"}]])
def test_designs_to_add_are_named_or_have_the_columns_of_the_others(rows):
    assert added(rows, ["a", "b"], STEELS, False, "").designs == ("x",)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {"label": "x", "carbon": 1},
            "row 1 of the designs to add has no name: .*, got label, carbon",
        ),
        (
            {"name": "x", "carbon": 1, "cost": 2},
            "add has cost; the designs of the study have carbon, note",
        ),
        ({"name": "x", "note": "new"}, "lacks carbon; the designs of the study have carbon, note, beside their name"),
    ],
)
def test_a_table_of_other_things_is_not_added(row, words):
    with pytest.raises(cw.InputError, match=words):
        added([row], ["a", "b"], STEELS, False, "")


def test_a_slip_in_a_column_of_designs_to_add_is_named():
    with pytest.raises(cw.InputError, match=r"has Carbon; .* beside their name; perhaps 'carbon' is meant"):
        added([{"name": "x", "Carbon": 1}], ["a", "b"], STEELS, False, "")
    with pytest.raises(cw.InputError, match="row 1 of the designs to add has 'much' under 'carbon', where all designs"):
        added([{"name": "x", "carbon": "much"}], ["a", "b"], STEELS, False, "")
    assert added([{"name": "x", "carbon": 1, "note": 3}], ["a", "b"], STEELS, False, "").designs == ("x",)
    with pytest.raises(cw.InputError, match="a column of the designs is called 'cost', and so is an objective"):
        added([{"name": "x", "carbon": 1, "cost": 3}], ["a", "b"], STEELS, False, "", ["cost"])


def test_an_objective_to_add_is_not_called_like_a_column_of_the_designs(tmp_path):
    rows = [{"name": name, "price": k} for k, name in enumerate("abc")]
    with (
        make(tmp_path / "trial.db", designs=rows) as study,
        pytest.raises(cw.InputError, match="'price' is the name of another column of the study; rename the objective"),
    ):
        study.add_objective("price", noise=cw.noise.Gaussian(1.0))
