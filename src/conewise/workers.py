"""Run work on a `concurrent.futures.Executor` or a Dask client and return the results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from typing import Any, Final, TypeVar

from conewise._version import __version__
from conewise.border import as_count
from conewise.errors import ConewiseError, InputError

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

_AHEAD: Final = 2  # items submitted for each worker, so that no worker runs idle


def in_order(
    work: Callable[[_Item], _Answer], items: Iterable[_Item], executor: Any = None, ahead: int | None = None
) -> Iterator[_Answer]:
    """Yield `work(item)` for each item, in order; at most `ahead` items are submitted at a time."""
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
    """Return a future; raise ConewiseError if the executor has no workers left or was shut down."""
    try:
        return executor.submit(work, item)
    except BrokenExecutor as error:
        raise _ended(error) from None
    except RuntimeError as error:
        raise ConewiseError(f"the executor takes no more work: {' '.join(str(error).split())}.") from None


def _answer(future: Any, executor: Executor) -> Any:
    """Return the result of a future; raise ConewiseError if its worker has gone. Errors of the work itself pass."""
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
    """Return True if the Dask scheduler has gone; Dask then cancels all futures."""
    client = getattr(executor, "_client", None)
    return client is not None and getattr(client, "status", "running") != "running"


def check_workers(executor: Executor) -> None:
    """Refuse Dask workers on which this version of conewise is missing: they would fail at their first item."""
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
    """Return the number of workers of an executor, or the number of cores if the executor does not tell."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        return max(1, int(sum(client.nthreads().values())))
    for name in ("_max_workers", "num_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return os.cpu_count() or 1
