"""The first sentences of a report: the answer by name, and no more certainty than the proof has."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import conewise as cw
from conewise.question.objectives import Objective, as_objectives
from conewise.question.question import Guarantee, Heuristic
from conewise.report import sections
from conewise.report.answer import answer
from conewise.report.headline import headline, lead_words, one_of, price_lines, take, worth
from conewise.report.markdown import markdown_page
from conewise.report.slim import page_data
from conewise.report.subject import Moment, of_result
from conewise.rules import Result


def made(statuses, guarantee=None, *, success="cover", epsilon=0.1, returned=None, names=None, **more):
    k = len(statuses)
    status = np.array(statuses, dtype="<U16")
    pareto = status == "kept" if returned is None else np.array(returned, dtype=bool)
    means = np.column_stack([np.arange(k), -np.arange(k)]).astype(float)
    given = Guarantee(epsilon, 0.05, "t", "a") if guarantee is None else guarantee
    result = Result(pareto, status, 10 * k, given, epsilon, "x", means, np.full(k, 10), **more)
    names = [f"d{i}" for i in range(k)] if names is None else names
    return of_result(result, cw.Question(cw.Cone.orthant(2), epsilon=0.1, delta=0.05, success=success), names=names)


@pytest.mark.parametrize(
    ("statuses", "names", "sentence"),
    [
        (["kept", "beaten"], ["S235", "C45"], "Take S235."),
        (["kept"] * 3, ["S235", "C45", "42CrMo4"], "Take S235, C45 or 42CrMo4."),
        (["kept"] * 9, None, "Take d0, d1, d2, d3, d4 or one of 4 others."),
        (["kept"], ["alone"], "Take alone: there is no other design."),
        (["kept", "undecided", "beaten"], None, "Keep d0; d1 is undecided."),
        (["beaten", "undecided", "undecided"], None, "Not decided yet: d1 and d2 are in question."),
        (["undecided"] * 4, None, "Nothing is decided yet: all 4 designs are in question."),
        (["misses a level"] * 3, None, "Take none of the 3 designs: each of them misses a level."),
    ],
)
def test_the_answer_by_name(statuses, names, sentence):
    assert take(made(statuses, names=names)) == sentence


def test_long_names_are_fewer_and_the_shortlist_comes_first():
    names = [f"{letter * 60}" for letter in "abcdef"]
    assert one_of(names) == f"{'a' * 60}, {'b' * 60} or one of 4 others"
    subject = made(["kept"] * 9).with_shortlist(["d7", "d3"])
    assert take(subject) == "Take d3, d7, d0, d1, d2 or one of 4 others."
    with pytest.raises(cw.InputError, match="no design is called that; perhaps 'd7' is meant"):
        subject.with_shortlist(["D7"])


def test_what_it_is_worth_is_what_the_proof_gives():
    sure = "With probability at least 95 %, "
    best = "every design that no other beats"
    near = "none of these is further than that from being one."
    assert worth(made(["kept"] * 2)) == f"{sure}{best} is matched within epsilon = 0.1 by one of these, and {near}"
    assert worth(made(["kept", "beaten"])) == (
        f"{sure}{best} is matched within epsilon = 0.1 by it, which is no further than that from being one."
    )
    assert worth(made(["kept"] * 2, success="contain")) == (
        f"{sure}{best} is among these, and none of these is further than epsilon = 0.1 from being one."
    )
    exact = made(["kept"] * 2 + ["beaten"], Guarantee(0.0, 0.05, "t", "a"), success="contain")
    assert worth(exact) == f"{sure}{best} is among these, and none of these is surpassed in every respect."
    alone = made(["kept", "beaten"], Guarantee(0.0, 0.05, "t", "a"), success="contain")
    assert worth(alone) == f"{sure}it is the one design that no other beats."


@pytest.mark.parametrize("success", ["cover", "contain"])
def test_no_place_of_a_report_names_less_than_what_is_certified(success):
    certified = 0.745601051520221
    given = Guarantee(certified, 0.05, "t", "a")
    subject = made(["kept", "undecided", "beaten"], given, success=success, epsilon=certified, returned=[1, 1, 0])
    result = replace(subject.result, certified_epsilon=certified, certified={"every truth": certified})
    moments = (Moment(20, 1, 0, 1, 1, certified),)
    data = answer(replace(subject, result=result, history=moments))
    assert "epsilon = 0.7457" in data["headline"]["worth"]
    assert "epsilon = 0.7457" in data["certificate"]["sentence"]
    for said in (data["certificate"]["certified_epsilon"], data["history"][0]["certified_epsilon"]):
        assert said == 0.7456011
    assert page_data(data)["history"][0]["certified_epsilon"] == 0.7457
    page, text = sections.sure(data), markdown_page(replace(subject, result=result, history=moments))
    for shown in (page, text):
        assert len(re.findall(r"0\.7457\b", shown)) >= 3
        assert not re.search(r"0\.7456\b", shown)


def test_an_open_answer_names_what_its_guarantee_is_about():
    subject = made(["kept", "undecided", "beaten"], Guarantee(0.7, 0.05, "t", "a"), returned=[1, 1, 0])
    assert worth(subject) == (
        "With probability at least 95 %, every design that no other beats is matched within epsilon = 0.7 by d0 or d1, "
        "and none of them is further than that from being one; asked for was epsilon = 0.1."
    )
    nothing = made(["undecided"] * 3, Guarantee(9.0, 0.05, "t", "a"), returned=[1, 1, 1])
    assert worth(nothing) == "So far no design can be ruled out with probability 95 %."


def test_without_a_proof_it_says_why_and_with_a_model_on_average():
    assert worth(made(["kept"] * 2, Heuristic("made up"))) == "There is no guarantee: made up."
    model = made(["kept"] * 2, certified={"prior": 0.1, "every truth": None}, probability=np.ones(2))
    assert worth(model).startswith("With probability at least 95 % on average over the prior, every design")
    assert answer(model)["certificate"]["sentence"].startswith(
        "With probability at least 95 % on average over the prior "
    )


def test_a_models_likeliest_come_first_and_what_was_never_evaluated_is_said():
    model = made(["kept"] * 3, certified={"prior": 0.1}, probability=np.array([0.2, 0.9, 0.5]))
    assert take(model) == "Take d1, d2 or d0."
    unseen = replace(model, result=replace(model.result, counts=np.array([10, 0, 0])))
    assert headline(unseen)["standing"].endswith(
        "2 returned designs were never evaluated: only the model speaks for them."
    )


def test_how_many_stand_where():
    subject = made(["kept", "covered", "beaten", "misses a level"], certain=np.array([True, False, False, False]))
    assert headline(subject)["standing"] == (
        "Of 4 designs: 1 kept, 1 covered, 1 beaten and 1 misses a level (1 certainly Pareto optimal) after 40 "
        "evaluations."
    )


def test_differences_are_in_the_users_units_and_the_largest_steps_come_first():
    meaning = as_objectives([Objective("price (EUR)", "min", unit=500), "power", "a", "b", "c"])
    words = lead_words(meaning, np.array([1000.0, 90, 5, 1, 0.1]), np.array([2000.0, 80, 1, 3, 0.0]))
    assert words == "1000 EUR less price, 10 more power, 4 more a, 2 smaller differences"
    assert lead_words(meaning, np.full(5, np.nan), np.zeros(5)) == ""
    assert lead_words(meaning, np.ones(5), np.ones(5)) == "equal in everything"


def test_prices_are_said_for_every_epsilon():
    from conewise.analysis.guesses import Price

    subject = replace(made(["undecided"] * 2), remaining=120, prices=(Price(0.5, 30), Price(2.0, 0), Price(3.0, 10**9)))
    assert price_lines(subject) == [
        "epsilon = 0.1: about 120 more evaluations",
        "epsilon = 0.5: about 30 more evaluations",
        "epsilon = 2: nothing more",
        "epsilon = 3: no reasonable number of evaluations: some designs look like a tie",
    ]


def test_what_it_is_worth_with_levels():
    """An empty answer is an answer; a lone returned design may miss a level by epsilon: then nothing is acceptable."""
    wide = cw.Cone.planar(135)
    columns = [Objective("a", level=1.0), Objective("b")]

    def said(statuses, success, cone=None):
        asked = cw.Question(cone or cw.Cone.orthant(2), 0.1, 0.05, success=success, objectives=columns)
        result = made(statuses, success=success).result
        return worth(of_result(result, asked, names=[f"d{i}" for i in range(len(statuses))]))

    sure = "With probability at least 95 %, "
    for success in ("cover", "contain"):
        assert said(["misses a level"] * 2, success) == f"{sure}no design is acceptable."
    best = "every acceptable design that no other beats"
    near = "is no further than epsilon = 0.1 from being one"
    assert said(["kept", "beaten"], "contain") == f"{sure}{best} is no other than it, and it {near}."
    counted = ", not counting rivals that have no more to spare in a level"
    assert said(["kept", "beaten"], "contain", wide) == f"{sure}{best} is no other than it, and it {near}{counted}."
    assert said(["kept"] * 2, "contain", wide).endswith(f"further than epsilon = 0.1 from being one{counted}.")
