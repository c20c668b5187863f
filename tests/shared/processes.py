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


def is_gone(process: int) -> bool:
    """Whether a process has ended; its remains, which wait for their parent, do not count."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return text.rpartition(")")[2].split()[0] == "Z"
