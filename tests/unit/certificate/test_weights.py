"""Weights of claims: what they spend together, how they are rounded, and claims by weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shared.certificates import masks, spent_on, twin

import conewise as cw
from conewise.certificate.bounded import AnytimeBernstein
from conewise.certificate.certificate import Certificate
from conewise.certificate.history import Checkpoints
from conewise.certificate.tuning import TUNING
from conewise.certificate.weights import Standing
from conewise.data.observations import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian
from conewise.rules import SuccessiveElimination

ORTHANT = cw.Cone.orthant(2)


ALWAYS = replace(TUNING, pilot_worth=0.0, pilots_from=(2, 2))


"""Pilots however little is planned."""


def told(values, designs=None):
    values = np.asarray(values, dtype=float)
    return Observations.single(np.arange(len(values)) if designs is None else designs, values)


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.3, 1e-3, 1e-9])
def test_weights_are_rounded_down_to_the_table(weight):
    checked = Certificate(cw.Question(ORTHANT, 0.05, 0.1, SubGaussian(1.0)), 45)
    row, step = int(checked.tables.rows(np.log(0.1 * np.array(weight)), True)), np.exp(checked.tables.step)
    probability = checked.least[1] * step**row
    assert probability <= max(0.1 * weight, checked.least[1]) * (1 + 1e-9)
    assert row in (0, len(checked.tables.out[0]) - 1) or probability * step > 0.1 * weight * (1 - 1e-9)


def read_back(checked, tables):
    """Twice (rows,): what the boundaries of "fine", and of "beaten" and "covered", really spend.

    Sums of exp(-z^2 / 2) for subgaussian noise, one mixture for bounded observations.
    """

    def each_row(table):
        if isinstance(checked.radii, AnytimeBernstein):
            return np.array([spent_on(checked.radii, checked.levels, z) for z in table])
        return np.exp(-(table**2) / 2).sum(axis=1)

    return each_row(tables.fine[0]), each_row(tables.out[0])


def spent_by(checked, state, left, sure, read):
    """Twice (K,): the probability of all claims "fine", and of all claims "beaten" and "covered", of each design."""
    k, everyone = checked.n_designs, np.arange(checked.n_designs)
    boundaries, standing = checked.boundaries(state), Standing(left, sure)
    spending, tables = boundaries.spending, boundaries.tables
    rows = tables.rows(spending.log_fine(everyone, standing), False)
    fine, each, out = len(checked.cone.facets) * read[0][rows][0, :, 0], read[1], np.zeros(k)
    kinds = [(spending.log_out, np.ones(k, dtype=bool))]
    if spending.by_sure:
        kinds.append((spending.log_by_sure, left))
    for kind, rivals in kinds:
        pairs = each[tables.rows(kind(everyone, everyone, standing), True)][0]
        out += np.where(rivals[None, :] & ~np.eye(k, dtype=bool), pairs, 0.0).sum(axis=1)
    return fine, out


@pytest.mark.parametrize("noise", [SubGaussian(1.0), Bounded(0, 1)], ids=["subgaussian", "bounded"])
@pytest.mark.parametrize(("notion", "epsilon"), [("cover", 0.3), ("contain", 0.3), ("contain", 0.0)])
def test_whatever_the_pilot_says_all_claims_together_spend_no_more_than_delta(noise, notion, epsilon):
    """For every Pareto set that is tried: those inside can be wrongly out, the others wrongly fine.

    For `contain`, just before the first error the Pareto set is left and whoever is sure belongs to it.
    """
    k, delta, rng = 45, 0.1, np.random.default_rng(1)
    checked = Certificate(cw.Question(ORTHANT, epsilon, delta, noise, notion), k, tuning=ALWAYS)
    assert checked.weighted
    state = Checkpoints.empty(checked.levels, k, 2, checked.radii.estimates, checked.pilot)
    means = rng.random((k, 2)) / 2  # apart, or the pilots of an exact question would never end
    while not state.piloted:
        who = np.repeat(np.arange(k), state.pilot.missing)
        state = state.add(told(means[who] + rng.random((len(who), 2)) / 2, who))
    largest, read = 0.0, read_back(checked, checked.boundaries(state).tables)
    for p in (1, 2, 10, 44, 45):
        for _ in range(4):
            front = np.isin(np.arange(k), rng.choice(k, p, replace=False))
            step = notion == "contain"
            known = (front, front) if step else (front | True, front & False)
            fine, out = spent_by(checked, state, *known, read)
            spent = fine[~front].sum() + out[front].sum()
            assert spent <= delta * (1 - TUNING.pilot_look) * (1 + 1e-9), p
            largest = max(largest, spent)
    assert largest >= 0.5 * delta  # weights that no Pareto set uses whole, rounded down to the table


@pytest.mark.parametrize("noise", [Gaussian(0.5), GaussianUnknown(resolution=0)], ids=["normal", "unknown"])
@pytest.mark.parametrize("success", ["cover", "contain"])
def test_claims_by_weight_are_what_their_definitions_say(noise, success):
    """Against the obvious twin at many moments of runs; something of every kind is claimed."""
    k, seen = 6, np.zeros(4, dtype=int)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem = cw.SimulatedBandit(rng.normal(size=(k, 2)), Gaussian(0.5))
        epsilon, most = (0.3, None) if success == "cover" else (0.0, 4000)
        question = cw.Question(ORTHANT, epsilon, 0.1, noise, success)
        rule = SuccessiveElimination(question, k, max_evaluations=most, tuning=ALWAYS)
        state, rounds = rule.start(), 0
        while (pulls := rule.ask(state)).total:
            state, rounds = rule.tell(state, problem.evaluate(pulls, rng)), rounds + 1
            if state.piloted and rounds % 5 == 0:
                claims = rule.certificate.claims(state)
                assert masks(claims) == twin(rule.certificate, state, epsilon), (seed, rounds)
                seen += np.sum(masks(claims), axis=1)
        assert len(state.weights.fine) == k
    assert (seen[[0, 1, 3]] > 0).all()
