"""The border: what is accepted as it is, what is converted, and the sentence for what is refused."""

from __future__ import annotations

import decimal
from fractions import Fraction

import numpy as np
import pytest

from conewise import InputError
from conewise.border import (
    as_count,
    as_floats,
    as_non_negative,
    as_number,
    as_points,
    as_positive,
    as_probability,
    as_selection,
    as_vectors,
    check_sums,
    read_only,
)


def refusal(call, *arguments) -> str:
    with pytest.raises(InputError) as caught:
        call(*arguments)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def test_floats_are_passed_through_without_a_copy():
    values = np.random.default_rng(0).random((5, 2))
    assert as_floats(values, "points") is values
    assert as_points(values, "points", 2) is values


@pytest.mark.parametrize(
    "values",
    [
        [[1, 2], [3, 4]],
        ((1, 2), (3, 4)),
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        np.array([[1, 2], [3, 4]], dtype=np.uint64),
        np.array([[1, 2], [3, 4]], dtype=np.float32),
        np.array([[1, 2], [3, 4]], dtype=np.float16),
        np.array([[1, 2], [3, 4]], dtype=object),
        np.array([[1, 2], [3, 4]], dtype=">f8"),
        np.array([[1.0, 3.0], [2.0, 4.0]]).T,
        np.ma.array([[1.0, 2.0], [3.0, 4.0]]),
        [[decimal.Decimal(1), Fraction(2)], [3.0, np.float32(4)]],
    ],
    ids=lambda values: str(getattr(values, "dtype", type(values).__name__)),
)
def test_numbers_of_every_kind_are_read(values):
    points = as_points(values, "points", 2)
    assert points.dtype == np.float64
    assert type(points) is np.ndarray
    assert points.tolist() == [[1, 2], [3, 4]]


def test_booleans_count_as_zero_and_one():
    assert as_points([[True, False]], "points").tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([["a", "b"]], "check for text"),
        ([[b"1", b"2"]], "check for text"),
        (np.array([["1", 2.0]], dtype=object), "check for text"),
        ([[1, 2], [3]], "rows of unequal length"),
        ([[1 + 1j, 2]], "complex numbers"),
        ([[10**400, 2]], "subtract an offset"),
        ([[2**53 + 1, 0.5]], "subtract an offset"),
        (np.array([[2**53 + 1, 0.5]], dtype=object), "subtract an offset"),
        ([[Fraction(10**400, 3), 2]], "real numbers"),
        (object(), "real numbers"),
        ([[2**53 + 1, 0]], "subtract an offset"),
        ([[-(2**60), 0]], "subtract an offset"),
        (
            np.ma.array([[1.0, 2.0]], mask=[[True, False]]),
            "masked entries, first at [0, 0] (counted from 0)",
        ),
        ([[None, 1.0]], "nan in row 0, column 0"),
        ([[1.0, 2.0], [3.0, np.nan]], "nan in row 1, column 1"),
        ([[1.0, 2.0], [-np.inf, 1.0]], "-inf in row 1, column 0"),
        (np.zeros((0, 2)), "is empty: at least one design"),
        ([], "is empty: at least one design"),
        (np.zeros(3), r"one design of 3 objectives is points.reshape(1, -1)"),
        (7.0, "the single value 7.0"),
        (np.zeros((2, 3)), "3 objectives (columns) but the cone orders 2"),
    ],
)
def test_what_is_no_table_of_designs(values, words):
    sentence = refusal(as_points, values, "points", 2)
    assert sentence.startswith("points ")
    assert words in sentence


def test_whole_numbers_up_to_two_to_the_53_are_exact():
    assert as_points([[2**53, -(2**53)]], "points").tolist() == [[2.0**53, -(2.0**53)]]


def test_vectors_of_any_leading_shape():
    assert as_vectors([1, 2], "x", 2).shape == (2,)
    assert as_vectors(np.zeros((3, 4, 2)), "x", 2).shape == (3, 4, 2)
    assert as_vectors(np.zeros((0, 2)), "x", 2).shape == (0, 2)
    assert "x must have 2 numbers along its last axis" in refusal(as_vectors, [1, 2, 3], "x", 2)
    assert "row 5, column 1" in refusal(as_vectors, np.where(np.arange(12) == 11, np.nan, 0).reshape(3, 2, 2), "x", 2)


@pytest.mark.parametrize(
    ("chosen", "mask"),
    [
        ([0, 2], [True, False, True]),
        ([2, 0, 2], [True, False, True]),
        ({0, 2}, [True, False, True]),
        (range(2), [True, True, False]),
        (np.array([1], dtype=np.uint8), [False, True, False]),
        ([True, False, True], [True, False, True]),
        ([], [False, False, False]),
        (set(), [False, False, False]),
    ],
)
def test_a_selection_is_a_mask_or_numbers_of_designs(chosen, mask):
    assert as_selection(chosen, 3, "returned").tolist() == mask


@pytest.mark.parametrize(
    "chosen", [[3], [-1], [0.5], ["a"], [None], [True], [[0]], [[0], [0, 1]], {0, "a"}, None, 1, "ab", [2**70]]
)
def test_what_is_no_selection(chosen):
    assert refusal(as_selection, chosen, 3, "returned").startswith("returned ")


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int8(1), np.array(1.0), Fraction(1)])
def test_a_number_of_any_type_is_a_float(value):
    assert as_number(value, "epsilon") == 1.0
    assert type(as_number(value, "epsilon")) is float


@pytest.mark.parametrize(
    "value", [None, "1", b"1", True, [1], np.ones(1), 1j, float("nan"), float("inf"), 10**400, [[1], []]]
)
def test_what_is_no_number(value):
    assert refusal(as_number, value, "epsilon").startswith("epsilon must be ")


def test_a_long_value_is_quoted_in_part():
    assert len(refusal(as_number, list(range(10_000)), "epsilon")) < 120


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (as_positive, [1e-300, 5], [0, -1, -0.0]),
        (as_non_negative, [0, 1e-300, 5], [-1e-300]),
        (as_probability, [1e-300, 0.5], [0, 1, 1.5, -0.1]),
    ],
)
def test_a_number_outside_its_range_is_refused_by_name(check, good, bad):
    for value in good:
        assert check(value, "delta") == value
    for value in bad:
        assert refusal(check, value, "delta").startswith("delta must ")


@pytest.mark.parametrize("value", [4, 4.0, np.int64(4), np.float64(4), np.array(4)])
def test_a_whole_number_of_any_type_is_an_int(value):
    assert as_count(value, "n_designs", minimum=4) == 4
    assert type(as_count(value, "n_designs", minimum=4)) is int


def test_counts_are_never_rounded():
    assert "whole number, got 10.5" in refusal(as_count, 10.5, "n_designs")
    assert "whole number, got True" in refusal(as_count, True, "n_designs")
    assert "at least 4, got 3" in refusal(as_count, 3, "n_designs", 4)
    assert as_count(2**62, "n_designs") == 2**62
    assert "must be at most 4611686018427387904, got 4611686018427387905" in refusal(as_count, 2**62 + 1, "n_designs")
    assert "got a number of about 400 digits" in refusal(as_count, 10**400 - 1, "n_designs")
    assert "got a number of about 9000 digits" in refusal(as_count, -(10**9000 - 1), "n_designs")


def test_sums_that_overflow_or_are_undefined_are_refused():
    check_sums(np.array([[1e308, -1e308]]), "means")
    check_sums(np.empty((3, 0)), "means")
    for bad in (np.inf, -np.inf, np.nan):
        assert "means has numbers too large" in refusal(check_sums, np.array([[0.0, bad]]), "means")
    assert "means has numbers too large" in refusal(check_sums, np.array([[11.0]]), "means", 10.0)


def test_read_only_clears_the_flag_of_the_same_array():
    values = np.zeros(3)
    assert read_only(values) is values
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1
