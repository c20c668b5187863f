"""List, plane and parallel axes look at the same designs: a filter or a brush in one fades the rest in the others."""

from __future__ import annotations

import numpy as np
import pytest
from shared.browser import screenshot, serious_violations, until
from shared.explorer import drawn, exploring, listed, mentions, point_at, reads, visiting

import conewise as cw

MEANS = np.random.default_rng(3).normal(size=(120, 3)).round(3)
NAMES = [f"d{k}" for k in range(len(MEANS))]
FRONT = np.flatnonzero(cw.pareto_mask(MEANS, cw.Cone.orthant(3)))

AT_ONCE = """(() => {
  const { drawing } = document.getElementById("plot-first"), filter = document.getElementById("filter");
  const before = drawing.look.matches("no such name");
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
  drawing.events.brush(new Map([[0, [-9, 9]]]));
  const after = drawing.look.matches("no such name");
  drawing.events.brush(new Map());
  return [before, after];
})()"""


def faded(page, part=""):
    drawn(page, "frames")
    return page.evaluate(f"[...document.getElementById('plot-first').drawing.look{part}.faded]")


def test_what_is_filtered_or_brushed_in_one_view_is_faded_in_the_others(chromium, tmp_path):
    table = tmp_path / "three.csv"
    rows = [f"{name},{a},{b},{c}" for name, (a, b, c) in zip(NAMES, MEANS.tolist(), strict=True)]
    table.write_text("\n".join(["name,mass,speed,price", *rows]), encoding="utf-8")
    with exploring(table) as address, visiting(chromium, address) as page:
        assert drawn(page, "look.faded") is None
        page.locator("#legend-faded").wait_for(state="hidden")
        page.locator("#filter").fill("D1")
        page.locator("#legend-faded").wait_for()
        assert faded(page) == [int("d1" not in name) for name in NAMES]
        assert faded(page, ".front") == [int("d1" not in NAMES[k]) for k in FRONT]
        # Side by side the same names stand out; an axis is brushed, and the plane and the list follow.
        page.locator("#view").select_option("parallel")
        axes, top, bottom = drawn(page, "axes"), drawn(page, "top"), drawn(page, "bottom")
        assert page.evaluate("document.getElementById('plot-first').drawing.look.matches('xd17')")
        # A text that was taken away is gone at once, also for a brush that does not wait for the list.
        assert page.evaluate(AT_ONCE) == [False, True]
        box = page.locator("#plot-first canvas").bounding_box()
        page.mouse.move(box["x"] + axes[1], box["y"] + top + 1)
        page.mouse.down()
        page.mouse.move(box["x"] + axes[1], box["y"] + (top + bottom) / 2, steps=3)
        page.mouse.up()
        page.locator("#unbrush").wait_for()
        low, high = page.evaluate("document.getElementById('plot-first').drawing.brushes.get(1)")
        screenshot(page, "explorer-brushed-lines")
        page.locator("#view").select_option("plane")
        inside = (MEANS[:, 1] >= low) & (MEANS[:, 1] <= high)
        assert faded(page) == (~inside).astype(int).tolist()
        there = int(inside[FRONT].sum())
        mentions(page, "#listed", f"1 to {there} of {there} that match")
        assert serious_violations(page) == []
        screenshot(page, "explorer-brushed")
        page.locator("#view").select_option("parallel")
        assert (
            page.evaluate("document.getElementById('plot-first').drawing.brushes.size") == 1
        )  # it has outlived the turn
        page.locator("#view").select_option("plane")
        page.locator("#unbrush").click()
        reads(page, "#listed", f"1 to {len(FRONT)} of {len(FRONT)} Pareto designs.")
        until(page, "document.getElementById('plot-first').drawing.look.faded === null")
        # Whoever is pointed at in the list is pointed at in the picture, and the other way round; the keys as well.
        name = NAMES[FRONT[2]]
        page.get_by_role("button", name=name, exact=True).hover()
        reads(page, "#plot-first .tip strong", name)
        point_at(page, NAMES[FRONT[0]])
        reads(page, "#table tr.pointed td:first-child", NAMES[FRONT[0]])
        page.locator("#view").select_option("parallel")
        drawn(page, "frames")
        page.get_by_role("button", name=name, exact=True).focus()
        reads(page, "#plot-first .tip strong", name)
        page.keyboard.press("ArrowDown")
        reads(page, "#plot-first .tip strong", NAMES[FRONT[3]])


def test_an_axis_is_brushed_by_the_keyboard_and_its_ends_have_names(chromium, tmp_path):
    table = tmp_path / "three.csv"
    rows = [f"{name},{a},{b},{c}" for name, (a, b, c) in zip(NAMES, MEANS.tolist(), strict=True)]
    table.write_text("\n".join(["name,mass,speed,price", *rows]), encoding="utf-8")
    means = MEANS * [-1, 1, 1]
    front = np.flatnonzero(cw.pareto_mask(means, cw.Cone.orthant(3)))
    low, high = MEANS.min(axis=0), MEANS.max(axis=0)

    def end(name):
        return page.get_by_role("slider", name=name, exact=True)

    def listed_now(inside):
        there = [NAMES[k] for k in front if inside[k]]
        assert 0 < len(there) < len(front)
        listed(page, there)
        return there

    with exploring(table, "--minimise", "mass") as address, visiting(chromium, address) as page:
        page.locator("#view").select_option("parallel")
        drawn(page, "frames")
        page.locator("#plot-first canvas").focus()
        page.keyboard.press("Tab")  # one stop for all ends
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "mass, lower end of the brush"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert end("mass, lower end of the brush").get_attribute("aria-valuetext") == f"at most {high[0]:.5g}"
        # Up is better on every axis: small masses are at the top, and the lower end is the largest one looked at.
        for _ in range(6):
            page.keyboard.press("PageUp")
        most = high[0] - 0.6 * (high[0] - low[0])
        listed_now(MEANS[:, 0] <= most)
        assert end("mass, lower end of the brush").get_attribute("aria-valuetext") == f"at most {most:.5g}"
        page.locator("#unbrush").wait_for()
        # To the upper end of the second axis, and down.
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "PageDown"):
            page.keyboard.press(key)
        fastest = low[1] + 0.86 * (high[1] - low[1])
        there = listed_now((MEANS[:, 0] <= most) & (MEANS[:, 1] <= fastest))
        mentions(page, "#listed", f"1 to {len(there)} of {len(there)} that match")
        assert float(end("speed, upper end of the brush").get_attribute("aria-valuenow")) == pytest.approx(fastest)
        assert serious_violations(page) == []
        screenshot(page, "explorer-brushed-by-keys")
        # One end does not pass the other; Delete clears an axis, and the focus stays.
        page.keyboard.press("Home")
        assert drawn(page, "brushes.get(1)") == [low[1], low[1]]
        page.keyboard.press("Delete")
        listed_now(MEANS[:, 0] <= most)
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "speed, upper end of the brush"
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Home")
        reads(page, "#listed", f"1 to {len(front)} of {len(front)} Pareto designs.")
        page.locator("#unbrush").wait_for(state="hidden")
        page.keyboard.press("Tab")
        assert page.locator(".grip:focus").count() == 0
