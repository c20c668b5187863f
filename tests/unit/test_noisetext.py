"""Noise in words and in JSON, converted to steps, turned as the values are."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shared.noises import NOISES

import conewise as cw
from conewise import noise as noises
from conewise.studies.spec import noise_from_dict, noise_to_dict

SIGNS, UNITS = np.array([-1.0, 1.0]), np.array([4.0, 0.5])


def test_noise_is_converted_to_steps_and_keeps_its_words():
    given = noises.Gaussian([2.0, 3.0])
    inside = given.turned(SIGNS, UNITS)
    assert isinstance(inside, noises.Gaussian)
    assert inside.sigma.tolist() == [0.5, 6.0]
    assert inside.words == given.words
    plain = noises.Gaussian(2.0).turned(SIGNS, UNITS)
    assert plain.sigma.tolist() == [0.5, 4.0]
    by_design = noises.Gaussian([[2.0, 3.0], [4.0, 1.0]]).turned(SIGNS, UNITS)
    assert by_design.sigma.tolist() == [[0.5, 6.0], [1.0, 2.0]]


def test_covariances_and_ranges_are_converted():
    cov = noises.Gaussian(cov=[[4.0, 1.0], [1.0, 1.0]]).turned(SIGNS, UNITS)
    assert cov.cov.tolist() == [[0.25, -0.5], [-0.5, 4.0]]
    box = noises.Bounded([0, 0], [8, 1]).turned(SIGNS, UNITS)
    assert (box.low.tolist(), box.high.tolist()) == ([-2, 0], [0, 2])
    steps = noises.GaussianUnknown((0.5, None)).turned(SIGNS, UNITS)
    assert steps.resolution == (0.125, None)


@pytest.mark.parametrize("kind", [noises.SubGaussian, noises.NormSubGaussian])
def test_noise_without_directions_is_at_least_as_large_as_given(kind):
    given = kind(2.0)
    inside = given.turned(SIGNS, UNITS)
    directions = np.random.default_rng(0).normal(size=(200, 2))
    assert (inside.scales(directions) >= given.scales(directions / UNITS) * (1 - 1e-12)).all()


def test_noise_of_ones_own_is_not_guessed_at():
    class Own(noises.SubGaussian):
        pass

    with pytest.raises(cw.InputError, match="divide your values by the units"):
        Own(1.0).turned(SIGNS, UNITS)


@pytest.mark.parametrize("noise", [noises.Gaussian(2.0), noises.SubGaussian(1.0), noises.GaussianUnknown()])
def test_units_of_one_change_no_noise(noise):
    assert noise.turned(SIGNS, np.ones(2)) is noise


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_noise_survives_json(noise):
    written = noise_to_dict(noise)
    back = noise_from_dict(json.loads(json.dumps(written)))
    assert type(back) is type(noise)
    assert noise_to_dict(back) == written
    for part in ("sigma", "cov", "low", "high"):
        first, second = getattr(noise, part, None), getattr(back, part, None)
        assert (first is None) == (second is None)
        assert first is None or np.asarray(first).tobytes() == np.asarray(second).tobytes()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "must be one of gaussian, subgaussian"),
        ({"kind": "cauchy"}, "got 'cauchy'"),
        ({"kind": ["gaussian"]}, "must be one of"),
        (None, "must be one of"),
        ({"kind": "gaussian", "scale": 1}, "'gaussian' has no 'scale'; it takes sigma or cov"),
        ({"kind": "gaussian"}, "either sigma or cov"),
        ({"kind": "gaussian", "sigma": 0}, "above 0"),
        ({"kind": "gaussian", "sigma": "a"}, "sigma must be"),
        ({"kind": "bounded", "low": 0}, "needs low and high"),
        ({"kind": "bounded", "low": 1, "high": 0}, "below high"),
        ({"kind": "gaussian_unknown", "sigma": 1}, "it takes resolution"),
        ({"kind": "subgaussian"}, "needs sigma"),
    ],
)
def test_noise_that_is_none_is_refused(data, words):
    with pytest.raises(cw.InputError, match=words):
        noise_from_dict(data)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_noise_is_turned_as_the_values_are(noise):
    """Along w after negating an objective there is as much noise as along w with that entry negated before."""
    signs = np.array([1.0, -1.0])
    after = noise.turned(signs, np.ones(2))
    assert isinstance(after, type(noise))
    assert (after.words, repr(after)) == (noise.words, repr(noise))  # results speak the user's language
    if not isinstance(noise, noises.GaussianUnknown):
        directions = np.random.default_rng(0).standard_normal((20, 2))
        np.testing.assert_allclose(after.scales(directions), noise.scales(directions * signs), rtol=1e-12)
        back = after.turned(signs, np.ones(2))
        np.testing.assert_allclose(back.scales(directions), noise.scales(directions), rtol=1e-12)
    if isinstance(noise, noises.Bounded):
        corner = np.broadcast_to(noise.high, 2) * signs
        assert (after.low <= corner).all()
        assert (corner <= after.high).all()
