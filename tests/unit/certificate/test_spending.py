"""What all claims may spend together is at most delta: read back from the numbers, for any noise, pilot and tuning."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import t
from shared.certificates import CONES, certificate, fine_boundary, out_boundary, parts, spent_on_bounded
from shared.crossings import dense

import conewise as cw
from conewise.certificate.certificate import MOST, Certificate
from conewise.certificate.history import Checkpoints
from conewise.certificate.tuning import TUNING, Tuning
from conewise.certificate.weights import Standing
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian

ORTHANT = cw.Cone.orthant(2)
ALWAYS = replace(TUNING, pilot_worth=0.0, pilots_from=(2, 2))
"""Pilots however little is planned."""


def spends(checked: Certificate, z: np.ndarray) -> float:
    """The probability that one comparison ever reaches a boundary."""
    counts = np.array(checked.levels.counts, dtype=float)
    if isinstance(checked.noise, Bounded):
        return spent_on_bounded(checked.levels.counts[-1], z[-1])
    if isinstance(checked.noise, Gaussian):
        return float(dense(z, np.sqrt(counts[:-1] / counts[1:])).sum())
    tails = t.sf(z, counts - 1) if isinstance(checked.noise, GaussianUnknown) else np.exp(-(z**2) / 2)
    return float(tails.sum())


@pytest.mark.parametrize("n_designs", [2, 5, 43])
@pytest.mark.parametrize("noise", [SubGaussian(0.5), Bounded(0, 1), GaussianUnknown()], ids=repr)
@pytest.mark.parametrize("cone", CONES, ids=lambda cone: cone.text)
def test_covering_spends_no_more_than_delta(cone, noise, n_designs):
    """For every size p of the Pareto set: p (K - 1) a_out + (K - p) N a_fine <= delta, and little is left over."""
    checked, delta = certificate(cone, noise, n_designs, delta=0.1), 0.1
    fine, out = (spends(checked, z) for z in (fine_boundary(checked, n_designs), out_boundary(checked, 1)))
    for p in range(1, n_designs + 1):
        total = p * (n_designs - 1) * out + (n_designs - p) * len(cone.facets) * fine
        assert total <= delta * (1 + 1e-5), p
    assert total >= 0.95 * delta


@pytest.mark.parametrize("n_designs", [2, 7, 21])
@pytest.mark.parametrize(
    "noise", [Gaussian(0.5), "by design", SubGaussian(0.5), Bounded(0, 1), GaussianUnknown()], ids=str
)
@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone.ice_cream(60, facets=5)], ids=lambda cone: cone.text)
def test_containing_spends_no_more_than_delta_step_by_step(cone, noise, n_designs):
    """p (K - 1) a_out(p) + (K - p) N a_fine(K - p) <= delta for every size p of the Pareto set.

    At the sizes in the tables nothing is left over; between them no more than the rounding of probabilities is lost.
    """
    if noise == "by design":
        noise = Gaussian(np.linspace(0.2, 0.6, n_designs * cone.dim).reshape(n_designs, cone.dim))
    checked = certificate(cone, noise, n_designs, epsilon=0.0, delta=0.1, notion="contain", most=250)
    known = cache(lambda z: spends(checked, np.array(z)))
    shares = parts(checked)
    assert sum(shares) == pytest.approx(0.1, rel=1e-12)
    for p in range(1, n_designs + 1):
        q = n_designs - p
        out = p * (n_designs - 1) * known(tuple(out_boundary(checked, p)))
        fine = q * len(cone.facets) * known(tuple(fine_boundary(checked, q)))
        for part, share, size in ((fine, shares[0], q), (out, shares[1], p)):
            assert part <= share * (1 + 1e-5), p
            assert not size or part >= 0.95 * share / math.exp(checked.tables.step), p


@pytest.mark.parametrize("n_designs", [2, 7, 100, 3000])
@pytest.mark.parametrize("noise", [Gaussian(0.5), Bounded(0, 1), GaussianUnknown()], ids=repr)
def test_fewer_designs_to_be_wrong_about_never_ask_for_a_wider_radius(noise, n_designs):
    """The events are nested: the argument with the first wrong step rests on it."""
    checked = certificate(noise=noise, n_designs=n_designs, epsilon=0.0, notion="contain", most=250)
    numbers = sorted({*range(1, min(n_designs, 40) + 1), *range(97, n_designs, 97), n_designs})
    for boundary in (fine_boundary, out_boundary):
        table = np.array([boundary(checked, number) for number in numbers])
        assert np.isfinite(table).all()
        assert (table >= 0).all()
        assert (np.diff(table, axis=0) >= 0).all()
        assert (table[0] < table[-1]).any()


@pytest.mark.parametrize("delta", [0.001, 0.9])
@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_the_last_look_settles_every_pair_whatever_the_means(notion, delta):
    """(z_fine + z_out) times the spread is at most epsilon alpha in every direction: what is not fine is beaten."""
    for cone, noise in zip(CONES[::2], [Gaussian(0.5), SubGaussian(0.5), Gaussian(0.3)], strict=True):
        checked = certificate(cone, noise, 10, notion=notion, epsilon=0.7, delta=delta)
        z = fine_boundary(checked, 10)[-1] + out_boundary(checked, 10)[-1]
        spreads = np.sqrt(2 * checked.radii.worst / checked.levels.counts[-1])
        assert (z * spreads <= 0.7 * cone.widths * (1 + 1e-12)).all(), (cone, noise)


def test_nothing_that_is_fixed_beforehand_knows_an_epsilon_that_may_be_chosen_anew():
    small, large = (certificate(epsilon=epsilon, any_epsilon=True) for epsilon in (0.1, 0.5))
    assert small.most == MOST
    assert small.levels == large.levels
    assert small.anchors == (math.inf, math.inf)
    assert certificate(epsilon=0.1).levels != certificate(epsilon=0.5).levels


def test_schedules_that_nobody_could_follow_are_refused():
    with pytest.raises(cw.InputError, match="more than can be counted"):
        _ = certificate(epsilon=1e-9).levels
    with pytest.raises(cw.InputError, match="most"):
        certificate(most=1)


# -- shares by the weights of a pilot, for any tuning --------------------------------------------------------------


@st.composite
def tunings(draw):
    """Every number far from where it is."""
    return Tuning(
        steps=draw(st.booleans()),
        timing=draw(st.booleans()),
        pilot_worth=0.0,
        pilots_from=(2, 2),
    )


def of_rows(checked: Certificate) -> list[np.ndarray]:
    """What a claim spends at each tabulated boundary of "no worse", and of "dominated" and "covered"."""
    return [np.array([spends(checked, z) for z in table[0]]) for table in (checked.tables.fine, checked.tables.out)]


def spent(checked: Certificate, state: Checkpoints, front: np.ndarray, each: list[np.ndarray]) -> float:
    """What all claims spend that can be wrong if this is the Pareto set, just before the first of them is."""
    k, everyone, spending = checked.n_designs, np.arange(checked.n_designs), checked.ruler(state).spending
    tables, standing = checked.tables, Standing(front, front) if spending.stepwise else Standing.at_first(k)
    fine = each[0][tables.rows(spending.log_fine(everyone, standing), out=False)]
    out = each[1][tables.rows(spending.log_out(everyone, everyone, standing), out=True)[0]]
    by_design = np.broadcast_to(fine, (len(checked.cone.facets), k, 1)).sum(axis=(0, 2))
    pairs = np.where(~np.eye(k, dtype=bool), np.broadcast_to(out, (k, k)), 0.0).sum(axis=1)
    return float(by_design[~front].sum() + pairs[front].sum())


def piloted(checked: Certificate, means: np.ndarray, rng: np.random.Generator) -> Checkpoints:
    state = Checkpoints.empty(checked.levels, *means.shape, checked.radii.estimates, checked.pilot)
    while not state.piloted:
        who = np.repeat(np.arange(len(means)), state.pilot.missing)
        state = state.add(Observations.single(who, means[who] + rng.random((len(who), 2)) / 2))
    return state


@settings(max_examples=12, deadline=None)
@example(replace(ALWAYS, steps=False), "contain", True, 0)  # weights for steps that are not made would spend too much
@given(tunings(), st.sampled_from(["cover", "contain"]), st.booleans(), st.integers(0, 2**16))
def test_no_tuning_spends_more_than_delta(tuning, success, pilots, seed):
    k, rng, delta = 7, np.random.default_rng(seed), 0.1
    question = cw.Question(ORTHANT, 0.5, delta, SubGaussian(1.0), success)
    checked = Certificate(question, k, pilots=pilots, tuning=tuning)
    state = piloted(checked, rng.normal(size=(k, 2)), rng)
    each = of_rows(checked)
    for p in (1, 3, k):
        front = np.isin(np.arange(k), rng.choice(k, p, replace=False))
        assert 0 < spent(checked, state, front, each) <= delta * (1 + 1e-9)


@pytest.mark.parametrize("noise", [SubGaussian(1.0), Bounded(0, 1)], ids=["subgaussian", "bounded"])
@pytest.mark.parametrize(("notion", "epsilon"), [("cover", 0.3), ("contain", 0.3), ("contain", 0.0)])
def test_whatever_a_pilot_says_all_claims_together_spend_no_more_than_delta(noise, notion, epsilon):
    """For every Pareto set that is tried: designs inside can be wrongly out, the others wrongly fine."""
    k, delta, rng = 45, 0.1, np.random.default_rng(1)
    checked = Certificate(cw.Question(ORTHANT, epsilon, delta, noise, notion), k, tuning=ALWAYS)
    assert checked.weighted
    state = piloted(checked, rng.random((k, 2)) / 2, rng)
    fronts = [np.isin(np.arange(k), rng.choice(k, p, replace=False)) for p in (1, 2, 10, 44, 45) * 2]
    each = of_rows(checked)
    found = [spent(checked, state, front, each) for front in fronts]
    assert 0.4 * delta < max(found) <= delta * (1 + 1e-9)
