"""Every public function leaves its input untouched, takes arrays of any layout, and refuses NaN with the row number."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import conewise as cw
from conewise import Cone, problems

CONE = Cone([[2, 1], [1, 3]])
DESIGNS = np.array([[0.0, 3.0], [4.0, 0.5], [1.0, 1.0], [0.0, 3.0], [-1.0, 2.0], [3.5, 0.5]])
ROWS = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
RATES = np.array([[1.0, 2.0], [3.0, 1.0]])


@dataclass(frozen=True)
class Call:
    """A public function of one array; `function` gets that array, everything else is fixed."""

    covers: Callable[..., Any]
    argument: str
    example: np.ndarray
    function: Callable[[Any], Any]


CALLS = {
    "pareto_mask": Call(cw.pareto_mask, "points", DESIGNS, lambda x: cw.pareto_mask(x, CONE)),
    "pareto_mask, first twin": Call(
        cw.pareto_mask, "points", DESIGNS, lambda x: cw.pareto_mask(x, CONE, keep_duplicates=False)
    ),
    "pareto_mask, many": Call(cw.pareto_mask, "points", np.tile(DESIGNS, (900, 1)), lambda x: cw.pareto_mask(x, CONE)),
    "weakly_dominates, better": Call(
        cw.weakly_dominates, "better", DESIGNS, lambda x: cw.weakly_dominates(x, [1, 1], CONE)
    ),
    "weakly_dominates, worse": Call(
        cw.weakly_dominates, "worse", DESIGNS, lambda x: cw.weakly_dominates([1, 1], x, CONE)
    ),
    "dominates, better": Call(cw.dominates, "better", DESIGNS, lambda x: cw.dominates(x, [1, 1], CONE)),
    "dominates, worse": Call(cw.dominates, "worse", DESIGNS, lambda x: cw.dominates([1, 1], x, CONE)),
    "strongly_dominates, better": Call(
        cw.strongly_dominates, "better", DESIGNS, lambda x: cw.strongly_dominates(x, [1, 1], CONE)
    ),
    "strongly_dominates, worse": Call(
        cw.strongly_dominates, "worse", DESIGNS, lambda x: cw.strongly_dominates([1, 1], x, CONE)
    ),
    "lift_norm": Call(cw.lift_norm, "b", DESIGNS, lambda x: cw.lift_norm(x, CONE)),
    "escape_gaps": Call(cw.escape_gaps, "means", DESIGNS, lambda x: cw.escape_gaps(x, CONE)),
    "escape_gaps, rivals": Call(
        cw.escape_gaps, "rivals", DESIGNS, lambda x: cw.escape_gaps([[0, 0], [1, 1]], CONE, rivals=x)
    ),
    "cover_gaps": Call(cw.cover_gaps, "means", DESIGNS, lambda x: cw.cover_gaps(x, CONE)),
    "cover_gaps, rivals": Call(
        cw.cover_gaps, "rivals", DESIGNS, lambda x: cw.cover_gaps([[0, 0], [1, 1]], CONE, rivals=x)
    ),
    "suboptimality_gaps": Call(cw.suboptimality_gaps, "means", DESIGNS, lambda x: cw.suboptimality_gaps(x, CONE)),
    "separation_gaps": Call(cw.separation_gaps, "means", DESIGNS, lambda x: cw.separation_gaps(x, CONE)),
    "hardness": Call(cw.hardness, "means", DESIGNS, lambda x: cw.hardness(x, CONE, 0.1)),
    "gap_dependent_bound": Call(
        cw.gap_dependent_bound, "means", DESIGNS, lambda x: cw.gap_dependent_bound(x, CONE, 0.1, 0.1).evaluations
    ),
    "verdict": Call(cw.verdict, "means", DESIGNS, lambda x: cw.verdict([2, 4], x, CONE, 0.1).uncovered),
    "gap_dependent_instance": Call(
        problems.gap_dependent_instance,
        "means",
        DESIGNS,
        lambda x: problems.gap_dependent_instance(x, CONE, 0.1).moved(0, [0, 1, 3]),
    ),
    "Cone": Call(cw.Cone, "W", ROWS, lambda x: Cone(x).facets),
    "Cone.from_rays": Call(cw.Cone, "V", ROWS, lambda x: Cone.from_rays(x).facets),
    "Cone.exchange": Call(cw.Cone, "pi", RATES, lambda x: Cone.exchange(x).facets),
    "Cone.contains": Call(cw.Cone, "x", DESIGNS, lambda x: CONE.contains(x)),
    "Cone.project": Call(cw.Cone, "x", DESIGNS, lambda x: CONE.project(x)),
}

WITHOUT_ARRAYS = {"worst_case_bound", "load", "worst_case_instance"}
"""Public functions of the calculus that take no array of numbers."""

ALL = pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in CALLS.items()])


def test_every_function_of_the_calculus_is_in_the_table():
    rooms = (
        "conewise.order.dominance",
        "conewise.order.gaps",
        "conewise.order.complexity",
        "conewise.question.question",
        "conewise.problems.hard",
    )
    public = [getattr(module, name) for module in (cw, problems) for name in module.__all__]
    functions = {thing for thing in public if callable(thing) and getattr(thing, "__module__", "") in rooms}
    functions = {thing for thing in functions if not isinstance(thing, type)}
    missing = functions - {call.covers for call in CALLS.values()}
    assert {thing.__name__ for thing in missing} <= WITHOUT_ARRAYS


@ALL
def test_a_frozen_array_is_enough_and_stays_as_it_is(call):
    frozen = call.example.copy()
    frozen.setflags(write=False)
    before = frozen.tobytes()
    call.function(frozen)
    assert frozen.tobytes() == before
    assert not frozen.flags.writeable


@ALL
def test_a_writable_array_is_not_written_to_nor_shared(call):
    array = call.example.copy()
    result = call.function(array)
    assert array.tobytes() == call.example.tobytes()
    assert array.flags.writeable
    if isinstance(result, np.ndarray):
        assert not np.shares_memory(result, array)


@ALL
def test_lists_are_read_and_left_alone(call):
    rows = call.example.tolist()
    before = copy.deepcopy(rows)
    from_list = call.function(rows)
    assert rows == before
    np.testing.assert_array_equal(from_list, call.function(call.example))


@ALL
@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
        lambda x: np.column_stack([x, x])[:, : x.shape[1]],
        lambda x: x.astype(np.float32),  # every example is exact in single precision
        lambda x: x.astype(object),
    ],
    ids=["fortran", "strided", "reversed", "part of a table", "single precision", "objects"],
)
def test_the_layout_in_memory_does_not_matter(call, layout):
    array = layout(call.example)
    before = array.copy()
    np.testing.assert_array_equal(call.function(array), call.function(call.example))
    np.testing.assert_array_equal(array, before)


@ALL
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_with_its_row(call, value):
    for row in {0, 1, len(call.example) - 1}:
        array = call.example.copy()
        array[row, 1] = value
        for given in (array, array.tolist()):
            with pytest.raises(cw.InputError, match=rf"{call.argument} has .* in row {row}\b") as caught:
                call.function(given)
            assert "\n" not in str(caught.value)
            assert str(caught.value).endswith(".")


@ALL
def test_the_first_bad_row_is_named(call):
    array = call.example.copy()
    array[1:, 0] = np.nan
    with pytest.raises(cw.InputError, match=r"in row 1\b"):
        call.function(array)


@ALL
def test_text_and_ragged_rows_are_refused_by_name(call):
    for bad in ([["a", "b"]], [[1.0, 2.0], [3.0]], "ab"):
        with pytest.raises(cw.InputError, match=rf"^{call.argument} ") as caught:
            call.function(bad)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [10, 6000])
def test_selections_are_left_alone(size):
    means = np.random.default_rng(0).random((size, 2))
    mask, indices = np.arange(size) < 3, np.array([2, 0, 1])
    for chosen in (mask, indices):
        before = chosen.copy()
        chosen.setflags(write=False)
        cw.verdict(chosen, means, CONE, 0.1)
        cw.cover_gaps(means[:10], CONE, rivals=chosen[:10])
        assert (chosen == before).all()
    listed, members = [2, 0, 1], {0, 1, 2}
    cw.verdict(listed, means, CONE, 0.1)
    cw.verdict(members, means, CONE, 0.1)
    assert (listed, members) == ([2, 0, 1], {0, 1, 2})


def test_a_dictionary_is_left_alone():
    data = {"rows": [[1.0, 0.0], [0.0, 1.0]], "text": "orthant:2"}
    before = copy.deepcopy(data)
    Cone.from_dict(data)
    assert data == before


def test_a_returned_dictionary_is_the_callers_own():
    data = CONE.to_dict()
    data["rows"][0][0] = 99.0
    assert CONE.to_dict()["rows"][0][0] == 2.0
