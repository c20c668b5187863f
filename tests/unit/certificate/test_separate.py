"""Objectives that were measured separately: radii against sums worked out by hand, and how often an answer is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conewise.certificate.separate import Separately, SeparateSample
from scipy.stats import binom, norm, t

import conewise as cw
from conewise.certificate.certificate import Sample
from conewise.data.observations import Observations, Statistics
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown, Known

WIDE, ORTHANT = cw.Cone.planar(120), cw.Cone.orthant(2)
TIMES = [(12, 30), (40, 9), (20, 20)]


def measured(seed: int, means, times=TIMES, binary: bool = False) -> Separately:
    """Each objective of each design so often, one value a row."""
    rng, seen = np.random.default_rng(seed), Separately.empty(len(times), 2)
    for design, counts in enumerate(times):
        for d, count in enumerate(counts):
            values = np.full((count, 2), np.nan)
            values[:, d] = means[design][d] + 0.3 * rng.normal(size=count)
            if binary and d == 0:
                values[:, d] = rng.random(count) < means[design][d]
            seen = seen.add(np.full(count, design), values)
    return seen


def test_each_objective_has_its_own_count_and_average():
    seen = measured(0, np.zeros((3, 2)))
    assert seen.repetitions.tolist() == [list(pair) for pair in TIMES]
    assert seen.counts.tolist() == [42, 49, 40]
    assert seen.evaluations == 131
    whole = seen.add(np.array([0]), np.array([[1.0, 2.0]]))
    assert whole.repetitions[0].tolist() == [13, 31]


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), WIDE], ids=str)
def test_radii_are_sums_of_those_of_the_objectives_at_their_own_counts(cone, notion):
    seen = measured(1, np.zeros((3, 2)))
    for noise in (Gaussian([0.3, 0.4]), GaussianUnknown(0.0)):
        sample = SeparateSample(cw.Question(cone, 0.2, 0.1, noise, notion), 3)
        pairs = sample.compare(seen, np.arange(3))
        spending, rows = sample.spending(sample.even), np.arange(3)
        logs = spending.log_fine(rows, pairs.standing).item(), spending.log_out(rows, rows, pairs.standing).item()
        for out, found in ((False, pairs.fine(rows, rows)), (True, pairs.out(rows, rows)[0])):
            for n, w in enumerate(cone.facets):
                weighed = np.flatnonzero(w)
                share = 2 if out and notion == "cover" else len(weighed)
                total = 0.0
                for d in weighed:
                    own, n_i, n_j = seen.each[d], TIMES[0][d], TIMES[1][d]
                    alpha = math.exp(logs[out]) / share
                    if isinstance(noise, Gaussian):
                        spread = noise.sigma[d] * math.sqrt(1 / n_i + 1 / n_j)
                        total += abs(w[d]) * norm.isf(alpha) * spread
                    else:
                        v = own.scatters[:, 0, 0] / (own.counts - 1)
                        total += abs(w[d]) * t.isf(alpha, min(n_i, n_j) - 1) * math.sqrt(v[0] / n_i + v[1] / n_j)
                assert found.radii[0, 1, n] == pytest.approx(total, rel=1e-9)


def test_equal_counts_and_one_objective_a_facet_are_the_sample_of_whole_evaluations():
    """Under the orthant nothing is lost: the same claims as from complete rows."""
    from conewise.data.observations import Observations, Statistics
    from conewise.rules.adaptive.fixed import FixedSample

    rng = np.random.default_rng(2)
    values, designs = (
        rng.normal(size=(90, 2)) + np.repeat([[0, 0], [1, 1], [0.5, -1]], 30, axis=0),
        np.repeat([0, 1, 2], 30),
    )
    question = cw.Question(cw.Cone.orthant(2), 0.0, 0.1, Gaussian(1.0), "contain")
    whole = FixedSample(question, 3).claims(Statistics.empty(3, 2).add(Observations.single(designs, values)))
    apart = SeparateSample(question, 3).claims(Separately.empty(3, 2).add(designs, values))
    np.testing.assert_allclose(apart.fine_at, whole.fine_at)
    assert apart.beaten.tolist() == whole.beaten.tolist()


def test_a_design_that_lacks_an_objective_is_not_compared_and_equal_values_hide_noise():
    question = cw.Question(cw.Cone.orthant(2), 0.1, 0.1, GaussianUnknown(), "contain")
    lacking = measured(3, np.zeros((3, 2)), [(5, 5), (5, 0), (5, 5)])
    claims = SeparateSample(question, 3).claims(lacking)
    assert claims.undecided[1]
    still = Separately.empty(2, 2).add(np.repeat([0, 1], 3), np.array([[1.0, 0.0]] * 3 + [[2.0, 1.0]] * 3))
    assert SeparateSample(question, 2).claims(still).undecided.all()


def test_at_most_a_delta_fraction_of_answers_is_wrong_and_radii_that_are_too_small_fail():
    """40 runs, exact binomial at level 1e-3 against delta = 0.1: twins, and a design dominated by little."""
    means, runs = np.array([[0.7, 0.6], [0.48, 0.38], [0.7, 0.6]]), 40
    noise = ByObjective([Binary(), GaussianUnknown()])
    notion, wrong = "contain", {1.0: 0, 0.05: 0}
    for seed in range(runs):
        seen = measured(100 + seed, means, binary=True)
        for scale in wrong:
            sample = SeparateSample(cw.Question(WIDE, 0.1, 0.1, noise, notion), 3)
            claims = shrunk(sample, seen, scale)
            found = sample.certified_epsilon(claims)
            if found is not None:
                verdict = cw.verdict(found.returned, means, WIDE, found.epsilon)
                wrong[scale] += not verdict or (notion == "contain" and len(verdict.missed) > 0)
    assert wrong[1.0] <= binom.isf(1e-3, runs, 0.1)
    assert wrong[0.05] > binom.isf(1e-3, runs, 0.1)


def shrunk(sample: SeparateSample, seen: Separately, scale: float):
    from dataclasses import replace

    from conewise.certificate.claims import Struck, Worked

    compared = sample.compare(seen, np.arange(3))
    compared = replace(compared, boundaries=replace(compared.boundaries, scale=scale))
    start = Struck(np.zeros(3, dtype=bool), np.full(3, -1), compared)
    return sample.judged(start, sample.epsilon, Worked(), None)[0]


LEVELLED = [cw.Objective("a", level=0.4), cw.Objective("b", level=-0.1)]


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("noise", [Gaussian(0.3), GaussianUnknown(0.0)], ids=["known", "unknown"])
def test_levels_at_equal_counts_are_those_of_one_sample(noise, levels):
    """With every objective measured equally often, bounds of averages are those of section 9.5 to the last digit."""
    objectives = [LEVELLED[0], LEVELLED[1] if levels == 2 else "b"]
    question = cw.Question(WIDE, 0.1, 0.1, noise, "contain", objectives)
    rng = np.random.default_rng(5)
    designs, values = np.repeat([0, 1, 2], 20), rng.normal(0.3, 0.3, size=(60, 2))
    whole = Statistics.empty(3, 2).add(Observations.single(designs, values))
    one, apart = Sample(question, 3).claims(whole), SeparateSample(question, 3)
    other = apart.claims(Separately.empty(3, 2).add(designs, values))
    np.testing.assert_allclose(other.bounds.lower, one.bounds.lower, rtol=1e-9)
    np.testing.assert_allclose(other.bounds.upper, one.bounds.upper, rtol=1e-9)
    assert "levels met within epsilon" in apart.with_levels


@pytest.mark.parametrize("notion", ["cover", "contain"])
def test_wrong_answers_about_levels_stay_below_delta(notion):
    """Designs on a level, a little below it, and far above; each objective at its own count. Level 1e-3, 60 seeds."""
    means, runs, wrong = np.array([[0.4, 0.6], [0.33, 0.9], [0.7, -0.1]]), 60, 0
    question = cw.Question(ORTHANT, 0.05, 0.1, GaussianUnknown(), notion, LEVELLED)
    sample, decided = SeparateSample(question, 3), 0
    for seed in range(runs):
        claims = sample.claims(measured(500 + seed, means, [(200, 50), (90, 300), (60, 150)]))
        found = sample.certified_epsilon(claims)
        if found is not None:
            verdict = cw.verdict(found.returned, means, ORTHANT, found.epsilon, levels=[0.4, -0.1])
            wrong += not verdict or (notion == "contain" and len(verdict.missed) > 0)
            decided += bool(claims.misses[1])
    assert decided > runs / 4  # or nothing would have been claimed
    assert wrong <= binom.isf(1e-3, runs, 0.1)


def test_exact_objectives_lacking_values_and_an_empty_answer():
    noise = ByObjective([Known(), Bounded(0, 1)])
    objectives = [cw.Objective("price", level=2.0), cw.Objective("rate", level=0.9)]
    sample = SeparateSample(cw.Question(cw.Cone.orthant(2), 0.05, 0.1, noise, "contain", objectives), 3)
    seen = Separately.empty(3, 2).add(np.array([0, 1]), np.array([[2.0, np.nan], [1.0, np.nan]]))
    claims = sample.claims(seen)
    assert claims.misses.tolist() == [False, True, False]
    assert claims.bounds.lower[0].tolist() == [0.0, -np.inf]
    low = np.repeat([0, 1, 2], 200)
    claims = sample.claims(seen.add(low, np.column_stack([np.full(600, np.nan), np.full(600, 0.1)])))
    assert claims.misses.all()
    assert claims.done
    found = sample.certified_epsilon(claims)
    assert found.epsilon == 0.0
    assert not found.returned.any()


def test_a_table_whose_rows_lack_objectives_is_refused_unless_they_were_measured_separately():
    rng = np.random.default_rng(0)
    rows = [
        {"design": name, "correct": int(rng.random() < p)} for name, p in (("a", 0.9), ("b", 0.1)) for _ in range(80)
    ]
    rows += [{"design": name, "seconds": s + rng.normal()} for name, s in (("a", 1.0), ("b", 9.0)) for _ in range(12)]
    meant = [cw.Objective("correct", noise="binary"), cw.Objective("seconds", "min", noise="unknown")]
    with pytest.raises(cw.InputError, match="column 'seconds' is empty"):
        cw.analyse(rows, objectives=meant, delta=0.05, final=True)
    found = cw.analyse(rows, objectives=meant, delta=0.05, final=True, separate=True)
    assert found.result.status.tolist() == ["kept", "beaten"]
    assert found.result.guarantee
    assert "correct 80 times, seconds 12 times" in " ".join(found.explanations)
    assert found.evidence is not None
    growing = cw.analyse(rows, objectives=meant, delta=0.05, separate=True)
    assert growing.result.status.tolist() == ["kept", "beaten"]
    rows[0]["correct"] = 0.3
    with pytest.raises(cw.InputError, match="where 0 or 1 was expected"):
        cw.analyse(rows, objectives=meant, delta=0.05, final=True, separate=True)


def test_melted_tables_of_separate_measurements():
    rows = [{"design": k, "metric": "x", "value": v} for k, v in zip("aaabbb", [1, 2, 3, 7, 8, 9], strict=True)]
    rows += [{"design": k, "metric": "y", "value": v} for k, v in zip("aabb", [1.0, 1.5, 9.0, 9.5], strict=True)]
    columns = {"design": "design", "metric": "metric", "value": "value"}
    with pytest.raises(cw.InputError, match="needs all objectives"):
        cw.readers.melted(rows, **columns)
    table = cw.readers.melted(rows, **columns, separate=True)
    found = cw.analyse(table, delta=0.1, final=True, separate=True, noise=Gaussian(0.5))
    assert found.result.status.tolist() == ["beaten", "kept"]
    assert found.result.counts.tolist() == [5, 5]
