"""Sentences around an answer: what was not needed."""

from __future__ import annotations

import re

import numpy as np
import pytest

import conewise as cw
from conewise.analysis.explanations import unused

MEANS = np.array([[0.0, 4.0], [2.0, 2.0], [4.0, 0.0], [1.9, 2.1]])
ASKED = {"objectives": ["a", "b"], "delta": 0.05, "noise": cw.noise.Gaussian(0.5), "final": True}


def rows(separate: bool = False) -> list[dict]:
    noise = np.random.default_rng(0).normal(size=(20, 4, 2))
    measured = [{"design": f"d{k}", "a": v[0], "b": v[1]} for part in MEANS + noise / 2 for k, v in enumerate(part)]
    if not separate:
        return measured
    return [{"design": row["design"], d: row[d]} for d in "ab" for row in measured]


@pytest.mark.parametrize("separate", [False, True])
def test_the_data_certify_no_less_than_what_they_are_said_to(separate):
    """Ten answers, of which rounding to the nearest number would have put some below what is certified."""
    units = [cw.Objective("a", unit=1.3, level=-1), "b"]
    for objectives in (["a", "b"], units):
        for each in range(5):
            asked = ASKED | {"objectives": objectives, "delta": 0.05 + 0.01 * each, "separate": separate}
            found = cw.analyse(rows(separate), **asked)
            certified, text = found.result.certified_epsilon, " ".join(found.explanations)
            assert certified > 0
            steps = re.search(r"The data certify epsilon = ([\d.]*\d)", text)
            assert 0 <= float(steps[1]) - certified <= 1e-3 * certified + 1e-4
            for amount in re.findall(r"(?:certify epsilon = [\d.]+ steps \(|by more than )a ([\d.]*\d)", text):
                assert 0 <= float(amount) - 1.3 * certified <= 2e-3 * certified + 1e-4


def about_levels(price_noise, levels):
    """The sentence about levels, where two designs are nearly tied so that the certified epsilon is above 0."""
    rng, means = np.random.default_rng(1), [(500.0, 3.0), (501.0, 3.02), (600.0, 3.6), (650.0, 2.0)]
    rows = [{"design": k, "price (EUR)": p, "load": s + 0.3 * rng.normal()} for k, (p, s) in enumerate(means)]
    rows += [{**row, "load": row["load"] + 0.3 * rng.normal()} for _ in range(60) for row in list(rows)]
    price = cw.Objective("price (EUR)", "min", unit=100, noise=price_noise)
    objectives = [price, cw.Objective("load", unit=0.5, noise=0.5)]
    found = cw.analyse(rows, delta=0.05, final=True, objectives=objectives, levels=levels)
    assert found.result.certified_epsilon > 0
    return next(line for line in found.explanations if line.startswith("Acceptable"))


def test_a_level_of_what_is_known_exactly_is_not_missed_at_all():
    price, both = {"price (EUR)": 620}, {"price (EUR)": 620, "load": 2.2}
    assert about_levels("known", price).endswith("nothing returned misses a level at all.")
    mixed = about_levels("known", both)
    assert "by more than load" in mixed
    assert mixed.endswith(", nor that of price (EUR) at all.")
    assert "by more than price" in about_levels(1.0, price)  # a price with noise may miss its level within epsilon


def test_a_finished_study_says_what_it_did_not_need():
    assert unused(300, 300, finished=True) == ""
    assert unused(310, 300, finished=True) == (
        "The answer rests on 300 of the 310 told evaluations; 10 were handed out ahead of need, and the answer did not "
        "need them."
    )
    assert unused(301, 300, finished=True).endswith("; 1 was not needed.")
    assert "; 1 waits for an earlier evaluation" in unused(301, 300, finished=False)
