"""A real browser for pages: Debian's Chromium, driven by Playwright; skipped where there is none, required in CI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ARTEFACTS = Path(__file__).parents[2] / "artefacts"
"""Screenshots, ignored by git."""
SCREENSHOTS = bool(os.environ.get("SCREENSHOTS"))
"""Whether they are taken: no test reads them, and a picture of a whole page takes a quarter of a second."""
TURNED_OFF = (
    # The address bar's lists are pages too: their process takes more time than a page of ours, and nobody sees them.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI"),
    # What Playwright turns off: a second list takes the place of the first.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"),
    *("HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    "PreconnectToSearch",
)
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(TURNED_OFF)}",
)
SLOW = 60_000  # milliseconds that a step may take on a busy machine
PAUSE = 25  # milliseconds between two looks at a page that is waited for


def executable() -> str:
    """Where Chromium is; without it the test is skipped, and fails where CI=true."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no chromium: apt-get install chromium")
        pytest.skip("no chromium on this machine")
    return found


@contextmanager
def browser() -> Iterator[object]:
    """A browser without a window."""
    found = executable()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(SWITCHES))
        try:
            yield opened
        finally:
            opened.close()


def new_page(opened, width=1280, height=800):
    """A page, and the list in which everything lands that its console complains about or that it asks a network for."""
    page = opened.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(SLOW)
    complaints: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def screenshot(page, name: str) -> None:
    """Kept for whoever wants to look: SCREENSHOTS=1 make test."""
    if not SCREENSHOTS:
        return
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)


def serious_violations(page) -> list[tuple[str, list[str]]]:
    """What axe finds serious or critical, once no colour is on its way to another one."""
    from axe_playwright_python.sync_playwright import Axe

    at_rest(page)
    found = Axe().run(page).response["violations"]
    return [(v["id"], [n["html"] for n in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")]


def at_rest(page) -> None:
    """Wait until no transition and no animation of the page runs."""
    until(page, "document.getAnimations().every((animation) => animation.playState === 'finished')")


def report_ready(page) -> None:
    """Wait until a report has set itself up and drawn its picture, which answers to keys and pointers from then on."""
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    until(page, "document.getElementById('front').drawing.frames > 0")


def until(page, condition: str) -> None:
    """Wait until an expression is true; unlike `wait_for_function` also where the page's policy forbids eval."""
    for _ in range(SLOW // PAUSE):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(PAUSE)
    raise AssertionError(f"never true: {condition}")
