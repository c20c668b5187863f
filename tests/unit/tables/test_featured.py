"""Features from columns: one value a design, in every kind of table, and everything that is refused."""

from __future__ import annotations

import pytest

from conewise.errors import InputError
from conewise.tables.featured import Listed, features_of
from conewise.tables.measurements import open_measurements

ROWS = [
    {"design": "b", "temp": 20, "oil": "x", "cost": 1.0, "yield": 2.0},
    {"design": "a", "temp": 30.5, "oil": "y", "cost": 2.0, "yield": 1.0},
    {"design": "b", "temp": 20.0, "oil": "x", "cost": 1.5, "yield": 2.5},
]


def table(rows=None):
    return open_measurements(ROWS if rows is None else rows, objectives=["cost", "yield"])


def written(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]), "utf-8")
    return open_measurements(path, objectives=["cost", "yield"])


def test_numbers_and_categories_one_value_a_design_in_the_order_of_the_designs():
    assert features_of(table(), ["temp", "oil"]) == {"temp": [20.0, 30.5], "oil": ["x", "y"]}


def test_a_file_says_the_same_and_20_is_20_point_0(tmp_path):
    found = written(tmp_path, ROWS)
    assert found.names == ("b", "a")
    assert features_of(found, ["temp", "oil"]) == {"temp": [20.0, 30.5], "oil": ["x", "y"]}


def test_a_table_of_means_has_features_too():
    rows = [
        {"name": "a", "x": 1, "cost_mean": 1.0, "cost_se": 0.1, "n": 3},
        {"name": "b", "x": 2, "cost_mean": 2.0, "cost_se": 0.1, "n": 3},
    ]
    assert features_of(open_measurements(rows, objectives=["cost"]), ["x"]) == {"x": [1, 2]}


@pytest.mark.parametrize(
    ("columns", "changed", "sentence"),
    [
        (["tmp"], {}, "has no column 'tmp'; it has design, temp, oil, cost, yield"),
        (["cost"], {}, "'cost' is an objective and cannot be a feature"),
        (["design"], {}, "'design' names the designs and cannot be a feature"),
        (["temp", "temp"], {}, "'temp' is named twice"),
        (["temp"], {"temp": 25}, "'temp' of 'b' is '25', and '20' before; a feature has one value a design"),
        (["temp"], {"temp": None}, "column 'temp' is empty; every feature must be known"),
        (["temp"], {"temp": float("nan")}, "column 'temp' is empty; every feature must be known"),
    ],
)
def test_what_is_refused(columns, changed, sentence):
    with pytest.raises(InputError, match=sentence):
        features_of(table([*ROWS[:2], ROWS[2] | changed]), columns)


# -- a table of designs beside it ------------------------------------------------------------------------------------

DESIGNS = [{"name": "a", "temp": 30.5}, {"name": "new", "temp": 40}, {"name": "b", "temp": 20}]


def test_designs_are_numbered_as_their_table_lists_them():
    both = Listed(table(), DESIGNS)
    assert both.names == ("a", "new", "b")
    assert both.rows.tolist() == [1, 0, 2]
    assert both.features(["temp"]) == {"temp": [30.5, 40, 20]}
    (seen,) = list(both)
    assert seen.designs.tolist() == [2, 0, 2]
    assert seen.means[0].tolist() == [1.0, 2.0]
    assert both.objectives == ("cost", "yield")
    assert both.minimised == ()
    assert not both.summarised
    assert both.has_scatter


def test_designs_may_be_a_file(tmp_path):
    (tmp_path / "designs.csv").write_text("name,heat\na,1\nb,2\nc,x\n", "utf-8")
    assert Listed(table(), tmp_path / "designs.csv").features(["heat"]) == {"heat": ["1", "2", "x"]}


@pytest.mark.parametrize(
    ("designs", "sentence"),
    [
        (DESIGNS[:2], "'b' was measured, but the table does not list it; add its features"),
        ([*DESIGNS, DESIGNS[0]], "two designs called 'a'"),
        ([{"temp": 1}], "needs a column called name, design or id"),
        (7, "designs must be a file or a frame with one row a design, got 7"),
    ],
)
def test_designs_that_are_refused(designs, sentence):
    with pytest.raises(InputError, match=sentence):
        Listed(table(), designs)


def test_a_feature_that_designs_lack_is_refused():
    with pytest.raises(InputError, match="the table has no column 'oil'"):
        Listed(table(), DESIGNS).features(["oil"])


def test_a_design_without_a_feature_is_refused_by_its_name():
    with pytest.raises(InputError, match=r"^'temp' of 'new' is empty: fill it in, or leave that column or that design"):
        Listed(table(), [DESIGNS[0], {"name": "new"}, DESIGNS[2]]).features(["temp"])


def test_a_list_of_designs_agrees_with_what_was_measured(tmp_path):
    listed = [{"name": "a", "temp": 30.5, "oil": "y"}, {"name": "b", "temp": "20", "oil": "x"}]
    for measured in (table(), written(tmp_path, ROWS), written(tmp_path, [*ROWS, ROWS[0] | {"temp": ""}])):
        assert Listed(measured, listed).features(["temp", "oil"])["oil"] == ["y", "x"]
    wrong = [listed[0], listed[1] | {"temp": 21}]
    for measured, where in ((table(), "the table, row 1"), (written(tmp_path, ROWS), r"t\.csv, row 1")):
        with pytest.raises(
            InputError, match=where + r".*'temp' of 'b' is '20', and '21' in the table; a feature has one"
        ):
            Listed(measured, wrong).features(["temp"])
        assert Listed(measured, wrong).features(["oil"]) == {"oil": ["y", "x"]}
