"""`conewise report`, and its page in a real browser: it opens offline, complains of nothing, and answers clicks."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner
from shared import browser, studies

import conewise as cw
from conewise.algorithms import Result
from conewise.cli.main import commands, main
from conewise.goals import Heuristic
from conewise.report.page import html_page
from conewise.report.subject import of_result

NASTY = "<script>alert(1)</script>"
NAMES = [NASTY, "=cmd()", "<b>bold</b>", "d", "e", "f"]


def run(*words):
    return CliRunner().invoke(commands, [str(word) for word in words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished study, a table and their reports."""
    place = tmp_path_factory.mktemp("reports")
    with studies.make(place / "trial.db", designs=NAMES, objectives=["<i>gain</i>", "cost"]) as study:
        while batch := study.ask(20):
            study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
    rng = np.random.default_rng(0)
    rows = ["design,a,b,c,d"]
    means = rng.normal(size=(25, 4))
    for k in list(range(25)) * 20:
        rows += [f"d{k}," + ",".join(f"{v:.5f}" for v in means[k] + 0.4 * rng.normal(size=4))]
    (place / "table.csv").write_text("\n".join(rows) + "\n")
    assert run("report", place / "trial.db", "-o", place / "study.html").exit_code == 0
    options = ("--objectives", "a,b,c,d", "--minimise", "c", "--cone", "importance:0.1", "--epsilon", "0.1")
    assert run("report", place / "table.csv", *options, "-o", place / "table.html").exit_code == 0
    return place


@pytest.fixture(scope="module")
def opened():
    with browser.browser() as started:
        yield started


@pytest.fixture
def visit(opened, folder):
    """Open a report without a network; at the end nothing may have been complained about or asked for."""
    checks = []

    def go(name):
        page, complaints = browser.new_page(opened)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.context.set_offline(True)
        page.goto((folder / name).as_uri())
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        checks.append((page, complaints, asked))
        return page

    yield go
    for page, complaints, asked in checks:
        page.close()
        assert complaints == []
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def column(page, n):
    return page.locator(f"#answer tbody tr:not([hidden]) > :nth-child({n})").all_inner_texts()


# -- the command -------------------------------------------------------------------------------------------------------


def test_json_markdown_and_html_say_the_same(folder, tmp_path):
    numbers = json.loads(run("report", folder / "trial.db", "--json").stdout)
    assert numbers["n_designs"] == 6
    done = run("report", folder / "trial.db", "-o", tmp_path / "report.md")
    assert done.exit_code == 0
    assert f"Written to {tmp_path / 'report.md'}." in done.stderr
    text = (tmp_path / "report.md").read_text()
    assert numbers["next_words"] in text
    assert numbers["certificate"]["sentence"].replace("_", "\\_") in text
    assert numbers["next_words"] in (folder / "study.html").read_text()


def test_a_saved_result_becomes_a_report(folder, tmp_path):
    saved = run("analyse", folder / "table.csv", "--objectives", "a,b", "--plan", "10", "--json")
    (tmp_path / "answer.json").write_text(saved.stdout)
    numbers = json.loads(run("report", tmp_path / "answer.json", "--title", "Ours", "--json").stdout)
    assert numbers["title"] == "Ours"
    assert numbers["evaluations"] == 500
    assert sum(entry["times"] for entry in numbers["plan"]) == 10


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("trial.db", "--epsilon", "0.1"), "--epsilon is for a table; a study brings its own question."),
        (("missing.db",), "missing.db"),
        (("missing.csv",), "missing.csv"),
        (("table.csv", "--objectives", "a,b", "--name", "x"), "--name says which study"),
        (("table.csv", "--objectives", "a,b", "--format", "md", "-o", "nowhere/report.md"), "there is no folder"),
    ],
)
def test_a_mistake_is_one_line(folder, words, message, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as stop:
        main(["report", *words])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


# -- the page ----------------------------------------------------------------------------------------------------------


def test_names_stay_text_everywhere(visit):
    page = visit("study.html")
    assert sorted(column(page, 1)) == sorted(NAMES)
    page.get_by_role("button", name=NASTY, exact=True).first.click()
    assert page.locator("#detail h3").inner_text() == NASTY
    assert page.locator("#answer b, #detail b, #detail script, #front b").count() == 0
    words = page.locator("section", has=page.locator("#question")).inner_text()
    assert "at least as good under each of 2 weightings of <i>gain</i> and cost" in words
    assert "w1 = <i>gain</i>" in words
    assert "w2 = −cost" in words
    assert "objective 1" not in page.locator("main").inner_text()
    assert "<i>gain</i>, larger is better" in page.locator("#front").inner_text() + page.locator("#across").inner_text()
    assert "<i>gain</i>" in page.locator("#front .xtitle").text_content()  # Plotly shows the brackets as well
    browser.screenshot(page, "report-study")


def test_selecting_a_design_shows_its_rivals(visit, folder):
    page = visit("study.html")
    page.locator("#answer").get_by_role("button", name="e", exact=True).press("Enter")
    assert page.locator("#detail h3").inner_text() == "e"
    facts = page.locator("#detail dl").inner_text()
    rows = {row["name"]: row for row in json.loads(run("report", folder / "trial.db", "--json").stdout)["rows"]}
    assert f"{rows['e']['evaluations']}" in facts
    for n, width in enumerate(rows["e"]["half_widths"], start=1):
        assert f"± {float(f'{width:.3g}')} along w{n}" in facts
    region = page.evaluate("document.getElementById('front').data.find((trace) => trace.name === 'its confidence')")
    for places, mean, width in zip(
        (region["x"], region["y"]), rows["e"]["means"], rows["e"]["half_widths"], strict=True
    ):
        assert [min(places), max(places)] == pytest.approx([mean - width, mean + width])
    assert page.locator("#answer tr[aria-selected=true]").get_attribute("data-id") == "4"
    rivals = page.locator("#detail tbody tr")
    assert rivals.count() >= 1
    name = rivals.first.locator("button").inner_text()
    rivals.first.locator("button").click()
    assert page.locator("#detail h3").inner_text() == name
    assert page.locator("#gains .main-svg").count() >= 1


def test_axes_can_be_chosen_and_points_clicked(visit):
    page = visit("table.html")
    page.locator("#across").select_option(label="c, smaller is better")
    score = "score w1 = 0.971 a + 0.139 b − 0.139 c + 0.139 d"
    page.locator("#up").select_option(label=score)
    assert page.locator("#front .xtitle").text_content() == "c, smaller is better"
    assert page.locator("#front .ytitle").text_content() == score
    page.locator("#front").scroll_into_view_if_needed()
    place = page.evaluate(
        """() => {
          const plot = document.getElementById("front"), trace = plot.data.findIndex((t) => t.customdata);
          const layout = plot._fullLayout, box = plot.getBoundingClientRect(), {x, y, customdata} = plot.data[trace];
          return {id: customdata[0], x: box.x + layout.xaxis._offset + layout.xaxis.l2p(x[0]),
                  y: box.y + layout.yaxis._offset + layout.yaxis.l2p(y[0])};
        }"""
    )
    page.mouse.move(place["x"], place["y"])
    hover = page.locator("#front .hoverlayer .hovertext")
    hover.wait_for(state="attached")
    assert re.match(r"d\d+(kept|undecided|covered|beaten), 20 evaluations± [\d.]+ along w1, ± ", hover.text_content())
    page.mouse.click(place["x"], place["y"])
    page.wait_for_selector(f'#answer tr[data-id="{place["id"]}"][aria-selected=true]')
    browser.screenshot(page, "report-table")


def test_the_table_sorts_and_filters(visit):
    page = visit("table.html")
    head = page.locator("#answer thead th", has_text="gap")
    for direction, sign in (("ascending", 1), ("descending", -1)):
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == direction
        shown = [sign * float(text) for text in column(page, 8)]
        assert shown == sorted(shown)
        assert len(shown) == 25
    page.locator("#answer thead button", has_text="design").click()
    assert column(page, 1)[:3] == ["d0", "d1", "d2"]  # numbers in names count as numbers
    page.get_by_label("Name contains").fill("D1")
    assert len(column(page, 1)) == 11
    page.get_by_label("Status").select_option("beaten")
    assert all(text.startswith("beaten by d") for text in column(page, 2))
    assert f"{len(column(page, 1))} of 25 rows shown" in page.locator("#shown").inner_text()


LOOK = """() => ({
  ground: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
  plot: getComputedStyle(document.querySelector("#front .xtick text")).fill,
  width: document.querySelector("#front .main-svg").getBoundingClientRect().width,
  wide: Math.max(...[...document.querySelectorAll("#front, #history, #epsilon, #gains")].map((p) =>
    p.querySelector(".main-svg").getBoundingClientRect().right)),
})"""
LIGHT, DARK = ("rgb(255, 255, 255)", "rgb(29, 37, 48)"), ("rgb(22, 27, 34)", "rgb(230, 233, 238)")


def drawn_in(page, ink):
    """Wait until the pictures are redrawn for another ground: browsers tell of it a little later."""
    page.wait_for_function(
        "(ink) => getComputedStyle(document.querySelector('#front .xtick text')).fill === ink", arg=ink
    )


def test_on_a_dark_screen_it_is_dark_and_on_paper_light(visit, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    page = visit("study.html")
    assert page.locator("#history .scatterlayer .trace").count() == 4
    assert page.locator("#epsilon .scatterlayer .trace").count() == 2
    for scheme, (ground, ink) in (("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=scheme)
        drawn_in(page, ink)
        look = page.evaluate(LOOK)
        assert (look["ground"], look["ink"]) == (ground, ink)
        found = Axe().run(page).response["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    browser.screenshot(page, "report-dark")
    width = page.evaluate(LOOK)["width"]
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")  # as a browser does before it lays out for paper
    assert page.evaluate(LOOK)["plot"] == LIGHT[1]
    assert page.evaluate(LOOK)["width"] == 680
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(LOOK)["plot"] == DARK[1]
    assert page.evaluate(LOOK)["width"] == pytest.approx(width, abs=2)
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    page.set_viewport_size({"width": 718, "height": 1000})  # an A4 page between its margins
    page.emulate_media(media="print")
    drawn_in(page, LIGHT[1])
    look = page.evaluate(LOOK)
    assert (look["ground"], look["ink"]) == LIGHT
    assert look["wide"] <= 718
    assert not page.locator("#filter").is_visible()
    assert page.evaluate(
        "document.querySelector('.scroll').scrollHeight <= document.querySelector('.scroll').clientHeight"
    )
    plots = [page.locator(f"#{name}").bounding_box() for name in ("front", "detail", "history", "epsilon")]
    for above, below in pairwise(plots):
        assert above["y"] + above["height"] <= below["y"] + 1  # nothing lies on anything else
    browser.screenshot(page, "report-print")


def test_a_hundred_thousand_designs_open_and_answer(visit, folder):
    rng = np.random.default_rng(1)
    means = rng.normal(size=(100_000, 2))
    front = cw.pareto_mask(means, cw.Cone.orthant(2))
    status = np.where(front, "kept", "beaten")
    result = Result(front, status, 10**6, Heuristic("made up"), None, "x", means, np.full(100_000, 10))
    (folder / "many.html").write_text(
        html_page(of_result(result, cw.Question(cw.Cone.orthant(2), epsilon=0.1, delta=0.05)))
    )
    assert (folder / "many.html").stat().st_size < 15e6
    page = visit("many.html")
    rows = page.locator("#answer tbody tr")
    assert front.sum() < rows.count() <= 2000
    assert page.locator("#front .point").count() <= 2010
    assert page.locator("#front text").count() < 60  # never a label for each
    page.get_by_label("Status").select_option("kept")
    assert len(column(page, 1)) == front.sum()
    page.get_by_label("Status").select_option("")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#answer tr.unprinted").count() == rows.count() - 200
    assert f"The first 200 rows; {rows.count() - 200:,} more" in page.locator("#printed").text_content()
