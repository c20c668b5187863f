"""Table 1 of Ararat & Tekin (2023), to its last printed digit: gaps of the designs outside the Pareto set, SNW data."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw

COLUMNS = {
    45: {"count": "153", "mean": "0.666", "std": "0.520", "min": "0.001", "max": "2.576"},
    90: {"count": "180", "mean": "0.906", "std": "0.711", "min": "0.004", "max": "3.544"},
    135: {"count": "196", "mean": "1.343", "std": "0.869", "min": "0.018", "max": "4.726"},
}


@pytest.mark.parametrize("degrees", COLUMNS)
def test_table_1(degrees):
    means, cone = cw.problems.load("snw").means, cw.Cone.planar(degrees)
    gaps = cw.suboptimality_gaps(means, cone)[~cw.pareto_mask(means, cone)]
    assert {
        "count": f"{len(gaps)}",
        "mean": f"{gaps.mean():.3f}",
        "std": f"{gaps.std(ddof=1):.3f}",
        "min": f"{gaps.min():.3f}",
        "max": f"{gaps.max():.3f}",
    } == COLUMNS[degrees]


def test_the_data_are_raw():
    """206 designs of log2 area, negated, and log2 throughput; standardised columns give other gaps."""
    designs = cw.problems.load("snw")
    assert designs.means.shape == (206, 2)
    assert (designs.means[:, 0] < 0).all()
    assert designs.means[0].tolist() == [-10.6591039635, 8.83419480033]  # the first row of the source
    standardised = (designs.means - designs.means.mean(axis=0)) / designs.means.std(axis=0)
    assert f"{cw.suboptimality_gaps(standardised, cw.Cone.planar(90)).max():.3f}" != COLUMNS[90]["max"]


@pytest.mark.parametrize("degrees", COLUMNS)
def test_gaps_from_the_plane_geometry(degrees):
    """An independent path: in the plane m(i, j) is the least |w_n.D| / sin(min(theta, 90 degrees)) over both facets."""
    means = cw.problems.load("snw").means
    theta = np.radians(degrees)
    lower, upper = np.pi / 4 - theta / 2, np.pi / 4 + theta / 2
    W = np.array([[-np.sin(lower), np.cos(lower)], [np.sin(upper), -np.cos(upper)]])
    widths = np.sin(min(theta, np.pi / 2))
    z = means @ W.T
    m = np.maximum((z[None, :, :] - z[:, None, :]).min(axis=2), 0) / widths
    np.testing.assert_allclose(cw.suboptimality_gaps(means, cw.Cone.planar(degrees)), m.max(axis=1), atol=1e-12)
