"""The test that all cells of this folder are put to: its level, its power, and when it ends."""

from __future__ import annotations

from itertools import count, product

import numpy as np
import pytest
from scipy.stats import binom
from shared.binomial import MISSED, admitted, power, rejected

LEVELS = [(0.05, 1e-4, 0.5), (0.1, 1e-4, 0.5), (0.1, 1e-3, 0.5), (0.1, 1e-3, 0.8), (0.2, 1e-4, 0.5)]


@pytest.mark.parametrize(("delta", "level", "against"), LEVELS)
def test_the_level_and_the_power_are_those_that_are_stated(delta, level, against):
    for rate in np.linspace(0, delta, 6)[1:]:
        assert power(rate, delta, level, against) <= level
    assert power(against, delta, level, against) >= 1 - MISSED


@pytest.mark.parametrize(
    ("delta", "level", "runs"), [(0.05, 1e-4, 30), (0.1, 1e-4, 40), (0.1, 1e-4, 30), (0.1, 1e-3, 25), (0.2, 1e-4, 60)]
)
def test_it_finds_what_a_test_with_many_more_runs_finds(delta, level, runs):
    """Every rate from 0.3 on, but for the last per cent where both find nearly all."""
    for rate in np.arange(0.3, 1, 0.1):
        assert power(rate, delta, level) >= min(0.99, binom.sf(admitted(runs, delta, level), runs, rate))


def test_the_power_is_that_of_all_sequences():
    """Of up to twelve runs, each sequence put to the test itself; what needs more is left open on both sides."""
    delta, level, rate, runs = 0.3, 0.05, 0.6, 12
    found = 0.0
    for sequence in product([False, True], repeat=runs):
        made = []

        def fails(run, sequence=sequence, made=made):
            made.append(run)
            if run >= runs:
                raise EOFError
            return sequence[run]

        try:
            verdict = rejected(fails, delta, level)
        except EOFError:
            continue
        found += verdict * rate ** sum(sequence) * (1 - rate) ** (runs - sum(sequence))
    assert found == pytest.approx(power(rate, delta, level, runs=runs))


@pytest.mark.parametrize(("failing", "runs", "expected"), [(False, 8, False), (True, 6, True)])
def test_it_ends_as_soon_as_the_verdict_is_clear(failing, runs, expected):
    numbers = count()

    def fails(run):
        assert run == next(numbers)
        return failing

    assert rejected(fails, 0.1, 1e-4) is expected
    assert next(numbers) == runs


@pytest.mark.parametrize(("failures", "expected"), [(6, False), (11, False), (12, True), (40, True)])
def test_the_test_of_a_fixed_number_of_runs_is_the_binomial_one(failures, expected):
    """Of 40 runs at delta = 0.1 four failures are expected; P(X >= 12) = 0.0004, P(X >= 11) = 0.0015."""
    assert (failures > admitted(40, 0.1, 1e-3)) is expected
