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


def test_a_finished_study_says_what_it_did_not_need():
    assert unused(300, 300, finished=True) == ""
    assert unused(310, 300, finished=True) == (
        "The answer rests on 300 of the 310 told evaluations; 10 were handed out ahead of need, and the answer did not "
        "need them."
    )
    assert unused(301, 300, finished=True).endswith("; 1 was not needed.")
    assert "; 1 waits for an earlier evaluation" in unused(301, 300, finished=False)
