"""Draws of other people's models: their shape, stand-ins for BoTorch and scikit-learn, and conditioning."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.models.draws import moved

RNG = np.random.default_rng


class Size(tuple):
    """As torch.Size: what a tensor's shape is, and what rsample insists on."""

    def numel(self) -> int:
        return int(np.prod(self))


class Tensor:
    """As much of a torch tensor as is needed: rows by a list, a shape of its own kind, and a way to numpy."""

    def __init__(self, values):
        self._values = np.asarray(values, dtype=float)

    def __getitem__(self, rows):
        assert isinstance(rows, list)
        return Tensor(self._values[rows])

    @property
    def shape(self):
        return Size(self._values.shape)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self._values


class BotorchLike:
    """A model whose posterior draws the sum of the features plus the number of the draw, for two objectives."""

    def posterior(self, rows):
        class Posterior:
            def rsample(self, count):
                total = rows.numpy().sum(axis=1)
                drawn = np.arange(count.numel())[:, None] + total
                return Tensor(np.stack([drawn, -drawn], axis=2))

        return Posterior()


class SklearnLike:
    """As GaussianProcessRegressor: (n, size) for one objective, (n, objectives, size) for several."""

    def __init__(self, objectives=None):
        self.objectives = objectives

    def sample_y(self, X, n_samples=1, random_state=0):
        shape = (len(X), n_samples) if self.objectives is None else (len(X), self.objectives, n_samples)
        total = X.sum(axis=1).reshape(-1, *[1] * (len(shape) - 1))
        return total + 1e-3 * np.random.default_rng(random_state).normal(size=shape)


FEATURES = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


def test_a_botorch_model_is_drawn_from_without_torch():
    found = cw.models.Draws.from_botorch(BotorchLike(), Tensor(FEATURES)).of(np.array([0, 2]), 4, 2, RNG(0))
    assert found[:, :, 0].tolist() == [[1, 9], [2, 10], [3, 11], [4, 12]]
    assert np.array_equal(found[:, :, 1], -found[:, :, 0])


def test_scikit_learn_models_are_drawn_from_one_an_objective_or_all_at_once():
    together = cw.models.Draws.from_sklearn(SklearnLike(2), FEATURES).of(np.arange(3), 5, 2, RNG(0))
    apart = cw.models.Draws.from_sklearn([SklearnLike(), SklearnLike()], FEATURES).of(np.arange(3), 5, 2, RNG(0))
    for found in (together, apart):
        assert found == pytest.approx(np.broadcast_to(FEATURES.sum(axis=1)[None, :, None], (5, 3, 2)), abs=0.01)
    assert not np.array_equal(apart[:, :, 0], apart[:, :, 1])
    again = cw.models.Draws.from_sklearn(SklearnLike(2), FEATURES).of(np.arange(3), 5, 2, RNG(0))
    assert np.array_equal(together, again)


def test_moved_draws_are_conditioned_draws():
    """Two correlated normal designs, the first evaluated: means and variances of the textbook, within five errors."""
    covariance, noise, count = np.array([[1.0, 0.8], [0.8, 1.0]]), 0.25, 20_000
    draws = RNG(1).multivariate_normal([0.0, 1.0], covariance, count)[:, :, None]
    after = moved(draws, np.array([0]), np.array([[2.0]]), np.array([[noise]]), RNG(2))[:, :, 0]
    gain = covariance[:, 0] / (1 + noise)
    means = np.array([0.0, 1.0]) + gain * 2.0
    spread = covariance - np.outer(gain, covariance[0])
    assert after.mean(axis=0) == pytest.approx(means, abs=5 * (2 / count) ** 0.5)
    assert np.cov(after.T) == pytest.approx(spread, abs=5 * (2 / count) ** 0.5)


def test_without_evaluations_draws_stay():
    draws = RNG(3).normal(size=(5, 3, 2))
    after = moved(draws, np.empty(0, dtype=int), np.empty((0, 2)), np.empty((0, 2)), RNG(0))
    assert np.array_equal(after, draws)
    assert after is not draws


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (3, "needs a function of designs, size and rng, got 3"),
        (lambda designs: 0, "this one takes"),
    ],
)
def test_what_cannot_be_called_is_refused(function, said):
    with pytest.raises(cw.InputError, match=said):
        cw.models.Draws(function)


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (np.zeros((5, 3)), r"have the shape \(5, 3, 2\), but the function gave \(5, 3\)"),
        (np.zeros((3, 5, 2)), "but the function gave"),
        (np.full((5, 3, 2), np.nan), "NaN or infinity"),
        ("draws", "draws must"),
    ],
)
def test_draws_of_another_shape_are_refused(drawn, said):
    with pytest.raises(cw.InputError, match=said):
        cw.models.Draws(lambda designs, size, rng: drawn).of(np.arange(3), 5, 2, RNG(0))


def test_strangers_are_no_models():
    with pytest.raises(cw.InputError, match="a BoTorch model has a method posterior"):
        cw.models.Draws.from_botorch(object(), Tensor(FEATURES))
    with pytest.raises(cw.InputError, match="a GaussianProcessRegressor has a method sample_y"):
        cw.models.Draws.from_sklearn([object()], FEATURES)
    with pytest.raises(cw.InputError, match="the list is empty"):
        cw.models.Draws.from_sklearn([], FEATURES)


def test_features_of_fewer_designs_are_refused():
    drawn = cw.models.Draws
    for few in (
        drawn.from_sklearn(SklearnLike(2), FEATURES[:2]),
        drawn.from_botorch(BotorchLike(), Tensor(FEATURES[:2])),
    ):
        with pytest.raises(cw.InputError, match="features describe 2 designs, but there are 3: give one row a design"):
            few.of(np.arange(3), 5, 2, RNG(0))


def test_a_model_that_raises_is_one_sentence():
    def fitted_to_others(designs, size, rng):
        raise ValueError("X has 1 feature, but 2 were expected.")

    with pytest.raises(
        cw.InputError, match=r"draws of a model could not be had: ValueError: X has 1 feature.* expected\.$"
    ):
        cw.models.Draws(fitted_to_others).of(np.arange(3), 5, 2, np.random.default_rng(0))
    with pytest.raises(cw.InputError, match="draws has numbers too large"):
        cw.models.Draws(lambda designs, size, rng: np.full((size, 3, 2), 1e300)).of(
            np.arange(3), 5, 2, np.random.default_rng(0)
        )


@pytest.mark.parametrize("features", [None, 3, [[1.0], [2.0, 3.0]], [1.0, 2.0], [["a"], ["b"]]])
def test_features_of_a_fitted_model_are_a_table(features):
    class Fitted:
        def posterior(self, rows): ...

        def sample_y(self, rows, size, random_state): ...

    for taken in (cw.models.Draws.from_botorch, cw.models.Draws.from_sklearn):
        with pytest.raises(cw.InputError, match="features must be"):
            taken(Fitted(), features)
