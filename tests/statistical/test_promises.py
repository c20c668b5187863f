"""What is said around an answer holds as often as promised; the cells of docs/validation-promises, with fewer runs.

Null hypothesis of a cell: it is broken with probability at most its delta. Sequential tests with fixed seeds at level
1e-4 (power against a rate of 0.5: 0.99). Each control, which does what must not be done, is rejected by the same test.
"""

from __future__ import annotations

import pytest
from shared.binomial import rejected

from benchmarks import promises

LEVEL = 1e-4


@pytest.mark.parametrize("place", range(len(promises.CELLS)), ids=[cell.name for cell in promises.CELLS])
def test_a_promise_is_kept(place):
    assert not rejected(promises.judge(place, control=False), promises.CELLS[place].delta, LEVEL)


@pytest.mark.parametrize(
    "place",
    [place for place, cell in enumerate(promises.CELLS) if cell.control is not None],
    ids=[cell.name for cell in promises.CELLS if cell.control is not None],
)
def test_its_control_is_noticed(place):
    assert rejected(promises.judge(place, control=True), promises.CELLS[place].delta, LEVEL)
