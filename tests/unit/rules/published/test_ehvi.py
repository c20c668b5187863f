"""Expected hypervolume improvement against hypervolumes counted draw by draw."""

from __future__ import annotations

import moocore
import numpy as np
import pytest

import conewise as cw
from conewise.rules.published.ehvi import expected_improvements


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(50), cw.Cone.ice_cream(60, facets=4)], ids=str)
def test_the_score_is_the_mean_of_improvements(cone):
    rng = np.random.default_rng(3)
    means = cone.facet_values(rng.normal(size=(8, cone.dim)))
    z = means + 0.5 * rng.normal(size=(20, *means.shape))
    front = means[cw.pareto_mask(means, cw.Cone.orthant(means.shape[1]))]
    reference = front.min(axis=0) - 0.1 * np.ptp(front, axis=0)

    def volume(points):
        return moocore.hypervolume(-points, ref=-reference)

    expected = [
        np.mean([volume(np.vstack([front, np.maximum(z[b, x], reference)])) - volume(front) for b in range(len(z))])
        for x in range(len(means))
    ]
    np.testing.assert_allclose(expected_improvements(z, means), expected, atol=1e-12)


def test_what_is_known_well_is_worth_nothing_and_what_may_be_better_is():
    means = np.array([[0.0, 3.0], [3.0, 0.0], [1.5, 1.5], [-4.0, -4.0]])
    deviations = np.array([0.001, 0.001, 0.5, 0.5])[:, None]
    z = means + deviations * np.random.default_rng(0).normal(size=(400, 4, 2))
    worth = expected_improvements(z, means)
    assert worth.argmax() == 2
    assert worth[3] == 0
    assert worth[:2].max() < 0.01 * worth[2]


def test_a_front_of_one_design_has_a_volume():
    z = np.array([1.0, 1.0]) + 0.1 * np.random.default_rng(0).normal(size=(50, 1, 2))
    assert expected_improvements(z, np.array([[1.0, 1.0]]))[0] > 0
