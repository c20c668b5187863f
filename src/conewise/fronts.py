"""Compute Pareto sets of tables given in pieces: local fronts, on one machine or many, then an exact merge.

A design that is dominated within its own piece is dominated in the whole table. Every dominated design is dominated by
a member of the front of some piece. So the front of the local fronts is the front of the whole table. Dominance
compares the facet values of two designs only, and these do not depend on the position of a design (`order`). The
statement therefore holds for floating-point numbers, not only for the reals (docs/streams, "The exact merge").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conewise.border import Bools, Floats, as_floats, check_shape, read_only
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError, shown
from conewise.order.dominance import pareto_mask
from conewise.workers import in_order

Rows = NDArray[np.int64]
Labels = NDArray[np.object_]
Shard = ArrayLike | Callable[[], Any]
"""Some rows of a table: an array (K, D), or a function without arguments that returns one array or yields several."""

MERGE: Final = 65_536  # members of local fronts that gather before they are merged
_CHUNK: Final = 2**18  # rows filtered at a time: bounds the extra memory of the filter


@dataclass(frozen=True, eq=False)
class Front:
    """The Pareto set of some rows: the number of rows, and the indices and objectives of the Pareto rows."""

    rows: int
    indices: Rows
    """(n,): row numbers, in order."""
    points: Floats
    """(n, D): larger is better."""
    labels: Labels | None = None
    """(n,): optional label of each Pareto row."""

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        return f"Front({len(self)} of {self.rows} rows)"


class RunningFront:
    """The Pareto set of a stream, in memory proportional to the set. Add chunks or fronts, then read `front`."""

    def __init__(self, cone: Cone, *, keep_duplicates: bool = True, units: Floats | None = None) -> None:
        """Start an empty front. Points are divided by `units` (D,), the step of each objective, when compared."""
        self._cone, self._keep, self._units = as_cone(cone), keep_duplicates, units
        self._parts: list[Front] = []
        self._merged = self._gathered = 0
        self._rows = 0

    @property
    def rows(self) -> int:
        """Number of rows seen so far."""
        return self._rows

    def add(self, points: ArrayLike, labels: Callable[[Rows], Labels] | None = None) -> None:
        """Add the next rows of the stream; `labels` is called with the indices, from 0, of rows that may be Pareto."""
        array = as_floats(points, "points")
        if array.ndim == 2 and not len(array):
            return
        kept = np.flatnonzero(self._mask(array))
        self.join(Front(len(array), kept, array[kept], None if labels is None else labels(kept)))

    def join(self, front: Front) -> None:
        """Add the Pareto set of the next rows of the stream."""
        if len(front):
            moved = Front(front.rows, front.indices + self._rows, front.points, front.labels)
            self._parts.append(moved)
            self._gathered += len(front)
        self._rows += front.rows
        # A merge costs about the size of the front. Waiting until as many new rows have gathered bounds the cost.
        if self._gathered - self._merged > max(MERGE, self._merged):
            self._merge()

    @property
    def front(self) -> Front:
        """Pareto set of all rows so far, with row numbers counted from the start of the stream."""
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
    shards: Iterable[Shard],
    cone: ConeLike,
    *,
    keep_duplicates: bool = True,
    executor: Any = None,
    ahead: int | None = None,
) -> Front:
    """Return the Pareto set of a table in pieces: local fronts are computed by the executor and merged here.

    Rows are numbered through all shards in order. The result equals `pareto_mask` on the whole table, in whatever order
    the workers finish. A shard is an array (K, D), or a function without arguments that returns one array or yields
    several. The function is called by the worker.

    `executor` is a `concurrent.futures.Executor` or a Dask client; without one, shards are processed here in turn. At
    most `ahead` shards are submitted at a time (by default two a worker). Memory is bounded by that many local fronts
    and the front itself.

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
    """Read one shard and return its Pareto set."""
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
