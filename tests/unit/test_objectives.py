"""What a column means: the record, its border, and the way into steps and back."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import conewise as cw
from conewise import noise as noises
from conewise.question.objectives import Objective, as_objectives


def test_a_record_has_the_defaults_of_a_plain_name():
    assert as_objectives(["speed"]).each == (cw.Objective("speed", goal="max", unit=1, level=None, price=1),)


def test_records_are_values():
    assert cw.Objective("a", "min", unit=2) == cw.Objective("a", goal="min", unit=2.0)
    assert len({cw.Objective("a"), cw.Objective("a"), cw.Objective("b")}) == 2
    with pytest.raises(AttributeError):
        cw.Objective("a").unit = 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"unit": 0}, "unit of the objective 'price' must be above 0, got 0"),
        ({"unit": -1}, "must be above 0, got -1"),
        ({"unit": float("nan")}, "must be finite, got nan"),
        ({"unit": float("inf")}, "must be finite, got inf"),
        ({"unit": "500"}, "must be a number, got '500'"),
        ({"unit": True}, "must be a number, got True"),
        ({"unit": 1e-200}, "must lie between 1e-100 and 1e+100"),
        ({"level": float("nan")}, "level of the objective 'price' must be finite, got nan"),
        ({"level": "cheap"}, "must be a number, got 'cheap'"),
        ({"goal": "small"}, "goal of the objective 'price' must be \"max\" or \"min\", got 'small'"),
        ({"noise": 0}, "noise of the objective 'price' (a standard deviation) must be above 0"),
        ({"noise": noises.Gaussian([1, 2])}, "given for 2 objectives, but there are 1"),
        ({"price": 0}, "price of the objective 'price' must be above 0"),
    ],
)
def test_what_means_nothing_is_refused_in_one_sentence(arguments, words):
    with pytest.raises(cw.InputError) as caught:
        cw.Objective("price", **arguments)
    text = str(caught.value)
    assert words in text
    assert "\n" not in text
    assert text.endswith(".")


@pytest.mark.parametrize("name", ["", "  ", 3, None])
def test_an_objective_has_a_name(name):
    with pytest.raises(cw.InputError, match="name of an objective"):
        cw.Objective(name)


def test_lists_of_names_records_and_dictionaries_are_one_thing():
    found = as_objectives(["a", cw.Objective("b", unit=2), {"name": "c", "goal": "min"}], minimise=["a"])
    assert found.names == ("a", "b", "c")
    assert found.minimised == ("a", "c")
    assert found.signs.tolist() == [-1, 1, -1]
    assert found.units.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("given", "minimise", "words"),
    [
        ("price", (), "must be a list, got 'price'"),
        (7, (), "must be a list of names, got 7"),
        ([3], (), "got 3 in it"),
        (["a", "a"], (), "distinct, got 'a' twice"),
        (["a", cw.Objective("a")], (), "distinct"),
        (["a"], ["b"], "minimise names 'b', which is not among the objectives a"),
        (["a"], "a", "minimise must be a list"),
        ([{"goal": "min"}], (), "needs a name"),
        ([{"name": "a", "units": 3}], (), "an objective has no 'units'; it may have name, goal, unit"),
    ],
)
def test_what_is_no_list_of_objectives_is_refused(given, minimise, words):
    with pytest.raises(cw.InputError, match=r"\.$") as caught:
        as_objectives(given, minimise)
    assert words in str(caught.value)


def test_steps_and_back():
    rng = np.random.default_rng(0)
    three = as_objectives([cw.Objective("a", "min", unit=0.25), cw.Objective("b", unit=8), "c"])
    values = rng.normal(size=(50, 3))
    assert np.array_equal(three.own(three.steps(values)), values)
    assert three.steps([[1.0, 8.0, 3.0]]).tolist() == [[-4.0, 1.0, 3.0]]


def test_without_units_values_are_only_turned():
    two = as_objectives(["a", "b"], ["a"])
    values = np.random.default_rng(1).normal(size=(20, 2))
    assert not two.in_steps
    assert two.amounts(3) == ""
    assert np.array_equal(two.steps(values), values * [-1, 1])


def test_levels_are_the_most_or_the_least_that_is_acceptable():
    both = as_objectives([cw.Objective("price", "min", level=10), cw.Objective("power", level=3)])
    assert both.meets(np.array([[10.0, 3.0], [10.1, 3.0], [10.0, 2.9], [0.0, 9.0]])).tolist() == [
        True,
        False,
        False,
        True,
    ]
    assert both.levels == ("price <= 10", "power >= 3")
    with pytest.raises(cw.InputError, match="analyse does not know levels"):
        both.check_no_levels("analyse")


def test_amounts_are_said_in_the_units_of_the_column():
    both = as_objectives([cw.Objective("price (EUR)", unit=500), cw.Objective("power", unit=10)])
    assert both.amounts(1) == "price 500 EUR, power 10"
    assert both.amounts(0.25) == "price 125 EUR, power 2.5"


def test_a_certified_epsilon_is_rounded_up_in_the_units_of_the_column_too():
    named = as_objectives(["price", "power"])
    assert (named.within(0.745601051520221), named.counted(0.745601)) == ("0.7457", "0.745601")
    counted = as_objectives([Objective("price", unit=3), Objective("power", unit=0.1)])
    assert counted.within(0.7001) == "0.7001 steps (price 2.101, power 0.07001)"
    assert counted.within(3) == "3 steps (price 9, power 0.3)"
    assert (counted.within(1), counted.within(0)) == ("1 step (price 3, power 0.1)", "0")


def test_units_and_levels_are_given_by_name():
    both = as_objectives(["a", "b"])
    assert both.having("unit", {"b": 3}).units.tolist() == [1, 3]
    assert both.having("level", {"a": 3}).levels == ("a >= 3",)
    with pytest.raises(cw.InputError, match="a unit is given for 'c', which is not among a, b"):
        both.having("unit", {"c": 3})


# -- noise -----------------------------------------------------------------------------------------------------------


def test_noise_of_each_is_noise_of_all():
    sigmas = as_objectives([cw.Objective("a", noise=2), cw.Objective("b", noise=noises.Gaussian(3))]).noise()
    assert isinstance(sigmas, noises.Gaussian)
    assert sigmas.sigma.tolist() == [2, 3]
    ranges = as_objectives([cw.Objective(n, noise=noises.Bounded(-k, k)) for k, n in enumerate("ab", 1)]).noise()
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([-1, -2], [1, 2])
    steps = [cw.Objective("a", noise=noises.GaussianUnknown()), cw.Objective("b", noise=noises.GaussianUnknown(0.5))]
    assert as_objectives(steps).noise() == noises.GaussianUnknown((None, 0.5))
    assert as_objectives(["a", "b"]).noise() is None


def test_what_is_said_of_all_counts_for_those_that_say_nothing():
    some = as_objectives([cw.Objective("a", noise="binary"), "b"])
    assert repr(some.noise(noises.Gaussian([1, 2]))) == "ByObjective([Binary(), Gaussian(2)])"
    assert repr(some.noise(noises.Bounded([0, 0], [9, 5]))) == "Bounded([0.0, 0.0], [1.0, 5.0])"
    assert as_objectives(["a", "b"]).noise(noises.Gaussian(1)) is None
    with pytest.raises(cw.InputError, match="given for 3 objectives, but there are 2"):
        some.noise(noises.Gaussian([1, 2, 3]))
    with pytest.raises(cw.InputError, match=r"covariance of all objectives says nothing of 'b'.*standard deviations"):
        some.noise(noises.Gaussian(cov=[[1, 0.5], [0.5, 1]]))


def test_noise_of_some_is_refused_and_that_of_several_kinds_is_mixed():
    with pytest.raises(cw.InputError, match="'b' has no noise while other objectives have one"):
        as_objectives([cw.Objective("a", noise=1), "b"]).noise()
    mixed = as_objectives([cw.Objective("a", noise=1), cw.Objective("b", noise=noises.Bounded(0, 1))]).noise()
    assert repr(mixed) == "ByObjective([Gaussian(1), Bounded(0.0, 1.0)])"
    assert repr(as_objectives([cw.Objective(name, noise="binary") for name in "ab"]).noise()) == "Binary()"
    with pytest.raises(cw.InputError, match="no objective has noise"):
        as_objectives([cw.Objective("a", noise="known")]).noise()


@pytest.mark.parametrize("record", [cw.Objective("x", "max"), {"name": "x", "goal": "max"}])
def test_a_direction_that_is_said_twice_is_said_alike(record):
    with pytest.raises(cw.InputError, match="minimise names 'x', and its objective says goal=\"max\"; say which"):
        as_objectives([record, "y"], minimise=["x"])
    silent = pickle.loads(pickle.dumps(cw.Objective("x", unit=2)))
    assert as_objectives([silent, "y"], minimise=["x"]).minimised == ("x",)
    assert as_objectives([cw.Objective("x", "min")], minimise=["x"]).minimised == ("x",)
    assert silent == cw.Objective("x", "max", unit=2)
