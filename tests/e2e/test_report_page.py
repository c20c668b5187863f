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
from conewise.cli.main import commands, main
from conewise.question.objectives import as_objectives
from conewise.report.headline import one_of
from conewise.report.known import of_values
from conewise.report.page import html_page

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


@pytest.fixture
def visit(chromium, folder):
    """Open a report without a network; at the end nothing may have been complained about or asked for."""
    checks = []

    def go(name):
        page, complaints = browser.new_page(chromium)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.context.set_offline(True)
        page.goto((folder / name).as_uri())
        browser.report_ready(page)
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


def test_a_title_leaves_the_source_its_name(tmp_path):
    table = tmp_path / "cars.csv"
    table.write_text("name,price,power\nA,9,80\nB,8,90\nA,9,81\nB,8,91\n", encoding="utf-8")
    for known in ([], ["--known"]):
        if known:
            table.write_text("name,price,power\nA,9,80\nB,8,90\n", encoding="utf-8")
        asked = ["report", table, "--objectives", "price,power", "--title", "Our cars", *known]
        told = json.loads(run(*asked, "--json").stdout)
        assert (told["title"], told["source"]) == ("Our cars", "the table cars.csv")


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


def test_the_first_screen_says_the_answer_by_name(visit, folder):
    page = visit("study.html")
    numbers = json.loads(run("report", folder / "trial.db", "--json").stdout)
    names = [row["name"] for row in numbers["designs"] if row["returned"]]
    head = page.get_by_role("heading", level=1)
    assert head.inner_text() == numbers["headline"]["take"] == f"Take {one_of(names)}."
    worth = page.locator(".worth")
    assert worth.inner_text().startswith("With probability at least 95 %, every design that no other beats")
    picture = page.locator("#front canvas")
    for part in (head, worth, picture):
        box = part.bounding_box()
        assert 0 <= box["y"] < box["y"] + box["height"] <= 800  # all of it without scrolling
    assert [text.strip() for text in page.locator("main > section > h2").all_inner_texts()] == [
        "Why",
        "What next",
        "How sure",
        "The theory",
        "About this report",
    ]


def test_names_stay_text_everywhere(visit):
    page = visit("study.html")
    assert sorted(column(page, 1)) == sorted(NAMES)
    page.get_by_role("button", name=NASTY, exact=True).first.click()
    assert page.locator("#detail h2").inner_text() == NASTY
    assert page.locator("#answer b, #detail b, #detail script, h1 b").count() == 0
    words = page.locator("section", has=page.locator("#theory")).inner_text()
    assert "at least as good under each of 2 weightings of <i>gain</i> and cost" in words
    assert "w1 = <i>gain</i>" in words
    assert "w2 = −cost" in words
    assert "objective 1" not in page.locator("main").inner_text()
    assert "<i>gain</i>" in page.locator("#across").inner_text()
    titles = page.evaluate("document.getElementById('front').drawing.titles")
    assert titles == ["<i>gain</i>, larger is better →", "← cost, smaller is better"]
    browser.screenshot(page, "report-study")


def test_selecting_a_design_shows_its_rivals(visit, folder):
    page = visit("study.html")
    page.locator("#answer").get_by_role("button", name="e", exact=True).press("Enter")
    assert page.locator("#detail h2").inner_text() == "e"
    facts = page.locator("#detail dl").inner_text()
    rows = {row["name"]: row for row in json.loads(run("report", folder / "trial.db", "--json").stdout)["designs"]}
    assert f"{rows['e']['evaluations']}" in facts
    assert facts.count(", standard error 0.") == 2
    for name, width in zip(("<i>gain</i>", "cost"), rows["e"]["half_widths"], strict=True):
        assert f"± {float(f'{width:.3g}')} in {name}" in facts  # under the orthant a weighting is an objective
    region = page.evaluate("document.getElementById('front').drawing.look.region")
    for places, mean, width in zip(
        zip(*region, strict=True), rows["e"]["means"].values(), rows["e"]["half_widths"], strict=True
    ):
        assert [min(places), max(places)] == pytest.approx([mean - width, mean + width], rel=1e-3)
    assert page.locator("#answer tr.chosen").inner_text().startswith("e")
    rivals = page.locator("#detail .rivals li")
    assert rows["e"]["rivals"][0]["relation"] in rivals.first.inner_text()
    name = rivals.first.locator("button").inner_text()
    rivals.first.locator("button").click()
    assert page.locator("#detail h2").inner_text() == name


def test_axes_can_be_chosen_and_points_clicked(visit):
    page = visit("table.html")
    assert page.evaluate("document.getElementById('front').drawing.labels[2]") == "c, small is up"
    canvas = page.locator("#front canvas")
    canvas.focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        canvas.press(key)
    second = page.locator("#answer tbody button").nth(1).inner_text()
    assert page.locator("#detail h2").inner_text() == second
    assert page.locator("#front .unseen").inner_text().startswith(f"{second}: a ")
    page.locator("#view").select_option("plane")
    page.locator("#across").select_option(label="c")
    score = "score w1 = 0.971 a + 0.139 b − 0.139 c + 0.139 d"
    page.locator("#up").select_option(label=score)
    page.wait_for_function(
        "() => document.getElementById('front').drawing.titles?.[1]?.startsWith('score w1 = 0.971 a')"
    )
    drawing = "document.getElementById('front').drawing"
    assert page.evaluate(f"{drawing}.titles[0]") == "← c, smaller is better"
    box = page.locator("#front canvas").bounding_box()
    place = page.evaluate(f"[{drawing}.points.index[0], {drawing}.px[0], {drawing}.py[0]]")
    page.mouse.move(box["x"] + place[1], box["y"] + place[2])
    tip = page.locator("#front .tip")
    tip.wait_for(state="visible")
    assert re.match(r"d\d+c -?[\d.]+score w1", tip.text_content())
    page.mouse.click(box["x"] + place[1], box["y"] + place[2])
    assert page.locator("#answer tr.chosen").count() == 1
    assert page.locator("#detail h2").inner_text() == page.locator("#answer tr.chosen button").inner_text()
    browser.screenshot(page, "report-table")


def test_the_table_sorts_and_filters(visit):
    page = visit("table.html")
    head = page.locator("#answer thead th", has_text="gap")
    for direction, sign in (("ascending", 1), ("descending", -1)):
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == direction
        shown = [sign * float(text) for text in column(page, 9)]
        assert shown == sorted(shown)
        assert len(shown) == 25
    page.locator("#answer thead button", has_text="design").click()
    assert column(page, 1)[:3] == ["d0", "d1", "d2"]  # numbers in names count as numbers
    page.locator("#answer tbody button").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "d1"
    page.get_by_label("Name contains").fill("D1")
    assert len(column(page, 1)) == 11
    page.get_by_label("Status").select_option("beaten")
    assert all("beaten by d" in text for text in column(page, 2))
    assert all(re.search(r"(more|less) [abcd]", text) for text in column(page, 3))
    assert f"{len(column(page, 1))} of 25 rows shown" in page.locator("#shown").inner_text()


LOOK = """() => ({
  ground: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
  pictures: [...document.querySelectorAll(".plot")].map(({ drawing }) => drawing.paints?.paper),
  wide: Math.max(...[...document.querySelectorAll("canvas")].map((canvas) => canvas.getBoundingClientRect().right)),
})"""
TORN = """() => [...document.querySelectorAll("#answer thead button")].map(({ firstChild }) => firstChild)
  .filter((text) => [...text.data.matchAll(/\\w+/g)].some(({ index, 0: word }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  })).map(({ data }) => data)"""
LIGHT = ("#fff", "rgb(31, 42, 51)")
DARK = ("#19222b", "rgb(230, 237, 243)")


def test_on_a_dark_screen_it_is_dark_and_on_paper_light(visit, tmp_path):
    page = visit("study.html")
    for scheme, (paper, ink) in (("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"(wanted) => ({LOOK})().pictures.every((paper) => paper === wanted)", arg=paper)
        look = page.evaluate(LOOK)
        assert look["ink"] == ink
        assert len(look["pictures"]) == 3
        assert browser.serious_violations(page) == []
    browser.screenshot(page, "report-dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")  # as a browser does before it lays out for paper
    assert set(page.evaluate(LOOK)["pictures"]) == {LIGHT[0]}  # at once: there is no other frame
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert set(page.evaluate(LOOK)["pictures"]) == {DARK[0]}
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    content = (tmp_path / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 6
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # an A4 page between its margins
    page.wait_for_function(f"() => ({LOOK})().wide <= 718")
    assert page.evaluate(TORN) == []
    assert not page.locator("#filter").is_visible()
    assert not page.locator("#theme").is_visible()
    style = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"
    for selector, named, value in (
        *((selector, "breakInside", "avoid") for selector in ("#answer tbody tr", "figure", "svg.cone", "dl")),
        *((selector, "breakAfter", "avoid") for selector in ("h1", "h2", "h3")),
        ("#answer thead", "display", "table-header-group"),  # the header stands on every page of a long table
        (".legend .mark", "printColorAdjust", "exact"),  # or browsers leave out what a legend shows
    ):
        assert page.evaluate(style, [selector, named]) == value, selector
    scroll = "document.querySelector('#answer').parentNode"
    assert page.evaluate(f"{scroll}.scrollHeight <= {scroll}.clientHeight")
    plots = [page.locator(f"#{name}").bounding_box() for name in ("front", "detail", "history", "epsilon")]
    for above, below in pairwise(plots):
        assert above["y"] + above["height"] <= below["y"] + 1  # nothing lies on anything else
    browser.screenshot(page, "report-print")


@pytest.mark.parametrize(("k", "dim"), [(1, 2), (1000, 1), (1000, 3), (300, 5), (1000, 8)])
def test_any_number_of_designs_and_objectives_opens_and_answers(visit, folder, k, dim):
    values = np.random.default_rng(dim).normal(size=(k, dim))
    names = [f"{'a rather long name of a design, which nobody can shorten' if n % 3 else 'd'} {n}" for n in range(k)]
    meaning = as_objectives([f"objective {d}" for d in range(dim)], ["objective 0"])
    cone = cw.Cone.importance(0.05, dim=dim) if dim > 1 else cw.Cone.orthant(1)
    (folder / "many.html").write_text(html_page(of_values(names, values, meaning, cone, "many")), encoding="utf-8")
    assert (folder / "many.html").stat().st_size < 500_000
    page = visit("many.html")
    assert page.get_by_role("heading", level=1).inner_text().startswith("Take ")
    assert page.locator("#answer tbody tr").count() == k
    page.wait_for_function("() => document.getElementById('front').drawing.frames > 0")
    kind = page.evaluate("document.getElementById('front').drawing.constructor.name")
    assert kind == ("Parallel" if dim > 2 else "Scatter")
    page.get_by_label("Status").select_option("kept")
    kept = cw.pareto_mask(meaning.steps(values), cone).sum()
    assert len(column(page, 1)) == kept
    page.get_by_label("Status").select_option("")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#answer tr.unprinted").count() == max(0, k - 200)
    if dim == 5:  # 200 rows with long names, none of them a column of letters
        pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
        assert 5 <= pages <= 30


def test_a_shortlist_stands_side_by_side(visit, folder):
    options = ("--objectives", "a,b,c,d", "--minimise", "c", "--shortlist", "d3,d1", "--force")
    assert run("report", folder / "table.csv", *options, "-o", folder / "short.html").exit_code == 0
    page = visit("short.html")
    side = page.get_by_role("region", name="The shortlist side by side")
    assert side.locator("thead th").all_inner_texts() == ["d3", "d1"]
    assert side.locator(".best").count() == 4
    assert page.locator("#detail h2").inner_text() == "d3"
    assert len(page.evaluate("document.getElementById('front').drawing.look.shortlist")) == 2


def test_in_forced_colours_and_without_scripts_it_can_be_read(chromium, folder):
    for context in ({"forced_colors": "active"}, {"java_script_enabled": False}):
        made = chromium.new_context(**context)
        page = made.new_page()
        page.goto((folder / "study.html").as_uri())
        assert page.get_by_role("heading", level=1).inner_text().startswith("Take ")
        assert page.locator("#answer tbody tr").count() == 6
        if "forced_colors" in context:
            browser.report_ready(page)
        else:
            assert "switched off" in page.locator("noscript").first.inner_text()
        made.close()


def test_a_colour_on_its_way_to_another_one_is_waited_for(chromium):
    page, _ = browser.new_page(chromium)
    page.set_content("<html lang=en><title>t</title><main><h1>Fades</h1><p id=p style='color: #eee'>readable</p>")
    assert [name for name, _ in browser.serious_violations(page)] == ["color-contrast"]
    page.evaluate("p.style.transition = 'color .5s'; p.style.color = '#000'")
    browser.at_rest(page)
    assert page.evaluate("getComputedStyle(p).color") == "rgb(0, 0, 0)"
    page.close()
