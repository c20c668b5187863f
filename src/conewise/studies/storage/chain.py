"""Checksums that follow each other through a journal: a changed bit, a lost entry and a lost end are found out.

The checksum of an entry covers the one before it and all that the entry says; the first one follows the study's seal,
which covers its name and header. The last number and checksum are also kept apart from the entries, so that a journal
that ends too early does not pass for a shorter one. They guard against disks, copies and slips, not against malice:
whoever can write a study can write its checksums.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from conewise.errors import ConewiseError
from conewise.studies.storage.journal import Entry

_pack = struct.Struct("<qqd").pack
_unpack = struct.Struct("<q").unpack


class Tail(NamedTuple):
    """How far a journal goes: its last number, and the checksum there (the seal before the first entry)."""

    seq: int
    checksum: int


def damaged(place: str, what: str) -> ConewiseError:
    """The sentence for a study that is not what was written."""
    return ConewiseError(f"{place} is damaged: {what}; restore it from a copy.")


def broken(place: str, entry: int, what: str = "") -> ConewiseError:
    """The sentence for an entry that is not what was written."""
    return ConewiseError(f"{place}: the journal is damaged near entry {entry}{what}; restore it from a copy.")


def seal_of(name: str, header: str) -> int:
    """The checksum of what a study asks; every entry's follows from it."""
    return _number(f"{name}\0{header}".encode())


def checksums(previous: int, entries: Iterable[Sequence[Any]]) -> list[int]:
    """One for each entry (64 bits, about 2 microseconds), given the one before them."""
    found = []
    try:
        for seq, time, kind, worker, evaluations, numbers, note in entries:
            said = f"{kind}\0{worker}\0{evaluations}\0{numbers}\0{note}".encode()
            (previous,) = _unpack(blake2b(_pack(previous, seq, time) + said, digest_size=8).digest())
            found.append(previous)
    except struct.error:
        raise ValueError("a number or a time is none") from None
    return found


def extended(tail: Tail, entries: Sequence[Entry]) -> tuple[list[int], Tail]:
    """The checksums of entries that follow a tail, and the tail after them; a seq that is taken is refused."""
    if any(entry.seq != tail.seq + place for place, entry in enumerate(entries, 1)):
        raise ConewiseError("someone else has just written at the same place; nothing was written: try again.")
    found = checksums(tail.checksum, entries)
    return found, Tail(entries[-1].seq, found[-1]) if entries else tail


class Chain:
    """What one object knows of a journal's checksums: what it has verified once is not read again for it."""

    def __init__(self, place: str, name: str, header: str, seal: int) -> None:
        if seal_of(name, header) != seal:
            raise damaged(place, f"the header of the study {name!r:.60} is not what was written")
        self._place, self._seal = place, seal
        self.known = Tail(0, seal)
        """The last entry that was verified or written here."""

    def start(self, after: int) -> Tail | None:
        """Where verification goes on after that entry; None where its checksum has to be looked up."""
        return Tail(0, self._seal) if after == 0 else self.known if after == self.known.seq else None

    def follow(self, start: Tail, end: Tail, blocks: Iterable[Sequence[Sequence[Any]]]) -> Generator[list[Entry]]:
        """Entries between two tails, verified; their rows have the checksum as the eighth column."""
        seq, checksum = start
        if end.seq < seq or (end.seq == seq and end.checksum != checksum):
            raise damaged(self._place, f"its journal ends at entry {end.seq}, and was read up to entry {seq} before")
        for rows in blocks:
            entries = [Entry._make(row[:7]) for row in rows]
            try:
                found = checksums(checksum, entries)
            except (ValueError, TypeError) as error:
                raise broken(self._place, seq + 1, f" ({str(error)[:80]})") from None
            if [row[7] for row in rows] != found:
                wrong = next(n for n, row in enumerate(rows) if row[7] != found[n])
                raise broken(self._place, seq + 1 + wrong, " (its checksum does not fit)")
            seq, checksum = entries[-1].seq, found[-1]
            self.known = Tail(seq, checksum)
            yield entries
        if (seq, checksum) != end:
            raise broken(self._place, seq + 1, " (its end is missing)")


def _number(said: bytes) -> int:
    (number,) = _unpack(blake2b(said, digest_size=8).digest())
    return int(number)
