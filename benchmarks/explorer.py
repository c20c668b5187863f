"""What one move of a control costs: the server's CPU for 10^5 designs (promised below 100 ms), and the browser's.

The browser's is that of all its processes, drawing included: promised below 8 ms for 206 designs and 40 ms for 10^5.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import conewise as cw
from benchmarks import data
from benchmarks.measure import Row, cpu_seconds, duration, stated
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Designs, Fixed

_CLOUDS = {"cube": "cube", "Gaussian": "Gaussian", "ball": "ball", "sphere": "all on the front"}
_DESIGNS = 10**5
_MOVES = 4
_REPEATS = 3
_PROMISED = 0.1  # seconds


_DRAGGED = 120  # moves of the slider in the browser
_IN_BROWSER = {206: 0.008, 10**5: 0.04}  # CPU seconds a move

_DRAG = """(moves) => new Promise((done) => {
  const slider = document.getElementById("degrees"), drawing = document.getElementById("plot-first").drawing;
  const before = drawing.frames;
  let move = 0;
  const next = () => {
    if (move === moves) { requestAnimationFrame(() => done(drawing.frames - before)); return; }
    slider.value = 30 + move;
    slider.dispatchEvent(new Event("input"));
    move += 1;
    requestAnimationFrame(next);
  };
  next();
})"""


def rows() -> Iterator[Row]:
    """What the page asks and draws while a control moves."""
    yield from _server_rows()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium and find_spec("playwright"):
        yield from _browser_rows(chromium)


def _browser_rows(chromium: str) -> Iterator[Row]:
    """A slider dragged in a real browser; every move must be drawn."""
    from playwright.sync_api import sync_playwright

    snw = cw.problems.load("snw")
    turned = [-1 if name in snw.minimised else 1 for name in snw.objectives]
    networks = Designs(1, snw.names, tuple(snw.objectives), tuple(snw.minimised), snw.means * turned)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for source, words in (
            (Fixed("snw", networks, cw.Cone.orthant(2), None), "sorting networks"),
            (_source("Gaussian", 2), "Gaussian"),
            (_source("sphere", 2), "all on the front"),
        ):
            designs = len(source.designs().names)
            seconds, drawn = _dragged(browser, source)
            case = f"explorer, browser CPU of one move, K = {designs}, {words} ({drawn} of {_DRAGGED} moves drawn)"
            yield stated(case, seconds, "s", below=_IN_BROWSER[designs])
        browser.close()


def _dragged(browser: Any, source: Fixed) -> tuple[float, int]:
    """CPU seconds of all processes of the browser for a move, the least of some drags; and how many were drawn."""
    with _served(source) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]", timeout=120_000)
        page.wait_for_timeout(3000)  # what is asked when the control rests has come
        session = browser.new_browser_cdp_session()

        def spent() -> float:
            return sum(process["cpuTime"] for process in session.send("SystemInfo.getProcessInfo")["processInfo"])

        found = []
        for _ in range(_REPEATS):
            before = spent()
            drawn = page.evaluate(_DRAG, _DRAGGED)
            found.append((spent() - before) / _DRAGGED)
            page.wait_for_timeout(2000)
        page.close()
    return min(found), int(drawn)


@contextmanager
def _served(source: Fixed) -> Iterator[str]:
    from conewise.dashboard.server import Explorer

    explorer = Explorer(source)
    thread = threading.Thread(target=explorer.run)
    thread.start()
    try:
        yield explorer.address
    finally:
        explorer.stop()
        thread.join()


def _server_rows() -> Iterator[Row]:
    """Every move to a cone that was not asked for before."""
    for dim in (2, 3, 5):
        for kind, words in (
            ("cube", "cube"),
            ("Gaussian", "Gaussian"),
            ("ball", "ball"),
            ("sphere", "all on the front"),
        ):
            source = _source(kind, dim)
            seconds, front, estimated = _slowest_move(source, dim)
            said = "about " if estimated else ""
            case = f"explorer, one move, K = 10^5, D = {dim}, {words} (front {said}{front})"
            yield stated(case, seconds, "s", below=_PROMISED)
            if estimated:
                yield _counted(source, dim, words)


def _source(kind: str, dim: int) -> Fixed:
    values = data.cloud(kind, _DESIGNS, dim)
    names = [f"design {k}" for k in range(_DESIGNS)]
    designs = Designs(1, names, tuple(f"f{d}" for d in range(dim)), (), values)
    return Fixed(kind, designs, cw.Cone.orthant(dim), None)


def _slowest_move(source: Fixed, dim: int) -> tuple[float, int, bool]:
    """The slowest of some moves, the least CPU time of several desks for each; the last answer's size, and its kind."""
    times: list[list[float]] = []
    last: dict[str, Any] = {}
    for _ in range(_REPEATS):
        desk = Desk(source)
        desk.front(_asked(dim, 0))  # the page has been opened: its first answer is counted, however long it takes
        times.append([])
        for move in range(1, _MOVES + 1):

            def answer(move: int = move, desk: Desk = desk) -> None:
                last.update(desk.front(_asked(dim, move, quick=True)))
                json.dumps(last)

            times[-1].append(cpu_seconds(answer))
    return max(min(repeats) for repeats in zip(*times, strict=True)), last["first"]["pareto"], last["estimated"]


def _counted(source: Fixed, dim: int, words: str) -> Row:
    """What follows when the control rests; no promise, and shown for orientation."""
    last: dict[str, Any] = {}

    def answer() -> None:
        last.update(Desk(source).front(_asked(dim, _MOVES)))
        json.dumps(last)

    seconds = min(cpu_seconds(answer) for _ in range(_REPEATS))
    case = f"explorer, counted at rest, K = 10^5, D = {dim}, {words} (front {last['first']['pareto']})"
    return Row(case, duration(seconds), "", "", "", None)


def _asked(dim: int, move: int, **more: Any) -> dict[str, Any]:
    first: dict[str, Any] = {"degrees": 85 + 5 * move} if dim == 2 else {"shares": [2 * move, move, *[0] * (dim - 2)]}
    return {"first": first, "table": None, **more}
