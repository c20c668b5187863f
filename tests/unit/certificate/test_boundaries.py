"""What claims spend in all, and boundaries along lists in which the second design is ahead.

Read back from the numbers, exactly where a chance can be computed; else fixed seeds and an exact binomial bound at
LEVEL.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, norm, t
from shared.certificates import fine_boundary, out_boundary, parts, spent_on

import conewise as cw
from conewise.certificate import looks
from conewise.certificate.bounded import AnytimeBernstein
from conewise.certificate.certificate import Certificate
from conewise.certificate.looks import GROWTH, Levels, boundaries
from conewise.certificate.tuning import TUNING
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian

LEVEL = 1e-6
LINE, ORTHANT = cw.Cone.orthant(1), cw.Cone.orthant(2)


# -- what is spent in all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_designs", [2, 5, TUNING.leads_from + 3])
@pytest.mark.parametrize("cone", [LINE, ORTHANT, cw.Cone.ice_cream(60, facets=5)], ids=lambda cone: cone.text)
def test_variances_and_claims_together_spend_no_more_than_delta(cone, n_designs):
    """Covering: read back from the numbers, for every size p of the Pareto set, every list of looks, unknown noise."""
    delta, rows = 0.1, len(cone.facets)
    for noise in (Bounded(0, 1), GaussianUnknown()):
        checked = Certificate(cw.Question(cone, 0.5, delta, noise), n_designs, pilots=False)
        counts = np.array(checked.levels.counts, dtype=float)
        made, levels = checked.radii, checked.levels

        def spends(z: np.ndarray, lead: float = 1.0, made=made, counts=counts, levels=levels) -> float:
            if isinstance(made, AnytimeBernstein):
                return spent_on(made, levels, z, lead)
            return float(t.sf(z, counts - 1).sum())

        fine = spends(fine_boundary(checked, n_designs))
        assert len(checked.offsets) == (2 if n_designs >= TUNING.leads_from else 1)
        out = sum(spends(out_boundary(checked, 1, which), lead) for which, lead in enumerate(checked.leads))
        for p in range(1, n_designs + 1):
            total = p * (n_designs - 1) * out + (n_designs - p) * rows * fine
            assert total <= delta * (1 + 1e-5), (noise, p)
        assert total >= (0.95 if isinstance(made, AnytimeBernstein) else 0.98) * delta


# For `contain` probabilities are tabulated in steps of 2^(1/4), so that one is at least 0.84 of what it might be.


@pytest.mark.parametrize("n_designs", [2, 3, 7, TUNING.leads_from + 3])
@pytest.mark.parametrize(
    "noise", [Gaussian(0.5), "by design", SubGaussian(0.5), Bounded(0, 1), GaussianUnknown()], ids=str
)
@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone.ice_cream(60, facets=5)], ids=lambda cone: cone.text)
def test_containing_spends_no_more_than_delta_step_by_step(cone, noise, n_designs):
    """p (K-1) a_any(p) + p (p-1) a_sure(p) + (K-p) N a_fine(K-p) <= delta, for every size p of the Pareto set.

    Probabilities are read back from the boundaries. At the sizes in the tables nothing is left lying about, but for
    p = 1 and p = K: there is nobody to be wrong about. Between them at most the rounding of probabilities is lost.
    """
    delta, rows = 0.1, len(cone.facets)
    if noise == "by design":
        noise = Gaussian(np.linspace(0.2, 0.6, n_designs * cone.dim).reshape(n_designs, cone.dim))
    checked = Certificate(
        cw.Question(cone, 0.0, delta, noise, success="contain"),
        n_designs,
        most=250,
        pilots=False,
        tuned=replace(TUNING, near=False),
    )
    counts = np.array(checked.levels.counts, dtype=float)

    @cache
    def spends(z: tuple[float, ...], lead: float = 1.0) -> float:
        if isinstance(checked.radii, AnytimeBernstein):
            return spent_on(checked.radii, checked.levels, np.array(z), lead)
        if isinstance(noise, Gaussian):
            return ever(np.array(z), np.sqrt(counts[:-1] / counts[1:]))
        tails = t.sf(z, counts - 1) if isinstance(noise, GaussianUnknown) else np.exp(-(np.array(z) ** 2) / 2)
        return float(tails.sum())

    assert checked.stepwise
    shares = dict(zip(("fine", "any", "sure"), parts(checked), strict=True))
    assert sum(shares.values()) == pytest.approx(delta, rel=1e-12)
    for p in range(1, n_designs + 1):
        q = n_designs - p
        lists = list(enumerate(checked.leads))
        by_any = p * (n_designs - 1) * sum(spends(tuple(out_boundary(checked, p, k)), lead) for k, lead in lists)
        by_sure = p * (p - 1) * sum(spends(tuple(out_boundary(checked, p, k, by_sure=True)), lead) for k, lead in lists)
        fine = q * rows * spends(tuple(fine_boundary(checked, q)))
        assert by_any + by_sure + fine <= delta * (1 + 1e-5), p
        few = 0.9 if len(lists) > 1 and isinstance(noise, Gaussian) else 0.985  # Slepian's price of a leader
        few = 0.95 if isinstance(noise, Bounded) else few  # the price of a safe distance between the points of a grid
        for part, name in ((by_any, "any"), (by_sure, "sure"), (fine, "fine")):
            share, size = shares[name], q if name == "fine" else p
            assert part <= share * (1 + 1e-5), (p, name)
            if not size or (name == "sure" and p == 1):
                continue
            assert part >= few * share / TUNING.step, (p, name)


@pytest.mark.parametrize("n_designs", [2, 7, 100, 3000])
@pytest.mark.parametrize("noise", [Gaussian(0.5), Bounded(0, 1), GaussianUnknown()], ids=repr)
def test_fewer_designs_to_be_wrong_about_never_ask_for_a_wider_radius(noise, n_designs):
    """The events are nested: the argument with the first wrong step rests on it."""
    checked = Certificate(cw.Question(ORTHANT, 0.0, 0.1, noise, success="contain"), n_designs, most=250, pilots=False)
    numbers = sorted({*range(min(n_designs, 40) + 1), *range(0, n_designs, 97), n_designs - 1, n_designs})
    tables = [np.array([fine_boundary(checked, u) for u in numbers])]
    kinds = [(which, by_sure) for which in range(len(checked.offsets)) for by_sure in (False, True)]
    tables += [np.array([out_boundary(checked, m, k, by_sure=by_sure) for m in numbers[1:]]) for k, by_sure in kinds]
    for table in tables:
        assert np.isfinite(table).all()
        assert (table >= 0).all()
        assert (np.diff(table, axis=0) >= 0).all()
        assert (table[0] < table[-1]).any()
    if n_designs > 2:  # a sure rival is worth something as soon as few are left
        assert (tables[2][1] < tables[1][1]).all()


# -- lists in which the second design is ahead ---------------------------------------------------------------------

AHEAD = 18  # levels of 1.08: four times as many observations
WALKS = 50_000


def correlations(levels: Levels, ahead: int, ratio: float) -> np.ndarray:
    """Of neighbouring errors along a list: sqrt(var of the later difference / var of the earlier one)."""
    n = np.array(levels.counts, dtype=float)
    variances = 1 / n[: len(n) - ahead] + ratio / n[ahead:]
    return np.sqrt(variances[1:] / variances[:-1])


def ever(z: np.ndarray, correlations: np.ndarray) -> float:
    """P(a Markov chain of standard normal errors with these correlations ever exceeds z), look after look."""
    column = z[:, None]
    below = looks._Below.first(1)
    total = float(norm.sf(z[0]))
    for (before, edge), rho in zip(pairwise(column), correlations, strict=False):
        below = below.after(before, float(rho))
        total += math.exp(float(below.log_crossing(edge)[0]))
    return total


@pytest.mark.parametrize("anchor", [60.0, math.inf])
@pytest.mark.parametrize("alpha", [0.05, 1e-5])
def test_with_the_true_correlations_a_boundary_is_exceeded_with_probability_alpha_at_most(anchor, alpha):
    """The law of the list, whatever the variances: more correlated than was assumed (Slepian), so crossed less often.

    The list without a leader, for which nothing was assumed in vain, leaves hardly anything.
    """
    levels = Levels.up_to(2000, due=0.0)
    z = boundaries(levels, anchor, (alpha,), True, AHEAD)[0]
    for ahead in (0, 7, AHEAD):
        for ratio in (0.0, 1e-3, 1.0, 1e9):
            assert 0.3 * alpha < ever(z, correlations(levels, ahead, ratio)) <= alpha
    without = boundaries(levels, anchor, (alpha,), True, 0)[0]
    assert 0.99 * alpha < ever(without, correlations(levels, 0, 1.0)) <= alpha
    alone = boundaries(levels, anchor, (alpha,), True, 0)[0]
    assert (z >= alone - 1e-8).all()  # a list with a leader is never given more credit than one without
    assert (z <= 1.2 * alone).all()


def errors(levels: Levels, ahead: int, ratio: float, rng: np.random.Generator) -> np.ndarray:
    """(WALKS, lists' length): standardised errors of mean_j - mean_i with j `ahead` levels further."""
    n = np.array(levels.counts, dtype=float)
    steps = np.sqrt(np.diff(n, prepend=0.0))
    mine, theirs = (np.cumsum(rng.standard_normal((WALKS, len(n))) * steps, axis=1) / n for _ in range(2))
    last = len(n) - ahead
    spread = np.sqrt(1 / n[:last] + ratio / n[ahead:])
    return (math.sqrt(ratio) * theirs[:, ahead:] - mine[:, :last]) / spread


@pytest.mark.parametrize("ratio", [1e-6, 1.0, 1e6])
def test_a_boundary_holds_along_lists_whose_second_design_is_ahead(ratio):
    """Normal walks, alpha moderately large; power: a boundary a quarter lower is crossed too often."""
    levels = Levels.up_to(300, due=0.0)
    assert levels.counts[0] == 1 or levels.counts[AHEAD] / levels.counts[0] >= GROWTH**AHEAD
    for ahead in (0, AHEAD):
        seen = errors(levels, ahead, ratio, np.random.default_rng([17, ahead]))
        for alpha, z in zip((0.2, 0.05), boundaries(levels, 100.0, (0.2, 0.05), True, AHEAD), strict=True):
            most = binom.isf(LEVEL, WALKS, alpha)
            assert (seen >= z[: seen.shape[1]]).any(axis=1).sum() <= most
            assert (seen >= z[: seen.shape[1]] / 1.35).any(axis=1).sum() > most


def test_all_lists_up_to_the_offset_are_served_by_one_boundary():
    """A smaller offset never asks for more."""
    levels = Levels.up_to(500)
    tables = [boundaries(levels, 200.0, (0.1, 0.01), True, ahead) for ahead in (0, 3, AHEAD)]
    for smaller, larger in pairwise(tables):
        assert (smaller <= larger + 1e-8).all()
