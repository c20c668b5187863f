"""Numbers typed into a page are read in full or refused beside their field; a double click is one choice."""

from __future__ import annotations

import pytest
from shared.explorer import exploring, mentions, reads, save_page, visiting

REFUSED = {
    "2,000": "can be read in two ways: write 2000 or 2.000.",
    "1,234,567": "is no plain number: write 1234567.",
    "2 000": "is no plain number: write 2000.",
    "2,5": "is no plain number: write 2.5.",
    "1'234.5": "is no plain number: write 1234.5.",
    "2.000,5": "is no number: write one such as 2000 or 0.5.",
    "0x10": "is no number: write one such as 2000 or 0.5.",
}


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    """The address of a page about a table, and the same page as a file."""
    folder = tmp_path_factory.mktemp("cars")
    table = folder / "cars.csv"
    rows = [f"c{k},{1000 + 300 * k},{60 + 7 * k - (k % 3) * 5}" for k in range(12)]
    table.write_text("\n".join(["name,price,power", *rows]), encoding="utf-8")
    with exploring(table, "--minimise", "price") as address:
        yield address, folder


@pytest.mark.parametrize(("kind", "locale"), [("live", "de-DE"), ("saved", "en-US")])
def test_a_number_with_a_comma_is_refused_at_its_field_and_changes_nothing(chromium, cars, kind, locale):
    address, folder = cars
    if kind == "saved":
        with visiting(chromium, address) as page:
            address = save_page(page, folder).as_uri()
    with visiting(chromium, address, locale=locale) as page:
        held = page.locator("#pareto").inner_text()
        for text, words in REFUSED.items():
            for field, place, name in (
                ("#level-0", "#refusal-levels", "price: "),
                ("#degrees-exact", "#refusal-degrees", "The opening angle: "),
                ("#rate-0", "#refusal", ""),
            ):
                page.locator(field).fill("")  # typed, as a field for numbers would leave letters out
                page.locator(field).press_sequentially(text)
                reads(page, place, f'{name}"{text}" {words}')
                page.locator(field).fill("")
            reads(page, "#level-words", "")
            reads(page, "#pareto", held)
        page.locator("#level-0").fill("2000")
        reads(page, "#refusal-levels", "")
        mentions(page, "#level-words", "Only price at most 2000 will do.")
        page.locator("#level-0").fill("1.9e3")
        mentions(page, "#level-words", "Only price at most 1900 will do.")


def test_an_assumption_that_is_no_plain_number_costs_nothing_and_is_named(chromium, cars):
    with visiting(chromium, cars[0]) as page:
        total = page.locator("#total").inner_text()
        page.locator("#sigma").fill("2,000")
        reads(page, "#refusal-assumed", 'sigma: "2,000" can be read in two ways: write 2000 or 2.000.')
        reads(page, "#total", total)
        page.locator("#degrees-exact").fill("100")  # what is asked next is not answered for another number
        reads(page, "#total", "–")
        mentions(page, "#cost-words", "sigma must be a number, got '2,000'.")
        page.locator("#sigma").fill("1")
        reads(page, "#refusal-assumed", "")
        mentions(page, "#cost-words", "guarantee the answer")


@pytest.mark.parametrize("delay", [0, 20])
def test_a_double_click_on_a_choice_counts_once(chromium, snw, delay):
    with visiting(chromium, snw) as page:
        cards = page.locator("#duel-pair .design")
        cards.first.wait_for()
        cards.first.scroll_into_view_if_needed()
        box = cards.first.bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + box["height"] - 6)  # in the card also when a line above it is added
        for count in (1, 2):
            page.mouse.down(click_count=count)
            page.mouse.up(click_count=count)
            page.wait_for_timeout(delay)
        page.locator("#said li").first.wait_for()
        page.wait_for_timeout(500)
        assert page.locator("#said li").count() == 1
        names = page.locator("#duel-pair strong").all_inner_texts()
        cards.first.click()  # another choice counts
        mentions(page, "#said li:nth-child(2)", " rather than ".join(names))
        page.locator("#said li button").first.dblclick()  # and one is taken back at a time
        page.wait_for_timeout(500)
        assert page.locator("#said li").count() == 1
