"""Hold the three numbers of every pair in tables, for designs that met the same blocks (docs/blocks, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.weights import Standing


@dataclass(frozen=True, eq=False)
class Tabled:
    """All pairs of some designs (`Pairs`), from a function of the standing that gives tables of all pairs (K, K)."""

    tables: Callable[[Standing], tuple[Bools, Floats, Floats]]
    """For a standing: `dominated`, `no_worse_at` and `covered_at`."""
    designs: Indices
    standing: Standing

    @cached_property
    def _mine(self) -> tuple[Bools, Floats, Floats]:
        beats, fine_at, cover_at = self.tables(self.standing)
        here = np.ix_(self.designs, self.designs)
        return beats[here], fine_at[here], cover_at[here]

    def among(self, which: Bools, standing: Standing) -> Self:
        return replace(self, designs=self.designs[which], standing=standing)

    def dominated(self, rows: Indices, columns: Indices) -> Bools:
        return self._mine[0][np.ix_(rows, columns)]

    def no_worse_at(self, rows: Indices, columns: Indices) -> Floats:
        return self._mine[1][np.ix_(rows, columns)]

    def covered_at(self, rows: Indices, columns: Indices, below: Floats) -> Floats:
        return self._mine[2][np.ix_(rows, columns)]

    def strong(self, most: int) -> Indices:
        """Return the first designs. Tables of so many that they would have to be chosen do not fit into memory."""
        return np.arange(min(most, len(self.designs)))

    def unmoved(self, before: Any, name: str) -> tuple[Indices, Indices]:
        """Return no designs, because tables are computed as a whole."""
        return self.designs[:0], self.designs[:0]
