"""What the radii of every kind of noise have in common.

A radius is z * sqrt(q_i + q_j) + shift: q is the variance of a design's mean along a row (a facet), known or estimated
from the same observations; z and the shift depend on the level and on the probability that a claim may spend. Where
objectives differ in their kind of noise, a radius is a sum of such *parts*, one for each kind that a row weighs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.looks import GROWTH, Levels, spending
from conewise.data.observations import Statistics
from conewise.noise import Noise

FEWEST: Final = 3
"""Variances are estimated from so many observations on."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What the parts of radii are about."""

    weights: Floats
    """(P, D): how a part weighs the objectives."""
    anywhere: Bools
    """(W, D): the objectives that the parts of radii along any unit direction are about."""


@dataclass(frozen=True, eq=False)
class Radii(ABC):
    """The radii of one assumption."""

    rows: Floats
    """(N, D): along which means are compared; unit vectors, or what one kind of noise sees of them."""
    noise: Noise
    n_designs: int
    delta: float

    growth: float = field(default=GROWTH, init=False)
    """Ratio of two levels."""
    estimates: bool = field(default=False, init=False)
    """Whether variances come from the observations, so that snapshots must keep scatters."""
    claim_share: float = field(default=1.0, init=False)
    """Part of delta left for claims."""
    shifted: bool = field(default=False, init=False)
    """Whether radii have a second term (`shift`)."""
    any_direction: bool = field(default=False, init=False)
    """Whether radii hold along any one direction, fixed beforehand, not along rows only (docs/adaptive, 3.4)."""
    summed: bool = field(default=False, init=False)
    """Whether radii are sums of parts (`combined`)."""

    @property
    def dim(self) -> int:
        """The number of objectives."""
        return int(self.rows.shape[1])

    # -- parts -------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> Parts:
        """One part a row, unless a class knows better."""
        return Parts(self.rows, np.ones((1, self.dim), dtype=bool))

    @property
    def facet_of(self) -> Indices:
        """(P + W,): the row of each part, and N for those along any direction."""
        return np.arange(len(self.rows) + 1)

    def combined(self, parts: Floats) -> Floats:
        """(N or N + 1, ...): radii from their parts, (P, ...), or (P + W, ...) with those along any direction."""
        return parts

    def boundaries(self, levels: Levels, anchor: float, alphas: tuple[float, ...], out: bool) -> Floats:
        """(P + W or 1, A, L): z of each part by level; `out` for "beaten" and "covered", else for "fine"."""
        return self.boundary(levels, anchor, alphas)[None]

    def boundaries_alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """(P or 1, A, L): `boundaries` of one design's average, whose error is no difference (docs/adaptive, 9.2)."""
        return self.alone(levels, anchor, alphas)[None]

    # -- of one part -------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def worst(self) -> Floats | None:
        """(P,) or (K, P): variances (proxies) that no design exceeds; None where nothing is known beforehand."""

    @abstractmethod
    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """(m, P): variance of one observation along the parts, to be used for means of so many observations."""

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """(m,) or (m, W): variance along the noisiest unit direction; infinite where radii hold along the rows only."""
        return np.full(len(designs), np.inf)

    @abstractmethod
    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """(A, L): z by level, for looks at every level; rows in the order of `alphas`."""

    def alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """(A, L): `boundary` of the average of one design, whose error is no difference (docs/adaptive, 9.2)."""
        return self.boundary(levels, anchor, alphas)

    def schedule(self, most: float, due: float) -> Levels:
        """Levels until `most` is passed; `due` is the count at which near-ties are decided."""
        return Levels.up_to(most, due=due, growth=self.growth, least=FEWEST if self.estimates else 1)

    def at_last(self, levels: Levels) -> Floats:
        """(P,) or (K, P): what `variances` can be at the last of the levels, at most."""
        worst = self.worst
        assert worst is not None
        return worst

    @property
    def centre(self) -> Floats | None:
        """(D,): where sums of squares that nobody may choose with hindsight begin; None where scatters will do."""
        return None

    def shift(self, part: int, z: Floats, counts: Floats) -> Floats | float:
        """What is added to the radius z * spread of a part."""
        return 0.0

    @property
    def alike(self) -> bool:
        """Whether variances are known, and the same for all designs."""
        return False

    def typical(self, pilots: Statistics) -> Floats:
        """(D, D): about the covariance of one observation; for planning, not for claims."""
        freedom = np.maximum(pilots.counts - 1, 0).sum()
        pooled = pilots.scatters.sum(axis=0) / max(int(freedom), 1)
        return np.asarray(pooled if freedom else np.eye(pilots.dim))

    def planned(self, variances: Floats) -> Floats:
        """(m, N): variances along the rows from those of the parts; for planning, not for claims."""
        return variances


class AtOnce(Radii):
    """Radii that may also be used for a single look, at any counts."""

    @abstractmethod
    def at_once(self, counts: Floats, log_share: float, out: bool) -> Floats:
        """(P + W or 1, counts): z of each part, by the smaller count and the logarithm of what the look may spend."""


class PerLook(AtOnce):
    """A bound for one look each: looks are paid for by a union over them, unless a class knows better."""

    def at_once(self, counts: Floats, log_share: float, out: bool) -> Floats:
        """The same z for all."""
        return self.quantiles(counts, np.full(len(counts), log_share))[None]

    @abstractmethod
    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """How many standard deviations for one look, by the smaller count and the logarithm of what it may spend."""

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Each look spends its share."""
        counts = np.array(levels.counts, dtype=np.float64)
        logs = np.log(np.array(alphas))[:, None] + np.log(spending(levels, anchor))[None, :]
        return np.asarray(np.maximum.accumulate(self.quantiles(counts[None, :], logs), axis=0))


def sample_variances(rows: Floats, scatters: Floats | None, counts: Floats) -> Floats:
    """(m, N): unbiased sample variances along the rows; infinite from a single observation."""
    assert scatters is not None
    total = np.maximum(np.einsum("nd,kde,ne->kn", rows, scatters, rows), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts[:, None] > 1, total / (counts[:, None] - 1), np.inf)
