"""What an evaluation returned: values in every shape, printed ones, failures and mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.errors import InputError
from conewise.problems.evaluators import (
    EvaluationFailed,
    as_values,
    read_values,
)

OBJECTIVES = ("cost", "speed")


@pytest.mark.parametrize(
    "returned",
    [
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2]),
        np.array([1.0, 2.0], dtype=np.float32),
        {"speed": 2, "cost": 1, "temperature": 300},
        iter([1, np.int64(2)]),
        [np.array(1.0), np.float64(2)],
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_in_every_shape(returned):
    assert as_values(returned, OBJECTIVES) == [1.0, 2.0]


def test_one_objective_may_be_one_number():
    assert as_values(3, ["cost"]) == [3.0]
    assert as_values(np.float64(3), ["cost"]) == [3.0]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([1, float("nan")], "finite number was expected for the objective 'speed', got nan"),
        ([float("inf"), 1], "objective 'cost', got inf"),
        ([10**400, 1], "objective 'cost'"),
        ([None, 1], "objective 'cost', got None"),
        ({"speed": None, "cost": 1}, "objective 'speed', got None"),
    ],
    ids=str,
)
def test_what_is_no_value_is_a_failure_with_the_objective(returned, words):
    with pytest.raises(EvaluationFailed, match=words):
        as_values(returned, OBJECTIVES)


def test_an_outcome_is_a_number():
    assert as_values({"cost": True, "speed": False}, OBJECTIVES) == [1.0, 0.0]
    assert as_values([np.True_, 2], OBJECTIVES) == [1.0, 2.0]
    assert read_values('{"cost": true, "speed": 0.5}', OBJECTIVES) == [1.0, 0.5]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([1], r"1 value for 2 objectives \(cost, speed\); .* a list as \[cost, speed\], or by name\.$"),
        ([1, 2, 3], "3 values for 2 objectives"),
        ([], "0 values for 2 objectives"),
        (5.0, "1 value for 2 objectives"),
        (None, "2 numbers were expected, got None"),
        ("12", "2 numbers were expected, got '12'"),
        (["1", 1], "objective 'cost', got '1'"),
        ([1j, 1], "objective 'cost'"),
        ([np.complex64(1), 1], "objective 'cost'"),
        ([np.timedelta64(1, "s"), 1], "objective 'cost'"),
        (np.ma.array([1.0, 2.0], mask=[True, False]), "objective 'cost', got masked"),
        ([[1, 2], [3, 4]], "objective 'cost'"),
        ({"cost": 1}, "no value for the objective 'speed' among cost"),
        ({}, "no value for the objective 'cost' among nothing"),
    ],
    ids=str,
)
def test_another_shape_or_another_name_is_a_mistake_that_no_attempt_mends(returned, words):
    with pytest.raises(InputError, match=words):
        as_values(returned, OBJECTIVES)


@pytest.mark.parametrize(
    "printed",
    [
        "1 2",
        "1,2\n",
        " 1.0;  2e0 \n\n",
        "1\n2",
        "[1, 2]",
        '{"speed": 2.0, "cost": 1.0}',
        '{\n  "cost": 1,\n  "speed": 2\n}\n',
        "step 1 of 3\nstep 2 of 3\n1 2\n",
        'warming up\n{"cost": 1, "speed": 2}\n',
        "100\n1, 2",
    ],
)
def test_values_are_read_however_they_were_printed(printed):
    assert read_values(printed, OBJECTIVES) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("", "printed nothing"),
        (" \n ", "printed nothing"),
        ("one two", "numbers or JSON were expected, the command printed 'one two'"),
        ("[1, 2", "is not JSON"),
        ("[1, NaN]", "objective 'speed', got nan"),
        ("nan 1", "objective 'cost', got nan"),
        ("1 2\nbye", "printed 'bye'"),
    ],
)
def test_printed_nonsense_is_a_failure(printed, words):
    with pytest.raises(EvaluationFailed, match=words):
        read_values(printed, OBJECTIVES)


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ('["1", "2"]', "objective 'cost'"),
        ("[[1, 2]]", "1 value for 2"),
        ("1 2 3", "3 values for 2"),
        ('step 1\n{"cost": 1}', "no value for the objective 'speed'"),
    ],
)
def test_printed_values_of_another_shape_are_a_mistake(printed, words):
    with pytest.raises(InputError, match=words):
        read_values(printed, OBJECTIVES)
