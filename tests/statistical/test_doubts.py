"""One probability for both kinds of doubt, put to the test: who stops at a doubt of DELTA is wrong that often at most.

Values and weightings are drawn from their priors, answers are wrong one time in ten. Null: wrong with probability at
most 0.1, by Wald's sequential test at level 1e-3 with power 0.99 against a rate of one half.
"""

from __future__ import annotations

import pytest
from shared.binomial import rejected

from benchmarks import asking
from conewise import doubts

LEVEL = 1e-3


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    monkeypatch.setattr(doubts, "DRAWS", 96)


def test_who_stops_when_the_doubt_is_small_is_seldom_wrong():
    def fails(seed: int) -> bool:
        run = asking.made(10**6 + seed, 0.5, n_designs=5)
        assert run.finished
        return run.wrong

    assert not rejected(fails, asking.DELTA, LEVEL)
