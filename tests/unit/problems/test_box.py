"""Boxes: candidates, names, evaluations, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from conewise import InputError, Pulls, noise
from conewise.problems import Box


def halves(design):
    return [design["x"], 1 - design["x"]]


def box(parameters=None, **given):
    return Box(parameters or {"x": (0, 1), "kind": ["a", "b"]}, **({"evaluate": halves, "candidates": 16} | given))


def test_candidates_are_points_of_the_sequence_of_the_seed():
    first = box(seed=3).first()
    assert first.shape == (16, 2)
    assert np.array_equal(first, box(seed=3).first())
    assert not np.array_equal(first, box(seed=4).first())
    assert np.array_equal(box(seed=3).points(8, 8), box(seed=3).points(0, 16)[8:])


def test_a_scrambled_sobol_sequence_fills_the_box_evenly():
    found = box({"x": (0, 1), "y": (0, 1)}, candidates=16).first()
    inside = 1 / 32 + found * 15 / 16
    for column in inside.T:
        assert np.array_equal(np.sort((16 * column).astype(int)), np.arange(16))  # one in every sixteenth


def test_some_candidates_lie_on_the_ends_of_ranges():
    found = box({"x": (0, 1), "y": (0, 1)}, candidates=256).first()
    assert (found.min(axis=0) == 0).all()
    assert (found.max(axis=0) == 1).all()
    assert 0.02 < ((found == 0) | (found == 1)).mean() < 0.1


def test_all_settings_are_candidates_where_they_are_few():
    small = box({"n": range(1, 4), "kind": ["a", "b"]})
    assert small.size == 6
    assert small.designs(small.first()) == [{"n": n, "kind": kind} for n in (1, 2, 3) for kind in "ab"]
    assert box().size is None


def test_settings_are_candidates_once():
    many = box({"n": range(1, 6), "m": range(1, 6)}, candidates=24)
    first = many.first()
    assert len({tuple(design.values()) for design in many.designs(first)}) == len(first)
    again = many.distinct(many.points(0, 64), first)
    assert len(first) + len(again) <= 25
    assert not {tuple(row) for row in again.tolist()} & {tuple(row) for row in first.tolist()}


def test_features_are_scaled_by_the_box():
    features, owner = box().features(np.array([[0.25, 0.25], [0.5, 0.75]]))
    assert owner.tolist() == [0, 1, 1]
    assert features == pytest.approx(np.array([[0.25, 0.5**0.5, 0], [0.5, 0, 0.5**0.5]]))


def test_evaluations_are_calls_with_a_dict_of_its_own():
    seen = []

    def evaluate(design, seed):
        seen.append((dict(design), seed))
        design.clear()
        return {"b": 2.0, "a": len(seen)}

    problem = box(evaluate=evaluate).at(np.array([[0.5, 0.2], [1.0, 0.8]]), ["a", "b"])
    told = problem.evaluate(Pulls([1, 0], [2, 1]), rng=0)
    assert [design for design, _ in seen] == [{"x": 1.0, "kind": "b"}, {"x": 1.0, "kind": "b"}, {"x": 0.5, "kind": "a"}]
    assert len({seed for _, seed in seen}) == 3
    assert told.means.tolist() == [[1, 2], [2, 2], [3, 2]]
    assert problem.names == ("x=0.5, kind=a", "x=1, kind=b")
    assert (problem.n_designs, problem.dim, problem.assumption) == (2, 2, None)


def test_an_evaluation_that_fails_names_its_setting():
    problem = box(evaluate=lambda design: [float("nan"), 1.0]).at(np.array([[0.5, 0.2]]), ["a", "b"])
    with pytest.raises(InputError, match=r"failed at x=0.5, kind=a: a finite number was expected"):
        problem.evaluate(Pulls([0]), rng=0)


@pytest.mark.parametrize("evaluate", [lambda design: [1 / 0, 1.0], lambda design, seed: [1 / 0, 1.0]])
def test_an_error_of_somebody_s_own_is_one_sentence_that_says_where(evaluate):
    problem = box(evaluate=evaluate).at(np.array([[0.5, 0.2]]), ["a", "b"])
    said = r"evaluate failed at x=0.5, kind=a: ZeroDivisionError: division by zero \(test_box.py, line \d+\)\.$"
    with pytest.raises(InputError, match=said) as raised:
        problem.evaluate(Pulls([0]), rng=0)
    assert isinstance(raised.value.__cause__.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("returned", [[1.0, 2.0, 3.0], 1.0, "two", None, {"a": 1.0}])
def test_values_of_another_shape_are_refused(returned):
    problem = box(evaluate=lambda design: returned).at(np.array([[0.5, 0.2]]), ["a", "b"])
    with pytest.raises(InputError, match="one number for each objective"):
        problem.evaluate(Pulls([0]), rng=0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"evaluate": 3}, "evaluate must be a function"),
        ({"evaluate": lambda: 1}, "must take a design"),
        ({"evaluate": lambda a, b, c: 1}, "must take a design"),
        ({"candidates": 1}, "candidates must be at least 2"),
        ({"candidates": 10**9}, "candidates must be at most"),
        ({"candidates": "many"}, "candidates must be"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"noise": 0.1}, "noise must be an assumption"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(given, said):
    with pytest.raises(InputError) as refused:
        box(**given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_noise_is_the_box_s_own():
    normal = noise.Gaussian(0.1)
    assert box(noise=normal).at(box().first(), ["a"]).assumption is normal


def test_corners_are_the_first_candidates_where_they_are_few():
    plane = Box({"x": (0, 10), "y": (1, 2)}, candidates=32)
    assert plane.designs(plane.first()[:4]) == [{"x": x, "y": y} for x in (0, 10) for y in (1, 2)]
    assert len(plane.first()) == 32
    assert len(Box({f"x{k}": (0, 1) for k in range(3)}, candidates=63).corners) == 0
    assert len(Box({"x": (0, 1), "kind": ["a", "b", "c"]}, candidates=32).corners) == 4
    assert len(Box({"x": [1, 2, 3], "kind": ["a", "b", "c"]}, candidates=32).corners) == 0  # all are candidates
