"""Cones from statements: what was said holds to the last bit, and the cone remembers it."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

import conewise as cw

# -- what is said holds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 3, 5])
def test_a_preferred_design_dominates_the_other_to_the_last_bit(dim):
    rng = np.random.default_rng([1, dim])
    for _ in range(200):
        a, b = rng.normal(size=(2, dim)) * 10.0 ** rng.integers(-1, 3, size=dim)
        if (a <= b).all():
            continue
        cone = cw.Preferences([f"o{d}" for d in range(dim)]).prefers(a, over=b).cone
        assert cw.weakly_dominates(a, b, cone)
        assert cone.contains(a - b)
        assert not cone.contains(b - a)


def test_many_statements_all_hold_and_never_shrink_the_cone():
    rng = np.random.default_rng(2)
    weights = rng.dirichlet(np.ones(4))
    said, before = cw.Preferences(list("abcd")), cw.Cone.orthant(4)
    for _ in range(25):
        a, b = rng.normal(size=(2, 4))
        a, b = (a, b) if weights @ a > weights @ b else (b, a)
        said = said.prefers(a, over=b)
        cone = said.cone
        assert cone.contains(before.rays, tolerance=1e-5).all()
        before = cone
    for statement in said.statements:
        assert cw.weakly_dominates(*map(np.array, statement.pair), said.cone)


def test_a_gain_in_one_objective_alone_counts_exactly():
    rng = np.random.default_rng(7)
    for _ in range(200):
        dim = int(rng.integers(3, 6))
        weights, said = rng.dirichlet(np.ones(dim)), cw.Preferences([f"o{d}" for d in range(dim)])
        for _ in range(rng.integers(1, 5)):
            a, b = rng.integers(0, 4, size=(2, dim)) * 0.1
            a[0] = b[0]
            if weights @ a != weights @ b:
                said = said.prefers(*((a, b) if weights @ a > weights @ b else (b, a)))
        cone = said.cone
        assert cone.contains(np.eye(dim)).all()
        for statement in said.statements:
            assert cw.weakly_dominates(*map(np.array, statement.pair), cone)


def test_exchanges_leave_the_facets_of_other_objectives_alone():
    said = cw.Preferences(list("abcde")).accepts(give={"d": 2.6}, get={"e": 1.8}).accepts(give={"c": 1}, get={"e": 4.4})
    facets = said.cone.facets
    assert [facets[facets[:, d] > 0].tolist() for d in (0, 1)] == [[[1, 0, 0, 0, 0]], [[0, 1, 0, 0, 0]]]
    assert len(facets) == 6


def test_nearly_equal_statements_are_one_cone():
    said = cw.Preferences(list("abc"))
    for k in range(6):
        said = said.prefers([1.0, -0.5 + 1e-8 * k, 0.2], over=[0.0, 0.0, 0.0])
    for k in range(6):
        assert said.cone.contains([1.0, -0.5 + 1e-8 * k, 0.2])


def test_a_cone_remembers_what_was_said():
    cone = cw.Preferences(["a", "b"]).accepts(give={"a": 1}, get={"b": 2}).cone
    assert cone.said == ("1 a for 2 b is worth it",)
    assert "1 a for 2 b is worth it" in repr(cone)
    assert cw.Cone.from_dict(json.loads(json.dumps(cone.to_dict()))).said == cone.said
    assert pickle.loads(pickle.dumps(cone)).said == cone.said


def test_nothing_said_is_the_componentwise_order():
    assert cw.Preferences(["a", "b", "c"]).cone == cw.Cone.orthant(3)


def test_preferences_are_equal_when_the_same_was_said_in_the_same_words():
    price, speed = cw.Objective("price", "min"), cw.Objective("speed")

    def said(amount=100, objectives=(price, speed)):
        return cw.Preferences(objectives).accepts(give={"price": amount}, get={"speed": 1000}).never("speed")

    assert said() == said() == cw.Preferences.from_dict(said().to_dict())
    assert hash(said()) == hash(said())
    assert said() != said(101)
    assert said() != said(objectives=(replace(price, unit=500), speed))


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda said: said.better_under(135), "cone must be a Cone, got int; make one"),
        (lambda said: said.never("a", get="b"), r"get must be a list of names, got 'b'; write \['b'\]"),
        (lambda said: said.prefers([1, 0], over=[0, 1], names="AB"), r'as in \("A", "B"\), got \'AB\''),
        (lambda said: said.prefers([1, 0], over=[0, 1], names=("A",)), "names must be those of the two designs"),
        (lambda said: said.cannot_say([1, 0], [0, 1], names=(1, 2)), "names must be those of the two designs"),
    ],
)
def test_slips_are_one_sentence(say, words):
    with pytest.raises(cw.InputError, match=words):
        say(cw.Preferences(["a", "b"]))
