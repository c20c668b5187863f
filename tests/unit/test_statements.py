"""What single statements amount to: rays in units and directions."""

from __future__ import annotations

import pytest

import conewise as cw
from conewise.question.objectives import Objective


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
