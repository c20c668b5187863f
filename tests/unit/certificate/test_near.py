"""Near pairs: slow twins of leads and of what counts, boundaries whose row may change, and what they may spend."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.certificates import ORTHANT, at_levels, certificate

import conewise as cw
from conewise.certificate.looks import Levels, boundaries, following, spending
from conewise.certificate.near import _CELLS, Near, overestimated
from conewise.certificate.tuning import TUNING
from conewise.certificate.weights import Standing
from conewise.noise import Gaussian, GaussianUnknown, SubGaussian

MOST = 100


def exact(k=5, cone=ORTHANT, noise=None, **options):
    return certificate(cone, Gaussian(1.0) if noise is None else noise, k, 0.0, 0.1, "contain", most=MOST, **options)


def table_of(checked, state):
    return checked._table(state, np.arange(checked.n_designs), checked._views(state, None))


def lead_twin(checked, means, levels, i, j):
    """y^ of one observation: what is seen at the common level, less the boundary."""
    level = min(levels[i], levels[j])
    count = checked.levels.counts[level]
    k, facets, delta = checked.n_designs, checked.cone.facets, checked.delta
    share = TUNING.near_leads * (1 - TUNING.near_fine) * delta / (len(facets) * k * (k - 1))
    row = math.floor((math.log(share) - checked.tables.least[1]) / checked.tables.step + 1e-9)
    seen = -math.inf
    for w in facets:
        spread = math.sqrt(2 * w @ checked.noise.covariance(checked.cone.dim) @ w / count)
        seen = max(seen, -float(w @ (means[j] - means[i])) / spread)
    return max(seen - checked.tables.out[0, row, level], 0.0) / math.sqrt(count)


@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone.planar(60), cw.Cone.orthant(3)])
def test_leads_are_those_of_a_slow_twin_rounded_down(cone):
    rng = np.random.default_rng(1)
    checked = exact(cone=cone, noise=Gaussian(cov=np.eye(cone.dim) + 0.3))
    means, levels = 3 * rng.normal(size=(5, cone.dim)), rng.integers(5, 25, size=5)
    near = checked.boundaries(at_levels(checked, means, levels))
    assert isinstance(near, Near)
    found = _CELLS[near.leads]
    assert (found > 0).sum() >= 3
    for i in range(5):
        for j in range(5):
            if i != j:
                twin = lead_twin(checked, means, levels, i, j)
                assert found[i, j] <= twin + 1e-12
                assert twin <= max(1.1 * found[i, j], 1e-5)


def count_twin(near, left, levels):
    """k^_l as a part of all pairs: pair by pair, level by level, and held back."""
    parts, pairs = [], [(i, j) for i in np.flatnonzero(left) for j in range(len(left)) if i != j]
    for level, count in enumerate(levels.counts):
        least, now = near.tables.out[0, :, level].min(), 0.0
        for i, j in pairs:
            y = _CELLS[near.leads[i, j]] * math.sqrt(count)
            now += math.exp(-least * y - y**2 / 2) / len(pairs)
        parts.append(max(now, parts[-1] / math.exp(near.tables.step)) if parts else now)
    return np.array(parts)


def test_what_counts_is_what_a_slow_twin_counts_and_falls_by_a_step_at_most():
    rng, checked = np.random.default_rng(2), exact()
    near = checked.boundaries(at_levels(checked, 2 * rng.normal(size=(5, 2)), np.full(5, 20)))
    for left in (np.ones(5, dtype=bool), np.array([True, False, True, True, False])):
        found = near.log_near(Standing(left, ~left))
        np.testing.assert_allclose(np.exp(found), count_twin(near, left, checked.levels), rtol=1e-6)
        assert np.diff(found).min() >= -near.tables.step
        assert found.max() <= 0
        assert found[-1] < -0.5


def test_a_row_of_the_table_rises_by_one_at_most_from_level_to_level():
    rng, checked = np.random.default_rng(3), exact()
    near = checked.boundaries(at_levels(checked, 3 * rng.normal(size=(5, 2)), np.full(5, 24)))
    standing, every = Standing.at_first(5), np.arange(len(checked.levels.counts))
    some = np.arange(2)
    logs = near.spending.log_out(some, some, standing).item() + near.freed(standing, every)
    assert np.diff(near.tables.rows(logs, True)).max() == 1


def test_nothing_is_freed_where_nobody_leads():
    checked = exact()
    near = checked.boundaries(at_levels(checked, np.zeros((5, 2)), np.full(5, 20)))
    freed = near.freed(Standing.at_first(5), np.arange(len(checked.levels.counts)))
    np.testing.assert_allclose(freed, math.log1p(-TUNING.near_leads), atol=1e-12)


@settings(max_examples=4, deadline=None)
@given(st.floats(0.05, 0.9), st.floats(0.01, 0.9), st.floats(1.15, 2.0), st.integers(0, 2**16))
def test_no_tuning_spends_more_than_delta_on_pairs_whatever_their_leads(fine, leads, step, seed):
    """If the leads are the true ones: by Lemma N with the shares of the looks, and what the bound of leads costs."""
    k, rng, delta = 6, np.random.default_rng(seed), 0.1
    tuned = replace(TUNING, near_fine=fine, near_leads=leads, step=step)
    checked = exact(k, tuning=tuned)
    near = checked.boundaries(at_levels(checked, 3 * rng.normal(size=(k, 2)), np.full(k, 12)))
    standing, counts = Standing.at_first(k), np.array(checked.levels.counts, dtype=float)
    every, nobody = np.arange(len(counts)), np.zeros(0, dtype=np.intp)
    logs = near.spending.log_out(nobody, nobody, standing).item() + near.freed(standing, every)
    rows = near.tables.rows(logs, True)
    alphas = np.exp(near.tables.least[1] + near.tables.step * rows)
    y = _CELLS[near.leads][~np.eye(k, dtype=bool)][:, None] * np.sqrt(counts)
    least = near.tables.out[0, -1]
    spent = (np.exp(-least * y - y**2 / 2).sum(axis=0) * alphas * spending(checked.levels, checked.anchors[1])).sum()
    share = overestimated(near.spending, 2, leads)  # of one pair and one facet, and tabulated
    assert math.exp(near.tables.least[1]) <= share * (1 + 1e-9)
    assert 2 * k * (k - 1) * share <= leads * (1 - fine) * delta * (1 + 1e-9)
    assert spent <= (1 - leads) * (1 - fine) * delta * (1 + 1e-6)


# -- boundaries whose row may change (Lemma N) ---------------------------------------------------------------------

ALPHAS = tuple(0.2 * 2.0 ** -np.arange(0.0, 4.0, 0.5))


def paths(levels, runs, seed):
    """(runs, L): standardised errors of a difference; normal noise of one covariance."""
    rng, counts = np.random.default_rng(seed), np.array(levels.counts)
    steps = np.sqrt(np.diff(counts, prepend=0))
    first, second = (np.cumsum(rng.normal(size=(runs, len(counts))) * steps, axis=1) / counts for _ in range(2))
    return (second - first) / np.sqrt(2 / counts)


@pytest.mark.parametrize("drift", [0.0, 0.15])
def test_first_crossings_are_as_rare_as_lemma_n_says_where_rows_rise_as_fast_as_they_may(drift):
    levels, runs = Levels.up_to(60, growth=1.3), 40_000
    table = following(levels, 30.0, ALPHAS)
    counts = np.array(levels.counts)
    rows = np.maximum(len(ALPHAS) - 1 - np.arange(len(counts)), 0)  # towards larger alphas, one a look
    z, alphas = table[rows, np.arange(len(counts))], np.array(ALPHAS)[rows]
    lead = drift / np.sqrt(2 / counts)
    beyond = paths(levels, runs, 5) >= z + lead
    first = np.bincount(beyond.argmax(axis=1)[beyond.any(axis=1)], minlength=len(counts)) / runs
    least = table[0]
    bound = np.exp(-least * lead - lead**2 / 2) * alphas * spending(levels, 30.0)
    assert (first <= bound + 5 * np.sqrt(bound / runs) + 2 / runs).all()
    if not drift:
        assert first.sum() >= 0.6 * bound.sum()  # sharp


def test_a_boundary_that_forgets_that_rows_change_would_spend_too_much():
    """Negative control: rows of fixed boundaries, changed as above, are reached too often at the later looks."""
    levels, runs = Levels.up_to(60, growth=1.3), 40_000
    fixed = boundaries(levels, 30.0, ALPHAS, True)
    assert (following(levels, 30.0, ALPHAS) >= fixed - 1e-9).all()
    rows = np.maximum(len(ALPHAS) - 1 - np.arange(len(levels.counts)), 0)
    z, bound = fixed[rows, np.arange(len(rows))], (np.array(ALPHAS)[rows] * spending(levels, 30.0)).sum()
    assert (paths(levels, runs, 5) >= z).any(axis=1).mean() > bound + 5 * math.sqrt(bound / runs)


# -- where it is used ----------------------------------------------------------------------------------------------


def test_it_is_for_exact_identification_with_one_known_covariance():
    assert exact().near
    assert not exact().weighted
    for noise in (SubGaussian(1.0), GaussianUnknown(), Gaussian(cov=np.stack([np.eye(2)] * 5))):
        assert not exact(noise=noise).near
    assert not exact(tuning=replace(TUNING, near=False)).near
    assert not exact(k=TUNING.near_designs + 1).near
    assert not certificate(noise=Gaussian(1.0), n_designs=5, epsilon=0.1, notion="contain").near


def test_far_apart_designs_let_a_near_one_be_beaten_sooner():
    """The gap of the last design is such that only what the others leave decides it."""
    means = np.array([[8.0, 0.0], [0.0, 8.0], [4.0, 4.0], [-8.0, -8.0], [7.4, -0.6]])
    found = []
    for near in (True, False):
        checked = exact(tuning=replace(TUNING, near=near))
        found.append(
            next(at for at in range(30) if checked.claims(at_levels(checked, means, np.full(5, at))).beaten[4])
        )
    assert found[0] < found[1]
