"""Parameters: where choices lie between 0 and 1, what a model sees of them, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conewise import InputError
from conewise.problems.parameters import as_parameters


def one(choice):
    return as_parameters({"x": choice})[0]


PLACES = np.array([0.0, 0.25, 0.5, 1.0])


@pytest.mark.parametrize(
    ("choice", "values"),
    [
        ((20, 90), [20.0, 37.5, 55.0, 90.0]),
        ((1e-4, 1, "log"), [1e-4, 1e-3, 1e-2, 1.0]),
        (range(1, 5), [1, 2, 3, 4]),
        (range(10, 0, -5), [10, 10, 5, 5]),
        ([8, 16, 32], [8, 8, 16, 32]),
        (["oil", "water"], ["oil", "oil", "water", "water"]),
    ],
)
def test_places_stand_for_choices(choice, values):
    found = one(choice).at(PLACES)
    assert found == pytest.approx(values) if isinstance(values[0], float) else found == values


def test_ends_of_a_range_are_never_passed():
    low, high = 0.1, 0.1 + 2e-16
    assert all(low <= x <= high for x in one((low, high)).at(np.linspace(0, 1, 9)))
    assert max(one((1e-300, 1e300, "log")).at(np.array([1.0]))) <= 1e300


@pytest.mark.parametrize("choice", [(20, 90), range(1, 5), [8, 16, 32], ["oil", "water"]])
def test_snapped_places_are_equal_where_choices_are(choice):
    parameter, places = one(choice), np.random.default_rng(0).random(50)
    snapped = parameter.snapped(places)
    assert parameter.at(snapped) == parameter.at(places)
    assert len(np.unique(snapped)) == len(set(parameter.at(places)))
    assert np.array_equal(parameter.snapped(snapped), snapped)


def test_a_model_sees_numbers_on_their_scale_and_words_apart():
    assert one([8, 16, 32]).features(np.array([0.1, 0.5, 0.9])).ravel() == pytest.approx([0, 1 / 3, 1])
    assert one((1e-4, 1, "log")).features(PLACES).ravel() == pytest.approx(PLACES)
    words = one(["a", "b", "c"]).features(np.array([0.1, 0.5, 0.9]))
    apart = np.linalg.norm(words[:, None] - words[None], axis=2)
    assert apart == pytest.approx(1 - np.eye(3))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the box is empty"),
        ([("x", (0, 1))], "a box is a dict"),
        ({1: (0, 1)}, "texts for names"),
        ({"x": (1, 1)}, "from a smaller to a larger number, got 1 to 1"),
        ({"x": (2, 1)}, "from a smaller to a larger number, got 2 to 1"),
        ({"x": (0, math.nan)}, "from one finite number to another"),
        ({"x": (0, math.inf)}, "from one finite number to another"),
        ({"x": (0, 10**400)}, "from one finite number to another"),
        ({"x": (False, True)}, "from one finite number to another"),
        ({"x": ("a", "b")}, "write what is to be chosen from as a list"),
        ({"x": (-1.7e308, 1.7e308)}, "runs too far"),
        ({"x": (0, 1, "log")}, "must begin above 0"),
        ({"x": (1, 2, "square")}, '"log" or left out'),
        ({"x": (1, 2, 3, 4)}, "must be (20, 90)"),
        ({"x": 3}, "must be (20, 90)"),
        ({"x": {"a", "b"}}, "must be (20, 90)"),
        ({"x": []}, "leaves 0 to choose from"),
        ({"x": ["a"]}, "leaves 1 to choose from"),
        ({"x": range(3, 3)}, "leaves 0 to choose from"),
        ({"x": range(10**30)}, "more than 10000 numbers"),
        ({"x": ["a", 1]}, "a list of numbers or one of words"),
        ({"x": [1, math.nan]}, "a list of numbers or one of words"),
        ({"x": ["a", "b", "a"]}, "lists 'a' twice"),
        ({"x": [str(k) for k in range(65)]}, "at most 64"),
    ],
)
def test_what_is_no_parameter_is_refused_in_one_sentence(given, said):
    with pytest.raises(InputError) as refused:
        as_parameters(given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "choice",
    [(20, 90), (1e-4, 1, "log"), range(1, 5), [8, 16, 32], ["oil", "water"], {"from": 2, "to": 5, "whole": True}],
    ids=str,
)
def test_choices_lie_where_they_came_from_and_are_written_down(choice):
    parameter = one(choice)
    places = parameter.snapped(np.linspace(0, 1, 9))
    np.testing.assert_allclose(parameter.placed(parameter.at(places)), places, atol=1e-12)
    assert one(parameter.written()) == parameter
