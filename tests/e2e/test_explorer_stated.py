"""What was said on the command line is the preference with which the page opens, and which its controls go on from."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
from shared.browser import SLOW
from shared.explorer import exploring, listed, mentions, reads, visiting

import conewise as cw

ROUND = np.abs(np.random.default_rng(4).normal(size=(300, 3)))  # many are Pareto: a quarter of a ball
VALUES = (ROUND / np.linalg.norm(ROUND, axis=1, keepdims=True) * [-300, 20, 5]).round(3)
NAMES = [f"d{k}" for k in range(len(VALUES))]


def table_of(folder, columns):
    path = folder / "stated.csv"
    rows = [
        ",".join([name, *map(repr, row)]) for name, row in zip(NAMES, VALUES[:, : len(columns)].tolist(), strict=True)
    ]
    path.write_text("\n".join([",".join(["name", *columns]), *rows]), encoding="utf-8")
    return path


def has(page, selector, value):
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_value(value, timeout=SLOW)


def test_an_accepted_exchange_is_in_the_sentence_from_the_beginning(chromium, tmp_path):
    table = table_of(tmp_path, ["price", "speed"])
    said = cw.Preferences(["price", "speed"], minimise=["price"]).accepts(give={"price": 100}, get={"speed": 20})
    front = np.flatnonzero(said.remaining(VALUES[:, :2]))
    plain = cw.pareto_mask(VALUES[:, :2] * [-1, 1], cw.Cone.orthant(2)).sum()
    assert len(front) < plain
    with (
        exploring(table, "--minimise", "price", "--accept", "100 price for 20 speed") as address,
        visiting(chromium, address) as page,
    ):
        reads(page, "#pareto", str(len(front)))
        listed(page, [NAMES[k] for k in front])
        mentions(page, "#sentence", "For 20 more price")  # a tenth of the spread, rounded
        has(page, "#rate-0", "4")
        has(page, "#rate-1", "∞")
        mentions(page, "#words", "A rise of 20 in price is accepted for a rise of at least 4 in speed.")
        # The page goes on from there: another exchange the other way round, and none at all.
        page.locator("#rate-1").fill("20")
        both = said.accepts(give={"speed": 2}, get={"price": 20})
        reads(page, "#pareto", str(both.remaining(VALUES[:, :2]).sum()))
        page.locator("#degrees-exact").fill("90")
        reads(page, "#pareto", str(plain))


def test_exchanges_and_preferences_of_three_objectives_open_the_page(chromium, tmp_path):
    columns = ["price", "speed", "range"]
    table = table_of(tmp_path, columns)
    said = cw.Preferences(columns, minimise=["price"]).accepts(give={"price": 100}, get={"speed": 20})
    one, other = said.ask(VALUES)
    said = said.prefers(VALUES[one], over=VALUES[other])
    with (
        exploring(
            *(table, "--minimise", "price", "--accept", "100 price for 20 speed"),
            *("--prefer", f"{NAMES[one]} > {NAMES[other]}"),
        ) as address,
        visiting(chromium, address) as page,
    ):
        reads(page, "#pareto", str(said.remaining(VALUES).sum()))
        rate = max(
            price / speed for price, speed, _ in said.cone.facets.tolist() if price
        )  # in speed, for 1 more price
        assert rate <= 0.2 * (1 + 1e-6)
        reads(page, "#given", "20")
        has(page, "#rate", f"{20 * rate:.3g}")
        page.locator("#give").select_option("2")
        reads(page, "#given", "0.5")


CARS = Path(__file__).parents[2] / "examples/tables/cars.csv"


def test_columns_in_very_different_measures_count_in_steps_and_the_slider_reaches_everybody(chromium, tmp_path):
    """The command of the documentation: a car costs tens of thousands and has a hundred horses."""
    of = ("--objectives", "price,power", "--minimise", "price")
    steps = [cw.Objective("price", "min", unit=2000), cw.Objective("power", unit=10)]
    with exploring(CARS, *of) as address, visiting(chromium, address) as page:
        assert page.locator("#sentence").inner_text().startswith("For 2000 more price you want at least")
        mentions(page, "#sentence", "; for 10 less power at least")
        leaving = page.locator("#leaving .angle").all_inner_texts()
        assert len(leaving) == 4
        assert max(float(angle.rstrip("°")) for angle in leaving) > 140  # the 179 degrees of the slider are of use
        page.locator("#degrees").fill("120")
        left = list(cw.front(CARS, cw.Cone.planar(120), objectives=steps)["name"])
        listed(page, left)
        command = page.locator("#command").input_value()
    printed = subprocess.run(
        [sys.executable, "-m", *shlex.split(command), "--json"], capture_output=True, text=True, check=True, timeout=60
    )
    assert [row["name"] for row in json.loads(printed.stdout)["designs"]] == left
    with exploring(CARS, *of, "--cone", "planar:120") as address, visiting(chromium, address) as page:
        mentions(page, "#sentence", "For 1 more price")  # as the cone counts in every other command
        assert page.locator(".steps:visible").count() == 0


def test_what_cannot_be_said_is_refused_before_a_page_opens(tmp_path):
    table = table_of(tmp_path, ["price", "speed"])
    for source, words, expected in (
        (str(table), ["--accept", "100 weight for 20 speed"], "weight"),
        (str(table), ["--accept", "1 price for 1 speed", "--accept", "1 speed for 0.5 price"], "price"),
        ("snw", ["--accept", "1 price for 1 speed"], "with the names log2 area, log2 throughput"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "conewise", "explore", source, "--no-browser", *words],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert expected in done.stderr


def test_the_shortlist_goes_into_a_report_by_the_command_beside_it(chromium, tmp_path):
    table = table_of(tmp_path, ["price", "speed", "range"])
    with (
        exploring(table, "--minimise", "price", "--unit", "price=100", "--level", "speed>=2") as address,
        visiting(chromium, address) as page,
    ):
        page.locator("#share-1").fill("10")
        mentions(page, "#note-ranking", "is no ranking")
        names = []
        for place in (4, 1):
            names.append(page.locator("#table button").nth(place).inner_text())
            page.locator("#table button", has_text=re.compile(f"^{names[-1]}$")).click()  # wherever it has moved to
            reads(page, ".chosen-name", names[-1])
            page.locator("#shortlist-toggle").click()
        with page.expect_download() as download:
            page.locator("#save-csv").click()
        download.value.save_as(tmp_path / "shortlist.csv")
        page.locator("#report-command").scroll_into_view_if_needed()
        remain = page.locator("#pareto").inner_text()
        program, *words = shlex.split(page.locator("#report-command").input_value())
        assert program == "conewise"
    done = subprocess.run(
        [sys.executable, "-m", "conewise", *words, "--json"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["shortlist"] == names
    assert sum(row["returned"] for row in found["designs"]) == int(remain)
