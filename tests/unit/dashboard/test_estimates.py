"""Estimates from a sample, until somebody waits for the front."""

from __future__ import annotations

import numpy as np
import pytest
from shared.explorer import designs_of

import conewise as cw
from conewise.dashboard import estimates
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Fixed


def source_of(values, **more):
    designs = designs_of(values, **more)
    return Fixed("t", designs, cw.Cone.orthant(designs.dim), None)


@pytest.mark.parametrize("dim", [2, 4])
def test_an_estimate_is_the_share_of_a_sample_each_held_against_all(dim):
    rng = np.random.default_rng(dim)
    for values in (rng.normal(size=(3000, dim)), rng.integers(0, 4, size=(3000, dim)), rng.normal(size=(50, dim))):
        designs, cone = designs_of(values), cw.Cone.importance(0.1, dim=dim)
        mask = cw.pareto_mask(designs.means, cone)
        size = min(estimates.SAMPLE, len(mask))
        chosen = np.random.default_rng(0).choice(len(mask), size, replace=False)
        assert estimates.about(designs, cone) == round(mask[chosen].mean() * len(mask))
    assert estimates.about(designs_of(np.full((2, dim), np.nan)), cone) == 0


def test_a_front_that_took_long_is_estimated_until_someone_waits_for_it():
    ticks = iter(np.arange(0, 1000, 0.5))  # half a second a count
    values = np.random.default_rng(0).normal(size=(500, 3))
    desk = Desk(source_of(values), clock=lambda: next(ticks))
    first = desk.front({"first": {"text": "orthant:3"}, "quick": True})
    assert (first["estimated"], first["first"]["pareto"]) == (False, cw.pareto_mask(values, cw.Cone.orthant(3)).sum())
    asked = {"first": {"shares": [10, 0, 0]}, "before": {"text": "orthant:3"}}
    quick = desk.front({**asked, "quick": True})
    cone = cw.Cone.parse(quick["first"]["cone"])
    count = cw.pareto_mask(values, cone).sum()
    assert quick["estimated"]
    assert quick["first"]["pareto"] == estimates.about(desk.source.designs(), cone)
    assert (quick["first"]["points"], quick["table"], quick["moved"]) == (None, None, None)
    counted = desk.front(asked)
    assert (counted["estimated"], counted["first"]["pareto"], counted["table"]["matching"]) == (False, count, count)
    for key in ("cone", "beta", "cost", "words"):
        assert quick["first"][key] == counted["first"][key]
    assert desk.front({**asked, "quick": True})["first"]["pareto"] == count  # remembered, so there is no wait
    assert not desk.front({"first": {"text": "ice_cream:60.0,7"}, "quick": True})[
        "estimated"
    ]  # never counted: not slow


def test_a_quick_computation_is_never_estimated():
    values = np.random.default_rng(0).normal(size=(500, 3))
    desk = Desk(source_of(values), clock=lambda: 0.0)
    for share in range(5):
        assert not desk.front({"first": {"shares": [share, 0, 0]}, "quick": True})["estimated"]
