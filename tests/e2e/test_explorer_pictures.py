"""The explorer's pictures under a finger, on a phone and side by side; and that the page keeps still."""

from __future__ import annotations

from shared.browser import new_page, screenshot, until
from shared.explorer import drawn, exploring, mentions, place_of, reads, table_names, visiting

from conewise.dashboard.doorway import doorway

VIEW = "document.getElementById('plot-{}').drawing.view"
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
BOXES = """[...document.querySelectorAll("#selected, #selected dt, #selected dd")].map((part) =>
  part.getBoundingClientRect().toJSON())"""


def test_a_tap_selects_the_design_under_the_finger(chromium, snw):
    with visiting(chromium, snw, **PHONE) as page:
        reads(page, "#pareto", "26")
        for name in table_names(page):
            page.touchscreen.tap(*place_of(page, name))
            reads(page, ".chosen-name", name)


def test_a_browser_finds_the_page_through_a_file(chromium, snw):
    with doorway(snw) as way:
        page, complaints = new_page(chromium)
        page.goto(way.as_uri())
        page.wait_for_url(snw)
        page.wait_for_selector("body[data-ready=yes]")
        page.close()
    assert complaints == []


def zoomed(page):
    """Drag a box over the first picture, and wait until it shows less."""
    page.locator("#plot-first").scroll_into_view_if_needed()
    box = page.locator("#plot-first canvas").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=5)
    page.mouse.up()
    until(page, f"{VIEW.format('first')} !== document.getElementById('plot-first').drawing.whole")
    return drawn(page, "view")


def test_compared_pictures_have_the_same_axes_and_a_zoom_outlives_a_selection(chromium, snw):
    with visiting(chromium, snw) as page:
        page.locator("#second").fill("planar:170")
        reads(page, "#second-label", "Compared: planar:170")
        whole = drawn(page, "view")
        assert drawn(page, "view", "second") == whole
        part = zoomed(page)
        assert drawn(page, "view", "second") == part
        name = page.locator("#table button").nth(3).inner_text()
        page.locator("#table button").nth(3).click()
        reads(page, ".chosen-name", name)
        page.locator("#degrees-exact").fill("120")
        mentions(page, "#caption-first", "planar:120")
        assert drawn(page, "view") == part
        assert drawn(page, "view", "second") == part
        screenshot(page, "explorer-zoomed")
        page.locator("#plot-second").scroll_into_view_if_needed()
        box = page.locator("#plot-second canvas").bounding_box()
        page.mouse.dblclick(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
        for side in ("first", "second"):
            until(page, f"{VIEW.format(side)} === document.getElementById('plot-{side}').drawing.whole")
            assert drawn(page, "view", side) == whole


def test_the_picture_stays_where_it_is_while_the_angle_moves(chromium, snw):
    with visiting(chromium, snw) as page:
        top = page.locator("#plot-first").bounding_box()["y"]
        for degrees in ("100", "135", "150", "90"):
            page.locator("#degrees-exact").fill(degrees)
            mentions(page, "#caption-first", f"planar:{degrees}")
            assert page.locator("#plot-first").bounding_box()["y"] == top
        page.locator("#degrees-exact").fill("135")
        mentions(page, "#moved", "left:")


def test_long_names_fit_on_a_phone_and_a_bound_below_one_evaluation_says_so(chromium, tmp_path):
    path = tmp_path / "long.csv"
    long = "throughput_of_the_network_in_millions_of_samples_per_second_at_25_degrees"
    path.write_text(f"name,{long},b\n{'X' * 90},1,2\ny,200,1\nz,3,400\n", encoding="utf-8")
    with exploring(path) as address:
        for size in ({"width": 320, "height": 700}, {"width": 390, "height": 844}, {"width": 1280, "height": 800}):
            with visiting(chromium, address, **size) as page:
                page.locator("#table button").first.click()
                page.locator(".chosen-name").wait_for()
                assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
                panel, *parts = page.evaluate(BOXES)  # at once: the page may just write them again
                assert len(parts) > 4
                for box in parts:
                    assert box["width"] >= 40
                    assert box["right"] <= panel["right"] + 1
                page.locator("#sigma").fill("0.001")
                mentions(page, "#hardness", "below one evaluation")
                assert "order of 0" not in page.locator("#hardness").inner_text()


OVERLAPS = """() => {
  const drawing = document.getElementById("plot-first").drawing;
  const picture = new DOMParser().parseFromString(drawing.vector(), "image/svg+xml").documentElement;
  document.body.append(picture);
  const texts = [...picture.querySelectorAll("text")].map((one) => [one.textContent, one.getBoundingClientRect()]);
  picture.remove();
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return [texts.map(([text]) => text), texts.flatMap(([one, a], k) =>
    texts.slice(k + 1).filter(([, b]) => meet(a, b)).map(([other]) => `${one} | ${other}`))];
}"""


def written(page):
    """Every text in the picture; none of them lies on another one."""
    drawn(page, "frames")
    texts, overlaps = page.evaluate(OVERLAPS)
    assert overlaps == []
    return texts


def test_numbers_of_an_axis_are_told_apart_and_its_name_lies_on_none(chromium, tmp_path):
    (tmp_path / "wide.csv").write_text("power,price\n1,14900\n2,41000\n", encoding="utf-8")
    (tmp_path / "near.csv").write_text("power,price\n123456,-1234500\n123466,-1234510\n", encoding="utf-8")
    for table in ("wide.csv", "near.csv"):
        with exploring(tmp_path / table) as address:
            for size in ({}, PHONE):
                with visiting(chromium, address, **size) as page:
                    numbers = [text for text in written(page) if "better" not in text]
                    assert len(set(numbers)) == len(numbers) >= 4
                    if table == "near.csv":
                        mentions(page, "#table", "123466")


def test_axes_side_by_side_are_called_and_counted_apart_on_a_phone(chromium, tmp_path):
    names = [f"speed of the thing number {d} in metres per second" for d in range(8)]
    rows = ["0.0227,1.785e6,-7.9e5,3,-1785400,2395.5,123456,1", "0.0001,-1.1e6,1,2,0,1,99999.5,0"]
    for count in (1, 2):
        table = tmp_path / f"{count}.csv"
        table.write_text("\n".join([",".join(names), *rows[:count]]), encoding="utf-8")
        with exploring(table) as address, visiting(chromium, address, **PHONE) as page:
            texts = written(page)
            titles = texts[0::4]
            assert len(set(titles)) == len(names)
            assert all(float(low) <= 0.0227 <= float(high) for low, high in [texts[2:4]])
