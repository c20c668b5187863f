"""Define what the radii of every kind of noise share.

A radius is z * sqrt(q_i + q_j) + shift. Here q is the variance of a design's mean along a row (a facet), known or
estimated from the same observations. z and the shift depend on the level and on the probability that a claim may spend.
Where objectives differ in their kind of noise, a radius is a sum of such *parts*, one for each kind that a row weighs.
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
"""Least number of observations from which variances are estimated."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The weights of the objectives in each part of a radius."""

    weights: Floats
    """(P, D): how a part weighs the objectives."""
    anywhere: Bools
    """(W, D): True for the objectives in a part along any unit direction."""


@dataclass(frozen=True, eq=False)
class Radii(ABC):
    """The radii of one assumption."""

    rows: Floats
    """(N, D): unit vectors along which means are compared, or their parts in the objectives of one kind of noise."""
    noise: Noise
    n_designs: int
    delta: float

    growth: float = field(default=GROWTH, init=False)
    """Ratio of two levels."""
    estimates: bool = field(default=False, init=False)
    """True if variances come from the observations, so that snapshots must keep scatters."""
    claim_share: float = field(default=1.0, init=False)
    """Part of delta left for claims."""
    shifted: bool = field(default=False, init=False)
    """True if radii have a second term (`shift`)."""
    any_direction: bool = field(default=False, init=False)
    """True if radii hold along any one direction that is fixed beforehand, not only along rows (docs/adaptive, 3.4)."""
    summed: bool = field(default=False, init=False)
    """True if radii are sums of parts (`combined`)."""

    @property
    def dim(self) -> int:
        """The number of objectives."""
        return int(self.rows.shape[1])

    # -- parts -------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> Parts:
        """The parts of the rows: one part for each row, unless a class overrides it."""
        return Parts(self.rows, np.ones((1, self.dim), dtype=bool))

    @property
    def facet_of(self) -> Indices:
        """(P + W,): the row of each part, and N for those along any direction."""
        return np.arange(len(self.rows) + 1)

    def combined(self, parts: Floats) -> Floats:
        """Return radii (N or N + 1, ...) from their parts, (P, ...), or (P + W, ...) with those along any direction."""
        return parts

    def boundaries(self, levels: Levels, anchor: float, alphas: tuple[float, ...], out: bool) -> Floats:
        """Return z of each part by level, (P + W or 1, A, L); `out` for "beaten" and "covered", else for "fine"."""
        return self.boundary(levels, anchor, alphas)[None]

    def boundaries_alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return `boundaries` for the average of one design: (P or 1, A, L) (docs/adaptive, 9.2)."""
        return self.alone(levels, anchor, alphas)[None]

    # -- of one part -------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def worst(self) -> Floats | None:
        """(P,) or (K, P): variances (proxies) that no design exceeds; None where nothing is known beforehand."""

    @abstractmethod
    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return variances of one observation along the parts, (m, P), for means of so many observations."""

    def widest(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return variances along the noisiest unit direction, (m,) or (m, W); infinite without `any_direction`."""
        return np.full(len(designs), np.inf)

    @abstractmethod
    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z by level, (A, L), for looks at every level; rows are in the order of `alphas`."""

    def alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return `boundary` for the average of one design, which is no difference (docs/adaptive, 9.2)."""
        return self.boundary(levels, anchor, alphas)

    def schedule(self, most: float, due: float) -> Levels:
        """Return levels until `most` is passed; `due` is the count at which near-ties are decided."""
        return Levels.up_to(most, due=due, growth=self.growth, least=FEWEST if self.estimates else 1)

    def at_last(self, levels: Levels) -> Floats:
        """Return the largest possible `variances` at the last level: (P,) or (K, P)."""
        worst = self.worst
        assert worst is not None
        return worst

    @property
    def centre(self) -> Floats | None:
        """(D,): first centres of sums of squares, fixed before any observation; None where scatters are enough."""
        return None

    def shift(self, part: int, z: Floats, counts: Floats) -> Floats | float:
        """Return the number that is added to the radius z * spread of a part."""
        return 0.0

    @property
    def alike(self) -> bool:
        """True if variances are known, and equal for all designs."""
        return False

    def typical(self, pilots: Statistics) -> Floats:
        """Return an approximate covariance of one observation, (D, D); for planning, not for claims."""
        freedom = np.maximum(pilots.counts - 1, 0).sum()
        pooled = pilots.scatters.sum(axis=0) / max(int(freedom), 1)
        return np.asarray(pooled if freedom else np.eye(pilots.dim))

    def planned(self, variances: Floats) -> Floats:
        """Return variances along the rows, (m, N), from those of the parts; for planning, not for claims."""
        return variances


class AtOnce(Radii):
    """Radii that may also be used for a single look, at any counts."""

    @abstractmethod
    def at_once(self, counts: Floats, log_share: float, out: bool) -> Floats:
        """Return z of each part, (P + W or 1, counts), by the smaller count and the log of the share."""


class PerLook(AtOnce):
    """Radii from a bound for one look: a union over the looks pays for them, unless a class overrides it."""

    def at_once(self, counts: Floats, log_share: float, out: bool) -> Floats:
        """Return one z for all parts."""
        return self.quantiles(counts, np.full(len(counts), log_share))[None]

    @abstractmethod
    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return z for one look, by the smaller count and the logarithm of what the look may spend."""

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z by level, for which each look spends its share."""
        counts = np.array(levels.counts, dtype=np.float64)
        logs = np.log(np.array(alphas))[:, None] + np.log(spending(levels, anchor))[None, :]
        return np.asarray(np.maximum.accumulate(self.quantiles(counts[None, :], logs), axis=0))


def sample_variances(rows: Floats, scatters: Floats | None, counts: Floats) -> Floats:
    """Return unbiased sample variances along the rows, (m, N); infinite from a single observation."""
    assert scatters is not None
    total = np.maximum(np.einsum("nd,kde,ne->kn", rows, scatters, rows), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts[:, None] > 1, total / (counts[:, None] - 1), np.inf)
