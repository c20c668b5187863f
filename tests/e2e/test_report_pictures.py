"""The pictures of a report in a real browser: their buttons, their files, what a zoom and a finger do."""

from __future__ import annotations

import io

import numpy as np
import pytest
from shared import browser, studies

import conewise as cw
from conewise.question.question import Heuristic
from conewise.report.known import of_front
from conewise.report.page import html_page
from conewise.report.subject import of_result, of_study
from conewise.rules import Result

DRAWING = "document.getElementById('front').drawing"
VIEW = f"{DRAWING}.view"


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
    price = cw.Objective("price (EUR)", "min", level=30000)
    for dim in (2, 3):
        table = [{"name": n, "price (EUR)": p, "power": w, "seats": s} for n, p, w, s in CARS]
        leveled = of_front(table, objectives=[price, "power", "seats"][:dim])
        (place / f"levels{dim}.html").write_text(html_page(leveled), encoding="utf-8")
        (place / f"open{dim}.html").write_text(html_page(open_answer(dim)), encoding="utf-8")
    return place


LONG = [f"the alloy of the second series that was heated {k} times before it was cooled in oil" for k in range(8)]


def open_answer(dim):
    """Every status, long names that differ in the middle, and a level that an undecided design misses on average."""
    status = np.array(["kept", "undecided", *["misses a level"] * 2, "covered", "beaten", "kept", "kept"])
    means = np.array([[5, 5.0], [2, 6.5], [1.5, 8], [1, 6], [4.8, 5.1], [3.5, 3], [7, 3], [6, 4]])
    means = np.column_stack([means, 3 * means[:, 0] % 5])[:, :dim]
    result = Result(np.isin(status, ["kept"]), status, 80, Heuristic("made up"), None, "x", means, np.full(8, 10))
    asked = [cw.Objective("strength", level=3), "purity", "price"][:dim]
    question = cw.Question(cw.Cone.orthant(dim), epsilon=0.1, delta=0.05, objectives=asked)
    return of_result(result, question, names=LONG)


CARS = [("A", 14900, 75, 4), ("B", 28900, 204, 5), ("C", 41000, 210, 2), ("D", 20000, 60, 3)]


@pytest.fixture
def visit(chromium, folder):
    """Open a report; in the end it may not have asked for anything, opened a window, or complained."""
    contexts, heard = [], []

    def go(name, **context):
        made = chromium.new_context(**context)
        contexts.append(made)
        made.on("request", lambda request: heard.append(request.url))
        made.on("page", lambda page: heard.append(f"a window: {page.url}"))
        page = made.new_page()
        heard.clear()  # the page itself
        page.set_default_timeout(browser.SLOW)
        page.on("console", lambda said: heard.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.goto((folder / name).as_uri())
        browser.report_ready(page)
        return page

    yield go
    for context in contexts:
        context.close()
    assert [what for what in heard if not what.startswith(("file:", "data:", "blob:"))] == []


def place_of(page, k):
    """Where the picture shows the k-th design, in the window."""
    box = page.locator("#front canvas").bounding_box()
    x, y = page.evaluate(f"(k) => [{DRAWING}.px[{DRAWING}.placeOf(k)], {DRAWING}.py[{DRAWING}.placeOf(k)]]", k)
    return box["x"] + x, box["y"] + y


def test_no_button_talks_to_anyone(visit):
    page = visit("study.html")
    for kind in ("#answer thead button", "#answer tbody button", "#detail button"):
        assert page.locator(kind).count()
        for n in range(page.locator(kind).count()):
            page.locator(kind).nth(min(n, page.locator(kind).count() - 1)).click()
    with page.expect_download() as download:
        page.locator("#save").click()
    assert download.value.suggested_filename == "conewise.png"


def test_a_picture_saved_from_a_dark_screen_can_be_read_on_white(visit):
    from matplotlib.image import imread

    page = visit("close.html", color_scheme="dark")
    with page.expect_download() as download:
        page.locator("#save").click()
    picture = imread(io.BytesIO(download.value.path().read_bytes()))
    assert (picture[0, 0, :3] == 1).all()  # white, and not see-through
    assert picture[..., 3:].min(initial=1) == 1
    luminance = picture[..., :3] @ [0.2126, 0.7152, 0.0722]
    assert luminance.min() < 0.2  # ink: text is dark
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("dim", [2, 3], ids=["a plane", "an axis each"])
def test_a_level_is_a_line_that_cannot_be_dragged(visit, dim):
    page = visit(f"levels{dim}.html")
    assert "14000 EUR more price" in page.locator("#detail .rivals").inner_text()
    assert "level" in page.locator(".legend").first.inner_text().split("\n")
    with page.expect_download() as download:
        page.locator("#save-svg").click()
    drawn = download.value.path().read_text(encoding="utf-8")
    assert drawn.count('stroke-dasharray="8 4"') == 1
    assert page.evaluate(f"{DRAWING}.bars") == []
    if dim == 2:
        page.locator("#across").select_option("1")  # power has no level
        page.locator("#up").select_option("1")
        with page.expect_download() as download:
            page.locator("#save-svg").click()
        assert 'stroke-dasharray="8 4"' not in download.value.path().read_text(encoding="utf-8")


def test_an_undecided_design_beyond_a_level_is_not_faded(visit):
    page = visit("open2.html")
    page.wait_for_function(f"() => {DRAWING}.frames > 0")
    cells = page.locator("#answer tbody th").all_inner_texts()
    k = [cell.strip() for cell in cells].index(LONG[1])
    seen = f"""(k) => {{ const {{ px, py, sharp, pen, placeOf, points }} = {DRAWING};
        const place = {DRAWING}.placeOf(k);
        return [...pen.getImageData(Math.round(px[place] * sharp), Math.round(py[place] * sharp), 1, 1).data]; }}"""
    assert page.evaluate(seen, k)[:3] == [0xB3, 0x47, 0x00]  # --orange


def test_who_misses_a_level_has_a_line_of_its_own_and_the_legend_shows_it(visit):
    page = visit("open3.html")
    page.wait_for_function(f"() => {DRAWING}.frames > 0")
    for kind, looks in (("beaten", "solid"), ("covered", "solid"), ("misses", "none")):
        stroke = page.locator(f".first .stroke.{kind}")
        assert stroke.is_visible()
        assert stroke.evaluate("(mark) => getComputedStyle(mark).borderTopStyle") == looks
        assert not page.locator(f".first .mark.{kind}").is_visible()
    with page.expect_download() as download:
        page.locator("#save-svg").click()
    assert download.value.path().read_text(encoding="utf-8").count('stroke-dasharray="12 4"') == 2
    page.locator("#view").select_option("plane")
    assert page.locator(".first .mark.misses").is_visible()
    assert not page.locator(".first .stroke.misses").is_visible()


@pytest.mark.parametrize(
    "names",
    [LONG, [f"{k}{'x' * 200}{k}" for k in range(4)], [f"{'a' * 90}{k}{'b' * 90}{j}" for k in "01" for j in "01"]],
    ids=["middle", "ends", "two places"],
)
def test_names_that_are_cut_still_differ(visit, names):
    page = visit("open2.html")
    page.wait_for_function(f"() => {DRAWING}.frames > 0")
    cut = f"(names) => [...{DRAWING}.written({DRAWING}.pen, new Map(names.map((name, k) => [k, name]))).values()]"
    shown = page.evaluate(cut, names)
    assert len(set(shown)) == len(names)
    assert all("…" in text for text in shown)
    if names is LONG:
        assert all(f"heated {k} times" in text for k, text in enumerate(shown))


def test_what_is_known_at_one_moment_only_is_a_dot(visit):
    page = visit("study.html")
    green = """() => { const canvas = document.querySelector('#epsilon canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let k = 0; k < data.length; k += 4) n += data[k + 1] > data[k] + 60 && data[k + 1] > data[k + 2] + 20;
        return n; }"""
    before = page.evaluate("""() => { const { drawing } = document.getElementById('epsilon');
        drawing.data.series[0].values = drawing.data.x.map((_, k) => (k ? null : 0.5));
        const { frames } = drawing; drawing.refresh(); return frames; }""")
    page.wait_for_function("(n) => document.getElementById('epsilon').drawing.frames > n", arg=before)
    assert 5 < page.evaluate(green) < 400


def test_a_zoom_outlives_a_selection_and_not_other_axes(visit):
    page = visit("close.html")
    page.wait_for_function(f"() => {DRAWING}.box")
    whole = page.evaluate(VIEW)
    box = page.locator("#front canvas").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=5)
    page.mouse.up()
    page.wait_for_function(f"() => {DRAWING}.zoom !== null")
    zoomed = page.evaluate(VIEW)
    assert 0.3 < (zoomed[0][1] - zoomed[0][0]) / (whole[0][1] - whole[0][0]) < 0.6
    page.locator("#answer tbody button").nth(5).click()
    assert page.evaluate(VIEW) == zoomed
    page.locator("#across").select_option("1")
    page.locator("#across").select_option("0")
    assert page.evaluate(VIEW) == whole


def test_the_picture_stays_where_it_is_whatever_is_selected(visit):
    page = visit("study.html", viewport={"width": 390, "height": 844})
    frame = "document.querySelector('#front').getBoundingClientRect().toJSON()"
    before = [page.evaluate(frame), page.evaluate(VIEW)]
    buttons = page.locator("#answer tbody button")
    for n in range(buttons.count()):
        buttons.nth(n).evaluate("(button) => button.closest('tr').cells[1].click()")  # a row, which does not scroll
        assert [page.evaluate(frame), page.evaluate(VIEW)] == before


@pytest.mark.parametrize("touch", [True, False], ids=["finger", "mouse"])
def test_every_pareto_design_is_selected_where_it_is_drawn(visit, touch):
    size = {"width": 390, "height": 844} if touch else {"width": 1280, "height": 800}
    page = visit("close.html", viewport=size, has_touch=touch, is_mobile=touch)
    page.wait_for_function(f"() => {DRAWING}.px")
    names = page.locator("#answer tbody button").all_inner_texts()[:26]
    page.locator("#front").scroll_into_view_if_needed()
    for k, name in list(enumerate(names))[:: 1 if touch else 3]:
        (page.touchscreen.tap if touch else page.mouse.click)(*place_of(page, k))
        page.wait_for_function("(name) => document.querySelector('#detail h2').textContent === name", arg=name)


def test_on_a_phone_nothing_sticks_out_sideways_however_long_the_names(chromium, tmp_path):
    long = "throughput_of_the_network_in_millions_of_samples_per_second_at_25_degrees"
    names = ["d", "a design whose name goes on and on until nobody reads it any more", "X" * 90, "y", "z", "w"]
    with studies.make(tmp_path / "long.db", designs=names, objectives=[long, "cost"]) as study:
        batch = study.ask(30)
        study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
        (tmp_path / "long.html").write_text(html_page(of_study(study)), encoding="utf-8")
    for width in (320, 390, 1280):
        with chromium.new_context(viewport={"width": width, "height": 844}) as context:
            page = context.new_page()
            page.goto((tmp_path / "long.html").as_uri())
            browser.report_ready(page)
            assert page.evaluate("document.documentElement.scrollWidth") == width
            panel = page.locator("#detail").bounding_box()
            for part in page.locator("#detail dt, #detail dd, #detail li").all():
                box = part.bounding_box()
                assert box["width"] >= 40
                assert box["x"] + box["width"] <= panel["x"] + panel["width"]
