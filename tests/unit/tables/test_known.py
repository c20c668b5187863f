"""`cw.front`: every kind of table in and out, units, levels, conditions, and where everyone stands."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise.objectives import as_objectives
from conewise.tables.standings import standings

CARS = [
    {"name": "a", "price": 20000, "power": 90, "fuel": "diesel"},
    {"name": "b", "price": 15000, "power": 70, "fuel": "petrol"},
    {"name": "c", "price": 21000, "power": 80, "fuel": "petrol"},
    {"name": "d", "price": 40000, "power": 200, "fuel": "diesel"},
]
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


# -- where everyone stands -------------------------------------------------------------------------------------------


def test_everyone_has_a_status_a_rank_a_gap_and_who_beats_it():
    found = cw.front(CARS, everyone=True, **CHOICE)
    assert [row["status"] for row in found] == ["kept", "kept", "beaten", "kept"]
    assert [row["rank"] for row in found] == [1, 1, 2, 1]
    assert [row["gap"] for row in found] == [0, 0, 10, 0]
    assert [row["by"] for row in found] == [None, None, "a", None]


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([cw.Cone.orthant(2), cw.Cone.planar(60), cw.Cone.planar(135)]),
    st.booleans(),
)
def test_standings_are_those_of_the_definitions(seed, cone, tied):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=(30, 2)).astype(float) if tied else rng.normal(size=(30, 2))
    meaning = as_objectives([cw.Objective("x", unit=0.5), cw.Objective("y", "min")])
    found = standings(values, meaning, cone)
    steps = meaning.steps(values)
    front = cw.pareto_mask(steps, cone)
    assert np.array_equal(found.status == "kept", front)
    np.testing.assert_allclose(found.gap, cw.suboptimality_gaps(steps, cone), atol=1e-12)
    for i in np.flatnonzero(~front):
        assert cw.dominates(steps[found.by[i]], steps[i], cone)
        assert front[found.by[i]]
    left, rank = np.arange(30), 0
    while len(left):
        rank += 1
        mask = cw.pareto_mask(steps[left], cone)
        assert set(found.rank[left[mask]]) == {rank}
        left = left[~mask]


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
            "a table is a path or several, a frame, a mapping of columns or a list of dictionaries, got NoneType",
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
