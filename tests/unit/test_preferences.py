"""Cones from statements: what was said holds to the last bit, contradictions are smallest, questions end."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import conewise as cw
from conewise.objectives import Objective

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


def test_nearly_equal_statements_are_one_cone():
    said = cw.Preferences(list("abc"))
    for k in range(6):
        said = said.prefers([1.0, -0.5 + 1e-8 * k, 0.2], over=[0.0, 0.0, 0.0])
    for k in range(6):
        assert said.cone.contains([1.0, -0.5 + 1e-8 * k, 0.2])


def test_an_exchange_is_one_ray_in_units_and_directions():
    plain = cw.Preferences([Objective("price", "min"), "speed"]).accepts(give={"price": 100}, get={"speed": 1000})
    units = cw.Preferences([Objective("price", "min", unit=100), Objective("speed", unit=1000)])
    assert bool(plain.cone.contains([-99.99, 1000]))
    assert not bool(plain.cone.contains([-100.01, 1000]))
    cone = units.accepts(give={"price": 100}, get={"speed": 1000}).cone
    assert cone.contains([-1.0, 1.0])  # one step against one step
    assert not cone.contains([-1.001, 1.0])


@pytest.mark.parametrize(
    ("shares", "same"),
    [({"a": 0.25, "b": 0.25}, cw.Cone.importance(0.25)), ({"a": 0.3, "b": 0.2}, cw.Cone([[80, 20], [30, 70]]))],
)
def test_least_shares_are_the_weightings_that_respect_them(shares, same):
    cone = cw.Preferences(["a", "b"]).important(shares).cone
    assert cone.facets == pytest.approx(same.facets, abs=1e-8) or cone.facets[::-1] == pytest.approx(
        same.facets, abs=1e-8
    )


def test_a_ranking_by_name_is_the_ranked_cone():
    cone = cw.Preferences(["a", "b", "c"]).ranked("a", "b", "c").cone
    ranked = cw.Cone.ranked(3)
    assert ranked.contains(cone.rays, tolerance=1e-6).all()
    assert cone.contains(ranked.rays, tolerance=1e-6).all()


def test_a_cone_remembers_what_was_said():
    cone = cw.Preferences(["a", "b"]).accepts(give={"a": 1}, get={"b": 2}).cone
    assert cone.said == ("1 a for 2 b is worth it",)
    assert "1 a for 2 b is worth it" in repr(cone)
    assert cw.Cone.from_dict(json.loads(json.dumps(cone.to_dict()))).said == cone.said
    assert pickle.loads(pickle.dumps(cone)).said == cone.said


def test_nothing_said_is_the_componentwise_order():
    assert cw.Preferences(["a", "b", "c"]).cone == cw.Cone.orthant(3)
