"""Define what is assumed about the noise of one evaluation, and the confidence radii that follow from it.

`sigma` is always a standard deviation or a subgaussian parameter, never a variance. An assumption gives the scale of
the noise in a weighted sum of the objectives (`scales`) and the probability of a deviation of x scales (`log_tail`). It
also gives the parameter of Ararat & Tekin 2023, Definition 4.1 (`norm_subgaussian`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, as_count, as_probability


class Noise(ABC):
    """An assumption about the noise of one evaluation: centred, independent between evaluations.

    A class of your own states with `log_tail` and `deviation` how far off averages may be. Nothing checks that
    statement. Both must hold for the average of any number of evaluations, and for the difference of two such averages,
    in units of its scale. (The tail of a single evaluation is not enough: averages of skewed noise stay skewed for
    long.)
    """

    @property
    def subgaussian(self) -> bool:
        """True if a deviation of x scales has probability at most exp(-x^2 / 2); otherwise only `log_tail` holds."""
        return False

    @abstractmethod
    def scales(self, directions: ArrayLike) -> Floats:
        """Return the standard deviation or subgaussian parameter of u.noise for each vector u of shape (..., D).

        If designs differ, this is the largest over the designs.
        """

    @abstractmethod
    def largest_scale(self, dim: int) -> float:
        """Return the largest scale along a unit vector of R^dim."""

    @abstractmethod
    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Return the logarithm of a bound on P(u.noise >= x * scale) for each x >= 0; averages have a smaller scale."""

    @abstractmethod
    def deviation(self, delta: float) -> float:
        """Return the smallest x with tail at most delta; a one-sided interval of level 1 - delta is x scales wide."""

    @abstractmethod
    def norm_subgaussian(self, dim: int) -> float:
        """Return sigma of Ararat & Tekin 2023, Definition 4.1: P(|noise| >= r) <= 2 exp(-r^2 / (2 sigma^2))."""

    def radius(self, directions: ArrayLike, n: int, delta: float) -> Floats:
        """Return the radius r along each direction: with probability 1 - delta the mean is below the truth plus r.

        >>> from conewise.noise import Gaussian
        >>> round(float(Gaussian(1).radius([1, 0], n=100, delta=0.025)), 4)
        0.196
        """
        n, delta = as_count(n, "n"), as_probability(delta, "delta")
        return self.scales(directions) * (self.deviation(delta) / math.sqrt(n))

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        """Refuse another number of objectives or designs than the assumption has; without arrays, accept any."""
        as_count(dim, "dim")

    def joined(self, dim: int, other: Noise) -> Noise | None:
        """Return one assumption for `dim` objectives with this noise and one more objective with the `other` noise.

        Return None if the two must stay apart, because nothing is known about how they vary together.
        """
        return None

    def of_one(self, column: int, dim: int) -> Noise:
        """Return the assumption about one of `dim` objectives; by default the assumption itself."""
        return self

    @property
    def presumed(self) -> str:
        """Sentence that the noise was assumed by default, and how to state it; empty if it was stated."""
        return ""

    @property
    def noiseless(self) -> bool:
        """True if there is no noise at all."""
        return False

    @property
    @abstractmethod
    def words(self) -> str:
        """Wording of the assumption for readers of results."""


class ChernoffTail(Noise):
    """Noise with E exp(t u.noise) <= exp(t^2 scale^2 / 2)."""

    @property
    def subgaussian(self) -> bool:
        return True

    def log_tail(self, deviations: ArrayLike) -> Floats:
        """Return the logarithm of Chernoff's bound."""
        return -0.5 * np.square(np.asarray(deviations, dtype=np.float64))

    def deviation(self, delta: float) -> float:
        return math.sqrt(2 * math.log(1 / as_probability(delta, "delta")))
