"""A real PostgreSQL server in a folder of its own, and fresh places in it."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote


class Server:
    """Where studies may live: each place is a schema of one database, reached through a local socket."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self._folder = address, folder
        self._numbers = count()

    def fresh(self) -> str:
        """The address of an empty place."""
        schema = f"place_{os.getpid()}_{next(self._numbers)}"
        self.run(f"CREATE SCHEMA {schema}")
        return f"{self.address}&options={quote(f'-csearch_path={schema}')}"

    def address_of(self, user: str, password: str) -> str:
        """The database as that user."""
        return self.address.replace("//postgres:@", f"//{user}:{password}@")

    def add_user(self, user: str, password: str) -> None:
        """Someone whom the server asks for a password."""
        self.run(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")
        self.run(f"CREATE SCHEMA {user} AUTHORIZATION {user}")
        rules = self._folder / "pg_hba.conf"
        rules.write_text(f"local all {user} scram-sha-256\n{rules.read_text()}")
        self.run("SELECT pg_reload_conf()")

    def run(self, statement: str) -> None:
        """A statement that the tests themselves wrote."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def server() -> Iterator[Server]:
    """Started, and stopped and removed at the end; as root, pgserver runs it under a user of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no folder for sockets, and finds another one
        import pgserver

        folder = tempfile.mkdtemp(prefix="cw", dir="/tmp")  # short: the path of a socket has some 100 bytes
        running = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield Server(running.get_uri(), Path(folder))
    finally:
        running.cleanup()
