"""The cone in the picture and behind the slider: what is drawn agrees with the library, design by design."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shared.browser import SLOW, until
from shared.explorer import drawn, fixed, mentions, point_at, reads, save_page, serving, visiting

import conewise as cw

SNW = cw.problems.load("snw")
MEANS = SNW.means
VALUES = MEANS * [-1, 1]  # the area is to be small
[(FIRST, LAST), THUMB, TICKS, HEAD] = [(1, 179), 8, 4, 14]  # of the curve: degrees, and pixels
SHARP = 2  # pixels of the screen for one of the page
PIXELS = """(id) => {
  const canvas = document.getElementById(id), { width, height } = canvas;
  const pen = new OffscreenCanvas(width, height).getContext("2d");  // a copy: the page's own is not made to be read
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, width, height);
  return [width, height, [...data].filter((_, at) => at % 4 === 3)];
}"""
MIXED = """(spots) => {
  const { canvas, width, height } = document.getElementById("plot-first").drawing;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  return spots.map(([x, y]) => [0, 1, 2].map((part) => data[4 * (Math.round(y) * width + Math.round(x)) + part]));
}"""


def wedges(page):
    """The apex and the edges, in pixels, of what would beat the design there, and of what it beats."""
    drawn(page, "frames")
    picture = page.evaluate("document.getElementById('plot-first').drawing.vector()")
    found = re.findall(r'<path d="M([^"]*)Z" fill="[^"]*" fill-opacity="0\.1[36]"/>', picture)
    assert len(found) == 2
    parts = []
    for path in found:
        apex, *far = np.array([[float(number) for number in pair.split()] for pair in path.split("L")])
        parts.append((apex, far[0] - apex, far[-1] - apex))
    return parts


def inside(part, places):
    """Which places lie in a wedge, and which so near an edge of it that a pixel cannot tell."""
    apex, one, other = part
    ways = places - apex
    sides = np.array([_across(one / np.linalg.norm(one), ways), -_across(other / np.linalg.norm(other), ways)])
    sides *= np.sign(_across(one, other))
    return (sides > 0).all(axis=0), (np.abs(sides) < 0.5).any(axis=0)


def _across(one, other):
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]


def compared(page, design, cone):
    """Who lies in the wedges at a design is who beats it and whom it beats."""
    better, worse = wedges(page)
    k = SNW.names.index(design)
    places = np.column_stack(
        [
            drawn(page, "px && [...document.getElementById('plot-first').drawing.px]"),
            drawn(page, "py && [...document.getElementById('plot-first').drawing.py]"),
        ]
    )
    np.testing.assert_allclose(better[0], places[k], atol=0.01)
    others = (VALUES[k] != VALUES).any(axis=1)
    for part, truth in (
        (better, cw.dominates(MEANS, MEANS[k], cone)),
        (worse, np.array([cw.dominates(MEANS[k], other, cone) for other in MEANS])),
    ):
        there, unsure = inside(part, places)
        looked = others & ~unsure
        assert looked.sum() > 150
        np.testing.assert_array_equal(there[looked], truth[looked])
    return better, worse


def test_the_wedge_holds_exactly_those_who_would_beat_the_design_at_its_tip(chromium, snw):
    with visiting(chromium, snw) as page:
        page.locator("#table button", has_text=re.compile("^1/36/1$")).click()
        reads(page, ".chosen-name", "1/36/1")
        for degrees in (45, 90, 120, 150):
            page.locator("#degrees-exact").fill(str(degrees))
            mentions(page, "#caption-first", f"planar:{degrees}:")
            compared(page, "1/36/1", cw.Cone.planar(degrees))
        # It goes to whoever is pointed at, and is that of an uneven exchange as well.
        page.locator("#rate-0").fill("2.4")
        uneven = cw.Cone.from_rays([[np.cos(np.pi / 6), -np.sin(np.pi / 6)], [-1, 2.4]])
        reads(page, "#pareto", str(cw.pareto_mask(MEANS, uneven).sum()))
        point_at(page, "2/19/4")
        area, throughput = VALUES[SNW.names.index("2/19/4")]
        mentions(page, "#plot-first .tip", f"log2 area {area:.5g}log2 throughput {throughput:.5g}beaten")
        better, worse = compared(page, "2/19/4", uneven)
        # And it is on the canvas: two colours, neither of which is the paper's.
        spots = [[drawn(page, "box.x") - 30, 5]]
        for apex, one, other in (better, worse):
            middle = one / np.linalg.norm(one) + other / np.linalg.norm(other)
            spots += [(apex + reach * middle / np.linalg.norm(middle)).tolist() for reach in range(20, 80, 6)]
        paper, *colours = map(tuple, page.evaluate(MIXED, spots))
        seen = {max(part, key=part.count) for part in (colours[:10], colours[10:])}
        assert len({paper, *seen}) == 3


def heights(page, name="curve", ends=(FIRST, LAST)):
    """Of the bar at every whole position, in pixels; and the columns that have a tick."""
    first, last = ends
    width, height, alpha = page.evaluate(PIXELS, name)
    alpha = np.array(alpha).reshape(height, width)
    width, height = width / SHARP, height / SHARP
    top = height - TICKS - 2
    at = THUMB + (np.arange(first, last + 1) - first) / (last - first) * (width - 2 * THUMB)
    bars = (alpha[HEAD * SHARP : round(top * SHARP), (SHARP * at + 0.5).astype(int)] > 0).sum(axis=0) / SHARP
    return width, top - HEAD, bars, np.flatnonzero(alpha[-TICKS * SHARP :].min(axis=0) == 255) / SHARP


@pytest.mark.parametrize("level", [None, 5.5])
def test_the_curve_behind_the_slider_counts_and_has_a_tick_for_each_departure(chromium, snw, level):
    means = MEANS if level is None else MEANS[VALUES[:, 1] >= level]
    assert level is None or 0 < len(means) < len(MEANS)
    counts = np.array([cw.pareto_mask(means, cw.Cone.planar(degrees)).sum() for degrees in range(FIRST, LAST + 1)])
    with visiting(chromium, snw, device_scale_factor=SHARP) as page:
        until(page, "document.getElementById('curve').width > 300")
        if level is not None:
            before = page.evaluate(PIXELS, "curve")
            page.locator("#level-1").fill(str(level))
            reads(page, "#pareto", str(cw.pareto_mask(means, cw.Cone.planar(90)).sum()))
            for _ in range(400):  # it follows when the level rests
                if page.evaluate(PIXELS, "curve") != before:
                    break
                page.wait_for_timeout(25)
        width, room, bars, ticks = heights(page)
        np.testing.assert_allclose(bars, np.maximum(1, counts / counts.max() * room), atol=1.01)
        fine = np.arange(FIRST, LAST + 0.05, 0.1)
        many = np.array([cw.pareto_mask(means, cw.Cone.planar(degrees)).sum() for degrees in fine])
        leaving = (fine[:-1] + 0.05)[np.diff(many) < 0]
        assert len(leaving) > 10
        at = THUMB + (leaving - FIRST) / (LAST - FIRST) * (width - 2 * THUMB)
        away = np.abs(at[:, None] - ticks[None, :])
        near = 1.1  # a tick is a pixel wide and begins at a whole one
        assert away.min(axis=1).max() <= near  # every departure has a tick
        assert away.min(axis=0).max() <= near  # and every tick a departure
        assert "remain" in page.locator("#degrees").get_attribute("aria-valuetext")


def least(share, dim):
    return cw.Cone(share + (100 - dim * share) * np.eye(dim))


def test_with_three_objectives_the_curve_counts_by_the_least_share_of_the_weight(chromium, tmp_path):
    """On the live page and on the saved one, with a level too."""
    from playwright.sync_api import expect

    values = np.random.default_rng(8).normal(size=(300, 3))
    last = 33

    def agrees(page, means):
        counts = np.array([cw.pareto_mask(means, least(share, 3)).sum() for share in range(last + 1)])
        assert counts[0] > counts[-1] + 10
        for _ in range(400):  # it follows when the control rests
            if page.locator("#share-curve").is_visible():
                width, room, bars, ticks = heights(page, "share-curve", (0, last))
                if np.allclose(bars, np.maximum(1, counts / counts.max() * room), atol=1.01):
                    break
            page.wait_for_timeout(25)
        else:
            raise AssertionError(f"the bars {bars} do not count {counts}")
        fine = np.arange(0, last + 0.01, 0.02)
        many = np.array([cw.pareto_mask(means, least(share, 3)).sum() for share in fine])
        at = THUMB + (fine[:-1] + 0.01)[np.diff(many) < 0] / last * (width - 2 * THUMB)
        away = np.abs(at[:, None] - ticks[None, :])
        assert max(away.min(axis=1).max(), away.min(axis=0).max()) <= 1.1  # every departure has a tick, every tick one

    within = values[values[:, 2] >= 0.4]
    with serving(fixed(values)) as explorer, visiting(chromium, explorer.address, device_scale_factor=SHARP) as page:
        agrees(page, values)
        leaves = next(k for k in range(300) if 8 < left_at(values, k) < 30)
        page.locator("#filter").fill(f"d{leaves}")
        page.locator("#table button", has_text=re.compile(f"^d{leaves}$")).click()
        mentions(page, "#selected", f"each has {left_at(values, leaves):.2f} % of the weight")
        page.locator("#share-0").fill("5")  # which the one slider does not say
        mentions(page, "#share-words", "does not give all of them the same least share")
        expect(page.locator("#selected")).not_to_contain_text("Remains until", timeout=SLOW)
        page.locator("#share").fill("0")
        mentions(page, "#selected", "Remains until")
        page.locator("#level-2").fill("0.4")
        agrees(page, within)
        path = save_page(page, tmp_path)
    with visiting(chromium, path.as_uri(), device_scale_factor=SHARP) as page:
        agrees(page, within)
        page.locator("#level-2").fill("")
        agrees(page, values)


def left_at(means, k):
    """The least share, in %, at which a design leaves, by bisection; 0 where it is beaten from the beginning."""
    low, high = 0.0, 33.3
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if cw.pareto_mask(means, least(middle, 3))[k] else (low, middle)
    return low
