"""A flaky design is called worse or better with a guarantee only if somebody stated noise which it does not have."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from benchmarks.misled_noise import CELLS, DELTA, wrong_runs
from conewise.noise import GaussianUnknown

LEVEL = 1e-6


@pytest.mark.parametrize(("name", "runs"), [("blocks", 60), ("rows", 60), ("adaptive runs", 30)])
def test_nothing_is_guaranteed_of_noise_that_was_not_stated(name, runs):
    assert wrong_runs(CELLS[name], runs) == 0
    control = wrong_runs(CELLS[name], runs, GaussianUnknown())  # stated, and false: the test would see it
    assert binom.sf(control - 1, runs, DELTA) < LEVEL
