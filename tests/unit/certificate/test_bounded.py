"""Bounded observations watched at all levels: the supermartingale, the radius made of it, and the squares it needs.

Exact where two-point laws can be enumerated, and held against an obvious twin; long runs are in
tests/statistical/test_unknown_noise.py.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

import conewise as cw
from conewise.certificate.bounded import (
    CURVE,
    LARGEST_ODDS,
    LARGEST_SQUARES,
    AnytimeBernstein,
    largest_squares,
    log_mixture,
)
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels
from conewise.data.observations import Observations
from conewise.noise import Bounded

LEVEL = 1e-6
LINE, ORTHANT = cw.Cone.orthant(1), cw.Cone.orthant(2)


def made(delta=0.1, n_designs=2, cone=LINE, noise=None) -> AnytimeBernstein:
    return AnytimeBernstein(cone.facets, Bounded(0, 1) if noise is None else noise, n_designs, delta)


def schedule(most: float) -> Levels:
    return made().schedule(most, 0.0)


# -- one observation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [0.01, 0.3, 0.9, LARGEST_ODDS / (1 + LARGEST_ODDS)])
def test_one_step_has_mean_one_at_most_for_every_two_point_law_and_every_centre(x):
    """Any law on an interval is a mixture of two-point laws of the same mean, so these are enough."""
    mean, low, high, centre = (
        axis.ravel()
        for axis in np.meshgrid(
            np.linspace(0, 1, 21), np.linspace(0, 1, 11), np.linspace(0, 1, 11), np.linspace(0, 1, 21)
        )
    )
    fits = (low <= mean) & (mean <= high) & (low < high)
    mean, low, high, centre = mean[fits], low[fits], high[fits], centre[fits]
    chance = (mean - low) / (high - low)
    psi = -math.log(1 - x) - x
    for sign in (1, -1):
        parts = [np.exp(sign * x * (value - mean) - psi * (value - centre) ** 2) for value in (low, high)]
        assert ((1 - chance) * parts[0] + chance * parts[1] <= 1 + 1e-12).all()
    too_cheap = [np.exp(x * (value - mean) - 0.5 * psi * (value - centre) ** 2) for value in (low, high)]
    assert ((1 - chance) * too_cheap[0] + chance * too_cheap[1]).max() > 1


# -- the mixture and the radius ------------------------------------------------------------------------------------


def obvious_mixture(reach: float, squares: float, most: float, typical: float) -> float:
    """The same in plain sums; members from the largest odds down to those of the end of the schedule."""
    odds = [LARGEST_ODDS]
    while odds[-1] > math.sqrt(2 * typical / most):
        odds.append(odds[-1] / 2)
    x = [o / (1 + o) for o in odds]
    return math.log(sum(math.exp(a * reach - (-math.log(1 - a) - a) * squares) for a in x) / len(x))


@pytest.mark.parametrize("most", [3.0, 70.0, 1e6])
def test_the_mixture_is_what_its_definition_says(most):
    for reach, squares in itertools.product((0.0, 0.7, 5.0, 30.0), (0.0, 0.1, 3.0, 40.0)):
        found = float(log_mixture(np.array(reach), np.array(squares), most, 6.0))
        assert found == pytest.approx(obvious_mixture(reach, squares, most, 6.0), abs=1e-9)


@pytest.mark.parametrize(("delta", "n_designs", "last"), [(0.1, 2, 40), (0.05, 20, 3000), (1e-3, 300, 10**7)])
def test_the_radius_is_never_below_that_of_the_mixture_and_not_far_above(delta, n_designs, last):
    checked = made(delta, n_designs)
    levels = checked.schedule(last, 0.0)
    counts = np.array(levels.counts, dtype=float)
    alphas = (0.3 * delta, delta / n_designs, delta / n_designs**2, 0.01 * delta / n_designs**2)
    z = checked.boundary(levels, math.inf, alphas)
    typical = math.log(n_designs**2 / delta)
    most = 1.001 * LARGEST_SQUARES * 2 * counts[-1]
    ratios = []
    for row, alpha in enumerate(alphas):
        for level in range(0, len(counts), 7):
            end = LARGEST_SQUARES * counts[level] * 2
            for v in (0.0, *np.geomspace(0.01, end, 40)):
                exact = brentq(
                    lambda s, v=v, alpha=alpha: (
                        float(log_mixture(np.array(s), np.array(v), most, typical)) + math.log(alpha)
                    ),
                    0,
                    1e6,
                )
                radius = z[row, level] * math.sqrt(v + checked.inside * 2) + CURVE * z[row, level] ** 2
                assert radius >= exact * (1 - 1e-9)
                if 0.005 * counts[level] <= v and row:
                    ratios.append(radius / exact)
    assert np.mean(ratios) < 1.15


def test_a_smaller_probability_never_has_a_smaller_boundary_and_a_level_has_one_of_its_own():
    checked = made(0.1, 50)
    levels = checked.schedule(5000, 0.0)
    table = checked.boundary(levels, math.inf, tuple(0.1 * 2.0 ** -np.arange(40)))
    assert (np.diff(table, axis=0) >= 0).all()
    assert (np.diff(table, axis=1) >= 0).all()
    assert np.isfinite(table).all()


# -- sums of squares around what was known before ----------------------------------------------------------------------


def squares_of(values: np.ndarray, counts: list[int], centre: np.ndarray) -> list[np.ndarray]:
    """One observation at a time, around the mean at the last level."""
    total, found, middle = np.zeros((values.shape[1],) * 2), [], centre
    for n, value in enumerate(values, 1):
        total = total + np.outer(value - middle, value - middle)
        if n in counts:
            found.append(total)
            middle = values[:n].mean(axis=0)
    return found


def test_snapshots_keep_sums_of_squares_around_earlier_means_in_whatever_batches():
    rng, k, centre = np.random.default_rng(5), 3, np.array([0.5, -0.5])
    levels = schedule(60)
    values = rng.random((k, 60, 2)) * [1.0, 3.0] - [0.0, 2.0]
    designs, order = np.repeat(np.arange(k), 60), rng.permutation(60 * k)
    shuffled = designs[order]
    told = np.empty((60 * k, 2))
    for design in range(k):
        told[shuffled == design] = values[design]
    for cuts in ([], [1, 2, 3, 50], list(range(1, 60 * k))):
        state = Checkpoints.empty(levels, k, 2, scattered=True, centre=centre)
        for start, stop in itertools.pairwise([0, *cuts, 60 * k]):
            state = state.add(Observations.single(shuffled[start:stop], told[start:stop]))
        for design in range(k):
            expected = squares_of(values[design], [c for c in levels.counts if c <= 60], centre)
            for snapshot, squares in zip(state.snapshots, expected, strict=False):
                np.testing.assert_allclose(snapshot.scatters[design], squares, atol=1e-12)


def test_an_entry_that_jumps_over_levels_is_squared_around_the_last_mean_before_it():
    rng, centre = np.random.default_rng(6), np.array([0.3])
    x = rng.random((24, 1))
    levels = schedule(60)
    state = Checkpoints.empty(levels, 1, 1, scattered=True, centre=centre)
    for part in (x[:5], x[5:24]):
        scatter = ((part - part.mean()) ** 2).sum().reshape(1, 1, 1)
        state = state.add(Observations([0], [part.mean(axis=0)], [len(part)], scatter))
    expected = ((x[:5] - 0.3) ** 2).sum() + ((x[5:] - x[:5].mean()) ** 2).sum()
    assert state.snapshots[levels.counts.index(24)].scatters[0, 0, 0] == pytest.approx(expected, rel=1e-12)


def test_no_sum_of_squares_is_beyond_what_the_schedule_counts_with():
    """Values that push each mean as far as they can, and random ones."""
    levels = schedule(5000)
    counts = np.array(levels.counts, dtype=float)
    bound = largest_squares(levels)
    assert (bound <= LARGEST_SQUARES * counts * (1 + 1e-12)).all()
    rng = np.random.default_rng(7)
    steps = np.diff(levels.counts, prepend=0)
    blocks = [np.arange(len(counts)) % 2, (np.arange(len(counts)) // 4) % 2, *(rng.random((20, len(counts))) < 0.5)]
    for high in blocks:
        x = np.repeat(np.asarray(high, dtype=float), steps)[:, None]
        found = [float(part[0, 0]) for part in squares_of(x[:600], list(levels.counts), np.array([0.5]))]
        assert (np.array(found) <= bound[: len(found)] + 1e-9).all()


def test_a_sum_of_squares_beyond_that_makes_no_claim():
    checked = made()
    squares = np.array([0.6, 0.63])[:, None, None] * 100
    found = checked.variances(np.arange(2), squares, np.full(2, 100.0))
    assert found[0, 0] < 1
    assert 0.3 * math.sqrt(found[1, 0] / 100) > 1  # even with the smallest z: beyond any error


# -- the whole, exactly ------------------------------------------------------------------------------------------------


def ever(checked: AnytimeBernstein, levels: Levels, alpha: float, chances: tuple[float, float], scale: float) -> float:
    """P(the error of mean_j - mean_i reaches the radius at any level), over all paths of two 0/1 streams."""
    last = levels.counts[-1]
    paths = (np.arange(2**last)[:, None] >> np.arange(last)) & 1
    means, squares = [paths[:, :g].mean(axis=1) for g in levels.counts], []
    total, middle, before = np.zeros(len(paths)), np.full(len(paths), 0.5), 0
    for g, mean in zip(levels.counts, means, strict=True):
        total = total + ((paths[:, before:g] - middle[:, None]) ** 2).sum(axis=1)
        squares.append(total)
        middle, before = mean, g
    everyone = np.arange(len(paths))
    z, crossed = checked.boundary(levels, math.inf, (alpha,))[0], np.zeros((len(paths), len(paths)), dtype=bool)
    for level, g in enumerate(levels.counts):
        count = np.full(len(paths), float(g))
        shares = checked.variances(everyone, squares[level][:, None, None], count)[:, 0] / g
        radius = z[level] * np.sqrt(shares[:, None] + shares[None, :])
        radius = radius + checked.shift(0, z[level], count[0])
        error = means[level][None, :] - chances[1] - means[level][:, None] + chances[0]
        crossed |= error >= scale * radius
    ones = paths.sum(axis=1)
    p, q = (c**ones * (1 - c) ** (last - ones) for c in chances)
    return float(p @ crossed @ q)


@pytest.mark.parametrize("chances", [(0.5, 0.5), (0.9, 0.1), (0.1, 0.9), (0.97, 0.02), (0.3, 0.6)], ids=str)
def test_two_streams_of_zeros_and_ones_ever_reach_the_radius_with_probability_alpha_at_most(chances):
    levels = schedule(10)
    for alpha in (0.5, 0.2, 0.05):
        assert ever(made(0.9), levels, alpha, chances, 1.0) <= alpha


@pytest.mark.parametrize("chances", [(0.5, 0.5), (0.1, 0.9), (0.3, 0.6)], ids=str)
def test_two_fifths_of_the_radius_would_not_do(chances):
    assert ever(made(0.9), schedule(10), 0.2, chances, 0.4) > 0.2


# -- long streams ------------------------------------------------------------------------------------------------------


def crossings(law: str, scale: float, runs: int = 1500, alpha: float = 0.1) -> int:
    """How often the error up to 4096 observations ever reaches the radius."""
    checked, rng = made(0.1), np.random.default_rng([17, 0])
    levels = checked.schedule(4096, 0.0)
    counts = np.array(levels.counts)
    draw = {
        "rare": lambda: (rng.random((runs, 4096)) < 0.02) - 0.02,
        "half": lambda: (rng.random((runs, 4096)) < 0.5) - 0.5,
        "skewed": lambda: rng.beta(0.2, 3, size=(runs, 4096)) - 0.2 / 3.2,
    }[law]
    parts = []
    for sign in (1, -1):
        x = sign * draw()
        sums = np.cumsum(x, axis=1)[:, counts - 1]
        seconds = np.cumsum(x**2, axis=1)[:, counts - 1]
        means = sums / counts
        moved = np.cumsum(counts * np.diff(means, axis=1, prepend=0.4) ** 2, axis=1)
        parts.append((means, seconds - counts * means**2 + moved))
    z = checked.boundary(levels, math.inf, (alpha,))[0]
    crossed = np.zeros(runs, dtype=bool)
    for level in range(len(counts)):
        count = np.full(runs, float(counts[level]))
        each = [checked.variances(np.arange(runs), squares[:, level, None, None], count)[:, 0] for _, squares in parts]
        both = (each[0] + each[1]) / counts[level]
        radius = z[level] * np.sqrt(both) + CURVE * z[level] ** 2 / counts[level]
        error = parts[0][0][:, level] - parts[1][0][:, level]
        crossed |= error >= scale * radius
    return int(crossed.sum())


@pytest.mark.parametrize("law", ["rare", "half", "skewed"])
def test_long_streams_ever_reach_the_radius_at_the_stated_rate(law):
    """Null: at most 0.1; exact binomial test at 1e-6. Two fifths of the radius are reached far more often."""
    assert crossings(law, 1.0) <= binom.isf(LEVEL, 1500, 0.1)
    assert crossings(law, 0.4) > binom.isf(LEVEL, 1500, 0.1)
