"""Priors as values: their components, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import qmc

import conewise as cw
from conewise.models.priors import length_scales

FEATURES = np.random.default_rng(5).random((7, 3))
PRIORS = [cw.models.Independent(), cw.models.Linear(FEATURES), cw.models.Smooth(FEATURES)]


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_weights_sum_to_one_and_independent_designs_are_among_the_components(prior):
    components = prior.components
    assert np.exp(components.log_weight).sum() == pytest.approx(1)
    assert (components.shape == -1).any()
    assert (components.discrepancy > 0).all()
    assert prior.words


@pytest.mark.parametrize("prior", PRIORS[1:], ids=lambda prior: type(prior).__name__)
def test_every_shape_is_a_covariance_with_its_diagonal(prior):
    everyone = np.arange(7)
    for shape in range(prior.n_shapes):
        matrix = prior.correlation(shape, everyone, everyone)
        np.testing.assert_allclose(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > -1e-9
        np.testing.assert_allclose(np.diag(matrix), prior.diagonal(shape, everyone))


def test_kernels_are_those_of_the_textbook():
    features = np.array([[0.0], [0.25], [1.0]])
    squared = cw.models.Smooth(features, kernels=["squared"])
    matern = cw.models.Smooth(features, kernels=["matern52"])
    trend = np.outer(features - 0.5, features - 0.5)
    for which, (length,) in enumerate(squared.lengths):
        r = np.abs(features - features.T) / length
        everyone = np.arange(3)
        np.testing.assert_allclose(squared.correlation(which, everyone, everyone) - trend, np.exp(-(r**2) / 2))
        expected = (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)
        np.testing.assert_allclose(matern.correlation(which, everyone, everyone) - trend, expected)


def test_length_scales_differ_between_features_and_stay_in_their_range():
    for count in (1, 2, 5, 12):
        lengths = length_scales(count)
        assert lengths.shape[1] == count
        assert lengths.min() >= 0.15 * (1 - 1e-12)
        assert lengths.max() <= 8 * (1 + 1e-12)
    assert len(np.unique(length_scales(3)[6:], axis=0)) == len(length_scales(3)) - 6


@pytest.mark.parametrize("count", [2, 7, 45, 46, 47, 60])
def test_length_scales_of_each_feature_follow_the_sequence_of_sobol(count):
    points = qmc.Sobol(count, scramble=False).random(32)[1:27]
    np.testing.assert_array_equal(length_scales(count, (1.0, np.e))[6:], np.exp(points))


def test_priors_are_frozen_and_travel():
    for prior in PRIORS:
        with pytest.raises(AttributeError):
            prior.sizes = (1.0,)
        copied = pickle.loads(pickle.dumps(prior))
        np.testing.assert_array_equal(copied.components.size, prior.components.size)
        assert copied.words == prior.words


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: cw.models.Smooth(FEATURES, kernels=[]), "kernels is empty"),
        (lambda: cw.models.Smooth(FEATURES, kernels=["cubic"]), "no kernel is called 'cubic'"),
        (lambda: cw.models.Smooth(FEATURES, kernels=5), "kernels must be a list of matern52 and squared.*, got 5"),
        (lambda: cw.models.Independent(sizes=[]), "sizes must be"),
        (lambda: cw.models.Independent(sizes=[1e300]), "sizes must lie between 1e-30 and"),
        (lambda: cw.models.Smooth([1, 2], between=(1e-300, 1)), "between must lie between"),
        (lambda: cw.models.Independent(sizes=[1, -1]), "sizes must be"),
        (lambda: cw.models.Linear(FEATURES, discrepancies=[0.0]), "discrepancies must be"),
        (lambda: cw.models.Smooth(FEATURES).check(8), "features describe 7 designs, but there are 8"),
    ],
)
def test_refused_in_one_sentence(make, sentence):
    with pytest.raises(cw.InputError, match=sentence):
        make()


def test_features_are_not_taken_for_sizes():
    with pytest.raises(TypeError, match="positional"):
        cw.models.Independent([1, 2, 3])
