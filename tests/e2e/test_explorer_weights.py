"""The triangle of weights: one more view of the one preference, for three objectives."""

from __future__ import annotations

import numpy as np
import pytest
from shared.browser import screenshot, serious_violations
from shared.explorer import exploring, mentions, reads, tab_to, visiting
from shared.triangle import drag

import conewise as cw

MEANS = np.random.default_rng(3).normal(size=(200, 3)).round(3)


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    table = tmp_path_factory.mktemp("weights") / "three.csv"
    rows = [f"d{k},{a},{b},{c}" for k, (a, b, c) in enumerate(MEANS.tolist())]
    table.write_text("\n".join(["name,mass,speed,price", *rows]), encoding="utf-8")
    with exploring(table) as address:
        yield address


def count(shares):
    return str(cw.pareto_mask(MEANS, cw.Cone(np.array(shares) + (100 - sum(shares)) * np.eye(3))).sum())


def test_the_triangle_of_weights_is_one_more_view_of_the_preference(chromium, three):
    with visiting(chromium, three) as page:
        page.get_by_text("Weights", exact=True).click()
        drag(page, [50, 0, 50], [40, 20, 40])  # the side on which speed weighs nothing
        reads(page, "#share-out-1", "20 %")
        reads(page, "#pareto", count([0, 20, 0]))
        drag(page, [20, 40, 40], [20, 30, 50])  # the whole part, away from speed and towards price
        reads(page, "#share-out-2", "10 %")
        reads(page, "#pareto", count([0, 10, 10]))
        reads(page, "#note-weights", "")
        page.locator("#pareto").click()
        tab_to(page, "triangle")
        for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown"):
            page.keyboard.press(key)
        reads(page, "#weights-said", "speed: at least 9 %.")
        reads(page, "#pareto", count([3, 9, 10]))
        assert serious_violations(page) == []
        screenshot(page, "explorer-weights")
        # What it cannot say it shows, and says so; dragging replaces it.
        page.get_by_text("Ranking", exact=True).click()
        page.locator("#rank").click()
        reads(page, "#pareto", str(cw.pareto_mask(MEANS, cw.Cone.ranked(3)).sum()))
        page.get_by_text("Weights", exact=True).click()
        mentions(page, "#note-weights", "another part of the triangle than least shares can say")
        page.get_by_text("Matrix W", exact=True).click()
        page.locator("#text").fill("[[3,-1,0],[0,3,-1],[-1,0,3]]")
        reads(page, "#pareto", str(cw.pareto_mask(MEANS, cw.Cone([[3, -1, 0], [0, 3, -1], [-1, 0, 3]])).sum()))
        page.get_by_text("Weights", exact=True).click()
        mentions(page, "#note-weights", "which no weights of this triangle say")
        drag(page, [50, 0, 50], [45, 10, 45])
        reads(page, "#pareto", count([0, 10, 0]))
