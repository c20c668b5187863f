"""A command, run once: its exit code and what it printed, in bounded memory and bounded time.

It has a session of its own, so that all of it can be ended. What it prints is read while it runs. When it has ended but
something that it started in the background still holds its output open, nobody waits for that.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from conewise.errors import InputError
from conewise.problems.returned import EvaluationFailed

MOST_PRINTED: Final = 2**24
"""Bytes that a command may print; one that prints more is ended, and the evaluation has failed."""
_MOST_COMPLAINT: Final = 2**16  # bytes of its standard error that are kept: the last ones
_AT_ONCE: Final = 2**16  # bytes a read: what a pipe holds
_BETWEEN_LOOKS: Final = 0.1  # seconds between looks whether a command that says nothing is still there
_PIPES_AFTER_END: Final = 1.0  # seconds for the output of a command that has ended
_AFTER_KILL: Final = 2.0  # seconds for a killed command to be gone


def run_command(arguments: list[str], folder: str | None, time_limit: float | None) -> tuple[int, str, str]:
    """Exit code, stdout and the end of stderr."""
    try:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        what = folder if folder is not None and not os.path.isdir(folder) else arguments[0]
        raise InputError(f"the command cannot be started: {error.strerror or error}: {what}.") from None
    with _not_left_behind(process):
        end = None if time_limit is None else time.monotonic() + time_limit
        try:
            printed, complaint = _output(process, end)
            code = process.wait(None if end is None else max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise EvaluationFailed(f"no answer within {time_limit:g} seconds") from None
        return code, printed.decode("utf-8", "replace"), complaint.decode("utf-8", "replace")


def _output(process: subprocess.Popen[bytes], end: float | None) -> tuple[bytearray, bytearray]:
    """Everything that comes through both pipes until they close, or until a moment after the command has ended."""
    printed, complaint = bytearray(), bytearray()
    ended_at: float | None = None
    with selectors.DefaultSelector() as open_pipes:
        for pipe, kept in ((process.stdout, printed), (process.stderr, complaint)):
            assert pipe is not None
            open_pipes.register(pipe, selectors.EVENT_READ, kept)
        while open_pipes.get_map():
            now = time.monotonic()
            if ended_at is None and process.poll() is not None:
                ended_at = now
            if ended_at is not None and now > ended_at + _PIPES_AFTER_END:
                break
            if ended_at is None and end is not None and now > end:
                raise subprocess.TimeoutExpired(process.args, 0.0)
            for key, _ in open_pipes.select(_BETWEEN_LOOKS):
                part = os.read(key.fd, _AT_ONCE)
                key.data.extend(part)
                if not part:
                    open_pipes.unregister(key.fileobj)
            del complaint[:-_MOST_COMPLAINT]
            if len(printed) > MOST_PRINTED:
                raise EvaluationFailed(
                    f"the command printed more than {MOST_PRINTED:,} bytes and was ended; print the values alone"
                )
    return printed, complaint


@contextmanager
def _not_left_behind(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """When the block is left by an exception, the command and all that it started are ended first."""
    try:
        yield
    except BaseException:
        with suppress(ProcessLookupError, PermissionError):  # gone already, or only its remains are there
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_AFTER_KILL)
        raise
    finally:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
