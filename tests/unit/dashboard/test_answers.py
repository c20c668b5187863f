"""The explorer's numbers: angles of leaving, the list of designs, estimates, who moved, and names of objectives."""

from __future__ import annotations

import json

import numpy as np
from shared.explorer import designs_of, fixed

import conewise as cw
from conewise.dashboard import answers
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Fixed


def source_of(values, **more):
    designs = designs_of(values, **more)
    return Fixed("t", designs, cw.Cone.orthant(designs.dim), None)


# -- who leaves at which angle -----------------------------------------------------------------------------------------


# -- the list ----------------------------------------------------------------------------------------------------------


# -- quick answers -----------------------------------------------------------------------------------------------------


def test_ranges_are_those_of_all_designs_and_large_fronts_are_drawn_evenly():
    values = np.column_stack([np.linspace(0, 1, 4000), np.linspace(5, 3, 4000)])
    desk = Desk(source_of(values))
    assert desk.start({})["ranges"] == [[0, 1], [3, 5]]
    points = desk.front({"first": {"degrees": 90}})["first"]["points"]
    assert len(points["index"]) == answers.DRAWN
    steps = np.diff(points["index"])
    assert (points["index"][0], points["index"][-1]) == (0, 3999)
    assert steps.min() >= 2
    assert steps.max() <= 3


def test_answers_about_very_many_designs_stay_small():
    source = fixed(np.random.default_rng(0).normal(size=(100_000, 2)))
    desk = Desk(source)
    for degrees in (0.2, 90, 135):
        answer = desk.front({"first": {"degrees": degrees}, "second": {"degrees": 60}})
        assert answer["first"]["pareto"] == cw.pareto_mask(source.designs().means, cw.Cone.planar(degrees)).sum()
        assert len(answer["first"]["points"]["index"]) == min(answers.DRAWN, answer["first"]["pareto"])
        assert len(json.dumps(answer)) < 300_000
    assert desk.front({"first": {"degrees": 0.2}})["first"]["pareto"] > answers.DRAWN  # so that the cut was needed
    assert len(json.dumps(desk.start({}))) < 300_000
    assert len(json.dumps(desk.angles({}))) < 1_000_000
