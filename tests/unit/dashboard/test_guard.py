"""Whom the explorer lets in, for how long it waits, and how a browser learns its address."""

from __future__ import annotations

import json
import socket

import numpy as np
import pytest
from shared.explorer import PATIENCE, asked, serving

import conewise as cw
from conewise.cli.explore import source_named
from conewise.dashboard import guard
from conewise.dashboard.sources import Designs, Fixed

BIDI = "steel\u202e!\u2066x\u200f\u0007"


@pytest.fixture
def explorer():
    with serving(source_named("snw", [], [], None, None)) as made:
        yield made


def connected(explorer):
    return socket.create_connection(("127.0.0.1", explorer.port), timeout=PATIENCE)


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


# -- how a browser learns the address ----------------------------------------------------------------------------------
