"""Levels where designs share blocks: bounds against formulas, exact ends, and how often an answer is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, t
from shared.passes import FLAT, answers

import conewise as cw
from conewise.certificate.blocks.paired import Paired
from conewise.certificate.blocks.wagers import LIMIT, stakes_for
from conewise.noise import Bounded, GaussianUnknown
from conewise.problems import Recorded
from conewise.rules import PairedElimination

RATES = np.array([[0.9, 0.3], [0.4, 0.8], [0.35, 0.25], [0.6, 0.6]])
LEVELLED = [cw.Objective("a"), cw.Objective("b", level=0.5)]
WIDE = cw.Cone.planar(135)


def certificate(noise, blocks=60, population=60, epsilon=0.05, success="cover", cone=FLAT, **options):
    question = cw.Question(cone, epsilon, 0.05, noise, success, LEVELLED)
    return Paired(question, len(RATES), blocks, population, **options)


def wealth(z, m, stakes, population):
    """A bet against the mean m of values in [-1, 1], as docs/blocks, section 4, writes it."""
    logs = []
    for stake in stakes:
        total, log = 0.0, 0.0
        for q, value in enumerate(z):
            expected = m if population is None else (population * m - total) / (population - q)
            log += np.log1p(min(stake, LIMIT / (1 + expected) if expected > -1 else stake) * (value - expected))
            total += value
        logs.append(log)
    return np.log(np.mean(np.exp(logs)))


@pytest.mark.parametrize("population", [None, 100])
def test_bounded_values_are_bet_on_design_by_design(population):
    paired = certificate(Bounded(0, 1), blocks=40, population=population)
    values = answers(RATES, 40, seed=2)
    state = paired.tell_table(values)
    bounds, stakes = paired.claims(state).bounds, stakes_for(40)
    for design in range(len(RATES)):
        own = 2 * values[design, :, 1] - 1
        for sign, edge in ((1, bounds.lower), (-1, bounds.upper)):
            m = sign * 2 * edge[design, 0]  # the level is the middle of the range
            at, above = (wealth(sign * own, m + off, stakes, population) for off in (0.0, 0.003))
            least = -1.0 if population is None else (sign * own.sum() - 60) / 100
            assert at >= -np.log(0.25 * 0.05 / 4) or m == pytest.approx(least)
            assert above < -np.log(0.25 * 0.05 / 4)


def test_normal_values_have_students_radius():
    rng = np.random.default_rng(3)
    values = RATES[:, None, :] + 0.3 * rng.normal(size=(4, 60, 2))
    paired = certificate(GaussianUnknown(0.0), population=90, once=True)
    bounds = paired.claims(paired.tell_table(values)).bounds
    own = values[:, :, 1]
    spread = own.std(axis=1, ddof=1) * np.sqrt(1 / 60 - 1 / 90)
    for edges, sign, share in ((bounds.lower, -1, 0.05 / 4 / 4), (bounds.upper, 1, 0.05 / 4 / 4)):
        radius = sign * t.isf(share, 59) * spread
        np.testing.assert_allclose(edges[:, 0], own.mean(axis=1) - 0.5 + radius, rtol=1e-9)


@pytest.mark.parametrize("noise", [Bounded(0, 1), GaussianUnknown()], ids=["bets", "normal"])
@pytest.mark.parametrize("cone", [FLAT, WIDE], ids=str)
@pytest.mark.parametrize("success", ["cover", "contain"])
def test_a_whole_population_is_exact_also_on_a_level(noise, cone, success):
    values = answers(RATES, 20, seed=4)
    values[3, :, 1] = np.arange(20) < 10  # on the level, and nobody can say so before the last block
    asked = {"objectives": LEVELLED, "epsilon": 1e-6, "delta": 0.05, "success": success}
    result = cw.identify(Recorded(values), cone, noise=noise, rng=0, **asked)
    means = values.mean(axis=1)
    acceptable = np.flatnonzero(means[:, 1] >= 0.5)
    expected = np.zeros(4, dtype=bool)
    expected[acceptable[cw.pareto_mask(means[acceptable], cone)]] = True
    assert result.pareto.tolist() == expected.tolist()
    assert (result.status == "misses a level").any()
    assert "levels met within epsilon" in result.guarantee.theorem
    strict = {**asked, "objectives": ["a", cw.Objective("b", level=0.99)]}
    nobody = cw.identify(Recorded(values), cone, noise=noise, rng=0, **strict)
    assert not nobody.pareto.any()
    assert nobody.guarantee
    assert set(nobody.status) == {"misses a level"}


@pytest.mark.parametrize("kind", ["bets, finite", "normal, unlimited"])
def test_at_most_a_delta_fraction_of_answers_is_wrong_and_radii_that_are_too_small_fail(kind):
    """Rates on the level and close to it; null hypothesis: at most delta = 0.1 wrong; level 1e-3, fixed seeds."""
    rates, runs, wrong = np.array([[0.6, 0.5], [0.62, 0.46], [0.5, 0.52]]), 40, {1.0: 0, 0.2: 0}
    finite = kind.startswith("bets")
    for seed in range(runs):
        rng = np.random.default_rng([7, seed])
        if finite:
            values = np.stack([rng.permuted(np.arange(40)[:, None] < 40 * r, axis=0) for r in rates]).astype(float)
        else:
            values = rates[:, None, :] + 0.1 * rng.normal(size=(1, 40, 1)) + 0.1 * rng.normal(size=(3, 40, 2))
        truth, population = (values.mean(axis=1), 40) if finite else (rates, None)
        noise = Bounded(0, 1) if finite else GaussianUnknown()
        for scale in wrong:
            question = cw.Question(FLAT, 0.02, 0.1, noise, "contain", LEVELLED)
            options = {"blocks": 16, "population": population, "once": True, "radius_scale": scale}
            rule = PairedElimination(question, 3, **options)
            result = rule.recommend(rule.certificate.tell_table(values[:, :16]))
            if result.certified_epsilon is not None:
                found = cw.verdict(result.pareto, truth, FLAT, result.certified_epsilon, levels=[-np.inf, 0.5])
                wrong[scale] += not found or len(found.missed) > 0
    admitted = binom.isf(1e-3, runs, 0.1)
    assert wrong[1.0] <= admitted
    assert wrong[0.2] > admitted
