"""Files of studies: made whole, looked at before they are opened, brought up to date, and their errors as sentences."""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from weakref import WeakSet

from conewise.errors import ConewiseError, InputError
from conewise.studies.storage.chain import broken, checksums, damaged, seal_of

APPLICATION: Final = 0x434F4E45
"""Marks a file as ours: "CONE" in SQLite's application_id."""
FORMAT: Final = 2
"""The version of the tables, in SQLite's user_version."""
CHECKSUMS: Final = 2
"""The first format with checksums."""

_MAGIC: Final = b"SQLite format 3\x00"
_ROWS: Final = 10_000  # entries that are brought up at once
_ABANDONED: Final = 3600.0  # seconds since anybody has written to a draft
_INDEX: Final = 2**16  # bytes: the index of a log grows by half of this at a time
PATIENCE: Final = 120.0  # seconds to wait for another process's transaction
_JOURNAL: Final = """CREATE TABLE journal (
        study INTEGER NOT NULL, seq INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL, worker TEXT NOT NULL,
        evaluations TEXT NOT NULL, numbers TEXT NOT NULL, note TEXT NOT NULL, checksum INTEGER NOT NULL,
        PRIMARY KEY (study, seq)) WITHOUT ROWID"""
_TAILS: Final = """CREATE TABLE tails (
        study INTEGER PRIMARY KEY, seq INTEGER NOT NULL, checksum INTEGER NOT NULL)"""
_SCHEMA: Final = (
    """CREATE TABLE studies (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created REAL NOT NULL, header TEXT NOT NULL,
        seal INTEGER NOT NULL)""",
    _JOURNAL,
    _TAILS,
)
_OLD: Final = {("table", "studies"), ("table", "journal")}
_OURS: Final = {*_OLD, ("table", "tails")}


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
    draft = _draft(path)
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


def _draft(path: Path) -> Path:
    """A name to make a file under; what somebody who was killed has left under such a name long ago is removed."""
    ours = re.compile(rf"{re.escape(f'.{path.name}.')}[0-9a-f]{{16}}(-wal|-shm|-journal)?")
    with suppress(OSError):  # what cannot be listed or removed does no harm
        for entry in os.scandir(path.parent):
            if ours.fullmatch(entry.name) and time.time() - entry.stat().st_mtime > _ABANDONED:
                with suppress(OSError):
                    os.unlink(entry.path)
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}")


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
    seal = seal_of(name, header)
    made = connection.execute(
        "INSERT INTO studies (name, created, header, seal) VALUES (?, ?, ?, ?)", (name, time.time(), header, seal)
    )
    connection.execute("INSERT INTO tails VALUES (?, 0, ?)", (made.lastrowid, seal))


def connect(path: Path, read_only: bool, *, checked: bool = False) -> sqlite3.Connection:
    """A connection to a file that has been looked at first; one of an older format is brought up before it is written.

    The look goes over every page (half a second for 10^6 entries), unless this process has done that before.
    """
    version = _version(path)
    if version < FORMAT and not read_only:
        _migrate(path, version)
    with explained(path):
        connection = _opened(path, read_only)
        try:
            if read_only:
                connection.execute("PRAGMA query_only = ON")
            _check_tables(connection, path)
            if not checked:
                _check_pages(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def format_of(connection: sqlite3.Connection) -> int:
    """The format of an open file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    found = set(connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'"))
    ours = _OURS if format_of(connection) >= CHECKSUMS else _OLD
    if not found >= ours:
        raise damaged(str(path), "its tables are not all there")
    if found > ours:
        raise ConewiseError(f"{path} has tables or triggers that conewise did not make; it is not opened.")


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Nothing is read from, and nothing written into, a file whose pages do not hang together.

    The full check takes hardly longer than the quick one here, and finds an index that differs from its table.
    """
    if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise ConewiseError(f"{path}: it is damaged; restore it from a copy.")


def _opened(path: Path, read_only: bool = True) -> sqlite3.Connection:
    """Open a file for writing where that is allowed: other connections would leave its log and index lying about."""
    mode = f"mode={'rw' if os.access(path, os.W_OK) else 'ro'}"
    try:
        return _linked(path, mode)
    except sqlite3.OperationalError as error:
        if read_only and _name(error).startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            with suppress(sqlite3.OperationalError):
                return _linked(path, mode, alone=True)
        log = path.with_name(path.name + "-wal")
        if os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
            raise
        # A folder that cannot be written to has no room for the log's index, and nobody can be writing there.
        return _linked(path, "mode=ro&immutable=1")


class _Connection(sqlite3.Connection):
    """One that says which file it has open, as long as it has, and which index of its log."""

    path: Path
    file: os.stat_result | None = None
    index: os.stat_result | None = None
    alone: bool = False
    """Whether it keeps the index of the log in memory, as on a full disk, and others out until it is closed."""

    def close(self) -> None:
        super().close()
        self.file = None


_opening = threading.Lock()
_connections: WeakSet[_Connection] = WeakSet()  # of this process


def _linked(path: Path, mode: str, *, alone: bool = False) -> sqlite3.Connection:
    """Return a connection that has read something, so that what stands in its way is known now."""
    how: Any = {
        "timeout": 5.0 if alone else PATIENCE,
        "isolation_level": None,
        "check_same_thread": False,
        "factory": _Connection,
    }
    with _opening:
        others = _open_here(path)
        connection: _Connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, **how)
        connection.path, connection.file = path.resolve(), path.stat()
        _connections.add(connection)
    try:
        connection.alone = alone
        if alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        # SQLite has one index for all connections of a process, those that a fork has handed down among them.
        if not alone:
            connection.index = next((other.index for other in others if other.index), _stat(_index(connection.path)))
    except BaseException:
        connection.close()
        raise
    return connection


def is_closed(connection: sqlite3.Connection) -> bool:
    """Check whether a connection was closed after a reading, to let others in."""
    return isinstance(connection, _Connection) and connection.alone and connection.file is None


@contextmanager
def sharing(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection that keeps others out once it has read."""
    try:
        yield
    finally:
        if isinstance(connection, _Connection) and connection.alone:
            connection.close()


def check_place(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not where it was opened, and a log that was taken away: what is written there is lost.

    Another process takes the log away where this one has lost its lock on the file: when it has copied the file, or
    when the process from which it was forked has closed the study.
    """
    if not isinstance(connection, _Connection):
        return
    for before, where in ((connection.file, connection.path), (connection.index, _index(connection.path))):
        now = None if before is None else _stat(where)
        if before is not None and (now is None or not os.path.samestat(before, now)):
            raise ConewiseError(
                f"{path}: {where.name} was moved, replaced or deleted since this process opened it; nothing was "
                "written: open the study again, in a new process where this one was forked or has copied the file."
            )


def _index(path: Path) -> Path:
    """The index of the log, which SQLite keeps as long as anybody has the file open."""
    return path.with_name(f"{path.name}-shm")


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _open_here(path: Path) -> list[_Connection]:
    """What this process has open of a file, under whatever name."""
    file = _stat(path)
    return [other for other in _connections if file and other.file and os.path.samestat(other.file, file)]


def _version(path: Path) -> int:
    """The format of a study's file, which is looked at first; but not where this process has it open.

    Whoever closes a file lets go of all locks that his process has on it, those of SQLite among them: another process
    would then take the log away from under an open study, and what that writes later would be lost
    (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    with _opening:
        if not _open_here(path):
            return _inspect(path)
    with explained(path):
        connection = _opened(path)
        try:
            return format_of(connection)
        finally:
            connection.close()


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
        connection = _linked(path, "mode=rw")
        try:
            _check_tables(connection, path)
            _check_pages(connection, path)
            copy = path.with_name(f"{path.name}.bak-v{version}")
            if not copy.exists():
                draft = _draft(copy)
                target = sqlite3.connect(draft)
                try:
                    connection.backup(target)
                finally:
                    target.close()
                draft.replace(copy)
            with transaction(connection):
                for step in range(format_of(connection), FORMAT):  # someone may have been faster
                    MIGRATIONS[step](connection)
                connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the version is read from the file itself
        finally:
            connection.close()


def _add_checksums(connection: sqlite3.Connection) -> None:
    """From format 1 to 2: a seal for every header, a checksum for every entry, and the ends kept apart."""
    connection.execute("ALTER TABLE studies ADD COLUMN seal INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE journal RENAME TO journal_1")
    for statement in (_JOURNAL, _TAILS):
        connection.execute(statement)
    for study, name, header in connection.execute("SELECT id, name, header FROM studies").fetchall():
        seal = seal_of(str(name), str(header))
        connection.execute("UPDATE studies SET seal = ? WHERE id = ?", (seal, study))
        seq, checksum = 0, seal
        cursor = connection.execute(
            "SELECT seq, time, kind, worker, evaluations, numbers, note FROM journal_1 WHERE study = ? ORDER BY seq",
            (study,),
        )
        while rows := cursor.fetchmany(_ROWS):
            try:
                found = checksums(checksum, rows)
            except (ValueError, TypeError) as error:
                raise broken(str(name), rows[0][0], f" ({str(error)[:80]})") from None
            connection.executemany(
                "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(study, *row, number) for row, number in zip(rows, found, strict=True)],
            )
            seq, checksum = rows[-1][0], found[-1]
        connection.execute("INSERT INTO tails VALUES (?, ?, ?)", (study, seq, checksum))
    connection.execute("DROP TABLE journal_1")


MIGRATIONS: Final[dict[int, Callable[[sqlite3.Connection], None]]] = {1: _add_checksums}
"""From a version to the next one; run in one transaction, after a copy of the file was made."""


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
    latest, pause = time.monotonic() + PATIENCE, 0.0005
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
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as sentences."""
    try:
        yield
    except sqlite3.Error as error:
        raise ConewiseError(_sentence(path, error)) from None
    except UnicodeError:  # of a message in which SQLite quotes what it found in the file
        raise ConewiseError(f"{path}: it is damaged; restore it from a copy.") from None


def _name(error: sqlite3.Error) -> str:
    """SQLite's name of an error, such as SQLITE_FULL."""
    return str(getattr(error, "sqlite_errorname", None) or "")


def _is_full(path: Path) -> bool:
    """Whether its disk has no room for the index of the log, of whose growth SQLite says only that it has failed."""
    try:
        return shutil.disk_usage(path.parent).free < _INDEX
    except OSError:
        return False


def _what_to_make_writable(path: Path) -> str:
    """Who looks at a file that may only be read leaves a log and its index that may only be read either."""
    beside = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    kept = [other.name for other in beside if other.exists() and not os.access(other, os.W_OK)]
    if kept and os.access(path, os.W_OK):
        them = "it" if len(kept) == 1 else "them"
        return f"{' and '.join(kept)} beside it may only be read; make {them} writable too"
    return "it may only be read; open it with read_only=True, or make file and folder writable"


def _sentence(path: Path, error: sqlite3.Error) -> str:
    code = _name(error)
    if code.startswith("SQLITE_IOERR") and _is_full(path):
        code = "SQLITE_FULL"
    kinds = {
        "SQLITE_FULL": "there is no room left on its disk; nothing was written: make room and try again",
        "SQLITE_IOERR": "the disk refuses to read or write it; nothing was written",
        "SQLITE_READONLY": _what_to_make_writable(path),
        "SQLITE_BUSY": f"another process has held it for more than {PATIENCE:.0f} seconds; try again",
        "SQLITE_CORRUPT": "it is damaged; restore it from a copy",
        "SQLITE_NOTADB": "it is damaged or no database; restore it from a copy",
        "SQLITE_CANTOPEN": "it cannot be opened; check the permissions of the file and its folder",
        "SQLITE_CONSTRAINT": "someone else has just written at the same place; nothing was written: try again",
    }
    words = next((words for kind, words in kinds.items() if code.startswith(kind)), f"SQLite says: {error}")
    return f"{path}: {words}."
