"""Tables with one row a design: texts that are all numbers become numbers, names stay as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from conewise.errors import InputError
from conewise.tables.designrows import designs_of, read_designs, typed_column


def test_names_stay_text_and_columns_of_numbers_become_numbers(tmp_path):
    path = tmp_path / "designs.csv"
    path.write_text("id,temp,oil\n007,20.5,a\n008,30,2\n", "utf-8")
    assert read_designs(path) == [
        {"name": "007", "temp": 20.5, "oil": "a"},
        {"name": "008", "temp": 30.0, "oil": "2"},
    ]


def test_rows_at_hand_are_read_alike():
    assert designs_of([{"design": 3, "x": 1}], Path("rows")) == [{"name": "3", "x": 1}]


@pytest.mark.parametrize(
    ("column", "typed"),
    [(["1", "2"], [1, 2]), (["1", "2.5"], [1.0, 2.5]), (["1", "b"], ["1", "b"]), (["1", None], [1, None])],
)
def test_a_column_has_one_type(column, typed):
    assert typed_column(column) == typed
    assert [type(entry) for entry in typed_column(column)] == [type(entry) for entry in typed]


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("id,x\n", None, "has no rows below its header"),
        ("id,x\na,1\n", "title", "has no column 'title'; it has id, x"),
        ("id,x\n,1\n", None, "has no name in column 'id'"),
    ],
)
def test_what_is_refused(tmp_path, text, name, sentence):
    (tmp_path / "d.csv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=sentence):
        read_designs(tmp_path / "d.csv", name)
