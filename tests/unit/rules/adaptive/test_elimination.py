"""Successive elimination: its radius, where its pulls stop, what it refuses, and claims that depend on no history."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from shared.certificates import at_levels, forgetful

import conewise as cw
from conewise.certificate.history import Checkpoints
from conewise.data.observations import Observations, Pulls
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise
from conewise.problems import SimulatedBandit
from conewise.rules import Certificate, Claims, SuccessiveElimination

ORTHANT = cw.Cone.orthant(2)
LOOKS = 14
NAMES = ("beaten", "accepted", "covered", "undecided", "accept_at", "no_worse_at")


def assert_same(found: Claims, fresh: Claims) -> None:
    for name in NAMES:
        np.testing.assert_array_equal(getattr(found, name), getattr(fresh, name), err_msg=name)
    np.testing.assert_array_equal(found.left, fresh.left)


@cache
def assumed(kind: str, k: int) -> tuple[Noise, np.ndarray]:
    """What is assumed, and the standard deviations that are drawn with."""
    if kind == "known":
        return Gaussian(0.5), np.full((k, 2), 0.5)
    if kind == "by design":
        sigma = np.random.default_rng(1).uniform(0.2, 0.8, size=(k, 2))
        return Gaussian(sigma), sigma
    return (GaussianUnknown() if kind == "unknown" else Bounded(-3, 3)), np.full((k, 2), 0.3)


class Evaluations:
    """A stream for each design, fixed beforehand: what is told when changes nothing of it."""

    def __init__(self, kind: str, k: int, seed: int) -> None:
        rng = np.random.default_rng([seed, k])
        means = rng.normal(size=(k, 2)) * 0.5
        means[: k // 3] -= 1.0
        self.means, self.sigma, self.bounded = means, assumed(kind, k)[1], kind == "bounded"
        self.streams = [np.random.default_rng([seed, k, design]) for design in range(k)]

    def __call__(self, designs: np.ndarray, counts: np.ndarray) -> Observations:
        every = np.repeat(designs, counts)
        noise = np.vstack([self.streams[d].normal(size=(n, 2)) for d, n in zip(designs, counts, strict=True)])
        values = self.means[every] + self.sigma[every] * noise
        return Observations.single(every, np.clip(values, -3, 3) if self.bounded else values)


def rule_of(noise: Noise, k: int, success: str) -> SuccessiveElimination:
    exact = {"max_evaluations": 20_000} if success == "contain" else {}
    return SuccessiveElimination(cw.Question(ORTHANT, 0.0 if exact else 0.3, 0.1, noise, success), k, **exact)


@pytest.mark.parametrize("k", [12, 60])
@pytest.mark.parametrize("kind", ["known", "by design", "unknown", "bounded"])
@pytest.mark.parametrize("success", ["cover", "contain"])
def test_claims_look_by_look_are_those_of_the_checkpoints_alone(success, kind, k):
    """Runs in rounds and in batches of any size, with observations that nobody asked for, also of beaten designs."""
    rule = rule_of(assumed(kind, k)[0], k, success)
    draw, rng, state = Evaluations(kind, k, 4 if success == "contain" else 3), np.random.default_rng(5), rule.start()
    while not state.piloted:
        pulls = rule.ask(state)
        state = rule.tell(state, draw(pulls.designs, pulls.counts))
    warm = rng.integers(*((60, 120) if kind == "bounded" else (8, 20)), size=k)  # the first looks are all alike
    state = rule.tell(state, draw(np.arange(k), warm))
    seen = set()
    for look in range(LOOKS):
        claims = rule.certificate.claims(state)
        assert_same(claims, forgetful(rule.certificate).claims(state))
        seen.add(tuple(int(part.sum()) for part in (claims.beaten, claims.accepted, claims.covered)))
        pulls = rule.ask(state, None if rng.random() < 0.7 else int(rng.integers(1, 40 * k)))
        if not pulls.total:
            break
        state = rule.tell(state, draw(pulls.designs, pulls.counts))
        if look % 7 == 6:
            among = np.flatnonzero(claims.beaten) if claims.beaten.any() else np.arange(k)
            chosen = np.unique(np.append(rng.choice(among, 1), rng.choice(k, 2)))
            state = rule.tell(state, draw(chosen, rng.integers(1, 60, size=len(chosen))))
    assert len(seen) > 1  # something happened from look to look


def empty(certificate: Certificate) -> Checkpoints:
    radii = certificate.radii
    return Checkpoints.empty(certificate.levels, certificate.n_designs, 2, radii.estimates)


def test_a_leader_that_falls_back_is_forgotten_as_the_one_that_beat():
    """j beats i at j's level, below that of i; at j's next level it does so no more, and i is back."""
    certificate = Certificate(cw.Question(ORTHANT, 0.2, 0.1, Gaussian(0.5)), 3, pilots=False)
    counts = np.array(certificate.levels.counts)
    low, high = 5, 25
    steps = np.diff(counts[: high + 1], prepend=0)
    state = empty(certificate).add(Observations([0] * (high + 1), np.zeros((high + 1, 2)), steps))
    state = state.add(Observations([1] * (low + 1), np.full((low + 1, 2), 3.0), steps[: low + 1]))
    state = state.add(Observations([2] * (low + 1), np.tile([-9.0, 9.0], (low + 1, 1)), steps[: low + 1]))
    assert certificate.claims(state).beaten.tolist() == [True, False, False]
    back = -3.0 * counts[low] / steps[low + 1]
    after = state.add(Observations([1], [[back, back]], [steps[low + 1]]))
    assert certificate.claims(after).beaten.tolist() == [False, False, False]
    assert_same(certificate.claims(after), forgetful(certificate).claims(after))


# -- what no claim would hold with -------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [GaussianUnknown(), Bounded(-3, 3)], ids=repr)
def test_means_of_several_evaluations_without_their_scatter_are_refused_where_noise_is_estimated(noise):
    """Their scatter would count as 0: with noise of unknown size nearly everything would be claimed, and guaranteed."""
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.3, 0.1, noise), 3)
    with pytest.raises(cw.InputError, match="scatter"):
        rule.tell(rule.start(), Observations([0, 1], [[0.0, 0.0], [1.0, 1.0]], [1, 5]))
    with pytest.raises(cw.InputError, match="scatter"):
        rule.tell(rule.start(), Observations([0], [[0.0, 0.0]], [5]))
    constant = Observations([0], [[0.0, 0.0]], [5], np.zeros((1, 2, 2)))  # two-valued data may well be all alike
    assert rule.tell(rule.start(), constant).evaluations == 5
    assert rule.tell(rule.start(), Observations.single([0, 0], [[0.0, 0.0]] * 2)).evaluations == 2
    known = SuccessiveElimination(cw.Question(ORTHANT, 0.3, 0.1, Gaussian(1.0)), 3)
    assert known.tell(known.start(), Observations([0], [[0.0, 0.0]], [5])).evaluations == 5


def test_values_outside_of_the_range_that_is_assumed_are_refused():
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.3, 0.1, Bounded([0, -1], 1)), 3)
    assert rule.tell(rule.start(), Observations.single([0, 1], [[0.0, -1.0], [1.0, 1.0]])).evaluations == 2
    for value in ([-0.1, 0.0], [0.5, 1.5]):
        with pytest.raises(cw.InputError, match="range"):
            rule.tell(rule.start(), Observations.single([0], [value]))


# -- its radius, and where its pulls stop -----------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0, -1, math.nan])
def test_a_radius_must_be_scaled_by_something_positive(scale):
    with pytest.raises(cw.InputError, match="radius_scale"):
        SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(0.5)), 3, radius_scale=scale)


def test_a_direction_without_noise_is_known_at_once():
    """A singular covariance leaves a facet without noise: no division by zero, and the right answer."""
    means = [[0.0, 0.0], [0.5, 1.0], [0.0, 1.0]]
    for cov in ([[1.0, 0.0], [0.0, 0.0]], [[[1.0, 0.0], [0.0, 0.0]]] * 3):
        problem = SimulatedBandit(means, Gaussian(cov=cov))
        result = cw.identify(problem, ORTHANT, epsilon=0.3, delta=0.1, rng=0)
        assert result.guarantee
        assert cw.verdict(result.pareto, means, ORTHANT, 0.3)


def test_scaled_radii_void_the_guarantee():
    problem = SimulatedBandit([[0.0, 0.0], [3.0, 3.0]], Gaussian(0.5))
    result = cw.identify(problem, ORTHANT, epsilon=0.5, delta=0.1, rng=0, radius_scale=0.5)
    assert isinstance(result.guarantee, cw.Heuristic)
    assert "0.5" in result.guarantee.reason
    assert result.pareto.tolist() == [False, True]
    assert not result.certain.any()  # "certainly" is a word of proofs
    assert cw.identify(problem, ORTHANT, epsilon=0.5, delta=0.1, rng=0).certain.tolist() == [False, True]


def test_pulls_stop_at_the_last_level():
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(0.5)), 3)
    state = at_levels(rule.certificate, [[0.0, 0.0]] * 3, [len(rule.certificate.levels.counts) - 1] * 3)
    assert isinstance(rule.ask(state), Pulls)
    assert rule.ask(state).total == 0
    assert rule.recommend(state).indices == [0, 1, 2]


def test_the_exact_set_needs_a_limit_to_the_run():
    with pytest.raises(cw.InputError, match="max_evaluations"):
        SuccessiveElimination(cw.Question(ORTHANT, 0.0, 0.1, Gaussian(0.5), success="contain"), 3)
