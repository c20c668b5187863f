"""Noise of every kind, and one of somebody's own."""

from __future__ import annotations

import numpy as np

import conewise as cw
from conewise import noise as noises
from conewise.noise import Bounded, Gaussian, NormSubGaussian, SubGaussian

NOISES = [
    noises.Gaussian(0.1),
    noises.Gaussian([0.1, 1 / 3]),
    noises.Gaussian([[0.1, 0.2], [0.3, 0.4], [1, 2], [1, 2], [1, 2], [1, 2]]),
    noises.Gaussian(cov=[[1.0, 0.1], [0.1, 2.0]]),
    noises.Gaussian(cov=np.stack([np.eye(2)] * 6)),
    noises.SubGaussian(0.7),
    noises.NormSubGaussian(0.7),
    noises.Bounded(0, 1),
    noises.Bounded([0, -3], [1, 0.1]),
    noises.GaussianUnknown(),
]

COV = np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.3], [0.0, -0.3, 0.5]])
ONE_OF_EACH = [
    Gaussian(1.5),
    Gaussian([0.5, 1.0, 2.0]),
    Gaussian(cov=COV),
    Gaussian(cov=[COV, 2 * COV[::-1, ::-1]]),
    SubGaussian(0.7),
    NormSubGaussian(0.7),
    Bounded(-1, 2),
    Bounded([0, 0, -1], [1, 2, 3]),
]


class Laplace(cw.noise.Noise):
    """A noise of somebody's own, with tails heavier than any normal one's."""

    def scales(self, directions):
        return np.linalg.norm(np.asarray(directions, dtype=float), axis=-1)

    def largest_scale(self, dim):
        return 1.0

    def log_tail(self, deviations):
        return -np.sqrt(2) * np.asarray(deviations, dtype=float) - np.log(2)

    def deviation(self, delta):
        return max(0.0, -np.log(2 * delta) / np.sqrt(2))

    def norm_subgaussian(self, dim):
        return 10.0

    @property
    def words(self):
        return "Laplace noise"
