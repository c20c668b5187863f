"""A cone that was stated about some objectives is refused beside others: its numbers would mean something else."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw

PRICE, SPEED = cw.Objective("price", "min", unit=500), cw.Objective("speed", unit=10)
SAID = cw.Preferences([PRICE, SPEED]).accepts(give={"price": 1000}, get={"speed": 10})
CARS = [{"price": 1000.0, "speed": 10.0}, {"price": 1900.0, "speed": 20.0}]
OTHERS = {
    "units": [cw.Objective("price", "min"), cw.Objective("speed")],
    "directions": [cw.Objective("price", unit=500), SPEED],
    "order": [SPEED, PRICE],
    "names": [cw.Objective("cost", "min", unit=500), SPEED],
}


def test_the_objectives_of_which_it_was_said_are_taken():
    assert cw.front(CARS, SAID.cone, objectives=[PRICE, SPEED]) == [CARS[1]]
    assert (
        cw.front(CARS, cw.Preferences([PRICE, SPEED]).cone, objectives=[cw.Objective("price", "min"), "speed"]) == CARS
    )


@pytest.mark.parametrize("what", ["units", "directions", "order"])
def test_front_and_analyse_refuse_others(what):
    with pytest.raises(cw.InputError, match="what was said, of which the cone is made, is about price"):
        cw.front(CARS, SAID.cone, objectives=OTHERS[what])
    rows = [{"design": name} | car for name, car in zip("ab", CARS, strict=True) for _ in range(3)]
    with pytest.raises(cw.InputError, match="here the objectives are"):
        cw.analyse(rows, SAID.cone, delta=0.1, objectives=OTHERS[what], noise=cw.noise.Gaussian(0.5))


@pytest.mark.parametrize("what", OTHERS)
def test_identify_and_a_study_refuse_others(what, tmp_path):
    asked = {"epsilon": 0.1, "delta": 0.1}
    with pytest.raises(cw.InputError, match="state it with the objectives"):
        cw.identify(
            cw.SimulatedBandit(np.eye(2), cw.noise.Gaussian(0.1)), SAID.cone, objectives=OTHERS[what], rng=0, **asked
        )
    facts = {"designs": ["a", "b"], "objectives": OTHERS[what], "noise": cw.noise.Gaussian(1.0)}
    with pytest.raises(cw.InputError, match="state it with the objectives"):
        cw.Study.create(tmp_path / "s.db", cone=SAID.cone, **facts, **asked)


def test_arrays_without_names_count_in_steps():
    assert cw.pareto_mask(np.array([[-2.0, 1.0], [-3.8, 2.0]]), SAID.cone).tolist() == [False, True]


def test_a_set_has_no_order_and_is_no_evaluation():
    from conewise.problems.returned import as_values

    with pytest.raises(cw.InputError, match="a set, which has no order"):
        as_values({1.0, 16.0}, ["x", "y"])


@pytest.mark.parametrize("statements", [[{"kind": "zzz"}], "accept", 3, None])
def test_a_dictionary_without_texts_as_statements_is_refused(statements):
    written = {"objectives": [{"name": "a"}, {"name": "b"}], "statements": statements}
    with pytest.raises(cw.InputError, match="has statements, a list of texts"):
        cw.Preferences.from_dict(written)


def test_an_evaluator_that_returns_nothing_does_not_go_on_for_ever():
    class Silent(cw.SimulatedBandit):
        def evaluate(self, pulls, rng):
            return cw.Observations.single(np.empty(0, dtype=np.int64), np.empty((0, 2)))

    with pytest.raises(cw.InputError, match=r"was asked for .* of design 0 and returned 0"):
        cw.identify(Silent(np.eye(2), cw.noise.Gaussian(0.1)), cw.Cone.orthant(2), epsilon=0.1, delta=0.1, rng=0)
