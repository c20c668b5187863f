"""Common random numbers: runs of several variants meet the same observations, whatever they ask for and when.

Every design has its own stream of observations. Its k-th observation is the same in all runs of one number, so that
their evaluations differ by what the variants do, and hardly by luck; `Ratio` says what that leaves of the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import conewise as cw
from conewise.problems.simulated import NoiseSource

BLOCK = 256
"""Observations of a stream that are drawn at a time. Always as many: what some sources draw depends on how many."""
LEAST = 8
"""Pairs of runs before a standard error is believed."""
WORTH = 0.05
"""What a mechanism has to save to stay: a ratio is settled when that is more than two standard errors."""


class CommonRandomNumbers(NoiseSource):
    """The noise of another source, drawn design by design from generators of their own; for one run, see `paired`."""

    def __init__(self, noise: NoiseSource, seed: int, run: int) -> None:
        self.assumption = noise.assumption
        self._noise, self._seed, self._run = noise, seed, run
        self._generators: dict[int, np.random.Generator] = {}
        self._ahead: dict[int, np.ndarray] = {}  # drawn and not yet asked for: fewer than BLOCK a design
        self._asked_by: np.random.Generator | None = None

    def check_dim(self, dim: int, n_designs: int) -> None:
        """As the other source has it."""
        self._noise.check_dim(dim, n_designs)

    def recorded(self, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """As the other source has it."""
        return self._noise.recorded(values, counts)

    def draw(self, designs: np.ndarray, dim: int, rng: np.random.Generator) -> np.ndarray:
        """The next observations of these designs; averages, with their scatters, are made of them too.

        Nothing is drawn from `rng`. A run has one generator from beginning to end, so that another one means that the
        run is another and would meet the middle of the streams.
        """
        if self._asked_by not in (None, rng):
            raise RuntimeError("these observations belong to another run: make a problem for each, paired(...).")
        self._asked_by = rng
        values = np.empty((len(designs), dim))
        for design in np.unique(designs).tolist():
            wanted = np.flatnonzero(designs == design)
            values[wanted] = self._next(design, len(wanted), dim)
        return values

    def _next(self, design: int, count: int, dim: int) -> np.ndarray:
        """(count, dim), in the order of the stream."""
        if design not in self._generators:
            # A spawn key, since numpy seeds [seed], [seed, 0] and [seed, 0, 0] alike, and instances are drawn by seeds.
            key = np.random.SeedSequence(self._seed, spawn_key=(self._run, design))
            self._generators[design], self._ahead[design] = np.random.default_rng(key), np.empty((0, dim))
        rng, ahead = self._generators[design], self._ahead[design]
        blocks = -(-max(0, count - len(ahead)) // BLOCK)
        new = [self._noise.draw(np.full(BLOCK, design), dim, rng) for _ in range(blocks)]
        values = np.concatenate([ahead, *new])
        self._ahead[design] = values[count:].copy()
        return values[:count]


def paired(problem: cw.SimulatedBandit, seed: int, run: int) -> cw.SimulatedBandit:
    """The problem for one run: all runs with the same seed and number meet the same observations of every design."""
    return replace(problem, noise=CommonRandomNumbers(problem.noise, seed, run))


@dataclass(frozen=True)
class Ratio:
    """Of the mean evaluations of two variants, with its standard error from pairs of runs, and how many there are."""

    value: float
    error: float
    runs: int

    @classmethod
    def of(cls, ours: Sequence[float], base: Sequence[float]) -> Ratio:
        """From the evaluations of runs with the same numbers; nothing is known of the error of one pair."""
        above, below, runs = np.array(ours, dtype=float), np.array(base, dtype=float), len(base)
        value = above.mean() / below.mean()
        left = (above - value * below).std(ddof=1) if runs > 1 else math.inf
        return cls(float(value), float(left / below.mean() / math.sqrt(runs)), runs)

    @property
    def settled(self) -> bool:
        """Whether more runs are not needed to tell what is worth its place."""
        return self.runs >= LEAST and 2 * self.error < WORTH

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.error:.3f})"


RULE = (
    "Runs are paired by common random numbers: the k-th observation of a design is the same in every variant, whenever "
    f"it is asked for. A ratio has at least {LEAST} pairs, and more until {100 * WORTH:g} % is more than two standard "
    "errors"
)
"""What the pages say of such runs; the most that are made is for them to add."""
