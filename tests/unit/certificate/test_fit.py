"""Observations that the assumed noise rules out are refused in one sentence, and those that fit are not."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.certificate.fit import Limits, check_exact, check_fit, needs_scatters
from conewise.data.observations import Observations, Statistics
from conewise.errors import InputError
from conewise.noise import Bounded, Gaussian, GaussianUnknown


@pytest.mark.parametrize(
    ("noise", "expected"), [(Gaussian(1.0), False), (GaussianUnknown(), True), (Bounded(0, 1), True)], ids=repr
)
def test_scatters_are_needed_where_noise_is_estimated(noise, expected):
    assert needs_scatters(noise) is expected


def test_limits_are_those_of_the_range():
    assert Limits.of(Gaussian(1.0), 2) is None
    limits = Limits.of(Bounded([0, -1], [1, 4]), 2)
    seen = Observations.single([0, 1, 2], [[0.5, 4.0], [1.1, 0.0], [0.0, -1.5]])
    assert limits.misfits(seen).tolist() == [[False, False], [True, False], [False, True]]


def test_what_fits_passes():
    check_fit(Observations([0], [[9.0, 9.0]], [50]), Gaussian(1.0))
    check_fit(Observations.single([0, 1], [[0.0, 1.0], [0.5, 0.2]]), Bounded(0, 1))
    check_fit(Observations([0], [[0.5, 0.5]], [4], [np.eye(2)]), GaussianUnknown())


@pytest.mark.parametrize(
    ("observations", "noise", "words"),
    [
        (Observations([0], [[0.5, 0.5]], [4]), GaussianUnknown(), "sums up several evaluations without their scatter"),
        (Observations.single([0], [[0.5, 1.5]]), Bounded(0, 1), "1.5 came, outside of 0 to 1"),
    ],
)
def test_what_does_not_fit_is_one_sentence(observations, noise, words):
    with pytest.raises(InputError, match=words) as caught:
        check_fit(observations, noise)
    assert "\n" not in str(caught.value)


def test_noise_that_admits_no_exact_objective_asks_for_no_statistics():
    def never() -> Statistics:
        raise AssertionError

    check_exact(Observations.single([0], [[1.0, 2.0]]), Gaussian(1.0), never)
