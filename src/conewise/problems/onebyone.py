"""Define problems in which each measurement is one objective of one design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conewise.data.observations import Observations, Pulls, check_returned
from conewise.errors import InputError
from conewise.noise import Noise
from conewise.problems.simulated import Seed


@dataclass(frozen=True, eq=False)
class OneByOne:
    """A problem that measures single objectives of another `problem`: cell k * D + d is objective d of design k.

    `identify` then counts measurements, and every objective of every design gets as many as it needs.

    >>> from conewise.noise import Gaussian
    >>> from conewise.problems.simulated import SimulatedBandit
    >>> cells = OneByOne(SimulatedBandit([[0, 5], [2, 1]], Gaussian([1, 2])))
    >>> cells.evaluate(Pulls([1, 2], [3, 4]), rng=0)  # the second objective of one design, the first of the other
    Observations(7 evaluations of 2 designs)
    """

    problem: Any
    """A `Box`, or any problem with `n_designs`, `dim`, and an `evaluate(pulls, rng)` that returns whole rows."""

    @property
    def n_designs(self) -> int:
        """Number of designs K, not of cells."""
        return int(self.problem.n_designs)

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return int(self.problem.dim)

    @property
    def assumption(self) -> Noise | None:
        """Assumption about the noise of the problem."""
        return getattr(self.problem, "assumption", None)

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """Return values (m, 1) of the given cells. Whole rows are drawn, and objectives not asked for are dropped."""
        if len(pulls.designs) and pulls.designs.max() >= self.n_designs * self.dim:
            raise InputError(f"cell {pulls.designs.max()} does not exist: there are {self.n_designs * self.dim} cells.")
        rows = Pulls(pulls.designs // self.dim, pulls.counts)
        told = check_returned(rows, self.problem.evaluate(rows, rng), self.dim)
        asked, given = (np.argsort(entries.designs, kind="stable") for entries in (rows, told))
        before, each = np.cumsum(told.counts[given]) - told.counts[given], np.arange(len(told))
        of = np.empty_like(each)  # the objective of each entry, in the order of the cells of a design
        place = np.searchsorted(np.cumsum(rows.counts[asked]), before, side="right")
        of[given] = (pulls.designs % self.dim)[asked[place]]
        return Observations(
            told.designs * self.dim + of,
            told.means[each, of][:, None],
            told.counts,
            told.scatters[each, of, of][:, None, None],
        )
