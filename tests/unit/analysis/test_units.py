"""Units that the values chose: taken, said, and no guarantee but where units do not matter."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Observations
from conewise.errors import InputError


def rows(n=30, scale=1.0):
    rng = np.random.default_rng(0)
    means = {"a": (1.0, 0.0), "b": (0.0, 1.0), "c": (-1.0, -1.0)}
    return [
        {"design": name, "price": -scale * (x + 0.1 * rng.normal()), "speed": y + 0.1 * rng.normal()}
        for name, (x, y) in means.items()
        for _ in range(n)
    ]


ASKED = {"objectives": ["price", "speed"], "minimise": ["price"], "delta": 0.05}


def test_the_orthant_at_epsilon_zero_does_not_depend_on_units():
    plain = cw.analyse(rows(), **ASKED)
    chosen = cw.analyse(rows(), **ASKED, units="auto")
    assert chosen.units_chosen
    assert chosen.question.columns.units.tolist() == [0.2, 0.2]
    assert chosen.result.status.tolist() == plain.result.status.tolist() == ["kept", "kept", "beaten"]
    assert chosen.result.guarantee == plain.result.guarantee
    assert any("taken from the values" in line for line in chosen.explanations)


def test_a_step_of_one_is_named():
    wide = [row | {"speed": 5 * row["speed"]} for row in rows(scale=5.0)]
    chosen = cw.analyse(wide, **ASKED, units="auto")
    assert any("One step is 1: a tenth of each spread" in line for line in chosen.explanations)


@pytest.mark.parametrize("change", [{"epsilon": 0.5}, {"cone": cw.Cone.planar(120)}, {"n": 3}, {"final": True, "n": 3}])
def test_everything_else_is_a_guess_that_says_why(change):
    change = dict(change)
    data = rows(change.pop("n", 30))
    if change.get("final"):
        data = [row | {"speed": 0.01 * row["speed"]} for row in data]
        change |= {"epsilon": 0.1}
    found = cw.analyse(data, **(ASKED | change), units="auto")
    if not found.result.guarantee and found.result.certified_epsilon is None:
        assert not found.result.certain.any()
    assert not found.result.guarantee or found.result.guarantee.epsilon == 0
    if change.get("epsilon") or "cone" in change:
        assert "the units were taken from the values" in str(found.result.guarantee)
        assert "that is a guess, not a guarantee" in found.explanations[0]
        assert not any("The data certify" in line for line in found.explanations)


@pytest.mark.parametrize("final", [True, False])
def test_objectives_that_were_measured_separately_are_a_guess_in_chosen_units_too(final):
    found = cw.analyse(rows(), **ASKED, epsilon=0.5, units="auto", separate=True, final=final)
    assert "the units were taken from the values" in str(found.result.guarantee)
    assert found.result.certified_epsilon is None
    assert "that is a guess, not a guarantee" in found.explanations[0]
    assert not any("certify" in line or "covers all looks" in line for line in found.explanations)


def test_the_same_answer_in_euros_and_in_thousands():
    few, many = (cw.analyse(rows(scale=s), **ASKED, epsilon=0.3, units="auto") for s in (1.0, 1000.0))
    assert few.result.status.tolist() == many.result.status.tolist()
    assert many.question.columns.units[0] == 1000 * few.question.columns.units[0]


def test_a_unit_of_ones_own_stays():
    objectives = [cw.Objective("price", "min", unit=0.5), "speed"]
    found = cw.analyse(rows(), objectives=objectives, delta=0.05, units="auto")
    assert found.question.columns.units.tolist() == [0.5, 0.2]


def test_blocks_that_were_all_read_are_known_in_any_units():
    table = [row | {"day": k % 30} for k, row in enumerate(rows())]
    asked = ASKED | {"epsilon": 0.1, "block": "day", "cone": cw.Cone.planar(120), "units": "auto"}
    assert cw.analyse(table, **asked, population="all").result.guarantee
    assert not cw.analyse(table, **asked).result.guarantee


def test_what_are_no_units_is_one_sentence():
    with pytest.raises(InputError, match='units must be "auto" or None'):
        cw.analyse(rows(), **ASKED, units="metric")
    values = Observations.single(np.array([0, 1]), np.eye(2))
    with pytest.raises(InputError, match="needs a table with names"):
        cw.analyse(values, delta=0.05, units="auto")


@pytest.mark.parametrize("final", [False, True])
def test_objectives_that_were_measured_separately_are_no_exception(final):
    found = cw.analyse(rows(), **ASKED, cone=cw.Cone.planar(120), units="auto", separate=True, final=final)
    assert "the units were taken from the values" in str(found.result.guarantee)
    assert found.result.certified_epsilon is None
    assert not found.result.certain.any()
    assert found.evidence is None
    plain = cw.analyse(rows(), **ASKED, units="auto", separate=True, final=final, noise=cw.noise.GaussianUnknown())
    assert plain.result.guarantee  # the orthant at epsilon = 0 does not depend on them
