"""Leader and challenger with levels: who is out, what is returned, and how often it is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import LevelChallenger
from conewise.studies.asking import run

MEANS = np.array([[2.0, -1.0], [0.0, 1.0], [0.5, 0.0], [-1.0, -0.5], [-0.5, 0.4]])
"""With at least 0 in the second objective the first misses it, the third lies on it and the last two are dominated."""


def question(cone: cw.Cone | None = None, epsilon: float = 0.3, level: float | None = 0.0) -> cw.Question:
    columns = [cw.Objective("power"), cw.Objective("safety", level=level)]
    return cw.Question(cone or cw.Cone.orthant(2), epsilon, 0.1, Gaussian(0.3), "contain", columns)


def answered(seed: int, **options) -> cw.Result:
    rule = LevelChallenger(question(), len(MEANS), growth=0.2, **options)
    return run(rule, cw.SimulatedBandit(MEANS, Gaussian(0.3)), rng=seed)


def test_the_answer_with_a_level_on_which_a_design_lies():
    result = answered(0)
    assert result.status.tolist()[:2] == ["misses a level", "kept"]
    assert result.status[3] in ("beaten", "misses a level")
    assert isinstance(result.guarantee, cw.Guarantee)
    assert "in the manner of" in result.guarantee.theorem


def test_nobody_who_meets_the_level_is_an_answer():
    rule = LevelChallenger(question(level=3.0), len(MEANS), growth=0.2)
    result = run(rule, cw.SimulatedBandit(MEANS, Gaussian(0.3)), rng=0)
    assert result.indices == []
    assert (result.status == "misses a level").all()
    assert bool(result.guarantee)


def test_a_cone_that_trades_the_level_away_is_refused():
    with pytest.raises(cw.InputError, match="needs a cone that keeps the levels"):
        LevelChallenger(question(cw.Cone.planar(135)), 3)


def wrong(seed: int, scale: float) -> bool:
    result = answered(seed, radius_scale=scale)
    kept = set(result.indices)
    return kept != {1, 2}


def test_the_feasible_front_is_returned_as_often_as_promised_and_the_test_has_power():
    """Null: wrong with probability at most 0.1 (gaps of 0.5 leave no other answer); Wald's sequential test at 1e-4."""
    assert not rejected(lambda run: wrong(run, 1.0), 0.1, 1e-4)
    assert rejected(lambda run: wrong(run, 1 / 16), 0.1, 1e-4)
