"""Share delta among designs, facets and rivals, and pass shares on as designs are decided.

Claims "fine" of a design have the share `fine`, claims that a rival beats or covers it the share `out`. For `cover` the
larger total of each design, summed over the designs, is at most 1. For `contain` both tables add up to 1, and each has
its part of delta. Claims are then made step by step: the shares of designs that cannot be wrong any more pass to the
others (docs/adaptive, 3.1 to 3.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.certificate.tuning import CONTAIN_PARTS


@dataclass(frozen=True, eq=False)
class Weights:
    """Parts of delta: even ones, with tables of a single entry, or those of a pilot (docs/adaptive, 3)."""

    n_designs: int
    facets: int
    fine: Floats
    """(K,) or (1,): share of a design, which its facets have evenly."""
    out: Floats
    """(K, K) or (1, 1): share of a design against each rival; 0 on the diagonal."""
    parts: tuple[float, float]
    """For `contain`: the parts of delta for "no worse" and for "dominated"."""

    @classmethod
    def even(cls, n_designs: int, facets: int) -> Weights:
        """Return the same share for all claims of a kind (docs/adaptive, 3.1 and 3.2)."""
        out = np.full((1, 1), 1 / (n_designs * (n_designs - 1)))
        return cls(n_designs, facets, np.full(1, 1 / n_designs), out, CONTAIN_PARTS)

    @cached_property
    def each(self) -> tuple[Floats, Floats]:
        """Total share of each design for "fine" and for "out", twice (K,)."""
        if len(self.fine) > 1:
            return self.fine, self.out.sum(axis=1)
        return (np.full(self.n_designs, 1 / self.n_designs),) * 2

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """Logarithms of the shares of claims; -infinity on the diagonal."""
        with np.errstate(divide="ignore"):
            return np.log(self.fine / self.facets), np.log(self.out)

    @cached_property
    def likely(self) -> Floats:
        """Logarithm of the share of each design against its likeliest rival, (K,) or (1,)."""
        return np.asarray(self.logs[1].max(axis=1))


@dataclass(frozen=True, eq=False)
class Standing:
    """Designs about which a claim can still be wrong (docs/adaptive, 3.2)."""

    left: Bools
    """(K,): not beaten."""
    sure: Bools
    """(K,): known to be Pareto optimal, where claims are made step by step."""

    @classmethod
    def at_first(cls, n_designs: int) -> Standing:
        """Return the standing before any claim."""
        return cls(np.ones(n_designs, dtype=bool), np.zeros(n_designs, dtype=bool))


@dataclass(frozen=True, eq=False)
class Spending:
    """Compute the logarithm of the probability that a claim may spend (docs/adaptive, 3)."""

    delta: float
    stepwise: bool
    """True if claims are made step by step, as `contain` allows."""
    weights: Weights

    def key(self, standing: Standing, claim: str) -> bytes:
        """Return a text that is equal for standings in which claims of that name may spend the same."""
        if not self.stepwise:
            return b""
        return (standing.left if claim == "dominated" else standing.sure).tobytes()

    def log_fine(self, designs: Indices, standing: Standing) -> Floats:
        """Return logarithms of a^F, of claims "fine", (1, m or 1, 1)."""
        fine = self.weights.logs[0]
        return (fine if len(fine) == 1 else fine[designs])[None, :, None] + self._whole(0, ~standing.sure)

    def log_out(self, designs: Indices, rivals: Indices, standing: Standing) -> Floats:
        """Return logarithms of a^B, of claims "beaten" and "covered", (1, m or 1, r or 1)."""
        out = self.weights.logs[1]
        return (out if len(out) == 1 else out[np.ix_(designs, rivals)])[None] + self._whole(1, standing.left)

    def _whole(self, kind: int, some: Bools) -> float:
        """Return the logarithm of the delta of one kind over the share of some designs, at least that of one design."""
        if not self.stepwise:
            return math.log(self.delta)
        each = self.weights.each[kind]
        return math.log(self.delta * self.weights.parts[kind] / max(each[some].sum(), each.min()))

    def in_sight(self, designs: Indices, standing: Standing) -> tuple[Floats, Floats]:
        """Return the median of what claims "no worse" and "dominated" of these designs may spend: for planning."""
        out = self.weights.likely if len(self.weights.likely) == 1 else self.weights.likely[designs]
        fine = np.median(self.log_fine(designs, standing))
        return np.asarray(fine), np.asarray(np.median(out) + self._whole(1, standing.left))
