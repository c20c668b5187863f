"""Objectives that are measured by themselves: against whole rows, against sums worked out by hand, and gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.history import Checkpoints
from conewise.certificate.streams import Separately, by_objective
from conewise.certificate.weights import Standing
from conewise.data.observations import Observations, Statistics
from conewise.noise import Bounded, ByObjective, Gaussian, GaussianUnknown, Known, Noise
from conewise.rules import SeparateElimination

ORTHANT, WIDE = cw.Cone.orthant(2), cw.Cone.planar(120)
MEANS = np.array([[0.9, 0.2], [0.2, 0.9], [0.1, 0.1], [0.5, 0.45], [0.9, 0.2]])
EVERYONE = np.arange(len(MEANS))
NOISES: dict[str, Noise] = {
    "normal": ByObjective([0.3, 0.4], apart=True),
    "unknown": ByObjective([GaussianUnknown(0.0), GaussianUnknown(0.0)], apart=True),
    "bounded, normal": ByObjective([Bounded(-3, 4), 0.4], apart=True),
    "rounded, known": ByObjective([GaussianUnknown(), Known()], apart=True),
}


def question(noise: Noise, cone: cw.Cone = ORTHANT, success="contain", level: float | None = None) -> cw.Question:
    names = [cw.Objective("first", level=level), cw.Objective("second")]
    return cw.Question(cone, 0.5, 0.1, noise, success, names)


def rows(noise: str, count: int, seed: int = 0) -> np.ndarray:
    """(count, K, 2)"""
    values = MEANS + 0.3 * np.random.default_rng(seed).normal(size=(count, *MEANS.shape))
    if noise == "rounded, known":
        values[..., 0] = np.round(values[..., 0], 1)
        values[..., 1] = MEANS[:, 1]
    return values


def streams(asked: cw.Question, values: np.ndarray, measured) -> tuple[Certificate, Separately]:
    """Rows in turn, of which objective d of design k has measured[k, d]."""
    rule = SeparateElimination(asked, len(MEANS))
    kept = np.where(np.arange(len(values))[:, None, None] < measured, values, np.nan)
    designs = np.tile(EVERYONE, len(values))
    return rule.certificate, rule.start().add(by_objective(designs, kept.reshape(-1, 2)))


def whole(asked: cw.Question, values: np.ndarray) -> tuple[Certificate, Checkpoints]:
    """The certificate of whole rows, with the same noise."""
    made = Certificate(asked, len(MEANS), pilots=False)
    state = Checkpoints.empty(made.levels, len(MEANS), 2, made.radii.estimates)
    return made, state.add(Observations.single(np.tile(EVERYONE, len(values)), values.reshape(-1, 2)))


def same(first: tuple[Certificate, object], second: tuple[Certificate, object]) -> None:
    claims = [certificate.claims(seen) for certificate, seen in (first, second)]
    for name in ("beaten", "accepted", "covered", "misses"):
        assert getattr(claims[0], name).tolist() == getattr(claims[1], name).tolist()
    np.testing.assert_allclose(claims[0].accept_at, claims[1].accept_at)
    pairs = [made.compare(seen, EVERYONE).out(EVERYONE, EVERYONE, covering=True) for made, seen in (first, second)]
    np.testing.assert_allclose(pairs[0].gains, pairs[1].gains, atol=1e-12)
    np.testing.assert_allclose(pairs[0].radii, pairs[1].radii)
    if claims[0].bounds is not None:
        np.testing.assert_allclose(claims[0].bounds.lower, claims[1].bounds.lower, rtol=1e-9)
        np.testing.assert_allclose(claims[0].bounds.upper, claims[1].bounds.upper, rtol=1e-9)


@pytest.mark.parametrize(("success", "level"), [("cover", None), ("contain", 0.15)])
@pytest.mark.parametrize("cone", [ORTHANT, WIDE], ids=str)
@pytest.mark.parametrize("noise", NOISES)
def test_with_equal_counts_it_is_the_certificate_of_whole_rows(noise, cone, success, level):
    """Also under the wide cone, with coarsely recorded values, and with a level on the first objective."""
    asked, values = question(NOISES[noise], cone, success, level), rows(noise, 60)
    same(streams(asked, values, np.full(MEANS.shape, 60)), whole(asked, values))


@pytest.mark.parametrize(("success", "level"), [("cover", None), ("contain", 0.15)])
@pytest.mark.parametrize("cone", [ORTHANT, WIDE], ids=str)
@pytest.mark.parametrize("noise", [name for name in NOISES if "known" in name or name == "normal"])
def test_one_look_at_equal_counts_is_that_at_whole_rows(noise, cone, success, level):
    asked, values = question(NOISES[noise], cone, success, level), rows(noise, 60)
    designs, flat = np.tile(EVERYONE, 60), values.reshape(-1, 2)
    one, other = (Certificate(asked, len(MEANS), once=True, apart=apart) for apart in (False, True))
    seen = Separately.empty(len(MEANS), 2).add(by_objective(designs, flat))
    same((other, seen), (one, Statistics.empty(len(MEANS), 2).add(Observations.single(designs, flat))))


@pytest.mark.parametrize("success", ["cover", "contain"])
@pytest.mark.parametrize("cone", [ORTHANT, WIDE], ids=str)
def test_one_look_adds_the_radii_of_the_objectives_at_their_own_counts(cone, success):
    times, values = np.array([[12, 30], [40, 9], [20, 20], [20, 20], [20, 20]]), rows("normal", 40)
    kept = np.where(np.arange(40)[:, None, None] < times, values, np.nan).reshape(-1, 2)
    seen = Separately.empty(len(MEANS), 2).add(by_objective(np.tile(EVERYONE, 40), kept))
    assert seen.repetitions.tolist() == times.tolist()
    assert seen.evaluations == times.sum()
    for noise in (Gaussian([0.3, 0.4]), GaussianUnknown(0.0)):
        sample = Certificate(question(noise, cone, success), len(MEANS), once=True, apart=True)
        pairs, spending = sample.compare(seen, EVERYONE), sample.spending(sample.even)
        logs = spending.log_fine(EVERYONE, pairs.standing), spending.log_out(EVERYONE, EVERYONE, pairs.standing)
        for out, found in ((False, pairs.fine(EVERYONE, EVERYONE)), (True, pairs.out(EVERYONE, EVERYONE))):
            for n, w in enumerate(cone.facets):
                weighed = np.flatnonzero(w)
                alpha = math.exp(logs[out].item()) / (2 if out and success == "cover" else len(weighed))
                total = 0.0
                for d in weighed:
                    counts = times[:2, d]
                    if isinstance(noise, Gaussian):
                        z, variance = norm.isf(alpha), np.full(2, noise.sigma[d] ** 2)
                    else:
                        z = t.isf(alpha, min(counts) - 1)
                        variance = [np.var(values[:count, k, d], ddof=1) for k, count in enumerate(counts)]
                    total += abs(w[d]) * z * math.sqrt((np.array(variance) / counts).sum())
                assert found.radii[0, 1, n] == pytest.approx(total, rel=1e-9)


def test_each_objective_is_compared_at_the_checkpoint_that_both_designs_have_reached_in_it():
    asked, values = question(Gaussian([0.3, 0.4]), WIDE, "contain"), rows("normal", 120)
    times = np.array([[100, 12], [30, 110], [50, 50], [9, 120], [40, 40]])
    made, state = streams(asked, values, times)
    counts, pair = np.array(made.levels.counts), (np.array([0]), np.array([1]))
    found = made.compare(state, EVERYONE).fine(*pair)
    common = counts[np.searchsorted(counts, times[[0, 1]].min(axis=0), side="right") - 1]
    ahead = np.array([values[:g, 1, d].mean() - values[:g, 0, d].mean() for d, g in enumerate(common)])
    np.testing.assert_allclose(found.gains[0, 0], WIDE.facet_values(ahead))
    total, spending, tables = np.zeros(2), made.ruler(state).spending, made.tables
    row = tables.rows(spending.log_fine(EVERYONE, Standing.at_first(5)), False).item()
    for d, g in enumerate(common):
        for n, w in enumerate(WIDE.facets):
            part = [place for place in range(4) if made.radii.facet_of[place] == n][d]
            z = tables.fine[part, row, np.searchsorted(counts, g)]
            total[n] += z * abs(w[d]) * (0.3, 0.4)[d] * math.sqrt(2 / g)
    np.testing.assert_allclose(found.radii[0, 0], total)


def test_an_objective_that_lags_behind_leaves_pairs_open_and_the_others_decide():
    """Under the orthant a design is fine by one objective, but beaten in both only."""
    asked, values = question(Gaussian([0.1, 0.1])), rows("normal", 60)
    made, nothing = streams(asked, values, np.array([[60, 0]] * 5))
    assert made.claims(nothing).undecided.all()
    made, few = streams(asked, values, np.array([[60, made.levels.counts[0]]] * 5))
    assert made.claims(few).accepted[0]
    lacking = np.where(EVERYONE[:, None] == [9, 1], np.nan, MEANS)
    lacking = Separately.empty(5, 2).add(by_objective(EVERYONE, lacking))
    once = Certificate(asked, 5, once=True, apart=True)
    assert once.claims(lacking).undecided[1]


def test_one_value_of_an_objective_without_noise_is_enough():
    asked, values = question(NOISES["rounded, known"]), rows("rounded, known", 60)
    found = [streams(asked, values, np.array([[60, second]] * 5)) for second in (1, 60)]
    assert found[0][0].claims(found[0][1]).beaten.tolist() == found[1][0].claims(found[1][1]).beaten.tolist()


def test_exact_objectives_lacking_values_and_an_empty_answer():
    noise = ByObjective([Known(), Bounded(0, 1)])
    objectives = [cw.Objective("price", level=2.0), cw.Objective("rate", level=0.9)]
    sample = Certificate(cw.Question(ORTHANT, 0.05, 0.1, noise, "contain", objectives), 3, once=True, apart=True)
    prices = by_objective(np.array([0, 1]), np.array([[2.0, np.nan], [1.0, np.nan]]))
    seen = Separately.empty(3, 2).add(prices)
    claims = sample.claims(seen)
    assert claims.misses.tolist() == [False, True, False]
    assert claims.bounds.lower[0].tolist() == [0.0, -np.inf]
    low = np.column_stack([np.full(600, np.nan), np.full(600, 0.1)])
    claims = sample.claims(seen.add(by_objective(np.repeat([0, 1, 2], 200), low)))
    assert claims.misses.all()
    assert claims.done
    found = sample.certified_epsilon(claims)
    assert found.epsilon == 0.0
    assert not found.returned.any()


def test_a_table_whose_rows_lack_objectives_is_refused_unless_they_were_measured_separately():
    rng = np.random.default_rng(0)
    rows = [{"design": k, "correct": int(rng.random() < p)} for k, p in (("a", 0.9), ("b", 0.1)) for _ in range(80)]
    rows += [{"design": k, "seconds": s + rng.normal()} for k, s in (("a", 1.0), ("b", 9.0)) for _ in range(12)]
    meant = [cw.Objective("correct", noise="binary"), cw.Objective("seconds", "min", noise="unknown")]
    with pytest.raises(cw.InputError, match="column 'seconds' is empty"):
        cw.analyse(rows, objectives=meant, delta=0.05, final=True)
    for final in (True, False):
        found = cw.analyse(rows, objectives=meant, delta=0.05, final=final, separate=True)
        assert found.result.status.tolist() == ["kept", "beaten"]
        assert found.result.guarantee
        assert "correct 80 times, seconds 12 times" in " ".join(found.explanations)
    rows[0]["correct"] = 0.3
    with pytest.raises(cw.InputError, match="where 0 or 1 was expected"):
        cw.analyse(rows, objectives=meant, delta=0.05, final=True, separate=True)
