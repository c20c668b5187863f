"""What the radii of every kind of noise have in common.

A radius is z * sqrt(q_i + q_j) + shift: q is the variance of a design's mean along a facet, known or estimated from the
same observations; z and the shift depend on the level and on the probability that a claim may spend.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from conewise._arrays import Floats, Indices
from conewise.certificate.looks import GROWTH, Levels, spending
from conewise.cones import Cone
from conewise.feedback import Statistics
from conewise.noise import Noise


@dataclass(frozen=True, eq=False)
class Radii(ABC):
    """The radii of one assumption."""

    cone: Cone
    noise: Noise
    n_designs: int
    delta: float

    growth: ClassVar[float] = GROWTH
    estimates: ClassVar[bool] = False
    """Whether variances come from the observations, so that snapshots must keep scatters."""
    claim_share: ClassVar[float] = 1.0
    """Part of delta left for claims."""
    shifted: ClassVar[bool] = False
    """Whether radii have a second term (`shifts`)."""
    any_direction: ClassVar[bool] = False
    """Whether radii hold along any one direction, fixed beforehand, not along facets only (docs/adaptive, 3.4)."""

    @property
    @abstractmethod
    def worst(self) -> Floats | None:
        """(N,) or (K, N): variances (proxies) that no design exceeds; None where nothing is known beforehand."""

    @abstractmethod
    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """(m, N): variance of one observation along the facets, to be used for means of so many observations."""

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """(m,): the same along the noisiest unit direction; infinite where radii hold along the facets only."""
        return np.full(len(designs), np.inf)

    @abstractmethod
    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...], offset: int) -> Floats:
        """(A, L): z by level, for looks at every level; rows in the order of `alphas`."""

    def alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """(A, L): the same for the average of one design, whose error is no difference (docs/adaptive, 9.2)."""
        return self.boundary(levels, anchor, alphas, 0)

    def schedule(self, most: float, due: float) -> Levels:
        """Levels until `most` is passed; `due` is the count at which near-ties are decided."""
        return Levels.up_to(most, due=due, growth=self.growth, least=3 if self.estimates else 1)

    def at_last(self, levels: Levels) -> Floats:
        """(N,) or (K, N): what `variances` can be at the last of the levels, at most."""
        worst = self.worst
        assert worst is not None
        return worst

    @property
    def centre(self) -> Floats | None:
        """(D,): where sums of squares that nobody may choose with hindsight begin; None where scatters will do."""
        return None

    def shifts(self, z: Floats, counts: Floats) -> Floats | None:
        """(..., N): what is added to the radius z * spread; None for nothing."""
        return None

    @property
    def alike(self) -> bool:
        """Whether variances are known, and the same for all designs."""
        return False

    def typical(self, pilots: Statistics) -> Floats:
        """(D, D): about the covariance of one observation; for planning, not for claims."""
        freedom = np.maximum(pilots.counts - 1, 0).sum()
        pooled = pilots.scatters.sum(axis=0) / max(int(freedom), 1)
        return np.asarray(pooled if freedom else np.eye(pilots.dim))


class PerLook(Radii):
    """A bound for one look each: looks are paid for by a union over them, unless a class knows better."""

    @abstractmethod
    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """How many standard deviations for one look, by the smaller count and the logarithm of what it may spend."""

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...], offset: int) -> Floats:
        """Each look spends its share."""
        counts = np.array(levels.counts, dtype=np.float64)
        logs = np.log(np.array(alphas))[:, None] + np.log(spending(levels, anchor))[None, :]
        return np.asarray(np.maximum.accumulate(self.quantiles(counts[None, :], logs), axis=0))


def sample_variances(cone: Cone, scatters: Floats | None, counts: Floats) -> Floats:
    """(m, N): unbiased sample variances along the facets; infinite from a single observation."""
    assert scatters is not None
    w = cone.facets
    total = np.maximum(np.einsum("nd,kde,ne->kn", w, scatters, w), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts[:, None] > 1, total / (counts[:, None] - 1), np.inf)
