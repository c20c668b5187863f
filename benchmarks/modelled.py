"""How many evaluations a model saves: designs with features, and the posterior certificate without any.

    python -m benchmarks.modelled [--runs 20] [--only TEXT]
    python -m benchmarks.modelled --decide          CPU time of one decision after 500 evaluations

Every answer is checked against the truth; *right* counts answers that are finished and succeed. Constants were chosen
with the disc brake and the seeds 0 to 999; the seeds here start at SEED, and the sorting networks chose nothing.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from scipy.stats import qmc

import conewise as cw
from benchmarks.cases import SEED, disc_brake
from conewise.algorithms import ModelGuided
from conewise.noise import Gaussian


@dataclass(frozen=True)
class ModelCase:
    name: str
    problem: cw.SimulatedBandit
    cone: cw.Cone
    epsilon: float
    delta: float
    model: cw.models.Prior
    at_most: float
    """The figure to reach."""


def standardised(means: np.ndarray) -> np.ndarray:
    return np.asarray((means - means.mean(axis=0)) / means.std(axis=0))


def brake_features() -> np.ndarray:
    """Inner and outer radius, force and surfaces of `benchmarks.cases.disc_brake`, between 0 and 1."""
    return np.asarray(qmc.Sobol(4, scramble=False).fast_forward(44).random(128))


def network_features() -> np.ndarray:
    """The three features of the sorting networks."""
    text = files("conewise.problems").joinpath("data/snw.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return np.array([[float(row[f"feature_{k}"]) for k in (1, 2, 3)] for row in rows])


def cases() -> list[ModelCase]:
    snw, noise, plain = cw.problems.load("snw"), Gaussian(0.1), cw.models.Independent()
    brake, networks = (cw.SimulatedBandit(standardised(means), noise) for means in (disc_brake(), snw.means))
    orthant = cw.Cone.orthant(2)
    found = [
        ModelCase("disc brake, 4 features", brake, orthant, 0.1, 0.05, cw.models.Smooth(brake_features()), 70),
        ModelCase("SNW, 3 features", networks, orthant, 0.1, 0.05, cw.models.Smooth(network_features()), 560),
        ModelCase("disc brake, no features", brake, orthant, 0.1, 0.05, plain, 591),
    ]
    for angle, at_most in ((45, 3.0e5), (90, 1.0e5), (135, 2.5e4)):
        name = f"SNW, no features, sigma 1, delta 0.01, planar:{angle}"
        found.append(ModelCase(name, snw, cw.Cone.planar(angle), 0.1, 0.01, plain, at_most))
    return found


def run(case: ModelCase, seed: int) -> tuple[int, bool, float]:
    """Evaluations, whether the answer is promised and right, and CPU seconds."""
    start = time.process_time()
    question = {"epsilon": case.epsilon, "delta": case.delta, "model": case.model}
    result = cw.identify(case.problem, case.cone, **question, rng=seed, seed=seed)
    right = bool(result.guarantee) and bool(cw.verdict(result.pareto, case.problem.means, case.cone, case.epsilon))
    return result.evaluations, right, time.process_time() - start


def decision(size: int, *, evaluations: int = 500, times: int = 5) -> dict[str, float]:
    """CPU seconds of one `ask` (median) when so many evaluations of random designs are known, and what it dealt with.

    32 kernels in two features, and independent designs beside them; each decision follows one more evaluation.
    """
    rng = np.random.default_rng(SEED)
    x = rng.random((size, 2))
    means = np.column_stack([np.sin(3 * x[:, 0]) + x[:, 1], np.cos(2 * x[:, 0]) - x[:, 1] ** 2])
    problem = cw.SimulatedBandit(means, Gaussian(0.3))
    model = cw.models.Smooth(x, kernels=("matern52",), sizes=(10.0,), discrepancies=(0.1,))
    rule = ModelGuided(cw.Question(cw.Cone.orthant(2), 0.1, 0.05, Gaussian(0.3)), size, model=model)
    designs, counts = np.unique(rng.integers(0, size, evaluations), return_counts=True)
    state = rule.tell(rule.start(), problem.evaluate(cw.Pulls(designs, counts), rng))
    seconds = []
    for _ in range(times):
        start = time.process_time()
        pulls = rule.ask(state)
        seconds.append(time.process_time() - start)
        state = rule.tell(state, problem.evaluate(cw.Pulls(pulls.designs[:1]), rng))
    return {
        "seconds": float(np.median(seconds)),
        "asked": float(pulls.total),
        "seen": float((state.counts > 0).sum()),
        "components": float(len(model.components)),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
    }


def decisions(say: Callable[[str], None] = print, sizes: tuple[int, ...] = (500, 10_000)) -> None:
    """One row a number of designs."""
    say("| designs | seen | components | asked for | CPU s a decision | most memory, MB |\n|---|---|---|---|---|---|")
    for size in sizes:
        found = decision(size)
        say(
            f"| {size} | {found['seen']:.0f} | {found['components']:.0f} | {found['asked']:.0f} "
            f"| {found['seconds']:.2f} | {found['megabytes']:.0f} |"
        )


def main(arguments: list[str] | None = None, say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--decide", action="store_true", help="the time of a decision in place of runs")
    chosen = parser.parse_args(arguments)
    if chosen.decide:
        decisions(say)
        return
    say("| case | evaluations | se | figure | right | CPU s a run |\n|---|---|---|---|---|---|")
    for case in cases():
        if chosen.only not in case.name:
            continue
        found = [run(case, SEED + k) for k in range(chosen.runs)]
        counts = np.array([each[0] for each in found], dtype=float)
        error = counts.std(ddof=1) / np.sqrt(len(counts)) if len(counts) > 1 else np.nan
        right, seconds = sum(each[1] for each in found), np.mean([each[2] for each in found])
        say(
            f"| {case.name} | {counts.mean():.4g} | {error:.2g} | {case.at_most:g} | {right}/{len(found)} "
            f"| {seconds:.1f} |"
        )


if __name__ == "__main__":
    main()
