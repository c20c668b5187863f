"""Radii of mixed kinds of noise against sums worked out kind by kind, and crossings of one list counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import conewise as cw
from conewise.certificate.history import Checkpoints
from conewise.certificate.mixed import Radii
from conewise.certificate.radii import kind_for
from conewise.data.observations import Observations, Pulls, Statistics
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown, Known
from conewise.rules import Certificate
from conewise.rules.adaptive.fixed import FixedSample
from tests.shared.certificates import nothing

PLANAR, ORTHANT = cw.Cone.planar(60), cw.Cone.orthant(3)
MIX = ByObjective([Binary(), 0.4, GaussianUnknown()])


def observed(checked: Certificate, means, draws, seed: int = 0):
    """Each design evaluated so often, one by one: 0/1 where the first objective is binary, normal elsewhere."""
    rng, k = np.random.default_rng(seed), len(means)
    designs = np.repeat(np.arange(k), draws)
    values = np.asarray(means)[designs] + 0.4 * rng.normal(size=(k * draws, np.shape(means)[1]))
    values[:, 0] = rng.random(k * draws) < np.asarray(means)[designs, 0]
    state = nothing(checked)
    return state.add(Observations.single(designs, values)), values.reshape(k, draws, -1)


def certificate(noise, cone, notion, n_designs=3) -> Certificate:
    return Certificate(cw.Question(cone, 0.3, 0.1, noise, notion), n_designs, pilots=False)


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", [ORTHANT, cw.Cone.ice_cream(70, facets=4)], ids=str)
def test_a_radius_is_the_sum_over_the_kinds_of_what_each_alone_would_have(cone, notion):
    """Each kind at its share of the probability: by the kinds that a facet weighs, or all of them for covering."""
    checked = certificate(MIX, cone, notion)
    assert len(checked.radii.members) == 3
    state, _ = observed(checked, np.full((3, 3), 0.5), 40)
    pairs = checked.compare(state, np.arange(3))
    rows = np.arange(3)
    level = int(state.reached[0])
    count, spending = checked.levels.counts[level], checked.ruler(state).spending
    snapshot = state.snapshots[level]
    for out, seen in ((False, pairs.fine(rows, rows)), (True, pairs.out(rows, rows))):
        log = (spending.log_out if out else lambda d, _, s: spending.log_fine(d, s))(rows, rows, pairs.standing)
        place = int(checked.tables.rows(np.asarray(log), out).ravel()[0])
        alpha = math.exp(checked.tables.least[out] + place * checked.tables.step)
        anchor = checked.anchors[out]
        expected = np.zeros((3, 3, len(cone.facets)))
        for n, w in enumerate(cone.facets):
            weighed = [kind for kind in MIX.kinds if w[kind.columns].any()]
            share = len(MIX.kinds) if out and notion == "cover" else len(weighed)
            for kind in weighed:
                own = kind_for(w[None, kind.columns], kind.noise)
                z = own.boundary(checked.levels, anchor, (alpha / share,))[0, level]
                scatters = snapshot.scatters[:, kind.columns][:, :, kind.columns]
                variances = own.variances(rows, scatters, np.full(3, float(count)))[:, 0] / count
                both, times = variances[:, None] + variances[None, :], np.array(float(count))
                expected[:, :, n] += own.radius(0, z, both, times, times)
        np.testing.assert_allclose(seen.radii, expected, rtol=1e-8)


def test_one_kind_and_objectives_without_noise_cost_nothing_more():
    """Along facets that weigh one kind alone, radii are those of that kind; a known objective has none."""
    mixed = certificate(ByObjective([Binary(), Known(), Binary()]), ORTHANT, "contain")
    plain = certificate(Bounded(0, 1), ORTHANT, "contain")
    rng = np.random.default_rng(1)
    designs = np.repeat(np.arange(3), 30)
    values = (rng.random((90, 3)) < 0.5).astype(float)
    values[:, 1] = 7.0 + designs
    inside = values.copy()
    inside[:, 1] = 0.0
    one = mixed.compare(nothing(mixed).add(Observations.single(designs, values)), np.arange(3))
    other = plain.compare(nothing(plain).add(Observations.single(designs, inside)), np.arange(3))
    rows = np.arange(3)
    for first, second in (
        (one.fine(rows, rows), other.fine(rows, rows)),
        (one.out(rows, rows), other.out(rows, rows)),
    ):
        np.testing.assert_allclose(first.radii[:, :, [0, 2]], second.radii[:, :, [0, 2]], rtol=1e-12)
        assert (first.radii[:, :, 1] == 0).all()
        assert first.gains[0, 1, 1] == 1.0


def test_along_any_direction_the_radii_of_kinds_are_added_in_squares():
    """No unit direction has a larger radius: tried on many."""
    noise = ByObjective([0.5, GaussianUnknown(0.0), Gaussian(cov=[[4.0]])])
    checked = certificate(noise, ORTHANT, "cover")
    assert checked.directions
    state, _ = observed(checked, np.full((3, 3), 0.5), 30)
    rows = np.arange(3)
    seen = checked.compare(state, rows).out(rows, rows, covering=True)
    alpha, level = checked.least[1], int(state.reached[0])
    count, snapshot = checked.levels.counts[level], state.snapshots[level]
    rng = np.random.default_rng(2)
    for a in rng.normal(size=(50, 3)):
        a = a / np.linalg.norm(a)
        total = 0.0
        for kind in noise.kinds:
            own = kind_for(a[None, kind.columns], kind.noise)
            z = own.boundary(checked.levels, checked.anchors[1], (alpha / 2,))[0, level]
            scatters = snapshot.scatters[:, kind.columns][:, :, kind.columns]
            variances = own.variances(rows, scatters, np.full(3, float(count)))[:, 0] / count
            total = total + z * np.sqrt(variances[0] + variances[1])
        assert total <= seen.widest[0, 1] * (1 + 1e-9)


def test_the_error_of_a_mixed_sum_ever_reaches_its_radius_at_the_stated_rate():
    """2000 pairs along (1, 1) / sqrt 2, binary and normal of unknown size, a = 0.2, level 1e-6; a quarter fails."""
    runs, draws, alpha, p = 2000, 64, 0.2, 0.2
    noise, row = ByObjective([Binary(), GaussianUnknown()]), np.full((1, 2), math.sqrt(0.5))
    made = Radii.of(row, noise, joint=False)
    levels = made.schedule(draws, 0.0)
    z = made.boundaries(levels, math.inf, (alpha,), False)[:, 0]
    rng, many = np.random.default_rng(5), 2 * runs
    values = np.stack([rng.random((many, draws)) < p, p + 0.3 * rng.normal(size=(many, draws))], axis=2)
    state = Checkpoints.empty(levels, many, 2, True)
    state = state.add(Observations.single(np.repeat(np.arange(many), draws), values.reshape(-1, 2)))
    crossed = {1.0: np.zeros(runs, dtype=bool), 0.25: np.zeros(runs, dtype=bool)}
    for level, snapshot in enumerate(state.snapshots):
        count = float(levels.counts[level])
        variances = made.variances(np.arange(many), snapshot.scatters, np.full(many, count)) / count
        both, times = variances[:runs] + variances[runs:], np.array(count)
        parts = [made.radius(part, z[part, level], both[:, part], times, times) for part in range(2)]
        errors = (snapshot.means[runs:] - snapshot.means[:runs]) @ row[0]
        for scale, seen in crossed.items():
            seen |= errors >= scale * made.combined(np.array(parts))[0]
    assert crossed[1.0].sum() <= binom.isf(1e-6, runs, alpha) < crossed[0.25].sum()


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_one_look_adds_the_quantiles_of_each_kind(notion):
    sample = FixedSample(cw.Question(PLANAR, 0.3, 0.1, ByObjective([Binary(), GaussianUnknown()]), notion), 2)
    rng, each = np.random.default_rng(3), (20, 50)
    designs = np.repeat([0, 1], each)
    values = np.column_stack([rng.random(70) < 0.4, rng.normal(size=70)])
    statistics = Statistics.empty(2, 2).add(Observations.single(designs, values))
    seen = sample.compare(statistics, np.arange(2)).fine(np.arange(2), np.arange(2))
    spent = sample.spending(sample.even)
    alpha = math.exp(spent.log_fine(np.arange(2), sample.compare(statistics, np.arange(2)).standing).item())
    for n, w in enumerate(PLANAR.facets):
        total = 0.0
        for d, noise in enumerate((Bounded(0, 1), GaussianUnknown())):
            own, times = kind_for(PLANAR.facets[:, [d]], noise, once=True), np.array(each, float)
            z = own.quantiles(np.array([20.0]), np.log([alpha / 2]))
            variances = own.variances(np.arange(2), statistics.scatters[:, d : d + 1, d : d + 1], times)
            total += float(own.radius(n, z, (variances[:, n] / each).sum(), *times)[0])
        assert w.all()
        assert seen.radii[0, 1, n] == pytest.approx(total)


def test_very_many_designs_are_struck_by_the_sums_of_their_parts():
    """Beyond 2500 designs, level by level: nobody is struck whom the pairs would not strike."""
    k = 2600
    checked = certificate(ByObjective([Binary(), GaussianUnknown(0.0)]), PLANAR, "contain", k)
    rng = np.random.default_rng(4)
    rates = rng.uniform(0.1, 0.3, size=k)
    rates[:3] = 0.9
    draws = 160
    values = np.column_stack([rng.random(k * draws) < np.repeat(rates, draws), rng.normal(size=k * draws) * 0.1])
    values[: 3 * draws, 1] += 0.7
    state = nothing(checked).add(Observations.single(np.repeat(np.arange(k), draws), values))
    claims = checked.claims(state)
    assert claims.beaten.sum() > 100
    some = np.flatnonzero(claims.beaten)[:40]
    for i in some:
        pair = checked.compare(state, np.sort(np.array([i, claims.by[i]])), claims.pairs.standing)
        mine = int(i > claims.by[i])
        seen = pair.out(np.array([mine]), np.array([1 - mine]))
        assert (seen.gains >= seen.radii).all()


def test_values_that_a_kind_rules_out_are_refused():
    noise = ByObjective([Binary(), Known()])
    rule = cw.SuccessiveElimination(cw.Question(cw.Cone.orthant(2), 0.3, 0.1, noise), 2)
    state = rule.tell(rule.start(), Observations.single([0, 1], [[1.0, 5.0], [0.0, 6.0]]))
    assert state.evaluations == 2
    for values, words in (
        ([[0.3, 5.0]], "a value of 0.3 came, but the noise assumes 0 or 1 and nothing between"),
        ([[2.0, 5.0]], "outside of 0 to 1"),
        ([[1.0, 5.5]], "objective 2 of design 0 is 5 and 5.5, although it is declared to have no noise"),
    ):
        with pytest.raises(cw.InputError, match=words):
            rule.tell(state, Observations.single([0], values))
    with pytest.raises(cw.InputError, match="objective 2 of design 0 is 1 and 2"):
        rule.tell(rule.start(), Observations.single([0, 0], [[1.0, 1.0], [1.0, 2.0]]))
    with pytest.raises(cw.InputError, match="without their scatter"):
        rule.tell(state, Observations([0], [[0.5, 5.0]], [4]))


@pytest.mark.parametrize("once", [False, True])
def test_levels_of_mixed_objectives_are_judged_by_their_own_kind(once):
    """Bounds of a design's own averages: those of each kind alone, and the value itself where there is no noise."""
    columns = [cw.Objective("a", level=0.2), cw.Objective("b", level=-1.0), cw.Objective("c", level=3.0)]
    question = cw.Question(ORTHANT, 0.3, 0.1, ByObjective([Binary(), GaussianUnknown(), Known()]), objectives=columns)
    checked = Certificate(question, 2, once=once, pilots=False)
    rng = np.random.default_rng(6)
    values = np.column_stack([rng.random(80) < 0.5, rng.normal(size=80), np.repeat([2.0, 4.0], 40)])
    told = Observations.single(np.repeat([0, 1], 40), values)
    statistics = Statistics.empty(2, 3).add(told)
    found, least = checked.claims(statistics if once else nothing(checked).add(told)).bounds, [0.2, -1.0]
    assert found.lower[:, 2].tolist() == found.upper[:, 2].tolist() == [-1.0, 1.0]
    assert found.misses.tolist() == [True, False]
    assert (found.lower[:, :2] < statistics.means[:, :2] - least).all()
    assert (found.upper[:, :2] > statistics.means[:, :2] - least).all()


@pytest.mark.parametrize("final", [False, True], ids=["run", "one look"])
def test_equal_prices_do_not_settle_an_exact_question(final):
    """The first design has the price of the second and less of the rest: it is not on the front at epsilon 0."""
    means, noise = np.array([[0.0, 1.0], [0.5, 1.0], [-1.0, 2.0]]), ByObjective([Gaussian(1.0), Known()])
    problem, cone = cw.SimulatedBandit(means, noise), cw.Cone.orthant(2)
    if final:
        question = cw.Question(cone, 0.0, 0.05, noise, "contain")
        few, many = (
            Statistics.empty(3, 2).add(problem.evaluate(Pulls([0, 1, 2], [n] * 3), np.random.default_rng(0)))
            for n in (3, 3000)
        )
        certificate = FixedSample(question, 3)
        assert certificate.recommend(few).status[0] == "undecided"
        assert certificate.recommend(many).status.tolist() == ["beaten", "kept", "kept"]
        return
    result = cw.identify(problem, cone, epsilon=0.0, delta=0.05, success="contain", max_evaluations=10**6, rng=0)
    assert result.indices == [1, 2]
    assert result.certified_epsilon == 0
