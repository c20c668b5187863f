"""The explorer as its users meet it: the command in a process of its own, and a page that may not complain."""

from __future__ import annotations

import base64
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import zlib
from contextlib import contextmanager

import numpy as np

import conewise as cw
from conewise.dashboard.sources import Designs, Fixed
from shared.browser import SLOW, until

PLACE = """([side, name]) => {
  const drawing = document.getElementById(`plot-${side}`).drawing, box = drawing.canvas.getBoundingClientRect();
  const place = drawing.points.names.indexOf(name);
  return [box.x + drawing.px[place], box.y + drawing.py[place]];
}"""
PATIENCE = 60  # seconds after which a request or a thread counts as lost


@contextmanager
def exploring(*arguments):
    """The address that the command prints, as long as it runs; asked to end, it ends."""
    command = [sys.executable, "-W", "error", "-m", "conewise", "explore", *map(str, arguments)]
    with subprocess.Popen(
        [*command, "--no-browser", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            text = ""
            while not text.endswith("}\n") and (line := process.stdout.readline()):
                text += line
            assert text, process.stderr.read()
            yield json.loads(text)["address"]
        finally:
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=PATIENCE)[1]
    assert (process.returncode, said) == (0, "")


@contextmanager
def serving(source):
    """The same in a thread of this process, about any source."""
    from conewise.dashboard.server import Explorer

    explorer = Explorer(source)
    thread = threading.Thread(target=explorer.run)
    thread.start()
    try:
        yield explorer
    finally:
        explorer.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def visiting(chromium, address, width=1280, height=800, **context):
    """The page, drawn; at the end its console must be empty, no dialogue open, and nobody else asked."""
    with chromium.new_context(viewport={"width": width, "height": height}, **context) as opened:
        page = opened.new_page()
        page.set_default_timeout(SLOW)
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(f"dialogue: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: None if request.url.startswith((address, "data:")) else complaints.append(request.url),
        )
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]")
        yield page
        assert complaints == [], complaints


def reads(page, selector, text):
    """Wait until an element says so."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_text(text, timeout=SLOW)


def mentions(page, selector, text):
    """Wait until an element says so among other things; the page's policy forbids waiting by an expression."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(text, timeout=SLOW)


def drawn(page, what, side="first"):
    """What a picture knows of itself, when it has drawn the last thing that was asked of it."""
    page.locator(f"#plot-{side}").scroll_into_view_if_needed()
    until(page, f"document.getElementById('plot-{side}').drawing?.frame === 0")
    return page.evaluate(f"document.getElementById('plot-{side}').drawing.{what}")


def place_of(page, name, side="first"):
    """Where in the window a design is drawn, once it is: that of a study may be on its way."""
    until(page, f"document.getElementById('plot-{side}').drawing?.points?.names.includes({json.dumps(name)})")
    drawn(page, "frames", side)
    return page.evaluate(PLACE, [side, name])


def point_at(page, name, side="first"):
    """Hold the mouse over a design until its label shows."""
    x, y = place_of(page, name, side)
    page.mouse.move(x, y, steps=2)
    reads(page, f"#plot-{side} .tip strong", name)
    return x, y


def listed(page, names):
    """Wait until the list shows these designs, in this order."""
    from playwright.sync_api import expect

    expect(page.locator("#table button")).to_have_text(list(names), timeout=SLOW)


def table_names(page):
    return page.locator("#table button").all_inner_texts()


def tab_to(page, wanted):
    """Go there by the keyboard alone, and see that the place shows it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            "[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]"
        )
        if name == wanted:
            assert outline == "solid"
            return
    raise AssertionError(f"#{wanted} is not reached by Tab")


def save_page(page, folder):
    """The page as a file, downloaded."""
    with page.expect_download() as download:
        page.locator("#save-page").click()
    path = folder / "designs.html"
    download.value.save_as(path)
    return path


def unpacked(saved, part):
    """The text of a part of a saved page, which the reader's browser unpacks in the same way."""
    found = re.search(rf'<script type="text/plain" id="{part}">([A-Za-z0-9+/=]*)</script>', saved)[1]
    return zlib.decompress(base64.b64decode(found)).decode()


def send(explorer, method="POST", path=None, body=b"{}", headers=None):
    """Status, headers and body of one request; by default one that the page itself would send."""
    connection = http.client.HTTPConnection("127.0.0.1", explorer.port, timeout=PATIENCE)
    try:
        path = f"/{explorer.token}/api/start" if path is None else path
        connection.request(method, path, body, {"Content-Type": "application/json"} | (headers or {}))
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def ask(explorer, question, **asked):
    status, _, body = send(explorer, path=f"/{explorer.token}/api/{question}", body=json.dumps(asked).encode())
    assert status == 200
    return json.loads(body)


def asked(explorer, path="api/start", body=b"{}", host=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", explorer.port, timeout=PATIENCE)
    try:
        named = {"Content-Type": "application/json", "Host": host or f"127.0.0.1:{explorer.port}"} | headers
        connection.request("POST" if path.startswith("api") else "GET", f"/{explorer.token}/{path}", body, named)
        response = connection.getresponse()
        return response.status, json.loads(response.read()) if path.startswith("api") else response.read()
    finally:
        connection.close()


def fixed(values, names=None, minimised=()):
    values = np.asarray(values, dtype=float)
    objectives = tuple(f"f{d}" for d in range(values.shape[1]))
    names = [f"d{k}" for k in range(len(values))] if names is None else names
    return Fixed("t", Designs(1, names, objectives, minimised, values), cw.Cone.orthant(values.shape[1]), None)


def designs_of(values, names=None, minimised=(), objectives=None):
    values = np.asarray(values, dtype=float)
    objectives = tuple(objectives or (f"f{d}" for d in range(values.shape[1])))
    names = [f"d{k}" for k in range(len(values))] if names is None else names
    return Designs(1, names, objectives, minimised, values)


def long_names(rng, count):
    """Sixty characters each, which have nothing in common."""
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789")
    return ["".join(row) for row in rng.choice(letters, size=(count, 60)).tolist()]
