"""Bound gains from below where objectives differ in their kind of noise: add the bounds (docs/blocks, section 8).

Along a facet w the gain of a pair is the sum of the gains in the bounded, the normal and the known objectives. Let w
weigh G noisy kinds. Each stays above its own lower bound except with probability a / G. So the gain stays above the sum
of the bounds except with probability a, however the kinds depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.kinds import Kinds
from conewise.certificate.blocks.wagers import HAIR, chunks, lower_bounds


@dataclass(frozen=True, eq=False)
class MixedBounds:
    """Lower bounds along the facets (N, D) of a cone, for objectives of several kinds."""

    facets: Floats
    kinds: Kinds
    stakes: Floats
    population: int | None
    looks: int
    """Number of looks at normal differences that share a probability."""
    scale: float

    @cached_property
    def noisy(self) -> Bools:
        """(N,): facets that weigh an objective with noise."""
        return self._shared > 0

    @cached_property
    def _shared(self) -> Indices:
        """(N,): number of noisy kinds that a facet weighs."""
        weighs = [(self.facets[:, columns] != 0).any(axis=1) for columns in (self.kinds.bounded, self.kinds.normal)]
        return np.asarray(np.sum(weighs, axis=0, dtype=np.intp))

    def bounded(self, values: Floats, shares: tuple[float, ...]) -> Floats:
        """Return lower bounds of the gains of j over i in the bounded objectives, for A probabilities: (A, m, m, N).

        Values (m, T, D) are on the blocks up to a look, NaN where a design lacks one; i is a row. Bounds come from
        bets, wherever one would be won.
        """
        found = np.zeros((len(shares), len(values), len(values), len(self.facets)))
        for here, each in self._among(shares):
            if len(self.kinds.bounded):
                found[..., here] += self._bounded(values, each, here)
        return found

    def others(self, values: Floats, steps: Floats, shares: tuple[float, ...]) -> Floats:
        """Return lower bounds of the gains in the normal objectives, recorded in these steps, and in the exact ones."""
        offered = self.kinds.given(values) @ self.facets[:, self.kinds.known].T
        gains = offered[None, :, :] - offered[:, None, :]
        found = np.repeat(np.where(np.isnan(gains), -np.inf, gains)[None], len(shares), axis=0)
        for here, each in self._among(shares):
            if len(self.kinds.normal):
                found[..., here] += self._normal(values, steps, each, here)
        found[np.isnan(found)] = -np.inf
        return found

    def _among(self, shares: tuple[float, ...]) -> Iterator[tuple[Indices, tuple[float, ...]]]:
        """Yield facets that weigh equally many noisy kinds, with what each of these kinds may spend."""
        for kinds in np.unique(self._shared[self._shared > 0]):
            yield np.flatnonzero(self._shared == kinds), tuple(share / kinds for share in shares)

    def _normal(self, values: Floats, steps: Floats, shares: tuple[float, ...], facets: Indices) -> Floats:
        """Return bounds from Student's t along the normal objectives of some facets (docs/blocks, sections 5 and 8)."""
        columns = self.kinds.normal
        rows = self.facets[np.ix_(facets, columns)]
        seen = Differences.of(values[:, :, columns], rows, steps[columns], self.population)
        weighed = (rows != 0).any(axis=1)
        found = [seen.gains - seen.radii(share / self.looks, self.scale)[0] for share in shares]
        return np.where(weighed, np.array(found), 0.0)

    def _bounded(self, values: Floats, shares: tuple[float, ...], facets: Indices) -> Floats:
        """Return bounds from bets along the bounded objectives of some facets (docs/blocks, sections 4 and 8)."""
        m, columns = len(values), self.kinds.bounded
        rows = self.facets[np.ix_(facets, columns)]
        weighed = np.flatnonzero((rows != 0).any(axis=1))
        found = np.zeros((len(shares), m, m, len(facets)))
        if not len(weighed):
            return found
        reach = np.abs(rows[weighed]) @ (self.kinds.high - self.kinds.low)[columns]
        scaled = values[:, :, columns] @ rows[weighed].T / reach
        needed = -(self.scale**2) * np.log(shares)
        first, second = (side.ravel() for side in np.indices((m, m)))
        first, second = first[first != second], second[first != second]
        for part in chunks(len(first), scaled[0].size):
            i, j = first[part], second[part]
            low = lower_bounds(scaled[j] - scaled[i], needed, self.stakes, self.population) - HAIR
            for which in range(len(shares)):
                found[which, i[:, None], j[:, None], weighed] = low[..., which] * reach
        return found
