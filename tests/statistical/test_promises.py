"""What is said around an answer holds as often as promised; the cells of docs/validation-promises, with fewer runs.

Null hypothesis of a cell: it is broken with probability at most its delta. Exact binomial tests with fixed seeds at
level 1e-4, without the runs that cannot change the verdict; at delta = 0.05 they reject from 8 of 30 failures on, at
0.1 from 11 on (power against a rate of 0.5: 0.997 and 0.95). Each control, which does what must not be done, is
rejected by the same test.
"""

from __future__ import annotations

import pytest
from shared.binomial import rejected

from benchmarks import promises

RUNS, LEVEL = 30, 1e-4


@pytest.mark.parametrize("place", range(len(promises.CELLS)), ids=[cell.name for cell in promises.CELLS])
def test_a_promise_is_kept(place):
    assert not rejected(promises.judge(place, control=False), RUNS, promises.CELLS[place].delta, LEVEL)


@pytest.mark.parametrize(
    "place",
    [place for place, cell in enumerate(promises.CELLS) if cell.control is not None],
    ids=[cell.name for cell in promises.CELLS if cell.control is not None],
)
def test_its_control_is_noticed(place):
    assert rejected(promises.judge(place, control=True), RUNS, promises.CELLS[place].delta, LEVEL)
