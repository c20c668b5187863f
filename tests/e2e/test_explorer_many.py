"""The explorer with many objectives and designs: all axes at once, the list, the theme, estimates of large fronts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shared.browser import SLOW, screenshot, serious_violations
from shared.explorer import (
    drawn,
    exploring,
    listed,
    mentions,
    reads,
    serving,
    tab_to,
    table_names,
    visiting,
)

import conewise as cw
from conewise.dashboard.sources import Designs, Fixed

OBJECTIVES = ["mass (kg)", "speed (m/s)", "price (EUR)", "noise (dB)", "range (km)"]
LEVEL = "([place, value]) => document.getElementById('plot-first').drawing.level(place, value)"
MINIMISED = ["mass (kg)", "price (EUR)", "noise (dB)"]


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """Three thousand designs with five objectives: names, values as written, and a page about them."""
    values = np.random.default_rng(5).normal(size=(3000, 5)).round(3)
    names = [f"variant {k}" for k in range(len(values))]
    path = tmp_path_factory.mktemp("explorer") / "five.csv"
    rows = (",".join([name, *map(str, row)]) for name, row in zip(names, values.tolist(), strict=True))
    path.write_text("\n".join([",".join(["name", *OBJECTIVES]), *rows]), encoding="utf-8")
    with exploring(path, "--minimise", ",".join(MINIMISED)) as address:
        yield np.array(names), values, address


def front_of(values, cone):
    signs = np.array([-1 if name in MINIMISED else 1 for name in OBJECTIVES])
    return np.flatnonzero(cw.pareto_mask(values * signs, cone))


def test_five_objectives_side_by_side(chromium, five):
    _names, values, address = five
    front = front_of(values, cw.Cone.orthant(5))
    with visiting(chromium, address) as page:
        reads(page, "#pareto", str(len(front)))
        assert page.locator("#view").input_value() == "parallel"
        assert drawn(page, "counts") == {"quiet": 300, "front": min(400, len(front))}
        mentions(page, "#drawn", "300 of 3,000 designs are drawn in grey, an even sample")
        labels = drawn(page, "labels")
        assert labels == [f"{name}, {'small' if name in MINIMISED else 'large'} is up" for name in OBJECTIVES]
        # Better is up on every axis: the best mass is the least, and stands at the top of the first one.
        ends = drawn(page, "ends")
        assert ends[1] == values[:, 0].min()
        assert ends[3] == values[:, 1].max()
        # Names instead of numbers, in every way to say a preference.
        for name in OBJECTIVES:
            mentions(page, "#words", name)
            mentions(page, "#shares", name)
            mentions(page, "#ranking", name)
        assert "objective 1" not in page.locator("body").inner_text().lower()
        page.locator("#table button").first.click()
        reads(page, ".chosen-name", table_names(page)[0])
        assert drawn(page, "look.selected.name") == table_names(page)[0]
        page.locator("#keep").click()
        reads(page, "#caption-second", f"orthant:5: {len(front)} Pareto")
        assert serious_violations(page) == []
        screenshot(page, "explorer-five")
        page.locator("#drop").click()
        page.locator("#view").select_option("plane")
        assert drawn(page, "titles")[0] == "← mass (kg), smaller is better"
        page.locator("#axis-x").select_option("4")
        assert drawn(page, "titles")[0] == "range (km), larger is better →"
        page.get_by_text("Matrix W", exact=True).click()
        mentions(page, "#columns", "; ".join(OBJECTIVES))


def test_the_list_is_sorted_and_filtered_by_the_keyboard(chromium, five):
    names, values, address = five
    front = front_of(values, cw.Cone.orthant(5))
    with visiting(chromium, address) as page:
        listed(page, names[front[:100]])
        reads(page, "#listed", f"1 to 100 of {len(front)} Pareto designs.")
        page.locator("#table-head button").nth(2).focus()
        page.keyboard.press("Enter")
        upwards = front[np.argsort(values[front, 1], kind="stable")]
        listed(page, names[upwards[:100]])
        page.keyboard.press("Enter")  # the focus has stayed
        downwards = front[np.argsort(-values[front, 1], kind="stable")]
        listed(page, names[downwards[:100]])
        assert page.locator("#table-head th").nth(2).get_attribute("aria-sort") == "descending"
        page.locator("#filter").focus()
        tab_to(page, "later")
        page.keyboard.press("Enter")
        listed(page, names[downwards[100:200]])
        # One stop in the whole list, and the arrow keys from there.
        page.locator("#table-head button").nth(5).focus()
        page.keyboard.press("Tab")
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        reads(page, ".chosen-name", names[downwards[102]])
        page.keyboard.press("Tab")
        assert page.locator("#table :focus").count() == 0
        page.locator("#filter").fill("VARIANT 12")
        matching = [k for k in downwards if names[k].startswith("variant 12")]
        assert 1 < len(matching) < 100
        listed(page, names[matching])
        reads(page, "#listed", f"1 to {len(matching)} of {len(matching)} that match, of {len(front)} Pareto designs.")
        page.locator("#everyone").select_option("all")
        page.locator("#filter").fill("2999")
        listed(page, ["variant 2999"])
        assert page.locator("#table tr td").last.inner_text() == ("yes" if 2999 in front else "no")
        page.locator("#filter").fill("nobody")
        reads(page, "#listed", "None of 3,000 designs matches.")
        page.locator("#filter").fill("")
        reads(page, "#listed", "1 to 100 of 3,000 designs.")
        for _ in range(2):  # by name, the last first: 2999 comes after 300
            page.locator("#table-head button").first.click()
        listed(page, [f"variant {k}" for k in range(2999, 2899, -1)])
        # The list follows the preference, and so do those that came and went.
        page.locator("#everyone").select_option("pareto")
        page.locator("#share-1").fill("10")
        cone = cw.Cone.parse("[[90,10,0,0,0],[0,100,0,0,0],[0,10,90,0,0],[0,10,0,90,0],[0,10,0,0,90]]")
        fewer = front_of(values, cone)
        reads(page, "#pareto", str(len(fewer)))
        listed(page, names[fewer[::-1][:100]])
        mentions(page, "#moved", f"{len(np.setdiff1d(front, fewer))} left: ")


def test_a_list_that_comes_late_is_not_put_over_a_newer_one(chromium, five):
    names, values, address = five
    fewer = front_of(values, cw.Cone.parse("[[90,10,0,0,0],[0,100,0,0,0],[0,10,90,0,0],[0,10,0,90,0],[0,10,0,0,90]]"))
    upwards = names[fewer[np.argsort(values[fewer, 1], kind="stable")][:100]]
    late = []
    with visiting(chromium, address) as page:
        listed(page, names[front_of(values, cw.Cone.orthant(5))[:100]])
        page.route("**/api/table", lambda route: late.append((route, route.fetch())))  # answered, and not yet heard of
        page.locator("#table-head button").nth(2).click()
        while not late:
            page.wait_for_timeout(20)
        page.locator("#share-1").fill("10")
        listed(page, upwards)
        ((route, answer),) = late
        with page.expect_response("**/api/table"):
            route.fulfill(response=answer)
        page.wait_for_timeout(100)
        assert page.locator("#table button").all_inner_texts() == upwards.tolist()


def test_side_by_side_the_shortlist_stays_with_its_names_also_when_it_is_beaten(chromium, five):
    names, values, address = five
    wide = cw.Cone(19 + 5 * np.eye(5))  # at least 19 % of the weight for each
    left = np.setdiff1d(front_of(values, cw.Cone.orthant(5)), front_of(values, wide))
    with visiting(chromium, address) as page:
        page.locator("#filter").fill(names[left[0]])
        page.get_by_role("button", name=names[left[0]], exact=True).first.click()
        reads(page, ".chosen-name", names[left[0]])
        page.locator("#shortlist-toggle").click()
        page.locator("#share").fill("19")
        reads(page, "#pareto", str(len(front_of(values, wide))))
        reads(page, "#compared tbody tr:last-child", "Nowbeaten")
        drawn(page, "frames")
        with page.expect_download() as download:
            page.locator("#shortlist-svg").click()
        picture = download.value.path().read_text(encoding="utf-8")
        assert f">{names[left[0]]}</text>" in picture
        heights = [page.evaluate(LEVEL, [place, value]) for place, value in enumerate(values[left[0]].tolist())]
        line = "L".join(f"{x:.2f} {y:.2f}" for x, y in zip(drawn(page, "axes"), heights, strict=True))
        assert line_in(line, picture)


def line_in(line, picture):
    """Whether it is drawn in green; numbers are written without zeros at the end."""
    wanted = np.array(line.replace("L", " ").split(), dtype=float)
    green = re.findall(r'<path d="M([^"]*)" fill="none" stroke="#00795c"', picture)
    found = [np.array(path.replace("L", " ").split(), dtype=float) for path in green]
    return any(one.shape == wanted.shape and np.allclose(one, wanted, atol=0.02) for one in found)


def ground(page):
    """The colours behind the page and behind its picture, and the picture."""
    paper = drawn(page, "paints.paper")
    return [
        page.evaluate("getComputedStyle(document.body).backgroundColor"),
        page.locator("#plot-first canvas").screenshot(),
        paper,
    ]


def test_the_theme_follows_the_system_until_one_is_chosen_and_is_remembered(chromium, five):
    from playwright.sync_api import expect

    def says(theme):
        expect(page.locator("html")).to_have_attribute("data-theme", theme, timeout=SLOW)

    *_, address = five
    stored = [{"name": "conewise-theme", "value": "<b>"}]
    state = {"cookies": [], "origins": [{"origin": address[: address.index("/", 7)], "localStorage": stored}]}
    with visiting(chromium, address, color_scheme="dark", storage_state=state) as page:
        assert page.locator("#theme").input_value() == "system"  # what is no theme is no choice
        says("dark")
        dark = ground(page)
        assert dark[2] == "#19222b"
        page.emulate_media(color_scheme="light")
        says("light")
        light = ground(page)
        assert all(a != b for a, b in zip(dark, light, strict=True))
        tab_to(page, "theme")
        page.keyboard.press("d")  # a list is chosen from by its first letter
        says("dark")
        assert ground(page) == dark
        page.reload()
        page.wait_for_selector("body[data-ready=yes]")
        says("dark")  # though the system is light
        assert page.locator("#theme").input_value() == "dark"
        screenshot(page, "explorer-five-dark")
        # A browser that remembers nothing still lets one choose.
        page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})")
        page.reload()
        page.wait_for_selector("body[data-ready=yes]")
        page.locator("#theme").select_option("dark")
        says("dark")


def test_a_front_that_takes_long_is_estimated_and_then_counted(chromium, monkeypatch):
    """All designs lie on a sphere in four dimensions, so that every one is Pareto in the componentwise order."""
    points = np.abs(np.random.default_rng(0).normal(size=(2000, 4)))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    names = [f"d{k}" for k in range(2000)]
    source = Fixed("sphere", Designs(1, names, tuple("abcd"), (), points), cw.Cone.orthant(4), None)
    with serving(source) as explorer, visiting(chromium, explorer.address) as page:
        reads(page, "#pareto", "2,000")
        mentions(page, "#drawn", "400 of 2,000 Pareto designs are drawn")
        monkeypatch.setattr("conewise.dashboard.desk.AT_ONCE", -1.0)  # as if the last count had taken long
        with page.expect_response("**/api/front") as first:
            page.locator("#share-0").fill("20")
        assert first.value.json()["estimated"] is True
        cone = cw.Cone.parse("[[100,0,0,0],[20,80,0,0],[20,0,80,0],[20,0,0,80]]")
        count = cw.pareto_mask(points, cone).sum()
        assert count < 2000
        reads(page, "#pareto", f"{count:,}")
        page.locator("#counting").wait_for(state="hidden")
        reads(page, "#caption-first", f"{cone}: {count:,} Pareto")
        mentions(page, "#moved", f"{2000 - count:,} left")
