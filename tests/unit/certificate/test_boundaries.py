"""What claims spend in all, and how often a boundary is crossed.

Read back from the numbers, exactly where a chance can be computed; else fixed seeds and an exact binomial bound at
LEVEL.
"""

from __future__ import annotations

import math
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
from conewise.certificate.looks import Levels, boundaries
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian

LEVEL = 1e-6
LINE, ORTHANT = cw.Cone.orthant(1), cw.Cone.orthant(2)


# -- what is spent in all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_designs", [2, 5, 43])
@pytest.mark.parametrize("cone", [LINE, ORTHANT, cw.Cone.ice_cream(60, facets=5)], ids=lambda cone: cone.text)
def test_variances_and_claims_together_spend_no_more_than_delta(cone, n_designs):
    """Covering: read back from the numbers, for every size p of the Pareto set, unknown noise."""
    delta, rows = 0.1, len(cone.facets)
    for noise in (Bounded(0, 1), GaussianUnknown()):
        checked = Certificate(cw.Question(cone, 0.5, delta, noise), n_designs, pilots=False)
        counts = np.array(checked.levels.counts, dtype=float)
        made, levels = checked.radii, checked.levels

        def spends(z: np.ndarray, made=made, counts=counts, levels=levels) -> float:
            if isinstance(made, AnytimeBernstein):
                return spent_on(made, levels, z)
            return float(t.sf(z, counts - 1).sum())

        fine, out = spends(fine_boundary(checked, n_designs)), spends(out_boundary(checked, 1))
        for p in range(1, n_designs + 1):
            total = p * (n_designs - 1) * out + (n_designs - p) * rows * fine
            assert total <= delta * (1 + 1e-5), (noise, p)
        assert total >= (0.95 if isinstance(made, AnytimeBernstein) else 0.98) * delta


# For `contain` probabilities are tabulated in steps of 2^(1/4), so that one is at least 0.84 of what it might be.


@pytest.mark.parametrize("n_designs", [2, 3, 7, 43])
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
    )
    counts = np.array(checked.levels.counts, dtype=float)

    @cache
    def spends(z: tuple[float, ...]) -> float:
        if isinstance(checked.radii, AnytimeBernstein):
            return spent_on(checked.radii, checked.levels, np.array(z))
        if isinstance(noise, Gaussian):
            return ever(np.array(z), np.sqrt(counts[:-1] / counts[1:]))
        tails = t.sf(z, counts - 1) if isinstance(noise, GaussianUnknown) else np.exp(-(np.array(z) ** 2) / 2)
        return float(tails.sum())

    assert checked.stepwise
    shares = dict(zip(("fine", "any", "sure"), parts(checked), strict=True))
    assert sum(shares.values()) == pytest.approx(delta, rel=1e-12)
    for p in range(1, n_designs + 1):
        q = n_designs - p
        by_any = p * (n_designs - 1) * spends(tuple(out_boundary(checked, p)))
        by_sure = p * (p - 1) * spends(tuple(out_boundary(checked, p, by_sure=True)))
        fine = q * rows * spends(tuple(fine_boundary(checked, q)))
        assert by_any + by_sure + fine <= delta * (1 + 1e-5), p
        few = 0.95 if isinstance(noise, Bounded) else 0.985  # the price of a safe distance between the points of a grid
        for part, name in ((by_any, "any"), (by_sure, "sure"), (fine, "fine")):
            share, size = shares[name], q if name == "fine" else p
            assert part <= share * (1 + 1e-5), (p, name)
            if not size or (name == "sure" and p == 1):
                continue
            assert part >= few * share / np.exp(checked.tables.step), (p, name)


@pytest.mark.parametrize("n_designs", [2, 7, 100, 3000])
@pytest.mark.parametrize("noise", [Gaussian(0.5), Bounded(0, 1), GaussianUnknown()], ids=repr)
def test_fewer_designs_to_be_wrong_about_never_ask_for_a_wider_radius(noise, n_designs):
    """The events are nested: the argument with the first wrong step rests on it."""
    checked = Certificate(cw.Question(ORTHANT, 0.0, 0.1, noise, success="contain"), n_designs, most=250, pilots=False)
    numbers = sorted({*range(min(n_designs, 40) + 1), *range(0, n_designs, 97), n_designs - 1, n_designs})
    tables = [np.array([fine_boundary(checked, u) for u in numbers])]
    tables += [np.array([out_boundary(checked, m, by_sure=by_sure) for m in numbers[1:]]) for by_sure in (False, True)]
    for table in tables:
        assert np.isfinite(table).all()
        assert (table >= 0).all()
        assert (np.diff(table, axis=0) >= 0).all()
        assert (table[0] < table[-1]).any()
    if n_designs > 2:  # a sure rival is worth something as soon as few are left
        assert (tables[2][1] < tables[1][1]).all()


# -- how often a boundary is crossed -------------------------------------------------------------------------------

WALKS = 50_000


def correlations(levels: Levels) -> np.ndarray:
    """Of neighbouring errors: whatever the variances of the two designs."""
    n = np.array(levels.counts, dtype=float)
    return np.sqrt(n[:-1] / n[1:])


def ever(z: np.ndarray, correlations: np.ndarray) -> float:
    """P(a Markov chain of standard normal errors with these correlations ever exceeds z), look after look."""
    column = z[:, None]
    below = looks.Below(np.array([np.inf]), np.empty((1, 0)), np.empty((1, 0)), 0.0)
    total = float(norm.sf(z[0]))
    for (before, edge), rho in zip(pairwise(column), correlations, strict=False):
        below = below.after(before, float(rho))
        total += math.exp(float(below.crossing(edge)[0][0]))
    return total


@pytest.mark.parametrize("anchor", [60.0, math.inf])
@pytest.mark.parametrize("alpha", [0.05, 1e-5])
def test_a_boundary_is_ever_exceeded_with_probability_alpha_and_hardly_less(anchor, alpha):
    levels = Levels.up_to(2000, due=0.0)
    z = boundaries(levels, anchor, (alpha,), True)[0]
    assert 0.99 * alpha < ever(z, correlations(levels)) <= alpha


@pytest.mark.parametrize("ratio", [1e-6, 1.0, 1e6])
def test_a_boundary_holds_whatever_the_variances_of_the_two_designs(ratio):
    """Normal walks, alpha moderately large; power: a boundary a quarter lower is crossed too often."""
    levels, rng = Levels.up_to(300, due=0.0), np.random.default_rng([17, 0])
    n = np.array(levels.counts, dtype=float)
    steps = np.sqrt(np.diff(n, prepend=0.0))
    mine, theirs = (np.cumsum(rng.standard_normal((WALKS, len(n))) * steps, axis=1) / n for _ in range(2))
    seen = (math.sqrt(ratio) * theirs - mine) / np.sqrt((1 + ratio) / n)
    for alpha, z in zip((0.2, 0.05), boundaries(levels, 100.0, (0.2, 0.05), True), strict=True):
        most = binom.isf(LEVEL, WALKS, alpha)
        assert (seen >= z).any(axis=1).sum() <= most
        assert (seen >= z / 1.35).any(axis=1).sum() > most
