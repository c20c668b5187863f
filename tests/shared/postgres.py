"""A real PostgreSQL server in a folder of its own, and fresh places in it."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from shared.processes import wait_until

SHORT = tempfile.gettempdir() if len(tempfile.gettempdir()) < 20 else "/tmp"
"""Where folders with sockets lie, whose paths have at most some 100 bytes."""


class Server:
    """Where studies may live: each place is a schema of one database, reached through a local socket."""

    def __init__(self, running: Any, folder: Path) -> None:
        self.address, self._running, self._folder = running.get_uri(), running, folder
        self._numbers = count()

    def fresh(self) -> str:
        """The address of an empty place."""
        schema = f"place_{os.getpid()}_{next(self._numbers)}"
        self.run(f"CREATE SCHEMA {schema}")
        return f"{self.address}&options={quote(f'-csearch_path={schema}')}"

    @contextmanager
    def line(self) -> Iterator[tuple[str, Line]]:
        """The address of an empty place, by way of a line that can be cut."""
        with tempfile.TemporaryDirectory(prefix="cl", dir=SHORT) as folder:
            line = Line(Path(folder), self._folder)
            try:
                yield self.fresh().replace(str(self._folder), folder), line
            finally:
                line.close()

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

    def crash(self) -> None:
        """End at once, as after a power failure, and start again."""
        os.kill(self._running.get_pid(), signal.SIGQUIT)
        wait_until(lambda: not (self._folder / "postmaster.pid").exists(), "the end of the server")
        self._running.ensure_postgres_running()

    def waits(self) -> bool:
        """True while anybody waits for a lock."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            return connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone() is not None

    def run(self, statement: str) -> None:
        """A statement that the tests themselves wrote."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement)


class Line:
    """A line to the server that breaks when it is told to: a socket that hands on what comes, both ways."""

    _NAME = ".s.PGSQL.5432"

    def __init__(self, folder: Path, server: Path) -> None:
        self._folder, self._server = folder, server
        self.cut = ""
        """When something written is committed next: "before" COMMIT reaches the server, or "after" it has answered."""
        self.at_the_cut: Callable[[], object] = lambda: None
        """What else happens then, before anybody hears of it."""
        self._cutting = threading.Lock()
        self.down = 0
        """So many of the next connections are refused."""
        self.refused = 0
        self._clients: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / self._NAME))
        self._listener.listen()
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        handlers = []
        while True:
            client, _ = self._listener.accept()
            if client.recv(1, socket.MSG_PEEK) == b"!":
                client.close()
                break
            if self.down:
                self.down -= 1
                self.refused += 1
                client.close()
                continue
            handlers.append(threading.Thread(target=self._serve, args=(client,)))
            handlers[-1].start()
        for handler in handlers:
            handler.join()

    def hang_up(self) -> None:
        """Break all connections that there are."""
        for client in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def _serve(self, client: socket.socket) -> None:
        self._clients.append(client)
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):  # a server that is down breaks it too
            server.connect(str(self._server / self._NAME))
            ending = threading.Event()
            back = threading.Thread(target=self._hand_back, args=(server, client, ending))
            back.start()
            writes = False
            while data := client.recv(65536):
                writes |= b"INSERT" in data
                if writes and b"COMMIT" in data:
                    writes = False
                    if self.cut == "before":
                        self._cut()
                        break
                    ending.set()
                server.sendall(data)
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            back.join()

    def _hand_back(self, server: socket.socket, client: socket.socket, ending: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if self.cut == "after" and ending.is_set() and b"COMMIT" in data:
                    self._cut()
                    break
                client.sendall(data)
        with self._cutting, suppress(OSError):  # a server that ends at the cut is not heard of before
            client.shutdown(socket.SHUT_RDWR)

    def _cut(self) -> None:
        with self._cutting:
            self.cut = ""
            self.at_the_cut()

    def close(self) -> None:
        """End the thread; everybody must have hung up."""
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(self._folder / self._NAME))
            last.sendall(b"!")
            self._thread.join()
        self._listener.close()


@contextmanager
def server() -> Iterator[Server]:
    """Started, and stopped and removed at the end; as root, pgserver runs it under a user of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no folder for sockets, and finds another one
        pgserver = pytest.importorskip("pgserver", reason="pgserver, the PostgreSQL of these tests, is not here")
        folder = tempfile.mkdtemp(prefix="cw", dir=SHORT)
        running = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield Server(running, Path(folder))
    finally:
        running.cleanup()
