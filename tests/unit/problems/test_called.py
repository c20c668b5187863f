from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import conewise as cw
from conewise.data.observations import Pulls
from conewise.problems import Called

ROWS = [{"name": "cold", "x": 1.0}, {"name": "warm", "x": 3.0}, {"name": "hot", "x": 2.0}]
ASKED = {"epsilon": 0.3, "delta": 0.05, "noise": cw.noise.Gaussian(0.2)}
COLUMNS = [cw.Objective("yield"), cw.Objective("cost", "min", unit=2.0)]


def trial(design, seed):
    noise = np.random.default_rng(seed).normal(size=2) * 0.2
    return {"yield": design["x"] + noise[0], "cost": abs(design["x"] - 1) * 2 + noise[1]}


@pytest.mark.parametrize("designs", [ROWS, pd.DataFrame(ROWS)], ids=["rows", "a frame"])
def test_a_plain_function_is_identified_in_the_users_names_and_directions(designs):
    result = cw.identify(trial, cw.Cone.orthant(2), designs=designs, objectives=COLUMNS, **ASKED, rng=0)
    assert sorted(result.names()) == ["cold", "hot", "warm"]
    found = cw.identify(trial, cw.Cone.orthant(2), designs=designs, objectives=["yield", "cost"], **ASKED, rng=0)
    assert found.names() == ["warm"]  # where cost is to be large as well
    assert isinstance(found.guarantee, cw.Guarantee)


def test_a_number_of_designs_is_called_by_names_and_every_evaluation_has_a_seed_of_its_own():
    seen = []

    def evaluate(design, seed):
        seen.append((design["name"], seed))
        return [float(design["name"]) + np.random.default_rng(seed).normal()]

    asked = {"epsilon": 0.9, "delta": 0.1, "noise": cw.noise.Gaussian(1.0)}
    first = cw.identify(evaluate, cw.Cone.orthant(1), designs=3, **asked, rng=5)
    once = list(seen)
    assert first.names() == ["2"]
    assert len({seed for _, seed in once}) == len(once) == first.evaluations
    cw.identify(evaluate, cw.Cone.orthant(1), designs=3, **asked, rng=5)
    assert seen[len(once) :] == once


@pytest.mark.parametrize(
    ("problem", "options", "words"),
    [
        (trial, {}, "list them with `designs`"),
        (trial, {"designs": ["a", "a"]}, "two designs are called 'a'"),
        (trial, {"designs": ROWS, "objectives": ["yield"]}, "the cone orders 2 objectives, but the problem has 1"),
        (trial, {"designs": ROWS, "objectives": ["yield", "price"]}, "no value for the objective 'price'"),
        (lambda design: [1, 2], {"designs": ROWS}, "which <lambda>.design. does not take"),
        (lambda design, seed: [1, None], {"designs": ROWS}, "an evaluation of 'cold' gave no values"),
        (cw.SimulatedBandit([[0, 0], [1, 1]], cw.noise.Gaussian(1)), {"designs": ROWS}, "brings its own"),
    ],
)
def test_what_cannot_be_called_is_refused_in_one_sentence(problem, options, words):
    with pytest.raises(cw.InputError, match=words):
        cw.identify(problem, cw.Cone.orthant(2), **(ASKED | options), rng=0)


def test_noise_has_to_be_said():
    with pytest.raises(cw.InputError, match="noise"):
        cw.identify(trial, cw.Cone.orthant(2), designs=ROWS, epsilon=0.3, delta=0.05, rng=0)


def test_values_are_those_of_the_function():
    called = Called(lambda design, seed: [design["x"]], ("a", "b"), ({"x": 1}, {"x": 2}), ("f1",))
    told = called.evaluate(Pulls([1, 0], [2, 1]), rng=0)
    assert told.designs.tolist() == [1, 1, 0]
    assert told.means.tolist() == [[2.0], [2.0], [1.0]]
