"""The explorer's server: whom it refuses, what it survives, and that its answers are the library's."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from shared.explorer import PATIENCE, ask, fixed, send, serving

import conewise as cw
from conewise.cli.explore import source_named
from conewise.dashboard import answers
from conewise.dashboard.guard import LARGEST_BODY
from conewise.dashboard.server import Explorer
from conewise.dashboard.sources import Fixed
from conewise.errors import ConewiseError
from conewise.noise import Gaussian

STATIC = Path(answers.__file__).parent / "static"
FILES = [*STATIC.iterdir(), *(Path(answers.__file__).parents[1] / "report" / "static").iterdir()]


@pytest.fixture(scope="module")
def snw():
    with serving(source_named("snw", [], [], None, None)) as explorer:
        yield explorer


# -- whom it refuses ---------------------------------------------------------------------------------------------------


def test_every_file_of_the_page_comes_with_the_strict_headers(snw):
    names = ["", *(entry.name for entry in FILES)]
    assert len(names) > 8
    for name in names:
        status, headers, body = send(snw, "GET", f"/{snw.token}/{name}", None)
        assert (status, headers["X-Content-Type-Options"]) == (200, "nosniff")
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["Referrer-Policy"] == "no-referrer"
        assert body
    assert send(snw, "GET", f"/{snw.token}/..%2fserver.py", None)[0] == 404
    assert send(snw, "GET", f"/{snw.token}/nothing.js", None)[0] == 404
    assert send(snw, path=f"/{snw.token}/api/nothing")[0] == 404


def test_it_listens_on_one_address_only(snw):
    socket.create_connection(("127.0.0.1", snw.port), timeout=PATIENCE).close()
    if sys.platform == "linux":  # the whole of 127.0.0.0/8 is this machine: who listens everywhere answers here too
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", snw.port), timeout=PATIENCE)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["*", "/", "//", "/api/start", "/x/api/start", "/page.js", "/%s0/", "/%s%s/"])
def test_a_wrong_or_missing_token_is_refused(snw, method, path):
    path = path.replace("%s", snw.token)
    status, headers, body = send(snw, method, path)
    assert (status, headers["X-Content-Type-Options"]) == (403, "nosniff")
    assert b"token" in body
    assert snw.token.encode() not in body


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_other_hosts_and_origins_are_refused(snw, headers):
    assert send(snw, headers=headers)[0] == 403
    mine = f"127.0.0.1:{snw.port}"
    assert send(snw, headers={"Host": mine, "Origin": f"http://{mine}", "Sec-Fetch-Site": "same-origin"})[0] == 200


def test_a_body_of_ten_megabytes_is_refused_before_it_is_read(snw):
    with socket.create_connection(("127.0.0.1", snw.port), timeout=PATIENCE) as plain:
        plain.sendall(
            f"POST /{snw.token}/api/front HTTP/1.1\r\nHost: 127.0.0.1:{snw.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {10 * 2**20}\r\n\r\n".encode()
        )
        assert plain.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_long_body_of_undeclared_length_is_refused(snw):
    def pieces():
        for _ in range(LARGEST_BODY // 2**16 + 1):
            yield b" " * 2**16

    status, _, _ = send(snw, path=f"/{snw.token}/api/front", body=pieces())
    assert status == 413
    assert send(snw, body=b" " * (LARGEST_BODY - 2) + b"{}")[0] == 200


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"7", b'"text"', b"\xff\xfe", b"[" * 200_000, b"{'first': 1}"], ids=range(9)
)
def test_malformed_json_is_a_bad_request(snw, body):
    status, _, answer = send(snw, path=f"/{snw.token}/api/front", body=body)
    assert status == 400
    assert json.loads(answer)["error"].endswith(".")
    assert ask(snw, "front", first={"degrees": 90})["first"]["pareto"] == 26


def test_a_form_of_another_page_cannot_ask(snw):
    assert send(snw, headers={"Content-Type": "text/plain"})[0] == 400
    assert send(snw, "GET", f"/{snw.token}/api/start", None)[0] == 405


@pytest.mark.parametrize(
    ("question", "asked", "words"),
    [
        ("front", {}, "needs a preference called first"),
        ("front", {"first": {"text": "__import__('os')"}}, "no cone is called"),
        ("front", {"first": {"text": "orthant:3"}}, "orders 3 objectives, but there are 2"),
        ("front", {"first": {"text": "ranked:200000"}}, "orders 200000 objectives, but there are 2"),
        ("front", {"first": {"text": "importance:0.000001,200000"}}, "orders 200000 objectives, but there are 2"),
        ("front", {"first": {"text": "ice_cream:60.0,5000"}}, "may have 100 facets, got 5000"),
        ("front", {"first": {"text": "[[1,0],[0,1]]" + " " * 20_000}}, "may have 20000 characters"),
        ("front", {"first": {"text": 3}}, "a preference is one of"),
        ("front", {"first": {"degrees": 180}}, "strictly between 0 and 180"),
        ("front", {"first": {"degrees": float("nan")}}, "a preference is one of"),
        ("front", {"first": {"degrees": True}}, "a preference is one of"),
        ("front", {"first": {"shares": [60, 40]}}, "below 100 % in all"),
        ("front", {"first": {"shares": []}}, "a preference is one of"),
        ("front", {"first": {"shares": [10]}}, "orders 1 objectives"),
        ("front", {"first": {"ranking": [0, 0]}}, "names every objective once"),
        ("front", {"first": {"ranking": [True, 0]}}, "a preference is one of"),
        ("front", {"first": {"degrees": 10**400}}, "a preference is one of"),
        ("front", {"first": {"shares": [10**400, 1]}}, "a preference is one of"),
        ("hardness", {"first": {"degrees": 90}, "sigma": 10**400}, "sigma must be a number"),
        ("hardness", {"first": {"degrees": 90}, "sigma": "1"}, "sigma must be a number"),
        ("hardness", {"first": {"degrees": 90}, "sigma": 0}, "sigma must be"),
        ("hardness", {"first": {"degrees": 90}, "sigma": 1e200}, "sigma must lie between"),
        ("hardness", {"first": {"degrees": 90}, "epsilon": float("inf")}, "epsilon must be a number"),
        ("hardness", {"first": {"degrees": 90}, "delta": 2}, "delta must"),
        ("design", {"first": {"degrees": 90}, "index": 206}, "no design number 206"),
        ("design", {"first": {"degrees": 90}, "index": -1}, "no design number -1"),
        ("design", {"first": {"degrees": 90}, "index": "0"}, "no design number '0'"),
        ("design", {"index": 0}, "a preference is one of"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(snw, question, asked, words):
    error = ask(snw, question, **asked)["error"]
    assert words in error
    assert "\n" not in error


# -- what it survives --------------------------------------------------------------------------------------------------


def test_two_hundred_requests_at_once(snw):
    means = cw.problems.load("snw").means
    gate = threading.Barrier(200)

    def one(k):
        gate.wait(PATIENCE)
        degrees = 1 + k % 178
        return degrees, ask(snw, "front", first={"degrees": degrees})["first"]["pareto"]

    with ThreadPoolExecutor(200) as pool:
        found = list(pool.map(one, range(200)))
    assert len(found) == 200
    for degrees, count in found:
        assert count == cw.pareto_mask(means, cw.Cone.planar(degrees)).sum()


def test_it_ends_quietly_while_it_thinks(capfd):
    thinking, enough = threading.Event(), threading.Event()

    class Slow(Fixed):
        def designs(self):
            thinking.set()
            enough.wait(PATIENCE)
            return super().designs()

    source = Slow("t", fixed([[0, 1]]).designs(), cw.Cone.orthant(2), None)
    with ThreadPoolExecutor(1) as pool:
        try:
            with serving(source) as explorer:
                asked = pool.submit(send, explorer)
                assert thinking.wait(PATIENCE)
            assert asked.exception(PATIENCE) or asked.result()[0] == 503
        finally:
            enough.set()
    assert capfd.readouterr().err == ""


def test_a_port_in_use_is_one_sentence(snw):
    with pytest.raises(ConewiseError, match=f"port {snw.port} cannot be used"):
        Explorer(fixed([[0, 1]]), port=snw.port)


# -- what it answers ---------------------------------------------------------------------------------------------------


def test_the_answer_is_the_librarys(snw):
    problem = cw.problems.load("snw")
    answer = ask(
        snw, "front", first={"degrees": 45}, second={"text": "importance:0.29"}, sigma=2, epsilon=0.2, delta=0.05
    )
    cones = {"first": cw.Cone.planar(45), "second": cw.Cone.importance(0.29)}
    fronts = {}
    for key, cone in cones.items():
        fronts[key] = set(np.flatnonzero(cw.pareto_mask(problem.means, cone)).tolist())
        part = answer[key]
        assert (part["cone"], part["beta"]) == (str(cone), cone.complexity.beta)
        assert set(part["points"]["index"]) == fronts[key]
        assert part["points"]["names"] == [problem.names[k] for k in part["points"]["index"]]
        budget = cw.naive_budget(cone, Gaussian(2), 206, 0.2, 0.05, bound="gaussian")
        assert part["cost"] == {"each": budget, "total": 206 * budget, "bound": "gaussian"}
    area = answer["first"]["points"]["values"][0]
    assert area == (-problem.means[answer["first"]["points"]["index"], 0]).tolist()  # in the user's own sign
    difference = answer["difference"]
    assert set(difference["only_first"]["index"]) == fronts["first"] - fronts["second"]
    assert set(difference["only_second"]["index"]) == fronts["second"] - fronts["first"]
    assert difference["both"] == len(fronts["first"] & fronts["second"])
    rate = ask(snw, "hardness", first={"degrees": 45}, sigma=2, epsilon=0.2, delta=0.05)["rate"]
    assert rate == pytest.approx(4 * cw.hardness(problem.means, cones["first"], 0.2) * np.log(20), rel=1e-12)


def test_a_number_half_typed_hides_the_cost_and_not_the_front(snw):
    for asked in ({"sigma": 0}, {"epsilon": -1}, {"delta": 1}, {"delta": None}, {"epsilon": 1e-300}):
        first = ask(snw, "front", first={"degrees": 90}, **asked)["first"]
        assert first["pareto"] == 26
        assert first["cost"]["error"].endswith(".")


def test_one_design_names_those_that_beat_it(snw):
    problem, cone = cw.problems.load("snw"), cw.Cone.planar(135)
    mask = cw.pareto_mask(problem.means, cone)
    for index in (int(np.argmax(mask)), int(np.argmin(mask))):
        facts = ask(snw, "design", index=index, first={"degrees": 135})
        beating = mask & cw.dominates(problem.means, problem.means[index], cone)
        assert (facts["pareto"], facts["beaten_by"]) == (mask[index], beating.sum())
        lead = cone.facet_values(problem.means[beating] - problem.means[index]).min(axis=1)
        clearest = np.flatnonzero(beating)[np.argsort(-lead, kind="stable")][:10]
        assert [rival["name"] for rival in facts["rivals"]] == [problem.names[k] for k in clearest]
        for rival, k in zip(facts["rivals"], clearest, strict=True):
            assert np.allclose(np.array(rival["ahead"]) * [-1, 1], problem.means[k] - problem.means[index])


# -- the files ---------------------------------------------------------------------------------------------------------


def test_the_page_has_no_inline_code_and_asks_nobody_else():
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    for script in re.findall(r"<script\b[^>]*>(.*?)</script>", page, re.S):
        assert script == ""
    assert not re.search(r"\son\w+\s*=|style\s*=|javascript:|<style", page)
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert [a for a in re.findall(r"https?://[^\s\"'`]+", text) if a != "http://www.w3.org/2000/svg"] == [], path
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert word not in text, path
