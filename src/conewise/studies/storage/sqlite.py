"""A journal in one SQLite file: write-ahead log, durable before `tell` returns, refused before anything is touched."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from conewise.errors import ConewiseError, InputError
from conewise.studies.storage.chain import Chain, Tail, broken, damaged, extended
from conewise.studies.storage.journal import Entry, choose
from conewise.studies.storage.sqlitefile import (
    CHECKSUMS,
    check_place,
    connect,
    explained,
    format_of,
    insert_study,
    is_closed,
    new_file,
    sharing,
    transaction,
)

_ROWS: Final = 10_000  # entries a block
_ALL: Final = 2**63 - 1

_inherited: list[sqlite3.Connection] = []  # of a parent process: closing them here could harm its files


class SqliteJournal:
    """One study in a file that may hold several."""

    def __init__(self, path: Path, connection: sqlite3.Connection, name: str, read_only: bool) -> None:
        self._path, self._read_only, self._process = path, read_only, os.getpid()
        self._connection: sqlite3.Connection | None = connection
        self.name = name
        self._new: Tail | None = None
        with explained(path):
            sealed = format_of(connection) >= CHECKSUMS
            columns = "id, name, header, seal" if sealed else "id, name, header, 0"
            found = [row for row in connection.execute(f"SELECT {columns} FROM studies") if row[1] == name]
        if len(found) != 1 or not isinstance(found[0][2], str):
            raise damaged(str(path), f"the study {name!r:.60} is not in the list of its studies")
        self._study, self.header = int(found[0][0]), found[0][2]
        self._chain = Chain(str(path), name, self.header, found[0][3]) if sealed else None

    @classmethod
    def create(cls, path: Path, name: str, header: str) -> SqliteJournal:
        """A new study, in a new file or beside the studies of an existing one."""
        if not path.exists():
            new_file(path, name, header)
        elif name in names_in(path):
            raise InputError(f"{path} already holds a study called {name!r}; open it, or choose another name or file.")
        else:
            connection = connect(path, read_only=False)
            try:
                with explained(path), transaction(connection):
                    insert_study(connection, name, header)
            finally:
                connection.close()
        return cls.open(path, name, read_only=False)

    @classmethod
    def open(cls, path: Path, name: str | None, read_only: bool) -> SqliteJournal:
        """An existing study; a file that is not ours, damaged or newer is refused and left as it is."""
        connection = connect(path, read_only)
        try:
            return cls(path, connection, choose(name, _names(connection, path), str(path)), read_only)
        except BaseException:
            connection.close()
            raise

    @property
    def place(self) -> str:
        """The path."""
        return str(self._path)

    def _open_connection(self) -> sqlite3.Connection:
        """The connection of this process: after a fork the child gets one of its own."""
        if self._connection is None:
            raise ConewiseError(f"the study {self.name!r} in {self._path} is closed; open it again.")
        if self._process != os.getpid():
            _inherited.append(self._connection)
        if self._process != os.getpid() or is_closed(self._connection):
            self._connection, self._process = connect(self._path, self._read_only, checked=True), os.getpid()
        return self._connection

    @contextmanager
    def locked(self, durable: bool = True) -> Iterator[None]:
        """BEGIN IMMEDIATE ... COMMIT; only what is durable waits for the disk, with all that was written before."""
        if self._read_only:
            raise ConewiseError(f"the study {self.name!r} in {self._path} was opened read-only.")
        connection = self._open_connection()
        self._new = None
        with explained(self._path):
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with transaction(connection):
                check_place(connection, self._path)
                yield
        if self._chain is not None and self._new is not None:
            self._chain.known = self._new

    def append(self, entries: Sequence[Entry]) -> None:
        """Insert, with checksums that follow the last one; a seq that is taken is refused."""
        connection = self._open_connection()
        found, self._new = extended(self._tail(connection), entries)
        connection.executemany(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(self._study, *entry, checksum) for entry, checksum in zip(entries, found, strict=True)],
        )
        connection.execute("UPDATE tails SET seq = ?, checksum = ? WHERE study = ?", (*self._new, self._study))

    def _tail(self, connection: sqlite3.Connection) -> Tail:
        row = connection.execute("SELECT seq, checksum FROM tails WHERE study = ?", (self._study,)).fetchone()
        if row is None:
            raise damaged(str(self._path), f"nothing says how long the journal of {self.name!r:.60} is")
        return Tail(*row)

    def read(self, after: int) -> Generator[Sequence[Entry]]:
        """Rows beyond `after` and up to the end that is kept apart: what is added meanwhile is for the next reading."""
        connection = self._open_connection()
        check_place(connection, self._path)
        with explained(self._path), sharing(connection):
            if self._chain is None:  # of a conewise that had no checksums
                for rows in self._rows(connection, after, _ALL, ""):
                    yield [Entry._make(row) for row in rows]
                return
            end, start = self._tail(connection), self._chain.start(after)
            if start is None:
                row = connection.execute(
                    "SELECT seq, checksum FROM journal WHERE study = ? AND seq = ?", (self._study, after)
                ).fetchone()
                if row is None:
                    raise broken(str(self._path), after, " (it is missing)")
                start = Tail(*row)
            yield from self._chain.follow(start, end, self._rows(connection, after, end.seq, ", checksum"))

    def _rows(self, connection: sqlite3.Connection, after: int, last: int, more: str) -> Generator[Sequence[Any]]:
        cursor = connection.execute(
            f"SELECT seq, time, kind, worker, evaluations, numbers, note{more} FROM journal "
            "WHERE study = ? AND seq > ? AND seq <= ? ORDER BY seq",
            (self._study, after, last),
        )
        while block := cursor.fetchmany(_ROWS):
            yield block

    def close(self) -> None:
        """Close the file, unless it is a parent process's."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._process != os.getpid():
            _inherited.append(connection)
        else:
            connection.close()


def names_in(path: Path) -> list[str]:
    """The studies of a file."""
    connection = connect(path, read_only=True)
    try:
        return _names(connection, path)
    finally:
        connection.close()


def _names(connection: sqlite3.Connection, path: Path) -> list[str]:
    with explained(path):
        found = connection.execute("SELECT id, name FROM studies ORDER BY id").fetchall()
        ends = (
            connection.execute("SELECT study FROM tails ORDER BY study") if format_of(connection) >= CHECKSUMS else ()
        )
        if ends and [study for study, _ in found] != [study for (study,) in ends]:
            raise damaged(str(path), "its list of studies is not what was written")
    return [str(name) for _, name in found]
