"""Differences block by block: those of a loop over pairs, and what a step hides."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.certificate.blocks.differences import Differences


@pytest.mark.parametrize("seed", range(5))
def test_differences_are_those_of_a_loop_over_pairs(seed):
    rng = np.random.default_rng(seed)
    values = 100 + rng.normal(size=(5, 30, 2)) @ np.array([[1.0, 0.4], [0.0, 0.8]])
    values[rng.random((5, 30)) < 0.2] = np.nan
    cone = cw.Cone.planar(70)
    found = Differences.of(values, cone.facets, np.full(2, 1e-12), 50)
    radii, widest = found.radii(0.01, 1.0)
    from scipy.stats import t

    for i in range(5):
        for j in range(5):
            if i == j:
                continue
            z = (values[j] - values[i])[~np.isnan(values[j] - values[i]).any(axis=1)]
            g = len(z)
            per = t.isf(0.01, g - 1) * np.sqrt(1 / g - 1 / 50)
            along = z @ cone.facets.T
            assert found.gains[i, j] == pytest.approx(along.mean(axis=0), rel=1e-9)
            assert radii[i, j] == pytest.approx(per * along.std(axis=0, ddof=1), rel=1e-6)
            assert widest[i, j] == pytest.approx(per * np.sqrt(np.linalg.eigvalsh(np.cov(z.T))[-1]), rel=1e-6)


def test_differences_smaller_than_a_step_count_as_hidden():
    rng = np.random.default_rng(0)
    values = np.round(0.1 * rng.normal(size=(3, 12, 1)))  # steps of 1: all values are 0, or nearly all
    values[2] += 3
    seen = Differences.of(values, np.eye(1), np.array([1.0]), None)
    radii, _ = seen.radii(0.01, 1.0)
    assert radii[0, 1, 0] >= 1.0
    never = Differences.of(np.zeros((2, 12, 1)), np.eye(1), np.array([np.inf]), None)
    assert np.isinf(never.radii(0.01, 1.0)[0]).all()
