"""Features: what becomes of numbers, categories and orders, and one sentence for everything that is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas
import pyarrow
import pytest

import conewise as cw
from conewise.models.features import encoded

ROWS = [{"heat": 20, "oil": "a"}, {"heat": 60, "oil": "b"}, {"heat": 40, "oil": "a"}]
ARRAY = [[20.0, 1.0], [60.0, 2.0], [40.0, 1.0]]


def columns_of(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("make", [list, columns_of, pandas.DataFrame, pyarrow.Table.from_pylist])
def test_the_same_features_in_any_form_are_the_same_numbers(make):
    found = encoded(make(ROWS))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(found.values, [[0, half, 0], [1, 0, half], [0.5, half, 0]])
    assert found.owner.tolist() == [0, 1, 1]
    assert found.names == ("heat", "oil")


def test_numbers_fill_the_unit_interval_and_units_do_not_matter():
    found = encoded(ARRAY)
    np.testing.assert_array_equal(found.values, encoded(np.array(ARRAY) * [1e6, 1e-9] + [5, 0]).values)
    assert found.values.min() == 0
    assert found.values.max() == 1


def test_two_categories_are_as_far_apart_as_the_ends_of_a_range():
    values = encoded([{"kind": word} for word in "abc"]).values
    distances = np.linalg.norm(values[:, None] - values[None, :], axis=2)
    np.testing.assert_allclose(distances, 1 - np.eye(3))


def test_an_order_makes_equal_steps():
    found = encoded([{"size": word} for word in ("M", "S", "L")], {"size": ["S", "M", "L"]})
    assert found.values.ravel().tolist() == [0.5, 0.0, 1.0]


def test_two_columns_of_one_name_are_refused():
    table = pyarrow.Table.from_arrays([pyarrow.array([1.0, 2.0])] * 2, names=["heat", "heat"])
    with pytest.raises(cw.InputError, match="the table has two columns called 'heat'; rename one"):
        encoded(table)


def test_truth_values_are_numbers():
    assert encoded({"hot": [True, False, True]}).values.ravel().tolist() == [1.0, 0.0, 1.0]


def test_constants_are_left_out_and_named():
    found = encoded({"a": [1, 2, 3], "b": [7, 7, 7], "c": ["x", "x", "x"]})
    assert found.names == ("a",)
    assert found.constant == ("b", "c")


def test_duplicates_and_two_designs_are_fine():
    assert encoded([[1.0], [1.0], [2.0]]).values.ravel().tolist() == [0.0, 0.0, 1.0]
    assert encoded([[1.0], [3.0]]).values.ravel().tolist() == [0.0, 1.0]


def test_what_the_caller_does_to_the_array_later_does_not_matter():
    given = np.array(ARRAY)
    model = cw.models.Smooth(given)
    before = model.table.values.copy()
    given[:] = 0
    np.testing.assert_array_equal(model.table.values, before)


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        ([[1.0], [np.nan]], "feature '0' has nan for design 1"),
        ([[1.0], [np.inf]], "feature '0' has inf for design 1"),
        ({"a": [1, None]}, "feature 'a' has nothing for design 1"),
        ({"a": ["x", None]}, "feature 'a' has nothing for design 1"),
        ({"a": ["x", np.nan]}, "feature 'a' has nan for design 1"),
        ({"a": [dt.date(2026, 1, 1), dt.date(2026, 1, 2)]}, "'a' must be numbers or texts, .* turn dates"),
        ({"a": [[1, 2], [3, 4]]}, "'a' must be numbers or texts, one a design, got"),
        ({"a": [1j, 2j]}, "'a' must be numbers or texts"),
        ({"a": [1, 2], "b": [1]}, "equally long"),
        ([[1.0], [1.0, 2.0]], "rows of unequal length|one row a design"),
        ([], "empty|one row a design"),
        ({}, "features are empty"),
        ([[5.0, 1.0]], "features describe 1 design"),
        ([[5.0, 1.0], [5.0, 1.0]], "every feature is the same for all designs"),
        ({"a": ["x", 1]}, "mixes texts and 1"),
        ({"a": [str(k) for k in range(65)]}, "65 different texts"),
        ([{"a": 1}, {"b": 1}], "do not have the same features"),
        (np.zeros((2, 2, 2)), "one row a design"),
        (3, "one row a design"),
    ],
)
def test_refused_in_one_sentence(features, sentence):
    with pytest.raises(cw.InputError, match=sentence) as caught:
        encoded(features)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("orders", "sentence"),
    [
        (["x", "y"], "orders must be a dict"),
        ({"b": [1]}, "no feature"),
        ({"a": ["x"]}, "lacks 'y'"),
        ({"a": ["x", "y", "x"]}, "names a value twice"),
    ],
)
def test_orders_that_do_not_fit_are_refused(orders, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        encoded({"a": ["x", "y"]}, orders)


@pytest.mark.parametrize("features", [{1: [1, 2], "1": [2, 1]}, [{1: 1, "1": 2}, {1: 2, "1": 1}]])
def test_names_that_are_the_same_in_words_are_refused(features):
    with pytest.raises(cw.InputError, match="two columns called '1'"):
        encoded(features)


def test_masked_entries_are_no_numbers():
    with pytest.raises(cw.InputError, match="features has masked entries"):
        encoded(np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]))


@pytest.mark.parametrize("order", [None, 3, "SM", [["S"], ["M"]]])
def test_an_order_that_is_no_list_is_refused(order):
    with pytest.raises(cw.InputError, match="the order of feature 'size' must be a list of its values"):
        encoded({"size": ["S", "M"]}, {"size": order})
