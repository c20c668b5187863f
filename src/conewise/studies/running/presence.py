"""Who runs a study: a name for this process that others can check, and what was left by runs that are gone."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import Final

from conewise.studies.study import Study

_WORKER: Final = re.compile(r"(?P<machine>.+):(?P<process>\d{1,9}):(?P<start>\w+)")


def worker_name() -> str:
    """`machine:process:start` of this process, so that another run on the machine can see whether it is still there."""
    return f"{_machine()}:{os.getpid()}:{_started(os.getpid())}"


def release_abandoned(study: Study) -> int:
    """Hand back what runs on this machine had under way when they were killed; how many evaluations that was."""
    there: dict[str, bool] = {}
    gone = []
    for lease in study.leases():
        named = _WORKER.fullmatch(lease.worker)
        if named is None or named["machine"] != _machine():
            continue
        if lease.worker not in there:
            there[lease.worker] = _started(int(named["process"])) == named["start"]
        if not there[lease.worker]:
            gone.append(lease.evaluation)
    if gone:
        study.release(gone)
    return len(gone)


def _machine() -> str:
    """The host, and on Linux the numbering of its processes: containers may share a name, not that."""
    try:
        return f"{socket.gethostname()}/{os.readlink('/proc/self/ns/pid').strip('pid:[]')}"
    except OSError:
        return socket.gethostname()


def _started(process: int) -> str:
    """When a process began, in whatever unit the system has; empty when it is gone."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = text.rpartition(")")[2].split()
        return "" if state in "ZX" else fields[18]  # field 22 of proc(5): ticks since the machine started
    except (OSError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return ""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return ""
    except OSError:
        pass
    return "running"
