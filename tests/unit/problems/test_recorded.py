"""Recorded blocks: one random order, prefixes of it, what is assumed, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Pulls
from conewise.errors import InputError
from conewise.noise import Bounded, GaussianUnknown
from conewise.problems import Recorded

NUMBERED = np.arange(12.0).reshape(2, 6, 1)  # every value names its design and block


def test_designs_read_prefixes_of_one_order():
    reading = Recorded(NUMBERED).reading(rng=3)
    first = reading.evaluate(Pulls([0, 1], [2, 4]), rng=0)
    second = reading.evaluate(Pulls([0], [4]), rng=0)
    zero = np.concatenate([first.means[first.designs == 0], second.means]).ravel()
    one = first.means[first.designs == 1].ravel()
    assert sorted(zero) == list(range(6))
    assert (one - 6 == zero[:4]).all()  # the same blocks in the same order


def test_the_order_is_drawn_from_the_seed():
    orders = {tuple(Recorded(NUMBERED).reading(rng=seed).order.tolist()) for seed in range(20)}
    assert len(orders) > 15
    assert (Recorded(NUMBERED).reading(4).order == Recorded(NUMBERED).reading(4).order).all()


def test_a_design_named_twice_in_one_batch_reads_on():
    got = Recorded(NUMBERED).reading(rng=0).evaluate(Pulls([0, 1, 0], [2, 1, 3]), rng=0)
    assert len(set(got.means[got.designs == 0].ravel())) == 5


def test_more_blocks_than_there_are_are_refused():
    with pytest.raises(InputError, match="7 blocks of design 1 are asked for, but 6 were recorded"):
        Recorded(NUMBERED).reading(rng=0).evaluate(Pulls([1], [7]), rng=0)


@pytest.mark.parametrize(
    ("population", "counted"), [(True, 6), (False, None), (6, 6), (np.int64(100), 100), (np.bool_(True), 6)]
)
def test_what_averages_are_over(population, counted):
    assert Recorded(NUMBERED, population).population == counted


def test_what_is_assumed_of_the_values():
    zeros_and_ones = Recorded((NUMBERED % 2 == 0).astype(float), False).assumption
    assert isinstance(zeros_and_ones, Bounded)
    assert (zeros_and_ones.low, zeros_and_ones.high) == (0, 1)
    whole = Recorded(NUMBERED).assumption
    assert isinstance(whole, Bounded)
    assert (whole.low.tolist(), whole.high.tolist()) == ([0.0], [11.0])
    assert repr(Recorded(NUMBERED, 100).assumption) == "GaussianUnknown(stated=False)"  # others may lie anywhere
    assert Recorded(NUMBERED, 100, noise=GaussianUnknown()).assumption.stated
    beside = np.concatenate([NUMBERED % 2, NUMBERED], axis=2)
    assert repr(Recorded(beside, False).assumption) == "ByObjective([Bounded(0.0, 1.0), GaussianUnknown(stated=False)])"
    assert Recorded(np.full((2, 3, 1), 5.0)).assumption.high.tolist() == [10.0]  # any range that holds the value


@pytest.mark.parametrize(
    ("values", "population", "words"),
    [
        (np.zeros((2, 3)), True, r"shape \(K, Q, D\)"),
        (np.zeros((2, 0, 1)), True, "none of them 0"),
        (np.where(NUMBERED == 7, np.nan, NUMBERED), True, "design 1 have no finite number on block 1"),
        ([[["a"]]], True, "real numbers"),
        (NUMBERED, 5, "at least the number of blocks seen, got 5 and 6"),
        (NUMBERED, "all", "True, False or a number of blocks"),
        (NUMBERED, 7.5, "True, False or a number of blocks"),
    ],
)
def test_what_is_refused(values, population, words):
    with pytest.raises(InputError, match=words):
        Recorded(values, population)


def test_other_rules_are_refused_on_shared_blocks():
    with pytest.raises(InputError, match="shared by the designs"):
        cw.identify(Recorded(NUMBERED), cw.Cone.orthant(1), epsilon=1, delta=0.1, algorithm="elimination", rng=0)
    with pytest.raises(InputError, match="paired has no option 'growth'"):
        cw.identify(Recorded(NUMBERED), cw.Cone.orthant(1), epsilon=1, delta=0.1, growth=2, rng=0)
    with pytest.raises(InputError, match="bounded observations"):
        cw.identify(Recorded(NUMBERED), cw.Cone.orthant(1), epsilon=1, delta=0.1, noise=cw.noise.SubGaussian(1), rng=0)
