"""Noise by objective: kinds that are taken together, scales, text, units."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.noise import (
    Binary,
    Bounded,
    ByObjective,
    Gaussian,
    GaussianUnknown,
    Known,
    SubGaussian,
    subgaussian_norm_factor,
)
from conewise.noise.text import noise_from_dict, noise_to_dict


def test_objectives_of_one_kind_are_taken_together_and_kinds_stay_apart():
    mixed = ByObjective(
        [Binary(), 0.5, Known(), Bounded(-1, 3), Gaussian(cov=[[4.0]]), GaussianUnknown(0.1), SubGaussian(1.0)]
    )
    columns = [kind.columns.tolist() for kind in mixed.kinds]
    assert columns == [[0, 3], [1, 4], [5], [6]]
    box, normal, unknown, _ = (kind.noise for kind in mixed.kinds)
    assert (box.low.tolist(), box.high.tolist(), box.two_valued.tolist()) == ([0, -1], [1, 3], [True, False])
    assert normal.sigma.tolist() == [0.5, 2.0]
    assert unknown.steps(1).tolist() == [0.1]
    assert mixed.exact.tolist() == [False, False, True, False, False, False, False]
    two = ByObjective([SubGaussian(1.0), SubGaussian(1.0)])
    assert [kind.columns.tolist() for kind in two.kinds] == [[0], [1]]  # nothing says how they vary together


def test_scales_of_kinds_add_up_and_the_largest_is_not_exceeded():
    mixed, rng = ByObjective([Binary(), 2.0, Known(), 1.0]), np.random.default_rng(0)
    u = rng.normal(size=(2000, 4))
    np.testing.assert_allclose(mixed.scales(u), np.abs(u[:, 0]) / 2 + np.hypot(2 * u[:, 1], u[:, 3]))
    unit = u / np.linalg.norm(u, axis=1, keepdims=True)
    assert mixed.scales(unit).max() <= mixed.largest_scale(4) == pytest.approx(np.hypot(0.5, 2.0))
    best = np.array([0.5, 2.0, 0.0, 0.0]) / np.hypot(0.5, 2.0)
    assert mixed.scales(best) == pytest.approx(mixed.largest_scale(4))
    assert mixed.norm_subgaussian(4) == subgaussian_norm_factor(4) * mixed.largest_scale(4)


def test_text_units_and_directions_of_mixed_noise():
    mixed = ByObjective([Binary(), 0.5, Known(), GaussianUnknown()])
    assert repr(noise_from_dict(noise_to_dict(mixed))) == repr(mixed)
    inside = mixed.turned(np.array([-1.0, 1.0, 1.0, 1.0]), np.array([0.5, 10.0, 7.0, 1.0]))
    assert inside.words == mixed.words
    assert (inside.each[0].low.item(), inside.each[0].high.item(), bool(inside.each[0].two_valued)) == (-2, 0, True)
    assert inside.each[1].scales([1.0]) == pytest.approx(0.05)
    assert inside.exact.tolist() == mixed.exact.tolist()
    for text, noise in (("binary", Binary()), ("known", Known()), ("unknown:0.5", GaussianUnknown(0.5))):
        assert repr(cw.Objective("x", noise=text).noise) == repr(noise)
    with pytest.raises(cw.InputError, match="must be unknown, unknown:STEP, binary, known"):
        cw.Objective("x", noise="binomial")


def test_normal_noise_by_design_is_joined_design_by_design():
    by_design = Gaussian([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])
    some = cw.question.objectives.as_objectives([cw.Objective("a", noise="binary"), "b", "c"])
    normal = some.noise(by_design).kinds[1]
    assert (normal.columns.tolist(), normal.noise.sigma.tolist()) == ([1, 2], [[3.0, 5.0], [4.0, 6.0]])
    with pytest.raises(cw.InputError, match="given for 2 designs, but there are 3"):
        ByObjective([Gaussian([[1.0], [2.0]]), Gaussian([[1.0], [2.0], [3.0]])])
