"""Least shares of the weight at which designs leave the front: just before they are Pareto optimal, just after not."""

from __future__ import annotations

import numpy as np
import pytest
from shared.explorer import fixed

import conewise as cw
from conewise.dashboard import shares
from conewise.dashboard.desk import Desk
from conewise.errors import InputError

RNG = np.random.default_rng(5)
CLOUDS = {
    "three": RNG.normal(size=(200, 3)),
    "five": RNG.normal(size=(120, 5)),
    "grid": RNG.integers(0, 6, size=(150, 3)).astype(float),  # with equal designs and ties
    "equal": np.zeros((4, 3)),
    "one": np.array([[1.0, 2.0, 3.0, 4.0]]),
}


def least(share, dim):
    return cw.Cone(share + (100 - dim * share) * np.eye(dim))


@pytest.mark.parametrize("means", CLOUDS.values(), ids=CLOUDS)
def test_shares_say_who_is_pareto_when(means):
    dim = means.shape[1]
    found = Desk(fixed(means)).shares({})
    ends = np.array([np.inf if end is None else end for end in found["shares"]])
    index = np.array(found["index"])
    assert (np.diff(ends[np.isfinite(ends)]) >= 0).all()
    for share in np.arange(0.0137, 100 / dim, 0.71):  # never at the very share at which one leaves
        assert np.abs(ends - share).min() > 1e-9
        mask = cw.pareto_mask(means, least(share, dim))
        assert sorted(index[ends > share].tolist()) == np.flatnonzero(mask).tolist()
    assert [share for share, _ in found["curve"]] == list(range(-(-100 // dim)))
    assert found["curve"][0][1] == cw.pareto_mask(means, cw.Cone.orthant(dim)).sum()


def test_a_front_too_long_to_compare_has_no_curve(monkeypatch):
    monkeypatch.setattr(shares, "MOST_ON_FRONT", 3)
    assert Desk(fixed(CLOUDS["three"])).shares({}) == {"version": 1, "shares": [], "index": [], "curve": []}


def test_a_level_takes_part_and_nobody_left_is_no_curve():
    desk = Desk(fixed(CLOUDS["three"]))
    some = desk.shares({"levels": {"0": 1.0}})
    assert some["index"]
    assert (CLOUDS["three"][some["index"], 0] >= 1).all()
    assert desk.shares({"levels": {"0": 99.0}})["curve"] == []
    with pytest.raises(InputError, match="three objectives and more"):
        Desk(fixed(np.zeros((2, 2)))).shares({})
