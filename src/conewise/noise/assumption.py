"""What is assumed of one evaluation, and the deviation radii that follow: one function a lemma.

The word is `sigma`, always a standard deviation or a subgaussian parameter, never a variance. An assumption knows how
far the noise can push a weighted sum of the objectives (`scales`), how likely a deviation of so many scales is
(`log_tail`), and what its parameter is in the paper's sense (`norm_subgaussian`; Ararat & Tekin 2023, Definition 4.1).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from conewise._arrays import Floats, as_count, as_probability


class Noise(ABC):
    """An assumption about the noise of one evaluation: centred, independent between evaluations.

    A class of your own says with `log_tail` and `deviation` how far off averages may be, and is taken at its word: both
    must hold for the average of any number of evaluations, and for the difference of two such averages, in units of its
    scale. (The tail of a single evaluation is not enough: averages of a skewed noise lean the same way for long.)
    """

    @property
    def subgaussian(self) -> bool:
        """Whether a deviation of x scales is at most as likely as exp(-x^2 / 2); else only `log_tail` counts."""
        return False

    @abstractmethod
    def scales(self, directions: ArrayLike) -> Floats:
        """For each vector u of shape (..., D): the standard deviation or subgaussian parameter of u.noise.

        Where designs differ, the largest over the designs.
        """

    @abstractmethod
    def largest_scale(self, dim: int) -> float:
        """The largest scale along a unit vector of R^dim."""

    @abstractmethod
    def log_tail(self, deviations: ArrayLike) -> Floats:
        """The logarithm of a bound on P(u.noise >= x * scale), for each x >= 0; averages have a smaller scale."""

    @abstractmethod
    def deviation(self, delta: float) -> float:
        """The x with tail at most delta: how many scales a one-sided interval of level 1 - delta is wide."""

    @abstractmethod
    def norm_subgaussian(self, dim: int) -> float:
        """The parameter sigma of Ararat & Tekin 2023, Definition 4.1: P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2))."""

    def radius(self, directions: ArrayLike, n: int, delta: float) -> Floats:
        """With probability 1 - delta the mean of n evaluations exceeds the truth along a direction by less than this.

        >>> from conewise.noise import Gaussian
        >>> round(float(Gaussian(1).radius([1, 0], n=100, delta=0.025)), 4)
        0.196
        """
        n, delta = as_count(n, "n"), as_probability(delta, "delta")
        return self.scales(directions) * (self.deviation(delta) / math.sqrt(n))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """Refuse data of another number of objectives or designs; assumptions without arrays fit every one."""
        as_count(dim, "dim")

    def joined(self, dim: int, other: Noise) -> Noise | None:
        """What is assumed here of `dim` objectives, and elsewhere of one more, as one assumption about all of them.

        None where the two have to stay apart, since nothing says how they vary together.
        """
        return None

    def of_one(self, column: int, dim: int) -> Noise:
        """What it says of one of `dim` objectives; the same, unless a class knows better."""
        return self

    @property
    def presumed(self) -> str:
        """Where normal noise was assumed by default, that it was not stated and how to state it; else empty."""
        return ""

    @property
    def noiseless(self) -> bool:
        """Whether there is no noise at all."""
        return False

    @property
    @abstractmethod
    def words(self) -> str:
        """The assumption, for a reader of results."""


class ChernoffTail(Noise):
    """Noise with E exp(t u.noise) <= exp(t^2 scale^2 / 2)."""

    @property
    def subgaussian(self) -> bool:
        """Chernoff's bound."""
        return True

    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Chernoff's bound."""
        return -0.5 * np.square(np.asarray(deviations, dtype=np.float64))

    def deviation(self, delta: float) -> float:
        """From Chernoff's bound."""
        return math.sqrt(2 * math.log(1 / as_probability(delta, "delta")))
