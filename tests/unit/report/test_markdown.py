"""A report in Markdown: names as they are, and nothing started by itself."""

from __future__ import annotations

import re
from datetime import date
from html import unescape

import numpy as np
import pytest
from shared import studies
from shared.answers import NASTY

import conewise as cw
from conewise.question.question import Guarantee
from conewise.report import sections
from conewise.report.answer import answer
from conewise.report.known import of_front
from conewise.report.markdown import escaped, markdown_page
from conewise.report.subject import of_result, of_study
from conewise.rules import Result


def test_markdown_shows_names_as_they_are(told):
    text = markdown_page(of_study(told, title="a | b"))
    assert text.startswith("# a \\| b\n")
    assert "\\<script\\>" in text
    assert NASTY not in text
    assert "\n- w1 = gain\n- w2 = −cost\n" in text
    assert "objective 1" not in text
    assert (
        len(
            [
                line
                for line in text.splitlines()
                if line.startswith("| ") and any(word in line for word in ("kept", "covered", "beaten"))
            ]
        )
        >= 6
    )


def test_date_source_versions_and_shortlist_stand_in_it(told):
    subject = of_study(told).with_shortlist([told.names[2], told.names[0]])
    text = markdown_page(subject, made=date(2026, 5, 4))
    about = text[text.index("## About this report") :]
    assert "\n- date: 2026-05-04\n" in about
    assert f"\n- made by: conewise {cw.__version__}, numpy {np.__version__}, Python " in about
    assert "\n- source: " in about
    assert "\n- noise: " in about
    head, _, *lines = [line for line in text.splitlines() if line.startswith("|")][: 2 + len(told.objectives) + 1]
    assert head == f"| the shortlist | {escaped(told.names[2])} | {escaped(told.names[0])} |"
    assert lines[-1].startswith("| status | ")
    assert [line.split(" | ")[0] for line in lines[:-1]] == [f"| {escaped(name)}" for name in told.objectives]
    plain = markdown_page(of_study(told))
    assert "- date:" not in plain  # the same bytes every day
    assert "the shortlist" not in plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("--<b>x</b>", r"\--\<b\>x\</b\>"),
        ("-- [x](y)", r"\-- \[x\](y)"),
        ("---", r"\---"),
        ("===", r"\==="),
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("12. item", r"12\. item"),
        ("3) item", r"3\) item"),
        ("    code", "code"),
        ("> quote", r"\> quote"),
        ("~~gone~~", r"\~\~gone\~\~"),
        ("&lt;b&gt; $x$", r"\&lt;b\&gt; \$x\$"),
        ("https://a.b www.c.d", r"https\://a.b www\.c.d"),
        ("-0.5", "-0.5"),
        ("1.5", "1.5"),
        ("d-1", "d-1"),
    ],
)
def test_markdown_starts_nothing_of_its_own(text, shown):
    assert escaped(text) == shown


def test_markdown_has_every_word_and_number_of_the_page(told, tmp_path):
    """But for pictures, their legends, and what one can press."""
    with studies.make(tmp_path / "open.db") as opened:
        batch = opened.ask(60)
        opened.tell(batch, studies.values_of(batch))
        unfinished = of_study(opened)
    cars = [{"name": name, "price": 1e6 + p, "power": w} for name, p, w in [("a", 9, 80), ("b", 8, 90), ("c", 7, 70)]]
    known = of_front(cars, objectives=["price", "power"], minimise=["price"]).with_shortlist(["a", "b"])
    for subject in (of_study(told), unfinished, known):
        data, text = answer(subject), markdown_page(subject).replace("\\", "")
        page = [sections.why(data), sections.next_up(data), sections.theory(data, subject.cone)]
        page += [sections.pairs_list(sections.sure_pairs(data)), sections.paragraphs(sections.also_said(data))]
        shown = re.sub(r'<div class="controls">.*?</div>|<svg.*?</svg>', "", "".join(page), flags=re.DOTALL)
        words = [unescape(part).strip() for part in re.split(r"<[^>]*>", shown)]
        missing = {part for part in words if part and " ".join(part.split()) not in text}
        assert missing <= {"The shortlist", "Every design", ""}, missing


def test_a_title_that_begins_with_dashes_is_escaped_as_any_other(told):
    text = markdown_page(of_study(told, "--<script>alert(1)</script> [x](javascript:1)"))
    assert text.startswith("# \\--\\<script\\>alert(1)\\</script\\> \\[x\\](javascript:1)\n")
    assert "\n| --- | --: | --: |" in text


def test_a_models_answer_shows_probabilities_and_both_kinds_of_guarantee():
    status = np.array(["kept", "kept"])
    result = Result(
        np.ones(2, dtype=bool),
        status,
        7,
        Guarantee(0.1, 0.05, "t", "a"),
        0.1,
        "x",
        np.array([[0.0, 1], [1, 0]]),
        np.array([4, 0]),
        probability=np.array([0.97, 0.9]),
        certified={"prior": 0.1, "every truth": None},
    )
    text = markdown_page(of_result(result, cw.Question(cw.Cone.orthant(2), 0.1, 0.05), names=list("ab")))
    assert "| probably Pareto | evidence | evaluations | gap |\n| --- | --- | --- | --: | --: | --: | --- |" in text
    assert re.search(r"\| b \|.*\| 0.9 \| predicted \| 0 \|", text)
    assert "- on average over the prior: within epsilon = 0.1" in text
    assert "- for every truth: nothing yet" in text


def test_of_known_values_nothing_is_assumed_and_better_is_said():
    table = [{"name": name, "price": p, "power": w} for name, p, w in [("a", 9, 80), ("b", 8, 90)]]
    text = markdown_page(of_front(table, objectives=["price", "power"], minimise=["price"]))
    assert "## Why\n\nBetter is less price, more power.\n" in text
    assert not any(word in text for word in ("assuming", "certified epsilon", "How it got there"))
