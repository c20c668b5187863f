"""Claims "beaten by a favourite" (docs/adaptive, 3.3): the order, the boundaries and the claims, against loops.

What the proof rests on is tested as such: the shares of the rivals of i do not depend on i, and a favourite is compared
without its pilot. Chances are computed, and measured with fixed seeds and an exact binomial bound at LEVEL.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom
from shared.certificates import climbed, forgetful, masks
from shared.crossings import dense
from shared.recounts import RHO, row_for

import conewise as cw
from conewise.algorithms import Certificate
from conewise.certificate import favourites
from conewise.certificate.certificate import CROWD_SHARES, EXACT_SHARES, LEADS, LEADS_FROM
from conewise.certificate.favourites import MOST_FAVOURITES, PILOT, Favourites
from conewise.certificate.history import Checkpoints
from conewise.certificate.looks import Levels, boundaries, narrowing, spending
from conewise.certificate.pairs import Meetings
from conewise.certificate.recount import MOST_DESIGNS
from conewise.feedback import Observations
from conewise.noise import Gaussian, Noise, SubGaussian

LEVEL = 1e-6
ORTHANT, ORTHANT3, PLANAR = cw.Cone.orthant(2), cw.Cone.orthant(3), cw.Cone.planar(60)
CORRELATED = Gaussian(cov=[[1.0, 0.6], [0.6, 0.5]])


def exact(cone=ORTHANT, noise: Noise | None = None, n_designs=45, most=400, epsilon=0.0) -> Certificate:
    return Certificate(
        cw.Question(cone, epsilon, 0.1, Gaussian(1.0) if noise is None else noise, success="contain"),
        n_designs,
        most=most,
    )


@pytest.mark.parametrize("parts", [EXACT_SHARES, CROWD_SHARES, LEADS["exact"], favourites.LEADS], ids=str)
def test_parts_add_up_to_one(parts):
    assert sum(parts.values()) == pytest.approx(1, rel=1e-12)
    assert min(parts.values()) >= 0


# -- the order -----------------------------------------------------------------------------------------------------


def shares_without(i: int, values: np.ndarray, spreads: np.ndarray) -> dict[int, float]:
    """Greedy covering among the others, who alone are looked at."""
    place = {j: [row[j] / spread for row, spread in zip(values, spreads, strict=True)] for j in range(values.shape[1])}
    del place[i]

    def margin(j: int, k: int) -> float:
        return min(mine - theirs for mine, theirs in zip(place[j], place[k], strict=True))

    leaders = [j for j in place if not any(margin(k, j) >= 0 and place[k] != place[j] for k in place)]
    best = {k: max(margin(j, k) for j in leaders) for k in place}
    behind = [k for k in place if best[k] > math.sqrt(2)]
    worth = {j: {k: min(1.0, max(0.0, margin(j, k) / best[k])) ** 4 for k in behind} for j in leaders}
    covered, shares = dict.fromkeys(behind, 0.0), {}
    while len(shares) < MOST_FAVOURITES:
        gains = {j: sum(max(0.0, worth[j][k] - covered[k]) for k in behind) for j in leaders}
        chosen = max(gains, key=lambda j: gains[j])
        if gains[chosen] <= 0:
            break
        rank = len(shares) + 1
        shares[chosen] = 1 / (rank * (rank + 1))
        covered = {k: max(covered[k], worth[chosen][k]) for k in behind}
    return shares


def crowd(facets: int, seed: int, many: int = 45) -> tuple[np.ndarray, np.ndarray]:
    """Pilots with one far ahead of most now and then, and what they err by."""
    rng = np.random.default_rng([facets, seed])
    values = rng.normal(size=(facets, many)) * rng.choice([0.5, 1.5, 4.0]) + rng.choice(
        [0.0, 2.0], size=many, p=[0.9, 0.1]
    )
    return values, rng.uniform(0.3, 0.6, size=facets)


@pytest.mark.parametrize("facets", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_shares_are_what_loops_over_the_others_find(facets, seed):
    values, spreads = crowd(facets, seed)
    found = Favourites.of(values, spreads).weights
    for i, row in enumerate(found):
        assert {j: row[j] for j in np.flatnonzero(row)} == pytest.approx(shares_without(i, values, spreads))
    assert len(np.unique(found, axis=0)) > 1


@pytest.mark.parametrize("facets", [1, 2, 3, 5])
def test_shares_are_those_of_distinct_ranks_and_add_up_to_one_at_most(facets):
    most = 0
    for seed in range(6):
        found = Favourites.of(*crowd(facets, seed, many=70)).weights
        assert (np.diag(found) == 0).all()
        assert (found.sum(axis=1) <= 1).all()
        for row in found:
            shares = np.sort(row[row > 0])[::-1]
            rank = np.arange(1.0, len(shares) + 1)
            assert shares.tolist() == (1 / (rank * (rank + 1))).tolist()
            most = max(most, len(shares))
    assert most <= MOST_FAVOURITES
    assert (most == 1) == (facets == 1)


@pytest.mark.parametrize("facets", [2, 3])
def test_the_shares_of_the_rivals_of_a_design_have_nothing_to_do_with_it(facets):
    """Exactly so, wherever it is; for the rivals of others it matters."""
    others = 0
    for seed in range(3):
        values, spreads = crowd(facets, seed)
        before, rng = Favourites.of(values, spreads).weights, np.random.default_rng(seed)
        for i in range(0, values.shape[1], 2):
            twin = values[:, (i + 1) % values.shape[1]]
            leads = np.eye(facets)[0] * 1e3
            for pilot in (np.full(facets, 1e9), np.full(facets, -1e9), leads, twin, rng.normal(size=facets) * 3):
                moved = values.copy()
                moved[:, i] = pilot
                after = Favourites.of(moved, spreads).weights
                np.testing.assert_array_equal(after[i], before[i])
                others += not np.array_equal(after, before)
    assert others > 0


def test_whoever_leads_all_others_is_the_first_favourite_of_all():
    values, spreads = crowd(2, 0)
    values[:, 7] = values.max() + 5.0
    found = Favourites.of(values, spreads).weights
    assert (np.delete(found[:, 7], 7) == 0.5).all()
    assert (np.delete(found, 7, axis=0).sum(axis=1) == 0.5).all()  # nobody adds anything to it
    assert found[7].max() == 0.5  # its own favourites are those that it hides


def test_nobody_is_a_favourite_where_all_are_alike_and_ties_do_no_harm():
    spreads = np.full(2, 0.4)
    alike = np.tile([[1.0], [-2.0]], (1, 45))
    assert not Favourites.of(alike, spreads).weights.any()
    noise = alike + np.random.default_rng(0).uniform(0, 0.5, size=alike.shape)  # less than sqrt(2) apart
    assert not Favourites.of(noise, spreads).weights.any()
    steps = np.random.default_rng(1).integers(0, 3, size=(2, 45)).astype(float)
    found = Favourites.of(steps, spreads).weights
    assert (found.sum(axis=1) <= 1).all()
    for i in range(45):
        assert {j: found[i, j] for j in np.flatnonzero(found[i])} == pytest.approx(shares_without(i, steps, spreads))


@pytest.mark.parametrize("facets", [2, 3])
def test_shares_go_with_their_designs(facets):
    for seed in range(4):
        values, spreads = crowd(facets, seed)
        order = np.random.default_rng(seed).permutation(values.shape[1])
        found = Favourites.of(np.ascontiguousarray(values[:, order]), spreads).weights
        np.testing.assert_array_equal(found, Favourites.of(values, spreads).weights[np.ix_(order, order)])


# -- boundaries without the first observations ---------------------------------------------------------------------

FEW = Levels.up_to(25, due=0.0)
COUNTS = np.array(FEW.counts, dtype=float)
SIZES = tuple(RHO ** np.arange(9.0))
ALPHA, ANCHOR, WALKS = 0.2, 20.0, 400_000


def test_there_is_no_look_where_the_second_design_has_no_other_observations():
    for offset in (0, 1, 3, 6, 40):
        for without in (0, 1, PILOT, 24, 25, 30):
            z = narrowing(FEW, ANCHOR, ALPHA, SIZES, offset, without)
            others = [COUNTS[min(level + offset, len(COUNTS) - 1)] - without for level in range(len(COUNTS))]
            assert np.isinf(z).tolist() == [[left <= 0 for left in others]] * len(SIZES)
            assert (np.diff(z[:, np.isfinite(z[0])], axis=0) >= 0).all()


@pytest.mark.parametrize("offset", [0, 6])
def test_without_nothing_the_boundary_is_what_it_was(offset):
    z = narrowing(FEW, ANCHOR, ALPHA, SIZES, offset, without=0)
    np.testing.assert_array_equal(z, narrowing(FEW, ANCHOR, ALPHA, SIZES, offset))
    if not offset:
        single = narrowing(FEW, ANCHOR, ALPHA, (1.0,), offset, without=0)
        np.testing.assert_allclose(single, boundaries(FEW, ANCHOR, (ALPHA,), True), atol=1e-8)


def test_where_numbers_do_not_fall_each_row_is_a_boundary_of_its_own():
    z = narrowing(FEW, ANCHOR, ALPHA, SIZES, falling=False)
    np.testing.assert_allclose(z, boundaries(FEW, ANCHOR, tuple(ALPHA / np.array(SIZES)), True), atol=1e-8)
    assert (z <= narrowing(FEW, ANCHOR, ALPHA, SIZES) + 1e-8).all()


def looked_at(offset: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Levels at which two designs meet, variances of their difference, and what may be spent there."""
    levels = np.array([level for level in range(len(COUNTS) - offset) if COUNTS[level + offset] > PILOT])
    variances = 1 / COUNTS[levels] + 1 / (COUNTS[levels + offset] - PILOT)
    return levels, variances, ALPHA * float(spending(FEW, ANCHOR)[levels].sum())


@pytest.mark.parametrize("offset", [0, 2, 6])
def test_without_a_pilot_each_look_spends_its_share_over_the_number_at_most(offset):
    """Computed: the errors along a list are a Markov chain, with a correlation of sqrt(later / earlier variance)."""
    levels, variances, _ = looked_at(offset)
    most, correlations = ALPHA * spending(FEW, ANCHOR)[levels], np.sqrt(variances[1:] / variances[:-1])
    for z, size in zip(
        narrowing(FEW, ANCHOR, ALPHA, SIZES, offset, PILOT, falling=False)[:, levels], SIZES, strict=True
    ):
        found = dense(z, correlations)
        assert (found <= most / size).all()
        assert (found > 0.99 * most / size).all()
    falling = np.clip(len(SIZES) - 1 - np.arange(len(levels)), 0, None)
    table = narrowing(FEW, ANCHOR, ALPHA, SIZES, offset, PILOT)[:, levels]
    found = dense(table[falling, np.arange(len(levels))], correlations)
    assert (found <= most / np.array(SIZES)[falling]).all()


@pytest.mark.parametrize("offset", [0, 6])
def test_without_a_pilot_two_streams_cross_as_often_as_they_may(offset):
    """Measured on the streams themselves: no correlation is assumed. An eighth lower it is crossed too often."""
    levels, variances, spent = looked_at(offset)
    rng, steps = np.random.default_rng([5, offset]), np.sqrt(np.diff(COUNTS, prepend=0.0))
    mine, theirs = (np.cumsum(rng.standard_normal((WALKS, len(COUNTS))) * steps, axis=1) for _ in range(2))
    pilots = theirs[:, COUNTS == PILOT]
    without = (theirs[:, levels + offset] - pilots) / (COUNTS[levels + offset] - PILOT)
    errors = (without - mine[:, levels] / COUNTS[levels]) / np.sqrt(variances)
    table = narrowing(FEW, ANCHOR, ALPHA, SIZES, offset, PILOT, falling=False)[:, levels]
    for row in (0, 4, 8):
        most = binom.isf(LEVEL, WALKS, spent / SIZES[row])
        crossed = int((errors >= table[row]).any(axis=1).sum())
        assert 0.95 * WALKS * spent / SIZES[row] < crossed <= most
        assert int((errors >= table[row] / 1.15).any(axis=1).sum()) > most


# -- claims --------------------------------------------------------------------------------------------------------

SETTINGS = {
    "orthant": (ORTHANT, Gaussian(1.0)),
    "unequal noise": (ORTHANT, Gaussian([0.6, 1.0])),
    "correlated": (ORTHANT, CORRELATED),
    "three": (ORTHANT3, Gaussian(1.0)),
    "dependent facets": (PLANAR, CORRELATED),
}


def raw(checked: Certificate, seed: int) -> list[np.ndarray]:
    """Observations of each design one by one, up to a level of its own and a few more; leaders have many."""
    rng, dim, counts = np.random.default_rng(seed), checked.cone.dim, checked.levels.counts
    covariance, found = checked.noise.covariance(dim), []
    lowest = int(rng.integers(4, 20))
    for d in range(checked.n_designs):
        leads = d % 9 == 0
        level = int(rng.integers(38, len(counts) - 1) if leads else rng.integers(lowest, lowest + 8))
        mean = rng.normal(size=dim) * 0.3 - (0.0 if leads else rng.choice([0.2, 0.8, 1.6, 3.0]))
        many = int(rng.integers(counts[level], counts[level + 1]))
        found.append(rng.multivariate_normal(mean, covariance, size=many))
    return found


def told(checked: Certificate, streams: list[np.ndarray]) -> Checkpoints:
    state = Checkpoints.empty(checked.levels, checked.n_designs, checked.cone.dim)
    designs = np.repeat(np.arange(len(streams)), [len(part) for part in streams])
    return state.add(Observations.single(designs, np.vstack(streams)))


def of_favourites(table: Meetings) -> list:
    """What comes after the lists of all pairs, if nobody is sure."""
    everyone = np.arange(len(table.designs))
    return list(table.out(everyone, everyone, len(everyone)))[len(table.lists) :]


def beats(seen) -> np.ndarray:
    return np.all(seen.gains >= seen.radii, axis=2)


class Raw:
    """The definition, one pair at a time, from the observations as they came."""

    def __init__(self, checked: Certificate, streams: list[np.ndarray], live: list[int], first: int) -> None:
        self.checked, self.streams, self.live, self.first = checked, streams, live, first
        self.g, self.w = checked.levels.counts, checked.cone.facets
        sigma = checked.noise.covariance(checked.cone.dim)
        self.v = [float(u @ sigma @ u) for u in self.w]
        self.reached = [max(level for level, g in enumerate(self.g) if g <= len(part)) for part in streams]
        pilots = np.array([[u @ part[:5].mean(axis=0) for part in streams] for u in self.w])
        self.shares = [shares_without(i, pilots, np.sqrt(np.array(self.v) / 5)) for i in range(len(streams))]
        levels = [self.reached[i] for i in live]
        self.apart = max(levels) - min(levels)
        self.left = min(size for size in checked.spending.sizes if size >= len(live))

    def gain_and_radius(self, i: int, j: int, which: int, offset: int) -> tuple[list[float], list[float]] | None:
        level = min(self.reached[i], self.reached[j] - offset)
        if level < self.first or self.g[level + offset] <= 5 or j not in self.shares[i]:
            return None
        mine, theirs = self.streams[i][: self.g[level]], self.streams[j][5 : self.g[level + offset]]
        table = self.checked.recount.favoured[which]
        z = table[row_for(self.left / self.shares[i][j], len(table)), level]
        gain = [float(u @ (theirs.mean(axis=0) - mine.mean(axis=0))) for u in self.w]
        return gain, [z * math.sqrt(v * (1 / len(mine) + 1 / len(theirs))) for v in self.v]


@pytest.mark.parametrize("name", SETTINGS)
def test_who_is_beaten_by_a_favourite_is_what_loops_over_raw_observations_find(name):
    checked, lists = exact(*SETTINGS[name]), set()
    assert checked.recount.favoured_offsets == (0, 14, 30)
    for seed in range(3):
        streams, rng = raw(checked, seed), np.random.default_rng([3, seed])
        live = np.sort(rng.choice(45, size=38, replace=False))
        table = Meetings.of(checked, told(checked, streams), live)
        slow = Raw(checked, streams, live.tolist(), table.first)
        offsets = [(which, offset) for which, offset in enumerate((0, 14, 30)) if offset <= 2 * slow.apart]
        found = of_favourites(table)
        assert len(found) == len(offsets)
        for (which, offset), seen in zip(offsets, found, strict=True):
            beaten = beats(seen)
            for a, i in enumerate(live):
                for b, j in enumerate(live):
                    pair = slow.gain_and_radius(i, j, which, offset)
                    if pair is None:
                        assert np.isnan(seen.gains[a, b]).all()
                        continue
                    assert seen.gains[a, b].tolist() == pytest.approx(pair[0], rel=1e-9, abs=1e-9)
                    assert seen.radii[a, b].tolist() == pytest.approx(pair[1], rel=1e-9)
                    assert beaten[a, b] == all(gain >= radius for gain, radius in zip(*pair, strict=True))
            if beaten.any():
                lists.add(offset)
    assert lists == {0, 14, 30}


def test_a_part_of_the_pairs_looks_as_it_does_among_all():
    checked = exact()
    table = Meetings.of(checked, told(checked, raw(checked, 1)), np.arange(45))
    rows, columns, known = np.array([3, 8, 40]), np.array([0, 1, 9, 36]), table.favourites
    parts = list(table._favoured(known, rows, columns, 45))
    assert len(parts) == len(of_favourites(table)) == 3
    for part, whole in zip(parts, of_favourites(table), strict=True):
        np.testing.assert_array_equal(part.gains, whole.gains[np.ix_(rows, columns)])
        np.testing.assert_array_equal(beats(part), beats(whole)[np.ix_(rows, columns)])
    assert list(table._favoured(known, rows[:0], columns, 45)) == []


def test_the_pilot_of_a_favourite_does_not_count_against_anybody():
    """Whatever it was, with the same shares: the gains of all others over it are what they were."""
    checked = exact()
    streams = raw(checked, 2)
    before = Meetings.of(checked, told(checked, streams), np.arange(45))
    j = int(before.favourites.weights.sum(axis=0).argmax())
    moved = [part.copy() for part in streams]
    moved[j][:PILOT] += np.random.default_rng(0).normal(size=(PILOT, 2)) * 100
    after = Meetings.of(checked, told(checked, moved), np.arange(45))
    same = Favourites(after.favourites.values, before.favourites.weights)
    everyone, others, met = np.arange(45), np.arange(45) != j, 0
    for old, new in zip(of_favourites(before), after._favoured(same, everyone, everyone, 45), strict=True):
        np.testing.assert_allclose(new.gains[others], old.gains[others], rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(new.radii[others], old.radii[others])
        np.testing.assert_array_equal(beats(new)[others], beats(old)[others])
        met += int((~np.isnan(old.gains[others, j])).sum())
    assert met > 0
    rows, columns = np.flatnonzero(others), np.array([j])
    pairs = [next(table.out(rows, columns, 45)).gains for table in (before, after)]
    assert (np.abs(pairs[0] - pairs[1]) > 0.1).any()  # with the pilot they are not


def test_who_is_beaten_by_a_favourite_is_out():
    """... where nobody else's claim is enough."""
    checked, more = exact(), 0
    for seed in range(4):
        state = told(checked, raw(checked, seed))
        table = Meetings.of(checked, state, np.arange(45))
        by_all = list(table.out(np.arange(45), np.arange(45), 45))
        won = [beats(seen).any(axis=1) for seen in by_all]
        plain, favoured = (np.any(part, axis=0) for part in (won[: len(table.lists)], won[len(table.lists) :]))
        out = checked.claims(state).beaten
        assert out[plain | favoured].all()
        more += int((favoured & ~plain).sum())
    assert more > 0


# -- where no such claim is made -----------------------------------------------------------------------------------


def pilots_of(checked: Certificate, levels: int = 8) -> Checkpoints:
    """One design ahead of all others: entries level by level."""
    ahead = np.where(np.arange(checked.n_designs) == 3, 5.0, 0.0)
    return climbed(checked, [np.full((min(levels, len(checked.levels.counts)), 2), lead) for lead in ahead])


@pytest.mark.parametrize("many", [LEADS_FROM, 45, MOST_DESIGNS])
def test_with_many_designs_favourites_are_asked_as_soon_as_all_have_had_their_pilots(many):
    checked = exact(n_designs=many, most=30)
    assert checked.first_level == 4
    assert checked.levels.counts[4] == PILOT
    assert Meetings.of(checked, pilots_of(checked, 4), np.arange(many)).favourites is None
    table = Meetings.of(checked, pilots_of(checked, 5), np.arange(many))
    assert table.favourites is not None
    assert not any(beats(seen).any() for seen in of_favourites(table))  # nothing but the pilot was seen
    table = Meetings.of(checked, pilots_of(checked, 20), np.arange(many))
    assert beats(of_favourites(table)[0])[:, 3].sum() == many - 1


@pytest.mark.parametrize(
    ("many", "options"),
    [
        (LEADS_FROM - 1, {}),
        (MOST_DESIGNS + 1, {}),
        (45, {"epsilon": 0.1}),
        (45, {"noise": SubGaussian(1.0)}),
        (45, {"most": PILOT - 1}),
    ],
    ids=str,
)
def test_elsewhere_no_claim_is_made_by_favourites(many, options):
    checked = exact(n_designs=many, **{"most": 30} | options)
    table = Meetings.of(checked, pilots_of(checked), np.arange(many))
    assert table.favourites is None
    assert of_favourites(table) == []
    assert checked.first_level == 0


def test_no_claim_is_made_by_favourites_if_one_design_jumped_over_its_pilot():
    checked = exact(most=30)
    state = pilots_of(checked, 4)
    jump, rest = Observations([44], [[0.0, 0.0]], [4]), np.arange(44)
    state = state.add(jump).add(Observations(rest, np.zeros((44, 2)), np.ones(44, dtype=int)))
    assert (state.reached >= 4).all()
    table = Meetings.of(checked, state, np.arange(45))
    assert table.favourites is None
    assert of_favourites(table) == []


# -- claims in steps -----------------------------------------------------------------------------------------------


def test_a_list_that_is_looked_at_since_others_moved_is_looked_at_for_those_that_did_not():
    """Design 1 is behind the favourite at level 10 only, where the favourite is 30 levels ahead.

    Nobody looks there while the first and the last are 14 levels apart. Then design 2 goes on, neither of them does.
    """
    checked = exact()
    counts = np.array(checked.levels.counts)
    entries = [np.full((27, 2), -0.2 - 0.002 * d) for d in range(45)]
    entries[0], entries[2] = np.zeros((41, 2)), np.full((41, 2), -0.2)
    entries[0][:PILOT] = 5.0
    entries[1] = np.tile([300.0, -100.0], (27, 1))
    entries[1][9:12, 0] = -2000.0, -2000.0, 6000.0
    state = climbed(checked, entries)
    assert not checked.claims(state).beaten.any()
    state = state.add(Observations([2, 2], np.full((2, 2), -0.2), np.diff(counts[40:43])))
    fresh = checked.claims(forgetful(state))
    assert np.flatnonzero(fresh.beaten).tolist() == [1]
    assert masks(checked.claims(state)) == masks(fresh)


@pytest.mark.parametrize(("where", "sd"), [(1e8, 1e-9), (1e6, 1e-11), (1e3, 1e-14), (1.0, 1e-16)])
def test_rounding_does_not_make_a_design_beat_its_twin(where, sd):
    """Observations that are all equal, with hardly any noise declared: a mean without a pilot is that mean."""
    means = np.full((LEADS_FROM, 2), where / 3)
    means[2:] -= where / 8
    means[2] += [where / 4, -where / 4]  # a third one keeps all from being struck at once
    checked = exact(noise=Gaussian(sd), n_designs=LEADS_FROM, most=100)
    for seed in range(20):
        many = np.random.default_rng(seed).integers(6, 60, size=LEADS_FROM)
        claims = checked.claims(told(checked, [np.tile(mean, (n, 1)) for mean, n in zip(means, many, strict=True)]))
        assert not claims.beaten[:3].any()
        assert claims.beaten[3:].all()


def test_until_everybody_has_a_pilot_all_designs_are_evaluated_alike():
    """So that no budget, however small, leaves some of them unseen."""
    rule = cw.algorithms.OptimalProportions(
        cw.Question(ORTHANT, 0.0, 0.1, Gaussian(1.0), success="contain"), 50, max_evaluations=10**6
    )
    state, rng = rule.start(), np.random.default_rng(0)
    for taken in range(PILOT):
        assert (state.counts == taken).all()
        assert rule.plan(state).pulls.total == 50 * (PILOT - taken)
        pulls = rule.ask(state)
        assert pulls.designs.tolist() == list(range(50))
        assert (pulls.counts == 1).all()
        state = rule.tell(state, Observations.single(pulls.designs, rng.normal(size=(50, 2))))
    assert (state.counts == PILOT).all()
