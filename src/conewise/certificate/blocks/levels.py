"""Levels that designs have to meet, where designs share blocks (docs/blocks, section 7).

What is known of a design's level is read off its own values on the blocks that it has read, never off a difference: by
bets for bounded observations, by Student's t for normal ones, and exactly where the whole population is read. Nothing
is kept from look to look: bounds are a function of what was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from conewise._arrays import ROUNDING, Floats, Indices
from conewise.certificate.blocks.differences import Differences
from conewise.certificate.blocks.wagers import Wagers, lower_bounds
from conewise.certificate.requirements import Bounds
from conewise.certificate.tuning import TUNING
from conewise.cones import Cone
from conewise.feedback import Statistics
from conewise.goals import Question
from conewise.noise import Bounded

BELOW: Final = -1e-300
"""Below 0, by however little: fine at epsilon = 0, strictly; or a level that is missed."""


@dataclass(frozen=True, eq=False)
class BlockLevels:
    """The levels of a question, for designs that read prefixes of one order of blocks."""

    question: Question
    n_designs: int
    population: int | None
    looks: tuple[int, ...]
    """The prefixes at which somebody looks."""
    paid: int
    """How many looks at normal values share a probability."""
    stakes: Floats
    scale: float = 1.0

    @staticmethod
    def part(question: Question) -> float:
        """The part of delta that is for levels; 0 where there are none."""
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
        """The probability of a wrong "meets", one a design, and of a wrong "misses", one a level."""
        each = self.question.delta * self.part(self.question) / self.n_designs
        return each, each / len(self.columns)

    def bounds(self, values: Floats, level: Indices, statistics: Statistics, steps: Floats, *, sharp: bool) -> Bounds:
        """From values (K, blocks, D), each design at its last look (-1: none yet), recorded in these steps.

        `sharp` asks for more than claims at epsilon need: bounds of the averages themselves.
        """
        if isinstance(self.question.noise, Bounded):
            lower, upper = self._by_bets(self.question.noise, values, level, sharp)
        else:
            lower, upper = self._by_spread(values, level, steps)
        if self.population is not None and (known := np.flatnonzero(statistics.counts == self.population)).size:
            off = statistics.means[np.ix_(known, self.columns)] - self.least
            off[np.abs(off) <= ROUNDING * np.abs(self.least)] = 0.0
            lower[known] = upper[known] = off
        upward = self.question.keeps_levels
        return Bounds(lower, upper, upward, not upward and self.question.success == "contain")

    # -- bounded observations: bets on one design's own values ---------------------------------------------------

    def _by_bets(self, noise: Bounded, values: Floats, level: Indices, sharp: bool) -> tuple[Floats, Floats]:
        """(K, R) each; rows of the bets are the designs' values, then the same turned around."""
        k, dim = self.n_designs, self.question.cone.dim
        low, high = (np.broadcast_to(edge, dim)[self.columns] for edge in (noise.low, noise.high))
        centre, half = (low + high) / 2, (high - low) / 2
        own = (values[:, :, self.columns] - centre) / half
        both, reached = np.concatenate([own, -own]), np.tile(level, 2)
        shifts = np.unique([0.0, self.question.epsilon])
        meets, misses = ((self.least - centre)[:, None] + sign * shifts for sign in (-1, 1))
        against = np.stack([meets, -misses]).repeat(k, axis=0) / half[:, None]
        needed = -(self.scale**2) * np.log(self.shares)
        won = self._peaks(both, reached, against) >= needed.repeat(k)[:, None, None]
        lower = np.where(won[:k], -shifts, -np.inf).max(axis=2)
        upper = np.where(won[k:], np.where(shifts == 0, BELOW, shifts), np.inf).min(axis=2)
        if sharp:
            found = self._sharper(both, reached, needed.repeat(k)) * half
            lower = np.maximum(lower, centre + found[:k] - self.least)
            upper = np.minimum(upper, centre - found[k:] - self.least)
        return lower, upper

    def _peaks(self, both: Floats, reached: Indices, against: Floats) -> Floats:
        """(2 K, R, G): the largest wealth of each bet at a look."""
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
        """(2 K, R): what each mean exceeds."""
        found = np.full((len(both), both.shape[2]), -np.inf)
        for look in np.unique(reached[reached >= 0]):
            for rows in (np.flatnonzero((reached == look) & (needed == log)) for log in np.unique(needed)):
                if not len(rows):
                    continue
                seen = both[rows, : self.looks[look]]
                found[rows] = lower_bounds(seen, needed[rows[:1]], self.stakes, self.population)[..., 0]
        return found

    # -- normal values: Student's t ------------------------------------------------------------------------------

    def _by_spread(self, values: Floats, level: Indices, steps: Floats) -> tuple[Floats, Floats]:
        """(K, R) each: an average, less and plus its radius, as a difference from somebody who is the level."""
        k, dim = self.n_designs, self.question.cone.dim
        lower, upper = np.full((k, len(self.columns)), -np.inf), np.full((k, len(self.columns)), np.inf)
        level_of = np.zeros(dim)
        level_of[self.columns] = self.least
        for look in np.unique(level[level >= 0]):
            members, blocks = np.flatnonzero(level == look), self.looks[look]
            beside = np.concatenate([np.broadcast_to(level_of, (1, blocks, dim)), values[members, :blocks]])
            seen = Differences.of(beside, Cone.orthant(dim), steps, self.population)
            off = seen.gains[0, 1:][:, self.columns]
            for edges, sign, share in ((lower, -1, self.shares[0]), (upper, 1, self.shares[1])):
                radii = seen.radii(share / self.paid, self.scale)[0][0, 1:][:, self.columns]
                edges[members] = np.where(np.isfinite(radii), off + sign * radii, sign * np.inf)
        return lower, upper
