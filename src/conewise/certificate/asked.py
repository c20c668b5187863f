"""What every certificate has in common: the question, what claims may spend, and how claims follow from comparisons.

A certificate says how designs compare (`table`, `boundaries`) and what is known of their levels (`bounds`); all else
is the same whether it looks once or again and again, at rows or at one objective by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from conewise.border import Indices
from conewise.certificate.boundaries import Boundaries, Comparisons
from conewise.certificate.claims import Certified, Claims, Struck, Worked, certified, judge
from conewise.certificate.pairs import Lens, PairTable
from conewise.certificate.radii import radii_for
from conewise.certificate.radius import Radii
from conewise.certificate.requirements import Bounds, Requirements
from conewise.certificate.rounding import Estimated, Rounding
from conewise.certificate.tuning import TUNING, Tuning
from conewise.certificate.weights import Spending, Standing, Weights
from conewise.data.observations import Statistics
from conewise.errors import InputError
from conewise.noise import Noise
from conewise.order.budgets import check_designs
from conewise.question.question import Answering, Question, as_question

Observed = TypeVar("Observed")
"""What was observed: statistics, or a state."""


@dataclass(frozen=True, eq=False)
class Asked(Answering, ABC, Generic[Observed]):
    """A certificate: a frozen question, the radii that its noise allows, and what claims may spend."""

    question: Question
    n_designs: int
    _: KW_ONLY
    tuning: Tuning = TUNING

    once: ClassVar[bool] = False
    """Whether the observations are looked at a single time."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        object.__setattr__(self, "question", as_question(self.question, self.n_designs, levels=True))
        _ = self.noise  # without an assumption nothing can be certified

    @property
    def noise(self) -> Noise:
        """What is assumed of an evaluation."""
        return self.question.assumed

    @cached_property
    def radii(self) -> Radii:
        """How far a difference of means may err."""
        joint = self.success == "cover"
        return radii_for(self.cone.facets, self.noise, self.n_designs, self.for_pairs, joint=joint)

    @cached_property
    def requirements(self) -> Requirements | None:
        """The levels that designs have to meet (docs/adaptive, 9); None where there are none."""
        return Requirements.of(self.question, self.n_designs, self.delta * self.tuning.level_part, once=self.once)

    @property
    def with_levels(self) -> str:
        """For the name of a theorem."""
        if self.requirements is None:
            return ""
        return f", levels met within epsilon{' (of rivals with more to spare)' if self.requirements.spared else ''}"

    @cached_property
    def for_pairs(self) -> float:
        """What claims about pairs may spend: all of delta, or what levels leave of it (docs/adaptive, 9.2)."""
        return self.delta if self.requirements is None else self.delta * (1 - self.tuning.level_part)

    @cached_property
    def stepwise(self) -> bool:
        """Whether what is known already narrows the radii of the rest (docs/adaptive, 3.2)."""
        return self.success == "contain" and self.tuning.steps

    @cached_property
    def directions(self) -> bool:
        """Whether covering goes along directions (docs/adaptive, 3.4)."""
        return self.success == "cover" and self.radii.any_direction and self.tuning.directions

    @cached_property
    def even(self) -> Weights:
        """The same share for all."""
        return Weights.even(self.n_designs, len(self.cone.facets), self.parts)

    @property
    def parts(self) -> tuple[float, float, float]:
        """Of delta, for `contain`: "fine", "beaten" by anybody, and "beaten" by a sure design (docs/adaptive, 3.2)."""
        return self.tuning.contain_parts

    def spending(self, weights: Weights) -> Spending:
        """What claims may spend if delta is shared by these weights (docs/adaptive, 3)."""
        return Spending(self.for_pairs * self.radii.claim_share, self.stepwise, weights)

    def rounding(self, statistics: Statistics) -> Rounding | None:
        """How finely the observations were recorded, where that may hide the noise (docs/adaptive, 7)."""
        return Rounding.of(self.noise, statistics) if self._estimated else None

    @cached_property
    def _estimated(self) -> bool:
        return Estimated.of(self.noise, self.cone.dim).any

    @cached_property
    def lens(self) -> Lens:
        """How means are seen in facet space."""
        return Lens(self.question.cone, self.radii, self.directions)

    # -- claims (docs/adaptive, 1 and 4) -----------------------------------------------------------------------

    @abstractmethod
    def table(self, seen: Observed, designs: Indices) -> PairTable:
        """What is known of any designs, ascending."""

    @abstractmethod
    def boundaries(self, seen: Observed) -> Boundaries:
        """The radii in force."""

    @abstractmethod
    def bounds(self, seen: Observed) -> Bounds | None:
        """What is known of the levels of every design (docs/adaptive, 9); None where there are none."""

    def compare(self, seen: Observed, designs: Indices, standing: Standing | None = None) -> Comparisons:
        """How the observations compare any designs, ascending, with the radii of a standing (by default the first)."""
        standing = Standing.at_first(self.n_designs) if standing is None else standing
        return Comparisons(self.table(seen, designs), self.boundaries(seen), standing)

    def claims(self, seen: Observed, epsilon: float | None = None) -> Claims:
        """What the observations certify, at an epsilon or at that of the question; valid for every epsilon at once."""
        bounds = self.bounds(seen)
        out = np.zeros(self.n_designs, dtype=bool) if bounds is None else bounds.misses
        compared = self.compare(seen, np.flatnonzero(~out), Standing(~out, np.zeros_like(out)))
        start = Struck(out, np.full(self.n_designs, -1, dtype=np.intp), compared)
        return self.judged(start, self.epsilon if epsilon is None else epsilon, Worked(), bounds)[0]

    @cached_property
    def judged(self) -> Callable[[Struck, float, Worked, Bounds | None], tuple[Claims, Worked]]:
        """From who is left to claims at an epsilon, and what they were read off (docs/adaptive, 1)."""
        asked = self.question
        return partial(judge, cone=asked.cone, covering=asked.success == "cover", stepwise=self.stepwise)

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """The smallest epsilon that is certified, with the set to return for it (docs/adaptive, 4)."""
        return certified(claims, self.cone, self.success == "cover")


def check_shape(came: tuple[int, ...], asked: Asked[Any]) -> None:
    """Refuse a sample (K, D) of other designs or objectives than a certificate is for."""
    expected = asked.n_designs, asked.cone.dim
    if came != expected:
        raise InputError(
            f"the sample has {came[0]} designs and {came[1]} objectives, but {expected[0]} and {expected[1]} were "
            "announced: make the certificate for the sample."
        )
