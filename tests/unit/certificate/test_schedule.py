"""The schedule of a certificate: what its boundaries spend in all, and that its last look settles everything."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.certificates import CONES, certificate, fine_boundary, out_boundary

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.schedule import MOST
from conewise.certificate.tuning import Tuning
from conewise.noise import Gaussian, SubGaussian


@pytest.mark.parametrize("n_designs", [2, 3, 10, 57])
def test_the_two_kinds_of_error_together_spend_no_more_than_delta(n_designs):
    """For every possible size p of the Pareto set: p (K - 1) a_out(p) + (K - p) N a_fine <= delta.

    Covering; test_boundaries.py has "contain". A false "covered" comes from one direction. The probabilities are read
    back from the boundaries: for subgaussian noise they are sums of exp(-z^2 / 2).
    """
    delta = 0.1
    for cone in CONES:
        checked = certificate(cone, SubGaussian(0.5), n_designs, delta=delta)
        rows = len(cone.facets)
        fine = float(np.exp(-(fine_boundary(checked, n_designs) ** 2) / 2).sum())
        for p in range(1, n_designs + 1):
            out = float(np.exp(-(out_boundary(checked, p) ** 2) / 2).sum())
            spent = p * (n_designs - 1) * out + (n_designs - p) * rows * fine
            assert spent <= delta * (1 + 1e-9), (cone, p)
        assert spent >= 0.99 * delta  # and nothing is left lying about


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("n_designs", [2, 5, 100])
def test_fewer_designs_left_never_ask_for_a_wider_radius(n_designs, notion):
    checked = certificate(n_designs=n_designs, notion=notion)
    table = np.array([out_boundary(checked, m) for m in range(1, n_designs + 1)])
    assert (np.diff(table, axis=0) >= 0).all()
    assert (table >= 0).all()


@pytest.mark.parametrize("delta", [0.001, 0.1, 0.9])
@pytest.mark.parametrize("n_designs", [2, 10])
def test_the_last_level_settles_every_pair_whatever_the_means(n_designs, delta):
    """(z_fine + z_out) times the spread is at most epsilon alpha in every direction: not fine is beaten."""
    for cone, noise in zip(CONES[::2], [Gaussian(0.5), SubGaussian(0.5), Gaussian(0.3)], strict=True):
        for notion in ("cover", "contain"):
            checked = certificate(cone, noise, n_designs, notion=notion, epsilon=0.7, delta=delta)
            z = fine_boundary(checked, n_designs)[-1] + out_boundary(checked, n_designs)[-1]
            spreads = np.sqrt(2 * checked.radii.worst / checked.levels.counts[-1])
            assert (z * spreads <= 0.7 * cone.widths * (1 + 1e-12)).all(), (cone, noise)


def test_nothing_that_is_fixed_beforehand_knows_an_epsilon_that_may_be_chosen_anew():
    small, large = (certificate(epsilon=epsilon, any_epsilon=True) for epsilon in (0.1, 0.5))
    assert small.most == MOST
    assert small.levels == large.levels
    assert small.anchors == (math.inf, math.inf)
    assert certificate(epsilon=0.1).levels != certificate(epsilon=0.5).levels


def test_timing_can_be_switched_off():
    """Then all looks up to the anchor spend as much, so that the last ones are wider than with timing."""
    question = cw.Question(cw.Cone.orthant(2), 0.1, 0.1, Gaussian(1.0))
    timed, even = (Certificate(question, 2, tuning=Tuning(timing=timing)).tables.fine for timing in (True, False))
    assert timed[0, 0, -1] < even[0, 0, -1]
    assert timed[0, 0, 0] > even[0, 0, 0]


def test_an_epsilon_that_takes_more_than_can_be_counted_is_refused():
    with pytest.raises(cw.InputError, match="more than can be counted"):
        _ = certificate(epsilon=1e-9).levels


def test_a_schedule_of_one_look_is_refused():
    with pytest.raises(cw.InputError, match="most"):
        certificate(most=1)
