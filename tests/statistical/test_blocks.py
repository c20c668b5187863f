"""Blocks: every kind of noise and population keeps delta, and a control with smaller radii does not.

The cells of benchmarks/blocks.py with fewer runs. Null hypothesis of a cell: at most a share delta of the answers is
wrong at the epsilon stated for it. Sequential tests with fixed seeds at level 1e-4 (power against a rate of 0.5: 0.99).
"""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

from benchmarks import blocks

LEVEL = 1e-4


@pytest.mark.parametrize("population", blocks.POPULATIONS)
@pytest.mark.parametrize("kind", blocks.KINDS)
def test_delta_is_kept(kind, population):
    assert not rejected(blocks.judge(kind, population, 1.0), blocks.DELTA, LEVEL)


@pytest.mark.parametrize("kind", blocks.KINDS)
def test_the_test_has_power(kind):
    assert rejected(blocks.judge(kind, blocks.POPULATIONS[1], 1 / blocks.CONTROL), blocks.DELTA, LEVEL)


@pytest.mark.parametrize(("epsilon", "most"), [(0.1, 0.35), (0.02, 0.6)])
def test_correlated_answers_need_a_part_of_the_calls(epsilon, most):
    values = blocks.matrix((40, 500, 2), np.random.default_rng([blocks.SEED, 40, 500, 2, 0]))
    share, right = blocks.calls(values, epsilon, seed=0)
    assert right
    assert share <= most
    assert blocks.unpaired_undecided(values, epsilon) > 0
