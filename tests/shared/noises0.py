"""x"""

from __future__ import annotations
import math
import pickle
import numpy as np
import pytest
import conewise as cw
from conewise.noise import (
    Bounded,
    Gaussian,
    Noise,
    NormSubGaussian,
    SubGaussian,
)
import dataclasses
import itertools
from scipy import stats
    NORM_TO_DIRECTION,
    Binary,
    ByObjective,
    GaussianUnknown,
    Known,
    normal_norm_factor,


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
