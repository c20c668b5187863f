"""What a certificate refuses, and which designs it compares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.certificates import certificate

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.streams import Separately, by_objective
from conewise.data.observations import Observations, Statistics
from conewise.noise import Gaussian

QUESTION = cw.Question(cw.Cone.orthant(2), 0.5, 0.1, Gaussian(0.5))
LEVEL = cw.Question(cw.Cone.orthant(2), 0.5, 0.1, Gaussian(0.5), objectives=[cw.Objective("a", level=1.0), "b"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_designs": 1}, "n_designs"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"notion": "approximately"}, "cover"),
        ({"epsilon": 0.0}, "contain"),
        ({"noise": Gaussian([1, 1, 1])}, "3 objectives"),
        ({"noise": Gaussian(np.ones((3, 2)))}, "3 designs"),
    ],
)
def test_bad_configurations_are_refused_with_a_reason(wrong, words):
    with pytest.raises(cw.InputError, match=words):
        certificate(**wrong)


@pytest.mark.parametrize("sigma", [0, -1.0, math.nan])
def test_a_noise_level_of_zero_is_refused(sigma):
    with pytest.raises(cw.InputError, match="sigma must be above 0"):
        Gaussian(sigma)


@pytest.mark.parametrize("question", [QUESTION, LEVEL], ids=["plain", "levels"])
def test_a_sample_of_other_designs_than_were_announced_is_refused(question):
    """Whether or not levels are read off it first."""
    for sample, seen in [
        (Certificate(question, 3, once=True), Statistics.empty(4, 2)),
        (Certificate(question, 3, once=True), Statistics.empty(3, 1)),
        (Certificate(question, 3, once=True, apart=True), Separately.empty(2, 2)),
    ]:
        with pytest.raises(cw.InputError, match="3 and 2 were announced"):
            sample.claims(seen)


def test_whoever_misses_a_level_is_out_and_not_compared():
    designs, values = np.repeat([0, 1, 2], 200), np.repeat([[2.0, 2.0], [0.0, 9.0], [0.0, 0.0]], 200, axis=0)
    rows, apart = Statistics.empty(3, 2).add(Observations.single(designs, values)), Separately.empty(3, 2)
    parts = apart.add(by_objective(designs, values))
    for seen, checked in (
        (rows, Certificate(LEVEL, 3, once=True)),
        (parts, Certificate(LEVEL, 3, once=True, apart=True)),
    ):
        found = checked.claims(seen)
        assert found.misses.tolist() == [False, True, True]
        assert found.left.tolist() == found.pairs.designs.tolist() == [0]
        assert found.accepted.tolist() == [True, False, False]
