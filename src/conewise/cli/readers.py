"""Who reads a table for a command: this process, some processes, or the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conewise.cli.options import dask_executor
from conewise.errors import InputError


@contextmanager
def crew(workers: int, dask: str | None) -> Iterator[Any]:
    """Processes, the workers of a Dask scheduler, or None for this process alone."""
    if dask is not None and workers > 1:
        raise InputError("--workers are processes here, and --dask is elsewhere; leave one of them out.")
    if dask is not None:
        with dask_executor(dask) as executor:
            yield executor
        return
    if workers == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
