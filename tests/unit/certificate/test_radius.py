"""Sample variances along facets: those of the definition."""

from __future__ import annotations

import numpy as np

import conewise as cw
from conewise.certificate.radii import StudentT
from conewise.noise import GaussianUnknown


def test_sample_variances_are_those_of_the_definition_and_one_observation_has_none():
    rng = np.random.default_rng(3)
    cone = cw.Cone.ice_cream(60, facets=5)
    rows = [rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) for n in (1, 2, 9, 40)]
    scatters = np.array([(x - x.mean(axis=0)).T @ (x - x.mean(axis=0)) for x in rows])
    found = StudentT(cone.facets, GaussianUnknown(), 4, 0.1).variances(
        np.arange(4), scatters, np.array([1.0, 2.0, 9.0, 40.0])
    )
    assert np.isinf(found[0]).all()
    for k in (1, 2, 3):
        np.testing.assert_allclose(found[k], np.var(rows[k] @ cone.facets.T, axis=0, ddof=1), rtol=1e-9)
