"""What is said around an answer holds as often as promised; the cells of docs/validation-promises, with fewer runs.

Null hypothesis of a cell: it is broken with probability at most its delta. Exact binomial tests with fixed seeds at
level 1e-6; each control, which does what must not be done, is rejected by the same test.
"""

from __future__ import annotations

import pytest

from benchmarks import promises

RUNS = 40


@pytest.mark.parametrize("place", range(len(promises.CELLS)), ids=[cell.name for cell in promises.CELLS])
def test_a_promise_is_kept(place):
    cell = promises.CELLS[place]
    assert promises.failures(place, False, RUNS) <= promises.allowed(RUNS, cell.delta)


@pytest.mark.parametrize(
    "place",
    [place for place, cell in enumerate(promises.CELLS) if cell.control is not None],
    ids=[cell.name for cell in promises.CELLS if cell.control is not None],
)
def test_its_control_is_noticed(place):
    cell = promises.CELLS[place]
    assert promises.failures(place, True, RUNS) > promises.allowed(RUNS, cell.delta)
