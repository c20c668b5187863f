"""Undecided designs against evaluations: adaptive runs, an even allocation judged by one look, and APE.

    python -m benchmarks.undecided [--instances 10] [--write]

Exact questions about twenty random designs with unit noise, alone or with designs that are hard or impossible to tell
apart. Designs that equal another one exactly are not counted, since no rule ever decides them. `unlimited` is our rule
without its limit on how far an open design may lag behind the others (`Tuning.lag`). A budget has a run of its own.
"""

from __future__ import annotations

import argparse
import datetime
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import conewise as cw
from benchmarks.sections import PAGE, write
from conewise.certificate.tuning import TUNING
from conewise.data.observations import Pulls
from conewise.noise import Gaussian
from conewise.rules import LeaderChallenger, SuccessiveElimination
from conewise.studies.loop import run

CONE, NOISE, DELTA, DESIGNS, SEED = cw.Cone.orthant(2), Gaussian(1.0), 0.05, 20, 90_000
BUDGETS = (100, 1000, 10_000, 100_000)
"""Evaluations of a run, divided by the number of designs."""
KINDS: dict[str, list[list[float]]] = {
    "random": [],
    "twin": [[0.0, 0.0]],
    "near-tie": [[0.001, -0.002]],
}
"""What each further design adds to the values of a Pareto optimal one."""


def instance(kind: str, seed: int) -> tuple[cw.SimulatedBandit, np.ndarray]:
    """Return a problem, and the numbers of the designs that do not equal another one."""
    rng = np.random.default_rng([SEED, seed])
    means = rng.normal(size=(DESIGNS, 2))
    copied = int(rng.choice(np.flatnonzero(cw.pareto_mask(means, CONE))))
    more = [means[copied] + off for off in KINDS[kind]]
    means = np.vstack([means, *more])
    alone = (means[:, None] == means[None]).all(axis=2).sum(axis=1) == 1
    return cw.SimulatedBandit(means, NOISE), np.flatnonzero(alone)


def question() -> cw.Question:
    return cw.Question(CONE, 0.0, DELTA, NOISE, "contain")


def adaptive(problem: cw.SimulatedBandit, most: int, seed: int, lag: float = TUNING.lag) -> cw.Result:
    tuning = replace(TUNING, lag=lag)
    rule = SuccessiveElimination(question(), problem.n_designs, max_evaluations=most, tuning=tuning)
    return run(rule, problem, rng=np.random.default_rng([SEED, seed, 1]))


def even(problem: cw.SimulatedBandit, most: int, seed: int) -> cw.Result:
    each = np.full(problem.n_designs, most // problem.n_designs)
    sample = problem.evaluate(Pulls.each(each), np.random.default_rng([SEED, seed, 1]))
    return cw.analyse(sample, CONE, delta=DELTA, noise=NOISE, success="contain", final=True).result


def ape(problem: cw.SimulatedBandit, most: int, seed: int) -> cw.Result:
    rule: Any = LeaderChallenger(question(), problem.n_designs, max_evaluations=most, growth=0.1)
    return run(rule, problem, rng=np.random.default_rng([SEED, seed, 1]))


WAYS: dict[str, Callable[[cw.SimulatedBandit, int, int], cw.Result]] = {
    "adaptive": adaptive,
    "unlimited": lambda problem, most, seed: adaptive(problem, most, seed, math.inf),
    "even": even,
    "APE": ape,
}


def undecided(way: str, kind: str, budget: int, instances: int) -> float:
    """Return the mean number of undecided designs after `budget` evaluations for each design there is."""
    counts = []
    for seed in range(instances):
        problem, counted = instance(kind, seed)
        found = WAYS[way](problem, budget * problem.n_designs, seed)
        counts.append(int((found.status[counted] == "undecided").sum()))
    return float(np.mean(counts))


def table(instances: int, budgets: tuple[int, ...] = BUDGETS) -> Iterator[str]:
    """Yield the lines of a table: one for each kind of instance and way, a column for each budget."""
    yield "| instances | evaluations | " + " | ".join(f"{budget:,} K" for budget in budgets) + " |"
    yield "|---|---|" + "--:|" * len(budgets)
    for kind in KINDS:
        for way in WAYS:
            found = [f"{undecided(way, kind, budget, instances):.1f}" for budget in budgets]
            yield f"| {kind} | {way} | {' | '.join(found)} |"


def section(lines: Iterable[str], instances: int) -> list[str]:
    """Return the section of the page with these lines of the table."""
    from benchmarks.__main__ import machine

    intro = (
        f"Made by `python -m benchmarks.undecided --instances {instances} --write` on "
        f"{datetime.date.today():%d %B %Y}. {machine()} Exact questions about {DESIGNS} random designs with two "
        "objectives and unit noise, delta 0.05: undecided designs on average, after so many evaluations for each of "
        "the K designs. In *twin* one design equals a Pareto optimal one; neither of the two is counted. In *near-tie* "
        "one design differs by 0.001 and 0.002 from a Pareto optimal one. *Even* spends as much on every design and "
        "looks once; *APE* goes on in batches of 10%; *unlimited* is our rule without its limit on the lag of open "
        "designs (`Tuning.lag`)."
    )
    return ["## Undecided designs against evaluations", "", intro, "", *lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=10)
    parser.add_argument("--write", action="store_true", help=f"write the section in {PAGE.name}")
    options = parser.parse_args()
    lines = []
    for line in table(options.instances):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        write("undecided", section(lines, options.instances))
    return 0


if __name__ == "__main__":
    sys.exit(main())
