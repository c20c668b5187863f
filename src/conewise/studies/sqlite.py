"""A journal in one SQLite file: write-ahead log, durable before `tell` returns, refused before anything is touched."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from conewise.errors import ConewiseError, InputError
from conewise.studies.journal import Entry, choose
from conewise.studies.sqlitefile import connect, explained, insert_study, new_file, transaction

_ROWS: Final = 10_000  # entries a block

_inherited: list[sqlite3.Connection] = []  # of a parent process: closing them here could harm its files


class SqliteJournal:
    """One study in a file that may hold several."""

    def __init__(self, path: Path, connection: sqlite3.Connection, name: str, read_only: bool) -> None:
        self._path, self._read_only, self._process = path, read_only, os.getpid()
        self._connection: sqlite3.Connection | None = connection
        self.name = name
        with explained(path):
            row = connection.execute("SELECT id, header FROM studies WHERE name = ?", (name,)).fetchone()
        self._study, self.header = int(row[0]), str(row[1])

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
            self._connection, self._process = connect(self._path, self._read_only), os.getpid()
        return self._connection

    @contextmanager
    def locked(self, durable: bool = True) -> Iterator[None]:
        """BEGIN IMMEDIATE ... COMMIT; only what is durable waits for the disk, with all that was written before."""
        if self._read_only:
            raise ConewiseError(f"the study {self.name!r} in {self._path} was opened read-only.")
        connection = self._open_connection()
        with explained(self._path):
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with transaction(connection):
                yield

    def append(self, entries: Sequence[Entry]) -> None:
        """Insert; the primary key refuses a seq that is taken."""
        self._open_connection().executemany(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [(self._study, *entry) for entry in entries]
        )

    def read(self, after: int) -> Generator[Sequence[Entry]]:
        """Rows beyond `after`, from one snapshot."""
        connection = self._open_connection()
        with explained(self._path):
            cursor = connection.execute(
                "SELECT seq, time, kind, worker, evaluations, numbers, note FROM journal "
                "WHERE study = ? AND seq > ? ORDER BY seq",
                (self._study, after),
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
        return [str(name) for (name,) in connection.execute("SELECT name FROM studies ORDER BY id")]
