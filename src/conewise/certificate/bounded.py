"""Bound the error of a difference of means where only an interval is given that holds every observation.

`EmpiricalBernstein` is for a sample that is looked at once. `AnytimeBernstein` holds at all levels at once, without a
union over looks. Take observations X in an interval of length R, a centre m chosen before X is seen, and 0 < x < 1:

    E exp(x (X - mean) / R - psi(x) ((X - m) / R)^2) <= 1,      psi(x) = -log(1 - x) - x

(Fan, Grama & Liu 2015; Howard et al. 2021). The products over both designs of a pair, averaged over some x, form a
supermartingale. It reaches 1 / a with probability a at most (Ville 1939). Proof: docs/adaptive, section 7.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from conewise.border import Floats, Indices
from conewise.certificate.looks import Levels
from conewise.certificate.radius import PerLook, Radii, sample_variances
from conewise.noise import Bounded

VARIANCE_SHARE: Final = 0.1
"""Part of delta for the bounds on the variances of a sample looked at once (tuned; any value is valid)."""
PARTS: Final = 8
"""Levels per octave where looks cost nothing (tuned, like the constants below; any value is valid)."""
INSIDE: Final = 0.05
"""Number added to a design's sum of squares, in squared ranges, as a multiple of log(K^2 / delta)."""
CURVE: Final = 0.27
"""The second term of a radius is this times z^2 R / g."""
LARGEST_ODDS: Final = 24.0
"""Value of x / (1 - x) for the largest x. The next x has half as much, and so on as far as the schedule makes sense."""
LARGEST_SQUARES: Final = 0.625
"""Largest sum of squares that is used, as a multiple of g R^2. Larger sums occur only after jumps over levels."""

_NEVER: Final = 1e6  # a z, or a standard deviation in ranges, that makes a radius larger than any error can be
_GRID: Final = 1.05  # ratio of neighbouring sums of squares at which a radius is held against the mixture
_STEPS: Final = 1.03  # ... and of the z that are tried
_SAFETY: Final = 1.001  # of z: covers what lies between the points of both grids (tested)


class InRange(Radii):
    """Radii that follow from an interval that holds every observation."""

    estimates = True
    shifted = True

    @cached_property
    def ranges(self) -> Floats:
        """(N,): the length of the interval that holds w_n.observation."""
        return 2 * self.noise.scales(self.rows)

    @cached_property
    def worst(self) -> Floats:
        """Largest variances: a variable in an interval of length R has variance R^2 / 4 at most (Popoviciu)."""
        return np.asarray(self.ranges**2 / 4)


class EmpiricalBernstein(InRange, PerLook):
    """Radii for one look: Bernstein's inequality with variances bounded from the data (Maurer & Pontil 2009)."""

    claim_share = 1 - VARIANCE_SHARE

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return upper bounds that hold for all designs and facets together, except with VARIANCE_SHARE of delta.

        With probability 1 - p, the standard deviation is at most the sample's plus R sqrt(2 log(1/p) / (n - 1)).
        """
        claims = self.n_designs * len(self.rows)
        reach = np.sqrt(2 * math.log(claims / (VARIANCE_SHARE * self.delta)) / np.maximum(counts - 1, 1e-300))
        bound = np.sqrt(sample_variances(self.rows, scatters, counts)) + self.ranges * reach[:, None]
        return np.asarray(np.minimum(bound**2, self.worst))

    def quantiles(self, counts: Floats, log_shares: Floats) -> Floats:
        """Return z of the main term."""
        return np.sqrt(-2 * log_shares) + 0.0 * counts

    def shift(self, part: int, z: Floats, counts: Floats) -> Floats:
        """Return Bernstein's second term.

        It is b log(1/p) / 3 for summands of size b: here b = R / n, and log(1/p) = z^2 / 2.
        """
        return np.asarray(z**2 / (6 * counts) * self.ranges[part])


class AnytimeBernstein(InRange):
    """Radii that are valid at all levels at once: a mixture of exponential supermartingales.

    Sums of squares are taken around centres that were chosen before. Let v be the sum of both designs' sums of squares,
    in squared ranges. The error of the sum of g differences stays below the u(v) at which the mixture is 1 / a. The
    radius z sqrt(v + inside) + CURVE z^2 is never below u(v).
    """

    growth = 2 ** (1 / PARTS)

    @cached_property
    def centre(self) -> Floats:
        """(D,): the middle of the box."""
        assert isinstance(self.noise, Bounded)
        return np.array(np.broadcast_to((self.noise.low + self.noise.high) / 2, (self.dim,)))

    @cached_property
    def inside(self) -> float:
        """Number added to each design's sum of squares, in squared ranges."""
        return INSIDE * math.log(self.n_designs**2 / self.delta)

    def schedule(self, most: float, due: float) -> Levels:
        """Return levels that begin at the first observation."""
        return Levels.up_to(most, due=0.0, growth=self.growth)

    def at_last(self, levels: Levels) -> Floats:
        """Return variances from the largest possible sum of squares."""
        return np.asarray((largest_squares(levels)[-1] + self.inside) / levels.counts[-1] * self.ranges**2)

    def variances(self, designs: Indices, scatters: Floats | None, counts: Floats) -> Floats:
        """Return variances from sums of squares around centres that were chosen before (`Checkpoints.centres`)."""
        assert scatters is not None
        squares = np.maximum(np.einsum("nd,kde,ne->kn", self.rows, scatters, self.rows), 0.0) / self.ranges**2
        each = (squares + self.inside) / np.maximum(counts, 1.0)[:, None] * self.ranges**2
        useless = counts[:, None] * (_NEVER * self.ranges) ** 2
        return np.where(squares <= LARGEST_SQUARES * counts[:, None] * _SAFETY, each, useless)

    def shift(self, part: int, z: Floats, counts: Floats) -> Floats:
        """Return the second term of the radius, CURVE z^2 R / g."""
        return np.asarray(CURVE * z**2 / counts * self.ranges[part])

    def boundary(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z of the mixture, which holds at all levels at once."""
        x0 = math.log(self.n_designs**2 / self.delta)
        return mixture_boundary(levels, tuple(alphas), self.inside, x0)

    def alone(self, levels: Levels, anchor: float, alphas: tuple[float, ...]) -> Floats:
        """Return z for the average of one design, from its own sum of squares."""
        x0 = math.log(self.n_designs**2 / self.delta)
        return mixture_boundary(levels, tuple(alphas), self.inside, x0, alone=True)


def largest_squares(levels: Levels) -> Floats:
    """Return the largest possible sum of squares of a design that lands on every level, in squared ranges: (L,).

    The scatter is at most g / 4. A mean moves by at most the share of new observations. The first centre is the middle
    of the interval.
    """
    counts = np.array(levels.counts, dtype=np.float64)
    moved = np.diff(counts) ** 2 / counts[1:]
    return np.asarray(counts / 4 + counts[0] / 4 + np.concatenate([[0.0], np.cumsum(moved)]))


def log_mixture(reach: Floats, squares: Floats, most: float, typical: float) -> Floats:
    """Return the logarithm of the mixture at a sum of errors and a sum of squares, in (squared) ranges.

    `most` is the largest sum of squares for which one of its members is meant. `typical` is a usual log(1 / a).
    """
    smallest = min(LARGEST_ODDS, math.sqrt(2 * typical / most))
    members = 1 + math.ceil(math.log2(LARGEST_ODDS / smallest))
    total = np.full(np.broadcast_shapes(reach.shape, squares.shape), -np.inf)
    for k in range(members):
        odds = LARGEST_ODDS * 2.0**-k
        x = odds / (1 + odds)
        total = np.logaddexp(total, x * reach - (math.log1p(odds) - x) * squares)  # psi(x) = log(1 + odds) - x
    return np.asarray(total - math.log(members))


@lru_cache(maxsize=64)
def mixture_boundary(
    levels: Levels, alphas: tuple[float, ...], inside: float, typical: float, alone: bool = False
) -> Floats:
    """Return z such that z sqrt(v + inside of both) + CURVE z^2 is never below u(v), for all v: (A, L).

    Use `alone` for the average of one design (docs/adaptive, 7).
    """
    counts = np.array(levels.counts, dtype=np.float64)
    designs = 1 if alone else 2
    most = LARGEST_SQUARES * _SAFETY * designs * counts
    points = math.ceil(math.log(most[-1] * 1e3) / math.log(_GRID)) + 1
    squares = np.concatenate([[0.0], np.geomspace(1e-3, most[-1], points)])
    z = _STEPS ** np.arange(-40.0, math.ceil(math.log(3 * math.sqrt(-2 * math.log(min(alphas)))) / math.log(_STEPS)))
    reach = z[:, None] * np.sqrt(squares + inside * designs) + CURVE * z[:, None] ** 2
    reached = np.minimum.accumulate(log_mixture(reach, squares[None, :], float(most[-1]), typical), axis=1)
    by_level = reached[:, np.minimum(np.searchsorted(squares, most), len(squares) - 1)]
    logs, found = -np.log(np.array(alphas)), np.empty((len(alphas), len(counts)))
    for level in range(len(counts)):
        found[:, level] = np.interp(logs, by_level[:, level], z, right=_NEVER) * _SAFETY
    return np.asarray(np.maximum.accumulate(found, axis=0))
