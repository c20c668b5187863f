"""The pictures of a report in a real browser: their buttons, their files, what a zoom and a finger do."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from shared import browser, studies

import conewise as cw
from conewise.algorithms import Result
from conewise.goals import Heuristic
from conewise.report.page import html_page
from conewise.report.subject import of_result, of_study

SAVE = "Save as a picture (PNG)"
BUTTONS = ["Pan", "Reset axes", SAVE, "Zoom", "Zoom in", "Zoom out"]
DOUBLE = 400  # milliseconds: within 300 a second click is half of a double one, which undoes a zoom
PLACE = """(id) => {
  const plot = document.getElementById("front"), box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
  const trace = plot.data.find((t) => t.customdata?.includes(id)), n = trace.customdata.indexOf(id);
  return {x: box.x + xaxis._offset + xaxis.d2p(trace.x[n]), y: box.y + yaxis._offset + yaxis.d2p(trace.y[n])};
}"""
RANGES = "['xaxis', 'yaxis'].map((name) => document.getElementById('front').layout[name].range)"


@pytest.fixture(scope="module")
def opened():
    with browser.browser() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Reports of a study with a history, and of designs so close that markers lie on each other."""
    place = tmp_path_factory.mktemp("pictures")
    with studies.make(place / "trial.db") as study:
        while batch := study.ask(20):
            study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
        (place / "study.html").write_text(html_page(of_study(study)), encoding="utf-8")
    snw = cw.problems.load("snw")
    front = cw.pareto_mask(snw.means, cw.Cone.orthant(2))
    status = np.where(front, "kept", "beaten")
    counts = np.full(len(front), 10)
    result = Result(front, status, int(counts.sum()), Heuristic("made up"), None, "x", snw.means, counts)
    subject = of_result(result, cw.Question(cw.Cone.orthant(2), epsilon=0.1, delta=0.05), names=snw.names)
    (place / "close.html").write_text(html_page(subject), encoding="utf-8")
    return place


@pytest.fixture
def visit(opened, folder):
    """Open a report; in the end it may not have asked for anything, opened a window, or complained."""
    contexts, heard = [], []

    def go(name, **context):
        made = opened.new_context(**context)
        contexts.append(made)
        made.on("request", lambda request: heard.append(request.url))
        made.on("page", lambda page: heard.append(f"a window: {page.url}"))
        page = made.new_page()
        heard.clear()  # the page itself
        page.set_default_timeout(browser.SLOW)
        page.on("console", lambda said: heard.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.goto((folder / name).as_uri())
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        return page

    yield go
    for context in contexts:
        context.close()
    assert [what for what in heard if not what.startswith(("file:", "data:", "blob:"))] == []


def test_the_buttons_are_exactly_these_and_none_of_them_talks_to_anyone(visit):
    page = visit("study.html")
    for plot in ("front", "history", "epsilon"):
        page.locator(f"#{plot}").hover()
        buttons = page.locator(f"#{plot} .modebar-btn")
        assert sorted(buttons.nth(n).get_attribute("data-title") for n in range(buttons.count())) == BUTTONS
        for n in range(buttons.count()):
            if buttons.nth(n).get_attribute("data-title") != SAVE:
                buttons.nth(n).click()
        with page.expect_download() as download:
            page.locator(f'#{plot} [data-title="{SAVE}"]').click()
        assert download.value.suggested_filename == f"conewise-{plot}.png"
    assert page.locator("#gains .modebar-btn").count() == 0
    settings = page.evaluate("document.getElementById('front')._context")
    assert settings["plotlyServerURL"] == ""
    assert settings["showSendToCloud"] is False


def test_a_picture_saved_from_a_dark_screen_can_be_read_on_white(visit, tmp_path):
    from matplotlib.image import imread

    page = visit("close.html", color_scheme="dark")
    page.locator("#front").hover()
    with page.expect_download() as download:
        page.locator(f'#front [data-title="{SAVE}"]').click()
    picture = imread(io.BytesIO(download.value.path().read_bytes()))
    assert (picture[0, 0, :3] == 1).all()  # white, and not see-through
    assert picture[..., 3:].min(initial=1) == 1
    luminance = picture[..., :3] @ [0.2126, 0.7152, 0.0722]
    assert luminance.min() < 0.2  # ink: text is dark


def test_a_zoom_outlives_a_selection_and_not_other_axes(visit):
    page = visit("close.html")
    whole = page.evaluate(RANGES)
    page.locator("#front").scroll_into_view_if_needed()
    box = page.locator("#front .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=5)
    page.mouse.up()
    page.wait_for_function(
        f"(whole) => JSON.stringify({RANGES}) !== whole", arg=json.dumps(whole, separators=(",", ":"))
    )
    page.wait_for_timeout(DOUBLE)
    zoomed = page.evaluate(RANGES)
    assert zoomed[0][1] - zoomed[0][0] == pytest.approx(0.4 * (whole[0][1] - whole[0][0]), rel=0.1)
    page.locator("#answer tbody button").nth(5).click()
    assert page.evaluate(RANGES) == zoomed
    page.locator("#across").select_option("1")
    page.locator("#across").select_option("0")
    assert page.evaluate(RANGES) == whole


def test_the_picture_stays_where_it_is_whatever_is_selected(visit):
    page = visit("study.html", viewport={"width": 390, "height": 844})
    frame = "document.querySelector('#front .nsewdrag').getBoundingClientRect().toJSON()"
    before = [page.evaluate(frame), page.evaluate(RANGES)]
    buttons = page.locator("#answer tbody button")
    for n in range(buttons.count()):
        buttons.nth(n).evaluate("(button) => button.closest('tr').cells[1].click()")  # a row, which does not scroll
        assert [page.evaluate(frame), page.evaluate(RANGES)] == before


@pytest.mark.parametrize("touch", [True, False], ids=["finger", "mouse"])
def test_every_pareto_design_is_selected_where_it_is_drawn(visit, touch):
    size = {"width": 390, "height": 844} if touch else {"width": 1280, "height": 800}
    page = visit("close.html", viewport=size, has_touch=touch, is_mobile=touch)
    front = page.evaluate("JSON.parse(document.getElementById('data').textContent).rows.filter((r) => r.returned)")
    assert len(front) == 26
    for row in front[::2] if touch else front[::3]:  # a finger is the coarser one: it tries more of them
        page.locator("#front").scroll_into_view_if_needed()
        place = page.evaluate(PLACE, row["id"])
        if not touch and row["name"] in ("1/14/3", "1/14/4"):
            continue  # a mouse is as exact as a pixel, and these two lie within one
        (page.touchscreen.tap if touch else page.mouse.click)(place["x"], place["y"])
        page.wait_for_selector(f'#answer tr[data-id="{row["id"]}"][aria-selected=true]', state="attached")
        assert page.locator("#detail h3").inner_text() == row["name"]
        page.wait_for_timeout(DOUBLE)


def test_on_a_phone_nothing_sticks_out_sideways_however_long_the_names(opened, tmp_path):
    long = "throughput_of_the_network_in_millions_of_samples_per_second_at_25_degrees"
    names = ["d", "a design whose name goes on and on until nobody reads it any more", "X" * 90, "y", "z", "w"]
    with studies.make(tmp_path / "long.db", designs=names, objectives=[long, "cost"]) as study:
        batch = study.ask(30)
        study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
        (tmp_path / "long.html").write_text(html_page(of_study(study)), encoding="utf-8")
    for width in (320, 390, 1280):
        with opened.new_context(viewport={"width": width, "height": 844}) as context:
            page = context.new_page()
            page.goto((tmp_path / "long.html").as_uri())
            page.wait_for_selector("html[data-ready=yes]", state="attached")
            assert page.evaluate("document.documentElement.scrollWidth") == width
            panel = page.locator("#detail").bounding_box()
            for part in page.locator("#detail dt, #detail dd, #detail table").all():
                box = part.bounding_box()
                assert box["width"] >= 40
                assert box["x"] + box["width"] <= panel["x"] + panel["width"]
