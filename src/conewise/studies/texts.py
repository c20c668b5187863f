"""Words that enter a journal: names, reasons, remarks and workers, fit to be stored and shown."""

from __future__ import annotations

from typing import Any, Final

from conewise.errors import InputError, shown

LONGEST_NOTE: Final = 10_000
_LONGEST_WORKER: Final = 200
_LONGEST_NAME: Final = 1000


def as_label(name: Any, what: str) -> str:
    """Text that survives a table and a terminal: no control characters, nothing around it, not empty."""
    if not isinstance(name, str):
        raise InputError(f"{what} must be text, got {shown(name)}.")
    if not name or name != name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise InputError(
            f"{what} must be printable text of at most {_LONGEST_NAME} characters without spaces around it, "
            f"got {name!r:.60}."
        )
    return name


def as_reason(reason: str, what: str) -> str:
    """A reason, which must not be empty."""
    reason = as_text(reason, "reason")
    if not reason.strip():
        raise InputError(f"{what} needs a reason.")
    return reason


def as_worker(worker: str) -> str:
    """Shown on terminals: nothing in it may steer one."""
    worker = as_text(worker, "worker", _LONGEST_WORKER)
    if not worker.isprintable():
        raise InputError(f"worker must be printable text, got {worker!r:.60}.")
    return worker


def as_text(text: str, name: str, longest: int = LONGEST_NOTE) -> str:
    """Text that every storage takes."""
    if not isinstance(text, str) or "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(f"{name} must be text that can be stored, got {text!r:.60}.")
    if len(text) > longest:
        raise InputError(f"{name} must be at most {longest} characters long, got {len(text)}.")
    return text


def as_flag(value: bool, name: str) -> bool:
    """Yes or no, and nothing that merely looks like it: a promise hangs on it."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be True or False, got {shown(value)}.")
    return value
