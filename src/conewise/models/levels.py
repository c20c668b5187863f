"""Compare draws of values with the levels that designs have to meet.

Whether a design meets a level depends on its value itself and not only on how designs differ. So the common level of an
objective that has a level cannot stay flat: it is normal around what is acceptable, with one of several standard
deviations (docs/posterior, section 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices, read_only
from conewise.question.question import Question

WIDTHS: Final = (10.0, 100.0, 1000.0)
"""Standard deviations of a common level around what is acceptable, in units: from near to anywhere."""

_BEYOND: Final = -1e200  # a facet value below all others, whose differences are numbers


@dataclass(frozen=True, eq=False)
class Required:
    """Levels as an algorithm uses them: in steps of which more is better."""

    columns: Indices  # (R,): the objectives that have a level
    least: Floats  # (R,): the least that is acceptable
    keeps: bool  # True if no direction of improvement trades one of these objectives away (docs/adaptive, 9.1)

    @classmethod
    def of(cls, question: Question) -> Required | None:
        """Return the levels of a question; None if it has none."""
        each = question.columns.each
        columns = [d for d, objective in enumerate(each) if objective.level is not None]
        if not columns:
            return None
        least = np.array([each[d].level for d in columns], dtype=np.float64)
        return cls(read_only(np.array(columns, dtype=np.intp)), read_only(least), question.keeps_levels)

    def spare(self, values: Floats) -> Spare:
        """Compare draws of values, (B, A, D), with the levels."""
        return Spare(values[:, :, self.columns] - self.least, self.keeps)


@dataclass(frozen=True, eq=False)
class Spare:
    """The margins by which A designs meet their levels in each of B draws."""

    each: Floats  # (B, A, R): below 0 where a level is missed
    keeps: bool

    @property
    def least(self) -> Floats:
        """(B, A): at the level where that is least."""
        return np.asarray(self.each.min(axis=2))

    @property
    def acceptable(self) -> Bools:
        """(B, A): True where a design misses no level."""
        return np.asarray((self.each >= 0).all(axis=2))

    def part(self, designs: Indices | Bools | slice) -> Spare:
        """Return the same for some designs."""
        return Spare(self.each[:, designs], self.keeps)

    def of_those(self, z: Floats) -> Floats:
        """Return facet values, (B, A, N), in which a design that misses a level is below all others."""
        return np.asarray(np.where(self.acceptable[:, :, None], z, _BEYOND))
