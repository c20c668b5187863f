"""The page: nothing in it can run but its own scripts, no text becomes markup, and it says first what to take."""

from __future__ import annotations

import json
import re
from datetime import date

import numpy as np
import pytest
from shared import studies
from shared.answers import NASTY

import conewise as cw
from conewise.noise import Gaussian
from conewise.question.objectives import as_objectives
from conewise.report.answer import answer
from conewise.report.bundle import fingerprint
from conewise.report.known import of_values
from conewise.report.page import html_page
from conewise.report.subject import of_analysis, of_study


def test_no_text_of_a_user_becomes_markup(told):
    text = html_page(of_study(told, title="</title><img src=x onerror=alert(1)>"))
    own = text.split("</script>", 1)[1].split('<script type="application/json"')[0]
    assert "<script>" not in own
    assert "<img" not in text
    assert not re.search(r"<[^>]*\son\w+=", own)  # no handler in any tag
    assert "<" not in text.split('id="data">')[1].split("</script>")[0]
    assert f"<th scope=row>{NASTY.replace('<', '&lt;').replace('>', '&gt;')}<td" in own


def test_the_scripts_and_styles_of_the_page_are_those_that_its_policy_names(told):
    text = html_page(of_study(told))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    parts = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", text, flags=re.DOTALL)
    assert len(parts) == 3
    assert {f"'{fingerprint(part)}'" for part in parts} == set(re.findall(r"'sha256-[^']*'", policy))
    assert "unsafe" not in policy
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", text)
    assert " style=" not in text  # the policy would ignore it


def test_only_what_was_asked_for_has_the_colour_of_success(told, tmp_path):
    assert '<p class="worth">' in html_page(of_study(told))
    with studies.make(tmp_path / "open.db") as study:
        batch = study.ask(18)
        study.tell(batch, studies.values_of(batch))
        subject = of_study(study)
    data = answer(subject)["certificate"]
    assert data["guaranteed"]
    assert not data["answered"]
    assert '<p class="worth open">' in html_page(subject)


def test_the_answer_comes_first_and_the_theory_last(told):
    text = html_page(of_study(told), made=date(2026, 1, 31))
    heads = re.findall(r"<h[12][^>]*>([^<]*)", text)
    assert heads[0].startswith("Take ")
    assert heads[1:] == ["Why", "What next", "How sure", "The theory", "About this report"]
    for term in (
        "2026-01-31",
        "the study trial",
        "standard deviation 0.5",
        "as measured",
        f"conewise {cw.__version__}",
    ):
        assert term in text.split('id="about"')[1]
    assert html_page(of_study(told)) == html_page(of_study(told))  # nothing of the moment without a date


@pytest.mark.parametrize("measured", [False, True], ids=["known", "measured"])
@pytest.mark.parametrize("letters", [0, 60])
@pytest.mark.parametrize("dim", [2, 5, 8])
def test_a_thousand_designs_take_less_than_half_a_megabyte(dim, letters, measured):
    rng = np.random.default_rng(dim)
    values = rng.normal(size=(1000, dim))
    called = [f"objective {d}".ljust(letters, "x") for d in range(dim)]
    names = [f"design {k}".ljust(letters, "x") for k in range(1000)]
    cone = cw.Cone.importance(0.05, dim=dim)
    if measured:
        table = [{"design": n, **dict(zip(called, v, strict=True))} for n, v in zip(names, values, strict=True)] * 2
        asked = {"epsilon": 0.3, "delta": 0.05, "noise": Gaussian(0.1)}
        found = cw.analyse(table, cone, objectives=called, minimise=called[:1], **asked)
        text = html_page(of_analysis(found, "many"))
    else:
        text = html_page(of_values(names, values, as_objectives(called, called[:1]), cone, "many"))
    assert len(text.encode()) < 500_000
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert len(data["rows"]["status"]) == text.count("<tr><th scope=row>") == 1000
