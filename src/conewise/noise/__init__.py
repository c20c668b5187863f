"""Assumptions about the noise of one evaluation: kinds of noise, and noise by objective. See docs/guarantees."""

from conewise.noise.kinds import (
    NORM_TO_DIRECTION,
    Binary,
    Bounded,
    Gaussian,
    GaussianUnknown,
    Known,
    Noise,
    NormSubGaussian,
    SubGaussian,
    normal_norm_factor,
    subgaussian_norm_factor,
)
from conewise.noise.mixed import ByObjective, together

__all__ = [
    "NORM_TO_DIRECTION",
    "Binary",
    "Bounded",
    "ByObjective",
    "Gaussian",
    "GaussianUnknown",
    "Known",
    "Noise",
    "NormSubGaussian",
    "SubGaussian",
    "normal_norm_factor",
    "subgaussian_norm_factor",
    "together",
]
