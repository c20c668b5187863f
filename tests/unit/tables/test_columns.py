"""Columns: chosen, ordered, turned; those without a name; bad choices."""

from __future__ import annotations

import numpy as np
import pytest
from shared.tablefiles import read, write

import conewise as cw
from conewise.tables.designs import DesignTable
from conewise.tables.shards import ShardedTable, front_of_table

PANDAS = ",cost,speed\n0,1,2\n1,2,1\n2,0,0\n"


@pytest.mark.parametrize("column", ["", "Unnamed: 0", '""', " "])
def test_a_column_without_a_name_is_no_objective_by_default(tmp_path, reader, column):
    """pandas writes its index like this; the largest row number would be Pareto optimal, whatever the rest says."""
    path = tmp_path / "t.csv"
    path.write_text(column + PANDAS, encoding="utf-8")
    table, names, values = read(path)
    assert (table.objectives, table.name, table.unnamed) == (("cost", "speed"), None, 1)
    assert names == ["1", "2", "3"]
    assert values.tolist() == [[1, 2], [2, 1], [0, 0]]
    found = front_of_table(ShardedTable(path), cw.Cone.orthant(2))
    assert found.indices.tolist() == [0, 1]


def test_several_columns_without_a_name_do_no_harm(tmp_path, reader):
    path = tmp_path / "t.csv"
    path.write_text(",cost,,speed,\n0,1,,2,\n1,2,,1,\n", encoding="utf-8")
    table, _, values = read(path)
    assert (table.objectives, table.unnamed) == (("cost", "speed"), 3)
    assert values.tolist() == [[1, 2], [2, 1]]
    for choice in ({"objectives": ["cost", ""]}, {"name": ""}):
        with pytest.raises(cw.InputError, match="a column without a name cannot be chosen; give it one in the header"):
            DesignTable(path, **choice)


def test_columns_are_chosen_ordered_and_turned(tmp_path):
    table, _, values = read(write(tmp_path / "t.csv"), objectives=["speed", "cost"], minimise=["cost"])
    np.testing.assert_array_equal(values[0], [2.5, 1.0])
    np.testing.assert_array_equal(table.meaning.signs, [1, -1])
    assert table.minimised == ("cost",)
    assert read(write(tmp_path / "t.csv"), objectives=["speed"], name="cost")[1] == ["1.0", "-3.0", "0.1", "2.0"]


def test_a_column_may_both_name_and_count(tmp_path, reader):
    _, names, values = read(write(tmp_path / "t.csv"), objectives=["cost", "speed"], name="cost")
    assert names == ["1.0", "-3.0", "0.1", "2.0"]
    assert values[:, 0].tolist() == [1.0, -3.0, 0.1, 2.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"objectives": ["cost", "mass"]}, "t.csv has no column 'mass'; it has name, cost, speed"),
        ({"minimise": ["mass"]}, "has no column 'mass'"),
        ({"objectives": ["cost", "sped"]}, "it has name, cost, speed; perhaps 'speed' is meant"),
        ({"name": "label"}, "has no column 'label'"),
        ({"objectives": ["cost"], "minimise": ["speed"]}, "names 'speed', which is not among the objectives cost"),
        ({"objectives": ["cost", "cost"]}, "the objectives must be distinct, got 'cost' twice"),
    ],
)
def test_bad_choices_of_columns_are_refused(tmp_path, options, words):
    with pytest.raises(cw.InputError, match=words):
        DesignTable(write(tmp_path / "t.csv"), **options)


def test_a_table_of_nothing_but_names_has_no_objectives(tmp_path):
    with pytest.raises(cw.InputError, match="at least one"):
        DesignTable(write(tmp_path / "t.csv", header=["name"], rows=[["a"]]))


def test_a_melted_table_is_told_how_it_is_read(tmp_path):
    rows = [{"design": "a", "Metric": "speed", "value": 3.0}]
    with pytest.raises(
        cw.InputError, match=r"no column 'speed'; it has design, Metric, value; .* --from melted on the"
    ):
        cw.analyse(rows, objectives=["speed"], delta=0.05)
