"""Pages that were saved: no server, and their controls still work."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from shared.browser import new_page, screenshot, serious_violations
from shared.explorer import designs_of, drawn, exploring, long_names, mentions, reads, save_page, visiting
from shared.triangle import drag

import conewise as cw
from conewise.dashboard.returning import smallest_change
from conewise.dashboard.saved import page as saved_page

TICKS = """[...document.getElementById("plot-first").drawing.vector()
  .matchAll(/text-anchor="middle"[^>]*>(-?[\\d.]+)</g)].map((found) => found[1])"""
THREE = ("mass", "speed", "price")


def test_a_saved_page_works_without_a_server(chromium, tmp_path):
    names = ["</script><script>alert(1)</script>", "<!-- x", *[f"d{k}" for k in range(998)]]
    values = np.random.default_rng(2).normal(size=(1000, 2)) @ np.array([[1, -0.7], [0, 0.7]])
    table = tmp_path / "many.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["name", "cost", "speed"], *([n, *v] for n, v in zip(names, values, strict=True))])
    means = values * [-1, 1]
    with exploring(table, "--minimise", "cost") as address, visiting(chromium, address) as page:
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#caption-first", "planar:120")
        path = save_page(page, tmp_path)
    assert path.stat().st_size < 200_000
    with visiting(chromium, path.as_uri()) as page:  # the server has ended
        today = datetime.now(UTC).date()
        days = [today.isoformat(), (today - timedelta(days=1)).isoformat()]  # it may be midnight
        said = page.locator("#standing").inner_text()
        assert said in [f"Saved from conewise explore on {day} under the cone planar:120." for day in days]
        reads(page, "#pareto", str(cw.pareto_mask(means, cw.Cone.planar(120)).sum()))
        slider = page.locator("#degrees")
        slider.focus()
        for _ in range(10):
            page.keyboard.press("ArrowLeft")
        reads(page, "#pareto", str(cw.pareto_mask(means, cw.Cone.planar(110)).sum()))
        page.locator("#rate-0").fill("3")
        page.locator("#rate-1").fill("∞")
        cone = cw.Cone.from_rays([[1, 0], [-1, 3]])
        front = np.flatnonzero(cw.pareto_mask(means, cone))
        reads(page, "#pareto", str(len(front)))
        reads(page, "#names li:first-child", names[front[0]])
        page.locator("#degrees-exact").fill("90")
        front = cw.pareto_mask(means, cw.Cone.planar(90))
        reads(page, "#pareto", str(front.sum()))
        name = names[np.flatnonzero(front & ~cw.pareto_mask(means, cw.Cone.planar(179)))[0]]
        page.locator("#names button", has_text=re.compile(f"^{re.escape(name)}$")).click()
        mentions(page, "#selected", "nothing beats it")
        # Who is out says at which exchange it returns, and a click makes it so, here as well.
        page.locator("#degrees-exact").fill("179")
        reads(page, "#pareto", str(cw.pareto_mask(means, cw.Cone.planar(179)).sum()))
        page.locator(".back button").click()
        mentions(page, "#selected", "nothing beats it")
        reads(page, ".chosen-name", name)
        assert drawn(page, "points.names.length") == 1000
        # A level puts out whoever misses it and nobody else, by a number or by its tab in the picture.
        page.locator("#degrees-exact").fill("90")
        page.locator("#level-0").fill("-0.5")
        within = values[:, 0] <= -0.5
        reads(page, "#pareto", str(cw.pareto_mask(means[within], cw.Cone.orthant(2)).sum()))
        reads(page, "#level-words", "Only cost at most -0.5 will do.")
        page.locator("#level-0").fill("")
        reads(page, "#pareto", str(front.sum()))
        tab = drawn(page, "bars[1].tab")
        box = page.locator("#plot-first canvas").bounding_box()
        page.mouse.move(box["x"] + tab[0] - 4, box["y"] + tab[1])
        page.mouse.down()
        page.mouse.move(box["x"] + tab[0] - 4, box["y"] + tab[1] - 250, steps=4)
        page.mouse.up()
        least = drawn(page, "look.levels")[1]
        reads(page, "#pareto", str(cw.pareto_mask(means[values[:, 1] >= least], cw.Cone.orthant(2)).sum()))
        page.locator("#as-saved").click()
        reads(page, "#pareto", str(cw.pareto_mask(means, cw.Cone.planar(120)).sum()))
        assert page.locator("#level-1").input_value() == ""
        assert serious_violations(page) == []
        screenshot(page, "explorer-saved")


def written(designs, cone, path, shortlist=()):
    """The file as the desk would write it."""
    path.write_text(saved_page("designs", designs, cone, list(shortlist)), encoding="utf-8")
    return path.as_uri()


def remaining(designs, cone, within=True):
    """How many remain of those within levels."""
    return str(
        cw.pareto_mask(designs.meaning.steps(designs.values)[within & np.ones(len(designs.values), bool)], cone).sum()
    )


def least(*shares):
    return cw.Cone(np.array(shares) + (100 - sum(shares)) * np.eye(len(shares)))


def test_a_saved_page_of_three_objectives_has_the_triangle_levels_and_ways_back(chromium, tmp_path):
    values = np.random.default_rng(3).integers(-30, 30, size=(400, 3))  # with ties
    designs = designs_of(values, minimised=("mass",), objectives=THREE)
    address = written(designs, cw.Cone([[80, 20, 0], [0, 100, 0], [0, 20, 80]]), tmp_path / "three.html", [7])
    with visiting(chromium, address) as page:
        reads(page, "#pareto", remaining(designs, least(0, 20, 0)))
        reads(page, "#sentence", "Of the weight at least 20 % is speed.")
        page.locator("#share").fill("12")
        reads(page, "#pareto", remaining(designs, least(12, 12, 12)))
        page.locator("#share").fill("33")
        reads(page, "#pareto", remaining(designs, least(33, 33, 33)))
        page.locator("#as-saved").click()
        reads(page, "#pareto", remaining(designs, least(0, 20, 0)))
        drag(page, [40, 20, 40], [30, 40, 30])  # the side on which speed weighs 20 %
        reads(page, "#sentence", "Of the weight at least 40 % is speed.")
        reads(page, "#pareto", remaining(designs, least(0, 40, 0)))
        drag(page, [20, 60, 20], [20, 50, 30])  # the whole part, away from speed and towards price
        reads(page, "#sentence", "Of the weight at least 30 % is speed, 10 % is price.")
        page.locator("#triangle").focus()
        for _ in range(10):
            page.keyboard.press("ArrowUp")
        cone = least(10, 30, 10)
        reads(page, "#pareto", remaining(designs, cone))
        page.locator("#level-0").fill("5")
        within = values[:, 0] <= 5
        reads(page, "#pareto", remaining(designs, cone, within))
        page.locator("#level-0").fill("")
        reads(page, "#pareto", remaining(designs, cone))
        # Who is out says by whom, and the smallest change that brings it back, which a click makes.
        means = designs.means
        out = np.flatnonzero(cw.pareto_mask(means, cw.Cone.orthant(3)) & ~cw.pareto_mask(means, cone))
        at_first = np.flatnonzero(cw.pareto_mask(means, cw.Cone.orthant(3)))
        page.locator("#share").fill("0")
        reads(page, "#pareto", str(len(at_first)))
        page.get_by_role("button", name=f"d{out[0]}", exact=True).click()
        page.locator("#share").fill("20")
        cone = least(20, 20, 20)
        reads(page, "#pareto", remaining(designs, cone))
        factor = smallest_change(means, int(out[0]), cone).factor
        way = page.locator(".back button")
        said = float(re.search(r"up to ([\d.]+) times", way.inner_text())[1])
        assert factor <= said <= factor * 1.011
        page.locator("#selected .rivals button").first.wait_for()
        assert serious_violations(page) == []
        screenshot(page, "explorer-saved-three")
        way.click()
        mentions(page, "#selected", "nothing beats it")
        mentions(page, "#note-weights", "another part of the triangle")


@pytest.mark.parametrize("dim", [5, 8])
def test_a_saved_page_stays_small_with_long_names_and_loses_nothing(chromium, tmp_path, dim):
    """Sixty characters a name, all digits of every number: what the page shows is what was saved, to the last bit."""
    rng = np.random.default_rng(dim)
    values, names = rng.normal(size=(1000, dim)) * 10.0 ** np.arange(dim), long_names(rng, 1000)
    designs = designs_of(values, names, minimised=("f0",))
    path = tmp_path / "long.html"
    address = written(designs, cw.Cone.ranked(dim), path, [3])
    assert path.stat().st_size < 200_000
    with visiting(chromium, address) as page:
        front = np.flatnonzero(cw.pareto_mask(designs.means, cw.Cone.ranked(dim)))
        reads(page, "#pareto", str(len(front)))
        assert drawn(page, "look.front.index") == front.tolist()
        assert drawn(page, "data.points.names") == names
        assert drawn(page, "data.points.values") == values.T.tolist()
        page.locator("#share-1").fill("10")
        page.locator("#share-2").fill("5")
        reads(page, "#pareto", remaining(designs, least(0, 10, 5, *[0] * (dim - 3))))
        page.locator("#names button").first.click()
        mentions(page, "#selected", "nothing beats it")


def test_a_saved_page_says_what_an_old_browser_lacks(chromium, tmp_path):
    address = written(designs_of([[1, 2], [2, 1]]), cw.Cone.orthant(2), tmp_path / "two.html")
    page, complaints = new_page(chromium)
    page.add_init_script("delete window.DecompressionStream")
    page.goto(address)
    reads(page, "#refusal", "This page needs a browser of 2023 or later: Chrome 80, Firefox 113, Safari 16.4.")
    assert complaints == []
    page.close()


def test_a_saved_page_of_eight_objectives_has_a_share_of_each(chromium, tmp_path):
    values = np.random.default_rng(8).normal(size=(1000, 8))
    designs = designs_of(values, minimised=("f0", "f5")).within(((1, -1.5),))
    path = tmp_path / "eight.html"
    address = written(designs, cw.Cone.ranked(8), path)
    assert path.stat().st_size < 200_000
    with visiting(chromium, address) as page:
        within = values[:, 1] >= -1.5
        reads(page, "#pareto", remaining(designs, cw.Cone.ranked(8), within))
        reads(page, "#designs", "1,000")
        mentions(page, "#note-each", "cannot be said by least shares alone")
        page.locator("#share-3").fill("15")
        page.locator("#share-5").fill("5")
        cone = least(0, 0, 0, 15, 0, 5, 0, 0)
        reads(page, "#pareto", remaining(designs, cone, within))
        reads(page, "#sentence", "Of the weight at least 15 % is f3, 5 % is f5.")
        page.locator("#level-1").fill("")
        reads(page, "#pareto", remaining(designs, cone))
        page.locator("#level-5").fill("0.25")
        reads(page, "#pareto", remaining(designs, cone, values[:, 5] <= 0.25))
        page.locator("#as-saved").click()
        reads(page, "#pareto", remaining(designs, cw.Cone.ranked(8), within))
        assert serious_violations(page) == []


@pytest.mark.parametrize(("dim", "control"), [(2, "#degrees"), (3, "#share"), (8, "#share")])
def test_on_a_phone_a_saved_page_has_its_control_at_the_foot(chromium, tmp_path, dim, control):
    designs = designs_of(np.random.default_rng(dim).normal(size=(206, dim)), minimised=("f0",))
    address = written(designs, cw.Cone.orthant(dim), tmp_path / "phone.html")
    with visiting(chromium, address, width=390, height=844, has_touch=True, is_mobile=True) as page:
        drawn(page, "frames")
        for at in (0, 300, 10**6):  # wherever one has scrolled to
            page.evaluate(f"scrollTo(0, {at})")
            box = page.locator(control).bounding_box()
            assert 844 - 120 < box["y"] < box["y"] + box["height"] <= 844
        page.evaluate("scrollTo(0, 0)")
        assert page.locator("#plot-first").bounding_box()["y"] + 200 < box["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        if dim == 2:
            assert len(page.evaluate(TICKS)) >= 2  # a number alone at an axis gives no scale
        assert serious_violations(page) == []


def test_a_saved_page_of_one_objective_has_levels_too(chromium, tmp_path):
    values = np.array([[3.0], [1.0], [2.0], [2.0], [1.0]])
    with visiting(
        chromium, written(designs_of(values, minimised=("f0",)), cw.Cone.orthant(1), tmp_path / "one.html")
    ) as page:
        reads(page, "#pareto", "2")
        reads(page, "#sentence", "Smaller f0 is better.")
        page.locator("#level-0").fill("0.5")
        reads(page, "#pareto", "0")
        page.locator("#level-0").fill("")
        reads(page, "#pareto", "2")
        assert serious_violations(page) == []
