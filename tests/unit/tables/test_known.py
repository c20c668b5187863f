"""`cw.front`: every kind of table in and out, units, levels, conditions, and where everyone stands."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.records import CARS

import conewise as cw

COLUMNS = {key: [car[key] for car in CARS] for key in CARS[0]}
PRICE, POWER = cw.Objective("price", "min"), cw.Objective("power")
CHOICE = {"objectives": ["price", "power"], "minimise": ["price"]}


def names(found):
    return [row["name"] for row in found]


def test_lists_of_dictionaries_stay_lists_with_all_columns():
    assert cw.front(CARS, **CHOICE) == [CARS[0], CARS[1], CARS[3]]


def test_mappings_of_columns_stay_mappings():
    arrays = COLUMNS | {"price": np.array(COLUMNS["price"])}
    found = cw.front(arrays, **CHOICE)
    assert found["name"] == ["a", "b", "d"]
    assert found["fuel"] == ["diesel", "petrol", "diesel"]
    assert isinstance(found["price"], np.ndarray)
    assert found["price"].tolist() == [20000, 15000, 40000]


def test_arrays_stay_arrays():
    points = np.array([[0.8, -0.3], [0.9, -0.5], [0.0, 0.0], [1.0, -1.0]])
    found = cw.front(points, cw.Cone.planar(135))
    assert np.array_equal(found, points[[0, 1]])
    assert np.array_equal(cw.front(points.tolist()), points)
    small = cw.front(points, objectives=["x", "y"], minimise=["x", "y"])
    assert np.array_equal(small, points[[0, 1, 2, 3]])


def test_files_come_as_columns(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(
        "name,price,power,fuel,code\na,20000,90,diesel,007\nb,15000,70,,12\nc,21000,80,x,1\n", encoding="utf-8"
    )
    found = cw.front(path, **CHOICE)
    assert {key: list(column) for key, column in found.items()} == {
        "name": ["a", "b"],
        "price": [20000, 15000],
        "power": [90, 70],
        "fuel": ["diesel", None],
        "code": ["007", "12"],
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_stay_frames(library):
    module = pytest.importorskip(library)
    pytest.importorskip("narwhals")
    frame = module.table(COLUMNS) if library == "pyarrow" else module.DataFrame(COLUMNS)
    found = cw.front(frame, **CHOICE)
    assert type(found) is type(frame)
    plain = found.to_pydict() if library == "pyarrow" else {c: found[c].to_list() for c in found.columns}
    assert plain == {key: [column[k] for k in (0, 1, 3)] for key, column in COLUMNS.items()}
    everyone = cw.front(frame, everyone=True, **CHOICE)
    read = everyone.to_pydict() if library == "pyarrow" else {c: everyone[c].to_list() for c in everyone.columns}
    assert read["status"] == ["kept", "kept", "beaten", "kept"]
    assert read["fuel"] == COLUMNS["fuel"]


def test_a_pandas_index_is_kept_and_names_the_designs():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(CARS).set_index("name")
    found = cw.front(frame, objectives=["price", "power"], minimise=["price"])
    assert list(found.index) == ["a", "b", "d"]
    everyone = cw.front(frame, objectives=["price", "power"], minimise=["price"], everyone=True)
    assert list(everyone.index) == ["a", "b", "c", "d"]
    assert everyone["by"].to_list()[2] == "a"


def test_a_lazy_frame_of_polars_is_collected():
    polars = pytest.importorskip("polars")
    assert cw.front(polars.LazyFrame(COLUMNS), **CHOICE)["name"].to_list() == ["a", "b", "d"]


# -- units -----------------------------------------------------------------------------------------------------------


def cone_front(cars, unit, power=10):
    objectives = [cw.Objective("price", "min", unit=unit), cw.Objective("power", unit=power)]
    return names(cw.front(cars, cw.Cone.importance(0.2), objectives=objectives))


@given(
    st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**3)), min_size=2, max_size=40),
    st.integers(-30, 30),
    st.sampled_from([0.001, 0.01, 0.5, 3.0, 1000.0]),
)
def test_the_front_does_not_depend_on_the_unit_in_which_a_column_was_written(values, power_of_two, factor):
    cars = [{"name": str(k), "price": float(p), "power": float(h)} for k, (p, h) in enumerate(values)]
    expected = cone_front(cars, 512.0)
    exact = 2.0**power_of_two
    assert cone_front([car | {"price": car["price"] * exact} for car in cars], 512.0 * exact) == expected
    # by verdict for any other factor: what rounding may move lies within a few roundings of the boundary
    found = set(cone_front([car | {"price": car["price"] * factor} for car in cars], 512.0 * factor))
    steps = np.array([[-car["price"] / 512, car["power"] / 10] for car in cars])
    mask = np.array([car["name"] in found for car in cars])
    assert cw.verdict(mask, steps, cw.Cone.importance(0.2), 1e-9)


def test_units_decide_what_the_cone_weighs_and_without_them_there_is_a_warning():
    cars = [{"name": str(k), "price": 10_000.0 + 900 * k, "power": 60.0 + 10 * k} for k in range(20)]
    with pytest.warns(cw.UnitsWarning, match="--unit price=2000 --unit power=20") as caught:
        alone = cw.front(cars, cw.Cone.importance(0.2), **CHOICE)
    assert len(caught) == 1
    assert names(alone) == ["0"]
    in_thousands = [car | {"price": car["price"] / 1000} for car in cars]
    with pytest.warns(cw.UnitsWarning):
        assert names(cw.front(in_thousands, cw.Cone.importance(0.2), **CHOICE)) == ["19"]
    assert len(cone_front(cars, 900.0)) == 20


def test_exchanges_and_choices_are_made_in_own_units_and_shares_are_not():
    cars = [{"name": str(k), "price": 10_000.0 + 900 * k, "power": 60.0 + 10 * k} for k in range(20)]
    said = cw.Preferences([cw.Objective("price", "min"), "power"])
    exchanged = said.accepts(give={"power": 10}, get={"price": 2000}).never("price")
    chosen = said.prefers([10_000, 60], over=[20_000, 61]).cannot_say([1, 2], [2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cone in (exchanged.cone, chosen.cone):
            cw.front(cars, cone, **CHOICE)
    for weighed in (said.important({"price": 0.2, "power": 0.3}), said.ranked("price", "power")):
        with pytest.warns(cw.UnitsWarning):
            cw.front(cars, weighed.cone, **CHOICE)


def test_no_warning_where_units_do_not_matter_or_are_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cw.front(CARS, **CHOICE)
        cw.front(CARS, cw.Cone.importance(0.2), objectives=[cw.Objective("price", "min", unit=500), "power"])
        cw.front([{"x": 1.0, "y": 2.0}, {"x": 2.0, "y": 1.0}], cw.Cone.importance(0.2))
        cw.front([{"x": 1.0, "y": 2.0}, {"x": 1.0, "y": 1e6}], cw.Cone.importance(0.2))


def test_units_auto_takes_the_proposal():
    auto = cw.front(CARS, cw.Cone.importance(0.3), units="auto", **CHOICE)
    told = [cw.Objective("price", "min", unit=2000), cw.Objective("power", unit=10)]
    assert auto == cw.front(CARS, cw.Cone.importance(0.3), objectives=told)
    with pytest.raises(cw.InputError, match='units must be "auto" or None'):
        cw.front(CARS, units="some", **CHOICE)


# -- levels and conditions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [{"price": 16000}, {"price": ("<=", 16000)}, {"power": 0, "price": ["<=", 16_000]}])
@pytest.mark.parametrize("table", [CARS, COLUMNS], ids=["rows", "columns"])
def test_levels_are_given_by_name(table, levels):
    told = cw.front(table, objectives=[cw.Objective("price", "min", level=16000), POWER], everyone=True)
    assert cw.front(table, levels=levels, everyone=True, **CHOICE) == told
    kept = cw.front(CARS, levels=levels, **CHOICE)
    assert names(kept) == ["b"]
    assert cw.front(CARS, levels={"power": ("<=", 80)}, objectives=["power"], minimise=["power"]) == cw.front(
        CARS, objectives=[cw.Objective("power", "min", level=80)]
    )


def test_nothing_acceptable_is_an_answer():
    assert cw.front(CARS, levels={"price": 1}, **CHOICE) == []
    points = np.array([[0.8, -0.3], [0.9, -0.5]])
    assert cw.front(points, levels={"objective 2": 0}).shape == (0, 2)
    assert cw.front(points, levels={"objective 2": -0.4}).tolist() == [[0.8, -0.3]]


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"prize": 3}, "a level is given for 'prize'"),
        ({"price": (">=", 3)}, "'price' should be small, so its level is the most that is acceptable"),
        ({"price": ("=", 3)}, "must be a number"),
        ({"price": float("nan")}, "level"),
        ({"price": "cheap"}, "level"),
        (["price<=3"], "a level is given by name"),
    ],
    ids=str,
)
def test_levels_that_say_nothing_are_one_sentence(levels, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        cw.front(CARS, levels=levels, **CHOICE)
    assert "\n" not in str(caught.value)


def test_two_levels_contradict_each_other():
    asked = [cw.Objective("price", "min", level=16000), POWER]
    assert names(cw.front(CARS, objectives=asked, levels={"price": 16000})) == ["b"]
    with pytest.raises(cw.InputError, match="two levels of 'price' are given, 16000 and 15000"):
        cw.front(CARS, objectives=asked, levels={"price": 15000})


# -- where everyone stands -------------------------------------------------------------------------------------------


def test_of_equal_designs_the_first_may_stand_for_all():
    twice = {"name": ["a", "b", "c"], "x": [1.0, 1.0, 0.0]}
    found = cw.front(twice, objectives=["x"], everyone=True, keep_duplicates=False)
    assert found["status"] == ["kept", "covered", "beaten"]
    assert found["by"] == [None, "a", "a"]
    assert cw.front(twice, objectives=["x"], keep_duplicates=False)["name"] == ["a"]


def test_columns_of_ones_own_are_not_hidden():
    found = cw.front([{"status": 1.0, "gap": 2.0, "x": 3.0}], objectives=["x"], everyone=True)
    assert found == [{"status": 1.0, "gap": 2.0, "x": 3.0, "status_": "kept", "rank": 1, "gap_": 0.0, "by": None}]


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ([], {}, "name at least one file"),
        (
            None,
            {},
            "a table is a path or several, a frame of pandas, polars or pyarrow, a mapping of .*, got NoneType",
        ),
        ([{"x": 1}, 3], {}, "a table is a path or several, a frame"),
        ({}, {"objectives": ["x"]}, "has no column 'x'"),
        ({"x": []}, {"objectives": ["x"]}, "no rows"),
        (CARS, {"objectives": "price"}, "objectives must be a list"),
        (CARS, {"objectives": ["speed"]}, "has no column 'speed'"),
        (CARS, {"objectives": ["price", PRICE]}, "must be distinct"),
        (np.ones((3, 2)), {"objectives": ["x"]}, "the array has 2 columns, but 1 objectives are named"),
        (np.array([[1.0, np.nan]]), {}, "finite number"),
        (CARS, {"objectives": ["fuel"]}, "holds 'diesel', where a number was expected"),
        ("cars.xlsx", {}, "there is no file"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(table, options, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        cw.front(table, **options)
    assert "\n" not in str(caught.value)


def test_spreadsheets_are_refused_with_the_remedy(tmp_path):
    (tmp_path / "cars.xlsx").write_bytes(b"PK")
    with pytest.raises(cw.InputError, match="save the sheet as CSV"):
        cw.front(tmp_path / "cars.xlsx")
