"""Exact identification counted anew: each step of the proof in docs/adaptive, 3.3, and that claims are what it says.

Chances are computed: by a naive recursion, by enumeration, on a finer grid. Counts are compared with loops.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm
from shared.certificates import at_levels, climbed, forgetful, masks, twin
from shared.crossings import dense
from shared.recounts import RHO, TAU, Counted, row_for

import conewise as cw
from conewise.algorithms import Certificate, SuccessiveElimination
from conewise.certificate.certificate import CROWD_SHARES, EXACT_SHARES, LEADS_FROM, SHARES
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels, narrowing, spending
from conewise.certificate.pairs import Meetings
from conewise.certificate.recount import APART, MOST_DESIGNS, REMOVAL, LeftOut, Recount
from conewise.feedback import Observations
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise, SubGaussian

ORTHANT, ORTHANT3, PLANAR = cw.Cone.orthant(2), cw.Cone.orthant(3), cw.Cone.planar(60)
CORRELATED = Gaussian(cov=[[1.0, 0.6], [0.6, 0.5]])


def exact(cone=ORTHANT, noise: Noise | None = None, n_designs=8, most=60, delta=0.1) -> Certificate:
    return Certificate(
        cw.Question(cone, 0.0, delta, Gaussian(1.0) if noise is None else noise, success="contain"),
        n_designs,
        most=most,
    )


def shares_of(n_designs: int) -> dict[str, float]:
    return EXACT_SHARES if n_designs < LEADS_FROM else CROWD_SHARES


# -- boundaries whose row may change -------------------------------------------------------------------------------

LEVELS = Levels.up_to(25, due=0.0)
SIZES = tuple(RHO ** np.arange(10.0))
STEPS = np.sqrt(np.array(LEVELS.counts[:-1]) / np.array(LEVELS.counts[1:]))


def admissible(rng: np.random.Generator) -> list[int]:
    """Rows that fall by one at most; now and then they rise."""
    rows, row = [], int(rng.integers(len(SIZES)))
    for _ in LEVELS.counts:
        rows.append(row)
        row = int(np.clip(row + rng.choice([-1, 0, rng.integers(1, 10)], p=[0.6, 0.3, 0.1]), 0, len(SIZES) - 1))
    return rows


@pytest.mark.parametrize(("anchor", "alpha"), [(20.0, 0.3), (math.inf, 0.002)])
def test_whatever_rows_are_in_force_each_look_spends_its_share_over_the_number_at_most(anchor, alpha):
    table = narrowing(LEVELS, anchor, alpha, SIZES)
    assert (np.diff(table, axis=0) >= 0).all()
    shares, places = spending(LEVELS, anchor), np.arange(len(LEVELS.counts))
    rng = np.random.default_rng(0)
    falling = np.clip(len(SIZES) - 1 - places, 0, None)
    for rows in (falling, falling * 0, falling[::-1], *(admissible(rng) for _ in range(5))):
        numbers = np.array(SIZES)[rows]
        found = dense(table[rows, places], STEPS)
        assert (found <= alpha * shares / numbers).all()
        assert found.sum() <= alpha * (shares / numbers).sum()
        # Lemma N: led by a drift, which grows as the root of the counts, it happens that much less often.
        drift = rng.uniform(0.0, 1.0) * np.sqrt(np.array(LEVELS.counts) / 20)
        least = np.exp(-table[0] * drift - drift**2 / 2)
        assert (dense(table[rows, places] + drift, STEPS) <= least * alpha * shares / numbers).all()
    spent = dense(table[falling, places], STEPS) * np.array(SIZES)[falling] / (alpha * shares)
    assert (spent[: len(SIZES)] > 0.99).all()  # the worst that may happen: nothing is left lying about
    twice = np.clip(len(SIZES) - 1 - 2 * places, 0, None)
    assert (dense(table[twice, places], STEPS) > alpha * shares / np.array(SIZES)[twice]).any()  # and no faster


# -- directions and designs ----------------------------------------------------------------------------------------


def unclear(y: np.ndarray) -> np.ndarray:
    return norm.cdf(TAU - y) - norm.cdf(-TAU - y)


def test_directions_that_are_clear_need_not_be_paid_for():
    """The sum over n of sigma(y_n) E(1 / q_n) is at most sigma(y) / pi(y), y the smallest, by enumeration."""
    rng = np.random.default_rng(1)
    tightest = 0.0
    for _ in range(300):
        facets, b = int(rng.integers(1, 6)), rng.choice([0.0, rng.uniform(0, 5)])
        y = rng.choice([0.3, 1.0, 4.0]) * rng.exponential(size=facets) * rng.integers(0, 2, size=facets)
        total = 0.0
        for n in range(facets):
            others = np.delete(unclear(y), n)
            for apart in product([False, True], repeat=facets - 1):
                chance = np.prod(np.where(apart, 1 - others, others))
                total += math.exp(-b * y[n] - y[n] ** 2 / 2) * chance / (1 + sum(not clear for clear in apart))
        bound = math.exp(-b * y.min() - y.min() ** 2 / 2) / unclear(y.min())
        assert total <= bound * (1 + 1e-12)
        assert total <= facets * math.exp(-b * y.min() - y.min() ** 2 / 2) * (1 + 1e-12)
        tightest = max(tightest, total / bound)
    assert tightest > 0.9


@pytest.mark.parametrize(("cone", "separate"), [(ORTHANT, True), (ORTHANT3, True), (PLANAR, False)], ids=str)
@pytest.mark.parametrize(("n_designs", "sigma"), [(2, 0.01), (9, 100.0), (60, 1.0), (500, 1.0)])
def test_designs_left_out_by_luck_add_what_was_set_aside_for_them_at_most(cone, separate, n_designs, sigma):
    recount = exact(cone, Gaussian(sigma), n_designs, most=40, delta=0.05).recount
    assert (recount.separate, APART, REMOVAL) == (separate, TAU, {"low": 0.1, "high": 0.05})
    levels, anchors, facets = recount.certificate.levels, recount.certificate.anchors, len(cone.facets)
    pi = unclear if separate else np.ones_like
    alpha = shares_of(n_designs)["exact"] * 0.05 * float(pi(np.zeros(1))[0]) / 1.15
    np.testing.assert_allclose(recount.fine, narrowing(levels, anchors[0], alpha, tuple(recount.fine_sizes)), rtol=1e-9)
    assert recount.fine_sizes[-1] >= n_designs * facets

    shares, counts, b = spending(levels, anchors[1]), np.array(levels.counts), recount.fine.min()
    share_of = {name: norm.sf(z[0]) / shares[0] * 1.001 for name, z in (("high", recount.high), ("low", recount.low))}
    # Somebody looks better than it is: (K - 2) thirds and what stands for j, for each of K designs and N directions.
    assert n_designs * facets * (n_designs - 2 + facets) * share_of["high"] <= 0.05
    # Designs look worse than they are: on a grid of drifts that is finer than that of the table, level by level.
    y = np.linspace(0, 8, 1601)
    still_fine = np.exp(-b * y - y**2 / 2) * pi(np.zeros(1))[0]
    still_fine *= np.minimum(facets, 1 / pi(y).clip(1e-300)) if separate else 1.0
    for level in range(0, len(counts), 3):
        seen = slice(level + 1)  # no facet is clearer than another in these cones
        drift = math.sqrt(2) * y[:, None] * np.sqrt(counts[seen] / counts[level])
        more = ndtr(drift - recount.low[seen]) / ndtr(-recount.low[seen])
        out = (share_of["low"] * shares[seen] * more).sum(axis=1).clip(0, 1)
        kept = (1 - out) ** facets if separate else (1 - facets * out).clip(0)
        with np.errstate(divide="ignore"):
            near = np.maximum.accumulate(still_fine / kept)
        assert (near[:-1] + n_designs * still_fine[1:]).min() <= 1.1


@pytest.mark.parametrize(("n_designs", "delta", "most"), [(500, 0.9, 2), (500, 0.99, 5), (2, 0.99, 2)])
@pytest.mark.parametrize("cone", [cw.Cone.orthant(1), ORTHANT, cw.Cone.orthant(6)], ids=str)
def test_what_has_to_be_worse_is_found_for_any_question(cone, n_designs, delta, most):
    recount = exact(cone, None, n_designs, most, delta).recount
    assert recount.low.shape == recount.high.shape == (len(recount.certificate.levels.counts),)
    assert np.isfinite(recount.low).all()


def test_independent_designs_share_what_those_that_are_left_have():
    """The sum over i of E(L_i) E(1 / (1 + sum of the other L)) is at most 1, by enumeration."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        kept = rng.uniform(size=int(rng.integers(1, 8)))
        total = 0.0
        for i, chance in enumerate(kept):
            others = np.delete(kept, i)
            for there in product([0, 1], repeat=len(others)):
                total += chance * np.prod(np.where(there, others, 1 - others)) / (1 + sum(there))
        assert total == pytest.approx(1 - np.prod(1 - kept))


# -- where it holds ------------------------------------------------------------------------------------------------

FLAT, BY_DESIGN = Gaussian(cov=[[0.25, 0.0], [0.0, 0.0]]), Gaussian(np.linspace(0.5, 1.0, 8).reshape(4, 2))


@pytest.mark.parametrize("noise", [Gaussian(0.5), Gaussian([0.5, 2.0]), CORRELATED], ids=str)
@pytest.mark.parametrize("many", [2, MOST_DESIGNS])
def test_it_suits_exact_identification_with_normal_noise_of_one_known_covariance(noise, many):
    checked = exact(PLANAR, noise, many)
    assert Recount.suits(checked)
    assert checked.spending.shares is shares_of(many)


@pytest.mark.parametrize(
    ("noise", "epsilon", "notion", "many"),
    [
        (Gaussian(0.5), 0.1, "cover", 4),
        (Gaussian(0.5), 1e-9, "contain", 4),
        (Gaussian(0.5), 0.0, "contain", MOST_DESIGNS + 1),
        *((noise, 0.0, "contain", 4) for noise in (BY_DESIGN, FLAT, GaussianUnknown(), Bounded(-1, 1), SubGaussian(1))),
    ],
    ids=str,
)
def test_it_suits_nothing_else(noise, epsilon, notion, many):
    checked = Certificate(cw.Question(ORTHANT, epsilon, 0.1, noise, success=notion), many, most=60)
    assert not Recount.suits(checked)
    assert checked.recount is None
    assert checked.spending.shares is SHARES


# -- counts and claims, against loops ------------------------------------------------------------------------------


def near(checked: Certificate, seed: int) -> list[np.ndarray]:
    """Designs at levels of their own, some close to each other and others behind: entries level by level."""
    rng, k, dim = np.random.default_rng(seed), checked.n_designs, checked.cone.dim
    counts, covariance = np.array(checked.levels.counts), checked.noise.covariance(checked.cone.dim)
    heights = rng.integers(rng.integers(0, len(counts) // 2), len(counts), size=k) + 1
    unit = math.sqrt(2 * covariance.max() / counts[heights.min() - 1])
    means = rng.normal(size=(k, dim)) * unit * rng.choice([0.7, 2.0, 4.0])
    means -= unit * rng.choice([0.0, 0.0, 0.0, 3.0, 8.0, 15.0], size=(k, 1))
    steps = [np.diff(counts[:height], prepend=0) for height in heights]
    return [
        mean + rng.multivariate_normal(np.zeros(dim), covariance, size=len(step)) / np.sqrt(step)[:, None]
        for mean, step in zip(means, steps, strict=True)
    ]


def judged(checked: Certificate, state: Checkpoints, rng: np.random.Generator) -> tuple[Meetings, np.ndarray]:
    """Some designs left, some of these sure, as if somebody had said so; mostly the weaker ones are not left."""
    rank = state.statistics.means.mean(axis=1).argsort().argsort()
    beaten = rank + rng.normal(size=checked.n_designs) < rng.integers(1, checked.n_designs - 2)
    beaten[rank >= checked.n_designs - 2] = False
    table = Meetings.of(checked, state, np.flatnonzero(~beaten))
    sure = rng.random(len(table.designs)) < 0.3
    return table.marked(sure, int(sure.sum())), beaten


SETTINGS = {
    "orthant": (ORTHANT, Gaussian(1.0)),
    "unequal noise": (ORTHANT, Gaussian([0.6, 1.0])),
    "three": (ORTHANT3, Gaussian(1.0)),
    "dependent facets": (PLANAR, Gaussian(1.0)),
    "independent facets": (PLANAR, Gaussian(cov=np.linalg.inv(PLANAR.facets.T @ PLANAR.facets))),
    "correlated": (ORTHANT, CORRELATED),
}


def all_pairs(table: Meetings) -> tuple[np.ndarray, np.ndarray]:
    return np.nonzero(~np.eye(len(table.designs), dtype=bool))


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_counted_is_what_loops_count(name):
    checked = exact(*SETTINGS[name])
    fine, seen, weights = checked.recount.fine, set(), set()
    for seed in range(14):
        state, rng = climbed(checked, near(checked, seed)), np.random.default_rng([1, seed])
        table, beaten = judged(checked, state, rng)
        counted = Counted(checked, state, set(table.designs.tolist()), set(table.designs[table.sure].tolist()))
        first, second = all_pairs(table)
        found = checked.recount.fine_boundary(table, beaten, first, second)
        won = checked.recount.won(table, np.zeros((len(table.designs),) * 2), beaten)
        for i, j, z in zip(first, second, found, strict=True):
            pair = int(table.designs[i]), int(table.designs[j])
            rows = [row_for(number, len(fine)) for number in counted.numbers(*pair)]
            assert z.tolist() == [fine[row, table.reached[[i, j]].min()] for row in rows]
            assert won[i, j] == counted.won(*pair)
            seen.add(tuple(rows))
        np.testing.assert_array_equal(table.sure_boundary, counted.by_sure())
        weights.add(round(min(counted.pairs()) / len(first), 6))
    assert len(seen) > 4
    assert len(weights) > 5


@pytest.mark.parametrize("name", SETTINGS)
def test_numbers_worked_out_in_haste_are_no_more_than_the_true_ones(name):
    """They only save the work where a pair cannot be won: `won` says what the boundary of every pair says."""
    checked, closest, wins = exact(*SETTINGS[name], n_designs=16), 0.0, set()
    recount = checked.recount
    for seed in range(12):
        state = climbed(checked, near(checked, seed))
        table, beaten = judged(checked, state, np.random.default_rng([3, seed]))
        first, second = all_pairs(table)
        level = np.minimum(table.reached[first], table.reached[second])
        leads, known = recount._leads(table, first, second, level), recount._left_out(table, beaten)
        quick = recount._fewest(known, first, second, level, leads)
        thorough = recount._fine_sizes(known, first, second, level)
        assert (np.maximum(quick, 1) <= thorough).all()
        closest = max(closest, float((quick / thorough).max()))
        expected = (leads > recount.fine_boundary(table, beaten, first, second)).any(axis=1)
        won = recount.won(table, np.zeros((len(table.designs),) * 2), beaten)[first, second]
        assert won.tolist() == expected.tolist()
        wins |= set(expected.tolist())
    assert wins == {True, False}
    assert closest > 0.7


@pytest.mark.parametrize("name", SETTINGS)
def test_claims_are_what_the_definitions_say_and_more_than_those_of_section_two(name):
    checked, more = exact(*SETTINGS[name], most=40), 0
    for seed in range(12):
        state = climbed(checked, near(checked, seed))
        found = masks(checked.claims(state))
        assert found == twin(checked, state, 0.0), seed
        more += found != twin(checked, state, 0.0, anew=False)
    assert masks(checked.claims(state, 0.3)) == twin(checked, state, 0.3)
    assert more > 0


@pytest.mark.parametrize("level", [0, 3, 12, 20])
def test_pairs_that_are_led_by_far_are_forgotten_step_by_step(level):
    """Five designs, each far ahead of each other along a facet: 20 pairs, and from the start rho times fewer a look."""
    checked = exact(n_designs=5)
    state = at_levels(checked, np.outer(np.arange(5.0), [1000.0, -1000.0]), [level] * 5)
    table, sure = Meetings.of(checked, state, np.arange(5)), checked.recount.sure
    assert table.sure_boundary[0, level] == sure[0, row_for(20 / RHO ** (level + 1), len(sure[0])), level]
    assert checked.claims(state).accepted.all()


# -- what claims depend on -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETTINGS)
def test_how_two_designs_differ_does_not_change_who_is_left_out_for_them(name):
    """One is moved up, the other down by as much: for this pair everything is as it was, for others it is not.

    Where facets are independent, a move along the first changes nothing along it.
    """
    checked, others, outs = exact(*SETTINGS[name]), 0, 0
    recount, first_facet = checked.recount, np.linalg.pinv(checked.cone.facets)[:, 0]
    for seed in range(40):
        rng, entries = np.random.default_rng([2, seed]), near(checked, seed)
        table, beaten = judged(checked, climbed(checked, entries), rng)
        i, j = table.designs[rng.choice(len(table.designs), 2, replace=False)]
        first, second = all_pairs(table)
        pair = (table.designs[first] == i) & (table.designs[second] == j)
        shift = rng.normal(size=checked.cone.dim) * rng.choice([1.0, 4.0]) + rng.normal(size=(99, checked.cone.dim))
        if recount.separate:
            shift = shift[:, :1] * first_facet
        level = np.minimum(table.reached[first], table.reached[second])
        counted = beaten.copy()
        counted[table.designs[~table.sure]] = True
        found = []
        for along in (0 * shift, shift):
            moved = [part + ((d == i) * 1.0 - (d == j)) * along[: len(part)] for d, part in enumerate(entries)]
            there = Meetings.of(checked, climbed(checked, moved), table.designs).marked(table.sure, table.known)
            known = LeftOut.of(recount, there, np.flatnonzero(counted))
            out = known.of_pairs(first, second, level) & (known.since <= level[:, None, None])
            found.append((out, recount.fine_boundary(there, beaten, first[pair], second[pair])[0, 0]))
        assert found[0][0][pair, 0].tolist() == found[1][0][pair, 0].tolist()
        assert not recount.separate or found[0][1] == found[1][1]
        others += not np.array_equal(found[0][0], found[1][0])
        outs += int(found[0][0][pair, 0].sum())
    assert others > 0
    assert outs > 0


def streams(k: int, noise: Gaussian, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(k, 2)) * 0.5 - rng.choice([0.0, 2.0], size=(k, 1), p=[0.3, 0.7])
    return [rng.multivariate_normal(mean, noise.covariance(2), size=1500) for mean in means]


@pytest.mark.parametrize(("k", "noise", "most"), [(8, CORRELATED, 350), (9, Gaussian(0.7), 350), (44, CORRELATED, 900)])
def test_claims_of_a_whole_run_are_those_of_somebody_who_never_looked_before(k, noise, most):
    """... and of the same streams read in any other order."""
    rule = SuccessiveElimination(cw.Question(ORTHANT, 0.0, 0.1, noise, success="contain"), k, max_evaluations=most)
    checked, drawn, state, kinds = rule.certificate, streams(k, noise, 3), rule.start(), set()
    waiting = [iter(rows) for rows in drawn]
    assert (len(checked.offsets) > 1) == (k > 40)
    while (pulls := rule.ask(state)).total:
        chosen = np.repeat(pulls.designs, pulls.counts)
        state = rule.tell(state, Observations.single(chosen, [next(waiting[design]) for design in chosen]))
        claims, fresh = checked.claims(state), checked.claims(forgetful(state))
        assert claims.done or rule.plan(state).remaining > 0  # whoever is undecided is told what to evaluate
        assert masks(claims) == masks(fresh)
        np.testing.assert_array_equal(claims.fine_at, fresh.fine_at)
        kinds.add(tuple(part.count(True) for part in masks(claims)))
    assert len(kinds) > 3
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(np.repeat(np.arange(k), state.counts))
        left, again = [iter(rows) for rows in drawn], Checkpoints.empty(checked.levels, k, 2)
        for part in np.array_split(order, 1 + 2 * seed):
            again = again.add(Observations.single(part, [next(left[design]) for design in part]))
            found = checked.claims(again)
        assert masks(found) == masks(claims)
        np.testing.assert_allclose(found.fine_at, claims.fine_at, rtol=1e-9)
