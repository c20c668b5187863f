"""Levels in draws: what is required, and by how much designs have it to spare."""

from __future__ import annotations

import numpy as np

import conewise as cw
from conewise.models.levels import Required, Spare


def test_levels_count_in_steps_of_which_more_is_better():
    asked = [cw.Objective("speed"), cw.Objective("price", "min", unit=500, level=2000), cw.Objective("range", level=3)]
    required = Required.of(cw.Question(cw.Cone.orthant(3), 0.1, 0.1, objectives=asked).inside)
    assert required.columns.tolist() == [1, 2]
    assert required.least.tolist() == [-4.0, 3.0]
    assert required.keeps
    spare = required.spare(np.array([[[0.0, -3.0, 3.0], [9.0, -4.5, 7.0]]]))
    assert spare.each.tolist() == [[[1.0, 0.0], [-0.5, 4.0]]]
    assert spare.least.tolist() == [[0.0, -0.5]]
    assert spare.acceptable.tolist() == [[True, False]]


def test_without_levels_nothing_is_required():
    assert Required.of(cw.Question(cw.Cone.orthant(2), 0.1, 0.1, objectives=["a", "b"])) is None
    assert Required.of(cw.Question(cw.Cone.orthant(2), 0.1, 0.1)) is None


def test_a_wide_cone_trades_levels_away():
    asked = [cw.Objective("a", level=1.0), "b"]
    keeps = [Required.of(cw.Question(cw.Cone.planar(a), 0.1, 0.1, objectives=asked)).keeps for a in (60, 90, 135)]
    assert keeps == [True, True, False]


def test_whoever_misses_a_level_is_beyond_comparison():
    spare = Spare(np.array([[[1.0], [-1.0]], [[-2.0], [0.0]]]), keeps=True)
    z = np.ones((2, 2, 3))
    assert (spare.of_those(z) < z.min() - 1e9).all(axis=2).tolist() == [[False, True], [True, False]]
    assert spare.part([1]).least.tolist() == [[-1.0], [0.0]]
