"""Allow for what equal values may hide where noise is estimated: values are rounded (docs/adaptive, section 7).

Let h be the step in which an objective was recorded. A sample variance far below h depends more on the step than on the
noise. Where a design's standard deviation in an objective is below h / 2, it is raised by all that rounding can take
away. The mean then counts as off by up to h / 2. Two designs whose values are all equal are not compared in that
objective. From h / 2 on nothing changes: there the noise itself smooths the rounding out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats
from conewise.data.observations import Statistics
from conewise.data.resolution import SAME
from conewise.noise import GaussianUnknown, Noise
from conewise.noise.mixed import kinds_of

COARSE: Final = 0.5
"""A standard deviation below this share of the step counts as hidden by it."""

_NO_STEP: Final = 1e-300  # for values given as averages: one that never varies does not show its noise


@dataclass(frozen=True, eq=False)
class Coarse:
    """Designs whose spread is hidden by the steps of recorded values, and the cost of that for each part.

    (A part is a facet, or the share of one kind of noise in it; the last columns are for any other unit direction.)
    """

    slacks: Floats
    """(m, P + W): how far an observation, and so a mean, may be off."""
    still: Bools
    """(m, P + W): no observation differs from the others: two such designs have not met."""

    def raised(self, variances: Floats, counts: Floats) -> Floats:
        """Return sample variances that are not below those of the values before rounding: (m, P or P + W).

        `counts` has one column for each part, or one for all: (m, 1).

        Standard deviations obey the triangle inequality. That of n errors of at most e is at most e sqrt(n / (n - 1)).
        """
        spread = np.sqrt(counts / np.maximum(counts - 1, 1e-300))
        slacks = self.slacks[:, : variances.shape[1]]
        return np.asarray(np.where(slacks > 0, (np.sqrt(variances) + slacks * spread) ** 2, variances))


@dataclass(frozen=True, eq=False)
class Rounding:
    """The steps in which each objective was recorded."""

    steps: Floats
    """(D,): step of each objective; infinite where values do not show it, 0 where it does not matter."""
    still: Floats
    """(D,): step for designs whose values are all equal; also infinite where values have no step in common."""

    @classmethod
    def of(cls, noise: Noise, statistics: Statistics) -> Rounding:
        """Return the steps as declared, or as the values show them (`Distinct.steps`).

        Objectives of other kinds of noise count as recorded exactly: nothing is estimated from their spread.
        """
        estimated = Estimated.of(noise, statistics.dim)
        if not estimated.any:
            return cls(np.zeros(statistics.dim), np.zeros(statistics.dim))
        steps, shown = statistics.distinct.steps(_allowed(statistics))
        seen = np.where(statistics.distinct.numbers == 1, np.inf, np.maximum(steps, _NO_STEP))
        still = np.where(shown, seen, np.inf)
        known, still = (np.where(np.isnan(estimated.steps), own, estimated.steps) for own in (seen, still))
        return cls(np.where(estimated.columns, known, 0.0), np.where(estimated.columns, still, 0.0))

    @property
    def key(self) -> bytes:
        """Key of the steps: equal keys, equal steps."""
        return self.steps.tobytes() + self.still.tobytes()

    def hides(self, spreads: Floats) -> Bools:
        """Return where designs with these standard deviations are hidden by the steps: (m, D)."""
        return np.asarray((spreads < COARSE * self.steps) | ((spreads == 0) & (self.steps > 0)))

    def coarse(self, weights: Floats, anywhere: Bools, spreads: Floats) -> Coarse | None:
        """Return what rounding hides of designs with these standard deviations, (m, D); None where nothing is hidden.

        `weights` (P, D) are the weights of objectives in parts, `anywhere` (W, D) the objectives of other directions
        (docs/adaptive, 7).
        """
        hidden = self.hides(spreads)
        if not hidden.any():
            return None
        w = np.abs(weights)
        still = hidden & (spreads == 0)
        halves = np.where(still, self.still / 2, np.where(hidden, self.steps / 2, 0.0))
        # the most that a unit direction can make of them
        lengths = [np.linalg.norm(np.where(some, halves, 0.0), axis=1) for some in anywhere]
        along = (still[:, None, :] & np.concatenate([w > 0, anywhere])[None]).any(axis=2)
        return Coarse(np.column_stack([_weighted(halves, w), *lengths]), along)


@dataclass(frozen=True, eq=False)
class Estimated:
    """The objectives whose noise is normal and of unknown size."""

    columns: Bools
    """(D,)"""
    steps: Floats
    """(D,): declared steps; NaN where a step is to be estimated from the values."""

    @classmethod
    def of(cls, noise: Noise, dim: int) -> Estimated:
        """Return the normal objectives of unknown size of an assumption."""
        columns, steps = np.zeros(dim, dtype=bool), np.full(dim, np.nan)
        for kind in kinds_of(noise, dim):
            if isinstance(kind.noise, GaussianUnknown):
                columns[kind.columns], steps[kind.columns] = True, kind.noise.steps(len(kind.columns))
        return cls(columns, steps)

    @property
    def any(self) -> bool:
        """True if there are such objectives."""
        return bool(self.columns.any())


def never_varied(noise: Noise, statistics: Statistics) -> Bools:
    """Return objectives of unknown noise in which no repeated design varied, (D,): their noise cannot be estimated.

    Nothing is decided on such an objective, however often it is evaluated. Only a declaration can make it exact.
    """
    part = statistics.of(np.flatnonzero(statistics.counts >= 2))
    still = (spreads_of(part.scatters, part.means, part.counts.astype(np.float64)) == 0).all(axis=0)
    return np.asarray(still & (Rounding.of(noise, statistics).steps > 0) & (len(part.counts) > 0))


def _allowed(statistics: Statistics) -> list[Floats]:
    """Return for each objective the largest step which each design that varies allows, ascending.

    If n values with a step h are not all equal, at least one of them is off by h. Their scatter is then (1 - 1/n) h^2
    or more.
    """
    part = statistics.of(np.flatnonzero(statistics.counts >= 2))
    counts = part.counts.astype(np.float64)
    apart = spreads_of(part.scatters, part.means, counts) * np.sqrt(counts)[:, None]
    return [np.sort(own[own > 0]) for own in apart.T]


def spreads_of(scatters: Floats, means: Floats, counts: Floats) -> Floats:
    """Return sample standard deviations, (m, D).

    They are 0 only where all values are equal (`SAME`), and infinite for single values.
    """
    squares = np.diagonal(scatters, axis1=1, axis2=2)
    same = squares <= SAME**2 * (squares + counts[:, None] * means**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        spreads = np.sqrt(squares / np.maximum(counts - 1, 0.0)[:, None])
    return np.where(counts[:, None] > 1, np.where(same, 0.0, spreads), np.inf)


def _weighted(values: Floats, weights: Floats) -> Floats:
    """Return sums over the objectives, (m, N); an objective with weight 0 adds nothing, even if it is infinite."""
    total = np.zeros((len(values), len(weights)))
    for n, row in enumerate(weights):
        for d in np.flatnonzero(row):
            total[:, n] += row[d] * values[:, d]
    return total
