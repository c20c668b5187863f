"""Define problems that replay recorded evaluations: every design on the same blocks, read in random order.

A block is a question, a seed, a fold, a plate or a day: anything that all designs can meet (docs/blocks).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, Indices, as_count, as_floats, read_only
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError, shown
from conewise.noise import Bounded, ByObjective, GaussianUnknown, Noise
from conewise.noise.text import as_noise
from conewise.problems.simulated import Seed, as_generator


@dataclass(frozen=True, eq=False)
class Recorded:
    """K designs on Q blocks: values (K, Q, D), larger is better. Each design reads a prefix of one random order.

    `population` says what the averages are over. True is the blocks that were recorded (a benchmark is its questions),
    so the averages are exact once all are read. A number is a finite list of blocks, of which the recorded ones are a
    part. False is an unlimited population, of which the recorded ones are a sample.

    >>> answers = [[[1.0], [0.0], [1.0]], [[1.0], [1.0], [1.0]]]
    >>> problem = Recorded(answers)
    >>> problem.reading(rng=0).evaluate(Pulls([0, 1], [2, 2]), rng=0)
    Observations(4 evaluations of 2 designs)
    """

    values: Floats
    population: int | None
    """Number of blocks that the averages are over; None for an unlimited population."""
    assumption: Noise
    """Assumption about a value: by default its range, or normal differences if no range is known."""

    def __init__(self, values: ArrayLike, population: bool | int = True, *, noise: Noise | None = None) -> None:
        table = as_floats(values, "values")
        if table.ndim != 3 or not table.size:
            raise InputError(
                f"values must have shape (K, Q, D), designs x blocks x objectives, none of them 0, got {table.shape}."
            )
        if not np.isfinite(table).all():
            design, block, _ = np.argwhere(~np.isfinite(table))[0]
            raise InputError(
                f"values of design {design} have no finite number on block {block}: every design needs every block; "
                "leave out the blocks that somebody lacks, or give the table to analyse(..., block=...), which "
                "compares on common ones."
            )
        object.__setattr__(self, "values", read_only(table.copy()))
        object.__setattr__(self, "population", as_population(population, table.shape[1]))
        whole = self.population == table.shape[1]
        assumption = _range_of(table, whole) if noise is None else as_noise(noise)
        object.__setattr__(self, "assumption", assumption)
        self.assumption.check_dim(self.dim, self.n_designs)

    @property
    def n_designs(self) -> int:
        """Number of designs K."""
        return len(self.values)

    @property
    def n_blocks(self) -> int:
        """Number of recorded blocks Q."""
        return int(self.values.shape[1])

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return int(self.values.shape[2])

    @property
    def means(self) -> Floats:
        """Averages over the recorded blocks, (K, D); the true means if these blocks are the population."""
        return np.asarray(self.values.mean(axis=1))

    def reading(self, rng: Seed) -> Reading:
        """Return a reader in a random order, which has read nothing yet."""
        order = as_generator(rng).permutation(self.n_blocks)
        return Reading(self, read_only(order), np.zeros(self.n_designs, dtype=np.int64))

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """Return the first blocks of a new order; `reading(rng)` instead continues from call to call."""
        return self.reading(rng).evaluate(pulls, rng)

    def __repr__(self) -> str:
        of = "an unlimited population" if self.population is None else f"{self.population:,}"
        return f"<{self.n_designs} designs on {self.n_blocks:,} blocks of {of}, {self.dim} objectives>"


@dataclass(frozen=True, eq=False)
class Reading:
    """One pass through the blocks. Unlike other problems it has a state: how far each design has read."""

    problem: Recorded
    order: Indices
    read: Any
    """(K,): number of blocks that each design has read."""

    @property
    def n_designs(self) -> int:
        """Number of designs K."""
        return self.problem.n_designs

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return self.problem.dim

    @property
    def assumption(self) -> Noise:
        """Assumption about the values of the problem."""
        return self.problem.assumption

    def evaluate(self, pulls: Pulls, rng: Seed) -> Observations:
        """Return the next blocks of each design, one entry for each value."""
        if len(pulls.designs) and pulls.designs.max() >= self.n_designs:
            raise InputError(f"design {pulls.designs.max()} does not exist: there are {self.n_designs} designs.")
        designs = np.repeat(pulls.designs, pulls.counts)
        after = self.read + np.bincount(designs, minlength=self.n_designs)
        if (after > self.problem.n_blocks).any():
            short = int((after > self.problem.n_blocks).argmax())
            raise InputError(
                f"{after[short]:,} blocks of design {short} are asked for, but {self.problem.n_blocks:,} were recorded."
            )
        places = np.empty(len(designs), dtype=np.intp)
        for design in np.unique(pulls.designs):
            entries = np.flatnonzero(designs == design)
            places[entries] = self.order[self.read[design] : self.read[design] + len(entries)]
        self.read[:] = after
        return Observations.single(designs, self.problem.values[designs, places])


def as_population(population: Any, blocks: int) -> int | None:
    """Return the number of blocks that the averages are over, from True (these blocks), False (no limit) or a number.

    >>> as_population(True, 5), as_population(False, 5), as_population(100, 5)
    (5, None, 100)
    """
    if isinstance(population, bool | np.bool_):
        return blocks if population else None
    if not isinstance(population, int | np.integer):
        raise InputError(f"population must be True, False or a number of blocks, got {shown(population)}.")
    return as_count(int(population), "population") if population >= blocks else _too_small(int(population), blocks)


def _too_small(population: int, blocks: int) -> int:
    raise InputError(
        f"population must be at least the number of blocks seen, got {population:,} and {blocks:,} blocks; it counts "
        "all blocks that the averages are over."
    )


def by_values(zeros_and_ones: ArrayLike) -> Noise:
    """Return the default noise: a range for objectives that are 0 or 1, otherwise normal differences, not stated.

    >>> by_values([True, True]), by_values([True, False])
    (Bounded(0.0, 1.0), ByObjective([Bounded(0.0, 1.0), GaussianUnknown(stated=False)]))
    """
    each = [Bounded(0, 1) if binary else GaussianUnknown(stated=False) for binary in np.asarray(zeros_and_ones)]
    alike = {type(noise) for noise in each}
    return each[0] if len(alike) == 1 else ByObjective(each)


def _range_of(values: Floats, whole: bool) -> Noise:
    """Return the range of a complete population; otherwise [0, 1] for zeros and ones, and normal differences."""
    if not whole:
        return by_values(np.isin(values, (0.0, 1.0)).all(axis=(0, 1)))
    if np.isin(values, (0.0, 1.0)).all():
        return Bounded(0, 1)
    low, high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
    flat = high <= low
    return Bounded(low, np.where(flat, low + np.maximum(np.abs(low), 1.0), high))
