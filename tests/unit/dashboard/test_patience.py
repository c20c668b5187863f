"""How long the explorer waits: for heads, bodies, readers and idle connections."""

from __future__ import annotations

import socket
import time

import pytest
from shared.explorer import PATIENCE, asked, serving

from conewise.cli.explore import source_named
from conewise.dashboard import patience

MANY_TIMES = 600
"""A file of 15 kB so often: 9 MB, where some 3 MB wait on the way for who does not read."""


@pytest.fixture
def explorer():
    with serving(source_named("snw", [], [], None, None)) as made:
        yield made


def connected(explorer):
    return socket.create_connection(("127.0.0.1", explorer.port), timeout=PATIENCE)


def ends(plain):
    """Whether the other side has hung up."""
    try:
        return plain.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"POST /x HTTP/1.1\r\nHost: a\r\n"], ids=["nothing", "line", "head"]
)
def test_half_a_head_is_not_waited_for_for_ever(explorer, monkeypatch, sent):
    monkeypatch.setattr(patience, "PATIENCE", 0.2)
    with connected(explorer) as plain:
        plain.sendall(sent)
        assert ends(plain)


def test_a_head_in_small_pieces_gets_no_more_time(explorer, monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE", 0.5)
    with connected(explorer) as plain:
        started = time.monotonic()
        plain.settimeout(0.05)
        try:
            while time.monotonic() - started < PATIENCE:
                plain.sendall(b"G")
                try:
                    assert plain.recv(1) == b""
                    break
                except TimeoutError:
                    continue
            else:
                pytest.fail("it was kept")
        except (ConnectionResetError, BrokenPipeError):
            pass


def test_who_does_not_read_is_not_waited_for(explorer, monkeypatch):
    """More is asked for than the system keeps for a reader; a connection that only idles would stay open."""
    monkeypatch.setattr(patience, "PATIENCE", 0.2)
    monkeypatch.setattr(explorer.server.config, "timeout_keep_alive", 100 * PATIENCE)
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(PATIENCE)
        plain.connect(("127.0.0.1", explorer.port))
        head = f"GET /{explorer.token}/page.js HTTP/1.1\r\nHost: 127.0.0.1:{explorer.port}\r\n\r\n"
        plain.sendall(MANY_TIMES * head.encode())
        deadline = time.monotonic() + PATIENCE
        while explorer.server.server_state.connections or not explorer.server.server_state.total_requests:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_idle_connections_do_not_keep_the_page_out(explorer, monkeypatch):
    monkeypatch.setattr(patience, "MOST_CONNECTIONS", 20)
    held = [connected(explorer) for _ in range(60)]
    try:
        for plain in held[::2]:
            plain.sendall(b"GET / HTTP/1.1\r\nHos")
        assert asked(explorer)[0] == 200
        assert len(explorer.server.server_state.connections) <= 20
        assert ends(held[0])  # who has waited longest
    finally:
        for plain in held:
            plain.close()
