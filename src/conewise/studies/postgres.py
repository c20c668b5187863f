"""A journal in PostgreSQL (extra `postgres`): several studies a database, one writer a study at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from conewise.errors import ConewiseError, InputError, from_extra
from conewise.studies.journal import Entry, choose, redact

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

FORMAT: Final = 1
"""The version of the tables."""
MIGRATIONS: Final[dict[int, Callable[[Connection], None]]] = {}
"""From a version to the next one; all steps run in one transaction."""

_LOCK: Final = 0x434F4E45  # "CONE": the first half of our advisory locks, the second is the study
_ROWS: Final = 10_000  # entries a block
_SECONDS: Final = 15  # to wait for a connection
_FOR_WRITING: Final = (
    # Durable whatever the server's default; nobody waits forever for someone who has vanished with the lock.
    "SELECT set_config('synchronous_commit', :durable, true), set_config('lock_timeout', '120s', true), "
    "set_config('idle_in_transaction_session_timeout', '600s', true)"
)
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS conewise_format (version INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS conewise_studies (
        id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE,
        created DOUBLE PRECISION NOT NULL, header TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS conewise_journal (
        study INTEGER NOT NULL REFERENCES conewise_studies (id), seq BIGINT NOT NULL, time DOUBLE PRECISION NOT NULL,
        kind TEXT NOT NULL, worker TEXT NOT NULL, evaluations TEXT NOT NULL, numbers TEXT NOT NULL, note TEXT NOT NULL,
        PRIMARY KEY (study, seq))""",
)


class PostgresJournal:
    """One study of a database."""

    def __init__(self, database: _Database, name: str, read_only: bool) -> None:
        self._database, self._read_only = database, read_only
        self._held: Connection | None = None
        self._closed = False
        self.name = name
        with database.transaction() as connection:
            row = _run(connection, "SELECT id, header FROM conewise_studies WHERE name = :name", name=name).one()
        self._study, self.header = int(row[0]), str(row[1])

    @classmethod
    def create(cls, url: str, name: str, header: str) -> PostgresJournal:
        """A new study; the tables are made with the first one."""
        database = _Database(url)
        try:
            with database.transaction() as connection:
                _run(connection, "SELECT pg_advisory_xact_lock(:lock, 0)", lock=_LOCK)
                if _version(connection) is None:
                    for statement in _TABLES:
                        _run(connection, statement)
                    _run(connection, "INSERT INTO conewise_format VALUES (:version)", version=FORMAT)
                database.check_format(connection)
                if name in _names(connection):
                    raise InputError(
                        f"{database.place} already holds a study called {name!r}; open it, or choose another name."
                    )
                _run(
                    connection,
                    "INSERT INTO conewise_studies (name, created, header) VALUES (:name, :created, :header)",
                    name=name,
                    created=time.time(),
                    header=header,
                )
            return cls(database, name, read_only=False)
        except BaseException:
            database.close()
            raise

    @classmethod
    def open(cls, url: str, name: str | None, read_only: bool) -> PostgresJournal:
        """An existing study."""
        database = _Database(url)
        try:
            with database.transaction() as connection:
                database.check_format(connection, may_migrate=not read_only)
                chosen = choose(name, _names(connection), database.place)
            return cls(database, chosen, read_only)
        except BaseException:
            database.close()
            raise

    @property
    def place(self) -> str:
        """The address without its secrets."""
        return self._database.place

    @contextmanager
    def locked(self, durable: bool = True) -> Iterator[None]:
        """One transaction under the study's advisory lock, so that seq is in the order of commits."""
        if self._read_only:
            raise ConewiseError(f"the study {self.name!r} at {self.place} was opened read-only.")
        with self._database.transaction() as connection:
            _run(connection, _FOR_WRITING, durable="on" if durable else "off")
            _run(connection, "SELECT pg_advisory_xact_lock(:lock, :study)", lock=_LOCK, study=self._study)
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    def append(self, entries: Sequence[Entry]) -> None:
        """Insert; the primary key refuses a seq that is taken."""
        from sqlalchemy import text

        assert self._held is not None
        self._held.execute(
            text(
                "INSERT INTO conewise_journal VALUES "
                "(:study, :seq, :time, :kind, :worker, :evaluations, :numbers, :note)"
            ),
            [{"study": self._study, **entry._asdict()} for entry in entries],
        )

    def read(self, after: int) -> Generator[Sequence[Entry]]:
        """Rows beyond `after`, block by block."""
        if self._held is not None:
            yield from self._blocks(self._held, after)
        else:
            with self._database.transaction() as connection:
                yield from self._blocks(connection, after)

    def _blocks(self, connection: Connection, after: int) -> Generator[Sequence[Entry]]:
        while True:
            rows = _run(
                connection,
                "SELECT seq, time, kind, worker, evaluations, numbers, note FROM conewise_journal "
                "WHERE study = :study AND seq > :after ORDER BY seq LIMIT :most",
                study=self._study,
                after=after,
                most=_ROWS,
            ).all()
            if rows:
                block: Any = rows
                yield block
                after = int(rows[-1][0])
            if len(rows) < _ROWS:
                return

    def close(self) -> None:
        """Close the connection."""
        self._database.close()


class _Database:
    """A connection to one database, opened when it is needed and again in a child process."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: F401
            import sqlalchemy
        except ImportError:
            raise ConewiseError(f"PostgreSQL needs SQLAlchemy and psycopg: {from_extra('postgres')}.") from None
        self.place = redact(url)
        try:
            self._url = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
        except (sqlalchemy.exc.ArgumentError, ValueError):
            raise InputError(f"{self.place} is no address of a database: postgresql://user@host/database.") from None
        given = (self._url.password, *(self._url.query.get(key) for key in ("password", "sslpassword")))
        self._secrets = [str(secret) for secret in given if secret]
        self._engine: Engine | None = None
        self._process = os.getpid()
        self._closed = False

    def _open_engine(self) -> Engine:
        import sqlalchemy

        if self._closed:
            raise ConewiseError(f"the study at {self.place} is closed; open it again.")
        if self._engine is not None and self._process != os.getpid():
            self._engine.dispose(close=False)  # the connection is the parent's
            self._engine = None
        if self._engine is None:
            self._process = os.getpid()
            self._engine = sqlalchemy.create_engine(
                self._url,
                pool_size=1,
                max_overflow=0,
                pool_pre_ping=True,
                hide_parameters=True,
                connect_args={} if "connect_timeout" in self._url.query else {"connect_timeout": _SECONDS},
            )
        return self._engine

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Committed at its end, rolled back on an error; the driver's errors become sentences."""
        import sqlalchemy

        try:
            with self._open_engine().begin() as connection:
                yield connection
        except sqlalchemy.exc.IntegrityError:
            raise ConewiseError(
                f"{self.place}: someone else has written at the same place; nothing was written: try again."
            ) from None
        except (sqlalchemy.exc.SQLAlchemyError, UnicodeError) as error:
            raise ConewiseError(f"{self.place}: {self._words(error)}; nothing was written.") from None

    def _words(self, error: Exception) -> str:
        """The driver's first line; without it where it would repeat a secret."""
        said = " ".join(str(getattr(error, "orig", None) or error).split())[:200].rstrip(".")
        if any(secret in said for secret in self._secrets):
            return "the database cannot be used (the driver's words are left out: they hold a secret)"
        return f"the database says: {said}"

    def check_format(self, connection: Connection, may_migrate: bool = True) -> None:
        """Refuse a newer format, and databases without one; bring an older one up."""
        version = _version(connection)
        if version is None:
            raise ConewiseError(f"{self.place} has no studies; make one with Study.create.")
        if version > FORMAT:
            raise ConewiseError(
                f"{self.place} has the format {version}, and this conewise knows formats up to {FORMAT}; "
                "install a newer one."
            )
        if version == FORMAT:
            return
        if not may_migrate:
            raise ConewiseError(f"{self.place} has the older format {version}; open it once for writing.")
        if any(step not in MIGRATIONS for step in range(version, FORMAT)):
            raise ConewiseError(f"{self.place} has the format {version}, from which this conewise has no way up.")
        _run(connection, "SELECT pg_advisory_xact_lock(:lock, 0)", lock=_LOCK)
        for step in range(_version(connection) or version, FORMAT):
            MIGRATIONS[step](connection)
        _run(connection, "UPDATE conewise_format SET version = :version", version=FORMAT)

    def close(self) -> None:
        """Close the connection, unless it is a parent process's."""
        self._closed = True
        if self._engine is not None:
            self._engine.dispose(close=self._process == os.getpid())
            self._engine = None


def names_in(url: str) -> list[str]:
    """The studies of a database."""
    database = _Database(url)
    try:
        with database.transaction() as connection:
            database.check_format(connection, may_migrate=False)
            return _names(connection)
    finally:
        database.close()


def _run(connection: Connection, statement: str, **values: Any) -> Any:
    """One statement with bound values."""
    from sqlalchemy import text

    return connection.execute(text(statement), values)


def _version(connection: Connection) -> int | None:
    if _run(connection, "SELECT to_regclass('conewise_format')").scalar() is None:
        return None
    version = _run(connection, "SELECT max(version) FROM conewise_format").scalar()
    return None if version is None else int(version)


def _names(connection: Connection) -> list[str]:
    return [str(name) for (name,) in _run(connection, "SELECT name FROM conewise_studies ORDER BY id")]
