"""Statements as text: read as they are written, designs by name, and one sentence for what is none."""

from __future__ import annotations

import json

import pytest

import conewise as cw
from conewise.objectives import Objective, as_objectives
from conewise.preferences import stated_cone


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


def test_designs_are_found_by_name():
    designs = {"A > B": [3.0, 0.0], "C": [0.0, 1.0]}
    said = cw.Preferences(["a", "b"]).said("prefer: A > B > C", designs)
    assert said.cone.contains([3.0, -1.0])


@pytest.mark.parametrize(
    ("spec", "statements", "same"),
    [
        ("ranked:b,a", (), cw.Cone([[0, 1], [1, 1]])),
        ("a=20%,b=30%", (), cw.Cone([[70, 30], [20, 80]])),
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
        (lambda: cw.Preferences(["a", "b"], trust=0.5), "above 0.5"),
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
        (lambda: cw.Preferences(["a", "b"]).said("prefer: A > B"), "no design is called 'A'"),
        (lambda: cw.Preferences(["a", "b"]).said("accept: 5 a"), "an exchange is written"),
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
