"""Compare designs that share blocks with the levels that they have to meet (docs/blocks, section 7).

Bounds on a design's averages come from its own values on the blocks that it has read, never from a difference. They
come from bets for bounded observations, from Student's t for normal ones. They are exact where the whole population is
read. Nothing is kept from look to look: bounds are a function of the values that were read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise.border import ROUNDING, Floats, Indices
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.kinds import Kinds
from conewise.certificate.blocks.wagers import HAIR, Wagers, lower_bounds
from conewise.certificate.thresholds import Bounds
from conewise.certificate.tuning import TUNING
from conewise.data.observations import Statistics
from conewise.question.question import Question

BELOW: Final = -1e-300
"""A number just below 0: fine at epsilon = 0, strictly; or a level that is missed."""


@dataclass(frozen=True, eq=False)
class BlockLevels:
    """The levels of a question, for designs that read prefixes of one order of blocks."""

    question: Question
    n_designs: int
    population: int | None
    looks: tuple[int, ...]
    """The prefixes at which somebody looks."""
    paid: int
    """Number of looks at normal values that share a probability."""
    stakes: Floats
    kinds: Kinds
    scale: float = 1.0

    @staticmethod
    def part(question: Question) -> float:
        """Return the part of delta for levels; 0 without levels."""
        return TUNING.level_part if question.columns.levels else 0.0

    @cached_property
    def columns(self) -> Indices:
        """(R,): the objectives that have a level."""
        return np.flatnonzero([o.level is not None for o in self.question.columns.each])

    @cached_property
    def least(self) -> Floats:
        """(R,): the levels in steps, more is better."""
        return np.array([o.level for o in self.question.columns.each if o.level is not None])

    @cached_property
    def shares(self) -> tuple[float, float]:
        """The probability of a wrong "meets" for each design, and of a wrong "misses" for each level."""
        each = self.question.delta * self.part(self.question) / self.n_designs
        return each, each / len(self.columns)

    def bounds(self, values: Floats, level: Indices, statistics: Statistics, steps: Floats, *, sharp: bool) -> Bounds:
        """Return bounds from values (K, blocks, D) in these steps, at each design's last look, -1 for none (section 7).

        `sharp` asks for more than claims at epsilon need: bounds of the averages themselves.
        """
        shape = (self.n_designs, len(self.columns))
        lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
        kinds = self.kinds.bounded, self.kinds.normal, self.kinds.known
        bounded, normal, exact = (np.flatnonzero(np.isin(self.columns, of)) for of in kinds)
        if len(bounded):
            lower[:, bounded], upper[:, bounded] = self._by_bets(values, level, sharp, bounded)
        if len(normal):
            lower[:, normal], upper[:, normal] = self._by_spread(values, level, steps, normal)
        off = self.kinds.averages(values, statistics)[:, self.columns] - self.least
        off[np.abs(off) <= ROUNDING * np.abs(self.least)] = 0.0
        told = np.ix_(np.flatnonzero(statistics.counts > 0), exact)
        lower[told] = upper[told] = off[told]
        if self.population is not None:
            known = statistics.counts == self.population
            lower[known] = upper[known] = off[known]
        upward = self.question.keeps_levels
        return Bounds(lower, upper, upward, not upward and self.question.success == "contain")

    # -- bounded observations: bets on one design's own values ---------------------------------------------------

    def _by_bets(self, values: Floats, level: Indices, sharp: bool, of: Indices) -> tuple[Floats, Floats]:
        """Return lower and upper bounds for some levels, (K, R) each (docs/blocks, sections 4 and 7).

        Rows of the bets are the designs' values, then their negatives.
        """
        k, columns, least = self.n_designs, self.columns[of], self.least[of]
        low, high = self.kinds.low[columns], self.kinds.high[columns]
        centre, half = (low + high) / 2, (high - low) / 2
        own = (values[:, :, columns] - centre) / half
        both, reached = np.concatenate([own, -own]), np.tile(level, 2)
        shifts = np.unique([0.0, self.question.epsilon])
        meets, misses = ((least - centre)[:, None] + sign * shifts for sign in (-1, 1))
        against = np.stack([meets, -misses]).repeat(k, axis=0) / half[:, None]
        needed = -(self.scale**2) * np.log(self.shares)
        won = self._peaks(both, reached, against) >= needed.repeat(k)[:, None, None]
        lower = np.where(won[:k], -shifts, -np.inf).max(axis=2)
        upper = np.where(won[k:], np.where(shifts == 0, BELOW, shifts), np.inf).min(axis=2)
        if sharp:
            found = self._sharper(both, reached, needed.repeat(k)) * half
            lower = np.maximum(lower, centre + found[:k] - least)
            upper = np.minimum(upper, centre - found[k:] - least)
        return lower, upper

    def _peaks(self, both: Floats, reached: Indices, against: Floats) -> Floats:
        """Return the largest wealth of each bet at a look, (2 K, R, G)."""
        total, levels, shifts = against.shape
        bets = Wagers.fresh(total, levels, shifts, len(self.stakes))
        peaks, start = np.zeros(against.shape), 0
        for look, stop in enumerate(self.looks[: int(reached.max()) + 1]):
            rows = np.flatnonzero(reached >= look)
            part = bets.of(rows).after(both[rows, start:stop], against[rows], self.stakes, self.population)
            bets, start = bets.replaced(rows, part), stop
            peaks[rows] = np.maximum(peaks[rows], part.wealth)
        return peaks

    def _sharper(self, both: Floats, reached: Indices, needed: Floats) -> Floats:
        """Return a lower bound of each mean, (2 K, R); a design exactly on its level does not miss it by rounding."""
        found = np.full((len(both), both.shape[2]), -np.inf)
        for look in np.unique(reached[reached >= 0]):
            for rows in (np.flatnonzero((reached == look) & (needed == log)) for log in np.unique(needed)):
                if not len(rows):
                    continue
                seen = both[rows, : self.looks[look]]
                found[rows] = lower_bounds(seen, needed[rows[:1]], self.stakes, self.population)[..., 0] - HAIR
        return found

    # -- normal values: Student's t ------------------------------------------------------------------------------

    def _by_spread(self, values: Floats, level: Indices, steps: Floats, of: Indices) -> tuple[Floats, Floats]:
        """Return averages less and plus their radii for some levels, (K, R) each (docs/blocks, sections 5 and 7).

        The radius is that of the difference from a design that equals the level on every block.
        """
        k, columns = self.n_designs, self.columns[of]
        lower, upper = np.full((k, len(of)), -np.inf), np.full((k, len(of)), np.inf)
        for look in np.unique(level[level >= 0]):
            members, blocks = np.flatnonzero(level == look), self.looks[look]
            own = values[members, :blocks][:, :, columns]
            beside = np.concatenate([np.broadcast_to(self.least[of], (1, blocks, len(of))), own])
            seen = Differences.of(beside, np.eye(len(of)), steps[columns], self.population)
            off = seen.gains[0, 1:]
            for edges, sign, share in ((lower, -1, self.shares[0]), (upper, 1, self.shares[1])):
                radii = seen.radii(share / self.paid, self.scale)[0][0, 1:]
                edges[members] = np.where(np.isfinite(radii), off + sign * radii, sign * np.inf)
        return lower, upper
