"""Blocks: every kind of noise and population keeps delta, and a control with smaller radii does not.

The cells of benchmarks/blocks.py with fewer runs. Null hypothesis of a cell: at most a share delta of the answers is
wrong at the epsilon stated for it. Exact binomial tests with fixed seeds at the level given there.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import blocks

RUNS, POWER = 40, 60


@pytest.mark.parametrize("population", blocks.POPULATIONS)
@pytest.mark.parametrize("kind", blocks.KINDS)
def test_delta_is_kept(kind, population):
    assert blocks.cell(kind, population, RUNS, control=False).kept


@pytest.mark.parametrize("kind", blocks.KINDS)
def test_the_test_has_power(kind):
    assert blocks.cell(kind, blocks.POPULATIONS[1], POWER).rejected


@pytest.mark.parametrize(("epsilon", "most"), [(0.1, 0.35), (0.02, 0.6)])
def test_correlated_answers_need_a_part_of_the_calls(epsilon, most):
    values = blocks.matrix((40, 500, 2), np.random.default_rng([blocks.SEED, 40, 500, 2, 0]))
    share, right = blocks.calls(values, epsilon, seed=0)
    assert right
    assert share <= most
    assert blocks.unpaired_undecided(values, epsilon) > 0
