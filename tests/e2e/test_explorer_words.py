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
