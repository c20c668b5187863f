"""A column may be written in EUR or in kEUR: with units, every answer is the same.

Where the factor is a power of two every division is exact, so the answers are the same to the last bit. Elsewhere a
rounding may decide between two values that differ by less than that, so the comparison is by verdict.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import conewise as cw
from conewise import noise as noises
from conewise.cli.main import commands
from conewise.report.answer import answer as answer_data
from conewise.report.known import of_front
from conewise.report.subject import of_study

CONES = {"orthant": cw.Cone.orthant(2), "importance": cw.Cone.importance(0.2), "planar": cw.Cone.planar(60)}
K = 5


def measured(seed, n=30):
    """A table of evaluations of five designs: price in EUR, power in hp."""
    rng = np.random.default_rng(seed)
    means = np.column_stack([rng.uniform(10_000, 40_000, K), rng.uniform(60, 200, K)])
    designs = np.tile(np.arange(K), n)
    values = means[designs] + rng.normal(size=(K * n, 2)) * [800, 4]
    return {"design": [f"car {k}" for k in designs], "price": values[:, 0], "power": values[:, 1]}


def asked(unit, power=10.0, **more):
    return [cw.Objective("price", "min", unit=unit, **more), cw.Objective("power", unit=power)]


def same_bits(first, second):
    one, two = first.result, second.result
    assert one.status.tolist() == two.status.tolist()
    assert one.pareto.tolist() == two.pareto.tolist()
    assert one.certified_epsilon == two.certified_epsilon
    assert one.guarantee == two.guarantee
    assert np.array_equal(one.means, two.means)
    assert np.array_equal(first.plan.pulls.counts, second.plan.pulls.counts)


NOISES = {
    "unknown": lambda factor: None,
    "gaussian": lambda factor: noises.Gaussian([800.0 * factor, 4.0]),
    "covariance": lambda factor: noises.Gaussian(cov=[[640_000.0 * factor**2, 800.0 * factor], [800.0 * factor, 16.0]]),
    "bounded": lambda factor: noises.Bounded([0.0, 0.0], [65_536.0 * factor, 256.0]),
}


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("final", [False, True])
@settings(deadline=None, max_examples=8)
@given(st.integers(0, 10**6), st.integers(-40, 40), st.sampled_from(list(CONES)), st.sampled_from([0.0, 1.0]))
def test_an_analysis_is_the_same_to_the_last_bit(kind, final, seed, exponent, cone, epsilon):
    factor = 2.0**exponent
    table = measured(seed)
    scaled = table | {"price": table["price"] * factor}
    options = {"delta": 0.05, "epsilon": epsilon, "final": final}
    first = cw.analyse(table, CONES[cone], objectives=asked(512.0), noise=NOISES[kind](1.0), **options)
    second = cw.analyse(scaled, CONES[cone], objectives=asked(512.0 * factor), noise=NOISES[kind](factor), **options)
    # what is said of the noise names the user's numbers
    if first.result.guarantee:
        worth = replace(second.result.guarantee, assumption=first.result.guarantee.assumption)
        second = replace(second, result=replace(second.result, guarantee=worth))
    same_bits(first, second)
    np.testing.assert_array_equal(second.means[:, 0], first.means[:, 0] * factor)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([0.001, 0.01, 3.0, 1000.0]), st.sampled_from(list(CONES)))
def test_an_analysis_is_the_same_by_verdict_for_every_factor(seed, factor, cone):
    table = measured(seed)
    scaled = table | {"price": table["price"] * factor}
    options = {"delta": 0.05, "epsilon": 1.0}
    first = cw.analyse(table, CONES[cone], objectives=asked(500.0), **options)
    second = cw.analyse(scaled, CONES[cone], objectives=asked(500.0 * factor), **options)
    np.testing.assert_allclose(second.result.means, first.result.means, rtol=1e-12)
    np.testing.assert_allclose(second.means[:, 0], first.means[:, 0] * factor, rtol=1e-12)
    assert second.result.status.tolist() == first.result.status.tolist()
    if first.result.certified_epsilon:
        assert second.result.certified_epsilon == pytest.approx(first.result.certified_epsilon, rel=1e-9)


class Cars:
    """A problem that speaks its own units and directions."""

    n_designs, dim = K, 2
    assumption = None

    def __init__(self, seed, factor):
        rng = np.random.default_rng(seed)
        self.means = np.column_stack([rng.uniform(10_000, 40_000, K), rng.uniform(60, 200, K)])
        self.factor = factor

    def evaluate(self, pulls, rng):
        designs = np.repeat(pulls.designs, pulls.counts)
        values = self.means[designs] + rng.normal(size=(len(designs), 2)) * [800, 4]
        return cw.Observations.single(designs, values * [self.factor, 1.0])


@pytest.mark.parametrize("algorithm", ["elimination", "ape"])
@settings(deadline=None, max_examples=6)
@given(st.integers(0, 10**6), st.integers(-20, 20))
def test_an_identification_is_the_same_to_the_last_bit(algorithm, seed, exponent):
    factor = 2.0**exponent
    options = {"epsilon": 2.0, "delta": 0.1, "algorithm": algorithm, "rng": 3}
    cone = cw.Cone.importance(0.2)
    first = cw.identify(Cars(seed, 1.0), cone, objectives=asked(512.0), noise=noises.Gaussian([800, 4.0]), **options)
    second = cw.identify(
        Cars(seed, factor),
        cone,
        objectives=asked(512.0 * factor),
        noise=noises.Gaussian([800 * factor, 4.0]),
        **options,
    )
    assert np.array_equal(first.counts, second.counts)
    assert np.array_equal(first.means, second.means)
    assert first.certified_epsilon == second.certified_epsilon
    assert first.pareto.tolist() == second.pareto.tolist()
    np.testing.assert_array_equal(second.averages[:, 0], first.averages[:, 0] * factor)


def test_noise_is_given_with_the_objectives_too():
    one = [cw.Objective("price", "min", unit=500, noise=800), cw.Objective("power", unit=10, noise=4)]
    plain = [cw.Objective("price", "min", unit=500), cw.Objective("power", unit=10)]
    options = {"epsilon": 2.0, "delta": 0.1, "rng": 3}
    first = cw.identify(Cars(1, 1.0), cw.Cone.orthant(2), objectives=one, **options)
    second = cw.identify(Cars(1, 1.0), cw.Cone.orthant(2), objectives=plain, noise=noises.Gaussian([800, 4]), **options)
    assert np.array_equal(first.means, second.means)
    assert repr(first) == repr(second)
    assert "; one step is price 500, power 10" in repr(first)


def test_an_identification_without_units_says_it_once_in_its_answer_where_they_matter():
    """Change: it was a Python warning; now the sentence belongs to the answer, as everywhere."""
    options = {"epsilon": 500.0, "delta": 0.1, "rng": 3, "noise": noises.Gaussian([800, 4])}
    named = [cw.Objective("price", "min"), "power"]
    found = cw.identify(Cars(1, 1.0), cw.Cone.orthant(2), objectives=named, **options)
    (remark,) = found.remarks
    assert "--unit price=" in remark
    assert repr(found).count("in one measure") == found._repr_html_().count("in one measure") == 1
    numbered = cw.identify(Cars(1, 1.0), cw.Cone.orthant(2), **options)
    assert "'objective 1'" in numbered.remarks[0]


MODELS = [(0.70 + 0.02 * k, 10.0 + 5 * k, 100.0 + 300 * k) for k in range(6)] + [(0.7001, 10.01, 100.5)]
MIXED = ("accuracy", "seconds", "dollars")


def runs_of_models(names=MIXED, factors=(1.0, 1.0, 1.0)):
    """12 evaluations of seven models, two of them nearly the same, in rows that every reading accepts."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(12, len(MODELS), 3)) * [0.005, 0.5, 10]
    values = (np.array(MODELS) + noise) * factors
    each = [(q, k) for q in range(12) for k in range(len(MODELS))]
    labels = [{"design": f"m{k}", "task": f"t{q}", "size": float(k)} for q, k in each]
    return [row | dict(zip(names, values[at], strict=True)) for row, at in zip(labels, each, strict=True)]


PATHS = {
    "rows": {"final": True},
    "growing": {},
    "separate": {"separate": True, "final": True},
    "blocks": {"block": "task"},
    "model": {"features": ["size"], "noise": noises.Gaussian([0.005, 0.5, 10])},
}


def sentences_about_units(rows, names=MIXED, **options):
    minimise = [name for name in names[1:] if name in rows[0]]
    found = cw.analyse(rows, **{"delta": 0.05, "objectives": names, "minimise": minimise} | options)
    return [line for line in found.explanations if "in one measure" in line]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("asked", ["epsilon", "certified", "cone"])
def test_every_reading_of_a_table_says_that_units_are_mixed(path, asked):
    """With epsilon 0 it is the certified epsilon that counts seconds and dollars alike; a cone weighs them anyway."""
    options = {
        "epsilon": {"epsilon": 1.0},
        "certified": {"epsilon": 0.0},
        "cone": {"epsilon": 0.0, "cone": cw.Cone.importance(0.1, 3)},
    }[asked]
    if path == "model" and asked != "epsilon":
        options["max_evaluations"] = 100_000  # without which a model is not asked for epsilon = 0
    rows = runs_of_models()
    (line,) = sentences_about_units(rows, **PATHS[path], **options)
    assert line.startswith("The cone weighs" if asked == "cone" else "Epsilon measures")
    assert "'dollars'" in line
    assert "'accuracy'" in line


@pytest.mark.parametrize("path", PATHS)
def test_no_reading_of_a_table_speaks_of_units_where_they_are_stated_or_alike(path):
    stated = [cw.Objective("accuracy", unit=0.01), cw.Objective("seconds", "min"), cw.Objective("dollars", "min")]
    options = {"epsilon": 1.0} | PATHS[path]
    assert not sentences_about_units(runs_of_models(), **options | {"objectives": stated, "minimise": ()})
    in_euros = tuple(f"{name} (EUR)" for name in ("rent", "wages", "fuel"))
    assert not sentences_about_units(runs_of_models(in_euros), in_euros, **options)
    alike = {"noise": noises.Gaussian([0.5, 0.5, 0.5])} if path == "model" else {}
    assert not sentences_about_units(runs_of_models(factors=(200, 1, 1 / 60)), **options | alike)


def test_an_exact_answer_under_the_orthant_does_not_depend_on_units():
    """Certified epsilon 0 is 0 in every unit."""
    rows = [row | {"dollars": 0.0 if row["design"] == "m5" else 9e3} for row in runs_of_models(factors=(1, 0, 0))]
    rows = [row for row in rows if row["design"] != "m6"]
    options = {"objectives": ["accuracy", "dollars"], "minimise": ["dollars"], "noise": noises.Gaussian([0.001, 1.0])}
    found = cw.analyse(rows, delta=0.05, final=True, **options)
    assert found.result.certified_epsilon == 0
    assert not found.result.remarks


def test_a_study_says_that_units_are_mixed_from_its_beginning_in_its_result_and_in_its_report(tmp_path):
    options = {"epsilon": 1.0, "delta": 0.1, "cone": cw.Cone.orthant(3), "noise": noises.Gaussian([0.005, 0.5, 10])}
    options |= {"designs": [f"m{k}" for k in range(7)], "objectives": MIXED, "minimise": MIXED[1:]}
    with cw.Study.create(tmp_path / "a.db", **options) as study:
        (before,) = study.warnings()
        assert "(noise 10)" in before.sentence
        batch = study.ask(7)
        study.tell(batch, [list(MODELS[e.design]) for e in batch])
        (remark,) = study.status().result.remarks
        (warning,) = study.warnings()
        assert warning.sentence.startswith(remark)
        assert "spread 1.5e+03" in remark
        assert sum("in one measure" in line for line in answer_data(of_study(study))["sentences"]) == 1


def test_a_front_under_an_angle_says_that_units_are_mixed_in_json_and_in_a_report(tmp_path):
    table = tmp_path / "models.csv"
    table.write_text("name,accuracy,dollars\n" + "".join(f"m{k},{a},{d}\n" for k, (a, _, d) in enumerate(MODELS)))
    command = ["front", str(table), "--minimise", "dollars", "--objectives", "accuracy,dollars", "--json"]
    found = json.loads(CliRunner().invoke(commands, [*command, "--cone", "planar:120"]).stdout)
    assert len(found["remarks"]) == 1
    assert json.loads(CliRunner().invoke(commands, command).stdout)["remarks"] == []
    columns = {"objectives": ["accuracy", "dollars"], "minimise": ["dollars"]}
    assert "in one measure" in of_front(str(table), cw.Cone.planar(120), **columns).sentences[0]
    assert not of_front(str(table), **columns).sentences


def study_of(where, factor):
    objectives = [cw.Objective("price", "min", unit=512.0 * factor), cw.Objective("power", unit=8.0)]
    study = cw.Study.create(
        where,
        designs=[f"car {k}" for k in range(K)],
        cone=cw.Cone.importance(0.2),
        epsilon=2.0,
        delta=0.1,
        noise=noises.Gaussian([800 * factor, 4.0]),
        objectives=objectives,
    )
    cars, rng = Cars(5, factor), np.random.default_rng(1)
    while batch := study.ask(16):
        told = [cars.evaluate(cw.Pulls([e.design]), rng).means[0] for e in batch]
        study.tell(batch, told)
    return study


def test_a_study_counts_in_units_and_remembers_them(tmp_path):
    with study_of(tmp_path / "a.db", 1.0) as first, study_of(tmp_path / "b.db", 1024.0) as second:
        one, two = first.result(), second.result()
        assert one.counts.tolist() == two.counts.tolist()
        assert np.array_equal(one.means, two.means)
        assert one.certified_epsilon == two.certified_epsilon
        np.testing.assert_array_equal(two.averages[:, 0], one.averages[:, 0] * 1024)
    with cw.Study.open(tmp_path / "b.db", read_only=True) as again:
        assert np.array_equal(again.result().means, two.means)
        assert again.question.columns.units.tolist() == [512 * 1024, 8]
        told = again.evaluations()
        assert told.values[:, 0].min() > 1024 * 1000  # as they were told


def test_a_header_with_units_is_refused_by_whoever_does_not_know_them(tmp_path):
    from conewise.studies.spec import Specification, specified

    made = specified(2, epsilon=1.0, delta=0.1, noise=noises.Gaussian(1), objectives=asked(512.0)[:1])
    text = made.to_json()
    assert json.loads(text)["objectives"] == [{"name": "price", "goal": "min", "unit": 512.0}]
    assert Specification.from_json(text).question.columns.units.tolist() == [512]
