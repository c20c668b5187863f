"""What is odd about values, whole evaluations and single objectives alike."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.noise import GaussianUnknown
from conewise.question.question import Question
from conewise.studies.remarks import Values, remarks

ASKED = Question(
    cw.Cone.orthant(2), 0.1, 0.05, GaussianUnknown(), "cover", [cw.Objective("a"), cw.Objective("b", "min")]
)
NEAR = np.linspace(-1, 1, 12)


def whole(second):
    values = np.column_stack([NEAR, second])
    return Values(np.zeros(12, dtype=np.int64), np.arange(12), values, ("x", "y"), ASKED)


def apart(second):
    values = np.concatenate([NEAR, second])[:, None]
    stream, number = np.repeat([0, 1], 12), np.tile(np.arange(12), 2)
    return Values(stream, number, values, ("x", "y"), ASKED, True)


@pytest.mark.parametrize("second", [[0.5] * 12, [0.0, 1.0] * 6, [*NEAR[:-1], 1e3]])
def test_measured_separately_or_not_the_same_is_odd(second):
    both, each = remarks(whole(second)), remarks(apart(second))
    assert len(both) == len(each) == 1
    assert both[0].sentence.replace("d0n11", "d0o1n11") == each[0].sentence
    assert tuple(one.replace("n", "o1n") for one in both[0].evaluations) == each[0].evaluations


def test_only_of_the_designs_that_are_chosen():
    odd = apart([*NEAR[:-1], 1e3])
    assert remarks(odd, np.array([False, True])) == ()
    assert len(remarks(odd, np.array([True, False]))) == 1
