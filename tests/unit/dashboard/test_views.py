"""One cone as every control would say it."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.dashboard.sources import Designs
from conewise.dashboard.statements import stated
from conewise.dashboard.views import views


def designs_of(values, objectives=("cost", "speed"), minimised=("cost",)):
    values = np.asarray(values, dtype=float)
    return Designs(1, [f"d{k}" for k in range(len(values))], tuple(objectives), tuple(minimised), values)


@pytest.mark.parametrize("degrees", [30, 90, 120.5, 179])
def test_an_angle_is_seen(degrees):
    assert views(cw.Cone.planar(degrees))["degrees"] == pytest.approx(degrees)


def test_shares_are_seen():
    for shares in ([20, 30], [0, 0], [5, 0, 60], [10, 20, 30, 15], [25, 25, 25]):
        cone = stated({"shares": shares}, designs_of(np.ones((1, len(shares))), "abcd"[: len(shares)], ()))
        assert views(cone)["shares"] == pytest.approx(shares)


def test_a_ranking_is_seen_and_is_no_shares():
    for order in ([0, 1], [1, 0], [2, 0, 1], [3, 1, 0, 2]):
        cone = stated({"ranking": order}, designs_of(np.ones((1, len(order))), "abcd"[: len(order)], ()))
        found = views(cone)
        assert found["ranking"] == order
        if len(order) > 2:
            assert found["shares"] is None


def test_what_a_control_cannot_say_is_none():
    found = views(cw.Cone([[4, 1], [0, 1]]))
    assert (found["degrees"], found["ranking"]) == (None, None)
    narrow = views(cw.Cone.planar(45))
    assert (narrow["shares"], narrow["ranking"], narrow["exchanges"]) == (None, None, None)


def test_the_weightings_of_three_objectives_go_round_their_middle():
    """Of a round cone: each is followed by a neighbour, so that the way round is as short as it can be."""
    found = np.array(views(cw.Cone.ice_cream(120, facets=12))["weights"])
    assert found.shape == (12, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    away = np.linalg.norm(found[:, None] - found[None], axis=2)
    steps = np.linalg.norm(found - np.roll(found, 1, axis=0), axis=1)
    assert (steps <= np.sort(away, axis=1)[:, 2] + 1e-9).all()  # the nearest but itself, or the next
    assert views(cw.Cone.orthant(2))["weights"] is None
    assert views(cw.Cone.ice_cream(60, facets=8))["weights"] is None  # narrower than the orthant


def test_exchanges_are_the_least_that_pays():
    """Checked against the cone itself: a little more is accepted, a little less is not."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        cone = cw.Cone(rng.uniform(0.05, 1, size=(3, 3)) + np.eye(3))
        rates = views(cone)["exchanges"]
        for i in range(3):
            for j in range(3):
                if i == j:
                    assert rates[i][j] is None
                    continue
                step = np.zeros(3)
                step[i] = -1
                step[j] = 1.001 * rates[i][j]
                assert cone.contains(step)
                step[j] = 0.999 * rates[i][j]
                assert not cone.contains(step)
    assert views(cw.Cone.orthant(3))["exchanges"] == [[None] * 3] * 3
