"""Other processes, as tests see them: waited for without a clock in the verdict, and whether they are gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

LIMIT = 60
"""Seconds after which a test that waits has failed."""


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as it holds."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {LIMIT} seconds"
        time.sleep(0.01)


def born(process: int) -> str | None:
    """When a process was started, in the kernel's own units: with its number, an identity. None if there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def is_gone(process: int, since: str | None = None) -> bool:
    """Whether a process has ended; its remains, which wait for their parent, do not count.

    Numbers are used again, soon on a busy machine: `since`, from `born`, says which process is meant.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return True
    return fields[0] == "Z" or (since is not None and fields[19] != since)
