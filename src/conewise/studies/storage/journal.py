"""The storage contract: an append-only journal of entries.

An entry is written by someone who holds the lock and has read every entry before it; `seq` counts 1, 2, 3, ... within
a study, so that two entries can never claim the same place. Texts are plain: evaluations "3-0,4-0", numbers "0.5,-2.25"
in the shortest form that reads back to the same float. Nothing in a journal is ever changed or removed, and every entry
has a checksum that covers all before it (`conewise.studies.storage.chain`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from conewise.errors import ConewiseError, InputError
from conewise.studies.identity import Identity

CHANGES: Final = ("add", "drop", "change", "objective", "join")
"""Entries that change what a study asks."""
KINDS: Final = ("ask", "tell", "fail", "release", "correct", "withdraw", "note", *CHANGES)
PATIENCE: Final = 60.0
"""Seconds for which an open study waits for a storage that has gone away: longer than a server takes to restart."""
_LONGEST_PAUSE: Final = 5.0  # seconds between two attempts


class Unreachable(ConewiseError):  # noqa: N818 - read as a sentence: the storage is unreachable
    """The storage cannot be reached at the moment; nothing was written, and the same may be tried again."""


def attempts(seconds: float) -> Iterator[bool]:
    """Attempts with growing pauses between them, for so long; whether each is the last one."""
    latest, pause = time.monotonic() + seconds, 0.05
    while (left := latest - time.monotonic()) > 0:
        yield False
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE)
    yield True


class Entry(NamedTuple):
    """One line of a journal."""

    seq: int
    time: float
    """UTC seconds at which it was written."""
    kind: str
    worker: str
    evaluations: str
    """Identities, separated by commas."""
    numbers: str
    """tell, correct: the values, evaluation by evaluation; ask: when the lease ends; objective: its values of earlier
    evaluations."""
    note: str
    """Why: the reason of a failure, a correction or a withdrawal, or free text; tell: what it must not be told under
    again; add, drop, change, objective: what changes, as JSON (`conewise.studies.changes`)."""

    @property
    def identities(self) -> tuple[Identity, ...]:
        """What it is about."""
        return tuple(Identity.parse(text) for text in self.evaluations.split(",") if text)


class Journal(Protocol):
    """One study in some storage."""

    @property
    def name(self) -> str:
        """The study's name."""
        ...

    @property
    def header(self) -> str:
        """What the study asks: the text given when it was made."""
        ...

    @property
    def place(self) -> str:
        """Where it is, for people: never with a password."""
        ...

    def locked(self, durable: bool = True) -> AbstractContextManager[None]:
        """One exclusive transaction: committed at its end, rolled back on an error, durable when left.

        One that need not be durable outlives every process, but may be lost with the power; never what is before it,
        nor what an open study has read: a storage on a machine of its own makes all of them durable.
        `Unreachable` says that nothing was written and the whole may be tried again.
        """
        ...

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries, inside `locked` only; a seq that is taken is refused."""
        ...

    def read(self, after: int) -> Generator[Sequence[Entry]]:
        """Every entry with a larger seq, in order, in blocks; whatever is not as it was written is refused."""
        ...

    def close(self) -> None:
        """Let go of the storage; closing twice is harmless."""
        ...


SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
"""How an address begins that is none of a file."""


def redact(where: str | Path) -> str:
    """A path as it is; a URL without user, password and options, fit for messages.

    >>> redact("postgresql://me:secret@db.example.org:5433/lab?sslpassword=also")
    'postgresql://db.example.org:5433/lab'
    """
    scheme = None if isinstance(where, Path) else SCHEME.match(where)
    if scheme is None:
        return str(where)
    rest = str(where)[scheme.end() :]
    rest = rest.rpartition("@")[2] if "@" in rest else rest  # a password may hold anything, even / and ?
    return f"{scheme[1]}://{re.split('[?#]', rest, maxsplit=1)[0]}"


def choose(name: str | None, names: Sequence[str], place: str) -> str:
    """The name asked for, or the only one there is."""
    if name is None and len(names) == 1:
        return names[0]
    if name is None and len(names) > 1:
        raise InputError(f"{place} holds {len(names)} studies; say which by name: {', '.join(names[:10])}.")
    if name is None or name not in names:
        there = f"it holds {', '.join(names[:10])}" if names else "it holds none"
        raise ConewiseError(f"{place} has no study{'' if name is None else f' called {name!r}'}; {there}.")
    return name
