"""A box of settings: how near the front of the BraninCurrin problem is after 60 evaluations, all of them counted.

    python -m benchmarks.boxes [--runs 20] [--minutes 30] [--write]

Branin and Currin functions on the unit square, standardised and negated as VOPy has them, the cone of 70 degrees, noise
of variance 1e-5. Measured is VOPy's log hypervolume discrepancy: on the first 2048 points of the Sobol' sequence the
model's means name a Pareto set, and the measure is the logarithm of the hypervolume (of facet values) that the true
values of that set lack. Seeds start at SEED, and chose nothing. `--write` puts the table into SAMPLES.md.
"""

from __future__ import annotations

import argparse
import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import moocore
import numpy as np
from scipy.stats import qmc

import conewise as cw
from benchmarks import commits
from benchmarks.cases import SEED
from benchmarks.sections import write
from conewise.models.axes import axes_of
from conewise.models.features import Encoded
from conewise.models.posterior import posterior_of
from conewise.studies.boxes import DEFAULT

HEADING = "## A box: BraninCurrin, planar:70, noise variance 1e-5, 60 evaluations"
CONE = cw.Cone.planar(70)
NOISE = cw.noise.Gaussian(1e-5**0.5)
EVALUATIONS = 60
EPSILON, DELTA = 0.02, 0.05
FROM = SEED + 2000
"""Earlier ones were looked at when the sizes of a box's prior and its corners were chosen."""
AT_MOST = -4.5
PEER = -1.45
"""VOPy's adaptive discretisation after 42 evaluations and 512 that it does not count."""


def branin_currin(x: np.ndarray) -> np.ndarray:
    """(n, 2): true values on the unit square, larger is better."""
    first, second = x[:, 0], np.maximum(x[:, 1], 1e-9)
    a, b = 15 * first - 5, 15 * second
    branin = (b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10
    above = 2300 * first**3 + 1900 * first**2 + 2092 * first + 60
    below = 100 * first**3 + 500 * first**2 + 4 * first + 20
    currin = (1 - np.exp(-1 / (2 * second))) * above / below
    return np.column_stack([(54.3669 - branin) / 51.3086, (7.5926 - currin) / 2.6496])


@dataclass(eq=False)
class Laboratory:
    """Evaluates settings with noise, and keeps what it was asked for."""

    rng: np.random.Generator
    seen: list[tuple[float, float]] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    def __call__(self, design: dict[str, Any]) -> np.ndarray:
        self.seen.append((design["x"], design["y"]))
        self.values.append(branin_currin(np.array(self.seen[-1:]))[0] + self.rng.normal(0, 1e-5**0.5, 2))
        return self.values[-1]


def predicted(seen: np.ndarray, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(n, 2): the model's means at some points, given evaluations."""
    places, which = np.unique(seen, axis=0, return_inverse=True)
    model = DEFAULT(Encoded(np.vstack([places, points]), np.arange(2), ("x", "y"), ()))
    total = len(places) + len(points)
    told = cw.Statistics.empty(total, 2).add(cw.Observations.single(which.ravel(), values))
    posterior = posterior_of(model, axes_of(NOISE, 2, EPSILON), told, EPSILON, 1e-3)
    wanted = np.arange(len(places), total)
    columns = []
    for mixture in posterior.mixtures:
        parts = zip(mixture.weights, mixture.components, strict=True)
        columns.append(np.sum([weight * part.mean_alone(wanted) for weight, part in parts], axis=0))
    return np.column_stack(columns)


@dataclass(frozen=True)
class Run:
    seed: int
    evaluations: int
    discrepancy: float
    returned: int
    epsilon: float | None
    right: bool
    slack: float
    seconds: float


def discrepancy(returned: np.ndarray, values: np.ndarray) -> float:
    """Return the logarithm of the hypervolume that a returned set lacks, in facet values from their minimum on."""
    facets = CONE.facet_values(values)
    volume = functools.partial(moocore.hypervolume, ref=facets.min(axis=0), maximise=True)
    lacking = volume(facets[cw.pareto_mask(values, CONE)]) - volume(facets[returned])
    return math.log(lacking) if lacking > 0 else -math.inf


def run(seed: int, evaluations: int = EVALUATIONS, candidates: int = 256, points: int = 2048) -> Run:
    """One run, and its discrepancy."""
    start = time.process_time()
    laboratory = Laboratory(np.random.default_rng(seed))
    box = cw.problems.Box(
        {"x": (0, 1), "y": (0, 1)}, evaluate=laboratory, noise=NOISE, candidates=candidates, seed=seed
    )
    result: Any = cw.identify(box, CONE, epsilon=EPSILON, delta=DELTA, rng=seed, seed=seed, max_evaluations=evaluations)
    seconds = time.process_time() - start
    grid = qmc.Sobol(2, scramble=False).random(points)
    means = predicted(np.array(laboratory.seen), np.array(laboratory.values), grid)
    found = discrepancy(cw.pareto_mask(means, CONE), branin_currin(grid))
    counted, epsilon = len(laboratory.seen), result.certified_epsilon
    true = branin_currin(np.array([[setting["x"], setting["y"]] for setting in result.settings]))
    right = bool(cw.verdict(result.pareto, true, CONE, max(EPSILON, epsilon or 0.0)))
    return Run(seed, counted, found, len(result.indices), epsilon, right, result.mesh.slack, seconds)


def table(found: list[Run]) -> list[str]:
    """One row for all runs, one for the peer, and the runs themselves."""
    values = np.array([each.discrepancy for each in found])
    met, right = int((values <= AT_MOST).sum()), sum(each.right for each in found)
    mean = f"{values.mean():.2f}" if np.isfinite(values).all() else f"median {np.median(values):.2f}"
    counts = [each.evaluations for each in found]
    rows = [
        "| rule | evaluations, all counted | log hypervolume discrepancy | largest | at most -4.5 "
        "| right among candidates | CPU s a run |",
        "|---|--:|--:|--:|--:|--:|--:|",
        f"| **box, Smooth** | {min(counts)} to {max(counts)} | {mean} | {values.max():.2f} | {met} of {len(found)} "
        f"| {right} of {len(found)} | {np.mean([each.seconds for each in found]):.0f} |",
        f"| VOPy, adaptive discretisation (not run here) | 42 + 512 | {PEER:.2f} | | no | | |",
        "",
        "| seed | evaluations | log hypervolume discrepancy | returned | certified epsilon | right "
        "| slack of the mesh |",
        "|--:|--:|--:|--:|--:|---|--:|",
    ]
    for each in found:
        certified = "none" if each.epsilon is None else f"{each.epsilon:.3g}"
        rows.append(
            f"| {each.seed} | {each.evaluations} | {each.discrepancy:.2f} | {each.returned} | {certified} "
            f"| {'yes' if each.right else 'no'} | {each.slack:.2g} |"
        )
    return rows


def main(arguments: list[str] | None = None, say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no run after so many minutes")
    parser.add_argument("--write", action="store_true", help="put the table into SAMPLES.md")
    chosen = parser.parse_args(arguments)
    began, found = time.monotonic(), list[Run]()
    for k in range(chosen.runs):
        if time.monotonic() - began > 60 * chosen.minutes:
            break
        found.append(run(FROM + k))
        say(str(found[-1]))
    rows = table(found)
    say("\n".join(rows))
    if chosen.write:
        how = (
            f"Made by `python -m benchmarks.boxes --runs {len(found)} --write`; seeds from {FROM} on. It stops by "
            f"itself once epsilon = {EPSILON:g} is certified and the slack of the mesh is no larger, and after "
            f"{EVALUATIONS} evaluations at the latest. {commits.here()}"
        )
        measure = (
            "The measure is VOPy's: the set that the model's means name on 2048 Sobol' points, and the logarithm of "
            "the hypervolume of facet values that its true values lack."
        )
        write("box", [HEADING, "", f"{how} {measure}", "", *rows])


if __name__ == "__main__":
    main()
