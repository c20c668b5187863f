"""Tables of means: one row a design, with counts and standard errors or deviations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise._arrays import Floats
from conewise.errors import InputError
from conewise.feedback import Counts, Observations
from conewise.noise import Binary, Known
from conewise.objectives import Objective, Objectives
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
    columns of standard deviations in their place.
    """

    summarised = True
    units_chosen = False
    """Whether the units were taken from the values."""

    def __init__(
        self,
        path: Any,
        *,
        means: Sequence[str],
        counts: str,
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
        self.means, self.counts = tuple(means), counts
        spreads = errors if errors is not None else deviations
        self.errors = None if spreads is None else tuple(spreads)
        self._deviations = errors is None
        check_columns((*self.means, *(self.errors or ()), self.counts), columns, self.path)
        if self.errors is not None and len(self.errors) != len(self.means):
            raise InputError(f"there are {len(self.means)} columns of means and {len(self.errors)} of {self._word}s.")
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

    @cached_property
    def _recorded(self) -> tuple[tuple[str, ...], Observations]:
        wanted = (*self.means, *(self.errors or ()), self.counts)
        names: list[str] = []
        parts: list[Floats] = []
        for columns in self.reader.chunks(wanted, self.design):
            row = len(names)
            names += texts(columns[self.design], self.path, self.design, row)
            parts.append(
                np.column_stack(
                    [numbers(columns[c], self.path, c, row, missing=c in (self.errors or ())) for c in wanted]
                )
            )
        if not names:
            raise InputError(f"{self.path.name} has no rows below its header; one row a design was expected.")
        if (twice := first_repeated(names)) is not None:
            raise InputError(
                f"{self.path.name} has two rows for {twice!r}; a table of means has one row a design (a table with one "
                "row an evaluation is read with `objectives`)."
            )
        return tuple(names), self._observations(np.vstack(parts))

    def _observations(self, table: Floats) -> Observations:
        dim = len(self.means)
        means, errors, n = table[:, :dim], table[:, dim:-1], table[:, -1]
        for row in np.flatnonzero((n != np.floor(n)) | (n < 1) | (n > 2**53))[:1]:
            raise self._refusal(row, self.counts, f"holds {n[row]:g}, where a number of evaluations was expected")
        scatters = np.zeros((len(n), dim, dim))
        binary = np.array([isinstance(o.noise, Binary) for o in self.meaning])
        known = np.array([isinstance(o.noise, Known) for o in self.meaning])
        if self.errors is not None:
            errors = np.where(binary | known, 0.0, errors)  # what they would be is known
            for row, column in np.argwhere((n[:, None] > 1) & ~(errors >= 0))[:1]:
                held = "is empty" if np.isnan(errors[row, column]) else f"holds {errors[row, column]:g}"
                raise self._refusal(row, self.errors[column], f"{held}, where a {self._word} was expected")
            for row, column in np.argwhere((n[:, None] == 1) & (np.nan_to_num(errors) != 0))[:1]:
                words = f"holds a {self._word}, but one evaluation shows none; leave it empty"
                raise self._refusal(row, self.errors[column], words)
            # standard error^2 = scatter / (n - 1) / n, standard deviation^2 = scatter / (n - 1)
            in_steps = np.where(n[:, None] > 1, errors, 0.0) / self.meaning.units
            variances = in_steps**2 * ((n - 1) * (1 if self._deviations else n))[:, None]
            scatters[:, np.arange(dim), np.arange(dim)] = variances
        for d in np.flatnonzero(binary):  # of n outcomes with k successes: k (n - k) / n
            scatters[:, d, d] = n * np.clip(means[:, d] * (1 - means[:, d]), 0.0, None) / self.meaning.units[d] ** 2
        designs = np.arange(len(n))
        return Observations(designs, self.meaning.steps(means), n.astype(np.int64), scatters)

    @property
    def _word(self) -> str:
        return "standard deviation" if self._deviations else "standard error"

    def _refusal(self, row: int, column: str, words: str) -> InputError:
        return InputError(f"{row_words(self.path, row)}, column {column!r} {words}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The designs in the order of the rows."""
        return self._recorded[0]

    @property
    def rows(self) -> Counts:
        """(K,): evaluations of each design."""
        return self._recorded[1].counts

    def __iter__(self) -> Iterator[Observations]:
        """One entry a design."""
        yield self._recorded[1]
