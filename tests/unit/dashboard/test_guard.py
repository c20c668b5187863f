"""Whom the explorer lets in, for how long it waits, and how a browser learns its address."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from shared.explorer import PATIENCE, serving
from shared.studies import make

import conewise as cw
from conewise.cli.explore import _source
from conewise.cli.main import main
from conewise.dashboard import guard, patience
from conewise.dashboard.doorway import doorway
from conewise.dashboard.sources import Designs, Fixed, Live
from conewise.noise import Gaussian

BIDI = "steel\u202e!\u2066x\u200f\u0007"


@pytest.fixture
def explorer():
    with serving(_source("snw", [], [], None, None)) as made:
        yield made


def connected(explorer):
    return socket.create_connection(("127.0.0.1", explorer.port), timeout=PATIENCE)


def asked(explorer, path="api/start", body=b"{}", host=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", explorer.port, timeout=PATIENCE)
    try:
        named = {"Content-Type": "application/json", "Host": host or f"127.0.0.1:{explorer.port}"} | headers
        connection.request("POST" if path.startswith("api") else "GET", f"/{explorer.token}/{path}", body, named)
        response = connection.getresponse()
        return response.status, json.loads(response.read()) if path.startswith("api") else response.read()
    finally:
        connection.close()


# -- who may come ------------------------------------------------------------------------------------------------------


def test_localhost_is_this_machine_too(explorer):
    host = f"localhost:{explorer.port}"
    assert asked(explorer, host=host, Origin=f"http://{host}")[0] == 200
    for headers in (
        {"host": f"localhost.evil.org:{explorer.port}"},
        {"host": host, "Origin": f"http://127.0.0.1:{explorer.port}"},  # another page, as browsers count
        {"host": "localhost"},
    ):
        with pytest.raises(json.JSONDecodeError):  # a refusal is plain text
            asked(explorer, **headers)


def test_the_page_can_be_opened_from_a_file_and_nothing_else_can(explorer):
    from_elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert asked(explorer, "", None, **from_elsewhere)[0] == 200
    assert asked(explorer, "", None, **from_elsewhere | {"Sec-Fetch-Dest": "iframe"})[0] == 403
    assert asked(explorer, "", None, **from_elsewhere | {"Sec-Fetch-Mode": "no-cors"})[0] == 403
    assert asked(explorer, "page.js", None, **from_elsewhere)[0] == 403


# -- how long it waits -------------------------------------------------------------------------------------------------


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


def test_half_a_body_is_refused_in_words(explorer, monkeypatch):
    monkeypatch.setattr(guard, "PATIENCE", 0.2)
    with connected(explorer) as plain:
        head = f"POST /{explorer.token}/api/start HTTP/1.1\r\nHost: 127.0.0.1:{explorer.port}\r\n"
        plain.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{".encode())
        answer = b""
        while part := plain.recv(4096):
            answer += part
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"did not come in time" in answer


def test_who_does_not_read_is_not_waited_for(explorer, monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE", 0.2)
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(PATIENCE)
        plain.connect(("127.0.0.1", explorer.port))
        head = f"GET /{explorer.token}/page.js HTTP/1.1\r\nHost: 127.0.0.1:{explorer.port}\r\n\r\n"
        plain.sendall(head.encode())
        deadline = time.monotonic() + PATIENCE
        while explorer._server.server_state.connections or not explorer._server.server_state.total_requests:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_idle_connections_do_not_keep_the_page_out(explorer, monkeypatch):
    monkeypatch.setattr(patience, "MOST_CONNECTIONS", 20)
    held = [connected(explorer) for _ in range(60)]
    try:
        for plain in held[::2]:
            plain.sendall(b"GET / HTTP/1.1\r\nHos")
        assert asked(explorer)[0] == 200
        assert len(explorer._server.server_state.connections) <= 20
        assert ends(held[0])  # who has waited longest
    finally:
        for plain in held:
            plain.close()


# -- what it cannot answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "exchange:[[1,1.000001],[1.000001,1]]",
        "rays:[[1,1.0000001],[1.0000001,1]]",
        "[[1e308,1],[1,1e308]]",
        "[[1e-308,1],[1,1e-308]]",
        "planar:1e-300",
        "ice_cream:89.9999999999,100",
        f"[{'[1,1],' * 3000}[1,2]]",
    ],
)
def test_no_cone_is_an_internal_error(explorer, text):
    for question in ("api/front", "api/hardness", "api/table"):
        status, answer = asked(explorer, question, json.dumps({"first": {"text": text}}).encode())
        assert status < 500
        assert "\n" not in answer.get("error", "")


def test_what_the_mathematics_cannot_take_is_one_sentence(explorer, monkeypatch):
    from scipy.spatial import QhullError

    def fails(*_, **__):
        raise QhullError("QH6154 Qhull precision error\nlong\nexplanation")

    monkeypatch.setattr(cw.Cone, "parse", fails)
    status, answer = asked(explorer, "api/front", json.dumps({"first": {"text": "[[1,0],[0,1]]"}}).encode())
    assert status == 422
    assert answer["error"].startswith("this question cannot be worked out (QhullError)")
    assert "\n" not in answer["error"]


# -- what it shows -----------------------------------------------------------------------------------------------------


def test_names_cannot_turn_the_text_around_them():
    values = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]])
    designs = Designs(1, [BIDI, "b", "c" + BIDI], ("f\u202e", "g"), ("g",), values)
    with serving(Fixed(f"table {BIDI}", designs, cw.Cone.orthant(2), f"conewise front '{BIDI}'")) as explorer:
        front = {"first": {"text": "orthant:2"}, "second": {"text": "planar:170"}, "before": {"text": "planar:20"}}
        answers = [
            asked(explorer, f"api/{question}", json.dumps(body).encode())[1]
            for question, body in (
                ("start", {}),
                ("front", front),
                ("angles", {}),
                ("table", {"first": {"text": "orthant:2"}, "table": {"everyone": True}}),
                *(("design", {"index": k, "first": {"text": "orthant:2"}}) for k in range(3)),
            )
        ]
        assert answers[0]["command"] is None
        assert answers[0]["minimised"] == ["g"]
    said = json.dumps(answers, ensure_ascii=False)
    assert said.isprintable()
    assert "steel\ufffd!\ufffdx\ufffd\ufffd" in said


def test_the_noise_of_a_study_is_in_words(tmp_path):
    make(tmp_path / "trial.db", noise=Gaussian([0.5, 2.0])).close()
    source = Live(str(tmp_path / "trial.db"), name=None, cone=None)
    try:
        assert source.assumptions.stated.endswith("standard deviations 0.5, 2")
    finally:
        source.close()


# -- how a browser learns the address ----------------------------------------------------------------------------------


def test_the_way_to_the_page_is_for_its_owner_alone():
    with doorway("http://127.0.0.1:1/token/") as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert 'content="0;url=http://127.0.0.1:1/token/"' in path.read_text()
    assert not path.parent.exists()


def test_the_token_is_in_no_command_line(tmp_path):
    """A browser of our own writes down what it is called with, which everyone on the machine may read."""
    browser = tmp_path / "browser"
    browser.write_text(
        f"#!{sys.executable}\nimport pathlib, sys, urllib.parse\n"
        "page = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(sys.argv[1]).path))\n"
        f"told = pathlib.Path({str(tmp_path)!r}, 'part')\n"
        "told.write_text(sys.argv[1] + '\\n' + page.read_text())\n"
        f"told.rename({str(tmp_path / 'told')!r})\n"
    )
    browser.chmod(0o700)
    command = [sys.executable, "-m", "conewise", "explore", "snw", "--json"]
    environment = os.environ | {"BROWSER": str(browser)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            text = ""
            while not text.endswith("}\n") and (line := process.stdout.readline()):
                text += line
            address = json.loads(text)["address"]
            deadline = time.monotonic() + PATIENCE
            while not (tmp_path / "told").exists():
                assert time.monotonic() < deadline
                time.sleep(0.05)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
    argument, page = (tmp_path / "told").read_text().split("\n", 1)
    token = urlsplit(address).path.strip("/")
    assert len(token) > 20
    assert token not in argument
    assert f"url={address}" in page
    assert not os.path.exists(unquote(urlsplit(argument).path))


def test_a_page_has_room_for_so_many_objectives(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(["name", *(f"f{d}" for d in range(51))]), ",".join(["a", *["1"] * 51])]) + "\n")
    with pytest.raises(SystemExit) as stop:
        main(["explore", str(path), "--no-browser"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "the explorer shows up to 50 objectives, got 51; choose columns with --objectives." in said
    assert said.count("\n") == 1
