"""What a model says of designs, as readers see it in a browser: in the explorer's list and picture, and in a report."""

from __future__ import annotations

import pytest
from shared.browser import report_ready
from shared.explorer import exploring, mentions, point_at, reads, visiting

import conewise as cw
from conewise.noise import Gaussian
from conewise.report.page import html_page
from conewise.report.subject import of_study

ROWS = [{"name": f"d{k}", "x": k / 4} for k in range(5)]
MODEL = {"kind": "linear", "features": ["x"], "sizes": [5.0]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A study of five designs of which two were evaluated."""
    path = tmp_path_factory.mktemp("models") / "trial.db"
    asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.3, "delta": 0.1, "noise": Gaussian(0.05), "model": MODEL}
    with cw.Study.create(path, designs=ROWS, objectives=["gain", "ease"], **asked) as study:
        study.record(["d0", "d4"], [[0.0, 1.0], [1.0, 0.0]])
    return path


def test_the_explorer_lists_probabilities_and_says_them_of_whoever_is_pointed_at(chromium, place):
    with cw.Study.open(place, read_only=True) as study:
        likely = study.result().probability
    with exploring(place) as address, visiting(chromium, address) as page:
        page.locator("#everyone").select_option("all")
        mentions(page, "#table-head", "Probably Pareto")
        mentions(page, "#table tr:nth-child(1)", f"{likely[0]:.3f} measured")
        mentions(page, "#table tr:nth-child(3)", f"{likely[2]:.3f} predicted")
        point_at(page, "d4")
        mentions(page, "#plot-first .tip", f"probably Pareto {likely[4]:.3f} measured")
        page.locator("#table button", has_text="d2").click()
        mentions(page, "#selected", f"probably Pareto {likely[2]:.3f}, predicted")


def test_a_report_says_probabilities_of_whoever_is_pointed_at(chromium, place, tmp_path):
    with cw.Study.open(place, read_only=True) as study:
        (tmp_path / "report.html").write_text(html_page(of_study(study)), encoding="utf-8")
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        report_ready(page)
        drawing = "document.getElementById('front').drawing"
        x, y = page.evaluate(f"[{drawing}.px[{drawing}.placeOf(0)], {drawing}.py[{drawing}.placeOf(0)]]")
        name = page.evaluate(f"{drawing}.points.names[{drawing}.placeOf(0)]")
        page.locator("#front canvas").hover(position={"x": x, "y": y})
        reads(page, "#front .tip strong", name)
        mentions(page, "#front .tip", "probably Pareto")
        mentions(page, "#front .tip", "measured")
        mentions(page, "#answer", "predicted")
