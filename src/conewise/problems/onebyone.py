"""Problems whose objectives are measured one by one: a measurement is one objective of one design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conewise.errors import InputError
from conewise.feedback import Observations, Pulls, check_returned
from conewise.noise import Noise
from conewise.problems.simulated import Seed


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Another problem, of whose evaluations one objective is kept: cells k * D + d, each with a value of its own.

    What `identify` then counts are measurements, and every objective of every design has as many as it needs.

    >>> from conewise.noise import Gaussian
    >>> from conewise.problems.simulated import SimulatedBandit
    >>> cells = OneByOne(SimulatedBandit([[0, 5], [2, 1]], Gaussian([1, 2])))
    >>> cells.evaluate(Pulls([1, 2], [3, 4]), rng=0)  # the second objective of one design, the first of the other
    Observations(7 evaluations of 2 designs)
    """

    problem: Any
    """Whatever has `n_designs`, `dim`, and `evaluate(pulls, rng)` of whole rows; or a `Box`."""

    @property
    def n_designs(self) -> int:
        """The number of designs K, not of cells."""
        return int(self.problem.n_designs)

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return int(self.problem.dim)

    @property
    def assumption(self) -> Noise | None:
        """What the problem says of its noise."""
        return getattr(self.problem, "assumption", None)

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """Values (m, 1) of these cells: whole rows are drawn, and what was not asked for is left out."""
        if len(pulls.designs) and pulls.designs.max() >= self.n_designs * self.dim:
            raise InputError(f"cell {pulls.designs.max()} does not exist: there are {self.n_designs * self.dim} cells.")
        rows = Pulls(pulls.designs // self.dim, pulls.counts)
        told = check_returned(rows, self.problem.evaluate(rows, rng), self.dim)
        asked, given = (np.argsort(entries.designs, kind="stable") for entries in (rows, told))
        before, each = np.cumsum(told.counts[given]) - told.counts[given], np.arange(len(told))
        of = np.empty_like(each)  # the objective of each entry: those of a design in the order of its cells
        place = np.searchsorted(np.cumsum(rows.counts[asked]), before, side="right")
        of[given] = (pulls.designs % self.dim)[asked[place]]
        return Observations(
            told.designs * self.dim + of,
            told.means[each, of][:, None],
            told.counts,
            told.scatters[each, of, of][:, None, None],
        )
