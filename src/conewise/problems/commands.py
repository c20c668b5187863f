"""Run a command once and return its exit code and output, in bounded memory and time.

The command runs in a session of its own, so that it can be ended with all processes that it started. Output is read
while the command runs. A background process may keep the output open after the command has ended; its output is not
awaited.
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
"""Largest number of bytes a command may print; with more, the command is ended and the evaluation fails."""
_MOST_COMPLAINT: Final = 2**16  # number of last bytes of standard error that are kept
_AT_ONCE: Final = 2**16  # bytes a read: what a pipe holds
_BETWEEN_LOOKS: Final = 0.1  # seconds between checks whether a silent command still runs
_PIPES_AFTER_END: Final = 1.0  # seconds to wait for output after a command has ended
_AFTER_KILL: Final = 2.0  # seconds to wait for a killed command to end


def run_command(arguments: list[str], folder: str | None, time_limit: float | None) -> tuple[int, str, str]:
    """Run a command and return its exit code, its output and the end of its standard error."""
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
    with _ended_on_failure(process):
        end = None if time_limit is None else time.monotonic() + time_limit
        try:
            printed, complaint = _output(process, end)
            code = process.wait(None if end is None else max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise EvaluationFailed(f"no answer within {time_limit:g} seconds") from None
        return code, printed.decode("utf-8", "replace"), complaint.decode("utf-8", "replace")


def _output(process: subprocess.Popen[bytes], end: float | None) -> tuple[bytearray, bytearray]:
    """Read both pipes until they close, or until shortly after the command has ended."""
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
def _ended_on_failure(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End the command and all processes that it started if the block is left by an exception."""
    try:
        yield
    except BaseException:
        with suppress(ProcessLookupError, PermissionError):  # ended already, or a zombie
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
