"""One preference, seen through several controls: the sentence, the wedge, the slider, duels; and what is kept of it."""

from __future__ import annotations

import csv
import io
import socket
from urllib.parse import quote

import numpy as np
import pytest
from shared.browser import ARTEFACTS, SCREENSHOTS, SLOW, new_page, screenshot, serious_violations
from shared.explorer import (
    designs_of,
    drawn,
    exploring,
    mentions,
    place_of,
    point_at,
    reads,
    save_page,
    serving,
    visiting,
)
from shared.studies import make, values_of

import conewise as cw

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
SNW = cw.problems.load("snw")
THREE = ["mass", "speed", "price"]


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Four hundred designs with three objectives: values as written, and a page about them."""
    values = np.random.default_rng(3).normal(size=(400, 3)).round(3)
    path = tmp_path_factory.mktemp("explorer") / "three.csv"
    lines = [f"d{k},{a},{b},{c}" for k, (a, b, c) in enumerate(values.tolist())]
    path.write_text("\n".join([",".join(["name", *THREE]), *lines]), encoding="utf-8")
    with exploring(path, "--minimise", "mass") as address:
        yield values, address


def count(cone):
    return str(cw.pareto_mask(SNW.means, cone).sum())


def has(page, selector, value):
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_value(value, timeout=SLOW)


def test_the_sentence_is_the_control(chromium, snw):
    with visiting(chromium, snw) as page:
        assert (
            page.locator(".sentence").inner_text().split("\n")[0].startswith("For 1 more log2 area you want at least")
        )
        has(page, "#rate-0", "∞")
        page.locator("#rate-0").fill("2.4")  # for 1 more area at least 2.4 more throughput
        one = cw.Cone.from_rays([[1, 0], [-1, 2.4]])
        reads(page, "#pareto", count(one))
        mentions(page, "#note-degrees", "Your two exchanges differ")
        page.locator("#rate-1").fill("2,4")  # a comma is a point to some, and parts thousands to others
        reads(page, "#refusal", '"2,4" is no plain number: write 2.4.')
        page.locator("#rate-1").fill("2.4")
        both = cw.Cone.from_rays([[2.4, -1], [-1, 2.4]])
        reads(page, "#pareto", count(both))
        # Now it is even about the diagonal, and the slider and the shares say it too.
        reads(page, "#note-degrees", "")
        reads(page, "#note-shares", "")
        angle = 90 + 2 * np.degrees(np.arctan(1 / 2.4))
        assert float(page.locator("#degrees-exact").input_value()) == pytest.approx(angle, abs=1e-3)
        mentions(page, "#words", "A rise of 1 in log2 area is accepted for a rise of at least 2.4 in log2 throughput.")
        page.locator("#rate-0").fill("0.3")
        mentions(page, "#refusal", "by trading to and fro")
        reads(page, "#pareto", count(both))
        page.locator("#rate-0").fill("never")
        reads(page, "#pareto", count(cw.Cone.from_rays([[2.4, -1], [0, 1]])))
        page.locator("#degrees-exact").fill("45")
        reads(page, "#pareto", "53")
        assert "counts only with at least" in page.locator(".sentence").inner_text()
        mentions(page, "#note-shares", "Your preference cannot be said by least shares alone")
        page.locator("#rate-0").focus()
        before = float(page.locator("#rate-0").input_value())
        page.keyboard.press("ArrowDown")
        has(page, "#rate-0", f"{before / 1.05:.3g}")
        assert serious_violations(page) == []


def test_every_move_of_the_slider_is_drawn_without_asking_the_server(chromium, snw):
    with visiting(chromium, snw) as page:
        drawn(page, "frames")
        held = []
        page.route("**/api/*", lambda route: held.append(route))  # the server hears nothing until the end
        slider = page.locator("#degrees")
        slider.focus()
        for degrees in range(91, 121):
            page.keyboard.press("ArrowRight")
            page.evaluate("new Promise(requestAnimationFrame)")
            assert page.locator("#pareto").inner_text() == count(cw.Cone.planar(degrees))
            beaten = page.evaluate("[...document.getElementById('plot-first').drawing.look.beaten]")
            assert beaten == (~cw.pareto_mask(SNW.means, cw.Cone.planar(degrees))).astype(int).tolist()
        for route in held:
            route.continue_()
        page.unroute("**/api/*")
        page.keyboard.press("ArrowRight")
        reads(page, "#caption-first", f"planar:121: {count(cw.Cone.planar(121))} Pareto")


def test_the_wedge_is_turned_by_its_handle(chromium, snw):
    with visiting(chromium, snw) as page:
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#caption-first", "planar:120")
        drawn(page, "frames")
        box = page.locator("#plot-first canvas").bounding_box()
        apex, handle = page.evaluate(
            "(() => { const d = document.getElementById('plot-first').drawing, k = d.apex();"
            " return [[d.px[k], d.py[k]], d.handles[0]]; })()"
        )
        # The first handle is that of gains in area, which is drawn to the left; down a little is more throughput given.
        page.mouse.move(box["x"] + handle[0], box["y"] + handle[1])
        page.mouse.down()
        page.mouse.move(box["x"] + handle[0], box["y"] + handle[1] + 30, steps=4)
        page.mouse.up()
        scale = drawn(page, "scale")
        gained, given = (apex[0] - handle[0]) / scale[0], (handle[1] + 30 - apex[1]) / scale[1]
        other = np.tan(np.radians(90 + 15))
        cone = cw.Cone.from_rays([[gained, -given], [1 / other, 1]])
        reads(page, "#pareto", count(cone))
        assert float(page.locator("#rate-1").input_value()) == pytest.approx(gained / given, rel=0.03)
        mentions(page, "#note-degrees", "Your two exchanges differ")
        screenshot(page, "explorer-wedge")


def test_who_is_out_says_by_whom_and_by_how_much_and_leads_there(chromium, snw):
    with visiting(chromium, snw) as page:
        page.locator("#degrees-exact").fill("150.0")
        mentions(page, "#caption-first", "planar:150")
        index = SNW.names.index("2/19/4")
        x, y = point_at(page, "2/19/4")
        mentions(page, "#plot-first .tip", "beaten")
        page.mouse.click(x, y)
        reads(page, ".chosen-name", "2/19/4")
        cone = cw.Cone.planar(150)
        front = np.flatnonzero(cw.pareto_mask(SNW.means, cone))
        beating = front[cw.dominates(SNW.means[front], SNW.means[index], cone)]
        lead = cone.facet_values(SNW.means[beating] - SNW.means[index]).min(axis=1)
        best = beating[np.argmax(lead)]
        first = page.locator(".rivals li").first
        assert first.locator("button").inner_text() == SNW.names[best]
        area, throughput = (SNW.means[best] - SNW.means[index]) * [-1, 1]
        said = first.inner_text()
        assert f"{abs(area):.5g} {'more' if area > 0 else 'less'} log2 area" in said
        assert f"{abs(throughput):.5g} {'more' if throughput > 0 else 'less'} log2 throughput" in said
        first.locator("button").click()
        reads(page, ".chosen-name", SNW.names[best])
        mentions(page, "#selected", "nothing beats it")


def test_duels_add_to_the_preference_and_can_be_taken_back(chromium, snw):
    with visiting(chromium, snw) as page:
        cards = page.locator("#duel-pair .design")
        cards.nth(1).wait_for()
        means, said = SNW.means * [-1, 1], cw.Preferences(SNW.objectives, minimise=SNW.minimised)
        for turn in range(2):
            one, other = said.ask(means)
            names = [SNW.names[one], SNW.names[other]]
            reads(page, "#duel-pair .design:nth-child(1) strong", names[0])
            reads(page, "#duel-pair .design:nth-child(2) strong", names[1])
            said = said.prefers(means[one], over=means[other])
            cards.first.click()
            reads(page, "#pareto", str(said.remaining(means).sum()))
            reads(page, f"#said li:nth-child({turn + 1}) span", " rather than ".join(names))
        mentions(page, "#note-ranking", "together with what you said is no ranking")
        screenshot(page, "explorer-duels")
        page.get_by_role("button", name="Take back").last.click()
        said = said.without(-1)
        reads(page, "#pareto", str(said.remaining(means).sum()))
        # The slider moves the rest of the preference; what was said stays.
        page.locator("#degrees-exact").fill("100")
        both = said.better_under(cw.Cone.planar(100))
        reads(page, "#pareto", str(both.remaining(means).sum()))
        mentions(page, "#caption-first", f": {both.remaining(means).sum()} Pareto")
        assert page.locator("#said li").count() == 1
        page.get_by_role("button", name="I cannot say").click()
        mentions(page, "#said li:nth-child(2)", "cannot say")
        assert serious_violations(page) == []


def test_an_exchange_between_two_of_three_objectives(chromium, three):
    values, address = three
    with visiting(chromium, address) as page:
        page.locator("#give").select_option("2")
        page.locator("#get").select_option("0")
        assert "less price" in page.locator("#give").inner_text()
        page.locator("#rate").fill("0.5")
        said = cw.Preferences(THREE, minimise=["mass"]).accepts(give={"price": 1}, get={"mass": 0.5})
        reads(page, "#pareto", str(said.remaining(values).sum()))
        reads(page, "#said li span", "1 price for 0.5 mass is worth it")
        page.locator("#rate").fill("2")  # another amount for the same exchange takes its place
        said = cw.Preferences(THREE, minimise=["mass"]).accepts(give={"price": 1}, get={"mass": 2})
        reads(page, "#pareto", str(said.remaining(values).sum()))
        assert page.locator("#said li").count() == 1
        page.locator("#give").select_option("1")
        has(page, "#rate", "∞")
        page.locator("#give").select_option("2")
        page.locator("#get").select_option("0")
        has(page, "#rate", "2")


def test_back_is_undo_and_the_address_holds_everything(chromium, snw):
    with visiting(chromium, snw) as page:
        page.locator("#degrees-exact").fill("120")
        reads(page, "#caption-first", f"planar:120: {count(cw.Cone.planar(120))} Pareto")
        page.wait_for_url("**#base=*")
        page.locator("#table button").nth(2).click()
        name = page.locator("#table button").nth(2).inner_text()
        reads(page, ".chosen-name", name)
        page.locator("#shortlist-toggle").click()
        reads(page, "#shortlist li button.link", name)
        page.locator("#keep").click()
        mentions(page, "#second-label", "planar:120")
        page.locator("#degrees-exact").fill("60")
        mentions(page, "#caption-first", "planar:60")
        page.wait_for_url("**60*")
        address = page.url
        page.go_back()
        reads(page, "#pareto", count(cw.Cone.planar(120)))
        reads(page, "#shortlist li button.link", name)
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]")
        reads(page, "#pareto", count(cw.Cone.planar(60)))
        reads(page, ".chosen-name", name)
        reads(page, "#shortlist li button.link", name)
        mentions(page, "#second-label", "planar:120")
        page.evaluate("location.hash = '#base=%7Bbroken&selected=99999&list=[3,\"x\"]'")
        reads(page, "#pareto", "26")  # what makes no sense is as if it were not there


def test_the_shortlist_is_compared_and_saved(chromium, snw):
    with visiting(chromium, snw) as page:
        names = []
        page.locator("#legend-short").wait_for(state="hidden")
        for place in (1, 4):
            page.locator("#table button").nth(place).click()
            names.append(page.locator("#table button").nth(place).inner_text())
            reads(page, ".chosen-name", names[-1])
            page.locator("#shortlist-toggle").click()
        reads(page, "#shortlist-toggle", "Take off the shortlist")
        reads(page, "#compared tbody tr:last-child", "Nowremainsremains")
        page.locator("#legend-short").wait_for()
        assert drawn(page, "look.shortlist") == [SNW.names.index(name) for name in names]
        page.locator("#degrees-exact").fill("179")
        reads(page, "#compared tbody tr:last-child", "Nowbeatenbeaten")
        with page.expect_download() as download:
            page.locator("#save-csv").click()
        rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
        assert [row["design"] for row in rows] == names
        assert float(rows[0]["log2 area"]) == -SNW.means[SNW.names.index(names[0]), 0]
        with page.expect_download() as download:
            page.locator("#save-png").click()
        assert download.value.path().read_bytes().startswith(b"\x89PNG")
        page.get_by_role("button", name=f"Remove {names[0]} from the shortlist").click()
        assert page.locator("#shortlist li").count() == 1


def test_a_brush_over_an_axis_filters_the_list(chromium, three):
    values, address = three
    front = np.flatnonzero(cw.pareto_mask(values * [-1, 1, 1], cw.Cone.orthant(3)))
    with visiting(chromium, address) as page:
        page.locator("#view").select_option("parallel")
        reads(page, "#listed", f"1 to {len(front)} of {len(front)} Pareto designs.")
        axes, top, bottom = drawn(page, "axes"), drawn(page, "top"), drawn(page, "bottom")
        box = page.locator("#plot-first canvas").bounding_box()
        page.mouse.move(box["x"] + axes[1], box["y"] + top + 1)
        page.mouse.down()
        page.mouse.move(box["x"] + axes[1], box["y"] + (top + bottom) / 2, steps=4)
        page.mouse.up()
        page.locator("#unbrush").wait_for()
        low, high = page.evaluate("[...document.getElementById('plot-first').drawing.brushes.values()][0]")
        fast = [k for k in front if low <= values[k, 1] <= high]
        assert 0 < len(fast) < len(front)
        mentions(page, "#listed", f"1 to {len(fast)} of {len(fast)} that match")
        assert page.locator("#table button").all_inner_texts() == [f"d{k}" for k in fast]
        page.locator("#unbrush").click()
        reads(page, "#listed", f"1 to {len(front)} of {len(front)} Pareto designs.")


def test_on_a_phone_the_picture_is_above_and_the_control_at_the_foot(chromium, snw):
    with visiting(chromium, snw, **PHONE) as page:
        drawn(page, "frames")
        page.evaluate("scrollTo(0, 0)")
        slider, picture = page.locator("#degrees").bounding_box(), page.locator("#plot-first").bounding_box()
        assert slider["y"] + slider["height"] <= PHONE["height"]
        assert picture["y"] < slider["y"]
        assert picture["y"] + 200 < slider["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.touchscreen.tap(*place_of(page, "1/36/1"))
        reads(page, ".chosen-name", "1/36/1")
        assert serious_violations(page) == []
        page.evaluate("scrollTo(0, 0)")


@pytest.mark.parametrize("dim", [3, 8])
def test_on_a_phone_there_is_a_control_at_the_foot_with_more_objectives_too(chromium, dim):
    from conewise.dashboard.sources import Fixed

    values = np.random.default_rng(dim).normal(size=(206, dim)) + np.random.default_rng(1).normal(size=(206, 1))
    objectives = [f"{f'f{d} of a very long name':.<60}" for d in range(dim)]
    designs = designs_of(values, minimised=objectives[:1], objectives=objectives)
    with (
        serving(Fixed("t", designs, cw.Cone.orthant(dim), None)) as explorer,
        visiting(chromium, explorer.address, **PHONE) as page,
    ):
        drawn(page, "frames")
        if dim == 8:
            spans = np.array(drawn(page, "spans"))
            assert (spans[1:, 0] > spans[:-1, 1]).all()
            assert spans.min() >= 0
            assert spans.max() <= page.locator("#plot-first").bounding_box()["width"]
        assert page.evaluate("document.querySelector('.full').getClientRects().length") == 1  # its stop is not alone
        page.locator("#share-curve").wait_for()
        slider = page.locator("#share")
        for at in (0, 400, 10**6):  # wherever one has scrolled to
            page.evaluate(f"scrollTo(0, {at})")
            box = slider.bounding_box()
            assert PHONE["height"] - 120 < box["y"] < box["y"] + box["height"] <= PHONE["height"]
        page.evaluate("scrollTo(0, 0)")
        picture, control = page.locator("#plot-first").bounding_box(), page.locator("#least").bounding_box()
        assert picture["y"] + 200 < control["y"]
        assert control["height"] < PHONE["height"] / 5  # what it acts on stays in sight
        page.touchscreen.tap(box["x"] + box["width"] / 2, slider.bounding_box()["y"] + box["height"] / 2)
        share = int(slider.input_value())
        assert 0 < share < 100 / dim
        cone = cw.Cone(share + (100 - dim * share) * np.eye(dim))
        count = str(cw.pareto_mask(designs.means, cone).sum())
        reads(page, "#pareto", count)
        reads(page, "#share-words", f"Each of them has at least {share} % of the weight.")
        assert slider.get_attribute("aria-valuetext") == f"{share} %, {count} remain"
        reads(page, "#share-out-1", f"{share} %")  # the same preference, seen through another control
        page.locator("#share-1").fill("0")
        mentions(page, "#share-words", "does not give all of them the same least share")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert serious_violations(page) == []
        page.evaluate("scrollTo(0, 0)")
        screenshot(page, f"explorer-phone-{dim}")
        if SCREENSHOTS:
            page.screenshot(path=ARTEFACTS / f"explorer-phone-{dim}-first-screen.png")


def test_exchanges_count_in_the_users_own_units_where_steps_are_something_else(chromium, tmp_path):
    """One step is 100 EUR or 10 m/s: 45 degrees in steps, and the sentence in EUR and m/s, for a step of either."""
    values = np.random.default_rng(4).normal(size=(200, 2)) * [300, 20]
    table = tmp_path / "units.csv"
    rows = [f"d{k},{a},{b}" for k, (a, b) in enumerate(values.tolist())]
    table.write_text("\n".join(["name,price,speed", *rows]), encoding="utf-8")
    objectives = [cw.Objective("price", "min", unit=100), cw.Objective("speed", unit=10)]
    units = ("--unit", "price=100", "--unit", "speed=10")
    with exploring(table, "--minimise", "price", *units) as address, visiting(chromium, address) as page:
        page.locator("#degrees-exact").fill("135")
        steps = values * [-0.01, 0.1]
        reads(page, "#pareto", str(cw.pareto_mask(steps, cw.Cone.planar(135)).sum()))
        has(page, "#rate-0", "24.2")  # 2.414 steps of speed for one of price, rounded up
        has(page, "#rate-1", "242")
        reads(
            page,
            "#sentence",
            "For 100 more price you want at least  more speed; for 10 less speed at least  less price.",
        )
        assert page.get_by_label("more speed that you want for 100 more price", exact=True).input_value() == "24.2"
        assert page.locator(".steps:visible").all_inner_texts() == ["Counted in steps of 100 price, 10 speed."] * 2
        page.locator("#rate-0").fill("50")
        page.locator("#rate-1").fill("∞")
        said = cw.Preferences(objectives).accepts(give={"price": 1}, get={"speed": 0.5})
        reads(page, "#pareto", str(said.remaining(values).sum()))
        mentions(page, "#caption-first", f": {said.remaining(values).sum()} Pareto")
        path = save_page(page, tmp_path)
    with visiting(chromium, path.as_uri()) as page:
        reads(page, "#pareto", str(said.remaining(values).sum()))
        has(page, "#rate-0", "50")
        mentions(page, "#sentence", "For 100 more price")
        assert page.locator(".steps:visible").all_inner_texts() == ["Counted in steps of 100 price, 10 speed."]


# -- a study -----------------------------------------------------------------------------------------------------------


def test_a_page_about_a_study_goes_on_after_the_explorer_was_started_again(chromium, tmp_path, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("CONEWISE_EXPLORE_TOKEN", "a-token-of-my-own-0123")
    path = tmp_path / "trial.db"
    with make(path) as study:
        batch = study.ask(30)
        study.tell(batch, values_of(batch))
        page, _complaints = new_page(chromium)
        with exploring(path, "--port", port) as address:
            page.goto(address.replace("127.0.0.1", "localhost"))
            mentions(page, "#standing", f"Live: {len(batch)} evaluations told")
            page.locator("#table button").first.click()
            word = study.result().status[study.names.index(page.locator(".chosen-name").inner_text())]
            mentions(page, "#selected", f"The study says{word}")
        mentions(page, "#problem", "The explorer has stopped")
        more = study.ask(30)
        study.tell(more, values_of(more))
        with exploring(path, "--port", port) as again:
            assert again == address
            mentions(page, "#standing", f"Live: {len(batch) + len(more)} evaluations told")
            page.locator("#problem").wait_for(state="hidden")
            reads(page, "#pareto", str((study.result().status == "kept").sum()))
        page.close()


@pytest.mark.parametrize(
    "part",
    [
        'base={"shares":[20,20,20]}',
        "base=null",
        'base={"text":"orthant:4"}',
        'said=[{"accept":[0,1,2,3]},null,7]',
        'said=[{"prefer":5}]',
        'said=[{"accept":[0,-1,1,2]}]',
    ],
)
def test_a_bookmark_of_another_table_opens_the_page_as_it_begins(chromium, snw, part):
    with visiting(chromium, snw) as page:
        page.goto("about:blank")
        page.goto(f"{snw}#{quote(part, safe='=')}")
        page.wait_for_selector("body[data-ready=yes]")
        reads(page, "#pareto", "26")
        reads(page, "#refusal", "")
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#caption-first", "planar:120")
        assert page.locator("#said li").count() == 0
