"""How delta is shared among designs, facets and rivals, and how that changes as designs are decided.

Claims "fine" of design i that err along facet n have the part fine[i, n], claims that j beats or covers i the part
out[i, j]. For `cover` that is all: the larger total of each design, summed over the designs, is at most 1. For
`contain` both tables add up to 1, each has its part of delta, and claims are made step by step: the shares of designs
that can be wrong no more fall to the others (docs/adaptive, 3.1 to 3.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise.border import Bools, Floats, Indices


@dataclass(frozen=True, eq=False)
class Weights:
    """Parts of delta: even ones, with tables of a single entry, or those of a pilot (docs/adaptive, 3)."""

    n_designs: int
    facets: int
    fine: Floats
    """(K,) or (1,): share of a design, which its facets have evenly."""
    out: Floats
    """(K, K) or (1, 1): share of a design against each rival; 0 on the diagonal."""
    parts: tuple[float, float, float]
    """For `contain`: of delta, for "fine", for "beaten" by anybody, and for "beaten" by a sure design."""

    @classmethod
    def even(cls, n_designs: int, facets: int, parts: tuple[float, float, float]) -> Weights:
        """Return the same share for all claims of a kind (docs/adaptive, 3.1 and 3.2)."""
        out = np.full((1, 1), 1 / (n_designs * (n_designs - 1)))
        return cls(n_designs, facets, np.full(1, 1 / n_designs), out, parts)

    @cached_property
    def _by_design(self) -> tuple[Floats, Floats]:
        """Twice (K,): total share of a design."""
        if len(self.fine) == 1:
            each = np.full(self.n_designs, 1 / self.n_designs)
            return each, each
        return self.fine, self.out.sum(axis=1)

    @cached_property
    def _logs(self) -> tuple[Floats, Floats]:
        """Logarithms of the shares of claims; -infinity on the diagonal."""
        with np.errstate(divide="ignore"):
            return np.log(self.fine / self.facets), np.log(self.out)

    def log_fine(self, designs: Indices) -> Floats:
        """Return logarithms of the shares of claims "fine", (1, m, 1) or (1, 1, 1)."""
        fine = self._logs[0]
        return (fine if len(fine) == 1 else fine[designs])[None, :, None]

    def log_out(self, designs: Indices, rivals: Indices) -> Floats:
        """(1, m, r) or (1, 1, 1): the same of "beaten" and "covered"."""
        out = self._logs[1]
        return out[None] if len(out) == 1 else out[np.ix_(designs, rivals)][None]

    def unsure(self, standing: Standing) -> float:
        """The part of all designs that are not sure together; that of a single one at least."""
        return max(float(self._by_design[0][~standing.sure].sum()), float(self._by_design[0].min()))

    def left(self, standing: Standing) -> float:
        """The part of all designs that are not beaten; that of a single one at least."""
        return max(float(self._by_design[1][standing.left].sum()), float(self._by_design[1].min()))

    def log_rivals_left(self, standing: Standing) -> float:
        """The logarithm of the part of each design's weights that rivals have who are left; of even weights."""
        return math.log(max(int(standing.left.sum()) - 1, 1) / (self.n_designs - 1))


@dataclass(frozen=True, eq=False)
class Standing:
    """Who can still be wrong: not beaten, or not known to be Pareto optimal (docs/adaptive, 3.2)."""

    left: Bools
    """(K,): not beaten."""
    sure: Bools
    """(K,): fine against everybody at an epsilon below 0; nobody where nothing follows from it."""

    @classmethod
    def at_first(cls, n_designs: int) -> Standing:
        """Nothing is known."""
        return cls(np.ones(n_designs, dtype=bool), np.zeros(n_designs, dtype=bool))


@dataclass(frozen=True, eq=False)
class Spending:
    """What each claim may spend: logarithms of probabilities (docs/adaptive, 3)."""

    delta: float
    stepwise: bool
    """Whether claims are made step by step, as `contain` allows."""
    weights: Weights

    @cached_property
    def by_sure(self) -> bool:
        """Whether rivals that are sure have a part of their own."""
        return self.stepwise and self.weights.parts[2] > 0

    def log_fine(self, designs: Indices, standing: Standing) -> Floats:
        """(N or 1, m or 1, 1): a^F of "fine"."""
        whole = self.delta * self.weights.parts[0] / self.weights.unsure(standing) if self.stepwise else self.delta
        return self.weights.log_fine(designs) + math.log(whole)

    def log_out(self, designs: Indices, rivals: Indices, standing: Standing) -> Floats:
        """(1, m or 1, r or 1): a^B of "beaten" and "covered"."""
        whole = self.delta * self.weights.parts[1] / self.weights.left(standing) if self.stepwise else self.delta
        return self.weights.log_out(designs, rivals) + math.log(whole)

    def log_by_sure(self, designs: Indices, rivals: Indices, standing: Standing) -> Floats:
        """(1, 1, 1): a^S of "beaten" by a rival that is sure; a pilot leaves these no part (docs/adaptive, 3.3)."""
        _, anybody, sure = self.weights.parts
        more = math.log(sure / anybody) - self.weights.log_rivals_left(standing)
        return self.log_out(designs, rivals, standing) + more

    def in_sight(self, designs: Indices, rivals: Indices, standing: Standing) -> tuple[Floats, Floats]:
        """What claims "fine" and "beaten" of these designs are likely to spend next, the middle of each: for planning.

        By the time that somebody is put out, the rival will be sure where that matters.
        """
        spend = self.log_by_sure if self.by_sure else self.log_out
        fine, out = self.log_fine(designs, standing), spend(designs, rivals, standing)
        return np.median(fine.max(axis=0)), np.median(out.max(axis=2))
