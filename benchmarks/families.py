"""Exact identification over whole families of instances: is less than half of APE's evaluations the rule, or luck?

Instances come one after the other from seeds from SEED on, none of which was used for tuning or is among
`benchmarks.cases`. An answer that is not the Pareto set ends the measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import conewise as cw
from benchmarks.cases import random_family, two_leaders
from benchmarks.measure import Row
from conewise.rules import LeaderChallenger, SuccessiveElimination
from conewise.studies.loop import run

SEED = 80_000
INSTANCES = 10
RUNS = 4
DELTA = 0.01
GROWTH = 0.05
"""Batches of APE, as a share of what a design has; one at a time it needs as many within a few per cent."""
MOST = 10**8
WANTED = 0.45
"""Of APE's evaluations, on average over a family."""

FAMILIES: dict[str, Callable[[int], cw.SimulatedBandit]] = {"two leaders, 20 designs, 3 objectives": two_leaders} | {
    f"random normal, {k} designs, {dim} objectives": partial(random_family, k, dim)
    for k, dim in ((20, 2), (20, 3), (20, 4), (50, 2), (50, 3), (100, 2), (100, 3))
}


def rows(*, instances: int = INSTANCES, runs: int = RUNS) -> Iterator[Row]:
    """A row a family."""
    with ProcessPoolExecutor(2) as pool:
        for family in FAMILIES:
            cells = [(family, SEED + one, again) for one in range(instances) for again in range(runs)]
            counts = np.array(list(pool.map(evaluations, cells)), dtype=float)
            yield row(family, counts.reshape(instances, runs, 2).mean(axis=1))


def row(family: str, means: np.ndarray) -> Row:
    """From evaluations by instance, ours and APE's, (I, 2): the target is for the mean of the ratios."""
    ratios = means[:, 0] / means[:, 1]
    within = f"{(ratios <= 0.5).sum()} of {len(ratios)} at most half"
    ours, ape = means.mean(axis=0)
    shown = f"{ratios.mean():.2f} x ({ratios.min():.2f} to {ratios.max():.2f}; {within})"
    target = f"<= {WANTED:g} x on average"
    return Row(family, f"{ours:.3g}", f"APE {ape:.3g}", shown, target, bool(ratios.mean() <= WANTED))


def evaluations(cell: tuple[str, int, int]) -> tuple[int, int]:
    """Of our default rule and of APE, on the same instance."""
    family, seed, again = cell
    problem = FAMILIES[family](seed)
    cone = cw.Cone.orthant(problem.dim)
    question = cw.Question(cone, 0.0, DELTA, problem.assumption, success="contain")
    ours = SuccessiveElimination(question, problem.n_designs, max_evaluations=MOST)
    ape = LeaderChallenger(question, problem.n_designs, growth=GROWTH, max_evaluations=MOST)
    found = [run(rule, problem, rng=np.random.default_rng([seed, again])) for rule in (ours, ape)]
    truth = cw.pareto_mask(problem.means, cone)
    for result in found:
        if not np.array_equal(result.pareto, truth):
            raise RuntimeError(f"a wrong answer: {family}, seed {seed}, run {again}.")
    return found[0].evaluations, found[1].evaluations
