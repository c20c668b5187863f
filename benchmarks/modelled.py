"""How many evaluations a model saves: designs with features, and the posterior certificate without any.

    python -m benchmarks.modelled [--runs 20] [--only TEXT] [--bent]
    python -m benchmarks.modelled --decide          CPU time of one decision after 500 evaluations

Every answer is checked against the truth. Constants were chosen with the disc brake and the seeds 0 to 999; the seeds
here start at SEED, and the sorting networks chose nothing. Every run is a line of benchmarks/modelled.jsonl and is
never made twice; `python -m benchmarks.calibration --write` puts the tables into docs/validation-models.md.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.stats import qmc

import conewise as cw
from benchmarks import lines
from benchmarks.cases import SEED, disc_brake
from conewise.noise import Gaussian
from conewise.rules import ModelGuided


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
    confirm: bool | Literal["all"] = False


KEPT = Path(__file__).with_name("modelled.jsonl")


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


TABLE, NOISE = 60, 0.1


def bent() -> list[ModelCase]:
    """Tables that no prior has in mind: 60 designs with two features, standardised."""
    x = np.random.default_rng(5).random((TABLE, 2))
    a, b = x.T
    rng = np.random.default_rng(6)
    chance, shuffled = rng.normal(size=(TABLE, 2)), rng.permutation(TABLE)
    easy = np.column_stack([np.sin(3 * a) + b, np.cos(2 * a) - b**2])
    across = (a + b - 1) / np.sqrt(2)
    front = np.flatnonzero(cw.pareto_mask(easy, cw.Cone.orthant(2)))
    spike, dip = standardised(easy), standardised(easy)
    spike[int(spike.sum(axis=1).argmin())] += 3.0  # from worst to best
    dip[front[len(front) // 2]] -= 1.0
    rows = [
        ("features are noise", chance, x, False),
        ("... and without features", chance, None, False),
        ("features permuted", easy, x[shuffled], False),
        (
            "length scales a hundredfold apart",
            np.column_stack([np.sin(a / 0.1) + b / 3, np.cos(a / 0.1) - b / 3]),
            x,
            False,
        ),
        ("a step", easy + 1.5 * (a > 0.5)[:, None] * [1, -1], x, False),
        ("a narrow rotated valley", np.column_stack([np.exp(-((across / 0.05) ** 2)), a - b / 2]), x, False),
        ("a lone spike", spike, x, False),
        ("a lone spike, confirm all", spike, x, "all"),
        ("a lone dip of a Pareto design, confirm", dip, x, True),
    ]
    return [
        ModelCase(
            name,
            cw.SimulatedBandit(standardised(means) if "lone" not in name else means, Gaussian(NOISE)),
            cw.Cone.orthant(2),
            0.1,
            0.05,
            cw.models.Independent() if features is None else cw.models.Smooth(features),
            np.inf,
            confirm,
        )
        for name, means, features, confirm in rows
    ]


@dataclass(frozen=True)
class Run:
    case: str
    seed: int
    evaluations: int
    right: bool
    promised: bool
    """Whether the check let the promise stand."""
    seconds: float


def run(case: ModelCase, seed: int) -> Run:
    """One run to its end, CPU time included."""
    start = time.process_time()
    question: dict[str, Any] = {
        "epsilon": case.epsilon,
        "delta": case.delta,
        "model": case.model,
        "confirm": case.confirm,
    }
    result = cw.identify(case.problem, case.cone, **question, rng=seed, seed=seed)
    right = bool(cw.verdict(result.pareto, case.problem.means, case.cone, case.epsilon))
    seconds = round(time.process_time() - start, 2)
    return Run(case.name, seed, result.evaluations, right, bool(result.guarantee), seconds)


def missing(some: list[ModelCase], runs: int, done: list[Run]) -> Iterator[Callable[[], Run]]:
    """Case after case for each seed."""
    known = {(run.case, run.seed) for run in done}
    for seed in range(SEED, SEED + runs):
        for case in some:
            if (case.name, seed) not in known:
                yield partial(run, case, seed)


def rows(some: list[ModelCase], done: list[Run]) -> list[str]:
    """A table of what was run."""
    text = ["| case | runs | evaluations | se | figure | right | right and promised | CPU s a run |"]
    text.append("|---|--:|--:|--:|--:|--:|--:|--:|")
    for case in some:
        found = [each for each in done if each.case == case.name]
        if not found:
            continue
        counts = np.array([each.evaluations for each in found], dtype=float)
        error = counts.std(ddof=1) / np.sqrt(len(counts)) if len(counts) > 1 else np.nan
        figure = f"{case.at_most:g}" if np.isfinite(case.at_most) else ""
        both = sum(each.right and each.promised for each in found)
        text.append(
            f"| {case.name} | {len(found)} | {counts.mean():.4g} | {error:.2g} | {figure} "
            f"| {sum(each.right for each in found)} | {both} | {np.mean([each.seconds for each in found]):.1f} |"
        )
    return text


def section(done: list[Run]) -> str:
    """For docs/validation-models."""
    return "\n".join(
        [
            "## Evaluations",
            "",
            "Standardised tables with noise 0.1 and epsilon 0.1 at delta 0.05, orthant, unless a row says otherwise; "
            "fresh seeds. *Promised* are answers that the check did not withdraw. Made by `python -m "
            f"benchmarks.modelled`. {lines.made_with(KEPT)}",
            "",
            *rows(cases(), done),
            "",
            "## Tables that no prior has in mind",
            "",
            f"{TABLE} designs with two features, noise {NOISE:g}, epsilon 0.1, delta 0.05. *A lone spike* is a "
            "design that is the worst by its features and the best in truth: it is missed unless it is evaluated by "
            'chance, which is what the guarantee\'s assumption names; `confirm="all"` evaluates every design. *A '
            "lone dip* is a Pareto design worse than its neighbours: `confirm=True` finds out.",
            "",
            *rows(bent(), done),
            "",
        ]
    )


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
    parser.add_argument("--minutes", type=float, default=40.0, help="of CPU time, after which it stops")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--bent", action="store_true", help="tables that no prior has in mind")
    parser.add_argument("--decide", action="store_true", help="the time of a decision in place of runs")
    chosen = parser.parse_args(arguments)
    if chosen.decide:
        decisions(say)
        return
    some = [case for case in (bent() if chosen.bent else cases()) if chosen.only in case.name]
    lines.fill(KEPT, missing(some, chosen.runs, lines.read(KEPT, Run)), chosen.minutes)
    say("\n".join(rows(some, lines.read(KEPT, Run))))


if __name__ == "__main__":
    main()
