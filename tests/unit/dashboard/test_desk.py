"""The desk: what was asked last is served, what is remembered has a limit, answers stay small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shared.explorer import designs_of, fixed

import conewise as cw
from conewise.dashboard import desk as desk_module
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Fixed
from conewise.errors import ConewiseError


def source_of(values, **more):
    designs = designs_of(values, **more)
    return Fixed("t", designs, cw.Cone.orthant(designs.dim), None)


def test_a_page_that_moved_on_is_not_served_what_it_no_longer_wants():
    desk = Desk(source_of(np.random.default_rng(0).normal(size=(500, 3))))
    old = {"first": {"shares": [1, 0, 0]}, "page": "a", "move": 1}
    assert desk.hardness(old)["rate"] > 0  # nobody has moved
    desk.front({"first": {"shares": [2, 0, 0]}, "page": "a", "move": 3})
    assert desk.hardness(old)["rate"] > 0  # known already
    for question in (desk.front, desk.hardness):
        with pytest.raises(ConewiseError, match="moved on"):
            question({"first": {"shares": [3, 0, 0]}, "page": "a", "move": 2})
    for asked in ({"page": "a", "move": 3}, {"page": "b", "move": 1}, {"page": ["a"], "move": 1}, {"page": "a"}, {}):
        assert desk.front({"first": {"shares": [4, 0, 0]}, **asked})["first"]["pareto"] > 0
    for move in (9, 8):  # a page with a long name is not remembered
        assert desk.front({"first": {"shares": [5, 0, move]}, "page": "a" * 10**5, "move": move})
    for k in range(200):
        desk.front({"first": {"shares": [5, 0, 0]}, "page": f"p{k}", "move": k})
    assert desk.front({"first": {"shares": [6, 0, 0]}, "page": "a", "move": 1})  # nor one before the last 64


def test_a_compared_cone_half_typed_hides_only_itself():
    desk = Desk(source_of(np.random.default_rng(0).normal(size=(50, 2))))
    answer = desk.front({"first": {"degrees": 90}, "second": {"text": "planar:"}})
    assert "planar:135 (an angle" in answer["second_error"]
    assert (answer["second"], answer["difference"]) == (None, None)
    assert answer["first"]["pareto"] > 0
    assert desk.front({"first": {"degrees": 90}, "second": {"text": "planar:60"}})["second_error"] is None


def test_who_entered_and_who_left_since_another_cone():
    means = cw.problems.load("snw").means
    desk = Desk(source_of(means))
    masks = {degrees: cw.pareto_mask(means, cw.Cone.planar(degrees)) for degrees in (60, 90, 135)}
    for before, now in ((90, 135), (135, 60), (90, 90)):
        moved = desk.front({"first": {"degrees": now}, "before": {"degrees": before}})["moved"]
        assert moved["before"] == f"planar:{before}"
        for word, there, not_there in (("entered", now, before), ("left", before, now)):
            places = np.flatnonzero(masks[there] & ~masks[not_there])
            assert moved[word]["count"] == len(places)
            assert moved[word]["index"] == places[:12].tolist()
            assert moved[word]["names"] == [f"d{k}" for k in places[:12]]
    assert desk.front({"first": {"degrees": 90}})["moved"] is None


def test_a_design_without_values_is_neither_pareto_nor_beaten():
    desk = Desk(source_of([[1, 2], [np.nan, np.nan], [0, 1]]))
    facts = [desk.design({"index": k, "first": {"degrees": 90}}) for k in range(3)]
    assert [(f["values"], f["pareto"], f["beaten_by"], [r["name"] for r in f["rivals"]]) for f in facts] == [
        ([1, 2], True, 0, []),
        (None, False, 0, []),
        ([0, 1], False, 1, ["d0"]),
    ]


def test_the_words_name_the_objectives():
    desk = Desk(source_of([[1, 2], [2, 1]], objectives=["strength (MPa)", "price (EUR)"], minimised=("price (EUR)",)))
    words = " ".join(desk.front({"first": {"degrees": 120}})["first"]["words"])
    assert "strength (MPa)" in words
    assert "price (EUR)" in words
    assert "objective 1" not in words
    assert "objective 2" not in words


def test_what_is_remembered_has_a_limit(monkeypatch):
    monkeypatch.setattr(desk_module, "MOST_BYTES", 3 * 100 * 8)
    x = np.linspace(0, 1, 100)
    desk = Desk(fixed(np.column_stack([x, 1 - x])))  # all are Pareto
    for degrees in range(50, 60):
        assert desk.front({"first": {"degrees": degrees}, "before": {"degrees": 50}})["first"]["pareto"] == 100
    made, front = [], desk_module.answers.front
    monkeypatch.setattr(desk_module.answers, "front", lambda *asked: made.append(asked) or front(*asked))

    def computed(degrees):
        made.clear()
        assert desk.front({"first": {"degrees": degrees}})["first"]["pareto"] == 100
        return len(made)

    assert [computed(degrees) for degrees in (50, 59, 58, 51, 50)] == [0, 0, 0, 1, 1]
    monkeypatch.setattr(desk_module, "MOST_BYTES", 1)
    assert [computed(degrees) for degrees in (70, 70, 50)] == [1, 0, 1]  # the last one always


def test_three_objectives_and_one():
    rng = np.random.default_rng(0)
    three = Desk(fixed(rng.normal(size=(50, 3)), minimised=("f1",)))
    answer = three.front({"first": {"shares": [10, 0, 25]}})
    means = three.source.designs().values * [1, -1, 1]
    assert answer["first"]["pareto"] == cw.pareto_mask(means, cw.Cone.parse(answer["first"]["cone"])).sum()
    assert answer["first"]["rays"] is None
    one = Desk(fixed([[1], [3], [2]]))
    assert one.front({"first": {"text": "orthant:1"}})["first"]["points"]["index"] == [1]
    assert "error" in Desk(fixed([[1, 2]])).front({"first": {"degrees": 90}})["first"]["cost"]  # nothing to find out


def test_where_nobody_counts_every_answer_says_why():
    """A level that a study has from the start says nothing of designs without values."""
    asked = {"first": {"degrees": 90}, "levels": {"0": 9}}
    study = replace(designs_of([[1, 2], [2, 1]]), averages=True)
    for designs, why in (
        (designs_of([[1, 2], [2, 1]]), "no design meets the levels."),
        (study, "no design meets the levels, by the averages so far."),
        (replace(study, values=np.full((2, 2), np.nan)), "no design has values yet."),
        (replace(study, values=np.array([[1, np.nan]])), "no design has values yet."),
    ):
        desk = Desk(Fixed("t", designs, cw.Cone.orthant(2), None))
        for question in (desk.duel, desk.hardness):
            with pytest.raises(ConewiseError) as refused:
                question(asked)
            assert str(refused.value) == why


def test_a_shortlist_of_a_study_says_that_it_stands_by_the_averages():
    asked = {"first": {"degrees": 90}, "index": [0]}
    designs = designs_of([[1, 2], [2, 1]])
    for averages, head in ((False, "pareto"), (True, "pareto by the averages")):
        desk = Desk(Fixed("t", replace(designs, averages=averages), cw.Cone.orthant(2), None))
        assert desk.shortlist(asked)["csv"] == f"design,f0,f1,{head}\r\nd0,1.0,2.0,yes\r\n"
