"""Files of studies: made whole, looked at before they are opened, brought up to date, and their errors as sentences."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from conewise.errors import ConewiseError, InputError

APPLICATION: Final = 0x434F4E45
"""Marks a file as ours: "CONE" in SQLite's application_id."""
FORMAT: Final = 1
"""The version of the tables, in SQLite's user_version."""
MIGRATIONS: Final[dict[int, Callable[[sqlite3.Connection], None]]] = {}
"""From a version to the next one; run in one transaction, after a copy of the file was made."""

_MAGIC: Final = b"SQLite format 3\x00"
_PATIENCE: Final = 120.0  # seconds to wait for another process's transaction
_SCHEMA: Final = (
    """CREATE TABLE studies (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created REAL NOT NULL, header TEXT NOT NULL)""",
    """CREATE TABLE journal (
        study INTEGER NOT NULL, seq INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL, worker TEXT NOT NULL,
        evaluations TEXT NOT NULL, numbers TEXT NOT NULL, note TEXT NOT NULL,
        PRIMARY KEY (study, seq)) WITHOUT ROWID""",
)
_OURS: Final = {("table", "studies"), ("table", "journal")}


def new_file(path: Path, name: str, header: str) -> None:
    """Made under another name and then linked to its own: there is never half a study, and never an overwritten one."""
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to put {path.name} in.")
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and not path.exists():  # SQLite would read it into the new file: values of another question
        raise InputError(
            f"{log.name} is left of an earlier {path.name} and may hold its last evaluations: put that file back "
            "beside it, delete it, or choose another name."
        )
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with explained(path):
            connection = sqlite3.connect(draft, isolation_level=None)
            try:
                connection.execute("PRAGMA synchronous = FULL")
                with transaction(connection):
                    connection.execute(f"PRAGMA application_id = {APPLICATION}")
                    connection.execute(f"PRAGMA user_version = {FORMAT}")
                    for statement in _SCHEMA:
                        connection.execute(statement)
                    insert_study(connection, name, header)
                connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
        try:
            os.link(draft, path)
        except FileExistsError:
            raise InputError(f"{path} was made by someone else this very moment; open it instead.") from None
        except OSError:  # a file system without links
            shutil.move(draft, path)
        _flush_folder(path.parent)
    except OSError as error:
        raise ConewiseError(f"{path} cannot be made: {error.strerror or error}.") from None
    finally:
        for left in (draft, *(draft.with_name(draft.name + end) for end in ("-wal", "-shm", "-journal"))):
            left.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """The new name itself must be durable."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def insert_study(connection: sqlite3.Connection, name: str, header: str) -> None:
    """Write a header, inside a transaction; a name that is taken is refused."""
    connection.execute("INSERT INTO studies (name, created, header) VALUES (?, ?, ?)", (name, time.time(), header))


def connect(path: Path, read_only: bool) -> sqlite3.Connection:
    """A connection to a file that has been looked at first."""
    version = _inspect(path)
    if version < FORMAT:
        if read_only:
            raise ConewiseError(f"{path} has the older format {version}; open it once for writing to bring it up.")
        _migrate(path, version)
    with explained(path):
        connection = _opened(path)
        try:
            if read_only:
                connection.execute("PRAGMA query_only = ON")
            found = set(connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'"))
            if not found >= _OURS:
                raise ConewiseError(f"{path} is damaged: its tables are not all there; restore it from a copy.")
            if found > _OURS:
                raise ConewiseError(f"{path} has tables or triggers that conewise did not make; it is not opened.")
        except BaseException:
            connection.close()
            raise
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    """Writable where the file is: a connection that cannot write would leave its log and index lying about."""
    address = path.absolute().as_uri()
    try:
        return _linked(f"{address}?mode={'rw' if os.access(path, os.W_OK) else 'ro'}")
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
            raise
        # A folder that cannot be written to has no room for the log's index, and nobody can be writing there.
        return _linked(f"{address}?mode=ro&immutable=1")


def _linked(address: str) -> sqlite3.Connection:
    """A connection that has read something, so that what stands in its way is known now."""
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _inspect(path: Path) -> int:
    """The format version of a study's file, from its first bytes; every other file is refused, unopened by SQLite."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name the study's file in it.")
        if not path.exists():
            raise InputError(f"there is no study {path}; make one with Study.create or `conewise study create`.")
        if not path.is_file():
            raise InputError(f"{path} is no ordinary file; a study needs one.")
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except OSError as error:
        raise ConewiseError(f"{path} cannot be read: {error.strerror or error}.") from None
    if not head.startswith(_MAGIC):
        raise ConewiseError(f"{path} is not a study: it is no SQLite database.")
    if len(head) < 100:
        raise ConewiseError(f"{path} is damaged: it ends after {len(head)} bytes; restore it from a copy.")
    if int.from_bytes(head[68:72]) != APPLICATION:
        raise ConewiseError(f"{path} is not a study: it is the database of another application.")
    version = int.from_bytes(head[60:64])
    if version > FORMAT:
        raise ConewiseError(
            f"{path} has the format {version}, and this conewise knows formats up to {FORMAT}; install a newer one."
        )
    page = int.from_bytes(head[16:18])
    whole = (65536 if page == 1 else page) * int.from_bytes(head[28:32])
    log = path.with_name(path.name + "-wal")
    if size < whole and not (log.exists() and log.stat().st_size):  # what is in the log may not be in the file yet
        raise ConewiseError(f"{path} is damaged: {size} of its {whole} bytes are there; restore it from a copy.")
    return version


def _migrate(path: Path, version: int) -> None:
    """Bring an older file up to FORMAT: a copy first, then all steps in one transaction."""
    if any(step not in MIGRATIONS for step in range(version, FORMAT)):
        raise ConewiseError(f"{path} has the format {version}, from which this conewise has no way up.")
    with explained(path):
        connection = _linked(f"{path.absolute().as_uri()}?mode=rw")
        try:
            copy = path.with_name(f"{path.name}.bak-v{version}")
            if not copy.exists():
                draft = path.with_name(f".{copy.name}.{secrets.token_hex(8)}")
                target = sqlite3.connect(draft)
                try:
                    connection.backup(target)
                finally:
                    target.close()
                draft.replace(copy)
            with transaction(connection):
                now = int(connection.execute("PRAGMA user_version").fetchone()[0])  # someone may have been faster
                for step in range(now, FORMAT):
                    MIGRATIONS[step](connection)
                connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the version is read from the file itself
        finally:
            connection.close()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE ... COMMIT, or ROLLBACK on an error."""
    _begin(connection)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _begin(connection: sqlite3.Connection) -> None:
    """Get the write lock: tried often, since SQLite's own waiting sleeps up to a tenth of a second at a time."""
    latest, pause = time.monotonic() + _PATIENCE, 0.0005
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not _name(error).startswith("SQLITE_BUSY") or time.monotonic() > latest:
                    raise
            time.sleep(pause * (0.5 + random.random()))
            pause = min(1.5 * pause, 0.01)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * _PATIENCE)}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as sentences."""
    try:
        yield
    except sqlite3.Error as error:
        raise ConewiseError(_sentence(path, error)) from None


def _name(error: sqlite3.Error) -> str:
    """SQLite's name of an error, such as SQLITE_FULL."""
    return str(getattr(error, "sqlite_errorname", None) or "")


def _sentence(path: Path, error: sqlite3.Error) -> str:
    code = _name(error)
    kinds = {
        "SQLITE_FULL": "there is no room left on its disk; nothing was written: make room and try again",
        "SQLITE_IOERR": "the disk refuses to read or write it; nothing was written",
        "SQLITE_READONLY": "it may only be read; open it with read_only=True, or make file and folder writable",
        "SQLITE_BUSY": f"another process has held it for more than {_PATIENCE:.0f} seconds; try again",
        "SQLITE_CORRUPT": "it is damaged; restore it from a copy",
        "SQLITE_NOTADB": "it is damaged or no database; restore it from a copy",
        "SQLITE_CANTOPEN": "it cannot be opened; check the permissions of the file and its folder",
        "SQLITE_CONSTRAINT": "someone else has just written at the same place; nothing was written: try again",
    }
    words = next((words for kind, words in kinds.items() if code.startswith(kind)), f"SQLite says: {error}")
    return f"{path}: {words}."
