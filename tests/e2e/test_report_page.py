"""`conewise report`, and its page in a real browser: it opens offline, complains of nothing, and answers clicks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from shared import browser, studies

from conewise.cli.main import commands, main

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
    assert numbers["designs"] == 6
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
    assert sum(entry["times"] for entry in numbers["next"]) == 10


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
    assert "<i>gain</i>, larger is better" in page.locator("#front").inner_text() + page.locator("#across").inner_text()
    assert "<i>gain</i>" in page.locator("#front .xtitle").text_content()  # Plotly shows the brackets as well
    browser.screenshot(page, "report-study")


def test_selecting_a_design_shows_its_rivals(visit):
    page = visit("study.html")
    page.locator("#answer").get_by_role("button", name="e", exact=True).press("Enter")
    assert page.locator("#detail h3").inner_text() == "e"
    facts = page.locator("#detail dl").inner_text()
    assert "evaluations" in facts
    assert "along w1" in facts
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
    page.locator("#up").select_option(label="score under weighting w1")
    assert page.locator("#front .xtitle").text_content() == "c, smaller is better"
    assert page.locator("#front .ytitle").text_content() == "score under weighting w1"
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
    page.get_by_label("Status").select_option("not Pareto")
    assert set(column(page, 2)) <= {"not Pareto"}
    assert f"{len(column(page, 1))} of 25 rows shown" in page.locator("#shown").inner_text()


def test_how_it_got_there_is_drawn_and_the_page_prints(visit, tmp_path):
    page = visit("study.html")
    assert page.locator("#history .scatterlayer .trace").count() == 3
    assert page.locator("#epsilon .scatterlayer .trace").count() == 2
    page.emulate_media(media="print")
    assert not page.locator("#filter").is_visible()
    assert page.evaluate(
        "document.querySelector('.scroll').scrollHeight <= document.querySelector('.scroll').clientHeight"
    )
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    browser.screenshot(page, "report-print")


def test_axe_finds_nothing_serious(visit):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(visit("study.html")).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
