"""Bets on paired differences: against a slow twin, monotone in m, and fair at the true mean to the last order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from conewise.certificate.blocks.wagers import LIMIT, Wagers, lower_bounds, stakes_for


def wealth(differences, thresholds, stakes, population):
    """The wealth of one pair and one facet, as fast code has it."""
    z = np.asarray(differences, dtype=float)[None, :, None]
    m = np.asarray(thresholds, dtype=float)[None, None, :]
    fresh = Wagers.fresh(1, 1, m.shape[2], len(stakes))
    return np.exp(fresh.after(z, m, np.asarray(stakes), population).wealth[0, 0])


def twin(differences, m, stakes, population):
    """The definition, factor by factor."""
    total = 0.0
    for s in stakes:
        product, seen = 1.0, []
        for z in differences:
            if np.isnan(z):
                continue
            e = m if population is None else (population * m - sum(seen)) / (population - len(seen))
            product *= 1 + (min(s, LIMIT / (1 + e)) if e > -1 else s) * (z - e)
            seen.append(z)
        if population is not None and population * m - sum(seen) < -(population - len(seen)) - 1e-9 * population:
            product = np.inf
        total += product
    return total / len(stakes)


@pytest.mark.parametrize("population", [None, 25, 60])
@pytest.mark.parametrize("seed", range(8))
def test_fast_is_slow(seed, population):
    rng = np.random.default_rng(seed)
    z = rng.choice([-1.0, 0.0, 1.0, 0.3], size=20, p=[0.2, 0.3, 0.3, 0.2])
    z[rng.random(20) < 0.2] = np.nan
    grid = np.linspace(-0.9, 0.9, 7)
    stakes = [0.8, 0.4, 0.2]
    expected = [twin(z, m, stakes, population) for m in grid]
    assert wealth(z, grid, stakes, population) == pytest.approx(expected, rel=1e-9)


def test_in_two_parts_is_at_once():
    rng = np.random.default_rng(0)
    z = rng.uniform(-1, 1, size=(5, 40, 2))
    m, stakes = np.zeros((1, 2, 1)), stakes_for(800)
    fresh = Wagers.fresh(5, 2, 1, 3)
    once = fresh.after(z, m, stakes, 50)
    twice = fresh.after(z[:, :17], m, stakes, 50).after(z[:, 17:], m, stakes, 50)
    assert twice.wealth == pytest.approx(once.wealth, rel=1e-12)
    assert (twice.seen == 40).all()


@pytest.mark.parametrize("population", [None, 30])
def test_wealth_falls_as_m_rises(population):
    rng = np.random.default_rng(1)
    for _ in range(20):
        z = rng.choice([-1.0, -0.2, 0.0, 0.5, 1.0], size=25)
        found = wealth(z, np.linspace(-1, 1, 81), [0.8, 0.4], population)
        with np.errstate(invalid="ignore"):
            assert not (np.diff(found) > 1e-12 * np.maximum(found[:-1], 1)).any()


@pytest.mark.parametrize("blocks", [[-1, 0, 0, 1, 1], [0.5, 0.5, -1, 0.2, 0.9], [1, 1, 1, 1, 0]])
def test_the_average_over_all_orders_is_one_at_the_true_mean(blocks):
    """A martingale by enumeration: every prefix of every order of five blocks."""
    orders = np.array(list(permutations(blocks)), dtype=float)
    m = np.full((len(orders), 1, 1), np.mean(blocks))
    for prefix in range(1, 6):
        fresh = Wagers.fresh(len(orders), 1, 1, 2)
        found = fresh.after(orders[:, :prefix, None], m, np.array([0.8, 0.4]), 5).wealth
        assert np.exp(found).mean() == pytest.approx(1.0, rel=1e-9)


def test_what_cannot_be_is_certain():
    """Three of four seen, all 1: the mean is at least 1/2 whatever the last is, so every m below is won."""
    found = wealth([1, 1, 1], [0.49, 0.51], [0.8], 4)
    assert np.isinf(found[0])
    assert np.isfinite(found[1])


def test_bounds_are_found_from_below():
    rng = np.random.default_rng(2)
    z = rng.choice([-1.0, 0.0, 1.0], size=(6, 60, 1), p=[0.1, 0.3, 0.6])
    stakes, levels = stakes_for(200), np.array([np.log(20.0), np.log(2000.0)])
    found = lower_bounds(z, levels, stakes, 200)
    assert (found[..., 0] >= found[..., 1]).all()
    for pair in range(6):
        for a, level in enumerate(levels):
            bound = found[pair, 0, a]
            assert twin(z[pair, :, 0], bound, stakes, 200) >= np.exp(level) * (1 - 1e-9) or bound == -1
            assert twin(z[pair, :, 0], bound + 0.01, stakes, 200) < np.exp(level)


@pytest.mark.parametrize(("seen", "mean", "population"), [([1.0, 1.0, -1.0], 0.0, 4), ([-1.0], -1.0, None)])
def test_a_mean_may_be_just_what_is_certain(seen, mean, population):
    """Of four, 1, 1 and -1 are seen: were the last -1, the mean would be 0."""
    found = lower_bounds(np.array(seen)[None, :, None], np.array([np.log(1e6)]), np.array([0.8]), population)
    assert found == mean


def test_stakes_reach_down_to_what_the_blocks_can_show():
    assert stakes_for(5).tolist() == [0.8]
    assert len(stakes_for(100_000)) > len(stakes_for(1000))
