"""The promise of naive elimination, measured: at most a delta fraction of runs fails, at every budget that claims so.

Null hypothesis: the failure probability is at most delta. Test: exact binomial, level LEVEL, RUNS runs, fixed seeds, so
the null is rejected when more than `binom.isf(LEVEL, RUNS, delta)` runs fail. Negative control: a tenth of the exact
budget must be rejected on the hard instances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

import conewise as cw
from conewise.noise import Gaussian
from conewise.problems import NoiseSource, SimulatedBandit, TwoPoint
from conewise.rules import NaiveElimination

LEVEL, RUNS = 1e-6, 2000
DELTA = 0.1
EPSILON = 0.1
JUST = 1.001 * EPSILON  # a gap a little beyond epsilon: as easy to fail on as can be
ACUTE = cw.Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]])


def one_gain(cone: cw.Cone, size: float) -> np.ndarray:
    """A multiple of the centre of the cone with m = size: a design behind by this much has Delta* = size."""
    centre = cone.centre
    return centre * size / (cone.facets @ centre / cone.widths).min()


def staircase(cone: cw.Cone, n_designs: int) -> np.ndarray:
    """One after the other along the centre; all but the last are too far to be returned."""
    return np.arange(n_designs)[:, None] * one_gain(cone, JUST)


def fan(cone: cw.Cone, n_designs: int) -> np.ndarray:
    """Incomparable designs across the centre, each neither covered by its neighbours nor far from it: M a bit above."""
    across = np.array([1.0, -1.0]) / np.sqrt(2)
    reach = float(cw.cover_gaps([[0.0, 0.0]], cone, rivals=[across])[0, 0])
    return np.arange(n_designs)[:, None] * across * JUST / reach


@dataclass(frozen=True)
class Instance:
    name: str
    means: np.ndarray
    cone: cw.Cone
    noise: Gaussian | NoiseSource

    @property
    def problem(self) -> SimulatedBandit:
        return SimulatedBandit(self.means, self.noise)


NARROW, RIGHT, WIDE = (cw.Cone.planar(angle) for angle in (45, 90, 135))
INSTANCES = [
    Instance("D = 1, 5 near-ties, normal", np.array([[JUST], [0], [0], [0], [0]]), cw.Cone.orthant(1), Gaussian(1.0)),
    Instance(
        "D = 1, 5 near-ties, two-point", np.array([[JUST], [0], [0], [0], [0]]), cw.Cone.orthant(1), TwoPoint([1.0])
    ),
    Instance("D = 2, narrow, fan, normal", fan(NARROW, 6), NARROW, Gaussian(cov=[[1.0, -0.5], [-0.5, 1.0]])),
    Instance("D = 2, right, staircase, two-point", staircase(RIGHT, 6), RIGHT, TwoPoint([0.8, -0.6])),
    Instance("D = 2, wide, staircase, normal", staircase(WIDE, 6), WIDE, Gaussian([0.5, 1.0])),
    Instance("D = 3, narrow, staircase, normal", staircase(ACUTE, 5), ACUTE, Gaussian(1.0)),
]
HARD = INSTANCES[0]


def failures(instance: Instance, algorithm: NaiveElimination, seed: int) -> int:
    """How many of RUNS runs fail at epsilon.

    All runs are evaluated in one call. The first few also take the whole public path, which must return the set that is
    judged here; equal sets are judged once.
    """
    pulls = algorithm.ask(algorithm.start())
    assert pulls.total == algorithm.total
    every_run = cw.Pulls(np.tile(pulls.designs, RUNS), np.tile(pulls.counts, RUNS))
    observed = instance.problem.evaluate(every_run, seed)
    averages = observed.means.reshape(RUNS, *instance.means.shape)
    judged: dict[bytes, bool] = {}
    failed = 0
    for run, average in enumerate(averages):
        returned = cw.pareto_mask(average, instance.cone)
        if run < 20:
            state = algorithm.tell(algorithm.start(), cw.Observations(pulls.designs, average, pulls.counts))
            assert algorithm.ask(state).total == 0
            np.testing.assert_array_equal(algorithm.recommend(state).pareto, returned)
        key = returned.tobytes()
        if key not in judged:
            judged[key] = cw.verdict(returned, instance.means, instance.cone, EPSILON).success
        failed += not judged[key]
    return failed


def allowed() -> int:
    return int(binom.isf(LEVEL, RUNS, DELTA))


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
@pytest.mark.parametrize("bound", ["paper", "auto"])
def test_at_most_a_delta_fraction_of_runs_fails(instance, bound):
    problem = instance.problem
    algorithm = NaiveElimination(
        cw.Question(instance.cone, EPSILON, DELTA, problem.assumption), problem.n_designs, bound=bound
    )
    assert algorithm.bound == (
        "paper" if bound == "paper" else "gaussian" if isinstance(instance.noise, Gaussian) else "subgaussian"
    )
    assert failures(instance, algorithm, seed=1) <= allowed()


def test_every_instance_is_hard_where_it_says_so():
    """The gaps lie just beyond epsilon: returning a design too many, or one too few, is a failure."""
    for instance in INSTANCES:
        gaps = cw.suboptimality_gaps(instance.means, instance.cone)
        front = cw.pareto_mask(instance.means, instance.cone)
        near = gaps[~front].min() if not front.all() else cw.separation_gaps(instance.means, instance.cone).min()
        assert near == pytest.approx(JUST, rel=1e-9), instance.name


@pytest.mark.parametrize("instance", [INSTANCES[0], INSTANCES[1], INSTANCES[4]], ids=lambda instance: instance.name)
def test_a_tenth_of_the_exact_budget_fails_the_same_test(instance):
    problem = instance.problem
    full = NaiveElimination(cw.Question(instance.cone, EPSILON, DELTA, problem.assumption), problem.n_designs)
    tenth = NaiveElimination(
        cw.Question(instance.cone, EPSILON, DELTA, problem.assumption),
        problem.n_designs,
        evaluations_each=full.evaluations_each // 10,
    )
    assert failures(instance, tenth, seed=1) > allowed()
    assert not tenth.recommend(tenth.start()).guarantee


def test_a_third_of_the_exact_budget_is_caught_as_well_on_the_hard_instance():
    """How sharp the test is: the exact bound leaves little to spare where near-ties abound."""
    full = NaiveElimination(cw.Question(HARD.cone, EPSILON, DELTA, Gaussian(1.0)), 5)
    third = NaiveElimination(
        cw.Question(HARD.cone, EPSILON, DELTA, Gaussian(1.0)), 5, evaluations_each=full.evaluations_each // 3
    )
    assert failures(HARD, third, seed=1) > allowed()
