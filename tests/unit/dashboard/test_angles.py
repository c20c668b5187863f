"""Angles at which designs leave the front: just before they are Pareto optimal, just after not."""

from __future__ import annotations

import numpy as np
import pytest
from shared.explorer import designs_of

import conewise as cw
from conewise.dashboard import angles

CLOUDS = {
    "snw": cw.problems.load("snw").means,
    "normal": np.random.default_rng(1).normal(size=(300, 2)),
    "grid": np.random.default_rng(2).integers(0, 12, size=(80, 2)).astype(float),  # with equal designs and ties
    "equal": np.zeros((5, 2)),
    "one": np.array([[1.0, 2.0]]),
}


@pytest.mark.parametrize("means", CLOUDS.values(), ids=CLOUDS)
def test_angles_say_who_is_pareto_when(means):
    found = angles.leaving_angles(designs_of(means))
    ends = np.array([np.inf if end is None else end for end in found["degrees"]])
    index = np.array(found["index"])
    assert (found["from"], found["to"]) == (1, 179)
    assert (np.diff(ends[np.isfinite(ends)]) >= 0).all()
    for degrees in np.arange(1.137, 179, 1.31):  # never at the very angle where one leaves
        assert np.abs(ends - degrees).min() > 1e-6
        mask = cw.pareto_mask(means, cw.Cone.planar(degrees))
        assert sorted(index[ends > degrees].tolist()) == np.flatnonzero(mask).tolist()
    for degrees, count in found["curve"]:
        assert count == (ends > degrees).sum()
    # At the very angle the edge of the cone counts: whoever is beaten by a step along an axis has left at 90 degrees.
    assert dict(found["curve"])[90] == cw.pareto_mask(means, cw.Cone.orthant(2)).sum()


@pytest.mark.parametrize("cloud", ["snw", "normal", "grid"])
def test_just_before_its_angle_a_design_is_pareto_and_just_after_it_is_not(cloud):
    """Every event, from both sides."""
    means, near = CLOUDS[cloud], 1e-7
    found = angles.leaving_angles(designs_of(means))
    index, ends = np.array(found["index"]), np.array([np.inf if e is None else e for e in found["degrees"]])
    events = np.unique(ends[np.isfinite(ends)].round(9))
    assert len(events) > 5
    checked = 0
    for event in events.tolist():
        apart = np.abs(ends - event)
        if ((apart > near / 2) & (apart < 2 * near)).any():
            continue  # another one leaves within the distance at which we look
        before, after = (
            set(np.flatnonzero(cw.pareto_mask(means, cw.Cone.planar(event + step))).tolist()) for step in (-near, near)
        )
        assert before - after == set(index[apart <= near / 2].tolist())
        assert after <= before
        checked += 1
    assert checked > 0.9 * len(events)


def test_a_front_too_long_to_list_is_listed_from_a_wider_angle_on(monkeypatch):
    means = CLOUDS["normal"]
    whole = angles.leaving_angles(designs_of(means))
    monkeypatch.setattr(angles, "MOST_ON_FRONT", 25)
    short = angles.leaving_angles(designs_of(means))
    sizes = {step: cw.pareto_mask(means, cw.Cone.planar(step)).sum() for step in angles.STEPS}
    assert short["from"] == min(step for step, size in sizes.items() if size <= 25)
    assert short["from"] > 1
    kept = dict(zip(whole["index"], whole["degrees"], strict=True))
    assert dict(zip(short["index"], short["degrees"], strict=True)) == {
        index: end for index, end in kept.items() if end is None or end > short["from"]
    }
    assert short["curve"][0][0] == short["from"]
    monkeypatch.setattr(angles, "MOST_ON_FRONT", 0)
    none = angles.leaving_angles(designs_of(means))
    assert (none["from"], none["index"], none["curve"]) == (None, [], [])
    empty = angles.leaving_angles(designs_of(np.full((3, 2), np.nan)))
    assert (empty["from"], empty["index"]) == (None, [])


def test_where_nobody_counts_the_list_says_why_and_not_that_it_is_too_long(monkeypatch):
    designs = designs_of(CLOUDS["normal"])
    none = angles.leaving_angles(designs.within(((0, 1e6),)))
    assert (none["from"], none["index"], none["nobody"]) == (None, [], "no design meets the levels")
    empty = angles.leaving_angles(designs_of(np.full((3, 2), np.nan)))
    assert (empty["from"], empty["nobody"]) == (None, "no design has values yet")
    monkeypatch.setattr(angles, "MOST_ON_FRONT", 0)
    long = angles.leaving_angles(designs)
    assert (long["from"], long["nobody"]) == (None, None)
