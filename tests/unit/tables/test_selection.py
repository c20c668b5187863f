"""Which rows are compared: conditions, and levels that designs miss."""

from __future__ import annotations

import json
import pickle

import pytest
from shared.records import CARS

import conewise as cw
from conewise.tables.selection import Written

CHOICE = {"objectives": ["price", "power"], "minimise": ["price"]}


def names(found):
    return [row["name"] for row in found]


def test_designs_that_miss_a_level_are_neither_returned_nor_beat_anybody():
    designs = [{"name": "strong", "gain": 5, "harm": 9}, {"name": "mild", "gain": 4, "harm": 2}]
    designs += [{"name": "weak", "gain": 1, "harm": 2}]
    free = [cw.Objective("gain"), cw.Objective("harm", "min")]
    assert names(cw.front(designs, objectives=free)) == ["strong", "mild"]
    strict = [cw.Objective("gain"), cw.Objective("harm", "min", level=3)]
    assert names(cw.front(designs, objectives=strict)) == ["mild"]
    only = [cw.Objective("gain", level=0), cw.Objective("harm", level=3)]
    assert names(cw.front(designs, objectives=only)) == ["strong"]
    assert cw.front(designs, objectives=[cw.Objective("gain", level=99)]) == []


def test_the_only_dominator_is_infeasible():
    designs = {"name": ["x", "y"], "gain": [2.0, 1.0], "safety": [2.0, 1.0], "cost": [9.0, 1.0]}
    both = [cw.Objective("gain"), cw.Objective("safety"), cw.Objective("cost", "min", level=5)]
    assert cw.front(designs, objectives=both)["name"] == ["y"]
    found = cw.front(designs, objectives=both, everyone=True)
    assert found["status"] == ["misses a level", "kept"]
    assert found["rank"] == [None, 1]
    assert found["gap"] == [None, 0.0]
    assert found["by"] == [None, None]


def test_conditions_leave_rows_out_and_their_entries_are_not_read():
    cars = [*CARS, {"name": "e", "price": None, "power": 1000, "fuel": "none"}]
    assert names(cw.front(cars, where="fuel != none", **CHOICE)) == ["a", "b", "d"]
    assert names(cw.front(cars, where="price < 18000", **CHOICE)) == ["b"]
    with pytest.raises(cw.InputError, match=r"row 5 .* 'price' is empty"):
        cw.front(cars, **CHOICE)
    with pytest.raises(cw.InputError, match="none of the 5 designs has price < 3"):
        cw.front(cars, where="price < 3", **CHOICE)
    with pytest.raises(cw.InputError, match="has no column 'colour'"):
        cw.front(cars, where="colour == red", **CHOICE)


def test_a_bad_entry_behind_rows_left_out_is_named_with_its_own_row():
    cars = [*CARS, {"name": "e", "price": "cheap", "power": 1000, "fuel": "petrol"}]
    with pytest.raises(cw.InputError, match=r"row 5 .* 'price' holds 'cheap'"):
        cw.front(cars, where="fuel == petrol", **CHOICE)


def test_a_written_number_is_a_number_that_is_shown_as_it_was_written():
    number = Written(0.1, "0.10")
    again = pickle.loads(pickle.dumps(number))
    assert number == again == 0.1
    assert str(number) == str(again) == "0.10"
    assert json.dumps([number]) == "[0.1]"
