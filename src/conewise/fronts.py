"""Pareto sets of tables in pieces: local fronts, merged exactly, on this machine or on many.

What is dominated within its own piece is dominated in the whole, and whatever dominates a design is itself dominated
by a member of its piece's front, or is one; so the front of the local fronts is the front of everything. Dominance
compares the facet values of two designs and nothing else, and these do not depend on where a design stands (`order`),
so this holds for the floating-point numbers, not only for the reals (docs/streams, "The exact merge").
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conewise._arrays import Floats, as_count, as_floats, check_shape, read_only
from conewise.cones import Cone, as_cone
from conewise.errors import ConewiseError, InputError
from conewise.order import pareto_mask

Rows = NDArray[np.int64]
Labels = NDArray[np.object_]
Shard = ArrayLike | Callable[[], Any]
"""Some rows of a table: an array (K, D), or a function without arguments that returns one or yields several."""

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

_MERGE: Final = 65_536  # members of local fronts that gather before they are merged
_CHUNK: Final = 2**18  # rows of an array that are filtered at a time: bounds what the filter needs beside them
_AHEAD: Final = 2  # shards handed out for each worker, so that none waits for the merge


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

    def __init__(self, cone: Cone, *, keep_duplicates: bool = True) -> None:
        self._cone, self._keep = as_cone(cone), keep_duplicates
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
        kept = np.flatnonzero(pareto_mask(array, self._cone, keep_duplicates=self._keep))
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

    def _merge(self) -> None:
        if self._gathered == self._merged:
            return
        if len(self._parts) == 1:  # each part is a front already
            self._merged = self._gathered
            return
        parts, self._parts = self._parts, []
        points = np.concatenate([part.points for part in parts])
        kept = np.flatnonzero(pareto_mask(points, self._cone, keep_duplicates=self._keep))
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
    running = RunningFront(cone, keep_duplicates=keep_duplicates)
    local = partial(local_front, cone=running._cone, keep_duplicates=keep_duplicates)
    for front in in_order(local, enumerate(shards), executor, ahead):
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


def in_order(
    work: Callable[[_Item], _Answer], items: Iterable[_Item], executor: Any = None, ahead: int | None = None
) -> Iterator[_Answer]:
    """What `work` makes of each item, in the order of the items; only so many are handed out ahead."""
    if executor is None:
        yield from map(work, items)
        return
    if hasattr(executor, "get_executor"):  # a Dask client
        executor = executor.get_executor(pure=False)
    if not isinstance(executor, Executor):
        kind = type(executor).__name__
        raise InputError(f"executor must be a concurrent.futures.Executor or a Dask client, got {kind}.")
    most = _AHEAD * _width(executor) if ahead is None else as_count(ahead, "ahead")
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(executor.submit(work, item))
            if len(waiting) >= most:
                yield _answer(waiting.popleft())
        while waiting:
            yield _answer(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def _answer(future: Any) -> Any:
    """The result, or a sentence for workers that have gone; what the work itself refuses passes through."""
    try:
        return future.result()
    except BrokenExecutor as error:
        raise ConewiseError(f"a worker ended while it read a shard ({error}); memory may have run out.") from None
    except BaseException as error:
        if type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError"):
            words = " ".join(str(error).split())[:120]
            raise ConewiseError(f"the workers gave a shard up ({type(error).__name__}: {words}).") from None
        raise


def _width(executor: Executor) -> int:
    """How many workers an executor has, by what it says of itself; the number of cores where it says nothing."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        return max(1, int(sum(client.nthreads().values())))
    found = getattr(executor, "_max_workers", None)
    return found if isinstance(found, int) and found > 0 else os.cpu_count() or 1
