"""The question of a certificate, the radii that its noise allows, and the parts of delta that claims may spend."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from conewise.certificate.radii import radii_for
from conewise.certificate.radius import Radii
from conewise.certificate.streams import taken_apart
from conewise.certificate.thresholds import Thresholds
from conewise.certificate.tuning import TUNING, Tuning
from conewise.certificate.weights import Spending, Weights
from conewise.noise import Noise
from conewise.order.budgets import check_designs
from conewise.question.question import Answering, Question, as_question


@dataclass(frozen=True, eq=False)
class Asked(Answering):
    """A frozen question, the radii that its noise allows, and what claims may spend."""

    question: Question
    n_designs: int
    _: KW_ONLY
    tuning: Tuning = TUNING
    once: bool = False
    """True if the observations are looked at a single time."""
    apart: bool = False
    """True if each objective is measured by itself."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        object.__setattr__(self, "question", as_question(self.question, self.n_designs, levels=True))
        _ = self.noise  # without an assumption nothing can be certified

    @cached_property
    def noise(self) -> Noise:
        """The assumption about an evaluation; about each objective if objectives are measured separately."""
        assumed = self.question.assumed
        return taken_apart(assumed, self.cone.dim) if self.apart else assumed

    @cached_property
    def radii(self) -> Radii:
        """The radii for differences of means."""
        joint = self.success == "cover"
        return radii_for(self.cone.facets, self.noise, self.n_designs, self.for_pairs, joint=joint, once=self.once)

    @cached_property
    def requirements(self) -> Thresholds | None:
        """The levels that designs have to meet (docs/adaptive, 9); None without levels."""
        k, delta = self.n_designs, self.delta * self.tuning.level_part
        return Thresholds.of(
            self.question, lambda axes: radii_for(axes, self.noise, k, delta, joint=False, once=self.once)
        )

    @property
    def with_levels(self) -> str:
        """Words about levels for the name of a theorem."""
        if self.requirements is None:
            return ""
        return f", levels met within epsilon{' (of rivals with more to spare)' if self.requirements.spared else ''}"

    @cached_property
    def for_pairs(self) -> float:
        """The part of delta for claims about pairs: all of it, or what levels leave of it (docs/adaptive, 9.2)."""
        return self.delta * (1 - self.tuning.level_part) if self.question.columns.levels else self.delta

    @cached_property
    def stepwise(self) -> bool:
        """True if the designs that are decided leave their shares of delta to the others (docs/adaptive, 3.2)."""
        return self.success == "contain" and self.tuning.steps

    @cached_property
    def directions(self) -> bool:
        """True if "covered" is tested along directions (docs/adaptive, 3.4)."""
        return self.success == "cover" and self.radii.any_direction and self.tuning.directions

    @cached_property
    def even(self) -> Weights:
        """Even shares of delta."""
        return Weights.even(self.n_designs, len(self.cone.facets), self.tuning.contain_parts)

    def spending(self, weights: Weights) -> Spending:
        """Return what claims may spend if delta is shared by these weights (docs/adaptive, 3)."""
        return Spending(self.for_pairs * self.radii.claim_share, self.stepwise, weights)
