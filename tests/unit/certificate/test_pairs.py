"""The table of pairs: where two designs meet, what is known there, and what is kept, against loops over definitions."""

from __future__ import annotations

import numpy as np
import pytest
from conewise.certificate.boundaries import Meeting
from conewise.certificate.pairs import PairTable, places

import conewise as cw

LEVELS, DESIGNS, FACETS = 4, 6, 2
REACHED = np.array([3, 1, 0, 2, 3, -1])


@pytest.fixture
def table() -> PairTable:
    """Six designs, one of them without an observation; each has means at the levels up to its last."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(FACETS, LEVELS, DESIGNS))
    values[:, np.arange(LEVELS)[:, None] > REACHED] = np.nan
    variances = rng.uniform(0.5, 2.0, size=(FACETS, LEVELS, DESIGNS))
    return PairTable(np.arange(10, 10 + DESIGNS), REACHED, 0, 2.0 ** np.arange(LEVELS)[:, None], values, variances)


def test_two_designs_meet_at_the_highest_level_that_both_have_come_to(table):
    everyone = np.arange(DESIGNS)
    met = Meeting.of(table, everyone, everyone, FACETS)
    assert met.slacks is None
    for i in range(DESIGNS):
        for j in range(DESIGNS):
            level = min(REACHED[i], REACHED[j])
            if level < 0:
                assert np.isnan(met.gains[:, i, j]).all()
                continue
            assert met.level[i, j] == level
            mine, theirs = (level, i), (level, j)
            for n in range(FACETS):
                assert met.gains[n, i, j] == table.values[n][theirs] - table.values[n][mine]
                spread = np.sqrt(table.variances[n][theirs] + table.variances[n][mine])
                assert met.spreads[n, i, j] == pytest.approx(spread, rel=1e-15)


def test_one_variance_for_all_designs_is_that_of_each(table):
    alike = np.ones((1, 1, DESIGNS)) * table.variances[:, :, :1]
    whole, short = (
        PairTable(table.designs, table.reached, 0, table.counts, table.values, v) for v in (alike, alike[:, :, :1])
    )
    rows, columns = np.arange(3), np.arange(DESIGNS)
    first, second = (Meeting.of(one, rows, columns, FACETS) for one in (whole, short))
    met = ~np.isnan(first.gains[0])
    np.testing.assert_array_equal(first.gains, second.gains)
    np.testing.assert_allclose(first.spreads[:, met], second.spreads[:, met], rtol=1e-15)


def test_a_table_without_some_designs_says_the_same_of_the_others(table):
    which = np.array([True, False, True, True, True, False])
    kept, left = table.keep(which), np.flatnonzero(which)
    assert kept.designs.tolist() == table.designs[left].tolist()
    whole = Meeting.of(table, left, left, FACETS)
    part = Meeting.of(kept, np.arange(4), np.arange(4), FACETS)
    np.testing.assert_array_equal(part.gains, whole.gains)
    np.testing.assert_array_equal(part.spreads, whole.spreads)


def test_strong_designs_are_on_the_front_of_their_last_means(table):
    seen = np.flatnonzero(REACHED >= 0)
    last = table.values[:, REACHED[seen], seen].T
    front = seen[cw.pareto_mask(last, cw.Cone.orthant(2))]
    strong = table.strong(DESIGNS)
    assert sorted(strong.tolist()) == sorted(front.tolist())
    assert table.strong(1).tolist() == strong[:1].tolist()


def test_whoever_has_new_means_has_moved(table):
    values = table.values.copy()
    values[0, 1, 3] += 1.0
    moved = PairTable(table.designs, table.reached, 0, table.counts, values, table.variances)
    assert moved.unmoved(table).tolist() == [10, 11, 12, 14, 15]


def test_places_of_wanted_designs_among_ascending_ones():
    here, there = places(np.array([2, 5, 9]), np.array([9, 3, 2, 11]))
    assert here.tolist() == [0, 2]
    assert there.tolist() == [2, 0]
    assert [part.tolist() for part in places(np.arange(0), np.array([1]))] == [[], []]
