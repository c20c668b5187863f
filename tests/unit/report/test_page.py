"""The page: nothing in it can run but its own scripts, no text becomes markup."""

from __future__ import annotations

import json
import re

import pytest
from shared import studies
from shared.answers import NASTY

from conewise.errors import ConewiseError
from conewise.report import page as pages
from conewise.report.answer import answer
from conewise.report.page import embedded, html_page
from conewise.report.subject import of_study


def test_no_text_of_a_user_becomes_markup(told):
    text = html_page(of_study(told, title="</title><img src=x onerror=alert(1)>"))
    own = text.split("<style>")[0] + text.split("</style>")[1].split('<script type="application/json"')[0]
    assert "<script>" not in own
    assert "<img" not in own
    assert not re.search(r"<[^>]*\son\w+=", own)  # no handler in any tag
    embedded_json = text.split('id="data">')[1].split("</script>")[0]
    assert "<" not in embedded_json
    assert json.loads(embedded_json)["rows"][0]["name"] in [NASTY, *"bcdef"]


def test_the_scripts_of_the_page_are_those_that_its_policy_names(told):
    text = html_page(of_study(told))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert len(scripts) == 3
    assert {f"'sha256-{pages._digest(script)}'" for script in scripts} == set(re.findall(r"'sha256-[^']*'", policy))
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert "http:" not in policy


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "&lt;", 'quote"', "\ud7ff😀"])
def test_embedded_json_reads_back(text):
    written = embedded({"name": text})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {"name": text}


def test_without_plotly_the_remedy_is_named(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(pages, "files", missing)
    with pytest.raises(
        ConewiseError, match=r"pip install \'\.\[explore\]\' in a checkout of conewise, or write Markdown \(`md`\)"
    ):
        pages.plotly_script()


def test_only_what_was_asked_for_has_the_colour_of_success(told, tmp_path):
    assert '<p class="verdict">' in html_page(of_study(told))
    with studies.make(tmp_path / "open.db") as study:
        batch = study.ask(18)
        study.tell(batch, studies.values_of(batch))
        subject = of_study(study)
    data = answer(subject)["certificate"]
    assert data["guaranteed"]
    assert not data["answered"]
    assert '<p class="verdict open">' in html_page(subject)
