"""Identification with a model where objectives are measured one by one: which objective of which design is next.

A *cell* is one objective of one design, numbered as in `adaptive.separate`. The posterior certificate does not mind
what was measured (docs/posterior, section 7): every objective has a posterior of its own, given the designs in which it
was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from conewise.border import Floats
from conewise.certificate.streams import Streams
from conewise.data.observations import Counts, Pulls
from conewise.errors import InputError
from conewise.models.certificate import Look
from conewise.rules.adaptive.contrasts import next_cells
from conewise.rules.adaptive.modelled import PosteriorRule
from conewise.rules.adaptive.separate import SeparateElimination
from conewise.rules.contract import INDEPENDENT


@dataclass(frozen=True, eq=False)
class SeparateModelGuided(PosteriorRule[Streams]):
    """Measures the objective of the design that leaves least open for its price, by a model of the designs.

    As `ModelGuided`, with cells in the place of designs. A measurement costs the price of its objective
    (`Objective(price=...)`) times that of its design (`prices`). `confirm` measures every objective of the returned
    designs at least once. The noise of different objectives has to be independent.

    >>> from conewise import Cone, Question, models, noise
    >>> question = Question(Cone.orthant(2), 0.1, 0.05, noise.Gaussian([0.1, 0.2]))
    >>> rule = SeparateModelGuided(question, 3, model=models.Independent())
    >>> rule.ask(rule.start())  # nothing else says anything about them
    Pulls(6 evaluations of 6 designs)

    Reference: docs/posterior, section 7.
    """

    unseen: ClassVar[str] = "of which not every objective was measured"
    unseen_one: ClassVar[str] = unseen
    measured: ClassVar[str] = f"{INDEPENDENT}, objectives measured separately"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.array_equal(self.certificate.axes.directions, np.eye(self.dim)):
            raise InputError(
                "a model of objectives that are measured one by one needs noise that is independent between them, got "
                "a covariance with correlations: give one standard deviation an objective, noise.Gaussian([...]), or "
                "leave the model out."
            )

    @cached_property
    def for_every_truth(self) -> SeparateElimination:
        """Looks at each objective."""
        return SeparateElimination(self.question, self.n_designs, max_evaluations=self.max_evaluations)

    @property
    def parts(self) -> int:
        """One objective at a time."""
        return self.dim

    def times(self, state: Streams) -> Counts:
        """(K, D): how often each cell was measured."""
        return state.seen.repetitions

    def chosen(self, look: Look, state: Streams, count: int) -> Pulls:
        """The largest reduction for its price, one cell after the other (docs/posterior, section 7)."""
        return next_cells(look, self.certificate, count, self._prices)

    @cached_property
    def _prices(self) -> Floats:
        """(K, D): of measuring each cell."""
        designs = np.ones(self.n_designs) if self.prices is None else np.asarray(self.prices)
        return np.outer(designs, self.for_every_truth.prices)
