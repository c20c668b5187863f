"""Pareto sets of tables in pieces: local fronts, merged exactly, on this machine or on many.

What is dominated within its own piece is dominated in the whole, and whatever dominates a design is itself dominated
by a member of its piece's front, or is one; so the front of the local fronts is the front of everything. Dominance
compares the facet values of two designs and nothing else, and these do not depend on where a design stands (`order`),
so this holds for the floating-point numbers, not only for the reals (docs/streams, "The exact merge").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conewise._arrays import Bools, Floats, as_floats, check_shape, read_only
from conewise._workers import in_order
from conewise.cones import Cone, as_cone
from conewise.errors import InputError, shown
from conewise.order import pareto_mask

Rows = NDArray[np.int64]
Labels = NDArray[np.object_]
Shard = ArrayLike | Callable[[], Any]
"""Some rows of a table: an array (K, D), or a function without arguments that returns one or yields several."""

_MERGE: Final = 65_536  # members of local fronts that gather before they are merged
_CHUNK: Final = 2**18  # rows of an array that are filtered at a time: bounds what the filter needs beside them


@dataclass(frozen=True, eq=False)
class Front:
    """The Pareto set of some rows: how many rows there were, which of them are Pareto, and their objectives."""

    rows: int
    indices: Rows
    """(n,): row numbers, in order."""
    points: Floats
    """(n, D): larger is better."""
    labels: Labels | None = None
    """(n,): what else was said of each of them."""

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        return f"Front({len(self)} of {self.rows} rows)"


class RunningFront:
    """The Pareto set of a stream, in memory proportional to the set: feed chunks or fronts, read `front` at the end."""

    def __init__(self, cone: Cone, *, keep_duplicates: bool = True, units: Floats | None = None) -> None:
        """`units` (D,) are what one step of each objective is: points are divided by them where they are compared."""
        self._cone, self._keep, self._units = as_cone(cone), keep_duplicates, units
        self._parts: list[Front] = []
        self._merged = self._gathered = 0
        self._rows = 0

    @property
    def rows(self) -> int:
        """How many have been seen."""
        return self._rows

    def add(self, points: ArrayLike, labels: Callable[[Rows], Labels] | None = None) -> None:
        """The next rows of the stream; `labels` is asked for those of the rows that may be Pareto, counted from 0."""
        array = as_floats(points, "points")
        if array.ndim == 2 and not len(array):
            return
        kept = np.flatnonzero(self._mask(array))
        self.join(Front(len(array), kept, array[kept], None if labels is None else labels(kept)))

    def join(self, front: Front) -> None:
        """The Pareto set of the next rows of the stream."""
        if len(front):
            moved = Front(front.rows, front.indices + self._rows, front.points, front.labels)
            self._parts.append(moved)
            self._gathered += len(front)
        self._rows += front.rows
        # Merging costs about the size of the front: wait until as much has gathered, and it costs log-many passes.
        if self._gathered - self._merged > max(_MERGE, self._merged):
            self._merge()

    @property
    def front(self) -> Front:
        """The Pareto set of all rows so far; row numbers count from the first of the stream."""
        self._merge()
        if not self._parts:
            return Front(self._rows, np.empty(0, dtype=np.int64), np.empty((0, self._cone.dim)))
        only = self._parts[0]
        return Front(self._rows, read_only(only.indices), read_only(only.points), only.labels)

    def _mask(self, points: Floats) -> Bools:
        steps = points if self._units is None else points / self._units
        return pareto_mask(steps, self._cone, keep_duplicates=self._keep)

    def _merge(self) -> None:
        if self._gathered == self._merged:
            return
        if len(self._parts) == 1:  # each part is a front already
            self._merged = self._gathered
            return
        parts, self._parts = self._parts, []
        points = np.concatenate([part.points for part in parts])
        kept = np.flatnonzero(self._mask(points))
        points = points[kept]
        indices = np.concatenate([part.indices for part in parts])[kept]
        labels = None
        if parts[0].labels is not None:
            labels = np.concatenate([part.labels for part in parts if part.labels is not None])[kept]
        self._parts = [Front(self._rows, indices, points, labels)]
        self._merged = self._gathered = len(kept)


def front_of_shards(
    shards: Iterable[Shard], cone: Cone, *, keep_duplicates: bool = True, executor: Any = None, ahead: int | None = None
) -> Front:
    """The Pareto set of a table in pieces: local fronts wherever the executor computes them, merged exactly here.

    Rows are numbered through all shards in their order, and the answer is that of `pareto_mask` on the whole, whoever
    computes and in whatever order they finish. A shard is an array (K, D), or a function without arguments that
    returns one or yields several: it is called where the work is done. `executor` is a `concurrent.futures.Executor`
    or a Dask client; without one, shards are worked on here, one after the other. At most `ahead` of them are handed
    out at a time (two a worker), so that memory is bounded by that many local fronts and the front itself.

    >>> pieces = [[[0.8, -0.3], [0.9, -0.5]], [[0.0, 0.0], [1.0, -1.0]]]
    >>> front_of_shards(pieces, Cone.planar(135)).indices.tolist()
    [0, 1]
    """
    cone = as_cone(cone)
    running = RunningFront(cone, keep_duplicates=keep_duplicates)
    local = partial(local_front, cone=cone, keep_duplicates=keep_duplicates)
    try:
        pieces = iter(shards)
    except TypeError:
        raise InputError(f"shards must be arrays (K, D) or functions that return them, got {shown(shards)}.") from None
    for front in in_order(local, enumerate(pieces), executor, ahead):
        running.join(front)
    if not running.rows:
        raise InputError("the shards hold no rows: at least one design is needed.")
    return running.front


def local_front(numbered: tuple[int, Shard], cone: Cone, keep_duplicates: bool) -> Front:
    """The Pareto set of one shard, which is read here."""
    number, shard = numbered
    running = RunningFront(cone, keep_duplicates=keep_duplicates)
    given = shard() if callable(shard) else shard
    arrays = given if isinstance(given, Iterator) else (given,)
    try:
        for values in arrays:
            array = as_floats(values, "points")
            if array.ndim != 2 or len(array):
                check_shape(array, "points", cone.dim)
            for start in range(0, len(array), _CHUNK):
                running.add(array[start : start + _CHUNK])
    except InputError as error:
        raise InputError(f"shard {number} (counted from 0): {error}") from None
    return running.front
