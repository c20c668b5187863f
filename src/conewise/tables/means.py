"""Tables of means: one row a design, with counts and standard errors or deviations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.data.observations import Counts, Observations
from conewise.errors import InputError
from conewise.noise import Binary, Known
from conewise.question.objectives import Objective, Objectives
from conewise.tables.columns import row_words
from conewise.tables.designcolumns import called, design_column, texts
from conewise.tables.designs import check_columns, meant, numbers
from conewise.tables.names import first_repeated
from conewise.tables.readers import distinct_columns, opened

MEAN: Final = "_mean"
"""How columns of means are called."""


class WideTable:
    """A file with one row a design: the mean of each objective, its standard error, and the number of evaluations.

    `errors` may be left out where the noise level is known anyway. A standard error is the standard deviation of the
    evaluations (with n - 1) over the square root of n; a design that was evaluated once has none. `deviations` are
    columns of standard deviations in their place. `counts` is one column, or one for each objective where objectives
    were measured separately.
    """

    summarised = True
    units_chosen = False
    """Whether the units were taken from the values."""

    def __init__(
        self,
        path: Any,
        *,
        means: Sequence[str],
        counts: str | Sequence[str],
        errors: Sequence[str] | None = None,
        deviations: Sequence[str] | None = None,
        minimise: Sequence[str] = (),
        design: str | None = None,
        objectives: Sequence[str | Objective] | None = None,
    ) -> None:
        """`objectives` say what the means mean, in their order; by default they are called as their columns."""
        self.path, self.reader = opened(Path(path) if isinstance(path, str) else path)
        columns = distinct_columns(self.reader, self.path)
        self.design = design_column(columns, design, self.path)
        self.means, self.counts = tuple(means), (counts,) if isinstance(counts, str) else tuple(counts)
        spreads = errors if errors is not None else deviations
        self.errors = None if spreads is None else tuple(spreads)
        self._deviations = errors is None
        check_columns((*self.means, *(self.errors or ()), *self.counts), columns, self.path)
        if self.errors is not None and len(self.errors) != len(self.means):
            raise InputError(f"there are {len(self.means)} columns of means and {len(self.errors)} of {self._word}s.")
        if len(self.counts) not in (1, len(self.means)):
            raise InputError(
                f"there are {len(self.means)} columns of means and {len(self.counts)} of counts; one count serves all "
                "objectives, or each has its own."
            )
        self.objectives = tuple(name.removesuffix(MEAN) or name for name in self.means)
        if objectives is not None:
            self.objectives = called(objectives)
        small = tuple(name if name in self.objectives else name.removesuffix(MEAN) for name in minimise)
        self.meaning = meant(self.objectives if objectives is None else objectives, small)
        self.minimised = self.meaning.minimised

    @property
    def has_scatter(self) -> bool:
        """From standard errors, or from the means of outcomes of 0 and 1."""
        return self.errors is not None or all(isinstance(o.noise, Binary | Known) for o in self.meaning)

    def fill_known(self) -> None:
        """There is one row a design."""

    def meaning_as(self, meaning: Objectives) -> None:
        """Take the same columns to mean something else: other units, another noise."""
        self.meaning = meaning
        self.__dict__.pop("_recorded", None)

    @property
    def apart(self) -> bool:
        """Whether every objective has a count of its own."""
        return len(self.counts) > 1

    @cached_property
    def _recorded(self) -> _Recorded:
        wanted = (*self.means, *(self.errors or ()), *self.counts)
        lacking = (*(self.errors or ()), *(self.means if self.apart else ()))
        names: list[str] = []
        parts: list[Floats] = []
        for columns in self.reader.chunks(wanted, self.design):
            row = len(names)
            names += texts(columns[self.design], self.path, self.design, row)
            parts.append(
                np.column_stack([numbers(columns[c], self.path, c, row, missing=c in lacking) for c in wanted])
            )
        if not names:
            raise InputError(f"{self.path.name} has no rows below its header; one row a design was expected.")
        if (twice := first_repeated(names)) is not None:
            raise InputError(
                f"{self.path.name} has two rows for {twice!r}; a table of means has one row a design (a table with one "
                "row an evaluation is read with `objectives`)."
            )
        return self._checked(tuple(names), np.vstack(parts))

    def _checked(self, names: tuple[str, ...], table: Floats) -> _Recorded:
        dim = len(self.means)
        means, errors, n = table[:, :dim], table[:, dim : -len(self.counts)], table[:, -len(self.counts) :]
        least = 0 if self.apart else 1  # who was not measured in one objective may have been in others
        for row, column in np.argwhere((n != np.floor(n)) | (n < least) | (n > 2**53))[:1]:
            words = f"holds {n[row, column]:g}, where a number of evaluations was expected"
            raise self._refusal(row, self.counts[column], words)
        n = np.broadcast_to(n, means.shape)
        for row, column in np.argwhere((n > 0) & np.isnan(means))[:1]:
            raise self._refusal(row, self.means[column], f"is empty, although it was measured {n[row, column]:g} times")
        means = np.where(n > 0, means, 0.0)
        squares = np.zeros(means.shape)
        binary = np.array([isinstance(o.noise, Binary) for o in self.meaning])
        known = np.array([isinstance(o.noise, Known) for o in self.meaning])
        if self.errors is not None:
            errors = np.where(binary | known, 0.0, errors)  # what they would be is known
            for row, column in np.argwhere((n > 1) & ~(errors >= 0))[:1]:
                held = "is empty" if np.isnan(errors[row, column]) else f"holds {errors[row, column]:g}"
                raise self._refusal(row, self.errors[column], f"{held}, where a {self._word} was expected")
            for row, column in np.argwhere((n == 1) & (np.nan_to_num(errors) != 0))[:1]:
                words = f"holds a {self._word}, but one evaluation shows none; leave it empty"
                raise self._refusal(row, self.errors[column], words)
            # standard error^2 = scatter / (n - 1) / n, standard deviation^2 = scatter / (n - 1)
            in_steps = np.where(n > 1, errors, 0.0) / self.meaning.units
            squares = in_steps**2 * np.maximum(n - 1, 0) * (1 if self._deviations else n)
        for d in np.flatnonzero(binary):  # of n outcomes with k successes: k (n - k) / n
            squares[:, d] = n[:, d] * np.clip(means[:, d] * (1 - means[:, d]), 0.0, None) / self.meaning.units[d] ** 2
        return _Recorded(names, self.meaning.steps(means), n.astype(np.int64), squares)

    @property
    def _word(self) -> str:
        return "standard deviation" if self._deviations else "standard error"

    def _refusal(self, row: int, column: str, words: str) -> InputError:
        return InputError(f"{row_words(self.path, row)}, column {column!r} {words}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The designs in the order of the rows."""
        return self._recorded.names

    @property
    def rows(self) -> Counts:
        """(K,): evaluations of each design, or measurements where objectives have counts of their own."""
        counts = self._recorded.counts
        return np.asarray(counts.sum(axis=1) if self.apart else counts[:, 0])

    def __iter__(self) -> Iterator[Observations]:
        """One entry a design."""
        if self.apart:
            raise InputError(
                f"{self.path.name} has a count for each objective, so they were measured separately: say so "
                "with `separate=True` and `final=True`, or give one count for all."
            )
        table = self._recorded
        scatters = table.squares[:, :, None] * np.eye(len(self.means))
        yield Observations(np.arange(len(table.names)), table.means, table.counts[:, 0], scatters)

    def separately(self) -> list[Observations]:
        """An entry a design for each objective by itself, where it was measured."""
        table, found = self._recorded, []
        for d in range(len(self.means)):
            who = np.flatnonzero(table.counts[:, d])
            squares = table.squares[who, d, None, None]
            found.append(Observations(who, table.means[who, d, None], table.counts[who, d], squares))
        return found


@dataclass(frozen=True, eq=False)
class _Recorded:
    """A table as it was read: every objective with its mean in steps, its count and its sum of squares."""

    names: tuple[str, ...]
    means: Floats
    """(K, D); 0 where an objective was not measured."""
    counts: Counts
    """(K, D)"""
    squares: Floats
    """(K, D): sums of squared deviations from the mean, in steps; 0 where no errors are told."""
