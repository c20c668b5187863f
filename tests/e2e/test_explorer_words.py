"""What the explorer says: no more than is known of a study, of levels that nobody meets, of amounts and of the cost."""

from __future__ import annotations

import csv
import math
import re
from contextlib import contextmanager

import numpy as np
import pytest
from shared.browser import serious_violations
from shared.explorer import designs_of, drawn, exploring, mentions, place_of, reads, save_page, visiting
from shared.studies import make, values_of

import conewise as cw
from conewise.dashboard.saved import page as saved_page

HINT = "Choose a design in the picture or in the list."
RANGE = "The opening angle is a number from 0.1 to 179.9 degrees."
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


def table_of(folder, values, columns="abcdefgh"):
    path = folder / "table.csv"
    rows = [",".join([f"d{k}", *map(repr, row)]) for k, row in enumerate(np.asarray(values, float).tolist())]
    path.write_text("\n".join([",".join(["name", *columns[: len(values[0])]]), *rows]), encoding="utf-8")
    return path


@contextmanager
def unfinished(chromium, folder):
    """A page about a study of which some evaluations are told, and the averages."""
    with make(folder / "trial.db") as study:
        batch = study.ask(30)
        study.tell(batch, values_of(batch))
        with exploring(folder / "trial.db") as address, visiting(chromium, address) as page:
            mentions(page, "#standing", f"Live: {len(batch)} evaluations told")
            yield page, study, study.result()


def test_a_saved_page_of_an_unfinished_study_says_what_it_is_worth(chromium, tmp_path):
    with unfinished(chromium, tmp_path) as (page, study, result):
        kept = page.locator("#pareto").inner_text()
        path, errors = save_page(page, tmp_path), study.standard_errors()
    with visiting(chromium, path.as_uri()) as page:
        reads(page, "#pareto", kept)
        assert kept == str((result.status == "kept").sum())
        undecided = int((result.status == "undecided").sum())
        mentions(page, "#pareto-label", f"{undecided} undecided, as the study says")
        reads(page, "#legend-undecided", f"undecided ({undecided})")
        k = int(np.flatnonzero(cw.pareto_mask(result.means, study.cone))[0])
        page.get_by_role("button", name=study.names[k], exact=True).click()
        assert "Now" not in page.locator("#selected").inner_text()  # which the study's own word is
        page.locator("#degrees-exact").fill("91")
        mentions(page, "#pareto-label", "by the averages so far: of this preference the study proves nothing.")
        mentions(page, "#standing", f"The study at that time: {result.evaluations} evaluations told; ")
        mentions(page, "#standing", f"{undecided} undecided; epsilon ")
        reads(page, "#legend-stays", "remains, by the averages so far")
        reads(page, "#legend-out", "beaten, by the averages so far")
        mentions(page, "#selected", "Nowremains, by the averages")
        mentions(page, "#selected", f"The study says{result.status[k]}")
        mentions(page, "#selected", f"Evaluations{result.counts[k]}")
        mentions(page, "#selected", f"standard error {errors[k, 0]:.2g}")
        page.mouse.move(*place_of(page, "b"))
        mentions(page, "#plot-first .tip", "beaten, by the averages")
        page.locator("#level-0").fill("100")
        mentions(page, "#selected", "Nowmisses a level, by the averages: gain ")
        reads(page, "#legend-out", "beaten, or misses a level, by the averages so far")
        page.locator("#as-saved").click()
        reads(page, "#legend-undecided", f"undecided ({undecided})")
        assert serious_violations(page) == []


def test_averages_beyond_a_level_are_no_verdict(chromium, tmp_path):
    with unfinished(chromium, tmp_path) as (page, study, result):
        k = int(result.averages[:, 0].argmax())
        page.locator("#table").get_by_role("button", name=study.names[k], exact=True).click()
        reads(page, ".chosen-name", study.names[k])
        page.locator("#shortlist-toggle").click()
        count = int(np.isin(result.status, ("kept", "undecided")).sum())
        reads(page, "#listed", f"1 to {count} of {count} designs that are kept or undecided.")
        reads(page, "#table-head th[data-column=pareto]", "Status")
        page.locator("#level-0").fill(repr(round(float(result.averages[k, 0]) + 0.01, 6)))
        mentions(page, "#selected", "Nowmisses a level, by the averages: gain ")
        page.locator("#everyone").select_option("all")
        reads(page, "#table-head th[data-column=pareto]", "Pareto, by the averages")
        reads(page, "#compared tbody tr:last-child", "Now, by the averagesmisses a level")
        reads(page, "#caption-first", "planar:90: 0 Pareto, by the averages")
        for place in ("#duel-words", "#hardness", "#angle-range"):
            reads(page, place, "No design meets the levels, by the averages so far.")
        with page.expect_download() as download:
            page.locator("#save-csv").click()
        with open(download.value.path(), encoding="utf-8", newline="") as file:
            head, row = csv.reader(file)
        assert (head[-1], row[-1]) == ("pareto by the averages", "misses a level")


def test_levels_that_nobody_meets_are_why_nobody_remains(chromium, tmp_path):
    table = table_of(tmp_path, [[1, 5], [2, 4], [3, 2]])
    with exploring(table, "--level", "a>=4") as address, visiting(chromium, address) as page:
        reads(page, "#pareto", "0")
        for place in ("#duel-words", "#hardness", "#angle-range"):
            reads(page, place, "No design meets the levels.")
        for place in ("#leaving", "#entering"):
            reads(page, place, "none")
        saved = save_page(page, tmp_path)
        page.locator("#level-0").fill("3")
        reads(page, "#pareto", "1")
        reads(page, "#angle-range", "")
    with visiting(chromium, saved.as_uri()) as page:
        reads(page, "#names", "No design meets the levels.")
        page.locator("#level-0").fill("3")
        mentions(page, "#names", "d2")


def test_a_page_says_whether_what_a_study_certifies_holds_for_every_truth(chromium, tmp_path):
    with make(tmp_path / "trial.db", model=cw.models.Independent(), algorithm="auto") as study:
        batch = study.ask(40)
        study.tell(batch, values_of(batch))
        with exploring(tmp_path / "trial.db") as address, visiting(chromium, address) as page:
            mentions(page, "#standing", " certified on average over the prior (for every truth ")
            assert "Not guaranteed" not in page.locator("#standing").inner_text()
            study.withdraw(batch[:1], "an outlier", for_its_value=True)
            mentions(page, "#standing", "Not guaranteed: 1 value was withdrawn for what it is")


def test_of_a_study_with_levels_nothing_is_known_before_its_first_evaluation(chromium, tmp_path):
    asked = {"objectives": [cw.Objective("gain", level=0.5), cw.Objective("cost", "min")], "minimise": ()}
    with (
        make(tmp_path / "trial.db", **asked),
        exploring(tmp_path / "trial.db") as address,
        visiting(chromium, address) as page,
    ):
        for place in ("#duel-words", "#hardness"):
            reads(page, place, "No design has values yet.")


def test_a_bound_below_one_evaluation_of_each_design_rules_nothing_out(chromium, tmp_path):
    values = np.array([[0.0, 3.0], [1.0, 2.0], [3.0, 0.0], [0.5, 0.5]])
    factor = cw.hardness(values, cw.Cone.orthant(2), 0.1) * math.log(1 / 0.01)
    with exploring(table_of(tmp_path, values)) as address, visiting(chromium, address) as page:
        for rate, words in (
            (0.5, "rule nothing out: it is below one evaluation of each design"),
            (1.2, "rule nothing out: it is below one evaluation of each design"),
            (40, "every correct rule would need on the order of 40 evaluations"),
            (3.9, "rule nothing out: it is below one evaluation of each design"),
        ):
            page.locator("#sigma").fill(repr(math.sqrt(rate / factor)))
            mentions(page, "#hardness", words)


@pytest.fixture
def saved(tmp_path):
    """The address of a saved page of two objectives."""
    path = tmp_path / "two.html"
    designs = designs_of(np.random.default_rng(0).normal(size=(30, 2)))
    path.write_text(saved_page("designs", designs, cw.Cone.orthant(2), []), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("kind", ["live", "saved"])
def test_the_word_for_90_degrees_stands_there(chromium, snw, saved, kind, size):
    with visiting(chromium, snw if kind == "live" else saved, **size) as page:
        slider, word = page.locator("#degrees").bounding_box(), page.get_by_text("never", exact=True).bounding_box()
        assert abs(slider["x"] + slider["width"] / 2 - (word["x"] + word["width"] / 2)) < 2
        assert page.locator("#degrees").input_value() == "90"


@pytest.mark.parametrize("kind", ["live", "saved"])
def test_an_angle_that_is_none_is_refused_until_it_is_right_again(chromium, snw, saved, kind):
    with visiting(chromium, snw if kind == "live" else saved) as page:
        field, sentence = page.locator("#degrees-exact"), page.locator("#sentence").inner_text()
        page.locator("#rate-0").fill("-1")
        mentions(page, "#refusal", "An amount is a positive number")
        page.locator("#rate-0").blur()
        reads(page, "#refusal", "")  # the field has what holds
        for wrong in ("200", "180", "0", "-3", "", "0.001"):
            field.fill("120")
            reads(page, "#refusal-degrees", "")
            field.fill(wrong)
            reads(page, "#refusal-degrees", RANGE)
        mentions(page, "#sentence", "For 1")
        assert page.locator("#sentence").inner_text() == sentence
        assert page.locator("#degrees").input_value() == "120"
        assert serious_violations(page) == []
        page.locator("#degrees").fill("100")
        reads(page, "#refusal-degrees", "")
        field.fill("0.1")
        reads(page, "#refusal-degrees", "")


@pytest.mark.parametrize("dim", [2, 3])
def test_what_was_said_stands_on_a_saved_page(chromium, tmp_path, dim):
    table = table_of(tmp_path, np.random.default_rng(5).normal(size=(20, dim)), ["boot (hl)", "power (kW)", "c"])
    (tmp_path / "other").mkdir()
    with (
        exploring(table, "--accept", '1 "boot (hl)" for 40 "power (kW)"') as address,
        visiting(chromium, address) as page,
    ):
        page.locator("#duel-pair button.design").first.click()
        mentions(page, "#said", "rather than")
        more = page.locator("#said li span").inner_text()
        path = save_page(page, tmp_path)
        page.locator("#said button").click()
        reads(page, "#said", "")
        mentions(page, "#moved", "entered")  # what was said is gone; the next move begins there
        page.locator("#degrees" if dim == 2 else "#share").fill("10")
        mentions(page, "#moved", "entered")
        other = save_page(page, tmp_path / "other")
    with visiting(chromium, path.as_uri()) as page:
        said = page.locator("#said li").all_inner_texts()
        assert said == ["1 boot (hl) for 40 power (kW) is worth it", more]
        assert serious_violations(page) == []
    with visiting(chromium, other.as_uri()) as page:
        page.locator("#said-block").wait_for(state="hidden")


def test_lines_that_miss_a_level_are_in_the_legend(chromium, tmp_path):
    table = table_of(tmp_path, np.random.default_rng(5).normal(size=(20, 4)))
    with exploring(table) as address, visiting(chromium, address) as page:
        reads(page, "#legend-out", "beaten")
        page.locator("#level-1").fill("0.5")
        reads(page, "#legend-out", "beaten, or misses a level")
        path = save_page(page, tmp_path)
    with visiting(chromium, path.as_uri()) as page:
        reads(page, "#legend-out", "beaten, or misses a level")
        page.locator("#level-1").fill("")
        reads(page, "#legend-out", "beaten")


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


def test_any_cell_of_a_row_selects_and_back_shows_the_hint_again(chromium, snw):
    with visiting(chromium, snw) as page:
        reads(page, "#selected", HINT)
        row = page.locator("#table tr").nth(2)
        name = row.locator("button").inner_text()
        row.locator("td").nth(1).click()
        reads(page, ".chosen-name", name)
        page.wait_for_url("**selected=*")
        page.go_back()
        reads(page, "#selected", HINT)
        page.go_forward()
        reads(page, ".chosen-name", name)
        page.locator("#table tr").nth(4).locator("button").focus()  # the keyboard has the name
        page.keyboard.press("Enter")
        reads(page, ".chosen-name", page.locator("#table tr").nth(4).locator("button").inner_text())


@pytest.mark.parametrize("dim", [5, 8])
def test_the_ends_of_axes_are_not_inside_the_range_on_a_phone(chromium, tmp_path, dim):
    low, high = (
        np.array([0.51234, 480.4, -481.61, 1.0, 96.4, 2.0, 3.0, 4.0]),
        np.array([0.98765, 481.61, -3.14159, 1.0, 104.49, 2.5, 1234.56, 5e7 + 1]),
    )
    table = table_of(tmp_path, [low[:dim], high[:dim]])
    with exploring(table) as address, visiting(chromium, address, **PHONE) as page:
        drawn(page, "frames")
        text = page.evaluate("document.getElementById('plot-first').drawing.vector()")
        found = [float(x.replace("−", "-")) for x in re.findall(r">([-−]?[\d.]+(?:e[+-]?\d+)?)</text>", text)]
        assert len(found) == 2 * dim
        down, up = np.array(found).reshape(dim, 2).T
        assert (down <= low[:dim]).all()
        assert (up >= high[:dim]).all()
        if dim == 5:
            np.testing.assert_allclose([*down, *up], [*low[:dim], *high[:dim]], rtol=0.005)  # enough digits
