"""Statements as text: read as they are written, designs by name, and one sentence for what is none."""

from __future__ import annotations

import json

import pytest

import conewise as cw
from conewise.preferences.preferences import stated_cone
from conewise.question.objectives import Objective, as_objectives


@pytest.mark.parametrize(
    "text",
    [
        "accept: 100 price (EUR), all in for 3 speed",
        "accept: 2 speed and 1 noise for 10 price (EUR), all in",
        "prefer: price (EUR), all in=10.5, speed=3, noise=1 > price (EUR), all in=9, speed=1, noise=1",
        "undecided: price (EUR), all in=10.5, speed=3, noise=1 ? price (EUR), all in=9, speed=1, noise=1",
        "importance: speed=20%, noise=10%",
        "ranked: speed, noise",
        "never: noise",
        "never: noise for speed",
    ],
)
def test_text_forms_are_read_as_they_are_written(text):
    named = [Objective("price (EUR), all in", "min", unit=500), "speed", Objective("noise", "min")]
    said = cw.Preferences(named).said(text)
    again = cw.Preferences.from_dict(json.loads(json.dumps(said.to_dict())))
    assert again.statements[0].text == said.statements[0].text
    assert again.statements[0].rays == pytest.approx(said.statements[0].rays)
    assert again.cone == said.cone


NAMES = (
    ["a", "b"],
    ["price, EUR", "speed > 3"],
    ["a for b", "b"],
    ["x", "x, 2 y", "y"],
    ['"x"', "x"],
    ["for", "and"],
    ["a", "a for 3 b", "b"],
    ["a", "a=1, b", "b"],
    ["a?", "b ? c"],
    ["a", "a,"],
    [" a", "a "],
    ["20%", "1e3", "2 a"],
    ["never: x", "cone: y"],
    ["x" * 60, "y" * 60],
)


@pytest.mark.parametrize("names", NAMES, ids=repr)
def test_a_dictionary_is_read_back_to_the_last_bit_whatever_objectives_are_called(names):
    known = [Objective(names[0], "min", unit=0.3), *names[1:]]
    high, low = [0.1 * (d + 1) for d in range(len(names))], [0.7 / (d + 3) for d in range(len(names))]
    said = (
        cw.Preferences(known)
        .accepts(give={names[0]: 1 / 3}, get=dict.fromkeys(names[1:], 123456789012.5))
        .prefers(high, over=low)
        .cannot_say(low, high)
        .important(dict.fromkeys(names, 0.9 / 7))
        .ranked(*names)
        .never(names[-1], get=[names[0]])
        .better_under(cw.Cone.importance(0.01, dim=len(names)))
    )
    again = cw.Preferences.from_dict(json.loads(json.dumps(said.to_dict())))
    assert again.to_dict() == said.to_dict()
    for one, other in zip(said.statements, again.statements, strict=True):
        assert (one.rays == other.rays).all()
        assert (one.words, one.pair, one.forbidden) == (other.words, other.pair, other.forbidden)


def test_a_dictionary_is_said_to_others_who_mean_the_same():
    told = cw.Preferences([Objective("price", "min", unit=5), "speed"]).ranked("speed", "price").to_dict()
    here = cw.Preferences([Objective("price", "min", unit=5), "speed"]).accepts(give={"price": 1}, get={"speed": 9})
    both = here.said(told)
    assert [statement.text for statement in both.statements] == ["accept: 1 price for 9 speed", "ranked: speed, price"]
    assert here.said({**told, "trust": 1.0}).to_dict() == both.to_dict()
    with pytest.raises(cw.InputError, match=r'has "trust": 0\.8, and answers that may be wrong are no longer weighed'):
        here.said({**told, "trust": 0.8})
    for other, words in (
        (["price", "speed"], "takes 'price' as min, and here it is max"),
        ([Objective("price", "min"), "speed"], "in steps of 5, and here one step is 1; give it the same unit"),
        (["speed", "noise"], "about 'price', which is no objective here"),
    ):
        with pytest.raises(cw.InputError, match=words):
            cw.Preferences(other).said(told)


def test_designs_are_found_by_name():
    designs = {"A > B": [3.0, 0.0], "C": [0.0, 1.0]}
    said = cw.Preferences(["a", "b"]).said("prefer: A > B > C", designs)
    assert said.cone.contains([3.0, -1.0])


@pytest.mark.parametrize(
    ("spec", "statements", "same"),
    [
        ("ranked:b,a", (), cw.Cone([[0, 1], [1, 1]])),
        ("a=20%,b=30%", (), cw.Cone([[70, 30], [20, 80]])),
        ("a=0.2,b=0.3", (), cw.Cone([[70, 30], [20, 80]])),
        ("planar:135", (), cw.Cone.planar(135)),
        (None, (), cw.Cone.orthant(2)),
        (None, ("accept: 1 a for 2 b",), cw.Cone.from_rays([[1, 0], [-1, 2]])),
        ("ranked:a,b", ("accept: 1 a for 2 b",), cw.Cone.from_rays([[1, -1], [-1, 2]])),
        ("orthant", ("accept: 1 a for 2 b",), cw.Cone.from_rays([[1, 0], [-1, 2]])),
        ("importance:0.1", ("accept: 1 a for 2 b",), cw.Cone.from_rays([[9, -1], [-1, 2]])),
    ],
)
def test_a_text_form_and_statements_make_one_cone(spec, statements, same):
    cone = stated_cone(spec, as_objectives(["a", "b"]), statements)
    assert "better under orthant:2" not in cone.said
    assert same.contains(cone.rays, tolerance=1e-6).all()
    assert cone.contains(same.rays, tolerance=1e-6).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cw.Preferences([]), "at least one objective"),
        (lambda: cw.Preferences(["a", "a"]), "twice"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={}, get={"b": 1}), "at least one objective"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"c": 1}, get={"b": 1}), "no objective is called 'c'"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": -1}, get={"b": 1}), "positive"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": float("nan")}, get={"b": 1}), "positive"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": 1}, get={"a": 1}), "at once"),
        (lambda: cw.Preferences(["a", "b"]).prefers([1, 2], over=[1, 2]), "same values"),
        (lambda: cw.Preferences(["a", "b"]).prefers([1, 2, 3], over=[1, 2]), "needs 2 values"),
        (lambda: cw.Preferences(["a", "b"]).prefers({"a": 1}, over=[1, 2]), "'b' is missing"),
        (lambda: cw.Preferences(["a", "b"]).prefers([1, float("inf")], over=[1, 2]), "infinity"),
        (lambda: cw.Preferences(["a", "b"]).important({"a": 0.6, "b": 0.4}), "less than 1"),
        (lambda: cw.Preferences(["a", "b"]).important({"a": 20}), "got 20; 20 % is written 0.2"),
        (lambda: cw.Preferences("a, b"), r"must be a list, got 'a, b'; write \['a', 'b'\]"),
        (lambda: cw.Preferences(["a", "b"]).ranked("a"), "at least two"),
        (lambda: cw.Preferences(["a", "b"]).said("give me both"), "a statement was expected"),
        (lambda: cw.Preferences(["a", "b"]).said("prefer: A > B"), "spell both out, as in .* got 'A > B'"),
        (lambda: cw.Preferences(["a", "b"]).said("prefer: A > B", {"B": [1, 2]}), "no design is called 'A'"),
        (lambda: cw.Preferences(["a", "b"]).said("accept: 1 a, 2 a for 3 b"), "once, got 'a' twice"),
        (lambda: cw.Preferences(["a", "b"]).said("importance: a=10%, a=20%"), "once, got 'a' twice"),
        (
            lambda: cw.Preferences(["a", "b"]).said({"objectives": ["a"], "statements": "ranked: a, b"}),
            "a list of texts",
        ),
        (lambda: cw.Preferences(["a", "b"]).said("cone: planar:45"), "every gain counts"),
        (lambda: cw.Preferences(["a", "b"]).said("accept: 5 a"), "an exchange is written"),
        (lambda: cw.Preferences(["a", "b"]).said("importance: a=20%, c=30%"), "with the names a, b, got"),
        (lambda: cw.Preferences(["a", "b"]).without(0), "0 statements"),
        (lambda: cw.Preferences(["a", "b"]).ask([[1, 2, 3]]), "shape"),
        (lambda: cw.Preferences(["a", "b"]).ask([[1, float("nan")]]), "NaN"),
        (lambda: cw.Preferences(["a", "b"]).accepts(give={"a": 1e9}, get={"b": 1}).cone, "similar size"),
        (lambda: stated_cone("planar:45", as_objectives(["a", "b"]), ["accept: 1 a for 2 b"]), "every gain counts"),
        (lambda: stated_cone("orthant:3", as_objectives(["a", "b"])), "orders 3 objectives"),
    ],
)
def test_bad_statements_are_one_sentence(make, words):
    with pytest.raises(cw.ConewiseError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
