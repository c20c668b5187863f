"""Claims from numbers of pairs: passes, levels, and the smallest epsilon at which nothing is open."""

from __future__ import annotations

import numpy as np
import pytest
from conewise.certificate.blocks.claims import Numbers, certified, judged
from conewise.certificate.requirements import Bounds

FAR = np.full((3, 3), np.inf)


def numbers(beats=(), fine=(), covers=(), bounds=None):
    """Of three designs: pairs (i, j) in which j beats i; pairs with the epsilon from which i is fine, or is covered."""
    found = np.zeros((3, 3), dtype=bool), np.where(np.eye(3, dtype=bool), -np.inf, FAR), FAR.copy()
    for i, j in beats:
        found[0][i, j] = True
    for part, given in zip(found[1:], (fine, covers), strict=True):
        for i, j, epsilon in given:
            part[i, j] = epsilon
    return Numbers(*found, bounds)


def bounds(lower, upper, upward=True, spared=False):
    return Bounds(np.array(lower)[:, None], np.array(upper)[:, None], upward, spared)


def test_whoever_is_beaten_is_no_rival_any_more():
    claims = judged(numbers(beats=[(1, 0)], fine=[(0, 2, 0.1), (2, 0, 0.3)]), 0.2, "contain")
    assert claims.beaten.tolist() == [False, True, False]
    assert claims.by[1] == 0
    assert claims.accepted.tolist() == [True, False, False]
    assert claims.undecided.tolist() == [False, False, True]


def test_data_that_contradict_themselves_strike_nobody():
    claims = judged(numbers(beats=[(0, 1), (1, 2), (2, 0)]), 0.1, "contain")
    assert not claims.beaten.any()


@pytest.mark.parametrize(("success", "epsilon"), [("cover", 0.25), ("contain", 0.4)])
def test_the_certified_epsilon_is_where_the_last_one_is_decided(success, epsilon):
    fine = [(0, 1, 0.1), (0, 2, 0.2), (1, 0, 0.4), (1, 2, 0.3), (2, 0, 0.1), (2, 1, 0.1)]
    given = numbers(fine=fine, covers=[(1, 0, 0.25)])
    found = certified(given, success)
    assert found.epsilon == epsilon
    assert (found.returned == judged(given, epsilon, success).accepted).all()
    assert judged(given, epsilon, success).done
    assert not judged(given, np.nextafter(epsilon, 0), success).done
    assert certified(numbers(), success) is None


def test_whoever_misses_a_level_is_out_and_no_rival():
    known = bounds([0.5, -9.0, -0.1], [9.0, -0.2, 9.0])
    given = numbers(beats=[(0, 1)], fine=[(0, 2, -0.1), (2, 0, 0.05)], bounds=known)
    claims = judged(given, 0.1, "contain")
    assert claims.misses.tolist() == claims.out.tolist() == [False, True, False]
    assert claims.accepted.tolist() == [True, False, True]
    assert claims.accept_at.tolist() == [-0.1, np.inf, 0.1]  # the level of the last one is met within 0.1
    assert certified(given, "contain").epsilon == 0.1


def test_where_a_cone_trades_a_level_away_only_who_meets_it_strikes():
    for lower, beaten in ((0.0, True), (-0.01, False)):
        known = bounds([lower, 1.0, 1.0], [2.0, 2.0, 2.0], upward=False)
        claims = judged(numbers(beats=[(1, 0)], fine=[(0, 2, -0.1), (2, 0, -0.1)], bounds=known), 0.0, "cover")
        assert bool(claims.beaten[1]) is beaten


def test_a_rival_without_more_than_epsilon_to_spare_does_not_count():
    known = bounds([1.0, -9.0, 1.0], [2.0, 0.05, 2.0], upward=False, spared=True)
    claims = judged(numbers(fine=[(0, 2, -0.1), (2, 0, -0.1), (2, 1, -0.1)], bounds=known), 0.1, "contain")
    assert claims.accepted[0]
    assert not judged(numbers(fine=[(0, 2, -0.1)], bounds=known), 0.04, "contain").accepted[0]


def test_nobody_may_be_left():
    claims = judged(numbers(bounds=bounds([-9.0] * 3, [-1.0] * 3)), 0.1, "cover")
    assert claims.done
    assert certified(numbers(bounds=bounds([-9.0] * 3, [-1.0] * 3)), "cover").epsilon == 0.0
