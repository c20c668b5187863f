"""The explorer as its users see it: `conewise explore` in a process of its own, and a real browser on its page."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys

import numpy as np
import pytest
from shared.browser import SLOW, screenshot, serious_violations, until
from shared.explorer import (
    drawn,
    exploring,
    mentions,
    point_at,
    reads,
    tab_to,
    table_names,
    visiting,
)
from shared.studies import make, values_of

import conewise as cw

TABLET = {"width": 820, "height": 1180, "has_touch": True, "is_mobile": True}
HOSTILE = ["<script>alert(1)</script>", "=cmd()", "<b>bold</b>", "<img src=x onerror=alert(1)>", "%{x} &amp; 'quoted'"]


@pytest.fixture(scope="module")
def snw_table(tmp_path_factory):
    """The paper's data in a file."""
    snw = cw.problems.load("snw")
    path = tmp_path_factory.mktemp("explorer") / "snw.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "area", "throughput"])
        writer.writerows((n, -a, t) for n, (a, t) in zip(snw.names, snw.means.tolist(), strict=True))
    return path


def fits(page, selector, width):
    """Wait until an element is that wide."""
    until(page, f"Math.abs(document.querySelector('{selector}').getBoundingClientRect().width - {width}) <= 1")


def front(*arguments):
    done = subprocess.run([sys.executable, "-m", "conewise", *arguments, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [row["name"] for row in json.loads(done.stdout)["designs"]]


def test_the_angle_from_45_over_90_to_135_and_the_cone_on_the_command_line(chromium, snw_table):
    with (
        exploring(snw_table, "--minimise", "area", "--cone", "planar:45") as address,
        visiting(chromium, address) as page,
    ):
        reads(page, "#pareto", "53")
        reads(page, "#designs", "206")
        slider = page.locator("#degrees")
        slider.focus()
        for _ in range(45):
            page.keyboard.press("ArrowRight")
        assert slider.input_value() == "90"
        reads(page, "#pareto", "26")
        reads(page, "#beta", "1")
        reads(page, "#caption-first", "planar:90: 26 Pareto")
        screenshot(page, "explorer-90")
        box = slider.bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, middle)
        page.mouse.down()
        for share in (0.55, 0.6, 0.65, 0.7, 0.75):
            page.mouse.move(box["x"] + share * box["width"], middle)
        page.mouse.up()
        assert 120 <= int(slider.input_value()) <= 150  # the mouse is as exact as a pixel; the rest is for the keys
        while (value := int(slider.input_value())) != 135:
            page.keyboard.press("ArrowRight" if value < 135 else "ArrowLeft")
        reads(page, "#pareto", "10")
        reads(page, "#caption-first", "planar:135: 10 Pareto")
        cone, command = page.locator("#export").input_value(), page.locator("#command").input_value()
        assert cone == "planar:135"
        shown = table_names(page)
        assert shown == front("front", str(snw_table), "--minimise", "area", "--cone", cone)
        program, *words = shlex.split(command)
        assert program == "conewise"
        assert front(*words) == shown
        page.locator("#copy").click()
        mentions(page, "#copied", ".")


def test_who_leaves_next_and_selecting_a_design_in_the_table_and_in_the_picture(chromium, snw):
    with visiting(chromium, snw) as page:
        reads(page, "#pareto", "26")
        first = page.locator("#leaving li").first
        name, degrees = first.locator("button").inner_text(), float(first.locator(".angle").inner_text().strip("° "))
        assert 90 < degrees < 135
        assert name in table_names(page)
        page.locator("#degrees-exact").fill(f"{degrees + 0.02:.2f}")
        reads(page, "#pareto", "25")
        reads(page, "#listed", "1 to 25 of 25 Pareto designs.")  # the list follows a moment later
        assert name not in table_names(page)
        assert page.locator("#entering li button").first.inner_text() == name
        page.locator("#degrees-exact").fill("90")
        reads(page, "#pareto", "26")
        reads(page, "#listed", "1 to 26 of 26 Pareto designs.")
        name = table_names(page)[3]
        page.locator("#table button").nth(3).focus()
        page.keyboard.press("Enter")
        reads(page, ".chosen-name", name)
        assert "nothing beats it" in page.locator("#selected").inner_text()
        assert page.locator("tr.chosen button").inner_text() == name
        other = table_names(page)[10]
        point_at(page, other)
        page.mouse.down()
        page.mouse.up()
        reads(page, ".chosen-name", other)
        # A design that is beaten says by whom, and the answer follows the angle.
        page.locator("#degrees-exact").fill("170")
        mentions(page, "#selected", "beaten by")
        screenshot(page, "explorer-selected")


def test_two_cones_side_by_side(chromium, snw):
    with visiting(chromium, snw) as page:
        page.locator("#legend-second").wait_for(state="hidden")
        assert page.locator("#caption-first").bounding_box()["height"] <= 1  # one picture needs no caption
        page.locator("#keep").click()
        reads(page, "#second-pareto", "26")
        page.locator("#legend-second").wait_for()
        assert page.locator("#caption-first").bounding_box()["height"] > 10
        page.locator("#degrees-exact").fill("135")
        reads(page, "#pareto", "10")
        reads(page, "#both", "10 designs are Pareto under both.")
        reads(page, "#only-first-title", "Only under planar:135: 0")
        reads(page, "#only-second-title", "Only under planar:90: 16")
        assert page.locator("#only-second li").count() == 16
        reads(page, "#caption-first", "planar:135: 10 Pareto")
        reads(page, "#caption-second", "planar:90: 26 Pareto")
        first, second = (page.locator(f"#plot-{side}").bounding_box() for side in ("first", "second"))
        assert first["y"] == second["y"]
        assert first["x"] + first["width"] <= second["x"]
        for side in ("first", "second"):  # each picture takes its half, and no more
            fits(page, f"#plot-{side} canvas", first["width"])
        screenshot(page, "explorer-two")
        page.locator("#second").fill("planar:")
        mentions(page, "#second-refusal", "planar:135 (an angle")
        page.locator("#second").fill("planar:60")
        reads(page, "#second-label", "Compared: planar:60")
        page.locator("#drop").click()
        page.locator("#figure-second").wait_for(state="hidden")


def test_three_objectives_by_importance_ranking_and_matrix(chromium, tmp_path):
    from playwright.sync_api import expect

    rng = np.random.default_rng(3)
    values = rng.normal(size=(400, 3)).round(3)
    path = tmp_path / "three.csv"
    lines = [f"d{k},{a},{b},{c}" for k, (a, b, c) in enumerate(values.tolist())]
    path.write_text("\n".join(["name,mass,speed,price", *lines]), encoding="utf-8")
    means = values * [-1, 1, 1]

    def count(cone):
        return str(cw.pareto_mask(means, cw.Cone.parse(cone)).sum())

    with exploring(path, "--minimise", "mass") as address, visiting(chromium, address) as page:
        reads(page, "#pareto", count("orthant:3"))
        page.locator("#share-1").focus()
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        reads(page, "#pareto", count("[[80,20,0],[0,100,0],[0,20,80]]"))
        assert page.locator("#export").input_value() == "[[80,20,0],[0,100,0],[0,20,80]]"
        page.get_by_text("Ranking", exact=True).click()
        mentions(page, "#note-ranking", "is no ranking")  # another way to look at it: nothing has changed
        reads(page, "#pareto", count("[[80,20,0],[0,100,0],[0,20,80]]"))
        page.locator("#rank").click()
        reads(page, "#pareto", count("ranked:3"))
        page.locator("#rank").wait_for(state="hidden")
        page.get_by_role("button", name="Move price up").click()
        page.keyboard.press("Enter")  # the focus has moved with the objective
        reads(page, "#pareto", count("[[0,0,1],[1,0,1],[1,1,1]]"))
        screenshot(page, "explorer-three")
        page.get_by_text("Matrix W", exact=True).click()
        expect(page.locator("#text")).to_have_value("[[0,0,1],[1,0,1],[1,1,1]]", timeout=SLOW)
        page.locator("#text").fill("[[1,0,0],[0,1,0]]")
        mentions(page, "#refusal", "not pointed")
        reads(page, "#pareto", count("[[0,0,1],[1,0,1],[1,1,1]]"))  # the last answer stays
        page.locator("#text").fill("[[2,1,1],[1,2,1],[1,1,2]]")
        reads(page, "#pareto", count("[[2,1,1],[1,2,1],[1,1,2]]"))
        reads(page, "#refusal", "")
        page.locator("#axis-y").select_option("2")
        assert drawn(page, "titles")[1] == "price, larger is better →"
        assert front(*shlex.split(page.locator("#command").input_value())[1:]) == table_names(page)


def test_hostile_names_stay_text(chromium, tmp_path):
    path = tmp_path / "hostile.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [["name", "a<b>", "b"], *([name, k, len(HOSTILE) - k] for k, name in enumerate(HOSTILE))]
        )
    with exploring(path) as address, visiting(chromium, address) as page:
        reads(page, "#pareto", str(len(HOSTILE)))
        assert table_names(page) == HOSTILE
        page.locator("#table button").first.click()
        reads(page, ".chosen-name", HOSTILE[0])
        for name in HOSTILE:
            point_at(page, name)
        assert drawn(page, "titles")[0].startswith("a<b>, ")
        assert page.locator("main script, main img, main b").count() == 0
        screenshot(page, "explorer-hostile")


def test_a_study_that_advances_disappears_and_returns_while_the_page_is_open(chromium, tmp_path):
    path = tmp_path / "trial.db"
    study = make(path)
    with exploring(path) as address, visiting(chromium, address) as page:
        reads(page, "#pareto", "0")
        reads(page, "#pareto-label", "kept; 0 covered, 0 beaten, 6 undecided, as the study says without a guarantee.")
        assert "Live: 0 evaluations told" in page.locator("#standing").inner_text()
        told = 0
        for _ in range(2):
            batch = study.ask(30)
            study.tell(batch, values_of(batch))
            told += len(batch)
            mentions(page, "#standing", f"Live: {told} evaluations told")
            statuses = study.result().status.tolist()
            count = statuses.count("kept")
            mentions(page, "#pareto-label", f"{statuses.count('undecided')} undecided, as the study says")
            reads(page, "#pareto", str(count))
        assert page.locator("#sigma").is_disabled()
        screenshot(page, "explorer-study")
        study.close()
        path.rename(tmp_path / "elsewhere.db")
        reads(page, "#problem", "The study trial.db has disappeared; the page goes on when it is back.")
        assert page.locator("#problem").is_visible()
        screenshot(page, "explorer-gone")
        os.rename(tmp_path / "elsewhere.db", path)
        page.locator("#problem").wait_for(state="hidden")
        reads(page, "#pareto", str(count))


def test_a_study_in_a_database_that_advances_disappears_and_returns(chromium, database):
    """The database is reached through its own address; losing it is one sentence on the page, without the address."""
    where = database.fresh()
    schema = where.rpartition("search_path%3D")[2]
    study = make(where)
    with exploring(where) as address, visiting(chromium, address) as page:
        reads(page, "#pareto", "0")
        batch = study.ask(30)
        study.tell(batch, values_of(batch))
        mentions(page, "#standing", f"Live: {len(batch)} evaluations told")
        count = study.result().status.tolist().count("kept")
        undecided = study.result().status.tolist().count("undecided")
        mentions(page, "#pareto-label", f"{undecided} undecided, as the study says")
        reads(page, "#pareto", str(count))
        study.close()
        database.run(f"ALTER SCHEMA {schema} RENAME TO elsewhere")
        page.locator("#problem").wait_for()
        mentions(page, "#problem", "has no studies")  # at the second look, with a connection of its own
        reads(page, "#pareto", str(count))  # the last answer stays
        database.run(f"ALTER SCHEMA elsewhere RENAME TO {schema}")
        page.locator("#problem").wait_for(state="hidden")
        with cw.Study.open(where) as again:
            more = again.ask(30)
            again.tell(more, values_of(more))
            mentions(page, "#standing", f"Live: {len(batch) + len(more)} evaluations told")
            reads(page, "#pareto", str((again.result().status == "kept").sum()))


def test_links_that_skip_keep_the_preference_and_buttons_have_names_of_their_own(chromium, snw):
    """The address holds the preference, and a link to a part of the page must not write over it."""
    with visiting(chromium, snw) as page:
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#moved", "12 left: ")
        until(page, "location.hash.includes('120')")
        address = page.url
        page.evaluate("document.activeElement.blur()")
        for wanted in ("results", "controls"):
            link = page.locator(f".skip[href='#{wanted}']")
            link.focus()
            assert link.bounding_box()["x"] >= 0  # seen when it is reached
            page.keyboard.press("Enter")
            until(page, f"document.activeElement.id === '{wanted}'")
            page.keyboard.press("Tab")
            if wanted == "controls":
                assert page.evaluate("document.activeElement.id") == "degrees"
            else:
                assert page.evaluate("document.activeElement.closest('#plot-first') !== null")
        assert page.url == address
        reads(page, "#pareto", "14")
        names = page.locator("main button[id]").evaluate_all("all => all.map((b) => b.ariaLabel ?? b.textContent)")
        assert len(set(names)) == len(names) > 10
        assert page.get_by_role("columnheader", name="Design", exact=True).count() == 1  # no arrow is read out


def test_every_control_by_the_keyboard_alone(chromium, snw):
    from playwright.sync_api import expect

    with visiting(chromium, snw) as page:
        tab_to(page, "theme")
        tab_to(page, "rate-0")
        page.keyboard.type("4")  # what is there is chosen, and so replaced
        reads(page, "#pareto", str(cw.pareto_mask(cw.problems.load("snw").means, cw.Cone([[4, 1], [0, 1]])).sum()))
        tab_to(page, "rate-1")
        tab_to(page, "moved")
        page.keyboard.press("Tab")  # to the picture, through which the arrow keys lead
        page.keyboard.press("Home")
        name = page.locator("#plot-first .tip strong").inner_text()
        page.keyboard.press("ArrowRight")
        assert page.locator("#plot-first .tip strong").inner_text() != name
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        reads(page, ".chosen-name", name)
        tab_to(page, "keep")
        page.keyboard.press("Enter")
        mentions(page, "#second-label", "Compared: [[")
        for name in ("second", "drop"):
            tab_to(page, name)
        page.keyboard.press("Enter")
        page.locator("#card-second").wait_for(state="hidden")
        for name in ("save-png", "everyone", "filter", "export", "copy", "sigma", "epsilon", "delta", "degrees"):
            tab_to(page, name)
        for _ in range(45):
            page.keyboard.press("ArrowRight")
        reads(page, "#pareto", "10")
        tab_to(page, "degrees-exact")
        page.keyboard.press("ArrowUp")
        expect(page.locator("#export")).to_have_value("planar:135.1", timeout=SLOW)
        tab_to(page, "shortlist-toggle")


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, TABLET], ids=["wide", "tablet"])
def test_axe_and_width_in_both_themes(chromium, snw, size):
    from playwright.sync_api import expect

    touch = "has_touch" in size
    with visiting(chromium, snw, color_scheme="light", **size) as page:
        act = "tap" if touch else "click"
        getattr(page.locator("#keep"), act)()
        mentions(page, "#second-label", "Compared: planar:90")
        page.locator("#degrees-exact").fill("120")
        expect(page.locator("#export")).to_have_value("planar:120", timeout=SLOW)  # the list is drawn anew until then
        getattr(page.locator("#table button").first, act)()
        page.locator(".chosen-name").wait_for()
        page.locator("#everyone").select_option("all")
        mentions(page, "#listed", "1 to 100 of 206 designs")
        for mode in ("Importance",) if touch else ("Ranking", "Matrix W", "Importance"):
            page.get_by_text(mode, exact=True).click()
            assert serious_violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        # Turning from one way to say it to another changes nothing: all speak of one cone.
        expect(page.locator("#export")).to_have_value("planar:120", timeout=SLOW)
        if touch:  # as large as a finger
            for name in ("degrees", "keep", "theme", "later"):
                assert page.locator(f"#{name}").bounding_box()["height"] >= 40
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            expect(page.locator("html")).to_have_attribute("data-theme", theme, timeout=SLOW)
            page.evaluate("scrollTo(0, 0)")
            screenshot(page, f"explorer-{size['width']}-{theme}")
        page.locator("#second").fill("planar:")  # so that a refusal is there to be read
        mentions(page, "#second-refusal", "planar:135 (an angle")
        assert serious_violations(page) == []
