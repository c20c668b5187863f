"""Where a study lives: a file or the address of a database, and the storage that is there."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from conewise.errors import InputError
from conewise.studies.storage.journal import SCHEME, Journal

_POSTGRES: Final = ("postgresql", "postgres", "postgresql+psycopg")


def create_journal(where: str | Path, name: str | None, header: str) -> Journal:
    """A new study in a file or database; an existing one of that name is refused."""
    url = _postgres_url(where)
    if url is not None:
        from conewise.studies.storage.postgres import PostgresJournal

        return PostgresJournal.create(url, name or "study", header)
    from conewise.studies.storage.sqlite import SqliteJournal

    path = _path(where)
    return SqliteJournal.create(path, name or path.stem, header)


def open_journal(where: str | Path, name: str | None, read_only: bool) -> Journal:
    """An existing study; the name may be left out where there is only one."""
    url = _postgres_url(where)
    if url is not None:
        from conewise.studies.storage.postgres import PostgresJournal

        return PostgresJournal.open(url, name, read_only)
    from conewise.studies.storage.sqlite import SqliteJournal

    return SqliteJournal.open(_path(where), name, read_only)


def study_names(where: str | Path) -> list[str]:
    """The names of the studies in a file or database, in the order in which they were made."""
    url = _postgres_url(where)
    if url is not None:
        from conewise.studies.storage import postgres

        return postgres.names_in(url)
    from conewise.studies.storage import sqlite

    return sqlite.names_in(_path(where))


def _scheme(where: str | Path) -> str | None:
    """The scheme of an address; None for a path."""
    if not isinstance(where, str | Path) or not str(where):
        raise InputError(f"the place of a study must be a path or a postgresql:// address, got {where!r:.60}.")
    found = None if isinstance(where, Path) else SCHEME.match(where)
    return None if found is None else found[1].lower()


def _postgres_url(where: str | Path) -> str | None:
    scheme = _scheme(where)
    if scheme in (None, "sqlite"):
        return None
    if scheme not in _POSTGRES:
        raise InputError(f"a study lives in a file or at postgresql://..., not at {scheme}://.")
    return str(where)


def _path(where: str | Path) -> Path:
    path = Path(where) if _scheme(where) is None else Path(str(where)[len("sqlite://") :].removeprefix("/"))
    if str(path) == ":memory:" or str(path).startswith("file:"):
        raise InputError(
            f"a study is kept in a file or a database, not in {path}; for one that need not stay, name a file in "
            "tempfile.TemporaryDirectory()."
        )
    return path
