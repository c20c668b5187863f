"""A long table summed up in pieces, wherever there are workers: counts, sums and scatters of every design.

Each piece is summed up by itself and the sums are added in the order of the pieces, so that it does not matter who
works, and how many. Sums are kept in double-double arithmetic (`feedback.Statistics`): cutting a table into pieces
does not show in its averages either, but for what 106 bits cannot hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conewise.border import Floats, Indices, read_only
from conewise.data.observations import Counts, Observations, Statistics
from conewise.errors import InputError
from conewise.tables.csvfiles import UnsplittableError
from conewise.tables.measurements import LongFile, LongTable
from conewise.tables.shards import Piece, pieces_of
from conewise.workers import in_order

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Summed:
    """What is kept of some rows: who was evaluated, how often, and the statistics of the complete evaluations."""

    names: tuple[str, ...]
    rows: Counts
    """(K,): complete or not."""
    statistics: Statistics
    lowest: Floats
    highest: Floats
    """(D,): of all values, larger is better."""
    few: tuple[frozenset[float] | None, ...]
    """The different values of each objective, where there are no more than two."""


def sum_up(table: LongTable, executor: Any, progress: Progress | None = None) -> Summed | None:
    """The statistics of a whole table, its pieces read by the workers of an executor or a Dask client.

    None where a file cannot be read in pieces; what is wrong in a row is then said by a reading from the beginning.
    """
    known: dict[str, int] = {}
    total: Summed | None = None
    work = ((file, piece) for file in table.files for piece in pieces_of(file.path, file.reader))
    for part in in_order(_of_piece, work, executor):
        if part is None:
            return None
        places = np.array([known.setdefault(name, len(known)) for name in part.names], dtype=np.intp)
        total = _placed(part, places, known) if total is None else _added(total, part, places, known)
        if progress is not None:
            progress(int(total.rows.sum()), 0)
    table.check_unchanged()
    return total if total is not None and total.names else None


def _of_piece(work: tuple[LongFile, Piece]) -> Summed | None:
    """One piece, as a worker sums it up."""
    file, piece = work
    dim = len(file.objectives)
    known: dict[str, int] = {}
    rows = np.zeros(0, dtype=np.int64)
    statistics = Statistics.empty(1, dim)
    lowest, highest = np.full(dim, np.inf), np.full(dim, -np.inf)
    few: list[frozenset[float] | None] = [frozenset()] * dim
    try:
        for codes, words, values, counts in file.evaluations(piece):
            places = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.intp)
            rows = np.pad(rows, (0, len(known) - len(rows)))
            np.add.at(rows, places, counts)
            statistics = _grown(statistics, len(known)).add(Observations.single(places[codes], values))
            if len(values):
                lowest, highest = np.minimum(lowest, values.min(axis=0)), np.maximum(highest, values.max(axis=0))
                few = [_few(seen, values[:, d]) for d, seen in enumerate(few)]
    except (UnsplittableError, InputError, ValueError):
        if piece.span is None:
            raise
        return None
    return Summed(tuple(known), rows, _grown(statistics, max(1, len(known))), lowest, highest, tuple(few))


def _few(seen: frozenset[float] | None, values: Floats) -> frozenset[float] | None:
    """The values seen so far, or None as soon as there are three."""
    if seen is None:
        return None
    found = seen | set(np.unique(values)[:3].tolist())
    return found if len(found) <= 2 else None


def _grown(statistics: Statistics, n_designs: int) -> Statistics:
    """With designs at the end of which nothing is known yet."""
    if n_designs <= statistics.n_designs:
        return statistics
    empty = Statistics.empty(n_designs, statistics.dim)
    return empty.replaced(np.arange(statistics.n_designs), statistics)


def _placed(part: Summed, places: Indices, known: dict[str, int]) -> Summed:
    """The same under the numbers of the whole table."""
    statistics = Statistics.empty(max(1, len(known)), part.statistics.dim)
    rows = np.zeros(len(known), dtype=np.int64)
    if len(places):
        statistics = statistics.replaced(places, part.statistics)
        rows[places] = part.rows
    return Summed(tuple(known), read_only(rows), statistics, part.lowest, part.highest, part.few)


def _added(total: Summed, part: Summed, places: Indices, known: dict[str, int]) -> Summed:
    placed = _placed(part, places, known)
    grown = _grown(total.statistics, len(known))
    few = tuple(_both(ours, theirs) for ours, theirs in zip(total.few, part.few, strict=True))
    return Summed(
        placed.names,
        read_only(np.pad(total.rows, (0, len(known) - len(total.rows))) + placed.rows),
        grown.merge(placed.statistics),
        np.minimum(total.lowest, part.lowest),
        np.maximum(total.highest, part.highest),
        few,
    )


def _both(ours: frozenset[float] | None, theirs: frozenset[float] | None) -> frozenset[float] | None:
    together = None if ours is None or theirs is None else ours | theirs
    return together if together is not None and len(together) <= 2 else None
