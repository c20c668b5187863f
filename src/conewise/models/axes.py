"""Find axes in which the noise of different objectives is uncorrelated: each axis has a posterior of its own.

The axes are the eigenvectors of the noise covariance, so turning to them changes no length: gaps, epsilon and the
cone's widths are what they were, with facets W Q. For noise that is independent between objectives they are the
objectives themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from conewise.border import Floats, read_only
from conewise.errors import InputError
from conewise.limits import LARGEST_OF_MODEL
from conewise.models.levels import Required
from conewise.noise import Gaussian, GaussianUnknown, Noise

_COMMUTE: Final = 1e-9  # relative: covariances of different designs that share their axes up to rounding
_NOTHING: Final = 1e-12  # an entry of a direction that is rounding
_FINEST: Final = 1e12  # of epsilon to a standard deviation: a posterior has no more digits


@dataclass(frozen=True, eq=False)
class Axes:
    """Directions Q (columns) and the noise along them."""

    directions: Floats  # (D, D): orthogonal; a point mu of the objectives is mu Q here
    variances: Floats | None  # (1, D) or (K, D): of one evaluation; None if unknown, then one an objective
    guess: float  # an unknown standard deviation beforehand, as well known as one evaluation would tell it
    centre: Floats | None = None  # (D,): around what common levels are drawn; NaN where flat, None where all are
    freedom: ClassVar[float] = (
        1.0  # degrees of freedom of the prior of an unknown variance: it counts as one evaluation
    )

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return len(self.directions)

    def centred(self, required: Required) -> Axes:
        """Return these axes with common levels drawn around what is acceptable (docs/posterior, section 12)."""
        along = np.abs(self.directions) > _NOTHING
        proper = along[required.columns].any(axis=0)
        free = np.setdiff1d(np.arange(self.dim), required.columns)
        mixed = free[along[np.ix_(free, proper)].any(axis=1)]
        if len(mixed):
            raise InputError(
                "a model with levels needs noise in which an objective that has a level is not correlated with one "
                f"that has none, as objective {mixed[0] + 1} has: give that a level too, or leave the model out."
            )
        least = np.zeros(self.dim)
        least[required.columns] = required.least
        return replace(self, centre=read_only(np.where(proper, least @ self.directions, np.nan)))

    def variance_of(self, n_designs: int) -> Floats:
        """Return the variances of one evaluation, (K, D), relative to the noise where that is unknown."""
        known = np.ones((1, self.dim)) if self.variances is None else self.variances
        return np.asarray(np.broadcast_to(known, (n_designs, self.dim)))


def axes_of(noise: Noise, dim: int, epsilon: float) -> Axes:
    """Return the axes of a normal noise; refuse any other noise."""
    if isinstance(noise, GaussianUnknown):
        if epsilon == 0:
            raise InputError(
                "a model with unknown noise needs epsilon above 0, which says on what scale to look; "
                "give an epsilon or noise.Gaussian(sigma)."
            )
        return Axes(read_only(np.eye(dim)), None, epsilon)
    if not isinstance(noise, Gaussian):
        raise InputError(
            f"a model needs normal noise (noise.Gaussian or noise.GaussianUnknown), got {noise.words}; "
            "leave the model out for any other."
        )
    covariances = noise.covariance(dim).reshape(-1, dim, dim)
    if all(np.count_nonzero(cov - np.diag(np.diag(cov))) == 0 for cov in covariances):
        directions = np.eye(dim)
    else:
        directions = np.linalg.eigh(covariances.sum(axis=0))[1]
    turned = directions.T @ covariances @ directions
    diagonal = np.einsum("kdd->kd", turned)
    rest = np.abs(turned - diagonal[:, :, None] * np.eye(dim)).max(initial=0.0)
    if rest > _COMMUTE * float(diagonal.max()):
        raise InputError(
            "a model needs noise whose correlations are the same for all designs; give one covariance, or one standard "
            "deviation a design and objective."
        )
    largest, least = (float(np.sqrt(end)) for end in (diagonal.max(), diagonal[diagonal > 0].min(initial=np.inf)))
    if (epsilon or largest) > _FINEST * least or not 1 / LARGEST_OF_MODEL <= least <= largest <= LARGEST_OF_MODEL:
        raise InputError(
            f"a model cannot compute with a standard deviation of {least:.3g} beside {epsilon or largest:.3g}: choose "
            f"units in which it lies between {1 / LARGEST_OF_MODEL:g} and {LARGEST_OF_MODEL:g}; where it is below "
            f"epsilon / {_FINEST:g}, evaluate every design once and compare the values with `front`."
        )
    return Axes(read_only(directions), read_only(np.maximum(diagonal, 0.0)), 0.0)
