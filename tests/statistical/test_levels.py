"""Answers with levels are right as often as promised: some cells of `benchmarks.levels`, with fewer runs.

Null hypothesis of a cell: an answer is wrong with probability at most 0.1. Sequential tests with fixed seeds at level
1e-4 (power against a rate of 0.5: 0.99). The control of a cell, with its radii divided by 8, is rejected by the same
test.
"""

from __future__ import annotations

import pytest
from shared.binomial import rejected

from benchmarks import feasibility, levels

LEVEL = 1e-4
CHECKED = ("on the level, contain", "twins on the level", "the only dominator is infeasible, contain")
CELLS = [cell for cell in levels.CELLS if cell.name in CHECKED]


@pytest.mark.parametrize("cell", CELLS, ids=[cell.name for cell in CELLS])
def test_an_answer_with_levels_is_right(cell):
    assert not rejected(cell.judge(), levels.DELTA, LEVEL)


@pytest.mark.parametrize("cell", CELLS, ids=[cell.name for cell in CELLS])
def test_its_control_is_noticed(cell):
    assert rejected(cell.judge(1 / cell.shrunk), levels.DELTA, LEVEL)


def test_one_stage_asks_for_fewer_evaluations_than_two():
    """Where designs crowd the level."""
    instance = feasibility.crowded_instance(1)
    (ours, right), (first, _) = feasibility.one_stage(instance, 1), feasibility.feasibility_first(instance, 1)
    assert right
    assert 2 * ours < first
