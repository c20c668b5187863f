"""Elimination cell by cell: it ends, it is right, it measures less than whole rows, and prices count."""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

import conewise as cw
from conewise.data.observations import Observations
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown, Known
from conewise.problems import OneByOne
from conewise.rules import SeparateElimination
from conewise.studies.asking import run

ORTHANT, WIDE = cw.Cone.orthant(2), cw.Cone.planar(120)
MEANS = np.random.default_rng(0).normal(size=(10, 2))


def separately(problem, cone=ORTHANT, rng=1, **options) -> cw.Result:
    return cw.identify(OneByOne(problem), cone, epsilon=0.3, delta=0.05, rng=rng, **options)


@pytest.mark.parametrize(("cone", "success"), [(ORTHANT, "contain"), (WIDE, "cover")], ids=str)
def test_the_answer_is_right_and_guaranteed(cone, success):
    result = separately(cw.SimulatedBandit(MEANS, Gaussian([0.2, 0.4])), cone, success=success)
    assert isinstance(result.guarantee, cw.Guarantee)
    assert "objectives measured separately" in result.guarantee.assumption
    assert cw.verdict(result.pareto, MEANS, cone, result.certified_epsilon)
    assert result.stopped_because == "every design is certified"


def test_under_the_orthant_it_takes_fewer_measurements_than_whole_rows():
    """A facet is about one objective, and to be fine one facet is enough."""
    problem, spent = cw.SimulatedBandit(MEANS, Gaussian([0.2, 0.8])), []
    for rng in range(6):
        rows = cw.identify(problem, ORTHANT, epsilon=0.3, delta=0.05, rng=rng, success="contain")
        spent.append((separately(problem, rng=rng, success="contain").evaluations, 2 * rows.evaluations))
    apart, whole = np.sum(spent, axis=0)
    assert apart < 0.8 * whole


def dear(price: float, seed: int) -> int:
    """How often the dear objective is measured."""
    objectives = [cw.Objective("cheap"), cw.Objective("dear", price=price)]
    rule = SeparateElimination(cw.Question(ORTHANT, 0.3, 0.05, Gaussian(0.5), "contain", objectives), len(MEANS))
    means = np.random.default_rng(seed).normal(size=MEANS.shape)
    state, rng, problem = rule.start(), np.random.default_rng(2), OneByOne(cw.SimulatedBandit(means, Gaussian(0.5)))
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, problem.evaluate(pulls, rng))
    return int(state.seen.repetitions[:, 1].sum())


def test_a_dear_objective_is_measured_less():
    seeds = range(8)
    assert sum(dear(20.0, seed) for seed in seeds) < 0.85 * sum(dear(1.0, seed) for seed in seeds)


class Scaled:
    """The same evaluations in a unit of which 512 are a step."""

    n_designs, dim, assumption = 10, 2, Gaussian([128.0, 0.5])

    def evaluate(self, pulls, rng):
        told, unit = cw.SimulatedBandit(MEANS, Gaussian([0.25, 0.5])).evaluate(pulls, rng), np.array([512.0, 1.0])
        return Observations(told.designs, told.means * unit, told.counts, told.scatters * unit[:, None] * unit)


def test_units_are_those_of_the_objectives():
    plain = separately(cw.SimulatedBandit(MEANS, Gaussian([0.25, 0.5])))
    found = separately(Scaled(), objectives=[cw.Objective("power", unit=512), cw.Objective("speed")])
    assert found.indices == plain.indices
    assert found.evaluations == plain.evaluations
    assert found.certified_epsilon == plain.certified_epsilon


@pytest.mark.parametrize(
    "noise", [GaussianUnknown(), ByObjective([Bounded(-4, 4), GaussianUnknown()]), ByObjective([0.5, Known()])], ids=str
)
def test_other_noises_end_as_well(noise):
    means = np.array([[0.9, 0.1], [0.1, 0.9], [-0.9, -0.9]])
    known = isinstance(noise, ByObjective) and noise.exact.any()
    drawn = ByObjective([0.3, Known()]) if known else Gaussian(0.3)
    rule = SeparateElimination(cw.Question(ORTHANT, 0.5, 0.05, noise, "contain"), 3)
    problem = cw.SimulatedBandit(means, drawn)
    result = run(rule, OneByOne(problem), rng=3)
    assert result.indices == [0, 1]
    assert bool(result.guarantee)
    if known:
        assert rule.ask(rule.start()).counts.tolist()[1::2] == [1, 1, 1]


def test_twins_end_and_an_early_answer_holds_at_a_larger_epsilon():
    twins = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]])
    problem = cw.SimulatedBandit(twins, Gaussian(0.3))
    assert separately(problem, success="contain").indices[:2] == [0, 1]
    early = separately(problem, max_evaluations=40)
    assert early.stopped_because.startswith("max_evaluations reached")
    assert early.evaluations == 40
    assert early.certified_epsilon is None or early.certified_epsilon > 0.3


def test_levels_are_judged_by_their_own_objective():
    means = np.array([[2.0, -1.0], [0.0, 1.0], [0.5, 0.5], [-1.0, -1.0]])
    problem = cw.SimulatedBandit(means, Gaussian(0.4))
    objectives = [cw.Objective("power"), cw.Objective("safety", level=0.0)]
    for cone in (ORTHANT, WIDE):
        result = separately(problem, cone, objectives=objectives)
        assert result.status[0] == "misses a level"
        assert 1 in result.indices
        assert "levels met within epsilon" in result.guarantee.theorem


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"algorithm": "ape"}, "have a rule of their own, got 'ape'"),
        ({"growth": 2}, "separate has no option 'growth'"),
    ],
)
def test_other_rules_and_options_are_refused(options, words):
    with pytest.raises(cw.InputError, match=words):
        separately(cw.SimulatedBandit(MEANS, Gaussian(1)), **options)


def test_what_is_told_has_to_be_a_value_of_a_cell():
    rule = SeparateElimination(cw.Question(ORTHANT, 0.5, 0.05, ByObjective([Binary(), Known()]), "contain"), 3)
    state = rule.tell(rule.start(), Observations.single([1], [[4.0]]))
    for told, words in (
        (Observations.single([0], [[1.0, 2.0]]), "has one value, got 2 for each"),
        (Observations.single([6], [[1.0]]), "cell 6 does not exist: 3 designs with 2 objectives have the cells 0 to 5"),
        (Observations.single([0], [[0.5]]), "assumes 0 or 1 and nothing between"),
        (Observations.single([1], [[5.0]]), "objective 2 of design 0 is 4 and 5, although it is declared"),
    ):
        with pytest.raises(cw.InputError, match=words):
            rule.tell(state, told)
    assert state.seen.repetitions.sum() == 1


NEAR = np.array([[0.6, 0.5], [0.38, 0.28], [0.3, 0.75], [0.6, 0.5]])


def wrong(success: str, scale: float, seed: int) -> bool:
    """Whether an answer fails at the epsilon that it states, at any look of a run that chooses cells by what it saw."""
    rule = SeparateElimination(
        cw.Question(WIDE, 0.15, 0.1, Gaussian([0.1, 0.2]), success), len(NEAR), radius_scale=scale
    )
    problem, rng = OneByOne(cw.SimulatedBandit(NEAR, Gaussian([0.1, 0.2]))), np.random.default_rng(seed)
    state = rule.start()
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, problem.evaluate(pulls, rng))
        result = rule.recommend(state)
        if (stated := result.certified_epsilon) is None:
            continue
        found = cw.verdict(result.pareto, NEAR, WIDE, stated)
        if not found or (success == "contain" and len(found.missed)):
            return True
    return False


@pytest.mark.parametrize("success", ["cover", "contain"])
def test_delta_is_kept_at_all_looks_and_the_test_has_power(success):
    """Null: wrong at some look with probability at most 0.1. Wald's test at 1e-4; radii divided by 16 are rejected."""
    assert not rejected(lambda run: wrong(success, 1.0, run), 0.1, 1e-4)
    assert rejected(lambda run: wrong(success, 1 / 16, run), 0.1, 1e-4)
