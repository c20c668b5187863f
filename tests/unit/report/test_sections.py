"""The sections of a report: what stands where, and in which words."""

from __future__ import annotations

import re

import numpy as np

import conewise as cw
from conewise.question.question import Guarantee
from conewise.report import sections
from conewise.report.answer import answer
from conewise.report.known import of_front
from conewise.report.subject import of_result
from conewise.rules import Result

CARS = [{"name": name, "price": p, "power": w} for name, p, w in [("a", 9e5, 80), ("b", 9e5 + 2, 90), ("c", 12, 1)]]


def test_close_and_large_values_can_be_told_apart():
    data = answer(of_front(CARS[:2], objectives=["price", "power"], minimise=["price"]))
    assert "<td>900000<td>80" in sections.why(data)
    assert "<td>900002<td>90" in sections.why(data)


def test_a_models_answer_shows_probabilities_and_both_kinds_of_guarantee():
    status = np.array(["kept", "kept", "beaten"])
    result = Result(
        status == "kept",
        status,
        7,
        Guarantee(0.1, 0.05, "t", "a"),
        0.1,
        "x",
        np.array([[0.0, 1], [1, 0], [-1, -1]]),
        np.array([4, 0, 3]),
        probability=np.array([0.97, 0.9, 0.001]),
        certified={"prior": 0.1, "every truth": None},
    )
    question = cw.Question(cw.Cone.orthant(2), 0.1, 0.05, cw.noise.Gaussian(1.0))
    data = answer(of_result(result, question, names=list("abc")))
    assert dict(sections.about(data, None))["noise"] == f"for every truth: {question.noise.words}"
    assert "<dt>on average over the prior</dt><dd>within epsilon = 0.1</dd>" in sections.sure(data)
    assert "<dt>for every truth</dt><dd>nothing yet</dd>" in sections.sure(data)
    table = sections.why(data)
    assert re.search(r"<th scope=row>b<td class=kept>kept<td><td>1<td>0<td>0.9<td>predicted<td>0<td>", table)
    assert [name for name, _ in sections.columns(data)][-4:] == ["probably Pareto", "evidence", "evaluations", "gap"]


def test_the_best_of_a_shortlist_is_marked_in_its_own_direction():
    subject = of_front(CARS, objectives=["price", "power"], minimise=["price"]).with_shortlist(["c", "b"])
    shown = sections.why(answer(subject))
    assert '<tr><th scope="row">price<td class=best>12<td>900000' in shown
    assert '<tr><th scope="row">power<td>1<td class=best>90' in shown


def test_levels_are_said_with_what_is_wanted():
    price = cw.Objective("price", "min", level=1000)
    data = answer(of_front(CARS, objectives=[price, "power"]))
    assert "Better is less price (at most 1000), more power." in sections.preference(data)
    assert "price (smaller is better, at most 1000 is acceptable)" in sections.question_words(data)


def test_large_numbers_have_no_exponent_and_units_come_with_the_cone():
    table = [{"name": name, "price": p, "power": w} for name, p, w in [("a", 1.5e6, 80), ("b", 2.9e6, 70)]]
    price = cw.Objective("price", "min", unit=100000, level=2500000)
    data = answer(of_front(table, objectives=[price, cw.Objective("power", unit=10)]))
    page = sections.why(data) + sections.theory(data, cw.Cone.orthant(2))
    assert "e+0" not in page
    assert "less price (at most 2500000)" in page
    assert "<code>--cone orthant:2 --unit price=100000 --unit power=10</code>" in page
    assert dict(sections.about(data, None))["units"] == "one step is price: 100000, power: 10"
    assert '<span class="mark level"></span>level</li>' in sections.first(data)
    assert data["headline"]["worth"].endswith("no other acceptable design beats it.")
    assert "mark level" not in sections.first(answer(of_front(CARS, objectives=["price", "power"])))


def test_what_is_assumed_and_what_remains_are_said_once():
    data = answer(of_front(CARS, objectives=["price", "power"]))
    data |= {
        "known": False,
        "sentences": ["Assumed: this.", "Deciding the rest takes about 6 more.", "Something else."],
    }
    assert sections.also_said(data) == ["Something else."]
    assert "Assumed: " not in sections.sure(data)
