"""Controls as cones: texts that every command accepts, shares that every weighting respects."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.dashboard.preferences import cone_of


@pytest.mark.parametrize(
    ("preference", "cone"),
    [
        ({"degrees": 135}, "planar:135"),
        ({"shares": [0, 0]}, "orthant:2"),
        ({"shares": [29, 29]}, "importance:0.29"),
        ({"shares": [20, 30]}, "[[70,30],[20,80]]"),
        ({"shares": [10, 0, 25]}, "[[75,0,25],[10,65,25],[10,0,90]]"),
        ({"ranking": [0, 1]}, "ranked:2"),
        ({"ranking": [2, 0, 1]}, "[[0,0,1],[1,0,1],[1,1,1]]"),
        ({"text": " [[2, 1], [1, 2]] "}, "[[2,1],[1,2]]"),
    ],
)
def test_a_preference_becomes_a_text_that_every_command_accepts(preference, cone):
    dim = cw.Cone.parse(cone).dim
    made = cone_of(preference, dim)
    assert str(made) == cone
    assert cw.Cone.parse(str(made), dim=dim) == made


@pytest.mark.parametrize("shares", [[20, 30], [5, 0, 60], [10, 20, 30, 15]])
def test_least_shares_agree_with_every_weighting_that_respects_them(shares):
    """By definition: x is an improvement when no weighting w >= s, sum w = 1, says otherwise."""
    cone, rng = cone_of({"shares": shares}, len(shares)), np.random.default_rng(0)
    rest = 1 - sum(shares) / 100
    weightings = np.array(shares) / 100 + rest * np.vstack(
        [np.eye(len(shares)), rng.dirichlet(np.ones(len(shares)), size=500)]
    )
    steps = rng.normal(size=(2000, len(shares)))
    inside = (steps @ weightings.T >= 0).all(axis=1)
    assert 0 < inside.sum() < 2000
    assert cone.contains(steps).tolist() == inside.tolist()
