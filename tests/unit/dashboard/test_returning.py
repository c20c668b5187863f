"""When a design would return: what is said holds, and a little less does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from shared.explorer import designs_of

import conewise as cw
from conewise.dashboard.desk import Desk
from conewise.dashboard.returning import returning, smallest_change
from conewise.dashboard.sources import Fixed
from conewise.dashboard.statements import stated
from conewise.dashboard.views import views
from conewise.order.dominance import dominates

VALUES = np.random.default_rng(8).normal(size=(60, 3))
DESIGNS = designs_of(VALUES, minimised=("f0",))
BARELY = 1e-4


def beaten(said):
    """Who remains componentwise, and no longer with what was said."""
    return np.flatnonzero(cw.Preferences(DESIGNS.meaning).remaining(VALUES) & ~said.remaining(VALUES))


def accepting(amount):
    return cw.Preferences(DESIGNS.meaning).accepts(give={"f1": 2.0}, get={"f0": amount})


def test_a_larger_amount_brings_it_back():
    preference = {"text": "orthant:3", "said": [{"accept": [1, 2.0, 0, 0.5]}]}
    out = beaten(accepting(0.5))
    assert len(out) > 2
    for index in out.tolist():
        ((way,),) = [returning(DESIGNS, index, preference)]
        assert (way["loss"], way["gain"]) == (1, 0)
        back = 2 * way["amount"]  # for 1 of the loss; 2 are given
        assert accepting(back * (1 + BARELY)).remaining(VALUES)[index]
        assert not accepting(back * (1 - BARELY)).remaining(VALUES)[index]


def test_smaller_shares_bring_it_back():
    shares = [30, 20, 10]
    means = DESIGNS.means
    cone = cw.Cone(np.array(shares) + 40 * np.eye(3))
    out = np.flatnonzero(cw.pareto_mask(means, cw.Cone.orthant(3)) & ~cw.pareto_mask(means, cone))
    assert len(out) > 2
    for index in out.tolist():
        change, way = returning(DESIGNS, index, {"shares": shares})
        assert change["factor"] > 1
        least = np.array(way["shares"])
        assert (least <= shares).all()
        assert cw.pareto_mask(means, cw.Cone(least + (100 - least.sum()) * np.eye(3)))[index]


def test_the_smallest_change_of_all_takes_back_only_what_it_must():
    said = [{"accept": [1, 2.0, 0, 0.5]}, {"accept": [2, 1.0, 1, 1.5]}, {"accept": [0, 1.0, 2, 4.0]}]
    preference = {"shares": [10, 10, 10], "said": said}
    out = np.flatnonzero(
        cw.pareto_mask(DESIGNS.means, cw.Cone.orthant(3)) & ~cw.pareto_mask(DESIGNS.means, stated(preference, DESIGNS))
    )
    kept = set()
    for index in out[:12].tolist():
        change = returning(DESIGNS, index, preference)[0]
        if "factor" not in change:  # one exchange alone does it as well
            continue
        changed = {"text": change["text"], "said": [said[place] for place in change["kept"]]}
        cone = stated(changed, DESIGNS)
        assert cw.pareto_mask(DESIGNS.means, cone)[index]
        for loss, gain, before, after in change["exchanges"]:
            assert before < after <= before * change["factor"] * (1 + BARELY)
            assert views(cone)["exchanges"][loss][gain] == pytest.approx(after, rel=1e-3)
        kept.add(len(change["kept"]))
    assert kept & {1, 2}  # some statements stay, and some go


@pytest.mark.parametrize("base", [{"shares": [20, 20, 20]}, {"text": "importance:0.2"}])
def test_a_change_that_no_click_could_make_is_not_offered(base):
    """Beside what was said, a cone of such different weights cannot be computed with."""
    designs = designs_of([[-1, 0, -0.001], [0, 100_000, 0.001], [1, -200_000, -0.002]])
    preference = base | {"said": [{"prefer": designs.values[[1, 0]].tolist()}]}
    ways = returning(designs, 2, preference)
    assert [list(way) for way in ways] == ([["shares"]] if "shares" in base else [])
    for way in ways:
        assert cw.pareto_mask(designs.means, stated(preference | way, designs))[2]


def test_who_is_beaten_in_every_respect_never_returns_and_the_desk_asks_only_of_those_that_are_out():
    never = np.flatnonzero(~cw.pareto_mask(DESIGNS.means, cw.Cone.orthant(3)))[0]
    said = {"text": "orthant:3", "said": [{"accept": [1, 2.0, 0, 0.5]}]}
    assert returning(DESIGNS, int(never), said) == [{"never": True}]
    assert returning(DESIGNS, int(never), {"text": "ranked:3"}) == [{"never": True}]
    desk = Desk(Fixed("t", DESIGNS, cw.Cone.orthant(3), None))
    out = beaten(accepting(0.5))[0]
    assert desk.design({"first": said, "index": int(out)})["returning"][0]["amount"] == pytest.approx(
        returning(DESIGNS, int(out), said)[0]["amount"]
    )
    stays = np.flatnonzero(accepting(0.5).remaining(VALUES))[0]
    assert desk.design({"first": said, "index": int(stays)})["returning"] == []


CONES = [
    cw.Cone.importance(0.25, dim=3),
    cw.Cone.ranked(3),
    cw.Cone(np.random.default_rng(4).uniform(0.2, 1, size=(6, 4))),
    cw.Preferences(["a", "b", "c"]).accepts(give={"a": 2}, get={"b": 1}).accepts(give={"b": 1}, get={"c": 3}).cone,
]


def out(points, cone):
    """Who is beaten under the cone, and not in every respect."""
    best = cw.pareto_mask(points, cw.Cone.orthant(cone.dim))
    return np.flatnonzero(best & ~cw.pareto_mask(points, cone)).tolist()


def nearest_factor(row, rows):
    """The least r for which some weighting u of the rows has u <= row <= r u, by a linear programme."""
    n, dim = rows.shape  # maximise s with s row <= u <= row
    bounds = np.vstack([np.hstack([rows.T, np.zeros((dim, 1))]), np.hstack([-rows.T, row[:, None]])])
    found = linprog([*[0] * n, -1], A_ub=bounds, b_ub=[*row, *[0] * dim], method="highs")
    return -1 / found.fun


@pytest.mark.parametrize("cone", CONES, ids=str)
def test_it_returns_under_a_cone_whose_weightings_are_that_near_and_under_no_nearer_one(cone):
    rng = np.random.default_rng(7)
    points = rng.normal(size=(80, cone.dim))
    beaten = out(points, cone)
    assert len(beaten) > 3
    for place in beaten[:8]:
        change = smallest_change(points, place, cone)
        assert not dominates(points, points[place], change.cone).any()
        assert cone.includes(change.cone)
        assert max(nearest_factor(row, cone.facets) for row in change.cone.facets) <= change.factor * (1 + 1e-6)
        # Any weightings that are a per cent nearer leave somebody ahead.
        near = rng.dirichlet(np.ones(len(cone.facets)), 400) @ cone.facets
        near *= (0.99 * change.factor) ** rng.integers(0, 2, near.shape)
        ahead = points[dominates(points, points[place], cone)] - points[place]
        assert ((ahead @ np.vstack([cone.facets, near]).T) >= 0).all(axis=1).any()


def test_who_is_as_good_in_every_respect_cannot_be_changed_away():
    points = np.array([[1.0, 1, 1], [0, 1, 1], [0, 3, 0]])
    assert smallest_change(points, 1, cw.Cone.importance(0.2, dim=3)) is None


def test_where_gains_count_only_together_there_is_no_such_change():
    assert smallest_change(np.array([[1.0, 1], [0, 0]]), 1, cw.Cone.planar(60)) is None


def test_two_rivals_that_lose_different_things_need_two_more_weightings():
    points = np.array([[-1.0, 3, 3], [3, -1, 3], [0, 0, 0]])
    change = smallest_change(points, 2, cw.Cone.importance(0.25, dim=3))
    assert change.factor == pytest.approx(3, rel=1e-3)  # (3 + 3) / 4 against 1 / 2, where a loss counts most
    assert len(change.cone.facets) == 3
    assert not dominates(points, points[2], change.cone).any()
