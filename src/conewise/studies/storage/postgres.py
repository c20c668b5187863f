"""A journal in PostgreSQL (extra `postgres`): several studies a database, one writer a study at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from conewise.errors import ConewiseError, InputError, from_extra
from conewise.studies.storage.chain import Chain, Tail, broken, checksums, damaged, extended, seal_of
from conewise.studies.storage.journal import PATIENCE, Entry, Unreachable, attempts, choose, redact

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

FORMAT: Final = 2
"""The version of the tables."""
CHECKSUMS: Final = 2
"""The first format with checksums."""

_LOCK: Final = 0x434F4E45  # "CONE": the first half of our advisory locks, the second is the study
_ROWS: Final = 10_000  # entries a block
_LINE: Final = {
    "connect_timeout": 15,
    # A line that is cut without a word counts as lost after half a minute; by itself the system waits for hours.
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
"""What is said of a connection where its address says nothing else."""
_FOR_WRITING: Final = (
    # Durable whatever the server's default; nobody waits forever for someone who has vanished with the lock.
    "SELECT set_config('synchronous_commit', 'on', true), set_config('lock_timeout', '120s', true), "
    "set_config('idle_in_transaction_session_timeout', '600s', true)"
)
_TAILS: Final = """CREATE TABLE IF NOT EXISTS conewise_tails (
        study INTEGER PRIMARY KEY REFERENCES conewise_studies (id), seq BIGINT NOT NULL, checksum BIGINT NOT NULL)"""
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS conewise_format (version INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS conewise_studies (
        id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE,
        created DOUBLE PRECISION NOT NULL, header TEXT NOT NULL, seal BIGINT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS conewise_journal (
        study INTEGER NOT NULL REFERENCES conewise_studies (id), seq BIGINT NOT NULL, time DOUBLE PRECISION NOT NULL,
        kind TEXT NOT NULL, worker TEXT NOT NULL, evaluations TEXT NOT NULL, numbers TEXT NOT NULL, note TEXT NOT NULL,
        checksum BIGINT NOT NULL, PRIMARY KEY (study, seq))""",
    _TAILS,
)
_AWAY: Final = ("08", "57P01", "57P02", "57P03", "25P03")
"""What a server says that goes down, comes up, or has ended a session: the beginnings of its codes."""


class PostgresJournal:
    """One study of a database."""

    def __init__(self, database: _Database, name: str, read_only: bool) -> None:
        self._database, self._read_only = database, read_only
        self._held: Connection | None = None
        self._new: Tail | None = None
        self.name = name
        with database.transaction() as connection:
            sealed = (_version(connection) or 0) >= CHECKSUMS
            row = _run(
                connection,
                f"SELECT id, header, {'seal' if sealed else '0'} FROM conewise_studies WHERE name = :name",
                name=name,
            ).one_or_none()
        if row is None:
            raise ConewiseError(f"{database.place} has no study called {name!r:.60} any more.")
        self._study, self.header = int(row[0]), str(row[1])
        self._chain = Chain(self.place, name, self.header, int(row[2])) if sealed else None

    @classmethod
    def create(cls, url: str, name: str, header: str) -> PostgresJournal:
        """A new study; the tables are made with the first one."""
        database = _Database(url)
        try:
            with database.transaction() as connection:
                _lock(connection)
                if _version(connection) is None:
                    for statement in _TABLES:
                        _run(connection, statement)
                    _run(connection, "INSERT INTO conewise_format VALUES (:version)", version=FORMAT)
                database.check_format(connection)
                if name in _names(connection):
                    raise InputError(
                        f"{database.place} already holds a study called {name!r}; open it, or choose another name."
                    )
                seal, now = seal_of(name, header), time.time()
                study = _run(
                    connection,
                    "INSERT INTO conewise_studies (name, created, header, seal) "
                    "VALUES (:name, :created, :header, :seal) RETURNING id",
                    name=name,
                    created=now,
                    header=header,
                    seal=seal,
                ).scalar()
                _run(connection, "INSERT INTO conewise_tails VALUES (:study, 0, :seal)", study=study, seal=seal)
                database.written = partial(_made, name=name, created=now)
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
        """One transaction under the study's advisory lock, so that seq is in the order of commits.

        All are durable: an open study outlives a crash of the server, which must not take what the study has read.
        """
        if self._read_only:
            raise ConewiseError(f"the study {self.name!r} at {self.place} was opened read-only.")
        self._new = None
        with self._database.transaction() as connection:
            _run(connection, _FOR_WRITING)
            _lock(connection, self._study)
            self._held = connection
            try:
                yield
            finally:
                self._held = None
        if self._chain is not None and self._new is not None:
            self._chain.known = self._new

    def append(self, entries: Sequence[Entry]) -> None:
        """Insert, with checksums that follow the last one; a seq that is taken is refused."""
        from sqlalchemy import text

        assert self._held is not None
        found, self._new = extended(self._tail(self._held), entries)
        self._held.execute(
            text(
                "INSERT INTO conewise_journal VALUES "
                "(:study, :seq, :time, :kind, :worker, :evaluations, :numbers, :note, :checksum)"
            ),
            [
                {"study": self._study, **entry._asdict(), "checksum": checksum}
                for entry, checksum in zip(entries, found, strict=True)
            ],
        )
        _run(
            self._held,
            "UPDATE conewise_tails SET seq = :seq, checksum = :checksum WHERE study = :study",
            study=self._study,
            **self._new._asdict(),
        )
        self._database.written = partial(_stands, study=self._study, tail=self._new)

    def _tail(self, connection: Connection) -> Tail:
        row = _run(
            connection, "SELECT seq, checksum FROM conewise_tails WHERE study = :study", study=self._study
        ).one_or_none()
        if row is None:
            raise damaged(self.place, f"nothing says how long the journal of {self.name!r:.60} is")
        return Tail(*row)

    def read(self, after: int) -> Generator[Sequence[Entry]]:
        """Rows beyond `after` and up to the end that is kept apart: what is added meanwhile is for the next reading."""
        if self._held is not None:
            yield from self._verified(self._held, after)
        else:
            with self._database.transaction() as connection:
                yield from self._verified(connection, after)

    def _verified(self, connection: Connection, after: int) -> Generator[Sequence[Entry]]:
        if self._chain is None:  # of a conewise that had no checksums
            for block in _rows(connection, self._study, after):
                yield [Entry._make(row) for row in block]
            return
        end, start = self._tail(connection), self._chain.start(after)
        if start is None:
            row = _run(
                connection,
                "SELECT seq, checksum FROM conewise_journal WHERE study = :study AND seq = :seq",
                study=self._study,
                seq=after,
            ).one_or_none()
            if row is None:
                raise broken(self.place, after, " (it is missing)")
            start = Tail(*row)
        rows = _rows(connection, self._study, after, end.seq, ", checksum")
        yield from self._chain.follow(start, end, rows)

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
        self.written: Callable[[Connection], bool] | None = None

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
                isolation_level="READ COMMITTED",  # whoever has waited for the lock sees what was written meanwhile
                hide_parameters=True,
                connect_args={key: value for key, value in _LINE.items() if key not in self._url.query},
            )
        return self._engine

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Committed at its end, rolled back on an error; the driver's errors become sentences.

        `written` says by what is there now whether the transaction was committed, and is set by whoever has written in
        it: it is asked when the connection is lost meanwhile.
        """
        import sqlalchemy

        self.written, committing = None, False
        try:
            with self._open_engine().connect() as connection:
                yield connection
                committing = True
                connection.commit()
        except sqlalchemy.exc.IntegrityError:
            raise ConewiseError(
                f"{self.place}: someone else has written at the same place; nothing was written: try again."
            ) from None
        except (sqlalchemy.exc.SQLAlchemyError, UnicodeError) as error:
            said = f"{self.place}: {self._words(error)}"
            if not _lost(error):
                raise ConewiseError(f"{said}; nothing was written.") from None
            if committing and self.written is not None:
                self._settle(self.written, said)
            else:
                raise Unreachable(f"{said}; nothing was written.") from None

    def _settle(self, written: Callable[[Connection], bool], said: str) -> None:
        """Return if what was written is there after all; `Unreachable` if it is not.

        The server's own word on transactions, by their numbers, would not do: after a crash numbers are used again.
        """
        import sqlalchemy

        for last in attempts(PATIENCE):
            try:
                with self._open_engine().connect() as connection:
                    _run(connection, "SELECT set_config('lock_timeout', :most, true)", most=f"{PATIENCE:.0f}s")
                    there = written(connection)
            except sqlalchemy.exc.SQLAlchemyError as error:
                if last or not _lost(error):
                    break
                continue
            if there:
                return
            raise Unreachable(f"{said}; nothing was written.") from None
        raise ConewiseError(
            f"{said}; it is not known whether the last entry was written: look before you tell it again."
        ) from None

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
            raise ConewiseError(
                f"{self.place} has no studies; make one with Study.create, or with `conewise study create TOML "
                "--storage` and this address."
            )
        if version > FORMAT:
            raise ConewiseError(
                f"{self.place} has the format {version}, and this conewise knows formats up to {FORMAT}; "
                "install a newer one."
            )
        if version == FORMAT or not may_migrate:
            return
        if any(step not in MIGRATIONS for step in range(version, FORMAT)):
            raise ConewiseError(f"{self.place} has the format {version}, from which this conewise has no way up.")
        _lock(connection)
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


def _lock(connection: Connection, study: int = 0) -> None:
    """Whoever else holds the study, or 0 for all that is common, is waited for."""
    _run(connection, "SELECT pg_advisory_xact_lock(:lock, :study)", lock=_LOCK, study=study)


def _stands(connection: Connection, study: int, tail: Tail) -> bool:
    """Whether a journal has that entry; a transaction that may still write it is waited for."""
    _lock(connection, study)
    statement = "SELECT 1 FROM conewise_journal WHERE study = :study AND seq = :seq AND checksum = :checksum"
    return _run(connection, statement, study=study, **tail._asdict()).one_or_none() is not None


def _made(connection: Connection, name: str, created: float) -> bool:
    """Whether there is a study of that name, made at that moment."""
    _lock(connection)
    statement = "SELECT 1 FROM conewise_studies WHERE name = :name AND created = :created"
    there = _version(connection) is not None
    return there and _run(connection, statement, name=name, created=created).one_or_none() is not None


def _lost(error: Exception) -> bool:
    """Whether the connection has gone, or could not be made: what the server would say, it has not said."""
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    away = bool(getattr(error, "connection_invalidated", False)) or type(error).__name__ == "OperationalError"
    return away and (code is None or code.startswith(_AWAY))


def _rows(
    connection: Connection, study: int, after: int, last: int = 2**63 - 1, more: str = ""
) -> Generator[Sequence[Any]]:
    """The rows of a study between two numbers, block by block."""
    while True:
        rows = _run(
            connection,
            f"SELECT seq, time, kind, worker, evaluations, numbers, note{more} FROM conewise_journal "
            "WHERE study = :study AND seq > :after AND seq <= :last ORDER BY seq LIMIT :most",
            study=study,
            after=after,
            last=last,
            most=_ROWS,
        ).all()
        if rows:
            yield rows
            after = int(rows[-1][0])
        if len(rows) < _ROWS:
            return


def _add_checksums(connection: Connection) -> None:
    """From format 1 to 2: a seal for every header, a checksum for every entry, and the ends kept apart."""
    _run(connection, "LOCK TABLE conewise_studies, conewise_journal IN ACCESS EXCLUSIVE MODE")
    _run(connection, "ALTER TABLE conewise_studies ADD COLUMN seal BIGINT")
    _run(connection, "ALTER TABLE conewise_journal ADD COLUMN checksum BIGINT")
    _run(connection, _TAILS)
    for study, name, header in _run(connection, "SELECT id, name, header FROM conewise_studies").all():
        seal = seal_of(name, header)
        _run(connection, "UPDATE conewise_studies SET seal = :seal WHERE id = :study", seal=seal, study=study)
        seq, checksum = 0, seal
        for rows in _rows(connection, study, 0):
            found = checksums(checksum, rows)
            _run(
                connection,
                "UPDATE conewise_journal SET checksum = new.checksum FROM "
                "unnest(CAST(:seqs AS BIGINT[]), CAST(:found AS BIGINT[])) AS new (seq, checksum) "
                "WHERE study = :study AND conewise_journal.seq = new.seq",
                study=study,
                seqs=[row[0] for row in rows],
                found=found,
            )
            seq, checksum = rows[-1][0], found[-1]
        statement = "INSERT INTO conewise_tails VALUES (:study, :seq, :checksum)"
        _run(connection, statement, study=study, seq=seq, checksum=checksum)
    _run(connection, "ALTER TABLE conewise_studies ALTER COLUMN seal SET NOT NULL")
    _run(connection, "ALTER TABLE conewise_journal ALTER COLUMN checksum SET NOT NULL")


MIGRATIONS: Final[dict[int, Callable[[Connection], None]]] = {1: _add_checksums}
"""From a version to the next one; all steps run in one transaction."""


def _version(connection: Connection) -> int | None:
    if _run(connection, "SELECT to_regclass('conewise_format')").scalar() is None:
        return None
    version = _run(connection, "SELECT max(version) FROM conewise_format").scalar()
    return None if version is None else int(version)


def _names(connection: Connection) -> list[str]:
    return [str(name) for (name,) in _run(connection, "SELECT name FROM conewise_studies ORDER BY id")]
