"""Measured against printed: intervals of rates and means, exact numbers to the last digit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

from conewise.experiments import compare


@pytest.mark.parametrize("successes", [0, 3, 290, 770, 998, 1000])
def test_the_interval_of_a_rate_by_brute_force(successes):
    """The counts of 100 inside the central binomial interval for some rate in our Clopper-Pearson interval."""
    tail = (1 - compare.LEVEL) / 2
    low = beta.ppf(tail, successes, 1001 - successes) if successes else 0.0
    high = beta.ppf(1 - tail, successes + 1, 1000 - successes) if successes < 1000 else 1.0
    counts, rates = np.arange(101), np.linspace(low, high, 400)[:, None]
    central = (binom.cdf(counts, 100, rates) >= tail) & (binom.sf(counts - 1, 100, rates) >= tail)
    admitted = set(np.flatnonzero(central.any(axis=0)).tolist())
    for count in range(101):
        cell = compare.rate_cell("Table 2", "row", "SR", count, 100, successes, 1000)
        assert cell.inside == (count in admitted), count
    assert cell.ours == successes / 10


@pytest.mark.parametrize(("rate", "level"), [(0.02, 1e-6), (0.5, 1e-6), (0.97, 1e-6)])
def test_a_true_rate_is_almost_always_called_inside(rate, level):
    """Both counts drawn from one rate: outside less often than 1 - LEVEL, by an exact binomial test of 4000 pairs."""
    rng = np.random.default_rng(9)
    ours, theirs = rng.binomial(1000, rate, 4000), rng.binomial(100, rate, 4000)
    cells = {
        pair: compare.rate_cell("", "", "", pair[1], 100, pair[0], 1000)
        for pair in set(zip(ours.tolist(), theirs.tolist(), strict=True))
    }
    outside = sum(not cells[pair].inside for pair in zip(ours.tolist(), theirs.tolist(), strict=True))
    assert outside <= binom.isf(level, 4000, 1 - compare.LEVEL)


def test_a_rate_that_is_far_off_is_outside():
    assert not compare.rate_cell("", "", "", 5, 100, 290, 1000).inside  # what standardised data would give
    assert not compare.rate_cell("", "", "", 100, 100, 770, 1000).inside


def test_the_interval_of_a_mean():
    """The spread of the runs, or that of events which come singly where this is larger; one event; the rounding."""

    def reach(variance: float) -> float:
        return 3.2905 * np.sqrt(variance * (1 / 100 + 1 / 1000)) + 1 / 100 + 0.005

    wide = compare.mean_cell("", "", "", 1.0, 100, 1.2, 3.0, 1000, one_event=1.0, digits=2)
    assert (wide.low, wide.high) == pytest.approx((1.2 - reach(9.0), 1.2 + reach(9.0)))
    single = compare.mean_cell("", "", "", 1.0, 100, 1.2, 0.5, 1000, one_event=1.0, digits=2)
    events = reach((100 * 1.0 + 1000 * 1.2) / 1100)
    assert (single.low, single.high) == pytest.approx((1.2 - events, 1.2 + events))
    assert single.inside
    assert single.difference == pytest.approx(0.2)
    assert not compare.mean_cell("", "", "", 2.0, 100, 1.2, 0.5, 1000, one_event=1.0, digits=2).inside
    # where we saw no event, one event in the paper's hundred runs is still inside, but ten are not
    assert compare.mean_cell("", "", "", 0.01, 100, 0.0, 0.0, 1000, one_event=1.0, digits=2).inside
    assert not compare.mean_cell("", "", "", 0.10, 100, 0.0, 0.0, 1000, one_event=1.0, digits=2).inside


@pytest.mark.parametrize("rate", [0.002, 0.02, 0.5])
def test_a_true_mean_is_almost_always_called_inside(rate):
    """Both means of Poisson counts of one rate: outside less often than 1 - LEVEL, exact binomial at level 1e-6."""
    rng = np.random.default_rng(10)
    outside = 0
    for _ in range(2000):
        ours, theirs = rng.poisson(rate, 1000), rng.poisson(rate, 100)
        cell = compare.mean_cell(
            "", "", "", round(theirs.mean(), 2), 100, ours.mean(), ours.std(ddof=1), 1000, one_event=1.0, digits=2
        )
        outside += not cell.inside
    assert outside <= binom.isf(1e-6, 2000, 1 - compare.LEVEL)


def test_an_exact_number_agrees_to_the_last_printed_digit():
    assert compare.exact_cell("", "", "", 0.666, 0.66649, 3).inside
    assert not compare.exact_cell("", "", "", 0.666, 0.66651, 3).inside
