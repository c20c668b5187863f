"""Weights from a pilot that is thrown away: they sum to one, and nothing that a claim uses is in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shared.cones import random_cone

import conewise as cw
from conewise.certificate import pilots
from conewise.certificate.certificate import Certificate
from conewise.certificate.tuning import TUNING, Tuning
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian
from conewise.rules import SuccessiveElimination

ORTHANT = cw.Cone.orthant(2)


ALWAYS = replace(TUNING, pilot_worth=0.0, pilots_from=(2, 2))
"""Pilots however little is planned."""


def task(cone, epsilon=0.3, covering=True, most=50, first=1):
    def about(pilots):
        return np.eye(cone.dim)

    return pilots.Task(cone, epsilon, covering, 1.0, about, first, most)


def told(values, designs=None):
    values = np.asarray(values, dtype=float)
    return Observations.single(np.arange(len(values)) if designs is None else designs, values)


# -- weights ---------------------------------------------------------------------------------------------------------


def completed(asked, means, rng=None, noise=0.0):
    """Complete pilots of designs with these means."""
    pilot = pilots.Pilot.begun(asked, len(means))
    while pilot.weights is None:
        who = np.repeat(np.arange(len(means)), pilot.missing)
        errors = 0.0 if rng is None else noise * rng.normal(size=(len(who), means.shape[1]))
        pilot = pilot.add(told(means[who] + errors, who))
    return pilot


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("k", [2, 3, 12])
def test_weights_sum_to_one_at_most_and_leave_nobody_out(dim, k):
    rng = np.random.default_rng(10 * dim + k)
    for spread in (0.0, 0.1, 3.0):
        cone = random_cone(rng, dim, dim + 2) if dim > 2 else cw.Cone.orthant(dim)
        for covering in (True, False):
            asked = task(cone, covering=covering, first=int(rng.integers(2, 9)))
            found = completed(asked, spread * rng.normal(size=(k, dim)), rng, 1.0).weights
            if covering:
                assert np.maximum(found.fine, found.out.sum(axis=1)).sum() <= 1 + 1e-12
            assert found.fine.sum() <= 1 + 1e-12
            assert found.out.sum() <= 1 + 1e-12
            assert min(found.parts[:2]) > 0
            assert sum(found.parts) <= 1 + 1e-12
            fine, out = pilots.least_weights(k, len(cone.facets))
            others = ~np.eye(k, dtype=bool)
            assert found.fine.min() / len(cone.facets) >= fine * (1 - 1e-12)
            assert found.out[others].min() >= out * (1 - 1e-12)
            assert (np.diag(found.out) == 0).all()


def test_hard_designs_get_more_and_so_do_likely_rivals():
    """One leader, one close follower, ten far behind: the close one has the largest share, against the leader."""
    means = np.vstack([[0.0, 0.0], [-0.5, -0.5], np.full((10, 2), -9.0)])
    for covering in (True, False):
        found = completed(task(ORTHANT, epsilon=0.05, covering=covering, first=20), means).weights
        assert found.out.sum(axis=1).argmax() in ((0, 1) if covering else (1,))
        assert found.out[1].argmax() == 0
        assert found.out[1, 0] > 5 * found.out[2, 0] > 5 * found.out[2, 5]
        assert found.fine.argmax() in (0, 1)


# -- pilots ----------------------------------------------------------------------------------------------------------


def test_pilots_are_asked_for_where_much_is_planned_only():
    def weighted(noise=None, epsilon=0.05, k=10, notion="cover", **options):
        question = cw.Question(ORTHANT, epsilon, 0.1, Gaussian(1.0) if noise is None else noise, notion)
        return Certificate(question, k, **options).weighted

    assert weighted()
    assert weighted(SubGaussian(1.0))
    assert weighted(Bounded(0, 1), epsilon=0.02)
    assert not weighted(epsilon=2.0)
    assert not weighted(k=TUNING.pilots_from[0] - 1)
    assert weighted(SubGaussian(1.0), notion="contain", epsilon=0.0, k=40, most=1000)
    assert weighted(notion="contain", epsilon=0.0, k=2, most=1000)
    assert weighted(GaussianUnknown())
    assert not weighted(pilots=False)
    assert not weighted(tuning=Tuning(pilots=False))
    assert not weighted(k=1001)


@pytest.mark.parametrize("limit", [80, 400, 4000])
@pytest.mark.parametrize("noise", [Gaussian(1.0), GaussianUnknown()], ids=["known", "unknown"])
def test_pilots_take_a_twentieth_of_a_limit_at_most_or_their_first_observations(noise, limit):
    k, first = 4, 1 if isinstance(noise, Gaussian) else 2
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.0, 0.1, noise, "contain"), k, max_evaluations=limit)
    pilot = rule.certificate.pilot
    assert (pilot.wanted == first).all()
    assert k * pilot.task.most <= max(limit / 20, k * first)


@pytest.mark.parametrize("limit", [100, 10**6])
@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_where_noise_is_estimated_units_change_nothing_of_a_pilot(unit, limit):
    """One observation of each would say nothing of the noise, and gaps would be measured in whatever unit it is."""
    question = cw.Question(ORTHANT, 0.0, 0.1, GaussianUnknown(resolution=0), "contain")
    weights = []
    for scale in (1.0, unit):
        rule, rng = SuccessiveElimination(question, 4, max_evaluations=limit), np.random.default_rng(3)
        state, means = rule.start(), np.random.default_rng(2).normal(size=(4, 2))
        while not state.piloted:
            pulls = rule.ask(state)
            who = np.repeat(pulls.designs, pulls.counts)
            state = rule.tell(state, told(scale * (means[who] + rng.normal(size=(len(who), 2))), who))
        weights.append(state.weights)
    assert np.allclose(weights[0].out, weights[1].out)
    assert np.allclose(weights[0].fine, weights[1].fine)


def test_no_claim_uses_an_observation_of_a_pilot():
    """Other values in the pilots: the same snapshots, and counts that include them."""
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(1.0)), 3, tuning=ALWAYS)
    rng = np.random.default_rng(2)
    early, later, states = rng.normal(size=(40, 3, 2)), rng.normal(size=(40, 3, 2)), []
    for shift in (0.0, 5.0):
        state = rule.start()
        for values in early:
            missing = np.flatnonzero(state.pilot.missing)
            if not len(missing):
                break
            state = rule.tell(state, told(values[missing] + shift, missing))
        assert state.piloted
        for values in later:
            state = rule.tell(state, told(values))
        states.append(state)
    first, second = states
    assert first.evaluations == 120 + first.pilot.statistics.evaluations
    assert (first.counts == first.statistics.counts + first.pilot.statistics.counts).all()
    assert np.array_equal(first.statistics.means, second.statistics.means)
    for one, other in zip(first.snapshots, second.snapshots, strict=True):
        assert np.array_equal(one.means, other.means)
    np.testing.assert_allclose(rule.recommend(first).means, first.everything.means)


def test_the_order_in_which_designs_are_told_changes_nothing():
    """A design's pilot is the beginning of its own stream, even where a table is sorted by designs."""
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(1.0)), 4, tuning=ALWAYS)
    rng = np.random.default_rng(5)
    designs = np.repeat(np.arange(4), [60, 300, 40, 100])
    values = rng.normal(size=(len(designs), 2)) + designs[:, None]
    states = []
    for order in (np.arange(500), np.argsort(rng.random(500), kind="stable")):
        turns = np.argsort(order, kind="stable") if len(states) else order
        who = designs[turns]
        stable = np.concatenate([np.flatnonzero(designs == d) for d in range(4)])
        rank = np.empty(500, dtype=int)
        rank[np.argsort(who, kind="stable")] = stable  # each stream in its own order
        states.append(rule.tell(rule.start(), told(values[rank], who)))
    first, second = states
    assert first.piloted
    assert second.piloted
    assert (first.pilot.statistics.counts == second.pilot.statistics.counts).all()
    np.testing.assert_allclose(first.weights.out, second.weights.out, rtol=1e-12)
    np.testing.assert_allclose(first.statistics.means, second.statistics.means, rtol=1e-12)
    assert (first.reached == second.reached).all()
    assert first.evaluations == second.evaluations == 500


def test_an_entry_that_completes_a_pilot_belongs_to_it_as_a_whole():
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(1.0)), 2, tuning=ALWAYS)
    state = rule.tell(rule.start(), Observations([0, 1], [[0.0, 0.0], [9.0, 9.0]], [500, 500]))
    assert state.piloted
    assert state.pilot.statistics.counts.tolist() == [500, 500]
    assert not state.statistics.counts.any()


def test_nothing_is_claimed_before_the_pilots_are_complete():
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.5, 0.1, Gaussian(1.0)), 3, max_evaluations=7, tuning=ALWAYS)
    state = rule.start()
    assert rule.ask(state, most=2).total == 2
    pulls = rule.ask(state)
    assert pulls.total == 3
    state = rule.tell(state, told(np.zeros((2, 2)), [0, 1]))
    assert not rule.recommend(state).pareto.any()
    assert rule.plan(state).pulls.total > 0


def test_a_pilot_is_longer_where_gaps_look_small():
    means = np.array([[0.0, 0.0], [-0.01, 0.01], [-30.0, -30.0]])
    pilot = completed(task(ORTHANT, epsilon=0.01, most=10_000), means)
    assert pilot.wanted[2] == 1
    assert pilot.wanted[0] == pilot.wanted.max() > 4


# -- the first look --------------------------------------------------------------------------------------------------


def begun(rule, values):
    """After the first observation of every design."""
    return rule.tell(rule.start(), told(values))
