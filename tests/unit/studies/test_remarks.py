"""What is odd about values, whole evaluations and single objectives alike."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.goals import Question
from conewise.noise import Gaussian, GaussianUnknown
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


def test_spreads_that_differ_are_said_once_every_design_has_every_objective():
    asked = Question(cw.Cone.orthant(2), 0.1, 0.05, Gaussian(1.0), "cover", ASKED.columns.each)
    streams, values = np.arange(4), np.array([[0.0], [0.0], [1.0], [1000.0]])
    told = Values(streams, np.zeros(4, dtype=np.int64), values, ("x", "y"), asked, True)
    assert ["spread" in remark.sentence for remark in remarks(told, compared=[0, 1])] == [True]
    less = Values(streams[:3], np.zeros(3, dtype=np.int64), values[:3], ("x", "y"), asked, True)
    assert remarks(less, compared=[0, 1]) == ()
