"""One Hypothesis profile for every suite: the same examples in every run, no clock in a verdict.

Files lie in memory, compiled modules are kept, and a process starts at most one PostgreSQL.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress

import pytest
from hypothesis import settings

sys.dont_write_bytecode = False  # else every worker and every command compiles all that it imports
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
with suppress(OSError):  # a study waits for the disk at every entry, some 10 ms; memory has room for all of them
    if "TMPDIR" not in os.environ and shutil.disk_usage("/dev/shm").free > 4 * 2**30:
        os.environ["TMPDIR"] = tempfile.tempdir = "/dev/shm"

settings.register_profile("conewise", derandomize=True, deadline=None, max_examples=25, print_blob=True)
settings.load_profile("conewise")


@pytest.fixture(scope="session")
def database():
    """A real PostgreSQL server, with fresh places for studies."""
    from shared.postgres import server

    with server() as running:
        yield running
