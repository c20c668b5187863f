"""A best guess beside the certificate: what the averages say, how well they are known, what another epsilon costs."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw

OBJECTIVES = [cw.Objective("cost", "min", unit=0.5), cw.Objective("speed", unit=20)]


def table(seed=0, each=12):
    rng = np.random.default_rng(seed)
    means = np.array([[1.0, 100.0], [1.2, 130.0], [1.25, 128.0], [2.0, 90.0]])
    designs = np.tile(np.arange(4), each)
    values = means[designs] + rng.normal(size=(4 * each, 2)) * [0.2, 9]
    return {"design": [f"d{k}" for k in designs], "cost": values[:, 0], "speed": values[:, 1]}


def test_the_front_of_the_averages_and_their_standard_errors():
    data = table()
    found = cw.analyse(data, objectives=OBJECTIVES, delta=0.05)
    expected = cw.pareto_mask(found.means * [-1, 1], cw.Cone.orthant(2))
    assert found.guess.pareto.tolist() == expected.tolist()
    for k, name in enumerate(found.names):
        rows = [i for i, design in enumerate(data["design"]) if design == name]
        for d, column in enumerate(("cost", "speed")):
            sample = np.asarray(data[column])[rows]
            assert found.guess.standard_errors[k, d] == pytest.approx(sample.std(ddof=1) / np.sqrt(len(rows)))
    names = ", ".join(np.array(found.names)[expected][:-1]) + f" and {np.array(found.names)[expected][-1]}"
    assert f"Best guess, by the averages alone: the Pareto set is {names}." in found.explanations


@pytest.mark.parametrize("final", [False, True])
def test_a_price_is_what_asking_for_that_epsilon_says(final):
    found = cw.analyse(table(), objectives=OBJECTIVES, delta=0.05, final=final)
    assert (found.result.status == "undecided").any()
    prices = found.guess.prices
    assert len(prices) == 2
    assert prices[0].epsilon < prices[1].epsilon
    for price in prices:
        asked = cw.analyse(table(), objectives=OBJECTIVES, delta=0.05, final=final, epsilon=price.epsilon)
        open_ = (asked.result.status == "undecided").any()
        assert price.remaining == (asked.plan.remaining if open_ else 0)
    assert f"ith {found.question.columns.at(prices[0].epsilon)}" in found.explanations[-1]


def test_nothing_is_guessed_where_all_is_decided():
    data = table(each=400)
    found = cw.analyse(data, objectives=OBJECTIVES, delta=0.05, epsilon=2.0)
    assert not (found.result.status == "undecided").any()
    assert found.guess.prices == ()
    assert not any("Best guess" in line for line in found.explanations)


def test_a_design_that_was_evaluated_once_has_no_standard_error():
    found = cw.analyse({"design": ["a", "a", "b"], "x": [1.0, 2.0, 5.0]}, objectives=["x"], delta=0.1)
    assert np.isnan(found.guess.standard_errors[1, 0])
    assert found.guess.pareto.tolist() == [False, True]
    assert found.guess.prices == ()


def test_a_single_design_needs_no_guess():
    assert cw.analyse({"design": ["a", "a"], "x": [1.0, 2.0]}, objectives=["x"], delta=0.1).guess is None


def test_values_that_are_all_the_same_have_no_standard_error():
    """The average of three hundred times 1.1 is off by a rounding, which is no noise."""
    rows = [{"design": d, "x": float(k % 7), "price": p} for d, p in (("a", 1.1), ("b", 1.53)) for k in range(300)]
    found = cw.analyse(rows, objectives=["x", cw.Objective("price", "min", noise="known")], delta=0.05)
    assert found.guess.standard_errors[:, 1].tolist() == [0.0, 0.0]
