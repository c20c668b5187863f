"""What the published rules have in common: refusals, and noise taken at its word."""

from __future__ import annotations

import numpy as np
import pytest
from shared.published import CONFIDENT, DELTA, EPSILON, PROBLEMS, PROVEN, SIGMA, name, play

import conewise as cw
from conewise.noise import Bounded, Gaussian, SubGaussian
from conewise.rules.published.ege import SequentialHalving, SequentialRejects
from conewise.rules.published.paveba import PaVeBa
from conewise.rules.published.psips import PosteriorSampling

BUDGETED = [SequentialRejects, SequentialHalving]


@pytest.mark.parametrize("make", PROVEN, ids=name)
@pytest.mark.parametrize(
    "noise", [SubGaussian(SIGMA), Bounded(-9, 9), Gaussian(cov=[[0.1, 0.08], [0.08, 0.1]])], ids=repr
)
def test_other_noise_is_taken_at_its_word(make, noise):
    cone, means = PROBLEMS["right angle"]
    algorithm = make(
        cw.Question(cone, 20.0 if isinstance(noise, Bounded) else EPSILON, DELTA, noise), len(means), growth=0.3
    )
    result = play(algorithm, means, 1, noise=Gaussian(SIGMA))
    assert noise.words in result.guarantee.assumption
    np.testing.assert_allclose(algorithm.scales, noise.scales(cone.facets))


@pytest.mark.parametrize("make", [PaVeBa, PosteriorSampling], ids=name)
def test_rules_that_cover_are_not_asked_to_contain(make):
    with pytest.raises(cw.InputError, match=f'{name(make)} answers success "cover" alone, got "contain"'):
        make(cw.Question(cw.Cone.orthant(2), EPSILON, DELTA, Gaussian(SIGMA), success="contain"), 4)


@pytest.mark.parametrize("make", [*CONFIDENT, *BUDGETED], ids=name)
def test_too_many_designs_for_all_pairs_are_refused(make):
    cone, noise = cw.Cone.orthant(2), Gaussian(1)
    settings = (cw.Question(cone, 0.1, DELTA, noise), 3001) if make in CONFIDENT else (cone, 10**6, 3001, noise)
    with pytest.raises(cw.InputError, match="compares all pairs of designs and takes at most 3000 of them, got 3001"):
        make(*settings)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epsilon": -0.1}, "epsilon must be"),
        ({"delta": 1.0}, "delta must lie strictly between"),
        ({"n_designs": 1}, "n_designs must be at least 2"),
        ({"noise": None}, "nothing is known of this noise"),
        ({"noise": Gaussian([1, 1, 1])}, "given for 3 objectives, but there are 2"),
        ({"radius_scale": 0}, "radius_scale must be above 0"),
        *(({"max_evaluations": most}, "max_evaluations must be") for most in (0, -1, 1.5, np.nan, True, np.True_, "9")),
        ({"growth": -1}, "growth must be 0 or more"),
    ],
    ids=str,
)
@pytest.mark.parametrize("make", CONFIDENT, ids=name)
def test_bad_configurations_are_refused(make, wrong, words):
    good = {"cone": cw.Cone.orthant(2), "epsilon": 0.1, "delta": 0.1, "noise": Gaussian(1)}
    asked, options = ({k: v for k, v in wrong.items() if (k in good) == own} for own in (True, False))
    with pytest.raises(cw.InputError, match=words):
        make(cw.Question(**(good | asked)), **({"n_designs": 4} | options))
