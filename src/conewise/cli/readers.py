"""Who reads a table for a command: this process, some processes, or the workers of a Dask scheduler."""

from __future__ import annotations

import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final

from conewise import limits
from conewise.cli.options import dask_executor
from conewise.errors import InputError
from conewise.reading import pieces

_STDIN: Final = Path("-")


@contextmanager
def spooled(files: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """The files, with standard input, called -, in a temporary one: a table is read more than once."""
    if _STDIN not in files:
        yield tuple(files)
        return
    if len(files) > 1:
        raise InputError("standard input (-) is one table by itself; leave the other files out.")
    with tempfile.TemporaryDirectory() as folder:
        remedy = "save it to a file and name that"
        parts = pieces(sys.stdin.buffer, "standard input", limits.LARGEST_PIPE, remedy)
        first = next(parts, b"").removeprefix(BOM_UTF8)
        path = Path(folder) / f"standard input{(ending := _ending(first))}"
        one = ending == ".json" and first.lstrip().startswith(b"{")
        with path.open("wb") as file:
            file.writelines(chain((b"[" * one, first), parts, (b"]" * one,)))
        yield (path,)


def _ending(beginning: bytes) -> str:
    """By its first letters: JSON, JSON lines, Parquet, or CSV."""
    if beginning.startswith(b"PAR1"):
        return ".parquet"
    line, end, _ = beginning.lstrip().partition(b"\n")
    if line.startswith(b"{"):  # an object in several lines is the only one
        return ".json" if end and not line.rstrip().endswith(b"}") else ".jsonl"
    return ".json" if line.startswith(b"[") else ""  # of CSV, as it is called


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
