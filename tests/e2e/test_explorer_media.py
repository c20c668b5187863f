"""What readers ask of their system counts on the page: forced colours, less motion, a dark or a light screen."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shared.browser import screenshot, serious_violations
from shared.explorer import designs_of, drawn, mentions, reads, serving, tab_to, visiting

import conewise as cw
from conewise.dashboard.sources import Fixed

MOVING = """[...document.querySelectorAll("*")].map((part) => getComputedStyle(part)).filter((style) =>
  style.transitionDuration.split(", ").some((time) => parseFloat(time) > 0) || style.animationName !== "none"
  || style.scrollBehavior !== "auto").length"""
COLOURS = """(selector) => {
  const canvas = document.querySelector(selector), { width, height } = canvas;
  const pen = new OffscreenCanvas(width, height).getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const counts = new Map(), { data } = pen.getImageData(0, 0, width, height);
  for (let at = 0; at < data.length; at += 4) {
    const colour = [...data.slice(at, at + 4)].join();
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}"""


def test_less_motion_is_none(chromium, snw):
    with visiting(chromium, snw, reduced_motion="reduce") as page:
        assert page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#caption-first", "planar:120")
        page.locator("#table button").first.click()
        page.locator(".chosen-name").wait_for()
        assert page.evaluate(MOVING) == 0
        assert page.evaluate("document.getAnimations().length") == 0
        page.emulate_media(reduced_motion="no-preference")
        assert page.evaluate(MOVING) > 0  # so that the count above says something


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_reach_every_picture(chromium, snw, scheme):
    with visiting(chromium, snw, forced_colors="active", color_scheme=scheme) as page:
        assert drawn(page, "paints.paper") == "Canvas"
        assert drawn(page, "paints.blue") == "Highlight"
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#caption-first", "planar:120")
        drawn(page, "frames")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        red, green, blue = map(int, re.findall(r"\d+", paper)[:3])
        picture, curve = (page.evaluate(COLOURS, selector) for selector in ("#plot-first canvas", "#curve"))
        assert max(picture, key=picture.get) == f"{red},{green},{blue},255"
        # Both halves of the wedge are seen, each large and of one colour; so are the curve's bars and ticks.
        large = [colour for colour, count in picture.items() if count > 5000]
        assert len(large) >= 3
        assert len([colour for colour, count in curve.items() if count > 200 and not colour.endswith(",0")]) >= 2
        page.locator(".wedges").first.wait_for()
        # What is written can be read, and where the focus is can be seen.
        tab_to(page, "rate-0")
        tab_to(page, "keep")
        assert serious_violations(page) == []
        screenshot(page, f"explorer-forced-{scheme}")
        with page.expect_download() as download:
            page.locator("#save-svg").click()
        assert "color(" not in download.value.path().read_text(encoding="utf-8")


def test_forced_colours_reach_the_axes_side_by_side_and_the_triangle(chromium):
    values = np.random.default_rng(5).normal(size=(206, 3))
    with (
        serving(Fixed("t", designs_of(values), cw.Cone.orthant(3), None)) as explorer,
        visiting(chromium, explorer.address, forced_colors="active", color_scheme="dark") as page,
    ):
        page.locator("#view").select_option("parallel")
        front = cw.pareto_mask(values, cw.Cone.orthant(3)).sum()
        reads(page, "#pareto", str(front))
        drawn(page, "frames")
        page.get_by_text("Weights", exact=True).click()
        grounds = page.locator(".modes label:not([hidden]) span").evaluate_all(
            "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
        )
        assert [grounds.count(ground) for ground in grounds] == [3, 1, 3, 3]  # which one is chosen is seen
        page.locator("#table button").first.click()
        page.locator(".chosen-name").wait_for()
        chosen, other = (
            page.locator(row).first.evaluate("(cell) => getComputedStyle(cell).backgroundColor")
            for row in ("#table tr.chosen td", "#table tr:not(.chosen) td")
        )
        assert chosen != other
        for selector in ("#plot-first canvas", "#triangle"):
            page.locator(selector).scroll_into_view_if_needed()
            colours = page.evaluate(COLOURS, selector)
            assert len([colour for colour, count in colours.items() if count > 100]) >= 3
        page.locator("#plot-first canvas").focus()
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("PageUp")
        page.locator("#unbrush").wait_for()
        assert serious_violations(page) == []
        screenshot(page, "explorer-forced-three")
