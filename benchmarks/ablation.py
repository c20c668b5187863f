"""What each mechanism of the certificate saves: evaluations with it alone, and with all others but it.

A cell is one variant on one instance: every mechanism (*all*), none, one alone, or all without one. Runs of all
variants share their seeds, which come from SEED on, so ratios are of pairs; what has been measured is kept in
ablation.jsonl, one line a run, and never measured twice. Cheap instances come first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import conewise as cw
from benchmarks.cases import disc_brake, random_family, two_leaders
from benchmarks.sections import PAGE, write
from conewise.algorithms import SuccessiveElimination
from conewise.certificate.tuning import TUNING, Tuning
from conewise.noise import Bounded, Gaussian, GaussianUnknown, Noise
from conewise.problems.simulated import UniformNoise
from conewise.studies.loop import run

SEED = 90_000
MOST = 10**8
KEPT = Path(__file__).with_name("ablation.jsonl")

OFF: dict[str, dict[str, object]] = {
    "directions": {"directions": False},
    "pilot weights": {"pilots": False},
    "spending power": {"spending_power": 0.0},
    "stepwise sure": {"steps": False},
    "near pairs": {"near": False},
}
"""What switches a mechanism off."""


@dataclass(frozen=True)
class Instance:
    """A question on a problem, with the noise that a rule is told of."""

    name: str
    problem: cw.SimulatedBandit
    question: cw.Question

    @property
    def mechanisms(self) -> list[str]:
        """Those that can make a difference here."""
        idle = {"stepwise sure"} if self.question.success == "cover" else {"directions"}
        if isinstance(self.question.noise, Bounded):
            idle.add("directions")
        exact = self.question.success == "contain" and isinstance(self.question.noise, Gaussian)
        if not exact or self.problem.n_designs > TUNING.near_designs:
            idle.add("near pairs")
        return [name for name in OFF if name not in idle]

    @property
    def variants(self) -> list[str]:
        """By name."""
        each = [f"{kind} {name}" for name in self.mechanisms for kind in ("only", "without")]
        return ["all", "none", *each]


@cache
def instances() -> tuple[Instance, ...]:
    """The cheap ones first."""
    found: list[Instance] = []

    def add(
        name: str, problem: cw.SimulatedBandit, cone: cw.Cone, epsilon: float, delta: float, noise: Noise | None = None
    ) -> None:
        success = "contain" if epsilon == 0 else "cover"
        assumed = problem.assumption if noise is None else noise
        found.append(Instance(name, problem, cw.Question(cone, epsilon, delta, assumed, success)))

    brakes, snw = disc_brake(), cw.problems.load("snw")
    easy = cw.SimulatedBandit((brakes - brakes.mean(axis=0)) / brakes.std(axis=0), Gaussian(0.1))
    flat = cw.Cone.orthant(2)
    add("disc brake, 90 degrees, eps 0.1", easy, flat, 0.1, 0.05)
    star = cw.SimulatedBandit(np.vstack([np.zeros(2), np.full((60, 2), -0.9)]), Gaussian(1.0))
    add("one leader of 60, eps 0.05", star, flat, 0.05, 0.1)
    small = cw.SimulatedBandit((snw.means - snw.means.mean(axis=0)) / snw.means.std(axis=0), Gaussian(0.1))
    for angle in (135, 90, 45):
        add(f"standardised SNW, {angle} degrees, eps 0.1", small, cw.Cone.planar(angle), 0.1, 0.05)
    for k, dim in ((20, 2), (20, 4), (50, 3), (100, 2)):
        add(f"random {k}x{dim}, exact", random_family(k, dim, SEED + k + dim), cw.Cone.orthant(dim), 0.0, 0.01)
    add("two leaders, exact", two_leaders(SEED), cw.Cone.orthant(3), 0.0, 0.01)
    add("random 20x2, exact, noise unknown", random_family(20, 2, SEED + 22), flat, 0.0, 0.01, GaussianUnknown())
    means = 0.3 * np.random.default_rng(SEED).normal(size=(20, 2))
    boxed = cw.SimulatedBandit(means, UniformNoise(0.4))
    box = Bounded(means.min(axis=0) - 0.4, means.max(axis=0) + 0.4)
    add("20 designs in a box, eps 0.1, bounded noise", boxed, flat, 0.1, 0.05, box)
    for angle in (135, 90, 45):
        add(f"SNW, {angle} degrees, eps 0.1", snw, cw.Cone.planar(angle), 0.1, 0.01)
    add("SNW, 90 degrees, eps 0.1, noise unknown", snw, flat, 0.1, 0.01, GaussianUnknown())
    add("random 200x3, exact", random_family(200, 3, SEED + 203), cw.Cone.orthant(3), 0.0, 0.01)
    return tuple(found)


def tuning_of(variant: str) -> Tuning:
    """With what a variant names switched off, or all else."""
    kind, _, name = variant.partition(" ")
    off = {"all": [], "none": list(OFF), "without": [name], "only": [each for each in OFF if each != name]}[kind]
    changes: dict[str, object] = {}
    for each in off:
        changes |= OFF[each]
    return replace(TUNING, **changes)  # type: ignore[arg-type]


def measured(instance: Instance, variant: str, number: int) -> tuple[int, bool]:
    """Evaluations of one run, and whether its answer is finished and right."""
    question, problem = instance.question, instance.problem
    most = MOST if question.epsilon == 0 else None
    rule = SuccessiveElimination(question, problem.n_designs, max_evaluations=most, tuning=tuning_of(variant))
    result = run(rule, problem, rng=np.random.default_rng([SEED, number]))
    verdict = cw.verdict(result.pareto, problem.means, question.cone, question.epsilon)
    right = verdict.success and (question.success == "cover" or not len(verdict.missed))
    return result.evaluations, right and "undecided" not in result.status.tolist()


Kept = dict[tuple[str, str, int], tuple[int, bool]]


def read(path: Path = KEPT) -> Kept:
    """What has been measured."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines if line]
    return {(row["case"], row["variant"], row["run"]): (row["evaluations"], row["right"]) for row in rows}


def measure(chosen: list[Instance], runs: int, path: Path = KEPT) -> Kept:
    """All cells of these instances; each run is kept as soon as it has ended."""
    found = read(path)
    for instance in chosen:
        for number in range(runs):
            for variant in instance.variants:
                key = instance.name, variant, number
                if key in found:
                    continue
                evaluations, right = found[key] = measured(instance, variant, number)
                line = {"case": key[0], "variant": variant, "run": number, "evaluations": evaluations, "right": right}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    return found


def ratio(found: Kept, case: str, variant: str, base: str) -> tuple[float, float, int] | None:
    """Of the means of one variant and another, its standard error from paired runs, and how many there are."""
    numbers = [n for name, v, n in found if name == case and v == variant and (case, base, n) in found]
    if not numbers:
        return None
    ours, theirs = (np.array([found[case, v, n][0] for n in numbers], dtype=float) for v in (variant, base))
    value = float(ours.mean() / theirs.mean())
    error = (
        float((ours - value * theirs).std(ddof=1) / theirs.mean() / len(numbers) ** 0.5) if len(numbers) > 1 else 0.0
    )
    return value, error, len(numbers)


def table(found: Kept, chosen: list[Instance]) -> Iterator[str]:
    """Lines of the table: what removing a mechanism costs, and what it saves alone."""
    yield (
        "| instance | runs | right | all (mean) | none / all | " + " | ".join(f"without {name}" for name in OFF) + " | "
    )
    yield "|---|--:|--:|--:|--:|" + "--:|" * len(OFF)
    summary: dict[str, list[float]] = {name: [] for name in OFF}
    alone: list[str] = []
    for instance in chosen:
        case = instance.name
        whole = [value for (name, variant, _), value in found.items() if name == case and variant == "all"]
        if not whole:
            continue
        right = [value[1] for (name, _, _), value in found.items() if name == case]
        cells, single = [], []
        for name in OFF:
            without, only = ratio(found, case, f"without {name}", "all"), ratio(found, case, f"only {name}", "none")
            cells.append(_shown(without))
            single.append(_shown(only))
            if without is not None:
                summary[name].append(without[0])
        mean = np.mean([value[0] for value in whole])
        nothing = _shown(ratio(found, case, "none", "all"))
        yield f"| {case} | {len(whole)} | {sum(right)}/{len(right)} | {mean:.4g} | {nothing} | {' | '.join(cells)} |"
        alone.append(f"| {case} | {' | '.join(single)} |")
    means = [f"{np.exp(np.mean(np.log(values))):.3f}" if values else "" for values in summary.values()]
    yield f"| **geometric mean** | | | | | {' | '.join(means)} |"
    yield ""
    yield "Each mechanism alone, over none:"
    yield ""
    yield "| instance | " + " | ".join(OFF) + " |"
    yield "|---|" + "--:|" * len(OFF)
    yield from alone


def _shown(value: tuple[float, float, int] | None) -> str:
    return "" if value is None else f"{value[0]:.3f} ({value[1]:.3f})"


def intro() -> list[str]:
    """What stands above the tables."""
    said = (
        "Made by `python -m benchmarks.ablation --write`, with the default rule and "
        f"seeds from {SEED} on. Evaluations as a multiple of those with every mechanism (standard errors of paired "
        "runs); empty where a mechanism has nothing to do."
    )
    return ["## What each mechanism saves", "", said, ""]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="part of an instance's name")
    parser.add_argument("--write", action="store_true", help=f"write the section in {PAGE.name}")
    options = parser.parse_args()
    chosen = [each for each in instances() if options.only in each.name]
    lines = list(table(measure(chosen, options.runs), chosen))
    print("\n".join(lines))
    if options.write:
        write("ablation", [*intro(), *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
