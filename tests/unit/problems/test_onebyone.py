"""Problems of which one objective is measured at a time: cells have the values of their objective."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.data.observations import Observations, Pulls
from conewise.noise import Gaussian
from conewise.problems import OneByOne

MEANS = np.array([[0.0, 5.0], [2.0, 1.0]])


def test_a_cell_has_the_mean_the_count_and_the_scatter_of_its_objective():
    cells = OneByOne(cw.SimulatedBandit(MEANS, Gaussian([1e-9, 1e-6])))
    told = cells.evaluate(Pulls([3, 0, 1], [50, 2, 50]), rng=0)
    assert told.designs.tolist() == [3, 0, 1]
    assert told.counts.tolist() == [50, 2, 50]
    np.testing.assert_allclose(told.means[:, 0], [1.0, 0.0, 5.0], atol=1e-5)
    deviations = np.sqrt(told.scatters[[0, 2], 0, 0] / 49)
    np.testing.assert_allclose(deviations, 1e-6, rtol=0.3)
    assert (cells.n_designs, cells.dim, cells.assumption.words) == (2, 2, Gaussian([1e-9, 1e-6]).words)


def test_problems_that_tell_every_evaluation_by_itself():
    class Singles:
        n_designs, dim = 2, 2

        def evaluate(self, pulls, rng):
            designs = np.repeat(pulls.designs, pulls.counts)
            return Observations.single(designs, MEANS[designs])

    told = OneByOne(Singles()).evaluate(Pulls([2, 1], [2, 1]), rng=0)
    assert told.designs.tolist() == [2, 2, 1]
    assert told.means.tolist() == [[2.0], [2.0], [5.0]]


def test_a_cell_that_does_not_exist_is_refused():
    with pytest.raises(cw.InputError, match="cell 4 does not exist: there are 4 cells"):
        OneByOne(cw.SimulatedBandit(MEANS, Gaussian(1))).evaluate(Pulls([4]), rng=0)


def test_recorded_blocks_are_not_measured_one_by_one():
    """Designs share them, so that what is proved of independent measurements would not hold."""
    recorded = cw.problems.Recorded(np.zeros((2, 3, 2)))
    with pytest.raises(cw.InputError, match="share their recorded blocks"):
        cw.identify(OneByOne(recorded), cw.Cone.orthant(2), epsilon=0.1, delta=0.1, rng=0, noise=Gaussian(1))
