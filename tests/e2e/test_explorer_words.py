"""What the explorer says: no more than is known of a study, of levels that nobody meets, of amounts and of the cost."""

from __future__ import annotations

import numpy as np
from shared.explorer import exploring, reads, visiting
from shared.studies import make

import conewise as cw


def table_of(folder, values, columns="abcdefgh"):
    path = folder / "table.csv"
    rows = [",".join([f"d{k}", *map(repr, row)]) for k, row in enumerate(np.asarray(values, float).tolist())]
    path.write_text("\n".join([",".join(["name", *columns[: len(values[0])]]), *rows]), encoding="utf-8")
    return path


def test_levels_that_nobody_meets_are_why_nobody_remains(chromium, tmp_path):
    table = table_of(tmp_path, [[1, 5], [2, 4], [3, 2]])
    with exploring(table, "--level", "a>=4") as address, visiting(chromium, address) as page:
        reads(page, "#pareto", "0")
        for place in ("#duel-words", "#hardness", "#angle-range"):
            reads(page, place, "No design meets the levels.")
        for place in ("#leaving", "#entering"):
            reads(page, place, "none")
        page.locator("#level-0").fill("3")
        reads(page, "#pareto", "1")
        reads(page, "#angle-range", "")


def test_of_a_study_with_levels_nothing_is_known_before_its_first_evaluation(chromium, tmp_path):
    asked = {"objectives": [cw.Objective("gain", level=0.5), cw.Objective("cost", "min")], "minimise": ()}
    with (
        make(tmp_path / "trial.db", **asked),
        exploring(tmp_path / "trial.db") as address,
        visiting(chromium, address) as page,
    ):
        for place in ("#duel-words", "#hardness"):
            reads(page, place, "No design has values yet.")


def test_what_is_wanted_at_least_is_not_rounded_down(chromium, tmp_path):
    from playwright.sync_api import expect

    table = table_of(tmp_path, [[1, 5], [2, 4], [3, 2]])
    with (
        exploring(table, "--cone", "rays:[[1,0],[-1,10.009]]") as address,
        visiting(chromium, address) as page,
    ):
        expect(page.locator("#rate-0")).to_have_value("10.1")
        for typed in (
            "3",
            "10",
            "2.4",
            "0.0313",
        ):  # and nothing is added to what was said, whatever a ray's digits lose
            page.locator("#rate-0").fill(typed)
            page.wait_for_url("**#base=*")
            page.locator("#rate-0").blur()
            expect(page.locator("#rate-0")).to_have_value(typed)
