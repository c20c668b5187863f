"""Is delta kept? Every rule, every notion of success it claims, eight instances that are easy to fail on.

    python -m benchmarks.validate [--runs 1000] [--write]

Null hypothesis of each cell: the failure probability is at most DELTA. Test: exact binomial at LEVEL with fixed seeds.
A negative control, every radius divided by 8, must be rejected on the near-ties. `--write` makes docs/validation.md.
The test suite runs the same matrix with fewer runs (tests/statistical/test_certificate.py).
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

import conewise as cw
from conewise.algorithms import AuerElimination, LeaderChallenger, NaiveElimination, PaVeBa, SuccessiveElimination
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit, UniformNoise
from conewise.studies.loop import run

DELTA = 0.1
LEVEL = 1e-6
SEED = 20230425
EPSILON = 1.0
JUST = 1.02 * EPSILON  # a gap a little beyond epsilon: as easy to fail on as can be
PAGE = Path(__file__).resolve().parent.parent / "docs" / "validation.md"


# -- instances -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instance:
    name: str
    cone: cw.Cone
    problem: SimulatedBandit

    def succeeds(self, returned: np.ndarray, notion: str, epsilon: float = EPSILON) -> bool:
        """(i) and (ii) of docs/theory, section 5; `contain` asks for the whole Pareto set instead of (i)."""
        verdict = cw.verdict(returned, self.problem.means, self.cone, epsilon)
        return verdict.success if notion == "cover" else not len(verdict.missed) and not len(verdict.too_far)


def behind(cone: cw.Cone, steps: list[float]) -> np.ndarray:
    """Designs behind the first by so many times a gap just beyond epsilon, along the centre of the cone."""
    gain = cone.centre * JUST / (cone.facets @ cone.centre / cone.widths).min()
    return -np.outer(steps, gain)


def fan(cone: cw.Cone, n_designs: int) -> np.ndarray:
    """Incomparable designs in a row, each just not covered by its neighbours: a long front."""
    across = np.zeros(cone.dim)
    across[:2] = 1.0, -1.0
    reach = float(cw.cover_gaps(np.zeros((1, cone.dim)), cone, rivals=across[None])[0, 0])
    return np.arange(n_designs)[:, None] * across * JUST / reach


def near_ties(cone: cw.Cone) -> np.ndarray:
    """A front of two that do not cover each other, and three designs just too far from it to be returned."""
    front = fan(cone, 2)
    return np.vstack([front, front[:1] + behind(cone, [1.0, 1.0]), front[1:] + behind(cone, [1.0])])


def instances() -> list[Instance]:
    flat, narrow, acute = cw.Cone.orthant(2), cw.Cone.planar(45), cw.Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1]])
    by_design = np.geomspace(0.2, 1.2, 10).reshape(5, 2)[[0, 4, 1, 3, 2]]
    made: list[tuple[str, cw.Cone, np.ndarray, Any]] = [
        ("near-ties", flat, near_ties(flat), Gaussian(0.8)),
        ("all identical", flat, np.zeros((5, 2)), Gaussian(0.6)),
        ("long staircase front", flat, fan(flat, 8), Gaussian(0.7)),
        ("one objective", cw.Cone.orthant(1), behind(cw.Cone.orthant(1), [0, 1, 1, 1, 1]), Gaussian(0.8)),
        ("narrow cone, 3 objectives", acute, np.vstack([fan(acute, 2), behind(acute, [1, 2])]), Gaussian(0.5)),
        ("correlated noise", narrow, near_ties(narrow), Gaussian(cov=np.array([[0.25, -0.2], [-0.2, 0.25]]))),
        ("variances by design", flat, near_ties(flat), Gaussian(by_design)),
    ]
    done = [Instance(name, cone, SimulatedBandit(means, noise)) for name, cone, means, noise in made]
    done.append(Instance("bounded noise", flat, SimulatedBandit(near_ties(flat), _uniform_in_a_box(near_ties(flat)))))
    return done


def _uniform_in_a_box(means: np.ndarray, half_width: float = 0.4) -> UniformNoise:
    """Uniform noise of which only a box is known that holds every observation of every design."""
    noise = UniformNoise(half_width)
    noise.assumption = cw.noise.Bounded(means.min(axis=0) - half_width, means.max(axis=0) + half_width)
    return noise


# -- rules ---------------------------------------------------------------------------------------------------------

Factory = Callable[[Instance, str, float], Any]
"""From an instance, a notion of success and a factor for every radius to an algorithm."""


def _naive(instance: Instance, notion: str, scale: float) -> NaiveElimination:
    whole = NaiveElimination(
        instance.cone, cw.Goal(EPSILON, DELTA), instance.problem.n_designs, instance.problem.assumption
    )
    if scale == 1.0:
        return whole
    fewer = max(1, round(whole.evaluations_each * scale**2))  # a radius divided by 8 is 64 times fewer evaluations
    return NaiveElimination(whole.cone, whole.goal, whole.n_designs, whole.noise, evaluations_each=fewer)


def _ours(rule: Any) -> Factory:
    """A rule of ours, on the certificate that claims both notions."""

    def make(instance: Instance, notion: str, scale: float) -> Any:
        problem = instance.problem
        settings = (instance.cone, EPSILON, DELTA, problem.n_designs, problem.assumption)
        return rule(*settings, success=notion, radius_scale=scale)

    return make


def _published(rule: Any) -> Factory:
    """A rule as published, with its proven radius, in batches of a tenth."""

    def make(instance: Instance, notion: str, scale: float) -> Any:
        problem = instance.problem
        settings = (instance.cone, EPSILON, DELTA, problem.n_designs, problem.assumption)
        return rule(*settings, radius_scale=scale, growth=0.1)

    return make


RULES: list[tuple[str, tuple[str, ...], Factory]] = [
    ("successive elimination", ("cover", "contain"), _ours(SuccessiveElimination)),
    ("APE", ("contain",), _published(LeaderChallenger)),
    ("Auer", ("contain",), _published(AuerElimination)),
    ("PaVeBa", ("cover",), _published(PaVeBa)),
    ("naive elimination", ("cover",), _naive),
]
"""Name, the notions of success it claims, and what makes it. A new rule joins with one line."""


# -- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    rule: str
    notion: str
    instance: str
    scale: float = 1.0

    @property
    def seed(self) -> int:
        return zlib.crc32(f"{self.rule}|{self.notion}|{self.instance}|{self.scale}".encode())


@dataclass(frozen=True)
class Measured:
    cell: Cell
    runs: int
    failures: int
    unfinished: int
    """Runs that ended by themselves without an answer at epsilon."""
    evaluations: float
    """Mean."""
    seconds: float

    @property
    def kept(self) -> bool:
        return self.failures <= allowed(self.runs)


def allowed(runs: int) -> int:
    """The largest number of failures that the exact test does not reject."""
    return int(binom.isf(LEVEL, runs, DELTA))


def cells() -> list[Cell]:
    names = [instance.name for instance in instances()]
    return [Cell(rule, notion, name) for rule, notions, _ in RULES for notion in notions for name in names]


def controls() -> list[Cell]:
    """Every radius divided by 8, where near-ties abound."""
    return [Cell(rule, notion, "near-ties", 1 / 8) for rule, notions, _ in RULES for notion in notions]


def measure(cell: Cell, runs: int) -> Measured:
    instance = next(instance for instance in instances() if instance.name == cell.instance)
    algorithm = next(make for name, _, make in RULES if name == cell.rule)(instance, cell.notion, cell.scale)
    failures = unfinished = evaluations = 0
    began = time.perf_counter()
    for number in range(runs):
        result = run(algorithm, instance.problem, rng=np.random.default_rng([SEED, cell.seed, number]))
        failures += not instance.succeeds(result.pareto, cell.notion)
        unfinished += bool((result.status == "undecided").any())
        evaluations += result.evaluations
    return Measured(cell, runs, failures, unfinished, evaluations / runs, time.perf_counter() - began)


# -- reporting -----------------------------------------------------------------------------------------------------


def table(found: list[Measured]) -> list[str]:
    lines = [
        "| rule | success | instance | runs | failures | rate | evaluations (mean) |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        cell = one.cell
        note = f", {one.unfinished} unfinished" if one.unfinished else ""
        lines.append(
            f"| {cell.rule} | {cell.notion} | {cell.instance} | {one.runs} | {one.failures}{note} | "
            f"{one.failures / one.runs:.3f} | {one.evaluations:.0f} |"
        )
    return lines


def page(found: list[Measured], control: list[Measured], runs: int, seconds: float) -> str:
    return "\n".join(
        [
            "# Validation: is delta kept?",
            "",
            f"Every rule, every notion of success that it claims, eight instances, {runs} runs each with fixed seeds, "
            f"delta = {DELTA:g}. A cell passes if its failures do not exceed {allowed(runs)}, the exact binomial bound "
            f"at level {LEVEL:g}. The instances have gaps just beyond epsilon, so that one design too many or too few "
            "is a failure. Proofs are on the pages [adaptive](adaptive.md) and [theory](theory.md); a proof by union "
            "bounds leaves something to spare, so rates lie below delta.",
            "",
            f"Made by `python -m benchmarks.validate --runs {runs} --write` on {datetime.date.today().isoformat()}, in "
            f"{seconds / 60:.0f} minutes.",
            "",
            *table(found),
            "",
            "## Negative control",
            "",
            "Every radius divided by 8 (for naive elimination 64 times fewer evaluations). These cells must fail, or "
            "the table above would show nothing.",
            "",
            *table(control),
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    work = [*cells(), *controls()]
    began = time.perf_counter()
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(measure, work, [options.runs] * len(work)))
    plain, control = found[: len(cells())], found[len(cells()) :]
    print("\n".join([*table(plain), "", "Radii divided by 8:", *table(control)]))
    print(f"{time.perf_counter() - began:.0f} s")
    broken = [one.cell for one in plain if not one.kept or one.unfinished]
    blind = [one.cell for one in control if one.kept]
    for cell in broken:
        print(f"delta is not kept, or runs do not end: {cell}", file=sys.stderr)
    for cell in blind:
        print(f"the control passed: {cell}", file=sys.stderr)
    if options.write and not broken and not blind:
        PAGE.write_text(page(plain, control, options.runs, time.perf_counter() - began), encoding="utf-8")
        print(f"wrote {PAGE}")
    return 1 if broken or blind else 0


if __name__ == "__main__":
    sys.exit(main())
