"""Beyond the paper: angles, three objectives, and budgets against what they promise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

import conewise as cw
from conewise.experiments import beyond


def test_the_angle_moves_beta_the_budgets_and_the_front():
    rows = beyond.angles(runs=5, seed=0)
    assert [row.cone for row in rows] == [f"planar:{angle}" for angle in range(10, 180, 10)]
    expected = [1 / np.sin(np.radians(angle)) if angle < 90 else 1.0 for angle in range(10, 180, 10)]
    np.testing.assert_allclose([row.beta for row in rows], expected)
    for earlier, later in pairwise(rows):
        assert later.pareto <= earlier.pareto
        assert later.paper_budget <= earlier.paper_budget
        assert later.gaussian_budget <= earlier.gaussian_budget < earlier.paper_budget
    assert rows[8].pareto == 26  # 90 degrees, Table 1 of the paper: 206 less 180


def test_three_objectives_from_narrow_to_wide():
    rows = beyond.three_objectives(runs=3, seed=0)
    assert len(rows) == 7
    assert all(0 <= row.successes <= row.runs == 3 for row in rows)
    assert rows[0].beta > 1


def test_budgets_are_measured_against_the_delta_they_promise():
    rows = beyond.conservatism(runs=300, seed=0)
    assert len(rows) == 2 * len(beyond.small_instances())
    assert {row.bound for row in rows} == {"paper", "gaussian"}
    for row in rows:
        assert row.failures <= binom.isf(1e-6, 300, row.delta)
    for _, means, cone in beyond.small_instances():
        gaps = cw.suboptimality_gaps(means, cone)
        assert gaps[gaps > 0].min() == pytest.approx(1.001 * beyond.EPSILON)
