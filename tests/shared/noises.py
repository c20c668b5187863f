"""Noise of every kind that a study can store."""

from __future__ import annotations

import numpy as np

from conewise import noise as noises

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
