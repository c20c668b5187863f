"""Work that others do: items handed to a `concurrent.futures.Executor` or a Dask client, answers in their order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from typing import Any, Final, TypeVar

from conewise._arrays import as_count
from conewise._version import __version__
from conewise.errors import ConewiseError, InputError

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

_AHEAD: Final = 2  # items handed out for each worker, so that none waits for whoever takes the answers


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
    check_workers(executor)
    most = _AHEAD * workers_of(executor) if ahead is None else as_count(ahead, "ahead")
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(_submitted(executor, work, item))
            if len(waiting) >= most:
                yield _answer(waiting.popleft(), executor)
        while waiting:
            yield _answer(waiting.popleft(), executor)
    finally:
        for future in waiting:
            future.cancel()


def _submitted(executor: Executor, work: Callable[[Any], Any], item: Any) -> Any:
    """A future; a sentence where the executor has no workers any more, or was shut down."""
    try:
        return executor.submit(work, item)
    except BrokenExecutor as error:
        raise _ended(error) from None
    except RuntimeError as error:
        raise ConewiseError(f"the executor takes no more work: {' '.join(str(error).split())}.") from None


def _answer(future: Any, executor: Executor) -> Any:
    """The result, or a sentence for workers that have gone; what the work itself refuses passes through."""
    try:
        return future.result()
    except BrokenExecutor as error:
        raise _ended(error) from None
    except BaseException as error:
        if type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError"):
            if scheduler_has_gone(executor):
                raise ConewiseError("the Dask scheduler has gone; run again when it is back.") from None
            words = " ".join(f"{type(error).__name__}: {error}".split())[:160].rstrip(": ")
            raise ConewiseError(f"the workers gave a shard up ({words}).") from None
        raise


def _ended(error: BrokenExecutor) -> ConewiseError:
    return ConewiseError(f"a worker ended while it read a shard ({error}); memory may have run out.")


def scheduler_has_gone(executor: Executor) -> bool:
    """Dask cancels everything when its scheduler has gone."""
    client = getattr(executor, "_client", None)
    return client is not None and getattr(client, "status", "running") != "running"


def check_workers(executor: Executor) -> None:
    """Refuse Dask workers without this conewise: they would end as soon as they are given work, one after the other."""
    client = getattr(executor, "_client", None)
    if client is None or not hasattr(client, "run") or getattr(client, "asynchronous", False):
        return
    found = client.run(eval, "__import__('conewise').__version__", on_error="return")
    for worker, version in found.items():
        if version != __version__:
            there = f"conewise {version}" if isinstance(version, str) else "none that can be imported"
            raise ConewiseError(
                f"the workers of Dask need the conewise that is here, {__version__}, and {worker} has {there}; "
                "install it there."
            )


def workers_of(executor: Executor) -> int:
    """How many workers an executor has, by what it says of itself; the number of cores where it says nothing."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        return max(1, int(sum(client.nthreads().values())))
    for name in ("_max_workers", "num_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return os.cpu_count() or 1
