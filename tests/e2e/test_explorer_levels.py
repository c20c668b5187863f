"""Levels in the explorer's picture, the exchange at which a design returns, and pictures as files."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
from playwright.sync_api import expect
from shared.browser import SLOW, screenshot, serious_violations
from shared.explorer import designs_of, drawn, exploring, mentions, reads, table_names, visiting

import conewise as cw
from conewise.dashboard.returning import returning

SNW = cw.problems.load("snw")
VALUES = SNW.means * [-1, 1]  # area should be small
THREE = np.random.default_rng(3).normal(size=(300, 3)).round(3)
SVG = "{http://www.w3.org/2000/svg}"


def remaining(cone, most=np.inf, least=-np.inf):
    """Who remains of the sorting networks with at most so much area and at least so much throughput."""
    will_do = np.flatnonzero((VALUES[:, 0] <= most) & (VALUES[:, 1] >= least))
    return will_do[cw.pareto_mask(SNW.means[will_do], cone)]


def test_a_level_is_dragged_typed_gone_back_through_and_said_of_who_misses_it(chromium, snw):
    cone = cw.Cone.orthant(2)
    with visiting(chromium, snw) as page:
        tab = drawn(page, "bars[0].tab")
        box = page.locator("#plot-first canvas").bounding_box()
        page.mouse.move(box["x"] + tab[0], box["y"] + tab[1] + 4)
        page.mouse.down()
        page.mouse.move(box["x"] + tab[0] - 200, box["y"] + tab[1] + 4, steps=4)
        page.mouse.up()
        most = drawn(page, "look.levels")[0]
        found = remaining(cone, most)
        assert len(found) < 26
        reads(page, "#pareto", str(len(found)))
        reads(page, "#listed", f"1 to {len(found)} of {len(found)} Pareto designs.")
        assert table_names(page) == [SNW.names[k] for k in found]
        mentions(page, "#moved", f"{26 - len(found)} left: ")
        page.wait_for_url("**levels=*")
        page.locator("#level-1").fill("9.5")
        both = remaining(cone, most, 9.5)
        reads(page, "#pareto", str(len(both)))
        mentions(page, "#level-words", "and log2 throughput at least 9.5 will do.")
        page.wait_for_url("**9.5*")  # a step of its own for whoever goes back
        missing = int(np.argmax(VALUES[:, 0]))
        page.locator("#everyone").select_option("all")
        page.locator("#filter").fill(SNW.names[missing])
        page.get_by_role("button", name=SNW.names[missing], exact=True).click()
        by = VALUES[missing, 0] - most
        mentions(page, "#selected", f"misses a level: log2 area {VALUES[missing, 0]:.5g} is {by:.5g} above {most:.5g}")
        mentions(page, "#table", "misses a level")
        page.wait_for_url("**selected=*")
        assert serious_violations(page) == []
        page.evaluate("scrollTo(0, 0)")
        screenshot(page, "explorer-levels")
        page.go_back()
        page.go_back()
        reads(page, "#pareto", str(len(found)))
        page.go_back()
        reads(page, "#pareto", "26")
        assert page.locator("#level-0").input_value() == ""


def test_a_page_opens_with_the_levels_of_the_command_and_they_can_be_taken_away(chromium, tmp_path):
    table = tmp_path / "two.csv"
    rows = [f"{name},{area!r},{speed!r}" for name, (area, speed) in zip(SNW.names, VALUES.tolist(), strict=True)]
    table.write_text("\n".join(["name,area,speed", *rows]), encoding="utf-8")
    found = remaining(cw.Cone.orthant(2), least=9.5)
    options = ["--objectives", "area", "--minimise", "area", "--level", "speed>=9.5"]
    with exploring(table, *options) as address, visiting(chromium, address) as page:
        reads(page, "#pareto", str(len(found)))
        assert drawn(page, "look.levels") == [None, 9.5]
        page.locator("#level-1").fill("")
        reads(page, "#pareto", "26")


def test_levels_of_three_objectives_are_the_servers(chromium, tmp_path):
    table = tmp_path / "three.csv"
    rows = [f"d{k},{a},{b},{c}" for k, (a, b, c) in enumerate(THREE.tolist())]
    table.write_text("\n".join(["name,mass,speed,price", *rows]), encoding="utf-8")
    will_do = np.flatnonzero(THREE[:, 1] >= 0.25)
    found = will_do[cw.pareto_mask(THREE[will_do] * [-1, 1, 1], cw.Cone.orthant(3))]
    with exploring(table, "--minimise", "mass") as address, visiting(chromium, address) as page:
        page.locator("#level-1").fill("0.25")
        reads(page, "#pareto", str(len(found)))
        page.locator("#view").select_option("parallel")
        assert drawn(page, "look.levels") == [None, 0.25, None]
        command = shlex.split(page.locator("#command").input_value())
        done = subprocess.run([sys.executable, "-m", *command, "--json"], capture_output=True, text=True)
        assert [row["name"] for row in json.loads(done.stdout)["designs"]] == [f"d{k}" for k in found]
        # The tab at the foot of another axis is a level, too: dragged up, and down to the end again.
        x, y = drawn(page, "bars[2].tab")
        box = page.locator("#plot-first canvas").bounding_box()
        page.mouse.move(box["x"] + x - 4, box["y"] + y)
        page.mouse.down()
        page.mouse.move(box["x"] + x - 4, box["y"] + y - 60, steps=3)
        mentions(page, "#level-words", "price at least")
        page.mouse.move(box["x"] + x - 4, box["y"] + y + 5, steps=3)
        page.mouse.up()
        reads(page, "#level-words", "Only speed at least 0.25 will do.")
        reads(page, "#pareto", str(len(found)))
        with page.expect_download() as download:
            page.locator("#save-svg").click()
        lines = ElementTree.parse(download.value.path()).getroot()
        words = [text.text for text in lines.iter(f"{SVG}text")]
        assert {"mass", "speed", "price"} <= set(words)
        # An exchange that puts a design out says at which amount it returns.
        page.locator("#give").select_option("2")
        page.locator("#get").select_option("0")
        page.locator("#rate").fill("0.5")
        said = cw.Preferences(["mass", "speed", "price"], minimise=["mass"]).accepts(
            give={"price": 1}, get={"mass": 0.5}
        )
        left = will_do[said.remaining(THREE[will_do])]
        reads(page, "#pareto", str(len(left)))
        gone = int(np.setdiff1d(found, left)[0])
        page.locator("#everyone").select_option("all")
        page.locator("#filter").fill(f"d{gone}")
        page.get_by_role("button", name=f"d{gone}", exact=True).click()
        page.locator(".back button").click()
        mentions(page, "#selected", "nothing beats it")
        # With several exchanges the smallest change of all comes first; what it contradicts is taken back.
        page.locator("#rate").fill("0.5")
        page.locator("#give").select_option("1")
        page.locator("#get").select_option("2")
        page.locator("#rate").fill("0.75")
        both = said.accepts(give={"speed": 1}, get={"price": 0.75})
        left = will_do[both.remaining(THREE[will_do])]
        reads(page, "#pareto", str(len(left)))
        designs = designs_of(THREE, minimised=("mass",), objectives=("mass", "speed", "price")).within(((1, 0.25),))
        asked = {"text": "orthant:3", "said": [{"accept": [2, 1, 0, 0.5]}, {"accept": [1, 1, 2, 0.75]}]}
        changes = ((int(k), returning(designs, int(k), asked)[0]) for k in np.setdiff1d(found, left))
        gone, change = next((k, way) for k, way in changes if "factor" in way and len(way["kept"]) < 2)
        page.locator("#filter").fill(f"d{gone}")
        page.get_by_role("button", name=f"d{gone}", exact=True).click()
        way = page.locator(".back button").first
        mentions(page, ".back li:first-child", "the smallest change that does it")
        mentions(page, ".back li:first-child", "it takes back: ")
        times = float(re.search(r"up to ([\d.]+) times", way.inner_text())[1])
        assert change["factor"] <= times <= change["factor"] * 1.011
        way.click()
        mentions(page, "#selected", "nothing beats it")
        expect(page.locator("#said li")).to_have_count(len(change["kept"]), timeout=SLOW)


def test_who_is_out_says_at_which_exchange_it_returns_and_a_click_makes_it_so(chromium, snw):
    cone = cw.Cone.planar(150)
    front = cw.pareto_mask(SNW.means, cone)
    wide = cw.pareto_mask(SNW.means, cw.Cone.orthant(2))

    def ahead(k):
        """Of those that beat design k, who have more throughput for more area, and who have less area for less."""
        steps = (SNW.means - SNW.means[k])[cw.dominates(SNW.means, SNW.means[k], cone)]
        return steps[steps[:, 0] < 0], steps[steps[:, 1] < 0]

    out = np.flatnonzero(wide & ~front)
    index = next(int(k) for k in out if len(ahead(k)[0]) and not len(ahead(k)[1]))
    both = next(int(k) for k in out if len(ahead(k)[0]) and len(ahead(k)[1]))
    rate = (ahead(index)[0][:, 1] / -ahead(index)[0][:, 0]).max()
    with visiting(chromium, snw) as page:
        page.locator("#degrees-exact").fill("150.0")
        mentions(page, "#caption-first", "planar:150")
        page.locator("#everyone").select_option("all")
        page.locator("#filter").fill(SNW.names[index])
        page.get_by_role("button", name=SNW.names[index], exact=True).click()
        way = page.locator(".back button").filter(has_text="for 1 more log2 area")
        amount = float(way.inner_text().split()[1])
        assert rate < amount <= rate * 1.011
        way.click()
        mentions(page, "#selected", "nothing beats it")
        assert float(page.locator("#rate-0").input_value()) == amount
        page.locator("#degrees-exact").fill("150.0")
        mentions(page, "#caption-first", "planar:150")
        page.locator("#filter").fill(SNW.names[both])
        page.get_by_role("button", name=SNW.names[both], exact=True).click()
        mentions(page, ".back button", " for 1 more log2 area and at ")
        page.locator(".back button").click()
        mentions(page, "#selected", "nothing beats it")
        hopeless = int(np.flatnonzero(~wide)[0])
        page.locator("#filter").fill(SNW.names[hopeless])
        page.get_by_role("button", name=SNW.names[hopeless], exact=True).click()
        mentions(page, ".back", "at no price: another design is at least as good in every objective")


def test_pictures_are_files_of_vectors_too_and_the_shortlists_has_its_names(chromium, snw):
    with visiting(chromium, snw, color_scheme="dark") as page:
        name = table_names(page)[2]
        page.locator("#table button").nth(2).click()
        reads(page, ".chosen-name", name)
        page.locator("#shortlist-toggle").click()
        for button, file in (("save-svg", "designs.svg"), ("shortlist-svg", "shortlist.svg")):
            with page.expect_download() as download:
                page.locator(f"#{button}").click()
            assert download.value.suggested_filename == file
            root = ElementTree.parse(download.value.path()).getroot()
            assert root.tag == f"{SVG}svg"
            assert root.find(f"{SVG}rect").get("fill") == "#ffffff"  # dark on white, from a dark screen
            words = [text.text for text in root.iter(f"{SVG}text")]
            assert "← log2 area, smaller is better" in words
            assert name in words
            assert len([mark for mark in root.iter(f"{SVG}g") if "translate" in (mark.get("transform") or "")]) >= 26
        assert drawn(page, "paints.paper") == "#19222b"
        with page.expect_download() as download:
            page.locator("#shortlist-png").click()
        assert download.value.path().read_bytes().startswith(b"\x89PNG")
        assert "levels" not in unquote(page.url)
