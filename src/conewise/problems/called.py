"""Define problems whose designs are evaluated by a plain function in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError
from conewise.problems.evaluators import EvaluationFailed, LocalFunction, Row
from conewise.problems.simulated import Seed, as_generator

_SEEDS = 2**63


@dataclass(frozen=True, eq=False)
class Called:
    """A function of a design (a dict of its columns and its name) and a seed that returns a number for each objective.

    Values are in the user's own signs and units. A run with the same `rng` calls the function with the same seeds. An
    evaluation that fails ends the run; a study (`run_study`) would try again.

    >>> called = Called(lambda design, seed: [design["x"], 1.0], ("a", "b"), ({"x": 0}, {"x": 2}), ("f1", "f2"))
    >>> called.evaluate(Pulls([0, 1], [1, 3]), rng=0)
    Observations(4 evaluations of 2 designs)
    """

    function: Callable[[dict[str, Any], int], Any]
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    """Columns of each design, which the function receives."""
    objectives: tuple[str, ...]

    assumption = None
    """None: nothing is known about the noise of a function."""

    def __post_init__(self) -> None:
        LocalFunction(self.function).check(())

    @property
    def n_designs(self) -> int:
        """Number of designs K."""
        return len(self.names)

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return len(self.objectives)

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """Return one entry for each evaluation; each evaluation has its own seed."""
        designs = np.repeat(pulls.designs, pulls.counts)
        seeds = as_generator(rng).integers(_SEEDS, size=len(designs)).tolist()
        call, values = LocalFunction(self.function), np.empty((len(designs), self.dim))
        for place, (design, seed) in enumerate(zip(designs.tolist(), seeds, strict=True)):
            row = {"name": self.names[design], **self.rows[design]}
            try:
                values[place] = call.evaluate(row, seed, self.objectives)
            except EvaluationFailed as failure:
                raise InputError(
                    f"an evaluation of {self.names[design]!r} gave no values: {str(failure).rstrip('.')}; a study "
                    "tries again where that may happen (Study.create and run_study)."
                ) from failure
        return Observations.single(designs, values)
