"""The simulator to rehearse with: the same value for the same seed, noise as it says, and something to trade off."""

from __future__ import annotations

import numpy as np

from conewise.problems.evaluators import PythonFunction
from conewise.problems.rehearsal import SIGMA, evaluate

MILD, HOT = {"temperature": 60, "hours": 2}, {"temperature": 70, "hours": 8}


def values(design: dict, seeds: int = 2_000) -> np.ndarray:
    return np.array([[*evaluate(design, seed).values()] for seed in range(seeds)])


def test_a_seed_gives_a_value_and_another_seed_another():
    assert evaluate(MILD, 1) == evaluate(MILD, 1) != evaluate(MILD, 2)


def test_it_has_the_mean_that_its_formula_gives_and_the_noise_that_it_says():
    """Five standard errors, of 2000 values with fixed seeds."""
    seen, sigma = values(MILD), np.array(SIGMA)
    mean = [90 - 10**2 / 50 - 20 / 2, 2 + 0.02 * 40 + 0.5 * 2]
    assert (np.abs(seen.mean(axis=0) - mean) < 5 * sigma / np.sqrt(len(seen))).all()
    assert np.allclose(seen.std(axis=0), sigma, rtol=5 / np.sqrt(2 * len(seen)))


def test_more_yield_costs_more_so_that_there_is_something_to_decide():
    more = values(HOT, 100).mean(axis=0) - values(MILD, 100).mean(axis=0)
    assert (more > 0).all()


def test_numbers_may_come_as_texts_as_a_table_has_them():
    assert evaluate({"temperature": "60", "hours": "2.0"}, 1) == evaluate(MILD, 1)


def test_it_is_called_as_the_trial_names_it():
    named = PythonFunction("conewise.problems.rehearsal:evaluate")
    named.prepare()
    assert named.evaluate(MILD, 3, ("cost", "yield")) == [evaluate(MILD, 3)["cost"], evaluate(MILD, 3)["yield"]]
