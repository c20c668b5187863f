"""Tables whose objectives were measured separately: the answer in sentences, and what such a table has to be."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.errors import InputError
from conewise.noise import Gaussian

MEANS = {"a": (3.0, 0.0), "b": (0.0, 3.0), "c": (-3.0, -3.0)}
TIMES = {"speed": 4, "range": 9}


def rows() -> list[dict]:
    """Every row has one of the two objectives."""
    rng = np.random.default_rng(4)
    return [
        {"design": name, column: mean[d] + 0.2 * rng.normal()}
        for d, (column, times) in enumerate(TIMES.items())
        for name, mean in MEANS.items()
        for _ in range(times)
    ]


def answer(table: list[dict]) -> cw.Analysis:
    return cw.analyse(table, objectives=["speed", "range"], final=True, separate=True, delta=0.05, noise=Gaussian(0.2))


def test_the_answer_comes_first_and_says_how_often_each_objective_was_measured():
    found = answer(rows())
    assert found.result.names() == ["a", "b"]
    assert isinstance(found.result.guarantee, cw.Guarantee)
    assert "objectives measured separately" in found.result.guarantee.assumption
    first, *others = found.explanations
    assert first.startswith("Returned are a, b; 0 designs are undecided")
    assert "Measured separately, for each design: speed 4 times, range 9 times." in others


def test_a_design_that_lacks_an_objective_is_named_and_nothing_is_certified():
    found = answer([row for row in rows() if not (row["design"] == "b" and "range" in row)])
    assert found.result.certified_epsilon is None
    assert "b has no value of 'range'." in found.explanations


def test_a_source_without_rows_of_measurements_is_refused():
    told = cw.Observations.single([0, 0, 1, 1], [[1.0], [2.0], [3.0], [4.0]])
    with pytest.raises(InputError, match="one row a measurement"):
        cw.analyse(told, final=True, separate=True, delta=0.1, epsilon=0.1, noise=Gaussian(1.0))


def test_one_design_is_compared_with_nobody():
    with pytest.raises(InputError, match="one design only"):
        answer([row for row in rows() if row["design"] == "a"])


def test_levels_of_objectives_that_were_measured_separately():
    asked = {"objectives": ["speed", "range"], "final": True, "separate": True, "delta": 0.05, "noise": Gaussian(0.2)}
    found = cw.analyse(rows(), **asked, levels={"speed": -1.0})
    assert found.result.status.tolist() == ["kept", "kept", "misses a level"]
    assert "levels met within epsilon" in found.result.guarantee.theorem
    assert "1 certainly miss a level (speed >= -1)." in found.explanations
    nobody = cw.analyse(rows(), **asked, levels={"speed": 9.0})
    assert nobody.result.names() == []
    assert nobody.result.guarantee
    assert nobody.explanations[0].startswith("No design is returned; 0 designs are undecided")
