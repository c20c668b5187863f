"""Data that are easily misread lead to wrong answers no more often than promised; the cells of benchmarks/MISLED.md.

Null hypothesis of a cell: its answers are wrong with probability at most its delta. Sequential tests with fixed seeds
at level 1e-4 (power against a rate of 0.5: 0.99). A test with that power against 0.2 rejects each negative control.
"""

from __future__ import annotations

import pytest
from shared.binomial import rejected

from benchmarks import misled

LEVEL = 1e-4
EACH = pytest.mark.parametrize("cell", misled.CELLS, ids=[cell.name for cell in misled.CELLS])


@EACH
def test_answers_are_wrong_no_more_often_than_promised(cell):
    assert not rejected(cell.judge(control=False), cell.delta, LEVEL)


@EACH
def test_its_control_is_noticed(cell):
    assert rejected(cell.judge(control=True), cell.delta, LEVEL, against=0.2)


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_bounded_objectives_measured_separately_spend_delta_and_no_more(dim):
    assert 0.99 < misled.spent(dim) < 1 + 1e-9
